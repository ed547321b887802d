"""A Croupier on a Bank in a ledger, a guest who plays with him, and things that go wrong.

Everything is real: the store is a SQLite file, the Bank a `LedgerBank` with a clock of the
test's own. What wraps them only fails, counts or delays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fairground.bank import seeds
from fairground.bank.bank_port import (
    AS_USUAL,
    Account,
    Bank,
    BankEvent,
    BankGame,
    BankSession,
    Call,
    DepositFunds,
    Spending,
    SubmitPublicKey,
    Terms,
)
from fairground.bank.croupier.croupier import Croupier, Habits
from fairground.bank.croupier_port import CroupierDesk, Offer, Sight
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.messages import Bet, Key, ReplacementOrder, Signer
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.signatures import Signature
from fairground.games.poker.rules import Poker
from fairground.store.sqlite import SqliteStore

CHIP = 1000
STEP_TIME = 600
BANKROLL = 200_000 * CHIP
PURSE = 1_000 * CHIP
ORDER = (1, 0, 1, 1, 0)
STANDS = (0, 0, 0, 0, 0)
START = 2_000_000_000


class Clock:
    """The Bank's time, which passes when the test says so."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> float:
        return self.time


class Wrapped(Bank):
    """A Bank behind which the real one stands. `around` decides what happens to a call."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.domain, self.terms, self.trusted = bank.domain, bank.terms, bank.trusted

    async def around(self, name: str, do: Callable[[], Any]) -> Any:
        return await do()

    async def now(self) -> int:
        found: int = await self.around("now", self.bank.now)
        return found

    async def purse(self, owner: str) -> int:
        found: int = await self.around("purse", lambda: self.bank.purse(owner))
        return found

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        return await self.bank.session(croupier, player, confirmations)

    async def account(self, owner: str) -> Account:
        found: Account = await self.around("account", lambda: self.bank.account(owner))
        return found

    async def next_game_id(self, croupier: str, player: str) -> int:
        ask = lambda: self.bank.next_game_id(croupier, player)  # noqa: E731
        found: int = await self.around("next_game_id", ask)
        return found

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        found: BankGame = await self.around("game", lambda: self.bank.game(key, confirmations))
        return found

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        found: Sequence[BankEvent] = await self.around("told", lambda: self.bank.told(key))
        return found

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        done: Sequence[BankEvent] = await self.around(
            "send", lambda: self.bank.send(sender, call, spending)
        )
        return done


class BlockBank(Wrapped):
    """A Bank in which every call is a block, and which remembers what each block said."""

    def __init__(self, bank: Bank) -> None:
        super().__init__(bank)
        self.height = 0
        self.past: dict[bytes, list[tuple[int, BankGame]]] = {}

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        done = await super().send(sender, call, spending)
        self.height += 1
        bet = getattr(call, "bet", None)
        if bet is not None:
            game = await self.bank.game(bet.key)
            self.past.setdefault(bet.key, []).append((self.height, game))
        return done

    def mine(self, blocks: int) -> None:
        self.height += blocks

    def at(self, key: bytes, confirmations: int) -> BankGame:
        known = [g for h, g in self.past.get(key, []) if h <= self.height - confirmations]
        return known[-1] if known else BankGame(bytes(32), 0, 0, 0, 0, 0)

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return self.at(key, confirmations)


class Guest:
    """A Player by hand: every message of a game, when the test says so."""

    def __init__(self, bank: Bank, number: int = 0) -> None:
        self.bank = bank
        self.key = Key(7000 + number)
        self.address = self.key.address
        self.seeds: dict[str, tuple[Seed, Seed]] = {}

    async def arrive(self, ledger: LedgerBank, funds: int = PURSE) -> None:
        await ledger.issue(self.address, funds)
        await self.enter(ledger, funds)

    async def enter(self, bank: Bank, funds: int) -> None:
        """Register the key, and deposit."""
        proof = self.key.prove(bank.domain, self.address)
        await bank.send(self.key, SubmitPublicKey(self.address, proof))
        await bank.send(self.key, DepositFunds(funds))

    def bet_on(self, offer: Offer, bet: int = 1, level: int = 5, **changes: Any) -> Bet:
        if offer.id not in self.seeds:
            parties = (offer.croupier, offer.player)
            self.seeds[offer.id] = fresh_seeds(
                self.key, self.bank.domain, parties, Signer.PLAYER, offer.game_id
            )
        mine = self.seeds[offer.id]
        return Bet(
            offer.croupier,
            offer.player,
            offer.croupier_key,
            self.address,
            offer.game_id,
            bet,
            level,
            self.bank.terms.chip_cost,
            *offer.commitments,
            mine[0].commitment,
            mine[1].commitment,
            offer.expiry,
        )._replace(**changes)

    def sign(self, bet: Bet) -> Signature:
        return self.key.sign(self.bank.domain, bet)

    def sign_order(self, bet: Bet, order: Sequence[int]) -> Signature:
        return self.key.sign(self.bank.domain, ReplacementOrder.of(bet, tuple(order)))

    async def say_next(
        self, desk: CroupierDesk, offer: Offer, bet: Bet, order: Sequence[int]
    ) -> Sight:
        """Say what the Croupier waits for, if it is the Player's to say."""
        sight = await desk.look(offer.id)
        match sight.stage:
            case "offered":
                await desk.bet(offer.id, bet, self.sign(bet))
            case "awaits-seed-0":
                await desk.seed(offer.id, 0, self.seeds[offer.id][0])
            case "awaits-order":
                await desk.order(offer.id, order, self.sign_order(bet, order))
            case "awaits-seed-1":
                await desk.seed(offer.id, 1, self.seeds[offer.id][1])
        return sight

    def final_hand(self, offer: Offer, bet: Bet, sight: Sight, order: Sequence[int]) -> Any:
        """What the seeds deal, computed from the messages alone."""
        mine, name = self.seeds[offer.id], bet.struct_hash()
        assert sight.seeds[0] is not None
        hand = seeds.deal(seeds.mix(name, 0, sight.seeds[0].signature, mine[0].signature))
        if not any(order):
            return hand
        assert sight.seeds[1] is not None
        second = seeds.mix(name, 1, sight.seeds[1].signature, mine[1].signature)
        return seeds.replace(hand, order, second)


