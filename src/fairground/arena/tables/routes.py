"""Tables over HTTP: their routes, and what is shown of them to whom.

A table's public address shows what a bystander may see. A seat's private address has a
secret token in it: whoever has it plays the seat, so it is told once, to who opens the
table, and kept nowhere but as a digest.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import ResponseHeader, State
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream

from fairground.arena.http.addresses import address
from fairground.arena.live_games import Live
from fairground.arena.state import TheArena
from fairground.arena.tables.keeping import Shown, Tables, ask_id
from fairground.arena.tables.wire import (
    AskOut,
    Leaving,
    MadeSeat,
    MadeTable,
    NewAnswer,
    NewTable,
    SeatOut,
    TableOut,
    Taken,
)
from fairground.clients.protocol import EVENTS, JSON_LINES
from fairground.core import Game, Seat, TooMany, written
from fairground.views import as_json

TheRequest = Request[Any, Any, State]

MOST_MOVES: Final = 1000
"""Legal moves are listed if there are no more than this."""

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
    return _describe(request, live, await arena.tables.shown(live), arena.tables)


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
    return _describe(request, live, await arena.tables.shown(live), arena.tables, seat)


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


def position(game: Game[Any], shown: Shown, seat: Seat | None) -> dict[str, Any]:
    """All that an answer tells of the state itself: the view and the legal moves.

    The law that views leak nothing is run against this function.
    """
    view = game.view(shown.state, seat)
    told: dict[str, Any] = {"view": as_json(view)}
    if seat is not None:
        asked = [ask.kind for ask in shown.asks if ask.seat == seat]
        if "move" in asked or "seal" in asked:
            told["moves"] = _moves(game, view, seat)
    return told


def _moves(game: Game[Any], view: Any, seat: Seat) -> Any:
    try:
        moves = list(islice(game.moves(view, seat), MOST_MOVES + 1))
    except TooMany:
        return "too-many"
    return as_json(moves) if len(moves) <= MOST_MOVES else "too-many"


def _describe(
    request: TheRequest, live: Live, shown: Shown, tables: Tables, seat: Seat | None = None
) -> TableOut:
    table, private = live.table, live.private
    where = address(request, f"tables/{live.log}")
    reading = tables.clocks.reading(live)
    left = {} if reading is None or shown.over else tables.clocks.left(reading)
    seats = [
        SeatOut(
            *chair,
            private.players.get(str(number)),
            round(max(0.0, left[number]), 3) if number in left else None,
        )
        for number, chair in enumerate(table.setting.chairs)
    ]
    start = table.transcript.events[0]
    out = TableOut(
        where,
        start["game"],
        start["params"],
        start["dealer"],
        start["public"],
        seats,
        shown.step,
        shown.head,
        sorted({ask.seat for ask in shown.asks}),
        shown.over,
        None,
        f"{where}/transcript",
        f"{where}/events",
        void=shown.void,
    )
    told = position(table.game, shown, seat)
    out.view = told["view"]
    if shown.over:
        out.payoff = None if shown.payoff is None else list(shown.payoff)
    if seat is not None:
        out.seat = seat
        out.asks = [
            AskOut(ask_id(ask), ask.kind, ask.step, ask.head, written(ask.n), ask.run)
            for ask in shown.asks
            if ask.seat == seat
        ]
        if "moves" in told:
            out.moves = told["moves"]
    return out
