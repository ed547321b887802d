"""A Croupier on a real chain (``anvil``), a guest, and blocks that are made by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fairground.bank.bank_port import Step
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.croupier.croupier import Croupier, Habits
from fairground.bank.croupier_port import Offer
from fairground.bank.messages import Bet, Key
from fairground.store.sqlite import SqliteStore
from tests.helpers.anvil import Anvil
from tests.helpers.croupier import Guest

CHIP = 10**12
STEP_TIME = 3600
BANKROLL = 20_000 * CHIP
PURSE = 100 * CHIP
ETHER = 10**18
DEEP = 12


def rich(node: ChainNode, key: Key, wei: int = 10 * ETHER) -> Key:
    node.rpc("anvil_setBalance", key.address, hex(wei))
    return key


class Table:
    """A Croupier on a new Bank, and a guest; blocks are made by hand once all is prepared."""

    def __init__(self, node: ChainNode, bank: ChainBank, croupier: Croupier, guest: Guest) -> None:
        self.node, self.bank, self.croupier, self.guest = node, bank, croupier, guest

    async def mine(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            await asyncio.to_thread(self.node.rpc, "evm_mine")

    async def look(self, offer: Offer, bet: Bet) -> str:
        """Look at the game, and see that no seed is told early."""
        sight = await self.croupier.look(offer.id)
        final = await self.bank.game(bet.key, DEEP)
        for seed, step in zip(sight.seeds, (Step.BET_SUBMITTED, Step.ORDER_SUBMITTED), strict=True):
            if seed is not None:
                assert final.is_of(bet) and final.step >= step
        return sight.stage

    async def play(self, offer: Offer, order: Any, until: str) -> Bet:
        bet = self.guest.bet_on(offer)
        while await self.look(offer, bet) != until:
            await self.guest.say_next(self.croupier, offer, bet, order)
            if await self.look(offer, bet) == until:
                break
            await self.mine()
        return bet

    async def wealth(self) -> int:
        accounts = [await self.bank.account(a) for a in (self.croupier.account, self.guest.address)]
        return sum(account.available for account in accounts)


@asynccontextmanager
async def table(
    chain: Anvil,
    folder: Path,
    confirmations: int,
    chip: int = CHIP,
    step_time: int = STEP_TIME,
    *,
    house: Key | None = None,
) -> AsyncIterator[Table]:
    node = chain.node()
    bankroll = BANKROLL // CHIP * chip
    house = rich(node, house or Key.fresh(), bankroll + 10 * ETHER)
    address = await deploy(node, house, chip, step_time)
    bank = await ChainBank.open(node, address)
    store = await SqliteStore.open(f"sqlite:///{folder}/croupier.db")
    habits = Habits(interval=0.01)
    croupier = Croupier(
        bank, house, store, confirmations=confirmations, bankroll=bankroll, habits=habits
    )
    guest = Guest(bank)
    rich(node, guest.key)
    await guest.enter(bank, PURSE // CHIP * chip)
    await croupier.prepare()
    node.rpc("evm_setAutomine", False)
    try:
        async with croupier:
            yield Table(node, bank, croupier, guest)
    finally:
        node.rpc("evm_setAutomine", True)
        await bank.close()
        await store.close()
