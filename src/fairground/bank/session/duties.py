"""What an honest party of a session does at the Bank: a pure function of what it holds and of
what the Bank says.

``tests/bank/session_model.py`` searches every dispute that can come of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fairground.bank.bank_port import (
    SILENT_AT,
    BankEvent,
    BankGame,
    BankSession,
    BringHand,
    Call,
    ClaimSession,
    Complain,
    ComplainTwoOrders,
    FinishSession,
    GameOutcome,
    Phase,
    Step,
    SubmitAcceptedSeed,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitReplacementOrder,
)
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, SessionTerms, Signer
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
    """What one party holds of a session."""

    role: Signer
    terms: SessionTerms
    state: ClaimSession
    """The last state that both have signed; without hands it needs no signature."""
    hand: OpenHand | None = None
    has_key: bool = True
    """Whether it can sign as that party. A watchtower cannot."""


def informed(held: Held, told: Iterable[BankEvent]) -> Held:
    """What a party holds when it has heard what the Bank recorded of the open hand.

    A seed that the other brought to the Bank alone is a seed all the same. The Bank took it, so
    it is the one that was committed to.
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
) -> Call | None:
    """What to do next at the Bank, to end the session; ``None``: wait.

    ``game``: the open hand, if it is there. ``firm``: whether its last step is final, or there is
    no time to wait for that.
    """
    if session.is_of(held.terms) and session.phase == Phase.OPEN:
        return held.state if held.has_key else None
    if session.is_of(held.terms) and session.phase == Phase.CLAIMED:
        return _claimed(held, session, now, step_time)
    if held.hand is None or game.outcome != GameOutcome.OPEN or game.step == Step.NONE:
        return None
    return _in_the_hand(held, held.hand, game, now, firm)


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


def _in_the_hand(held: Held, hand: OpenHand, game: BankGame, now: int, firm: bool) -> Call | None:
    step, bet, role = Step(game.step), hand.bet, held.role
    himself = role is Signer.CROUPIER and held.has_key
    if step in SILENT_AT and now > game.deadline:
        return Complain(SILENT_AT[step], bet)
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


def _is_another(hand: OpenHand, game: BankGame) -> bool:
    """Whether the Bank has another order than the one that the Player gave here."""
    return hand.order is not None and packed_order(hand.order) != game.order
