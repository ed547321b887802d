"""Calls, events and refusals of a Bank as JSON.

One table says of every field what it is, in the contract's own types (`fields`); checking, writing
and reading all follow it::

    {"call": "withdrawFunds", "amount": "1000000000000000000"}
    {"event": "FundsWithdrawn", "owner": "0x7E5F...5Bdf", "amount": "1000000000000000000"}

So a call that one keeper of a Bank takes can be brought to any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    BankEvent,
    BankRefused,
    BringHand,
    Call,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    OpenSession,
    Silence,
    SubmitAcceptedSeed,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    WithdrawFunds,
)
from fairground.bank.crypto.curve import Signature, keccak
from fairground.bank.fields import (
    ADDRESS,
    BYTES32,
    ORDER,
    SEED,
    SIGNATURE,
    THE_BET,
    THE_SESSION,
    THE_STATE,
    UINT8,
    UINT40,
    UINT256,
    BadCall,
    Fields,
    FieldType,
    quoted,
    read_fields,
)
from fairground.bank.messages import (
    Domain,
    Key,
    LedgerCall,
    must_be_signed,
)
from fairground.core import written
from fairground.transcript import canonical

_TWO: Final[Fields] = {"player_signature": SIGNATURE, "croupier_signature": SIGNATURE}


# What has which fields

CALLS: Final[dict[str, tuple[type[Any], Fields]]] = {
    "submitPublicKey": (SubmitPublicKey, {"key": ADDRESS, "proof": SIGNATURE}),
    "depositFunds": (DepositFunds, {"amount": UINT256}),
    "withdrawFunds": (WithdrawFunds, {"amount": UINT256}),
    "submitBet": (SubmitBet, {"bet": THE_BET, "signature": SIGNATURE}),
    "submitCroupierSeedAsSignature": (
        SubmitCroupierSeed,
        {"bet": THE_BET, "seed_id": UINT8, "seed": SEED},
    ),
    "submitPlayerSeedAsSignature": (
        SubmitPlayerSeed,
        {"bet": THE_BET, "seed_id": UINT8, "seed": SEED, "croupiers": SIGNATURE},
    ),
    "submitReplacementOrder": (
        SubmitReplacementOrder,
        {"bet": THE_BET, "order": ORDER, "signature": SIGNATURE},
    ),
    "submitPlayerSeedAndOrder": (
        SubmitPlayerSeedAndOrder,
        {
            "bet": THE_BET,
            "seed": SEED,
            "croupiers": SIGNATURE,
            "order": ORDER,
            "signature": SIGNATURE,
        },
    ),
    "submitPlayerSeedAndResult": (
        SubmitPlayerSeedAndResult,
        {"bet": THE_BET, "seed": SEED, "croupiers": SIGNATURE},
    ),
    "submitGameResult": (SubmitGameResult, {"bet": THE_BET}),
    "openSession": (OpenSession, {"terms": THE_SESSION, "signature": SIGNATURE}),
    "closeSession": (CloseSession, {"terms": THE_SESSION, "state": THE_STATE, **_TWO}),
    "claimSession": (ClaimSession, {"terms": THE_SESSION, "state": THE_STATE, **_TWO}),
    "bringHand": (BringHand, {"terms": THE_SESSION, "bet": THE_BET, **_TWO}),
    "finishSession": (FinishSession, {"terms": THE_SESSION}),
    "submitAcceptedSeed": (
        SubmitAcceptedSeed,
        {"bet": THE_BET, "seed": SEED, "acceptance": SIGNATURE},
    ),
    "complainTwoOrders": (
        ComplainTwoOrders,
        {"bet": THE_BET, "order": ORDER, "signature": SIGNATURE},
    ),
    **{silence.value: (Complain, {"bet": THE_BET}) for silence in Silence},
}
"""The contract's functions that change something, by their names there."""

EVENTS: Final[dict[str, Fields]] = {
    "PublicKeySubmitted": {"owner": ADDRESS, "key": ADDRESS},
    "FundsDeposited": {"owner": ADDRESS, "amount": UINT256},
    "FundsWithdrawn": {"owner": ADDRESS, "amount": UINT256},
    "BetSubmitted": {
        "game": BYTES32,
        "croupier": ADDRESS,
        "player": ADDRESS,
        "gameId": UINT256,
        "betHash": BYTES32,
        "deadline": UINT256,
    },
    "CroupierSeedSubmitted": {
        "game": BYTES32,
        "seedId": UINT8,
        "nonce": BYTES32,
        "signature": SIGNATURE,
        "deadline": UINT256,
    },
    "PlayerSeedSubmitted": {
        "game": BYTES32,
        "seedId": UINT8,
        "nonce": BYTES32,
        "signature": SIGNATURE,
        "hand": UINT40,
        "deadline": UINT256,
    },
    "ReplacementOrderSubmitted": {"game": BYTES32, "order": UINT8, "deadline": UINT256},
    "GameSettled": {"game": BYTES32, "hand": UINT40, "rank": UINT8, "prize": UINT256},
    "GameReleased": {"game": BYTES32},
    "PlayerForfeited": {"game": BYTES32, "lastStep": UINT8},
    "CroupierForfeited": {"game": BYTES32, "penalty": UINT256},
    "SessionOpened": {
        "session": BYTES32,
        "croupier": ADDRESS,
        "player": ADDRESS,
        "number": UINT256,
        "playerFunds": UINT256,
        "croupierFunds": UINT256,
    },
    "SessionClaimed": {
        "session": BYTES32,
        "hands": UINT256,
        "playerShare": UINT256,
        "deadline": UINT256,
    },
    "SessionClosed": {
        "session": BYTES32,
        "hands": UINT256,
        "playerShare": UINT256,
        "croupierShare": UINT256,
        "hand": BYTES32,
    },
}
"""The contract's events."""

REFUSALS: Final[dict[str, tuple[FieldType, ...]]] = {
    "BadTerms": (),
    "NotAParty": (),
    "NotTheCroupier": (),
    "SameParty": (),
    "BadBet": (),
    "WrongChipCost": (),
    "BetExpired": (),
    "WrongGameId": (UINT256,),
    "WrongKey": (),
    "EqualCommitments": (),
    "InsufficientFunds": (ADDRESS, UINT256, UINT256),
    "UnknownBet": (),
    "AlreadySubmitted": (),
    "GameOver": (),
    "WrongStep": (UINT8,),
    "TooLate": (UINT256,),
    "TooEarly": (UINT256,),
    "BadSeedId": (),
    "WrongSeed": (),
    "BadSignature": (),
    "BadOrder": (),
    "KeyTaken": (ADDRESS,),
    "KeyFrozen": (UINT256,),
    "AccountFull": (ADDRESS,),
    "WrongSession": (UINT8,),
    "OldState": (UINT256,),
    "WrongHand": (UINT256,),
    "BadShare": (),
    "SameOrder": (),
    # A ledger of the first version does not know the newer calls.
    "UnknownCall": (),
    # Only a ledger knows these: a chain has its own numbers and its own money.
    "WrongNumber": (UINT256,),
    "FaucetEmpty": (ADDRESS, UINT256, UINT256),
}
"""Why a call may be refused, and the values that are told with the reason."""


# Checking, writing and reading


_NAMES: Final = {made: name for name, (made, _) in CALLS.items() if made is not Complain}


def _entry(call: Call) -> tuple[str, Fields]:
    if isinstance(call, Complain):
        if not isinstance(call.silence, Silence):
            raise BadCall(f"a complaint is about a Silence, not {quoted(call.silence)}")
        name = call.silence.value
    elif type(call) in _NAMES:
        name = _NAMES[type(call)]
    else:
        raise BadCall(f"a Bank knows no call like {quoted(call)}")
    return name, CALLS[name][1]


def _made(name: str, values: dict[str, Any]) -> Call:
    made, _ = CALLS[name]
    call: Call = Complain(Silence(name), **values) if made is Complain else made(**values)
    return call


def checked(call: Call) -> Call:
    """The call with every value as the contract's types admit it; raise `BadCall`."""
    name, fields = _entry(call)
    return _made(name, {f: kind.check(getattr(call, f), f) for f, kind in fields.items()})


def call_as_json(call: Call) -> dict[str, Any]:
    """A call as JSON."""
    name, fields = _entry(call)
    return {"call": name} | {
        field: kind.write(getattr(call, field)) for field, kind in fields.items()
    }


def call_from_json(value: object) -> Call:
    """The inverse of `call_as_json`; raise `BadCall`."""
    name, rest = _named(value, "call", CALLS)
    return _made(name, read_fields(rest, CALLS[name][1], name))


def call_hash(call: Mapping[str, Any]) -> bytes:
    """Keccak-256 of a call's canonical JSON: what its sender signs for."""
    return keccak(canonical(call))


def event_as_json(event: BankEvent) -> dict[str, Any]:
    """An event as JSON."""
    fields = EVENTS[event.name]
    return {"event": event.name} | {
        name: kind.write(event.values[name]) for name, kind in fields.items()
    }


def event_from_json(value: object) -> BankEvent:
    """The inverse of `event_as_json`; raise `BadCall`."""
    name, rest = _named(value, "event", EVENTS)
    return BankEvent(name, read_fields(rest, EVENTS[name], name))


def refusal_as_json(refused: BankRefused) -> dict[str, Any]:
    """A refusal as JSON."""
    kinds = REFUSALS.get(refused.name, ())
    values = [kind.write(value) for kind, value in zip(kinds, refused.values, strict=True)]
    return {"refusal": refused.name, "values": values}


def refusal_from_json(value: object) -> BankRefused:
    """The inverse of `refusal_as_json`; raise `BadCall`."""
    name, rest = _named(value, "refusal", REFUSALS)
    kinds, values = REFUSALS[name], rest.get("values")
    if not isinstance(values, list) or len(values) != len(kinds):
        raise BadCall(f"{name} comes with {len(kinds)} values, not {quoted(values)}")
    return BankRefused(
        name, tuple(kind.read(v, name) for kind, v in zip(kinds, values, strict=True))
    )


def _named(value: object, what: str, known: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, dict):
        raise BadCall(f'a {what} is a JSON object such as {{"{what}": ...}}, not {quoted(value)}')
    name = value.get(what)
    if not isinstance(name, str) or name not in known:
        raise BadCall(f"no {what} is named {quoted(name)}; there are {', '.join(known)}")
    return name, {key: item for key, item in value.items() if key != what}


class Envelope(NamedTuple):
    """A call to a Bank kept in a ledger, signed for by its sender (`messages.LedgerCall`)."""

    sender: str
    number: int
    call: Call
    signature: Signature

    @classmethod
    def sealed(cls, key: Key, domain: Domain, number: int, call: Call) -> Envelope:
        """Sign for a call; the account of a key is its address."""
        message = LedgerCall(key.address, number, call_hash(call_as_json(call)))
        return cls(key.address, number, call, key.sign(domain, message))

    def checked(self) -> Envelope:
        """The envelope with every value as it must be; raise `BadCall`."""
        return Envelope(
            *(kind.check(self[i], name) for i, (name, kind) in enumerate(ENVELOPE.items()))
        )

    def must_be_signed(self, domain: Domain) -> None:
        """Raise `BadSignature` unless the sender signed for this call to this ledger."""
        message = LedgerCall(self.sender, self.number, call_hash(call_as_json(self.call)))
        must_be_signed(domain, message, self.signature, self.sender)

    def as_json(self) -> dict[str, Any]:
        """The envelope as JSON."""
        return {
            "sender": self.sender,
            "number": written(self.number),
            "call": call_as_json(self.call),
            "signature": self.signature.hex(),
        }

    @classmethod
    def from_json(cls, value: object) -> Envelope:
        """The inverse of `as_json`; raise `BadCall`."""
        return cls(**read_fields(value, ENVELOPE, "an envelope"))


ENVELOPE: Final[Fields] = {
    "sender": ADDRESS,
    "number": UINT256,
    "call": FieldType(
        lambda call, _: checked(call), call_as_json, lambda value, _: call_from_json(value)
    ),
    "signature": SIGNATURE,
}
