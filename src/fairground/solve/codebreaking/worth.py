"""What a set of codes is worth: how many more guesses it takes, on average or at worst.

Small sets are searched at once (`small`), large ones by a compiled search (`searcher`); after the
first guess or two of the usual game the answer is stored (`openings`). Some figures stand here.

`by_size` is an estimate for sets that are too large to be searched: n codes need about 1 + c ln n
guesses on average. `fairground.solve.codebreaking.growth` knows the c of a space.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Final, NamedTuple

from fairground.games.codebreaking import Code

SEARCHABLE: Final = 33_000
"""Sets of spaces of at most this many codes can be searched."""

CLASSIC: Final = 1296
"""In spaces of up to so many codes, every search may take as long as a proof needs."""

WORST: Final = Fraction(128, 100)
"""The longest branch of a tree grows faster than its mean, by about so much."""


class Known(NamedTuple):
    """The best tree that comes with the package, for all codes of a space."""

    total: int
    """The guesses that all codes together need."""
    guess: Code
    worst: int
    proven: bool


KNOWN: Final = {
    (6, 4): Known(5625, (0, 0, 1, 2), 6, True),
    (7, 4): Known(11228, (0, 0, 1, 2), 6, True),
    (8, 4): Known(20471, (0, 1, 2, 3), 7, False),
    (9, 4): Known(34705, (0, 1, 2, 3), 7, False),
    (10, 4): Known(55757, (0, 1, 2, 3), 8, False),
    (5, 5): Known(13496, (0, 0, 1, 1, 2), 6, False),
    (6, 5): Known(36750, (0, 0, 1, 1, 2), 7, False),
    (7, 5): Known(86101, (0, 0, 1, 1, 2), 7, False),
    (8, 5): Known(179018, (0, 0, 1, 1, 2), 8, False),
}
"""Base and length → the figures of the stored tree, which takes a second to grow from its file."""


def by_size(codes: float, growth: Fraction) -> Fraction:
    """An estimate of the guesses that so many codes need on average."""
    if codes <= 2:
        return Fraction(max(codes, 1.0) + 1) / 2
    return 1 + growth * Fraction(log(codes)).limit_denominator(10**6)


def worst_by_size(codes: float, growth: Fraction) -> Fraction:
    """An estimate of the guesses that so many codes need at worst: a whole number."""
    if codes <= 2:
        return Fraction(round(codes))
    return Fraction(round(1 + WORST * growth * Fraction(log(codes))))
