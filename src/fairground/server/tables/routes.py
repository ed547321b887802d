"""The handlers of tables. They call `service`, `views` and `company`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Annotated, Any, Final

from litestar import Request, Response, delete, get, post
from litestar.datastructures import ResponseHeader, State
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream

from fairground.clients.protocol import EVENTS, JSON_LINES
from fairground.core import (
    BadParams,
    BadShare,
    IllegalMove,
    InputError,
    MissingExtra,
    StaleAsk,
    UnknownName,
)
from fairground.server.http.addresses import address
from fairground.server.http.problems import (
    AlreadyDone,
    BadName,
    GameOver,
    TooEarly,
    Unknown,
    header,
    refuses,
)
from fairground.server.http.requests import Behind, Limit, Wait, read_states
from fairground.server.live_games import Live
from fairground.server.state import TheArena
from fairground.server.tables.wire import (
    STATES,
    Hint,
    Leaving,
    MadeSeat,
    MadeTable,
    NewAnswer,
    NewSitter,
    NewTable,
    NewTry,
    Remark,
    TableList,
    TableOut,
    Taken,
    Tried,
)
from fairground.store import Conflict


@get(
    "/tables/{name:str}/review",
    summary="What each decision of a finished game was worth",
    response_description="Values, costs and luck, step by step",
    opt=refuses(TooEarly, Unknown),
)
async def table_review(name: FromPath[str], arena: TheArena) -> dict[str, Any]:
    """The coach's review, as ``fairground coach --json`` prints it: see docs/coach.md."""
    return await arena.reviews.of(name)


@post(
    "/tables/{name:str}/review",
    status_code=200,
    summary="Try another move in a finished game",
    response_description="What it would have been worth",
    opt=refuses(TooEarly, Unknown, InputError, IllegalMove),
)
async def try_again(name: FromPath[str], data: JSONBody[NewTry], arena: TheArena) -> Tried:
    """The value of another move, in the words of ``fairground learn``. Nothing is recorded."""
    return await arena.reviews.of_try(name, data)


# The handlers
#
# A table's public address shows the view of a bystander. A seat's private address has a secret
# token in it, and anyone who has the address plays the seat. So it is sent once, to the client that
# opens the table, and only its digest is stored.


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


@post(
    "/tables",
    summary="Open a table",
    response_description="The table is open; hand out the URLs of its seats",
    opt=refuses(InputError, BadParams, BadName, UnknownName, MissingExtra),
    response_headers=[header("Location", "The absolute URI of the table")],
)
async def new_table(
    request: TheRequest, data: JSONBody[NewTable], arena: TheArena
) -> Response[MadeTable]:
    """Any game, with our players and with seats for others; each of those gets a private URL.

    With open seats the game begins when somebody has taken each of them.
    """
    async with arena.lists.listing() if data.listed else nullcontext():
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


@get("/tables", summary="The tables that are listed", response_description="A page of the list")
async def list_tables(
    arena: TheArena,
    states: States = "open,playing,over",
    game: Annotated[
        str | None, QueryParameter(name="game", description="only tables of this game")
    ] = None,
    after: Behind = 0,
    limit: Limit = 20,
) -> TableList:
    """The newest of each client first, then the second of each.

    ``open`` ones have a seat to take; ``playing`` ones can be watched.
    """
    wanted = read_states(states, STATES)
    return TableList(*await arena.lists.page(wanted, game, after, limit))


@post(
    "/tables/{name:str}/seats",
    summary="Take an open seat",
    response_description="The seat is yours: keep its URL",
    opt=refuses(InputError, BadName, AlreadyDone, MissingExtra, Conflict),
    response_headers=[header("Location", "The private URI of the seat")],
)
async def take_seat(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewSitter], arena: TheArena
) -> Response[MadeSeat]:
    """Only this answer has the seat's private URL. The game begins when the last seat is taken."""
    seat, secret = await arena.tables.waiting.take(name, data)
    where = address(request, f"tables/{name}/seats/{secret}")
    return Response(MadeSeat(seat, data.name, where), headers={"Location": where})


