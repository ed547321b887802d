"""Seals: a move is fixed and hidden, and bound to one place at one table."""

from __future__ import annotations

import hashlib
import struct

import pytest

from fairground.fair import seals
from fairground.fair.seals import Spot, fits, seal

SPOT = Spot(b"T" * 32, 1, 7, "ab" * 32)
KEY = bytes(range(32))


def test_a_seal_by_hand() -> None:
    parts = [
        b"fairground/seal/1",
        b"T" * 32,
        struct.pack(">Q", 1),
        struct.pack(">Q", 7),
        b"ab" * 32,
        KEY,
        b"[2,1]",
    ]
    preimage = b"".join(struct.pack(">I", len(part)) + part for part in parts)
    made = seal(SPOT, b"[2,1]", KEY)
    assert made.commitment == hashlib.sha3_256(preimage).hexdigest()
    assert made.key == KEY.hex()
    assert fits(made.commitment, SPOT, b"[2,1]", made.key)


@pytest.mark.parametrize(
    "spot",
    [
        SPOT._replace(table=b"U" * 32),
        SPOT._replace(seat=0),
        SPOT._replace(step=8),
        SPOT._replace(head="cd" * 32),
    ],
)
def test_a_seal_cannot_be_copied_to_another_place(spot: Spot) -> None:
    made = seal(SPOT, b"1", KEY)
    assert not fits(made.commitment, spot, b"1", made.key)


def test_another_move_or_key_does_not_fit() -> None:
    made = seal(SPOT, b"1", KEY)
    assert not fits(made.commitment, SPOT, b"2", made.key)
    assert not fits(made.commitment, SPOT, b"1", (b"\1" + KEY[1:]).hex())
    assert not fits(made.commitment[:-1] + "x", SPOT, b"1", made.key)


def test_without_a_key_a_fresh_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seals, "fresh", lambda: b"k" * 32)
    assert seal(SPOT, b"1") == seal(SPOT, b"1", b"k" * 32)


def test_the_same_move_sealed_twice_looks_different() -> None:
    assert seal(SPOT, b"1").commitment != seal(SPOT, b"1").commitment
