"""Tables over HTTP: answers by id, views that leak nothing, clocks, events, restarts."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from litestar.testing import TestClient

from fairground.core import Over, StaleAsk, Turn
from fairground.fair.bits import SeededStream, Tag, digest
from fairground.fair.seals import Spot, seal
from fairground.games import make_game
from fairground.players import RandomPlayer
from fairground.server.app import make_app
from fairground.server.gate import CLIENT, ClientLimits
from fairground.server.http.problems import GameOver, TooManyRequests
from fairground.server.live_games import Hall, Live, Reading, Shown
from fairground.server.log_watch import News
from fairground.server.oracles.service import Oracles
from fairground.server.stream import SOURCES, Mark, read_topic
from fairground.server.tables.service import MOST_AHEAD, Clocks, Tables, ask_id
from fairground.server.tables.views import position
from fairground.server.tables.wire import NewSeat, NewTable
from fairground.store import LogVault, open_store
from fairground.table import Ask
from fairground.testing.laws import every_history, observed, playouts
from fairground.transcript import canonical, frozen, line_hash
from fairground.verifier import verify
from tests.helpers.arena import Client, Clock, gated, problem
from tests.helpers.samples import SAMPLES, Sample

pytestmark = pytest.mark.usefixtures("patient")

ZOMBIE = SAMPLES["zombie/2"][1].params
STONES = SAMPLES["fatestones/1"][0].params
FAIR = {"base": 2, "length": 2, "oracle": "fair"}
EVERY = [one for some in SAMPLES.values() for one in some]


def new(client: Client, game: str, params: dict[str, Any], *seats: Any, **more: Any) -> Any:
    """A table; each seat is what it lends, or the name of a player after a colon."""
    chairs = [
        {"name": f"Seat {number}", "player": seat[1:]}
        if seat.startswith(":")
        else {"name": f"Seat {number}", "lends": seat}
        for number, seat in enumerate(seats)
    ]
    made = client.post("/tables", json={"game": game, "params": params, "seats": chairs, **more})
    assert made.status_code == 201, made.text
    return made.json()


def answer_to(seen: Any, ask: Any, kept: dict[str, Any]) -> Any:
    """What a simple client would say: always the same for the same place."""
    chance = SeededStream(f"{seen['seat']} {ask['kind']}", ask["step"])
    if ask["kind"] == "stir":
        return f"wörd {chance.below(1000)}"
    if ask["kind"] == "move":
        return seen["moves"][chance.below(len(seen["moves"]))]
    if ask["kind"] == "seal":
        move = frozen(seen["moves"][chance.below(len(seen["moves"]))])
        table = bytes.fromhex(kept["table"])
        sealed = seal(Spot(table, seen["seat"], ask["step"], ask["head"]), canonical(move))
        kept[f"seal {seen['seat']}"] = {"key": sealed.key, "move": move}
        return sealed.commitment
    assert ask["kind"] == "open"
    return kept[f"seal {seen['seat']}"]


def name_of(client: Client, made: Any) -> str:
    first = client.get(f"{made['self']}/transcript").text.splitlines()[0]
    return str(json.loads(first)["table"])


def play(client: Client, made: Any, look: Callable[[], None] | None = None) -> Any:
    """Answer for all seats until the game is over."""
    kept = {"table": name_of(client, made)}
    urls = [seat["url"] for seat in made["seats"] if "url" in seat]
    given = 0
    while True:
        before = given
        for url in urls:
            seen = client.get(url).json()
            for ask in seen["asks"]:
                if look is not None:
                    look()
                taken = client.post(
                    url, json={"ask": ask["id"], "answer": answer_to(seen, ask, kept)}
                )
                assert taken.status_code == 200, taken.text
                given += 1
        if given == before:
            return client.get(made["self"]).json()


# The game


@pytest.mark.parametrize("sample", EVERY, ids=lambda one: one.name)
def test_every_game_to_a_verified_end(client: Client, sample: Sample) -> None:
    seats = ["stir"] * make_game(sample.game, sample.params).seats
    if sample.game == "codebreaking/1":
        seats[0] = f":{sample.params['oracle']}"
    made = new(client, sample.game, sample.params, *seats, options={"stir": "each"})
    seen = play(client, made)
    data = client.get(seen["transcript"]).content
    verdict = verify(data, seen["head"])
    assert verdict.ok, verdict.fault
    assert list(verdict.payoff or ()) == seen["payoff"]
    assert seen["over"] is True and seen["waiting_for"] == []
    assert seen["step"] == len(data.splitlines())
    assert verdict.events == seen["step"]


def test_a_new_table_tells_each_seat_apart(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    assert [set(seat) for seat in made["seats"]] == [
        {"seat", "name", "url"},
        {"seat", "name", "player"},
    ]
    url = made["seats"][0]["url"]
    assert url.startswith(f"{made['self']}/seats/")
    seen = client.get(url)
    assert seen.headers["cache-control"] == "no-store"
    body = seen.json()
    assert body["self"] == made["self"]
    assert (body["game"], body["seat"], body["dealer"]) == ("zombie/2", 0, "hash-chains/1")
    assert body["seats"][1] == {
        "name": "Seat 1",
        "by": "house",
        "lends": "nothing",
        "player": "random",
    }
    (ask,) = body["asks"]
    assert ask == {
        "id": f"stir.{body['step']}",
        "kind": "stir",
        "step": body["step"],
        "head": body["head"],
        "n": ask["n"],
        "run": 1,
    }
    assert "moves" not in body, "moves are told where one is asked for"
    public = client.get(made["self"]).json()
    assert not {"asks", "moves", "seat", "payoff"} & set(public)
    assert public["waiting_for"] == [0]


def test_answers_are_taken_once(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", "nothing")
    url = made["seats"][0]["url"]
    (ask,) = client.get(url).json()["asks"]
    taken = client.post(url, json={"ask": ask["id"], "answer": "first"})
    lines = client.get(f"{made['self']}/transcript").content.splitlines(keepends=True)
    line = lines[taken.json()["line"] - 1]
    assert taken.json() == {
        "ask": ask["id"],
        "line": taken.json()["line"],
        "head": line_hash(line),
    }
    assert json.loads(line)["value"] == "first"
    again = client.post(url, json={"ask": ask["id"], "answer": "first"})
    assert (again.status_code, again.json()) == (200, taken.json())
    problem(client.post(url, json={"ask": ask["id"], "answer": "second"}), 409, "arena/conflict")
    problem(client.post(url, json={"ask": ask["id"], "answer": 1.5}), 409, "arena/conflict")
    for stale in ("stir.1", "move.2", "stir.99", "stir", "", "stir.-1", "stir.²", "stir.1e9"):
        problem(client.post(url, json={"ask": stale, "answer": "first"}), 409, "ask/stale")
    after = client.get(f"{made['self']}/transcript").content.splitlines(keepends=True)
    assert after == lines, "nothing was written twice"


def test_an_ask_belongs_to_its_seat(client: Client) -> None:
    made = new(client, "fatestones/1", STONES, "stir", "stir")
    mine, theirs = (seat["url"] for seat in made["seats"])
    (ask,) = client.get(mine).json()["asks"]
    assert client.post(mine, json={"ask": ask["id"], "answer": "x"}).status_code == 200
    # The other seat is asked under the same id: what we said is not its answer.
    assert client.get(theirs).json()["asks"][0]["id"] == ask["id"]
    assert client.post(theirs, json={"ask": ask["id"], "answer": "y"}).status_code == 200
    assert client.post(mine, json={"ask": ask["id"], "answer": "x"}).status_code == 200
    problem(client.post(mine, json={"ask": ask["id"], "answer": "y"}), 409, "arena/conflict")


def to_the_first_move(client: Client, url: str) -> Any:
    while True:
        seen = client.get(url).json()
        (ask,) = seen["asks"]
        if ask["kind"] == "move":
            return seen
        assert client.post(url, json={"ask": ask["id"], "answer": "x"}).status_code == 200


def test_what_the_rules_forbid_changes_nothing(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE | {"brains_to_win": 9}, "stir", ":random")
    url = made["seats"][0]["url"]
    seen = to_the_first_move(client, url)
    before = client.get(f"{made['self']}/transcript").content
    bad: list[Any] = ["rol", None, True, 1.5, {}, [], [[[]]], "\ud800", 10**40]
    deep: Any = []
    for _ in range(60):
        deep = [deep]
    for move in [*bad, deep]:
        body = json.dumps({"ask": seen["asks"][0]["id"], "answer": move})
        answer = client.post(url, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), (move, answer.text)
    assert "'rol'" in problem(
        client.post(url, json={"ask": seen["asks"][0]["id"], "answer": "rol"}), 422, "move/illegal"
    )
    assert client.get(f"{made['self']}/transcript").content == before
    assert client.get(url).json()["asks"] == seen["asks"]


def test_too_many_moves_to_list(client: Client) -> None:
    made = new(
        client, "codebreaking/1", {"base": 100, "length": 40, "oracle": "fair"}, ":fair", "stir"
    )
    url = made["seats"][1]["url"]
    assert to_the_first_move(client, url)["moves"] == "too-many"
    small = new(
        client, "codebreaking/1", {"base": 10, "length": 3, "oracle": "fair"}, ":fair", "stir"
    )
    moves = to_the_first_move(client, small["seats"][1]["url"])["moves"]
    assert moves == "too-many" or len(moves) <= 1000


def test_leaving(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", "stir")
    url, other = (seat["url"] for seat in made["seats"])
    left = client.post(f"{url}/forfeit", json={"reason": "tea"})
    assert left.status_code == 200
    assert client.post(f"{url}/forfeit", json={}).json() == left.json(), "said again"
    problem(client.post(f"{other}/forfeit", json={}), 409, "arena/over")
    problem(client.post(url, json={"ask": "stir.2", "answer": "x"}), 409, "arena/over")
    seen = client.get(made["self"]).json()
    assert seen["payoff"] == [-1, 1]
    verdict = verify(client.get(seen["transcript"]).content)
    assert verdict.ok and 'left: "tea"' in verdict.remarks[0]


# Who may look


def test_the_others_play_on_without_who_left(client: Client) -> None:
    made = new(client, "zombie/2", {"players": 3}, "nothing", ":cautious", ":cautious")
    seat = made["seats"][0]["url"]
    first = client.post(f"{seat}/forfeit", json={"reason": "tea"})
    assert first.status_code == 200
    assert client.post(f"{seat}/forfeit", json={"reason": "tea"}).json() == first.json()
    seen = client.get(made["self"]).json()
    assert seen["over"] is True and sorted(seen["payoff"]) == [-1, -1, 2]
    assert seen["payoff"][0] == -1
    verdict = verify(client.get(seen["transcript"]).content)
    assert verdict.ok and 'the record says that "Seat 0" left' in verdict.remarks[0]


def test_every_game_and_player_is_listed(client: Client) -> None:
    listed = client.get("/games").json()
    games = {game["name"]: game for game in listed["games"]}
    assert set(games) >= {"zombie/2", "poker/2", "fatestones/1"}
    keeper, breaker = games["codebreaking/1"]["roles"]
    assert "fair" in keeper["players"] and "fair" not in breaker["players"]
    assert "entropy" in breaker["players"] and "mcts" not in breaker["players"]
    assert games["zombie/2"]["params"]["properties"]["brains_to_win"]["default"] == 13
    schemes = {scheme["name"]: scheme for scheme in listed["schemes"]}
    assert schemes["hash-chains/1"]["lends"] == ["nothing", "stir", "chain"]
    assert "contest/1" not in schemes


def test_a_wrong_token_opens_nothing(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    other = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    secret = made["seats"][0]["url"].rpartition("/")[2]
    for url in (
        f"{made['self']}/seats/nobody",
        f"{other['self']}/seats/{secret}",
        f"{made['self']}/seats/{digest(Tag.TOKEN, made['self'].rpartition('/')[2], secret).hex()}",
    ):
        told = problem(client.get(url), 404, "arena/unknown")
        assert secret not in told
        problem(client.post(url, json={"ask": "stir.2", "answer": "x"}), 404, "arena/unknown")
        problem(client.post(f"{url}/forfeit", json={}), 404, "arena/unknown")
    for path in ("", "/transcript", "/events", "/seats/x"):
        problem(client.get(f"/tables/nobody{path}"), 404, "arena/unknown")


def test_an_oracle_is_no_table(client: Client) -> None:
    body = {"base": 6, "length": 4}
    made = client.post("/neworacle", json=body, follow_redirects=False)
    name = made.headers["location"].rpartition("/")[2]
    for path in ("", "/transcript", "/events"):
        problem(client.get(f"/tables/{name}{path}"), 404, "arena/unknown")
    table = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    problem(client.get(f"/oracle/{table['self'].rpartition('/')[2]}"), 404, "arena/unknown")


@pytest.mark.parametrize(
    ("change", "status", "code", "word"),
    [
        ({"game": "chess/1"}, 422, "name/unknown", "chess/1"),
        ({"params": {"players": 1000}}, 422, "game/params", "1000"),
        ({"params": []}, 400, "arena/malformed", ""),
        ({"seats": []}, 422, "input/bad", "played by 2"),
        ({"seats": [{"name": "", "lends": "stir"}] * 2}, 422, "input/bad", "name"),
        ({"seats": [{"name": "x", "player": "random", "lends": "stir"}] * 2}, 422, "input/bad", ""),
        ({"seats": [{"name": "x", "player": "deep-blue"}] * 2}, 422, "name/unknown", "deep-blue"),
        ({"seats": [{"name": "x", "player": "mcts:99999999"}] * 2}, 422, "input/bad", "too long"),
        ({"seats": [{"name": x, "lends": "money"} for x in "xy"]}, 422, "input/bad", "money"),
        ({"seats": [{"name": x, "lends": "number"} for x in "xy"]}, 422, "game/params", "number"),
        ({"dealer": "contest/1"}, 422, "game/params", "contest/1"),
        ({"dealer": "seeded/1", "options": {"seed": "x"}}, 422, "game/params", "seeded/1"),
        ({"options": {"length": 1}}, 422, "game/params", "length"),
        ({"options": {"length": 10**6}}, 422, "game/params", "length"),
        ({"options": {"length": True}}, 422, "game/params", "length"),
        ({"options": {"stir": "never"}}, 422, "game/params", "never"),
        ({"options": {"tip": "5e"}}, 422, "game/params", "tip"),
        ({"seconds": 0}, 400, "arena/malformed", ""),
        ({"seconds": 1e12}, 400, "arena/malformed", ""),
    ],
)
def test_tables_that_cannot_be(
    client: Client, change: dict[str, Any], status: int, code: str, word: str
) -> None:
    seats = [{"name": "Ada", "lends": "stir"}, {"name": "Bob"}]
    body = {"game": "zombie/2", "params": ZOMBIE, "seats": seats} | change
    assert word in problem(client.post("/tables", json=body), status, code)
    assert client.get("/healthz").json()["tables"] == 0


def test_a_keeper_cannot_sit_in_the_breakers_chair(client: Client) -> None:
    seats = [{"name": "Ada", "lends": "stir"}, {"name": "Bot", "player": "fair"}]
    wanted = {"game": "codebreaking/1", "params": FAIR, "seats": seats}
    refused = client.post("/tables", json=wanted)
    assert (refused.status_code, refused.json()["code"]) == (422, "name/unknown")
    assert "fair plays the keeper, not the breaker" in refused.json()["detail"]


def test_a_player_of_ours_that_fails_loses_its_seat(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game must not hang because of it."""

    def choose(*_: Any) -> Any:
        raise ValueError("no idea")

    monkeypatch.setattr(RandomPlayer, "choose", choose)
    made = new(client, "codebreaking/1", FAIR, "stir", ":random")
    seen = play(client, made)
    assert seen["over"] is True
    verdict = verify(client.get(seen["transcript"]).content)
    assert verdict.ok and 'the house says that "Seat 1" left' in verdict.remarks[0]


