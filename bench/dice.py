"""Exact odds of dice: ours beside icepool and dyce, on the same pairs, in one run.

*The win matrix.* All 462 six-faced dice with faces 1 to 6, all 213,444 ordered pairs: in how
many of the 36 rolls does the first win? The peers get their dice ready made, and each is
asked in its cheapest way; ours begins with the lists of faces. A peer takes seconds and we
take a millisecond, which is too short for the clock, so ours is the mean of a hundred in a
row. All give exact counts, and every one of the 213,444 fractions is compared.

*Large dice.* Two dice of a million faces: wins and ties, from the faces to the fractions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from itertools import combinations_with_replacement
from typing import Any, Final

import dyce
import icepool

from _machine import cpu_seconds, ratio, side_by_side, summary, write
from fairground.games.intransitive import Die
from fairground.solve.intransitive import Bisection, NativeBisection, Sweep, WinOdds

REPETITIONS: Final = 7
IN_A_ROW: Final = 100
ROLLS: Final = 36
MILLION: Final = 1_000_000
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


def million(label: str) -> Die:
    """A reproducible die of a million faces in no order, between -2^40 and 2^40."""
    raw = memoryview(hashlib.shake_256(label.encode()).digest(8 * MILLION)).cast("q")
    return Die(tuple(number >> 23 for number in raw))


def wins_and_ties(make: Callable[[list[Die]], Any], dice: list[Die]) -> tuple[int, int]:
    counting = make(dice)
    won, lost = counting.wins(0, 1), counting.wins(1, 0)
    return won, MILLION * MILLION - won - lost


def large() -> dict[str, Any]:
    """Two dice of a million faces, with NumPy and with the standard library alone."""
    dice = [million("fairground/bench/a"), million("fairground/bench/b")]
    told = {make.__name__: wins_and_ties(make, dice) for make in (NativeBisection, Bisection)}
    told[Sweep.__name__] = wins_and_ties(Sweep, dice)
    if len(set(told.values())) != 1:
        raise SystemExit(f"the ways of counting differ: {told}")

    def whole() -> None:
        odds = WinOdds(dice)
        odds.win(0, 1), odds.tie(0, 1)

    samples = side_by_side(
        {
            "win and tie, with NumPy": partial(cpu_seconds, whole),
            "win and tie, standard library": partial(
                cpu_seconds, partial(wins_and_ties, Bisection, dice)
            ),
        },
        REPETITIONS,
    )
    return {
        "faces": MILLION,
        "numpy": version("numpy"),
        "cpu_seconds": summary(samples),
        "target": "under 0.2 CPU seconds (NumPy already imported)",
    }


def main() -> None:
    write(
        "dice",
        {
            "unit": "CPU seconds of this process",
            "repetitions": REPETITIONS,
            "win_matrix": matrix(),
            "two_dice_of_a_million_faces": large(),
        },
    )


if __name__ == "__main__":
    main()
