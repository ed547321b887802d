"""A judge values the positions of one game for every seat.

Let V(s) be what each seat may expect in the end if everybody plays perfectly from the state s on.
A judge tells V where it can, and the value of each move that a seat could make. From that alone
`fairground.coach.review` works out what decisions cost and what chance gave.

Values are fractions. A solver's floating point number is converted exactly, so that
sums stay exact. `Basis` bounds the error of a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from fairground.core import Game, InputError, MissingExtra, Move, Over, Seat, TooMany
from fairground.fair.bits import SystemStream
from fairground.games import GAMES
from fairground.players import make_player, offered
from fairground.registry import load
from fairground.words import words_for
from fairground.words.plain import PlainWords

Values: TypeAlias = tuple[Fraction, ...]
"""The value of something for each seat."""

Spread: TypeAlias = "Sequence[tuple[Fraction | float, Fraction | float]]"
"""The possible outcomes of a draw for one seat: (value, probability)."""

NOISE: Final = Fraction(1, 10**11)
"""Values of an inexact solver that differ by less than this are equal."""


class Unit(NamedTuple):
    """The unit of values, and the words for it."""

    name: str
    one: str
    many: str
    scale: int
    """Factor between a value and the number shown to people."""
    digits: int
    slip: Fraction
    mistake: Fraction
    """A cost below ``slip`` is called a slip, below ``mistake`` a mistake, else a blunder."""


WINS: Final = Unit(
    "win chance", "win in 100 games", "wins in 100 games", 100, 1, Fraction(1, 100), Fraction(1, 20)
)
BETS: Final = Unit("bets", "bet", "bets", 1, 3, Fraction(1, 20), Fraction(1, 2))
GUESSES: Final = Unit("guesses", "guess", "guesses", 1, 2, Fraction(1, 20), Fraction(1, 4))


class Basis(NamedTuple):
    """The grounds on which a judge's values rest."""

    exact: bool
    """True if values are exact fractions."""
    error: float
    """Maximum error of a value; 0 if it is exact."""
    says: str
    """An explanation in a sentence or two."""


class Option(NamedTuple):
    """A move that could be made, and what everybody may expect after it."""

    move: Move
    values: Values
    mix: Fraction | None = None
    """Probability of this move in perfect play, if perfect play mixes."""


G = TypeVar("G", bound=Game[Any])


