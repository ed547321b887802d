"""keccak and ECDSA as we call them: published vectors, `eth-account`, and what is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest
from eth_account import Account
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.bank.signatures import (
    HALF_ORDER,
    ORDER,
    BadSignature,
    Signature,
    address_of_secret,
    checksummed,
    keccak,
    recover,
    sign,
)
from fairground.core import InputError
from tests.helpers.signing import sign_with

secrets = st.integers(1, ORDER - 1)
digests = st.binary(min_size=32, max_size=32)


def test_keccak_is_what_ethereum_uses_and_not_the_later_standard() -> None:
    empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    abc = "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    assert (keccak(b"").hex(), keccak(b"abc").hex()) == (empty, abc)


@settings(max_examples=15)
@given(secrets, digests)
def test_signatures_and_addresses_are_those_of_eth_account(secret: int, digest: bytes) -> None:
    account = Account.from_key(secret.to_bytes(32, "big"))
    signature, theirs = sign(secret, digest), account.unsafe_sign_hash(digest)
    assert signature == Signature(theirs.v, theirs.r, theirs.s)
    assert signature.s <= HALF_ORDER
    assert recover(digest, signature) == address_of_secret(secret) == account.address
    assert checksummed(account.address.lower()) == account.address
    assert Signature.from_hex(signature.hex()) == signature


def test_a_published_signature() -> None:
    """RFC 6979 over secp256k1: private key 1, SHA-256 of "Satoshi Nakamoto"."""
    digest = bytes.fromhex("a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e")
    signature = sign(1, digest)
    assert f"{signature.r:x}" == "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
    assert f"{signature.s:x}" == "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"


def test_many_signatures_of_one_message_are_all_valid() -> None:
    """Why a signature is no fair coin: whoever signs may choose among them."""
    digest = keccak(b"a message")
    found = {sign_with(7, digest, k) for k in range(1, 20)}
    assert len(found) == 19
    assert {recover(digest, signature) for signature in found} == {address_of_secret(7)}


INFINITY = Signature(27, sign_with(1, bytes(32), 1).r, 5)
"""Of the digest 5: with s k = e the recovered key would be no point at all."""


@pytest.mark.parametrize(
    "broken",
    [
        Signature(26, 1, 1),
        Signature(29, 1, 1),
        Signature(27, 0, 1),
        Signature(27, ORDER, 1),
        Signature(27, 1, 0),
        Signature(27, 1, HALF_ORDER + 1),
        Signature(27, 5, 1),  # no point has x = 5
        INFINITY,
    ],
)
def test_signatures_that_count_for_nobody(broken: Signature) -> None:
    with pytest.raises(BadSignature):
        recover((5).to_bytes(32, "big"), broken)


@pytest.mark.parametrize("text", ["", "00" * 64, "AA" * 65, "zz" * 65, "00" * 66])
def test_bad_hex_is_refused(text: str) -> None:
    with pytest.raises(BadSignature):
        Signature.from_hex(text)


@pytest.mark.parametrize("address", ["", "0x12", "0x" + "g" * 40])
def test_bad_addresses_are_refused(address: str) -> None:
    with pytest.raises(InputError):
        checksummed(address)


WITHOUT = """
import sys
for name in ("eth_hash", "eth_abi", "eth_account", "web3", "eth_tester"):
    sys.modules[name] = None
import fairground.bank.ledger.bank, fairground.bank.schemes, fairground.bank.croupier.croupier
from fairground.bank.chain import abi
"""


def test_without_the_extra_everything_but_the_chain_works() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1].endswith("pip install 'fairground[chain]'")
