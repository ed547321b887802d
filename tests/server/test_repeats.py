"""The same request again: nothing is done twice, nothing is lost on the way back."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.server import storage
from fairground.server.http import problems, repeats
from fairground.server.http.repeats import ANSWER, Repeats
from fairground.server.serve import GatedArena, Settings
from fairground.server.state import the_arena
from fairground.server.storage import KEY_KIND
from fairground.store import Append, Store, StoreAway
from tests.helpers.stores import new_database

pytestmark = pytest.mark.usefixtures("patient")

CLASSIC = {"base": 6, "length": 4}
WIDE = {"base": 100, "length": 4}
"""No guess is right by chance, which would end the game."""
GUESS = {"submission": [0, 1, 2, 3]}
ZOMBIES = {
    "game": "zombie/2",
    "params": {"players": 2},
    "seats": [{"name": "Ada"}, {"name": "Bob"}],
}
Client = TestClient[Any]


@pytest.fixture
def arena(tmp_path: Path) -> GatedArena:
    return GatedArena(Settings(f"sqlite:///{tmp_path}/arena.db"))


@pytest.fixture
def client(arena: GatedArena) -> Iterator[Client]:
    app: Any = arena
    with TestClient(app) as client:
        client.follow_redirects = False
        yield client


def secret(name: str) -> str:
    """A key that has a name in this file, and that nobody else can guess."""
    return f"{name} {hashlib.sha256(name.encode()).hexdigest()[:22]}"


def key(name: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": f'"{secret(name) if name else uuid.uuid4()}"'}


def counted(client: Client) -> dict[str, int]:
    health: dict[str, int] = client.get("/healthz").json()
    return {what: health[what] for what in ("oracles", "tables")}


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize(
    ("path", "body", "header"),
    [
        ("/neworacle", CLASSIC, "location"),
        ("/newcontest", CLASSIC | {"games": 3}, "fairground-close"),
        ("/tables", ZOMBIES, "location"),
        ("/croupier/offers", {"player": "0x" + "11" * 20}, "content-type"),
    ],
)
def test_what_is_made_is_made_once(client: Client, path: str, body: Any, header: str) -> None:
    named = key()
    first, second = (client.post(path, json=body, headers=named) for _ in range(2))
    assert first.status_code in (201, 303) and second.status_code == first.status_code
    assert first.content == second.content
    assert first.headers[header] == second.headers[header]
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"


def test_a_submission_counts_once_also_without_quotes(client: Client) -> None:
    oracle = client.post("/neworacle", json=WIDE).headers["location"]
    plain, spaced = uuid.uuid4().hex, f'"{uuid.uuid4().hex} b"'
    answers = [
        client.post(oracle, json=GUESS, headers={"Idempotency-Key": name})
        for name in (spaced, spaced, plain, plain, f'"{plain}"')
    ]
    assert len({answer.content for answer in answers}) == 1
    receipts = [answer.headers["fairground-receipt"] for answer in answers]
    assert receipts[0] == receipts[1] != receipts[2] == receipts[3] == receipts[4]
    assert client.get(oracle).json()["attempts"] == 2


@pytest.mark.parametrize("contest", [False, True])
def test_every_change_to_an_oracle_can_be_repeated(client: Client, contest: bool) -> None:
    if contest:
        made = client.post("/newcontest", json=WIDE | {"games": 1}).headers["location"]
        entry = {"team_name": "Ada", "software_version": "1"}
        named = key()
        first, again = (
            client.post(f"{made}/entry", json=entry, headers=named).json() for _ in range(2)
        )
        assert first == again
        (oracle,) = first["oracle_URIs"]
    else:
        oracle = client.post("/neworacle", json=WIDE).headers["location"]
        for _ in range(2):
            lent = client.put(f"{oracle}/share", json={"share": "5e" * 32}, headers=key("share"))
            assert lent.status_code == 204
    for _ in range(3):
        assert client.post(oracle, json=GUESS, headers=key("one")).status_code == 200
    assert client.get(oracle).json()["attempts"] == 1
    ended = [client.delete(oracle, headers=key("end")) for _ in range(2)]
    assert [answer.status_code for answer in ended] == [200, 200]
    assert ended[0].json() == ended[1].json()
    assert client.delete(oracle).status_code == 409


def test_a_key_is_for_one_body_one_address_and_one_method(client: Client) -> None:
    one, other = (client.post("/neworacle", json=WIDE).headers["location"] for _ in range(2))
    assert client.post(one, json=GUESS, headers=key("k")).status_code == 200
    reused = client.post(one, json={"submission": [5, 5, 5, 5]}, headers=key("k"))
    assert code(reused) == (422, "arena/key-reused")
    assert client.post(other, json=GUESS, headers=key("k")).status_code == 200
    assert client.get(one, headers=key("k")).json()["attempts"] == 1, "to look needs no key"
    assert client.delete(one, headers=key("k")).status_code == 200


@pytest.mark.parametrize(
    "said",
    [
        *('""', "", "a b", '"ä"', "1", '"1"', "order-17", "0" * 21, '"' + "x" * 21 + '"'),
        *('"' + "ä" * 30 + '"', '"' + "x" * 256 + '"', "x" * 256),
    ],
)
def test_what_is_no_key(client: Client, said: str) -> None:
    headers = [(b"Idempotency-Key", said.encode())]
    for several in (
        headers,
        [(b"Idempotency-Key", b"one"), *headers, (b"Idempotency-Key", b"two")],
    ):
        answer = client.post("/neworacle", json=CLASSIC, headers=several)
        assert code(answer) == (400, "arena/malformed")
        detail = answer.json()["detail"]
        assert "22 to 255" in detail and "UUID" in detail
    assert counted(client)["oracles"] == 0


def test_a_key_is_enough_from_another_address(arena: GatedArena) -> None:
    """A laptop that changes its network between two tries is not locked out."""
    app: Any = arena
    named, answers = key(), []
    for address in ("192.0.2.1", "198.51.100.7"):

        async def from_there(scope: Any, receive: Any, send: Any, address: str = address) -> None:
            await app({**scope, "client": (address, 1)}, receive, send)

        with TestClient(from_there) as client:
            answers.append(client.post("/tables", json=ZOMBIES, headers=named))
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotency-replayed"] == "true"


def test_what_was_refused_is_tried_again(client: Client) -> None:
    named = key()
    oracle = client.post("/neworacle", json=CLASSIC).headers["location"]
    for body, status in (({"submission": [9, 9, 9, 9]}, 422), (GUESS, 200), (GUESS, 200)):
        assert client.post(oracle, json=body, headers=named).status_code == status
    assert client.get(oracle).json()["attempts"] == 1
    large = client.post("/neworacle", content=b" " * 100_001, headers=named)
    assert code(large) == (413, "arena/too-large")


def test_while_the_first_is_served_the_second_waits(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve = Repeats._serve
    seen: list[Any] = []

    async def slowly(self: Repeats, log: str, *rest: Any) -> Any:
        body = {"type": "http.request", "body": json.dumps(CLASSIC).encode()}

        async def receive() -> Any:
            return body

        with pytest.raises(problems.BeingServed):
            await self._keyed(secret("twice").join('""').encode(), {**rest[1]}, receive, rest[2])
        seen.append(log)
        return await serve(self, log, *rest)

    monkeypatch.setattr(Repeats, "_serve", slowly)
    assert client.post("/neworacle", json=CLASSIC, headers=key("twice")).status_code == 303
    assert len(seen) == 1


class Lost:
    """Loses what is kept of answers, as a crash at that moment would."""

    def __init__(self, commit: Any, why: Exception | None = None) -> None:
        self._commit = commit
        self._why = why or StoreAway("killed")

    async def __call__(self, *appends: Append) -> None:
        if any(secret.name == ANSWER for one in appends for secret in one.secrets):
            raise self._why
        await self._commit(*appends)


@pytest.mark.parametrize("contest", [False, True])
def test_after_a_crash_between_deed_and_answer(
    arena: GatedArena, client: Client, contest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if contest:
        made = client.post("/newcontest", json=WIDE | {"games": 1}).headers["location"]
        entry = {"team_name": "Ada", "software_version": "1"}
        (oracle,) = client.post(f"{made}/entry", json=entry).json()["oracle_URIs"]
    else:
        oracle = client.post("/neworacle", json=WIDE).headers["location"]
    store = the_arena(arena._app.state).hall.store
    monkeypatch.setattr(store, "commit", Lost(store.commit))
    client.post(oracle, json={"submission": [5, 5, 5, 5]})
    first = client.post(oracle, json=GUESS, headers=key("k"))
    client.post(oracle, json={"submission": [4, 4, 4, 4]})
    again = client.post(oracle, json=GUESS, headers=key("k"))
    assert first.json() == again.json() and again.headers["idempotency-replayed"] == "true"
    assert first.headers["fairground-receipt"] == again.headers["fairground-receipt"]
    assert client.get(oracle).json()["attempts"] == 3
    opened = [client.post("/neworacle", json=CLASSIC, headers=key("k")) for _ in range(2)]
    assert [answer.status_code for answer in opened] == [303, 303]
    assert opened[0].headers["location"] == opened[1].headers["location"]
    assert opened[1].headers["idempotency-replayed"] == "true"
    assert client.post("/tables", json=ZOMBIES, headers=key("k")).status_code == 201
    lost = client.post("/tables", json=ZOMBIES, headers=key("k"))
    assert code(lost) == (409, "arena/answer-lost"), "its seats were told to nobody"
    assert client.delete(oracle, headers=key("end")).status_code == 200
    assert code(client.delete(oracle, headers=key("end"))) == (409, "arena/answer-lost")


def test_what_was_done_is_told_though_its_answer_cannot_be_kept(
    arena: GatedArena,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = the_arena(arena._app.state).hall.store
    monkeypatch.setattr(store, "commit", Lost(store.commit, RuntimeError("a mistake of ours")))
    assert client.post("/tables", json=ZOMBIES, headers=key("k")).status_code == 201
    assert "an answer could not be kept" in caplog.text
    assert counted(client)["tables"] == 1


def test_an_entry_is_not_lost_in_such_a_crash(
    arena: GatedArena, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The team's key is not in the store, and the same request gets it again all the same."""
    made = client.post("/newcontest", json=CLASSIC | {"games": 3}).headers["location"]
    state = the_arena(arena._app.state)
    monkeypatch.setattr(state.hall.store, "commit", Lost(state.hall.store.commit))
    entry = {"team_name": "Ada", "software_version": "1"}
    client.post(f"{made}/entry", json=entry | {"team_name": "Bob"})
    first = client.post(f"{made}/entry", json=entry, headers=key("k"))
    client.post(f"{made}/entry", json=entry | {"team_name": "Eve"})
    state.contests._books.clear()
    again = client.post(f"{made}/entry", json=entry, headers=key("k"))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert first.headers["fairground-receipt"] == again.headers["fairground-receipt"]
    assert again.headers["idempotency-replayed"] == "true"
    assert len(client.get(made).json()["teams"]) == 3
    assert code(client.post(f"{made}/entry", json=entry)) == (409, "arena/conflict")
    team_key = again.json()["team_key"]
    new = entry | {"software_version": "2", "team_key": team_key}
    assert client.post(f"{made}/entry", json=new).json()["training"] is True
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert team_key.encode() not in stored and made.rpartition("/")[2].encode() in stored


