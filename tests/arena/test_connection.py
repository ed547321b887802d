"""Requests that are too large, too slow or no HTTP: against a real socket, byte by byte."""

from __future__ import annotations

import json
import socket
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.arena.app import make_app
from fairground.arena.http import connection
from tests.helpers.arena import in_a_thread

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
    answers = caller.hear()
    if b"POST" in begun:
        assert answers == []  # its route waits for it, and has lost its client now
    else:
        refused(answers, 408, "arena/too-slow")


def test_who_is_being_answered_is_not_hurried(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait of ours is no slowness of theirs; nor is what stands behind it in the queue."""
    made = Caller(url)
    seats = [{"name": "Ada", "lends": "stir"}, {"name": "Bob", "lends": "stir"}]
    body = json.dumps({"game": "zombie/1", "params": {"players": 2}, "seats": seats}).encode()
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
