"""Seals: moves that must stay secret until all have moved.

A seal is a digest over a domain tag, the table, the seat, the place in the
transcript that asked for it (line number and hash), 32 fresh bytes, and the move.
The fresh bytes keep a move of few kinds from being guessed; the rest keeps a seal
from being copied from another seat, turn or table.
"""

from __future__ import annotations

from typing import NamedTuple

from fairground.fair.bits import Tag, digest, fresh, same


class Spot(NamedTuple):
    """The place of a seal: the table, the seat, and the line that asked for it."""

    table: bytes
    seat: int
    step: int
    head: str


class Seal(NamedTuple):
    """A sealed value: ``commitment`` is shown at once, ``key`` only when it is opened."""

    commitment: str
    key: str


def seal(spot: Spot, value: bytes, key: bytes | None = None) -> Seal:
    """Seal the canonical bytes of a move under a fresh key."""
    key = key or fresh()
    return Seal(digest(Tag.SEAL, *spot, key, value).hex(), key.hex())


def fits(commitment: str, spot: Spot, value: bytes, key: str) -> bool:
    """Return true if the seal was made of this key and value."""
    return same(seal(spot, value, bytes.fromhex(key)).commitment, commitment)