def test_while_another_server_serves_the_first_its_answer_is_not_given_up(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its effect and its answer are some milliseconds, at a server that is not this one."""
    url = new_database(cluster)
    apps: list[Any] = [GatedArena(Settings(url, croupier=None)) for _ in range(2)]
    with TestClient(apps[0]) as one, TestClient(apps[1]) as two:
        store = the_arena(apps[0]._app.state).hall.store
        with monkeypatch.context() as patch:
            patch.setattr(store, "commit", Lost(store.commit))
            assert one.post("/tables", json=ZOMBIES, headers=key("k")).status_code == 201
        waits = two.post("/tables", json=ZOMBIES, headers=key("k"))
        assert code(waits) == (409, "arena/being-served") and waits.headers["retry-after"] == "1"
        with monkeypatch.context() as patch:  # one's clock is ahead of two's by an hour
            patch.setattr(the_arena(apps[1]._app.state).hall, "clock", lambda: time.time() - 3600)
            late = two.post("/tables", json=ZOMBIES, headers=key("k"))
            assert code(late) == (409, "arena/answer-lost"), "and not an hour later"
        monkeypatch.setattr(repeats, "SETTLED", 0)
        assert code(two.post("/tables", json=ZOMBIES, headers=key("k"))) == (
            409,
            "arena/answer-lost",
        )


def test_who_comes_second_at_another_server_gets_the_answer_of_the_first(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found no trace of the other when they began."""
    url = new_database(cluster)
    apps: list[Any] = [GatedArena(Settings(url, croupier=None)) for _ in range(2)]
    answers: list[Any] = []
    with TestClient(apps[0]) as one, TestClient(apps[1]) as two:
        one.follow_redirects = two.follow_redirects = False
        serve = Repeats._serve

        async def too_late(self: Repeats, *what: Any) -> Any:
            monkeypatch.setattr(Repeats, "_serve", serve)
            with ThreadPoolExecutor(1) as first:
                asked = first.submit(one.post, "/neworacle", json=CLASSIC, headers=key("k"))
                answers.append(asked.result(60))
            return await serve(self, *what)

        monkeypatch.setattr(Repeats, "_serve", too_late)
        answers.append(two.post("/neworacle", json=CLASSIC, headers=key("k")))
        assert counted(one)["oracles"] == 1
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].headers["location"] == answers[1].headers["location"]


