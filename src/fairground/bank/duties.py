"""The duties at the Bank: what an honest party does next with a hand, however it is settled.

Everything here but `settle` is a pure function of a party's messages and the Bank's answers.
`next_call` knows which message follows which step. Two ways to settle use it:

*Hand by hand* (`game_duty`), the Croupier brings each step to the Bank. He looks there twice: at
the game as it was some confirmations ago, which he takes for *final*, and as it is *now*. He tells
a secret of his own only by the final one:

* seed 0 may be told when this very bet is final;
* seed 1 may be told when an order for it is final, whichever order the Bank has.

When time runs out he tells it for a bet or an order that is not final yet. Certain payment for his
silence is worse than a possible loss if the chain takes blocks back.

Everything else reveals no secret of his: his told seeds, the Player's seeds, order and bet, the
settlement, a complaint. He brings these to the Bank by the game as it is now. So no time is lost,
and after a reorganisation he brings them again.

*In a session* (`session_duty`), the two sign states between them, and either brings a dispute to
the Bank. ``tests/bank/session_model.py`` searches every dispute that can come of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.bank.bank_port import (
    AS_USUAL,
    CROUPIER_OWES,
    NO_GAME,
    SILENT_AT,
    Bank,
    BankClock,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    BringHand,
    Call,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    FinishSession,
    GameOutcome,
    Phase,
    Spending,
    Step,
    SubmitAcceptedSeed,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitReplacementOrder,
    price_of_silence,
)
from fairground.bank.hand import LAPSED, STOPPED, Hand, Held, seeds_in
from fairground.bank.messages import IN_SESSION, Bet, Key, Signer
from fairground.bank.seeds import packed_order

if TYPE_CHECKING:
    from fairground.bank.croupier.journal import JournalPage


def overdue(bet: Bet, game: BankGame, now: int) -> Complain | None:
    """Return the complaint about the party that owes the next step, once its time is over."""
    if game.step not in SILENT_AT or now <= game.deadline:
        return None
    return Complain(SILENT_AT[Step(game.step)], bet)


def next_call(
    hand: Hand, game: BankGame, now: int, *, by_croupier: bool = False, merges: bool = False
) -> Call | None:
    """Return the call that brings the next message of the hand; ``None`` if it is not there.

    ``by_croupier``: True if the Croupier himself makes the call. In a session, seed 1 must come
    from him or with his word on the order. There an order to replace nothing also waits for
    its deadline, since another order may be shown until then. ``merges``: True if two calls are
    made in one, where possible.
    """
    bet, (first, second), theirs = hand.bet, hand.his, hand.theirs
    order, signature = hand.order, hand.order_signature
    in_session = bet.game_id >= IN_SESSION
    match game.step:
        case Step.BET_SUBMITTED if first is not None:
            return SubmitCroupierSeed(bet, 0, first)
        case Step.CROUPIER_SEED_0_SUBMITTED if first is not None and theirs[0] is not None:
            if merges and order is not None and signature is not None:
                return SubmitPlayerSeedAndOrder(bet, theirs[0], first.signature, order, signature)
            return SubmitPlayerSeed(bet, 0, theirs[0], first.signature)
        case Step.HAND_DEALT if order is not None and signature is not None:
            return SubmitReplacementOrder(bet, order, signature)
        case Step.ORDER_SUBMITTED if second is not None:
            if by_croupier or not in_session:
                return SubmitCroupierSeed(bet, 1, second)
            if hand.acceptance is not None:
                return SubmitAcceptedSeed(bet, second, hand.acceptance)
        case Step.CROUPIER_SEED_1_SUBMITTED if second is not None and theirs[1] is not None:
            if merges:
                return SubmitPlayerSeedAndResult(bet, theirs[1], second.signature)
            return SubmitPlayerSeed(bet, 1, theirs[1], second.signature)
        case Step.HAND_FINAL:
            waits = in_session and game.order == 0 and not by_croupier and now <= game.deadline
            return None if waits else SubmitGameResult(bet)
    return None


# Hand by hand


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


def game_duty(
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
    if game.step >= Step.HAND_DEALT and page.heard[0] is None and 0 not in deaf:
        return Fetch(0)
    running = game.outcome == GameOutcome.OPEN and seen.time <= game.deadline
    if (note := _order_or_seed(page, game, running=running)) is not None:
        return note
    drawn = game.step == Step.HAND_FINAL and game.order
    if drawn and page.heard[1] is None and 1 not in deaf:
        return Fetch(1)
    if game.outcome != GameOutcome.OPEN:
        outcome = GameOutcome(game.outcome)
        return _ended(outcome.name, game.step, IN_WORDS.get(outcome, ""))
    return None


def _order_or_seed(page: JournalPage, game: BankGame, *, running: bool) -> Write | None:
    """Write the Bank's order down, or tell the seed that this step wants while its time runs."""
    if game.replaced is not None and game.replaced != page.order:
        return Write("ordered", {"order": list(game.replaced)})
    return Write("told", {"seed_id": page.told}) if running and _wants_seed(page, game) else None


