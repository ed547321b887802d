"""Signatures with a chosen one-time number, as a cheat makes them."""

from __future__ import annotations

import coincurve

from fairground.bank.signatures import HALF_ORDER, ORDER, Signature


def sign_with(secret: int, digest: bytes, k: int) -> Signature:
    """Since k is free, a signature is no fair coin: a signer can try many k until r suits him."""
    x, y = coincurve.PrivateKey.from_int(k).public_key.point()
    assert x < ORDER
    s = pow(k, -1, ORDER) * (int.from_bytes(digest, "big") + x * secret) % ORDER
    odd = y & 1
    if s > HALF_ORDER:
        s, odd = ORDER - s, odd ^ 1
    return Signature(27 + odd, x, s)
