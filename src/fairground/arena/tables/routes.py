"""Tables over HTTP: their routes.

A table's public address shows what a bystander may see. A seat's private address has a
secret token in it: whoever has it plays the seat, so it is told once, to who opens the
table, and kept nowhere but as a digest.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from litestar import Request, Response, delete, get, post
from litestar.datastructures import ResponseHeader, State
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream

from fairground.arena.http.addresses import address
from fairground.arena.http.fast_lane import refusing
from fairground.arena.http.queries import Behind, Limit, Wait, read_states
from fairground.arena.live_games import Live
from fairground.arena.state import TheArena
from fairground.arena.tables.review import table_review, try_again
from fairground.arena.tables.showing import describe
from fairground.arena.tables.wire import (
    STATES,
    Hint,
    Leaving,
    MadeSeat,
    MadeTable,
    NewAnswer,
    NewSitter,
    NewTable,
    Remark,
    TableList,
    TableOut,
    Taken,
)
from fairground.clients.protocol import EVENTS, JSON_LINES

TheRequest = Request[Any, Any, State]


After = Annotated[
    int, QueryParameter(name="after", ge=0, description="leave out the lines up to this one")
]
States = Annotated[
    str,
    QueryParameter(
        name="state",
        description=f"one or more of {','.join(STATES)}",
        schema_extra={"pattern": "^(open|playing|over)(,(open|playing|over))*$"},
    ),
]


@post("/tables", summary="Open a table")
async def new_table(
    request: TheRequest, data: JSONBody[NewTable], arena: TheArena
) -> Response[MadeTable]:
    """Any game, with our players and with seats for others; each of those gets a private URL.

    With open seats the game begins when somebody has taken each of them.
    """
    name, tokens = await arena.tables.make(data)
    where = address(request, f"tables/{name}")
    seats = [
        MadeSeat(
            seat,
            wanted.name,
            f"{where}/seats/{tokens[seat]}" if seat in tokens else None,
            wanted.player,
            wanted.open,
        )
        for seat, wanted in enumerate(data.seats)
    ]
    return Response(MadeTable(where, seats), headers={"Location": where})


@get("/tables", summary="The tables that are listed")
async def list_tables(
    arena: TheArena,
    states: States = "open,playing,over",
    game: Annotated[
        str | None, QueryParameter(name="game", description="only tables of this game")
    ] = None,
    after: Behind = 0,
    limit: Limit = 20,
) -> TableList:
    """Newest first. ``open`` ones have a seat to take; ``playing`` ones can be watched."""
    wanted = read_states(states, STATES)
    return TableList(*await arena.lists.page(wanted, game, after, limit))


@post("/tables/{name:str}/seats", summary="Take an open seat")
async def take_seat(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewSitter], arena: TheArena
) -> Response[MadeSeat]:
    """Its private URL is told only here. The last who sits down begins the game."""
    seat, secret = await arena.tables.waiting.take(name, data)
    where = address(request, f"tables/{name}/seats/{secret}")
    return Response(MadeSeat(seat, data.name, where), headers={"Location": where})


@get("/tables/{name:str}", summary="A table, as everyone may see it")
async def get_table(
    request: TheRequest, name: FromPath[str], arena: TheArena, after: After = 0, wait: Wait = 0
) -> TableOut:
    """The bystander's view, the seats, and the payoff once it is over."""
    if wait:
        await arena.tables.wait(name, after, wait)
    table = await arena.tables.look(name)
    return await describe(address(request, ""), name, table, arena.tables)


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
    arena.streams.must_have_room()
    live = await arena.tables.look(name)
    after = int(last) if last and last.isascii() and last.isdigit() and len(last) < 10 else 0
    if isinstance(live, Live):
        shown = await arena.tables.shown(live)
        if shown.over and after >= shown.step:
            return Response(None, status_code=204)

    async def events() -> AsyncIterator[bytes]:
        number = after
        with arena.streams.counted():
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
    table, seat = await arena.tables.sit(name, secret)
    if wait:
        await arena.tables.wait(name, after, wait)
        table = await arena.tables.look(name)
    return await describe(address(request, ""), name, table, arena.tables, seat)


@post(
    "/tables/{name:str}/seats/{secret:str}",
    status_code=200,
    summary="Answer what a seat is asked",
    middleware=[refusing],
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


@delete("/tables/{name:str}/seats/{secret:str}", summary="Get up before the game begins")
async def get_up(name: FromPath[str], secret: FromPath[str], arena: TheArena) -> None:
    """The seat is open to others then; a table at which nobody sits any more is gone."""
    await arena.tables.get_up(name, secret)


@post("/tables/{name:str}/seats/{secret:str}/remark", status_code=204, summary="Say something")
async def make_remark(
    name: FromPath[str], secret: FromPath[str], data: JSONBody[Remark], arena: TheArena
) -> None:
    """It stands in the record as a note, for everybody."""
    await arena.company.remark(name, secret, data.text)


@post("/tables/{name:str}/seats/{secret:str}/hint", status_code=200, summary="Ask for advice")
async def ask_for_hint(name: FromPath[str], secret: FromPath[str], arena: TheArena) -> Hint:
    """What our best adviser would play. The record says that it was asked, not what it said."""
    return await arena.company.hint(name, secret)


@post("/tables/{name:str}/seats/{secret:str}/rematch", summary="Play the same game again")
async def play_again(
    request: TheRequest, name: FromPath[str], secret: FromPath[str], arena: TheArena
) -> Response[MadeTable]:
    """With the same people and players, once the game is over. Your seat's URL is told.

    The others find the table as ``rematch`` at their old seats. It begins when all of them have
    asked for it too.
    """
    made = await arena.company.rematch(address(request, ""), name, secret)
    return Response(made, headers={"Location": made.self})


TABLE_ROUTES: Final = (
    new_table,
    list_tables,
    take_seat,
    get_table,
    table_transcript,
    table_events,
    get_seat,
    answer,
    leave,
    get_up,
    make_remark,
    ask_for_hint,
    play_again,
    table_review,
    try_again,
)
