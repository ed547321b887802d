"""Commits that are written together: each as if it were alone, and in their order."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from pathlib import Path

import asyncpg
import pytest

from fairground.store import (
    MISSED,
    Append,
    Conflict,
    InDoubt,
    Secret,
    Store,
    StoreAway,
    groups,
    open_store,
    postgres,
)
from fairground.store.sqlite import SqliteStore
from tests.helpers.stores import execute, news_of


def line(text: str) -> tuple[bytes, ...]:
    return (f"{text}\n".encode(),)


async def outcome(store: Store, *appends: Append) -> str:
    try:
        await store.commit(*appends)
    except Conflict:
        return "conflict"
    return "written"


async def test_what_is_queued_behind_one_another_is_written_in_that_order(store: Store) -> None:
    """A book grows by commits that nobody waits for, some of them with a game's end."""
    await store.commit(Append("book", 0, line("0"), "contest"))
    commits: list[tuple[Append, ...]] = []
    for step in range(1, 60):
        book = Append("book", step, line(str(step)))
        if step % 3 == 0:
            commits.append((book, Append(f"game{step}", 0, line("end"), "game")))
        elif step % 3 == 1:
            commits.append((book,))
        else:  # somebody else's submission comes between
            commits.append((book, Append(f"game{step - 2}x", 0, line("end"), "game")))
    done = await asyncio.gather(*(outcome(store, *commit) for commit in commits))
    assert set(done) == {"written"}
    stored = await store.read("book")
    assert stored is not None
    assert [int(one) for one in stored.lines] == list(range(60))


async def test_only_so_many_commits_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that finds no room is refused before anything is done, and the others are written."""
    monkeypatch.setattr(groups, "LONGEST_QUEUE", 5)
    file = tmp_path / "arena.db"
    store = SqliteStore(str(file))
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    first = asyncio.ensure_future(outcome(store, Append("first", 0, line("1"), "oracle")))
    while not store._writing or store._waiting:
        await asyncio.sleep(0)  # until the writer has it in hand, and waits for the file
    wait = [
        asyncio.ensure_future(outcome(store, Append(f"log{i}", 0, line("1"), "oracle")))
        for i in range(5)
    ]
    await asyncio.sleep(0)
    with pytest.raises(StoreAway, match="5 commits wait"):
        await store.commit(Append("sixth", 0, line("1"), "oracle"))
    holder.execute("ROLLBACK")
    holder.close()
    assert await asyncio.gather(first, *wait) == ["written"] * 6
    assert await store.read("sixth") is None
    await store.close()


async def test_the_stale_of_a_group_are_refused_and_the_others_written(store: Store) -> None:
    """More than one statement's worth of them, with secrets and without, some to be closed."""
    names = [f"log{i}" for i in range(150)]

    def append(i: int) -> Append:
        return Append(
            names[i],
            2 if i % 7 == 3 else 1,
            line(f"second of {i}") if i % 5 else (),
            closed=i % 2 == 0,
            secrets=(Secret("key", bytes([i]), f"h{i}"),) if i % 4 == 0 else (),
            spent=(("link", f"s{i}"),) if i % 6 == 0 else (),
        )

    await asyncio.gather(*(store.commit(Append(n, 0, line("first"), "x")) for n in names))
    done = await asyncio.gather(*(outcome(store, append(i)) for i in range(150)))
    for i in range(150):
        stored = await store.read(names[i])
        wanted, stale = append(i), i % 7 == 3
        assert stored is not None
        assert done[i] == ("conflict" if stale else "written")
        assert stored.lines == line("first") + (() if stale else wanted.lines)
        assert stored.secrets == (() if stale else wanted.secrets)
        assert stored.spent == (() if stale else wanted.spent)
        assert stored.closed == (not stale and wanted.closed)


async def test_new_logs_of_a_group_are_made_in_their_order_unless_they_are_there(
    store: Store,
) -> None:
    """Among logs that only grow, more than one statement's worth of each."""
    names = [f"log{i}" for i in range(300)]

    def append(i: int) -> Append:
        grows = i % 3 == 0
        return Append(
            names[i],
            int(grows),
            line(f"{i}"),
            "" if grows else "new",
            secrets=(Secret("key", b"%d" % i, f"h{i}"),) if i % 4 else (),
            seen=i,
        )

    there = [name for i, name in enumerate(names) if i % 3 == 0 or i % 7 == 1]
    for name in there:
        await store.commit(Append(name, 0, line("first"), "old"))
    done = await asyncio.gather(*(outcome(store, append(i)) for i in range(300)))
    made = [name for name in names if name not in there]
    assert await store.logs("new") == made
    assert await store.logs("old") == there
    for i, name in enumerate(names):
        refused = name in there and i % 3 != 0
        assert done[i] == ("conflict" if refused else "written")
        stored = await store.read(name)
        assert stored is not None
        assert stored.lines == (() if name in made else line("first")) + (
            () if refused else append(i).lines
        )
        assert stored.secrets == (() if refused else append(i).secrets)
        assert stored.seen == (0 if refused else i)


async def test_one_who_wants_to_replace_a_secret_is_found_among_many(store: Store) -> None:
    names = [f"log{i}" for i in range(20)]
    secret = Secret("key", b"1", "h")
    await asyncio.gather(
        *(store.commit(Append(n, 0, line("1"), "x", secrets=(secret,))) for n in names)
    )
    late = Secret("key", b"2", "h")
    done = await asyncio.gather(
        *(
            outcome(store, Append(n, 1, line("2"), secrets=(late,) if n == "log7" else ()))
            for n in names
        )
    )
    assert [n for n, end in zip(names, done, strict=True) if end == "conflict"] == ["log7"]
    for name in names:
        stored = await store.read(name)
        assert stored is not None
        assert stored.secrets == (secret,)
        assert len(stored.lines) == (1 if name == "log7" else 2)


