"""The fast lane: a plain submission, without the framework's ceremony.

Half of the time of a submission went into the framework: finding the route, making request
and response objects, resolving dependencies. Nothing of that is needed for the one request
that arrives thousands of times a second: ``POST /oracle/{name}`` with a short JSON body that
is as it should be. So the fast lane, in front of the framework, reads it, acts on it and
answers it.

Whatever is not plain goes the usual way, with every byte of it: another ``Accept`` or
``Content-Type``, a body that is long, in pieces or not what the route takes. And what the
game refuses goes there too: `refusing` raises it in its route, and the framework answers it
like all refusals. So there is one wording of every error, and the route that OpenAPI
describes is the route that there is.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar.datastructures import State
from litestar.types import ASGIApp

from fairground.arena.http.browsers import SAFE
from fairground.arena.http.gate import Asgi, Receive, Scope, Send
from fairground.arena.http.origin import HEADERS as BROWSERS
from fairground.arena.http.requests import NAME
from fairground.arena.oracles.wire import CountsOut, Submission
from fairground.arena.state import the_arena
from fairground.clients.protocol import ACCEPT, JSON, RECEIPT
from fairground.transcript import DEEPEST

BEFORE: Final = "/oracle/"
ROUTE: Final = "/oracle/{name}"
REFUSED: Final = "fairground.refused"
"""Where a scope has what the game refused."""

LONGEST: Final = 1_000
"""Bytes of a body: forty numbers of two digits, and room for members that we ignore."""

PLAIN: Final = {
    b"accept": frozenset({b"*/*", JSON.encode(), ACCEPT.encode()}),
    b"content-type": frozenset({JSON.encode()}),
    b"transfer-encoding": frozenset[bytes](),
    b"expect": frozenset[bytes](),
    **dict.fromkeys(BROWSERS, frozenset[bytes]()),
}
"""What these headers may say in the fast lane, if they are there at all."""

RECEIPT_HEADER: Final = RECEIPT.lower().encode()
THE_TYPE: Final = JSON.encode()

_read = msgspec.json.Decoder(Submission).decode
_write = msgspec.json.Encoder().encode


class FastLane:
    """The arena's application, with a fast lane in front of it."""

    def __init__(self, app: Asgi, state: State) -> None:
        self._usual = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        name = _name(scope)
        if name is None:
            await self._usual(scope, receive, send)
            return
        message = await receive()
        said = _submission(message)
        if said is not None:
            try:
                counts, receipt = (
                    await the_arena(self._state).room_of(name).submit(name, said.submission)
                )
            except Exception as refused:  # our own mistakes, too, have their form
                scope[REFUSED] = refused
            else:
                scope["path_template"] = ROUTE
                await _answer(send, counts, receipt)
                return
        await self._usual(scope, _again(message, receive), send)


def refusing(app: ASGIApp) -> ASGIApp:
    """Around the route itself: raise what the game has refused already."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if REFUSED in scope:
            raise scope[REFUSED]
        await app(scope, receive, send)

    return serve


def _name(scope: Scope) -> str | None:
    """The oracle of a request that looks plain; ``None`` if it does not."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    path: str = scope["path"]
    name = path[len(BEFORE) :]
    if not path.startswith(BEFORE) or NAME.fullmatch(name) is None:
        return None
    for header, value in scope["headers"]:
        allowed = PLAIN.get(header)
        if allowed is not None and value not in allowed:
            return None
    return name


def _submission(message: Any) -> Submission | None:
    """What a body says, if it came whole and can be read at once."""
    if message["type"] != "http.request" or message.get("more_body"):
        return None
    body: bytes = message["body"]
    if len(body) > LONGEST or body.count(b"[") + body.count(b"{") > DEEPEST:
        return None
    try:
        return _read(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _again(message: Any, receive: Receive) -> Receive:
    """A request whose first message was read already."""
    waiting = [message]

    async def again() -> Any:
        return waiting.pop() if waiting else await receive()

    return again


async def _answer(send: Send, counts: CountsOut, receipt: str) -> None:
    body = _write(counts)
    headers = [
        (b"content-type", THE_TYPE),
        (RECEIPT_HEADER, receipt.encode()),
        (b"content-length", b"%d" % len(body)),
        *SAFE,
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
