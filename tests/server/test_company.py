"""Open seats, lists, remarks, hints, another game: what people do around a game."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import httpx
import pytest
from litestar.testing import TestClient

from fairground.clients.table import play
from fairground.games.codebreaking.rules import fits
from fairground.games.fatestones.solver.choices import solve
from fairground.server.app import make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.metrics import Metrics
from fairground.server.tables.company import MOST_NOTES
from fairground.server.tables.opening import LEFT_ALONE, MOST_OF_ONE, PATIENCE
from fairground.server.tables.views import Lists
from fairground.verifier import verify
from tests.helpers.arena import Client, in_a_thread, play_all
from tests.helpers.event_stream import connected, messages

ADA = {"name": "Ada", "lends": "stir"}
OPEN = {"open": True}
BOT = {"name": "Bot", "player": "cautious"}
ZOMBIE = {"game": "zombie/2", "params": {"players": 2, "brains_to_win": 3}}
STONES = {"game": "fatestones/1", "params": {"scratch": "end"}}


def post(client: Client, url: str, body: Any = None, status: int = 201) -> Any:
    answer = client.post(url, json=body) if body is not None else client.post(url)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def new(client: Client, *seats: Any, **more: Any) -> Any:
    return post(client, "/tables", {**ZOMBIE, "seats": seats, **more})


def rows(client: Client, query: str = "") -> list[Any]:
    return list(client.get(f"/tables?{query}").json()["tables"])


def name_of(made: Any) -> str:
    return str(made["self"].rpartition("/")[2])


# Open seats


def test_the_game_begins_when_the_last_seat_is_taken(client: Client) -> None:
    made = new(client, ADA, OPEN, listed=True)
    ada = made["seats"][0]["url"]
    assert made["seats"][1] == {"seat": 1, "name": "", "open": True}
    seen = client.get(ada).json()
    assert (seen["state"], seen["step"], seen["asks"], seen["seat"]) == ("open", 0, [], 0)
    assert seen["seats"][1]["open"] and "1 seat is open" in seen["words"]
    assert client.get(f"{made['self']}/transcript").content == b""
    early = client.post(ada, json={"ask": "stir.2", "answer": "x"})
    assert (early.status_code, early.json()["code"]) == (409, "ask/stale")
    (row,) = rows(client)
    assert (row["state"], row["lines"], row["seats"][1]["open"]) == ("open", 0, True)

    taken = post(client, f"{made['self']}/seats", {"name": "Bob", "lends": "stir"})
    assert (taken["seat"], taken["name"]) == (1, "Bob")
    seen = client.get(taken["url"]).json()
    assert (seen["state"], seen["seat"]) == ("playing", 1)
    assert [seat["name"] for seat in seen["seats"]] == ["Ada", "Bob"]
    assert client.get(ada).json()["asks"]
    (row,) = rows(client)
    assert (row["state"], row["lines"]) == ("playing", seen["step"])
    again = client.post(f"{made['self']}/seats", json={"name": "Eve"})
    assert (again.status_code, again.json()["code"]) == (409, "arena/conflict")


def test_of_those_who_take_the_same_seat_one_gets_it(client: Client) -> None:
    made = new(client, ADA, OPEN)

    def take(number: int) -> int:
        body = {"name": f"Guest {number}"}
        return int(client.post(f"{made['self']}/seats", json=body).status_code)

    with ThreadPoolExecutor(8) as guests:
        told = list(guests.map(take, range(8)))
    assert sorted(told) == [201] + 7 * [409]


def test_three_sit_down_in_any_order_and_a_bot_is_there(client: Client) -> None:
    made = new(client, OPEN, BOT, OPEN, ADA, game="zombie/2", params={"players": 4})
    third = post(client, f"{made['self']}/seats", {"name": "Cy", "seat": 2})
    assert third["seat"] == 2
    assert client.get(third["url"]).json()["state"] == "open"
    taken = client.post(f"{made['self']}/seats", json={"name": "Di", "seat": 2})
    assert taken.status_code == 409
    first = post(client, f"{made['self']}/seats", {"name": "Di"})
    assert first["seat"] == 0
    seen = client.get(third["url"]).json()
    assert [seat["name"] for seat in seen["seats"]] == ["Di", "Bot", "Cy", "Ada"]


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"seats": [ADA, OPEN, OPEN]}, "input/bad"),
        ({"seats": [{**ADA, "lends": "gold"}, OPEN]}, "input/bad"),
        ({"seats": [{"name": "Bot", "player": "nobody"}, OPEN]}, "name/unknown"),
        ({"seats": [ADA, OPEN], "game": "chess/1"}, "name/unknown"),
        ({"seats": [ADA, OPEN], "options": {"length": 1}}, "game/params"),
        ({"seats": [{"name": "a\nb"}, OPEN]}, "input/bad"),
    ],
)
def test_what_could_not_begin_does_not_wait(client: Client, wanted: Any, code: str) -> None:
    answer = client.post("/tables", json={**ZOMBIE, **wanted, "listed": True})
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert rows(client) == []


def test_who_cannot_sit_there_changes_nothing(client: Client) -> None:
    made = new(client, ADA, OPEN)
    for body in ({"name": ""}, {"name": "x" * 81}, {"name": "Bob", "lends": "gold"}):
        answer = client.post(f"{made['self']}/seats", json=body)
        assert answer.status_code == 422, body
    assert client.post("/tables/nobody/seats", json={"name": "Bob"}).status_code == 404
    assert post(client, f"{made['self']}/seats", {"name": "Bob"})["seat"] == 1


def test_two_at_a_table_have_names_that_can_be_told_apart(client: Client) -> None:
    """Two seats "Ada" and "Ada": a name in the lobby meant nobody."""
    for twin in ("Ada", "\u0410da", "Ada ", "Ada\u00a0"):
        seats = [ADA, {"name": twin, "lends": "stir"}]
        answer = client.post("/tables", json={**ZOMBIE, "seats": seats})
        assert (answer.status_code, answer.json()["code"]) == (422, "arena/name"), twin
    made = new(client, ADA, OPEN)
    answer = client.post(f"{made['self']}/seats", json={"name": "\u0410da"})
    assert (answer.status_code, answer.json()["code"]) == (422, "arena/name")
    assert "tell apart" in answer.json()["detail"]
    post(client, f"{made['self']}/seats", {"name": "Eda"})


def test_who_opened_a_table_takes_it_down_again(client: Client) -> None:
    made = new(client, ADA, OPEN, listed=True)
    ada = made["seats"][0]["url"]
    assert client.delete(f"{made['self']}/seats/guessed").status_code == 404
    assert len(rows(client)) == 1
    assert client.delete(ada).status_code == 204
    assert rows(client) == []
    assert client.get(made["self"]).status_code == client.get(ada).status_code == 404
    assert client.delete(ada).status_code == 404
    assert client.post(f"{made['self']}/seats", json={"name": "Bob"}).status_code == 404


def test_who_gets_up_makes_room_for_another(client: Client) -> None:
    made = new(client, ADA, OPEN, OPEN, game="zombie/2", params={"players": 3}, listed=True)
    bob = post(client, f"{made['self']}/seats", {"name": "Bob", "lends": "stir"})
    assert client.delete(made["seats"][0]["url"]).status_code == 204
    (row,) = rows(client)
    assert [seat.get("open", False) for seat in row["seats"]] == [True, False, True]
    assert "Ada" not in str(row)
    assert client.get(bob["url"]).json()["state"] == "open"
    for name in ("Cy", "Di"):
        post(client, f"{made['self']}/seats", {"name": name})
    seen = client.get(bob["url"]).json()
    assert (seen["state"], [seat["name"] for seat in seen["seats"]]) == (
        "playing",
        ["Cy", "Bob", "Di"],
    )
    late = client.delete(bob["url"])
    assert (late.status_code, late.json()["code"]) == (409, "arena/conflict")
    never_waited = new(client, ADA, BOT)["seats"][0]["url"]
    assert client.delete(never_waited).status_code == 409
    assert client.get(never_waited).json()["state"] == "playing"


def test_a_seat_in_a_rematch_stays_whose_it_is(client: Client) -> None:
    made = new(client, ADA, {"name": "Bob"})
    ada, bob = (seat["url"] for seat in made["seats"])
    post(client, f"{bob}/forfeit", {}, 200)
    again = post(client, f"{ada}/rematch")["seats"][0]["url"]
    assert client.delete(again).status_code == 204
    eve = client.post(f"{again.partition('/seats/')[0]}/seats", json={"name": "Eve"})
    assert eve.status_code == 409
    waits = post(client, f"{bob}/rematch")["seats"][1]["url"]
    assert client.get(waits).json()["state"] == "open"
    assert post(client, f"{ada}/rematch")["seats"][0]["url"] == again
    assert client.get(waits).json()["state"] == "playing"


def test_it_all_survives_a_restart(database: str) -> None:
    with TestClient(make_app(database)) as client:
        waiting = new(client, ADA, OPEN, listed=True)
        playing = new(client, ADA, BOT, listed=True)
        over = new(client, ADA, BOT, listed=True)
        post(client, f"{over['seats'][0]['url']}/forfeit", {"reason": "bye"}, 200)
        hidden = new(client, ADA, OPEN)
        before = rows(client)
    with TestClient(make_app(database)) as client:
        assert rows(client) == before
        assert [row["id"] for row in before] == [name_of(m) for m in (over, playing, waiting)]
        assert [row["state"] for row in before] == ["over", "playing", "open"]
        for made in (waiting, hidden):
            taken = post(client, f"{made['self']}/seats", {"name": "Bob"})
            assert client.get(taken["url"]).json()["state"] == "playing"
        assert client.get(waiting["seats"][0]["url"]).json()["asks"]


def test_a_table_to_which_nobody_comes_expires(database: str) -> None:
    now = [1_000_000.0]
    app = make_app(database, clock=lambda: now[0])
    with TestClient(app) as client:
        made = new(client, ADA, OPEN, listed=True)
        seat = made["seats"][0]["url"]
        now[0] += PATIENCE + 60
        with client.portal() as portal:
            portal.call(app.state.arena.tables.waiting.expire)
        assert rows(client) == []
        assert client.get(seat).status_code == client.get(made["self"]).status_code == 404
        answer = client.post(f"{made['self']}/seats", json={"name": "Bob"})
        assert answer.status_code == 404
        assert app.state.arena.tables.waiting._held.owner(name_of(made)) is None


def test_one_client_cannot_fill_the_list(database: str) -> None:
    with in_a_thread(_gated(database)) as url, httpx.Client(base_url=url) as client:
        wanted = {**ZOMBIE, "seats": [ADA, OPEN], "options": {"length": 2}}
        answers = [client.post("/tables", json=wanted) for _ in range(MOST_OF_ONE + 1)]
        assert [one.status_code for one in answers] == MOST_OF_ONE * [201] + [429]
        assert client.delete(answers[0].json()["seats"][0]["url"]).status_code == 204
        assert client.post("/tables", json=wanted).status_code == 201, "that one waits no more"


class Crowd:
    """Clients at different addresses of one arena."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def post(self, who: int, path: str, body: Any) -> Any:
        return self._client.post(path, json=body, headers={"X-Who": f"10.0.{who >> 8}.{who % 256}"})

    def listed(self, query: str = "limit=20") -> list[str]:
        return [row["id"] for row in self._client.get(f"/tables?{query}").json()["tables"]]


