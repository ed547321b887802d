"""The OpenAPI document: complete, true, and run through schemathesis against a live arena."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import pytest
from litestar.testing import TestClient

from fairground.server.app import make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.metrics import Metrics
from tests.helpers import arena_games
from tests.helpers.arena import answered, in_a_thread
from tests.helpers.places import ROOT
from tests.helpers.schemathesis_links import REAL_NAMES
from tests.helpers.width import WIDE

HERE = Path(__file__).parent
DOCUMENT: dict[str, Any] = json.loads(
    json.dumps(make_app("sqlite:///never-opened.db").openapi_schema.to_schema())
)
OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}
CROUPIER = ("croupier", "bank")
"""Their routes play only where the operator keeps a Croupier, and have tests of their own. Here
there is none, and it is only seen that they refuse as the document says."""


GOOD = {"200", "201", "204", "303"}
STANDARD = ("Document created, URL follows", "Request fulfilled, document follows",
            "Request fulfilled, nothing follows", "Object moved")  # fmt: skip
"""What the framework says of a route that says nothing itself."""


def test_it_is_of_version_3_1_and_every_route_says_what_it_does() -> None:
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for operation in OPERATIONS.values():
        assert operation["summary"] and operation["description"]
        assert operation["tags"] and set(operation["tags"]) <= tags
        for status in GOOD & operation["responses"].keys():
            said = operation["responses"][status]["description"]
            assert said not in STANDARD, operation["operationId"]
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (operation["operationId"], parameter["name"])


def test_members_are_described_by_the_text_under_them() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    table = schemas["TableOut"]["properties"]
    assert table["void"]["description"] == "Why the house voided the game; nobody wins then."
    assert "description" not in table["over"]
    assert schemas["Entered"]["properties"].keys() == {"oracle_URIs", "training", "team_key"}


def contents(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The bodies of a route: what is sent, and every answer."""
    operation = OPERATIONS[name]
    for about in (operation.get("requestBody", {}), *operation["responses"].values()):
        yield from about.get("content", {}).items()


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_body_has_examples_that_fit_its_schema(name: str) -> None:
    for media_type, content in contents(name):
        assert content["examples"], media_type
        schema = {**content["schema"], "components": DOCUMENT["components"]}
        for example in content["examples"].values():
            if media_type.endswith("json"):
                jsonschema_rs.validate(schema, example["value"])
            else:
                assert isinstance(example["value"], str)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_error_is_a_problem_of_its_status(name: str) -> None:
    answers = OPERATIONS[name]["responses"]
    assert {"406", "429", "500"} <= answers.keys()
    for status, answer in answers.items():
        if int(status) >= 400:
            (content,) = answer["content"].items()
            assert content[0] == "application/problem+json"
            assert {one["value"]["status"] for one in content[1]["examples"].values()} == {
                int(status)
            }


def test_no_schema_is_missing() -> None:
    text = json.dumps(DOCUMENT)
    used = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert used <= DOCUMENT["components"]["schemas"].keys()


class Reader(HTMLParser):
    """Notes what a page shows, and what it would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "link", "img", "iframe") or "src" in given:
            self.fetched.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_to_read_shows_every_route_and_fetches_nothing(tmp_path: Path) -> None:
    with TestClient(make_app(f"sqlite:///{tmp_path}/arena.db")) as client:
        page = client.get("/schema")
        assert page.status_code == 200
        assert client.get("/schema/swagger").status_code == 404
    reader = Reader()
    reader.feed(page.text)
    assert reader.open == [] and reader.fetched == []
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            if method != "head":
                line = f"{method.upper()} {path} {operation['summary']}"
                assert line in reader.text, line
    assert "arena/unknown" in reader.text and "**" not in reader.text


# Schemathesis


class Answer(NamedTuple):
    """What `arena_games` needs of one."""

    headers: http.client.HTTPMessage
    data: bytes

    def json(self) -> Any:
        return json.loads(self.data)


def real_names(url: str) -> dict[str, arena_games.Names]:
    """For each route with a name in its path something real, of its own to use up."""
    place = urllib.parse.urlsplit(url).netloc

    def post(path: str, body: Any) -> Answer:
        line = http.client.HTTPConnection(place, timeout=60)
        line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = line.getresponse()
        found = Answer(answer.headers, answer.read())
        line.close()
        assert answer.status < 400, found.data
        return found

    names = {}
    for path, methods in DOCUMENT["paths"].items():
        kind = path.split("/")[1]
        for operation in methods.values():
            if "{" in path and kind not in CROUPIER:
                name = operation["operationId"]
                names[name] = arena_games.FIT.get(name, arena_games.OPEN[kind])(post)
    return names


def run(url: str, names: dict[str, arena_games.Names], folder: Path, *more: str) -> str:
    """``st run``, with every check but one; returns what it prints.

    `use_after_free` wants 404 for what was deleted. DELETE gives a game up, and
    what was given up can still be looked at: its code and its transcript are shown only then.
    """
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli"),
            *("--config-file", HERE / "schemathesis.toml"),
            *("run", f"{url}/schema/openapi.json", "--no-color"),
            *("--checks", "all", "--exclude-checks", "use_after_free"),
            *("--generation-deterministic", "--continue-on-failure", "--warnings", "off"),
            *more,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), REAL_NAMES: json.dumps(names), "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    return done.stdout


ALL = ("--max-examples", "8")
SOME = ("--max-examples", "2", "--phases", "examples,fuzzing")
"""In the suite without `coverage` (each odd value of each parameter) and `stateful` (chains of
requests), which take most of the time."""


def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    limits, metrics = ClientLimits(rate=0), Metrics()
    app: Any = make_app(f"sqlite:///{tmp_path}/arena.db", limits=limits, metrics=metrics)
    with in_a_thread(Gate(app, limits, metrics)) as url:
        names = real_names(url)
        # As when it stops: streams end when they have said what there is, and nobody waits.
        app.state.arena.news.close()
        printed = run(url, names, tmp_path, *(ALL if WIDE else SOME))
    assert "No issues found" in printed
    reached = set(answered(metrics))
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            good = min(map(int, operation["responses"]))
            if path.split("/")[1] not in CROUPIER:
                assert (method.upper(), path, good) in reached, "no request got through"
