"""The fast lane: nobody can tell it from the usual way, but by the clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.datastructures import State
from litestar.testing import TestClient

from fairground.arena.app import make_app
from fairground.arena.http import browsers
from fairground.arena.http.fast_lane import LONGEST, FastLane
from fairground.arena.limits.gate import ClientLimits, Gate
from fairground.arena.limits.metrics import Metrics
from fairground.arena.live_games import Hall
from fairground.arena.oracles.keeping import Oracles
from fairground.store import Append
from fairground.store.sqlite import SqliteStore
from fairground.transcript import line_hash

Client = TestClient[Any]

USUAL = {"Accept": "application/json;q=0.9"}
"""As good as any other, and just not what the fast lane looks for."""


class Watched:
    """An arena, and which requests went the usual way."""

    def __init__(self, client: Client, usual: list[str], metrics: Metrics) -> None:
        self.client = client
        self.metrics = metrics
        self._usual = usual

    def oracle(self) -> str:
        """A nice one: its answers are the same whoever asks."""
        body = {"base": 6, "length": 4, "oracle_type": "nice"}
        made = self.client.post("/neworacle", json=body, follow_redirects=False)
        self._usual.clear()
        return str(made.headers["location"])

    def post(self, uri: str, body: bytes, headers: dict[str, str]) -> tuple[Any, bool]:
        """The answer, and whether it came the usual way."""
        before = Counter(self.metrics.requests)
        answer = self.client.post(uri, content=body, headers=headers)
        self.counted = Counter(self.metrics.requests) - before
        was_usual = bool(self._usual)
        self._usual.clear()
        return answer, was_usual


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    usual: list[str] = []
    check = browsers.check

    async def noting(request: Any) -> Any:
        usual.append(request.url.path)
        return await check(request)

    database = f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(browsers, "check", noting)
        made = make_app(database)
    app: Any = made
    metrics = Metrics()
    gate: Any = Gate(FastLane(app, made.state), ClientLimits(), metrics)
    with TestClient(gate) as client:
        yield Watched(client, usual, metrics)


JSON = {"Content-Type": "application/json"}
GOOD = b'{"submission": [0, 5, 1, 1]}'

PLAIN = [
    (GOOD, JSON),
    (GOOD, JSON | {"Accept": "application/json"}),
    (GOOD, {}),
    (b'{"mood": {"now": ["good"]}, "submission":[5,5,5,5]}', JSON),
    (b'{"submission": [0, 5, 1]}', JSON),
    (b'{"submission": [0, 5, 1, 6]}', JSON),
    (b'{"submission": [0, 5, 1, -1]}', JSON),
    (b'{"submission": [0, 5, 1, 99999999999999999999999]}', JSON),
    (b'{"submission": []}', JSON),
]
ODD = [
    (b"", JSON),
    (b"{", JSON),
    (b"[]", JSON),
    (b'{"submission": 5}', JSON),
    (b'{"submission": [0, 5, 1, 1.0]}', JSON),
    (b'{"submission": [0, 5, 1, 1.5]}', JSON),
    (b'{"submission": ["0", 5, 1, 1]}', JSON),
    (b'{"submission": null}', JSON),
    (b'{"guess": [0, 5, 1, 1]}', JSON),
    (b'{"submission": "\xff"}', JSON),
    (b'{"x":' + b"[" * 200 + b"]" * 200 + b', "submission": [0, 5, 1, 1]}', JSON),
    (b" " * LONGEST + GOOD, JSON),
    (b" " * 100_000 + GOOD, JSON),
    (GOOD, {"Content-Type": "text/plain"}),
    (GOOD, JSON | {"Content-Encoding": "gzip"}),
    (GOOD, {"Content-Type": "application/json; charset=utf-8"}),
    (GOOD, {"Content-Type": "application/x-www-form-urlencoded"}),
    (GOOD, JSON | {"Sec-Fetch-Site": "cross-site"}),
    (GOOD, JSON | {"Sec-Fetch-Site": "same-origin"}),
    (GOOD, JSON | {"Origin": "https://elsewhere.example"}),
    (GOOD, JSON | {"Accept": "text/html"}),
    (GOOD, JSON | {"Accept": "text/html, application/json"}),
]


def same(arena: Watched, uris: tuple[str, str], body: bytes, headers: dict[str, str]) -> bool:
    """Whether a request went the usual way; its answer is the usual one in any case."""
    answer, was_usual = arena.post(uris[0], body, headers)
    counted = arena.counted
    wanted, detour = arena.post(uris[1], body, USUAL | headers)
    if "Accept" not in headers:
        assert detour
    assert counted == arena.counted
    assert answer.status_code == wanted.status_code
    names = [name.rpartition("/")[2] for name in uris]
    assert answer.text.replace(names[0], "NAME") == wanted.text.replace(names[1], "NAME")
    assert set(answer.headers) == set(wanted.headers)
    assert answer.headers["content-type"] == wanted.headers["content-type"]
    if answer.status_code == 200:
        last = arena.client.get(f"{uris[0]}/transcript").content.splitlines(keepends=True)[-1]
        assert answer.headers["fairground-receipt"] == line_hash(last)
    return was_usual


@pytest.mark.parametrize(("body", "headers"), PLAIN)
def test_a_plain_request_is_answered_alike(
    arena: Watched, body: bytes, headers: dict[str, str]
) -> None:
    assert not same(arena, (arena.oracle(), arena.oracle()), body, headers)


@pytest.mark.parametrize(("body", "headers"), ODD)
def test_an_odd_request_goes_the_usual_way(
    arena: Watched, body: bytes, headers: dict[str, str]
) -> None:
    answer, was_usual = arena.post(arena.oracle(), body, headers)
    assert was_usual or answer.status_code == 413
    good = answer.status_code == 200
    assert good or answer.headers["content-type"] == "application/problem+json"


def test_who_asks_for_nothing_that_is_there(arena: Watched) -> None:
    uri = arena.oracle()
    for name in ("nobody", "a.1.2.b", "x" * 300, "a%20b", "%F0%9F%8E%B2"):
        wrong = uri.rpartition("/")[0] + f"/{name}"
        same(arena, (wrong, wrong), GOOD, JSON)
        assert arena.post(wrong, GOOD, JSON)[0].status_code == 404


def test_a_game_that_is_over_is_judged_by_the_form_first(arena: Watched) -> None:
    uri = arena.oracle()
    arena.client.delete(uri)
    arena.post(uri, GOOD, JSON)
    for body, status in ((GOOD, 409), (b'{"submission": [9]}', 422)):
        assert not same(arena, (uri, uri), body, JSON)
        assert arena.post(uri, body, JSON)[0].status_code == status


def test_a_mistake_of_ours_is_told_alike(arena: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise OSError("no space left on /secret/place")

    uris = (arena.oracle(), arena.oracle())
    monkeypatch.setattr(Hall, "save", broken)
    assert not same(arena, uris, GOOD, JSON)
    answer, _ = arena.post(uris[0], GOOD, JSON)
    assert (answer.status_code, answer.json()["code"]) == (500, "arena/error")
    assert "secret" not in answer.text


def test_only_a_post_is_a_submission(arena: Watched) -> None:
    uri = arena.oracle()
    refused = arena.client.request("PUT", uri, content=GOOD, headers=JSON)
    assert refused.status_code == 405
    ended = arena.client.request("DELETE", uri, content=GOOD, headers=JSON)
    assert (ended.json()["attempts"], ended.json()["over"]) == (0, True)


PIECES: list[list[dict[str, Any]]] = [
    [
        {"type": "http.request", "body": GOOD[:9], "more_body": True},
        {"type": "http.request", "body": GOOD[9:], "more_body": False},
    ],
    [
        {"type": "http.request", "body": GOOD, "more_body": True},
        {"type": "http.request", "body": b" and more", "more_body": False},
    ],
    [{"type": "http.request", "body": GOOD[:9], "more_body": True}, {"type": "http.disconnect"}],
    [{"type": "http.disconnect"}],
]


@pytest.mark.parametrize("pieces", PIECES)
def test_a_body_in_pieces_goes_the_usual_way_with_every_piece(pieces: list[Any]) -> None:
    seen, waiting = [], list(pieces)

    async def usual(scope: Any, receive: Any, send: Any) -> None:
        for _ in pieces:
            seen.append(await receive())

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        raise AssertionError(message)

    async def run() -> None:
        scope = {"type": "http", "method": "POST", "path": "/oracle/x", "headers": []}
        await FastLane(usual, State())(scope, receive, send)

    asyncio.run(run())
    assert seen == pieces


class Slow(SqliteStore):
    """A disk that is ready when the test says so."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.commits: list[tuple[Append, ...]] = []
        self.written, self.ready = asyncio.Event(), asyncio.Event()
        self.ready.set()

    async def commit(self, *appends: Append) -> None:
        await super().commit(*appends)
        self.commits.append(appends)
        self.written.set()
        await self.ready.wait()


