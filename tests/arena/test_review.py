"""``GET /tables/{id}/review``: made once, of finished games only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground import schemas
from fairground.arena.app import make_app
from fairground.arena.tables import review as routes
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from tests.helpers.samples import SAMPLES

Client = TestClient[Litestar]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with TestClient(make_app(f"sqlite:///{tmp_path}/arena.db")) as client:
        yield client


def table(client: Client, game: str, params: dict[str, Any], *players: str | None) -> str:
    seats = [
        {"name": f"Seat {seat}", **({} if player is None else {"player": player})}
        for seat, player in enumerate(players)
    ]
    made = client.post("/tables", json={"game": game, "params": params, "seats": seats})
    assert made.status_code == 201, made.text
    return str(made.json()["self"])


def test_a_finished_game_is_reviewed_as_the_command_does_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = table(client, "fatestones/1", {}, "optimal", "random")
    made: list[bytes] = []

    def counted(data: bytes) -> Any:
        made.append(data)
        return review_of(data)

    monkeypatch.setattr(routes, "review_of", counted)
    first, again = client.get(f"{url}/review"), client.get(f"{url}/review")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("application/json")
    jsonschema_rs.validate(schemas.load("review"), first.json())
    record = client.get(f"{url}/transcript").content
    assert first.json() == json.loads(json.dumps(as_json(review_of(record))))
    assert again.content == first.content
    assert made == [record]


def test_a_game_that_goes_on_is_not_reviewed(client: Client) -> None:
    url = table(client, "fatestones/1", {}, "optimal", None)
    answer = client.get(f"{url}/review")
    assert answer.status_code == 409
    assert answer.json()["code"] == "arena/too-early"


def test_what_cannot_be_judged_is_refused_with_the_reason(client: Client) -> None:
    url = table(client, "zombie/2", SAMPLES["zombie/2"][0].params, *["random"] * 3)
    answer = client.get(f"{url}/review")
    assert answer.status_code == 404
    assert "fewer than three dice" in answer.json()["detail"]
    assert client.get("/tables/nobody/review").status_code == 404


def test_records_longer_than_any_game_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "LONGEST", 3)
    url = table(client, "fatestones/1", {}, "optimal", "random")
    answer = client.get(f"{url}/review")
    assert answer.status_code == 404
    assert "more than 3" in answer.json()["detail"]