@pytest.fixture
def deep_recursion() -> Iterator[None]:
    """A process in which a library has raised the recursion limit, as the EVM does."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("deep_recursion")
def test_a_body_nested_without_end(client: Client) -> None:
    deep = "[" * 40_000 + "]" * 40_000
    made = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    url = made["seats"][0]["url"]
    for where, body in (
        ("/tables", f'{{"game": "zombie/2", "seats": [], "params": {{"a": {deep}}}}}'),
        (url, f'{{"ask": "stir.2", "answer": {deep}}}'),
    ):
        answer = client.post(where, content=body, headers={"Content-Type": "application/json"})
        problem(answer, 400, "arena/malformed")


def test_our_own_mistakes_are_told_as_such(
    database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("a detail that is nobody's business")

    monkeypatch.setattr(Tables, "find", broken)
    with TestClient(gated(database)) as client:
        told = problem(client.get("/tables/x"), 500, "arena/error")
    assert "nobody's business" not in told
    assert "nobody's business" in caplog.text


# Nothing leaks


@pytest.mark.parametrize("sample", EVERY, ids=lambda one: one.name)
def test_histories_that_look_the_same_are_told_the_same(sample: Sample) -> None:
    """The leak law on what goes over the wire: view, words and legal moves, as JSON text."""
    game = make_game(sample.game, sample.params)
    names = [f"Seat {seat}" for seat in range(game.seats)]
    told: dict[Any, str] = {}
    for state, history in [*every_history(game, 400), *playouts(game, 4)]:
        awaits = game.awaits(state)
        if isinstance(awaits, Over):
            continue
        asked = awaits.seats if isinstance(awaits, Turn) else ()
        asks = tuple(Ask("move", seat, 1, "") for seat in asked)
        shown = Shown(state, asks, 1, "", False, None, None)
        for seat in (None, *range(game.seats)):
            text = msgspec.json.encode(position(game, shown, seat, names)).decode()
            assert told.setdefault((seat, observed(history, seat)), text) == text


def secrets_of(database: str, name: str) -> LogVault:
    async def read() -> LogVault:
        store = await open_store(database)
        try:
            return LogVault(await store.read(name))
        finally:
            await store.close()

    return asyncio.run(read())


def streamed(client: Client, *topics: str) -> list[bytes]:
    """All that a stream about these topics says at first."""
    arena = client.app.state.arena
    with client.portal() as portal:
        found = []
        for topic in map(read_topic, topics):
            source = SOURCES[topic.kind](arena, "http://here/", topic, Mark(0, 0))
            found += [news.data for news in portal.call(source.news)]
    return found


def forms(secret: bytes) -> list[bytes]:
    """How a secret could be written."""
    return [secret.hex().encode(), base64.b64encode(secret), base64.urlsafe_b64encode(secret)]


@pytest.mark.parametrize(
    ("game", "params", "seats"),
    [
        ("codebreaking/1", FAIR, (":fair", "stir")),
        ("fatestones/1", STONES, (":random", "stir")),
    ],
)
def test_no_secret_is_told_before_its_time(
    client: Client, database: str, game: str, params: dict[str, Any], seats: tuple[str, ...]
) -> None:
    made = new(client, game, params, *seats, options={"stir": "each"}, listed=True)
    name = made["self"].rpartition("/")[2]
    seat = made["seats"][1]["url"]
    urls = [made["self"], f"{made['self']}/transcript", seat, "/metrics", "/tables", "/games"]
    topics = [f"table:{name}", f"seat:{name}/{seat.rpartition('/')[2]}", "lobby"]
    families = set()

    def look() -> None:
        vault = secrets_of(database, name)
        hinted = client.post(f"{seat}/hint")
        assert hinted.status_code in (200, 409)
        answers = [client.get(url).content for url in urls]
        answers += [hinted.content, *streamed(client, *topics)]
        opened = answers[1].count(b'"kind":"open"')
        for kept, (secret, _) in vault.secrets.items():
            family = kept.partition(".")[0]
            if family in ("clock", "ended"):
                continue
            families.add(family)
            if family == "seal":
                turn = int(kept.rpartition(".")[2])
                if opened > turn:  # ours is opened behind the seal of the others
                    continue
            written = forms(secret[:32]) if family != "private" else [secret]
            for answer in answers:
                assert not any(form in answer for form in written), f"{kept} is out"
        private = json.loads(vault.secrets["private"][0])
        for answer in answers:
            assert not any(kept.encode() in answer for kept in private["tokens"].values())

    play(client, made, look=look)
    assert families >= {"chain", "players", "private"}
    assert families & ({"blind"} if game.startswith("code") else {"seal"})
    # The law can fail: at the end the transcript does tell what was hidden.
    vault = secrets_of(database, name)
    told = client.get(urls[1]).content
    if game.startswith("code"):
        assert vault.secrets["blind.1"][0].hex().encode() in told
    else:
        assert vault.secrets["seal.0.0"][0][:32].hex().encode() in told


def test_no_seat_learns_the_address_or_the_advice_of_another(client: Client) -> None:
    """What is told to one of two seats and to everybody, while both choose in secret."""
    hands = [["111666", "222555", "333444"], ["123456", "134445", "144444"]]
    made = new(
        client,
        "fatestones/1",
        {"hands": hands},
        "nothing",
        "nothing",
        dealer="system/1",
        listed=True,
    )
    name = made["self"].rpartition("/")[2]
    mine, theirs = (seat["url"] for seat in made["seats"])
    secrets = [url.rpartition("/")[2] for url in (mine, theirs)]
    advice = client.post(f"{theirs}/hint").json()
    answers = [
        client.get(url).content
        for url in (mine, made["self"], f"{made['self']}/transcript", "/tables", "/contests")
    ]
    answers.append(client.post(f"{mine}/remark", json={"text": "well"}).content)
    answers += streamed(client, f"table:{name}", f"seat:{name}/{secrets[0]}", "lobby")
    assert any(secrets[0].encode() in answer for answer in answers), "the topic names it"
    for answer in answers:
        assert secrets[1].encode() not in answer
        assert advice["words"].encode() not in answer
    private = streamed(client, f"seat:{name}/{secrets[1]}")
    assert advice["words"].encode() not in private[0], "a hint is told once, to who asked"


def test_hidden_values_are_marked(client: Client) -> None:
    made = new(client, "codebreaking/1", FAIR, ":fair", "stir")
    seen = to_the_first_move(client, made["seats"][1]["url"])
    assert seen["view"]["code"] == {"hidden": True}
    assert client.get(made["self"]).json()["view"]["code"] == {"hidden": True}


# Following


def test_lines_after(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    play(client, made)
    every = client.get(f"{made['self']}/transcript").content.splitlines(keepends=True)
    for after in (0, 1, len(every) - 1, len(every), 10_000):
        some = client.get(f"{made['self']}/transcript?after={after}").content
        assert some == b"".join(every[after:])
    problem(client.get(f"{made['self']}/transcript?after=-1"), 400, "arena/malformed")
    problem(client.get(f"{made['self']}?wait=1000"), 400, "arena/malformed")


def test_events_are_the_lines_of_the_transcript(client: Client) -> None:
    made = new(client, "zombie/2", ZOMBIE, "stir", ":random")
    seen = play(client, made)
    every = client.get(seen["transcript"]).text.splitlines()
    answer = client.get(seen["events"])
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = answer.text.removesuffix("\n\n").split("\n\n")
    assert events == [f"id: {n}\nevent: line\ndata: {one}" for n, one in enumerate(every, 1)]
    later = client.get(seen["events"], headers={"Last-Event-ID": str(len(every) - 1)})
    assert later.text == f"id: {len(every)}\nevent: line\ndata: {every[-1]}\n\n"
    ended = client.get(seen["events"], headers={"Last-Event-ID": str(len(every))})
    assert ended.status_code == 204


# Restarts


@pytest.mark.parametrize("stops", [1, 2, 3])
def test_games_go_on_after_a_restart(database: str, stops: int) -> None:
    with TestClient(make_app(database)) as before:
        made = new(before, "fatestones/1", STONES, ":random", "stir", options={"stir": "each"})
        url = made["seats"][1]["url"]
        kept = {"table": name_of(before, made)}
        answered: list[tuple[str, Any, Any]] = []
        while len(answered) < stops:
            seen = before.get(url).json()
            (ask,) = seen["asks"]
            said = answer_to(seen, ask, kept)
            answered.append(
                (ask["id"], said, before.post(url, json={"ask": ask["id"], "answer": said}).json())
            )
        stood = before.get(url).json()
    with TestClient(make_app(database)) as after:
        stands = after.get(url).json()
        for one in (stands, stood):
            del one["seats"][1]["left"]
        assert stands == stood
        for ask_name, said, taken in answered:
            again = after.post(url, json={"ask": ask_name, "answer": said})
            assert (again.status_code, again.json()) == (200, taken)
        while asks := (seen := after.get(url).json())["asks"]:
            said = answer_to(seen, asks[0], kept)
            taken = after.post(url, json={"ask": asks[0]["id"], "answer": said})
            assert taken.status_code == 200, taken.text
        assert verify(after.get(seen["transcript"]).content).ok


# Clocks, servers and what lies below HTTP


async def made(tables: Tables, wanted: NewTable) -> tuple[Live, dict[int, str]]:
    """A new table, and the tokens of its seats."""
    name, tokens = await tables.make(wanted)
    return await tables.find(name), tokens


@asynccontextmanager
async def a_server(database: str, clock: Clock, capacity: int = 100) -> AsyncIterator[Tables]:
    """A process of an arena, without HTTP and without sweeps of its own."""
    store = await open_store(database)
    hall = Hall(store, capacity, clock)
    try:
        async with News(hall) as news:
            yield Tables(hall, news, Clocks(clock))
    finally:
        await store.close()


def duel(seconds: float = 600, game: str = "zombie/2", params: Any = None) -> NewTable:
    seats = [NewSeat("Ada", lends="stir"), NewSeat("Bob", lends="stir")]
    return NewTable(game, seats, params or ZOMBIE, options={"stir": "each"}, seconds=seconds)


async def asks_of(tables: Tables, name: str) -> tuple[Ask, ...]:
    return (await tables.shown(await tables.find(name))).asks


async def test_silence_is_a_forfeit_that_the_house_asserts(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel(10))
        clock.now += 4
        await tables.sweep()
        first = await asks_of(tables, live.log)
        assert [ask.seat for ask in first] == [0, 1]
        await tables.answer(live.log, tokens[0], ask_id(first[0]), "x")
        clock.now += 5.99  # Bob has been waited for all the time, Ada for the first 4 only
        await tables.sweep()
        assert await asks_of(tables, live.log)
        reading = live.reading
        assert reading is not None
        left = tables.clocks.left(reading)
        assert left[0] == 6
        assert round(left[1], 6) == 0.01
        clock.now += 0.01
        await tables.sweep()
        assert not await asks_of(tables, live.log)
        verdict = verify(b"".join(await tables.lines(live.log)))
        assert verdict.ok and verdict.payoff == (1, -1)
        (remark,) = verdict.remarks
        assert 'house says that "Bob" left: "silent' in remark
        assert "10 seconds" in remark


async def test_an_answer_after_the_flag_fell_is_too_late(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel(10))
        first = await asks_of(tables, live.log)
        clock.now += 5
        await tables.answer(live.log, tokens[0], ask_id(first[0]), "x")
        clock.now += 5
        with pytest.raises(GameOver, match="time bank of seat 1 is empty"):
            await tables.answer(live.log, tokens[1], ask_id(first[1]), "y")
        assert live.table.closed and live.table.payoff == (1, -1)


async def test_clocks_go_on_after_a_restart_and_not_meanwhile(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel(10))
        clock.now += 4
        (ask, _) = await asks_of(tables, live.log)
        await tables.answer(live.log, tokens[0], ask_id(ask), "x")
    clock.now += 1000  # nobody can answer an arena that is down
    async with a_server(database, clock) as tables:
        await tables.start_clocks()
        reading = (await tables.find(live.log)).reading
        assert reading is not None and tables.clocks.left(reading) == {0: 6, 1: 6}
        clock.now += 5.9
        await tables.sweep()
        assert await asks_of(tables, live.log)
        clock.now += 0.2
        await tables.sweep()
        assert not await asks_of(tables, live.log)
        assert verify(b"".join(await tables.lines(live.log))).payoff == (1, -1)


async def test_clocks_do_not_stand_still_when_the_machines_clock_was_set_back(
    database: str,
) -> None:
    """Else a silent player could hold the table until it is that time again."""
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, _ = await made(tables, duel(10))
    clock.now -= 36_000
    async with a_server(database, clock) as tables:
        await tables.start_clocks()
        clock.now += 7
        await tables.sweep()
        reading = (await tables.find(live.log)).reading
        assert reading is not None and tables.clocks.left(reading) == {0: 3, 1: 3}
        assert await asks_of(tables, live.log)
        clock.now += 3.1
        await tables.sweep()
        assert not await asks_of(tables, live.log)


def test_of_readings_by_another_clock_only_so_many_are_kept() -> None:
    clock = Clock()
    clocks = Clocks(clock)
    for number in range(MOST_AHEAD + 10):
        clocks.left(Reading(clock.now + 1000 + number, {0: 10.0}, [0]))
    assert len(clocks._ahead) == MOST_AHEAD + 1


async def test_our_own_players_have_no_clock(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        seats = [NewSeat("Bot", player="random"), NewSeat("Ada", lends="stir")]
        live, _ = await made(tables, NewTable("zombie/2", seats, ZOMBIE))
        reading = live.reading
        assert reading is not None
        assert reading.left == {1: 600}


async def test_one_game_in_two_servers(database: str) -> None:
    """Two servers on one store, as on PostgreSQL; neither hears of the other's commits."""
    clock = Clock()
    async with a_server(database, clock) as one, a_server(database, clock) as two:
        live, tokens = await made(one, duel())
        (first, second) = await asks_of(one, live.log)
        assert await asks_of(two, live.log) == (first, second)
        await one.answer(live.log, tokens[0], ask_id(first), "x")
        # The other server still believes the first position, finds the conflict, looks again.
        taken = await two.answer(live.log, tokens[1], ask_id(second), "y")
        assert taken.line == second.step + 2
        # The first has not heard of that, but notices that somebody knows more than it does.
        later = await two.lines(live.log, taken.line)
        assert later and await one.lines(live.log, taken.line) == later
        assert len(await one.lines(live.log)) < taken.line
        # Then it is told.
        one._hall.heard(live.log, (await two.shown(await two.find(live.log))).step)
        assert await one.lines(live.log) == await two.lines(live.log)
        assert await asks_of(one, live.log) == await asks_of(two, live.log)


