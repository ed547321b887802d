"""What a deal can be worth: the expectation of the best hold, counted over all 2,598,960 deals.

The counts come with the package (``tools/poker_deals.py`` makes them). Their mean is the return of
perfect play.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from importlib.resources import files

from fairground.solve.poker.counts import SCALE


def file_name(level: int) -> str:
    """Levels 1 to 4 have the same values for each unit staked."""
    return f"deals-{5 if level == 5 else 1}.json"


@cache
def worths(level: int) -> tuple[tuple[Fraction, int], ...]:
    """Each expectation for one unit staked, and in how many deals it is the best."""
    path = files("fairground.solve.poker") / "data" / file_name(level)
    rows = json.loads(path.read_text(encoding="ascii"))
    return tuple((Fraction(worth, SCALE), many) for worth, many in rows)
