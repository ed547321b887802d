"""The columns of a contest, wherever they are shown: all places tell the same ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.clients.http import Http, HttpReply
from fairground.clients.oracles import Contest
from fairground.contest.standings import ContestTeam, StandingsRow
from fairground.server.app import make_app

CSV_HEADER = (
    "rank,team_name,software_version,training,games,solved,given_up,unfinished,still_open,"
    "waiting,steps,mean,low,high,worst"
)
"""What readers by position rely on: it may grow at its end, and change in no other way."""


class Direct(Http):
    """The client's requests, without a network."""

    def __init__(self, client: TestClient[Any]) -> None:
        super().__init__()
        self._client = client

    def send(self, method: str, url: str, body: Any = None, **_: Any) -> HttpReply:
        reply = self._client.request(method, url, json=body)
        headers: Any = reply.headers
        return HttpReply(reply.status_code, headers, reply.content, url)


class Told:
    """A contest with one team, as everybody tells of it."""

    def __init__(self, client: TestClient[Any]) -> None:
        document: Any = client.get("/schema/openapi.json").json()
        made = client.post(
            "/newcontest", json={"base": 2, "length": 1, "games": 2}, follow_redirects=False
        )
        uri = made.headers["location"]
        self.contest = Contest(uri, Direct(client))
        self.contest.enter("Ada", "1")
        self.page: dict[str, Any] = client.get(uri).json()["teams"][0]
        self.standings: dict[str, Any] = client.get(f"{uri}/standings").json()["official"][0]
        self.csv: str = client.get(f"{uri}/standings.csv").text
        self.schema: dict[str, Any] = document["components"]["schemas"]["ContestTeam"]
        answers = {
            operation["operationId"]: operation["responses"]["200"]["content"]
            for methods in document["paths"].values()
            for operation in methods.values()
            if operation["operationId"] in ("watch_contest", "contest_csv")
        }
        self.page_example: dict[str, Any] = _first(answers["watch_contest"])["teams"][0]
        self.csv_example: str = _first(answers["contest_csv"])


def _first(content: Any) -> Any:
    (body,) = content.values()
    return next(iter(body["examples"].values()))["value"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    database = f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db"
    with TestClient(make_app(database)) as client:
        yield Told(client)


def test_the_page_its_schema_its_example_and_the_client_have_the_same_columns(told: Told) -> None:
    names = list(told.page)
    assert list(told.schema["properties"]) == told.schema["required"] == names
    assert list(told.page_example) == names
    assert [one.name for one in fields(ContestTeam)] == names
    (team,) = told.contest.watch().teams
    assert asdict(team) == told.page


def test_the_standings_say_the_same_and_more(told: Told) -> None:
    assert told.standings.keys() == {one.name for one in fields(StandingsRow)}
    assert told.page.items() <= told.standings.items()


def test_the_csv_says_what_the_standings_say(told: Told) -> None:
    header, example = (text.partition("\r\n")[0] for text in (told.csv, told.csv_example))
    assert header == example
    assert header.startswith(CSV_HEADER)
    (row,) = csv.DictReader(io.StringIO(told.csv))
    for name, cell in row.items():
        value = told.standings[name]
        shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
        assert cell == ("" if shown is None else str(shown))


def test_places_in_the_csv_are_counted_without_gaps() -> None:
    places = sorted(filter(None, (one.metadata["csv"] for one in fields(StandingsRow))))
    assert places == list(range(1, len(places) + 1))


def test_a_server_that_tells_less_of_its_teams_is_read(told: Told) -> None:
    class Terse(Direct):
        def send(self, method: str, url: str, body: Any = None, **_: Any) -> HttpReply:
            reply = super().send(method, url, body)
            page = json.loads(reply.data) | {"teams": [{"team_name": "Ada", "more": 1}]}
            return reply._replace(data=json.dumps(page).encode())

    http: Any = told.contest._http
    (team,) = Contest(told.contest.uri, Terse(http._client)).watch().teams
    assert (team.team_name, team.rank) == ("Ada", None)
