"""keccak-256 and ECDSA over secp256k1: the two functions that Ethereum's messages need.

``pycryptodome`` hashes and ``coincurve`` (libsecp256k1) signs. Signing is deterministic (RFC 6979).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import coincurve
from Crypto.Hash import keccak as pycryptodome

from fairground.core import InputError

ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Number of points of the curve; a private key is below it."""

HALF_ORDER: Final = ORDER // 2


class BadSignature(InputError):
    """A signature that is malleable, or not by the key that had to sign."""

    code = "bank/bad-signature"


class Signature(NamedTuple):
    """An ECDSA signature as Ethereum writes it: v is 27 or 28, s in the lower half."""

    v: int
    r: int
    s: int

    @property
    def words(self) -> bytes:
        """v, r and s, each as 32 bytes: the bytes that commitments and seeds are made of."""
        return b"".join(part.to_bytes(32, "big") for part in self)

    def hex(self) -> str:
        """r, s and v as 130 hex digits, in the order that wallets use."""
        return f"{self.r:064x}{self.s:064x}{self.v:02x}"

    @classmethod
    def from_hex(cls, text: str) -> Signature:
        if len(text) != 130 or any(digit not in "0123456789abcdef" for digit in text):
            raise BadSignature(f"a signature is 130 lower-case hex digits (r, s, v), not {text!r}")
        return cls(int(text[128:], 16), int(text[:64], 16), int(text[64:128], 16))


def keccak(data: bytes) -> bytes:
    """Return the hash of Ethereum: SHA-3 as it was before the standard changed its padding."""
    return pycryptodome.new(data=data, digest_bits=256).digest()


@lru_cache(10_000)
def checksummed(address: str) -> str:
    """Return an address in EIP-55 spelling: capitals carry a checksum."""
    digits = address.lower().removeprefix("0x")
    if len(digits) != 40 or any(digit not in "0123456789abcdef" for digit in digits):
        raise InputError(f"an address is 40 hex digits behind 0x, not {address!r}")
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if mark >= "8" else digit for digit, mark in zip(digits, marks, strict=False)
    )


def _address_of(public: coincurve.PublicKey) -> str:
    return checksummed(keccak(public.format(compressed=False)[1:])[12:].hex())


def address_of_secret(secret: int) -> str:
    """Return the address of a private key."""
    return _address_of(coincurve.PrivateKey.from_int(secret).public_key)


def sign(secret: int, digest: bytes) -> Signature:
    """Sign 32 bytes, deterministically and with a low s."""
    raw = coincurve.PrivateKey.from_int(secret).sign_recoverable(digest, hasher=None)
    r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:64], "big")
    return Signature(27 + raw[64], r, s)


def recover(digest: bytes, signature: Signature) -> str:
    """Return the signer's address. Raise `BadSignature` if malleable, malformed or nobody's."""
    v, r, s = signature
    if v not in (27, 28) or not 0 < r < ORDER or not 0 < s <= HALF_ORDER:
        raise BadSignature("a signature needs v 27 or 28, r in the field and s in the lower half")
    raw = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([v - 27])
    try:
        public = coincurve.PublicKey.from_signature_and_message(raw, digest, hasher=None)
    except Exception:  # coincurve raises a bare one
        raise BadSignature("this signature belongs to no key") from None
    return _address_of(public)