async def test_one_oracle_in_two_servers(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as one, a_server(database, clock) as two:
        rooms = [Oracles(tables._hall) for tables in (one, two)]
        live = await rooms[0].make(100, 40, "fair")
        for number in range(6):
            await rooms[number % 2].submit(live.log, [number] * 40)
        assert (await rooms[1].describe(live.log, "")).attempts == 6


async def test_news_that_come_while_a_game_is_read_are_not_lost(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as one, a_server(database, clock) as two:
        live, tokens = await made(one, duel())
        (ask, _) = await asks_of(one, live.log)
        store = two._hall.store
        read = store.read

        async def outrun(log: str) -> Any:
            found = await read(log)
            store.read = read  # type: ignore[method-assign]
            taken = await one.answer(log, tokens[0], ask_id(ask), "x")
            two._hall.heard(log, taken.line)
            return found

        store.read = outrun  # type: ignore[method-assign]
        assert not two._hall.has(await two.find(live.log)), "an old copy is not kept"
        assert await two.lines(live.log) == await one.lines(live.log)


async def test_many_at_once_and_a_small_hall(database: str) -> None:
    """More games than the hall holds, each with both seats answering at the same time."""
    clock = Clock()
    async with a_server(database, clock, capacity=2) as tables:
        all_made = [await made(tables, duel()) for _ in range(6)]
        for _ in range(3):
            answers = []
            for live, tokens in all_made:
                for ask in await asks_of(tables, live.log):
                    move = "x" if ask.kind == "stir" else "roll"
                    answers.append(tables.answer(live.log, tokens[ask.seat], ask_id(ask), move))
                    answers.append(tables.answer(live.log, tokens[ask.seat], ask_id(ask), move))
            told = await asyncio.gather(*answers)
            assert told[::2] == told[1::2], "the same answer twice gets one receipt"


@pytest.mark.parametrize("fails", [False, True])
async def test_nothing_is_shown_before_it_is_durable(database: str, fails: bool) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel())
        (first, second) = await asks_of(tables, live.log)
        await tables.answer(live.log, tokens[0], ask_id(first), "x")
        lines, asks = await tables.lines(live.log), await asks_of(tables, live.log)
        store = tables._hall.store
        commit, reached, go_on = store.commit, asyncio.Event(), asyncio.Event()

        async def slow(*appends: Any) -> None:
            reached.set()
            await go_on.wait()
            if fails:
                raise OSError("the disk is full")
            await commit(*appends)

        store.commit = slow  # type: ignore[method-assign]
        answering = asyncio.create_task(tables.answer(live.log, tokens[1], ask_id(second), "y"))
        await reached.wait()
        assert live.table.transcript.step > len(lines), "the house's link is in memory"
        assert await tables.lines(live.log) == lines
        assert await asks_of(tables, live.log) == asks
        go_on.set()
        if fails:
            with pytest.raises(OSError, match="disk"):
                await answering
            assert await tables.lines(live.log) == lines
            assert await asks_of(tables, live.log) == asks
            store.commit = commit  # type: ignore[method-assign]
            await tables.answer(live.log, tokens[1], ask_id(second), "z")
        else:
            await answering
        assert len(await tables.lines(live.log)) > len(lines)


async def test_waiting_ends_when_something_happens(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel())
        step = live.table.transcript.step
        waiting = asyncio.create_task(tables.wait(live.log, step, 60))
        following = aiter(tables.follow(live.log, step))
        next_line = asyncio.ensure_future(anext(following))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not waiting.done() and not next_line.done()
        (ask, _) = await asks_of(tables, live.log)
        await tables.answer(live.log, tokens[0], ask_id(ask), "x")
        await asyncio.wait_for(waiting, 60)
        assert b'"value":"x"' in await asyncio.wait_for(next_line, 60)
        await tables.wait(live.log, 10_000, 0.001)  # ends by itself
        tables._news.close()
        await tables.wait(live.log, 10_000, 60)
        assert [line async for line in following] == []


async def test_a_stale_ask_is_told_apart_from_a_wrong_one(database: str) -> None:
    clock = Clock()
    async with a_server(database, clock) as tables:
        live, tokens = await made(tables, duel())
        with pytest.raises(StaleAsk, match=r"'stir\.1'"):
            await tables.answer(live.log, tokens[0], "stir.1", "x")


# ClientLimits


def test_open_games_of_one_client_are_limited() -> None:
    limits = ClientLimits(open_games=2)
    CLIENT.set("10.0.0.1")
    limits.opening("a")
    limits.opening("b")
    with pytest.raises(TooManyRequests, match="2 open games"):
        limits.opening("c")
    limits.closed("a")
    limits.closed("never heard of it")
    limits.opening("c")
    CLIENT.set("10.0.0.2")
    limits.opening("d")
    CLIENT.set("")


def test_the_rate_of_one_client_is_limited() -> None:
    limits = ClientLimits(rate=2)
    assert [limits.admit("a", 100.0) for _ in range(3)] == [0, 0, 0.5]
    assert limits.admit("b", 100.0) == 0
    assert limits.admit("a", 100.5) == 0
    assert limits.admit("a", 100.5) == 0.5
    assert limits.admit("a", 200.0) == 0
    assert ClientLimits(rate=0).admit("a", 100.0) == 0