@get(
    "/tables/{name:str}",
    summary="A table, as everyone may see it",
    response_description="The table as everyone may see it",
)
async def get_table(name: FromPath[str], after: After = 0, wait: Wait = 0) -> TableOut:
    """The bystander's view, the seats, and the payoff once it is over."""
    raise NotImplementedError  # `http.front` answers it


@get(
    "/tables/{name:str}/transcript",
    media_type=JSON_LINES,
    summary="What was written so far",
    response_description="JSON Lines, one for each event",
)
async def table_transcript(
    name: FromPath[str], arena: TheArena, after: After = 0
) -> Response[bytes]:
    """The record for ``fairground verify``; complete once the game is over."""
    return Response(b"".join(await arena.tables.lines(name, after)), media_type=JSON_LINES)


@get(
    "/tables/{name:str}/events",
    summary="Follow a table (server-sent events)",
    media_type=EVENTS,
    response_description="The lines of the transcript, as `line` events",
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

    With ``Last-Event-ID``, the stream goes on after that line. When nothing more will come, the
    answer is 204, which tells a browser not to reconnect.
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
    response_description="The table as this seat sees it",
)
async def get_seat(
    name: FromPath[str], secret: FromPath[str], after: After = 0, wait: Wait = 0
) -> TableOut:
    """The seat's own view, what it is asked, and its legal moves."""
    raise NotImplementedError  # `http.front` answers it


@post(
    "/tables/{name:str}/seats/{secret:str}",
    status_code=200,
    summary="Answer what a seat is asked",
    response_description="Recorded: in this line, which has this hash",
    opt=refuses(IllegalMove, BadShare, StaleAsk, AlreadyDone, GameOver, Conflict),
)
async def answer(name: FromPath[str], secret: FromPath[str], data: JSONBody[NewAnswer]) -> Taken:
    """Recorded, durably, before this is answered. Saying the same again is harmless."""
    raise NotImplementedError  # `http.front` answers it


@post(
    "/tables/{name:str}/seats/{secret:str}/forfeit",
    status_code=200,
    summary="Leave the table",
    response_description="Recorded: in this line, which has this hash",
    opt=refuses(GameOver, Conflict),
)
async def leave(
    name: FromPath[str], secret: FromPath[str], data: JSONBody[Leaving], arena: TheArena
) -> Taken:
    """The game ends, and this seat takes the worst result."""
    return await arena.tables.forfeit(name, secret, data.reason)


@delete(
    "/tables/{name:str}/seats/{secret:str}",
    summary="Get up before the game begins",
    response_description="Nobody sits there any more",
    opt=refuses(AlreadyDone, Conflict),
)
async def get_up(name: FromPath[str], secret: FromPath[str], arena: TheArena) -> None:
    """The seat is open to others then; a table at which nobody sits any more is gone."""
    await arena.tables.get_up(name, secret)


@post(
    "/tables/{name:str}/seats/{secret:str}/remark",
    status_code=204,
    summary="Say something",
    response_description="Recorded",
    opt=refuses(InputError, GameOver, StaleAsk, Conflict),
)
async def make_remark(
    name: FromPath[str], secret: FromPath[str], data: JSONBody[Remark], arena: TheArena
) -> None:
    """It stands in the record as a note, for everybody."""
    await arena.company.remark(name, secret, data.text)


@post(
    "/tables/{name:str}/seats/{secret:str}/hint",
    status_code=200,
    summary="Ask for advice",
    response_description="What our adviser would play",
    opt=refuses(StaleAsk, MissingExtra, Conflict),
)
async def ask_for_hint(name: FromPath[str], secret: FromPath[str], arena: TheArena) -> Hint:
    """The move that our best adviser would play. The record says that you asked, but not the
    advice.
    """
    return await arena.company.hint(name, secret)


@post(
    "/tables/{name:str}/seats/{secret:str}/rematch",
    summary="Play the same game again",
    response_description="The next game, with the URL of your seat",
    opt=refuses(StaleAsk, Conflict),
    response_headers=[header("Location", "The absolute URI of the table")],
)
async def play_again(
    request: TheRequest, name: FromPath[str], secret: FromPath[str], arena: TheArena
) -> Response[MadeTable]:
    """With the same people and players, once the game is over. The answer has your seat's URL.

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
