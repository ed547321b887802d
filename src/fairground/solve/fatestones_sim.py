"""FateStones at native speed: whole games from the same tape that the rules read.

A kernel that simulates is a second set of rules, so this one reads the same bytes in
the same order as `fairground.fair.bits.SeededStream` and its ``below`` would (lane 0 for
the deal and the rolls, lane 1 + seat for a player's own chance). Its games can then be
compared with those of the rules one by one, and the simulator does so with a sample of
every run.

Only players whose choice is a short integer computation are here: `RANDOM` and `GREEDY`.
A game is one deal; a scratch ends it.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

RANDOM: Final = 0
GREEDY: Final = 1

COLUMNS: Final = 10
BATCH: Final = 512
"""Games whose first blocks are made at once: small enough to stay in the nearest cache."""

NONE: Final = -1
"""No die at this place; also: a byte that must be drawn again."""

Words = NDArray[np.uint32]
Rows = NDArray[np.int16]


def below_table() -> NDArray[np.int16]:
    """``table[n, byte]``: what ``below(n)`` makes of a byte, or `NONE`; n up to 256."""
    table = np.full((257, 256), NONE, dtype=np.int16)
    for n in range(1, 257):
        fit = 256 - 256 % n
        table[n, :fit] = np.arange(fit) % n
    return table


@njit(cache=True, forceinline=True)
def philox_halves(block: Any, game: Any, lane: Any, k0: Any, k1: Any) -> Any:
    """Philox4x32-10 of `fairground.fair.bits.philox`: 16 bytes as two big-endian halves."""
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    c0, c1 = np.uint64(block), np.uint64(game) & mask
    c2, c3 = np.uint64(game) >> half, np.uint64(lane)
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c0
        p1 = np.uint64(0xCD9E8D57) * c2
        c0, c1 = (p1 >> half) ^ c1 ^ k0, p1 & mask
        c2, c3 = (p0 >> half) ^ c3 ^ k1, p0 & mask
        k0 = (k0 + np.uint64(0x9E3779B9)) & mask
        k1 = (k1 + np.uint64(0xBB67AE85)) & mask
    return (c0 << half) | c1, (c2 << half) | c3


@njit(cache=True)
def first_blocks(first: int, lane: int, key: Any, out: Any) -> None:
    """Block 0 of many games' tapes: a plain loop, which runs many games abreast."""
    k0, k1 = key[0], key[1]
    for g in range(out.shape[1]):
        out[0, g], out[1, g] = philox_halves(0, first + g, lane, k0, k1)


@njit(cache=True)
def later_block(block: int, game: int, lane: int, key: Any) -> Any:
    """A block that few games ever need."""
    return philox_halves(block, game, lane, key[0], key[1])


@njit(cache=True, forceinline=True)
def next_byte(tape: Any, lane: int, game: int, key: Any) -> Any:
    """The next byte of a lane; ``tape[lane]`` holds the block's halves and the place in it."""
    at = tape[lane, 2]
    if at & np.uint64(15) == 0 and at > 0:
        tape[lane, 0], tape[lane, 1] = later_block(at >> np.uint64(4), game, lane, key)
    tape[lane, 2] = at + np.uint64(1)
    bits = tape[lane, (at >> np.uint64(3)) & np.uint64(1)]
    return (bits >> (np.uint64(56) - np.uint64(8) * (at & np.uint64(7)))) & np.uint64(255)


@njit(cache=True, forceinline=True)
def below(n: int, tape: Any, lane: int, game: int, key: Any, table: Any) -> int:
    """``Stream.below`` for n up to 65,536."""
    if n == 1:
        return 0
    if n <= 256:
        value = table[n, next_byte(tape, lane, game, key)]
        while value < 0:
            value = table[n, next_byte(tape, lane, game, key)]
        return np.int64(value)
    return wide_below(n, tape, lane, game, key)


