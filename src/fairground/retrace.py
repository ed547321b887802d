"""Following a record line by line: the quick way to find that all of it is right.

The referee plays the game again, and each line that it writes must be the next line of the
record, byte for byte. A line is read once, and then forgotten. What stays in memory is the state
of the game, and what the verdict is made of: every commitment, every share, and where they stand.
That is at most three times the size of the file, where every draw has a ticket and a share of its
own, and next to nothing where draws come from one seed.

Whatever does not go on as written `Differs`. What is wrong with it is then for `replay` to say,
which holds the whole record. So the two never have to agree on words, only on what is right; and
here that is one comparison.

The secrets that are opened at the end of a record are needed at its beginning, to draw with them
again. That is why the last lines are read first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import IO, Any, Final, TypeAlias

from fairground.core import SAFE, Draw, FairgroundError, Move, Seat
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer, Evidence, NotYet, Review, Run, Scheme, is_hex
from fairground.games import GAMES, Games, make_game
from fairground.replay import FIELDS, said
from fairground.table import LEFT, Table
from fairground.transcript import EVENTS, Event, Transcript, canonical, line_hash, skim

BLOCK: Final = 1 << 16
FORGOTTEN: Final[list[tuple[int, int]]] = []


Retraced: TypeAlias = tuple[Table, Review, Mapping[str, int]]
"""The table at its end, what its scheme says of the record, and the numbers of lines by hash."""


class Differs(Exception):
    """The record does not go on here as the referee writes it."""


CHECKED: Final = {
    **dict.fromkeys(("prev", "table", "commitment", "key", "share", "by"), '"%({})s"'),
    **dict.fromkeys(("run", "seat"), "%({})d"),
}
"""Fields that the referee has made or checked himself: hashes, known words, small numbers."""


def _form(kind: str) -> tuple[str, list[str]]:
    """A line of this kind with its blanks, and the names of those whose text must be made."""
    blanks, others = [], []
    for name in EVENTS[kind].split():
        if name not in CHECKED and name != "kind":
            others.append(name)
        value = f'"{kind}"' if name == "kind" else CHECKED.get(name, "%({})s").format(name)
        blanks.append(f'"{name}":{value}')
    return f"{{{','.join(blanks)}}}\n", others


FORMS: Final = {kind: _form(kind) for kind in EVENTS}

_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode


def _text(value: Any) -> str:
    """What `canonical` writes. For values as small as those of an event this is quicker."""
    kind = type(value)
    if kind is int and -SAFE <= value <= SAFE:
        return str(value)
    if kind is str:
        return _quoted(value)
    if kind is list or kind is tuple:
        return f"[{','.join([_text(item) for item in value])}]"
    if kind is dict and not value:
        return "{}"
    if kind is dict and len(value) == 1:
        ((name, item),) = value.items()
        if name.isascii():
            return f"{{{_quoted(name)}:{_text(item)}}}"
    if kind is bool:
        return "true" if value else "false"
    return canonical(value).decode()


class Followed(Transcript):
    """A record that is read while the referee writes it again."""

    def __init__(self, lines: Iterable[bytes], wanted: Iterable[str], keep: bool) -> None:
        """``wanted``: hashes of lines whose numbers will be asked for (`found`)."""
        super().__init__()
        self.found: dict[str, int] = dict.fromkeys(wanted, 0)
        self.keep = keep
        """Whether `events` are collected."""
        self._lines = iter(lines)
        self._read()

    def _read(self) -> None:
        self._line = next(self._lines, b"")
        self.coming: Event = {"kind": None}
        """The event that the record has next; its kind is ``None`` behind the last line."""
        if self._line:
            try:
                event = skim(self._line)
            except ValueError:
                raise Differs from None
            kind = event.get("kind")
            if not isinstance(kind, str) or event.keys() != FIELDS.get(kind):
                raise Differs
            self.coming = event

    def append(self, kind: str, **fields: Any) -> Event:
        """Write a line: it must be the one that is coming."""
        form, others = FORMS[kind]
        try:
            for name in others:
                fields[name] = _text(fields[name])
            line = (form % {"prev": self.head, **fields}).encode()
        except ValueError:
            raise Differs from None
        if line != self._line:
            raise Differs
        event = self.coming
        self.head = line_hash(self._line)
        self.step += 1
        if self.head in self.found:
            self.found[self.head] = self.step
        if self.keep:
            self.events.append(event)
        self._read()
        return event


class Reader(Dealer):
    """A dealer who says what the next line says, and opens what the last lines open."""

    def __init__(self, record: Followed, openings: Mapping[int, Evidence], schemes: Schemes):
        start = record.coming
        self.table = bytes.fromhex(start["table"])
        self.scheme = dealer_class(start["dealer"], schemes).scheme
        self.public = start["public"]
        self._record, self._openings = record, openings

    def _said(self, kind: str, field: str) -> Evidence:
        event = self._record.coming
        if event["kind"] != kind:
            raise Differs
        told: Evidence = event[field]
        return told

    def _opened(self, index: int) -> Evidence:
        if index not in self._openings:
            raise Differs
        return self._openings[index]

    def open(self, run: Run) -> Evidence:
        """The ticket that is coming; where somebody leaves first, it was kept back."""
        if self._record.coming["kind"] in ("forfeit", "note"):
            raise NotYet
        return self._said("ticket", "ticket")

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """The evidence that is coming, and what is opened at the end."""
        now = self._said("dealt", "evidence")
        if self.scheme.opens_once:
            return now, self._opened(0)
        return now, self._opened(run.index) if run.hidden else {}

    def opening(self, run: Run, head: str) -> Evidence:
        """What opens a ticket whose run was never dealt."""
        return self._opened(run.index)


class Again(Table):
    """The referee of a record that is followed: he forgets draws and moves once they are made."""

    def _deal(self, run: Run, draw: Draw) -> None:
        super()._deal(run, draw)
        if not run.hidden:
            run.draws, run.head = FORGOTTEN, ""

    def _note_decision(self, seat: Seat, move: Move) -> None:
        super()._note_decision(seat, LEFT if move == LEFT else "")


def retrace(
    file: IO[bytes],
    *,
    wanted: Iterable[str] = (),
    keep: bool = False,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Retraced:
    """Play a record again while it is read, to its end; raise `Differs` if anything is wrong.

    ``wanted``: hashes of lines whose numbers are asked for. With ``keep`` the table's transcript
    has all events in the end; else none, unless the scheme looks back at them.
    """
    try:
        openings = _openings(file)
        file.seek(0)
        record = Followed(file, wanted, keep)
        table = _open(record, openings, games, schemes)
        while record.coming["kind"] is not None:
            _apply(table, record.coming)
        if not table.closed or table.void_reason is not None:
            raise Differs
        return table, table.scheme.check_record(record.events), record.found
    except FairgroundError:
        raise Differs from None


def _openings(file: IO[bytes]) -> dict[int, Evidence]:
    """What the last lines open, by run."""
    openings = {}
    for line in backwards(file):
        if b'"kind":"opening"' in line:
            event = _event(line)
            if event.get("kind") != "opening" or type(event.get("run")) is not int:
                break
            openings[event["run"]] = event.get("evidence", {})
        elif b'"kind":"end"' not in line:
            break
    return openings


def _event(line: bytes) -> Event:
    try:
        return skim(line)
    except ValueError:
        raise Differs from None


def _open(
    record: Followed, openings: Mapping[int, Evidence], games: Games, schemes: Schemes
) -> Again:
    """The table that the first line describes."""
    start = record.coming
    if (
        start["kind"] != "start"
        or not is_hex(start["table"])
        or not isinstance(start["public"], dict)
        or not isinstance(start["seats"], list)
    ):
        raise Differs
    try:
        chairs = [Chair(**chair) for chair in start["seats"]]
    except TypeError:
        raise Differs from None
    dealer = Reader(record, openings, schemes)
    record.keep = record.keep or dealer.scheme.check_record is not Scheme.check_record
    game = make_game(start["game"], start["params"], games)
    return Again.open(game, dealer, chairs, transcript=record, replaying=True)


def _apply(table: Again, event: Event) -> None:
    """Submit the recorded answer."""
    kind = event["kind"]
    if kind == "note" and isinstance(event["body"], dict):
        table.note(event["body"])
    elif kind == "forfeit":
        table.forfeit(event["seat"], event["reason"], event["by"])
    else:
        wanted = event.get("share", kind)
        for ask in table.asks():
            if ask.kind == wanted and ask.seat == event.get("seat"):
                table.submit(ask, said(event))
                return
        raise Differs


def backwards(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file from the last one on."""
    end, size, rest = file.seek(0, 2), BLOCK, b""
    while end:
        begin = max(0, end - size)
        file.seek(begin)
        block = file.read(end - begin) + rest
        cut = (block.find(b"\n") + 1 or len(block)) if begin else 0
        yield from reversed(BytesIO(block[cut:]).readlines())
        end, size, rest = begin, 2 * size, block[:cut]
