"""A toy game: it does, step by step, what its parameters say.

``{"seats": 2, "steps": [["draw", 6], ["hidden", 6, 0], ["turn", [0, 1], 3]]}``: a public
draw; a draw that only seat 0 may know; both seats choose a number below 3, sealed. So every
shape of game can be had, whatever games happen to be registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Self

from fairground.core import (
    HIDDEN,
    Awaits,
    BadParams,
    Draw,
    Game,
    IllegalMove,
    Move,
    Over,
    Parameter,
    Params,
    Proof,
    Role,
    Seat,
    Turn,
    between,
    must_be_in_range,
    must_be_in_turn,
)

State = tuple[Any, ...]
"""The result of each step so far."""


class Toy(Game[State]):
    """A game whose parameters list what happens, one step after the other."""

    name = "toy/1"
    roles: ClassVar[tuple[Role, ...]] = (Role("player", 1, 9),)
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("seats", "how many play", between(1, 9)),
        Parameter("steps", "what happens, step by step", {"type": "array"}),
    )
    hides = True

    def __init__(self, seats: int, steps: list[list[Any]]) -> None:
        if type(seats) is not int or not 1 <= seats <= 9:
            raise BadParams(f"a toy has 1 to 9 seats, not {seats!r}")
        if not isinstance(steps, list) or not all(_is_step(step, seats) for step in steps):
            raise BadParams(f"the steps of a toy are odd: {steps!r}")
        self.seats = seats
        self.steps = steps

    @classmethod
    def from_params(cls, params: Params) -> Self:
        if set(params) != {"seats", "steps"}:
            raise BadParams("a toy has seats and steps")
        return cls(params["seats"], params["steps"])

    def params(self) -> dict[str, Any]:
        return {"seats": self.seats, "steps": self.steps}

    def start(self) -> State:
        return ()

    def awaits(self, s: State) -> Awaits:
        if len(s) == len(self.steps):
            return Over(tuple(sum(map(_worth, s)) if seat else 0 for seat in range(self.seats)))
        kind, what, *more = self.steps[len(s)]
        if kind == "draw":
            return Draw(what)
        if kind == "hidden":
            return Draw(what, to=(more[0],))
        return Turn(tuple(what))

    def drawn(self, s: State, value: int) -> State:
        must_be_in_range(value, self.awaits(s))
        return (*s, value)

    def check(self, s: State, seat: Seat, move: Move) -> None:
        must_be_in_turn(seat, self.awaits(s))
        if type(move) is not int or move not in range(self.steps[len(s)][2]):
            raise IllegalMove(f"{move!r} is not below {self.steps[len(s)][2]}")

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        must_be_in_turn(seat, self.awaits(s))
        return range(self.steps[len(s)][2])

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        return (*s, tuple(sorted(moves.items())))

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        return tuple(-1 if seat == i else 0 for i in range(self.seats))

    def view(self, s: State, seat: Seat | None) -> State:
        if len(s) == len(self.steps):
            return s
        return tuple(
            HIDDEN if step[0] == "hidden" and step[2] != seat else value
            for value, step in zip(s, self.steps, strict=False)
        )

    def proves(self, s: State) -> dict[str, Proof]:
        done = len(s) == len(self.steps)
        return {"PLAYED": Proof("yes", "every step was played")} if done else {}


def _is_step(step: Any, seats: int) -> bool:
    def below(value: Any, n: int) -> bool:
        return type(value) is int and 0 <= value < n

    match step:
        case ["draw", n]:
            return below(n, 1000) and n > 0
        case ["hidden", n, seat]:
            return below(n, 1000) and n > 0 and below(seat, seats)
        case ["turn", [*who], n]:
            alike = len({str(seat) for seat in who}) < len(who)
            return bool(who) and not alike and all(below(s, seats) for s in who) and below(n, 1000)
        case _:
            return False


def _worth(value: Any) -> int:
    return value if isinstance(value, int) else sum(move for _, move in value)


GUESS: Final = {"seats": 2, "steps": [["hidden", 6, 0], ["turn", [1], 6], ["turn", [0], 2]]}
DUEL: Final = {
    "seats": 2,
    "steps": [["draw", 6], ["turn", [0, 1], 3], ["draw", 300], ["draw", 4], ["turn", [1], 2]],
}
LONG: Final = {"seats": 2, "steps": [["draw", 6], ["turn", [1], 2]] * 5}
RICH: Final = {
    "seats": 2,
    "steps": [
        ["hidden", 6, 0],
        ["draw", 10],
        ["turn", [1], 6],
        ["draw", 2],
        ["turn", [0, 1], 3],
        ["hidden", 300, 1],
        ["hidden", 5, 1],
        ["turn", [0], 4],
        ["draw", 6],
    ],
}
TOYS: Final[dict[str, dict[str, Any]]] = {"guess": GUESS, "duel": DUEL, "long": LONG, "rich": RICH}
