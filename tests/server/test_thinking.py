"""House players think in processes: within a budget, fairly, and not longer than anybody waits."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fairground.clients.http import Http, Refused
from fairground.core import InputError
from fairground.server import workers
from fairground.server.gate import CLIENT, RECEIVE
from fairground.server.http.problems import TooManyRequests
from fairground.server.metrics import Metrics
from fairground.server.workers import Lane, Thinking, TookTooLong
from tests.helpers.arena import Process

HTTP = Http(tries=1)
DEEP = {"name": "Deep", "player": "mcts:20000"}
GREEDY = {"game": "fatestones/1", "dealer": "system/1", "seats": [DEEP, {"name": "Eve"}]}
"""The house player decides first, and thinks for seconds."""


@contextmanager
def asked(url: str, client: str) -> Iterator[socket.socket]:
    """A request for a greedy table that has been sent; leaving the block hangs up."""
    place = urllib.parse.urlsplit(url)
    body = json.dumps(GREEDY).encode()
    head = f"POST /tables HTTP/1.1\r\nHost: {place.hostname}\r\nX-Forwarded-For: {client}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((place.hostname, place.port), timeout=60) as line:
        line.sendall(head.encode() + body)
        yield line


def thoughts(url: str) -> dict[str, int]:
    """The metrics of the lanes."""
    text = HTTP.send("GET", f"{url}/metrics").data.decode()
    pattern = r'^fairground_thoughts_(\w+)\{lane="(\w+)"\} (\d+)'
    return {f"{lane} {what}": int(n) for what, lane, n in re.findall(pattern, text, re.M)}


def until(url: str, **wanted: int) -> None:
    """Wait until the slow lane is like this."""
    end = time.monotonic() + 60
    while (seen := thoughts(url)) != {
        "quick waiting": 0,
        "quick running": 0,
        **{f"slow {what}": number for what, number in wanted.items()},
    }:
        assert time.monotonic() < end, seen


def honest(url: str, game: str, player: str, **params: Any) -> None:
    """Sit down against a house player that moves first."""
    seats = [{"name": "Bot", "player": player}, {"name": "Ada"}]
    HTTP.post(
        f"{url}/tables", {"game": game, "params": params, "dealer": "system/1", "seats": seats}
    )


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("arena")
    options = ("--no-croupier", "--database", f"sqlite:///{folder}/arena.db")
    with Process(folder, *options) as process:
        yield process


class TestFourGreedyRequests:
    """Four tables with deep thinkers, asked for from two addresses."""

    CLIENTS = ("10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2")

    def test_quick_players_answer_meanwhile(self, arena: Process) -> None:
        with ExitStack() as stack:
            for client in self.CLIENTS:
                stack.enter_context(asked(arena.url, client))
            until(arena.url, waiting=2, running=2)
            began = time.monotonic()
            honest(arena.url, "zombie/2", "cautious", players=2)
            honest(arena.url, "fatestones/1", "optimal")
            assert time.monotonic() - began < 5
        until(arena.url, waiting=0, running=0)  # all of them have left

    def test_a_slow_player_is_next_when_one_of_them_leaves(self, arena: Process) -> None:
        with ExitStack() as stack:
            for client in self.CLIENTS:
                stack.enter_context(asked(arena.url, client))
            until(arena.url, waiting=2, running=2)
            stack.close()
            honest(arena.url, "fatestones/1", "mcts:50")
        until(arena.url, waiting=0, running=0)

    def test_the_arena_stops_at_once(self, tmp_path: Path) -> None:
        with (
            Process(tmp_path, "--no-croupier", "--database", f"sqlite:///{tmp_path}/a.db") as arena,
            ExitStack() as stack,
        ):
            lines = [stack.enter_context(asked(arena.url, client)) for client in self.CLIENTS]
            until(arena.url, waiting=2, running=2)
            began = time.monotonic()
            assert arena.end() == 0
            assert time.monotonic() - began < 5
            for line in lines:
                assert b"503 Service Unavailable" in line.recv(65536)
            assert "Traceback" not in arena.errors


def test_a_table_needs_a_person(arena: Process) -> None:
    with pytest.raises(Refused, match="are for the lab") as refused:
        HTTP.post(f"{arena.url}/tables", {**GREEDY, "seats": [DEEP, DEEP]})
    assert refused.value.status == 422


# The lanes themselves


def spin(seconds: float) -> float:
    """Use up CPU time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


