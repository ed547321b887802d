"""The verdict in five questions: each is answered *yes*, *no* or *not shown*, with the reason.

A player reads the result, and then five lines that always come in the same order:

1. *Rules*: does the record follow the rules?
2. *Fair draws*: were the draws fair to each seat?
3. *No peeking*: was it impossible to know what was coming when deciding?
4. *Untouched*: is this the history that was played, with all its lines?
5. *Nothing hidden*: are there no other games, which were left out?

The exact claims, with conditions, lines and witness, are in `claims`. An answer is never stronger
than they are, and a claim that is absent is *not shown, because …*. `docs/fairness.md` has every
sentence, so that other checkers can print the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from fairground.claims import SEALED, UNFORESEEN, UNIFORM, Claim, Evidence, listed
from fairground.core import Fault, Seat, Shown
from fairground.escape import named, shown
from fairground.table import Table

LABELS: Final = {
    "rules": "Rules",
    "fair": "Fair draws",
    "unforeseen": "No peeking",
    "untouched": "Untouched",
    "alone": "Nothing hidden",
}
"""Question → how a screen calls it."""

BY_SHARE: Final = {
    "number": "unless somebody guessed the numbers of {who}",
    "stir": "unless somebody guessed the words of {who}",
    "chain": "unless somebody knew the hash chain of {who}",
    "seed": "unless somebody knew the seeds of {who}",
}
"""Kind of share → the condition under which its draws are fair."""

WANTED: Final = {
    "move": "a move",
    "seal": "a sealed move",
    "open": "the opening of a sealed move",
    "number": "a number for draw {run}",
    "stir": "words for draw {run}",
    "tip": "the tip of a hash chain",
    "next-tip": "the tip of the next hash chain",
    "link": "a link for draw {run}",
    "seed": "a seed for draw {run}",
}
"""Kind of an ask → what the seat owes."""


class Answer(NamedTuple):
    """The answer to one question."""

    question: str
    answer: Shown | None
    """``None``: the question does not apply."""
    says: str

    @property
    def label(self) -> str:
        """The question as a screen shows it: "Fair draws"."""
        plain = self.question.replace("_", " ").capitalize()
        return LABELS.get(self.question, plain)


class Owed(NamedTuple):
    """The line that an unfinished record lacks, and who should have written it."""

    line: int
    by: str
    """``house``, ``seats``, or ``unknown`` where hidden draws keep the record from being read."""
    seats: tuple[Seat, ...]
    what: str
    says: str

    @property
    def stopped_by(self) -> str:
        """A few words for a list of games."""
        return {"house": "the house", "seats": "players"}.get(self.by, "nobody knows whom")


def answered(
    evidence: Evidence, claims: Sequence[Claim], without: Mapping[str, str]
) -> tuple[Answer, ...]:
    """Answer the five questions about a valid record, and what its game can check besides."""
    return (
        Answer("rules", "yes", f"all {evidence.table.transcript.step} lines recomputed"),
        _fair(evidence, claims),
        _unforeseen(evidence, claims, without),
        _untouched(evidence, claims, without),
        ALONE,
        *(
            Answer(name.lower(), proof.answer, proof.says)
            for name, proof in evidence.proofs.items()
        ),
    )


UNSIGNED: Final = "the order is not signed: the house could choose it"
CUT: Final = "the end is not signed: the record could be cut off there"
WORDS_ONCE: Final = "words given once: the house could know later draws"
ALONE: Final = Answer("alone", "not shown", "other games may exist")


def unanswered(fault: Fault, judged: str) -> tuple[Answer, ...]:
    """Answer the five questions about a record that is not valid."""
    if judged == "invalid":
        where = "the record" if fault.line is None else f"line {fault.line}"
        rules = Answer("rules", "no", f"{where} is not what it must be ({fault.code})")
        why = "a record that is not valid shows nothing"
    elif judged == "unfinished":
        rules = Answer("rules", "yes", "as far as the record goes")
        why = "the game is not finished"
    else:
        rules = Answer("rules", "not shown", f"the record cannot be judged here ({fault.code})")
        why = "the record cannot be judged here"
    return (
        rules,
        *(Answer(name, "not shown", why) for name in ("fair", "unforeseen", "untouched")),
        ALONE,
    )


def together(
    hands: Sequence[Sequence[Answer]], *, last: bool, disputed: bool
) -> tuple[Answer, ...]:
    """Answer the five questions about a session.

    ``last``: whether both parties signed that no hand follows. ``disputed``: whether one more hand
    ended at the Bank.
    """
    untouched = Answer("untouched", "not shown", "no signature says that this was the end")
    if disputed:
        why = "the last hand ended at the Bank, which alone knows how"
        untouched = untouched._replace(says=why)
    elif last:
        untouched = Answer("untouched", "yes", "both parties signed this end")
    return (
        Answer("rules", "yes", f"hands recomputed: {len(hands)}"),
        _of_all("fair", hands),
        _of_all("unforeseen", hands),
        untouched,
        ALONE,
    )


def _of_all(question: str, hands: Sequence[Sequence[Answer]]) -> Answer:
    """Return the answer of the first hand that is not "yes", or of all."""
    found = [answer for hand in hands for answer in hand if answer.question == question]
    for number, answer in enumerate(found, 1):
        if answer.answer != "yes":
            return answer._replace(says=f"hand {number}: {answer.says}")
    return found[0] if found else Answer(question, None, "nothing was drawn")


def fault_line(judged: str, fault: Fault) -> str:
    """Say what is wrong with a record, and where."""
    where = "" if fault.line is None else f" at line {fault.line}"
    return f"{judged.upper()}{where}: {shown(fault.reason)} ({fault.code})"


# The questions, one by one


def _fair(evidence: Evidence, claims: Sequence[Claim]) -> Answer:
    if not evidence.dealt:
        return Answer("fair", None, "nothing was drawn")
    names, chairs = evidence.names, evidence.table.setting.chairs
    seats = [claim.seat for claim in claims if claim.name == UNIFORM and claim.seat is not None]
    if not seats:
        return Answer("fair", "not shown", _why_unfair(evidence))
    if len(seats) == 1:
        says = BY_SHARE[chairs[seats[0]].lends].format(who=names[seats[0]])
    else:
        says = f"for {_all([names[seat] for seat in seats])}, unless what they gave was known"
    others = [names[seat] for seat in evidence.own if seat not in seats]
    if others:
        says = f"{says}; not shown for {_all(others)}"
    return Answer("fair", "yes", says)


def _why_unfair(evidence: Evidence) -> str:
    """Return why no seat has UNIFORM."""
    scheme = evidence.table.scheme
    if scheme.unproven is not None:
        return scheme.unproven
    if not evidence.own:
        return "the house played every seat"
    lenders = [seat for seat in evidence.own if scheme.setting.chairs[seat].lends != "nothing"]
    if not lenders:
        return "nobody but the house gave anything to the draws"
    for run in evidence.owed:
        if not run.committed:
            return f"the house was not bound before draw {run.index}"
    seat = lenders[0]
    missed = next(run.index for run in evidence.dealt if seat not in run.lent)
    return f"{evidence.names[seat]} gave nothing to draw {missed}"


def _unforeseen(evidence: Evidence, claims: Sequence[Claim], without: Mapping[str, str]) -> Answer:
    sealed = any(claim.name == SEALED for claim in claims)
    if evidence.dealt:
        fair = [claim.seat for claim in claims if claim.name == UNIFORM]
        blind = [claim.seat for claim in claims if claim.name == UNFORESEEN]
        if not fair:
            return Answer("unforeseen", "not shown", "the house could know the draws")
        for seat in fair:
            if seat is not None and seat not in blind:
                why = UNSIGNED if UNFORESEEN in without else _why_foreseen(evidence, seat)
                return Answer("unforeseen", "not shown", why)
    if evidence.table.sealed_turns and not sealed:
        return Answer("unforeseen", "not shown", "the house sealed every choice")
    if sealed:
        return Answer("unforeseen", "yes", "choices were sealed before any was opened")
    if evidence.dealt:
        return Answer("unforeseen", "yes", "each draw followed all earlier decisions")
    return Answer("unforeseen", None, "nothing was drawn")


def _why_foreseen(evidence: Evidence, seat: Seat) -> str:
    """Return why somebody may have known a draw that this seat had a part in."""
    who = evidence.names[seat]
    if not evidence.table.scheme.lends_anew(seat):
        return WORDS_ONCE
    for run in evidence.dealt:
        decided = evidence.decided_before(run, seat)
        if decided > run.lent[seat]:
            return f"line {decided} was decided when {who} had given a part of draw {run.index}"
    return "somebody left who may have known the next draw"


def _untouched(evidence: Evidence, claims: Sequence[Claim], without: Mapping[str, str]) -> Answer:
    lines = sorted({receipt.line for receipt in evidence.receipts})
    witnesses = [claim.witness for claim in claims if claim.witness is not None]
    if any(witness.by == "signature" for witness in witnesses):
        why = _unsigned(evidence, without)
        if why is None:
            return Answer("untouched", "yes", "bet, seeds and order are signed")
        return Answer("untouched", "not shown", f"{_fit(lines)}, but {why}" if lines else why)
    if not lines:
        return Answer("untouched", "not shown", "no receipts: the order is the house's word")
    told = sorted({number for witness in witnesses for number in witness.told})
    if told:
        what = "draws" if len(told) > 1 else "draw"
        says = f"{_fit(lines)}, but none for {what} {listed(told)}"
        return Answer("untouched", "not shown", says)
    if any(made.line > lines[-1] for made in evidence.left):
        says = f"{_fit(lines)}, but a departure stands behind the last"
        return Answer("untouched", "not shown", says)
    return Answer("untouched", "yes", received(lines))


def _unsigned(evidence: Evidence, without: Mapping[str, str]) -> str | None:
    """Return why the signatures under a bet do not fix the whole hand."""
    if not evidence.own:
        return "the house played every seat"
    if UNFORESEEN in without:
        return UNSIGNED
    return CUT if evidence.left else None


def received(lines: Sequence[int]) -> str:
    """Say that these lines have receipts."""
    return f"{_fit(lines)}, up to line {lines[-1]}, if you kept them yourself"


def _fit(lines: Sequence[int]) -> str:
    return f"{len(lines)} receipts fit" if len(lines) > 1 else "1 receipt fits"


def result(table: Table, ending: str) -> str:
    """Return what happened: the seats that left, by whose word, and the game's own sentence."""
    names = [named(chair.name) for chair in table.setting.chairs]
    parts = []
    for by, says in (("seat", "The record says"), ("house", "The house says")):
        left = [names[made.seat] for made in table.departures if made.by == by]
        if left:
            parts.append(f"{says} that {_all(left)} left.")
    return " ".join([*parts, ending])


