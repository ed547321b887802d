"""The games in memory: they take no more than the room that there is, and go when nobody asks."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import fairground
from fairground.server import gate, live_games
from fairground.server.gate import CLIENT, ClientLimits
from fairground.server.live_games import USUAL, Hall, Live
from fairground.server.log_watch import News
from fairground.server.oracles.service import KIND, Oracles
from fairground.server.tables.service import Clocks, Tables
from fairground.server.tables.wire import NewSeat, NewTable
from fairground.store.sqlite import SqliteStore

Make = Callable[[Hall], Awaitable[Live]]


@asynccontextmanager
async def hall_in(
    folder: Path, capacity: int, clock: Callable[[], float] = time.time
) -> AsyncIterator[Hall]:
    store = SqliteStore(str(folder / "arena.db"))
    hall = Hall(store, capacity, clock)
    yield hall
    hall.close()
    await store.close()


def oracle(base: int, length: int, kind: str, guesses: int) -> Make:
    """Makes an oracle that was asked so often."""

    async def make(hall: Hall) -> Live:
        oracles = Oracles(hall)
        log = (await oracles.make(base, length, kind)).log
        for number in range(guesses):
            guess = [(number + place) % base for place in range(length)]
            await oracles.submit(log, guess)
        return await hall.find(log, KIND)

    return make


async def table(hall: Hall) -> Live:
    """A table of which the house keeps a hash chain of the usual length."""
    async with News(hall) as news, Tables(hall, news, Clocks(time.time)).running() as tables:
        seats = [NewSeat("Ada"), NewSeat("Bot", player="random")]
        name, _ = await tables.make(NewTable("zombie/2", seats, {"players": 2}))
        return await tables.find(name)


PLAIN, LONG, MANY_CODES = (
    oracle(40, 4, "fair", 3),
    oracle(40, 4, "fair", 30),
    oracle(10, 5, "evil", 2),
)


@pytest.mark.parametrize("make", [PLAIN, LONG, MANY_CODES, table])
async def test_games_of_any_size_take_no_more_than_the_room(make: Make, tmp_path: Path) -> None:
    """Larger ones are fewer; the others come back, with all that was played."""
    async with hall_in(tmp_path, capacity=12) as hall:
        made = [await make(hall) for _ in range(14)]
        there = [live for live in made if hall.has(live)]
        assert 0 < len(there) < len(made)
        assert hall._live.size == sum(live.size for live in there) <= 12 * USUAL
        lines = [len(live.table.transcript.lines) for live in made]
        again = [await hall.find(live.log, live.kind) for live in made]
        assert [len(live.table.transcript.lines) for live in again] == lines


@pytest.mark.parametrize("make", [PLAIN, LONG, MANY_CODES, table])
async def test_a_game_takes_about_what_it_says(make: Make, tmp_path: Path) -> None:
    """Measured by Python's own account of its memory."""
    async with hall_in(tmp_path, capacity=1000) as hall:
        await make(hall)  # whatever is there once for all
        tracemalloc.start()
        try:
            made = [await make(hall) for _ in range(5)]
            # Threads that other tests have left behind allocate, too: only our own lines count.
            ours = tracemalloc.Filter(True, f"{Path(fairground.__file__).parent}/*")
            taken = tracemalloc.take_snapshot().filter_traces([ours]).statistics("filename")
        finally:
            tracemalloc.stop()
        assert 0.5 < sum(live.size for live in made) / sum(one.size for one in taken) < 2


async def test_a_game_larger_than_all_the_room_is_played_all_the_same(tmp_path: Path) -> None:
    async with hall_in(tmp_path, capacity=1) as hall:
        games = [await LONG(hall) for _ in range(2)]
        oracles = Oracles(hall)
        for _ in range(3):
            await asyncio.gather(*(oracles.submit(one.log, [0, 0, 0, 0]) for one in games))
        for one in games:
            live = await hall.find(one.log, KIND)
            assert len(live.table.state.rows) == 33


async def test_what_nobody_asks_for_goes_though_there_is_room(tmp_path: Path) -> None:
    now = 1000.0
    async with hall_in(tmp_path, 1000, lambda: now) as hall:
        old, used, locked = [await PLAIN(hall) for _ in range(3)]
        now += live_games.KEPT
        await hall.find(used.log, KIND)
        async with locked.lock:
            now += 1
            await PLAIN(hall)
            assert [hall.has(one) for one in (old, used, locked)] == [False, True, True]


async def test_they_go_too_when_nobody_asks_for_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_games, "KEPT", 0)
    now = 1000.0
    async with hall_in(tmp_path, 1000, lambda: now) as hall:
        for _ in range(3):
            await PLAIN(hall)
        assert len(hall._live) == 3
        now += 1
        while len(hall._live) > 1:
            await asyncio.sleep(0)


def test_who_opened_a_game_is_remembered_for_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MOST_OWNED", 3)
    limits = ClientLimits(open_games=10)
    CLIENT.set("ada")
    for name in "ab":
        limits.opening(name)
    CLIENT.set("bob")
    for name in "cd":
        limits.opening(name)
    assert [limits.games.of(one) for one in ("ada", "bob")] == [1, 2]
    assert [limits.games.owner(name) for name in "abcd"] == [None, "ada", "bob", "bob"]
    CLIENT.set("")
