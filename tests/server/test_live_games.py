"""The hall: one game of each, let go when something went wrong, brought back when needed."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fairground.contest.games import Part
from fairground.server.contests.service import Contests
from fairground.server.gate import CLIENT, ClientLimits
from fairground.server.http.problems import TooManyRequests
from fairground.server.live_games import Hall, Live
from fairground.server.log_watch import News
from fairground.server.oracles.service import KIND, Oracles
from fairground.server.tables.service import Clocks, Tables
from fairground.server.tables.wire import NewSeat, NewTable
from fairground.store import MISSED, Append, Stored
from fairground.store.sqlite import SqliteStore
from fairground.verifier import verify


class Trying(SqliteStore):
    """A store whose next commit can be held up and made to fail; it counts what it is asked."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.fails: OSError | None = None
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.reads = self.commits = 0

    async def commit(self, *appends: Append) -> None:
        self.commits += 1
        await self.go_on.wait()
        if self.fails is not None:
            error, self.fails = self.fails, None
            raise error
        await super().commit(*appends)

    async def read(self, log: str) -> Stored | None:
        self.reads += 1
        return await super().read(log)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Trying]:
    made = Trying(str(tmp_path / "arena.db"))
    yield made
    await made.close()


async def guesses(hall: Hall, log: str) -> list[tuple[int, ...]]:
    stored = await hall.store.read(log)
    assert stored is not None
    live = await hall.find(log, KIND)
    assert bytes(live.table.transcript) == stored.data
    return [row.guess for row in live.table.state.rows]


async def test_what_could_not_be_written_never_happened_for_those_who_waited(store: Trying) -> None:
    hall = Hall(store)
    oracles = Oracles(hall)
    log = (await oracles.make(10, 4, "fair")).log
    store.go_on.clear()
    store.fails = OSError("the disk is full")
    first = asyncio.create_task(oracles.submit(log, (1, 1, 1, 1)))
    second = asyncio.create_task(oracles.submit(log, (2, 2, 2, 2)))
    await asyncio.sleep(0)  # both run until they wait: one for the disk, one for the game
    store.go_on.set()
    with pytest.raises(OSError, match="full"):
        await asyncio.wait_for(first, 20)
    await asyncio.wait_for(second, 20)
    assert await guesses(hall, log) == [(2, 2, 2, 2)]
    await oracles.give_up(log, "")
    assert verify(await oracles.transcript(log)).ok
    hall.close()


async def test_who_waited_for_an_outrun_game_goes_on_with_the_new_one(store: Trying) -> None:
    """Two servers on one store; one of them hears of the other while somebody waits."""
    here, there = Hall(store), Hall(store)
    log = (await Oracles(here).make(10, 4, "fair")).log
    async with here.using(log, KIND):
        waiting = asyncio.create_task(Oracles(here).submit(log, (2, 2, 2, 2)))
        await asyncio.sleep(0)  # it runs until it waits for the game
        await Oracles(there).submit(log, (1, 1, 1, 1))
        stored = await store.read(log)
        assert stored is not None
        here.heard(log, len(stored.lines))
        commits = store.commits
    await asyncio.wait_for(waiting, 20)
    assert store.commits == commits + 1, "read again at once, not after a conflict"
    assert await guesses(here, log) == [(1, 1, 1, 1), (2, 2, 2, 2)]
    for hall in (here, there):
        hall.close()


async def test_who_missed_news_trusts_nothing_in_memory(store: Trying, tmp_path: Path) -> None:
    """Another server plays on, and we do not hear of it: two connections to one file."""
    elsewhere = SqliteStore(str(tmp_path / "arena.db"))
    here, there = Hall(store), Hall(elsewhere)
    books = Contests(store)
    log = (await Oracles(here).make(10, 4, "fair")).log
    contest, _ = await books.make((Part(6, 4, "fair", 1),))
    async with News(here) as news:
        news.hearers.append(books.heard)
        await Oracles(there).submit(log, (1, 1, 1, 1))
        await Contests(elsewhere).enter(contest, "Ada", "1")
        assert (await Oracles(here).describe(log, "")).attempts == 0
        assert not (await books.find(contest)).book.entries
        with news.watch(log) as watch:
            store._tell(MISSED)
            assert await watch.wait(20)
        assert await guesses(here, log) == [(1, 1, 1, 1)]
        assert (await books.find(contest)).book.entries
    await elsewhere.close()
    for hall in (here, there):
        hall.close()


