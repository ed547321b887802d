"""Oracles that nobody plays are ended by the house, and it says that it was the house."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground.games.codebreaking.rules import marks
from fairground.server.app import make_app
from fairground.server.gate import CLIENT, ClientLimits
from fairground.server.oracles.service import GRACE
from fairground.store.groups import IDLE
from fairground.verifier import verify
from tests.helpers.arena import Clock

pytestmark = pytest.mark.usefixtures("patient")

Client = TestClient[Litestar]

START = 1_800_000_000
LIMIT = 10 * GRACE


class Arena:
    """An arena whose clock we turn, and whose sweeps we order."""

    def __init__(self, database: str, clock: Clock, **options: Any) -> None:
        self.clock = clock
        self.app = make_app(database, clock=clock, **options)
        self.client = TestClient(self.app)

    def __enter__(self) -> Arena:
        self.client.__enter__()
        return self

    def __exit__(self, *what: Any) -> None:
        self.client.__exit__(*what)

    def new(self, oracle_type: str = "fair") -> str:
        body = {"base": 9, "length": 9, "oracle_type": oracle_type}
        made = self.client.post("/neworacle", json=body, follow_redirects=False)
        return str(made.headers["location"])

    def guess(self, uri: str) -> Any:
        return self.client.post(uri, json={"submission": list(range(9))})

    def over(self, uri: str) -> bool:
        return bool(self.client.get(uri).json()["over"])

    def after(self, seconds: float) -> None:
        """Turn the clock on, and sweep."""
        self.clock.now += seconds
        with self.client.portal() as portal:
            portal.call(self.app.state.arena.oracles.end_idle)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(f"sqlite:///{tmp_path}/arena.db", Clock(START), idle_limit=LIMIT) as arena:
        yield arena


@pytest.mark.parametrize("oracle_type", ["fair", "evil"])
@pytest.mark.parametrize("played", [False, True])
def test_an_idle_oracle_is_ended_as_the_house_says(
    arena: Arena, oracle_type: str, played: bool
) -> None:
    uri = arena.new(oracle_type)
    counts = arena.guess(uri).json() if played else None
    arena.after(LIMIT - 1)
    assert not arena.over(uri)
    arena.after(121)
    seen = arena.client.get(uri).json()
    assert (seen["over"], seen["solved"]) == (True, False)
    assert "ended by the house" in seen["reveal"]["note"]
    code = seen["reveal"]["code"]
    if oracle_type == "fair" and counts is not None:
        shown = {"full_match_count": 0, "partial_match_count": 0}
        shown["full_match_count"], shown["partial_match_count"] = marks(code, tuple(range(9)))
        assert shown == counts, "the code that answered is the code that is opened"
    else:
        assert code is None, "none was drawn"
    verdict = verify(arena.client.get(seen["transcript"]).content)
    assert verdict.ok, verdict.fault
    assert any('left: "idle' in remark for remark in verdict.remarks)
    refused = arena.guess(uri)
    assert (refused.status_code, refused.json()["code"]) == (409, "arena/over")
    assert f"idle: nothing was submitted for {LIMIT} seconds" in refused.json()["detail"]


def test_whoever_acts_is_not_idle_and_looking_is_no_act(arena: Arena) -> None:
    acts, looks, lends = arena.new(), arena.new(), arena.new()
    for _ in range(4):
        arena.after(LIMIT // 2)
        assert arena.guess(acts).status_code == 200
        arena.client.get(looks)
    assert [arena.over(uri) for uri in (acts, looks, lends)] == [False, True, True]
    late = arena.new()
    arena.after(LIMIT - GRACE)
    arena.client.put(f"{late}/share", json={"share": "ab" * 32})
    arena.after(GRACE + 120)
    assert [arena.over(uri) for uri in (acts, late)] == [True, False]


def test_who_acts_at_the_last_moment_plays_on(arena: Arena) -> None:
    """Between the look into the index and the end of the game, somebody may have acted."""
    uri = arena.new()
    name = uri.rpartition("/")[2]
    arena.clock.now += LIMIT
    assert arena.guess(uri).status_code == 200
    with arena.client.portal() as portal:
        end = arena.app.state.arena.oracles.end_if_idle
        portal.call(end, name, int(arena.clock.now) - 120, "idle")
    assert not arena.over(uri)


def test_others_end_otherwise(arena: Arena) -> None:
    """A contest's games end with the contest, tables by their clocks."""
    body = {"base": 9, "length": 9, "games": 1, "closes_in": 30 * LIMIT}
    made = arena.client.post("/newcontest", json=body, follow_redirects=False)
    entry = {"team_name": "Ada", "software_version": "1"}
    entered = arena.client.post(f"{made.headers['location']}/entry", json=entry)
    (uri,) = entered.json()["oracle_URIs"]
    assert arena.guess(uri).status_code == 200
    arena.after(5 * LIMIT)
    assert arena.guess(uri).status_code == 200


