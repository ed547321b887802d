"""Databases of all ages: an old one is brought up to date, one from the future is refused."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from fairground.core import InputError
from fairground.server.live_games import Hall
from fairground.server.oracles.service import KIND, Oracles
from fairground.store import Append, Store, open_store, postgres, sqlite
from fairground.verifier import verify
from tests.helpers.places import DATA
from tests.helpers.stores import holds, new_database, run_sql

ORACLE = "NF29J3sxxFLhtDSVfw4peIzx"
CODE = (0, 2, 5, 1)
"""What that oracle hides. It was asked once, for 0 0 1 1: two digits in place."""


def apply(url: str, script: str) -> None:
    if url.startswith("sqlite:///"):
        path = Path(url.removeprefix("sqlite:///"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
        db = sqlite3.connect(path)
        db.executescript(script)
        db.close()
    else:
        run_sql(url, script)


def kind_of(url: str) -> str:
    return url.partition(":")[0]


def version_of(url: str) -> int:
    if kind_of(url) == "sqlite":
        db = sqlite3.connect(url.removeprefix("sqlite:///"))
        (version,) = db.execute("PRAGMA user_version").fetchone()
        db.close()
        return int(version)

    async def ask() -> int:
        db = await asyncpg.connect(url)
        found = await db.fetchval("SELECT max(version) FROM schema_version")
        await db.close()
        return int(found)

    return asyncio.run(ask())


@pytest.fixture
def old_url(store_url: str) -> str:
    """A database as the first version of the schema had it, with a game in the middle."""
    apply(store_url, (DATA / f"schema-1-{kind_of(store_url)}.sql").read_text())
    return store_url


def test_a_game_of_version_1_goes_on(old_url: str) -> None:
    began = int(time.time())

    async def law(store: Store) -> None:
        oracles = Oracles(Hall(store))
        seen = await oracles.describe(ORACLE, "http://here/oracle/it")
        assert (seen.attempts, seen.over) == (1, False)
        assert list(await store.idle(KIND, began, 1)) == [], "idle since it was brought up to date"
        assert list(await store.idle(KIND, began + 3600, 1)) == [ORACLE]
        counts, receipt = await oracles.submit(ORACLE, CODE)
        assert counts.full_match_count == 4
        await store.commit(Append("new", 0, (b"1\n",), KIND))
        assert list(await store.logs(KIND)) == [ORACLE, "new"]
        verdict = verify(await oracles.transcript(ORACLE), receipt)
        assert verdict.ok, verdict.fault

    holds(old_url, law)
    assert version_of(old_url) == len(sqlite.MIGRATIONS) == len(postgres.MIGRATIONS)


def test_many_who_start_at_once_bring_it_up_to_date_once(old_url: str) -> None:
    together = threading.Barrier(6)

    def start(_: int) -> int:
        async def run() -> int:
            together.wait(20)
            store = await open_store(old_url)
            found = await store.count(KIND)
            await store.close()
            return found[1]

        return asyncio.run(run())

    with ThreadPoolExecutor(together.parties) as starters:
        assert list(starters.map(start, range(together.parties))) == [1] * together.parties
    assert version_of(old_url) == len(sqlite.MIGRATIONS)


def test_a_step_that_fails_leaves_everything_as_it_was(
    old_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sqlite if kind_of(old_url) == "sqlite" else postgres
    bad = "CREATE TABLE extra (x INTEGER); INSERT INTO nowhere VALUES (1)"
    with monkeypatch.context() as patched:
        patched.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, bad))
        with pytest.raises(InputError, match="nowhere"):
            asyncio.run(open_store(old_url))
    assert version_of(old_url) == 1

    async def law(store: Store) -> None:
        assert await store.count(KIND) == (1, 1)

    holds(old_url, law)


FUTURE = {
    "sqlite": "PRAGMA user_version = 99",
    "postgresql": "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "INSERT INTO schema_version VALUES (1), (99)",
}


def test_a_database_from_the_future_is_refused(store_url: str) -> None:
    apply(store_url, FUTURE[kind_of(store_url)])
    with pytest.raises(InputError, match=r"newer Fairground.* version 99.* up to \d.*Update"):
        asyncio.run(open_store(store_url))
    assert version_of(store_url) == 99


def test_a_new_database_has_all_steps(cluster: str) -> None:
    url = new_database(cluster)

    async def law(store: Store) -> None:
        assert await store.count(KIND) == (0, 0)

    holds(url, law)
    assert version_of(url) == len(postgres.MIGRATIONS)