async def test_keys_are_forgotten_after_a_day(store: Store) -> None:
    for name, kind, seen in (("a", KEY_KIND, 10), ("b", KEY_KIND, 30), ("c", "oracle", 10)):
        await store.commit(Append(name, 0, (b"1\n",), kind, closed=True, seen=seen, memory=b"m"))
    assert await store.forget(KEY_KIND, 20, 100) == 1
    found = [(await store.read(name)) is not None for name in ("a", "b", "c")]
    assert found == [False, True, True]
    await store.commit(Append("a", 0, (b"again\n",), KEY_KIND))
    again = await store.read("a")
    assert again is not None and again.lines == (b"again\n",) and again.memory == b""


def test_old_keys_are_looked_for_now_and_then(
    client: Client, monkeypatch: pytest.MonkeyPatch, arena: GatedArena
) -> None:
    asked: list[Any] = []

    async def forget(*what: Any) -> int:
        asked.append(what)
        return storage.BUNCH if len(asked) < 3 else 7

    monkeypatch.setattr(the_arena(arena._app.state).hall.store, "forget", forget)
    for _ in range(3):
        client.post("/neworacle", json=CLASSIC, headers=key())
    client.get("/healthz")
    assert len(asked) == 3, "until none is left; and then not again for a minute"
    assert {(kind, most) for kind, _, most in asked} == {(KEY_KIND, storage.BUNCH)}


