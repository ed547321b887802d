"""Checking a transcript: does it hold, and what does it prove, for whom, on what condition?

`verify` follows the hash chain, runs the game again through the same referee, and
then states claims. A claim is stated only where the transcript holds its evidence,
and always together with its condition; `docs/fairness.md` says what each means, and
what is not proven at all.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, NamedTuple

from fairground.core import Fault, InputError, Seat
from fairground.fair.register import SCHEMES, Schemes
from fairground.fair.schemes import Run
from fairground.games import GAMES, Games
from fairground.replay import replay
from fairground.table import Table
from fairground.transcript import check_chain, line_hash, read


class Claim(NamedTuple):
    """Something that the evidence supports. ``lines`` are where the evidence stands."""

    name: str
    seat: Seat | None
    condition: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        return self.name if self.seat is None else f"{self.name}:{self.seat}"


class Verdict(NamedTuple):
    """What came of checking a transcript."""

    ok: bool
    claims: tuple[Claim, ...]
    payoff: tuple[int, ...] | None
    fault: Fault | None
    game: str | None
    dealer: str | None
    events: int
    seats: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The verdict as ``fairground verify --json`` prints it."""
        fault = self.fault
        return {
            "ok": self.ok,
            "claims": [str(claim) for claim in self.claims],
            "payoff": None if self.payoff is None else list(self.payoff),
            "fault": fault and {"line": fault.line, "code": fault.code, "reason": fault.reason},
            "game": self.game,
            "dealer": self.dealer,
            "events": self.events,
            "remarks": list(self.remarks),
        }


def verify(
    data: bytes,
    receipt: str | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Verdict:
    """Check a transcript, and say what it proves.

    ``receipt`` is a hash that somebody kept while the game was going on (the head that
    they last saw): with it, the order of events up to that line is proven too. Raises
    `Unreadable` only for data that never was a transcript.
    """
    lines = read(data)
    game = dealer = None
    try:
        # `replay` writes every line again, canonically, and compares the bytes.
        events = check_chain(lines, reencode=False)
        game, dealer = events[0].get("game"), events[0].get("dealer")
        table = replay(lines, events, games=games, schemes=schemes)
        _must_be_finished(table, len(lines))
        remarks = table.scheme.check_record(events)
        receipt_line = None if receipt is None else _line_of(receipt, lines)
    except Fault as fault:
        return Verdict(False, (), None, _first_fault(lines, fault), game, dealer, len(lines))
    return Verdict(
        True,
        tuple(_claims(table, receipt_line)),
        table.payoff,
        None,
        game,
        dealer,
        len(lines),
        tuple(chair.name for chair in table.setting.chairs),
        (*_remarks(table), *remarks),
    )


def _first_fault(lines: list[bytes], fault: Fault) -> Fault:
    """A line that is not canonical is named before anything that was found by replaying."""
    try:
        check_chain(lines)
    except Fault as earlier:
        return earlier
    return fault


def _must_be_finished(table: Table, lines: int) -> None:
    if table.transcript.step != lines or not table.closed:
        reason = f"UNFINISHED: the record stops at line {lines}, before the game was closed"
        raise Fault("transcript/unfinished", reason, lines)
    if table.void_reason is not None:
        reason = f"the house voided this game: {table.void_reason}"
        raise Fault("table/void", reason, lines - 1)


def _line_of(receipt: str, lines: list[bytes]) -> int:
    wanted = receipt.strip().lower()
    if len(wanted) != 64 or any(digit not in "0123456789abcdef" for digit in wanted):
        raise InputError(f"a receipt is 64 hex digits, such as {'5e' * 32}, not {receipt!r}")
    for number, line in enumerate(lines, 1):
        if line_hash(line) == wanted:
            return number
    reason = f"no line of this transcript hashes to the receipt {wanted}: it is another history"
    raise Fault("transcript/receipt", reason)


def _claims(table: Table, receipt_line: int | None) -> list[Claim]:
    claims = []
    dealt = [run for run in table.runs if run.line]
    owed = [run for run in table.runs if run.line or table.scheme.must_open(run)]
    committed = bool(owed) and all(run.committed for run in owed)
    if committed:
        claims.append(
            Claim(
                "COMMITTED",
                None,
                "the house fixed its part before the shares and decisions that it could use; "
                "it chose that part itself, and knew it",
                (1, *_lines(owed)),
            )
        )
    for seat, chair in enumerate(table.setting.chairs):
        if committed and dealt and all(seat in run.lent for run in dealt):
            claims.append(Claim("UNIFORM", seat, _condition(table, seat), _shares(dealt, seat)))
            if _unforeseen(table, dealt, seat):
                condition = f"the same as UNIFORM:{seat}; its share came after every decision"
                claims.append(Claim("UNFORESEEN", seat, condition, _shares(dealt, seat)))
        assert chair.by != "house" or all(seat not in run.lent for run in dealt)
    if table.sealed_turns:
        ends = tuple(line for turn in table.sealed_turns for line in turn)
        condition = "nobody saw a seat's move before it was sealed"
        claims.append(Claim("SEALED", None, condition, ends))
    for name in table.game.proves(table.state):
        claims.append(Claim(name, None, "checked by the rules", (table.transcript.step,)))
    if receipt_line is not None:
        condition = f"up to line {receipt_line}: the receipt was kept while the game went on"
        claims.append(Claim("ORDERED", None, condition, (receipt_line,)))
    return claims


def _condition(table: Table, seat: Seat) -> str:
    lends = table.setting.chairs[seat].lends
    name = table.setting.chairs[seat].name
    if lends == "chain":
        return f"{name} held the chain of this seat, and works with nobody"
    condition = f"{name} made up the {lends} so that nobody could guess it, and works with nobody"
    if lends == "stir" and _stirred_later(table, seat):
        condition += "; nor does anyone who stirred after them work with the house"
    return condition


def _stirred_later(table: Table, seat: Seat) -> bool:
    """Whether anyone could have chosen their words by this seat's: the lines say so."""
    for run in table.runs:
        stirs = [(share.line, share.seat) for share in run.shares if share.kind == "stir"]
        if stirs and max(stirs)[1] != seat:
            return True
    return False


def _lines(runs: list[Run]) -> tuple[int, ...]:
    """Ticket and deal of each run (or only the ticket, where it was never dealt)."""
    return tuple(line for run in runs for line in (run.step + 1, run.line) if line)


def _shares(runs: list[Run], seat: Seat) -> tuple[int, ...]:
    return tuple(sorted({run.lent[seat] for run in runs}))


def _unforeseen(table: Table, runs: list[Run], seat: Seat) -> bool:
    """Whether each run waited for a share that this seat gave after all earlier decisions.

    The seat's own decisions do not count: it may do as it likes with its own foresight.
    """
    others = [decision.line for decision in table.decisions if decision.seat != seat]
    for run in runs:
        earlier = bisect_left(others, run.line)
        if earlier and others[earlier - 1] > run.lent[seat]:
            return False
    return True


def _remarks(table: Table) -> list[str]:
    remarks = []
    for number, event in enumerate(table.transcript.events, 1):
        if event["kind"] == "forfeit":
            name = table.setting.chairs[event["seat"]].name
            own = event["by"] == "seat"
            said = "recorded as their own word" if own else "asserted by the house"
            remarks.append(f"line {number}: {name} forfeited, {said}: {event['reason']}")
    return remarks
