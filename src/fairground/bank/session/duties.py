"""The duties of an honest party of a session at the Bank.

`duty` is a pure function of the party's own messages and the Bank's answers; `settle` carries it
out. ``tests/bank/session_model.py`` searches every dispute that can come of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from fairground.bank.bank_port import (
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
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitReplacementOrder,
    price_of_silence,
)
from fairground.bank.crypto.signatures import Signature
from fairground.bank.messages import Bet, Key, SessionTerms, Signer
from fairground.bank.seeds import Seed, packed_order


class OpenHand(NamedTuple):
    """The open hand, as far as one party has it."""

    bet: Bet
    player_signature: Signature
    croupier_signature: Signature | None = None
    his: tuple[Seed | None, Seed | None] = (None, None)
    """The Croupier's seeds: his own, or those that were told."""
    theirs: tuple[Seed | None, Seed | None] = (None, None)
    """The Player's."""
    order: tuple[int, ...] | None = None
    order_signature: Signature | None = None
    acceptance: Signature | None = None
    """The Croupier's word on the order, with which he told seed 1."""


class Held(NamedTuple):
    """The signed messages and seeds of one party of a session."""

    role: Signer
    terms: SessionTerms
    state: ClaimSession
    """The last state that both have signed; without hands it needs no signature."""
    hand: OpenHand | None = None
    has_key: bool = True
    """True if it can sign as that party. A watchtower cannot."""


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
    his, theirs = list(hand.his), list(hand.theirs)
    for event in told:
        if event.name in ("CroupierSeedSubmitted", "PlayerSeedSubmitted"):
            seeds = his if event.name == "CroupierSeedSubmitted" else theirs
            seed = Seed(event.values["nonce"], event.values["signature"])
            seeds[event.values["seedId"]] = seed
    heard = hand._replace(his=(his[0], his[1]), theirs=(theirs[0], theirs[1]))
    return held._replace(hand=heard)


def duty(
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
    held: Held, hand: OpenHand, game: BankGame, now: int, *, step_time: int, firm: bool
) -> Call | Decide | None:
    step, bet, role = Step(game.step), hand.bet, held.role
    himself = role is Signer.CROUPIER and held.has_key
    if step in SILENT_AT and now > game.deadline:
        # A late Croupier complains about himself in the end: his lock would stay for ever.
        gives_up = himself and now > game.deadline + step_time
        is_mine = is_late(held, game, now) and not gives_up
        return None if is_mine else Complain(SILENT_AT[step], bet)
    his, theirs = hand.his, hand.theirs
    stands = step == Step.HAND_FINAL and game.order == 0
    ordered = step == Step.ORDER_SUBMITTED or stands
    if role is Signer.CROUPIER and ordered and _is_another(hand, game):
        assert hand.order is not None
        assert hand.order_signature is not None
        return ComplainTwoOrders(bet, hand.order, hand.order_signature)
    match step:
        case Step.BET_SUBMITTED if his[0] is not None:
            return SubmitCroupierSeed(bet, 0, his[0])
        case Step.CROUPIER_SEED_0_SUBMITTED if his[0] is not None and theirs[0] is not None:
            return SubmitPlayerSeed(bet, 0, theirs[0], his[0].signature)
        case Step.HAND_DEALT if hand.order is not None and hand.order_signature is not None:
            return SubmitReplacementOrder(bet, hand.order, hand.order_signature)
        case Step.HAND_DEALT if role is Signer.PLAYER and held.has_key:
            return Decide(bet) if hurries(game, now, step_time) else None
        case Step.ORDER_SUBMITTED if his[1] is not None and himself:
            # Where he told it already, for this order, nothing is told by it.
            told = hand.acceptance is not None
            return SubmitCroupierSeed(bet, 1, his[1]) if firm or told else None
        case Step.ORDER_SUBMITTED if his[1] is not None and hand.acceptance is not None:
            return SubmitAcceptedSeed(bet, his[1], hand.acceptance)
        case Step.CROUPIER_SEED_1_SUBMITTED if his[1] is not None and theirs[1] is not None:
            return SubmitPlayerSeed(bet, 1, theirs[1], his[1].signature)
        case Step.HAND_FINAL if himself or not stands or now > game.deadline:
            return SubmitGameResult(bet)
    return None


def is_late(held: Held, game: BankGame, now: int) -> bool:
    """Return whether this party itself owes the Bank something, and its time is over."""
    silence = SILENT_AT.get(Step(game.step))
    if silence is None or now <= game.deadline or game.outcome != GameOutcome.OPEN:
        return False
    return (silence in CROUPIER_OWES) == (held.role is Signer.CROUPIER)


def _is_another(hand: OpenHand, game: BankGame) -> bool:
    """Return whether the Bank has another order than the one that the Player gave here."""
    return hand.order is not None and packed_order(hand.order) != game.order


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
        session, game = await _look(bank, held)
        if is_over(held, session, game):
            return await is_final(bank, held, confirmations)
        if held.hand is not None and game.step:
            held = informed(held, await bank.told(held.hand.bet.key))
        now, step_time = await clock(), bank.terms.step_time
        firm = confirmations == 0
        if held.hand is not None and not firm:
            final = await bank.game(held.hand.bet.key, confirmations)
            firm = final.step == game.step or hurries(game, now, step_time)
        call = duty(held, session, game, now, step_time, firm=firm)
        if call is None:
            return False
        if isinstance(call, Decide):
            return call
        try:
            if not await bank.send(key, call, _spending(bank, held, session, game, call)):
                return False
        except BankRefused as refused:
            if refused.name in MOVED_ON:
                if refused.name == "TooEarly":
                    clock.start_again()
                return False
            raise


async def is_final(bank: Bank, held: Held, confirmations: int) -> bool:
    """Return whether the session is over, final under this number of blocks."""
    session, game = await _look(bank, held)
    if not is_over(held, session, game):
        return False
    if session.number <= held.terms.number:
        return await bank.now() > held.terms.expiry  # until then it can still be opened
    if confirmations == 0:
        return True
    session, game = await _look(bank, held, confirmations)
    return session.number > held.terms.number and is_over(held, session, game)


async def _look(bank: Bank, held: Held, confirmations: int = 0) -> tuple[BankSession, BankGame]:
    parties = held.terms.croupier, held.terms.player
    session = await bank.session(*parties, confirmations)
    hand = held.hand
    return session, NO_GAME if hand is None else await bank.game(hand.bet.key, confirmations)


def is_over(held: Held, session: BankSession, game: BankGame) -> bool:
    """Return whether the Bank has nothing more of this session, nor of its open hand."""
    closed = session.phase == Phase.CLOSED or not session.is_of(held.terms)
    return closed and (game.step == Step.NONE or game.outcome != GameOutcome.OPEN)


def _spending(bank: Bank, held: Held, session: BankSession, game: BankGame, call: Call) -> Spending:
    """Return what a call may cost: as much as its sender loses without it."""
    if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
        return Spending(at_stake=price_of_silence(call.bet, game))
    if isinstance(call, ClaimSession | CloseSession) and session.phase == Phase.CLAIMED:
        return Spending(at_stake=abs(call.state.player_share - session.player_share))
    return Spending()
