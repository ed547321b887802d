"""The Croupier's next duty: a pure function of his journal and of the Bank's answers.

He looks at the Bank twice: at the game as it was some confirmations ago, which he takes for
*final*, and as it is *now*. He tells a secret of his own only by the final one:

* seed 0 may be told when this very bet is final;
* seed 1 may be told when an order for it is final, whichever order the Bank has.

When time runs out he tells it for a bet or an order that is not final yet. Certain payment for his
silence is worse than a possible loss if the chain takes blocks back.

Everything else reveals no secret of his: his told seeds, the Player's seeds, order and bet, the
settlement, a complaint. He brings these to the Bank by the game as it is now. So no time is lost,
and after a reorganisation he brings them again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    SILENT_AT,
    BankGame,
    Call,
    Complain,
    GameOutcome,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitReplacementOrder,
    price_of_silence,
)
from fairground.bank.croupier.journal import LAPSED, STOPPED, JournalPage
from fairground.bank.messages import Bet
from fairground.bank.seeds import Seed


class Seen(NamedTuple):
    """The Bank's two answers about a game."""

    final: BankGame
    now: BankGame
    time: int
    """The Bank's own."""


class Write(NamedTuple):
    """Write this line into the journal."""

    kind: str
    fields: dict[str, Any]


class Send(NamedTuple):
    """Make this call to the Bank."""

    call: Call


class Fetch(NamedTuple):
    """Ask the Bank for a seed that the Player told it, and not him."""

    seed_id: int


class Rest(NamedTuple):
    """Nothing can be done now."""


Duty = Write | Send | Fetch | Rest

REST: Final = Rest()

SEED_AFTER: Final = (Step.BET_SUBMITTED, Step.ORDER_SUBMITTED)
"""The step that each of his seeds answers."""

EXPIRED: Final = "the bet expired before the Bank had it"
UNUSED: Final = "nobody bet on this offer in time"
TAKEN: Final = "another game of these two has this number"

IN_WORDS: Final = {
    GameOutcome.PLAYER_FORFEITED: "the Player was silent beyond the deadline: the stake is lost",
    GameOutcome.CROUPIER_FORFEITED: "the Croupier's seed did not reach the Bank in time: he pays",
}


def duty(
    page: JournalPage,
    seen: Seen,
    patience: int = 0,
    deaf: Collection[int] = (),
    margin: int = 0,
    *,
    merges: bool = True,
) -> Duty:
    """Return the next duty. Do it, and look again.

    ``merges``: True if two of his calls are made in one, where possible.
    ``patience``: seconds after its expiry in which a bet that the Bank does not show could
    still come back, by a reorganisation.
    ``deaf``: numbers of the Player's seeds for which he asked the Bank, without an answer.
    He has no transcript without them, but the game must go on.
    ``margin``: the last seconds before a deadline. In these he tells a seed without waiting for
    confirmations any longer.
    """
    if page.ended is not None:
        return REST
    if page.bet is None:
        return _ended(LAPSED, 0, UNUSED) if seen.time > page.offer.expiry else REST
    final_is_ours, now_is_ours = seen.final.is_of(page.bet), seen.now.is_of(page.bet)
    if not final_is_ours and not now_is_ours:
        return _missing(page, page.bet, seen, patience)
    if not now_is_ours:
        return REST  # the chain was reorganised between two looks: look again later
    if page.told > page.brought and seen.now.step > SEED_AFTER[page.brought]:
        return Write("brought", {"seed_id": page.brought})
    learned = _final(page, seen, deaf) if final_is_ours else None
    learned = learned or _in_a_hurry(page, seen, margin)
    if learned is not None and not (page.stopped and _tells(learned)):
        return learned
    if seen.now.outcome != GameOutcome.OPEN:
        return REST
    return _bring(page, page.bet, seen, merges)


def _tells(what: Duty) -> bool:
    return isinstance(what, Write) and what.kind == "told"


def _ended(outcome: str, step: int, reason: str = "") -> Write:
    return Write("ended", {"outcome": outcome, "step": step, "reason": reason})


def _missing(page: JournalPage, bet: Bet, seen: Seen, patience: int) -> Duty:
    """The Bank does not have the bet: not yet, not any more, or never."""
    if any(seen.final.bet_hash):
        return _ended(LAPSED, 0, page.refused or TAKEN)
    if any(seen.now.bet_hash):
        return REST
    if page.stopped:
        return _ended(LAPSED, 0, STOPPED)
    if seen.time > bet.expiry + patience:
        return _ended(LAPSED, 0, page.refused or EXPIRED)
    if seen.time > bet.expiry or page.refused or page.told:
        # With seed 0 the Player knows the hand. A bet that was taken back after that is not
        # brought again: they could let it fail or not, as they like the cards.
        return REST
    assert page.signature is not None
    return Send(SubmitBet(bet, page.signature))


