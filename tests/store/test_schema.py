"""The schema is made once, as a whole; a database of another version is refused."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from fairground.core import InputError
from fairground.store import VERSION, Store, open_store, postgres, sqlite
from tests.helpers.stores import holds, run_sql


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


def test_many_who_start_at_once_make_it_once(store_url: str) -> None:
    together = threading.Barrier(6)

    def start(_: int) -> None:
        async def run() -> None:
            together.wait(20)
            store = await open_store(store_url)
            await store.close()

        asyncio.run(run())

    with ThreadPoolExecutor(together.parties) as starters:
        list(starters.map(start, range(together.parties)))
    assert version_of(store_url) == VERSION


def test_a_script_that_fails_leaves_everything_as_it_was(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sqlite if kind_of(store_url) == "sqlite" else postgres
    bad = "CREATE TABLE extra (x INTEGER); INSERT INTO nowhere VALUES (1)"
    with monkeypatch.context() as patched:
        patched.setattr(module, "SCHEMA", bad)
        with pytest.raises(InputError, match="nowhere"):
            asyncio.run(open_store(store_url))

    async def law(store: Store) -> None:
        assert await store.count("oracle") == (0, 0)

    holds(store_url, law)


OTHERS = {
    "sqlite": "PRAGMA user_version = {}",
    "postgresql": "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "INSERT INTO schema_version VALUES (1), ({})",
}


@pytest.mark.parametrize(
    ("version", "words"),
    [(99, rf"newer Fairground.* version 99.* up to {VERSION}"), (3, "before Fairground 1.0")],
)
def test_a_database_of_another_version_is_refused(store_url: str, version: int, words: str) -> None:
    apply(store_url, OTHERS[kind_of(store_url)].format(version))
    with pytest.raises(InputError, match=words):
        asyncio.run(open_store(store_url))
    assert version_of(store_url) == version