def prize(bet: Bet, hand: Sequence[int]) -> int:
    return Poker(bet.bet, bet.level).prize(hand) * bet.chip_cost


class House:
    """The parts together."""

    def __init__(self, store: SqliteStore, ledger: LedgerBank, clock: Clock) -> None:
        self.store = store
        self.ledger = ledger
        self.clock = clock
        self.key = Key(6000)
        self.bank: Bank = ledger
        self.guest = Guest(ledger)

    def croupier(self, **options: Any) -> Croupier:
        options = {"bankroll": BANKROLL, "habits": Habits(interval=0.01), **options}
        return Croupier(self.bank, self.key, options.pop("store", self.store), **options)

    async def wealth(self) -> tuple[int, int]:
        """What Croupier and guest have at the Bank."""
        accounts = [await self.ledger.account(a) for a in (self.key.address, self.guest.address)]
        return accounts[0].available, accounts[1].available

    async def play(
        self,
        croupier: Croupier,
        order: Sequence[int] = ORDER,
        guest: Guest | None = None,
        **terms: Any,
    ) -> tuple[Offer, Bet, int]:
        """A whole game by hand; gives the prize that its messages say."""
        guest = guest or self.guest
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer, **terms)
        while (sight := await guest.say_next(croupier, offer, bet, order)).stage != "over":
            await croupier.pump()
        assert not sight.trouble
        return offer, bet, prize(bet, guest.final_hand(offer, bet, sight, order))


@asynccontextmanager
async def house(folder: Path, faucet: int = 10**15) -> AsyncIterator[House]:
    store = await SqliteStore.open(f"sqlite:///{folder}/croupier.db")
    clock = Clock()
    ledger = await LedgerBank.open(store, Terms(CHIP, STEP_TIME), faucet=faucet, clock=clock)
    made = House(store, ledger, clock)
    await ledger.issue(made.key.address, BANKROLL)
    await made.guest.arrive(ledger)
    try:
        yield made
    finally:
        await ledger.close()
        await store.close()
