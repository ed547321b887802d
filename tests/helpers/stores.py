"""Where tests of stores put their logs: a file of SQLite, or a database of a real PostgreSQL."""

from __future__ import annotations

import asyncio
import gc
import uuid
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from fairground.store import Store, open_store
from tests.helpers.postgres import throw_away_cluster

Law = Callable[[Store], Awaitable[None]]


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """One PostgreSQL for all that ask for one."""
    with throw_away_cluster() as url:
        yield url


@pytest.fixture(scope="module")
def let_go() -> Iterator[None]:
    """Connections that were cut in the middle are let go here, and not during somebody's test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for one test alone, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/deep/er/arena.db"
    request.getfixturevalue("let_go")
    return new_database(request.getfixturevalue("cluster"))


@pytest.fixture
def postgres_url(cluster: str, let_go: None) -> str:
    """A database of PostgreSQL for one test alone."""
    return new_database(cluster)


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    """An open store, once of each kind."""
    opened = await open_store(store_url)
    yield opened
    await opened.close()


def news_of(store: Store) -> AsyncIterator[tuple[str, int]]:
    """What a listener hears from now on."""
    heard: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
    store.listen(lambda *news: heard.put_nowait(news))

    async def one_after_the_other() -> AsyncIterator[tuple[str, int]]:
        while True:
            yield await heard.get()

    return one_after_the_other()


def new_database(cluster: str) -> str:
    name = f"t{uuid.uuid4().hex}"
    run_sql(cluster, f"CREATE DATABASE {name}")
    return cluster.replace("/postgres?", f"/{name}?")


async def execute(url: str, script: str) -> None:
    """Behind the store's back."""
    db = await asyncpg.connect(url)
    await db.execute(script)
    await db.close()


def run_sql(url: str, script: str) -> None:
    asyncio.run(execute(url, script))


def holds(url: str, law: Law) -> None:
    """Open a store, and see whether this is true of it."""

    async def run() -> None:
        store = await open_store(url)
        try:
            await law(store)
        finally:
            await store.close()

    asyncio.run(run())