@pytest.mark.parametrize("oracle_type", ["fair", "nice", "evil"])
def test_a_submission_is_one_commit_and_is_answered_after_it(
    tmp_path: Path, oracle_type: str
) -> None:
    async def run() -> None:
        store = Slow(str(tmp_path / "arena.db"))
        hall = Hall(store)
        oracles = Oracles(hall)
        log = (await oracles.make(6, 4, oracle_type)).log
        for guess in ((0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 2)):
            if (await oracles.describe(log, "")).over:
                break
            store.commits.clear()
            store.written.clear()
            store.ready.clear()
            waiting = asyncio.create_task(oracles.submit(log, guess))
            await asyncio.wait_for(store.written.wait(), 20)
            assert not waiting.done(), "told before it was durable"
            store.ready.set()
            _, receipt = await asyncio.wait_for(waiting, 20)
            ((append,),) = store.commits
            assert append.log == log
            assert len(append.lines) >= 2
            stored = await store.read(log)
            assert stored is not None
            assert receipt == (await hall.find(log, "oracle")).table.transcript.head
            assert stored.lines[-1] == append.lines[-1]
        hall.close()
        await store.close()

    asyncio.run(run())


# Answers at tables

DUEL = {
    "game": "zombie/1",
    "params": {"players": 2},
    "seats": [{"name": "Ada", "lends": "stir"}, {"name": "Bob", "lends": "stir"}],
}


