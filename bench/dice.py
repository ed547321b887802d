"""Exact odds of dice: ours beside icepool and dyce, on the same pairs, in one run.

*The win matrix.* All 462 six-faced dice with faces 1 to 6, all 213,444 ordered pairs: in how
many of the 36 rolls does the first win? The peers get their dice ready made, and each is
asked in its cheapest way; ours begins with the lists of faces. A peer takes seconds and we
take a millisecond, which is too short for the clock, so ours is the mean of a hundred in a
row. All give exact counts, and every one of the 213,444 fractions is compared.

*Beside BLAS.* The same table where NumPy is loaded, beside a product of matrices.

*Large dice.* Two dice of a million faces: wins and ties, from the faces to the fractions; faces of
40 bits, and of 20. Beside them what it takes only to read the faces: by us, which is the least that
any count takes, and by NumPy; and to sort them there. A part of it all is memory that the system
hands out anew: where nothing was freed before, as in a first call, that adds a third.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from itertools import chain, combinations_with_replacement
from typing import Any, Final

import dyce
import icepool

from _machine import cpu_seconds, ratio, side_by_side, summary, write
from fairground.games.intransitive import Die
from fairground.solve.intransitive import Bisection, NativeBisection, Sweep, WinOdds

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # else CPU time would count threads that wait

REPETITIONS: Final = 5
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


def by_blas() -> Any:
    """The same table as one product of matrices, from the dice on."""
    import numpy as np  # noqa: PLC0415  # not before the table without it was measured

    n, faces = len(DICE), len(DICE[0].faces)
    flat = np.fromiter(chain.from_iterable(die.faces for die in DICE), np.int64, n * faces)
    at = (flat - 1) * n + np.repeat(np.arange(n), faces)
    shown = np.bincount(at, minlength=faces * n).reshape(faces, n).astype(np.float32)
    return shown.T @ (shown.cumsum(axis=0) - shown)


def beside_blas() -> dict[str, Any]:
    """The win matrix where NumPy is loaded, beside its own product of matrices, in one thread."""
    if by_blas().astype(int).tolist() != [list(row) for row in ours()]:
        raise SystemExit("the product of matrices is another table")

    def blas_in_a_row() -> None:
        for _ in range(IN_A_ROW):
            by_blas()

    samples = side_by_side(
        {
            OURS: lambda: cpu_seconds(ours_in_a_row) / IN_A_ROW,
            "BLAS": lambda: cpu_seconds(blas_in_a_row) / IN_A_ROW,
        },
        REPETITIONS,
    )
    return {
        "cpu_seconds": summary(samples),
        "part_of_its_speed": ratio(samples, "BLAS", OURS),
        "target": "at least half of its speed",
    }


def million(label: str, bits: int) -> Die:
    """A reproducible die of a million faces in no order, of so many bits and a sign."""
    raw = memoryview(hashlib.shake_256(label.encode()).digest(8 * MILLION)).cast("q")
    return Die(tuple(number >> 63 - bits for number in raw))


def wins_and_ties(make: Callable[[list[Die]], Any], dice: list[Die]) -> tuple[int, int]:
    counting = make(dice)
    won, lost = counting.wins(0, 1), counting.wins(1, 0)
    return won, MILLION * MILLION - won - lost


def large() -> dict[str, Any]:
    """Two dice of a million faces, with NumPy and with the standard library alone."""
    dice = [million(f"fairground/bench/{name}", 40) for name in "ab"]
    near = [million(f"fairground/bench/{name}", 20) for name in "ab"]
    told = {make.__name__: wins_and_ties(make, dice) for make in (NativeBisection, Bisection)}
    told[Sweep.__name__] = wins_and_ties(Sweep, dice)
    if len(set(told.values())) != 1:
        raise SystemExit(f"the ways of counting differ: {told}")

    def whole(dice: list[Die]) -> None:
        odds = WinOdds(dice)
        odds.win(0, 1), odds.tie(0, 1)

    import numpy as np  # noqa: PLC0415  # not before the table without it was measured

    from fairground.solve import pairs  # noqa: PLC0415

    def read(dice: list[Die]) -> list[Any]:
        return [pairs.read(die.faces) for die in dice]

    def read_by_numpy(dice: list[Die]) -> list[Any]:
        return [np.fromiter(die.faces, np.int64, MILLION) for die in dice]

    def sort() -> None:
        for faces in read_by_numpy(dice):
            faces.sort()

    samples = side_by_side(
        {
            "win and tie, with NumPy": partial(cpu_seconds, partial(whole, dice)),
            "faces of 20 bits, with NumPy": partial(cpu_seconds, partial(whole, near)),
            "faces of 40 bits, only read": partial(cpu_seconds, partial(read, dice)),
            "faces of 20 bits, only read": partial(cpu_seconds, partial(read, near)),
            "faces of 40 bits, read by NumPy": partial(cpu_seconds, partial(read_by_numpy, dice)),
            "read, and np.sort of both": partial(cpu_seconds, sort),
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
        "target": "at most 0.05 CPU seconds (NumPy already imported)",
    }


def main() -> None:
    write(
        "dice",
        {
            "unit": "CPU seconds of this process",
            "repetitions": REPETITIONS,
            "win_matrix": matrix(),
            "win_matrix_beside_blas": beside_blas(),
            "two_dice_of_a_million_faces": large(),
        },
    )


if __name__ == "__main__":
    main()
