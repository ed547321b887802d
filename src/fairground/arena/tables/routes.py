"""Tables over HTTP: their routes.

A table's public address shows what a bystander may see. A seat's private address has a
secret token in it: whoever has it plays the seat, so it is told once, to who opens the
table, and kept nowhere but as a digest.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import ResponseHeader, State
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream

from fairground.arena.http.addresses import address
from fairground.arena.state import TheArena
from fairground.arena.tables.showing import describe
from fairground.arena.tables.wire import (
    Leaving,
    MadeSeat,
    MadeTable,
    NewAnswer,
    NewTable,
    TableOut,
    Taken,
)
from fairground.clients.protocol import EVENTS, JSON_LINES

TheRequest = Request[Any, Any, State]

LONGEST_WAIT: Final = 30.0

After = Annotated[
    int, QueryParameter(name="after", ge=0, description="leave out the lines up to this one")
]
Wait = Annotated[
    float,
    QueryParameter(
        name="wait",
        ge=0,
        le=LONGEST_WAIT,
        description="wait up to this many seconds for the table to have more than `after` lines",
    ),
]


@post("/tables", summary="Open a table")
async def new_table(
    request: TheRequest, data: JSONBody[NewTable], arena: TheArena
) -> Response[MadeTable]:
    """Any game, with our players and with seats for others; each of those gets a private URL."""
    live, tokens = await arena.tables.make(data)
    where = address(request, f"tables/{live.log}")
    seats = [
        MadeSeat(
            seat,
            wanted.name,
            f"{where}/seats/{tokens[seat]}" if seat in tokens else None,
            wanted.player,
        )
        for seat, wanted in enumerate(data.seats)
    ]
    return Response(MadeTable(where, seats), headers={"Location": where})


@get("/tables/{name:str}", summary="A table, as everyone may see it")
async def get_table(
    request: TheRequest, name: FromPath[str], arena: TheArena, after: After = 0, wait: Wait = 0
) -> TableOut:
    """The bystander's view, the seats, and the payoff once it is over."""
    if wait:
        await arena.tables.wait(name, after, wait)
    live = await arena.tables.find(name)
    return describe(address(request, ""), live, await arena.tables.shown(live), arena.tables)


@get("/tables/{name:str}/transcript", media_type=JSON_LINES, summary="What was written so far")
async def table_transcript(
    name: FromPath[str], arena: TheArena, after: After = 0
) -> Response[bytes]:
    """What ``fairground verify`` checks; complete once the game is over."""
    return Response(b"".join(await arena.tables.lines(name, after)), media_type=JSON_LINES)


@get(
    "/tables/{name:str}/events",
    summary="Follow a table (server-sent events)",
    media_type=EVENTS,
)
async def table_events(
    name: FromPath[str],
    arena: TheArena,
    last: Annotated[
        str | None,
        HeaderParameter(name="Last-Event-ID", description="go on behind the line of this number"),
    ] = None,
) -> Response[None] | Stream:
    """Each line of the transcript as a ``line`` event, its number as the id.

    Whoever comes back with ``Last-Event-ID`` goes on behind that line; when there is
    nothing more to come the answer is 204, which tells a browser not to come back.
    """
    live = await arena.tables.find(name)
    shown = await arena.tables.shown(live)
    after = int(last) if last and last.isascii() and last.isdigit() and len(last) < 10 else 0
    if shown.over and after >= shown.step:
        return Response(None, status_code=204)

    async def events() -> AsyncIterator[bytes]:
        number = after
        async for line in arena.tables.follow(name, after):
            if line:
                number += 1
                yield b"id: %d\nevent: line\ndata: %s\n\n" % (number, line.rstrip(b"\n"))
            else:
                yield b": still here\n\n"

    return Stream(events(), media_type=EVENTS, headers={"Cache-Control": "no-store"})


@get(
    "/tables/{name:str}/seats/{secret:str}",
    summary="A table, as a seat sees it",
    response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
)
async def get_seat(
    request: TheRequest,
    name: FromPath[str],
    secret: FromPath[str],
    arena: TheArena,
    *,
    after: After = 0,
    wait: Wait = 0,
) -> TableOut:
    """The seat's own view, what it is asked, and its legal moves."""
    live, seat = await arena.tables.sit(name, secret)
    if wait:
        await arena.tables.wait(name, after, wait)
        live = await arena.tables.find(name)
    shown = await arena.tables.shown(live)
    return describe(address(request, ""), live, shown, arena.tables, seat)


@post(
    "/tables/{name:str}/seats/{secret:str}",
    status_code=200,
    summary="Answer what a seat is asked",
)
async def answer(
    name: FromPath[str], secret: FromPath[str], data: JSONBody[NewAnswer], arena: TheArena
) -> Taken:
    """Recorded, durably, before this is answered. Saying the same again is harmless."""
    return await arena.tables.answer(name, secret, data.ask, data.answer)


@post(
    "/tables/{name:str}/seats/{secret:str}/forfeit",
    status_code=200,
    summary="Leave the table",
)
async def leave(
    name: FromPath[str], secret: FromPath[str], data: JSONBody[Leaving], arena: TheArena
) -> Taken:
    """The game ends, and this seat takes the worst result."""
    return await arena.tables.forfeit(name, secret, data.reason)


TABLE_ROUTES: Final = (
    new_table,
    get_table,
    table_transcript,
    table_events,
    get_seat,
    answer,
    leave,
)
