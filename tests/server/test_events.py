"""One stream for all that is watched: nothing lost, nothing twice, however often it breaks."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.clients.table import open_table
from fairground.core import InputError
from fairground.fair.bits import SeededStream
from fairground.server import stream
from fairground.server.app import make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.log_watch import News
from fairground.server.metrics import Metrics
from fairground.server.stream import (
    KIND,
    LIFETIME,
    MOST_TOPICS,
    Cursor,
    Kept,
    Mark,
    Tickets,
    log_of,
    mark_of,
    read_cursor,
)
from fairground.store import Store, Stored, open_store
from tests.helpers.arena import DEADLINE, in_a_thread
from tests.helpers.event_stream import Message, connected, messages

ZOMBIE = {"game": "zombie/2", "params": {"players": 2}, "dealer": "system/1"}
SEATS = [{"name": "Bot", "player": "cautious"}, {"name": "Ada"}]


@pytest.fixture
def arena(database: str) -> Iterator[str]:
    with serving(database) as url:
        yield url


def serving(database: str, **more: Any) -> Any:
    limits, metrics = ClientLimits(), Metrics()
    app: Any = make_app(database, limits=limits, metrics=metrics, **more)
    return in_a_thread(Gate(app, limits, metrics))


def ask(url: str, body: Any = None) -> Any:
    """GET, or POST this body; the answer's JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
        told = answer.read()
    return json.loads(told) if told else None


def record(url: str) -> list[str]:
    with urllib.request.urlopen(f"{url}/transcript", timeout=DEADLINE) as answer:
        return list(answer.read().decode().splitlines())


def new(arena: str, **more: Any) -> tuple[str, str, str]:
    """A table: its id, its address, and the address of the one seat that is not the house's."""
    made = open_table(arena, {**ZOMBIE, "seats": SEATS, **more})
    return made["self"].rpartition("/")[2], made["self"], made["seats"][1]["url"]


def move(seat: str) -> bool:
    """Roll once; False when the game is over."""
    seen = ask(seat)
    for one in seen["asks"]:
        choice = seen["moves"][one["step"] % len(seen["moves"])]
        ask(seat, {"ask": one["id"], "answer": choice})
    return not seen["over"]


def play_out(seats: list[str]) -> None:
    while [seat for seat in seats if move(seat)]:
        pass


def ticket(arena: str, *topics: str, **more: Any) -> str:
    return str(arena + ask(f"{arena}/events", {"topics": topics, **more})["stream"])


def lines_of(found: list[Message], topic: str) -> list[str]:
    """The text of a table's lines, which must come once and in order."""
    told = [one.data for one in found if one.event == "table" and one.data["topic"] == topic]
    assert [one["line"] for one in told] == list(range(1, len(told) + 1))
    return [one["text"] for one in told]


def until(found: list[Message], stream: Iterator[Message], enough: Callable[[], bool]) -> None:
    while not enough():
        found.append(next(stream))


def test_a_stream_that_breaks_anywhere_gives_exactly_the_records(arena: str) -> None:
    """The law: cut at random bytes, resume, and the whole is the record; as six streams give it."""
    tables = [new(arena) for _ in range(6)]
    url = ticket(arena, *(f"table:{name}" for name, *_ in tables))
    playing = threading.Thread(target=play_out, args=([seat for *_, seat in tables],))
    playing.start()
    found: list[Message] = []
    chance, breaks = SeededStream("cuts", 1), 0

    def is_whole() -> bool:
        ends = [one for one in found if '"kind":"end"' in one.data["text"]]
        return len(ends) == len(tables)

    while not is_whole():
        with connected(url, found[-1].id if found else None) as line:
            for one in messages(line, chance.below(6000)):
                found.append(one)
                if is_whole():
                    break
        breaks += 1
    playing.join(DEADLINE)
    assert breaks > 20, "it was cut often"
    for name, where, _ in tables:
        assert lines_of(found, f"table:{name}") == record(where)
        with connected(f"{where}/events") as line:
            old = [json.dumps(one.data, separators=(",", ":")) for one in messages(line)]
        assert [json.loads(one) for one in record(where)] == [json.loads(one) for one in old]
    assert len(found) == sum(len(record(where)) for _, where, _ in tables)


