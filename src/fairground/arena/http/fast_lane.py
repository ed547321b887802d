"""The fast lane: what arrives thousands of times a second, without the framework's ceremony.

Half of the time of a submission went into the framework: finding the route, making request
and response objects, resolving dependencies. Nothing of that is needed for submissions (``POST
/oracle/{name}``), for answers at a table (``POST /tables/{name}/seats/{secret}``) with a short
JSON body that is as it should be, and for looks at a table or from a seat (``GET``). So the fast
lane, in front of the framework, reads such a request, acts on it and answers it.

Whatever is not plain goes the usual way, with every byte of it: another ``Accept`` or
``Content-Type``, a look that waits, a body that is long, in pieces or not what the route takes.
And what the game refuses goes there too: `refusing` raises it in its route, and the framework
answers it like all refusals. (A look does no harm, and is just made again.) So there is one
wording of every error, and the route that OpenAPI describes is the route that there is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from litestar.datastructures import State
from litestar.types import ASGIApp

from fairground.arena.http.addresses import base
from fairground.arena.http.bodies import again
from fairground.arena.http.browsers import SAFE
from fairground.arena.http.origin import HEADERS as BROWSERS
from fairground.arena.http.requests import NAME
from fairground.arena.limits.gate import Asgi, Receive, Scope, Send
from fairground.arena.oracles.wire import CountsOut, Submission
from fairground.arena.state import ArenaState, the_arena
from fairground.arena.tables.showing import describe
from fairground.arena.tables.wire import NewAnswer
from fairground.clients.protocol import ACCEPT, JSON, RECEIPT
from fairground.transcript import DEEPEST

BEFORE: Final = "/oracle/"
ROUTE: Final = "/oracle/{name}"
SEAT: Final = "/tables/{name}/seats/{secret}"
TABLE: Final = "/tables/{name}"
REFUSED: Final = "fairground.refused"
"""Where a scope has what the game refused."""

LONGEST: Final = 1_000
"""Bytes of a body: forty numbers of two digits, and room for members that we ignore."""

NOTHING: Final = frozenset[bytes]()
TO_LOOK: Final = {
    b"accept": frozenset({b"*/*", JSON.encode(), ACCEPT.encode()}),
    b"content-length": NOTHING,
    b"transfer-encoding": NOTHING,
    b"expect": NOTHING,
}
TO_ACT: Final = {
    b"accept": TO_LOOK[b"accept"],
    b"content-type": frozenset({JSON.encode()}),
    b"content-encoding": NOTHING,
    b"transfer-encoding": NOTHING,
    b"expect": NOTHING,
    **dict.fromkeys(BROWSERS, NOTHING),
}
"""What these headers may say in the fast lane, if they are there at all."""

RECEIPT_HEADER: Final = RECEIPT.lower().encode()
THE_TYPE: Final = JSON.encode()

Headers = list[tuple[bytes, bytes]]

_write = msgspec.json.Encoder().encode
_read_submission: Final = msgspec.json.Decoder(Submission).decode


class Lane(NamedTuple):
    """How one kind of request is served."""

    route: str
    act: Callable[[ArenaState, Scope, Sequence[str], Any], Awaitable[tuple[Any, Headers]]]
    """What is done with the names in the address and what was said: the answer, and headers."""
    read: Callable[[bytes], Any] | None
    """How a body is read; ``None``: there is none, and nothing is changed."""
    plain: Mapping[bytes, frozenset[bytes]]


async def _submit(
    arena: ArenaState, _: Scope, names: Sequence[str], said: Submission
) -> tuple[Any, Headers]:
    (name,) = names
    counts, receipt = await arena.room_of(name).submit(name, said.submission)
    return counts, [(RECEIPT_HEADER, receipt.encode())]


async def _answer(
    arena: ArenaState, _: Scope, names: Sequence[str], said: NewAnswer
) -> tuple[Any, Headers]:
    name, secret = names
    return await arena.tables.answer(name, secret, said.ask, said.answer), []


async def _look(
    arena: ArenaState, scope: Scope, names: Sequence[str], _: None
) -> tuple[Any, Headers]:
    (name,) = names
    table = await arena.tables.look(name)
    return await describe(base(arena, scope), name, table, arena.tables), []


async def _sit(
    arena: ArenaState, scope: Scope, names: Sequence[str], _: None
) -> tuple[Any, Headers]:
    name, secret = names
    table, seat = await arena.tables.sit(name, secret)
    told = await describe(base(arena, scope), name, table, arena.tables, seat)
    return told, [(b"cache-control", b"no-store")]


SUBMITTING: Final = Lane(ROUTE, _submit, _read_submission, TO_ACT)
ANSWERING: Final = Lane(SEAT, _answer, msgspec.json.Decoder(NewAnswer).decode, TO_ACT)
LOOKING: Final = Lane(TABLE, _look, None, TO_LOOK)
SITTING: Final = Lane(SEAT, _sit, None, TO_LOOK)


class FastLane:
    """The arena's application, with a fast lane in front of it."""

    def __init__(self, app: Asgi, state: State) -> None:
        self._usual = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        lane, names = _lane(scope)
        if lane is None:
            await self._usual(scope, receive, send)
            return
        said = message = None
        if lane.read is not None:
            message = await receive()
            said = _said(message, lane.read)
        if said is not None or lane.read is None:
            try:
                answer, headers = await lane.act(the_arena(self._state), scope, names, said)
            except Exception as refused:  # our own mistakes, too, have their form
                scope[REFUSED] = refused
            else:
                scope["path_template"] = lane.route
                await _tell(send, answer, headers)
                return
        await self._usual(scope, receive if message is None else again([message], receive), send)


