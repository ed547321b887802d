"""Random legal and illegal calls by several parties, to the contract and to `Books` at once.

After every call: both say the same (`bank_evm.Bank.make`), ether is conserved, and the
books' double entry adds up. At the end, from whatever state was reached: time alone opens
a way by which everything locked is released, and every party takes all its money home.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fairground.bank.bank_port import BankRefused, GameOutcome, Step
from fairground.bank.messages import Key, Signer
from tests.helpers.evm import CHIP, STEP_TIME, Bank, Evm, Party, Play, Receipt
from tests.helpers.width import WIDE

PARTIES = 3
FUNDS = 60_000 * CHIP
COMPLAINTS = {
    1: "FirstCroupierSeed",
    2: "FirstPlayerSeed",
    3: "ReplacementOrder",
    4: "SecondCroupierSeed",
    5: "SecondPlayerSeed",
}
FAULTS = ["self", "by", "key", "id", "expired", "equal", "chip"]
FAULTS += ["bet 0", "bet 11", "level 0", "level 6"]
who = st.integers(0, PARTIES - 1)
picks = st.integers(0, 50)
orders = st.tuples(*[st.integers(0, 1)] * 5)


class BankMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.evm = Evm()
        self.bank = Bank(self.evm)
        self.parties = [self.bank.party(1 + i, FUNDS) for i in range(PARTIES)]
        self.games: list[Play] = []
        self.tries = 0

    @staticmethod
    def attempt(call: Callable[[], Receipt]) -> bool:
        """Make a call, for better or worse; whether something came of it."""
        with suppress(BankRefused):
            return bool(call().events)
        return False

    def step(self, play: Play) -> int:
        return self.bank.books.game(play.bet.key).step

    def open(self, play: Play) -> bool:
        return self.bank.books.game(play.bet.key).outcome == GameOutcome.OPEN

    def pick(self, number: int) -> Play:
        """One of the games, more often than not an open one."""
        candidates = [play for play in self.games if self.open(play)] or self.games
        if number % 7 == 0:
            candidates = self.games
        return candidates[number % len(candidates)]

    # Money and keys

    @rule(i=who, chips=st.integers(1, 50))
    def deposit(self, i: int, chips: int) -> None:
        assert self.attempt(lambda: self.bank.deposit(self.parties[i], chips * CHIP))

    @rule(i=who, amount=st.sampled_from([1, 50 * CHIP, 20_000 * CHIP, 2**200]))
    def withdraw(self, i: int, amount: int) -> None:
        self.attempt(lambda: self.bank.withdraw(self.parties[i], amount))

    @rule(i=who, j=who)
    def take_a_key(self, i: int, j: int) -> None:
        """One's own again while no game is open; anybody else's never."""
        party = Party(self.parties[i].address, self.parties[j].key)
        assert not self.attempt(lambda: self.bank.register(party)) or i == j

    # Games

    @initialize(
        c=who,
        bet=st.integers(1, 10),
        level=st.integers(1, 5),
        order=orders,
        steps=st.integers(0, 6),
    )
    def begin(self, c: int, bet: int, level: int, order: tuple[int, ...], steps: int) -> None:
        """Two games of one Croupier, one of them under way already."""
        self.place(c, 1, bet, level, "")
        self.place(c, 2, bet, level, "")
        for _ in range(steps):
            self.go_on(1, order)

    @rule(
        c=who,
        other=st.integers(1, 2),
        bet=st.integers(1, 10),
        level=st.integers(1, 5),
        fault=st.sampled_from(["", "", "", *FAULTS]),
    )
    def place(self, c: int, other: int, bet: int, level: int, fault: str) -> None:
        self.tries += 1
        croupier = self.parties[c]
        player = croupier if fault == "self" else self.parties[(c + other) % PARTIES]
        next_id = self.bank.books.next_game_id(croupier.address, player.address)
        play = Play(
            self.bank,
            croupier,
            player,
            game_id=next_id + (fault == "id"),
            bet={"bet 0": 0, "bet 11": 11}.get(fault, bet),
            level={"level 0": 0, "level 6": 6}.get(fault, level),
            label=self.tries,
        )
        if fault == "expired":
            play.bet = play.bet._replace(expiry=self.evm.now - 1)
        elif fault == "equal":
            play.bet = play.bet._replace(player_commitment_1=play.bet.croupier_commitment_0)
        elif fault == "chip":
            play.bet = play.bet._replace(chip_cost=1)
        signer = Key(4321) if fault == "key" else player.key
        play.signature = signer.sign(self.bank.domain, play.bet)
        by = self.parties[(c + 1) % PARTIES] if fault == "by" else croupier
        if self.attempt(lambda: play.submit_bet(by=by)):
            assert not fault
            self.games.append(play)

    @precondition(lambda self: self.games)
    @rule(number=picks, order=orders)
    def go_on(self, number: int, order: tuple[int, ...]) -> None:
        """The right step, by one of the two; refused only if it comes too late."""
        play = self.pick(number)
        by = self.parties.index((play.croupier, play.player)[number % 2])
        step = self.step(play)
        if step == Step.HAND_FINAL:
            self.result(number, by)
        elif step == Step.HAND_DEALT:
            self.give_order(number, by, order, False)
        elif step in (Step.BET_SUBMITTED, Step.ORDER_SUBMITTED):
            self.croupier_seed(number, by, step // 4, "")
        else:
            self.player_seed(number, by, step // 5, "")

    @precondition(lambda self: self.games)
    @rule(number=picks, order=orders, steps=st.integers(3, 6))
    def go_on_for_long(self, number: int, order: tuple[int, ...], steps: int) -> None:
        for _ in range(steps):
            self.go_on(number, order)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, steps=st.integers(0, 4))
    def fall_silent(self, number: int, i: int, steps: int) -> None:
        for _ in range(steps):
            self.go_on(number, (1, 0, 0, 1, 0))
        self.evm.travel(STEP_TIME + 1)
        self.complain(number, i, min(self.step(self.pick(number)), 5))

    @precondition(lambda self: self.games)
    @rule(
        number=picks,
        i=who,
        seed_id=st.integers(0, 1),
        fault=st.sampled_from(["", "", "wrong", "number", "no such"]),
    )
    def croupier_seed(self, number: int, i: int, seed_id: int, fault: str) -> None:
        play, by = self.pick(number), self.parties[i]
        seed = play.seeds[Signer.CROUPIER, seed_id]
        if fault == "wrong":
            seed = play.seed(Signer.CROUPIER, seed_id, "other")
        elif fault == "number":
            seed = play.seeds[Signer.CROUPIER, 1 - seed_id]
        elif fault == "no such":
            seed_id = 2
        done = self.attempt(lambda: play.croupier_seed(seed_id, by=by, seed=seed))
        assert not (done and fault)

    @precondition(lambda self: self.games)
    @rule(
        number=picks,
        i=who,
        seed_id=st.integers(0, 1),
        fault=st.sampled_from(["", "", "wrong", "croupiers"]),
    )
    def player_seed(self, number: int, i: int, seed_id: int, fault: str) -> None:
        play, by = self.pick(number), self.parties[i]
        seed, croupiers = play.seeds[Signer.PLAYER, seed_id], play.seeds[Signer.CROUPIER, seed_id]
        if fault == "wrong":
            seed = play.seed(Signer.PLAYER, seed_id, "other")
        elif fault == "croupiers":
            croupiers = play.seed(Signer.CROUPIER, seed_id, "other")
        done = self.attempt(
            lambda: play.player_seed(seed_id, by=by, seed=seed, croupiers=croupiers)
        )
        assert not (done and fault)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, order=orders, forged=st.booleans())
    def give_order(self, number: int, i: int, order: tuple[int, ...], forged: bool) -> None:
        play, by = self.pick(number), self.parties[i]
        signed = tuple(1 - digit for digit in order) if forged else order
        signature = play.sign_order(signed)
        assert not (self.attempt(lambda: play.order(order, by=by, signature=signature)) and forged)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who)
    def result(self, number: int, i: int) -> None:
        self.attempt(lambda: self.pick(number).result(by=self.parties[i]))

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, about=st.integers(1, 5))
    def complain(self, number: int, i: int, about: int) -> None:
        self.attempt(lambda: self.pick(number).complain(COMPLAINTS[about], by=self.parties[i]))

    @rule(seconds=st.sampled_from([1, STEP_TIME // 3]))
    def wait(self, seconds: int) -> None:
        self.evm.travel(seconds)

    # Always, and in the end

    @invariant()
    def ether_is_conserved(self) -> None:
        money = self.bank.books.balances()
        assert sum(money.values()) == 0
        inside = sum(money[place] for place in money if place.kind in ("available", "lock"))
        assert self.evm.balance(self.bank.address) == inside

    def teardown(self) -> None:
        """Time passes; one honest call for each open game; everybody goes home."""
        self.evm.travel(STEP_TIME + 1)
        for play in filter(self.open, self.games):
            if self.step(play) == Step.HAND_FINAL:
                play.result(by=play.player)
            else:
                play.complain(COMPLAINTS[self.step(play)], by=play.player)
            assert not self.open(play)
        self.ether_is_conserved()
        self.bank.compare(*(party.address for party in self.parties))
        for party in self.parties:
            assert self.bank.open_games(party) == 0
            self.bank.withdraw(party, self.bank.available(party))
        assert self.evm.balance(self.bank.address) == 0


BankMachine.TestCase.settings = settings(max_examples=240 if WIDE else 5, stateful_step_count=30)
TestBankMachine = BankMachine.TestCase
