"""Several workers of one arena: a request is served by the worker that keeps its game."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from fairground.arena.http.bodies import LARGEST
from fairground.arena.http.problems import TooManyRequests
from fairground.arena.limits.counts import SIZE, Counts, total
from fairground.arena.limits.gate import CLIENT, GAMES, STREAMS, WAITING, ClientLimits, Turns
from fairground.arena.limits.metrics import Answered, Metrics
from fairground.arena.limits.shares import SAVED, Shares
from fairground.arena.serve import GatedArena, Settings, bind
from fairground.arena.tables.waiting import MOST_OF_ONE
from fairground.arena.workers import parent
from fairground.arena.workers.handing_over import HandingOver
from fairground.arena.workers.owners import Seat, name_in
from fairground.arena.workers.parent import Parent
from fairground.core import InputError
from tests.helpers.short_work import cannot_start, cannot_start_again, dies_once, does_not_stop
from tests.helpers.stores import new_database

Answer = tuple[int, bytes, str | None]
"""Status, body, and the pattern of the route."""


class Worker:
    """One worker whose application says who served what."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.limits = ClientLimits(rate=100, open_games=3)
        self.served: list[str] = []
        self.handing_over = HandingOver(seat, self.limits)
        self.handing_over.serve_others = Turns(self._serve, Shares(0))
        self.app = self.handing_over.around(self._serve)
        self.before: Callable[[], Awaitable[None]] | None = None

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        self.served.append(scope["path"])
        if self.before is not None:
            await self.before()
        scope["path_template"] = "/the/{pattern}"
        told = f"{self.seat.index} {CLIENT.get()} {len(body)}".encode()
        headers = [(b"x-by", b"%d" % self.seat.index)]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": told[:3], "more_body": True})
        await send({"type": "http.response.body", "body": told[3:]})

    async def ask(
        self, path: str, method: str = "POST", body: bytes = b"", key: str | None = None
    ) -> Answer:
        """What a client gets whose request comes in here."""
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", 80),
            "client": ("192.0.2.7", 4711),
            "headers": [] if key is None else [(b"idempotency-key", key.encode())],
        }
        messages: list[Any] = []
        pieces = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]

        async def receive() -> Any:
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message: Any) -> None:
            messages.append(message)

        CLIENT.set("192.0.2.7")
        await self.app(scope, receive, send)
        said = b"".join(message.get("body", b"") for message in messages[1:])
        return messages[0]["status"], said, scope["path_template"]


@asynccontextmanager
async def two_workers(folder: Path) -> AsyncIterator[list[Worker]]:
    workers = [Worker(Seat(index, 2, str(folder))) for index in range(2)]
    async with AsyncExitStack() as stack:
        for worker in workers:
            await stack.enter_async_context(worker.handing_over.open_in(None))
        for worker in workers:
            await connected(worker, 1 - worker.seat.index)
        yield workers


async def connected(worker: Worker, other: int) -> None:
    link = worker.handing_over._links[other]
    while link._line is None or link._lost.is_set():
        await asyncio.sleep(0)


def test_a_name_is_kept_by_who_made_it_and_a_contest_with_its_games() -> None:
    seats = [Seat(index, 5, "") for index in range(5)]
    for seat in seats:
        names = {seat.new_name() for _ in range(20)}
        assert len(names) == 20
        for name in names:
            assert {other.keeper(name) for other in seats} == {seat.index}
            assert seat.keeper(f"{name}.3.17.proof") == seat.index


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/oracle/x", "x"),
        ("/oracle/x.1.2.y/transcript", "x.1.2.y"),
        ("/tables/x/seats/y", "x"),
        ("/contest/x/standings.csv", "x"),
        ("/croupier/games/y", "croupier"),
        ("/tables/x/events", None),
        ("/contest/x/file", None),
        ("/tables", None),
        ("/neworacle", None),
        ("/", None),
    ],
)
def test_what_decides_who_serves_a_request(path: str, name: str | None) -> None:
    assert name_in(path) == name


