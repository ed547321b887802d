"""Hot routes, answered in front of the framework, refusals included.

Submissions, answers and looks at tables arrive thousands of times a second, and finding a route and
making request objects would take half of their time. So each of them is one function here. The
framework has the same routes with the same names, but only to describe them (OpenAPI) and to
answer other methods.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import parse_qsl

import msgspec
from litestar import Litestar
from msgspec import Meta, Struct

from fairground.clients.protocol import JSON, RECEIPT
from fairground.core import FairgroundError
from fairground.server.gate import Scope
from fairground.server.http.addresses import admit, base
from fairground.server.http.problems import Malformed, answer_of, quoted, tell
from fairground.server.http.requests import (
    LONGEST_WAIT,
    Head,
    decoded,
    must_have_body,
    read_body,
)
from fairground.server.oracles.wire import Submission
from fairground.server.state import ArenaState, the_arena
from fairground.server.tables.views import describe
from fairground.server.tables.wire import NewAnswer

RECEIPT_HEADER: Final = RECEIPT.lower().encode()

JSON_TYPE: Final = (b"content-type", JSON.encode())

Headers = list[tuple[bytes, bytes]]

_write = msgspec.json.Encoder().encode


class Look(Struct):
    """The query of a look at a table."""

    after: Annotated[int, Meta(ge=0)] = 0
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0


class Asked(NamedTuple):
    """A request to a hot route, read and found good."""

    arena: ArenaState
    scope: Scope
    names: Sequence[str]
    """The values of the variable parts of the address."""
    body: Any = None

    def look(self) -> Look:
        sent = dict(parse_qsl(self.scope["query_string"].decode("latin-1"), True))
        try:
            return msgspec.convert(sent, Look, strict=False)
        except msgspec.ValidationError as error:
            said, _, where = str(error).partition(" - at `$.")
            name = where.rstrip("`")
            raise Malformed(f"{name}: {said}: {quoted(sent.get(name))}") from None


async def _submit(asked: Asked) -> tuple[Any, Headers]:
    (name,) = asked.names
    counts, receipt = await asked.arena.room_of(name).submit(name, asked.body.submission)
    return counts, [(RECEIPT_HEADER, receipt.encode())]


async def _answer(asked: Asked) -> tuple[Any, Headers]:
    name, secret = asked.names
    return await asked.arena.tables.answer(name, secret, asked.body.ask, asked.body.answer), []


async def _get_table(asked: Asked) -> tuple[Any, Headers]:
    (name,), tables = asked.names, asked.arena.tables
    if asked.scope["query_string"] and (look := asked.look()).wait:
        await tables.wait(name, look.after, look.wait)
    table = await tables.look(name)
    return await describe(base(asked.arena, asked.scope), name, table, tables), []


async def _get_seat(asked: Asked) -> tuple[Any, Headers]:
    (name, secret), tables = asked.names, asked.arena.tables
    table, seat = await tables.sit(name, secret)
    if asked.scope["query_string"] and (look := asked.look()).wait:
        await tables.wait(name, look.after, look.wait)
        table = await tables.look(name)
    told = await describe(base(asked.arena, asked.scope), name, table, tables, seat)
    return told, [(b"cache-control", b"no-store")]


class Route(NamedTuple):
    """A hot route."""

    pattern: str
    act: Callable[[Asked], Awaitable[tuple[Any, Headers]]]
    reads: msgspec.json.Decoder[Any] | None = None
    """Decoder of the body; ``None`` if the route takes none."""


SUBMIT: Final = Route("/oracle/{name}", _submit, msgspec.json.Decoder(Submission))
ANSWER: Final = Route("/tables/{name}/seats/{secret}", _answer, msgspec.json.Decoder(NewAnswer))
GET_SEAT: Final = Route("/tables/{name}/seats/{secret}", _get_seat)
GET_TABLE: Final = Route("/tables/{name}", _get_table)


def _route_of(scope: Scope) -> tuple[Route | None, Sequence[str]]:
    """Return the hot route of a request, if it has one, and the names in its address."""
    words = scope["path"].split("/")
    match words, scope["method"]:
        case ["", "oracle", _], "POST":
            return SUBMIT, words[2:]
        case ["", "tables", _, "seats", _], "POST":
            return ANSWER, words[2::2]
        case ["", "tables", _, "seats", _], "GET" | "HEAD":
            return GET_SEAT, words[2::2]
        case ["", "tables", _], "GET" | "HEAD":
            return GET_TABLE, words[2:]
    return None, ()


class Front(Litestar):
    """The application: hot routes first, then the framework."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            route, names = _route_of(scope)
            if route is not None and all(names):
                scope["path_template"] = route.pattern
                await _serve(route, names, the_arena(self.state), scope, receive, send)
                return
        await super().__call__(scope, receive, send)


async def _serve(
    route: Route, names: Sequence[str], arena: ArenaState, scope: Scope, *ways: Any
) -> None:
    receive, send = ways
    try:
        head = Head(scope)
        where = admit(head, route.pattern, names, JSON, arena.public_url)
        if where is not None:
            await tell(send, 303, [(b"location", where.encode())], b"")
            return
        said = None
        if route.reads is not None:
            body = await read_body(receive)
            if body is None:
                return
            must_have_body(head, body)
            said = decoded(body, route.reads)
        answer, headers = await route.act(Asked(arena, scope, names, said))
    except FairgroundError as error:
        await tell(send, *answer_of(error))
    else:
        await tell(send, 200, [JSON_TYPE, *headers], _write(answer))
