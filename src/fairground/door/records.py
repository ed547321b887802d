"""Transcripts, wherever they come from: read, write, verify."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsBytes, TypeAlias

from fairground.core import Fault, InputError, Unreadable
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.receipts import found, read_receipts, table_of
from fairground.shown import named, shown
from fairground.table import Table
from fairground.transcript import Event, Transcript, line_hash, parse
from fairground.transcript import read as lines_of
from fairground.verify import Verdict
from fairground.verify import verify as judge

Source: TypeAlias = "SupportsBytes | bytes | str | PathLike[str] | Table"
"""A table, a `Record`, the bytes of a transcript, or the path of a file."""


class Record:
    """A transcript as it was read. Nothing in it is checked: that is what `verify` is for."""

    def __init__(self, data: bytes) -> None:
        self.lines = lines_of(data)

    @cached_property
    def events(self) -> list[Event]:
        """The events, one object for each line; raises a `Fault` at a line that is none."""
        return [parse(line, number) for number, line in enumerate(self.lines, 1)]

    @property
    def start(self) -> Event:
        """The first event: game, parameters, scheme and seats."""
        return self.events[0]

    @property
    def heads(self) -> list[str]:
        """The hash of each line: what somebody may have kept as a receipt."""
        return [line_hash(line) for line in self.lines]

    def __bytes__(self) -> bytes:
        return b"".join(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        """What it says of itself; whatever it holds, it must not fail or deceive."""
        try:
            first, last = self.events[0], self.events[-1]
            names = ", ".join(named(seat["name"]) for seat in first["seats"])
            what = f"{shown(first['game'])}: {names}; {shown(first['dealer'])}, "
            end = f"payoff {tuple(last['payoff'] or ())}" if last["kind"] == "end" else "unfinished"
        except (Fault, KeyError, TypeError):
            what, end = "a transcript: ", "not all of them readable"
        return f"<{what}{len(self)} lines, {end}. Not checked: fg.verify(record)>"


def bytes_of(source: Source) -> bytes:
    """The bytes of a transcript."""
    if isinstance(source, Table):
        return bytes(source.transcript)
    if isinstance(source, (str, PathLike)):
        return _contents(Path(fspath(source)))
    if isinstance(source, (bytes, bytearray, memoryview, Transcript)) or (
        hasattr(source, "__bytes__") and not isinstance(source, type)
    ):
        return bytes(source)
    raise InputError(
        f"a transcript is a table, a path, or bytes that were read from a file, not {source!r}"
    )


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def read(source: Source) -> Record:
    """Read a transcript: of a file, of bytes, or of a table as far as it is played."""
    return Record(bytes_of(source))


def write(source: Source, path: str | PathLike[str]) -> Path:
    """Write a transcript to a file; an old file of this name is replaced."""
    data = bytes_of(source)
    target = Path(path)
    writer(target)(data)
    return target


def writer(path: Path) -> Callable[[bytes], object]:
    """What adds to this file; the first piece replaces what was there. Nothing stays open."""
    mode = "wb"

    def add(data: bytes) -> None:
        nonlocal mode
        try:
            with path.open(mode) as file:
                file.write(data)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"the transcript cannot be written to {path}: {reason}") from None
        mode = "ab"

    return add


def verify(
    source: Source,
    receipts: str | Path | Sequence[str | Mapping[str, Any]] = (),
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Verdict:
    """Check a transcript, and say what it proves, for whom, on what condition.

    ``receipts`` are hashes that somebody kept, each before an answer: `Question.receipt`, or all of
    `LocalTable.receipts`, or the path of a file of receipts, as clients write them; for the path of
    a transcript they are looked for beside it. They prove that what stood before that answer stood
    there in time. Games and schemes of your own are added with
    ``fg.GAMES.plus({...})``.
    """
    data = bytes_of(source)
    if isinstance(receipts, Path):
        receipts = read_receipts(receipts, table_of(data))
    elif not receipts and isinstance(source, (str, PathLike)):
        receipts = found(Path(fspath(source)), data)
    return judge(data, receipts, games=games, schemes=schemes)