def test_a_request_is_served_by_the_keeper_of_its_game(tmp_path: Path) -> None:
    async def run() -> None:
        async with two_workers(tmp_path) as (here, there):
            mine, theirs = (f"/oracle/{one.seat.new_name()}" for one in (here, there))
            wanted = (201, b"%d 192.0.2.7 5", "/the/{pattern}")
            assert await here.ask(mine, body=b"12345") == (201, b"0 192.0.2.7 5", wanted[2])
            assert await here.ask(theirs, body=b"12345") == (201, b"1 192.0.2.7 5", wanted[2])
            several = await asyncio.gather(*(here.ask(theirs, body=b"x" * k) for k in range(50)))
            assert [int(body.split()[-1]) for _, body, _ in several] == [*range(50)]
            assert (here.served, len(there.served)) == ([mine], 51)
            large = await here.ask(theirs, body=b"x" * (LARGEST + 1))
            assert large[1] == b"0 192.0.2.7 %d" % (LARGEST + 1), "refused here, as ever"

    asyncio.run(run())


def test_a_mistake_of_the_keeper_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async def run() -> Answer:
        async with two_workers(tmp_path) as (here, there):
            there.before = fail
            return await here.ask(f"/oracle/{there.seat.new_name()}")

    status, body, _ = asyncio.run(run())
    assert (status, json.loads(body)["code"]) == (500, "arena/error")
    assert "ZeroDivisionError" in caplog.text


def test_who_keeps_a_game_and_goes_away(tmp_path: Path) -> None:
    """What may be asked twice is served here; of the rest nobody knows whether it was done."""

    async def run() -> None:
        async with two_workers(tmp_path) as (here, there):
            name = f"/oracle/{there.seat.new_name()}"
            never = asyncio.Event()

            async def hang() -> None:
                never.set()
                await asyncio.Event().wait()

            for method, key, status in (
                ("POST", None, 503),
                ("GET", None, 201),
                ("POST", "k", 201),
            ):
                there.before = hang
                never.clear()
                asked = asyncio.create_task(here.ask(name, method, key=key))
                await never.wait()
                line = here.handing_over._links[1]._line
                assert line is not None
                line._transport.abort()
                got, body, _ = await asked
                assert got == status
                if status == 503:
                    assert json.loads(body)["code"] == "store/in-doubt"
                else:
                    assert body.startswith(b"0 "), "served here"
                await connected(here, 1)
            for task in asyncio.all_tasks():
                if "_answer" in repr(task):
                    task.cancel()

    asyncio.run(run())


def test_a_keeper_that_gives_up_a_request_is_not_waited_for(tmp_path: Path) -> None:
    """A thought that was cancelled, say: no answer came, and who had handed it over waited on."""

    async def cancelled() -> None:
        raise asyncio.CancelledError

    async def run() -> Answer:
        async with two_workers(tmp_path) as (here, there):
            there.before = cancelled
            asked = here.ask(f"/oracle/{there.seat.new_name()}", "GET")
            return await asyncio.wait_for(asked, 20)

    assert asyncio.run(run())[1].startswith(b"0 "), "served here"


def test_the_keeper_charges_the_client_for_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And refuses what is beyond the client's share of its time, in the same words in both ways."""

    async def work() -> None:
        until = time.perf_counter() + 0.01
        while time.perf_counter() < until:
            pass

    async def run() -> None:
        async with two_workers(tmp_path) as (here, there):
            shares = Shares(50)
            there.handing_over.serve_others = Turns(there._serve, shares)
            there.before = work
            name = f"/oracle/{there.seat.new_name()}"
            await here.ask(name)
            assert shares._accounts["192.0.2.7"].left < SAVED - 0.005
            monkeypatch.setattr(shares, "wait", lambda _: 7.2)
            refused = [await here.ask(name, body=body) for body in (b"{}", b'{"submission": [1]}')]
            assert [status for status, *_ in refused] == [429, 429]
            assert refused[0][1] == refused[1][1]
            assert json.loads(refused[0][1])["code"] == "arena/limit"
            assert len(there.served) == 1

    asyncio.run(run())


