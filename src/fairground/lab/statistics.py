"""Statistics of many games: means with intervals, differences, and when to stop.

**Tallies** are integers: sums, products and counts. So they can be added, and do not depend on
chunks or workers.

**Intervals** are 95 %, Student's, over *deals*: results on the same deal are one observation, so
mirrored and paired deals are counted correctly. If all results are equal there is no interval.
Shares of games have Wilson's interval.

**Stopping early.** A run that stops as soon as an ordinary interval leaves out zero is wrong far
more often than 5 %. `always_within` holds at all looks together (Robbins' normal mixture), so a run
may stop at the first look that separates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import log, sqrt
from typing import Final, NamedTuple

from msgspec import Struct

from fairground import stats
from fairground.stats import Interval, around, student_point

LEVEL: Final = float(stats.LEVEL)
FIRST_LOOK: Final = 100
"""Deals before the first look: fewer do not make a normal distribution."""
GROWTH: Final = 1.25
"""Factor between the numbers of deals at two looks."""
TUNED_FOR: Final = 1000
"""Number of deals at which the mixture is narrowest."""
LUCK_UNIT: Final = 10**9
"""Luck is counted in integer billionths, so that sums do not depend on their order."""


class Tally(Struct, frozen=True):
    """Sums over deals. The columns are the results of the entrants, then the luck of each."""

    deals: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]
    """Sums of products of two columns."""
    counts: tuple[dict[int, int], ...]
    """For each entrant: payoff of a game → number of games."""

    @classmethod
    def empty(cls, entrants: int, luck: bool = False) -> Tally:
        wide = entrants * (2 if luck else 1)
        return cls(0, (0,) * wide, ((0,) * wide,) * wide, ({},) * entrants)

    @property
    def entrants(self) -> int:
        return len(self.counts)

    @property
    def knows_luck(self) -> bool:
        return len(self.sums) > self.entrants

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.deals + other.deals,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(
                tuple(a + b for a, b in zip(mine, theirs, strict=True))
                for mine, theirs in zip(self.products, other.products, strict=True)
            ),
            tuple(
                dict(sorted((Counter(a) + Counter(b)).items()))
                for a, b in zip(self.counts, other.counts, strict=True)
            ),
        )

    @classmethod
    def of(
        cls,
        results: Sequence[Sequence[Sequence[int]]],
        luck: Sequence[Sequence[int]] | None = None,
    ) -> Tally:
        """Return the tally of deals: ``results[deal][entrant]`` are the payoffs of its games.

        ``luck[deal][entrant]`` is in units of `LUCK_UNIT`.
        """
        rows = [
            [sum(payoffs) for payoffs in deal] + ([] if luck is None else list(luck[i]))
            for i, deal in enumerate(results)
        ]
        wide = range(len(rows[0]))
        counts: list[Counter[int]] = [Counter() for _ in results[0]]
        for deal in results:
            for count, payoffs in zip(counts, deal, strict=True):
                count.update(payoffs)
        return cls(
            len(rows),
            tuple(sum(row[i] for row in rows) for i in wide),
            tuple(tuple(sum(row[i] * row[j] for row in rows) for j in wide) for i in wide),
            tuple(dict(sorted(count.items())) for count in counts),
        )

    # What it says

    def _spread(self, weights: Sequence[float], scale: float) -> tuple[float, float]:
        """Return mean and variance of a weighted sum of columns, for one deal.

        Integers are subtracted before anything is rounded, because means can be large and variances
        small.
        """
        n = self.deals
        used = [i for i, weight in enumerate(weights) if weight]
        mean = sum(weights[i] * self.sums[i] for i in used) / n / scale
        square = sum(
            weights[i] * weights[j] * (n * self.products[i][j] - self.sums[i] * self.sums[j])
            for i in used
            for j in used
        )
        return mean, max(0.0, square) / (n * max(1, n - 1)) / scale**2

    def _weights(self, signs: Mapping[int, float], corrected: bool) -> list[float]:
        weights = [0.0] * len(self.sums)
        for entrant, sign in signs.items():
            weights[entrant] = sign
            if corrected:
                weights[self.entrants + entrant] = -sign / LUCK_UNIT
        return weights

    def mean(self, entrant: int, games: int = 1, *, corrected: bool = False) -> Interval:
        """Return an entrant's payoff in a game; ``games`` is the number of its games on each deal.

        ``corrected`` subtracts its luck, whose mean is zero.
        """
        weights = self._weights({entrant: 1.0}, corrected)
        return around(*self._spread(weights, games), self.deals)

    def difference(
        self, a: int, b: int, games: int = 1, *, corrected: bool = False
    ) -> tuple[float, float]:
        """Return mean and variance (for one deal) of a's payoff less b's, in a game."""
        return self._spread(self._weights({a: 1.0, b: -1.0}, corrected), games)


# Stopping early


def looks(most: int) -> Iterator[int]:
    """Yield the numbers of deals after which a run looks, up to and including the last."""
    at = FIRST_LOOK
    while at < most:
        yield at
        at = int(at * GROWTH) + 1
    yield most


def always_within(variance: float, n: int, level: float = LEVEL) -> float:
    """Return half the width of an interval that holds at every n at once with chance 1 - level.

    This is Robbins' normal mixture, for sums of n observations with this variance.
    """
    spread = _mixing(level)
    grown = n * spread + 1
    return sqrt(variance * 2 * grown / (n * n * spread) * log(sqrt(grown) / level))


def _mixing(level: float) -> float:
    """Return the mixture's variance that makes the interval narrowest at `TUNED_FOR` deals."""
    return (-2 * log(level) + log(-2 * log(level) + 1)) / TUNED_FOR


class Pair(NamedTuple):
    """Two entrants, and which of them is separably better."""

    a: int
    b: int
    difference: Interval
    """The payoff of a less that of b, in a game."""
    better: int | None
    """The better one, or ``None`` if they are too close to call."""


def pairs(
    tally: Tally, games: int = 1, *, sequential: bool = False, corrected: bool = False
) -> list[Pair]:
    """Compare all pairs of entrants. With several pairs each is held to its part of the level.

    ``sequential``: the results may have been looked at before, as `looks` says.
    """
    found = []
    level = LEVEL / max(1, tally.entrants * (tally.entrants - 1) // 2)
    for a, b in combinations(range(tally.entrants), 2):
        mean, variance = tally.difference(a, b, games, corrected=corrected)
        if tally.deals < 2 or variance == 0:
            found.append(Pair(a, b, Interval(mean, None, None), None))
            continue
        if sequential:
            half = always_within(variance, tally.deals, level)
        else:
            half = student_point(level, tally.deals - 1) * sqrt(variance / tally.deals)
        interval = Interval(mean, mean - half, mean + half)
        better = a if mean > half else b if mean < -half else None
        found.append(Pair(a, b, interval, better))
    return found
