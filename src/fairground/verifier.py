"""Verifying a transcript: play it again through the referee, and state what it proves.

The recorded answers go to a fresh table whose dealer reads tickets and evidence from the record.
Every line that this table writes must be the recorded line, byte for byte. So no rule, digest or
signature is checked in a second place: a line that the referee would not have written is refused.

The record is read as a stream, one line ahead of the referee (`Record`). A line is compared and
forgotten, unless the caller keeps the table. Memory holds the state of the game and what the
claims are made of: at most about three times the file, where every draw has a ticket and a share.
Only a record that does not go on as it should is read to its end, to name its first fault.

`verify` gives one of four verdicts:

* **valid**: every line is what the rules and the evidence give;
* **invalid**: some line is not; the first one is named, with the reason;
* **unfinished**: all lines are right, but the game was not closed, or the house voided it;
* **cannot be judged**: a game, scheme or format that is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import IO, Any, Final, Literal, NamedTuple, TypeGuard

from fairground.answers import Answer, Owed, answered, fault_line, owed, result, unanswered, voided
from fairground.claims import Claim, Receipt
from fairground.claims import Evidence as ClaimEvidence
from fairground.core import Fault, Game, HouseFault, InputError, Seat, SecretLost, Unreadable
from fairground.escape import named, shown
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer, Evidence, NotYet, Review, Run, Scheme, is_hex
from fairground.games import GAMES, Games, game_class
from fairground.receipts import BLANKS
from fairground.table import Table
from fairground.transcript import (
    EVENTS,
    FORMAT,
    Event,
    Transcript,
    check_chain,
    line_hash,
    line_of,
    must_look_like_a_transcript,
    parse,
)
from fairground.words import words_for

__all__ = ["Claim", "Verdict", "replay", "resume", "verify"]

FIELDS: Final = {kind: set(names.split()) for kind, names in EVENTS.items()}
"""Every kind of event, and its fields."""

BLOCK: Final = 1 << 16
"""Bytes that are read at once from the end of a file; then twice as many, and so on."""

SHARED: Final = 1 << 12
"""Maximum size of a game's parameters, in bytes, for the game to be cached."""

Judged = Literal["valid", "invalid", "unfinished", "cannot be judged"]

UNKNOWN: Final = {"name/unknown", "format/unknown", "install/missing"}
"""Faults of this installation, not of the record."""

UNREAD: Final = {"transcript/not-canonical", "transcript/broken-chain", "transcript/line-ends"}
"""Faults of the file: its first line is not taken at its word."""


# Playing a record again


