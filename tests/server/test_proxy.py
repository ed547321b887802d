"""deploy/nginx.conf as it stands, in a real nginx before a real arena."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fairground.server.serve import GatedArena, Settings
from tests.helpers.arena import in_a_thread
from tests.helpers.places import ROOT
from tests.helpers.proxy import nginx
from tests.server.test_tls import certified

NAME = "arena.example"


class Front:
    """The proxy, as a client reaches it."""

    def __init__(self, url: str, trusted: ssl.SSLContext) -> None:
        place = urllib.parse.urlsplit(url)
        assert place.hostname is not None and place.port is not None
        self._place, self._trusted = (place.hostname, place.port), trusted
        trusted.check_hostname = False

    def connect(self) -> ssl.SSLSocket:
        plain = socket.create_connection(self._place, timeout=30)
        return self._trusted.wrap_socket(plain, server_hostname=NAME)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        line = http.client.HTTPSConnection(*self._place, context=self._trusted, timeout=30)
        try:
            data = None if body is None else json.dumps(body).encode()
            line.request(method, path, data, {"Host": NAME, **headers})
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()


@contextmanager
def proxied(folder: Path, **changes: str) -> Iterator[Front]:
    """An arena behind the file. Only places are changed, and numbers that a test waits for."""
    trusted = certified(folder)
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    ours = {
        "listen 443 ssl": "listen HERE ssl",
        "/etc/ssl/arena.pem": f"{folder}/arena.pem",
        "/etc/ssl/arena.key": f"{folder}/arena.key",
        "server 127.0.0.1:8000;": "server ARENA;",
        **changes,
    }
    for theirs, here in ours.items():
        assert theirs in text
        text = text.replace(theirs, here)
    settings = Settings(f"sqlite:///{folder}/arena.db", public_url=f"https://{NAME}", croupier=None)
    with in_a_thread(GatedArena(settings)) as behind, nginx(folder, text, behind) as there:
        yield Front(there, trusted)


def test_it_serves_and_refuses(tmp_path: Path) -> None:
    with proxied(tmp_path) as front:
        status, made = front.ask("POST", "/contests", {"base": 2, "length": 1, "games": 1})
        contest = json.loads(made)["self"]
        assert (status, contest.startswith(f"https://{NAME}/contest/")) == (201, True)
        assert front.ask("GET", "/healthz", Host="evil.example")[0] == 421
        assert front.ask("GET", "/healthz", Cookie="x" * 70_000)[0] == 400
        assert (
            front.ask("POST", "/neworacle", {"base": 6, "length": 4, "x": "y" * 120_000})[0] == 413
        )
        with front.connect() as line:
            path = urllib.parse.urlsplit(contest).path
            line.sendall(f"GET {path}/events HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
            heard = b""
            while b"event: watch" not in heard:
                heard += line.recv(65536)


def test_a_client_cannot_say_who_it_is(tmp_path: Path) -> None:
    """Else it had as many limits as it likes."""
    with proxied(tmp_path) as front:
        for number in range(2):
            said = {
                "X-Forwarded-For": f"192.0.2.{number}",
                "Idempotency-Key": "the-same-key-1234567890",
            }
            assert front.ask("POST", "/neworacle", {"base": 6, "length": 4}, **said)[0] == 303
        text = front.ask("GET", "/metrics")[1].decode()
        assert 'fairground_open_games{kind="oracle"} 1.0' in text


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost: "], ids=["silent", "half"])
def test_a_head_has_a_time(tmp_path: Path, begun: bytes) -> None:
    with (
        proxied(tmp_path, **{"client_header_timeout 10s": "client_header_timeout 1s"}) as front,
        front.connect() as line,
    ):
        line.sendall(begun)
        assert b"200" not in line.recv(65536)


def test_connections_and_rates_are_bounded(tmp_path: Path) -> None:
    fewer = {"arena_connections 64": "arena_connections 3", "rate=500r/s": "rate=1r/m"}
    with proxied(tmp_path, **fewer, **{"burst=1000": "burst=20"}) as front:
        made = front.ask("POST", "/contests", {"base": 2, "length": 1, "games": 1})[1]
        path = urllib.parse.urlsplit(json.loads(made)["self"]).path
        streams = [front.connect() for _ in range(3)]
        for line in streams:
            line.sendall(f"GET {path}/events HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
            assert b"200" in line.recv(65536)
        assert front.ask("GET", "/healthz")[0] == 429, "too many at the same time"
        for line in streams:
            line.close()
        found = [front.ask("GET", "/healthz")[0] for _ in range(30)]
        assert found[0] == 200 and found[-1] == 429, "too many in a short time"