def test_it_goes_on_after_a_restart_with_the_old_ticket_and_with_a_new_one(
    database: str,
) -> None:
    found: list[Message] = []
    with serving(database) as arena:
        name, where, seat = new(arena)
        path = ticket(arena, f"table:{name}").removeprefix(arena)
        with connected(arena + path) as line:
            until(found, messages(line), lambda: len(found) == len(record(where)))
        token = seat.removeprefix(arena)
    with serving(database) as arena:
        play_out([arena + token])
        whole = record(f"{arena}/tables/{name}")
        with connected(arena + path, found[-1].id) as line:
            until(found, messages(line), lambda: len(found) == len(whole) - 2)
        again = ticket(arena, f"table:{name}", after=found[-1].id)
        with connected(again) as line:
            until(found, messages(line), lambda: len(found) == len(whole))
    assert lines_of(found, f"table:{name}") == whole


def test_topics_come_and_go_while_the_stream_is_open(arena: str) -> None:
    one, two = new(arena), new(arena)
    topics = [f"table:{one[0]}", f"table:{two[0]}"]
    url = ticket(arena, topics[0])
    found: list[Message] = []
    with connected(url) as line:
        stream = messages(line)
        until(found, stream, lambda: len(found) == len(record(one[1])))
        ask(url, {"add": [topics[1]]})
        until(found, stream, lambda: lines_of(found, topics[1]) == record(two[1]))
        ask(url, {"drop": [topics[0]]})
        move(one[2])
        move(two[2])
        until(found, stream, lambda: lines_of(found, topics[1]) == record(two[1]))
        before = len(lines_of(found, topics[0]))
        ask(url, {"add": [topics[0]]})
        anew = [next(stream) for _ in record(one[1])]
    assert before < len(record(one[1])), "what was dropped said nothing more"
    assert lines_of(anew, topics[0]) == record(one[1]), "what is added again begins anew"
    with connected(url, anew[2].id) as line:
        stream = messages(line)
        rest = [next(stream) for _ in anew[3:]]
    assert [*anew[:3], *rest] == anew


