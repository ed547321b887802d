"""Requests that are too large, too slow or no HTTP: against a real socket, byte by byte."""

from __future__ import annotations

import json
import re
import shlex
import socket
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fairground.core import InputError
from fairground.server.app import make_app
from fairground.server.http import connection
from fairground.server.http.connection import Hosts
from fairground.server.serve import GatedArena, Settings
from tests.helpers.arena import Process, in_a_thread
from tests.helpers.proxy import nginx, requests_counted

ASK = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
LAST = b"Connection: close\r\n\r\n"


class Caller:
    """One connection to an arena."""

    def __init__(self, url: str) -> None:
        place = urllib.parse.urlsplit(url)
        assert place.hostname is not None and place.port is not None
        self.socket = socket.create_connection((place.hostname, place.port), timeout=30)

    def say(self, data: bytes) -> bool:
        """Whether it could be said: not if the other side has hung up."""
        try:
            self.socket.sendall(data)
        except ConnectionError:
            return False
        return True

    def hear(self) -> list[tuple[int, Any]]:
        """Status and body of every answer, until the other side hangs up."""
        data = b""
        try:
            while piece := self.socket.recv(65536):
                data += piece
        except ConnectionError:
            pass  # it hung up while we were still talking
        finally:
            self.socket.close()
        answers = []
        while data:
            head, _, rest = data.partition(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            answers.append((int(head.split(b" ")[1]), json.loads(rest[:size])))
            data = rest[size:]
        return answers


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("arrival")
    with in_a_thread(make_app(f"sqlite:///{folder}/arena.db")) as url:
        yield url


def refused(answers: list[tuple[int, Any]], status: int, code: str) -> None:
    assert [(status, body["code"]) for status, body in answers] == [(status, code)]
    assert answers[0][1]["status"] == status and answers[0][1]["detail"]


@pytest.mark.parametrize("size", [connection.LARGEST_HEAD // 2, connection.LARGEST_HEAD + 1])
@pytest.mark.parametrize("pieces", [1, 20], ids=["at once", "in pieces"])
def test_a_head_has_a_largest_size(url: str, size: int, pieces: int) -> None:
    caller = Caller(url)
    data = ASK + b"X: " + b"x" * size + b"\r\n" + LAST
    for i in range(pieces):
        caller.say(data[i * len(data) // pieces : (i + 1) * len(data) // pieces])
    answers = caller.hear()
    if size > connection.LARGEST_HEAD:
        refused(answers, 431, "arena/head-too-large")
    else:
        assert [status for status, _ in answers] == [200]


@pytest.mark.parametrize("endless", [b"x" * 10_000, b"X: x\r\n" * 2_000], ids=["one", "many"])
def test_a_head_without_end_is_not_read_to_its_end(url: str, endless: bytes) -> None:
    caller = Caller(url)
    caller.say(ASK + b"X: ")
    assert not all(caller.say(endless) for _ in range(3_000)), "30 MB were taken"
    answers = caller.hear()  # who goes on talking may miss it
    assert [status for status, _ in answers] in ([], [431])


def test_what_is_no_http(url: str) -> None:
    caller = Caller(url)
    caller.say(b"EHLO arena.example\r\n\r\n")
    refused(caller.hear(), 400, "arena/malformed")


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /hea", ASK, b"POST /neworacle HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"],
    ids=["nothing", "address", "headers", "body"],
)
def test_half_a_request_does_not_wait_for_ever(
    url: str, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SLOWEST", 0.3)
    caller = Caller(url)
    caller.say(begun)
    refused(caller.hear(), 408, "arena/too-slow")


def test_who_is_being_answered_is_not_hurried(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait of ours is no slowness of theirs; nor is what stands behind it in the queue."""
    made = Caller(url)
    seats = [{"name": "Ada", "lends": "stir"}, {"name": "Bob", "lends": "stir"}]
    body = json.dumps({"game": "zombie/2", "params": {"players": 2}, "seats": seats}).encode()
    made.say(
        b"POST /tables HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(body) + LAST + body
    )
    ((status, table),) = made.hear()
    assert status == 201
    monkeypatch.setattr(connection, "SLOWEST", 0.2)
    caller = Caller(url)
    path = urllib.parse.urlsplit(table["self"]).path.encode()
    wait = b"GET " + path + b"?after=99&wait=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    caller.say(wait + ASK)
    answers = caller.hear()
    assert [status for status, _ in answers] == [200, 408]


NEW = b'{"base": 6, "length": 4}'
H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"


def post(path: bytes, body: bytes, more: bytes = b"") -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"POST " + path + b" HTTP/1.1\r\nHost: x\r\n" + length + more + b"\r\n" + body


def statuses(data: bytes) -> list[int]:
    """The status of every answer in a stream of them."""
    return [int(status) for status in re.findall(rb"HTTP/1.1 (\d{3}) ", data)]


def everything(caller: Caller) -> bytes:
    data = b""
    with caller.socket:
        while piece := caller.socket.recv(65536):
            data += piece
    return data


@pytest.mark.parametrize("pieces", [1, 300], ids=["at once", "byte by byte"])
@pytest.mark.parametrize("coding", ["length", "chunked"])
def test_an_offer_to_upgrade_is_declined_and_the_body_is_a_body(
    url: str, pieces: int, coding: str
) -> None:
    """What Java's client and ``curl --http2`` send. The body looks like a request of its own."""
    caller = Caller(url)
    hidden = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nContent-Length: 24\r\n\r\n" + NEW
    if coding == "length":
        head = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(hidden)
        body = hidden
    else:
        head = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(hidden), hidden)
    data = [head + H2C + b"\r\n", body]
    data = [b"".join(data)] if pieces == 1 else [bytes([one]) for one in b"".join(data)]
    caller.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for piece in data:
        caller.say(piece)
    caller.say(post(b"/neworacle", NEW, H2C) + ASK + LAST)
    answered = everything(caller)
    assert statuses(answered) == [400, 303, 200], answered
    assert b"the body is not JSON" in answered


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [("1.1", 0, 400), ("1.1", 2, 400), ("1.0", 2, 400), ("1.0", 0, 200), ("1.1", 1, 200)],
)
def test_a_request_has_one_host(url: str, version: str, hosts: int, status: int) -> None:
    caller = Caller(url)
    caller.say(f"GET /healthz HTTP/{version}\r\n".encode() + b"Host: x\r\n" * hosts + LAST)
    ((found, told),) = caller.hear()
    assert found == status and (status == 200 or f"not {hosts}" in told["detail"])


def test_what_stands_behind_a_body_is_no_header(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head was judged without it, and a proxy may have passed it on unseen."""
    seen: list[Any] = []
    judged = connection.Connection.on_message_complete

    def looking(self: connection.Connection) -> None:
        seen.append(self.scope["headers"])
        judged(self)

    monkeypatch.setattr(connection.Connection, "on_message_complete", looking)
    caller = Caller(url)
    head = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"%x\r\n%b\r\n0\r\nSec-Fetch-Site: cross-site\r\n\r\n" % (len(NEW), NEW)
    caller.say(head + body + ASK + LAST)
    assert statuses(everything(caller)) == [303, 200]
    assert [name for name, _ in seen[0]] == [b"host", b"transfer-encoding"]


@pytest.mark.parametrize(
    "endless",
    [b"0\r\nX: ", b"0\r\nX: x\r\n", b"1;x="],
    ids=["one trailer", "many trailers", "the size of a piece"],
)
def test_what_surrounds_a_body_has_an_end(url: str, endless: bytes) -> None:
    """88 MB of trailers took 900 MB of memory, from one connection in eight seconds."""
    caller = Caller(url)
    caller.say(b"POST /neworacle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    caller.say(endless)
    more = b"X: x\r\n" * 2_000 if endless.endswith(b"\n") else b"x" * 10_000
    assert not all(caller.say(more) for _ in range(3_000)), "30 MB were taken"
    answers = caller.hear()  # who goes on talking may miss it
    assert [status for status, _ in answers] in ([], [431])


def test_a_refusal_waits_for_the_answers_before_it(url: str) -> None:
    """It could be taken for the answer to an earlier request. So the connection just ends."""
    caller = Caller(url)
    caller.say(post(b"/neworacle", NEW) + b"GET / HTTP/1.1\r\n\r\n")
    assert statuses(everything(caller)) == [303]


def test_a_body_that_nobody_waits_for_is_no_second_request(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its request was answered before all of it was here: it gets no second answer."""
    monkeypatch.setattr(connection, "SLOWEST", 0.3)
    caller = Caller(url)
    caller.say(post(b"/nowhere", b"x" * 100)[:-50])
    assert [status for status, _ in caller.hear()] == [404]


BEHIND = """
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen HERE; keepalive_timeout 0;
    location = /newcontest { return 403; }
    location / {
      proxy_pass http://ARENA;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
"""
"""As countless guides have it. This proxy lets nobody make contests, and passes Upgrade on."""


def test_nothing_is_smuggled_past_a_proxy(tmp_path: Path) -> None:
    arena = GatedArena(Settings(f"sqlite:///{tmp_path}/arena.db", croupier=None))
    contest = json.dumps({"base": 6, "length": 4, "games": 1}).encode()
    with in_a_thread(arena) as behind, nginx(tmp_path, BEHIND, behind) as front:
        plain = Caller(front)
        plain.say(post(b"/newcontest", contest))
        plain.socket.settimeout(10)
        assert b" 403 " in plain.socket.recv(65536), "the proxy does what it was told"
        plain.socket.close()
        for blanks in (0, 20_000):
            caller = Caller(front)
            body = b"\r\n" * blanks + post(b"/newcontest", contest)
            head = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(body)
            caller.say(head + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
            caller.say(body)
            answered = everything(caller)
            assert statuses(answered) == [400] and b"the body is not JSON" in answered
        with urllib.request.urlopen(f"{behind}/metrics", timeout=30) as answer:
            counted = answer.read().decode()
    assert requests_counted(counted, "/newcontest") == 0
    assert requests_counted(counted, "/neworacle") == 2


@pytest.mark.parametrize("begun", [b"GET /hea", post(b"/neworacle", NEW)[:-3]])
def test_half_a_request_does_not_hold_up_the_end(tmp_path: Path, begun: bytes) -> None:
    with in_a_thread(make_app(f"sqlite:///{tmp_path}/arena.db")) as url:
        caller = Caller(url)
        caller.say(ASK + b"\r\n" + begun)
        assert b" 200 " in caller.socket.recv(65536)
        began = time.monotonic()
    refused(caller.hear(), 503, "arena/stopping")
    assert time.monotonic() - began < connection.SLOWEST / 2, "nobody waited for the rest"


# Names of the arena


def known(said: str, *allowed: str, public: str | None = None) -> bool:
    return Hosts(allowed, public).admit(said.encode())


@pytest.mark.parametrize(
    "said",
    [
        *("localhost", "localhost:8000", "LOCALHOST", "localhost.", "a.localhost:80"),
        *("127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "[2001:db8::1]"),
        *("arena.example", "ARENA.example:8443", "arena.example."),
        *("other.example", socket.gethostname()),
    ],
)
def test_names_that_nobody_else_can_have_and_those_that_were_told(said: str) -> None:
    assert known(said, "other.example", public="https://arena.example:8443/games/")


@pytest.mark.parametrize(
    "said",
    [
        *("evil.example", "evil.example:8000", "arena.example.evil.example", "xlocalhost"),
        *("localhost.evil.example", "127.0.0.1.evil.example", "2130706433", "0x7f.1", "127.1"),
    ],
)
def test_a_name_that_somebody_else_lets_point_here_is_refused(said: str) -> None:
    assert not known(said, "other.example", public="https://arena.example")


def test_an_allowed_host_is_a_name() -> None:
    for wrong in ("http://arena.example", "arena.example:80", "*", ""):
        with pytest.raises(InputError, match="a name without a port"):
            Hosts([wrong])


def test_a_web_site_cannot_pass_for_the_arena(tmp_path: Path) -> None:
    """DNS rebinding: the browser reaches us, and takes us for a part of the site."""
    with in_a_thread(make_app(f"sqlite:///{tmp_path}/arena.db"), Hosts(["arena.example"])) as url:
        for head in (b"GET /healthz", b"POST /neworacle", b"GET /"):
            caller = Caller(url)
            caller.say(head + b" HTTP/1.1\r\nHost: evil.example:8000\r\n\r\n")
            refused(caller.hear(), 421, "arena/host")
        caller = Caller(url)
        caller.say(b"GET /healthz HTTP/1.1\r\nHost: arena.example\r\nConnection: close\r\n\r\n")
        assert [status for status, _ in caller.hear()] == [200]


# How many there are


def test_connections_are_bounded_by_the_files_that_the_arena_may_open(tmp_path: Path) -> None:
    """A low soft limit is raised first; 64 files are for everything else."""
    python = shlex.quote(sys.executable)
    command = f"ulimit -S -n 100; ulimit -H -n 200; exec {python} -m fairground serve --port 0"
    command += f" --no-croupier --database sqlite:///{tmp_path}/arena.db"
    with Process(tmp_path, command=["bash", "-c", command]) as arena, ExitStack() as idle:
        callers = [Caller(arena.url) for _ in range(150)]
        for caller in callers:
            idle.enter_context(caller.socket)
            caller.say(ASK.replace(b"Host: x", b"Host: localhost") + b"\r\n")
        told = [caller.socket.recv(65536) for caller in callers]
        assert [b" 200 " in one for one in told] == [True] * 136 + [False] * 14
        assert all(b"arena/crowded" in one for one in told[136:])
        callers[0].say(
            ASK.replace(b"Host: x", b"Host: localhost").replace(b"healthz", b"metrics") + LAST
        )
        assert b"fairground_connections 136.0" in everything(callers[0])
        idle.close()
        assert arena.end() == 0
