"""The routes of streams."""

from __future__ import annotations

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import Stream

from fairground.arena.events.stream import EventStream
from fairground.arena.events.wire import MadeStream, NewStream, NewTopics
from fairground.arena.http.addresses import address
from fairground.arena.state import TheArena
from fairground.clients.protocol import EVENTS

TheRequest = Request[Any, Any, State]

HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""A stream is kept nowhere on its way, and waits nowhere."""


@post("/events", summary="A ticket for one stream of many topics")
async def new_stream(
    request: TheRequest, data: JSONBody[NewStream], arena: TheArena
) -> Response[MadeStream]:
    """Then follow the stream with its ticket. One is enough for all that a browser watches."""
    ticket = await arena.streams.tickets.make(data.topics, data.after)
    made = MadeStream(f"/events/{ticket}", address(request, f"events/{ticket}"))
    return Response(made, headers={"Location": made.self})


@get("/events/{name:str}", summary="Follow a stream (server-sent events)", media_type=EVENTS)
async def follow_stream(
    request: TheRequest,
    name: FromPath[str],
    arena: TheArena,
    last: Annotated[
        str | None,
        HeaderParameter(name="Last-Event-ID", description="go on behind the message of this id"),
    ] = None,
) -> Stream:
    """Each message has an ``id``: a cursor over all topics. An ``event`` names the topic's kind.

    The ``data`` is an object with the ``topic`` and its news: of a table each line of the record
    (``line``, ``text``), once and in order; of all others their present state when it changes.
    """
    arena.streams.must_have_room()
    kept = await arena.streams.tickets.read(name)
    stream = EventStream(arena, address(request, ""), name, last or kept.after)
    return Stream(stream.chunks(), media_type=EVENTS, headers=HEADERS)


@post("/events/{name:str}", status_code=204, summary="Change what a stream is about")
async def change_stream(name: FromPath[str], data: JSONBody[NewTopics], arena: TheArena) -> None:
    """What is dropped says nothing more; what is added begins at its beginning."""
    await arena.streams.tickets.change(name, data.add, data.drop)


EVENT_ROUTES: Final = (new_stream, follow_stream, change_stream)