def two_seats(arena: Watched) -> tuple[str, str]:
    """The same seat at two tables that are alike."""
    first, second = (arena.client.post("/tables", json=DUEL).json()["seats"] for _ in range(2))
    arena._usual.clear()
    return first[0]["url"], second[0]["url"]


ASK = "stir.2"
ANSWERS = [
    (b'{"ask": "stir.2", "answer": "x", "more": [1, 2]}', 200),
    (b'{"ask": "stir.2", "answer": "x"}', 200),
    (b'{"ask": "stir.2", "answer": "y"}', 409),
    (b'{"ask": "stir.2", "answer": 7.0}', 409),
    (b'{"ask": "move.9", "answer": "roll"}', 409),
    (b'{"ask": 7, "answer": "x"}', 400),
    (b'{"ask": "stir.2"}', 400),
    (b"[]", 400),
    (b"", 400),
    (b'{"ask": "stir.2", "answer": "\xff"}', 400),
    (b'{"ask": "stir.2", "answer": ' + b"[" * 200 + b"]" * 200 + b"}", 400),
    (b" " * LONGEST + b'{"ask": "stir.2", "answer": "x"}', 200),
]


def test_an_answer_at_a_table_is_answered_alike_in_both_lanes(arena: Watched) -> None:
    uris = two_seats(arena)
    asks = [arena.client.get(uri).json()["asks"][0]["id"] for uri in uris]
    assert asks == [ASK, ASK]
    arena._usual.clear()
    for body, status in ANSWERS:
        fast, was_usual = arena.post(uris[0], body, JSON)
        counted = arena.counted
        usual, detour = arena.post(uris[1], body, USUAL | JSON)
        assert detour and was_usual == (status == 400 or len(body) > LONGEST), body
        assert (fast.status_code, usual.status_code) == (status, status), body
        assert counted == arena.counted
        told = [answer.json() for answer in (fast, usual)]
        for one in told:
            one.pop("head", None)  # each table has a name of its own in it
        assert told[0] == told[1]
        assert set(fast.headers) == set(usual.headers)


