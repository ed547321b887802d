"""Sessions on a real EVM and in `Books` at once: honest ends, every fraud, and the gas.

Every call is made to the contract and to the same rules in Python (`tests.helpers.evm`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from fairground.bank.bank_port import (
    BringHand,
    ClaimSession,
    CloseSession,
    ComplainTwoOrders,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    Step,
    SubmitAcceptedSeed,
    SubmitBet,
)
from fairground.bank.chain.gas import LIMITS
from fairground.bank.messages import Key, OrderAccepted, SessionState, SessionTerms, Signer
from fairground.bank.seeds import packed_order
from fairground.bank.signatures import Signature
from fairground.games.poker.rules import Poker, rank
from tests.helpers.evm import (
    BANKROLL,
    CHIP,
    PURSE,
    STEP_TIME,
    Evm,
    Hall,
    Play,
    Receipt,
    hall,
    refused,
)
from tests.helpers.places import DATA

SNAPSHOT = DATA / "session-gas.json"
ORDER = (1, 0, 1, 1, 0)
STANDS = (0, 0, 0, 0, 0)
MINE, HIS = 100 * CHIP, 8_000 * CHIP
NOBODYS = Signature(0, 0, 0)


@pytest.fixture
def h(evm: Evm) -> Hall:
    return hall(evm=evm)


class Evening:
    """A session of Croupier and Player, and what both have signed in it."""

    def __init__(self, h: Hall, number: int = 0, **changes: Any) -> None:
        self.h, self.bank = h, h.bank
        terms = SessionTerms(
            h.croupier.address,
            h.player.address,
            h.croupier.key.address,
            h.player.key.address,
            number,
            MINE,
            HIS,
            h.bank.evm.now + 1000,
        )
        self.terms = terms._replace(**changes)

    def open(self, by: Any = None) -> Receipt:
        signature = self.h.player.key.sign(self.bank.domain, self.terms)
        return self.bank.make(by or self.h.croupier, OpenSession(self.terms, signature))

    def state(self, hands: int, share: int, *, last: bool = False, **changes: Any) -> SessionState:
        state = SessionState(self.terms.struct_hash(), hands, share, bytes(32), last)
        return state._replace(**changes)

    def signed(self, state: SessionState) -> tuple[Signature, Signature]:
        domain = self.bank.domain
        return self.h.player.key.sign(domain, state), self.h.croupier.key.sign(domain, state)

    def claim(self, hands: int, share: int = MINE, by: Any = None) -> Receipt:
        state = self.state(hands, share)
        signatures = self.signed(state) if hands else (NOBODYS, NOBODYS)
        return self.bank.make(by or self.h.player, ClaimSession(self.terms, state, *signatures))

    def close(self, hands: int, share: int, by: Any = None, **changes: Any) -> Receipt:
        state = self.state(hands, share, **{"last": True, **changes})
        return self.bank.make(
            by or self.h.croupier, CloseSession(self.terms, state, *self.signed(state))
        )

    def finish(self, by: Any = None) -> Receipt:
        return self.bank.make(by or self.h.stranger, FinishSession(self.terms))

    def hand(self, number: int, label: object = "", **terms: Any) -> Play:
        game_id = self.terms.game_id(number)
        return self.h.play(game_id=game_id, label=label, expiry=0, **terms)

    def bring(self, hand: Play, by: Any = None, his: Key | None = None) -> Receipt:
        theirs = self.h.player.key.sign(self.bank.domain, hand.bet)
        countersigned = (his or self.h.croupier.key).sign(self.bank.domain, hand.bet)
        call = BringHand(self.terms, hand.bet, theirs, countersigned)
        return self.bank.make(by or self.h.player, call)

    def accept(self, hand: Play, order: tuple[int, ...]) -> Signature:
        message = OrderAccepted(hand.bet.struct_hash(), packed_order(order))
        return self.h.croupier.key.sign(self.bank.domain, message)

    def accepted_seed(self, hand: Play, order: tuple[int, ...], by: Any = None) -> Receipt:
        seed = hand.seeds[Signer.CROUPIER, 1]
        call = SubmitAcceptedSeed(hand.bet, seed, self.accept(hand, order))
        return self.bank.make(by or self.h.player, call)

    def two_orders(self, hand: Play, order: tuple[int, ...], by: Any = None) -> Receipt:
        call = ComplainTwoOrders(hand.bet, order, hand.sign_order(order))
        return self.bank.make(by or self.h.stranger, call)

    def disputed(self, hands: int = 3, share: int = MINE, **terms: Any) -> Play:
        """A session with an open hand that was brought before the Bank."""
        self.open()
        self.claim(hands, share)
        self.bank.evm.travel(STEP_TIME + 1)
        hand = self.hand(hands, **terms)
        self.bring(hand)
        return hand

    @property
    def phase(self) -> int:
        return self.bank.session(self.terms).phase


def test_one_call_opens_and_one_closes(h: Hall) -> None:
    evening = Evening(h)
    evening.open()
    assert h.wealth() == (BANKROLL - HIS, PURSE - MINE)
    assert evening.open().events == [], "he may repeat it"
    assert evening.close(12, MINE + 7 * CHIP).event("SessionClosed")["hands"] == 12
    assert h.wealth() == (BANKROLL - 7 * CHIP, PURSE + 7 * CHIP)
    assert (evening.phase, h.bank.open_games(h.player)) == (Phase.CLOSED, 0)
    with refused("WrongSession"):
        evening.open()
    with refused("WrongSession"):
        evening.close(13, 0)
    with refused("WrongSession"):
        evening.claim(13)
    second = Evening(h, number=1)
    second.open()
    second.close(0, MINE)


def test_who_may_open_and_on_which_terms(h: Hall) -> None:
    with refused("NotTheCroupier"):
        Evening(h).open(by=h.player)
    with refused("WrongSession"):
        Evening(h, number=1).open()
    with refused("BetExpired"):
        Evening(h, expiry=h.bank.evm.now - 1).open()
    with refused("SameParty"):
        Evening(h, player=h.croupier.address).open()
    with refused("WrongKey"):
        Evening(h, croupier_key=h.stranger.key.address).open()
    with refused("BadSignature"):
        evening = Evening(h)
        signature = h.stranger.key.sign(h.bank.domain, evening.terms)
        h.bank.make(h.croupier, OpenSession(evening.terms, signature))
    with refused("InsufficientFunds"):
        Evening(h, player_funds=PURSE + 1).open()
    with refused("InsufficientFunds"):
        Evening(h, croupier_funds=BANKROLL + 1).open()
    Evening(h).open()
    with refused("WrongSession"):
        Evening(h, player_funds=1).open()


def test_one_alone_closes_with_notice_and_older_states_lose(h: Hall) -> None:
    evening = Evening(h)
    evening.open()
    with refused("NotAParty"):
        evening.claim(0, by=h.stranger)
    evening.claim(2, MINE + 50 * CHIP)  # the Player forgets hands 3 to 5, which were lost
    for hands in (0, 1, 2):
        with refused("OldState"):
            evening.claim(hands, by=h.croupier)
    evening.claim(5, MINE - 20 * CHIP, by=h.stranger)  # a watchtower brings the newer state
    h.bank.evm.travel(STEP_TIME + 1)
    with refused("TooLate"):
        evening.claim(6, MINE + 90 * CHIP)
    with refused("TooEarly"):
        evening.finish()
    h.bank.evm.travel(STEP_TIME)
    evening.finish()
    assert h.wealth() == (BANKROLL + 20 * CHIP, PURSE - 20 * CHIP)


def test_a_session_without_hands_is_taken_back(h: Hall) -> None:
    evening = Evening(h)
    evening.open()
    with refused("WrongSession"):
        evening.finish()
    evening.claim(0, 10**30, by=h.croupier)  # the share counts for nothing here
    h.bank.evm.travel(2 * STEP_TIME + 2)
    evening.finish()
    assert h.wealth() == (BANKROLL, PURSE)


def test_states_that_count_for_nothing(h: Hall) -> None:
    evening = Evening(h)
    evening.open()
    state = evening.state(4, MINE)
    mine, his = evening.signed(state)
    for wrong in ((mine, mine), (his, his), (his, mine), (mine, NOBODYS)):
        with refused("BadSignature"):
            h.bank.make(h.player, ClaimSession(evening.terms, state, *wrong))
    with refused("BadSignature"):  # a state of another session of these two
        evening.close(1, MINE, session=bytes(32))
    with refused("BadShare"):
        evening.close(1, MINE + HIS + 1)
    with refused("OldState"):  # a state that both signed is not yet a close that both want
        evening.close(9, MINE, last=False)
    with refused("WrongSession"):
        Evening(h, player_funds=5).close(1, 5)
    assert evening.phase == Phase.OPEN


def test_the_open_hand_goes_before_the_bank(h: Hall) -> None:
    evening = Evening(h)
    hand = evening.disputed(3, MINE + 30 * CHIP)
    assert evening.phase == Phase.CLOSED
    stake, top = 5 * CHIP, 4000 * CHIP
    left = PURSE + 30 * CHIP - stake
    assert h.wealth() == (BANKROLL - 30 * CHIP - top, left)
    hand.croupier_seed(0, by=h.player)
    hand.player_seed_and_order(ORDER, by=h.croupier)
    evening.accepted_seed(hand, ORDER)
    hand.player_seed_and_result(by=h.stranger)
    prize = Poker(1, 5).prize(hand.final(ORDER)) * CHIP
    assert h.bank.available(h.player) == left + prize
    assert h.bank.open_games(h.croupier) == h.bank.open_games(h.player) == 0


def test_which_hand_and_when(h: Hall) -> None:
    evening = Evening(h)
    evening.open()
    with refused("WrongSession"):
        evening.bring(evening.hand(0))
    evening.claim(3)
    with refused("TooEarly"):
        evening.bring(evening.hand(3))
    h.bank.evm.travel(STEP_TIME + 1)
    for number in (0, 2, 4):
        with refused("WrongHand"):
            evening.bring(evening.hand(number))
    with refused("BadSignature"):  # a bet that the Croupier never took
        evening.bring(evening.hand(3), his=h.stranger.key)
    with refused("InsufficientFunds"):
        evening.bring(evening.hand(3, bet=10, level=5))
    h.bank.evm.travel(STEP_TIME)
    with refused("TooLate"):
        evening.bring(evening.hand(3))
    evening.finish()


@pytest.mark.parametrize(
    ("after", "act", "reason"),
    [
        (0, "claim", None),
        (1, "claim", "TooLate"),
        (0, "bring", "TooEarly"),
        (1, "bring", None),
        (STEP_TIME, "bring", None),
        (STEP_TIME + 1, "bring", "TooLate"),
        (STEP_TIME, "finish", "TooEarly"),
        (STEP_TIME + 1, "finish", None),
    ],
)
def test_every_deadline_of_a_session_to_the_second(
    h: Hall, after: int, act: str, reason: str | None
) -> None:
    """A newer claim comes before the deadline, then the open hand for one step, then the end."""
    evening = Evening(h)
    evening.open()
    deadline: int = evening.claim(3).event("SessionClaimed")["deadline"]
    hand = evening.hand(3)
    h.bank.evm.travel_to(deadline + after)
    with refused(reason) if reason else nullcontext():
        match act:
            case "claim":
                evening.claim(4)
            case "bring":
                evening.bring(hand)
            case _:
                evening.finish()


def test_the_last_second_and_the_last_wei_of_a_session(h: Hall) -> None:
    now = h.bank.evm.now
    with refused("BetExpired"):
        Evening(h, expiry=now - 1).open()
    evening = Evening(h, player_funds=PURSE, croupier_funds=BANKROLL, expiry=h.bank.evm.now)
    evening.open()
    with refused("BadShare"):
        evening.claim(2**96)
    with refused("BadShare"):
        evening.close(1, PURSE + BANKROLL + 1)
    evening.close(1, PURSE + BANKROLL)


def test_a_hand_of_a_session_is_no_bet_outside_of_it(h: Hall) -> None:
    evening = Evening(h)
    hand = evening.disputed(3)
    following = h.play(game_id=evening.terms.game_id(4), label="next")
    with refused("WrongGameId"):
        h.bank.make(h.croupier, SubmitBet(following.bet, following.signature))
    hand.croupier_seed(0)
    ordinary = h.play()
    ordinary.run_merged(ORDER)
    assert h.bank.next_id(h.croupier, h.player) == 1


@pytest.mark.parametrize(
    ("steps", "about", "gained"),
    [
        (1, "FirstCroupierSeed", 1),
        (2, "FirstPlayerSeed", -1),
        (3, "ReplacementOrder", -1),
        (4, "SecondCroupierSeed", 1),
        (5, "SecondPlayerSeed", -1),
    ],
)
def test_every_silence_in_the_open_hand(h: Hall, steps: int, about: str, gained: int) -> None:
    evening = Evening(h)
    hand = evening.disputed()
    todo: list[Callable[[], Receipt]] = [
        lambda: hand.croupier_seed(0),
        lambda: hand.player_seed(0),
        lambda: hand.order(ORDER),
        lambda: hand.croupier_seed(1),
    ]
    for step in todo[: steps - 1]:
        step()
    h.bank.evm.travel(STEP_TIME + 1)
    hand.complain(about, by=h.stranger)
    change = gained * hand.bet.stake
    assert h.wealth() == (BANKROLL - change, PURSE + change)


def test_an_order_that_comes_after_seed_1_was_seen_loses_the_stake(h: Hall) -> None:
    """Order A between the two; seed 1 is told; and then order B, which suits better, here."""
    evening = Evening(h)
    hand = evening.disputed()
    hand.croupier_seed(0)
    hand.player_seed_and_order((1, 1, 1, 1, 1), by=h.player)
    with refused("NotTheCroupier"):  # seed 1 was told for order A, and does not serve order B
        hand.croupier_seed(1, by=h.player)
    with refused("BadSignature"):
        evening.accepted_seed(hand, ORDER)
    with refused("SameOrder"):
        evening.two_orders(hand, (1, 1, 1, 1, 1))
    with refused("BadSignature"):
        forged = h.stranger.key.sign(h.bank.domain, OrderAccepted(bytes(32), 1))
        h.bank.make(h.croupier, ComplainTwoOrders(hand.bet, ORDER, forged))
    evening.two_orders(hand, ORDER)
    assert h.wealth() == (BANKROLL + hand.bet.stake, PURSE - hand.bet.stake)
    with refused("GameOver"):
        evening.two_orders(hand, ORDER)


def test_to_stand_after_all_is_an_order_too(h: Hall) -> None:
    """An order to replace nothing makes the hand final; but not before it can be disputed."""
    evening = Evening(h)
    hand = evening.disputed()
    hand.croupier_seed(0)
    hand.player_seed_and_order(STANDS, by=h.player)
    with refused("TooEarly"):
        hand.result(by=h.player)
    with refused("TooEarly"):
        hand.complain("SecondCroupierSeed", by=h.player)
    with refused("BadOrder"):
        bad = ComplainTwoOrders(hand.bet, (2, 0, 0, 0, 0), hand.signature)
        h.bank.make(h.stranger, bad)
    evening.two_orders(hand, ORDER, by=h.croupier)
    assert h.bank.game(hand.bet).outcome == GameOutcome.PLAYER_FORFEITED
    honest = Evening(h, number=1).disputed(label="honest")
    honest.croupier_seed(0)
    honest.player_seed_and_order(STANDS, by=h.player)
    h.bank.evm.travel_to(h.bank.game(honest.bet).deadline)
    with refused("TooEarly"):
        honest.result(by=h.player)
    honest.result(by=h.player)
    assert h.bank.game(honest.bet).outcome == GameOutcome.SETTLED


def test_two_orders_are_a_matter_of_sessions_alone(h: Hall) -> None:
    evening = Evening(h)
    play = h.play()
    play.run_to(4)
    with refused("WrongStep"):
        evening.two_orders(play, STANDS)
    hand = evening.disputed()
    with refused("WrongStep"):
        evening.two_orders(hand, STANDS)
    assert h.bank.game(hand.bet).step == Step.BET_SUBMITTED


def test_a_croupier_who_told_seed_1_cannot_take_it_back(h: Hall) -> None:
    """He saw that the draw wins, and falls silent: the Player brings what he accepted."""
    evening = Evening(h)
    for label in range(1000):
        hand = evening.hand(3, label=label)
        if rank(hand.final(ORDER)) >= 3:
            break
    evening.disputed(label=label)
    hand.croupier_seed(0, by=h.player)
    hand.player_seed_and_order(ORDER, by=h.player)
    evening.accepted_seed(hand, ORDER)
    hand.player_seed_and_result(by=h.player)
    prize = Poker(1, 5).prize(hand.final(ORDER)) * CHIP
    assert prize >= 15 * CHIP
    assert h.bank.available(h.player) == PURSE - hand.bet.stake + prize


def test_gas_of_sessions_is_as_recorded() -> None:
    h = hall()
    first = Evening(h)
    new = first.open().gas + first.close(1, MINE).gas
    evening = Evening(h, number=1)
    gas = {"the first session of two, joint close": new}
    gas |= {"open": evening.open().gas, "close": evening.close(100, MINE + CHIP).gas}
    gas["a session, joint close"] = gas["open"] + gas["close"]
    evening = Evening(h, number=2)
    evening.open()
    gas["claim"] = evening.claim(100, MINE).gas
    h.bank.evm.travel(STEP_TIME + 1)
    hand = evening.hand(100)
    gas["bring the hand"] = evening.bring(hand).gas
    rest = [hand.croupier_seed(0), hand.player_seed_and_order(ORDER)]
    rest += [evening.accepted_seed(hand, ORDER), hand.player_seed_and_result()]
    gas["its four calls"] = sum(receipt.gas for receipt in rest)
    gas["a disputed hand"] = gas["claim"] + gas["bring the hand"] + gas["its four calls"]
    alone = Evening(h, number=3)
    alone.open()
    alone.claim(7, MINE)
    h.bank.evm.travel(2 * STEP_TIME + 2)
    gas["finish"] = alone.finish().gas
    assert gas == json.loads(SNAPSHOT.read_text()), json.dumps(gas, indent=1)
    assert gas["a session, joint close"] <= gas["the first session of two, joint close"] <= 130_000
    assert gas["a disputed hand"] <= 450_000
    assert gas["open"] < LIMITS[OpenSession] and gas["close"] * 1.25 < LIMITS[CloseSession]
    assert gas["claim"] * 1.25 < LIMITS[ClaimSession]
    assert gas["bring the hand"] * 1.25 < LIMITS[BringHand]
    assert gas["finish"] * 1.25 < LIMITS[FinishSession]
    assert rest[2].gas * 1.25 < LIMITS[SubmitAcceptedSeed]
