"""What the arena refuses, and how it says so: each documented problem happens."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground.clients.protocol import PROBLEM
from fairground.server import openapi
from fairground.server.app import ROUTES, make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.http import problems
from fairground.server.http.requests import admits
from fairground.server.metrics import Metrics
from tests.helpers import arena_games
from tests.helpers.arena import problem
from tests.helpers.arena_games import CONTEST, ORACLE, SEATS, STIRS, TABLE
from tests.helpers.places import ROOT

Client = TestClient[Litestar]

DOCS = ROOT / "docs" / "http.md"


class Operation(NamedTuple):
    """A route as the document tells of it."""

    name: str
    method: str
    path: str
    told: dict[str, Any]

    @property
    def tag(self) -> str:
        return str(self.told["tags"][0])

    @property
    def kind(self) -> str:
        return self.path.split("/")[1]

    @property
    def codes(self) -> set[str]:
        """The codes of the problems that it may answer with."""
        answers = (answer.get("content", {}) for answer in self.told["responses"].values())
        examples = (content.get(PROBLEM, {}).get("examples", {}) for content in answers)
        return {one["value"]["code"] for found in examples for one in found.values()}


def operations() -> list[Operation]:
    document = make_app("sqlite:///never-opened.db").openapi_schema.to_schema()
    return [
        Operation(told["operationId"], method.upper(), path, told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    ]


OPERATIONS = operations()
OURS = [one for one in OPERATIONS if one.tag in ("oracles", "contests", "tables", "operation")]
"""The Croupier and its Bank have tests of their own."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One for all: every test here opens games of its own."""
    app = make_app(f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db")
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def post(client: Client) -> arena_games.Post:
    return lambda path, body: client.post(path, json=body, follow_redirects=False)


# What follows from the shape of a request alone: every route, the same


@pytest.mark.parametrize("route", OURS, ids=lambda route: route.name)
def test_every_route_refuses_what_no_route_can_take(
    route: Operation, client: Client, post: arena_games.Post
) -> None:
    names = arena_games.OPEN[route.kind](post) if "{" in route.path else {}
    path = route.path.format(**names)
    body = json.dumps(next(iter(openapi.BODIES.get(route.name, {"": None}).values())))
    as_json = {"Content-Type": "application/json"}
    provoked = {"arena/not-acceptable"}
    answer = client.request(route.method, path, content=body, headers={"Accept": "image/png"})
    assert '"image/png"' in problem(answer, 406, "arena/not-acceptable")
    if route.method not in ("GET", "HEAD"):
        foreign = {"Sec-Fetch-Site": "cross-site"}
        answer = client.request(route.method, path, content=body, headers=foreign)
        assert "another web site" in problem(answer, 403, "arena/forbidden")
        provoked.add("arena/forbidden")
    if "{" in route.path:
        nobody = route.path.format(**dict.fromkeys(names, "nobody"))
        detail = problem(
            client.request(route.method, nobody, content=body, headers=as_json),
            404,
            "arena/unknown",
        )
        assert "nobody" in detail or "seat" in detail
        odd = route.path.format(**dict.fromkeys(names, "no%00body%C3%A9"))
        problem(client.request(route.method, odd, content=body), 404, "arena/unknown")
        provoked.add("arena/unknown")
    if "requestBody" in route.told:
        for content, headers, status, code, word in (
            (b"", {}, 400, "arena/malformed", "no body"),
            (b"  ", as_json, 400, "arena/malformed", "no body"),
            (b'{"a": 1,}', as_json, 400, "arena/malformed", "byte 8"),
            (b'{"a": ', as_json, 400, "arena/malformed", 'truncated: "{'),
            (b"\xff\xfe", as_json, 400, "arena/malformed", "byte 0"),
            (b"7", as_json, 400, "arena/malformed", ": 7"),
            (b"7 8", as_json, 400, "arena/malformed", 'trailing characters (byte 3), near "7 8"'),
            (b"[" * 50_000, as_json, 400, "arena/malformed", "nest"),
            (b" " * 100_001, as_json, 413, "arena/too-large", "100000"),
            (b"<a/>", {"Content-Type": "text/xml"}, 415, "arena/media-type", '"text/xml"'),
        ):
            answer = client.request(route.method, path, content=content, headers=headers)
            assert word in problem(answer, status, code)
            provoked.add(code)
    if any(parameter["in"] == "query" for parameter in route.told.get("parameters", ())):
        answer = client.request(route.method, f"{path}?after=five")
        assert 'after: Expected `int`, got `str`: "five"' in problem(answer, 400, "arena/malformed")
        provoked.add("arena/malformed")
    always = {problems.kind_of(error).code for error in openapi.always(route.method, route.told)}
    elsewhere = {"arena/limit", "arena/error", "arena/stopping"}
    elsewhere |= {"store/away", "store/damaged", "store/in-doubt"}
    assert provoked == always - elsewhere


@pytest.mark.parametrize("route", OPERATIONS, ids=lambda route: route.name)
def test_methods(route: Operation, client: Client) -> None:
    """What OPTIONS and a refusal tell is the same, and it is true."""
    path = re.sub(r"{\w+}", "nobody", route.path)
    refused = client.request("PATCH", path)
    assert path in problem(refused, 405, "arena/method")
    told = client.options(path)
    assert (told.status_code, told.content) == (204, b"")
    assert told.headers["allow"] == refused.headers["allow"]
    allowed = set(told.headers["allow"].split(", "))
    known = {one.method for one in OPERATIONS if one.path == route.path}
    streams = any(
        "text/event-stream" in one.told["responses"].get("200", {}).get("content", {})
        for one in OPERATIONS
        if one.path == route.path
    )
    assert allowed == known | {"OPTIONS"} | ({"HEAD"} if "GET" in known and not streams else set())
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"):
        answered = client.request(method, path, headers={"Accept": "text/html"})
        assert (answered.status_code == 405) is (method not in allowed)


def test_head_is_get_without_a_body(client: Client, post: arena_games.Post) -> None:
    path = "/oracle/{name}/transcript".format(**arena_games.oracle(post))
    get, head = client.get(path), client.head(path)
    assert (head.status_code, dict(head.headers)) == (200, dict(get.headers))


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("//neworacle", "/neworacle"),
        ("/neworacle/", "/neworacle"),
        ("/neworacle//", "/neworacle"),
        ("//schema", "/schema"),
        ("/games/", "/games"),
        ("/%6eeworacle", "/neworacle"),
        ("/games%2F", "/games"),
        ("/oracle%2fnobody", "/oracle/nobody"),
    ],
)
def test_an_address_has_one_spelling(client: Client, path: str, right: str) -> None:
    """Else a proxy that keeps people from one of them would be fooled by another."""
    arena = str(client.base_url).rstrip("/")
    for method in ("GET", "POST", "OPTIONS"):
        answer = client.request(method, arena + path, json=ORACLE)
        if answer.status_code != 405:
            said = problem(answer, 404, "arena/unknown")
            assert f'"{path}"' in said and f'"{right}"' in said


