"""What kernels share: one tape for each lane of a game, and numbers as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.fair.bits import seeded_key
from fairground.solve.tape import AT, BLOCK, FILLED, KEY, LANE, REGISTERS, SPARE, refill

LANES = 3
"""The dealer's tape, and one for each of two seats."""

Ints = NDArray[np.int64]


def new_tapes(seed: str) -> tuple[Ints, NDArray[np.uint8]]:
    """Registers and buffers for all lanes; rewind each to a game before it is read."""
    tapes = np.zeros((LANES, REGISTERS), np.int64)
    for lane in range(LANES):
        tapes[lane, LANE] = lane
        tapes[lane, KEY], tapes[lane, KEY + 1] = seeded_key(seed)
    return tapes, np.zeros((LANES, SPARE + BLOCK), np.uint8)


@njit(cache=True)
def below_wide(n: int, tape: Any, data: Any) -> int:
    """`Stream.below` for any n up to 2**48."""
    if n == 1:
        return 0
    size, span = 0, 1
    while span < n:
        span *= 256
        size += 1
    while True:
        if tape[FILLED] - tape[AT] < SPARE:
            refill(tape, data)
        value = 0
        for _ in range(size):
            value = value * 256 + data[tape[AT]]
            tape[AT] += 1
        if value < span - span % n:
            return value % n


@njit(cache=True)
def _write(cells: Any, out: Any) -> int:
    digits = np.empty(20, np.uint8)
    at = 0
    for r in range(cells.shape[0]):
        for c in range(cells.shape[1]):
            value = cells[r, c]
            if value < 0:
                out[at] = 45
                at += 1
                value = -value
            size = 0
            while value > 9:
                digits[size] = 48 + value % 10
                value //= 10
                size += 1
            out[at] = 48 + value
            at += 1
            for i in range(size - 1, -1, -1):
                out[at] = digits[i]
                at += 1
            out[at] = 44 if c < cells.shape[1] - 1 else 10
            at += 1
    return at


def numbers_as_text(cells: Ints) -> bytes:
    """Rows of whole numbers, commas between them, a line feed behind each row."""
    widest = len(str(np.abs(cells).max(initial=0))) + 2
    out = np.empty(cells.size * widest, np.uint8)
    return out[: _write(np.ascontiguousarray(cells), out)].tobytes()
