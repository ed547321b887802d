"""Bytes of chance and proof: domain tags, digests, commitments, streams.

Everything that is hashed for fairness is framed as in `digest`: SHA3-256 over a
domain tag and the parts, each behind its length, so that no two different lists
of parts give the same bytes and nothing hashed for one purpose can be passed
off as another. All chance is read from a `Stream` of bytes by `Stream.below`,
which is exactly uniform if the bytes are.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Final

SIZE: Final = 32
"""The size of digests, keys, links and table names, in bytes."""

_EIGHT: Final = (8).to_bytes(4, "big")

HOUSE: Final = 2**64 - 1
"""The house where a digest wants a seat: no seat has this number."""


class Tag:
    """Domain tags: what a digest is *for*. No two purposes may ever share one."""

    LINK: Final = "fairground/chain-link/1"
    BLIND: Final = "fairground/blind-commitment/1"
    CHAINS: Final = "fairground/chains-stream/1"
    CONTEST_COMMIT: Final = "fairground/contest-commitment/1"
    CONTEST: Final = "fairground/contest-stream/1"
    CONTEST_ORDER: Final = "fairground/contest-order/1"
    CONTEST_DISGUISE: Final = "fairground/contest-disguise/1"
    CONTEST_KEEPER: Final = "fairground/contest-keeper/1"
    CONTEST_ADDRESS: Final = "fairground/contest-address/1"
    CONTEST_FILE: Final = "fairground/contest-file/1"
    SEAL: Final = "fairground/seal/1"
    SEED: Final = "fairground/seeded-key/1"
    BLOCK: Final = "fairground/stream-block/1"
    PLAYER: Final = "fairground/player-stream/1"
    TOKEN: Final = "fairground/token/1"
    DIARY: Final = "fairground/diary/1"


def frame(tag: str, *parts: bytes | int | str) -> bytes:
    """The exact bytes that `digest` hashes: tag and parts, each behind a 4-byte length.

    Text is UTF-8; an integer is 8 bytes, big-endian, unsigned.
    """
    return _framed_tag(tag) + framed(*parts)


def framed(*parts: bytes | int | str) -> bytes:
    """Parts as `frame` has them: for what goes on behind a beginning that was framed before."""
    pieces: list[bytes] = []
    for part in parts:
        if isinstance(part, int):
            pieces += (_EIGHT, part.to_bytes(8, "big"))
        else:
            data = part.encode() if isinstance(part, str) else part
            pieces += (len(data).to_bytes(4, "big"), data)
    return b"".join(pieces)


@lru_cache(maxsize=64)
def _framed_tag(tag: str) -> bytes:
    """Few tags begin many digests."""
    return framed(tag)


def digest(tag: str, *parts: bytes | int | str) -> bytes:
    """SHA3-256 over the framed tag and parts."""
    return hashed(frame(tag, *parts))


def hashed(framed: bytes) -> bytes:
    """SHA3-256 of a tag and parts that are framed already."""
    return hashlib.sha3_256(framed).digest()


def fresh() -> bytes:
    """32 new secret bytes from the operating system."""
    return secrets.token_bytes(SIZE)


def token() -> str:
    """A name that nobody can guess, fit for a URL."""
    return secrets.token_urlsafe(18)


def same(a: bytes | str, b: bytes | str) -> bool:
    """Compare two digests in constant time."""
    if isinstance(a, str):
        a = a.encode()
    if isinstance(b, str):
        b = b.encode()
    return hmac.compare_digest(a, b)


class Stream(ABC):
    """An endless tape of bytes, read once from left to right.

    `below` is the only way in which chance becomes a number, here and in every
    kernel: take the fewest bytes k with 256**k >= n, read them as one big-endian
    number, and take them modulo n, unless they lie in the last, incomplete stretch
    of n values: then read k more. ``below(1)`` reads nothing.
    """

    @abstractmethod
    def take(self, k: int) -> bytes:
        """The next k bytes of the tape."""

    def below(self, n: int) -> int:
        """One integer, uniform in ``range(n)``: rejection sampling, never a bare ``%``."""
        if n < 1:
            raise ValueError(f"cannot draw below {n}")
        k, limit = _measure(n)
        while True:
            value = int.from_bytes(self.take(k), "big")
            if value < limit:
                return value % n


@lru_cache(maxsize=1024)
def _measure(n: int) -> tuple[int, int]:
    """Return the number of bytes for a number below ``n``, and the rejection bound."""
    k = ((n - 1).bit_length() + 7) // 8
    span = 1 << 8 * k
    return k, span - span % n


class Tape(Stream):
    """A stream over given bytes; it ends with an error when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def take(self, k: int) -> bytes:
        """The next k bytes."""
        piece = self._data[self.at : self.at + k]
        if len(piece) < k:
            raise EOFError(f"the tape of {len(self._data)} bytes is used up")
        self.at += k
        return piece


class BlockStream(Stream):
    """A stream made of numbered blocks, each computed when it is first needed."""

    _block = b""
    _at = 0
    _next = 0

    @abstractmethod
    def block(self, i: int) -> bytes:
        """The bytes of block i: a pure function of i."""

    def take(self, k: int) -> bytes:
        """The next k bytes; what is left of a block is kept for the next call."""
        end = self._at + k
        while len(self._block) < end:
            self._block = self._block[self._at :] + self.block(self._next)
            self._next += 1
            self._at, end = 0, k
        piece = self._block[self._at : end]
        self._at = end
        return piece


class HashStream(BlockStream):
    """The stream of a 32-byte root: block i is ``digest(BLOCK, root, i)``."""

    def __init__(self, root: bytes) -> None:
        self._begin = frame(Tag.BLOCK, root) + _EIGHT

    def block(self, i: int) -> bytes:
        """SHA3-256 of root and block number."""
        return hashed(self._begin + i.to_bytes(8, "big"))


class SystemStream(Stream):
    """Bytes from the operating system: unpredictable, and not provable."""

    def take(self, k: int) -> bytes:
        """Read k bytes of the operating system's entropy."""
        return secrets.token_bytes(k)


_M0: Final = 0xD2511F53
_M1: Final = 0xCD9E8D57
_W0: Final = 0x9E3779B9
_W1: Final = 0xBB67AE85
_MASK: Final = 0xFFFFFFFF


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox4x32-10, the counter-based generator of Salmon et al. (SC 2011).

    Not cryptographic: it drives simulations, where a kernel must read the same
    tape at native speed and any game must be found again without the others.
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _MASK, (p0 >> 32) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
    return c0, c1, c2, c3


def seeded_key(seed: str) -> tuple[int, int]:
    """The Philox key of a seed, which may be any text."""
    root = digest(Tag.SEED, seed)
    return int.from_bytes(root[0:4], "big"), int.from_bytes(root[4:8], "big")


class SeededStream(BlockStream):
    """The reproducible tape of game number ``game`` under a seed, for simulation and tests.

    Block i is Philox with the counter (i, game low, game high, lane), its four words
    written big-endian. ``lane`` 0 belongs to the dealer; a player who needs chance of
    its own takes lane 1 + seat, so that changing a player never changes the dice.
    """

    def __init__(self, seed: str, game: int = 0, lane: int = 0) -> None:
        self._key = seeded_key(seed)
        self._game = game
        self._lane = lane

    def block(self, i: int) -> bytes:
        """16 bytes: four words."""
        words = philox((i, self._game & _MASK, self._game >> 32, self._lane), self._key)
        return b"".join(word.to_bytes(4, "big") for word in words)