def _wants_seed(page: JournalPage, game: BankGame) -> bool:
    """Return whether the game waits for the seed that he tells next."""
    return page.told < len(SEED_AFTER) and game.step == SEED_AFTER[page.told]


def _in_a_hurry(page: JournalPage, seen: Seen, margin: int) -> Duty | None:
    """Tell a seed for a bet or an order that is not final, since time runs out."""
    game = seen.now
    hurries = game.outcome == GameOutcome.OPEN and 0 <= game.deadline - seen.time < margin
    return _order_or_seed(page, game, running=True) if hurries and _wants_seed(page, game) else None


def _bring(page: JournalPage, bet: Bet, seen: Seen, merges: bool) -> Duty:
    """Return the next call to the Bank, if one can be made now."""
    # Also where he himself was late: what he owes he pays, and the rest is free again.
    call = overdue(bet, seen.now, seen.time) or next_call(
        page.hand, seen.now, seen.time, merges=merges
    )
    return REST if call is None else Send(call)


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


# In a session


class Decide(NamedTuple):
    """The Player must give an order now: the time for it runs out at the Bank."""

    bet: Bet


def hurries(game: BankGame, now: int, step_time: int) -> bool:
    """Return whether the last quarter of the step's time runs."""
    return now > game.deadline - step_time // 4


def informed(held: Held, told: Iterable[BankEvent]) -> Held:
    """Return the party's knowledge together with the Bank's record of the open hand.

    A seed that the other brought to the Bank alone is a seed all the same. The Bank took it, so it
    fits its commitment.
    """
    hand = held.hand
    if hand is None:
        return held
    for found in seeds_in(told):
        hand = hand.told(*found)
    return held._replace(hand=hand)


def session_duty(
    held: Held,
    session: BankSession,
    game: BankGame,
    now: int,
    step_time: int,
    *,
    firm: bool = True,
) -> Call | Decide | None:
    """Return what to do next at the Bank to end the session; ``None``: wait.

    ``game``: the open hand, if it is there. ``firm``: whether its last step is final, or there is
    no time to wait for that.
    """
    is_live = session.phase in (Phase.OPEN, Phase.CLAIMED)
    if session.is_of(held.terms) and is_live and held.state.state.last:
        return CloseSession(*held.state)
    if session.is_of(held.terms) and session.phase == Phase.OPEN:
        return held.state if held.has_key else None
    if session.is_of(held.terms) and session.phase == Phase.CLAIMED:
        return _claimed(held, session, now, step_time)
    if held.hand is None or game.outcome != GameOutcome.OPEN or game.step == Step.NONE:
        return None
    return _in_the_hand(held, held.hand, game, now, step_time=step_time, firm=firm)


def _claimed(held: Held, session: BankSession, now: int, step_time: int) -> Call | None:
    if now <= session.deadline:
        newer = held.state.state.hands > session.hands
        return held.state if newer else None
    if now > session.deadline + step_time:
        return FinishSession(held.terms)
    hand = held.hand
    if hand is None or hand.croupier_signature is None:
        return None
    if hand.bet.game_id != held.terms.game_id(session.hands):
        return None
    return BringHand(held.terms, hand.bet, hand.player_signature, hand.croupier_signature)


def _in_the_hand(
    held: Held, hand: Hand, game: BankGame, now: int, *, step_time: int, firm: bool
) -> Call | Decide | None:
    himself = held.role is Signer.CROUPIER and held.has_key
    if complaint := overdue(hand.bet, game, now):
        # A late Croupier complains about himself in the end: his lock would stay for ever.
        gives_up = himself and now > game.deadline + step_time
        is_mine = is_late(held, game, now) and not gives_up
        return None if is_mine else complaint
    stands = game.step == Step.HAND_FINAL and game.order == 0
    ordered = game.step == Step.ORDER_SUBMITTED or stands
    order, signature = hand.order, hand.order_signature
    is_another = order is not None and packed_order(order) != game.order
    if held.role is Signer.CROUPIER and ordered and is_another:
        assert order is not None
        assert signature is not None
        return ComplainTwoOrders(hand.bet, order, signature)
    if game.step == Step.HAND_DEALT and None in (order, signature):
        decides = held.role is Signer.PLAYER and held.has_key and hurries(game, now, step_time)
        return Decide(hand.bet) if decides else None
    # A seed 1 that he told already, for this order, tells nothing new.
    if game.step == Step.ORDER_SUBMITTED and himself and not firm and hand.acceptance is None:
        return None
    return next_call(hand, game, now, by_croupier=himself)


