"""One suite of laws for every store: the file and the server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

from fairground.core import InputError, SecretReused
from fairground.store import Append, Conflict, LogVault, Secret, Store, Stored, open_store
from tests.helpers.stores import holds, news_of

START = Append("a", 0, (b"one\n", b"two\n"), "oracle")


async def test_what_was_committed_is_read_back(store: Store) -> None:
    secret = Secret("key", b"\x00\xff", "h")
    assert await store.read("a") is None
    await store.commit(START._replace(secrets=(secret,)))
    await store.commit(Append("a", 2, (b"three\n",), spent=(("key", "h2"),)))
    expected = Stored(
        "a", "oracle", False, (b"one\n", b"two\n", b"three\n"), (secret,), (("key", "h2"),)
    )._replace(step=3)
    assert await store.read("a") == expected
    assert expected.data == b"one\ntwo\nthree\n"


async def test_clocks_take_the_place_of_those_before(store: Store) -> None:
    """Alone and in groups; and they stay as they are while nothing is said of them."""
    await store.commit(START._replace(clocks=b"first"))
    for step, seen in ((2, 0), (3, 60)):
        await store.commit(Append("a", step, (b"more\n",), seen=seen))
        assert await clocks_of(store, "a") == b"first"
    await store.commit(Append("a", 4, (b"five\n",), seen=60, clocks=b"second"))
    assert await clocks_of(store, "a") == b"second"
    made = [Append(f"b{i}", 0, (b"1\n",), "oracle", clocks=b"%d" % i) for i in range(5)]
    await asyncio.gather(*map(store.commit, made))
    grown = [Append(f"b{i}", 1, (b"2\n",), clocks=b"!" if i % 2 else None) for i in range(5)]
    await asyncio.gather(*map(store.commit, grown))
    found = [await clocks_of(store, f"b{i}") for i in range(5)]
    assert found == [b"0", b"!", b"2", b"!", b"4"]
    await store.commit(Append("c", 0, (b"1\n",), "oracle"))
    assert await clocks_of(store, "c") == b""


async def clocks_of(store: Store, log: str) -> bytes:
    stored = await store.read(log)
    assert stored is not None
    return stored.clocks


async def test_a_line_that_replaces_leaves_no_other(store: Store) -> None:
    await store.commit(Append("a", 0, (b"1\n", b"2\n"), "x"))
    for step in range(2, 50):
        line = b"%d\n" % (step + 1)
        await store.commit(Append("a", step, (line,), replaces=True))
    found = await store.read("a")
    assert found is not None and (found.lines, found.step) == ((b"50\n",), 50)
    assert await store.lines("a", 49) == (b"50\n",)
    with pytest.raises(Conflict):
        await store.commit(Append("a", 1, (b"late\n",), replaces=True))
    both = (Append("a", 50, (b"51\n",), replaces=True), Append("b", 7, (b"x\n",)))
    with pytest.raises(Conflict):
        await store.commit(*both)
    found = await store.read("a")
    assert found is not None and found.lines == (b"50\n",), "all or nothing"
    # Others of the same group are written as usual.
    commits = [Append(f"c{k}", 0, (b"1\n",), "x") for k in range(20)]
    await asyncio.gather(
        *map(store.commit, commits), store.commit(Append("a", 50, (b"51\n",), replaces=True))
    )
    found = await store.read("a")
    assert found is not None and (found.lines, found.step) == ((b"51\n",), 51)


async def test_a_long_log_is_read_in_parts(store: Store) -> None:
    sizes = (3, 1, 4, 1, 5, 9)
    lines = tuple(b"%d\n" % number for number in range(sum(sizes)))
    assert await store.lines("a") == await store.lines("no\0body") == ()
    step = 0
    for size in sizes:
        await store.commit(Append("a", step, lines[step : step + size], "ledger"))
        await store.commit(Append(f"b{step}", 0, (b"another\n",), "ledger"))
        step += size
    assert await store.lines("a", 2**31, 1) == (), "anybody may ask for the lines behind that"
    for after in range(len(lines) + 2):
        assert await store.lines("a", after) == lines[after:]
        for most in (1, 2, 7, 100):
            assert await store.lines("a", after, most) == lines[after : after + most]


def test_it_is_still_there_after_opening_again(store_url: str) -> None:
    async def write(store: Store) -> None:
        await store.commit(START)

    async def read(store: Store) -> None:
        stored = await store.read("a")
        assert stored is not None
        assert stored.lines == START.lines

    holds(store_url, write)
    holds(store_url, read)


async def test_a_log_that_moved_on_is_a_conflict(store: Store) -> None:
    await store.commit(START)
    for stale in (START, Append("a", 1, (b"x\n",)), Append("nobody", 3, (b"x\n",))):
        with pytest.raises(Conflict):
            await store.commit(stale)
    stored = await store.read("a")
    assert stored is not None
    assert stored.lines == START.lines
    assert await store.read("nobody") is None
    assert await store.read("no\0body") is None, "a name may come from anybody"


async def test_of_many_who_race_one_wins_each_step(store: Store) -> None:
    await store.commit(START)
    won = 0

    async def write(who: int) -> None:
        nonlocal won
        for step in range(2, 12):
            try:
                await store.commit(Append("a", step, (b"%d\n" % who,)))
                won += 1
            except Conflict:
                pass

    await asyncio.gather(*(write(who) for who in range(8)))
    stored = await store.read("a")
    assert stored is not None
    assert len(stored.lines) == 12
    assert won == 10


async def test_a_commit_to_several_logs_is_all_or_nothing(store: Store) -> None:
    await store.commit(START, Append("b", 0, (b"1\n",), "contest"))
    with pytest.raises(Conflict):
        await store.commit(Append("a", 2, (b"3\n",)), Append("b", 7, (b"2\n",)))
    a, b = await store.read("a"), await store.read("b")
    assert a is not None
    assert b is not None
    assert (len(a.lines), len(b.lines)) == (2, 1)


async def test_a_secret_is_never_replaced(store: Store) -> None:
    first, second = Secret("key", b"1", "h"), Secret("key", b"2", "h")
    await store.commit(START._replace(secrets=(first,)))
    await store.commit(Append("b", 0, (b"1\n",), "oracle"))

    async def good() -> None:
        await store.commit(Append("b", 1, (b"2\n",)))

    async def bad() -> None:
        with pytest.raises(Conflict):
            await store.commit(Append("a", 2, (b"3\n",), secrets=(second,)))

    await asyncio.gather(good(), bad())  # the good one survives the company of the bad one
    stored, other = await store.read("a"), await store.read("b")
    assert stored is not None
    assert other is not None
    assert stored.secrets == (first,)
    assert len(stored.lines) == 2
    assert len(other.lines) == 2


async def test_many_at_once_all_arrive(store: Store) -> None:
    names = [f"log{i}" for i in range(700)]
    await asyncio.gather(*(store.commit(Append(name, 0, (b"0\n",), "oracle")) for name in names))
    await asyncio.gather(
        *(
            store.commit(Append(name, 1, (b"1\n",), closed=i % 2 == 0))
            for i, name in enumerate(names)
        )
    )
    assert await store.count("oracle") == (700, 350)
    assert await store.count("table") == (0, 0)
    assert sorted(await store.logs("oracle")) == sorted(names)
    assert len(await store.logs("oracle", open_only=True)) == 350
    stored = await store.read("log699")
    assert stored is not None
    assert stored.data == b"0\n1\n"


async def test_logs_are_listed_in_the_order_of_their_making(store: Store) -> None:
    for name in ("c", "a", "b"):
        await store.commit(Append(name, 0, (b"0\n",), "table"))
    assert list(await store.logs("table")) == ["c", "a", "b"]


async def test_the_idle_are_found_longest_idle_first(store: Store) -> None:
    for name, seen in (("b", 50), ("a", 40), ("c", 60), ("over", 10)):
        await store.commit(Append(name, 0, (b"0\n",), "oracle", seen=seen))
    await store.commit(Append("over", 1, (b"end\n",), closed=True))
    await store.commit(Append("other", 0, (b"0\n",), "table", seen=1))
    assert list(await store.idle("oracle", 60, 10)) == ["a", "b"]
    assert list(await store.idle("oracle", 61, 2)) == ["a", "b"], "at most so many"
    await store.commit(Append("a", 1, (b"1\n",), seen=70))
    await store.commit(Append("b", 1, (b"1\n",), seen=45), Append("d", 0, (b"0\n",), "oracle"))
    assert list(await store.idle("oracle", 70, 10)) == ["d", "b", "c"], "it never goes back"
    stored = await store.read("a")
    assert stored is not None
    assert stored.seen == 70


async def test_listeners_hear_of_growth(store: Store) -> None:
    news = news_of(store)
    await store.commit(START)
    await store.commit(Append("a", 2, (b"3\n",)))
    heard = [await asyncio.wait_for(anext(news), 20) for _ in range(2)]
    assert heard == [("a", 2), ("a", 3)]


async def test_who_stops_listening_hears_no_more(store: Store) -> None:
    heard: list[tuple[str, int]] = []
    stop = store.listen(lambda *news: heard.append(news))
    others = news_of(store)
    await store.commit(START)
    assert await asyncio.wait_for(anext(others), 20) == ("a", 2)
    stop()
    await store.commit(Append("a", 2, (b"3\n",)))
    assert await asyncio.wait_for(anext(others), 20) == ("a", 3)
    assert heard == [("a", 2)]


async def test_workers_hear_each_other(cluster: str) -> None:
    one, other = await open_store(cluster), await open_store(cluster)
    news = news_of(other)
    name = uuid.uuid4().hex
    await one.commit(Append(name, 0, (b"1\n",), "oracle"))
    assert await asyncio.wait_for(anext(news), 20) == (name, 1)
    with pytest.raises(Conflict):
        await other.commit(Append(name, 0, (b"mine\n",), "oracle"))
    await one.close()
    await other.close()


class TestLogVault:
    def test_it_tells_only_what_is_new(self) -> None:
        old = Stored("a", "oracle", False, (), (Secret("old", b"1", "h"),), (("old", "h1"),))
        vault = LogVault(old)
        assert vault.recall("old") == b"1"
        assert vault.news() == ((), ())
        vault.keep("new", b"2", "h2")
        vault.spend("new", "h3")
        assert vault.news() == ((Secret("new", b"2", "h2"),), (("new", "h3"),))
        assert vault.news() == ((), ())

    def test_what_was_spent_before_a_restart_is_not_spent_again(self) -> None:
        vault = LogVault(Stored("a", "oracle", False, (), (), (("link.1", "h1"),)))
        vault.spend("link.1", "h1")
        with pytest.raises(SecretReused):
            vault.spend("link.1", "h2")


def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    """A writer prints each commit once it is acknowledged, and is killed in the middle."""
    script = textwrap.dedent("""
        import asyncio, sys
        from fairground.store import Append, open_store

        async def main():
            store = await open_store(sys.argv[1])
            await store.commit(Append("a", 0, (b"0\\n",), "oracle"))
            step = 1
            while True:
                await store.commit(Append("a", step, (b"%d\\n" % step,)))
                print(step, flush=True)
                step += 1

        asyncio.run(main())
    """)
    url = f"sqlite:///{tmp_path}/arena.db"
    with subprocess.Popen(
        [sys.executable, "-c", script, url], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        acknowledged = 0
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged == 50:
                os.kill(writer.pid, signal.SIGKILL)
                break
        for line in writer.stdout:
            acknowledged = int(line)

    async def law(store: Store) -> None:
        stored = await store.read("a")
        assert stored is not None
        assert len(stored.lines) > acknowledged >= 50
        assert [int(line) for line in stored.lines] == list(range(len(stored.lines)))

    holds(url, law)


def test_closing_waits_for_a_reader_whom_nobody_waits_for(tmp_path: Path) -> None:
    """In a process of its own: a file that is closed in the middle of a read ends the process."""
    script = textwrap.dedent("""
        import asyncio, sys
        from fairground.store import Append, open_store

        async def main():
            store = await open_store(sys.argv[1])
            for i in range(3):
                await store.commit(*(Append(f"{i}.{j}", 0, (b"1\\n",), "k") for j in range(700)))
            for turn in range(30):
                asked = [asyncio.ensure_future(store.logs("k")) for _ in range(4)]
                await asyncio.sleep(0.0005 * (turn % 5))
                for one in asked:
                    one.cancel()
                await store.close()
                store = await open_store(sys.argv[1])
            await store.close()

        asyncio.run(main())
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, f"sqlite:///{tmp_path}/arena.db"],
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")


class TestBadDatabases:
    def refused(self, url: str) -> str:
        with pytest.raises(InputError) as error:
            asyncio.run(open_store(url))
        return str(error.value)

    def test_an_unknown_kind(self) -> None:
        assert "sqlite:///" in self.refused("mysql://localhost/x")

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "letter.txt"
        path.write_text("Dear Sir or Madam, " * 100)
        assert "letter.txt" in self.refused(f"sqlite:///{path}")

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert "cannot make the folder" in self.refused(f"sqlite:///{tmp_path}/file/arena.db")

    def test_a_server_that_is_not_there(self, tmp_path: Path) -> None:
        assert "cannot connect" in self.refused(f"postgresql://x@/y?host={tmp_path}")