def refusing(app: ASGIApp) -> ASGIApp:
    """Around the route itself: raise what the game has refused already."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if REFUSED in scope:
            raise scope[REFUSED]
        await app(scope, receive, send)

    return serve


def _lane(scope: Scope) -> tuple[Lane | None, list[str]]:
    """The lane of a request that looks plain, and the names in its address."""
    if scope["type"] != "http" or b"%" in scope.get("raw_path", b""):
        return None, []
    words, method = scope["path"].split("/"), scope["method"]
    names = words[2::2]
    match words, method:
        case ["", "oracle", _], "POST":
            lane = SUBMITTING
        case ["", "tables", _, "seats", _], "POST":
            lane = ANSWERING
        case ["", "tables", _, "seats", _], "GET" if not scope["query_string"]:
            lane = SITTING
        case ["", "tables", _], "GET" if not scope["query_string"]:
            lane = LOOKING
        case _:
            return None, []
    for name in names:
        if NAME.fullmatch(name) is None:
            return None, []
    plain = lane.plain
    for header, value in scope["headers"]:
        allowed = plain.get(header)
        if allowed is not None and value not in allowed:
            return None, []
    return lane, names


def _said(message: Any, read: Callable[[bytes], Any]) -> Any:
    """What a body says, if it came whole and can be read at once."""
    if message["type"] != "http.request" or message.get("more_body"):
        return None
    body: bytes = message["body"]
    if len(body) > LONGEST or body.count(b"[") + body.count(b"{") > DEEPEST:
        return None
    try:
        return read(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def plain_submission(scope: Scope, message: Any) -> Submission | None:
    """What a request submits to an oracle, if it is plain."""
    lane, _ = _lane(scope)
    if lane is not SUBMITTING:
        return None
    found: Submission | None = _said(message, _read_submission)
    return found


async def _tell(send: Send, answer: Any, headers: Headers) -> None:
    body = _write(answer)
    headers = [
        (b"content-type", THE_TYPE),
        *headers,
        (b"content-length", b"%d" % len(body)),
        *SAFE,
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def tell(send: Send, counts: CountsOut, receipt: str) -> None:
    """Answer a submission."""
    await _tell(send, counts, [(RECEIPT_HEADER, receipt.encode())])
