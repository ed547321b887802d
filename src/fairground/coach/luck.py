"""How odd a run of luck was.

Draw every chance of a game again, each in the situation in which it came. How often is the luck,
all of it together, at least as good (or at least as bad) as it was? The draws are independent then,
so their distributions are folded into one another. With few outcomes that is done in fractions;
else on a grid, where every outcome is rounded once up and once down: the truth lies between.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

from fairground.coach.judging import Spread
from fairground.extras import needs

EXACT: Final = 4000
"""Up to this many different sums are followed as fractions."""

CELLS: Final = 20_000
"""So fine is the grid beyond that."""


class LuckOdds(NamedTuple):
    """How often luck at least as good, or as bad, comes in the same situations."""

    good: bool
    """Whether the luck was good: then "at least as good" is meant."""
    low: Fraction
    high: Fraction
    """The chance lies between the two; equal where it is exact."""
    draws: int
    """How many draws were drawn again."""
    unknown: int
    """Draws that could not be, such as a deal of a bag of one's own."""


def odds_of(spreads: Sequence[Spread], luck: Fraction, unknown: int = 0) -> LuckOdds | None:
    """The odds of this much luck; ``None`` where no draw is known."""
    if not spreads:
        return None
    sides = [_centred(spread) for spread in spreads]
    good = luck >= 0
    if not good:
        sides = [[(-value, chance) for value, chance in side] for side in sides]
        luck = -luck
    exact = _exactly(sides)
    if exact is not None:
        chance = sum((c for value, c in exact.items() if value >= luck), Fraction(0))
        return LuckOdds(good, chance, chance, len(spreads), unknown)
    low, high = _on_a_grid(sides, float(luck))
    return LuckOdds(good, Fraction(low), Fraction(high), len(spreads), unknown)


def _centred(spread: Spread) -> Spread:
    """What chance gives, compared with what was to be expected."""
    mean = sum((value * chance for value, chance in spread), Fraction(0))
    return [(value - mean, chance) for value, chance in spread]


def _exactly(sides: Sequence[Spread]) -> dict[Fraction, Fraction] | None:
    """All sums and their chances; ``None`` where they are too many."""
    sums: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
    for side in sides:
        if len(sums) * len(side) > 4 * EXACT:
            return None
        after: dict[Fraction, Fraction] = defaultdict(Fraction)
        for total, weight in sums.items():
            for value, chance in side:
                after[total + value] += weight * chance
        if len(after) > EXACT:
            return None
        sums = after
    return sums


def _on_a_grid(sides: Sequence[Spread], luck: float) -> tuple[float, float]:
    """The chance of at least this luck: once with all outcomes rounded down, once up."""
    with needs("solve", "the odds of a long run of luck"):
        import numpy as np
    floats = [[(float(value), float(chance)) for value, chance in side] for side in sides]
    least = sum(min(value for value, _ in side) for side in floats)
    most = sum(max(value for value, _ in side) for side in floats)
    cell = max(most - least, 1e-12) / CELLS
    bounds = []
    for up in (0, 1):
        sums, first = np.ones(1), 0
        for side in floats:
            shifts = [(floor(value / cell) + up, chance) for value, chance in side]
            low, high = min(shifts)[0], max(shifts)[0]
            after = np.zeros(len(sums) + high - low)
            for shift, chance in shifts:
                after[shift - low : shift - low + len(sums)] += chance * sums
            sums, first = after, first + low
        reached = (first + np.arange(len(sums))) * cell >= luck - (1 - up) * cell * 1e-9
        bounds.append(float(sums[reached].sum()))
    return max(0.0, bounds[0]), min(1.0, bounds[1])
