"""Calls, events and refusals of a Bank as JSON.

Their names, fields and types are those of the contract's ABI (``contracts/Bank.json``). A call has
a class in `bank_port`, which names its fields in Python; checking, writing and reading follow::

    {"call": "withdrawFunds", "amount": "1000000000000000000"}
    {"event": "FundsWithdrawn", "owner": "0x7E5F...5Bdf", "amount": "1000000000000000000"}

So every Bank understands a call that was written for another.

Fields look as in transcripts: addresses in EIP-55 spelling, integers beyond ±(2^53-1) as decimal
text, bytes, signatures and seeds as hex digits. Values that ``eth-abi`` would not encode are
refused here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, get_args

from fairground.bank.bank_port import (
    Account,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    Complain,
    DepositFunds,
    Silence,
    artifact,
    named,
)
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
from fairground.bank.signatures import Signature, checksummed, keccak
from fairground.core import InputError, whole, written
from fairground.fair.schemes import is_hex
from fairground.transcript import canonical

LONGEST_QUOTE: Final = 100
"""Characters of an offending value that an error repeats."""


class BadCall(InputError):
    """A call, or something else that was said to or by a Bank, is not well formed."""

    code = "bank/malformed"


class FieldType(NamedTuple):
    """A type of the contract: how a value is written, and how it is read.

    ``read`` is given what was written and what it is called. It returns the value in the one form
    that we use, or raises `BadCall`.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]

    def check(self, value: Any, what: str) -> Any:
        """Return a value in the one form that we use; raise `BadCall` unless the type holds it."""
        try:
            return self.read(self.write(value), what)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadCall(f"{what} cannot be {quoted(value)}: {error}") from None


Fields = Mapping[str, FieldType]


def quoted(value: object) -> str:
    """Return an untrusted value as text, cut if it is long."""
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
                f"{what}: the capitals of {quoted(value)} are a checksum that does not fit"
            )
    raise BadCall(f"{what} must be 40 hex digits behind 0x, not {quoted(value)}")


@cache
def _uint(bits: int) -> FieldType:
    def read(value: object, what: str) -> int:
        try:
            number = whole(value, what)
        except InputError:
            number = -1
        if not 0 <= number < 2**bits:
            raise BadCall(
                f"{what} must be an integer from 0 to 2^{bits}-1, beyond 2^53-1 as decimal "
                f"text, not {quoted(value)}"
            )
        return number

    return FieldType(lambda n: written(n) if isinstance(n, int) else n, read)


def _read_bytes(value: object, what: str) -> bytes:
    if not isinstance(value, str) or not is_hex(value):
        raise BadCall(f"{what} must be 64 lower-case hex digits, not {quoted(value)}")
    return bytes.fromhex(value)


def _from_hex(make: Callable[[Any], Any], form: str) -> Callable[[Any, str], Any]:
    def read(value: object, what: str) -> Any:
        try:
            return make(value if isinstance(value, str) else "")
        except InputError:
            raise BadCall(f"{what} must be {form}, not {quoted(value)}") from None

    return read


def read_fields(value: object, fields: Fields, what: str) -> dict[str, Any]:
    """An object with just these members."""
    if not isinstance(value, dict) or value.keys() != fields.keys():
        raise BadCall(f"{what} has the members {', '.join(fields)}, not {quoted(value)}")
    return {name: kind.read(value[name], name) for name, kind in fields.items()}


def as_json(fields: Fields, values: Iterable[Any]) -> dict[str, Any]:
    """Return an object with these members."""
    pairs = zip(fields.items(), values, strict=True)
    return {name: kind.write(value) for (name, kind), value in pairs}


def from_json(fields: Fields, said: Mapping[str, Any]) -> list[Any]:
    """Return the values of these members, whatever else is said beside them."""
    return [kind.read(said[name], name) for name, kind in fields.items()]


def optional(kind: FieldType) -> FieldType:
    """Return the type of a value that may be missing: it is ``null`` then."""
    return FieldType(
        lambda value: None if value is None else kind.write(value),
        lambda value, what: None if value is None else kind.read(value, what),
    )