def _final(page: JournalPage, seen: Seen, deaf: Collection[int]) -> Duty | None:
    """Return his next note about the Bank's final word, if there is one."""
    game = seen.final
    running = game.outcome == GameOutcome.OPEN and seen.time <= game.deadline
    if game.step == Step.BET_SUBMITTED and page.told == 0 and running:
        return Write("told", {"seed_id": 0})
    if game.step >= Step.HAND_DEALT and page.heard[0] is None and 0 not in deaf:
        return Fetch(0)
    if game.replaced is not None and game.replaced != page.order:
        return Write("ordered", {"order": list(game.replaced)})
    if game.step == Step.ORDER_SUBMITTED and page.told == 1 and running:
        return Write("told", {"seed_id": 1})
    drawn = game.step == Step.HAND_FINAL and game.order
    if drawn and page.heard[1] is None and 1 not in deaf:
        return Fetch(1)
    if game.outcome != GameOutcome.OPEN:
        outcome = GameOutcome(game.outcome)
        return _ended(outcome.name, game.step, IN_WORDS.get(outcome, ""))
    return None


def _in_a_hurry(page: JournalPage, seen: Seen, margin: int) -> Duty | None:
    """Tell a seed for a bet or an order that is not final, since time runs out."""
    game = seen.now
    if game.outcome != GameOutcome.OPEN or not 0 <= game.deadline - seen.time < margin:
        return None
    if game.step == Step.BET_SUBMITTED and page.told == 0:
        return Write("told", {"seed_id": 0})
    if game.step != Step.ORDER_SUBMITTED or page.told != 1:
        return None
    if game.replaced is not None and game.replaced != page.order:
        return Write("ordered", {"order": list(game.replaced)})
    return Write("told", {"seed_id": 1})


def _bring(page: JournalPage, bet: Bet, seen: Seen, merges: bool) -> Duty:
    """Return the next call to the Bank, if one can be made now."""
    game = seen.now
    step = Step(game.step)
    if step in SILENT_AT and seen.time > game.deadline:
        # Also where he himself was late: what he owes he pays, and the rest is free again.
        return Send(Complain(SILENT_AT[step], bet))
    seed_id = 0 if step < Step.HAND_DEALT else 1
    ours, theirs = page.seeds[seed_id], page.heard[seed_id]
    match step:
        case Step.BET_SUBMITTED | Step.ORDER_SUBMITTED if page.told > seed_id:
            return Send(SubmitCroupierSeed(bet, seed_id, ours))
        case Step.CROUPIER_SEED_0_SUBMITTED | Step.CROUPIER_SEED_1_SUBMITTED if theirs is not None:
            return Send(_with_what_follows(page, bet, seed_id, theirs, merges))
        case Step.HAND_DEALT if page.mail is not None:
            order, signature = page.mail
            # Once seed 1 is told for one order, no other order may be brought to the Bank.
            if page.told < 2 or order == page.order:
                return Send(SubmitReplacementOrder(bet, order, signature))
        case Step.HAND_FINAL:
            return Send(SubmitGameResult(bet))
    return REST


def _with_what_follows(
    page: JournalPage, bet: Bet, seed_id: int, theirs: Seed, merges: bool
) -> Call:
    """The Player's seed, and in the same call what can follow it at once."""
    ours = page.seeds[seed_id].signature
    if merges and seed_id:
        return SubmitPlayerSeedAndResult(bet, theirs, ours)
    if merges and page.mail is not None:
        return SubmitPlayerSeedAndOrder(bet, theirs, ours, *page.mail)
    return SubmitPlayerSeed(bet, seed_id, theirs, ours)


class Wait(NamedTuple):
    """The reason why a game waits."""

    what: str
    deadline: int
    """By the Bank's time; 0 if there is none."""
    is_his: bool = False
    """True if the next step is the Croupier's."""
    at_stake: int = 0
    """Loss of the Croupier at the deadline, in wei."""


def loss(bet: Bet, game: BankGame) -> int:
    """Return the wei that the Croupier loses if he is silent now. Before his seed 0 he has none of
    the stake yet.
    """
    price = price_of_silence(bet, game)
    return price - bet.stake if game.step <= Step.BET_SUBMITTED else price


def waits_for(page: JournalPage, seen: Seen) -> Wait | None:
    """Return the reason why a game without a duty waits; ``None`` if it is no game."""
    bet, game = page.bet, seen.now
    if bet is None or page.ended is not None or game.outcome != GameOutcome.OPEN:
        return None
    if game.step in SEED_AFTER:
        seed_id = SEED_AFTER.index(Step(game.step))
        what = f"the Bank to take his seed {seed_id}"
        if page.told == seed_id:
            what = f"confirmations of the {'order' if seed_id else 'bet'}"
        return Wait(what, game.deadline, True, loss(bet, game))
    match game.step:
        case Step.NONE:
            return Wait("the Bank to take the bet", bet.expiry)
        case Step.HAND_DEALT:
            return Wait("the Player's order", game.deadline)
        case Step.HAND_FINAL:
            return Wait("the Bank to settle", 0)
    return Wait(f"the Player's seed {int(game.step > Step.HAND_DEALT)}", game.deadline)


def owed_calls(page: JournalPage, step: int) -> tuple[type[Call], ...]:
    """The calls that he must still be able to pay for: his seeds, and one that ends the game."""
    if page.bet is None or page.ended is not None or (page.refused and step == Step.NONE):
        return ()
    seeds = sum(step <= answered for answered in SEED_AFTER)
    return (SubmitCroupierSeed,) * seeds + (Complain,)