def test_who_has_no_seat_is_told_so_in_both_lanes(arena: Watched) -> None:
    uris = two_seats(arena)
    body = b'{"ask": "stir.2", "answer": "x"}'
    for wrong in (f"{uris[0]}x", uris[0].replace("/tables/", "/tables/x")):
        fast, usual = (arena.post(wrong, body, how | JSON)[0] for how in ({}, USUAL))
        assert fast.status_code == usual.status_code == 404 and fast.json() == usual.json()


# Looks at tables

GAMES: list[dict[str, Any]] = [
    DUEL,
    {"game": "fatestones/1", "seats": [{"name": "Ada"}, {"name": "Bot", "player": "random"}]},
    {
        "game": "codebreaking/1",
        "params": {"base": 6, "length": 4},
        "seats": [{"name": "Keeper"}, {"name": "Ada"}],
    },
    {
        "game": "intransitive/1",
        "params": {"dice": [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]]},
        "seats": [{"name": "Ada"}, {"name": "Bot", "player": "random"}],
    },
    {"game": "zombie/2", "seats": [{"name": "Ada"}, {"name": "", "open": True}]},
]
PLAIN_LOOKS: list[dict[str, str]] = [
    {},
    {"Accept": "application/json"},
    {"Origin": "https://elsewhere.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Host": "arena.example:8443"},
]
ODD_LOOKS: list[tuple[str, dict[str, str]]] = [
    ("?after=1", {}),
    ("?wait=0", {}),
    ("?wait=x", {}),
    ("", {"Accept": "text/html"}),
    ("", {"Accept": "text/html, application/json;q=0.9"}),
    ("", {"Accept": "image/png"}),
    ("", {"Content-Length": "2"}),
    ("/", {}),
]


def look(arena: Watched, uri: str, headers: dict[str, str]) -> tuple[Any, bool]:
    before = Counter(arena.metrics.requests)
    answer = arena.client.get(uri, headers=headers, follow_redirects=False)
    arena.counted = Counter(arena.metrics.requests) - before
    was_usual = bool(arena._usual)
    arena._usual.clear()
    return answer, was_usual


def told(answer: Any) -> Any:
    """A look without what two looks differ in: the time that is left."""
    shown = answer.json()
    for seat in shown.get("seats", ()):
        seat.pop("left", None)
    return list(shown.items())


@pytest.mark.parametrize("wanted", GAMES, ids=lambda game: str(game["game"]))
def test_a_look_is_answered_alike_in_both_lanes(arena: Watched, wanted: dict[str, Any]) -> None:
    made = arena.client.post("/tables", json=wanted).json()
    uris = [made["self"], *(seat["url"] for seat in made["seats"] if "url" in seat)]
    arena._usual.clear()
    wrong = [f"{uris[0]}x", f"{uris[-1]}x", f"{uris[0]}/seats/a%20b"]
    for uri in uris + wrong:
        for headers in PLAIN_LOOKS:
            fast, was_usual = look(arena, uri, headers)
            counted = arena.counted
            usual, detour = look(arena, uri, USUAL | headers)
            assert was_usual == (uri in wrong) and (detour or "Accept" in headers), uri
            assert fast.status_code == usual.status_code == (404 if uri in wrong else 200)
            assert counted == arena.counted
            assert told(fast) == told(usual)
            differ = {"x-request-id", "content-length"}  # the time that is left has more digits
            assert {*fast.headers.items()} ^ {*usual.headers.items()} <= {
                (name, one.headers[name]) for one in (fast, usual) for name in differ
            }


def test_an_odd_look_goes_the_usual_way(arena: Watched) -> None:
    seat = two_seats(arena)[0]
    for more, headers in ODD_LOOKS:
        _, was_usual = look(arena, seat + more, headers)
        assert was_usual, (more, headers)
    told_of = arena.client.head(seat)
    assert (told_of.status_code, told_of.content, bool(arena._usual)) == (200, b"", True)
