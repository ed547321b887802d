"""The fast lane: a plain submission, without the framework's ceremony.

Half of the time of a submission went into the framework: making request and response
objects, resolving dependencies, asking for signatures. Nothing of that is needed for the
one request that arrives thousands of times a second: ``POST /oracle/{name}`` with a short
JSON body that is as it should be. So this middleware, around that route alone, reads it,
acts on it and answers it.

Whatever is not plain goes the usual way, with every byte of it: another ``Accept`` or
``Content-Type``, a body that is long, in pieces or not what the route takes. And what the
game refuses is raised, and answered by the framework like all refusals. So there is one
wording of every error, and the route that OpenAPI describes is the route that there is.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send

from fairground.arena.contests_games import place_of
from fairground.arena.oracles import Room
from fairground.arena.reading import NAME
from fairground.arena.wire import Counts, Submission
from fairground.transcript import DEEPEST

RECEIPT: Final = b"fairground-receipt"
LONGEST: Final = 1_000
"""Bytes of a body: forty numbers of two digits, and room for members that we ignore."""

PLAIN: Final = {
    b"accept": frozenset({b"*/*", b"application/json", b"application/json, */*;q=0.5"}),
    b"content-type": frozenset({b"application/json"}),
    b"transfer-encoding": frozenset[bytes](),
    b"expect": frozenset[bytes](),
}
"""What these headers may say in the fast lane, if they are there at all."""

_read = msgspec.json.Decoder(Submission).decode
_write = msgspec.json.Encoder().encode


def fast_lane(app: ASGIApp) -> ASGIApp:
    """Serve plain submissions here, and all else by ``app``, the route."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if not _looks_plain(scope):
            await app(scope, receive, send)
            return
        message: Any = await receive()
        said = _submission(message)
        if said is None:
            await app(scope, _again(message, receive), send)
            return
        name = scope["path_params"]["name"]
        counts, receipt = await room_of(scope["app"].state, name).submit(name, said.submission)
        await _answer(send, counts, receipt)

    return serve


def room_of(state: Any, name: str) -> Room:
    """Where an oracle of this name is played."""
    room: Room = state.contest_games if place_of(name) else state.oracles
    return room


def _looks_plain(scope: Scope) -> bool:
    for header, value in scope["headers"]:
        allowed = PLAIN.get(header)
        if allowed is not None and value not in allowed:
            return False
    return NAME.fullmatch(scope["path_params"]["name"]) is not None


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


async def _answer(send: Send, counts: Counts, receipt: str) -> None:
    body = _write(counts)
    headers = [
        (b"content-type", b"application/json"),
        (RECEIPT, receipt.encode()),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
