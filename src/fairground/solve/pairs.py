"""Two dice of very many faces: how often the one shows more than the other, with NumPy.

`fairground.solve.intransitive` says when. No count is rounded. A face has a *place* among
neighbouring values (`Places`), and each die counts how many of its faces are in each place
(`Large`). Of two faces in different places the higher place wins, so those pairs are counted
by `not_lower`. Where faces lie close together, each value has a place of its own, and that is
all. Otherwise the faces that meet one of the other die in their place are put `in_order`, and
`merged`. In a die whose faces lie evenly, those are one in five.

Importing this module imports NumPy; do it only where it is needed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

PLACES: Final = 4
"""For each face of the largest die there are so many places, up to twice as many."""

AT_A_TIME: Final = 1 << 16
"""Faces and places that are looked at at a time: they stay in a near cache."""

ROW: Final = 64
"""Faces of a large die that are sorted at a time."""


def read(faces: Sequence[int]) -> Any:
    """A row of the faces. OverflowError, if one is no integer of 64 bits.

    `struct` takes half as long for it as NumPy. (Of its formats, "n" is the quick one.)
    """
    try:
        packed = struct.Struct(f"{len(faces)}n").pack(*faces)
    except struct.error:
        raise OverflowError("a face is beyond 64 bits") from None
    return np.frombuffer(packed, np.intp).astype(np.int64, copy=False)


class Places(NamedTuple):
    """Neighbouring values share a place: those that are equal without their lowest bits."""

    shift: int
    low: int
    high: int

    @classmethod
    def among(cls, low: int, high: int, bits: int) -> Places:
        """About ``2**bits`` places for the values from ``low`` to ``high``."""
        return cls(max(0, (high - low).bit_length() - bits), low, high)

    @property
    def size(self) -> int:
        """How many there are."""
        return (self.high >> self.shift) - (self.low >> self.shift) + 1

    def of(self, faces: Any) -> Any:
        """The places of these faces, from 0 on."""
        places = faces >> self.shift
        places -= self.low >> self.shift
        return places


class Large:
    """A die of very many faces, to be set against others with the same places."""

    def __init__(self, faces: Any, places: Places) -> None:
        self.faces, self.places = faces, places
        # In bytes this is a small table, most of which is in a cache. A count that ran over has
        # lost 256 faces or more, so that some are missing in the end.
        self.shown = self._shown(np.uint8)
        if int(self.shown.sum(dtype=np.uint32)) != len(faces):
            self.shown = self._shown(np.uint32)

    def _shown(self, kind: Any) -> Any:
        """How many faces are in each place."""
        shown = np.zeros(self.places.size, kind)
        for faces in _parts(self.faces):
            np.add.at(shown, self.places.of(faces), kind(1))
        return shown

    def beside(self, other: Large) -> Any:
        """The faces whose place has faces of the other die, too."""
        return np.concatenate(
            [
                faces.compress(other.shown.take(self.places.of(faces)) != 0)
                for faces in _parts(self.faces)
            ]
        )

    @cached_property
    def all_in_order(self) -> Any:
        """All faces, sorted."""
        return in_order(self.faces, self.places)

    def against(self, other: Large) -> tuple[int, int]:
        """The pairs that this die wins, and those that it does not lose."""
        if not self.places.shift:
            not_lost = not_lower(self.shown, other.shown)
            return not_lost - level(self.shown, other.shown), not_lost
        mine, theirs = self.beside(other), other.beside(self)
        if 3 * (len(mine) + len(theirs)) > 2 * (len(self.faces) + len(other.faces)):
            return merged(self.all_in_order, other.all_in_order)
        mine, theirs = in_order(mine, self.places), in_order(theirs, self.places)
        won, not_lost = merged(mine, theirs)
        # What the places said of these is taken back: now it is known exactly.
        told = not_lower(self.shown, other.shown)
        told -= not_lower(_runs(self.places.of(mine)), _runs(self.places.of(theirs)))
        return told + won, told + not_lost


def large(dice: Sequence[Sequence[int]]) -> list[Large]:
    """These dice, by their faces."""
    rows = [read(faces) for faces in dice]
    low, high = min(int(row.min()) for row in rows), max(int(row.max()) for row in rows)
    places = Places.among(low, high, (PLACES * max(map(len, rows))).bit_length())
    return [Large(row, places) for row in rows]


def in_order(faces: Any, places: Places) -> Any:
    """Faces, sorted.

    NumPy's radix sort brings their upper 16 bits into order. Equal ones are then rarely many, and
    two passes over short rows sort them: each row of the second reaches from the middle of one to
    the middle of the next. (Rows are also what its vector instructions sort best: a whole array
    takes them five times as long on some processors.) Whatever is still out of order, a merge sort
    finds. It takes one look at what is in order.
    """
    digit = Places.among(places.low, places.high, 16).of(faces).astype(np.uint16)
    faces = faces.take(digit.argsort(kind="stable"))
    for begin in (0, ROW // 2):
        rows = max(0, len(faces) - begin) // ROW
        faces[begin : begin + rows * ROW].reshape(rows, ROW).sort(axis=1)
    faces.sort(kind="stable")
    return faces


def merged(mine: Any, theirs: Any) -> tuple[int, int]:
    """Of two sorted rows: the pairs that mine wins, and those that it does not lose.

    In one row of both, with mine first among equals, as many of theirs are lower as stand before.
    """
    if not len(mine) or not len(theirs):
        return 0, 0
    low = min(int(mine[0]), int(theirs[0]))
    if max(int(mine[-1]), int(theirs[-1])) - low >= 2**62:  # there is no bit to spare
        won, not_lost = theirs.searchsorted(mine, "left"), theirs.searchsorted(mine, "right")
        return int(won.sum()), int(not_lost.sum())
    row = np.concatenate([mine, theirs])
    row -= low
    row *= 2
    row[len(mine) :] += 1
    row.sort(kind="stable")  # two runs, which are merged
    won = int(np.flatnonzero(row & 1 == 0).sum()) - len(mine) * (len(mine) - 1) // 2
    # The last of mine stands right before the first of theirs that is equal.
    equal = row[:-1][row[1:] ^ row[:-1] == 1]
    first, between = row.searchsorted(equal, "left"), row.searchsorted(equal, "right")
    ties = (between - first) * (row.searchsorted(equal + 1, "right") - between)
    return won, won + int(ties.sum())


def not_lower(mine: Any, theirs: Any) -> int:
    """Of how often each value is shown: the pairs that mine does not lose.

    Some values at a time, so that wide numbers are needed for a few of them only.
    """
    pairs = below = 0
    for a, b in zip(_parts(mine), _parts(theirs), strict=True):
        upto = b.astype(np.int64)
        upto[0] += below
        upto.cumsum(out=upto)
        pairs += _product(a, upto)
        below = upto[-1]
    return pairs


def level(mine: Any, theirs: Any) -> int:
    """Of how often each value is shown: the pairs in which both show the same."""
    return sum(_product(a, b) for a, b in zip(_parts(mine), _parts(theirs), strict=True))


def _product(a: Any, b: Any) -> int:
    """The sum of the products, which is quicker so than as ``a @ b``."""
    return int(np.einsum("i,i->", a.astype(np.int64), b.astype(np.int64, copy=False)))


def _runs(row: Any) -> Any:
    """How often each value stands in a sorted row."""
    last = np.flatnonzero(row[1:] != row[:-1])
    return np.diff(last, prepend=-1, append=len(row) - 1)


def _parts(row: Any) -> Iterator[Any]:
    """The row, some of it at a time."""
    return (row[at : at + AT_A_TIME] for at in range(0, len(row), AT_A_TIME))
