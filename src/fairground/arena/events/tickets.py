"""What a stream is about, kept under its ticket.

A ticket is a log in the store, so that every worker can serve the stream, and it goes on
after a restart. Its lines are of no use to whoever reads the store: they are hidden by the
ticket itself, of which only a digest is kept. For a topic may hold the secret of a seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from fairground.arena.events.cursor import mark_of, read_cursor
from fairground.arena.events.topics import read_topic
from fairground.arena.http.problems import TooManyRequests, Unknown
from fairground.arena.purging import Purging
from fairground.fair.bits import HashStream, Tag, digest, token
from fairground.store import Append, Store, retried

KIND: Final = "stream"

MOST_TOPICS: Final = 64
"""Of one stream."""

LIFETIME: Final = 24 * 3600
"""Seconds that a ticket can be used after it was last changed. Then it is deleted."""


class Kept(msgspec.Struct):
    """What is kept of a stream: the last line counts."""

    topics: dict[str, int]
    """Topic → which time it is that it is followed."""
    after: str = "-"
    """The cursor with which it begins."""


def log_of(ticket: str) -> str:
    """The log of a ticket."""
    return f"events.{digest(Tag.TOKEN, 'events', ticket).hex()}"


def _hidden(ticket: str, step: int, data: bytes) -> bytes:
    """Hide a line by the ticket; done twice, it is there again."""
    pad = HashStream(digest(Tag.TOKEN, "events line", ticket, step)).take(len(data))
    return bytes(a ^ b for a, b in zip(data, pad, strict=True))


def _must_be_topics(texts: Sequence[str]) -> None:
    for text in texts:
        read_topic(text)


class Tickets:
    """The tickets of an arena."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._purging = Purging(KIND, LIFETIME)

    async def make(self, topics: Sequence[str], after: str) -> str:
        """A ticket for a new stream."""
        _must_be_topics(topics)
        ticket = token()
        marks = read_cursor(after)
        found = {topic: mark_of(marks, topic) for topic in topics}
        kept = Kept({topic: mark.serial if mark else 0 for topic, mark in found.items()}, after)
        await self._write(ticket, 0, kept)
        self._purging.look(self._store, self._clock)
        return ticket

    async def read(self, ticket: str) -> Kept:
        """What a stream is about now."""
        return (await self._read(ticket))[1]

    async def _read(self, ticket: str) -> tuple[int, Kept]:
        stored = await self._store.read(log_of(ticket))
        if stored is None or stored.seen + LIFETIME < self._clock():
            raise Unknown("there is no such stream (any more): ask for a new one, with its cursor")
        step = len(stored.lines)
        line = _hidden(ticket, step - 1, bytes.fromhex(stored.lines[-1].decode()))
        return step, msgspec.json.decode(line, type=Kept)

    async def change(self, ticket: str, add: Sequence[str], drop: Sequence[str]) -> None:
        """Drop topics from an open stream, and then add some."""
        _must_be_topics([*add, *drop])

        @retried
        async def changing() -> None:
            step, kept = await self._read(ticket)
            serial = step
            topics = {text: at for text, at in kept.topics.items() if text not in drop}
            topics |= {text: serial for text in add if text not in topics}
            if topics != kept.topics:
                await self._write(ticket, step, Kept(topics, kept.after))

        await changing()

    async def _write(self, ticket: str, step: int, kept: Kept) -> None:
        if len(kept.topics) > MOST_TOPICS:
            raise TooManyRequests(f"a stream has at most {MOST_TOPICS} topics: drop some first")
        line = _hidden(ticket, step, msgspec.json.encode(kept)).hex().encode() + b"\n"
        kind = "" if step else KIND
        seen = int(self._clock())
        await self._store.commit(Append(log_of(ticket), step, (line,), kind, seen=seen))
