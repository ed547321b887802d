"""The record of a game: JSON Lines in one canonical form, chained by hashes.

Each line is one event. Each event but the first names, as ``prev``, the SHA3-256
of the line before it, line feed included, so that anyone can follow the chain::

    sed -n 3p game.jsonl | openssl dgst -sha3-256     # what line 4 must name

Canonical means: sorted ASCII keys, no spaces, UTF-8, a line feed after every
line, no floats, integers beyond ±(2^53-1) as decimal text, no duplicate keys, no
lone surrogates. Re-encoding a line must give its very bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import reprlib
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any, Final, TypeAlias

from fairground.core import SAFE, Fault, IllegalMove, Move, Unreadable

Event: TypeAlias = dict[str, Any]

FORMAT: Final = "fairground/1"
DEEPEST: Final = 32
"""Maximum nesting of arrays and objects: far more than any event needs."""

NO_LINE: Final = "0" * 64
"""The ``prev`` of the first event."""


EVENTS: Final[dict[str, str]] = {
    "start": "dealer format game kind params prev public seats table",
    "ticket": "hidden kind n prev run ticket",
    "share": "kind prev run seat share value",
    "dealt": "draws evidence kind prev run",
    "seal": "commitment kind prev seat",
    "open": "key kind move prev seat",
    "move": "kind move prev seat",
    "note": "body kind prev",
    "forfeit": "by kind prev reason seat",
    "opening": "draws evidence kind prev run",
    "void": "code kind prev reason",
    "end": "kind payoff prev",
}
"""Every kind of event, and its fields in the order of a line."""

_encode: Final = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=False,
    allow_nan=False,
    check_circular=False,
).encode


def canonical(value: Any) -> bytes:
    """The canonical bytes of a JSON value. Tuples are arrays; floats are refused."""
    _refuse_what_is_not_canonical(value)
    return _encode(value).encode()


def _refuse_what_is_not_canonical(value: Any, depth: int = 0) -> None:
    """Walk a value that came from a program, where a float or a huge integer can hide."""
    if depth >= DEEPEST and isinstance(value, (dict, list, tuple)):
        raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        for key, item in value.items():
            if not (isinstance(key, str) and key.isascii()):
                raise ValueError(f"{key!r} cannot be a key: keys are ASCII text")
            if type(item) is not str and not (type(item) is int and -SAFE <= item <= SAFE):
                _refuse_what_is_not_canonical(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            if type(item) is not str and not (type(item) is int and -SAFE <= item <= SAFE):
                _refuse_what_is_not_canonical(item, depth + 1)
    elif isinstance(value, int):
        if not -SAFE <= value <= SAFE:
            raise ValueError(
                f"the integer {str(value)[:24]} is not written canonically: beyond ±(2^53-1) it is "
                "text (core.written)"
            )
    elif not (value is None or isinstance(value, str)):
        raise ValueError(f"{value!r} cannot stand in a transcript")


def same_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal in value *and* type.

    Python takes ``True`` for ``1``; a record must not. So what a record says is compared with what
    was computed only here, by canonical bytes.
    """
    return canonical(one) == canonical(other)


def line_hash(line: bytes) -> str:
    """Return the hash that the next event names: SHA3-256 of line and line feed, in hex."""
    return hashlib.sha3_256(line).hexdigest()


def frozen(value: Any, depth: int = 0) -> Move:
    """A move as rules want it: arrays become tuples, all the way down.

    The event that it stands in is a level, too.
    """
    if depth >= DEEPEST:
        raise IllegalMove(f"a move cannot be nested more than {DEEPEST - 1} levels deep")
    if isinstance(value, (list, tuple)):
        return tuple([item if type(item) is int else frozen(item, depth + 1) for item in value])
    if isinstance(value, (int, str)):
        return value
    short = reprlib.repr(value)
    raise IllegalMove(f"a move is a whole number, text or a list of them, not {short}")


def _no_float(text: str) -> Any:
    raise ValueError(f"{text[:24]} is not an integer")


_decode = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float).raw_decode

_DIGITS: Final = bytes(
    ord("0") if byte in b"0123456789" else ord(":") if byte in b":,[-" else ord(" ")
    for byte in range(256)
)
"""Translates digits, the signs before a number, and all others."""

_LONG: Final = b":" + 16 * b"0"
"""An integer, so translated, that may be beyond ±(2^53-1)."""

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def must_be_shallow(line: str) -> None:
    """Refuse deep nesting before it is read.

    The native JSON reader recurses; where some library has raised Python's recursion limit,
    a line of many thousand brackets would overflow the stack and end the process.
    """
    depth = 0
    for sign in _STRING.sub("", line):
        if sign in "[{":
            depth += 1
            if depth > DEEPEST:
                raise ValueError(f"it is nested more than {DEEPEST} levels deep")
        elif sign in "]}":
            depth -= 1


