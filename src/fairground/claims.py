"""The claims that a record supports: the seat, the condition and the evidence of each.

A claim is a sentence **"If …, then …"**. The reader must check what stands after *if*. A claim is
made only where the record holds its evidence; `docs/fairness.md` has the rules as pseudo-code.

**Order.** The house writes the record, so the order of its lines is the house's word. A *receipt*
changes that: the hash of the last line that a seat saw before it answered. It shows that everything
up to that line existed before the answer. So a run of draws is **witnessed** for a seat when one of
its receipts lies between the line that fixed the house's part and the seat's own share.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from fairground.core import Seat
from fairground.escape import named, shown
from fairground.fair.schemes import Chair, Run
from fairground.table import SealedTurn, Table

COMMITTED: Final = "COMMITTED"
UNIFORM: Final = "UNIFORM"
UNFORESEEN: Final = "UNFORESEEN"
SEALED: Final = "SEALED"
ORDERED: Final = "ORDERED"


class Receipt(NamedTuple):
    """A line that somebody had seen before they answered."""

    line: int
    seat: Seat | None = None
    """The seat that kept the receipt; ``None``: the reader."""


By = Literal["house", "receipts", "receipts and house", "signature"]


class Witness(NamedTuple):
    """The witness of the order of lines that a claim rests on."""

    by: By
    shown: tuple[int, ...] = ()
    """The runs (for SEALED: the simultaneous turns) whose order receipts show."""
    told: tuple[int, ...] = ()
    """Those whose order is only the house's word."""


class Claim(NamedTuple):
    """Something that the evidence supports."""

    name: str
    seat: Seat | None
    who: str | None
    """The name of the seat."""
    condition: str
    """The condition that the reader must check."""
    result: str
    lines: tuple[int, ...]
    """The lines with the evidence."""
    witness: Witness | None = None
    """``None``: the claim does not rest on the order of lines."""

    def __str__(self) -> str:
        return self.name if self.seat is None else f"{self.name}:{self.seat}"

    @property
    def sentence(self) -> str:
        """The claim in one sentence."""
        return f"If {self.condition}, then {self.result}."

    def as_json(self) -> dict[str, Any]:
        """The claim as ``fairground verify --json`` prints it."""
        witness = self.witness
        return {
            "claim": self.name,
            "seat": self.seat,
            "name": self.who,
            "condition": self.condition,
            "result": self.result,
            "lines": list(self.lines),
            "witness": witness
            and {"by": witness.by, "shown": list(witness.shown), "told": list(witness.told)},
        }


Spans = Mapping[int, tuple[int, int]]
"""Run (or turn) → the lines between which a receipt must lie to show its order."""


