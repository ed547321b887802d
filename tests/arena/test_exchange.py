"""How an answer leaves, and how long a connection is kept: as the server underneath has it."""

from __future__ import annotations

import asyncio
import socket
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from fairground.arena.http.connection import Arrival
from tests.helpers.arena import in_a_thread

Header = tuple[bytes, bytes]
LENGTH: Header = (b"Content-Length", b"5")
ANSWERS: dict[str, tuple[int, list[Header], list[bytes]]] = {
    "/whole": (200, [LENGTH, (b"X-Name", b"a\tb")], [b"hello"]),
    "/empty": (200, [(b"content-length", b"0")], [b""]),
    "/pieces": (200, [LENGTH], [b"he", b"llo"]),
    "/unknown": (200, [], [b"he", b"llo"]),
    "/last": (200, [LENGTH, (b"connection", b"close")], [b"hello"]),
    "/none": (204, [], [b""]),
    "/short": (200, [LENGTH], [b"hell"]),
    "/long": (200, [LENGTH], [b"hello!"]),
    "/line": (200, [LENGTH, (b"x", b"a\r\nset-cookie: b")], [b"hello"]),
    "/feed": (200, [LENGTH, (b"x", b"a\nset-cookie: b")], [b"hello"]),
    "/zero": (200, [LENGTH, (b"x", b"a\0")], [b"hello"]),
    "/name": (200, [LENGTH, (b"set cookie", b"a")], [b"hello"]),
    "/fails": (200, [LENGTH], []),
}
"""Where → status, headers, and the pieces of the body."""
UNFINISHED = {"/short", "/long", "/fails"}
FORBIDDEN = {"/line", "/feed", "/zero", "/name"}
"""Headers that would be more than one, or none."""


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for what in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{what}.complete"})
        return
    status, headers, pieces = ANSWERS[scope["path"]]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if not pieces:
        raise ValueError("this application has a mistake")
    for number, piece in enumerate(pieces, 1):
        more = number < len(pieces)
        await send({"type": "http.response.body", "body": piece, "more_body": more})


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[str, str]]:
    """Ours, and the server's own."""
    with in_a_thread(app) as ours, in_a_thread(app, protocol=HttpToolsProtocol) as theirs:
        yield ours, theirs


def heard(url: str, said: bytes) -> bytes:
    """All that is answered, without the time of day."""
    place = urllib.parse.urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=30) as caller:
        caller.sendall(said)
        caller.shutdown(socket.SHUT_WR)
        data = b"".join(iter(lambda: caller.recv(65536), b""))
    lines = data.split(b"\r\n")
    return b"\r\n".join(line for line in lines if not line.startswith((b"date: ", b"server: ")))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", sorted(ANSWERS.keys() - UNFINISHED))
@pytest.mark.parametrize("last", [b"", b"Connection: close\r\n"])
def test_an_answer_is_the_same_byte_by_byte(
    servers: tuple[str, str], method: str, path: str, last: bytes
) -> None:
    asked = f"{method} {path} HTTP/1.1\r\nHost: x\r\n".encode() + last + b"\r\n"
    ours, theirs = (heard(url, asked) for url in servers)
    assert ours == theirs
    assert (ours == b"") == (path in FORBIDDEN)


@pytest.mark.parametrize("path", sorted(UNFINISHED))
def test_an_answer_that_cannot_be_finished_is_not_taken_for_one(
    servers: tuple[str, str], path: str
) -> None:
    asked = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    for url in servers:
        body = heard(url, asked).partition(b"\r\n\r\n")[2]
        assert len(body) < 5, "it says that it has five bytes"


class Loop:
    """A loop that keeps only time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, act: Callable[[], None]) -> object:
        self.timers.append((self.now + seconds, act))
        return self

    def cancel(self) -> None:
        """Timers here are never cancelled."""

    def ring(self) -> None:
        self.now, act = self.timers.pop(0)
        act()


class Wire:
    """A transport that goes nowhere."""

    closed = False

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, _: str) -> None:
        return None


def test_a_connection_is_kept_until_nothing_was_asked_for_so_long() -> None:
    async def idle() -> None:
        loop: Any = Loop()
        wire: Any = Wire()
        config = uvicorn.Config(app, timeout_keep_alive=75, log_config=None)
        arrival = Arrival(config, ServerState(), {}, _loop=loop)
        arrival.connection_made(wire)
        loop.timers.clear()  # of this one, all has arrived
        arrival._wait_for_the_next()
        loop.now = 50
        arrival.data_received(b"")
        arrival._wait_for_the_next()
        assert [when for when, _ in loop.timers] == [75], "one timer serves both"
        loop.ring()
        assert not wire.closed and [when for when, _ in loop.timers] == [125]
        arrival.data_received(b"")
        loop.ring()
        assert not wire.closed and not loop.timers, "it is being served, for however long"
        arrival._wait_for_the_next()
        loop.ring()
        assert wire.closed and loop.now == 200

    asyncio.run(idle())