def refuse() -> None:
    raise InputError("no")


async def as_client(client: str, work: Any) -> Any:
    CLIENT.set(client)
    return await work


@pytest.fixture
def lanes() -> Iterator[Thinking]:
    made = Thinking()
    yield made
    made.stop()


async def test_a_thought_has_a_budget_of_cpu_time(
    lanes: Thinking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 300)  # the wall clock does not end it
    _, took = await lanes.slow.think(5, spin, 0.1)
    assert 0.1 <= took < 1
    with pytest.raises(TookTooLong, match="more than 1 seconds of CPU time"):
        await lanes.slow.think(1, spin, 50)
    with pytest.raises(InputError, match="no"):
        await lanes.slow.think(1, refuse)
    assert not lanes.slow.running()


async def test_native_code_that_hears_no_signal_is_killed(
    lanes: Thinking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 1)
    with pytest.raises(TookTooLong):
        await lanes.slow.think(1, time.sleep, 300)  # as little as it: no CPU time
    assert (await lanes.slow.think(5, spin, 0.01))[0] == 0.01


async def test_the_client_that_has_used_least_is_next() -> None:
    lane, order = Lane("test", 1, Metrics()), list[str]()

    async def thought(client: str, seconds: float) -> None:
        await lane.think(30, spin, seconds)
        order.append(client)

    try:
        first = [as_client("greedy", thought("greedy", 0.3)) for _ in range(4)]
        tasks = [asyncio.create_task(one) for one in first]
        await asyncio.sleep(0)
        later = [as_client(one, thought(one, 0.01)) for one in ("modest", "other")]
        await asyncio.gather(*tasks, *later)
        assert order == ["greedy", "modest", "other", "greedy", "greedy", "greedy"]
        assert not lane.waiting() and not lane.running() and not lane._waiting
    finally:
        lane.stop()


@pytest.mark.parametrize("pool_starts", [False, True])
async def test_a_thought_is_cancelled_when_the_arena_stops_at_its_start(pool_starts: bool) -> None:
    lane = Lane("test", 1, Metrics())
    if not pool_starts:
        await lane.think(5, spin, 0.01)
    thought = asyncio.create_task(lane.think(5, spin, 3))
    while not lane.running():
        await asyncio.sleep(0)
    lane.stop()  # no process has the thought yet
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(thought, 20)


async def test_one_client_fills_neither_a_lane_nor_its_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "MOST_WAITING", 3)
    lane = Lane("test", 2, Metrics())
    try:
        greedy = [asyncio.create_task(lane.think(60, time.sleep, 60)) for _ in range(4)]
        await asyncio.sleep(0)
        assert (lane.running(), lane.waiting()) == (1, 3)
        with pytest.raises(TooManyRequests, match="wait for you already"):
            await lane.think(1, spin, 0.01)
        await as_client("10.0.0.2", lane.think(30, spin, 0.01))
        for task in greedy:
            task.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        assert not lane.running() and not lane._waiting
    finally:
        lane.stop()


async def test_a_client_that_leaves_takes_its_thoughts_along(lanes: Thinking) -> None:
    left = asyncio.Event()

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    RECEIVE.set(receive)
    tasks = [asyncio.create_task(lanes.slow.think(60, time.sleep, 60)) for _ in range(3)]
    while not lanes.slow.waiting():
        await asyncio.sleep(0)
    left.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)
    assert not lanes.slow.running() and not lanes.slow.waiting()
