"""Encode and decode calls, results, errors and events of the contract.

A thin layer over ``eth-abi`` that knows our contract. The same code serves any EVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from fairground.bank.bank_port import BankEvent, BankRefused, Call, artifact, named
from fairground.bank.calls import arguments
from fairground.bank.messages import Bet
from fairground.bank.signatures import Signature, checksummed
from fairground.registry import needs

with needs("chain", "a Bank on a chain"):
    from eth_abi.abi import decode, encode
    from eth_utils.abi import (
        collapse_if_tuple,
        event_abi_to_log_topic,
        function_abi_to_4byte_selector,
    )

Json = Mapping[str, Any]


def _types(parts: Iterable[Any]) -> list[str]:
    return [collapse_if_tuple(part) for part in parts]


@cache
def _entries(kind: str) -> dict[bytes, Any]:
    """Return the errors by their first four bytes, or the events by their topic."""
    key: Any = event_abi_to_log_topic if kind == "event" else function_abi_to_4byte_selector
    return {key(entry): entry for entry in named(kind).values()}


@cache
def _head(name: str) -> tuple[bytes, list[str]]:
    entry: Any = named("function")[name]
    return function_abi_to_4byte_selector(entry), _types(entry["inputs"])


def _plain(value: Any) -> Any:
    """Return an argument as ``eth-abi`` wants it."""
    if isinstance(value, Signature):
        return value.v, value.r.to_bytes(32, "big"), value.s.to_bytes(32, "big")
    return value


def _decoded(parts: Sequence[Any], data: bytes) -> tuple[Any, ...]:
    """Decode values into our own forms: an EIP-55 address, a `Signature`."""
    return tuple(map(_ours, parts, decode(_types(parts), data)))


def _ours(part: Json, value: Any) -> Any:
    if part["type"] == "address":
        return checksummed(value)
    if part["type"] == "tuple":
        v, r, s = value
        return Signature(v, int.from_bytes(r, "big"), int.from_bytes(s, "big"))
    return value


def call_data(name: str, *values: Any) -> bytes:
    """Encode a call of any function of the contract."""
    selector, types = _head(name)
    return selector + encode(types, list(map(_plain, values)))


def encoded(call: Call) -> bytes:
    """Encode a call of the protocol. A deposit's money travels beside it, as its value."""
    name, values = arguments(call)
    return call_data(name, *values)


def deployment(chip_cost: int, step_time: int) -> bytes:
    """Encode the transaction that makes a Bank."""
    return artifact().bytecode + encode(("uint256", "uint256"), (chip_cost, step_time))


def result(name: str, data: bytes) -> Any:
    """Return the result of a call: one value, or a tuple of several."""
    values = _decoded(named("function")[name]["outputs"], data)
    return values[0] if len(values) == 1 else values


def refusal(data: bytes) -> BankRefused:
    """Return the reason for which a call was refused, from the bytes that it returned."""
    entry = _entries("error").get(data[:4])
    if entry is None:
        return BankRefused("0x" + data.hex())
    return BankRefused(entry["name"], _decoded(entry["inputs"], data[4:]))


def event(topics: Sequence[bytes], data: bytes) -> BankEvent:
    """Return an event, from a log entry of the Bank."""
    entry = _entries("event")[topics[0]]
    indexed = [part for part in entry["inputs"] if part["indexed"]]
    others = [part for part in entry["inputs"] if not part["indexed"]]
    values = dict(zip(map(itemgetter("name"), others), _decoded(others, data), strict=True))
    for part, found in zip(indexed, topics[1:], strict=True):
        (values[part["name"]],) = _decoded([part], found)
    return BankEvent(entry["name"], values)


def topic(name: str) -> bytes:
    """Return the topic under which a node finds this event."""
    found: Any = named("event")[name]
    return event_abi_to_log_topic(found)


def bet_in(data: bytes) -> Bet | None:
    """Return the bet that ``submitBet`` or ``bringHand`` brought; ``None`` for other calls."""
    for name, place in (("submitBet", 0), ("bringHand", 1)):
        selector, types = _head(name)
        if data[:4] == selector:
            terms = decode(types, data[4:])[place]
            addresses: Any = map(checksummed, terms[:4])
            return Bet(*addresses, *terms[4:])
    return None