async def test_a_game_that_is_in_doubt_when_it_is_brought_back_is_brought_back_again(
    store: Trying, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked in the very round of the loop in which it was there found it outdated, was given
    the same again, and again: nobody else was served any more."""
    hall, looks = Hall(store), iter(range(100))
    oracles = Oracles(hall)
    log = (await oracles.make(10, 4, "fair")).log
    hall.forget(await hall.find(log, KIND))
    read, has, found = store.read, hall.has, asyncio.Event()
    told = asyncio.get_running_loop().create_future()

    async def slowly(name: str) -> Stored | None:
        stored = await read(name)
        found.set()
        await told
        return stored

    def has_it(live: Live) -> bool:
        assert next(looks, None) is not None, "it goes round and round"
        return has(live)

    monkeypatch.setattr(store, "read", slowly)
    monkeypatch.setattr(hall, "has", has_it)
    first = asyncio.create_task(oracles.describe(log, ""))
    await found.wait()
    hall.doubt()
    told.set_result(None)
    second = asyncio.create_task(oracles.describe(log, ""))  # its turn is next
    seen = await asyncio.wait_for(asyncio.gather(first, second), 20)
    assert [one.attempts for one in seen] == [0, 0]
    assert not hall._loading
    hall.close()


async def test_what_could_not_be_stored_is_never_shown(store: Trying) -> None:
    """Somebody looks at a table for the first time while an answer to it is being lost."""
    first = Tables(Hall(store), News(Hall(store)), Clocks(time.time))
    seats = [NewSeat("A", lends="chain"), NewSeat("B", lends="chain")]
    wanted = NewTable("zombie/2", seats, {"players": 2}, dealer="hash-chains/1")
    name, tokens = await first.make(wanted)
    hall = Hall(store)
    again = Tables(hall, News(hall), Clocks(time.time))  # brings it back from the store
    live = await again.find(name)
    store.go_on.clear()
    store.fails = OSError("no room")
    ask = next(ask for ask in live.table.asks() if ask.seat == 0)
    answering = asyncio.create_task(
        again.answer(name, tokens[0], f"{ask.kind}.{ask.step}", "5e" * 32)
    )
    while live.stored == live.table.transcript.step:
        await asyncio.sleep(0)
    looking = asyncio.create_task(again.shown(live))
    store.go_on.set()
    with pytest.raises(OSError, match="no room"):
        await answering
    stored = await store.read(name)
    assert stored is not None
    assert (await looking).step == len(stored.lines)
    hall.close()


async def test_no_client_owes_a_game_for_ever(store: Trying) -> None:
    """What was never stored, or ended elsewhere is not counted as open."""
    here, there, limits = Hall(store), Hall(store), ClientLimits(open_games=3)
    here.opening, here.ended = limits.opening, limits.closed
    CLIENT.set("10.0.0.1")
    oracles = Oracles(here)
    async with News(here):
        store.fails = OSError("no room")
        with pytest.raises(OSError, match="no room"):
            await oracles.make(6, 4, "fair")
        assert not limits.games.of("10.0.0.1")
        logs = [(await oracles.make(6, 4, "fair")).log for _ in range(3)]
        with pytest.raises(TooManyRequests):
            await oracles.make(6, 4, "fair")
        await oracles.submit(logs[0], (0, 0, 0, 1))
        await Oracles(there).give_up(logs[1], "")
        async with asyncio.timeout(20):
            while limits.games.of("10.0.0.1") > 2:
                await asyncio.sleep(0)  # until it is heard of
        assert [limits.games.owner(log) is None for log in logs] == [False, True, False]
        await oracles.make(6, 4, "fair")
    CLIENT.set("")
    for hall in (here, there):
        hall.close()


@pytest.mark.parametrize("oracle_type", ["fair", "nice", "evil"])
async def test_a_full_hall_lets_the_oldest_go_and_brings_it_back(
    store: Trying, oracle_type: str
) -> None:
    """Games hold no cycles: they are gone at once, though nobody looks for cycles."""
    hall = Hall(store, capacity=2)
    oracles = Oracles(hall)
    log = (await oracles.make(4, 3, oracle_type)).log
    await oracles.submit(log, (0, 0, 1))
    before = await oracles.describe(log, "")
    game = weakref.ref((await hall.find(log, KIND)).table)
    gc.disable()
    try:
        for _ in range(2):
            await oracles.make(4, 3, "nice")
        assert game() is None
    finally:
        gc.enable()
    reads = store.reads
    assert await oracles.describe(log, "") == before
    assert store.reads == reads + 1
    hall.close()
