"""Reading dice from the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from fairground.core import BadParams
from fairground.games.intransitive import FEWEST_DICE, Die

EXAMPLE: Final = "fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3"

LONGEST_FACE: Final = 1000
"""How many digits a face may have: far beyond 64 bits, and still readable."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_GUARD: Final = "\0"


class DiceParser:
    """Turns arguments such as ``2,2,4,4,9,9`` into dice, or says what is wrong with which."""

    def __init__(self, example: str = EXAMPLE) -> None:
        self._example = example

    def parse(self, arguments: Sequence[str]) -> list[Die]:
        """The dice; at least three."""
        dice = [self._die(number, text) for number, text in enumerate(arguments, 1)]
        if not dice:
            raise self._error(f"no dice were given; at least {FEWEST_DICE} are needed")
        if len(dice) < FEWEST_DICE:
            count = "one die was" if len(dice) == 1 else "only two dice were"
            raise self._error(f"{count} given; at least {FEWEST_DICE} are needed")
        return dice

    def _die(self, number: int, text: str) -> Die:
        where = f"die {number} ({text if len(text) <= 60 else text[:57] + '...'!r})"
        if not text.strip():
            raise self._error(f"{where} is empty; a die is a list of integers with commas between")
        faces = []
        for place, face in enumerate(text.split(","), 1):
            word = face.strip()
            if not word:
                raise self._error(f"{where} has an empty face at place {place} (a stray comma)")
            if not _INTEGER.fullmatch(word):
                raise self._error(f"{where} has the face {word!r}, which is not an integer")
            if len(word) > LONGEST_FACE:
                raise self._error(f"die {number} has a face of {len(word)} digits: too long")
            faces.append(int(word))
        return Die(tuple(faces))

    def _error(self, reason: str) -> BadParams:
        return BadParams(f"{reason}.\nFor example: {self._example}")


def guard_negative_dice(arguments: Sequence[str]) -> list[str]:
    """Keep a die such as ``-1,2,3`` from being taken for an option."""
    return [_GUARD + word if re.match(r"-[^a-zA-Z-]", word) else word for word in arguments]


def unguard(word: str) -> str:
    """Undo `guard_negative_dice`."""
    return word.removeprefix(_GUARD)