def test_nor_has_an_oracle_two(client: Client, post: arena_games.Post) -> None:
    name = arena_games.oracle(post)["name"]
    for path in (f"/oracle%2F{name}", f"/oracle/%{ord(name[0]):x}{name[1:]}"):
        answer = client.post(path, json={"submission": [0, 1, 2, 3]})
        assert f'"/oracle/{name}"' in problem(answer, 404, "arena/unknown")


@pytest.mark.parametrize("path", ["/nowhere", "/oracle", "/oracle/a/b", "/schema/nowhere"])
def test_there_is_nothing(client: Client, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = client.request(method, path)
        if not (path.startswith("/schema") and method != "GET"):
            assert f'"{path}"' in problem(answer, 404, "arena/unknown")


# What the arena accepts


@pytest.mark.parametrize(
    ("accept", "admitted"),
    [
        ("application/json", True),
        ("APPLICATION/JSON", True),
        ("application/json;charset=utf-8", True),
        ("application/*", True),
        ("*/*", True),
        ("text/html, */*;q=0.1", True),
        ("text/html;q=0.9, application/json;q=0.001", True),
        ("*/*;q=0, application/json", True),
        ("application/*;q=0, application/json;q=0.5", True),
        ("text/html", False),
        ("text/*, image/png", False),
        ("application/json;q=0", False),
        ("application/json;q=0, */*", False),
        ("application/json; Q=0.000, application/*", False),
        ("application/*;q=0, */*", False),
        ("*/*;q=0", False),
        ("application/problem+json", False),
        ("application/jsonp", False),
        ("", True),
        ("nonsense", True),
        (";;,,", True),
        ("application/json;q=often", True),
        ("nonsense, text/html", False),
    ],
)
def test_accept(accept: str, admitted: bool, client: Client) -> None:
    assert admits(accept, "application/json") is admitted
    answer = client.get("/healthz", headers={"Accept": accept})
    assert answer.status_code == (200 if admitted else 406)


def test_several_accept_headers_are_one(client: Client) -> None:
    headers = [("accept", "text/html"), ("accept", "application/json")]
    assert client.get("/healthz", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/metrics", "text/plain;version=0.0.4;q=0.5", 200),
        ("/metrics", "application/json", 200),
        ("/metrics", "text/csv", 406),
        ("/contest/{name}/standings.csv", "text/csv", 200),
        ("/contest/{name}/standings.csv", "application/json", 200),
        ("/contest/{name}/standings", "text/csv", 406),
        ("/contest/{name}/events", "text/event-stream", 200),
        ("/contest/{name}/events", "text/csv", 406),
        ("/contest/{name}/book", "application/jsonl", 200),
        ("/contest/{name}/book", "application/json;q=0", 406),
        ("/schema", "text/html", 200),
        ("/schema/openapi.json", "application/json", 200),
    ],
)
def test_a_route_is_acceptable_as_what_it_gives_and_as_json(
    path: str, accept: str, status: int, client: Client, post: arena_games.Post
) -> None:
    path = path.format(**arena_games.closed_contest(post))
    assert client.get(path, headers={"Accept": accept}).status_code == status


