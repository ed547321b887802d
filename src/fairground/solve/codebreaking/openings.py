"""What the codes that are left after one or two guesses need, in the usual game: stored.

Six digits and four places are what most people play. After one guess, or two, so many codes can be
left that to prove what they need takes long. But places can be exchanged and digits renamed, and
then only 182 openings are different. `tools/code_openings.py` searches them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import permutations, product
from typing import Any, Final, NamedTuple

import numpy as np

from fairground.games.codebreaking import Code, Row, digits, number

BASE: Final = 6
LENGTH: Final = 4
FILE: Final = "openings-6-4.npz"


class Opening(NamedTuple):
    """What the codes that are left need, and first guesses that achieve it."""

    total: int
    """The guesses that all of them together need."""
    guess: Code
    worst: int
    """The guesses after which all of them are found."""
    worst_guess: Code


class Seen(NamedTuple):
    """Guesses as they look with places exchanged, digits renamed and their order forgotten."""

    guesses: tuple[Code, ...]
    order: tuple[int, ...]
    """Which guess of the game each of them is."""
    places: tuple[int, ...]
    """Which place of the game each place is."""
    names: dict[int, int]
    """Digit of the game → digit here."""

    def back(self, guess: Code) -> Code:
        """A guess here, as it is in the game."""
        spare = (digit for digit in range(BASE) if digit not in self.names)
        named = {here: digit for digit, here in self.names.items()}
        code = [0] * LENGTH
        for place, digit in zip(self.places, guess, strict=True):
            if digit not in named:
                named[digit] = next(spare)
            code[place] = named[digit]
        return tuple(code)


def seen(guesses: Sequence[Code]) -> Seen:
    """The first of all ways to look at these guesses."""
    return min(_looks(guesses), key=lambda look: look.guesses)


def _looks(guesses: Sequence[Code]) -> Iterator[Seen]:
    for order, places in product(permutations(range(len(guesses))), permutations(range(LENGTH))):
        names: dict[int, int] = {}
        shown = tuple(
            tuple(names.setdefault(guesses[at][place], len(names)) for place in places)
            for at in order
        )
        yield Seen(shown, order, places, names)


def key(rows: Sequence[Row]) -> int:
    """One number for a board of one row or two."""
    made = 0
    for guess, (full, partial) in rows:
        made = made * BASE**LENGTH + number(guess, BASE) + 1
        made = made * (LENGTH + 1) ** 2 + full * (LENGTH + 1) + partial
    return made


@cache
def _stored() -> dict[int, tuple[int, int, int, int]]:
    path: Any = files("fairground.solve.codebreaking") / "data" / FILE
    with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        return dict(zip(kept["keys"].tolist(), map(tuple, kept["rows"].tolist()), strict=True))


def opening(rows: Sequence[Row]) -> Opening | None:
    """What is stored of a board of the usual game; ``None`` if nothing is."""
    look = seen([row.guess for row in rows])
    again = [Row(guess, rows[at].marks) for guess, at in zip(look.guesses, look.order, strict=True)]
    found = _stored().get(key(again))
    if found is None:
        return None
    total, guess, worst, worst_guess = found
    codes = (look.back(digits(code, BASE, LENGTH)) for code in (guess, worst_guess))
    return Opening(total, next(codes), worst, next(codes))
