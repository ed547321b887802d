"""A real EVM in this process (py-evm), with our contract on it and parties that use it.

Every call that any test makes to the contract is made to `Books` as well, the same rules in
Python: both must refuse it with the same name and values, or record the same events, and
agree on everybody's account afterwards, to the wei.

Time is the chain's own: it begins in the year 2096, past any machine's clock, and moves
by one second with each block and by `Evm.travel`. Keys and nonces are numbered, so every
run gives the same bytes and the same gas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from eth.vm.forks.prague import PragueVM
from eth_tester import PyEVMBackend

from fairground.bank import seeds
from fairground.bank.bank_port import (
    Account,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    BringHand,
    Call,
    ClaimSession,
    Complain,
    DepositFunds,
    OpenSession,
    Silence,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
    WithdrawFunds,
)
from fairground.bank.chain import abi
from fairground.bank.ledger.rules import Books
from fairground.bank.messages import (
    IN_SESSION,
    Bet,
    Domain,
    Key,
    ReplacementOrder,
    SeedMessage,
    SessionState,
    SessionTerms,
    Signer,
)
from fairground.bank.seeds import Seed, make_seed
from fairground.bank.signatures import Signature, checksummed, keccak

CHIP = 10**15
STEP_TIME = 3600
GENESIS = 4_000_000_000
WEALTH = 10**24


class Receipt(NamedTuple):
    gas: int
    events: list[BankEvent]

    def event(self, name: str) -> dict[str, Any]:
        (found,) = (event.values for event in self.events if event.name == name)
        return found


class Evm:
    """One chain."""

    def __init__(self) -> None:
        parameters = PyEVMBackend.generate_genesis_params({"timestamp": GENESIS})
        state = PyEVMBackend.generate_genesis_state({"balance": WEALTH}, num_accounts=8)
        rules = ((0, PragueVM),)  # a later fork could count gas in another way
        self.backend = PyEVMBackend(parameters, state, vm_configuration=rules)
        self.chain = self.backend.chain
        self.keys = {key.public_key.to_checksum_address(): key for key in self.backend.account_keys}
        self.accounts: list[str] = list(self.keys)
        self.chain_id = int(self.chain.chain_id)

    @property
    def now(self) -> int:
        """The time of the next block."""
        return int(self.chain.header.timestamp)

    def travel(self, seconds: int) -> None:
        """Let time pass: the next block comes so much later."""
        self.travel_to(self.now + seconds)

    def travel_to(self, timestamp: int) -> None:
        """Let the next block come at just this time."""
        assert timestamp >= self.now
        self.chain.header = self.chain.header.copy(timestamp=timestamp)

    @contextmanager
    def forked(self, chain_id: int) -> Iterator[None]:
        """The same chain under another number."""
        self.chain.chain_id = chain_id
        try:
            yield
        finally:
            self.chain.chain_id = self.chain_id

    def balance(self, address: str) -> int:
        return int(self.backend.get_balance(_bytes(address)))

    def code(self, address: str) -> bytes:
        return bytes(self.backend.get_code(_bytes(address)))

    def deploy(self, data: bytes, sender: int = 0, value: int = 0) -> tuple[str, int]:
        """The address of a new contract, and the gas that it took."""
        receipt, computation = self._apply(self.accounts[sender], b"", data, value)
        if computation.is_error:
            raise abi.refusal(bytes(computation.output))
        return checksummed(computation.msg.storage_address.hex()), _gas(receipt)

    def _apply(self, sender: str, to: bytes, data: bytes, value: int) -> tuple[Any, Any]:
        """Put one transaction into a block of its own."""
        unsigned = (
            self.chain.get_vm()
            .get_transaction_builder()
            .new_unsigned_dynamic_fee_transaction(
                chain_id=self.chain_id,
                nonce=self.backend.get_nonce(_bytes(sender)),
                max_priority_fee_per_gas=0,
                max_fee_per_gas=10**10,
                gas=8_000_000,
                to=to,
                value=value,
                data=data,
                access_list=(),
            )
        )
        signed = unsigned.as_signed_transaction(self.keys[sender])
        _, receipt, computation = self.chain.apply_transaction(signed)
        self.backend.mine_blocks(1)
        return receipt, computation

    def send(self, sender: str, to: str, data: bytes, value: int = 0) -> Receipt:
        """Send a transaction; raise `BankRefused` with the contract's reason."""
        receipt, computation = self._apply(sender, _bytes(to), data, value)
        if computation.is_error:
            raise abi.refusal(bytes(computation.output))
        events = [
            abi.event([topic.to_bytes(32, "big") for topic in log.topics], log.data)
            for log in receipt.logs
            if log.address == _bytes(to)
        ]
        return Receipt(_gas(receipt), events)

    def call(self, sender: str, to: str, data: bytes) -> bytes:
        """Ask, changing nothing; raise `BankRefused`."""
        vm = self.chain.get_vm()
        computation = vm.execute_bytecode(
            origin=_bytes(sender),
            gas_price=0,
            gas=8_000_000,
            to=_bytes(to),
            sender=_bytes(sender),
            value=0,
            data=data,
            code=vm.state.get_code(_bytes(to)),
        )
        if computation.is_error:
            raise abi.refusal(bytes(computation.output))
        return bytes(computation.output)