def test_a_refused_request_does_nothing(client: Client, post: arena_games.Post) -> None:
    uri = "/oracle/{name}".format(**arena_games.oracle(post))
    guess = {"submission": [0, 0, 0, 0]}
    assert client.post(uri, json=guess, headers={"Accept": "text/html"}).status_code == 406
    assert client.delete(uri, headers={"Accept": "text/html"}).status_code == 406
    seen = client.get(uri).json()
    assert (seen["attempts"], seen["over"]) == (0, False)


# Bodies


@pytest.mark.parametrize(
    "content_type",
    [
        *(None, "", "application/json", "Application/JSON; charset=utf-8"),
        *("application/vnd.x+json", "application/x-www-form-urlencoded"),
    ],
)
def test_bodies_are_json_whatever_a_tool_says_by_itself(
    content_type: str | None, client: Client
) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    answer = client.post(
        "/neworacle", content=json.dumps(ORACLE), headers=headers, follow_redirects=False
    )
    assert answer.status_code == 303
    assert answer.content == b""


@pytest.mark.parametrize(("coding", "status"), [("gzip", 415), ("br", 415), ("Identity", 303)])
def test_bodies_are_not_packed(coding: str, status: int, client: Client) -> None:
    """Who packs one is told so, and not that it is no JSON."""
    body = gzip.compress(json.dumps(ORACLE).encode()) if status == 415 else json.dumps(ORACLE)
    headers = {"Content-Encoding": coding}
    answer = client.post("/neworacle", content=body, headers=headers, follow_redirects=False)
    assert answer.status_code == status
    if status == 415:
        assert coding in problem(answer, 415, "arena/media-type")


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/neworacle", {**ORACLE, "base": "6"}, 'base: expected `int`, got `str`: "6"'),
        ("/neworacle", {**ORACLE, "base": 6.5}, "base: expected `int`, got `float`: 6.5"),
        ("/neworacle", {**ORACLE, "base": True}, "base: expected `int`, got `bool`: true"),
        ("/neworacle", {**ORACLE, "base": None}, "base: expected `int`, got `null`: null"),
        ("/neworacle", {"base": 6}, 'object missing required field `length`: {"base": 6}'),
        ("/neworacle", [6, 4], "the body: expected `object`, got `array`: [6, 4]"),
        ("/oracle/nobody", {"submission": [1, "2"]}, "submission[1]: expected `int`"),
        (
            "/oracle/nobody",
            {"submission": "0511"},
            'submission: expected `array`, got `str`: "0511',
        ),
        ("/newcontest", [CONTEST, {**CONTEST, "base": []}], "expected `int`, got `array`: []"),
        (
            "/tables",
            {**TABLE, "seats": [{"name": 7}]},
            "seats[0].name: expected `str`, got `int`: 7",
        ),
        ("/tables", {**TABLE, "seconds": 0.5}, "seconds: expected `float` >= 1.0: 0.5"),
        ("/tables", {**TABLE, "game": "x" * 90, "seats": "y" * 90}, f'"{"y" * 79}…'),
    ],
)
def test_a_value_of_the_wrong_kind_is_quoted(
    path: str, body: Any, detail: str, client: Client
) -> None:
    assert detail in problem(client.post(path, json=body), 400, "arena/malformed")