def is_late(held: Held, game: BankGame, now: int) -> bool:
    """Return whether this party itself owes the Bank something, and its time is over."""
    silence = SILENT_AT.get(Step(game.step))
    if silence is None or now <= game.deadline or game.outcome != GameOutcome.OPEN:
        return False
    return (silence in CROUPIER_OWES) == (held.role is Signer.CROUPIER)


MOVED_ON: Final = (
    "TooEarly",
    "TooLate",
    "AlreadySubmitted",
    "OldState",
    "WrongStep",
    "WrongSession",
    "GameOver",
    "Overtaken",
)
"""Refusals that say: somebody was faster, or the time has not come. Look again later."""


async def bring(
    bank: Bank, key: Key, call: Call, clock: BankClock, spending: Spending = AS_USUAL
) -> bool:
    """Make a call. Return False if somebody was faster, or its time has not come."""
    try:
        return bool(await bank.send(key, call, spending))
    except BankRefused as refused:
        if refused.name not in MOVED_ON:
            raise
        if refused.name == "TooEarly":
            clock.start_again()
        return False


async def look(
    bank: Bank, held: Held, clock: BankClock, confirmations: int = 0
) -> tuple[BankSession, BankGame, Call | Decide | None]:
    """Ask the Bank how a session stands there, and decide what to do next."""
    session, game = await _ask(bank, held)
    if held.hand is not None and game.step:
        held = informed(held, await bank.told(held.hand.bet.key))
    now, step_time = await clock(), bank.terms.step_time
    firm = confirmations == 0
    if held.hand is not None and not firm:
        final = await bank.game(held.hand.bet.key, confirmations)
        firm = final.step == game.step or hurries(game, now, step_time)
    return session, game, session_duty(held, session, game, now, step_time, firm=firm)


async def settle(
    bank: Bank, key: Key, held: Held, confirmations: int = 0, clock: BankClock | None = None
) -> bool | Decide:
    """Do what can be done now; return whether the session is over, or that an order is due.

    ``confirmations``: blocks behind the end before it counts, and behind an order before the
    Croupier tells his seed 1 for it. ``clock``: goes on where the Bank's own stands still
    between two blocks.
    """
    clock = clock or BankClock(bank)
    while True:
        session, game, call = await look(bank, held, clock, confirmations)
        if is_over(held, session, game):
            return await is_final(bank, held, confirmations)
        if call is None:
            return False
        if isinstance(call, Decide):
            return call
        if not await bring(bank, key, call, clock, _spending(session, game, call)):
            return False


async def is_final(bank: Bank, held: Held, confirmations: int) -> bool:
    """Return whether the session is over, final under this number of blocks."""
    session, game = await _ask(bank, held)
    if not is_over(held, session, game):
        return False
    if session.number <= held.terms.number:
        return await bank.now() > held.terms.expiry  # until then it can still be opened
    if confirmations == 0:
        return True
    session, game = await _ask(bank, held, confirmations)
    return session.number > held.terms.number and is_over(held, session, game)


async def _ask(bank: Bank, held: Held, confirmations: int = 0) -> tuple[BankSession, BankGame]:
    parties = held.terms.croupier, held.terms.player
    session = await bank.session(*parties, confirmations)
    hand = held.hand
    return session, NO_GAME if hand is None else await bank.game(hand.bet.key, confirmations)


def is_over(held: Held, session: BankSession, game: BankGame) -> bool:
    """Return whether the Bank has nothing more of this session, nor of its open hand."""
    closed = session.phase == Phase.CLOSED or not session.is_of(held.terms)
    return closed and (game.step == Step.NONE or game.outcome != GameOutcome.OPEN)


def _spending(session: BankSession, game: BankGame, call: Call) -> Spending:
    """Return what a call may cost: as much as its sender loses without it."""
    if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
        return Spending(at_stake=price_of_silence(call.bet, game))
    if isinstance(call, ClaimSession | CloseSession) and session.phase == Phase.CLAIMED:
        return Spending(at_stake=abs(call.state.player_share - session.player_share))
    return Spending()