def _gas(receipt: Any) -> int:
    """What the transaction took: it is alone in its block."""
    return int(receipt.gas_used)


def _bytes(address: str) -> bytes:
    return bytes.fromhex(address.removeprefix("0x"))


def nonce(label: object) -> bytes:
    """A numbered 'random' nonce."""
    return keccak(f"nonce {label}".encode())


class Party(NamedTuple):
    """A participant: an account that pays, and a key that signs."""

    address: str
    key: Key


def _address(party: Party | str) -> str:
    return party if isinstance(party, str) else party.address


class Bank:
    """Our contract on a chain, as a party calls it."""

    def __init__(
        self,
        evm: Evm,
        chip: int = CHIP,
        step_time: int = STEP_TIME,
    ) -> None:
        self.evm = evm
        self.chip = chip
        self.step_time = step_time
        code = abi.deployment(chip, step_time)
        self.address, self.deployment_gas = evm.deploy(code)
        self.domain = Domain(evm.chain_id, self.address)
        self.books = Books(self.domain, Terms(chip, step_time), WEALTH)
        for owner in evm.accounts:
            self.books.issue(owner, WEALTH)

    def make(self, sender: Party | str, call: Call) -> Receipt:
        """Make a call, to the contract and to the books alike; raise `BankRefused`."""
        address, now = _address(sender), self.evm.now
        value = call.amount if isinstance(call, DepositFunds) else 0
        try:
            receipt = self.send(address, abi.encoded(call), value)
        except BankRefused as refused:
            before = repr(self.books.tables())
            with pytest.raises(BankRefused) as expected:
                self.books.apply(address, call, now)
            assert repr(self.books.tables()) == before
            assert (refused.name, refused.values) == (expected.value.name, expected.value.values)
            raise
        assert receipt.events == self.books.apply(address, call, now)
        assert sum(self.books.balances().values()) == 0, "no wei is made or lost"
        if receipt.events:
            bet: Bet | None = getattr(call, "bet", None)
            terms: SessionTerms | None = getattr(call, "terms", None)
            parties = (bet or terms or ())[:2]
            self.compare(address, *(str(party) for party in parties))
            assert bet is None or self.game(bet) == self.books.game(bet.key)
            assert terms is None or self.session(terms) == self.books.session(*terms[:2])
        return receipt

    def compare(self, *owners: str) -> None:
        """Contract and books must agree on these accounts."""
        for owner in set(owners):
            available, open_games, key = self.ask("getAccount", owner)
            found = Account(available, open_games, checksummed(key))
            assert found == self.books.account(owner)

    def send(self, sender: Party | str, data: bytes, value: int = 0) -> Receipt:
        """Send any bytes to the contract; for calls there is `make`."""
        return self.evm.send(_address(sender), self.address, data, value)

    def ask(self, name: str, *values: Any) -> Any:
        data = self.evm.call(self.evm.accounts[0], self.address, abi.call_data(name, *values))
        return abi.result(name, data)

    def party(self, number: int, deposit: int = 0, register: bool = True) -> Party:
        """The account of this number, with a key of its own."""
        party = Party(self.evm.accounts[number], Key(1000 + number))
        if register:
            self.register(party)
        if deposit:
            self.deposit(party, deposit)
        return party

    def register(self, party: Party) -> Receipt:
        proof = party.key.prove(self.domain, party.address)
        return self.make(party, SubmitPublicKey(party.key.address, proof))

    def deposit(self, party: Party | str, amount: int) -> Receipt:
        return self.make(party, DepositFunds(amount))

    def withdraw(self, party: Party | str, amount: int) -> Receipt:
        return self.make(party, WithdrawFunds(amount))

    def available(self, party: Party | str) -> int:
        return int(self.ask("getAccount", _address(party))[0])

    def open_games(self, party: Party) -> int:
        return int(self.ask("getAccount", party.address)[1])

    def next_id(self, croupier: Party, player: Party) -> int:
        return int(self.ask("getNextGameId", croupier.address, player.address))

    def session(self, terms: SessionTerms) -> BankSession:
        return BankSession(*self.ask("getSession", *terms[:2]))

    def game(self, bet: Bet) -> BankGame:
        data = abi.call_data("getGame", bet.key)
        found = self.evm.call(self.evm.accounts[0], self.address, data)
        return BankGame(*abi.result("getGame", found))


