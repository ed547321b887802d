"""How far a stream has come: for each table that it follows, how many lines were sent.

The cursor is the ``id`` of every message. A browser that lost its connection sends the last
one that it got, and the stream goes on from there: nothing is lost, nothing comes twice.
It names tables by a few bytes of a hash, so that it stays short.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from functools import lru_cache
from hashlib import sha3_256
from typing import Final, NamedTuple

from fairground.arena.http.problems import quoted
from fairground.core import InputError

KEY: Final = 6
"""Bytes that stand for a topic: two of a few dozen topics will not share them."""

LONGEST: Final = 4_000
"""Characters of a cursor."""


class Mark(NamedTuple):
    """How far the stream is with one topic."""

    serial: int
    """Which time it is that this topic is followed: it may be dropped and begun anew."""
    lines: int


class Cursor:
    """The marks of a stream."""

    def __init__(self) -> None:
        self._marks: dict[bytes, bytes] = {}

    def move(self, topic: str, mark: Mark) -> None:
        """So far it is with this topic now."""
        key = _key(topic)
        self._marks[key] = key + _varint(mark.serial) + _varint(mark.lines)

    def drop(self, topic: str) -> None:
        """It is not followed any more."""
        self._marks.pop(_key(topic), None)

    def __bytes__(self) -> bytes:
        return urlsafe_b64encode(b"".join(self._marks.values())).rstrip(b"=") or b"-"


def read_cursor(text: str) -> dict[bytes, Mark]:
    """The marks of a cursor that a client brings back; see `mark_of`."""
    if text == "-":
        return {}
    try:
        if not text.isascii() or len(text) > LONGEST:
            raise ValueError
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        marks, at = {}, 0
        while at < len(data):
            key, at = data[at : at + KEY], at + KEY
            serial, at = _read_varint(data, at)
            lines, at = _read_varint(data, at)
            marks[key] = Mark(serial, lines)
    except (Error, ValueError, IndexError):
        raise InputError(f"this is no cursor of a stream: {quoted(text)}") from None
    return marks


def mark_of(marks: dict[bytes, Mark], topic: str) -> Mark | None:
    """What a cursor says of a topic."""
    return marks.get(_key(topic))


@lru_cache(10_000)
def _key(topic: str) -> bytes:
    return sha3_256(topic.encode()).digest()[:KEY]


def _varint(value: int) -> bytes:
    """Seven bits a byte, the last ones first; the top bit says that more follow."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 35, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError
