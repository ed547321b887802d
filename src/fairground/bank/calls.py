"""Calls, events and refusals of a Bank as JSON, and which values the contract's types admit.

One table says of every field what it is, in the contract's own types; checking, writing
and reading all follow it. The form is that of transcripts: addresses in EIP-55 spelling,
integers beyond ±(2^53-1) as decimal text, bytes, signatures and seeds as hex digits::

    {"call": "withdrawFunds", "amount": "1000000000000000000"}
    {"event": "FundsWithdrawn", "owner": "0x7E5F...5Bdf", "amount": "1000000000000000000"}

What ``eth-abi`` would not encode is refused here as well, so a call that one keeper of a
Bank takes can be brought to any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from fairground.bank.crypto.curve import Signature, checksummed, keccak
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    LedgerCall,
    SessionState,
    SessionTerms,
    must_be_signed,
)
from fairground.bank.seeds import Seed
from fairground.core import InputError, whole, written
from fairground.fair.schemes import is_hex
from fairground.transcript import canonical

LONGEST_QUOTE: Final = 100
"""Characters of an offending value that an error repeats."""


class BadCall(InputError):
    """A call, or something else that was said to or by a Bank, is not well formed."""

    code = "bank/malformed"


class FieldType(NamedTuple):
    """A type of the contract: what is admitted, and how it is written.

    ``check`` and ``read`` are given the value and what it is called; they return it in the
    one form that we use, or raise `BadCall`.
    """

    check: Callable[[Any, str], Any]
    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


Fields = Mapping[str, FieldType]


def _quoted(value: object) -> str:
    """What was given, cut where it is long: it may be anything, from anybody."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


# The kinds


def address(value: object, what: str = "an address") -> str:
    """An address in EIP-55 spelling. Mixed capitals carry a checksum, which must be right."""
    if isinstance(value, str) and len(value) == 42 and value.startswith("0x"):
        digits = value[2:]
        try:
            spelled = checksummed(value)
        except InputError:
            spelled = ""
        if spelled and (value == spelled or digits in (digits.lower(), digits.upper())):
            return spelled
        if spelled:
            raise BadCall(
                f"{what}: the capitals of {_quoted(value)} are a checksum that does not fit"
            )
    raise BadCall(f"{what} must be 40 hex digits behind 0x, not {_quoted(value)}")


