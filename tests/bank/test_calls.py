"""Calls, events and refusals as JSON: the contract's own tables, and what is malformed."""

from __future__ import annotations

import json

import pytest
from eth_abi.exceptions import EncodingError
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.bank import calls
from fairground.bank.bank_port import (
    BankEvent,
    Call,
    Complain,
    DepositFunds,
    Silence,
    SubmitBet,
    SubmitPublicKey,
    SubmitReplacementOrder,
    WithdrawFunds,
    artifact,
)
from fairground.bank.calls import (
    CALLS,
    EVENTS,
    REFUSALS,
    BadCall,
    Envelope,
    address,
    call_as_json,
    call_from_json,
    checked,
    event_as_json,
    event_from_json,
)
from fairground.bank.chain import abi
from fairground.bank.messages import Domain
from fairground.bank.signatures import Signature
from fairground.transcript import canonical
from tests.helpers.bank_game import Round
from tests.helpers.bank_laws import CROUPIER, PLAYER, STRANGER
from tests.helpers.banks import TERMS

FROZEN = {
    "submitPublicKey": ["key", "proof"],
    "depositFunds": ["amount"],
    "withdrawFunds": ["amount"],
    "submitBet": ["bet", "signature"],
    "submitCroupierSeedAsSignature": ["bet", "seed_id", "seed"],
    "submitPlayerSeedAsSignature": ["bet", "seed_id", "seed", "croupiers"],
    "submitReplacementOrder": ["bet", "order", "signature"],
    "submitPlayerSeedAndOrder": ["bet", "seed", "croupiers", "order", "signature"],
    "submitPlayerSeedAndResult": ["bet", "seed", "croupiers"],
    "submitGameResult": ["bet"],
    "openSession": ["terms", "signature"],
    "closeSession": ["terms", "state", "player_signature", "croupier_signature"],
    "claimSession": ["terms", "state", "player_signature", "croupier_signature"],
    "bringHand": ["terms", "bet", "player_signature", "croupier_signature"],
    "finishSession": ["terms"],
    "submitAcceptedSeed": ["bet", "seed", "acceptance"],
    "complainTwoOrders": ["bet", "order", "signature"],
    **{silence.value: ["bet"] for silence in Silence},
}
"""Every call and its fields, as ledgers and clients have them."""


def test_calls_are_named_as_ledgers_have_them() -> None:
    assert {name: list(fields) for name, (_, fields) in CALLS.items()} == FROZEN
    changing = {
        entry["name"]
        for entry in artifact().abi
        if entry["type"] == "function" and entry["stateMutability"] in ("nonpayable", "payable")
    }
    assert set(CALLS) == changing


def test_types_are_the_contracts(game: Round) -> None:
    """A field takes just what the ABI's type of the same place can hold."""
    assert EVENTS["GameSettled"] == {
        "game": calls.BYTES32,
        "hand": calls.UINT40,
        "rank": calls.UINT8,
        "prize": calls.UINT256,
    }
    assert REFUSALS["InsufficientFunds"] == (calls.ADDRESS, calls.UINT256, calls.UINT256)
    assert REFUSALS["WrongNumber"] == (calls.UINT256,), "only a ledger knows it"
    assert CALLS["submitAcceptedSeed"][1] == {
        "bet": calls.THE_BET,
        "seed": calls.SEED,
        "acceptance": calls.SIGNATURE,
    }
    written = calls.THE_BET.write(game.bet)
    assert list(written) == list(game.bet._fields)
    for field, value in (("level", 256), ("chip_cost", 2**256), ("croupier_commitment_0", "00")):
        with pytest.raises(BadCall, match=field):
            calls.THE_BET.read({**written, field: value}, "bet")


@pytest.fixture(scope="module")
def game() -> Round:
    class NoBank:
        domain, terms = Domain(0, STRANGER.address), TERMS

    return Round(NoBank(), CROUPIER, PLAYER, 2**64, 2**40)  # type: ignore[arg-type]


def every_call(game: Round) -> list[Call]:
    return [
        *(call for _, call in game.calls()),
        *(Complain(silence, game.bet) for silence in Silence),
        SubmitPublicKey(PLAYER.address, game.signature),
        DepositFunds(2**256 - 1),
        WithdrawFunds(0),
    ]


def test_calls_are_the_same_after_a_journey(game: Round) -> None:
    for call in every_call(game):
        written = canonical(call_as_json(call))
        assert call_from_json(json.loads(written)) == checked(call) == call
        envelope = Envelope.sealed(PLAYER, game.domain, 2**70, call)
        assert Envelope.from_json(json.loads(canonical(envelope.as_json()))) == envelope.checked()
    shouting = SubmitPublicKey("0x" + PLAYER.address[2:].upper(), game.signature)
    assert checked(shouting) == SubmitPublicKey(PLAYER.address, game.signature)


