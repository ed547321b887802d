"""Random calls of several sessions, to the contract and to `Books` at once.

After every call ether is conserved. At the end, from whatever state was reached, time alone opens
a way by which everything is paid out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fairground.bank.bank_port import BankRefused, GameOutcome, Phase, Step
from tests.bank.chain.test_machine import COMPLAINTS
from tests.bank.chain.test_sessions import MINE, Evening
from tests.helpers.evm import BANKROLL, CHIP, PURSE, STEP_TIME, Bank, Evm, Hall, Play, Receipt
from tests.helpers.width import WIDE

ORDERS = [(1, 0, 1, 1, 0), (0, 0, 0, 0, 0), (0, 1, 0, 0, 0)]
which = st.integers(0, 1)
who = st.sampled_from(["croupier", "player", "stranger"])


class SessionMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        bank = Bank(Evm())
        croupier = bank.party(1, BANKROLL)
        two = [bank.party(2, PURSE), bank.party(3, PURSE)]
        stranger = bank.party(4, PURSE)
        self.bank, self.evm = bank, bank.evm
        self.halls = [Hall(bank, croupier, player, stranger) for player in two]
        self.evenings = [Evening(hall) for hall in self.halls]
        self.numbers = [0, 0]
        self.hands: list[Play] = []

    @staticmethod
    def attempt(call: Callable[[], Receipt]) -> bool:
        with suppress(BankRefused):
            return bool(call().events)
        return False

    @initialize()
    def begin(self) -> None:
        for evening in self.evenings:
            assert self.attempt(evening.open)

    @rule(i=which)
    def open(self, i: int) -> None:
        evening = Evening(self.halls[i], number=self.numbers[i] + 1)
        if self.attempt(evening.open):
            self.numbers[i] += 1
            self.evenings[i] = evening

    @rule(i=which, hands=st.integers(0, 4), chips=st.integers(-50, 200), by=who)
    def claim(self, i: int, hands: int, chips: int, by: str) -> None:
        sender = getattr(self.halls[i], by)
        self.attempt(lambda: self.evenings[i].claim(hands, MINE + chips * CHIP, by=sender))

    @rule(i=which, chips=st.integers(-100, 9_000), last=st.booleans())
    def close(self, i: int, chips: int, last: bool) -> None:
        self.attempt(lambda: self.evenings[i].close(2, MINE + chips * CHIP, last=last))

    @rule(i=which, by=who)
    def finish(self, i: int, by: str) -> None:
        self.attempt(lambda: self.evenings[i].finish(by=getattr(self.halls[i], by)))

    @rule(i=which, level=st.integers(1, 5))
    def bring(self, i: int, level: int) -> None:
        evening = self.evenings[i]
        kept = self.bank.books.session(*evening.terms[:2])
        hand = evening.hand(kept.hands, label=(i, self.numbers[i]), level=level)
        if self.attempt(lambda: evening.bring(hand)):
            self.hands.append(hand)

    @rule(number=st.integers(0, 9), order=st.sampled_from(ORDERS), other=st.sampled_from(ORDERS))
    def go_on(self, number: int, order: tuple[int, ...], other: tuple[int, ...]) -> None:
        if not self.hands:
            return
        hand = self.hands[number % len(self.hands)]
        evening = next(e for e in self.evenings if e.h.player == hand.player)
        step = self.bank.books.game(hand.bet.key).step
        todo: dict[int, Callable[[], Receipt]] = {
            1: lambda: hand.croupier_seed(0),
            2: lambda: hand.player_seed_and_order(order),
            3: lambda: hand.order(order),
            4: lambda: evening.accepted_seed(hand, order),
            5: hand.player_seed_and_result,
            6: lambda: hand.result(by=hand.player),
        }
        if number % 3 == 0 and step >= Step.ORDER_SUBMITTED:
            self.attempt(lambda: evening.two_orders(hand, other))
        else:
            self.attempt(todo[step])

    @rule(steps=st.sampled_from([1, STEP_TIME // 2, STEP_TIME + 1]))
    def wait(self, steps: int) -> None:
        self.evm.travel(steps)

    @invariant()
    def ether_is_conserved(self) -> None:
        money = self.bank.books.balances()
        assert sum(money.values()) == 0
        inside = sum(money[place] for place in money if place.kind in ("available", "lock"))
        assert self.evm.balance(self.bank.address) == inside

    def teardown(self) -> None:
        """One honest party is enough to bring everything home."""
        for evening in self.evenings:
            if evening.phase == Phase.OPEN:
                evening.claim(0, by=evening.h.croupier)
        self.evm.travel(2 * STEP_TIME + 2)
        for evening in self.evenings:
            if evening.phase == Phase.CLAIMED:
                evening.finish()
        for hand in self.hands:
            game = self.bank.books.game(hand.bet.key)
            if game.outcome != GameOutcome.OPEN:
                continue
            if game.step == Step.HAND_FINAL:
                hand.result(by=hand.player)
            else:
                hand.complain(COMPLAINTS[game.step], by=hand.player)
        parties = [self.halls[0].croupier, *(hall.player for hall in self.halls)]
        for party in [*parties, self.halls[0].stranger]:
            assert self.bank.open_games(party) == 0
            self.bank.withdraw(party, self.bank.available(party))
        assert self.evm.balance(self.bank.address) == 0


EXAMPLES = 60 if WIDE else 3
SessionMachine.TestCase.settings = settings(max_examples=EXAMPLES, stateful_step_count=25)
TestSessionMachine = SessionMachine.TestCase
