"""What may be shown of a game: how far it is, the seeds that are told, and the transcript.

Everything follows from the journal alone, so every worker shows the same, before and
after a restart.
"""

from __future__ import annotations

from fairground.bank.bank_port import SILENT_AT, GameOutcome, Step
from fairground.bank.croupier.journal import LAPSED, STOPPED, JournalPage
from fairground.bank.croupier_port import Closed, Sight, TooSoon
from fairground.bank.record import GameRecord, Messages


def sight(page: JournalPage, trouble: str = "") -> Sight:
    """A game as its Player may see it: no seed that is not told."""
    first, second = page.seeds
    reason = page.refused or (STOPPED if page.stopped else "")
    if page.ended is not None:
        reason = page.ended.reason
    return Sight(
        stage(page),
        (first if page.brought > 0 else None, second if page.brought > 1 else None),
        reason or trouble,
    )


def stage(page: JournalPage) -> str:
    """What he waits for: one of `croupier_port.STAGES`."""
    if page.ended is not None or (page.refused and not page.told):
        return "over"
    if page.final:
        return "settling"
    if page.bet is None:
        return "offered"
    if not page.brought:
        return "bet-sent"
    if page.heard[0] is None:
        return "awaits-seed-0"
    if page.mail is None and page.order is None:
        return "awaits-order"
    return "order-sent" if page.brought == 1 else "awaits-seed-1"


def recorded(page: JournalPage, version: int) -> GameRecord:
    """The transcript of a game: what the Bank, of this version, has of it, or will have."""
    if page.ended is not None and page.ended.outcome == LAPSED:
        raise Closed(f"no game came about: {page.ended.reason}")
    if page.ended is None and not page.final:
        raise TooSoon("the transcript can be had when the final hand is known, or at the end")
    assert page.bet is not None
    assert page.signature is not None
    # Where another order than the one in the mail came to the Bank, its signature is there alone.
    order, signature = page.mail or (None, None)
    messages = Messages(
        page.seeds[0],
        page.heard[0],
        page.order,
        signature if order == page.order else None,
        page.seeds[1],
        page.heard[1],
    )
    step = Step.HAND_FINAL if page.ended is None else Step(page.ended.step)
    record = GameRecord(page.domain, page.bet, page.signature, version=version)
    record.follow(messages, step)
    if record.step < step:
        raise TooSoon("the Player's seed is at the Bank alone, which does not tell it now")
    if page.ended is not None and page.ended.outcome != GameOutcome.SETTLED.name:
        record.silent(SILENT_AT[step])
    return record
