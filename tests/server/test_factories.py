"""Oracle factories elsewhere: relayed, counted here, and never anywhere that was not allowed."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar.testing import TestClient

from fairground.cli import main
from fairground.clients.http import Http
from fairground.clients.oracles import Arena, Oracle
from fairground.contest.file import check
from fairground.contest.games import Part
from fairground.core import InputError
from fairground.games.codebreaking.rules import Row
from fairground.server.app import make_app
from fairground.server.contests.factories import (
    LARGEST,
    Allowed,
    Factories,
    FactoryFailed,
    FactorySlow,
    NotAllowed,
    read_address,
)
from fairground.server.contests.games import MOST_FAILURES
from fairground.transcript import canonical
from fairground.verifier import verify
from tests.contest.test_book import tampered
from tests.helpers.arena import Client, in_a_thread, problem
from tests.helpers.contests import rechained, sections, solve
from tests.helpers.foreign_factory import Answer, Foreign, foreign
from tests.helpers.places import ROOT
from tests.helpers.postgres import throw_away_cluster
from tests.server.test_contests import Contest, a_database, submit

GAME = {"base": 4, "length": 3, "oracle_type": "fair"}


@pytest.fixture
def there() -> Iterator[Foreign]:
    with foreign() as server:
        yield server


@pytest.fixture
def forbidden() -> Iterator[Foreign]:
    """A server that nobody allowed; whatever happens, it must not even be connected to."""
    with foreign() as server:
        yield server
        assert server.connections == 0


@pytest.fixture
def client(database: str, there: Foreign) -> Iterator[Client]:
    with TestClient(make_app(database, factories=Factories([there.url]))) as client:
        yield client


def relayed(*factories: Foreign | str, games: int = 1, **more: Any) -> dict[str, Any]:
    uris = [one.factory if isinstance(one, Foreign) else one for one in factories]
    return {**GAME, "oraclefactories": uris, "games_per_orclefactory": games, **more}


def play(client: Client, uri: str) -> list[Row]:
    seen = client.get(uri).json()
    return solve(seen["base"], seen["length"], lambda guess: submit(client, uri, guess))


def post(client: Client, uri: str, guess: Sequence[int]) -> Any:
    return client.post(uri, json={"submission": list(guess)})


# What is an address, and which are covered


@pytest.mark.parametrize(
    ("text", "canonical_form"),
    [
        ("http://a.example", "http://a.example"),
        ("HTTPS://A.Example:443/new?x=%2e%2e", "https://a.example/new?x=%2e%2e"),
        ("http://a.example:8080/x", "http://a.example:8080/x"),
        ("http://[0:0:0::1]:80/", "http://[::1]/"),
        ("http://127.0.0.1:9/%20", "http://127.0.0.1:9/%20"),
        ("http://xn--e1afmkfd.example/", "http://xn--e1afmkfd.example/"),
    ],
)
def test_addresses(text: str, canonical_form: str) -> None:
    assert str(read_address(text)) == canonical_form


TRICKS = [
    "http://good.example@evil.example/",
    "http://good.example:80@evil.example/",
    "http://good.example\\@evil.example/",
    "http://good.example/\\..\\",
    "http://good.example/a/../b",
    "http://good.example/a/./b",
    "http://good.example/a/..;x=1/b",
    "http://good.example/a/%2e%2E/b",
    "http://good.example/a%2fb",
    "http://good.example/a%5cb",
    "http://good.example/a%252e",
    "http://good.example/%0d%0aHost:evil",
    "http://good.example/%",
    "http://good.example/ x",
    "http://good.example/\r\nHost: evil",
    "http://good.example\t.evil.example/",
    "http://gööd.example/",
    "http://good.example./",
    "http://good.example:/",
    "http://good.example:0/",
    "http://good.example:99999/",
    "http://good.example/#there",
    "http://2130706433/",
    "http://127.1/",
    "http://[fe80::1%25eth0]/",
    "http://[::1/",
    "http://",
    "http:///path",
    "//good.example/",
    "good.example/",
    "ftp://good.example/",
    "file:///etc/passwd",
    "",
    "http://good.example/" + "x" * 2000,
]


@pytest.mark.parametrize("text", TRICKS)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InputError, match="cannot be used as an address"):
        read_address(text)
    with pytest.raises(InputError):
        Factories([text])
    with pytest.raises(NotAllowed):
        Allowed(["http://good.example/"]).read(text)


@pytest.mark.parametrize(
    ("prefix", "covered", "not_covered"),
    [
        (
            "http://good.example/a",
            ["http://good.example/a", "http://GOOD.example:80/a/b?c", "http://good.example/a?q=1"],
            [
                "http://good.example/",
                "http://good.example/ab",
                "https://good.example/a",
                "http://good.example:81/a",
                "http://good.example.evil.example/a",
                "http://evil.example/http://good.example/a",
                "http://evil.example/?http://good.example/a",
            ],
        ),
        (
            "http://good.example/a/",
            ["http://good.example/a/", "http://good.example/a/b"],
            ["http://good.example/a", "http://good.example/b"],
        ),
        ("http://[::1]:9", ["http://[::1]:9/x"], ["http://[::2]:9/x", "http://127.0.0.1:9/x"]),
    ],
)
def test_prefixes(prefix: str, covered: list[str], not_covered: list[str]) -> None:
    allowed = Allowed([prefix])
    for uri in covered:
        allowed.read(uri)
    for uri in not_covered:
        with pytest.raises(NotAllowed):
            allowed.read(uri)


def test_a_prefix_has_no_query() -> None:
    with pytest.raises(InputError, match="query"):
        Factories(["http://good.example/?a=b"])


def test_a_bad_prefix_is_said_before_the_arena_starts(capsys: Any, tmp_path: Path) -> None:
    options = ["--database", f"sqlite:///{tmp_path}/a.db", "--allow-factory", "friend.example"]
    assert main(["serve", "--port", "0", *options]) == 2
    said = capsys.readouterr().err
    assert "'friend.example'" in said
    assert "http://" in said


# Name resolution


def run(doing: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(doing)


def resolver(*answers: Sequence[str]) -> Callable[[str], Coroutine[Any, Any, Sequence[str]]]:
    """A name server that says something else each time; in the end always the last."""
    waiting = list(answers)

    async def resolve(_: str) -> Sequence[str]:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return resolve


PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "::1",
    "::",
    "fe80::1%eth0",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::1",
    "64:ff9b::7f00:1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_must_not_lead_into_the_house(address: str) -> None:
    for answer in ([address], ["8.8.8.8", address]):
        allowed = Allowed(["http://good.example/"], resolver(answer))
        with pytest.raises(NotAllowed, match="not public"):
            run(allowed.pinned("good.example"))


def test_names_that_lead_somewhere() -> None:
    async def seen() -> None:
        public = Allowed(["http://good.example/"], resolver(["8.8.8.8", "2606:4700::1111"], ["::"]))
        for _ in range(3):
            assert await public.pinned("good.example") == ["8.8.8.8", "2606:4700::1111"]
        with pytest.raises(NotAllowed):
            await public.pinned("other.example")
        with pytest.raises(NotAllowed, match="no address"):
            await Allowed(["http://good.example/"], resolver([])).pinned("good.example")
        here = Allowed(["http://localhost/"], resolver(["127.0.0.1", "::1"]))
        assert await here.pinned("localhost") == ["127.0.0.1", "::1"]
        with pytest.raises(NotAllowed, match="leads away"):
            await Allowed(["http://localhost/"], resolver(["8.8.8.8"])).pinned("localhost")
        literal = Allowed(["http://10.0.0.1/", "http://[::1]/"], resolver([]))
        assert [*await literal.pinned("10.0.0.1"), *await literal.pinned("::1")] == [
            "10.0.0.1",
            "::1",
        ]

    run(seen())


async def make_at(url: str, allow: Sequence[str], **options: Any) -> str:
    factories = Factories(allow, **options)
    try:
        return await factories.make(url, 4, 3, "fair")
    finally:
        await factories.close()


def test_nothing_is_sent_to_where_a_public_name_must_not_lead(forbidden: Foreign) -> None:
    url = f"http://good.example:{forbidden.port}/make"
    with pytest.raises(FactoryFailed, match="not public"):
        run(make_at(url, [url], resolve=resolver(["127.0.0.1"])))


def test_a_name_that_moves_is_not_followed(there: Foreign) -> None:
    """DNS rebinding: the second answer leads to another server, even when the first is gone."""
    with foreign("127.0.0.2", there.port) as elsewhere:
        url = f"http://localhost:{there.port}/make"

        async def played() -> None:
            factories = Factories([url.removesuffix("make")], resolve=moving)
            oracle = await factories.make(url, 4, 3, "fair")
            assert oracle.startswith(f"http://localhost:{there.port}/game")
            await factories.submit(url, oracle, (0, 1, 2), again=False)
            there.kill()
            for _ in range(2):
                with pytest.raises(FactoryFailed, match="takes no connection"):
                    await factories.submit(url, oracle, (0, 1, 2), again=True)
            await factories.close()

        moving = resolver(["127.0.0.1"], ["127.0.0.2"])
        try:
            run(played())
        finally:
            there.start()
        assert elsewhere.connections == 0
        assert len(there.requests) == 3


def test_a_name_that_cannot_be_resolved_may_be_later(there: Foreign) -> None:
    answers: list[Any] = [OSError("no name server"), ["127.0.0.1"]]

    async def resolve(_: str) -> Sequence[str]:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return list(answer)

    async def twice() -> None:
        url = f"http://localhost:{there.port}/make"
        factories = Factories([url, there.url, url[:-4]], resolve=resolve)
        with pytest.raises(FactoryFailed):
            await factories.make(url, 4, 3, "fair")
        assert await factories.make(url, 4, 3, "fair")
        await factories.close()

    run(twice())


def test_proxies_of_the_environment_are_not_used(
    there: Foreign, forbidden: Foreign, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, forbidden.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert run(make_at(there.factory, [there.url]))


def test_certificates_are_checked_by_the_name(there: Foreign, tmp_path: Path) -> None:
    def certificate(name: str) -> tuple[Path, Path]:
        key, made = tmp_path / f"{name}.key", tmp_path / f"{name}.pem"
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
                *("ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", key, "-out", made),
                *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"),
            ],
            check=True,
            capture_output=True,
        )
        return made, key

    def secured(made: Path, key: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made, key)
        server: ThreadingHTTPServer = there._server
        server.socket = context.wrap_socket(server.socket, server_side=True)

    url = f"https://localhost:{there.port}/make"
    allow = [url.removesuffix("make")]
    for name in ("localhost", "other.example"):
        there.kill()
        there.start()
        made, key = certificate(name)
        secured(made, key)
        trust = ssl.create_default_context(cafile=str(made))
        if name == "localhost":
            oracle = run(make_at(url, allow, trust=trust, resolve=resolver(["127.0.0.1"])))
            assert oracle.startswith(url.removesuffix("make"))
            assert len(there.games) == 1
        with pytest.raises(FactoryFailed, match="certificate"):
            context = trust if name != "localhost" else None
            run(make_at(url, allow, trust=context, resolve=resolver(["127.0.0.1"])))
    assert len(there.games) == 1


# What a factory may say


def said(status: int = 200, body: Any = None, **headers: str) -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return status, headers, data


def counts(full: Any, partial: Any) -> Answer:
    return said(body={"full_match_count": full, "partial_match_count": partial})


@pytest.mark.parametrize(
    ("method", "answer", "reason"),
    [
        ("make", said(200, {"oracle": "/game"}), "answers 200 and makes no game"),
        ("make", said(500, b"boom"), "answers 500"),
        ("make", said(307, Location="/other"), "answers 307"),
        ("make", said(303), "answers 303 and makes no game"),
        ("make", said(303, Location="http://evil.example/"), "does not allow"),
        ("make", said(303, Location="//evil.example/"), "does not allow"),
        ("make", said(303, Location="/\\evil.example/"), "does not allow"),
        ("make", said(303, Location="/a/../../b"), "404 when asked about its game"),
        ("make", said(303, Location="http://[/"), "does not allow"),
        ("GET", said(302, Location="/make"), "answers 302 when asked"),
        ("GET", said(200, b"<html>"), "no JSON object"),
        ("GET", said(200, [4, 3]), "no JSON object"),
        ("GET", said(200, {"base": 4}), "its length is wrong"),
        ("GET", said(200, {**GAME, "base": 5}), "its base is wrong"),
        ("GET", said(200, {**GAME, "base": 4.0}), "its base is wrong"),
        ("GET", said(200, {**GAME, "oracle_type": "nice"}), "its oracle_type is wrong"),
        ("GET", said(200, b" " * (LARGEST + 1)), f"more than {LARGEST} bytes"),
        ("GET", said(200, b"[" * 50_000), "no JSON object"),
        ("GET", said(200, b'{"base": "\xff"}'), "no JSON object"),
        ("submit", said(404, {}), "answers a submission with 404"),
        ("submit", said(307, Location="/make"), "answers a submission with 307"),
        ("submit", counts(True, 0), "without two counts"),
        ("submit", counts(1.0, 0), "without two counts"),
        ("submit", counts("1", 0), "without two counts"),
        ("submit", said(200, {"full_match_count": 1}), "without two counts"),
        ("submit", said(200, b'{"full_match_count": 1'), "no JSON object"),
        ("submit", said(200, b"{" + b" " * 10**7 + b"}"), f"more than {LARGEST} bytes"),
    ],
)
def test_answers_that_are_none(there: Foreign, method: str, answer: Answer, reason: str) -> None:
    kinds = {"make": ("POST", "/make"), "GET": ("GET", "/game"), "submit": ("POST", "/game")}

    def instead(*request: Any) -> Answer | None:
        wanted, path = kinds[method]
        return answer if request[0] == wanted and request[1].startswith(path) else None

    there.instead = instead

    async def played() -> None:
        factories = Factories([there.url])
        try:
            oracle = await factories.make(there.factory, 4, 3, "fair")
            assert method == "submit"
            await factories.submit(there.factory, oracle, (0, 1, 2), again=False)
        finally:
            await factories.close()

    with pytest.raises(FactoryFailed, match=r"oracle factory .*make' ") as caught:
        run(played())
    assert reason in str(caught.value)
    assert "game?" not in str(caught.value), "where a game is kept is nobody's business"


def test_a_factory_need_not_name_the_type(there: Foreign) -> None:
    there.instead = lambda method, *_: (
        said(body={"base": 4, "length": 3}) if method == "GET" else None
    )
    assert run(make_at(there.factory, [there.url]))


def test_a_connection_that_breaks(there: Foreign) -> None:
    def hang_up(*_: Any) -> Answer | None:
        raise ConnectionAbortedError

    there.instead = hang_up
    with pytest.raises(FactoryFailed, match="breaks the connection off"):
        run(make_at(there.factory, [there.url]))


def test_a_factory_that_drips_has_no_more_time(there: Foreign) -> None:
    """Each byte comes soon after the last one, and there is no end to them."""
    pace = threading.Event()
    there.instead = lambda *_: (200, {}, iter(lambda: b"" if pace.wait(0.02) else b" ", None))
    trying = asyncio.wait_for(make_at(there.factory, [there.url], seconds=0.3), 20)
    with pytest.raises(FactorySlow, match="in time"):
        run(trying)


# A contest


def without(client: Client, contest: Contest, uris: Sequence[str], secrets: Sequence[str]) -> None:
    """Nothing that is told before the close holds one of these."""
    pages = [contest.uri, *(f"{contest.uri}/{p}" for p in ("standings", "standings.csv", "book"))]
    for uri in (*pages, *uris):
        text = client.get(uri).text
        for secret in secrets:
            assert secret not in text, uri


def test_a_contest_here_and_at_two_factories(database: str, there: Foreign, tmp_path: Path) -> None:
    """Our own arena elsewhere, a server that is none of ours, and games that are kept here."""
    with (
        in_a_thread(make_app(f"sqlite:///{tmp_path}/second.db")) as second,
        in_a_thread(make_app(database, factories=Factories([there.url, second]))) as here,
        httpx.Client(base_url=here, timeout=60) as real,
    ):
        client: Any = real
        contest = Contest(
            client, [{**GAME, "games": 3}, relayed(there, f"{second}/neworacle", games=2)]
        )
        seen = contest.watch()
        assert (seen["games"], seen["base"], seen["length"]) == (7, 4, 3)
        assert [(p["proof"], p.get("oraclefactory")) for p in seen["parts"]] == [
            ("committed", None),
            ("unproven", there.factory),
            ("unproven", f"{second}/neworacle"),
        ]
        assert "relayed games are unproven" in seen["covers"]
        assert len(there.games) == 1, "but for the trial, a game is made when it is first played"
        steps = {}
        for team in "AB":
            uris = contest.enter(team)
            kept = [client.get(uri).json().get("oraclefactory") for uri in uris]
            assert sorted(map(str, kept)).count("None") == 3
            for uri in uris:
                steps[uri] = len(play(client, uri))
                assert client.get(uri).json()["attempts"] == steps[uri]
        bot = ROOT / "examples" / "bots" / "python_bot.py"
        command = [sys.executable, str(bot), contest.uri, "C", "1"]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
        assert contest.team("C")["solved"] == 7
        secrets = [path.partition("=")[2] for path in there.games]
        assert len(there.played()) == 6, "each entry has a game of its own"
        without(client, contest, uris, secrets)
        assert all(game.solved for game in there.played())
        contest.close()
        data = contest.file()
        verdict = check(data)
        assert verdict.ok, verdict.fault
        names = [claim.name for claim in verdict.claims]
        assert names == ["COMMITTED", "UNPROVEN"]
        assert "4 of 7 games" in verdict.claims[1].result
        table = client.get(f"{contest.uri}/standings").json()
        assert verdict.table == table
        by_team = {row["team_name"]: row for row in table["official"]}
        for team, start in (("A", 0), ("B", 7)):
            assert by_team[team]["steps"] == sum(list(steps.values())[start : start + 7])
        assert [pair["both_solved"] for pair in table["pairs"]] == [3, 3, 3], "the same codes only"
        assert "4 games are relayed" in table["notes"][-2]
        forced = {row["oraclefactory"]: row["steps"] for row in table["factories"]}
        assert forced.keys() == {None, there.factory, f"{second}/neworacle"}
        assert forced[there.factory] == sum(len(game.submissions) for game in there.played())
        for uri, factory in zip(uris, kept, strict=True):
            ended = client.get(uri).json()
            transcript = client.get(ended["transcript"]).content
            proven = verify(transcript)
            assert proven.ok, proven.fault
            assert ("unproven" in proven.seats[0]) == (factory is not None)
            if factory is not None:
                assert factory.encode() in transcript
                where = ended["reveal"]["note"].rpartition(" ")[2]
                assert ("/game?no=" in where) == (factory == there.factory)
                assert httpx.get(where).json()["solved"] is True
                assert "key" not in ended["reveal"]


def book(client: Client, contest: Contest) -> list[dict[str, Any]]:
    return [json.loads(line) for line in client.get(f"{contest.uri}/book").text.splitlines()]


def holds(contest: Contest) -> bytes:
    """Close the contest; its file, which holds."""
    contest.close()
    data = contest.file()
    verdict = check(data)
    assert verdict.ok, verdict.fault
    return data


class TestAFactoryThatDies:
    def test_and_comes_back(self, client: Client, there: Foreign) -> None:
        contest = Contest(client, [relayed(there, games=2), {**GAME, "games": 1}])
        uris = contest.enter("A")
        uri, other = (u for u in uris if "oraclefactory" in client.get(u).json())
        (local,) = set(uris) - {uri, other}
        submit(client, uri, (3, 3, 2))
        there.kill()
        answer = post(client, uri, (0, 0, 1))
        assert "takes no connection" in problem(answer, 502, "arena/factory")
        assert answer.headers["retry-after"] == "2"
        problem(post(client, other, (0, 0, 1)), 502, "arena/factory")
        seen = client.get(uri).json()
        assert (seen["attempts"], seen["pending"]) == (1, [0, 0, 1])
        assert "takes no connection" in seen["trouble"]
        assert "pending" not in client.get(other).json(), "it was not even made"
        team = contest.team("A")
        assert (team["waiting"], team["still_open"]) == (2, 3)
        assert there.factory in team["trouble"]
        play(client, local)  # the others go on
        # Length, then digits, then whether another one is on its way.
        problem(post(client, uri, (0, 0)), 422, "move/illegal")
        problem(post(client, uri, (0, 0, 4)), 422, "move/illegal")
        assert "[0, 0, 1]" in problem(post(client, uri, (0, 0, 2)), 409, "arena/conflict")
        lines = contest.watch()["lines"]
        problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
        assert contest.watch()["lines"] == lines, "it is known that it waits"
        there.start()
        submit(client, uri, (0, 0, 1))
        assert contest.team("A")["waiting"] == 1
        seen = client.get(uri).json()
        assert (seen["attempts"], "trouble" in seen, "pending" in seen) == (2, False, False)
        steps = len(play(client, other))
        team = contest.team("A")
        assert (team["waiting"], team["trouble"], team["solved"]) == (0, None, 2)
        assert [len(game.submissions) for game in there.played()] == [2, steps]
        holds(contest)
        kinds = [line["kind"] for line in book(client, contest)]
        assert (kinds.count("failed"), kinds.count("recovered")) == (2, 2)

    def test_and_does_not(self, client: Client, there: Foreign) -> None:
        """What waits at the close is unfinished; and giving up needs no factory."""
        contest = Contest(client, relayed(there, games=4))
        waits, made, given_up, untouched = contest.enter("A")
        for uri in (waits, given_up):
            submit(client, uri, (3, 3, 2))
        there.kill()
        for uri in (waits, given_up, made):
            problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
        for uri in (given_up, untouched):
            assert client.delete(uri).json()["over"] is True
            problem(client.delete(uri), 409, "arena/over")
            problem(post(client, uri, (0, 0, 1)), 409, "arena/over")
        team = contest.team("A")
        assert (team["given_up"], team["unfinished"], team["waiting"]) == (2, 2, 2)
        data = holds(contest)
        team = contest.team("A")
        assert (team["unfinished"], team["waiting"]) == (4, 2)
        steps = [line["steps"] for line in book(client, contest) if line["kind"] == "finished"]
        assert steps == [1, 0], "what was never answered is no step"
        assert b"/game?no=" not in data
        there.start()

    def test_and_the_arena_as_well(self, database: str, there: Foreign, forbidden: Foreign) -> None:
        """After a crash the unanswered submission stands, and is sent again; none is lost."""
        allow = Factories([there.url])
        with TestClient(make_app(database, factories=allow)) as client:
            contest = Contest(client, relayed(there))
            (uri,) = contest.enter("A")
            submit(client, uri, (3, 3, 2))
            there.kill()
            problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
            before = contest.watch()
        there.start()
        requests = len(there.requests)
        # The operator has changed their mind, and nothing goes there any more.
        with TestClient(make_app(database, factories=Factories([forbidden.url]))) as client:
            contest.client = client
            assert contest.watch() == before
            problem(post(client, uri, (3, 3, 3)), 409, "arena/conflict")
            said = problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
            assert "--allow-factory" in said
            assert len(there.requests) == requests
        with TestClient(make_app(database, factories=Factories([there.url]))) as client:
            contest.client = client
            assert client.get(uri).json()["pending"] == [0, 0, 1]
            submit(client, uri, (0, 0, 1))
            play(client, uri)
            (game,) = there.played()
            assert client.get(uri).json()["attempts"] == len(game.submissions)
            holds(contest)

    def test_right_after_the_code_was_found(self, client: Client, there: Foreign) -> None:
        """The answer is lost, and the game over there is over: it says so itself."""
        contest = Contest(client, relayed(there))
        (uri,) = contest.enter("A")
        lost: list[Any] = []

        def hangs_up(method: str, path: str, body: dict[str, Any]) -> Answer | None:
            game = there.games.get(path)
            if game is not None and body.get("submission") == game.code and not game.solved:
                game.submissions.append(game.code)
                game.solved = True
                raise ConnectionAbortedError
            return None

        def ask(guess: Sequence[int]) -> tuple[int, int]:
            answer = post(client, uri, guess)
            if answer.status_code == 502:
                lost.append(guess)
                assert client.get(uri).json()["pending"] == list(guess)
                return submit(client, uri, guess)
            return answer.json()["full_match_count"], answer.json()["partial_match_count"]

        there.instead = hangs_up
        rows = solve(4, 3, ask)
        assert lost == [rows[-1].guess]
        assert contest.team("A")["solved"] == 1
        (game,) = there.played()
        assert client.get(uri).json()["attempts"] == len(rows) == len(game.submissions)
        holds(contest)


async def tried(there: Foreign, seconds: float = 10) -> None:
    factories = Factories([there.url], seconds=seconds)
    try:
        await factories.probe([Part(4, 3, "fair", 7, there.factory)])
    finally:
        await factories.close()


class TestAFactoryThatIsTriedBeforeAContestIsMade:
    """It must make a game, describe it, and answer one submission, as the source document says."""

    @pytest.mark.parametrize(
        ("instead", "why"),
        [
            (lambda *_: said(200), "answers 200 and makes no game"),
            (lambda _, __, body: counts(2, 2) if "submission" in body else None, "no code has"),
        ],
    )
    def test_and_fails(self, there: Foreign, instead: Any, why: str) -> None:
        there.instead = instead
        with pytest.raises(FactoryFailed, match=f"{re.escape(there.factory)}.*{why}.*no contest"):
            run(tried(there))

    def test_and_is_silent(self, there: Foreign) -> None:
        release = threading.Event()

        def silent(*_: Any) -> Answer | None:
            release.wait(30)
            return None

        there.instead = silent
        with pytest.raises(FactorySlow, match="did not answer in time; so no contest was made"):
            run(tried(there, seconds=0.2))
        release.set()

    def test_and_is_not_there(self, client: Client, there: Foreign) -> None:
        there.kill()
        answer = client.post("/newcontest", json=relayed(there), follow_redirects=False)
        assert "takes no connection" in problem(answer, 502, "arena/factory")
        assert client.get("/contests").json()["contests"] == []
        there.start()
        Contest(client, [relayed(there, games=5), relayed(there, games=2), relayed(there, base=3)])
        kinds = [game.wanted["base"] for game in there.games.values()]
        assert sorted(kinds) == [3, 4], "each kind of game once"


class TestAFactoryThatLies:
    def test_about_the_end(self, client: Client, there: Foreign) -> None:
        """Found, though its own answers exclude it: that does not count, for or against."""
        contest = Contest(client, relayed(there))
        (uri,) = contest.enter("A")
        there.instead = lambda method, path, body: counts(0, 0) if "submission" in body else None
        submit(client, uri, (0, 0, 1))
        there.instead = lambda method, path, body: counts(3, 0) if "submission" in body else None
        said = problem(post(client, uri, (0, 3, 3)), 502, "arena/factory")
        assert "against its earlier answers" in said
        assert client.get(uri).json()["attempts"] == 1
        holds(contest)

    @pytest.mark.parametrize("answer", [(2, 1), (-1, 0), (2, 2), (4, 0)])
    def test_with_counts_that_cannot_be(
        self, client: Client, there: Foreign, answer: tuple[int, int]
    ) -> None:
        contest = Contest(client, relayed(there))
        (uri,) = contest.enter("A")
        there.instead = lambda method, path, body: counts(*answer) if "submission" in body else None
        problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
        there.instead = lambda *_: None
        play_on = submit(client, uri, (0, 0, 1))
        assert client.get(uri).json()["attempts"] == 1, play_on

    def test_about_where_its_games_are(
        self, client: Client, there: Foreign, forbidden: Foreign
    ) -> None:
        contest = Contest(client, relayed(there, games=2))
        uri, other = contest.enter("A")
        there.instead = lambda *_: said(303, Location=f"{forbidden.url}game")
        reason = problem(post(client, uri, (0, 0, 1)), 502, "arena/factory")
        assert "does not allow" in reason
        assert str(forbidden.port) not in reason
        there.instead = lambda *_: None
        submit(client, other, (0, 0, 1))
        there.instead = lambda *_: said(307, Location=f"{forbidden.url}game")
        problem(post(client, other, (0, 0, 2)), 502, "arena/factory")
        assert forbidden.connections == 0

    def test_again_and_again_fills_no_book(self, client: Client, there: Foreign) -> None:
        contest = Contest(client, relayed(there, base=2, length=1))
        (uri,) = contest.enter("A")
        wrong = {"full_match_count": 0, "partial_match_count": 0}
        for _ in range(MOST_FAILURES + 3):
            there.instead = lambda _, __, body: said(500) if "submission" in body else None
            problem(post(client, uri, (0,)), 502, "arena/factory")
            there.instead = lambda _, __, body: said(body=wrong) if "submission" in body else None
            submit(client, uri, (0,))
        kinds = [line["kind"] for line in book(client, contest)]
        assert (kinds.count("failed"), kinds.count("recovered")) == (
            MOST_FAILURES,
            MOST_FAILURES - 1,
        )
        assert contest.team("A")["waiting"] == 1
        holds(contest)


def test_a_slow_factory_keeps_nobody_else_waiting(database: str, there: Foreign) -> None:
    asked, release = threading.Event(), threading.Event()

    def slow(method: str, path: str, body: dict[str, Any]) -> Answer | None:
        if "submission" in body:
            asked.set()
            release.wait(30)
        return None

    factories = Factories([there.url], seconds=4)
    with (
        TestClient(make_app(database, factories=factories)) as client,
        ThreadPoolExecutor(1) as aside,
    ):
        contest = Contest(client, [relayed(there), {**GAME, "games": 1}])
        there.instead = slow
        uris = contest.enter("A")
        far = next(uri for uri in uris if "oraclefactory" in client.get(uri).json())
        (near,) = set(uris) - {far}
        waiting = aside.submit(post, client, far, (0, 0, 1))
        assert asked.wait(30)
        play(client, near)
        assert not waiting.done()
        problem(waiting.result(30), 504, "arena/factory-timeout")
        assert "did not answer in time" in contest.team("A")["trouble"]
        release.set()
        submit(client, far, (0, 0, 1))
        play(client, far)
        assert contest.team("A")["solved"] == 2
        holds(contest)


def test_two_servers_relay_one_game(there: Foreign) -> None:
    """Each step by the other one; and what one could not send, the other can."""
    with (
        throw_away_cluster() as cluster,
        a_database(cluster) as url,
        TestClient(make_app(url, factories=Factories([there.url]))) as one,
        TestClient(make_app(url, factories=Factories([there.url]))) as other,
    ):
        contest = Contest(one, relayed(there, games=2))
        uri, again = contest.enter("A")
        turns = cycle((other, one))
        rows = solve(4, 3, lambda guess: submit(next(turns), uri, guess))
        there.kill()
        problem(post(one, again, (0, 0, 1)), 502, "arena/factory")
        there.start()
        submit(one, again, (0, 0, 1))
        asked = threading.Barrier(2)

        def together(method: str, path: str, body: dict[str, Any]) -> Answer | None:
            if "submission" in body:
                asked.wait(30)  # both have sent it before either is answered
            return None

        there.instead = together
        there.kill()
        problem(post(one, again, (0, 0, 2)), 502, "arena/factory")
        there.start()
        with ThreadPoolExecutor(2) as both:
            sent = [both.submit(post, client, again, (0, 0, 2)) for client in (one, other)]
            said = [answer.result(60) for answer in sent]
        assert sorted(answer.status_code for answer in said) == [200, 409]
        (refused,) = (answer for answer in said if answer.status_code == 409)
        assert "relayed twice" in problem(refused, 409, "arena/conflict")
        there.instead = lambda *_: None
        assert one.get(again).json()["attempts"] == 2
        assert [len(game.submissions) for game in there.played()] == [len(rows), 3]
        holds(contest)


# The file


def test_no_line_of_a_relayed_game_can_be_changed(client: Client, there: Foreign) -> None:
    """The answers are the factory's word; that they are the ones that were relayed is proven."""
    contest = Contest(client, [relayed(there, base=3, length=2, games=2), {**GAME, "games": 1}])
    for team in "AB":
        uris = contest.enter(team)
        kept = [uri for uri in uris if "oraclefactory" in client.get(uri).json()]
        play(client, kept[0])
        if team == "A":
            there.instead = lambda *_: said(500)
            problem(post(client, kept[1], (0, 0)), 502, "arena/factory")
            there.instead = lambda *_: None
            submit(client, kept[1], (0, 0))
            client.delete(kept[1])
    lines = holds(contest).splitlines(keepends=True)
    for i, line in enumerate(lines):
        event = json.loads(line)
        for key in sorted(event.keys() - {"prev"}):
            changed = list(lines)
            changed[i] = canonical({**event, key: tampered(event[key])}) + b"\n"
            try:
                layout = sections(changed)
                anew = rechained(changed, layout)
            except (ValueError, IndexError, TypeError):
                continue  # a heading that counts wrongly: there is nothing to chain
            assert not check(b"".join(anew)).ok, (i, key)


def test_our_client_sends_what_was_not_counted_again(database: str, there: Foreign) -> None:
    pauses: list[float] = []
    with in_a_thread(make_app(database, factories=Factories([there.url]))) as here:
        contest = Arena(here).new_contest(relayed(there))
        (oracle,) = contest.enter("A", "1").oracles
        patient = Oracle(oracle.uri, Http(pause=pauses.append))
        there.instead = lambda *_: None if pauses else said(500)
        patient.submit((0, 0, 1))
        assert pauses == [2]
        assert patient.describe().attempts == 1
