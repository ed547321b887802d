"""The handlers of streams, their bodies and examples."""

from __future__ import annotations

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import Stream
from msgspec import Meta, Struct

from fairground.clients.protocol import EVENTS
from fairground.core import InputError
from fairground.server.http.addresses import address
from fairground.server.http.problems import TooManyRequests, header, refuses
from fairground.server.state import TheArena
from fairground.server.stream import MOST_TOPICS, TOPIC, EventStream
from fairground.store import Conflict

TopicText = Annotated[
    str, Meta(extra_json_schema={"pattern": f"^({TOPIC.pattern})$", "examples": ["lobby"]})
]
Topics = Annotated[
    list[TopicText], Meta(extra_json_schema={"maxItems": MOST_TOPICS, "examples": [["lobby"]]})
]
Cursor = Annotated[str, Meta(max_length=4000, pattern="^(-|[A-Za-z0-9_-]{10,})$", examples=["-"])]


class NewStream(Struct):
    """The topics of a new stream."""

    topics: Topics
    """`lobby`, `table:ID`, `seat:ID/SECRET`, `contest:ID` or `croupier:ID`."""
    after: Cursor = "-"
    """The `id` of the last message of an earlier stream: go on behind it."""


class MadeStream(Struct):
    """A stream that can be followed with its ticket, from now on and after a break."""

    stream: str
    """Its path."""
    self: str


class NewTopics(Struct):
    """Topics to add to a stream, and topics to drop."""

    add: Topics = []
    drop: Topics = []


# The handlers


TheRequest = Request[Any, Any, State]

HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""A stream is kept nowhere on its way, and waits nowhere."""


@post(
    "/events",
    summary="A ticket for one stream of many topics",
    response_description="Follow the stream at `Location`",
    opt=refuses(InputError, TooManyRequests),
    response_headers=[header("Location", "The absolute URI of the stream")],
)
async def new_stream(
    request: TheRequest, data: JSONBody[NewStream], arena: TheArena
) -> Response[MadeStream]:
    """Then follow the stream with its ticket. One is enough for all that a browser watches."""
    ticket = await arena.streams.tickets.make(data.topics, data.after)
    made = MadeStream(f"/events/{ticket}", address(request, f"events/{ticket}"))
    return Response(made, headers={"Location": made.self})


@get(
    "/events/{name:str}",
    summary="Follow a stream (server-sent events)",
    media_type=EVENTS,
    response_description="Messages, until one of both goes away",
    opt=refuses(InputError),
)
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

    The ``data`` is an object with the ``topic`` and its news. A table sends each line of the record
    (``line``, ``text``), once and in order. Every other topic sends its present state when it
    changes.
    """
    arena.streams.must_have_room()
    kept = await arena.streams.tickets.read(name)
    stream = EventStream(arena, address(request, ""), name, last or kept.after)
    return Stream(stream.chunks(), media_type=EVENTS, headers=HEADERS)


@post(
    "/events/{name:str}",
    status_code=204,
    summary="Change what a stream is about",
    response_description="It is about these topics now",
    opt=refuses(InputError, Conflict),
)
async def change_stream(name: FromPath[str], data: JSONBody[NewTopics], arena: TheArena) -> None:
    """Dropped topics fall silent. Added topics start at their beginning."""
    await arena.streams.tickets.change(name, data.add, data.drop)


EVENT_ROUTES: Final = (new_stream, follow_stream, change_stream)
