"""The tape of a simulated game, read at native speed.

`fairground.fair.bits` says what a tape is: `SeededStream` writes its bytes with Philox, and
`Stream.below` reads numbers from it. This module is the same for compiled loops, byte for
byte, so that a kernel and the rules can play the same game and be compared.

A tape is a row of numbers, the *registers*, and a buffer for the bytes at hand. The buffer
holds `SPARE` bytes and one or more blocks of 16 bytes: the more blocks, the more are made
side by side whenever the buffer is filled up.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np
from numpy.typing import NDArray

Registers = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_OPTIONS: Final[dict[str, Any]] = {"cache": True, "_nrt": False}
LEAF: Final = nb.njit(**_OPTIONS)
"""Compiles a function that makes no arrays. Numba then need not count who still uses which
array: in loops as short as these, the counting takes most of the time."""

INLINE: Final = nb.njit(cache=True, forceinline=True)


@INLINE
def copy(row: Any, to: Any) -> None:
    """``to[:] = row`` for rows of one length.

    Where Numba copies, it also compiles an error message for rows that do not fit: two seconds.
    """
    for i in range(len(row)):
        to[i] = row[i]


REGISTERS: Final = 7
GAME, LANE, KEY, NEXT_BLOCK, AT, FILLED = 0, 1, 2, 4, 5, 6
"""The registers: game and lane as in `SeededStream`, two words of the key, the number of the
next block, the place of the next byte in the buffer, and the end of the bytes at hand."""

BLOCK: Final = 16
SPARE: Final = 8
"""Bytes that are at hand before anything is drawn: `below` needs two, a loop that reads by
itself may need more."""

ONE_BYTE: Final = 256
"""Draws below this or less read one byte, and larger ones two."""


def new_tape(key: tuple[int, int], lane: int = 0, blocks: int = 1) -> tuple[Registers, Bytes]:
    """Registers and buffer; `rewind` them to a game before anything is read."""
    return np.array([0, lane, *key, 0, 0, 0]), np.zeros(SPARE + BLOCK * blocks, np.uint8)


@INLINE
def philox(block: Any, game: Any, lane: Any, k0: Any, k1: Any) -> Any:
    """One block, by Philox4x32-10: 16 bytes as two big-endian words of 64 bits."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0, c1 = np.uint64(block), np.uint64(game) & low
    c2, c3 = np.uint64(game) >> half, np.uint64(lane)
    k0, k1 = np.uint64(k0), np.uint64(k1)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ k0, p1 & low, (p0 >> half) ^ c3 ^ k1, p0 & low
        k0 = (k0 + np.uint64(0x9E3779B9)) & low
        k1 = (k1 + np.uint64(0xBB67AE85)) & low
    return (c0 << half) | c1, (c2 << half) | c3


@LEAF
def rewind(tape: Registers, game: int) -> None:
    """Go to the first byte of a game's tape."""
    tape[GAME] = game
    tape[NEXT_BLOCK] = tape[AT] = tape[FILLED] = 0


@INLINE
def swapped(word: Any) -> Any:
    """The same eight bytes in opposite order: memory has the low byte first."""
    pairs, quads = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
    word = (word & pairs) << np.uint64(8) | word >> np.uint64(8) & pairs
    word = (word & quads) << np.uint64(16) | word >> np.uint64(16) & quads
    return word << np.uint64(32) | word >> np.uint64(32)


@LEAF
def refill(tape: Registers, data: Bytes) -> None:
    """Move the bytes left, fewer than `SPARE`, to the front; behind them as many blocks as fit."""
    left = tape[FILLED] - tape[AT]
    for i in range(left):
        data[SPARE - left + i] = data[tape[AT] + i]
    words = data.view(np.uint64)
    blocks, first = len(words) // 2, tape[NEXT_BLOCK]
    game, lane, k0, k1 = tape[GAME], tape[LANE], tape[KEY], tape[KEY + 1]
    for j in range(blocks):  # a plain loop, which makes many blocks abreast
        high, low = philox(first + j, game, lane, k0, k1)
        words[2 * j + 1], words[2 * j + 2] = swapped(high), swapped(low)
    tape[AT] = SPARE - left
    tape[FILLED] = len(data)
    tape[NEXT_BLOCK] += blocks


@LEAF
def below(n: int, tape: Registers, data: Bytes) -> int:
    """`Stream.below` for any n up to 65,536."""
    if n == 1:
        return 0
    span = ONE_BYTE if n <= ONE_BYTE else ONE_BYTE * ONE_BYTE
    while True:
        if tape[FILLED] - tape[AT] < SPARE:
            refill(tape, data)
        value = int(data[tape[AT]])
        tape[AT] += 1
        if span > ONE_BYTE:
            value = value * ONE_BYTE + int(data[tape[AT]])
            tape[AT] += 1
        if value < span - span % n:
            return value % n


@LEAF
def used(tape: Registers) -> int:
    """How many bytes have been read."""
    return int(BLOCK * tape[NEXT_BLOCK] - (tape[FILLED] - tape[AT]))
