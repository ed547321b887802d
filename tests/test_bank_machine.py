"""Random legal and illegal calls by several parties, against a small twin of the rules.

After every call: ether is conserved, and everybody has just what they are entitled to. At
the end, from whatever state was reached: time alone opens a way by which everything locked
is released, and every party takes all its money home.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bank_evm import CHIP, STEP_TIME, Bank, Evm, Party, Play, Receipt
from fairground.bank.port import Refused
from fairground.bank.wire import Key, Role
from fairground.games.poker import PAYS, PENALTY, Poker, Rank

PARTIES = 3
FUNDS = 60_000 * CHIP
KEEP = (0, 0, 0, 0, 0)
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


@dataclass
class Twin:
    """What we expect the Bank to think of a game."""

    play: Play
    croupier: int
    player: int
    step: int = 1
    deadline: int = 0
    open: bool = True
    settled: bool = False
    order: tuple[int, ...] = KEEP

    @property
    def stake(self) -> int:
        return self.play.bet.stake

    @property
    def top(self) -> int:
        bet = self.play.bet
        return bet.bet * PAYS.get(bet.level, PAYS[1])[Rank.ROYAL_FLUSH] * CHIP

    @property
    def locked(self) -> int:
        if not self.open:
            return 0
        return self.top + (self.stake if self.step == 1 else 0)


class BankMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.evm = Evm()
        self.bank = Bank(self.evm)
        self.parties = [self.bank.party(1 + i, FUNDS) for i in range(PARTIES)]
        self.ledger = [FUNDS] * PARTIES
        self.games: list[Twin] = []
        self.counts = dict.fromkeys(((c, p) for c in range(3) for p in range(3)), 0)
        self.tries = 0

    # What should happen, and whether it did

    def attempt(self, legal: bool, call: Callable[[], Receipt]) -> bool:
        """Make a call that must succeed just if it is legal."""
        try:
            receipt = call()
        except Refused as refusal:
            assert not legal, refusal
            return False
        assert legal or not receipt.events, "an illegal call was accepted"
        return legal

    def pick(self, number: int) -> Twin:
        """One of the latest games, more often than not an open one."""
        candidates = [twin for twin in self.games if twin.open] or self.games
        if number % 7 == 0:
            candidates = self.games
        return candidates[number % len(candidates)]

    def in_time(self, twin: Twin, step: int) -> bool:
        return twin.open and twin.step == step and self.evm.now <= twin.deadline

    def moved(self, twin: Twin, step: int) -> None:
        twin.step, twin.deadline = step, self.evm.now - 1 + STEP_TIME

    def close(self, twin: Twin, to_player: int) -> None:
        twin.open = False
        self.ledger[twin.player] += to_player
        self.ledger[twin.croupier] += twin.top - to_player
        if twin.step == 1:
            self.ledger[twin.croupier] += twin.stake

    # Money and keys

    @rule(i=who, chips=st.integers(1, 50))
    def deposit(self, i: int, chips: int) -> None:
        self.bank.deposit(self.parties[i], chips * CHIP)
        self.ledger[i] += chips * CHIP

    @rule(i=who, amount=st.sampled_from([1, 50 * CHIP, 20_000 * CHIP, 2**200]))
    def withdraw(self, i: int, amount: int) -> None:
        if self.attempt(
            amount <= self.ledger[i], lambda: self.bank.withdraw(self.parties[i], amount)
        ):
            self.ledger[i] -= amount

    @rule(i=who, j=who)
    def take_a_key(self, i: int, j: int) -> None:
        """One's own again while no game is open; anybody else's never."""
        busy = any(twin.open and i in (twin.croupier, twin.player) for twin in self.games)
        party = Party(self.parties[i].address, self.parties[j].key)
        legal = i == j and not busy
        try:
            self.bank.register(party)
        except Refused:
            assert not legal
        else:
            assert legal

    # Games

    @initialize(c=who, other=st.integers(1, 2), bet=st.integers(1, 10), level=st.integers(1, 5))
    def begin(self, c: int, other: int, bet: int, level: int) -> None:
        self.place(c, other, bet, level, "")
        self.place(c, 3 - other, bet, level, "")
        self.place((c + 1) % PARTIES, other, 1, level, "")

    @rule(
        c=who,
        other=st.integers(1, 2),
        bet=st.integers(1, 10),
        level=st.integers(1, 5),
        fault=st.sampled_from(["", "", "", *FAULTS]),
    )
    def place(self, c: int, other: int, bet: int, level: int, fault: str) -> None:
        self.tries += 1
        p = c if fault == "self" else (c + other) % PARTIES
        game_id = self.counts[c, p]
        play = Play(
            self.bank,
            self.parties[c],
            self.parties[p],
            game_id=game_id + (fault == "id"),
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
        signer = Key(4321) if fault == "key" else self.parties[p].key
        play.signature = signer.sign(self.bank.domain, play.bet)
        twin = Twin(play, c, p)
        legal = not fault and self.ledger[p] >= twin.stake and self.ledger[c] >= twin.top
        by = self.parties[(c + 1) % PARTIES] if fault == "by" else self.parties[c]
        if self.attempt(legal, lambda: play.submit_bet(by=by)):
            self.ledger[p] -= twin.stake
            self.ledger[c] -= twin.top
            self.counts[c, p] += 1
            self.moved(twin, 1)
            self.games.append(twin)

    @precondition(lambda self: self.games)
    @rule(number=picks, order=st.tuples(*[st.integers(0, 1)] * 5))
    def go_on(self, number: int, order: tuple[int, ...]) -> None:
        """The right step, by one of the two; refused only if it comes too late."""
        twin = self.pick(number)
        if not twin.open:
            return
        by = (twin.croupier, twin.player)[number % 2]
        if twin.step == 6:
            self.result(number, by)
        elif twin.step == 3:
            self.give_order(number, by, order, False)
        elif twin.step in (1, 4):
            self.croupier_seed(number, by, twin.step // 4, "")
        else:
            self.player_seed(number, by, twin.step // 5, "")

    @precondition(lambda self: self.games)
    @rule(number=picks, order=st.tuples(*[st.integers(0, 1)] * 5), steps=st.integers(3, 6))
    def go_on_for_long(self, number: int, order: tuple[int, ...], steps: int) -> None:
        for _ in range(steps):
            self.go_on(number, order)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, steps=st.integers(0, 4))
    def fall_silent(self, number: int, i: int, steps: int) -> None:
        for _ in range(steps):
            self.go_on(number, (1, 0, 0, 1, 0))
        self.evm.travel(STEP_TIME + 1)
        self.complain_rightly(number, i)

    @precondition(lambda self: self.games)
    @rule(
        number=picks,
        i=who,
        seed_id=st.integers(0, 1),
        fault=st.sampled_from(["", "", "wrong", "number"]),
    )
    def croupier_seed(self, number: int, i: int, seed_id: int, fault: str) -> None:
        twin, play = self.pick(number), self.pick(number).play
        party = i in (twin.croupier, twin.player)
        legal = party and not fault and self.in_time(twin, 3 * seed_id + 1)
        seed = play.seeds[Role.CROUPIER, seed_id]
        if fault:
            other = play.seed(Role.CROUPIER, seed_id, "other")
            seed = other if fault == "wrong" else play.seeds[Role.CROUPIER, 1 - seed_id]
        if self.attempt(legal, lambda: play.croupier_seed(seed_id, by=self.parties[i], seed=seed)):
            self.moved(twin, 3 * seed_id + 2)
            if seed_id == 0:
                self.ledger[twin.croupier] += twin.stake

    @precondition(lambda self: self.games)
    @rule(
        number=picks,
        i=who,
        seed_id=st.integers(0, 1),
        fault=st.sampled_from(["", "", "wrong", "croupiers"]),
    )
    def player_seed(self, number: int, i: int, seed_id: int, fault: str) -> None:
        twin, play = self.pick(number), self.pick(number).play
        party = i in (twin.croupier, twin.player)
        legal = party and not fault and self.in_time(twin, 3 * seed_id + 2)
        seed, croupiers = play.seeds[Role.PLAYER, seed_id], play.seeds[Role.CROUPIER, seed_id]
        if fault == "wrong":
            seed = play.seed(Role.PLAYER, seed_id, "other")
        elif fault == "croupiers":
            croupiers = play.seed(Role.CROUPIER, seed_id, "other")
        if self.attempt(
            legal,
            lambda: play.player_seed(seed_id, by=self.parties[i], seed=seed, croupiers=croupiers),
        ):
            self.moved(twin, 3 * seed_id + 3)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, order=st.tuples(*[st.integers(0, 1)] * 5), forged=st.booleans())
    def give_order(self, number: int, i: int, order: tuple[int, ...], forged: bool) -> None:
        twin = self.pick(number)
        party = i in (twin.croupier, twin.player)
        signature = twin.play.sign_order(order)
        if forged:
            signature = twin.play.sign_order(tuple(1 - digit for digit in order))
        legal = party and not forged and self.in_time(twin, 3)
        if self.attempt(
            legal,
            lambda: twin.play.order(order, by=self.parties[i], signature=signature),
        ):
            twin.order = order
            self.moved(twin, 4 if any(order) else 6)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who)
    def result(self, number: int, i: int) -> None:
        twin = self.pick(number)
        legal = i in (twin.croupier, twin.player) and twin.open and twin.step == 6
        if self.attempt(legal, lambda: twin.play.result(by=self.parties[i])):
            self.settle(twin)

    def settle(self, twin: Twin) -> None:
        bet, order = twin.play.bet, twin.order
        final = twin.play.final(order) if any(order) else twin.play.hand()
        self.close(twin, Poker(bet.bet, bet.level).prize(final) * CHIP)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who, about=st.integers(1, 5))
    def complain(self, number: int, i: int, about: int) -> None:
        self.complain_about(self.pick(number), i, about)

    @precondition(lambda self: self.games)
    @rule(number=picks, i=who)
    def complain_rightly(self, number: int, i: int) -> None:
        twin = self.pick(number)
        self.complain_about(twin, i, min(twin.step, 5))

    def complain_about(self, twin: Twin, i: int, about: int) -> None:
        party = i in (twin.croupier, twin.player)
        stands = twin.step == 6 and not any(twin.order) and about == 4
        overdue = twin.step == about and self.evm.now > twin.deadline
        legal = party and twin.open and (stands or overdue)
        if self.attempt(legal, lambda: twin.play.complain(COMPLAINTS[about], by=self.parties[i])):
            if stands:
                self.settle(twin)
            else:
                owed = {1: twin.stake, 4: PENALTY * twin.stake}.get(about, 0)
                if about == 1:
                    twin.open = False
                    self.ledger[twin.player] += twin.stake
                    self.ledger[twin.croupier] += twin.top
                else:
                    self.close(twin, owed)

    @rule(seconds=st.sampled_from([1, STEP_TIME // 3]))
    def wait(self, seconds: int) -> None:
        self.evm.travel(seconds)

    # Always, and in the end

    @invariant()
    def everybody_has_what_is_theirs(self) -> None:
        found = [self.bank.available(party) for party in self.parties]
        assert found == self.ledger
        locked = sum(twin.locked for twin in self.games)
        assert self.evm.balance(self.bank.address) == sum(found) + locked

    def teardown(self) -> None:
        """Time passes; one honest call for each open game; everybody goes home."""
        self.evm.travel(STEP_TIME + 1)
        for twin in self.games:
            if twin.open and twin.step == 6:
                self.result_of(twin)
            elif twin.open:
                self.complain_about(twin, twin.player, twin.step)
            assert not twin.open
        self.everybody_has_what_is_theirs()
        for i, party in enumerate(self.parties):
            assert self.bank.open_games(party) == 0
            self.bank.withdraw(party, self.ledger[i])
        assert self.evm.balance(self.bank.address) == 0

    def result_of(self, twin: Twin) -> None:
        twin.play.result(by=self.parties[twin.player])
        self.settle(twin)


BankMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=30)
TestBankMachine = BankMachine.TestCase