def parse(line: bytes, number: int, *, reencode: bool = True) -> Event:
    """Read one line; raise a `Fault` that names it unless it is canonical.

    Without ``reencode``, bytes that mean the same as the canonical ones may pass. The caller
    then writes the line again itself, and compares.
    """
    try:
        if not line.endswith(b"\n"):
            raise ValueError("it does not end in a line feed")
        text = line.decode()
        if line.count(b"[") + line.count(b"{") > DEEPEST:
            must_be_shallow(text)
        event, end = _decode(text)
        if end != len(text) - 1:
            raise ValueError("there is more on it than one JSON value")
        if not isinstance(event, dict):
            raise ValueError("it is not a JSON object")
        if reencode or _needs_a_second_look(line):
            _refuse_what_is_not_canonical(event)
            if line_of(event) != line:
                raise ValueError("re-encoding it gives other bytes")
    except ValueError as error:
        reason = f"line {number} is not a canonical event: {error}"
        raise Fault("transcript/not-canonical", reason, number) from None
    return event


def _needs_a_second_look(line: bytes) -> bool:
    """Return true if a line may be non-canonical although encoding it again gives its bytes."""
    return not line.isascii() or line.find(b"\\") >= 0 or line.translate(_DIGITS).find(_LONG) >= 0


def line_of(event: Event) -> bytes:
    """Return an event as a line. Floats and the like are for the caller to refuse."""
    return (_encode(event) + "\n").encode()


class Transcript:
    """A growing chain of events. ``sink`` is handed each line before anyone may act on it."""

    def __init__(self, sink: Callable[[bytes], object] | None = None) -> None:
        self.events: list[Event] = []
        self.lines: list[bytes] = []
        self.step = 0
        """The number of events, which is the number of the last line."""
        self.head = NO_LINE
        self.sink = sink

    def append(self, kind: str, **fields: Any) -> None:
        """Add an event behind the last one."""
        fields["kind"], fields["prev"] = kind, self.head
        self._add(fields)

    def _add(self, event: Event) -> None:
        _refuse_what_is_not_canonical(event)
        line = line_of(event)
        if self.sink is not None:
            self.sink(line)
        self.events.append(event)
        self.lines.append(line)
        self.step += 1
        self.head = line_hash(line)

    def __bytes__(self) -> bytes:
        return b"".join(self.lines)


def read(data: bytes) -> list[bytes]:
    """Split a file into its lines; refuse what was never a transcript at all."""
    lines = BytesIO(data).readlines()
    must_look_like_a_transcript(lines)
    return lines


def must_look_like_a_transcript(lines: Iterable[bytes]) -> None:
    """Raise `Unreadable` if no line is an event.

    A damaged transcript is a matter for `parse` and `verify`, which say what is wrong with which
    line.
    """
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith(b"{") and b'"kind":"start"' in line:
            return
        if _looks_like_an_event(line):
            return
    raise Unreadable(
        "this is not a Fairground transcript: no line of it is an event. A transcript is "
        'JSON Lines, and its first line begins like {"dealer":"hmac-sha3-user/1", ...'
    )


def plain_json(text: str) -> Any:
    """Read JSON that need not be canonical, as every strict parser does; numbers are floats.

    NaN and Infinity are no JSON. Raise `ValueError`, also for deep nesting.
    """
    must_be_shallow(text)
    return json.loads(text, parse_int=float, parse_constant=_no_number)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _looks_like_an_event(line: bytes) -> bool:
    try:
        event = plain_json(line.decode())
    except ValueError:
        return False
    return isinstance(event, dict) and "kind" in event


def check_chain(lines: Iterable[bytes], step: int = 0, head: str = NO_LINE) -> list[Event]:
    """Parse lines and follow the hashes; raise a `Fault` at the first break.

    ``step`` and ``head``: number and hash of the line before the first of them.
    """
    events: list[Event] = []
    for number, line in enumerate(lines, step + 1):
        event = parse(line, number)
        if event.get("prev") != head:
            if number == 1:
                reason = "line 1 must name 64 zeros as the line before it"
                raise Fault("transcript/broken-chain", reason, 1)
            named = str(event.get("prev"))
            reason = (
                f"line {number} does not follow from line {number - 1}: one of the two was "
                f"changed (it names {named[:8]!r}…, and that line hashes to {head[:8]}…)"
            )
            raise Fault("transcript/broken-chain", reason, number - 1)
        head = line_hash(line)
        events.append(event)
    return events
