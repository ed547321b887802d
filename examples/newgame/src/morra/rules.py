"""Two-finger Morra, also called odds and evens.

A coin says who is odd in this round. Then both show one finger or two at the same time. If the sum
is odd, whoever is odd wins as many points as fingers are shown; if it is even, the other does.

Both should show one finger with chance 7/12: whoever is odd then wins 1/12 of a point a round on
average, whatever the other does, and cannot be kept below that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from fairground.core import (
    Awaits,
    BadParams,
    Draw,
    Game,
    IllegalMove,
    Move,
    Over,
    Parameter,
    Params,
    Role,
    Seat,
    Turn,
    between,
    must_be_in_range,
    must_be_in_turn,
)

FINGERS = (1, 2)
MOST_ROUNDS = 100


class State(NamedTuple):
    """The public state. Fingers that are not shown yet are sealed, and not in here."""

    played: int = 0
    """Number of finished rounds."""
    odd: Seat | None = None
    """The odd player of this round, after the coin."""
    shown: tuple[int, int] | None = None
    """The fingers of the last round."""
    points: int = 0
    """Points that seat 0 has won from seat 1."""


class Morra(Game[State]):
    """The rules of a match. A move is a number of fingers, 1 or 2."""

    name = "morra/1"
    seats = 2
    roles = (Role("player", 2, 2),)
    parameters = (Parameter("rounds", "how many rounds are played", between(1, MOST_ROUNDS), 3),)

    def __init__(self, rounds: int = 3) -> None:
        if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
            raise BadParams(f"rounds must be an integer in 1..{MOST_ROUNDS}, not {rounds!r}")
        self.rounds = rounds

    @classmethod
    def from_params(cls, params: Params) -> Self:
        """``{"rounds": 3}``"""
        return cls(cls.with_defaults(params)["rounds"])

    def params(self) -> dict[str, Any]:
        """How many rounds."""
        return {"rounds": self.rounds}

    def start(self) -> State:
        """Nothing has happened."""
        return State()

    def awaits(self, s: State) -> Awaits:
        """The coin; both hands at the same time; and so on until all rounds are played."""
        if s.played == self.rounds:
            return Over((s.points, -s.points))
        return Draw(2) if s.odd is None else Turn((0, 1))

    def drawn(self, s: State, value: int) -> State:
        """The coin has said who is odd."""
        must_be_in_range(value, self.awaits(s))
        return s._replace(odd=value)

    def check(self, s: State, seat: Seat, move: Move) -> None:
        """One finger or two."""
        must_be_in_turn(seat, self.awaits(s))
        if type(move) is not int or move not in FINGERS:
            raise IllegalMove(f"show 1 finger or 2, not {move!r}")

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        """One, two."""
        must_be_in_turn(seat, self.awaits(s))
        return FINGERS

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        """Both hands lie open: the parity of the sum names the winner."""
        mine, yours = moves[0], moves[1]
        assert isinstance(mine, int) and isinstance(yours, int) and s.odd is not None
        total = mine + yours
        winner = s.odd if total % 2 else 1 - s.odd
        won = total if winner == 0 else -total
        return State(s.played + 1, None, (mine, yours), s.points + won)

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        """Leaving costs the most that the remaining rounds could cost."""
        left = (self.rounds - s.played) * 2 * max(FINGERS)
        points = s.points - left if seat == 0 else s.points + left
        return points, -points