def test_a_topic_that_is_added_while_the_stream_opens_is_followed(
    arena: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is heard when the topics were read already and nobody waits for news yet."""
    name, where, _ = new(arena)
    url = ticket(arena)
    read, tell = Tickets.read, News.tell
    told, changes = asyncio.Event(), [[f"table:{name}"]]

    def telling(news: News, log: str) -> None:
        tell(news, log)
        if log == log_of(url.rpartition("/")[2]):
            told.set()

    async def reading(tickets: Tickets, one: str) -> Kept:
        kept = await read(tickets, one)
        if changes:
            await tickets.change(one, changes.pop(), [])
            await told.wait()
        return kept

    monkeypatch.setattr(News, "tell", telling)
    monkeypatch.setattr(Tickets, "read", reading)
    with connected(url) as line:
        stream = messages(line)
        found = [next(stream) for _ in record(where)]
    assert lines_of(found, f"table:{name}") == record(where)


def test_a_seat_is_shown_its_own_view_whenever_it_changes(arena: str) -> None:
    name, where, seat = new(arena)
    topic = f"seat:{name}/{seat.rpartition('/')[2]}"
    with connected(ticket(arena, topic)) as line:
        stream = messages(line)
        first = next(stream)
        assert (first.event, first.data["topic"]) == ("seat", topic)
        seen = ask(seat)
        for told in (first.data["seat"], seen):
            for chair in told["seats"]:
                chair.pop("left", None)
        assert first.data["seat"] == seen
        steps = [seen["step"]]
        while move(seat):
            step = ask(seat)["step"]
            while steps[-1] < step:
                steps.append(next(stream).data["seat"]["step"])
    assert steps == sorted(set(steps)) and steps[-1] == len(record(where))


def test_what_is_not_there_is_said_and_the_rest_goes_on(arena: str) -> None:
    name, where, seat = new(arena)
    wrong = [f"seat:{name}/wrong", "table:nobody", "contest:nobody", "croupier:nobody"]
    found: list[Message] = []
    with connected(ticket(arena, *wrong, f"table:{name}")) as line:
        stream = messages(line)
        until(found, stream, lambda: len(found) == len(wrong) + len(record(where)))
        gone = {one.data["topic"]: one.data["problem"] for one in found if one.event == "gone"}
        assert list(gone) == wrong
        assert all(problem["status"] == 404 for problem in gone.values())
        move(seat)
        until(found, stream, lambda: lines_of(found, f"table:{name}") == record(where))


def test_a_contest_tells_its_standings(arena: str) -> None:
    made = ask_for_contest(arena)
    name = made["self"].rpartition("/")[2]
    with connected(ticket(arena, f"contest:{name}")) as line:
        stream = messages(line)
        first = next(stream).data
        assert first["state"] == "running" and first["standings"]["official"] == []
        ask(f"{made['self']}/entry", {"team_name": "Ada", "software_version": "1"})
        second = next(stream).data
        assert [row["team_name"] for row in second["standings"]["official"]] == ["Ada"]
        ask(made["close"], {})
        last = next(stream).data
        while last["state"] != "closed":
            last = next(stream).data


def ask_for_contest(arena: str) -> Any:
    """``POST /newcontest`` redirects, and says the same in its body."""
    request = urllib.request.Request(
        f"{arena}/newcontest",
        json.dumps({"base": 3, "length": 2, "games": 1}).encode(),
        {"Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        opener.open(request, timeout=DEADLINE)
    except urllib.error.HTTPError as answer:
        return json.loads(answer.read())
    raise AssertionError("it does not redirect")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


# Bounds and secrets


def status(url: str, body: Any = None) -> int:
    try:
        ask(url, body)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
    return 200


def test_bounds(arena: str) -> None:
    many = [f"table:{number}" for number in range(MOST_TOPICS)]
    url = ticket(arena, *many)
    assert status(url, {"add": ["lobby2"]}) == 422
    assert status(url, {"add": ["table:x"]}) == 429
    assert status(url, {"add": ["table:x"], "drop": many[:1]}) == 200
    assert status(f"{arena}/events", {"topics": [*many, "table:x"]}) == 429
    for wrong in ("tables:x", "table:", "seat:x", "seat:x/", "table:a/b", "table:ä"):
        assert status(f"{arena}/events", {"topics": [wrong]}) == 422, wrong
    for wrong in ("AAAAAAAAAAA*", "AAAAAAAAAAAAA"):
        assert status(f"{arena}/events", {"topics": [], "after": wrong}) in (400, 422)
    assert status(f"{arena}/events/nobody", {"add": []}) == 404
    assert status(f"{arena}/events/nobody") == 404


def test_streams_of_all_kinds_count_together(arena: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_STREAMS", 3)
    _, table, _ = new(arena)
    contest = ask(f"{arena}/contests", {"base": 6, "length": 4, "games": 1})["self"]
    found: list[bytes] = []
    kinds = [f"{table}/events", f"{contest}/events", ticket(arena, "lobby")]
    with ExitStack() as stack:
        for url in kinds * 2:
            line, told = stack.enter_context(connected(url)), b""
            while b"data: " not in told and b"limit" not in told:
                told += line.recv(4096)
            found.append(told.split()[1])
    assert found == [b"200"] * 3 + [b"429"] * 3


def test_a_ticket_expires(database: str) -> None:
    now = [1_000_000.0]
    with serving(database, clock=lambda: now[0]) as arena:
        url = ticket(arena)
        now[0] += LIFETIME - 1
        assert status(url, {"add": ["table:x"]}) == 200
        now[0] += LIFETIME
        assert status(url, {"add": []}) == 200
        now[0] += 2
        assert status(url, {"add": []}) == 404
        ticket(arena)  # whoever makes one sees to it that old ones are deleted

    async def kept() -> int:
        store = await open_store(database)
        try:
            return (await store.count(KIND))[0]
        finally:
            await store.close()

    assert asyncio.run(kept()) == 1, "the new one"


class Counted:
    """Counts what is read from a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.reads: list[int] = []
        """Bytes of each."""

    async def read(self, log: str) -> Stored | None:
        found = await self._store.read(log)
        self.reads.append(0 if found is None else len(found.data))
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


async def test_a_change_costs_the_same_however_many_there_were(store: Store) -> None:
    """Each read all those before it: 17 ms instead of 0.7 after 1,300 of them, and n² in all."""
    topics = [f"table:{number:040}" for number in range(MOST_TOPICS)]
    counted: Any = Counted(store)
    made = Tickets(counted, lambda: 1000.0)
    ticket = await made.make(topics, "-")
    costs = []
    for number in range(200):
        counted.reads.clear()
        await made.change(ticket, topics[:1], topics[1:2])
        await made.change(ticket, topics[1:2], topics[:1])
        costs.append((len(counted.reads), sum(counted.reads)))
        assert len((await made.read(ticket)).topics) == MOST_TOPICS - 1, number
    assert costs[-1][0] == costs[1][0] == 2
    assert costs[-1][1] < 1.1 * costs[1][1], "the numbers in it have more digits"
    stored = await store.read(log_of(ticket))
    assert stored is not None and len(stored.lines) == 1


def test_one_client_has_only_so_many_tickets(
    monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    monkeypatch.setattr(stream, "MOST_OF_ONE", 3)
    now = [1_000_000.0]
    with serving(database, clock=lambda: now[0]) as arena:
        urls = [ticket(arena) for _ in range(3)]
        assert status(f"{arena}/events", {"topics": []}) == 429
        assert status(urls[0], {"add": ["lobby"]}) == 200, "they can be changed"
        now[0] += LIFETIME - 1
        assert status(f"{arena}/events", {"topics": []}) == 429
        assert status(urls[0], {"add": ["table:x"]}) == 200
        now[0] += 2  # the other two have ended
        assert [status(f"{arena}/events", {"topics": []}) for _ in range(3)] == [200, 200, 429]


def test_the_store_does_not_tell_a_ticket_nor_the_secret_of_a_seat(
    arena: str, database: str
) -> None:
    name, _, seat = new(arena)
    secret = seat.rpartition("/")[2]
    url = ticket(arena, f"seat:{name}/{secret}")
    ask(url, {"add": [f"table:{name}"]})
    data = Path(database.removeprefix("sqlite:///")).read_bytes()
    data += Path(database.removeprefix("sqlite:///") + "-wal").read_bytes()
    assert name.encode() in data, "the table itself is there"
    for hidden in (secret, url.rpartition("/")[2]):
        assert hidden.encode() not in data and hidden.encode().hex().encode() not in data

    async def kept() -> list[str]:
        store = await open_store(database)
        try:
            return list(await store.logs("stream"))
        finally:
            await store.close()

    assert len(asyncio.run(kept())) == 1


@given(
    st.dictionaries(st.text(max_size=20), st.tuples(st.integers(0, 2**31), st.integers(0, 2**31)))
)
def test_a_cursor_comes_back_as_it_was(marks: dict[str, tuple[int, int]]) -> None:
    cursor = Cursor()
    for topic, mark in marks.items():
        cursor.move(topic, Mark(*mark))
    found = read_cursor(bytes(cursor).decode())
    assert {topic: mark_of(found, topic) for topic in marks} == marks
    for topic in marks:
        cursor.drop(topic)
    assert bytes(cursor) == b"-" and read_cursor("-") == {}


@given(st.text(max_size=60))
def test_anything_else_is_refused_or_read(text: str) -> None:
    try:
        read_cursor(text)
    except InputError as refused:
        assert "cursor" in str(refused)