class Play:
    """One game, honestly prepared; each step is a method, and may be sent by anyone."""

    def __init__(
        self,
        bank: Bank,
        croupier: Party,
        player: Party,
        *,
        game_id: int = 0,
        bet: int = 1,
        level: int = 5,
        label: object = "",
        **changes: Any,
    ) -> None:
        self.bank, self.croupier, self.player = bank, croupier, player
        self.game_id, self.label = game_id, label
        self.seeds = {
            (role, seed_id): self.seed(role, seed_id) for role in Signer for seed_id in (0, 1)
        }
        terms = Bet(
            croupier.address,
            player.address,
            croupier.key.address,
            player.key.address,
            game_id,
            bet,
            level,
            bank.chip,
            self.seeds[Signer.CROUPIER, 0].commitment,
            self.seeds[Signer.CROUPIER, 1].commitment,
            self.seeds[Signer.PLAYER, 0].commitment,
            self.seeds[Signer.PLAYER, 1].commitment,
            bank.evm.now + 1000,
        )
        self.bet = terms._replace(**changes)
        self.signature = player.key.sign(bank.domain, self.bet)

    def seed(self, role: Signer, seed_id: int, label: object = None) -> Seed:
        party = self.croupier if role is Signer.CROUPIER else self.player
        text = f"{self.label} {label} {role} {self.game_id} {seed_id}"
        parties = (self.croupier.address, self.player.address)
        message = SeedMessage(*parties, role, self.game_id, seed_id, nonce(text))
        return make_seed(party.key, self.bank.domain, message)

    def submit_bet(self, by: Party | None = None, signature: Signature | None = None) -> Receipt:
        return self.bank.make(by or self.croupier, SubmitBet(self.bet, signature or self.signature))

    def croupier_seed(
        self, seed_id: int, by: Party | None = None, seed: Seed | None = None
    ) -> Receipt:
        seed = seed or self.seeds[Signer.CROUPIER, seed_id]
        return self.bank.make(by or self.croupier, SubmitCroupierSeed(self.bet, seed_id, seed))

    def player_seed(
        self,
        seed_id: int,
        by: Party | None = None,
        seed: Seed | None = None,
        croupiers: Seed | None = None,
    ) -> Receipt:
        seed = seed or self.seeds[Signer.PLAYER, seed_id]
        croupiers = croupiers or self.seeds[Signer.CROUPIER, seed_id]
        return self.bank.make(
            by or self.croupier, SubmitPlayerSeed(self.bet, seed_id, seed, croupiers.signature)
        )

    def sign_order(self, order: Sequence[int]) -> Signature:
        message = ReplacementOrder.of(self.bet, tuple(order))
        return self.player.key.sign(self.bank.domain, message)

    def order(
        self, order: Sequence[int], by: Party | None = None, signature: Signature | None = None
    ) -> Receipt:
        signed = signature or self.sign_order(order)
        return self.bank.make(
            by or self.croupier, SubmitReplacementOrder(self.bet, tuple(order), signed)
        )

    def player_seed_and_order(self, order: Sequence[int], by: Party | None = None) -> Receipt:
        seed, his = self.seeds[Signer.PLAYER, 0], self.seeds[Signer.CROUPIER, 0].signature
        call = SubmitPlayerSeedAndOrder(self.bet, seed, his, tuple(order), self.sign_order(order))
        return self.bank.make(by or self.croupier, call)

    def player_seed_and_result(self, by: Party | None = None) -> Receipt:
        seed, his = self.seeds[Signer.PLAYER, 1], self.seeds[Signer.CROUPIER, 1].signature
        return self.bank.make(by or self.croupier, SubmitPlayerSeedAndResult(self.bet, seed, his))

    def run_merged(self, order: Sequence[int] = (1, 0, 1, 1, 0)) -> list[Receipt]:
        """A whole game in five calls, as our Croupier plays it; three if nothing is replaced."""
        receipts = [self.submit_bet(), self.croupier_seed(0), self.player_seed_and_order(order)]
        if not any(order):
            return [*receipts, self.result()]
        return [*receipts, self.croupier_seed(1), self.player_seed_and_result()]

    def result(self, by: Party | None = None) -> Receipt:
        return self.bank.make(by or self.croupier, SubmitGameResult(self.bet))

    def complain(self, about: str, by: Party | None = None) -> Receipt:
        return self.bank.make(by or self.player, Complain(Silence("complainNo" + about), self.bet))

    def game_seed(self, seed_id: int) -> int:
        ours = self.seeds[Signer.CROUPIER, seed_id].signature
        theirs = self.seeds[Signer.PLAYER, seed_id].signature
        return seeds.mix(self.bet.struct_hash(), seed_id, ours, theirs)

    def hand(self) -> tuple[int, ...]:
        return seeds.deal(self.game_seed(0))

    def final(self, order: Sequence[int]) -> tuple[int, ...]:
        return seeds.replace(self.hand(), order, self.game_seed(1))

    def run_to(self, steps: int, order: Sequence[int] = (1, 0, 1, 1, 0)) -> list[Receipt]:
        """Take the first steps of the game, honestly; all seven settle it."""
        todo: list[Callable[[], Receipt]] = [
            self.submit_bet,
            lambda: self.croupier_seed(0),
            lambda: self.player_seed(0),
            lambda: self.order(order),
            lambda: self.croupier_seed(1),
            lambda: self.player_seed(1),
            self.result,
        ]
        return [step() for step in todo[:steps]]