class Evidence:
    """A finished record, and the receipts that its reader brings."""

    def __init__(self, table: Table, receipts: Sequence[Receipt] = ()) -> None:
        self.table = table
        self.receipts = receipts
        self.names = [named(chair.name) for chair in table.setting.chairs]
        chairs = table.setting.chairs
        self.own = [seat for seat, chair in enumerate(chairs) if chair.by != "house"]
        """The seats that the house does not play itself."""
        self.dealt = [run for run in table.runs if run.line]
        self.owed = [run for run in table.runs if run.line or table.scheme.must_open(run)]
        """The runs that the house had to account for."""
        self.proofs = table.game.proves(table.state)
        self.left = table.departures
        """The seats that left, and their lines."""
        self._others: dict[Seat, list[int]] = {}
        """Seat → the lines of the others' decisions."""
        self._trusted: dict[Seat, str] = {}
        self._seen: dict[Seat | None, list[int]] = {}
        """Seat → the lines that it has receipts of."""

    def claims(self) -> Iterator[Claim]:
        """Every claim that the record supports."""
        table, dealt, owed = self.table, self.dealt, self.owed
        if owed and all(run.committed for run in owed):
            yield self._committed(owed)
            for seat in self.own:
                if dealt and all(seat in run.lent for run in dealt):
                    yield self._uniform(seat)
                    if self.waited(seat):
                        yield self._unforeseen(seat)
        for seat in self.own:
            turns = {
                at: turn for at, turn in enumerate(table.sealed_turns, 1) if seat in turn.seals
            }
            if turns:
                yield self._sealed(seat, turns)
        for name, proof in self.proofs.items():
            if proof.answer == "yes":
                condition = "the moves in this record are those that were made"
                yield Claim(name, None, None, condition, proof.says, (table.transcript.step,))
        if self.receipts:
            yield self._ordered()

    # The claims, one by one

    def _committed(self, runs: Sequence[Run]) -> Claim:
        """The house's part of every run was fixed before any answer that could guide it."""
        answers = self.table.answers
        spans = {}
        for run in runs:
            bound = run.bound or run.step + 1
            after = bisect_left(answers, bound + 1)
            first = answers[after] if after < len(answers) else self.table.transcript.step
            spans[run.index] = (bound, first)
        witness = self._witness(spans, None)
        result = (
            "the house had fixed its secret part of every draw before anybody gave an answer that "
            "could have guided it (it chose that part itself, and knew it)"
        )
        lines = {1, *(line for run in runs for line in (run.step + 1, run.line) if line)}
        return Claim(
            COMMITTED, None, None, self._order(witness), result, tuple(sorted(lines)), witness
        )

    def _uniform(self, seat: Seat) -> Claim:
        """Each run depends on a share that this seat gave after the house's part was fixed."""
        spans = {run.index: (run.bound, run.lent[seat]) for run in self.dealt}
        result = "every value of every draw was equally likely, and nobody could choose one"
        return self._for(seat, UNIFORM, spans, result)

    def _unforeseen(self, seat: Seat) -> Claim:
        """As above, and each share came after every earlier decision of the others."""
        spans = {
            run.index: (max(run.bound, self.decided_before(run, seat)), run.lent[seat])
            for run in self.dealt
        }
        who = self.names[seat]
        result = f"when anybody but {who} decided, they could not know a draw still to come"
        return self._for(seat, UNFORESEEN, spans, result)

    def _for(self, seat: Seat, name: str, spans: Spans, result: str) -> Claim:
        witness = self._witness(spans, seat)
        own = shown(self.table.setting.chairs[seat].name)
        order = self._order(witness, self.names[seat])
        trust = self._trust(seat)
        condition = f"{trust}, and {order}" if order else trust
        lines = tuple(sorted({lent for _, lent in spans.values()}))
        return Claim(name, seat, own, condition, result, lines, witness)

    def _trust(self, seat: Seat) -> str:
        """Return the conditions on this seat, and on the seats that could use its share."""
        if seat not in self._trusted:
            who, chair = self.names[seat], self.table.setting.chairs[seat]
            lent = self.table.scheme.condition(Chair(who, chair.by, chair.lends))
            parts = [lent, f"{who} does not work with the house"]
            if beside := self.beside(seat):
                names = " or ".join(self.names[other] for other in beside)
                parts.append(f"{names} does not, either")
            self._trusted[seat] = ", and ".join(part for part in parts if part)
        return self._trusted[seat]

    def _sealed(self, seat: Seat, turns: Mapping[int, SealedTurn]) -> Claim:
        """The others' moves of each simultaneous turn were fixed before this seat's was shown.

        A seat that sealed last has shown its move to nobody who still had to choose. Only the
        house's word says so, though: a receipt of the opening is too late for that.
        """
        spans = {at: (turn.complete, turn.first_opening) for at, turn in turns.items()}
        witness = self._witness(spans, seat)
        who = self.names[seat]
        last = all(turn.complete == turn.seals[seat] for turn in turns.values())
        parts = [self._order(witness, who, "turn")]
        if not last or witness.by != "house":
            parts.insert(0, f"the own program of {who} sealed its moves and showed them to nobody")
        return Claim(
            SEALED,
            seat,
            shown(self.table.setting.chairs[seat].name),
            ", and ".join(part for part in parts if part),
            f"the others had fixed their moves before they could know the move of {who}",
            tuple(line for turn in turns.values() for line in (turn.complete, turn.opened)),
            witness,
        )

    def _ordered(self) -> Claim:
        lines = tuple(sorted({receipt.line for receipt in self.receipts}))
        what = "receipts were" if len(lines) > 1 else "receipt was"
        return Claim(
            ORDERED,
            None,
            None,
            f"the {what} kept before the next answer was given",
            f"lines 1 to {lines[-1]} stood as they stand here before that answer",
            lines,
        )

    # What they rest on

    def _order(self, witness: Witness, who: str | None = None, what: str = "run") -> str:
        """The part of a condition that speaks of the order of lines."""
        if witness.by == "signature":
            return self.table.scheme.witness or ""
        kept = f"{who} kept the receipts" if who else "the receipts were kept"
        word = "the house wrote the lines in this order, which is only its word"
        if witness.by == "receipts":
            return f"{kept} before answering"
        if witness.by == "house":
            return word
        plural = "s" if len(witness.told) > 1 else ""
        return f"{kept} before answering, and for {what}{plural} {listed(witness.told)} {word}"

    def _witness(self, spans: Spans, seat: Seat | None) -> Witness:
        """Which of these spans hold a receipt of this seat (``None``: of any)."""
        if self.table.scheme.witness is not None:
            return Witness("signature", shown=tuple(spans))
        if not self.receipts:
            return Witness("house", told=tuple(spans))
        saw = {at: self._saw(first, end, seat) for at, (first, end) in spans.items()}
        seen = tuple(at for at in spans if saw[at])
        told = tuple(at for at in spans if not saw[at])
        by: By = "house" if not seen else "receipts and house" if told else "receipts"
        return Witness(by, seen, told)

    def _saw(self, first: int, end: int, seat: Seat | None) -> bool:
        """Return true if a receipt shows that line ``first`` existed before line ``end``."""
        if seat not in self._seen:
            self._seen[seat] = sorted(
                receipt.line
                for receipt in self.receipts
                if seat is None or receipt.seat in (None, seat)
            )
        lines = self._seen[seat]
        at = bisect_left(lines, first)
        return at < len(lines) and lines[at] < end

    def beside(self, seat: Seat) -> list[Seat]:
        """Return the seats that could choose (words, or to leave) knowing this seat's share."""
        beside = {
            other
            for run in self.dealt
            if seat in run.typed
            for other, line in run.typed.items()
            if other != seat and not self._saw(line, run.typed[seat], seat)
        }
        for made in self.left:
            if made.seat != seat and self.table.setting.chairs[made.seat].lends != "nothing":
                beside |= {made.seat for run in self.dealt if run.lent[seat] < made.line < run.line}
        return sorted(beside)

    def waited(self, seat: Seat) -> bool:
        """Return true if each draw waited for a share of this seat after all decisions.

        To leave is a decision, too, and its draw is the one that would have come next.
        """
        if not all(self.decided_before(run, seat) <= run.lent[seat] for run in self.dealt):
            return False
        last = max(run.line for run in self.dealt)
        ended = any(made.line > last for made in self.left if made.seat != seat)
        open_run = [run for run in self.table.runs if not run.line]
        shares = [share for run in open_run for share in run.shares if share.seat == seat]
        given = any(share.kind not in ("tip", "next-tip") for share in shares)
        return not ended or (self.table.scheme.lends_anew(seat) and not given)

    def decided_before(self, run: Run, seat: Seat) -> int:
        """The line of the last decision of another seat before this run was dealt; 0: none.

        The seat's own decisions do not count: it may do as it likes with its own foresight.
        """
        if seat not in self._others:
            decisions = self.table.decisions
            self._others[seat] = [made.line for made in decisions if made.seat != seat]
        others = self._others[seat]
        before = bisect_left(others, run.line)
        return others[before - 1] if before else 0


MOST_LISTED: Final = 12
"""Pieces of a list in a sentence. All numbers of it are in the claim's `Witness`."""


def listed(numbers: Sequence[int]) -> str:
    """``1``, ``1 and 2``, ``1, 2 and 5``; of many numbers ``1 to 43 and 50 to 2000``."""
    spans: list[list[int]] = []
    for number in numbers:
        if len(numbers) > MOST_LISTED and spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    pieces = [f"{first} to {last}" if last > first else f"{first}" for first, last in spans]
    if len(spans) > MOST_LISTED:
        more = sum(last + 1 - first for first, last in spans[MOST_LISTED:])
        pieces[MOST_LISTED:] = [f"{more} more"]
    *most, last_piece = pieces
    return f"{', '.join(most)} and {last_piece}" if most else last_piece
