"""Houses for the laws of the Bank: one for each keeper, each with a clock of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fairground.bank.bank_port import Bank, Terms
from fairground.bank.chain.bank import ChainBank
from fairground.bank.ledger.bank import LedgerBank, LedgerClient
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from fairground.store import open_store
from tests.helpers.anvil import open_bank, travel
from tests.helpers.arena import in_a_thread
from tests.helpers.bank_laws import KEYS, House

TERMS = Terms(10**15, 3600)
WEALTH = 150_000 * TERMS.chip_cost


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


class LedgerHouse(House):
    def __init__(self, bank: Bank, clock: Clock) -> None:
        self.bank, self.clock = bank, clock

    async def travel(self, seconds: int) -> None:
        self.clock.time += seconds


class ChainHouse(House):
    def __init__(self, bank: ChainBank) -> None:
        self.bank, self.node = bank, bank.node

    async def travel(self, seconds: int) -> None:
        travel(self.node, seconds)


@asynccontextmanager
async def ledger(url: str, clock: Clock) -> AsyncIterator[LedgerBank]:
    """A ledger in which everybody has got money from the faucet."""
    store = await open_store(url)
    bank = await LedgerBank.open(store, TERMS, clock=clock)
    for key in KEYS:
        await bank.issue(key.address, WEALTH)
    yield bank
    await bank.close()
    await store.close()


@asynccontextmanager
async def in_a_database(url: str) -> AsyncIterator[House]:
    clock = Clock()
    async with ledger(url, clock) as bank:
        yield LedgerHouse(bank, clock)


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[House]:
    """A whole arena, and the client; the faucet is the arena's."""
    clock = Clock()
    with in_a_thread(make_app(url, croupier=ArenaCroupier(CroupierPlace(), clock=clock))) as arena:
        client = await LedgerClient.open(arena)
        for key in KEYS:
            await client.faucet(key.address, WEALTH)
        yield LedgerHouse(client, clock)


@asynccontextmanager
async def on_a_chain(_: str) -> AsyncIterator[House]:
    bank = await open_bank(dict.fromkeys((key.address for key in KEYS), WEALTH))
    yield ChainHouse(bank)
    await bank.close()
