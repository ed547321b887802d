"""One stream of an arena for many topics: tables, seats, contests, the lobby.

    >>> for news in follow(arena, [f"table:{name}", "lobby"]):   # doctest: +SKIP
    ...     print(news.kind, news.data)

A connection that breaks is made again, and the stream goes on behind the last message that
arrived: no line of a table is lost, none comes twice.
"""

from __future__ import annotations

import http.client
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterator, Sequence
from http.client import HTTPException
from typing import Any, Final, NamedTuple

from fairground.clients.http import (
    PAUSE,
    TRIES,
    Http,
    Refused,
    Unreachable,
    in_plain_words,
    read_json,
)
from fairground.clients.protocol import EVENTS

SILENCE: Final = 60.0
"""Seconds without a sign of life after which a connection counts as broken."""

LONGEST: Final = 10_000_000
"""Bytes of a line of a stream."""


class Told(NamedTuple):
    """A message of a stream."""

    kind: str
    data: dict[str, Any]
    cursor: str
    """How far the stream was then: `follow` can go on from here in another program."""


def follow(
    arena: str,
    topics: Sequence[str],
    *,
    after: str = "-",
    sender: Http | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Generator[Told, None, None]:
    """The messages of a stream about these topics, for as long as you want them."""
    cursor, silent = after, 0
    asked = {"topics": list(topics), "after": cursor}
    url = _ticket(arena, asked, sender or Http())
    while silent <= TRIES:
        why = "the stream ends at once"
        try:
            for told in _messages(url, cursor):
                cursor, silent = told.cursor, 0
                yield told
        except Refused as refused:
            if refused.status != 404:  # 404: the ticket has expired
                raise
            url = _ticket(arena, asked | {"after": cursor}, sender or Http())
        except (OSError, HTTPException) as broken:
            why = in_plain_words(broken)
        silent += 1
        pause(PAUSE * 2**silent)
    raise Unreachable(f"{arena} does not answer any more: {why}")


def _ticket(arena: str, asked: dict[str, Any], sender: Http) -> str:
    made = sender.post(f"{arena.rstrip('/')}/events", asked)
    return urllib.parse.urljoin(arena, str(made["stream"]))


def _messages(url: str, cursor: str) -> Iterator[Told]:
    """What comes by one connection."""
    place = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    line = kind(place.netloc, timeout=SILENCE)
    try:
        line.request("GET", place.path, headers={"Accept": EVENTS, "Last-Event-ID": cursor})
        answer = line.getresponse()
        if answer.status != http.client.OK:
            raise Refused(answer.status, "remote/refused", f"the arena answers {answer.status}")
        fields: dict[str, str] = {}
        while text := answer.readline(LONGEST).decode():
            name, _, value = text.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            else:
                if "data" in fields:
                    yield Told(fields["event"], read_json(fields["data"].encode()), fields["id"])
                fields = {}
    finally:
        line.close()
