"""``GET /tables/{id}/review``: made once, of finished games only."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from fairground import schemas
from fairground.coach.report import as_json
from fairground.coach.review import review_of
from fairground.server.tables import company
from tests.helpers.arena import Client
from tests.helpers.samples import SAMPLES
from tests.server.test_tables import play


def table(client: Client, game: str, params: dict[str, Any], *players: str | None) -> str:
    seats = [
        {"name": f"Seat {seat}", **({} if player is None else {"player": player})}
        for seat, player in enumerate(players)
    ]
    made = client.post("/tables", json={"game": game, "params": params, "seats": seats})
    assert made.status_code == 201, made.text
    return str(made.json()["self"])


def finished(client: Client, game: str, params: dict[str, Any], *players: str | None) -> str:
    """A table at which the last seat was played by a client, to the end."""
    seats = [{"name": "Bot", "player": player} for player in players]
    wanted = {"game": game, "params": params, "seats": [*seats, {"name": "Ada"}]}
    made = client.post("/tables", json=wanted)
    assert made.status_code == 201, made.text
    assert play(client, made.json())["over"]
    return str(made.json()["self"])


def test_a_finished_game_is_reviewed_as_the_command_does_it(client: Client) -> None:
    url = finished(client, "fatestones/1", {}, "optimal")
    first, again = client.get(f"{url}/review"), client.get(f"{url}/review")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("application/json")
    jsonschema_rs.validate(schemas.load("review"), first.json())
    record = client.get(f"{url}/transcript").content
    assert first.json() == json.loads(json.dumps(as_json(review_of(record))))
    assert again.content == first.content


def test_a_game_that_goes_on_is_not_reviewed(client: Client) -> None:
    url = table(client, "fatestones/1", {}, "optimal", None)
    answer = client.get(f"{url}/review")
    assert answer.status_code == 409
    assert answer.json()["code"] == "arena/too-early"


def test_what_cannot_be_judged_is_refused_with_the_reason(client: Client) -> None:
    url = finished(client, "zombie/2", SAMPLES["zombie/2"][0].params, *["random"] * 2)
    answer = client.get(f"{url}/review")
    assert answer.status_code == 404
    assert "fewer than three dice" in answer.json()["detail"]
    assert client.get("/tables/nobody/review").status_code == 404


def test_records_longer_than_any_game_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "LONGEST", 3)
    url = finished(client, "fatestones/1", {}, "optimal")
    answer = client.get(f"{url}/review")
    assert answer.status_code == 404
    assert "more than 3" in answer.json()["detail"]


def decisions(client: Client, url: str) -> list[dict[str, Any]]:
    steps = client.get(f"{url}/review").json()["steps"]
    return [step for step in steps if step["kind"] == "decision"]


@pytest.mark.parametrize(
    ("game", "params", "players"),
    [
        ("fatestones/1", {}, ("optimal",)),
        ("intransitive/1", {}, ("random",)),
        ("zombie/2", {"max_turns": 1}, ("random",)),
    ],
)
def test_another_move_is_judged_as_the_review_judged_it(
    client: Client, game: str, params: dict[str, Any], players: tuple[str, ...]
) -> None:
    """What was played costs what the review says, and the best move costs nothing."""
    url = finished(client, game, params, *players)
    before = client.get(f"{url}/transcript").content
    for step in decisions(client, url)[:2]:
        best = step["alternatives"][0]
        for move, cost in ((step["move"], step["cost"]), (best["move"], best["cost"])):
            wanted = {"line": step["line"], "seat": step["seat"], "move": move}
            tried = client.post(f"{url}/review", json=wanted)
            assert tried.status_code == 200, tried.text
            told = tried.json()
            assert told["right"] == (cost["value"] == 0)
            assert told["cost"]["value"] == pytest.approx(cost["value"], abs=1e-9)
            assert told["words"].startswith("Right. " if told["right"] else "Not the best: ")
            assert best["move"] in [other["move"] for other in told["alternatives"]]
    assert client.get(f"{url}/transcript").content == before


def test_a_game_that_nobody_judges_is_not_tried_again(client: Client) -> None:
    url = finished(client, "zombie/2", SAMPLES["zombie/2"][0].params, *["random"] * 2)
    record = [json.loads(line) for line in client.get(f"{url}/transcript").content.splitlines()]
    line, event = next(
        (line, event) for line, event in enumerate(record, 1) if event["kind"] == "move"
    )
    wanted = {"line": line, "seat": event["seat"], "move": event["move"]}
    answer = client.post(f"{url}/review", json=wanted)
    assert answer.status_code == 404
    assert "fewer than three dice" in answer.json()["detail"]
