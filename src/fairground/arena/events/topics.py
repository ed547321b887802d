"""What can be watched, by name: the lobby, a table, a seat, a contest, a game with the Croupier."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from fairground.arena.http.problems import quoted
from fairground.core import InputError

LOBBY: Final = "lobby"
TABLE: Final = "table"
SEAT: Final = "seat"
CONTEST: Final = "contest"
CROUPIER: Final = "croupier"

_NAME: Final = r"[A-Za-z0-9_.~-]{1,100}"
TOPIC: Final = re.compile(
    rf"(lobby)|(?:(table|contest|croupier):({_NAME}))|(?:(seat):({_NAME})/({_NAME}))"
)


class Topic(NamedTuple):
    """Something to watch."""

    text: str
    """As the client calls it."""
    kind: str
    name: str = ""
    secret: str = ""


def read_topic(text: str) -> Topic:
    """A topic as a client writes it."""
    found = TOPIC.fullmatch(text)
    if found is None:
        raise InputError(
            "a topic is lobby, table:ID, seat:ID/SECRET, contest:ID or croupier:ID, "
            f"not {quoted(text)}"
        )
    lobby, kind, name, seat, table, secret = found.groups()
    if seat:
        return Topic(text, seat, table, secret)
    return Topic(text, lobby or kind, name or "")
