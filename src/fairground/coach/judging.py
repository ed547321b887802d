"""What a judge is: it knows what a position of one game is worth to every seat.

Let V(s) be what each seat may expect in the end if everybody plays perfectly from the state s on.
A judge tells V where it can, and the value of each move that a seat could make. From that alone
`fairground.coach.reviewing` works out what decisions cost and what chance gave.

Values are fractions. Where a solver computes with floating point numbers, its value is taken as
it is, as a fraction: so sums stay exact, and `Basis` says how far a value can be off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from fairground.core import Game, InputError, Move, Over, Seat, TooMany
from fairground.course import Happening
from fairground.registers import load
from fairground.words.plain import PlainWords

Values: TypeAlias = tuple[Fraction, ...]
"""What something is worth, seat by seat."""

Spread: TypeAlias = "Sequence[tuple[Fraction | float, Fraction | float]]"
"""What chance could have given one seat: a value, and how likely it is."""

NOISE: Final = Fraction(1, 10**11)
"""Values of an inexact solver that differ by less than this are equal."""


class Unit(NamedTuple):
    """What values are counted in, and how they are spoken of."""

    name: str
    one: str
    many: str
    scale: int
    """People are shown values times this."""
    digits: int
    """And with so many digits behind the point."""
    slip: Fraction
    mistake: Fraction
    """A cost below ``slip`` is called a slip, below ``mistake`` a mistake, else a blunder."""


WINS: Final = Unit(
    "win chance", "win in 100 games", "wins in 100 games", 100, 1, Fraction(1, 100), Fraction(1, 20)
)
BETS: Final = Unit("bets", "bet", "bets", 1, 3, Fraction(1, 20), Fraction(1, 2))
GUESSES: Final = Unit("guesses", "guess", "guesses", 1, 2, Fraction(1, 20), Fraction(1, 4))


class Basis(NamedTuple):
    """How a judge knows what it says."""

    exact: bool
    """Whether values are exact fractions."""
    error: float
    """How far a value can be off; 0 where it is exact."""
    says: str
    """The same in a sentence or two."""


class Option(NamedTuple):
    """A move that could be made, and what everybody may expect after it."""

    move: Move
    values: Values
    mix: Fraction | None = None
    """How often perfect play makes it, where perfect play mixes."""


G = TypeVar("G", bound=Game[Any])


class Judge(ABC, Generic[G]):
    """Knows what positions of one game are worth."""

    unit: ClassVar[Unit] = WINS
    basis: Basis

    def __init__(self, game: G) -> None:
        self.game = game

    def prepare(self, course: Sequence[Happening]) -> None:
        """Look at the whole game before it is judged, where that helps."""

    def knows(self, state: Any) -> bool:
        """Whether `worth` can tell; else the draw that led here is part of a longer one."""
        return True

    @abstractmethod
    def worth(self, state: Any) -> Values:
        """V(state)."""

    def decided(self, before: Any, after: Any) -> Values:
        """V of a state that a decision has led to, also where `knows` does not tell it."""
        return value_of(self, after)

    def paid(self, payoff: Sequence[int]) -> Values:
        """What an end is worth: by default the share of a win, with one half for a draw."""
        return tuple(Fraction(paid + 1, self.game.seats) for paid in payoff)

    def reveals(self, state: Any) -> bool:
        """Whether the move awaited is no decision: it only tells what chance has done."""
        return False

    @abstractmethod
    def options(self, state: Any, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        """The moves worth a look, best first: at least one of the best, and all of ``also``."""

    def forced(self, state: Any, seat: Seat) -> bool:
        """Whether the seat has no choice."""
        try:
            return len(list(islice(self.game.choices(state, seat), 2))) < 2
        except TooMany:
            return False

    def spread(self, before: Any, after: Any, seat: Seat) -> Spread | None:
        """All that could have come of ``before`` when ``after`` did; ``None``: not known."""
        return None

    @abstractmethod
    def why(
        self, words: PlainWords[Any], state: Any, seat: Seat, chosen: Option, best: Option
    ) -> str:
        """Why the best move is better, in a sentence or two made from the numbers."""

    @abstractmethod
    def advice(self, words: PlainWords[Any], state: Any, seat: Seat, best: Option) -> str:
        """Why the best move is good, for somebody who has not moved yet."""


JUDGES: Final = {
    "intransitive/1": "fairground.coach.judges.intransitive:DiceJudge",
    "fatestones/1": "fairground.coach.judges.fatestones:FateStonesJudge",
    "poker/1": "fairground.coach.judges.poker:PokerJudge",
    "poker/2": "fairground.coach.judges.poker:PokerJudge",
    "bank-poker/1": "fairground.coach.judges.poker:PokerJudge",
    "zombie/1": "fairground.coach.judges.zombie:judge",
    "zombie/2": "fairground.coach.judges.zombie:judge",
    "codebreaking/1": "fairground.coach.judges.codebreaking:judge",
}
"""Who judges which game."""


class NoJudge(InputError):
    """A game whose moves nobody here can weigh."""

    code = "coach/unknown-game"


def judge_of(game: Game[Any]) -> Judge[Any]:
    """The judge of a game, made for its parameters."""
    if game.name not in JUDGES:
        raise NoJudge(f"the coach knows {', '.join(JUDGES)}, but not {game.name}")
    made: Judge[Any] = load(JUDGES[game.name])(game)
    return made


def value_of(judge: Judge[Any], state: Any) -> Values:
    """V of a state, or of an end that somebody's leaving brought about."""
    if isinstance(state, Over):
        return judge.paid(state.payoff)
    awaits = judge.game.awaits(state)
    return judge.paid(awaits.payoff) if isinstance(awaits, Over) else judge.worth(state)


def of_two(seat: Seat, mine: Fraction) -> Values:
    """The values of both seats of a game of two, from that of one."""
    return (mine, 1 - mine) if seat == 0 else (1 - mine, mine)