class Judge(ABC, Generic[G]):
    """Knows what positions of one game are worth."""

    unit: ClassVar[Unit] = WINS
    basis: Basis

    def __init__(self, game: G) -> None:
        self.game = game

    def knows(self, state: Any) -> bool:
        """Return false in the middle of a multi-draw roll; luck is assigned when it is complete."""
        return True

    @abstractmethod
    def worth(self, state: Any) -> Values:
        """V(state)."""

    def decided(self, before: Any, after: Any) -> Values:
        """V of a state that a decision has led to, also where `knows` does not tell it."""
        return value_of(self, after)

    def paid(self, payoff: Sequence[int]) -> Values:
        """Return the value of an end: by default the share of a win, one half for a draw."""
        return tuple(Fraction(paid + 1, self.game.seats) for paid in payoff)

    def reveals(self, state: Any) -> bool:
        """Return true if the awaited move decides nothing and only reveals what chance did."""
        return False

    @abstractmethod
    def options(self, state: Any, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        """The moves worth a look, best first: at least one of the best, and all of ``also``."""

    def forced(self, state: Any, seat: Seat) -> bool:
        """Return true if the seat has only one legal move."""
        try:
            return len(list(islice(self.game.choices(state, seat), 2))) < 2
        except TooMany:
            return False

    def spread(self, before: Any, after: Any, seat: Seat) -> Spread | None:
        """Return all possible outcomes of the draw after ``before``; ``None`` if unknown."""
        return None

    @abstractmethod
    def why(
        self, words: PlainWords[Any], state: Any, seat: Seat, chosen: Option, best: Option
    ) -> str:
        """Why the best move is better, in a sentence or two made from the numbers."""

    @abstractmethod
    def advice(self, words: PlainWords[Any], state: Any, seat: Seat, best: Option) -> str:
        """Why the best move is good, for somebody who has not moved yet."""


class NoJudge(InputError):
    """The coach has no judge for this game."""

    code = "coach/unknown-game"


def judge_of(game: Game[Any]) -> Judge[Any]:
    """Return the judge of a game with its parameters."""
    listing = GAMES.get(game.name)
    if listing is None or listing.judge is None:
        known = ", ".join(name for name, listed in GAMES.items() if listed.judge)
        raise NoJudge(f"the coach knows {known}, but not {game.name}")
    made: Judge[Any] = load(listing.judge)(game)
    return made


def value_of(judge: Judge[Any], state: Any) -> Values:
    """Return V of a state, or of the end that a forfeit brought about."""
    if isinstance(state, Over):
        return judge.paid(state.payoff)
    awaits = judge.game.awaits(state)
    return judge.paid(awaits.payoff) if isinstance(awaits, Over) else judge.worth(state)


def of_two(seat: Seat, mine: Fraction) -> Values:
    """Return the values of both seats of a two-player game, given the value of one."""
    return (mine, 1 - mine) if seat == 0 else (1 - mine, mine)


SMALL: Final = 1e-6
"""Maximum error of values that still identify the best move."""

ADVISERS: Final = {
    name: name for name in ("optimal", "greedy", "best", "cautious", "fair", "nice", "evil")
} | {"mcts": "mcts:200"}
"""Players that advise if a game has no judge, the better ones first."""


class Advice(NamedTuple):
    """A best move, and a sentence or two on why."""

    move: Move
    option: str
    says: str
    exact: bool
    """True if no move can be better."""
    value: Fraction | None = None
    """The seat's expectation after the move, if it is an exact fraction: the chance to win, the
    return for each bet, or (negative) the total number of guesses."""
    mix: Sequence[tuple[Move, str, Fraction]] = ()
    """If perfect play mixes: each of its moves, in words, and its probability."""


@lru_cache(maxsize=8)
def _judge(game: Game[Any]) -> Judge[Any]:
    return judge_of(game)


def advise(game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Advice:
    """Return the move of perfect play, or of our best player if the game has no judge.

    Raise an `InputError` if there is no such player either. ``view`` holds only what the seat may
    see.
    """
    try:
        judge = _judge(game)
    except (NoJudge, MissingExtra) as reason:
        return _as_a_player(game, view, seat, names, reason)
    words = words_for(game, names, seat)
    if judge.reveals(view) or judge.forced(view, seat):
        move = next(iter(game.choices(view, seat)))
        only = "There is nothing else to do."
        return Advice(move, words.option(view, seat, move), only, exact=True)
    options = judge.options(view, seat)
    best = options[0]
    mix = tuple(
        (option.move, words.option(view, seat, option.move), option.mix)
        for option in options
        if option.mix
    )
    says = judge.advice(words, view, seat, best)
    known = judge.basis.error < SMALL
    value = best.values[seat] + (1 if judge.unit is BETS else 0) if judge.basis.exact else None
    return Advice(best.move, words.option(view, seat, best.move), says, known, value, mix)


def _as_a_player(
    game: Game[Any], view: Any, seat: Seat, names: Sequence[str], reason: Exception
) -> Advice:
    there = offered(game, seat)
    for name, spec in ADVISERS.items():
        if name in there:
            try:
                move = make_player(spec, game, SystemStream(), seat).choose(game, view, seat)
            except InputError:  # nor can this one tell
                continue
            option = words_for(game, names, seat).option(view, seat, move)
            says = f"That is what {name} would do: it {there[name].summary}."
            return Advice(move, option, says, exact=False)
    raise reason