async def test_everybody_hears_everything_once(postgres_url: str) -> None:
    """Many logs with long names, so that one note cannot hold them; our own are not told twice."""
    names = [f"{i}-{'x' * 60}" for i in range(300)]
    one = await open_store(postgres_url)
    mine = news_of(one)
    other = await open_store(postgres_url)
    theirs = news_of(other)
    assert await asyncio.wait_for(anext(mine), 20) == MISSED, "there is somebody else now"
    await asyncio.gather(*(one.commit(Append(n, 0, line("1"), "x")) for n in names))
    await asyncio.gather(*(one.commit(Append(n, 1, line("2"))) for n in names))
    await other.commit(Append("last", 0, line("1"), "x"))
    everything = sorted([(n, step) for n in names for step in (1, 2)] + [("last", 1)])
    for news in (mine, theirs):
        heard = [await asyncio.wait_for(anext(news), 20) for _ in everything]
        assert sorted(heard) == everything
    await one.close()
    await other.close()


async def test_two_workers_who_wait_for_each_other_are_a_conflict(postgres_url: str) -> None:
    """One of them is told to look again; it is no failure of the arena."""
    database = postgres_url.partition("?")[0].rpartition("/")[2]
    await execute(postgres_url, f"ALTER DATABASE {database} SET deadlock_timeout = '20ms'")
    store = await open_store(postgres_url)
    for name in ("a", "b"):
        await store.commit(Append(name, 0, line("1"), "x"))
    rival = await asyncpg.connect(postgres_url)
    await rival.execute("SET deadlock_timeout = '1h'")  # so that the store's side is undone
    async with rival.transaction():
        await rival.execute("UPDATE logs SET seen = 1 WHERE id = 'b'")
        ours = asyncio.create_task(
            outcome(store, Append("a", 1, line("2")), Append("b", 1, line("2")))
        )
        while not await rival.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0)  # until it waits for us
        await rival.execute("UPDATE logs SET seen = 1 WHERE id = 'a'")
    assert await asyncio.wait_for(ours, 20) == "conflict"
    assert await outcome(store, Append("a", 1, line("2")), Append("b", 1, line("2")))
    await rival.close()
    await store.close()


async def test_a_server_that_goes_away_is_told_to_those_who_wait(postgres_url: str) -> None:
    """And it is asked again for the next."""
    store = await open_store(postgres_url)
    name = uuid.uuid4().hex
    await store.commit(Append(name, 0, line("1"), "x"))
    rival = await asyncpg.connect(postgres_url)
    async with rival.transaction():
        await rival.execute("UPDATE logs SET seen = 1")
        waiting = asyncio.create_task(store.commit(Append(name, 1, line("2"))))
        kill = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_locks
            WHERE NOT granted AND pid <> pg_backend_pid()
        """
        while not await rival.fetchval(kill):
            await asyncio.sleep(0)
        with pytest.raises(InDoubt):
            await asyncio.wait_for(waiting, 20)
    assert await outcome(store, Append(name, 1, line("2"))) == "written"
    await rival.close()
    await store.close()


async def test_a_connection_that_cannot_be_given_back_holds_nobody_up(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One task sends for all: where a mistake ended it, every later commit waited for ever."""

    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a mistake")

    store = await open_store(postgres_url)
    await store.commit(Append("a", 0, line("1"), "x"))
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "write_group", fails)
        patch.setattr(asyncpg.pool.Pool, "release", fails)
        with pytest.raises(RuntimeError, match="a mistake"):
            await asyncio.wait_for(store.commit(Append("a", 1, line("2"))), 20)
    assert await asyncio.wait_for(outcome(store, Append("a", 1, line("2"))), 20) == "written"
    await store.close()


async def test_who_could_not_hear_for_a_while_is_told_so_and_hears_again(postgres_url: str) -> None:
    here, there = await open_store(postgres_url), await open_store(postgres_url)
    news = news_of(here)
    db = await asyncpg.connect(postgres_url)
    listening = """
        FROM pg_stat_activity WHERE query ~ '^(LISTEN|SELECT pg_notify)'
        AND datname = current_database() AND state = 'idle'
    """
    kill = f"SELECT count(pg_terminate_backend(pid)) {listening}"
    old = {row["pid"] for row in await db.fetch(f"SELECT pid {listening}")}
    assert await db.fetchval(kill) == len(old) == 2
    assert await asyncio.wait_for(anext(news), 20) == MISSED

    async def both_listen_again() -> None:
        now = old
        while len(now - old) < 2:
            await db.execute("SELECT pg_stat_clear_snapshot()")
            now = {row["pid"] for row in await db.fetch(f"SELECT pid {listening}")}

    await asyncio.wait_for(both_listen_again(), 20)  # news before that are lost, as told
    name = uuid.uuid4().hex
    await there.commit(Append(name, 0, line("1"), "x"))
    heard = MISSED
    while heard == MISSED:  # of the kill, or because the other store opened
        heard = await asyncio.wait_for(anext(news), 20)
    assert heard == (name, 1)
    await db.fetchval(kill)
    await db.close()
    for store in (here, there):  # also in the middle of it
        await store.close()