@pytest.mark.parametrize("text", [b'"\xff"', b'"\\ud800"', b"'fair'", b"NaN"])
def test_text_that_is_none_is_refused(text: bytes, client: Client) -> None:
    body = b'{"base": 6, "length": 4, "oracle_type": %s}' % text
    detail = problem(client.post("/neworacle", content=body), 400, "arena/malformed")
    assert detail.startswith("the body is not JSON: ")


def test_a_whole_number_is_an_integer_however_it_is_written(client: Client) -> None:
    answer = client.post("/neworacle", content=b'{"base": 6.0, "length": 4e0}')
    assert answer.status_code == 200, "and the client followed the redirect"
    seen = answer.json()
    assert (seen["base"], seen["length"]) == (6, 4)


@pytest.mark.parametrize("query", ["after=-1", "wait=-1", "wait=31", "wait=nan", "wait=1e999"])
def test_a_parameter_out_of_range_is_quoted(
    query: str, client: Client, post: arena_games.Post
) -> None:
    path = "/tables/{name}".format(**arena_games.finished_table(post))
    name, _, value = query.partition("=")
    detail = problem(client.get(f"{path}?{query}"), 400, "arena/malformed")
    assert detail.startswith(f"{name}: ") and f'"{value}"' in detail


# What the rules refuse