@contextmanager
def crowd(database: str, **more: Any) -> Iterator[Crowd]:
    limits, metrics = ClientLimits(), Metrics()
    inside: Any = make_app(database, limits=limits, metrics=metrics, **more)
    arena = Gate(inside, limits, metrics)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        address = dict(scope.get("headers", ())).get(b"x-who", b"192.0.2.1").decode()
        await arena({**scope, "client": (address, 1)}, receive, send)

    with TestClient(app) as client:
        yield Crowd(client)


EVE = 9_999
PLAYED = {**ZOMBIE, "dealer": "system/1", "listed": True, "seats": [{"name": "Ada"}, BOT]}
WAITS = {**PLAYED, "seats": [{"name": "Ada"}, OPEN]}


def test_one_client_pushes_nobody_off_the_list(database: str) -> None:
    """1,100 listed tables of one client, and nobody else's could be found any more."""
    with crowd(database) as clients:
        ours = [name_of(clients.post(who, "/tables", PLAYED).json()) for who in range(30)]
        second = name_of(clients.post(7, "/tables", WAITS).json())
        answers = [clients.post(EVE, "/tables", PLAYED) for _ in range(1_100)]
        made = [name_of(one.json()) for one in answers if one.status_code == 201]
        assert [one.status_code for one in answers] == 50 * [201] + 1_050 * [429]
        assert "50 is the limit" in answers[-1].json()["detail"]
        first = clients.listed("limit=31")
        assert first == [made[-1], second, *reversed([x for x in ours if x != ours[7]])]
        assert clients.listed("limit=33")[31:] == [made[-2], ours[7]], "then the second of each"
        assert clients.post(8, "/tables", PLAYED).status_code == 201, "others have room"
    with crowd(database) as clients:  # a restart changes nothing
        assert clients.post(EVE, "/tables", PLAYED).status_code == 429
        assert set(clients.listed("limit=100")) == {*ours, second, *made, clients.listed()[0]}