class Record(Transcript):
    """A recorded transcript, read while a table writes it again.

    Each line that the table appends must be the next one of the record.
    """

    def __init__(self, file: IO[bytes], wanted: Iterable[str] = (), *, keep: bool = True) -> None:
        """Open a record; raise `Unreadable` for a file that never was a transcript.

        ``wanted``: hashes of lines whose numbers will be asked for (`found`). ``keep``: whether
        events and lines stay in memory.
        """
        super().__init__()
        file.seek(0)
        must_look_like_a_transcript(file)
        file.seek(0)
        _must_have_plain_line_ends(file.readline())
        self._openings = _last_openings(file)
        file.seek(0)
        self.found: dict[str, int] = dict.fromkeys(wanted, 0)
        self.keep = keep
        self.total = 0
        """Number of lines of the record; known at its end, or after `read_ahead`."""
        self.void: tuple[int, Event] | None = None
        """Number and event of the last ``void``; known after `read_ahead`, like the next two."""
        self.closed = False
        """True if the record's last line is an ``end``."""
        self._ahead: list[Event] | None = None
        self._house: dict[tuple[str, int], Event] = {}
        self.differs: Fault | None = None
        """The first line that was written otherwise than it is recorded."""
        self._lines: Iterator[bytes] = iter(file)
        self._read()
        self.start = self.coming

    def _read(self) -> None:
        self._line = next(self._lines, b"")
        self.coming: Event = {}
        if self._line:
            self.coming = parse(self._line, self.step + 1, reencode=False)
        elif self._ahead is None:
            self.total = self.step

    @property
    def ended(self) -> bool:
        """True if all lines are written again."""
        return not self._line

    def append(self, kind: str, **fields: Any) -> None:
        """Write a line: it must be the next one of the record, if there is one."""
        fields["kind"], fields["prev"] = kind, self.head
        line = line_of(fields)
        if line != self._line or self.differs:
            if self._line and not self.differs:
                self.read_ahead()
                self.differs = _mismatch(self.step + 1, fields, self.coming)
            self._add(fields)
            return
        self.head = line_hash(line)
        self.step += 1
        if self.found and self.head in self.found:
            self.found[self.head] = self.step
        if self.keep:
            self.events.append(self.coming)
            self.lines.append(line)
        self._read()

    def said(self, kind: str, run: int) -> Event | None:
        """Return the event that the house wrote of a run; ``None`` if there is none.

        It is the next line, or an opening among the last ones. A record that is wrong may have it
        elsewhere: then the first ticket or deal of that run counts, and the last opening.
        """
        coming = self.coming
        if coming.get("kind") == kind and coming.get("run") == run and coming["run"] is not True:
            return coming
        if kind == "opening" and run in self._openings:
            return self._openings[run]
        self.read_ahead()
        return self._house.get((kind, run))

    @property
    def opened(self) -> bool:
        """True if the last lines open anything."""
        return bool(self._openings)

    def read_ahead(self) -> None:
        """Read the record to its end; raise a `Fault` if a line breaks the chain or is no event.

        These are steps 3 to 5 of the verdict in docs/format.md. They come before any fault that
        is found by playing.
        """
        if self._ahead is not None:
            return
        rest = [self._line, *self._lines] if self._line else []
        self._lines = iter(rest[1:])
        events = check_chain(rest, self.step, self.head)
        if self.step == 0:
            _must_be_our_format(events[0])
        for number, event in enumerate(events, self.step + 1):
            kind = event.get("kind")
            if not isinstance(kind, str) or event.keys() != FIELDS.get(kind):
                reason = f"line {number} is no event that we know"
                raise Fault("transcript/malformed", reason, number)
            if kind == "void":
                if not isinstance(event["code"], str) or not isinstance(event["reason"], str):
                    reason = f"line {number}: code and reason of a void are text"
                    raise Fault("transcript/malformed", reason, number)
                self.void = number, event
            elif type(run := event.get("run")) is int:
                if kind == "opening":
                    self._house[kind, run] = event
                self._house.setdefault((kind, run), event)
        self._ahead = events
        self.total = self.step + len(rest) if rest else self.total
        self.closed = bool(events) and events[-1]["kind"] == "end"

    def leaves_next(self) -> bool:
        """Return true if the next event, notes apart, is a forfeit."""
        assert self._ahead is not None
        at = len(self._ahead) - (self.total - self.step)
        kinds = (event["kind"] for event in self._ahead[at:] if event["kind"] != "note")
        return next(kinds, None) == "forfeit"


def _last_openings(file: IO[bytes]) -> dict[int, Event]:
    """Return what the last lines open, by run: it is needed from the first draw on."""
    openings: dict[int, Event] = {}
    for line in backwards(file):
        if b'"kind":"opening"' in line:
            try:
                event = parse(line, 0, reencode=False)
            except Fault:
                break
            if event.get("kind") != "opening" or type(event.get("run")) is not int:
                break
            openings.setdefault(event["run"], event)
        elif b'"kind":"end"' not in line:
            break
    return openings