def test_while_the_keeper_is_away_others_serve_its_games(tmp_path: Path) -> None:
    async def run() -> None:
        here, there = (Worker(Seat(index, 2, str(tmp_path))) for index in range(2))
        name = f"/oracle/{there.seat.new_name()}"
        async with here.handing_over.open_in(None):
            assert (await here.ask(name))[1].startswith(b"0 ")
            async with there.handing_over.open_in(None):
                await connected(here, 1)
                assert (await here.ask(name))[1].startswith(b"1 ")
            while here.handing_over._links[1]._line is not None:
                await asyncio.sleep(0)
            assert (await here.ask(name))[1].startswith(b"0 ")

    asyncio.run(run())


def test_who_is_told_to_stop_answers_first(tmp_path: Path) -> None:
    async def run() -> None:
        here, there = (Worker(Seat(index, 2, str(tmp_path))) for index in range(2))
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> None:
            begun.set()
            await go_on.wait()

        there.before = slow
        async with here.handing_over.open_in(None):
            async with there.handing_over.open_in(None):
                await connected(here, 1)
                asked = asyncio.create_task(here.ask(f"/oracle/{there.seat.new_name()}"))
                await begun.wait()
                asyncio.get_running_loop().call_later(0.05, go_on.set)
            assert (await asked)[1].startswith(b"1 ")

    asyncio.run(run())


def test_what_a_client_uses_counts_at_all_workers(tmp_path: Path) -> None:
    async def run() -> None:
        async with two_workers(tmp_path) as (here, there):
            CLIENT.set("greedy")
            here.limits.opening(["a", "b"])
            here.limits.held[STREAMS].add("greedy", 7)
            here.limits.held[WAITING].add("greedy", 50)
            while here.limits.admit("greedy", 0.0) == 0:
                pass
            while there.limits.held[STREAMS].of("greedy") != 7:
                await asyncio.sleep(0.01)
            assert there.limits.held[WAITING].of("greedy") == 50
            assert there.limits.admit("greedy", 0.0) > 0, "it has asked a hundred times there"
            assert there.limits.admit("modest", 0.0) == 0
            there.limits.opening(["c"])
            with pytest.raises(TooManyRequests, match="3 open games"):
                there.limits.opening(["d"])
            here.limits.closed("a")
            while there.limits.held[GAMES].of("greedy") != 2:
                await asyncio.sleep(0.01)
            there.limits.opening(["d"])
        assert there.limits.held[GAMES].of("greedy") == 2, "a worker that is gone has nothing open"

    asyncio.run(run())


def test_who_asks_at_another_worker_is_there(tmp_path: Path) -> None:
    """One client floods the worker at which it is alone: others want their share of the arena."""

    async def run() -> None:
        async with two_workers(tmp_path) as (here, there):
            shares = Shares(50)
            here.limits = here.handing_over._limits = ClientLimits(rate=0)
            here.limits.asked()
            there.handing_over.serve_others = Turns(there._serve, shares)
            shares.ended("greedy", ("GET",), shares.begun("greedy", ("GET",)), 10)
            assert shares.wait("greedy") == 0, "nobody else is there"
            assert here.limits.admit("modest", 0.0) == 0
            while not shares.wait("greedy"):
                await asyncio.sleep(0.01)
            assert shares.wait("greedy") > 15
            assert shares.wait("modest") == 0

    asyncio.run(run())


def test_tables_that_wait_count_at_all_workers(cluster: str, tmp_path: Path) -> None:
    settings = Settings(new_database(cluster), croupier=None)
    arenas: list[Any] = [
        GatedArena(settings, seat=Seat(index, 2, str(tmp_path))) for index in range(2)
    ]
    seats = [{"name": "Ada"}, {"open": True}]
    body = {"game": "zombie/2", "params": {"players": 2}, "seats": seats}

    async def run() -> list[int]:
        async with AsyncExitStack() as stack:
            clients = []
            for arena in arenas:
                await stack.enter_async_context(arena._app.lifespan())
                where = httpx.ASGITransport(arena)
                client = httpx.AsyncClient(transport=where, base_url="http://arena.example")
                clients.append(await stack.enter_async_context(client))
            answers = [await clients[0].post("/tables", json=body) for _ in range(MOST_OF_ONE)]
            held = arenas[1]._handing_over._limits.held[WAITING]
            while held.of("127.0.0.1") < MOST_OF_ONE:
                await asyncio.sleep(0.01)
            answers.append(await clients[1].post("/tables", json=body))
            table = answers[0].json()["self"]
            await clients[0].post(f"{table}/seats", json={"name": "Bob"})
            while held.of("127.0.0.1") == MOST_OF_ONE:
                await asyncio.sleep(0.01)
            answers.append(await clients[1].post("/tables", json=body))
            return [answer.status_code for answer in answers]

    assert asyncio.run(run()) == [201] * MOST_OF_ONE + [429, 201]


