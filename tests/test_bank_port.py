"""Every keeper of a Bank obeys the same laws (`bank_laws`); and what is the ledger's alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.exceptions import HTTPException

from arena_server import in_a_thread
from bank_laws import KEYS, LAWS, House, Law, furnished
from fairground.arena import problems, reading
from fairground.arena.bank_routes import bank_routes
from fairground.bank.artifact import Terms
from fairground.bank.chain_bank import ChainBank
from fairground.bank.embedded import EmbeddedNode, open_bank
from fairground.bank.ledger import LedgerBank
from fairground.bank.ledger_client import LedgerClient
from fairground.bank.port import Bank
from fairground.core import FairgroundError
from fairground.store import open_store

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


class EmbeddedHouse(House):
    def __init__(self, bank: ChainBank) -> None:
        self.bank = bank

    async def travel(self, seconds: int) -> None:
        assert isinstance(self.bank, ChainBank)
        assert isinstance(self.bank.node, EmbeddedNode)
        self.bank.node.travel(seconds)


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
async def in_sqlite(url: str) -> AsyncIterator[House]:
    clock = Clock()
    async with ledger(url, clock) as bank:
        yield LedgerHouse(bank, clock)


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[House]:
    clock = Clock()

    @asynccontextmanager
    async def with_bank(app: Litestar) -> AsyncIterator[None]:
        async with ledger(url, clock) as app.state.bank:
            yield

    app = Litestar(
        [bank_routes()],
        lifespan=[with_bank],
        exception_handlers={
            FairgroundError: problems.from_ours,
            HTTPException: problems.from_framework,
        },
        before_request=reading.check,
        dto=reading.Body,
        return_dto=None,
    )
    with in_a_thread(app) as arena:
        yield LedgerHouse(await LedgerClient.open(arena), clock)


@asynccontextmanager
async def embedded(_: str) -> AsyncIterator[House]:
    bank = await open_bank(dict.fromkeys((key.address for key in KEYS), WEALTH))
    yield EmbeddedHouse(bank)
    await bank.close()


KEEPERS: dict[str, Callable[[str], AbstractAsyncContextManager[House]]] = {
    "ledger": in_sqlite,
    "ledger over HTTP": over_http,
    "embedded chain": embedded,
}


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_keeper_obeys_every_law(keeper: str, law: Law, tmp_path: Path) -> None:
    async def run() -> None:
        async with KEEPERS[keeper](f"sqlite:///{tmp_path}/bank.db") as house:
            await law(await furnished(house))

    asyncio.run(run())
