"""What a browser meets: its origin, the way to the page, safe headers, and what it can draw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from litestar.testing import TestClient

from fairground.core import IllegalMove, TooMany, Turn
from fairground.games import GAMES, make_game
from fairground.json_views import as_json, schema
from fairground.server.app import make_app
from fairground.testing.laws import playouts
from fairground.words import words_for
from tests.helpers import arena_games
from tests.helpers.arena import Client, gated
from tests.helpers.samples import SAMPLES, Sample

pytestmark = pytest.mark.usefixtures("patient")

EVERY = [one for some in SAMPLES.values() for one in some]
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
LOOKS = {"die", "stone", "card", "pips", "code", "score", "seat", "hidden", "text"}


def opened(client: Client) -> dict[str, str]:
    return arena_games.table(lambda path, body: client.post(path, json=body))


# Where a request comes from


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({}, False),
        ({"Sec-Fetch-Site": "same-origin"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.a.proxy"}, False),
        ({"Origin": "http://testserver.local"}, False),
        ({"Origin": "http://TESTSERVER.local"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, True),
        ({"Sec-Fetch-Site": "same-site"}, True),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver.local"}, True),
        ({"Origin": "http://elsewhere.example"}, True),
        ({"Origin": "http://testserver.local.elsewhere.example"}, True),
        ({"Origin": "http://testserver.local:81"}, True),
        ({"Origin": "null"}, True),
        ({"Origin": ""}, True),
    ],
)
def test_another_web_site_changes_nothing(
    client: Client, headers: dict[str, str], refused: bool
) -> None:
    seen = client.get("/healthz", headers=headers)
    assert seen.status_code == 200, "who only looks is not asked"
    body = {"base": 6, "length": 4}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post(
        "/neworacle", content=json.dumps(body), headers=headers | form, follow_redirects=False
    )
    assert answer.status_code == (403 if refused else 303)
    if refused:
        assert answer.json()["code"] == "arena/forbidden"
    assert client.get("/healthz").json()["oracles"] == (0 if refused else 1)


def test_the_public_address_counts_as_ours(tmp_path: Path) -> None:
    app = make_app(f"sqlite:///{tmp_path}/arena.db", public_url="https://arena.example/fair")
    with TestClient(app) as client:
        body = {"base": 6, "length": 4}
        ours = {"Origin": "https://arena.example"}
        assert client.post(
            "/neworacle", json=body, headers=ours, follow_redirects=False
        ).is_redirect
        place = client.get("/oracle/x", headers={"Accept": BROWSER}, follow_redirects=False)
        assert place.headers["location"] == "https://arena.example/fair/#/oracle/x"


# From an address to the page


def test_a_person_is_sent_to_the_page_and_a_program_is_not(client: Client) -> None:
    names = opened(client)
    for path, place in (
        ("/tables/{name}", "/#/table/{name}"),
        ("/tables/{name}/seats/{secret}", "/#/seat/{name}/{secret}"),
        ("/oracle/{name}", "/#/oracle/{name}"),
        ("/contest/{name}", "/#/contest/{name}"),
        ("/croupier/games/{name}", "/#/croupier/{name}"),
    ):
        there = path.format(**names)
        for accept in (BROWSER, "text/html", "text/html, application/json;q=0.5"):
            sent = client.get(there, headers={"Accept": accept}, follow_redirects=False)
            assert sent.status_code == 303, (path, accept)
            assert sent.headers["location"] == place.format(**names)
        for accept in ("*/*", "application/json", "application/json, */*;q=0.5", "nonsense"):
            told = client.get(there, headers={"Accept": accept}, follow_redirects=False)
            assert not told.is_redirect
    odd = client.get("/tables/a%22b", headers={"Accept": BROWSER}, follow_redirects=False)
    assert odd.status_code == 404
    answer = client.post("/tables/x/seats/y", json={}, headers={"Accept": BROWSER})
    assert answer.status_code != 303


def test_every_answer_has_safe_headers(database: str) -> None:
    paths = ("/games", "/tables/{name}", "/tables/nobody", "/nowhere", "/schema", "/metrics")
    with TestClient(gated(database)) as client:
        names = opened(client)
        answers = [client.get(path.format(**names)) for path in paths]
    for answer in answers:
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


# What a page can draw without knowing the game


def looks_of(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        if "x-look" in told:
            yield told["x-look"]
        for value in told.values():
            yield from looks_of(value)
    elif isinstance(told, list):
        for value in told:
            yield from looks_of(value)


def test_the_list_of_games_has_schemas_words_and_exact_players(client: Client) -> None:
    games = {game["name"]: game for game in client.get("/games").json()["games"]}
    assert games.keys() == set(GAMES)
    for game in games.values():
        jsonschema_rs.validator_for(game["view"])
        jsonschema_rs.validator_for(game["move"])
        assert set(looks_of(game["view"])) <= LOOKS
        assert any(looks_of(game["view"])) and game["how"]
        for player in game["players"]:
            assert player["sentence"] and set(player["roles"]) <= {r["name"] for r in game["roles"]}
            for role in game["roles"]:
                assert (player["name"] in role["players"]) is (role["name"] in player["roles"])
    exact = {(n, p["name"]) for n, g in games.items() for p in g["players"] if p["exact"]}
    assert {("fatestones/1", "optimal"), ("poker/2", "optimal")} <= exact
    assert all(name == "optimal" for _, name in exact)


@pytest.mark.parametrize("sample", EVERY, ids=lambda one: one.name)
def test_views_and_moves_are_as_their_schemas_say(sample: Sample) -> None:
    game = make_game(sample.game, sample.params)
    names = [f"Seat {seat}" for seat in range(game.seats)]
    view_of = jsonschema_rs.validator_for(schema(type(game.start()), words_for(game, names).looks))
    any_move = jsonschema_rs.validator_for(game.move_schema())
    for state, _ in playouts(game, 3):
        awaits = game.awaits(state)
        for seat in (None, *range(game.seats)):
            assert view_of.is_valid(as_json(game.view(state, seat)))
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            move_here = jsonschema_rs.validator_for(game.move_schema(state))
            try:
                moves = list(islice(game.moves(state, seat), 50))
            except TooMany:
                continue
            for move in moves:
                assert any_move.is_valid(as_json(move)) and move_here.is_valid(as_json(move))


def test_a_seat_is_told_in_words_and_with_choices(client: Client) -> None:
    made = client.post(
        "/tables",
        json={
            "game": "intransitive/1",
            "dealer": "system/1",
            "seats": [{"name": "<b>Bot", "player": "optimal"}, {"name": "Ada"}],
        },
    ).json()
    seen = client.get(made["seats"][1]["url"]).json()
    line = client.get(f"{made['self']}/transcript").text.splitlines()[0]
    assert seen["table"] == json.loads(line)["table"]
    assert "Which die do you take?" in seen["words"]
    assert [choice["move"] for choice in seen["choices"]] == seen["moves"]
    assert "form" not in seen
    answer = {"ask": seen["asks"][0]["id"], "answer": seen["choices"][0]["move"]}
    assert client.post(made["seats"][1]["url"], json=answer).status_code == 200
    over = client.get(made["self"]).json()
    assert over["over"] and ("Ada" in over["words"] or "<b>Bot" in over["words"])
    assert "choices" not in over


def test_a_form_stands_in_for_choices_that_are_too_many(client: Client) -> None:
    made = client.post(
        "/tables",
        json={
            "game": "codebreaking/1",
            "params": {"base": 6, "length": 4, "oracle": "fair"},
            "seats": [{"name": "House", "player": "fair"}, {"name": "Ada"}],
        },
    ).json()
    seen = client.get(made["seats"][1]["url"]).json()
    assert "choices" not in seen
    form = jsonschema_rs.validator_for(seen["form"])
    game = make_game("codebreaking/1", {"base": 6, "length": 4, "oracle": "fair"})
    state = game.start()
    state = game.drawn(state, 0)
    for move in ([0, 1, 2, 3], [5, 5, 5, 5], [6, 0, 0, 0], [0, 0, 0], "give up", "no code", 7):
        try:
            game.check(state, 1, tuple(move) if isinstance(move, list) else move)
            legal = True
        except IllegalMove:
            legal = False
        assert form.is_valid(move) is legal, move
