"""What streams say over the wire: the bodies of their requests and answers."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from fairground.arena.events.tickets import MOST_TOPICS
from fairground.arena.events.topics import TOPIC

TopicText = Annotated[
    str, Meta(extra_json_schema={"pattern": f"^({TOPIC.pattern})$", "examples": ["lobby"]})
]
Topics = Annotated[
    list[TopicText], Meta(extra_json_schema={"maxItems": MOST_TOPICS, "examples": [["lobby"]]})
]
Cursor = Annotated[str, Meta(max_length=4000, pattern="^(-|[A-Za-z0-9_-]{10,})$", examples=["-"])]


class NewStream(Struct):
    """What to watch."""

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
    """What to watch besides, and what no longer."""

    add: Topics = []
    drop: Topics = []