def backwards(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, the last one first."""
    end, size, rest = file.seek(0, 2), BLOCK, b""
    while end:
        begin = max(0, end - size)
        file.seek(begin)
        block = file.read(end - begin) + rest
        cut = (block.find(b"\n") + 1 or len(block)) if begin else 0
        yield from reversed(BytesIO(block[cut:]).readlines())
        end, size, rest = begin, 2 * size, block[:cut]


def _must_have_plain_line_ends(first: bytes) -> None:
    """Tell a copy whose line ends some program has rewritten."""
    if first.endswith(b"\r\n"):
        raise Fault(
            "transcript/line-ends",
            "the lines of this copy end in CR LF, and those of a transcript in LF: some program "
            "has changed them on the way. Take the original, or put them right: "
            "sed 's/\\r$//' COPY > FILE",
            1,
        )


def _must_be_our_format(start: Event) -> None:
    """Raise a `Fault` for a first line of another format. It may have other events."""
    named = start.get("format")
    if start.get("kind") != "start" or not isinstance(named, str):
        raise Fault("transcript/malformed", f"line 1 does not begin a {FORMAT} transcript", 1)
    if named != FORMAT:
        reason = f"line 1 names the format {named!r}; the one known here is {FORMAT}"
        raise Fault("format/unknown", reason, 1)


def _mismatch(line: int, ours: Event, theirs: Event) -> Fault:
    """Say in which fields the recorded line is not the one that the referee wrote."""
    names = [name for name in sorted(ours) if _plain(ours[name]) != theirs.get(name)]
    what = ", ".join(f"{name}: {_short(theirs.get(name))}" for name in names)
    should = ", ".join(f"{name}: {_short(ours[name])}" for name in names)
    reason = f"line {line} says {what}; by the rules and the evidence it is {should}"
    return Fault("table/mismatch", reason, line)


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back: tuples as lists."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


class Recorded(Dealer):
    """A dealer who says what the record says; behind its end, what ``then`` says, if given."""

    def __init__(self, record: Record, schemes: Schemes, then: Dealer | None) -> None:
        start = record.start
        self.table = bytes.fromhex(start["table"])
        self.scheme = dealer_class(start["dealer"], schemes).scheme
        self.public = start["public"]
        self._record = record
        self._then = then

    def _missing(self, what: str, code: str) -> Exception:
        """Say why the record does not go on: it was voided, or stops early, or is forged."""
        if self._record.void is not None:
            _, event = self._record.void
            void = HouseFault(event["reason"])
            void.code = event["code"]
            return void
        return Fault(code, what) if self._record.closed else NotYet()

    def _goes_on(self) -> Dealer | None:
        return self._then if self._record.void is None else None

    def open(self, run: Run) -> Evidence:
        """Return the recorded ticket. If somebody leaves first, it was kept back."""
        if (said := self._record.said("ticket", run.index)) is not None:
            ticket: Evidence = said.get("ticket", {})
            return ticket
        if self._record.leaves_next():
            raise NotYet
        if then := self._goes_on():
            return then.open(run)
        raise self._missing(f"the ticket of run {run.index} is missing", "table/unexpected")

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """Return the recorded evidence, and what the record opens at its end."""
        dealt = self._record.said("dealt", run.index)
        opened: Event | None = {"evidence": {}}
        if self.scheme.opens_once:
            opened = self._record.said("opening", 0)
        elif run.hidden:
            opened = self._record.said("opening", run.index)
        if dealt is not None and opened is not None:
            return dealt.get("evidence", {}), opened.get("evidence", {})
        if dealt is not None and self._record.void is not None:
            # The hidden draws died with the house's secrets: all that is left is to say so.
            line, event = self._record.void
            raise Fault("table/void", f"the house voided this game: {event['reason']}", line)
        if then := self._goes_on():
            try:
                now, later = then.evidence(run, head)
            except HouseFault as lost:
                if dealt is None:
                    raise
                reason = f"run {run.index} was dealt hidden and can never be opened: {lost}"
                raise Fault("table/void", reason) from lost
            return now if dealt is None else dealt["evidence"], later
        if dealt is not None:
            reason = f"the hidden draws of run {run.index} were never opened"
            raise self._missing(reason, "fair/unopened")
        raise self._missing(f"run {run.index} was never dealt", "table/unexpected")

    def opening(self, run: Run, head: str) -> Evidence:
        """Return the recorded opening of a ticket whose run was never dealt."""
        if (said := self._record.said("opening", run.index)) is not None:
            evidence: Evidence = said.get("evidence", {})
            return evidence
        if then := self._goes_on():
            return then.opening(run, head)
        raise self._missing(f"the ticket of run {run.index} was never opened", "fair/unopened")

    def release(self) -> None:
        """Let ``then`` decide, unless the record has told its openings already."""
        if self._then is not None and not self._record.opened:
            self._then.release()


def replay(
    data: bytes | IO[bytes],
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
    then: Dealer | None = None,
) -> Table:
    """Run a recorded game again; raise the first `Fault` of the record.

    A record that stops early gives the table as far as it goes.
    """
    return _played(Record(_file(data)), games, schemes, then)


def _file(data: bytes | IO[bytes]) -> IO[bytes]:
    return BytesIO(data) if isinstance(data, bytes) else data


def _played(record: Record, games: Games, schemes: Schemes, then: Dealer | None = None) -> Table:
    """Play a record again, to its end or its first fault."""
    try:
        table = _open(record, games, schemes, then)
        while not record.differs and not record.ended:
            if table.waiting and record.coming.get("kind") not in ("note", "forfeit"):
                break
            _apply(table, record)
        if record.differs:
            raise record.differs
    except Fault as fault:
        record.read_ahead()
        # The line that could not be written again is the first at fault.
        fault.line = fault.line or min(record.step + 1, record.total)
        raise
    except InputError as error:
        record.read_ahead()
        raise Fault(error.code, f"line {record.step + 1}: {error}", record.step + 1) from None
    return table


def _open(record: Record, games: Games, schemes: Schemes, then: Dealer | None) -> Table:
    """Open the fresh table that the first event describes."""
    start = record.start
    if start.get("format") != FORMAT or start.keys() != FIELDS["start"]:
        record.read_ahead()  # which says what is wrong with it
    if not is_hex(start["table"]):
        raise Fault("transcript/malformed", "line 1: the table's name must be 64 hex digits", 1)
    if not isinstance(start["params"], dict) or not isinstance(start["public"], dict):
        raise Fault("transcript/malformed", "line 1: params and public must be objects", 1)
    try:
        if not isinstance(start["seats"], list):
            raise TypeError
        chairs = [Chair(**chair) for chair in start["seats"]]
    except TypeError:
        raise Fault("transcript/malformed", "line 1: the seats are malformed", 1) from None
    rules, params = game_class(start["game"], games), line_of(start["params"])
    game = _cached_game(rules, params) if len(params) <= SHARED else _game(rules, params)
    dealer = Recorded(record, schemes, then)
    keep = record.keep
    record.keep = keep or dealer.scheme.check_record is not Scheme.check_record
    return Table.open(game, dealer, chairs, transcript=record, replaying=True, keep=keep)


def _game(rules: type[Game[Any]], params: bytes) -> Game[Any]:
    return rules.from_params(json.loads(params))


_cached_game: Final = lru_cache(maxsize=64)(_game)
"""All games of a contest have a few sets of parameters."""


def _apply(table: Table, record: Record) -> None:
    """Submit the recorded answer."""
    event, number = record.coming, record.step + 1
    kind = event.get("kind")
    if kind == "note":
        if not isinstance(event.get("body"), dict):
            raise Fault("transcript/malformed", f"line {number}: a note's body is an object")
        table.note(event["body"])
    elif kind == "forfeit":
        seat, reason, by = map(event.get, ("seat", "reason", "by"))
        table.forfeit(seat, reason, by)  # type: ignore[arg-type] # which it refuses
    else:
        seat = table.owing(event.get("share", kind), event.get("seat"))
        if seat is None:
            raise Fault("table/unexpected", f"line {number}: nothing called for this {kind} event")
        table.take(seat, said(event))


def said(event: Event) -> Any:
    """Return what a seat said in this event, as `Table.submit` takes it; ``None`` if nothing."""
    match event.get("kind"):
        case "move":
            return event.get("move")
        case "share":
            return event.get("value")
        case "seal":
            return event.get("commitment")
        case "open":
            return {"key": event.get("key"), "move": event.get("move")}


def reviewed(table: Table) -> Review:
    """Return what its scheme says of a replayed record as a whole.

    Raise a `Fault` unless the record is finished, and its scheme finds nothing wrong with it.
    """
    record = table.transcript
    assert isinstance(record, Record)
    if record.step != record.total or not table.closed:
        reason = f"the record stops after line {record.total}, before the game was closed"
        raise Fault("transcript/unfinished", reason, record.total)
    if table.void_reason is not None:
        reason = f"the house voided this game: {shown(table.void_reason)}"
        raise Fault("table/void", reason, record.total - 1)
    return table.scheme.check_record(record.events)


# Going on with a table


class _Lost(Dealer):
    """A dealer whose secrets are gone: it can only say so, and the table is void."""

    def __init__(self) -> None:
        pass

    def open(self, run: Run) -> Evidence:
        raise SecretLost("the vault does not hold the secrets that this table began with")

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        raise SecretLost("the vault does not hold the secrets that this table began with")


def resume(
    data: bytes,
    dealer: Dealer,
    sink: Callable[[bytes], object] | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Table:
    """Go on with a table from what was written of it and the vault that ``dealer`` reads.

    A last line without its line feed was cut off while it was written: nobody was told
    of it, and it is dropped. Lines that the resumed table adds go to ``sink``. A secret
    that is lost, or was opened for another history, voids the table.
    """
    written = data[: data.rfind(b"\n") + 1]
    if data and not written:
        raise Unreadable("the first line was never finished: this table was never opened")
    record = Record(BytesIO(written))
    then = dealer if dealer.public == record.start.get("public") else _Lost()
    table = _played(record, games, schemes, then)
    if sink is not None:
        for line in record.lines[record.total :]:
            sink(line)
    record.sink = sink
    table.replaying = False
    return table


# The verdict


class SeatSummary(NamedTuple):
    """A seat of the game, for people who compare it with what they remember."""

    name: str
    role: str
    by: str
    lends: str
    shares: tuple[tuple[int, str, Any], ...]
    """Line, kind and value of everything that the seat lent."""


class PlayedSummary(NamedTuple):
    """The game, its seats and the house's commitments, for people."""

    game: Game[Any]
    games: Games
    seats: tuple[SeatSummary, ...]
    commitments: tuple[tuple[int, str], ...]
    """Line and text of each commitment that a screen has shown."""

    @property
    def params(self) -> dict[str, Any]:
        """The game's parameters, as in line 1."""
        return self.game.params()

    @property
    def parameters(self) -> list[str]:
        """The parameters in words, a line each."""
        words = words_for(self.game, [seat.name for seat in self.seats], games=self.games)
        return [shown(line) for line in words.parameters()]

    def as_json(self) -> dict[str, Any]:
        """The summary as ``fairground verify --json`` prints it."""
        return {
            "params": self.params,
            "seats": [
                {
                    **seat._asdict(),
                    "shares": [
                        {"line": line, "kind": kind, "value": value}
                        for line, kind, value in seat.shares
                    ],
                }
                for seat in self.seats
            ],
            "commitments": [{"line": line, "text": text} for line, text in self.commitments],
        }


class Verdict(NamedTuple):
    """The result of checking a transcript."""

    judged: Judged
    claims: tuple[Claim, ...]
    payoff: tuple[int, ...] | None
    fault: Fault | None
    game: str | None
    dealer: str | None
    events: int
    played: PlayedSummary | None = None
    remarks: tuple[str, ...] = ()
    result: str | None = None
    """The outcome in the game's own words; ``None`` unless the record is valid."""
    answers: tuple[Answer, ...] = ()
    """The answers to the five questions."""
    owed: Owed | None = None
    """The line that an unfinished game lacks; ``None`` for any other."""

    @property
    def ok(self) -> bool:
        """True if the transcript is valid."""
        return self.judged == "valid"

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats."""
        return tuple(seat.name for seat in self.played.seats) if self.played else ()

    def __repr__(self) -> str:
        claims = ", ".join(map(str, self.claims)) or "no claims"
        return f"<{self.judged}: {self.game} by {self.dealer}, {self.events} lines, {claims}>"

    def __str__(self) -> str:
        rows = [f"  {a.label:<15} {a.answer or '-':<10} {a.says}" for a in self.answers]
        return "\n".join([self.headline, *(rows if self.ok else [])])

    @property
    def headline(self) -> str:
        """The outcome, and the verdict, in a sentence."""
        if self.fault is None:
            return f"{self.result} The record is valid."
        if self.owed is not None:
            return f"UNFINISHED. {self.owed.says}"
        return fault_line(self.judged, self.fault)

    def as_json(self) -> dict[str, Any]:
        """The verdict as ``fairground verify --json`` prints it."""
        fault = self.fault
        return {
            "ok": self.ok,
            "verdict": self.judged,
            "result": self.result,
            "answers": [answer._asdict() for answer in self.answers],
            "owed": self.owed and self.owed._asdict(),
            "claims": [claim.as_json() for claim in self.claims],
            "payoff": None if self.payoff is None else list(self.payoff),
            "fault": fault and {"line": fault.line, "code": fault.code, "reason": fault.reason},
            "game": self.game,
            "dealer": self.dealer,
            "events": self.events,
            "played": self.played and self.played.as_json(),
            "remarks": list(self.remarks),
        }


def verify(
    data: bytes | IO[bytes],
    receipts: str | Sequence[str | Mapping[str, Any]] = (),
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Verdict:
    """Check a transcript, and say what it proves. A file is not held in memory.

    ``receipts``: heads of asks that somebody kept before they answered: 64 hex digits each, or
    objects with ``head`` and ``seat`` as clients write them down. Raises `Unreadable` only for
    data that never was a transcript.
    """
    file = _file(data)
    kept = [receipts] if isinstance(receipts, str) else receipts
    start: Event = {}
    table: Table | None = None
    try:
        record = Record(file, map(_head_of, kept), keep=False)
        start = record.start
        table = _played(record, games, schemes)
        review = reviewed(table)
        witnessed = [_receipt(receipt, record.found) for receipt in kept]
    except Fault as fault:
        known = {} if fault.code in UNREAD else start
        file.seek(0)
        count = sum(1 for _ in file)
        about = known.get("game"), known.get("dealer")
        judged = _judged(fault)
        return Verdict(
            judged,
            (),
            None,
            fault,
            *about,
            count,
            answers=unanswered(fault, judged),
            owed=_stopped(fault, record, table) if judged == "unfinished" else None,
        )
    evidence = ClaimEvidence(table, witnessed)
    claims = [claim for claim in evidence.claims() if claim.name not in review.without]
    return Verdict(
        "valid",
        tuple(claims),
        table.payoff,
        None,
        table.game.name,
        table.scheme.name,
        record.total,
        _summary(table, games),
        (*_remarks(table), *review.remarks),
        _result(table, games),
        answered(evidence, claims, review.without),
    )


def _judged(fault: Fault) -> Judged:
    if fault.code in UNKNOWN:
        return "cannot be judged"
    return "unfinished" if fault.code in ("transcript/unfinished", "table/void") else "invalid"


def _stopped(fault: Fault, record: Record, table: Table | None) -> Owed:
    """Say who stopped an unfinished game."""
    if table is not None and fault.code == "transcript/unfinished":
        return owed(table, record.total)
    assert record.void is not None
    line, event = record.void
    return voided(line, event["reason"])


def _result(table: Table, games: Games) -> str:
    assert table.payoff is not None
    names = [named(chair.name) for chair in table.setting.chairs]
    return result(table, words_for(table.game, names, games=games).over(table.state, table.payoff))


def _head_of(receipt: str | Mapping[str, Any]) -> str:
    """Return the hash that a receipt names; empty if it names none."""
    given = receipt if isinstance(receipt, str) else receipt.get("head")
    return given.strip(BLANKS).lower() if isinstance(given, str) else ""


def _receipt(receipt: str | Mapping[str, Any], numbers: Mapping[str, int]) -> Receipt:
    """Find the line of a receipt; raise a `Fault` if it is of another history."""
    head = _head_of(receipt)
    seat = None if isinstance(receipt, str) else receipt.get("seat")
    if len(head) != 64 or head.strip("0123456789abcdef"):
        given = receipt if isinstance(receipt, str) else receipt.get("head")
        raise InputError(f"a receipt is 64 hex digits, such as {'5e' * 32}, not {given!r}")
    if not numbers.get(head):
        reason = f"no line of this transcript hashes to the receipt {head}: another history"
        raise Fault("transcript/receipt", reason)
    return Receipt(numbers[head], int(seat) if _is_whole(seat) else None)


def _is_whole(seat: object) -> TypeGuard[float]:
    """Return true for an integer, however JSON writes it: 1, 1.0 or 1e0."""
    return type(seat) is int or (type(seat) is float and seat.is_integer())


def _summary(table: Table, games: Games) -> PlayedSummary:
    names = [shown(chair.name) for chair in table.setting.chairs]
    lent: dict[Seat, list[tuple[int, str, Any]]] = {}
    for run in table.runs:
        for share in run.shares:
            lent.setdefault(share.seat, []).append((share.line, share.kind, share.value))
    seats = tuple(
        SeatSummary(
            names[seat],
            table.game.role(seat),
            chair.by,
            chair.lends,
            tuple(lent.get(seat, ())),
        )
        for seat, chair in enumerate(table.setting.chairs)
    )
    return PlayedSummary(
        table.game,
        games,
        seats,
        tuple(table.scheme.shown(table.runs)) if table.runs else (),
    )


def _remarks(table: Table) -> list[str]:
    remarks = []
    for line, seat, by, reason in table.departures:
        name = named(table.setting.chairs[seat].name)
        said = "the record says that {} left" if by == "seat" else "the house says that {} left"
        remarks.append(f"line {line}: {said.format(name)}: {named(reason)}")
    return remarks
