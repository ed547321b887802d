"""keccak-256 and ECDSA over secp256k1: the two functions that Ethereum's messages need.

With the extra ``chain`` installed they are native (``eth-hash``, ``coincurve``);
without it they are the plain Python below, so that a Bank kept in a ledger needs no
extra. Results are the same to the bit: signing is deterministic (RFC 6979) in both, and
tests compare them. The plain version takes no care to hide its timing: it is for play
money on one's own machine.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from fairground.core import InputError

FIELD: Final = 2**256 - 2**32 - 977
ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
HALF_ORDER: Final = ORDER // 2
_G: Final = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
_MASK: Final = 2**64 - 1
_RATE: Final = 136

Point = tuple[int, int]
Jacobian = tuple[int, int, int]


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
        """The inverse of `hex`."""
        if len(text) != 130 or any(digit not in "0123456789abcdef" for digit in text):
            raise BadSignature(f"a signature is 130 lower-case hex digits (r, s, v), not {text!r}")
        return cls(int(text[128:], 16), int(text[:64], 16), int(text[64:128], 16))


# keccak-256: SHA-3 as it was before the standard changed its padding


def _round_constants() -> list[int]:
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << ((1 << j) - 1)
            register = (register << 1) ^ (0x171 if register >> 7 else 0)
        constants.append(constant)
    return constants


def _steps() -> list[tuple[int, int, int]]:
    """For rho and pi together: from lane, to lane, rotation."""
    steps, x, y = [], 1, 0
    for t in range(24):
        steps.append((x + 5 * y, y + 5 * ((2 * x + 3 * y) % 5), (t + 1) * (t + 2) // 2 % 64))
        x, y = y, (2 * x + 3 * y) % 5
    return steps


_ROUND: Final = _round_constants()
_STEPS: Final = _steps()


def _permute(a: list[int]) -> list[int]:
    for constant in _ROUND:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ ((c[(x + 1) % 5] << 1 | c[(x + 1) % 5] >> 63) & _MASK) for x in range(5)]
        b = [0] * 25
        b[0] = a[0] ^ d[0]
        for source, target, rotation in _STEPS:
            lane = a[source] ^ d[source % 5]
            b[target] = (lane << rotation | lane >> (64 - rotation)) & _MASK
        a = [b[i] ^ (~b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5]) for i in range(25)]
        a[0] ^= constant
    return a


def plain_keccak(data: bytes) -> bytes:
    """keccak-256 in plain Python."""
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % _RATE))
    padded[-1] |= 0x80
    state = [0] * 25
    for begin in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            at = begin + 8 * lane
            state[lane] ^= int.from_bytes(padded[at : at + 8], "little")
        state = _permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


# secp256k1, the curve of Ethereum, with its points in Jacobian coordinates


def _double(p: Jacobian) -> Jacobian:
    x, y, z = p
    if not y:
        return (0, 1, 0)
    s = 4 * x * y * y % FIELD
    m = 3 * x * x % FIELD
    x3 = (m * m - 2 * s) % FIELD
    return x3, (m * (s - x3) - 8 * pow(y, 4, FIELD)) % FIELD, 2 * y * z % FIELD


def _add(p: Jacobian, q: Jacobian) -> Jacobian:
    if not p[2]:
        return q
    if not q[2]:
        return p
    zz1, zz2 = p[2] * p[2] % FIELD, q[2] * q[2] % FIELD
    u1, u2 = p[0] * zz2 % FIELD, q[0] * zz1 % FIELD
    s1, s2 = p[1] * q[2] * zz2 % FIELD, q[1] * p[2] * zz1 % FIELD
    if u1 == u2:
        return _double(p) if s1 == s2 else (0, 1, 0)
    h, r = u2 - u1, s2 - s1
    hh = h * h % FIELD
    hhh, v = h * hh % FIELD, u1 * hh % FIELD
    x3 = (r * r - hhh - 2 * v) % FIELD
    return x3, (r * (v - x3) - s1 * hhh) % FIELD, h * p[2] * q[2] % FIELD


def _times(k: int, point: Point) -> Jacobian:
    total: Jacobian = (0, 1, 0)
    adding: Jacobian = (*point, 1)
    while k:
        if k & 1:
            total = _add(total, adding)
        adding = _double(adding)
        k >>= 1
    return total


def _affine(p: Jacobian) -> Point:
    inverse = pow(p[2], -1, FIELD)
    square = inverse * inverse % FIELD
    return p[0] * square % FIELD, p[1] * square * inverse % FIELD


def plain_public(secret: int) -> bytes:
    """The public key, x and y, of a secret number."""
    x, y = _affine(_times(secret, _G))
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


def sign_with(secret: int, digest: bytes, k: int) -> Signature | None:
    """Sign with a chosen one-time number k; ``None`` for the few that cannot be used.

    Since k is free, a signature is not a fair coin: a signer can try many k until r suits him. Only
    `plain_sign`, and the tests that show that attack, should call this.
    """
    x, y = _affine(_times(k, _G))
    r = x % ORDER
    s = pow(k, -1, ORDER) * (int.from_bytes(digest, "big") + r * secret) % ORDER
    if not r or not s or x >= ORDER:
        return None
    odd = y & 1
    if s > HALF_ORDER:
        s, odd = ORDER - s, odd ^ 1
    return Signature(27 + odd, r, s)


def plain_sign(secret: int, digest: bytes) -> Signature:
    """A deterministic signature (RFC 6979) with a low s."""
    x = secret.to_bytes(32, "big")
    h = (int.from_bytes(digest, "big") % ORDER).to_bytes(32, "big")
    key, v = bytes(32), b"\x01" * 32
    for separator in (b"\x00", b"\x01"):
        key = hmac.digest(key, v + separator + x + h, hashlib.sha256)
        v = hmac.digest(key, v, hashlib.sha256)
    while True:
        v = hmac.digest(key, v, hashlib.sha256)
        k = int.from_bytes(v, "big")
        if 1 <= k < ORDER and (signature := sign_with(secret, digest, k)) is not None:
            return signature
        key = hmac.digest(key, v + b"\x00", hashlib.sha256)
        v = hmac.digest(key, v, hashlib.sha256)


def plain_recover(digest: bytes, signature: Signature) -> bytes:
    """The public key that made this signature; raise `BadSignature` if none could."""
    v, r, s = signature
    y = pow(pow(r, 3, FIELD) + 7, (FIELD + 1) // 4, FIELD)
    if (y * y - pow(r, 3, FIELD) - 7) % FIELD:
        raise BadSignature("no point of the curve has this r")
    if y & 1 != v - 27:
        y = FIELD - y
    inverse = pow(r, -1, ORDER)
    e = int.from_bytes(digest, "big")
    point = _add(_times(s * inverse % ORDER, (r, y)), _times(-e * inverse % ORDER, _G))
    if not point[2]:
        raise BadSignature("this signature belongs to no key")
    x, y = _affine(point)
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


# Native where there is something native

_hash: Callable[[bytes], bytes]
_public: Callable[[int], bytes]
_sign: Callable[[int, bytes], Signature]
_recover: Callable[[bytes, Signature], bytes]

try:
    import coincurve
    from eth_hash.auto import keccak as _native_keccak
except ImportError:  # pragma: no cover - compared with the native one where both are there
    _hash, _public, _sign, _recover = plain_keccak, plain_public, plain_sign, plain_recover
else:

    def _native_public(secret: int) -> bytes:
        key = coincurve.PrivateKey(secret.to_bytes(32, "big"))
        return key.public_key.format(compressed=False)[1:]

    def _native_sign(secret: int, digest: bytes) -> Signature:
        key = coincurve.PrivateKey(secret.to_bytes(32, "big"))
        raw = key.sign_recoverable(digest, hasher=None)
        return Signature(
            27 + raw[64], int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:64], "big")
        )

    def _native_recover(digest: bytes, signature: Signature) -> bytes:
        v, r, s = signature
        raw = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([v - 27])
        try:
            key = coincurve.PublicKey.from_signature_and_message(raw, digest, hasher=None)
        except Exception:
            raise BadSignature("this signature belongs to no key") from None
        return key.format(compressed=False)[1:]

    _hash, _public, _sign, _recover = (
        _native_keccak,
        _native_public,
        _native_sign,
        _native_recover,
    )


def keccak(data: bytes) -> bytes:
    """keccak-256, the hash of Ethereum."""
    return _hash(data)


def address_of(public: bytes) -> str:
    """Ethereum's address of a public key (x and y), in EIP-55 spelling."""
    return checksummed(keccak(public)[12:].hex())


@lru_cache(10_000)
def checksummed(address: str) -> str:
    """An address in EIP-55 spelling: capitals carry a checksum."""
    digits = address.lower().removeprefix("0x")
    if len(digits) != 40 or any(digit not in "0123456789abcdef" for digit in digits):
        raise InputError(f"an address is 40 hex digits behind 0x, not {address!r}")
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if mark >= "8" else digit for digit, mark in zip(digits, marks, strict=False)
    )


def address_of_secret(secret: int) -> str:
    """The address of a private key."""
    return address_of(_public(secret))


def sign(secret: int, digest: bytes) -> Signature:
    """Sign 32 bytes, deterministically and with a low s."""
    return _sign(secret, digest)


def recover(digest: bytes, signature: Signature) -> str:
    """Return the signer's address. Raise `BadSignature` if malleable, malformed or nobody's."""
    v, r, s = signature
    if v not in (27, 28) or not 0 < r < ORDER or not 0 < s <= HALF_ORDER:
        raise BadSignature("a signature needs v 27 or 28, r in the field and s in the lower half")
    return address_of(_recover(digest, signature))
