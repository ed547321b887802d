"""The parts that compiled code shares: random streams, episodes, and rows as text.

**Streams.** `fairground.fair.bits.SeededStream` defines the bytes of a game's random streams
(Philox), and `Stream.below` how numbers are read from them. This module does the same for compiled
loops, byte for byte. So a kernel and the rules can play the same game and be compared.

A stream is an array of integers, the *registers*, and a buffer. The buffer holds `SPARE` bytes and
one or more blocks of 16 bytes; more blocks are computed faster per byte.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

import numba as nb
import numpy as np
from numpy.typing import NDArray

from fairground.core import Game, InputError, Seat
from fairground.fair.bits import seeded_key

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Registers = Ints
Bytes = NDArray[np.uint8]

_OPTIONS: Final[dict[str, Any]] = {"cache": True, "_nrt": False}
LEAF: Final = nb.njit(**_OPTIONS)
"""Compile a function that allocates no arrays. Numba then skips reference counting, which would
take most of the time in such short loops."""

INLINE: Final = nb.njit(cache=True, forceinline=True)


@INLINE
def copy(row: Any, to: Any) -> None:
    """Do ``to[:] = row`` for rows of one length.

    Numba's own copy compiles two seconds longer, for its error message.
    """
    for i in range(len(row)):
        to[i] = row[i]


REGISTERS: Final = 7
GAME, LANE, KEY, NEXT_BLOCK, AT, FILLED = 0, 1, 2, 4, 5, 6
"""The registers: game and lane as in `SeededStream`, two words of the key, the number of the
next block, the place of the next byte in the buffer, and the end of its valid bytes."""

BLOCK: Final = 16
SPARE: Final = 8
"""Minimum number of bytes in the buffer before a draw. `below` needs two; the loops of some
kernels read more."""

ONE_BYTE: Final = 256
"""A draw below at most this number reads one byte, a larger one two."""


def new_stream(key: tuple[int, int], lane: int = 0, blocks: int = 1) -> tuple[Registers, Bytes]:
    """Return registers and buffer; `rewind` them to a game before reading."""
    return np.array([0, lane, *key, 0, 0, 0]), np.zeros(SPARE + BLOCK * blocks, np.uint8)


@INLINE
def philox(block: Any, game: Any, lane: Any, k0: Any, k1: Any) -> Any:
    """Compute one block by Philox4x32-10: 16 bytes as two big-endian words of 64 bits."""
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
def rewind(stream: Registers, game: int) -> None:
    """Go to the first byte of a game's stream."""
    stream[GAME] = game
    stream[NEXT_BLOCK] = stream[AT] = stream[FILLED] = 0


@INLINE
def swapped(word: Any) -> Any:
    """Reverse the bytes of a word: memory has the low byte first."""
    pairs, quads = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
    word = (word & pairs) << np.uint64(8) | word >> np.uint64(8) & pairs
    word = (word & quads) << np.uint64(16) | word >> np.uint64(16) & quads
    return word << np.uint64(32) | word >> np.uint64(32)


@LEAF
def refill(stream: Registers, data: Bytes) -> None:
    """Move the bytes left, fewer than `SPARE`, to the front, and fill the rest with new blocks."""
    left = stream[FILLED] - stream[AT]
    for i in range(left):
        data[SPARE - left + i] = data[stream[AT] + i]
    words = data.view(np.uint64)
    blocks, first = len(words) // 2, stream[NEXT_BLOCK]
    game, lane, k0, k1 = stream[GAME], stream[LANE], stream[KEY], stream[KEY + 1]
    for j in range(blocks):  # a plain loop, which the compiler vectorises
        high, low = philox(first + j, game, lane, k0, k1)
        words[2 * j + 1], words[2 * j + 2] = swapped(high), swapped(low)
    stream[AT] = SPARE - left
    stream[FILLED] = len(data)
    stream[NEXT_BLOCK] += blocks