def test_games_that_are_over_push_nobody_off_the_list(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open, leave, open again: each is over, and each stands in the list."""
    monkeypatch.setattr(sys.modules[Lists.__module__], "MOST_LISTED", 10)
    monkeypatch.setattr(sys.modules[Lists.__module__], "MOST_OF_ONE", 6)
    with crowd(database) as clients:
        ours = [name_of(clients.post(who, "/tables", PLAYED).json()) for who in range(5)]
        for _ in range(30):
            made = clients.post(EVE, "/tables", PLAYED).json()
            assert clients.post(EVE, f"{made['seats'][0]['url']}/forfeit", {}).status_code == 200
        assert set(ours) < set(clients.listed("limit=10"))
        assert len(clients.listed()) == 10
    with crowd(database) as clients:
        assert set(ours) < set(clients.listed("limit=10"))


def test_one_client_cannot_take_every_open_seat(database: str) -> None:
    """Of 60 open seats of 60 people it took 60, and let each of them wait for ten minutes."""
    clock = [1_000_000.0]
    with crowd(database, clock=lambda: clock[0]) as clients:
        tables = [clients.post(who, "/tables", WAITS).json()["self"] for who in range(60)]

        def take(who: int, number: int) -> Any:
            return clients.post(who, f"{tables[number]}/seats", {"name": f"Client {who}"})

        taken = [take(EVE, number) for number in range(60)]
        assert [one.status_code for one in taken] == 10 * [201] + 50 * [429]
        assert "play those games first" in taken[-1].json()["detail"]
        assert take(EVE - 1, 59).status_code == 201, "others have room"
        assert take(EVE, 58).status_code == 429
        seats = [one.json()["url"] for one in taken[:10]]
        for seat in seats[:2]:  # whoever leaves without an answer has not played
            assert clients.post(EVE, f"{seat}/forfeit", {}).status_code == 200
        assert take(EVE, 58).status_code == 429
        for seat in seats[2:]:
            if answered(clients, seat):
                break
        else:
            pytest.fail("nobody is asked for anything")
        assert [take(EVE, 57).status_code, take(EVE, 56).status_code] == [201, 429]
        clock[0] += LEFT_ALONE
        assert [take(EVE, number).status_code for number in (56, 55, 54)] == [201, 201, 429]
        own = clients.post(EVE, "/tables", WAITS).json()["self"]
        assert clients.post(EVE, f"{own}/seats", {"name": "A friend"}).status_code == 201


def answered(clients: Crowd, seat: str) -> bool:
    """Whether this seat was asked for a move, and has made it."""
    seen = clients._client.get(seat).json()
    for one in seen["asks"]:
        body = {"ask": one["id"], "answer": seen["moves"][0]}
        return bool(clients.post(EVE, seat, body).status_code == 200)
    return False


def _gated(database: str) -> Any:
    limits, metrics = ClientLimits(), Metrics()
    app: Any = make_app(database, limits=limits, metrics=metrics)
    return Gate(app, limits, metrics)


# Lists


def test_only_what_is_listed_is_found_newest_first_and_in_pages(client: Client) -> None:
    new(client, ADA, BOT)
    ids = [name_of(new(client, ADA, BOT, listed=True)) for _ in range(5)]
    stones = name_of(new(client, ADA, OPEN, listed=True, **STONES))
    assert [row["id"] for row in rows(client)] == [stones, *reversed(ids)]
    assert [row["id"] for row in rows(client, "game=fatestones/1")] == [stones]
    assert [row["id"] for row in rows(client, "state=open")] == [stones]
    found, after = [], ""
    while True:
        page = client.get(f"/tables?state=playing&limit=2{after}").json()
        found += [row["id"] for row in page["tables"]]
        assert len(page["tables"]) <= 2
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == list(reversed(ids))
    assert client.get("/tables?state=shut").status_code == 400
    assert client.get("/tables?limit=101").status_code == 400


def test_the_list_has_an_end(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Lists.__module__], "MOST_LISTED", 3)
    ids = [name_of(new(client, ADA, BOT, listed=True)) for _ in range(5)]
    assert [row["id"] for row in rows(client)] == ids[:1:-1]
    assert client.get(f"/tables/{ids[0]}").status_code == 200


def test_contests_are_listed_in_pages(client: Client) -> None:
    made = []
    for games in (1, 2, 3):
        body = {"base": 4, "length": 3, "games": games}
        answer = client.post("/newcontest", json=body, follow_redirects=False)
        made.append(answer.json())
    post(client, made[1]["close"], {}, 200)
    post(client, f"{made[0]['self']}/entry", {"team_name": "A", "software_version": "1"})
    listed = client.get("/contests").json()
    ids = [name_of(one) for one in made]
    assert [row["id"] for row in listed["contests"]] == ids[::-1] and listed["next"] is None
    assert [row["state"] for row in listed["contests"]] == ["running", "closed", "running"]
    assert [row["teams"] for row in listed["contests"]] == [0, 0, 1]
    watched = client.get(made[0]["self"]).json()
    for member in ("parts", "commitment", "closes"):
        assert listed["contests"][2][member] == watched[member]
    first = client.get("/contests?state=running&limit=1").json()
    second = client.get(f"/contests?state=running&limit=1&after={first['next']}").json()
    assert [row["id"] for row in first["contests"] + second["contests"]] == ids[::-2]
    assert second["next"] is None


def test_the_lobby_hears_what_changes(database: str) -> None:
    with in_a_thread(_gated(database)) as url, httpx.Client(base_url=url, timeout=60) as client:

        def send(path: str, body: Any) -> Any:
            return client.post(path, json=body).json()

        made = send("/tables", {**ZOMBIE, "seats": [ADA, OPEN], "listed": True})
        ticket = send("/events", {"topics": ["lobby"]})["stream"]
        with connected(url + ticket) as line:
            stream = messages(line)
            first = next(stream)
            assert (first.event, first.data["all"], first.data["topic"]) == ("lobby", True, "lobby")
            assert [row["id"] for row in first.data["tables"]] == [name_of(made)]
            send(f"/tables/{name_of(made)}/seats", {"name": "Bob"})
            second = next(stream).data
            assert second["all"] is False and second["contests"] == []
            assert [row["state"] for row in second["tables"]] == ["playing"]
            other = send("/tables", {**ZOMBIE, "seats": [ADA, BOT], "listed": True})
            third = next(stream).data
            assert [row["id"] for row in third["tables"]] == [name_of(other)]
            send("/newcontest", {"base": 4, "length": 3, "games": 1})
            assert len(next(stream).data["contests"]) == 1


# Remarks and hints


def notes(client: Client, made: Any) -> list[Any]:
    lines = client.get(f"{made['self']}/transcript").text.splitlines()
    return [e["body"] for e in map(json.loads, lines) if e["kind"] == "note"]


def test_a_remark_stands_in_the_record(client: Client) -> None:
    made = new(client, ADA, BOT)
    seat = made["seats"][0]["url"]
    post(client, f"{seat}/remark", {"text": "Good luck!"}, 204)
    assert notes(client, made) == [{"remark": "Good luck!", "seat": 0}]
    for text in ("", "x" * 201):
        assert client.post(f"{seat}/remark", json={"text": text}).status_code == 400
    assert client.post(f"{seat}/remark", json={"text": "a\u202eb"}).status_code == 422
    for _ in range(MOST_NOTES - 1):
        post(client, f"{seat}/remark", {"text": "well"}, 204)
    assert client.post(f"{seat}/remark", json={"text": "well"}).status_code == 429
    post(client, f"{seat}/forfeit", {}, 200)
    assert client.post(f"{seat}/remark", json={"text": "bye"}).status_code == 409
    assert verify(client.get(f"{made['self']}/transcript").content).ok


def test_a_hint_is_exact_where_that_can_be_and_the_others_do_not_learn_it(client: Client) -> None:
    made = post(
        client,
        "/tables",
        {
            **STONES,
            "params": {"hands": [["111666", "222555", "333444"], ["123456", "134445", "144444"]]},
            "dealer": "system/1",
            "seats": [{"name": "Ada"}, {"name": "Bob"}],
        },
    )
    seat = made["seats"][0]["url"]
    hint = post(client, f"{seat}/hint", None, 200)
    seen = client.get(seat).json()
    mine, theirs = seen["view"]["hands"]
    found = solve(tuple(mine), tuple(theirs))
    assert hint["exact"] and Fraction(hint["value"]) == found.value
    assert found.my_mix[hint["move"]] > 0
    shares = {one["move"]: Fraction(one["share"]) for one in hint["mix"]}
    assert shares == {move: share for move, share in enumerate(found.my_mix) if share}
    assert notes(client, made) == [{"hint": True, "seat": 0}], "that it was asked, not what"
    post(client, f"{seat}/hint", None, 200)
    assert len(notes(client, made)) == 1, "asked again in the same place, it is the same hint"
    other = client.get(made["seats"][1]["url"]).text + client.get(made["self"]).text
    assert hint["words"] not in other


def test_a_hint_for_who_breaks_a_code(client: Client) -> None:
    made = post(
        client,
        "/tables",
        {
            "game": "codebreaking/1",
            "params": {"base": 6, "length": 4, "oracle": "fair"},
            "dealer": "system/1",
            "seats": [{"name": "House", "player": "fair"}, {"name": "Ada"}],
        },
    )
    seat = made["seats"][1]["url"]
    exact = []
    for _ in range(10):
        seen = client.get(seat).json()
        if seen["over"]:
            break
        hint = post(client, f"{seat}/hint", None, 200)
        exact.append(hint["exact"])
        post(client, seat, {"ask": seen["asks"][0]["id"], "answer": hint["move"]}, 200)
    assert seen["over"] and exact and all(exact)
    assert client.post(f"{seat}/hint").status_code == 409
    assert verify(client.get(f"{made['self']}/transcript").content).ok


def test_nobody_is_advised_out_of_turn(client: Client) -> None:
    made = new(client, {"name": "Ada"}, OPEN, dealer="system/1")
    assert client.post(f"{made['seats'][0]['url']}/hint").status_code == 409
    bob = post(client, f"{made['self']}/seats", {"name": "Bob"})["url"]
    told = [client.post(f"{url}/hint") for url in (made["seats"][0]["url"], bob)]
    assert sorted(answer.status_code for answer in told) == [200, 409]
    (hint,) = [answer.json() for answer in told if answer.status_code == 200]
    assert hint["move"] == "roll" and hint["words"].startswith("Roll")


# Another game


def test_the_same_again_against_a_bot_begins_at_once_and_names_the_first(client: Client) -> None:
    made = new(client, ADA, BOT, listed=True)
    seat = made["seats"][0]["url"]
    assert client.post(f"{seat}/rematch").status_code == 409, "it is not over"
    post(client, f"{seat}/forfeit", {}, 200)
    again = post(client, f"{seat}/rematch")
    assert post(client, f"{seat}/rematch") == again, "said twice, it is one game"
    seen = client.get(again["seats"][0]["url"]).json()
    first = client.get(made["self"]).json()
    assert (seen["state"], seen["params"]) == ("playing", first["params"])
    assert [s["name"] for s in seen["seats"]] == ["Ada", "Bot"]
    assert first["rematch"] == again["self"]
    assert notes(client, again) == [{"rematch": first["table"], "head": first["head"]}]
    assert [row["id"] for row in rows(client)] == [name_of(again), name_of(made)]
    post(client, f"{again['seats'][0]['url']}/forfeit", {}, 200)
    assert verify(client.get(f"{again['self']}/transcript").content).ok


def test_people_come_back_one_by_one(client: Client) -> None:
    made = new(client, ADA, {"name": "Bob", "lends": "chain"})
    ada, bob = (seat["url"] for seat in made["seats"])
    post(client, f"{ada}/forfeit", {}, 200)
    first = post(client, f"{bob}/rematch")
    assert [seat.get("url") is not None for seat in first["seats"]] == [False, True]
    mine = first["seats"][1]["url"]
    waiting = client.get(mine).json()
    assert waiting["state"] == "open" and "waits for Ada" in waiting["words"]
    stranger = client.post(f"{first['self']}/seats", json={"name": "Eve"})
    assert stranger.status_code == 409, "Ada's seat is not open to others"
    assert client.get(ada).json()["rematch"] == first["self"]
    second = post(client, f"{ada}/rematch")
    assert second["self"] == first["self"] and second["seats"][0]["url"] != mine
    seen = client.get(second["seats"][0]["url"]).json()
    assert (seen["state"], seen["seat"]) == ("playing", 0)
    assert [seat["lends"] for seat in seen["seats"]] == ["stir", "chain"]


def test_the_others_are_told_of_it_by_their_stream(database: str) -> None:
    with in_a_thread(_gated(database)) as url, httpx.Client(timeout=60) as client:

        def send(path: str, body: Any = None) -> Any:
            return client.post(path, json=body).json()

        made = send(f"{url}/tables", {**ZOMBIE, "seats": [ADA, {"name": "Bob"}]})
        ada, bob = (seat["url"] for seat in made["seats"])
        send(f"{ada}/forfeit", {})
        topic = f"seat:{name_of(made)}/{bob.rpartition('/')[2]}"
        with connected(url + send(f"{url}/events", {"topics": [topic]})["stream"]) as line:
            stream = messages(line)
            assert "rematch" not in next(stream).data["seat"]
            again = send(f"{ada}/rematch")
            assert next(stream).data["seat"]["rematch"] == again["self"]
        bobs = send(f"{bob}/rematch")
        urls = [again["seats"][0]["url"], bobs["seats"][1]["url"]]
        played = play_all(urls)
        assert all(one.verdict.ok for one in played)


def test_our_client_waits_until_the_game_begins(database: str) -> None:
    with in_a_thread(_gated(database)) as url, httpx.Client(timeout=60) as client:
        wanted = {**ZOMBIE, "seats": [ADA, OPEN]}
        made = client.post(f"{url}/tables", json=wanted).json()
        with ThreadPoolExecutor(1) as player:
            ada = player.submit(play, made["seats"][0]["url"], "cautious")
            taken = client.post(f"{url}/tables/{name_of(made)}/seats", json={"name": "Bob"}).json()
            bob = play(taken["url"], "cautious")
            assert ada.result(60).payoff == bob.payoff


# Codes left


def test_the_codes_that_are_left_are_counted(client: Client) -> None:
    body = {"base": 4, "length": 3}
    uri = client.post("/neworacle", json=body, follow_redirects=False).headers["location"]
    assert client.get(f"{uri}/left").json() == {"left": 64, "exact": True}
    every = [(a, b, c) for a in range(4) for b in range(4) for c in range(4)]
    rows: list[Any] = []
    for guess in ((0, 0, 1), (1, 2, 3)):
        counts = client.post(uri, json={"submission": guess}).json()
        rows.append((guess, (counts["full_match_count"], counts["partial_match_count"])))
        left = sum(fits(code, rows) for code in every)
        assert client.get(f"{uri}/left").json() == {"left": left, "exact": True}
    body = {"base": 100, "length": 40}
    uri = client.post("/neworacle", json=body, follow_redirects=False).headers["location"]
    assert client.get(f"{uri}/left").json() == {"left": None, "exact": False}
    client.post(uri, json={"submission": [0] * 40})
    assert client.get(f"{uri}/left").json() == {"left": None, "exact": False}


def test_rows_are_made_again_only_when_something_changed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = new(client, ADA, BOT, listed=True)
    looked = []
    new_row = Lists._new_row

    async def noting(self: Lists, name: str, table: Any) -> Any:
        looked.append(name)
        return await new_row(self, name, table)

    monkeypatch.setattr(Lists, "_new_row", noting)
    for _ in range(3):
        rows(client)
    assert len(looked) == 1
    post(client, f"{made['seats'][0]['url']}/forfeit", {}, 200)
    assert [row["state"] for row in rows(client)] == ["over"]
    assert len(looked) == 2
