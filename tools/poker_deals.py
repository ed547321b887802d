"""Counts what the best hold is worth over all 2,598,960 deals, and writes it for the coach.

python tools/poker_deals.py     writes src/fairground/games/poker/data/deals-*.json again
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from fairground.games.poker import hands as compiled
from fairground.games.poker import holds
from fairground.games.poker.holds import SCALES, file_name
from fairground.games.poker.rules import DECK, HAND

FOLDER = Path(holds.__file__).with_name("data")


@nb.njit
def best_of(hands: Any, sums: Any, choose: Any, first: Any, scales: Any) -> Any:
    """The expectation of the best hold of each hand, times ``SCALE``."""
    best = np.zeros(len(hands), np.int64)
    worth = np.zeros(1 << HAND, np.int64)
    for at in range(len(hands)):
        compiled.fill_hold_sums(hands[at], sums, choose, first, worth)
        for held in range(1 << HAND):
            best[at] = max(best[at], worth[held] * scales[held])
    return best


def main() -> None:
    """Count for both pay tables."""
    hands = np.array(list(combinations(range(DECK), HAND)), np.int64)
    for level in (1, 5):
        sums = compiled.sums_of(level)
        best = best_of(hands, sums, compiled.CHOOSE, compiled.FIRST, np.array(SCALES))
        values, counts = np.unique(best, return_counts=True)
        rows = list(zip(values.tolist(), counts.tolist(), strict=True))
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / file_name(level)).write_text(json.dumps(rows, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
