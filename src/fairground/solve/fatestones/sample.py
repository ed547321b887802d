"""A bag that has too many deals to go through: a random sample of them, each solved as always.

All 462 dice have some 2.6 · 10¹⁴ deals. Each can still be solved alone. So sixes of dice are drawn
from the bag, each six as likely, and all twenty deals of each are solved by the kernel that
solves the deals of a small bag, with the same certificate. What is said of all deals is an
estimate with its 95 % interval; what is said of a deal is as exact as ever.

The memory that this takes depends neither on the bag nor on the size of the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Fault
from fairground.fair.bits import Stream, SystemStream
from fairground.games.fatestones import FateStones, Hand
from fairground.solve.fatestones.choices import ROLLS, meeting, value
from fairground.solve.fatestones.deals import (
    SPLITS,
    TRUSTED,
    Progress,
    count_deals,
    deal_at,
    kernels,
)

CHUNK: Final = 2_000
"""Sixes that are drawn and solved at a time."""

MOST_SIXES: Final = 100_000_000
NORMAL_95: Final = 1.959964


class Estimate(NamedTuple):
    """A mean over all deals, and how far off it may be (95 %)."""

    mean: float
    margin: float


class SampleSummary(NamedTuple):
    """What a sample has to say of all deals of a bag."""

    dice: int
    deals: int
    """Of the whole bag."""
    solved: int
    """In this sample."""
    highest: float
    """The best value that was met."""
    best: tuple[Hand, Hand]
    spread: Estimate
    """The root mean square distance of the values from one half."""
    pure: Estimate
    """The share of deals in which each side has one right die."""
    histogram: tuple[int, ...]
    """Deals of the sample by value rounded to whole percents: 101 counts."""
    proven: float
    checked: int
    error: float
    """As in `Summary` of all deals."""


def solve_sample(
    dice: Sequence[str] | None,
    sixes: int,
    *,
    progress: Progress | None = None,
    chance: Stream | None = None,
    checked: int = 200,
) -> SampleSummary:
    """Draw so many sixes from a bag, and solve the twenty deals of each."""
    if not 2 <= sixes <= MOST_SIXES:
        raise BadParams(f"a sample has 2 to {MOST_SIXES:,} sixes, not {sixes:,}")
    bag, chance, k = FateStones(dice).bag, chance or SystemStream(), kernels()
    kinds = sorted(set(bag))
    kind_of = [kinds.index(die) for die in bag]
    meet = k.np.array([[meeting(a, b) for b in kinds] for a in kinds]) / ROLLS
    meet = k.np.ascontiguousarray(meet.transpose(2, 0, 1))
    seen = _Seen(k, kinds)
    for first in range(0, sixes, CHUNK):
        count = min(CHUNK, sixes - first)
        drawn = k.np.array([_six(kind_of, chance) for _ in range(count)])
        values, pure = k.np.empty((count, SPLITS)), k.np.empty(count)
        width = k.solve_sixes(meet, k.HANDS, drawn, values, pure)
        if width > TRUSTED:
            raise Fault("solve/inexact", f"values could only be proven to {width:.1e}")
        seen.take(drawn, values, pure, width)
        while seen.checked * sixes < checked * (first + count):
            seen.check(drawn, values, chance.below(count), chance.below(SPLITS))
        if progress is not None:
            progress(2 * SPLITS * (first + count), 2 * SPLITS * sixes)
    return seen.summary(len(bag))


def _six(kind_of: Sequence[int], chance: Stream) -> list[int]:
    """Six dice of the bag, by kind, in ascending order: each six as likely."""
    places: set[int] = set()
    while len(places) < 6:
        places.add(chance.below(len(kind_of)))
    return sorted(kind_of[place] for place in places)


class _Seen:
    """Sums over the sample."""

    def __init__(self, k: Any, kinds: Sequence[str]) -> None:
        self._k = k
        self._kinds = kinds
        self._sixes = 0
        self._counts = k.np.zeros(101, dtype=k.np.int64)
        # The deals of one six are akin, so a six counts as one observation.
        self._square, self._square_2, self._pure, self._pure_2 = 0.0, 0.0, 0.0, 0.0
        self._furthest = -1.0
        self._best: tuple[Hand, Hand] = (), ()
        self._proven, self._error = 0.0, 0.0
        self.checked = 0

    def take(self, drawn: Any, values: Any, pure: Any, width: float) -> None:
        """Take in some sixes."""
        np = self._k.np
        away = np.abs(values - 0.5)
        squares, shares = (away * away).mean(axis=1), pure / SPLITS
        self._sixes += len(drawn)
        self._square += float(squares.sum())
        self._square_2 += float((squares * squares).sum())
        self._pure += float(shares.sum())
        self._pure_2 += float((shares * shares).sum())
        self._proven = max(self._proven, width)
        if away.max() > self._furthest:
            self._furthest = float(away.max())
            six, split = divmod(int(away.argmax()), SPLITS)
            self._best = self._deal(drawn[six], split)
        percents = np.bincount(np.rint(values * 100.0).astype(np.int64).ravel(), minlength=101)
        self._counts += percents + percents[::-1]

    def check(self, drawn: Any, values: Any, six: int, split: int) -> None:
        """Compare one deal with its exact fraction."""
        exact = value(*self._deal(drawn[six], split))
        self._error = max(self._error, float(abs(Fraction(float(values[six, split])) - exact)))
        self.checked += 1
        if self._error > TRUSTED:
            raise Fault("solve/inexact", f"a value is {self._error:.1e} off the exact fraction")

    def _deal(self, six: Any, split: int) -> tuple[Hand, Hand]:
        return deal_at([self._kinds[int(kind)] for kind in six], 0, split)

    def summary(self, dice: int) -> SampleSummary:
        """All of it."""
        best = self._best
        if value(*best) < Fraction(1, 2):
            best = best[1], best[0]
        square, pure = (
            self._estimate(self._square, self._square_2),
            self._estimate(self._pure, self._pure_2),
        )
        root = sqrt(square.mean)
        return SampleSummary(
            dice=dice,
            deals=count_deals(dice),
            solved=2 * SPLITS * self._sixes,
            highest=0.5 + self._furthest,
            best=best,
            spread=Estimate(root, square.margin / (2 * root) if root else 0.0),
            pure=pure,
            histogram=tuple(int(count) for count in self._counts),
            proven=self._proven,
            checked=self.checked,
            error=self._error,
        )

    def _estimate(self, total: float, squares: float) -> Estimate:
        n = self._sixes
        variance = max(0.0, squares - total * total / n) / (n - 1)
        return Estimate(total / n, NORMAL_95 * sqrt(variance / n))
