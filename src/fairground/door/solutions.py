"""Perfect play and what decisions were worth, as plain numbers; the games and players there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar, overload

from fairground.coach import report
from fairground.coach.report import as_json, html, svg
from fairground.coach.review import Review, SeatReview, Step, review_of
from fairground.core import BadParams, Game, InputError, Seat, UnknownName
from fairground.door.records import Source, bytes_of
from fairground.door.tables import chance_of
from fairground.games import GAMES, Games, Listing
from fairground.games import game as make_game
from fairground.games.codebreaking.rules import (
    Code,
    CodeBreaking,
    Marks,
    Row,
    read_code,
    write_code,
)
from fairground.games.codebreaking.solver.advice import next_guess
from fairground.games.codebreaking.solver.trees import tree
from fairground.games.fatestones.rules import FateStones
from fairground.games.fatestones.solver.choices import Solution as FateStonesSolution
from fairground.games.fatestones.solver.choices import solve as solve_fatestones
from fairground.games.intransitive.rules import Intransitive
from fairground.games.intransitive.solver import WinOdds
from fairground.games.poker.holds import Hold, holds, perfect_return
from fairground.games.poker.rules import Poker, hand_text, parse_hand
from fairground.games.zombie.rules import Zombie
from fairground.players import Player, PlayerListing, make_player, offered
from fairground.registry import needs


def _decimal(value: Fraction | float) -> str:
    return f"{float(value):.6f}"


class DiceSolution(NamedTuple):
    """Intransitive dice. Dice are named by their place in the list."""

    dice: tuple[str, ...]
    win: tuple[tuple[Fraction, ...], ...]
    """``win[i][j]``: the chance that die i rolls higher than die j."""
    cycles: tuple[tuple[int, int, int], ...]
    """Circles of three: each beats the next, and the last the first."""
    first: int
    replies: tuple[int, ...]
    value: Fraction
    """The chance that ``first`` wins against the best reply."""

    def __repr__(self) -> str:
        lines = [f"Take first: die {self.first} ({self.dice[self.first]}); it wins {self.value}."]
        lines += [
            f"Against die {i} ({die}): take die {reply}, which wins {self.win[reply][i]}."
            for i, (die, reply) in enumerate(zip(self.dice, self.replies, strict=True))
        ]
        circles = [f"{i} beats {j} beats {k} beats {i}" for i, j, k in self.cycles]
        return "\n".join([*lines, f"Circles of three: {'; '.join(circles) or 'none'}."])


class CodeSolution(NamedTuple):
    """Code breaking: what the best known strategy needs, over all codes."""

    base: int
    length: int
    strategy: str
    proven: bool
    """True if no strategy needs fewer guesses in total."""
    guess: Code
    distribution: tuple[int, ...]
    """Number of codes that are found with guess 1, 2, 3, ..."""
    value: Fraction
    """Guesses needed on average."""

    @property
    def codes(self) -> int:
        return sum(self.distribution)

    @property
    def worst(self) -> int:
        return len(self.distribution)

    def next(self, rows: Sequence[tuple[str | Code, Marks]]) -> Code | None:
        """Return the best guess after these rows, or ``None`` if no code fits them."""
        board = [Row(read_code(g) if isinstance(g, str) else tuple(g), m) for g, m in rows]
        return next_guess(self.base, self.length, board, self.strategy)

    def __repr__(self) -> str:
        proven = "proven cheapest" if self.proven else "not proven cheapest"
        return (
            f"Base {self.base}, length {self.length}: {self.codes:,} codes; {self.strategy} "
            f"({proven}).\nFirst guess: {write_code(self.guess, self.base)}.\n"
            f"On average {self.value} = {_decimal(self.value)} guesses, at worst {self.worst}."
        )


class ZombieSolution(NamedTuple):
    """Zombie Dice between two perfect players. Its chances are decimals, not fractions."""

    game: Zombie
    value: float
    """The chance that the first player wins."""
    brains: Mapping[str, float]
    """Brains expected of a turn, by strategy."""
    bust: Mapping[str, float]
    """The chance that a turn ends in three shotguns, by strategy."""
    first_roll: tuple[Fraction, Fraction]
    """Expected brains and the chance of a bust in the first roll. Exactly."""
    report: Mapping[str, Any]
    """All of it, with the decision tables: what ``fairground solve zombie --json`` prints."""

    def __repr__(self) -> str:
        turns = [
            f"A {name} turn: {_decimal(brains)} brains, bust {_decimal(self.bust[name])}."
            for name, brains in self.brains.items()
        ]
        return "\n".join([f"The first of two perfect players wins {_decimal(self.value)}.", *turns])


class PokerSolution(NamedTuple):
    """Video poker: the holds of a hand, or perfect play over all deals."""

    level: int
    hand: tuple[int, ...] | None
    holds: tuple[Hold, ...]
    """All 32 holds of the hand, the best first; none where it is about all deals."""
    value: Fraction
    """Return of the best hold, or of perfect play, for each unit staked."""

    def __repr__(self) -> str:
        if self.hand is None:
            return (
                f"Perfect play on level {self.level} returns {_decimal(self.value)} of the stake, "
                f"exactly {self.value}."
            )
        best = self.holds[0]
        keep = hand_text(best.kept(self.hand)) or "nothing"
        return (
            f"{hand_text(self.hand)}: keep {keep}, worth {self.value} = {_decimal(self.value)} "
            "for each unit staked."
        )


Solution = DiceSolution | CodeSolution | ZombieSolution | FateStonesSolution | PokerSolution


def _dice(game: Intransitive) -> DiceSolution:
    odds = WinOdds(game.dice)
    every = range(len(game.dice))
    first, replies = odds.best_guaranteed(), tuple(odds.best_reply(i) for i in every)
    return DiceSolution(
        tuple(map(str, game.dice)),
        tuple(tuple(odds.win(i, j) for j in every) for i in every),
        tuple(odds.circles()),
        first,
        replies,
        odds.win(first, replies[first]),
    )


def _codebreaking(game: CodeBreaking, *, strategy: str | None = None) -> CodeSolution:
    found = tree(game.base, game.length, strategy)
    spread = tuple(found.distribution())
    average = Fraction(found.total(), sum(spread))
    return CodeSolution(
        game.base, game.length, found.strategy, found.proven, found.root.guess, spread, average
    )


def _zombie(game: Zombie) -> ZombieSolution:
    with needs("solve", "solving Zombie Dice"):
        from fairground.games.zombie.solver import duel

    report = duel.report(game)
    first = report["first_roll"]
    turns = report["strategies"]
    return ZombieSolution(
        game,
        float(report["first_player_wins"]),
        {name: float(turn["brains"]) for name, turn in turns.items()},
        {name: float(turn["bust"]) for name, turn in turns.items()},
        (Fraction(first["brains"]), Fraction(first["bust"])),
        report,
    )


def _fatestones(
    game: FateStones, *, mine: Sequence[str] | None = None, theirs: Sequence[str] | None = None
) -> FateStonesSolution:
    hands = game.params().get("hands")
    if hands is not None:
        if mine is not None or theirs is not None:
            raise InputError("this game has its dice already, so it takes neither mine nor theirs")
        mine, theirs = hands
    if mine is None or theirs is None:
        raise BadParams(
            "which dice? For example: fg.solve('fatestones', mine=['134445', '144444'], "
            "theirs=['233346', '333336'])"
        )
    return solve_fatestones(mine, theirs)


def _poker(game: Poker, *, hand: str | Sequence[int] | None = None) -> PokerSolution:
    if hand is None:
        return PokerSolution(game.level, None, (), perfect_return(game.level))
    cards = parse_hand(hand) if isinstance(hand, str) else tuple(hand)
    found = tuple(holds(cards, game.level))
    return PokerSolution(game.level, cards, found, found[0].value)


_SOLVERS: Final[Mapping[str, Callable[..., Solution]]] = {
    "intransitive": _dice,
    "codebreaking": _codebreaking,
    "zombie": _zombie,
    "fatestones": _fatestones,
    "poker": _poker,
}
"""Family → its solver. Keywords of a solver are no parameters of the game."""


@overload
def solve(
    which: Literal["intransitive", "intransitive/1"] | Intransitive, /, **given: Any
) -> DiceSolution: ...
@overload
def solve(
    which: Literal["codebreaking", "codebreaking/1"] | CodeBreaking, /, **given: Any
) -> CodeSolution: ...
@overload
def solve(which: Literal["zombie", "zombie/2"] | Zombie, /, **given: Any) -> ZombieSolution: ...
@overload
def solve(
    which: Literal["fatestones", "fatestones/1"] | FateStones, /, **given: Any
) -> FateStonesSolution: ...
@overload
def solve(which: Literal["poker", "poker/2"] | Poker, /, **given: Any) -> PokerSolution: ...
@overload
def solve(which: str | Game[Any], /, **given: Any) -> Solution: ...
def solve(which: str | Game[Any], /, **given: Any) -> Solution:
    """Solve one of the five games, given by name and parameters or as a `Game`.

    Besides the game's parameters, ``fatestones`` takes the dice in ``mine`` and ``theirs``,
    ``poker`` a ``hand``, and ``codebreaking`` a ``strategy``.
    """
    name = which.name if isinstance(which, Game) else which
    solver = _SOLVERS.get(name.partition("/")[0])
    if solver is None:
        raise UnknownName(
            f"no solver for {name!r}; there are: {', '.join(_SOLVERS)}. "
            "The player mcts searches any game that hides nothing"
        )
    own = solver.__kwdefaults__ or {}
    asked = {key: given.pop(key) for key in own.keys() & given.keys()}
    try:
        game = make_game(which, **given)
    except BadParams as problem:
        if own and given:
            raise BadParams(f"{problem}; and for solving: {', '.join(sorted(own))}") from None
        raise
    return solver(game, **asked)


class Coaching:
    """A reviewed game. Printed, it tells what mattered most."""

    def __init__(self, review: Review, seat: Seat | None = None) -> None:
        self.review = review
        self._readers = report.readers(review) if seat is None else [seat]

    @property
    def seats(self) -> tuple[SeatReview, ...]:
        """Each seat's game in numbers: luck, cost, result."""
        return self.review.seats

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that changed what the seats could expect, in order."""
        return self.review.steps

    def as_json(self) -> dict[str, Any]:
        """The review as ``fairground coach --json`` prints it."""
        return as_json(self.review)

    def svg(self) -> str:
        """Return the chart of the told seat, or of the first one."""
        return svg(self.review, self._readers[0] if self._readers else 0)

    def html(self) -> str:
        return html(self.review, self._readers)

    def __str__(self) -> str:
        lines = [report.title(self.review), self.review.ending]
        for seat in self._readers:
            lines += report.summary(self.review, seat)
            lines += [report.moment(step, self.review) for step in self.review.moments(seat)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{report.title(self.review)}; {len(self.steps)} steps judged. print() tells them>"


def review(source: Source, seat: Seat | str | None = None) -> Coaching:
    """Judge every decision of a game, and tell luck from skill.

    ``seat`` is a number or a name: whose game is told when the answer is printed.
    """
    reviewed = review_of(bytes_of(source))
    return Coaching(reviewed, None if seat is None else report.seat_named(reviewed, str(seat)))


L = TypeVar("L")


class NamedList(dict[str, L], Generic[L]):
    """Listings by name. It prints a line for each."""

    def __init__(self, listed: Mapping[str, L], says: Callable[[L], str]) -> None:
        super().__init__(listed)
        self._says = says

    def __repr__(self) -> str:
        wide = max(map(len, self), default=0)
        return "\n".join(f"{name:<{wide}}  {self._says(one)}" for name, one in self.items())


def list_games(register: Games = GAMES) -> NamedList[Listing]:
    """Return all games by name, those of other packages included."""
    return NamedList(dict(register), lambda one: f"{one.title}: {one.summary}")


def list_players(which: str | Game[Any], seat: Seat = 0, **params: Any) -> NamedList[PlayerListing]:
    """Return the players that can take this seat of a game, by name."""
    return NamedList(offered(_seated(which, seat, params), seat), _says)


def _says(listing: PlayerListing) -> str:
    return listing.summary + (f" ({listing.argument})" if listing.argument else "")


def player(
    spec: str,
    which: str | Game[Any],
    seat: Seat = 0,
    *,
    seed: str | int | None = None,
    **params: Any,
) -> Player:
    """The player that ``spec`` names, such as ``"optimal"`` or ``"mcts:200"``, for this seat.

    Ask it with ``player.choose(game, view, seat)``. With a ``seed`` its luck is always the same.
    """
    return make_player(spec, _seated(which, seat, params), chance_of(seed, seat), seat)


def _seated(which: str | Game[Any], seat: Seat, params: Mapping[str, Any]) -> Game[Any]:
    game = make_game(which, **params)
    if type(seat) is not int or not 0 <= seat < game.seats:
        raise InputError(f"{game.name} has the seats 0..{game.seats - 1}, but no seat {seat!r}")
    return game
