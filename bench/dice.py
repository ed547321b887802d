"""Exact odds of dice: ours beside icepool and dyce, on the same pairs, in one run.

*The win matrix.* All 462 six-faced dice with faces 1 to 6, all 213,444 ordered pairs: in how
many of the 36 rolls does the first win? The peers get their dice ready made, and each is
asked in its cheapest way; ours begins with the lists of faces. A peer takes seconds and we
take a millisecond, which is too short for the clock, so ours is the mean of a hundred in a
row. All give exact counts, and every one of the 213,444 fractions is compared.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from importlib.metadata import version
from itertools import combinations_with_replacement
from typing import Any, Final

import dyce
import icepool

from _machine import cpu_seconds, ratio, side_by_side, summary, write
from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.solver import WinOdds

REPETITIONS: Final = 5
IN_A_ROW: Final = 100
ROLLS: Final = 36
DICE: Final = [Die(faces) for faces in combinations_with_replacement(range(1, 7), 6)]
OURS, ICEPOOL, DYCE = "fairground", "icepool", "dyce"


def ours() -> Any:
    return WinOdds(DICE).table()


def ours_in_a_row() -> None:
    for _ in range(IN_A_ROW):
        ours()


def by_icepool(dice: list[Any]) -> list[list[int]]:
    return [[(a > b).quantity(True) for b in dice] for a in dice]


def by_dyce(dice: list[Any]) -> list[list[int]]:
    return [[a.gt(b).get(True, 0) for b in dice] for a in dice]


def must_be_equal(ice: list[Any], dyc: list[Any]) -> int:
    """Compare all fractions, each peer's with the denominator that it states."""
    table, compared = ours(), 0
    for i, row in enumerate(table):
        for j, wins in enumerate(row):
            mine = Fraction(wins, ROLLS)
            theirs = (ice[i] > ice[j]).probability(True)
            others = dyc[i].gt(dyc[j])
            if not mine == theirs == Fraction(others.get(True, 0), others.total):
                raise SystemExit(f"{DICE[i]} against {DICE[j]}: {mine}, {theirs}, {others}")
            compared += 1
    return compared


def matrix() -> dict[str, Any]:
    """The win matrix, side by side."""
    ice = [icepool.Die(die.faces) for die in DICE]
    dyc = [dyce.H(die.faces) for die in DICE]
    compared = must_be_equal(ice, dyc)
    samples = side_by_side(
        {
            OURS: lambda: cpu_seconds(ours_in_a_row) / IN_A_ROW,
            ICEPOOL: partial(cpu_seconds, partial(by_icepool, ice)),
            DYCE: partial(cpu_seconds, partial(by_dyce, dyc)),
        },
        REPETITIONS,
    )
    return {
        "dice": len(DICE),
        "pairs": len(DICE) ** 2,
        "equal_fractions": compared,
        "peers": {name: version(name) for name in (ICEPOOL, DYCE)},
        "cpu_seconds": summary(samples),
        "times_faster_than": {name: ratio(samples, name, OURS) for name in (ICEPOOL, DYCE)},
        "target": "at least 1000 times faster than each",
    }


def main() -> None:
    write(
        "dice",
        {
            "unit": "CPU seconds of this process",
            "repetitions": REPETITIONS,
            "win_matrix": matrix(),
        },
    )


if __name__ == "__main__":
    main()
