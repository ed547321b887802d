"""Running a table again from its transcript: to verify it, or to go on after a crash.

The recorded answers are submitted to a fresh table whose dealer reads tickets and
evidence from the record. Every line that this table writes must be the recorded
line, byte for byte. So no rule, digest or signature is checked in a second place:
what the referee would not have written is not accepted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from fairground.core import Fault, HouseFault, InputError, SecretLost, Unreadable
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer, Evidence, NotYet, Run, is_hex
from fairground.games import GAMES, Games, make_game
from fairground.table import Table
from fairground.transcript import (
    EVENTS,
    FORMAT,
    Event,
    Transcript,
    check_chain,
    line_hash,
    read,
)

FIELDS: Final = {kind: set(names.split()) for kind, names in EVENTS.items()}
"""Every kind of event, and its fields."""


class Recorded(Dealer):
    """A dealer that says what the record says; behind its end, what ``then`` says, if given."""

    def __init__(self, events: Sequence[Event], schemes: Schemes, then: Dealer | None) -> None:
        start = events[0]
        self.table = bytes.fromhex(start["table"])
        self.scheme = dealer_class(start["dealer"], schemes).scheme
        self.public = start["public"]
        self._then = then
        self._events = events
        self._tickets: dict[Any, Evidence] = {}
        self._dealt: dict[Any, Evidence] = {}
        self._openings: dict[Any, Evidence] = {}
        self._void: HouseFault | None = None
        self._ended = events[-1]["kind"] == "end"
        for number, event in enumerate(events, 1):
            if event["kind"] == "ticket":
                self._tickets[_key(event["run"])] = event["ticket"]
            elif event["kind"] == "dealt":
                self._dealt[_key(event["run"])] = event["evidence"]
            elif event["kind"] == "opening":
                self._openings[_key(event["run"])] = event["evidence"]
            elif event["kind"] == "void":
                self._void = HouseFault(event["reason"])
                self._void.code = event["code"]
                self._void_line = number

    def _missing(self, what: str, code: str) -> Exception:
        """Why the record does not go on: it was voided, or stops early, or was tampered with."""
        if self._void is not None or not self._ended:
            return self._void or NotYet()
        return Fault(code, what)

    def open(self, run: Run) -> Evidence:
        """The recorded ticket."""
        if run.index in self._tickets:
            return self._tickets[run.index]
        if self._was_kept_back(run):
            raise NotYet
        if self._then is None or self._void is not None:
            raise self._missing(f"the ticket of run {run.index} is missing", "table/unexpected")
        return self._then.open(run)

    def _was_kept_back(self, run: Run) -> bool:
        """Whether somebody left, by the record, while the dealer had not yet given this ticket."""
        coming = (e["kind"] for e in self._events[run.step :] if e["kind"] != "note")
        return next(coming, None) == "forfeit"

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """The recorded evidence, and what the record opens at its end."""
        opening = 0 if self.scheme.opens_once else run.index
        told_later = self.scheme.opens_once or run.hidden
        dealt = run.index in self._dealt
        if dealt and (opening in self._openings or not told_later):
            return self._dealt[run.index], self._openings.get(opening, {})
        if dealt and self._void is not None:
            # The hidden draws died with the house's secrets: all that is left is to say so.
            raise Fault("table/void", f"the house voided this game: {self._void}", self._void_line)
        if self._then is not None and self._void is None:
            try:
                now, later = self._then.evidence(run, head)
            except HouseFault as lost:
                if dealt:
                    reason = f"run {run.index} was dealt hidden and can never be opened: {lost}"
                    raise Fault("table/void", reason) from lost
                raise
            return self._dealt.get(run.index, now), later
        if dealt:
            reason = f"the hidden draws of run {run.index} were never opened"
            raise self._missing(reason, "fair/unopened")
        raise self._missing(f"run {run.index} was never dealt", "table/unexpected")

    def opening(self, run: Run, head: str) -> Evidence:
        """The recorded opening of a ticket whose run was never dealt."""
        if run.index in self._openings:
            return self._openings[run.index]
        if self._then is not None and self._void is None:
            return self._then.opening(run, head)
        raise self._missing(f"the ticket of run {run.index} was never opened", "fair/unopened")

    def release(self) -> None:
        """The record tells its openings; behind it, ``then`` decides."""
        if self._then is not None and not self._openings:
            self._then.release()


def _key(value: object) -> int:
    return value if type(value) is int else -1


def replay(
    lines: Sequence[bytes],
    events: Sequence[Event],
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
    then: Dealer | None = None,
) -> Table:
    """Run the recorded game again; raise a `Fault` at the first line that does not follow.

    A record that stops early gives the table as far as it goes.
    """
    _must_be_our_format(events[0])
    for number, event in enumerate(events, 1):
        kind = event.get("kind")
        if not isinstance(kind, str) or event.keys() != FIELDS.get(kind):
            raise Fault("transcript/malformed", f"line {number} is no event that we know", number)
    heads = [event["prev"] for event in events[1:]]  # as `check_chain` has found them
    again = Transcript(recorded=lines, heads=[*heads, line_hash(lines[-1])])
    try:
        table = _open(events, games, schemes, then, again)
        _compare(table, lines, 0)
        while (number := again.step + 1) <= len(events):
            event = events[number - 1]
            if table.waiting and event["kind"] not in ("note", "forfeit"):
                break
            _apply(table, event, number)
            _compare(table, lines, number - 1)
    except Fault as fault:
        # The line that could not be written again is the first at fault.
        fault.line = fault.line or min(again.step + 1, len(lines))
        raise
    except InputError as error:
        raise Fault(error.code, f"line {again.step + 1}: {error}", again.step + 1) from None
    return table


def _must_be_our_format(start: Event) -> None:
    """Another format may have other events, so this comes before anything else."""
    named = start.get("format")
    if start.get("kind") != "start" or not isinstance(named, str):
        raise Fault("transcript/malformed", f"line 1 does not begin a {FORMAT} transcript", 1)
    if named != FORMAT:
        reason = f"line 1 names the format {named!r}; the one known here is {FORMAT}"
        raise Fault("format/unknown", reason, 1)


def _open(
    events: Sequence[Event],
    games: Games,
    schemes: Schemes,
    then: Dealer | None,
    transcript: Transcript,
) -> Table:
    """The fresh table that the first event describes."""
    start = events[0]
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
    return Table.open(
        make_game(start["game"], start["params"], games),
        Recorded(events, schemes, then),
        chairs,
        transcript=transcript,
        replaying=True,
    )


def _apply(table: Table, event: Event, number: int) -> None:
    """Submit one recorded answer."""
    kind = event["kind"]
    if kind == "note":
        if not isinstance(event["body"], dict):
            raise Fault("transcript/malformed", f"line {number}: a note's body is an object")
        table.note(event["body"])
    elif kind == "forfeit":
        table.forfeit(event["seat"], event["reason"], event["by"])
    else:
        wanted = (event.get("share", kind), event.get("seat"))
        ask = next((ask for ask in table.asks() if (ask.kind, ask.seat) == wanted), None)
        if ask is None:
            raise Fault("table/unexpected", f"line {number}: nothing called for this {kind} event")
        table.submit(ask, said(event))


def said(event: Event) -> Any:
    """What a seat said in this event, as `Table.submit` wants it; ``None`` if it said nothing."""
    match event["kind"]:
        case "move":
            return event.get("move")
        case "share":
            return event.get("value")
        case "seal":
            return event.get("commitment")
        case "open":
            return {"key": event.get("key"), "move": event.get("move")}


def _compare(table: Table, lines: Sequence[bytes], begin: int) -> None:
    """Every line that the table wrote must be the recorded one."""
    written = table.transcript
    for i in range(begin, min(written.step, len(lines))):
        if written.lines[i] != lines[i]:
            ours, theirs = written.events[i], json.loads(lines[i])
            names = [name for name in sorted(ours) if _plain(ours[name]) != theirs.get(name)]
            what = ", ".join(f"{name}: {_short(theirs.get(name))}" for name in names)
            should = ", ".join(f"{name}: {_short(ours[name])}" for name in names)
            reason = f"line {i + 1} says {what}; by the rules and the evidence it is {should}"
            raise Fault("table/mismatch", reason, i + 1)


def _plain(value: Any) -> Any:
    """A value as JSON gives it back: tuples as lists."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


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
    lines = read(data)
    if not lines[-1].endswith(b"\n"):
        lines.pop()
    if not lines:
        raise Unreadable("the first line was never finished: this table was never opened")
    events = check_chain(lines)
    then = dealer if dealer.public == events[0].get("public") else _Lost()
    table = replay(lines, events, games=games, schemes=schemes, then=then)
    if sink is not None:
        for line in table.transcript.lines[len(lines) :]:
            sink(line)
    table.transcript.sink = sink
    table.replaying = False
    return table
