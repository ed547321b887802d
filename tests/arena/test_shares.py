"""Shares of a worker's time: whoever asks for too much slows down themselves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.arena.app import make_app
from fairground.arena.limits import gate, shares
from fairground.arena.limits.gate import CLIENT, ClientLimits, Gate, client_at
from fairground.arena.limits.metrics import Metrics
from fairground.arena.limits.shares import SAVED, Shares, Timed, shape_of
from fairground.arena.serve import GatedArena, Settings
from fairground.core import InputError
from tests.helpers.floods import BODIES, Flood, floods

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
    gated: Any = Gate(app, limits, metrics)
    with TestClient(gated) as client:
        assert client.get("/schema").status_code == 200
        monkeypatch.setattr(gated._shares, "wait", lambda _: 0.01)
        assert client.get("/schema").status_code == 200, "it waited"
        monkeypatch.setattr(gated._shares, "wait", lambda _: 7.2)
        refused = client.get("/schema")
    assert refused.status_code == 429 and refused.headers["retry-after"] == "8"
    assert "more of this arena's time" in refused.json()["detail"]


def test_a_share_is_a_percentage() -> None:
    with pytest.raises(InputError, match="at most 100 percent, not 101"):
        Settings("sqlite:///x", share=101).check()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("no: address", "no: other", False),
    ],
)
def test_who_is_one_client(one: str, other: str, same: bool) -> None:
    """In IPv6, everybody has as many addresses as there are in a network."""
    assert (client_at(one) == client_at(other)) is same
    assert client_at(one), "it can be shown in a log"


# Every route of the document

READ, WRITTEN = 40, 150
"""How long a request may hold the loop, in times of what sending ready bytes takes."""

TOO_LONG = 5.0
"""Seconds of the loop that a request of a flood is made to cost."""

CLIENT_HEADER = "x-client"


class Addressed:
    """Around an application: who sends a request is what its header says."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        for name, value in scope.get("headers", ()):
            if name == CLIENT_HEADER.encode():
                scope["client"] = (value.decode(), 1)
        await self._app(scope, receive, send)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """With its default limits, and with a Croupier."""
    database = tmp_path_factory.mktemp("shares") / "arena.db"
    return GatedArena(Settings(f"sqlite:///{database}"))


@pytest.fixture(scope="module")
def client(arena: Any) -> Iterator[Any]:
    app: Any = Addressed(arena)
    with TestClient(app) as opened:
        opened.follow_redirects = False
        yield opened


@pytest.fixture(scope="module")
def all_floods(client: Any) -> dict[str, Flood]:
    def post(path: str, body: Any) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code < 400, answer.text
        return answer

    document = client.get("/schema/openapi.json").json()
    found = dict(floods(document, post, guesses=100, teams=50))
    assert BODIES.keys() == {name for name, flood in found.items() if flood.method != "GET"}
    assert len(found) > 60, "every route of the document"
    return found


def test_no_request_holds_the_loop_for_long(
    arena: Any, client: Any, all_floods: dict[str, Flood]
) -> None:
    """Some took 5 to 40 milliseconds of everybody's time."""
    ready = "/schema/openapi.json"
    asks = all_floods | {path: Flood("GET", path, None, False) for path in ("/", "/schema", ready)}
    costs: dict[str, float] = {}
    ended = arena._gate._shares.ended
    for name, flood in asks.items():
        if flood.endless:
            continue  # each of its messages is one of these views
        spent: list[float] = []
        arena._gate._shares.ended = lambda *what, spent=spent: spent.append(what[-1])
        answers = [send(client, flood, number) for number in range(6)]
        arena._gate._shares.ended = ended
        assert max(answer.status_code for answer in answers) < 500, (name, answers[-1].text)
        costs[name] = min(spent[1:])
    for name, seconds in costs.items():
        most = READ if asks[name].method == "GET" else WRITTEN
        assert seconds < costs[ready] * most, (name, costs)


def test_a_flood_of_any_route_is_refused_and_others_are_served(
    client: Any, all_floods: dict[str, Flood], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is, and whether it is done or refused: it is charged to who asks for it."""

    class Dear(Timed):
        """Requests of a flood take long."""

        def close(self) -> None:
            super().close()
            if CLIENT.get() in all_floods:
                self.spent += TOO_LONG

    monkeypatch.setattr(gate, "Timed", Dear)
    monkeypatch.setattr(shares, "RECENT", 600)  # Ada stays, however busy this machine is
    for name, flood in all_floods.items():
        assert client.get("/games", headers={CLIENT_HEADER: "Ada"}).status_code == 200
        if flood.endless:
            send(client, flood._replace(path="/games"), 0, name)
        else:
            assert send(client, flood, 7, name).status_code not in (429, 500)
        refused = send(client, flood, 8, name)
        assert refused.status_code == 429, (name, refused.text)
        assert "more of this arena's time" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) >= TOO_LONG


def send(client: Any, flood: Flood, number: int, address: str = "Bob") -> Any:
    headers = {CLIENT_HEADER: address, "Content-Type": "application/json"}
    return client.request(flood.method, flood.path, content=flood.data(number), headers=headers)
