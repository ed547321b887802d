"""A house that cheats: it owns the file, so it can make every hash fit again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairground.transcript import NO_LINE

Edit = Callable[[list[dict[str, Any]]], object]


def events_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def plain_line(event: Mapping[str, Any]) -> bytes:
    """A canonical line, written with nothing but `json`."""
    text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode() + b"\n"


def rechain(events: Sequence[Mapping[str, Any]]) -> bytes:
    """The events with every ``prev`` made to fit."""
    out, head = b"", NO_LINE
    for event in events:
        line = plain_line({**event, "prev": head})
        head = hashlib.sha3_256(line).hexdigest()
        out += line
    return out


def forge(data: bytes, edit: Edit) -> bytes:
    """The transcript after an edit, with a hash chain that holds."""
    events = events_of(data)
    edit(events)
    return rechain(events)


def find(events: Sequence[Mapping[str, Any]], kind: str, which: int = 0) -> int:
    """The index of the event of this kind."""
    return [i for i, event in enumerate(events) if event["kind"] == kind][which]