def test_more_than_one_bunch(arena: Arena) -> None:
    uris = [arena.new() for _ in range(230)]
    arena.after(LIMIT + 120)
    assert all(arena.over(uri) for uri in uris)
    health = arena.client.get("/healthz").json()
    assert (health["oracles"], health["open_oracles"]) == (230, 0)


def test_after_a_restart_there_is_an_hour(tmp_path: Path) -> None:
    database, clock = f"sqlite:///{tmp_path}/arena.db", Clock(START)
    with Arena(database, clock, idle_limit=LIMIT) as before:
        uri = before.new()
    clock.now += 2 * LIMIT
    with Arena(database, clock, idle_limit=LIMIT) as after:
        after.after(GRACE - 1)
        assert not after.over(uri)
        after.after(1)
        assert after.over(uri), "known from the store, never seen by this process before"


def test_no_limit(tmp_path: Path) -> None:
    with Arena(f"sqlite:///{tmp_path}/arena.db", Clock(START), idle_limit=0) as arena:
        uri = arena.new()
        arena.after(365 * 24 * 3600)
        assert not arena.over(uri)


def test_there_is_room_for_another_game(tmp_path: Path) -> None:
    limits, clock = ClientLimits(open_games=1), Clock(START)
    database = f"sqlite:///{tmp_path}/arena.db"
    with Arena(database, clock, idle_limit=LIMIT, limits=limits) as arena:
        CLIENT.set("somebody")
        try:
            first = arena.new()
            refused = arena.client.post("/neworacle", json={"base": 6, "length": 4})
            assert refused.status_code == 429
            arena.after(LIMIT + 120)
            assert arena.over(first)
            assert arena.new() != first
        finally:
            CLIENT.set("")


def test_the_store_finds_them_by_an_index(arena: Arena, tmp_path: Path) -> None:
    arena.new()
    with sqlite3.connect(tmp_path / "arena.db") as db:
        query = IDLE.replace("$", "?")
        plan = db.execute(f"EXPLAIN QUERY PLAN {query}", ("oracle", 1, 100)).fetchall()
    db.close()
    assert len(plan) == 1, "no sorting"
    assert re.search(r"SEARCH logs USING INDEX logs_by_kind \(kind=\? AND closed=\?", str(plan))


def test_it_looks_by_itself(tmp_path: Path) -> None:
    """With a limit of a second the arena looks every second."""
    clock = Clock(START)
    with Arena(f"sqlite:///{tmp_path}/arena.db", clock, idle_limit=1) as arena:
        uri = arena.new()
        ended = threading.Event()
        arena.app.state.arena.hall.ended = lambda _: ended.set()
        clock.now += 1000
        assert ended.wait(30)
        assert arena.over(uri)


def test_keepers_do_not_think_where_the_store_is_read(arena: Arena) -> None:
    """Evil keepers that think for long hold up nobody who reads."""
    uri = arena.new("evil")
    thinking, enough = threading.Event(), threading.Event()
    hall = arena.app.state.arena.hall

    async def occupied() -> None:
        """More thoughts than there are threads, all at once."""
        loop = asyncio.get_running_loop()

        def think() -> None:
            thinking.set()
            assert enough.wait(60)

        thoughts = [asyncio.ensure_future(hall._keepers.think(think)) for _ in range(64)]
        await loop.run_in_executor(None, thinking.wait)
        hall._live.clear()
        assert (await hall.find(uri.rpartition("/")[2], "oracle")).table.transcript.step
        assert not enough.is_set()
        enough.set()
        await asyncio.gather(*thoughts)

    with arena.client.portal() as portal:
        portal.call(occupied)
    used: list[str] = []
    live = hall._live.get(uri.rpartition("/")[2])
    play = live.hosted.play

    def noted() -> None:
        used.append(threading.current_thread().name)
        play()

    live.hosted.play = noted
    assert arena.guess(uri).status_code == 200
    assert used[0].startswith("keeper")