# Simple clients, without keys


def test_the_same_entry_with_its_key_gives_the_same_oracles(client: Client) -> None:
    made = client.post("/newcontest", json=CLASSIC | {"games": 3}).headers["location"]
    entry = {"team_name": "Ada", "software_version": "1"}
    first = client.post(f"{made}/entry", json=entry)
    entry |= {"team_key": first.json().pop("team_key")}
    oracles = first.json()["oracle_URIs"]
    again = client.post(f"{made}/entry", json=entry)
    assert first.status_code == again.status_code == 201
    assert again.json() == {"oracle_URIs": oracles, "training": False}
    assert first.headers["fairground-receipt"] == again.headers["fairground-receipt"]
    for other in (entry | {"team_key": "guess"}, {**entry, "team_key": None}):
        refused = client.post(f"{made}/entry", json=other)
        assert code(refused) == (409, "arena/conflict")
    trained = client.post(f"{made}/entry", json=entry | {"software_version": "2"})
    assert trained.json()["training"] is True and "team_key" not in trained.json()
    assert client.post(f"{made}/entry", json=entry).json() == again.json()


@pytest.mark.parametrize("contest", [False, True])
def test_an_oracle_shows_the_answers_that_it_gave(client: Client, contest: bool) -> None:
    if contest:
        made = client.post("/newcontest", json=WIDE | {"games": 1})
        entry = {"team_name": "Ada", "software_version": "1"}
        answer = client.post(f"{made.headers['location']}/entry", json=entry)
        (oracle,) = answer.json()["oracle_URIs"]
    else:
        oracle = client.post("/neworacle", json=WIDE).headers["location"]
    assert "answers" not in client.get(oracle).json()
    given = []
    for digit in range(5):
        guess = {"submission": [digit] * 4}
        given.append(guess | client.post(oracle, json=guess).json())
        assert client.get(oracle).json()["answers"] == given
    assert client.get(f"{oracle}?after=3").json()["answers"] == given[3:]
    assert "answers" not in client.get(f"{oracle}?after=5").json()
    assert client.get(f"{oracle}?after=-1").json()["answers"] == given