@njit(cache=True)
def wide_below(n: int, tape: Any, lane: int, game: int, key: Any) -> int:
    """``Stream.below`` with two bytes."""
    while True:
        high, low = next_byte(tape, lane, game, key), next_byte(tape, lane, game, key)
        pair = np.int64(high * np.uint64(256) + low)
        if pair < 65536 - 65536 % n:
            return pair % n


@njit(cache=True)
def greedy(score: Any, bag: Any, hands: Any, seat: int, k: int) -> int:
    """The pick of `fairground.solve.fatestones.greedy_pick`: the smaller die breaks ties."""
    pick, best = 0, -1
    for i in range(k):
        total = 0
        for j in range(k):
            total += score[hands[seat, i], hands[1 - seat, j]]
        mine, other = bag[hands[seat, i]], bag[hands[seat, pick]]
        if total > best or (total == best and mine < other):
            pick, best = i, total
    return pick


@njit(cache=True)
def play(
    first: int, count: int, kinds: Any, key: Words, bag: Any, score: Any, table: Any, rows: Rows
) -> int:
    """Play games ``first`` to ``first + count - 1``; fill ``rows``; return how many rounds.

    ``bag`` holds the dice in ascending order as numbers (123456), ``score[a, b]`` win plus
    half a tie in 72nds. A row holds positions in the bag (or `NONE`), the picks and the
    faces. ``rows`` needs room for three rounds of each game.
    """
    n = bag.shape[0]
    faces = np.empty((n, 6), np.int64)
    for d in range(n):
        rest = bag[d]
        for f in range(5, -1, -1):
            faces[d, f] = rest % 10
            rest //= 10
    blocks = np.empty((3, 2, BATCH), np.uint64)
    tape = np.empty((3, 3), np.uint64)
    hands = np.empty((2, 3), np.int64)
    drawn = np.empty(6, np.int64)
    pick, face = np.empty(2, np.int64), np.empty(2, np.int64)
    done = 0
    for start in range(first, first + count, BATCH):
        for lane in range(3):
            if lane == 0 or kinds[lane - 1] == RANDOM:
                first_blocks(start, lane, key, blocks[lane])
        for g in range(min(BATCH, first + count - start)):
            game = start + g
            for lane in range(3):
                tape[lane, 0], tape[lane, 1] = blocks[lane, 0, g], blocks[lane, 1, g]
                tape[lane, 2] = 0
            for d in range(6):
                value = below(n - d, tape, 0, game, key, table)
                drawn[d] = value
                # From a place among the dice left back to a place in the full bag.
                for before in range(d - 1, -1, -1):
                    value += value >= drawn[before]
                hands[d & 1, d >> 1] = value
            for k in range(3, 0, -1):
                for seat in range(2):
                    for i in range(3):
                        rows[done, 3 * seat + i] = hands[seat, i] if i < k else NONE
                for seat in range(2):
                    if kinds[seat] == RANDOM:
                        pick[seat] = below(k, tape, 1 + seat, game, key, table)
                    else:
                        pick[seat] = greedy(score, bag, hands, seat, k)
                for seat in range(2):
                    value = below(6, tape, 0, game, key, table)
                    face[seat] = faces[hands[seat, pick[seat]], value]
                    rows[done, 6 + seat] = pick[seat]
                    rows[done, 8 + seat] = face[seat]
                done += 1
                if face[0] != face[1]:
                    break
                for seat in range(2):
                    for i in range(pick[seat], k - 1):
                        hands[seat, i] = hands[seat, i + 1]
    return done


@njit(cache=True)
def as_csv(rows: Rows, count: int, bag: Any, out: NDArray[np.uint8]) -> int:
    """Write rows as text lines of ten columns; ``out`` needs 51 bytes for each row."""
    at = 0
    for r in range(count):
        for column in range(COLUMNS):
            cell = rows[r, column]
            if column >= 6:
                out[at] = 48 + cell
                at += 1
            elif cell != NONE:
                rest = bag[cell]
                for f in range(5, -1, -1):
                    out[at + f] = 48 + rest % 10
                    rest //= 10
                at += 6
            out[at] = 44 if column < COLUMNS - 1 else 10
            at += 1
    return at