DIGITS = [0, 5, 1, 1]
SUBMISSIONS: list[tuple[Any, int, str | None]] = [
    ({"submission": DIGITS}, 200, None),
    ({"submission": DIGITS[:3]}, 422, "move/illegal"),
    ({"submission": [0, 5, 1, 6]}, 422, "move/illegal"),
    ({"submission": [0, 5, 1, 256]}, 422, "move/illegal"),
    ({"submission": [0, 5, 1, -1]}, 422, "move/illegal"),
    ({"submission": [0, 5, 1, 10**30]}, 422, "move/illegal"),
    ({"submission": "0511"}, 400, "arena/malformed"),
    ([], 400, "arena/malformed"),
]


def test_a_submission_is_answered_alike_at_both_workers(tmp_path: Path) -> None:
    """Word for word. One file is enough for the two: each game is kept by one of them."""
    settings = Settings(f"sqlite:///{tmp_path}/arena.db", croupier=None)
    arenas: list[Any] = [
        GatedArena(settings, seat=Seat(index, 2, str(tmp_path))) for index in range(2)
    ]

    async def ask(arena: Any, method: str, path: str, body: Any) -> Any:
        where = httpx.ASGITransport(arena)
        async with httpx.AsyncClient(transport=where, base_url="http://arena.example") as client:
            return await client.request(method, path, json=body)

    async def run() -> None:
        async with AsyncExitStack() as stack:
            for arena in arenas:
                await stack.enter_async_context(arena._app.lifespan())
            link = arenas[1]._handing_over._links[0]
            while link._line is None:
                await asyncio.sleep(0)
            wanted = {"base": 6, "length": 4, "oracle_type": "evil"}
            made = await ask(arenas[0], "POST", "/neworacle", wanted)
            oracle = made.headers["location"].removeprefix("http://arena.example")
            for body, status, code in SUBMISSIONS:
                here, there = [await ask(arena, "POST", oracle, body) for arena in arenas]
                assert (here.status_code, there.status_code) == (status, status), body
                if code is not None:
                    assert here.json()["code"] == code
                    assert here.json() == there.json()
                names = [set(one.headers) for one in (here, there)]
                assert names[0] == names[1]
            shown = [(await ask(arena, "GET", oracle, None)).json() for arena in arenas]
            assert shown[0] == shown[1] and shown[0]["attempts"] == 2
            unknown = [await ask(one, "POST", f"{oracle}x", SUBMISSIONS[0][0]) for one in arenas]
            assert unknown[0].json() == unknown[1].json() and unknown[0].status_code == 404
            for arena in arenas:
                counted = arena._gate._metrics.requests
                assert counted[Answered("POST", "/oracle/{name}", 200)] == 1
                assert counted[Answered("POST", "/oracle/{name}", 422)] == 5

    asyncio.run(run())


# Counting