def _uint(bits: int) -> FieldType:
    def check(value: object, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**bits:
            raise BadCall(f"{what} must be an integer from 0 to 2^{bits}-1, not {_quoted(value)}")
        return int(value)

    def read(value: object, what: str) -> int:
        try:
            return check(whole(value, what), what)
        except InputError:
            raise BadCall(
                f"{what} must be an integer from 0 to 2^{bits}-1, beyond 2^53-1 as decimal "
                f"text, not {_quoted(value)}"
            ) from None

    return FieldType(check, written, read)


def _check_bytes(value: object, what: str) -> bytes:
    if not isinstance(value, bytes) or len(value) != 32:
        raise BadCall(f"{what} must be 32 bytes, not {_quoted(value)}")
    return value


def _read_bytes(value: object, what: str) -> bytes:
    if not isinstance(value, str) or not is_hex(value):
        raise BadCall(f"{what} must be 64 lower-case hex digits, not {_quoted(value)}")
    return bytes.fromhex(value)


def _check_signature(value: object, what: str) -> Signature:
    if not isinstance(value, Signature):
        raise BadCall(f"{what} must be a Signature, not {_quoted(value)}")
    UINT8.check(value.v, f"{what}: v")
    UINT256.check(value.r, f"{what}: r")
    UINT256.check(value.s, f"{what}: s")
    return value


def _from_hex(make: Callable[[Any], Any], form: str) -> Callable[[Any, str], Any]:
    def read(value: object, what: str) -> Any:
        try:
            return make(value if isinstance(value, str) else "")
        except InputError:
            raise BadCall(f"{what} must be {form}, not {_quoted(value)}") from None

    return read


def _check_seed(value: object, what: str) -> Seed:
    if not isinstance(value, Seed):
        raise BadCall(f"{what} must be a Seed, not {_quoted(value)}")
    _check_bytes(value.nonce, f"{what}: nonce")
    _check_signature(value.signature, what)
    return value


def _message(made: Callable[..., Any], fields: Fields) -> FieldType:
    """A message with these fields, in their order."""

    def check(value: object, what: str) -> Any:
        if not isinstance(value, tuple) or type(value) is not made:
            raise BadCall(f"{what} must be a {made.__name__}, not {_quoted(value)}")
        return made(*(kind.check(value[i], name) for i, (name, kind) in enumerate(fields.items())))

    def write(value: Any) -> dict[str, Any]:
        return {name: kind.write(value[i]) for i, (name, kind) in enumerate(fields.items())}

    def read(value: object, what: str) -> Any:
        return made(**_read(value, fields, what))

    return FieldType(check, write, read)


def _check_bool(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise BadCall(f"{what} must be true or false, not {_quoted(value)}")
    return value


def _check_order(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)) or len(value) != 5:
        raise BadCall(f"{what} must be five numbers, each 0 or 1, not {_quoted(value)}")
    return tuple(UINT8.check(digit, what) for digit in value)


ADDRESS: Final = FieldType(address, str, address)
UINT8: Final = _uint(8)
UINT40: Final = _uint(40)
UINT256: Final = _uint(256)
BYTES32: Final = FieldType(_check_bytes, bytes.hex, _read_bytes)
SIGNATURE: Final = FieldType(
    _check_signature,
    Signature.hex,
    _from_hex(Signature.from_hex, "130 lower-case hex digits (r, s, v)"),
)
SEED: Final = FieldType(
    _check_seed, Seed.hex, _from_hex(Seed.from_hex, "194 lower-case hex digits (nonce, r, s, v)")
)
BET: Final[Fields] = {
    "croupier": ADDRESS,
    "player": ADDRESS,
    "croupier_key": ADDRESS,
    "player_key": ADDRESS,
    "game_id": UINT256,
    "bet": UINT8,
    "level": UINT8,
    "chip_cost": UINT256,
    "croupier_commitment_0": BYTES32,
    "croupier_commitment_1": BYTES32,
    "player_commitment_0": BYTES32,
    "player_commitment_1": BYTES32,
    "expiry": UINT256,
}
THE_BET: Final = _message(Bet, BET)
BOOL: Final = FieldType(_check_bool, bool, _check_bool)
THE_SESSION: Final = _message(
    SessionTerms,
    {
        "croupier": ADDRESS,
        "player": ADDRESS,
        "croupier_key": ADDRESS,
        "player_key": ADDRESS,
        "number": UINT256,
        "player_funds": UINT256,
        "croupier_funds": UINT256,
        "expiry": UINT256,
    },
)
THE_STATE: Final = _message(
    SessionState,
    {
        "session": BYTES32,
        "hands": UINT256,
        "player_share": UINT256,
        "head": BYTES32,
        "last": BOOL,
    },
)
_TWO: Final[Fields] = {"player_signature": SIGNATURE, "croupier_signature": SIGNATURE}
ORDER: Final = FieldType(_check_order, list, _check_order)


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
            raise BadCall(f"a complaint is about a Silence, not {_quoted(call.silence)}")
        name = call.silence.value
    elif type(call) in _NAMES:
        name = _NAMES[type(call)]
    else:
        raise BadCall(f"a Bank knows no call like {_quoted(call)}")
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
    return _made(name, _read(rest, CALLS[name][1], name))


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
    return BankEvent(name, _read(rest, EVENTS[name], name))


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
        raise BadCall(f"{name} comes with {len(kinds)} values, not {_quoted(values)}")
    return BankRefused(
        name, tuple(kind.read(v, name) for kind, v in zip(kinds, values, strict=True))
    )


def _named(value: object, what: str, known: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, dict):
        raise BadCall(f'a {what} is a JSON object such as {{"{what}": ...}}, not {_quoted(value)}')
    name = value.get(what)
    if not isinstance(name, str) or name not in known:
        raise BadCall(f"no {what} is named {_quoted(name)}; there are {', '.join(known)}")
    return name, {key: item for key, item in value.items() if key != what}


def _read(value: object, fields: Fields, what: str) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != fields.keys():
        raise BadCall(f"{what} has the members {', '.join(fields)}, not {_quoted(value)}")
    return {name: kind.read(value[name], name) for name, kind in fields.items()}


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
        return cls(**_read(value, ENVELOPE, "an envelope"))


ENVELOPE: Final[Fields] = {
    "sender": ADDRESS,
    "number": UINT256,
    "call": FieldType(
        lambda call, _: checked(call), call_as_json, lambda value, _: call_from_json(value)
    ),
    "signature": SIGNATURE,
}