def pair(kind: FieldType) -> FieldType:
    """Return the type of two values in a list."""

    def read(value: object, what: str) -> tuple[Any, Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise BadCall(f"{what} must be a list of two, not {quoted(value)}")
        return kind.read(value[0], f"{what} 0"), kind.read(value[1], f"{what} 1")

    return FieldType(lambda values: [kind.write(value) for value in values], read)


def _message(made: Callable[..., Any], fields: Fields) -> FieldType:
    return FieldType(
        lambda value: as_json(fields, value),
        lambda value, what: made(**read_fields(value, fields, what)),
    )


def _read_bool(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise BadCall(f"{what} must be true or false, not {quoted(value)}")
    return value


def _read_order(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != 5:
        raise BadCall(f"{what} must be five numbers, each 0 or 1, not {quoted(value)}")
    return tuple(UINT8.read(digit, what) for digit in value)


ADDRESS: Final = FieldType(str, address)
UINT8: Final = _uint(8)
UINT40: Final = _uint(40)
UINT256: Final = _uint(256)
BYTES32: Final = FieldType(bytes.hex, _read_bytes)
SIGNATURE: Final = FieldType(
    Signature.hex, _from_hex(Signature.from_hex, "130 lower-case hex digits (r, s, v)")
)
SEED: Final = FieldType(
    Seed.hex, _from_hex(Seed.from_hex, "194 lower-case hex digits (nonce, r, s, v)")
)
BOOL: Final = FieldType(lambda value: value, _read_bool)
ORDER: Final = FieldType(list, _read_order)

# What the contract's types are here


def _members(struct: str) -> list[dict[str, Any]]:
    """Return the members of a struct of the contract, from the ABI."""
    inputs = (part for entry in artifact().abi for part in entry.get("inputs", ()))
    return next(part["components"] for part in inputs if _struct(part) == struct)


def _struct(part: Mapping[str, Any]) -> str:
    return str(part["internalType"]).rpartition(".")[2] if part["type"] == "tuple" else ""


def _signed(made: type[Any], struct: str) -> FieldType:
    """Return the type of a message that is a struct of the contract, member by member."""
    return _message(made, dict(zip(made._fields, map(type_of, _members(struct)), strict=True)))


def type_of(part: Mapping[str, Any]) -> FieldType:
    """Return the type of a parameter in the ABI."""
    kind: str = part["type"]
    if kind == "tuple":
        return STRUCTS[_struct(part)]
    return KINDS[kind] if kind in KINDS else _uint(int(kind.removeprefix("uint")))


KINDS: Final = {"address": ADDRESS, "bytes32": BYTES32, "bool": BOOL, "uint8[5]": ORDER}
THE_BET: Final = _signed(Bet, "Bet")
THE_SESSION: Final = _signed(SessionTerms, "Session")
THE_STATE: Final = _signed(SessionState, "State")
STRUCTS: Final = {
    "Signature": SIGNATURE,
    "Bet": THE_BET,
    "Session": THE_SESSION,
    "State": THE_STATE,
}


# What has which fields: from the ABI

Json = Mapping[str, Any]


def _function(made: type[Any]) -> str:
    """Return the contract's name for a call: ``submitBet`` for `SubmitBet`."""
    name = made.__name__[0].lower() + made.__name__[1:]
    return name if name in named("function") else f"{name}AsSignature"


def _types(inputs: Sequence[Json]) -> Iterator[FieldType]:
    """Yield the types of a call's fields: a nonce and its signature are one seed."""
    behind_nonce = False
    for part in inputs:
        if part["name"] == "nonce":
            yield SEED
        elif not behind_nonce:
            yield type_of(part)
        behind_nonce = part["name"] == "nonce"


def _fields(made: type[Any], function: str) -> Fields:
    inputs = named("function")[function]["inputs"]
    if made is DepositFunds:  # what it brings is the value of its transaction
        return {"amount": UINT256}
    names = [name for name in made._fields if name != "silence"]
    return dict(zip(names, _types(inputs), strict=True))


_NAMES: Final = {made: _function(made) for made in get_args(Call) if made is not Complain}

CALLS: Final[dict[str, tuple[type[Any], Fields]]] = {
    name: (made, _fields(made, name))
    for name, made in [
        *((name, made) for made, name in _NAMES.items()),
        *((silence.value, Complain) for silence in Silence),
    ]
}
"""The contract's functions that change something, by their names there."""

EVENTS: Final[dict[str, Fields]] = {
    name: {part["name"]: type_of(part) for part in entry["inputs"]}
    for name, entry in named("event").items()
}
"""The contract's events."""

REFUSALS: Final[dict[str, tuple[FieldType, ...]]] = {
    **{name: tuple(map(type_of, entry["inputs"])) for name, entry in named("error").items()},
    # Only a ledger knows these: a chain has its own numbers and its own money.
    "WrongNumber": (UINT256,),
    "FaucetEmpty": (ADDRESS, UINT256, UINT256),
}
"""The reasons for a refusal, and the types of the values that come with each."""


VIEWS: Final[dict[type[Any], Fields]] = {
    view: {
        name: type_of(part)
        for name, part in zip(view._fields, named("function")[asked]["outputs"], strict=True)
    }
    for view, asked in ((Account, "getAccount"), (BankGame, "getGame"), (BankSession, "getSession"))
}
"""The answers to the contract's questions: the class of each, and its members."""


# Checking, writing and reading


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


def arguments(call: Call) -> tuple[str, list[Any]]:
    """Return the contract's function for a call, and what it is given."""
    call = checked(call)
    name, fields = _entry(call)
    if isinstance(call, DepositFunds):
        return name, []
    values: list[Any] = []
    for field in fields:
        value = getattr(call, field)
        values += value if isinstance(value, Seed) else [value]
    return name, values


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


def recorded(name: str, *values: Any) -> BankEvent:
    """Return an event with these values, in the order of the contract."""
    return BankEvent(name, dict(zip(EVENTS[name], values, strict=True)))


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
        return Envelope(*map(FieldType.check, ENVELOPE.values(), self, ENVELOPE))

    def must_be_signed(self, domain: Domain) -> None:
        """Raise `BadSignature` unless the sender signed for this call to this ledger."""
        message = LedgerCall(self.sender, self.number, call_hash(call_as_json(self.call)))
        must_be_signed(domain, message, self.signature, self.sender)

    def as_json(self) -> dict[str, Any]:
        return as_json(ENVELOPE, self)

    @classmethod
    def from_json(cls, value: object) -> Envelope:
        return cls(**read_fields(value, ENVELOPE, "an envelope"))


ENVELOPE: Final[Fields] = {
    "sender": ADDRESS,
    "number": UINT256,
    "call": FieldType(call_as_json, lambda value, _: call_from_json(value)),
    "signature": SIGNATURE,
}