class Story:
    """One of everything, made when it is first spoken of."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def send(self, where: str, body: Any = None) -> Any:
        """Send a request. Address and body speak of this story: ``POST {s.oracle}``."""
        method, _, path = where.format(s=self).partition(" ")
        if isinstance(body, dict):
            told = {
                name: one.format(s=self) if type(one) is str else one for name, one in body.items()
            }
            if "answer" in told and "ask" not in told:
                told["ask"] = self._client.get(path).json()["asks"][0]["id"]
            body = told
        return self._client.request(method, path, json=body, follow_redirects=False)

    def post(self, path: str, body: Any) -> Any:
        return self.send(f"POST {path}", body)

    def _path(self, url: str) -> str:
        return url.removeprefix(str(self._client.base_url).rstrip("/"))

    @cached_property
    def oracle(self) -> str:
        return "/oracle/{name}".format(**arena_games.oracle(self.post))

    @cached_property
    def close(self) -> str:
        return "/contest/{name}/close/{secret}".format(**arena_games.contest(self.post))

    @cached_property
    def contest(self) -> str:
        return self.close.partition("/close/")[0]

    @cached_property
    def invited(self) -> str:
        made = self.post("/contests", CONTEST | {"entry_key": "x"})
        return self._path(made.json()["self"])

    @cached_property
    def entered(self) -> str:
        """An oracle of the contest."""
        return self._path(self.post(f"{self.contest}/entry", ADA).json()["oracle_URIs"][0])

    def seats(self, *seats: Any) -> list[str]:
        made = self.post("/tables", {**TABLE, "seats": list(seats)}).json()["seats"]
        return [self._path(seat.get("url", "")) for seat in made]

    @cached_property
    def seat(self) -> str:
        """Asked for a move."""
        return self.seats(*SEATS)[1]

    @cached_property
    def ask(self) -> str:
        return str(self._client.get(self.seat).json()["asks"][0]["id"])

    @property
    def table(self) -> str:
        return self.seat.partition("/seats/")[0]

    @cached_property
    def stirring(self) -> str:
        return self.seats(SEATS[0], STIRS)[1]

    @cached_property
    def chaining(self) -> str:
        return self.seats(SEATS[0], {"name": "Ada", "lends": "chain"})[1]

    @cached_property
    def two(self) -> list[str]:
        return self.seats(SEATS[1], {"name": "Bea"})

    @cached_property
    def early(self) -> str:
        """At a table where the other seat is open."""
        return self.seats({"open": True}, SEATS[1])[1]

    @property
    def open(self) -> str:
        return self.early.partition("/seats/")[0]

    @cached_property
    def over(self) -> str:
        """Where a player of the house has played."""
        return "/tables/{name}".format(**arena_games.played_table(self.post))


GUESS = {"submission": [0, 0, 0, 0]}
MISS = {"submission": [0, 0, 1, 1]}
SHARE, OTHER = {"share": "ab" * 32}, {"share": "cd" * 32}
ADA = {"team_name": "Ada", "software_version": "1"}
AWAY = ORACLE | {"oraclefactories": ["http://a.example/x"], "games_per_orclefactory": 1}
OUT = {"entry": 0, "reason": "not invited"}
TRY = {"line": 2, "seat": 1, "move": "jump"}
SAME = {**TABLE, "seats": [SEATS[1], SEATS[1]]}

REFUSED: list[tuple[str, str, str, list[Any]]] = [
    ("new_oracle", "game/params", "101", ["POST /neworacle", {**ORACLE, "base": 101}]),
    (
        "new_oracle",
        "game/params",
        "'moody'",
        ["POST /neworacle", {**ORACLE, "oracle_type": "moody"}],
    ),
    ("submit", "move/illegal", "not 3", ["POST {s.oracle}", {"submission": [0, 0, 0]}]),
    ("submit", "move/illegal", "not 6", ["POST {s.oracle}", {"submission": [0, 0, 0, 6]}]),
    ("submit", "arena/over", "given up", ["DELETE {s.oracle}", "POST {s.oracle}", GUESS]),
    ("give_up", "arena/over", "given up", ["DELETE {s.oracle}", "DELETE {s.oracle}"]),
    ("lend_share", "share/bad", "'zz'", ["PUT {s.oracle}/share", {"share": "zz"}]),
    (
        *("lend_share", "arena/conflict", "once"),
        ["PUT {s.oracle}/share", SHARE, "PUT {s.oracle}/share", OTHER],
    ),
    ("lend_share", "arena/conflict", SHARE["share"], ["PUT {s.entered}/share", SHARE]),
    ("lend_share", "arena/over", "over", ["DELETE {s.oracle}", "PUT {s.oracle}/share", SHARE]),
    ("oracle_transcript", "arena/too-early", "before the contest", ["GET {s.entered}/transcript"]),
    ("codes_left", "arena/too-early", "in a contest", ["GET {s.entered}/left"]),
    ("new_contest", "game/params", "not 0", ["POST /newcontest", {**CONTEST, "games": 0}]),
    ("new_contest", "arena/forbidden", "http://a.example/x", ["POST /newcontest", AWAY]),
    ("open_contest", "game/params", "not 0", ["POST /contests", {**CONTEST, "games": 0}]),
    ("open_contest", "arena/forbidden", "http://a.example/x", ["POST /contests", AWAY]),
    (
        "enter_contest",
        "arena/name",
        "' Ada'",
        ["POST {s.contest}/entry", ADA | {"team_name": " Ada"}],
    ),
    (
        "enter_contest",
        "arena/conflict",
        "'Ada'",
        ["GET {s.entered}", "POST {s.contest}/entry", ADA],
    ),
    ("enter_contest", "arena/forbidden", "by invitation", ["POST {s.invited}/entry", ADA]),
    (
        "enter_contest",
        "arena/over",
        "closed",
        ["POST {s.close}", {}, "POST {s.contest}/entry", ADA],
    ),
    ("remove_entry", "arena/name", "not ''", ["POST {s.close}/remove", OUT | {"reason": ""}]),
    (
        *("remove_entry", "arena/conflict", "has made a submission"),
        ["POST {s.entered}", MISS, "POST {s.close}/remove", OUT],
    ),
    ("remove_entry", "arena/over", "closed", ["POST {s.close}", {}, "POST {s.close}/remove", OUT]),
    ("contest_file", "arena/too-early", "before the contest closes", ["GET {s.contest}/file"]),
    ("new_table", "input/bad", "not by 1", ["POST /tables", {**TABLE, "seats": SEATS[:1]}]),
    ("new_table", "game/params", "'hats'", ["POST /tables", {**TABLE, "params": {"hats": 2}}]),
    ("new_table", "name/unknown", "'chess/1'", ["POST /tables", {**TABLE, "game": "chess/1"}]),
    ("new_table", "arena/name", "tell apart", ["POST /tables", SAME]),
    ("take_seat", "arena/name", "tell apart", ["POST {s.open}/seats", {"name": "Ada"}]),
    ("take_seat", "input/bad", "'gold'", ["POST {s.open}/seats", {"name": "Bob", "lends": "gold"}]),
    (
        "take_seat",
        "arena/conflict",
        "not open",
        ["POST {s.open}/seats", {"name": "Bob", "seat": 1}],
    ),
    ("make_remark", "input/bad", "direction marks", ["POST {s.seat}/remark", {"text": "a\u202eb"}]),
    (
        *("make_remark", "arena/over", "over"),
        ["POST {s.seat}/forfeit", {}, "POST {s.seat}/remark", {"text": "bye"}],
    ),
    ("make_remark", "ask/stale", "not begun", ["POST {s.early}/remark", {"text": "hello"}]),
    ("table_review", "arena/too-early", "over", ["GET {s.table}/review?seat=Ada"]),
    ("try_again", "arena/too-early", "over", ["POST {s.table}/review", TRY]),
    ("try_again", "input/bad", "line 2", ["POST {s.over}/review", TRY]),
    ("try_again", "move/illegal", "'jump'", ["POST {s.over}/review", TRY | {"line": 4}]),
    ("ask_for_hint", "ask/stale", "no hint", ["POST {s.early}/hint"]),
    ("play_again", "ask/stale", "not over", ["POST {s.seat}/rematch"]),
    ("answer", "move/illegal", "'jump'", ["POST {s.seat}", {"answer": "jump"}]),
    ("answer", "move/illegal", "not 1.5", ["POST {s.seat}", {"answer": 1.5}]),
    ("answer", "share/bad", "not 7", ["POST {s.stirring}", {"answer": 7}]),
    ("answer", "share/bad", "'zz'", ["POST {s.chaining}", {"answer": "zz"}]),
    ("answer", "ask/stale", "'move.99'", ["POST {s.seat}", {"ask": "move.99", "answer": "roll"}]),
    (
        *("answer", "arena/conflict", "answered already"),
        [
            *("POST {s.seat}", {"ask": "{s.ask}", "answer": "roll"}),
            *("POST {s.seat}", {"ask": "{s.ask}", "answer": "pass"}),
        ],
    ),
    (
        *("answer", "arena/over", "over"),
        ["POST {s.seat}/forfeit", {}, "POST {s.seat}", {"ask": "move.99", "answer": "roll"}],
    ),
    ("leave", "arena/over", "over", ["POST {s.two[0]}/forfeit", {}, "POST {s.two[1]}/forfeit", {}]),
    ("get_up", "arena/conflict", "has begun", ["DELETE {s.seat}"]),
]
"""Route, code, a word of the detail, and requests (with a body or not): the last is refused."""

ELSEWHERE = {
    "arena/error": "our mistakes",
    "arena/limit": "test_arena_serve, and below",
    "arena/attempts": "test_growth",
    "store/conflict": "two servers, over and over",
    "install/missing": "the tests have all packages",
    "arena/factory": "test_arena_factories",
    "arena/factory-timeout": "test_arena_factories",
    "arena/conflict": "of a submission to a relayed game: test_arena_factories",
}
"""Codes that are not provoked here, and where they are."""


@pytest.mark.parametrize(
    ("name", "code", "word", "requests"), REFUSED, ids=lambda one: one if type(one) is str else ""
)
def test_what_the_rules_refuse(
    name: str, code: str, word: str, requests: list[Any], client: Client
) -> None:
    status = next(kind.status for kind in kinds() if kind.code == code)
    story, answer = Story(client), None
    for where, body in pairwise([*requests, ""]):
        if isinstance(where, str):
            answer = story.send(where, None if isinstance(body, str) else body)
    assert word in problem(answer, status, code)
    route = next(one for one in OPERATIONS if one.name == name)
    assert code in route.codes
    assert code in str(route.told["responses"][str(status)])


@pytest.mark.parametrize("route", OURS, ids=lambda route: route.name)
def test_every_problem_in_the_document_happens(route: Operation) -> None:
    always = {problems.kind_of(error).code for error in openapi.always(route.method, route.told)}
    provoked = {code for name, code, *_ in REFUSED if name == route.name}
    elsewhere = ELSEWHERE.keys() - (set() if route.name == "submit" else {"arena/conflict"})
    assert route.codes - always - elsewhere == provoked - always


# The whole list


def kinds() -> set[problems.ErrorKind]:
    """Every kind of problem that some route can answer with."""
    handlers = [one for those in ROUTES.values() for one in those]
    errors = {error for one in handlers for error in one.opt.get(problems.REFUSES, ())}
    errors |= {problems.WrongMethod, problems.ArenaError}
    # before any route is found:
    errors |= {problems.TooSlow, problems.HeadTooLarge, problems.WrongHost, problems.Crowded}
    errors |= {
        problems.BeingServed,
        problems.AnswerLost,
        problems.KeyReused,
    }  # where there is a key
    for route in OPERATIONS:
        errors |= set(openapi.always(route.method, route.told))
    return {problems.kind_of(error) for error in errors}


def test_the_documentation_lists_every_code_with_its_status() -> None:
    section = DOCS.read_text().partition("## What goes wrong")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d{3})\D.*?\| (.*) \|$", section, re.MULTILINE)
    listed = {
        (code, int(status))
        for status, codes in rows
        for code in re.findall(r"`([a-z]+/[a-z-]+)`", codes)
    }
    assert listed == {(kind.code, kind.status) for kind in kinds()}


def test_what_no_error_foresees_is_ours(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr(client.app.state.arena.hall.store, "count", broken)
    answer = client.get("/metrics")
    assert "secret" not in problem(answer, 500, "arena/error")


def test_the_gate_answers_as_the_rest_does(tmp_path: Path) -> None:
    limits, metrics = ClientLimits(rate=1), Metrics()
    app: Any = make_app(f"sqlite:///{tmp_path}/arena.db", limits=limits, metrics=metrics)
    gate: Any = Gate(app, limits, metrics)
    with TestClient(gate) as client:
        answers = [client.get("/schema/openapi.json") for _ in range(5)]
    problem(answers[-1], 429, "arena/limit")
    assert answers[-1].headers["retry-after"] == "1"
