"""A database in trouble: 503 in bounded time, one line of log, and everything goes on after."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from litestar.testing import TestClient

from fairground.arena import outages
from fairground.arena.app import make_app
from fairground.arena.http.gate import ClientLimits, Gate
from fairground.arena.http.metrics import Metrics
from fairground.arena.serve import _Structured
from fairground.store import Append, InDoubt, StoreAway, open_store, postgres, retried, sqlite
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
    monkeypatch.setattr(outages, "PAUSE", 0.01)


def gated(database: str) -> Any:
    limits, metrics = ClientLimits(), Metrics()
    app: Any = make_app(database, limits=limits, metrics=metrics, croupier=None)
    return Gate(app, limits, metrics)


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
        monkeypatch.setattr(outages.Outages, "must_be_ready", broken)
        failed = client.get("/readyz")
    assert failed.status_code == 500
    line = next(json.loads(one) for one in caplog.text.splitlines() if "request failed" in one)
    assert line["request"] == failed.headers["x-request-id"]
    assert line["message"] == "a request failed: GET /readyz" and "RuntimeError" in line["error"]


# The stores themselves


def test_a_file_that_is_not_written_in_time_leaves_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what was asked for may be done later: whoever looks again sees the truth."""
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    path = tmp_path / "arena.db"

    async def run() -> None:
        store = await open_store(f"sqlite:///{path}")
        with held(path), pytest.raises(InDoubt, match=r"0\.05 seconds"):
            await store.commit(Append("a", 0, (b"1\n",), "x"))
        monkeypatch.setattr(sqlite, "PATIENCE", 10)
        await store.probe()  # the writer takes its jobs in order
        found = await store.read("a")
        assert found is not None and found.lines == (b"1\n",)
        await store.close()

    asyncio.run(run())


@pytest.mark.usefixtures("impatient")
def test_a_file_that_is_no_database_any_more(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"

    async def run() -> None:
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

    asyncio.run(run())


def test_a_server_that_is_frozen_is_not_waited_for(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody locks the tables: to a client, a server that never answers."""
    url = new_database(cluster)

    async def run() -> None:
        store = await open_store(url)
        await store.commit(Append("a", 0, (b"1\n",), "x"))
        await store.probe()
        monkeypatch.setattr(postgres, "PATIENCE", 1.0)
        rival = await asyncpg.connect(url)
        async with rival.transaction():
            await rival.execute("LOCK TABLE logs, schema_version IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(InDoubt, match="whether this was done"):
                await store.commit(Append("a", 1, (b"2\n",)))
            for question in (store.read("a"), store.count("x"), store.probe()):
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
        await store.probe()
        await store.close()

    asyncio.run(run())


def test_a_server_that_refuses_to_write_has_done_nothing(cluster: str) -> None:
    url = new_database(cluster)

    async def run() -> None:
        store = await open_store(f"{url}&options=-c%20lc_messages=C")
        await store.commit(Append("a", 0, (b"1\n",), "x"))
        rival = await asyncpg.connect(url)
        await rival.execute("ALTER TABLE chunks ADD CHECK (first < 2)")
        with pytest.raises(StoreAway, match="violates check") as caught:
            await store.commit(Append("a", 1, (b"2\n",)))
        assert not isinstance(caught.value, InDoubt)
        await rival.close()
        await store.close()

    asyncio.run(run())


def test_a_database_in_trouble_is_probed_until_the_arena_stops(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "PAUSE", 0)
    monkeypatch.setattr(outages, "PROBE", 0.01)
    asked = asyncio.Event()

    async def away() -> None:
        asked.set()
        raise StoreAway("away")

    async def silent() -> None:
        await asyncio.Event().wait()

    async def run() -> None:
        watched = outages.Outages(away)
        watched.failed(StoreAway("away"))
        watched.failed(StoreAway("away"))
        await asked.wait()
        await watched.stop()
        assert watched.failures == watched.total == 2
        slow = outages.Outages(silent)
        with pytest.raises(StoreAway, match="wrote nothing"):
            await slow.must_be_ready()
        await slow.stop()

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
    failing, full = sqlite3.OperationalError("disk I/O error"), sqlite3.OperationalError("full")
    failing.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    full.sqlite_errorname = "SQLITE_FULL"
    assert type(sqlite._in_plain_words(failing)) is InDoubt
    assert type(sqlite._in_plain_words(full)) is StoreAway
