"""Shares of a worker's time: whoever asks for too much slows down themselves."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.arena.app import make_app
from fairground.arena.http import shares
from fairground.arena.http.gate import ClientLimits, Gate
from fairground.arena.http.metrics import Metrics
from fairground.arena.http.shares import SAVED, Shares, Timed, shape_of
from fairground.arena.serve import GatedArena, Settings
from fairground.core import InputError

DEAR, CHEAP = ("GET", "dear"), ("GET", "cheap")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_alone_a_client_may_use_everything() -> None:
    clock = Clock()
    shared = Shares(50, clock)
    for _ in range(100):
        assert shared.wait("a") == 0
        shared.ended("a", DEAR, shared.begun("a", DEAR), 0.1)
        clock.now += 0.1


def test_beside_others_it_gets_its_share_and_they_do_not_wait() -> None:
    """One asks for a tenth of a second of work, again and again; another for a thousandth."""
    clock = Clock()
    shared = Shares(50, clock)
    began, used = clock.now, 0.0
    while clock.now < began + 10:
        assert shared.wait("modest") == 0
        shared.ended("modest", CHEAP, shared.begun("modest", CHEAP), 0.001)
        clock.now += 0.001
        wait = shared.wait("greedy")
        guess = shared.begun("greedy", DEAR)
        for _ in range(int(wait / 0.01)):  # meanwhile the other goes on
            shared.wait("modest")
            clock.now += 0.01
        clock.now += wait % 0.01 + 0.1
        shared.ended("greedy", DEAR, guess, 0.1)
        used += 0.1
    assert 4.5 < used < 5.5, "half of ten seconds"


def test_requests_that_come_at_once_are_served_one_after_the_other() -> None:
    clock = Clock()
    shared = Shares(50, clock)
    shared.wait("modest")
    shared.ended("greedy", DEAR, shared.begun("greedy", DEAR), 0.01)
    waits = []
    for _ in range(64):
        waits.append(shared.wait("greedy"))
        shared.begun("greedy", DEAR)
    assert waits[0] == 0 and waits == sorted(waits)
    assert waits[-1] == pytest.approx((64 * 0.01 - SAVED) / 0.5, abs=0.05)


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "MOST_CLIENTS", 3)
    monkeypatch.setattr(shares, "MOST_SHAPES", 3)
    shared = Shares(50)
    for number in range(10):
        shape = ("GET", str(number))
        shared.ended(str(number), shape, shared.begun(str(number), shape), 0.1)
    assert list(shared._accounts) == ["7", "8", "9"] and len(shared._shapes) == 3


def test_a_shape_has_no_names_in_it() -> None:
    assert shape_of("GET", "/") == ("GET", "")
    assert shape_of("POST", "/oracle/secret") == ("POST", "oracle")
    assert shape_of("GET", "/contest/secret/standings") == ("GET", "contest", "standings")
    assert shape_of("GET", "/tables/id/seats/secret/x") == ("GET", "tables", "seats")


def test_only_the_time_in_which_a_request_runs_is_measured() -> None:
    async def act() -> None:
        await asyncio.sleep(0.05)
        until = time.perf_counter() + 0.02
        while time.perf_counter() < until:
            pass
        with pytest.raises(ZeroDivisionError):
            await failing()

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    async def run() -> tuple[float, float]:
        began, timed = time.perf_counter(), Timed(act())
        await timed
        cancelled = Timed(act())
        task = asyncio.ensure_future(_awaited(cancelled))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return timed.spent, time.perf_counter() - began

    spent, passed = asyncio.run(run())
    assert 0.02 <= spent <= passed - 0.045


async def _awaited(timed: Timed) -> None:
    await timed


def test_who_is_far_beyond_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limits, metrics = ClientLimits(), Metrics()
    app: Any = make_app(f"sqlite:///{tmp_path}/arena.db", limits=limits, metrics=metrics)
    gate: Any = Gate(app, limits, metrics)
    with TestClient(gate) as client:
        assert client.get("/schema").status_code == 200
        monkeypatch.setattr(gate._shares, "wait", lambda _: 0.01)
        assert client.get("/schema").status_code == 200, "it waited"
        monkeypatch.setattr(gate._shares, "wait", lambda _: 7.2)
        refused = client.get("/schema")
    assert refused.status_code == 429 and refused.headers["retry-after"] == "8"
    assert "more of this arena's time" in refused.json()["detail"]


def test_a_share_is_a_percentage() -> None:
    with pytest.raises(InputError, match="at most 100 percent, not 101"):
        Settings("sqlite:///x", share=101).check()


MADE_ONCE = 0.003
"""Seconds of the loop: on a busy machine, ten times what sending ready bytes takes."""


def test_what_is_the_same_for_all_is_made_once(tmp_path: Path) -> None:
    """Each of these took from 5 to 40 milliseconds of everybody's time, every time."""
    arena: Any = GatedArena(Settings(f"sqlite:///{tmp_path}/arena.db", croupier=None))
    with TestClient(arena) as client:
        made = client.post(
            "/newcontest", json={"base": 6, "length": 4, "games": 50}, follow_redirects=False
        )
        contest = made.headers["location"].removeprefix("http://testserver.local")
        for number in range(60):
            entry = {"team_name": f"Team {number}", "software_version": "1"}
            client.post(f"{contest}/entry", json=entry)
        paths = ["/schema", "/schema/openapi.json", "/games", contest]
        paths += [f"{contest}/{what}" for what in ("standings", "standings.csv", "book")]
        costs: dict[str, float] = {}
        ended = arena._gate._shares.ended
        for path in paths:
            client.get(path)
            spent: list[float] = []
            arena._gate._shares.ended = lambda *what, spent=spent: spent.append(what[-1])
            for _ in range(5):
                assert client.get(path).status_code == 200
            arena._gate._shares.ended = ended
            costs[path] = min(spent)
    assert max(costs.values()) < MADE_ONCE, costs
