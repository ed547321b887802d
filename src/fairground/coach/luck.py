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
from typing import Any, Final, NamedTuple

from fairground.coach.judging import Spread
from fairground.extras import needs

EXACT: Final = 20_000
"""Up to this many different sums are followed as fractions."""

CELLS: Final = 20_000
"""So fine is the grid beyond that."""


ROUNDING: Final = 1e-12
"""What floating point numbers may add to that."""


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


def odds_of(
    spreads: Sequence[Spread], luck: Fraction, *, unknown: int = 0, exact: bool = True
) -> LuckOdds | None:
    """The odds of this much luck; ``None`` where no draw is known."""
    if not spreads:
        return None
    good = luck >= 0
    sums = _exactly(spreads) if exact else None
    if sums is not None:
        as_lucky = (c for value, c in sums.items() if (value >= luck if good else value <= luck))
        chance = sum(as_lucky, Fraction(0))
        return LuckOdds(good, chance, chance, len(spreads), unknown)
    low, high = _on_a_grid(spreads, float(luck), 1 if good else -1)
    return LuckOdds(good, Fraction(low), Fraction(high), len(spreads), unknown)


def _centred(spread: Spread) -> Spread:
    """What chance gives, compared with what was to be expected."""
    mean = sum(value * chance for value, chance in spread)
    return [(value - mean, chance) for value, chance in spread]


def _exactly(spreads: Sequence[Spread]) -> dict[Any, Any] | None:
    """All sums and their chances; ``None`` where they are too many."""
    sums: dict[Any, Any] = {Fraction(0): Fraction(1)}
    for side in map(_centred, spreads):
        if len(sums) * len(side) > 2 * EXACT:
            return None
        after: dict[Any, Any] = defaultdict(Fraction)
        for total, weight in sums.items():
            for value, chance in side:
                after[total + value] += weight * chance
        if len(after) > EXACT:
            return None
        sums = after
    return sums


def _on_a_grid(spreads: Sequence[Spread], luck: float, sign: int) -> tuple[float, float]:
    """The chance of at least this luck: once with all outcomes rounded down, once up."""
    with needs("solve", "the odds of a long run of luck"):
        import numpy as np
    sides = [np.array(spread, dtype=float) for spread in spreads]
    for side in sides:
        side[:, 0] = sign * (side[:, 0] - side[:, 0] @ side[:, 1])
    cell = max(sum(float(np.ptp(side[:, 0])) for side in sides), 1e-12) / CELLS
    bounds = []
    for up in (0, 1):
        sums, first = np.ones(1), 0
        for side in sides:
            shifts = np.floor(side[:, 0] / cell).astype(np.int64) + up
            low = int(shifts.min())
            weights = np.bincount(shifts - low, weights=side[:, 1])
            after = np.zeros(len(sums) + len(weights) - 1)
            for shift in np.flatnonzero(weights):
                after[shift : shift + len(sums)] += weights[shift] * sums
            sums, first = after, first + low
        reached = (first + np.arange(len(sums))) * cell >= sign * luck - 1e-9
        bounds.append(float(sums[reached].sum()))
    return max(0.0, bounds[0] - ROUNDING), min(1.0, bounds[1] + ROUNDING)
