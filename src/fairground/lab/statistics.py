"""What many results say: means with intervals, differences, and when they may be believed.

**Tallies** are whole numbers: sums, products and counts. So they come out the same however the work
was cut and whoever did it, and they can be added.

**Intervals** are 95 %, Student's, over *deals*: results on the same deal are one observation, so
that mirrored and paired deals count for what they are. Where every result was the same there is no
interval: nothing can be said about what was not seen. Shares of games have Wilson's interval.

**Looking again and again.** Whoever stops as soon as an ordinary interval leaves out zero is wrong
far more often than 5 %. `Sequence` is an interval that holds at all looks together: Robbins'
normal mixture. With it one may stop at the first look that separates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import log, sqrt
from typing import Any, Final, NamedTuple

from fairground.contest.figures import NORMAL, student

LEVEL: Final = 0.05
Z: Final = float(NORMAL)
FIRST_LOOK: Final = 100
"""Deals before the first look: fewer do not make a normal distribution."""
GROWTH: Final = 1.25
"""Each look comes after a quarter more deals."""
TUNED_FOR: Final = 1000
"""The number of deals at which the mixture is narrowest."""
LUCK_UNIT: Final = 10**9
"""Luck is counted in whole billionths, so that sums do not depend on their order."""


class Interval(NamedTuple):
    """A mean with its 95 % interval; ``None`` where nothing can be said."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:+.4f}"
        return f"{self.mean:+.4f} ± {(self.high - self.low) / 2:.4f}"


class Tally(NamedTuple):
    """Sums over deals. Columns are the entrants' results, then what luck gave each of them."""

    deals: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]
    """Sums of products of two columns."""
    counts: tuple[Mapping[int, int], ...]
    """For each entrant: how often a game ended with which payoff."""

    @classmethod
    def empty(cls, entrants: int, luck: bool = False) -> Tally:
        """Before the first deal."""
        wide = entrants * (2 if luck else 1)
        return cls(0, (0,) * wide, ((0,) * wide,) * wide, ({},) * entrants)

    @property
    def entrants(self) -> int:
        """How many are compared."""
        return len(self.counts)

    @property
    def knows_luck(self) -> bool:
        """Whether luck was counted."""
        return len(self.sums) > self.entrants

    def __add__(self, other: tuple[Any, ...]) -> Tally:
        assert isinstance(other, Tally)
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
        """The tally of deals: for each, for each entrant, the payoffs of its games.

        ``luck`` has for each deal what luck gave each entrant, in units of `LUCK_UNIT`.
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

    def as_json(self) -> dict[str, Any]:
        """For a journal."""
        return {
            "deals": self.deals,
            "sums": list(self.sums),
            "products": [list(row) for row in self.products],
            "counts": [{str(k): v for k, v in count.items()} for count in self.counts],
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Tally:
        """The tally that `as_json` wrote."""
        return cls(
            told["deals"],
            tuple(told["sums"]),
            tuple(tuple(row) for row in told["products"]),
            tuple({int(k): v for k, v in count.items()} for count in told["counts"]),
        )

    # What it says

    def _spread(self, weights: Sequence[float], scale: float) -> tuple[float, float]:
        """Mean and variance of a weighted sum of columns, for one deal.

        Whole numbers are subtracted before anything is rounded: means may be large and
        variances small.
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
        """An entrant's payoff in a game; ``games``: how many it plays on each deal.

        ``corrected``: without what luck gave it, which leaves the mean where it was on average.
        """
        weights = self._weights({entrant: 1.0}, corrected)
        return around(*self._spread(weights, games), self.deals)

    def difference(
        self, a: int, b: int, games: int = 1, *, corrected: bool = False
    ) -> tuple[float, float]:
        """What a wins more than b in a game: mean, and variance for one deal."""
        return self._spread(self._weights({a: 1.0, b: -1.0}, corrected), games)


def around(mean: float, variance: float, n: int) -> Interval:
    """Student's interval around a mean of n observations."""
    if n < 2 or variance == 0:
        return Interval(mean, None, None)
    half = float(student(n - 1)) * sqrt(variance / n)
    return Interval(mean, mean - half, mean + half)


def share(hits: int, of: int) -> Interval:
    """A share of games with Wilson's 95 % interval, which holds near 0 and 1 as well."""
    if of == 0:
        return Interval(0.0, None, None)
    p, zz = hits / of, Z * Z / of
    middle = (p + zz / 2) / (1 + zz)
    half = Z * sqrt(p * (1 - p) / of + zz / (4 * of)) / (1 + zz)
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


# Stopping early


def looks(most: int) -> Iterator[int]:
    """After how many deals one looks, up to and including the last."""
    at = FIRST_LOOK
    while at < most:
        yield at
        at = int(at * GROWTH) + 1
    yield most


def always_within(variance: float, n: int, level: float = LEVEL) -> float:
    """Half the width of an interval that holds at every n at once with chance 1 - level.

    Robbins' normal mixture: for sums of n observations with this variance, the mean stays
    within it at all n together.
    """
    spread = _mixing(level)
    grown = n * spread + 1
    return sqrt(variance * 2 * grown / (n * n * spread) * log(sqrt(grown) / level))


def _mixing(level: float) -> float:
    """The mixture's variance for which the interval is narrowest at `TUNED_FOR` observations."""
    return (-2 * log(level) + log(-2 * log(level) + 1)) / TUNED_FOR


class Pair(NamedTuple):
    """Two entrants, and whether their results can be told apart."""

    a: int
    b: int
    difference: Interval
    """What a wins more than b in a game."""
    better: int | None
    """Who is better; ``None``: not separable."""


def pairs(
    tally: Tally, games: int = 1, *, sequential: bool = False, corrected: bool = False
) -> list[Pair]:
    """All pairs of entrants. With several pairs each is held to its part of the level.

    ``sequential``: the results may have been looked at before, as `looks` has it.
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
            half = _point(level, tally.deals - 1) * sqrt(variance / tally.deals)
        interval = Interval(mean, mean - half, mean + half)
        better = a if mean > half else b if mean < -half else None
        found.append(Pair(a, b, interval, better))
    return found


def _point(level: float, freedom: int) -> float:
    """The two-sided point of Student's distribution, by the normal one with as wide a tail.

    Exact at 5 %; elsewhere the normal point is widened as much as Student's is at 5 %.
    """
    from statistics import NormalDist

    normal = NormalDist().inv_cdf(1 - level / 2)
    return normal * float(student(freedom)) / Z