def test_counts_outlast_a_killed_process(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        counts = Counts(tmp_path / "0")
        for _ in range(1000):
            counts.add(("requests", "GET", "/ü", 200))
        counts.add(("seconds",), 0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    again, other = Counts(tmp_path / "0"), Counts(tmp_path / "1")
    again.add(("seconds",), 0.25)
    again.add(("more",))
    other.add(("more",), 2)
    wanted = {("requests", "GET", "/ü", 200): 1000, ("seconds",): 0.75, ("more",): 3}
    assert total(again, [tmp_path / "1"]) == total(other, [tmp_path / "0"]) == wanted


def test_there_is_room_for_so_many_counts(tmp_path: Path) -> None:
    counts = Counts(tmp_path / "0")
    for number in range(SIZE // 16):
        counts.add(("name", number))
    kept = counts.all()
    assert SIZE // 64 < len(kept) < SIZE // 16 and set(kept.values()) == {1}
    assert Counts(tmp_path / "0").all() == kept


def test_metrics_are_sums(tmp_path: Path) -> None:
    files = [tmp_path / "0", tmp_path / "1"]
    workers = [Metrics(Counts(files[k]), [files[1 - k]]) for k in range(2)]
    for metrics in workers:
        metrics.answered("GET", "/healthz", 200)
        metrics.committed(0.002)
    assert workers[0].text({"oracle": 3}) == workers[1].text({"oracle": 3})
    told = workers[0].text({"oracle": 3})
    assert 'fairground_requests_total{method="GET",route="/healthz",status="200"} 2\n' in told
    assert 'fairground_commit_seconds_bucket{le="0.001"} 0\n' in told
    assert 'fairground_commit_seconds_bucket{le="0.0025"} 2\n' in told
    assert "fairground_commit_seconds_sum 0.004000\n" in told
    assert list(workers[0].requests.values()) == [1]


# The parent


@pytest.fixture
def as_before() -> Iterator[None]:
    """A parent takes signals; give them back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("as_before")
def test_an_arena_whose_workers_cannot_start_says_so() -> None:
    with socket.socket() as sock, pytest.raises(InputError, match="could not start"):
        Parent(cannot_start, [sock]).run(pytest.fail)


@pytest.mark.usefixtures("as_before")
def test_a_worker_that_dies_is_replaced_and_all_end_with_the_parent(tmp_path: Path) -> None:
    started: list[bool] = []
    os.mkfifo(tmp_path / "started")
    told = os.open(tmp_path / "started", os.O_RDWR)

    def all_started() -> None:
        started.append(True)
        os.write(told, b".")

    with socket.socket() as one, socket.socket() as other:
        arena = Parent(partial(dies_once, str(tmp_path)), [one, other])
        assert arena.run(all_started) == signal.SIGTERM
    os.close(told)
    assert started == [True]
    assert arena._workers[0].process.exitcode == -signal.SIGTERM
    assert (tmp_path / "0").exists(), "the first was killed"


@pytest.mark.usefixtures("as_before")
def test_who_waits_for_a_worker_that_cannot_start_is_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who came to its seat waited for as long as the database, say, was away; the others
    were told so."""
    monkeypatch.setattr(parent, "AGAIN", 0)
    os.mkfifo(tmp_path / "started")
    told = os.open(tmp_path / "started", os.O_RDWR)
    heard: list[Any] = []

    def wait(client: socket.socket) -> None:
        with client:
            try:
                heard.append(client.recv(1))
            except OSError as error:
                heard.append(type(error))
        os.kill(os.getpid(), signal.SIGTERM)

    with bind("127.0.0.1", 0) as sock, ThreadPoolExecutor(1) as aside:

        def all_started() -> None:
            client = socket.create_connection(sock.getsockname(), timeout=20)
            client.sendall(b"GET / HTTP/1.1\r\n")
            aside.submit(wait, client)
            os.write(told, b".")

        work = partial(cannot_start_again, str(tmp_path))
        assert Parent(work, [sock]).run(all_started) == signal.SIGTERM
    os.close(told)
    assert heard[0] in (b"", ConnectionResetError)


@pytest.mark.usefixtures("as_before")
def test_a_worker_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent, "STOPPING", 0.1)
    with socket.socket() as sock:
        arena = Parent(does_not_stop, [sock])
        assert arena.run(lambda: None) == signal.SIGTERM
    assert arena._workers[0].process.exitcode == -signal.SIGKILL


def test_a_worker_that_starts_while_its_database_is_away_says_so_in_one_line() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and listens not: who connects is refused
        database = f"postgresql://somebody@127.0.0.1:{nobody.getsockname()[1]}/arena"
        arena, said = GatedArena(Settings(database=database, croupier=None)), []

        async def receive() -> Any:
            return {"type": "lifespan.startup"}

        async def send(message: Any) -> None:
            said.append(message)

        with pytest.raises(ExceptionGroup):
            asyncio.run(arena({"type": "lifespan", "state": {}}, receive, send))
    (failed,) = said
    assert failed["type"] == "lifespan.startup.failed"
    assert "cannot connect to the database" in failed["message"]
    assert "\n" not in failed["message"]
