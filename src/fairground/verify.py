"""Checking a transcript: is it valid, and what does it prove, for whom, on what condition?

`verify` follows the hash chain, runs the game again through the same referee, and then states
claims (`claims`). There are four verdicts:

* **valid**: every line is what the rules and the evidence give;
* **invalid**: some line is not; the first one is named, with the reason;
* **unfinished**: what is there is right, but the game was not closed;
* **cannot be judged**: a game, scheme or format that is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import IO, Any, Final, Literal, NamedTuple

from fairground.claims import Claim, Evidence, Receipt
from fairground.core import Fault, Game, InputError, Seat
from fairground.fair.register import SCHEMES, Schemes
from fairground.fair.schemes import Review
from fairground.games import GAMES, Games
from fairground.replay import replay
from fairground.retrace import Differs, Retraced, retrace
from fairground.shown import named, shown
from fairground.table import Table
from fairground.transcript import Event, check_chain, line_hash, read
from fairground.words import words_for

__all__ = ["Claim", "Verdict", "verify"]

Judged = Literal["valid", "invalid", "unfinished", "cannot be judged"]

UNKNOWN: Final = {"name/unknown", "format/unknown", "install/missing"}
"""Faults of this installation, not of the record."""


class SeatSummary(NamedTuple):
    """Who sat where, and what they lent, for people who compare it with what they remember."""

    name: str
    role: str
    by: str
    lends: str
    shares: tuple[tuple[int, str, Any], ...]
    """Line, kind and value of everything that the seat lent."""


class PlayedSummary(NamedTuple):
    """What was played."""

    game: Game[Any]
    games: Games
    seats: tuple[SeatSummary, ...]
    commitments: tuple[tuple[int, str], ...]
    """What a screen had shown of the house's secrets: line and text."""

    @property
    def params(self) -> dict[str, Any]:
        """The game's parameters, as line 1 has them."""
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
    """What came of checking a transcript."""

    judged: Judged
    claims: tuple[Claim, ...]
    payoff: tuple[int, ...] | None
    fault: Fault | None
    game: str | None
    dealer: str | None
    events: int
    played: PlayedSummary | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the transcript is valid."""
        return self.judged == "valid"

    @property
    def seats(self) -> tuple[str, ...]:
        """Who sat where."""
        return tuple(seat.name for seat in self.played.seats) if self.played else ()

    def __repr__(self) -> str:
        claims = ", ".join(map(str, self.claims)) or "no claims"
        return f"<{self.judged}: {self.game} by {self.dealer}, {self.events} lines, {claims}>"

    def __str__(self) -> str:
        if self.fault is not None:
            where = "" if self.fault.line is None else f" at line {self.fault.line}"
            return f"{self.judged}{where}: {self.fault.reason}"
        return "\n".join(["valid", *(claim.sentence for claim in self.claims)])

    def as_json(self) -> dict[str, Any]:
        """The verdict as ``fairground verify --json`` prints it."""
        fault = self.fault
        return {
            "ok": self.ok,
            "verdict": self.judged,
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
    """Check a transcript, and say what it proves.

    A file is read line by line, and not held in memory (see `fairground.retrace`).

    ``receipts``: heads of asks that somebody kept before they answered: 64 hex digits each, or
    objects with ``head`` and ``seat`` as clients write them down. Raises `Unreadable` only for
    data that never was a transcript.
    """
    file = BytesIO(data) if isinstance(data, bytes) else data
    kept = [receipts] if isinstance(receipts, str) else receipts
    found: Retraced | Verdict
    try:
        found = retrace(file, wanted=map(_head_of, kept), games=games, schemes=schemes)
    except Differs:
        file.seek(0)
        found = _looked_into(read(file.read()), games, schemes)
    if isinstance(found, Verdict):
        return found
    table, review, numbers = found
    game, dealer, events = table.game.name, table.scheme.name, table.transcript.step
    try:
        witnessed = [_receipt(receipt, numbers) for receipt in kept]
    except Fault as fault:
        return Verdict("invalid", (), None, fault, game, dealer, events)
    claims = [c for c in Evidence(table, witnessed).claims() if c.name not in review.without]
    return Verdict(
        "valid",
        tuple(claims),
        table.payoff,
        None,
        game,
        dealer,
        events,
        _summary(table, games),
        (*_remarks(table), *review.remarks),
    )


def _looked_into(lines: Sequence[bytes], games: Games, schemes: Schemes) -> Retraced | Verdict:
    """Go through a record that could not be followed: usually to say what is wrong with it."""
    game = dealer = None
    try:
        events = chained(lines)
        game, dealer = events[0].get("game"), events[0].get("dealer")
        table, review = run_again(lines, events, games=games, schemes=schemes)
    except Fault as fault:
        found = first_fault(lines, fault)
        return Verdict(_judged(found), (), None, found, game, dealer, len(lines))
    return table, review, {line_hash(line): number for number, line in enumerate(lines, 1)}


def chained(lines: Sequence[bytes]) -> list[Event]:
    """The events of a record whose hashes follow each other.

    `run_again` writes every line again, canonically, and compares the bytes; here that is left out.
    """
    _must_have_plain_line_ends(lines)
    return check_chain(lines, reencode=False)


def run_again(
    lines: Sequence[bytes],
    events: Sequence[Event],
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> tuple[Table, Review]:
    """Play a chained record again through the referee, to its end, and let its scheme review it.

    Raises a `Fault`; `first_fault` says which one to name.
    """
    table = replay(lines, events, games=games, schemes=schemes)
    _must_be_finished(table, len(lines))
    return table, table.scheme.check_record(events)


def _judged(fault: Fault) -> Judged:
    if fault.code in UNKNOWN:
        return "cannot be judged"
    return "unfinished" if fault.code == "transcript/unfinished" else "invalid"


def first_fault(lines: Sequence[bytes], fault: Fault) -> Fault:
    """A line that is not canonical is named before anything that was found by replaying."""
    try:
        check_chain(lines)
    except Fault as earlier:
        return earlier if fault.code != "transcript/line-ends" else fault
    return fault


def _must_have_plain_line_ends(lines: Sequence[bytes]) -> None:
    """A copy that went through a program which rewrites line ends says so, in so many words."""
    if lines[0].endswith(b"\r\n"):
        raise Fault(
            "transcript/line-ends",
            "the lines of this copy end in CR LF, and those of a transcript in LF: some program "
            "has changed them on the way. Take the original, or put them right: "
            "sed 's/\\r$//' COPY > FILE",
            1,
        )


def _must_be_finished(table: Table, lines: int) -> None:
    checked = min(table.transcript.step, lines)
    if table.transcript.step != lines or not table.closed:
        rest = "" if checked == lines else " The lines behind that could not be checked."
        raise Fault(
            "transcript/unfinished",
            f"the record stops after line {lines}, before the game was closed. As far as line "
            f"{checked} it follows the rules.{rest} It proves nothing yet. Who keeps its secrets "
            "can go on with it",
            lines,
        )
    if table.void_reason is not None:
        reason = f"the house voided this game: {shown(table.void_reason)}"
        raise Fault("table/void", reason, lines - 1)


def _head_of(receipt: str | Mapping[str, Any]) -> str:
    """The hash that a receipt names, or what stands in its place."""
    given = receipt if isinstance(receipt, str) else receipt.get("head")
    return given.strip().lower() if isinstance(given, str) else ""


def _receipt(receipt: str | Mapping[str, Any], numbers: Mapping[str, int]) -> Receipt:
    """Where a receipt stands; one that stands nowhere is of another history."""
    head = _head_of(receipt)
    seat = None if isinstance(receipt, str) else receipt.get("seat")
    if len(head) != 64 or head.strip("0123456789abcdef"):
        given = receipt if isinstance(receipt, str) else receipt.get("head")
        raise InputError(f"a receipt is 64 hex digits, such as {'5e' * 32}, not {given!r}")
    if not numbers.get(head):
        reason = f"no line of this transcript hashes to the receipt {head}: another history"
        raise Fault("transcript/receipt", reason)
    return Receipt(numbers[head], seat if type(seat) is int else None)


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
        tuple(table.scheme.shown(table.runs)),
    )


def _remarks(table: Table) -> list[str]:
    remarks = []
    for line, seat, by, reason in table.departures:
        name = named(table.setting.chairs[seat].name)
        said = "as recorded, by their own word" if by == "seat" else "as the house says"
        remarks.append(f"line {line}: {name} left, {said}: {named(reason)}")
    return remarks
