"""Receipts: what a seat keeps so that nobody can write another history for it.

Each ask comes with a *head*, the hash of the last line at that time. A client that keeps the head
before answering can show later that everything up to that line existed before the answer. The head
of the answer is too late for that: by then the house knows the answer.

A receipts file lies beside its transcript (``game.jsonl``, ``game.receipts``) and has one JSON
object a line: ``{"head": "…64 hex digits…", "seat": 1, "step": 5, "table": "…"}``.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import Unreadable
from fairground.table import Ask
from fairground.transcript import plain_json

ENDING: Final = ".receipts"

BLANKS: Final = " \t\r\n"
"""The blanks of JSON. They may stand around a line and around a head."""


class Kept(NamedTuple):
    """One receipt, as a client writes it down."""

    table: str
    seat: int
    step: int
    head: str

    @classmethod
    def of(cls, table: bytes, ask: Ask) -> Kept:
        """Return the receipt to keep before answering an ask."""
        return cls(table.hex(), ask.seat, ask.step, ask.head)

    @property
    def line(self) -> str:
        """As a line of a receipts file."""
        return json.dumps(self._asdict(), sort_keys=True) + "\n"


def beside(transcript: Path) -> Path:
    """Return the path of the receipts of a transcript."""
    return transcript.with_suffix(ENDING)


def keep(path: Path, kept: Kept) -> None:
    """Add one receipt to a file, before the answer is sent."""
    with path.open("a", encoding="ascii") as file:
        file.write(kept.line)


def read_receipts(path: Path, table: str | None = None) -> list[dict[str, Any]]:
    """The receipts in a file; with ``table``, those of that table, if there are any.

    If there are none, all are returned: then the record bears another name than what was played,
    and `verify` must find that out.
    """
    try:
        text = path.read_bytes().removeprefix(codecs.BOM_UTF8).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"cannot read the receipts in {str(path)!r}: {error}") from None
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip(BLANKS):
            continue
        try:
            kept = plain_json(line)
        except ValueError:
            kept = None
        if not isinstance(kept, dict) or not isinstance(kept.get("head"), str):
            raise Unreadable(
                f"line {number} of {str(path)!r} is no receipt: it should be an object such as "
                '{"head": "5e5e…", "seat": 1, "step": 5, "table": "…"}'
            )
        out.append(kept)
    return [kept for kept in out if kept.get("table") == table] or out


def found(transcript: str | Path, data: bytes) -> list[dict[str, Any]]:
    """The receipts that lie beside a transcript, as far as they are of its table."""
    path = beside(Path(transcript))
    if path == Path(transcript) or not path.is_file():
        return []
    return read_receipts(path, table_of(data))


def table_of(data: bytes) -> str | None:
    """The name of the table, as line 1 has it; whether that is right is for `verify` to say."""
    try:
        start = plain_json(data.partition(b"\n")[0].decode())
    except ValueError:
        return None
    table = start.get("table") if isinstance(start, dict) else None
    return table if isinstance(table, str) else None


def heads(receipts: Sequence[Kept]) -> list[dict[str, Any]]:
    """Receipts as `fairground.verifier.verify` takes them."""
    return [kept._asdict() for kept in receipts]