@LEAF
def below(n: int, stream: Registers, data: Bytes) -> int:
    """Return what `Stream.below` would, for any n up to 65,536."""
    if n == 1:
        return 0
    span = ONE_BYTE if n <= ONE_BYTE else ONE_BYTE * ONE_BYTE
    while True:
        if stream[FILLED] - stream[AT] < SPARE:
            refill(stream, data)
        value = int(data[stream[AT]])
        stream[AT] += 1
        if span > ONE_BYTE:
            value = value * ONE_BYTE + int(data[stream[AT]])
            stream[AT] += 1
        if value < span - span % n:
            return value % n


@LEAF
def used(stream: Registers) -> int:
    """Return how many bytes have been read."""
    return int(BLOCK * stream[NEXT_BLOCK] - (stream[FILLED] - stream[AT]))


STREAMS: Final = 3
"""Random streams of a game: the dealer's, and one for each of two seats."""


def new_streams(seed: str, games: tuple[int, ...] = ()) -> tuple[Ints, NDArray[np.uint8]]:
    """Return registers and buffers of the streams; rewind each to its game before reading it.

    With ``games``, the shape of an array of games, each of them gets streams of its own.
    """
    registers = np.zeros((*games, STREAMS, REGISTERS), np.int64)
    registers[..., LANE] = np.arange(STREAMS)
    registers[..., KEY], registers[..., KEY + 1] = seeded_key(seed)
    return registers, np.zeros((*games, STREAMS, SPARE + BLOCK), np.uint8)


@INLINE
def rewind_all(streams: Any, game: int) -> None:
    """Go to the first byte of a game's streams."""
    for at in range(STREAMS):
        rewind(streams[at], game)


@nb.njit(cache=True)
def below_wide(n: int, stream: Any, data: Any) -> int:
    """Return what `Stream.below` would, for any n up to 2**48."""
    if n == 1:
        return 0
    size, span = 0, 1
    while span < n:
        span *= 256
        size += 1
    while True:
        if stream[FILLED] - stream[AT] < SPARE:
            refill(stream, data)
        value = 0
        for _ in range(size):
            value = value * 256 + data[stream[AT]]
            stream[AT] += 1
        if value < span - span % n:
            return value % n


class Episodes(ABC):
    """Many episodes of one game side by side, each on the streams of its own number.

    One seat is the agent's. A built-in player takes the other one inside the compiled loop.
    """

    opponents: ClassVar[tuple[str, ...]]
    """The built-in players that the loop knows."""
    all_legal: ClassVar[bool] = False
    """True if every action is always legal: then all masks are one read-only array."""
    most_turns: int = 0
    """Maximum number of turns of an episode; the loop truncates a longer one. 0: no limit."""

    def __init__(self, game: Game[Any], count: int, seat: Seat, opponent: str) -> None:
        if opponent not in self.opponents:
            raise InputError(
                f"the kernel of {game.name} plays {' or '.join(self.opponents)}, not {opponent!r}"
            )
        self.game, self.count, self.seat = game, count, seat
        self.opponent = self.opponents.index(opponent)
        self.numbers: Ints = np.arange(count)
        """The number of the episode in each place."""
        self.rewards = np.zeros(count)
        self.over: Flags = np.zeros(count, np.bool_)
        self.truncated: Flags = np.zeros(count, np.bool_)

    def allocate(self, observation: int, actions: int) -> None:
        """Allocate observations of this size, and masks of this number of actions."""
        self.seen = np.zeros((self.count, observation), np.int32)
        self.masks = np.ones((self.count, actions), np.int8)
        self.masks.flags.writeable = not self.all_legal

    def seed(self, seed: str) -> None:
        """Choose the random streams of all episodes from now on."""
        self.streams, self.buffers = new_streams(seed, (self.count,))

    @abstractmethod
    def begin(self, places: Ints) -> None:
        """Begin the episodes whose `numbers` stand in these places."""

    @abstractmethod
    def act(self, actions: Ints) -> None:
        """Play the agent's actions, and go on until it is to move again or its episode ends.

        An illegal action forfeits the episode.
        """


@nb.njit(cache=True)
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
    """Return rows of integers as CSV lines."""
    widest = len(str(np.abs(cells).max(initial=0))) + 2
    out = np.empty(cells.size * widest, np.uint8)
    return out[: _write(np.ascontiguousarray(cells), out)].tobytes()
