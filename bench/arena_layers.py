"""What each layer before a game costs a plain submission, with it and without it.

The arena does some of the framework's and the server's work itself (docs/arena-internals.md).
Here a submission goes through each of these layers and through its usual counterpart, in
turns, in this process: no socket, no game, no storage. Time is CPU time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final
from unittest.mock import patch

import uvicorn
import uvloop
from litestar import Litestar
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from _machine import Samples, ratio, summary, write
from fairground.arena.app import make_app
from fairground.arena.http import browsers, requests
from fairground.arena.http.connection import Arrival
from fairground.arena.http.fast_lane import FastLane
from fairground.arena.limits.gate import Asgi
from fairground.arena.oracles.keeping import Oracles
from fairground.arena.oracles.wire import CountsOut
from fairground.arena.state import ArenaState

ROUNDS: Final = 25
REQUESTS: Final = 400
"""In one round."""

PATH: Final = "/oracle/nvxCaG_aEfFhbkKZwzhhVSvD"
BODY: Final = b'{"submission": [0, 5, 1, 1]}'
HEADERS: Final = (
    (b"host", b"x"),
    (b"content-type", b"application/json"),
    (b"accept", b"*/*"),
    (b"content-length", b"%d" % len(BODY)),
)
RAW: Final = (
    b"POST %s HTTP/1.1\r\n" % PATH.encode()
    + b"".join(b"%s: %s\r\n" % header for header in HEADERS)
    + b"\r\n"
    + BODY
)


class NoGame(Oracles):
    """A room whose answers cost nothing."""

    def __init__(self) -> None:
        pass

    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        """Always the same."""
        return CountsOut(1, 2), "5e" * 32


def application(*without: str) -> Litestar:
    """The arena's application, which is never opened, without some of its layers."""
    with ExitStack() as stack:
        for layer in without:
            stack.enter_context(
                patch.object(browsers if layer == "check" else requests, layer, None)
            )
        app = make_app("sqlite:///never-opened.db")
    app.state.arena = object.__new__(ArenaState)
    return app


async def through(app: Any) -> float:
    """CPU seconds of one submission to an ASGI application."""
    said: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": BODY, "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    begin = time.process_time()
    for _ in range(REQUESTS):
        said.clear()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "POST",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "headers": list(HEADERS),
            "scheme": "http",
            "server": ("x", 80),
            "client": ("127.0.0.1", 1),
            "root_path": "",
            "state": {},
        }
        await app(scope, receive, send)
        assert said[0]["status"] == 200, said
    return (time.process_time() - begin) / REQUESTS


class NoSocket(asyncio.Transport):
    """A connection to nobody."""

    def write(self, data: Any) -> None:
        """Lost."""

    def is_closing(self) -> bool:
        """Never."""
        return False

    def close(self) -> None:
        """There is nothing to close."""


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads a request and answers it."""
    await receive()
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})


async def arriving(protocol: type[HttpToolsProtocol]) -> float:
    """CPU seconds of one request in the server's protocol."""
    settings: dict[str, Any] = {"log_config": None, "access_log": False, "lifespan": "off"}
    config = uvicorn.Config(nothing, interface="asgi3", ws="none", **settings)
    config.load()
    connection = protocol(config, ServerState(), {})
    connection.connection_made(NoSocket())
    begin = time.process_time()
    for _ in range(REQUESTS):
        connection.data_received(RAW)
        while not connection.cycle.response_complete:
            await asyncio.sleep(0)
    taken = (time.process_time() - begin) / REQUESTS
    connection.connection_lost(None)
    return taken


async def in_turns(layers: dict[str, Callable[[], Awaitable[float]]]) -> Samples:
    samples: Samples = {name: [] for name in layers}
    for layer in layers.values():
        await layer()
    for _ in range(ROUNDS):
        for name, layer in layers.items():
            samples[name].append(1e6 * await layer())
    return samples


async def measured() -> dict[str, Any]:
    whole = application()
    usual: Any = whole
    lane: Asgi = FastLane(usual, whole.state)
    unread, unchecked = application("Body"), application("check")
    plain = application("Body", "check")
    room = NoGame()
    with patch.object(ArenaState, "room_of", lambda *_: room):
        samples = await in_turns(
            {
                "fast lane": lambda: through(lane),
                "framework": lambda: through(whole),
                "framework without Body": lambda: through(unread),
                "framework without check": lambda: through(unchecked),
                "framework without both": lambda: through(plain),
                "connection": lambda: arriving(Arrival),
                "uvicorn's own connection": lambda: arriving(HttpToolsProtocol),
            }
        )
    return {
        "cpu_microseconds_per_request": summary(samples),
        "framework_to_fast_lane": ratio(samples, "framework", "fast lane"),
        "connection_to_uvicorns": ratio(samples, "connection", "uvicorn's own connection"),
    }


if __name__ == "__main__":
    write("arena_layers", uvloop.run(measured()))
