"""A database in trouble: 503 in bounded time, one line of log, and everything goes on after."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import asyncpg
import pytest
from litestar.testing import TestClient

from fairground.core import InputError
from fairground.server import storage
from fairground.server.gate import ClientLimits, Gate
from fairground.server.metrics import Metrics
from fairground.server.serve import GatedArena, Settings, _Structured
from fairground.server.tables import service
from fairground.store import (
    Append,
    Damaged,
    InDoubt,
    StoreAway,
    groups,
    open_store,
    postgres,
    retried,
    sqlite,
)
from tests.helpers.arena import gated
from tests.helpers.stores import new_database

CLASSIC = {"base": 6, "length": 4}


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another program writes to the file, and does not come to an end."""
    rival = sqlite3.connect(path, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        rival.execute("ROLLBACK")
        rival.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY", 20)
    monkeypatch.setattr(storage, "PAUSE", 0.01)


@pytest.mark.usefixtures("impatient")
def test_trouble_of_the_database_has_its_own_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "arena.db"
    with TestClient(gated(f"sqlite:///{path}")) as client:
        oracle = client.post("/neworacle", json=CLASSIC, follow_redirects=False).headers["location"]
        assert client.get("/readyz").json()["status"] == "ready"
        with held(path):
            for method, where, body in (
                ("POST", "/neworacle", CLASSIC),
                ("POST", oracle, {"submission": [0, 1, 2, 3]}),
                ("DELETE", oracle, None),
                ("POST", "/newcontest", CLASSIC | {"games": 1}),
                ("GET", "/readyz", None),
            ):
                answer = client.request(method, where, json=body)
                assert (answer.status_code, answer.json()["code"]) == (503, "store/away")
                assert answer.headers["retry-after"] == "2" and "locked" in answer.json()["detail"]
            assert client.get("/healthz").json()["status"] == "ok", "it is alive"
            assert "fairground_open_games" in client.get("/metrics").text
            assert client.get(oracle).json()["attempts"] == 0, "and can be read"
        while client.get("/readyz").status_code != 200:
            pass
        answer = client.post(oracle, json={"submission": [0, 1, 2, 3]})
        assert answer.status_code == 200, "nothing was done meanwhile, and now it is"
        assert client.get(oracle).json()["attempts"] == 1
        while not any("works again" in line for line in caplog.messages):
            client.get("/healthz")
    said = [line for line in caplog.messages if "database" in line]
    assert len(said) == 2, "one line when it began, one when it ended"
    assert "locked" in said[0]
    counted = re.search(r"after [\d.]+ seconds and (\d+) failures", said[1])
    assert counted is not None and int(counted[1]) == 4


@pytest.mark.usefixtures("impatient")
def test_an_arena_with_room_for_a_little_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk was full, every request got 503, and /readyz wrote its few bytes and was content."""
    commit = sqlite.SqliteStore.commit

    async def little(self: Any, *appends: Append) -> None:
        if sum(len(line) for one in appends for line in one.lines) > 100:
            raise StoreAway("the disk is full")
        await commit(self, *appends)

    with TestClient(gated(f"sqlite:///{tmp_path}/arena.db")) as client:
        with monkeypatch.context() as patch:
            patch.setattr(sqlite.SqliteStore, "commit", little)
            assert client.get("/readyz").status_code == 200, "nobody has noticed"
            assert client.post("/neworacle", json=CLASSIC).status_code == 503
            assert client.get("/readyz").status_code == 503
        while client.get("/readyz").status_code != 200:
            pass
        assert client.post("/neworacle", json=CLASSIC).status_code in (200, 303)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as db:
        assert db.execute("SELECT DISTINCT kind FROM logs").fetchall() == [("oracle",)]


async def test_a_probe_that_is_broken_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget, begun, turn = sqlite.SqliteStore.forget, asyncio.Event(), count(1)

    async def held_once(self: Any, *about: Any) -> int:
        if next(turn) == 1:
            begun.set()
            await asyncio.Event().wait()
        return await forget(self, *about)

    monkeypatch.setattr(sqlite.SqliteStore, "forget", held_once)
    store = storage.WatchedStore(await open_store(f"sqlite:///{tmp_path}/arena.db"), Metrics())
    looking = asyncio.create_task(store.must_be_ready())
    await begun.wait()
    await store.close()
    await asyncio.gather(looking, return_exceptions=True)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as db:
        assert db.execute("SELECT kind FROM logs").fetchall() == []


@pytest.mark.usefixtures("impatient")
def test_nothing_is_written_into_a_file_that_is_not_there_any_more(tmp_path: Path) -> None:
    """It was moved away, or another was put in its place: what was acknowledged was lost."""
    path, away = tmp_path / "arena.db", tmp_path / "away.db"
    with TestClient(gated(f"sqlite:///{path}")) as client:
        oracle = client.post("/neworacle", json=CLASSIC, follow_redirects=False).headers["location"]
        for put in (lambda: None, lambda: shutil.copy(away, path)):
            path.rename(away)
            put()
            refused = client.post(oracle, json={"submission": [0, 1, 2, 3]})
            assert (refused.status_code, refused.json()["code"]) == (503, "store/away")
            assert "moved away or replaced" in refused.json()["detail"]
            assert client.get("/readyz").status_code == 503
            assert client.get(oracle).json()["attempts"] == 0
            away.replace(path)
            while client.get("/readyz").status_code != 200:
                pass
        assert client.post(oracle, json={"submission": [0, 1, 2, 3]}).status_code == 200


def test_what_goes_on_by_itself_is_silent_while_the_database_is_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clocks of tables, idle games, the Croupier's rounds: each had a traceback for every look."""
    looks: Counter[str] = Counter()

    async def away(_: Any, kind: str, *__: Any, **___: Any) -> Any:
        looks[kind] += 1
        raise StoreAway("gone")

    monkeypatch.setattr(storage, "PAUSE", 600)
    monkeypatch.setattr(service, "SWEEP", 0.01)
    monkeypatch.setattr(service, "EXPIRE", 1)
    app: Any = GatedArena(Settings(f"sqlite:///{tmp_path}/arena.db"))
    with TestClient(app) as client:
        player = {"player": "0x" + "11" * 20}
        assert client.post("/croupier/offers", json=player).status_code == 201
        for way in ("logs", "idle", "read", "count"):
            monkeypatch.setattr(sqlite.SqliteStore, way, away)
        caplog.clear()
        while looks["croupier"] <= 2:
            assert client.get("/healthz").status_code == 200, looks
        monkeypatch.undo()
    (said,) = [line for line in caplog.messages if "Stopped" not in line]
    assert "the database is in trouble" in said


def test_what_is_counted_is_told_while_the_database_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is just then that somebody wants to know."""

    async def away(*_: Any) -> Any:
        raise StoreAway("gone")

    with TestClient(gated(f"sqlite:///{tmp_path}/arena.db")) as client:
        client.post("/neworacle", json=CLASSIC)
        assert 'fairground_open_games{kind="oracle"} 1' in client.get("/metrics").text
        monkeypatch.setattr(sqlite.SqliteStore, "count", away)
        told = client.get("/metrics")
        assert told.status_code == 200 and 'route="/neworacle"' in told.text
        assert 'fairground_open_games{kind="oracle"}' not in told.text


def test_answers_and_log_name_the_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    caplog.handler.setFormatter(_Structured())
    app = gated(f"sqlite:///{tmp_path}/arena.db")
    with TestClient(app) as client:
        names = [client.get("/healthz").headers["x-request-id"] for _ in range(3)]
        assert len(set(names)) == 3
        monkeypatch.setattr(storage.WatchedStore, "must_be_ready", broken)
        failed = client.get("/readyz")
    assert failed.status_code == 500
    line = next(json.loads(one) for one in caplog.text.splitlines() if "request failed" in one)
    assert line["request"] == failed.headers["x-request-id"]
    assert line["message"] == "a request failed: GET /readyz" and "RuntimeError" in line["error"]


# The stores themselves


async def test_a_file_that_is_not_written_in_time_leaves_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what was asked for may be done later: whoever looks again sees the truth."""
    monkeypatch.setattr(groups, "PATIENCE", 0.05)
    path = tmp_path / "arena.db"
    store = await open_store(f"sqlite:///{path}")
    with held(path), pytest.raises(InDoubt, match=r"0\.05 seconds"):
        await store.commit(Append("a", 0, (b"1\n",), "x"))
    monkeypatch.setattr(groups, "PATIENCE", 10)
    await store.commit(Append("b", 0, (b"1\n",), "x"))  # written in their order
    found = await store.read("a")
    assert found is not None and found.lines == (b"1\n",)
    await store.close()


@pytest.mark.usefixtures("impatient")
async def test_a_file_that_is_no_database_any_more(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    store = await open_store(f"sqlite:///{path}")
    await store.commit(Append("a", 0, (b"1\n",), "x"))
    db = sqlite3.connect(path)
    db.execute("DROP TABLE chunks")
    db.commit()
    db.close()
    with pytest.raises(StoreAway, match="no such table"):
        await store.read("a")
    with pytest.raises(StoreAway, match="no such table"):
        await store.commit(Append("a", 1, (b"2\n",)))
    await store.close()


async def test_a_server_that_is_frozen_is_not_waited_for(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody locks the tables: to a client, a server that never answers."""
    store = await open_store(postgres_url)
    await store.commit(Append("a", 0, (b"1\n",), "x"))
    monkeypatch.setattr(postgres, "PATIENCE", 1.0)
    rival = await asyncpg.connect(postgres_url)
    async with rival.transaction():
        await rival.execute("LOCK TABLE logs, schema_version IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(InDoubt, match="whether this was done"):
            await store.commit(Append("a", 1, (b"2\n",)))
        for question in (store.read("a"), store.count("x")):
            with pytest.raises(StoreAway):
                await question
    monkeypatch.setattr(postgres, "PATIENCE", 10)
    await rival.close()

    @retried
    async def go_on() -> None:
        found = await store.read("a")
        assert found is not None and len(found.lines) in (1, 2), "in doubt: either may be"
        await store.commit(Append("a", len(found.lines), (b"3\n",)))

    await go_on()
    await store.close()


async def test_a_connection_that_the_server_ends_is_trouble_and_no_mistake(
    postgres_url: str,
) -> None:
    """Its administrator ends all of ours, again and again, while we write and read."""
    store = await open_store(postgres_url)
    rival = await asyncpg.connect(postgres_url)
    other = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    for number in range(30):
        acts = [store.commit(Append(f"{number} {k}", 0, (b"1\n",), "x")) for k in range(5)]
        ended = asyncio.create_task(rival.execute(other))
        done = await asyncio.gather(*acts, store.read("a"), return_exceptions=True)
        await ended
        wrong = [one for one in done if isinstance(one, Exception)]
        assert all(isinstance(one, StoreAway) for one in wrong), wrong
    await rival.close()

    @retried
    async def works_again() -> None:
        await store.commit(Append("last", 0, (b"1\n",), "x"))

    while True:
        try:
            await works_again()
            break
        except StoreAway:
            continue
    await store.close()


async def test_what_the_driver_says_of_itself_is_trouble_too(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 was said of what had been done."""

    async def broken(*_: Any) -> Any:
        raise asyncpg.InternalClientError("cannot switch to state 15; another operation is there")

    store = await open_store(postgres_url)
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "write_group", broken)
        with pytest.raises(InDoubt, match="another operation"):
            await store.commit(Append("a", 0, (b"1\n",), "x"))
    await store.commit(Append("a", 0, (b"1\n",), "x"))
    await store.close()


def test_who_gives_up_waiting_for_a_frozen_server_is_let_go_at_once(cluster: str) -> None:
    """To tell the server took ten seconds more, and `/healthz` hung for so long."""
    url = new_database(cluster)

    async def run() -> float:
        with pytest.MonkeyPatch.context() as patch:
            store = await open_store(url)
            patch.setattr(asyncpg.Connection, "_cancel", never)
            rival = await asyncpg.connect(url)
            async with rival.transaction():
                await rival.execute("LOCK TABLE logs IN ACCESS EXCLUSIVE MODE")
                began = time.monotonic()
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await store.count("x")
                took = time.monotonic() - began
            assert await store.count("x") == (0, 0)
            await rival.close()
            await store.close()
            return took

    async def never(*_: Any) -> None:
        """A server that is frozen does not even hear that nobody waits."""
        await asyncio.Event().wait()

    assert asyncio.run(run()) < 5, "half of what a store waits"


async def test_a_server_that_refuses_to_write_has_done_nothing(postgres_url: str) -> None:
    store = await open_store(f"{postgres_url}&options=-c%20lc_messages=C")
    await store.commit(Append("a", 0, (b"1\n",), "x"))
    rival = await asyncpg.connect(postgres_url)
    await rival.execute("ALTER TABLE chunks ADD CHECK (first < 2)")
    with pytest.raises(StoreAway, match="violates check") as caught:
        await store.commit(Append("a", 1, (b"2\n",)))
    assert not isinstance(caught.value, InDoubt)
    await rival.close()
    await store.close()


def test_a_database_in_trouble_is_probed_until_the_arena_stops(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "PAUSE", 0)
    monkeypatch.setattr(storage, "PROBE", 0.01)
    asked = asyncio.Event()

    async def away(*_: Any) -> None:
        asked.set()
        raise StoreAway("away")

    async def silent(*_: Any) -> None:
        await asyncio.Event().wait()

    async def run() -> None:
        store: Any = SimpleNamespace(shared=True, commit=away, forget=away, close=AsyncMock())
        watched = storage.WatchedStore(store, Metrics())
        watched.failed(StoreAway("away"))
        watched.failed(StoreAway("away"))
        await asked.wait()
        await watched.close()
        assert watched.failures == 2
        store.commit = silent
        slow = storage.WatchedStore(store, Metrics())
        with pytest.raises(StoreAway, match="wrote nothing"):
            await slow.must_be_ready()
        await slow.close()

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert len(caplog.messages) == 1


def test_whoever_waits_too_long_at_the_end_is_told_that_the_arena_stops() -> None:
    async def never(*_: Any) -> None:
        await asyncio.Event().wait()

    async def run() -> list[Any]:
        said: list[Any] = []

        async def send(message: Any) -> None:
            said.append(message)

        gate = Gate(never, ClientLimits(), Metrics())
        scope = {"type": "http", "method": "GET", "path": "/"}
        request = asyncio.create_task(gate(scope, never, send))
        await asyncio.sleep(0)
        request.cancel()
        await request
        return said

    start, body = asyncio.run(run())
    assert start["status"] == 503 and (b"retry-after", b"2") in start["headers"]
    assert json.loads(body["body"])["code"] == "arena/stopping"


def test_a_mistake_in_front_of_the_framework_has_its_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    said: list[Any] = []

    async def broken(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    async def send(message: Any) -> None:
        said.append(message)

    gate = Gate(broken, ClientLimits(), Metrics())
    scope = {"type": "http", "method": "GET", "path": "/"}
    asyncio.run(gate(scope, broken, send))
    assert said[0]["status"] == 500 and json.loads(said[1]["body"])["code"] == "arena/error"
    assert "a request failed" in caplog.text


def test_what_a_failing_disk_may_have_written_is_in_doubt() -> None:
    store = object.__new__(sqlite.SqliteStore)
    failing, full = sqlite3.OperationalError("disk I/O error"), sqlite3.OperationalError("full")
    failing.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    full.sqlite_errorname = "SQLITE_FULL"
    assert type(store._in_plain_words(failing)) is InDoubt
    assert type(store._in_plain_words(full)) is StoreAway


# Damage


def spoil(path: Path, table: str) -> None:
    """Overwrite every page of a table behind SQLite's back, as a failing disk does."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = db.execute("PRAGMA page_size").fetchone()
        pages = [n for (n,) in db.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,))]
    assert pages
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)


def filled(path: Path) -> list[str]:
    with TestClient(gated(f"sqlite:///{path}")) as client:
        client.follow_redirects = False
        made = [client.post("/neworacle", json=CLASSIC) for _ in range(20)]
        return [answer.headers["location"] for answer in made]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("table", ["chunks", "vault"])
def test_a_damaged_database_is_not_said_to_work_again(
    tmp_path: Path, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It was reported as an outage that ended every second, and /readyz was 200 meanwhile."""
    path = tmp_path / "arena.db"
    filled(path)
    arena = gated(f"sqlite:///{path}")
    with TestClient(arena) as client:
        oracle = client.post("/neworacle", json=CLASSIC, follow_redirects=False).headers["location"]
        assert client.get("/readyz").status_code == 200
        spoil(path, table)
        answers = [client.post("/neworacle", json=CLASSIC) for _ in range(30)]
        failed = [one for one in answers if one.status_code != 303]
        assert {(one.status_code, one.json()["code"]) for one in failed} == {(503, "store/damaged")}
        assert "fairground restore" in failed[0].json()["detail"]
        assert failed == answers[-len(failed) :], "once it is known, nothing more is written"
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["code"]) == (503, "store/damaged")
        assert arena._app.state["arena"].store._probing is None, "nobody waits for its end"
        assert client.get("/healthz").status_code == 200, "it is alive"
        assert client.post(oracle, json={"submission": [0] * 4}).json()["code"] == "store/damaged"
    told = [one.getMessage() for one in caplog.records if one.name == "fairground.server"]
    assert len(told) == 1 and "fairground restore" in told[0]


@pytest.mark.parametrize("table", ["logs", "chunks", "vault", "sqlite_autoindex_logs_1"])
def test_a_damaged_database_is_refused_at_the_start(tmp_path: Path, table: str) -> None:
    path = tmp_path / "arena.db"
    filled(path)
    spoil(path, table)
    with pytest.raises(InputError, match=r"is damaged .*fairground restore COPY"):
        asyncio.run(open_store(f"sqlite:///{path}"))


def test_a_long_check_of_a_database_is_told_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "arena.db"
    oracles = filled(path)
    monkeypatch.setattr(sqlite, "STEPS", 1)
    monkeypatch.setattr(sqlite, "SLOW", 0)
    with TestClient(gated(f"sqlite:///{path}")) as client:
        assert client.get(oracles[0]).status_code == 200
    assert [one.levelname for one in caplog.records] == ["WARNING"]
    assert "takes up to 30 seconds" in caplog.text
    caplog.clear()
    monkeypatch.setattr(sqlite, "CHECK", 0)
    with TestClient(gated(f"sqlite:///{path}")) as client:
        assert client.get(oracles[0]).status_code == 200
    assert "in part only" in caplog.text


@pytest.mark.usefixtures("impatient")
def test_a_database_that_is_damaged_in_an_outage_is_not_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "arena.db"
    filled(path)
    with TestClient(gated(f"sqlite:///{path}")) as client:
        with held(path):
            assert client.post("/neworacle", json=CLASSIC).json()["code"] == "store/away"
        spoil(path, "logs")
        while client.get("/readyz").json().get("code") != "store/damaged":
            pass
    assert "works again" not in caplog.text.partition("does not recover")[2]


async def test_a_damaged_database_is_not_ready_though_it_can_write() -> None:
    """Only some of its pages are damaged."""
    watched = storage.WatchedStore(AsyncMock(), Metrics())
    await watched.must_be_ready()
    watched.failed(Damaged("invalid page in block 7"))
    with pytest.raises(Damaged):
        await watched.must_be_ready()


def test_what_postgresql_calls_corrupt_is_damage() -> None:
    for kind in (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError):
        store = object.__new__(postgres.PostgresStore)
        told = store._in_plain_words(kind("invalid page in block 7"))
        assert isinstance(told, Damaged) and "pg_restore" in str(told)
