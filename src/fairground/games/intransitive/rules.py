"""Intransitive dice: two players, different dice, the higher roll wins.

The dice may beat each other in a circle, so there is no best one, and it matters
who chooses first. A fair coin decides that: the user guesses the computer's bit.
Each die's roll is a fair *face index*, in the order in which the faces were given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Self

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
    whole,
    written,
)

COMPUTER: Final = 0
USER: Final = 1
FEWEST_DICE: Final = 3

COIN: Final = Draw(2)
TURNS: Final = (Turn((COMPUTER,)), Turn((USER,)))


class Die(NamedTuple):
    """A die: its faces, any integers in any order. A roll is an index into them."""

    faces: tuple[int, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.faces))


class State(NamedTuple):
    """The first chooser, and by seat the dice taken and the faces rolled."""

    first: Seat | None = None
    picks: tuple[int | None, int | None] = (None, None)
    rolls: tuple[int | None, int | None] = (None, None)


class Intransitive(Game[State]):
    """The rules. A seat's move is the number of the die that it takes."""

    name = "intransitive/1"
    seats = 2
    roles = (Role("computer"), Role("user"))
    parameters = (
        Parameter(
            "dice",
            "the dice: a list of faces each, or text such as 2,2,4,4,9,9",
            {
                "type": "array",
                "minItems": FEWEST_DICE,
                "items": {
                    "oneOf": [
                        {"type": "string"},
                        {"type": "array", "items": {"type": ["integer", "string"]}},
                    ]
                },
            },
            [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]],
        ),
    )

    def __init__(self, dice: Iterable[Die]) -> None:
        self.dice = tuple(dice)
        if len(self.dice) < FEWEST_DICE:
            raise BadParams(f"at least {FEWEST_DICE} dice are needed, not {len(self.dice)}")
        for number, die in enumerate(self.dice, 1):
            if not die.faces:
                raise BadParams(f"die {number} has no faces")
            for face in die.faces:
                if type(face) is not int:
                    raise BadParams(f"a face of die {number} must be an integer, not {face!r}")

    @classmethod
    def from_params(cls, params: Params) -> Self:
        """``{"dice": [[2, 2, 4, 4, 9, 9], ...]}``; a die may also be the text of its faces."""
        given = cls.with_defaults(params)["dice"]
        if not isinstance(given, list):
            raise BadParams('the parameters must be {"dice": [[...], [...], ...]}')
        dice = []
        for number, die in enumerate(given, 1):
            faces = list(map(_face, die.split(","))) if isinstance(die, str) else die
            if not isinstance(faces, list):
                raise BadParams(f"die {number} must be a list of integers, not {faces!r}")
            what = f"a face of die {number}"
            dice.append(Die(tuple([whole(face, what) for face in faces])))
        return cls(dice)

    def params(self) -> dict[str, Any]:
        return {"dice": [list(map(written, die.faces)) for die in self.dice]}

    def start(self) -> State:
        return State()

    def awaits(self, s: State) -> Awaits:
        """The bit; the first choice; the second; the computer's roll; the user's roll."""
        first = s.first
        if first is None:
            return COIN
        if s.picks[first] is None:
            return TURNS[first]
        if s.picks[1 - first] is None:
            return TURNS[1 - first]
        for pick, roll in zip(s.picks, s.rolls, strict=True):
            if roll is None and pick is not None:
                return Draw(len(self.dice[pick].faces))
        return Over(self._payoff(s))

    def result(self, s: State, seat: Seat) -> int:
        pick, roll = s.picks[seat], s.rolls[seat]
        if pick is None or roll is None:
            raise IllegalMove(f"seat {seat} has not rolled")
        return self.dice[pick].faces[roll]

    def _payoff(self, s: State) -> tuple[int, ...]:
        computer, user = self.result(s, COMPUTER), self.result(s, USER)
        sign = (computer > user) - (computer < user)
        return (sign, -sign)

    def drawn(self, s: State, value: int) -> State:
        """The sum of the two bits is 0 when the user guessed right, and chooses first."""
        must_be_in_range(value, self.awaits(s))
        if s.first is None:
            return State(USER if value == 0 else COMPUTER, s.picks, s.rolls)
        seat = COMPUTER if s.rolls[COMPUTER] is None else USER
        return State(s.first, s.picks, _with(s.rolls, seat, value))

    def check(self, s: State, seat: Seat, move: Move) -> None:
        """Any die but the one that is taken."""
        must_be_in_turn(seat, self.awaits(s))
        if type(move) is not int or not 0 <= move < len(self.dice):
            raise IllegalMove(f"choose a die by its number, 0..{len(self.dice) - 1}, not {move!r}")
        if move in s.picks:
            raise IllegalMove(f"die {move} ({self.dice[move]}) is taken")

    def move_schema(self, s: State | None = None) -> dict[str, Any]:
        return between(0, len(self.dice) - 1)

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        must_be_in_turn(seat, self.awaits(s))
        return (number for number in range(len(self.dice)) if number not in s.picks)

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        ((seat, move),) = moves.items()
        assert isinstance(move, int)
        return State(s.first, _with(s.picks, seat, move), s.rolls)

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        return (-1, 1) if seat == COMPUTER else (1, -1)


_FACE: Final = re.compile(r"[ \t\r\n]*([+-]?[0-9]{1,4000})[ \t\r\n]*")


def _face(word: str) -> int | str:
    """Return a face as people type it; `whole` refuses what is no integer."""
    typed = _FACE.fullmatch(word)
    return written(int(typed[1])) if typed else word


def _with(
    pair: tuple[int | None, int | None], seat: Seat, value: int
) -> tuple[int | None, int | None]:
    return (value, pair[1]) if seat == COMPUTER else (pair[0], value)
