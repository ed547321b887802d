"""Calls, results, errors and events of the contract, as bytes and back.

A thin layer over ``eth-abi`` that knows our contract: the same code serves the EVM in
this process, and any node over JSON-RPC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from fairground.bank.bank_port import BankEvent, BankRefused, Call, artifact, named
from fairground.bank.calls import arguments
from fairground.bank.crypto.signatures import Signature, checksummed, keccak
from fairground.bank.messages import Bet, SessionState, SessionTerms
from fairground.registry import needs

with needs("chain", "a Bank on a chain"):
    from eth_abi.abi import decode, encode

Json = Mapping[str, Any]


def _type(entry: Json) -> str:
    kind: str = entry["type"]
    if not kind.startswith("tuple"):
        return kind
    inside = ",".join(map(_type, entry["components"]))
    return f"({inside}){kind.removeprefix('tuple')}"


def _signature(entry: Json) -> str:
    return f"{entry['name']}({','.join(map(_type, entry['inputs']))})"


@cache
def _errors() -> dict[bytes, Json]:
    return {keccak(_signature(entry).encode())[:4]: entry for entry in named("error").values()}


@cache
def _events() -> dict[bytes, Json]:
    return {keccak(_signature(entry).encode()): entry for entry in named("event").values()}


@cache
def _selector(name: str) -> tuple[bytes, tuple[str, ...]]:
    entry = named("function")[name]
    return keccak(_signature(entry).encode())[:4], tuple(map(_type, entry["inputs"]))


def plain(value: Any) -> Any:
    """An argument as ``eth-abi`` wants it."""
    if isinstance(value, Signature):
        return (value.v, value.r.to_bytes(32, "big"), value.s.to_bytes(32, "big"))
    if isinstance(value, Bet | SessionTerms | SessionState):
        return tuple(value)
    return value


def _ours(part: Json, value: Any) -> Any:
    """A decoded value in our own words: an EIP-55 address, a `Signature`."""
    if part["type"] == "address":
        return checksummed(value)
    if part["type"] == "tuple":
        v, r, s = value
        return Signature(v, int.from_bytes(r, "big"), int.from_bytes(s, "big"))
    return value


def call_data(name: str, *values: Any) -> bytes:
    """The bytes of a call."""
    selector, types = _selector(name)
    return selector + encode(types, [plain(value) for value in values])


def deployment(chip_cost: int, step_time: int) -> bytes:
    """The bytes of the transaction that makes a Bank."""
    return artifact().bytecode + encode(("uint256", "uint256"), (chip_cost, step_time))


def result(name: str, data: bytes) -> Any:
    """Return the result of a call: one value, or a tuple of several."""
    types = [_type(entry) for entry in named("function")[name]["outputs"]]
    values = decode(types, data)
    return values[0] if len(values) == 1 else values


def refusal(data: bytes) -> BankRefused:
    """Why a call was refused, from the bytes that it returned."""
    entry = _errors().get(data[:4])
    if entry is None:
        return BankRefused("0x" + data.hex())
    values = decode([_type(part) for part in entry["inputs"]], data[4:])
    return BankRefused(entry["name"], tuple(map(_ours, entry["inputs"], values)))


def event(topics: Sequence[bytes], data: bytes) -> BankEvent:
    """An event, from a log entry of the Bank."""
    entry = _events()[topics[0]]
    indexed = [part for part in entry["inputs"] if part["indexed"]]
    others = [part for part in entry["inputs"] if not part["indexed"]]
    values = {
        part["name"]: _ours(part, decode([_type(part)], topic)[0])
        for part, topic in zip(indexed, topics[1:], strict=True)
    }
    decoded = decode([_type(part) for part in others], data)
    values |= {
        part["name"]: _ours(part, value) for part, value in zip(others, decoded, strict=True)
    }
    return BankEvent(entry["name"], values)


def topic(name: str) -> bytes:
    """Return the topic under which a node finds this event."""
    return next(found for found, entry in _events().items() if entry["name"] == name)


def bet_in(data: bytes) -> Bet | None:
    """The bet that ``submitBet`` or ``bringHand`` brought; ``None`` for any other call."""
    for name, place in (("submitBet", 0), ("bringHand", 1)):
        selector, types = _selector(name)
        if data[:4] == selector:
            terms = decode(types, data[4:])[place]
            croupier, player, croupier_key, player_key = map(checksummed, terms[:4])
            return Bet(croupier, player, croupier_key, player_key, *terms[4:])
    return None


# The calls of the protocol


def encoded(call: Call) -> bytes:
    """Encode a call for the contract. A deposit's money travels beside it, as its value."""
    name, values = arguments(call)
    return call_data(name, *values)
