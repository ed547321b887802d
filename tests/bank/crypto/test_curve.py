"""keccak and ECDSA: the plain versions against native ones, published vectors and each other."""

from __future__ import annotations

import subprocess
import sys

import coincurve
import pytest
from eth_account import Account
from eth_hash.auto import keccak as native_keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.bank.crypto import curve
from fairground.bank.crypto.curve import BadSignature, Signature
from fairground.core import InputError

secrets = st.integers(1, curve.ORDER - 1)
digests = st.binary(min_size=32, max_size=32)


def test_keccak_is_what_ethereum_uses_and_not_the_later_standard() -> None:
    empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert curve.plain_keccak(b"").hex() == curve.keccak(b"").hex() == empty
    abc = "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    assert curve.plain_keccak(b"abc").hex() == abc


@pytest.mark.parametrize("length", [1, 31, 134, 135, 136, 137, 271, 272, 273, 1000])
def test_plain_keccak_is_native_keccak(length: int) -> None:
    data = bytes(i * 7 % 256 for i in range(length))
    assert curve.plain_keccak(data) == native_keccak(data) == curve.keccak(data)


@settings(max_examples=15)
@given(secrets, digests)
def test_plain_and_native_signatures_are_the_same(secret: int, digest: bytes) -> None:
    signature = curve.plain_sign(secret, digest)
    assert signature == curve.sign(secret, digest)
    assert signature.s <= curve.HALF_ORDER
    public = curve.plain_public(secret)
    assert coincurve.PrivateKey.from_int(secret).public_key.format(False)[1:] == public
    assert curve.plain_recover(digest, signature) == public
    assert curve.recover(digest, signature) == curve.address_of(public)


@settings(max_examples=15)
@given(secrets)
def test_addresses_are_those_of_eth_account(secret: int) -> None:
    account = Account.from_key(secret.to_bytes(32, "big"))
    assert curve.address_of_secret(secret) == account.address
    assert curve.checksummed(account.address.lower()) == account.address


def test_a_published_signature() -> None:
    """RFC 6979 over secp256k1: private key 1, SHA-256 of "Satoshi Nakamoto"."""
    digest = bytes.fromhex("a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e")
    signature = curve.plain_sign(1, digest)
    assert f"{signature.r:x}" == "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
    assert f"{signature.s:x}" == "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"


def test_many_signatures_of_one_message_are_all_valid() -> None:
    """Why a signature is no fair coin: whoever signs may choose among them."""
    digest = curve.keccak(b"a message")
    found = {curve.sign_with(7, digest, k) for k in range(1, 20)}
    assert len(found) == 19
    for signature in found:
        assert signature is not None
        assert curve.recover(digest, signature) == curve.address_of_secret(7)


@pytest.mark.parametrize(
    "broken",
    [
        Signature(26, 1, 1),
        Signature(29, 1, 1),
        Signature(27, 0, 1),
        Signature(27, curve.ORDER, 1),
        Signature(27, 1, 0),
        Signature(27, 1, curve.HALF_ORDER + 1),
        Signature(27, 5, 1),
    ],
)
def test_signatures_that_count_for_nobody(broken: Signature) -> None:
    with pytest.raises(BadSignature):
        curve.recover(bytes(32), broken)


def test_no_point_has_x_5() -> None:
    with pytest.raises(BadSignature):
        curve.plain_recover(bytes(32), Signature(27, 5, 1))


def test_a_signature_of_the_point_at_infinity() -> None:
    """With s k = e the recovered key would be no point at all."""
    one = curve.sign_with(1, bytes(31) + b"\x01", 1)
    assert one is not None
    x = one.r
    with pytest.raises(BadSignature):
        curve.plain_recover((5 * 1).to_bytes(32, "big"), Signature(one.v, x, 5))


@settings(max_examples=20)
@given(st.integers(27, 28), secrets, secrets)
def test_hex_and_back(v: int, r: int, s: int) -> None:
    signature = Signature(v, r, s)
    assert Signature.from_hex(signature.hex()) == signature


@pytest.mark.parametrize("text", ["", "00" * 64, "AA" * 65, "zz" * 65, "00" * 66])
def test_bad_hex_is_refused(text: str) -> None:
    with pytest.raises(BadSignature):
        Signature.from_hex(text)


@pytest.mark.parametrize("address", ["", "0x12", "0x" + "g" * 40])
def test_bad_addresses_are_refused(address: str) -> None:
    with pytest.raises(InputError):
        curve.checksummed(address)


WITHOUT = """
import sys
for name in ("coincurve", "eth_hash", "eth_abi", "eth_account", "web3", "eth_tester"):
    sys.modules[name] = None
from fairground.bank import bank_port, blind_croupier_2017, messages, schemes, seeds
from fairground.bank.crypto import curve
assert curve.keccak is not None and curve._hash is curve.plain_keccak
print(curve.sign(7, curve.keccak(b"a message")).hex(), curve.address_of_secret(7))
digest = curve.keccak(b"a message")
print(curve.recover(digest, curve.sign(7, digest)), bank_port.source_hash())
from fairground.core import MissingExtra
try:
    from fairground.bank.chain import abi
except MissingExtra as error:
    print(error)
"""


def test_without_the_extra_everything_but_the_chain_works_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    signed, recovered, missing = done.stdout.splitlines()
    signature = curve.sign(7, curve.keccak(b"a message"))
    assert signed == f"{signature.hex()} {curve.address_of_secret(7)}"
    assert recovered.startswith(curve.address_of_secret(7))
    assert "fairground[chain]" in missing