def test_events_are_the_same_after_a_journey(game: Round) -> None:
    samples: dict[str, object] = {
        "ADDRESS": PLAYER.address,
        "BYTES32": bytes(range(32)),
        "UINT8": 255,
    }
    samples |= {"UINT40": 2**40 - 1, "UINT256": 2**255, "SIGNATURE": game.signature}
    by_kind = {id(getattr(calls, name)): value for name, value in samples.items()}
    for name, kinds in EVENTS.items():
        event = BankEvent(name, {field: by_kind[id(kind)] for field, kind in kinds.items()})
        assert event_from_json(json.loads(canonical(event_as_json(event)))) == event


NAMES = {made: name for name, (made, _) in CALLS.items()}


def test_what_the_abi_cannot_say_is_refused_in_words(game: Round) -> None:
    bet, signature = game.bet, game.signature
    bad: list[tuple[Call, str]] = [
        (WithdrawFunds(-1), "amount must be an integer from 0 to 2^256-1"),
        (WithdrawFunds(2**256), "amount must be"),
        (WithdrawFunds("5"), "not '5'"),  # type: ignore[arg-type]
        (WithdrawFunds(True), "not True"),
        (WithdrawFunds(1.0), "not 1.0"),  # type: ignore[arg-type]
        (SubmitBet(bet._replace(bet=256), signature), "bet must be an integer from 0 to 2^8-1"),
        (SubmitBet(bet._replace(player="0x12"), signature), "player must be 40 hex digits"),
        (SubmitBet(bet._replace(expiry=-5), signature), "expiry must be"),
        (SubmitBet(bet._replace(croupier_commitment_0=bytes(33)), signature), "64 lower"),
        (SubmitBet(bet, Signature(256, 1, 1)), "signature must be 130"),
        (SubmitBet(bet, Signature(27, 2**256, 1)), "signature must be 130"),
        (SubmitReplacementOrder(bet, (1, 0, 1), signature), "order must be five numbers"),
        (SubmitReplacementOrder(bet, (1, 0, 1, 0, 300), signature), "order must be an integer"),
        (SubmitPublicKey(_misspelled(PLAYER.address), signature), "a checksum that does not fit"),
    ]
    for call, words in bad:
        with pytest.raises(BadCall) as refused:
            checked(call)
        assert words in str(refused.value), refused.value
        with pytest.raises(BadCall):
            abi.encoded(call)
        if "checksum" not in words:  # eth-abi would not mind
            with pytest.raises((EncodingError, OverflowError)):
                abi.call_data(NAMES[type(call)], *call)
    for nonsense in (None, "bet", bet, SubmitBet(signature, bet), Complain("late", bet)):  # type: ignore[arg-type]
        with pytest.raises(BadCall):
            checked(nonsense)  # type: ignore[arg-type]


def _misspelled(spelled: str) -> str:
    at = next(i for i, sign in enumerate(spelled) if sign.isupper())
    return spelled[:at] + spelled[at].lower() + spelled[at + 1 :]


def test_malformed_json_is_refused_in_words(game: Round) -> None:
    good = call_as_json(SubmitBet(game.bet, game.signature))
    bad: list[tuple[object, str]] = [
        (None, "not None"),
        ([], "a call is a JSON object"),
        ({}, "no call is named None; there are submitPublicKey, depositFunds"),
        ({"call": ["submitBet"]}, "no call is named ['submitBet']"),
        ({"call": "selfDestruct"}, "'selfDestruct'"),
        ({"call": "depositFunds"}, "depositFunds has the members amount, not {}"),
        ({"call": "depositFunds", "amount": 1, "more": 2}, "has the members amount"),
        ({"call": "depositFunds", "amount": "7"}, "beyond 2^53-1 as decimal text, not '7'"),
        ({"call": "depositFunds", "amount": 2**53}, str(2**53)),
        ({"call": "depositFunds", "amount": "0x7"}, "'0x7'"),
        ({"call": "depositFunds", "amount": "9" * 3999}, "…"),
        ({**good, "signature": "00"}, "signature must be 130 lower-case hex digits (r, s, v)"),
        ({**good, "signature": 5}, "not 5"),
        ({**good, "bet": {**good["bet"], "level": "five"}}, "level must be"),
        ({**good, "bet": {**good["bet"], "player_commitment_0": "AB" * 32}}, "64 lower-case"),
        ({**good, "bet": "bet"}, "bet has the members croupier, player"),
    ]
    for value, words in bad:
        with pytest.raises(BadCall) as refused:
            call_from_json(value)
        assert words in str(refused.value), refused.value
        assert len(str(refused.value)) < 600
    for event in ({"event": "PlayerForfeited", "game": "no"}, {"event": "Jackpot"}, 5):
        with pytest.raises(BadCall):
            event_from_json(event)


@settings(max_examples=60)
@given(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_nothing_that_anybody_sends_does_more_than_be_refused(value: object) -> None:
    for said in (value, {"call": value}, {"call": "withdrawFunds", "amount": value}):
        try:
            call_from_json(said)
        except BadCall:
            continue
        assert isinstance(value, int)
    with pytest.raises(BadCall):
        address(value)