# Records that stop early


def owed(table: Table, lines: int) -> Owed:
    """Return who owed the next line of a record with this number of lines."""
    names = [named(chair.name) for chair in table.setting.chairs]
    step = table.transcript.step
    asks = table.asks()
    if step < lines:
        says = "What was hidden is not opened, so the record alone cannot show who stopped"
        return Owed(lines + 1, "unknown", (), "", f"{says}.")
    if asks and step == lines:
        seats = tuple(ask.seat for ask in asks)
        what = WANTED[asks[0].kind].format(run=asks[0].run)
        subject = _all([names[seat] for seat in seats])
        if all(table.setting.chairs[seat].by == "house" for seat in seats):
            says = f"Its player {subject} owed line {lines + 1}, {what}."
            return Owed(lines + 1, "house", seats, what, f"The house stopped this game. {says}")
        each = " each" if len(seats) > 1 else ""
        return Owed(
            lines + 1, "seats", seats, what, f"{subject}{each} owed line {lines + 1}, {what}."
        )
    what, rest = _owed_by_house(table, step > lines)
    says = f"The house stopped this game. It owed line {lines + 1}, {what}.{rest}"
    return Owed(lines + 1, "house", (), what, says)


def _owed_by_house(table: Table, closed: bool) -> tuple[str, str]:
    if closed:
        return "the last line", ""
    if table.payoff is not None:
        return "the opening of what it had hidden", ""
    open_runs = [run for run in table.runs if not run.line]
    if not open_runs:
        return f"its commitment to draw {len(table.runs) + 1}", ""
    given = any(share.kind not in ("tip", "next-tip") for share in open_runs[-1].shares)
    rest = " Everybody else had given theirs." if given else ""
    return f"its part of draw {open_runs[-1].index}", rest


def voided(line: int, reason: str) -> Owed:
    """Return what a void record says: the house gave the game up."""
    says = f"The house stopped this game on line {line}, and says: {named(reason)}."
    return Owed(line, "house", (), "the rest of the game", says)


def _all(names: Sequence[str]) -> str:
    return shown(f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0])