class Hall(NamedTuple):
    """A Bank with a rich Croupier, a Player and a stranger, all registered."""

    bank: Bank
    croupier: Party
    player: Party
    stranger: Party

    def play(self, **terms: Any) -> Play:
        return Play(self.bank, self.croupier, self.player, **terms)

    def wealth(self) -> tuple[int, int]:
        """What Croupier and Player could withdraw now."""
        return self.bank.available(self.croupier), self.bank.available(self.player)


class DisputedPlay(Play):
    """A hand of a session: what is a bet outside of it is here the whole way to the Bank.

    The session is opened, claimed as it began, and after the notice its first hand is brought.
    """

    number = 0
    claimed: dict[int, SessionTerms]
    """The sessions whose hands can be brought, by their numbers."""

    def submit_bet(self, by: Party | None = None, signature: Signature | None = None) -> Receipt:
        terms = self.claimed.get(self.number) or self._claim()
        self.claimed[self.number] = terms
        his = self.croupier.key.sign(self.bank.domain, self.bet)
        call = BringHand(terms, self.bet, signature or self.signature, his)
        return self.bank.make(by or self.croupier, call)

    def _claim(self) -> SessionTerms:
        bank, bet = self.bank, self.bet
        funds = bet.stake, bet.top_prize
        terms = SessionTerms(*bet[:4], self.number, *funds, bank.evm.now + 1000)
        opening = self.player.key.sign(bank.domain, terms)
        bank.make(self.croupier, OpenSession(terms, opening))
        nobodys = Signature(0, 0, 0)
        state = SessionState(terms.struct_hash(), 0, terms.player_funds, bytes(32))
        bank.make(self.player, ClaimSession(terms, state, nobodys, nobodys))
        bank.evm.travel(STEP_TIME + 1)
        return terms


class DisputeHall(Hall):
    """The same hall, in which every game is a disputed hand of a session."""

    def play(self, *, game_id: int = 0, **terms: Any) -> Play:
        numbered = IN_SESSION | game_id << 128
        changes = {"game_id": numbered, "expiry": 0, **terms}
        play = DisputedPlay(self.bank, self.croupier, self.player, **changes)
        play.number = game_id
        play.claimed = self.__dict__.setdefault("claimed", {})
        return play


BANKROLL = 50_000 * CHIP
PURSE = 1_000 * CHIP


def hall(bankroll: int = BANKROLL, purse: int = PURSE, evm: Evm | None = None) -> Hall:
    """Open a Bank, on a new chain if none is given."""
    bank = Bank(evm or Evm())
    return Hall(bank, bank.party(1, bankroll), bank.party(2, purse), bank.party(3, purse))


@contextmanager
def refused(name: str) -> Iterator[None]:
    """What happens inside must be refused by the contract for just this reason."""
    with pytest.raises(BankRefused) as refusal:
        yield
    assert refusal.value.name == name
