"""The stream itself: takes turns among its topics, and waits when none has anything to say.

Nothing is queued for a client that reads slowly: a stream remembers how far it is with each
topic, and reads on from there when the last message has gone out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from fairground.arena.events.cursor import Cursor, Mark, mark_of, read_cursor
from fairground.arena.events.sources import SOURCES, Source
from fairground.arena.events.tickets import Tickets, log_of
from fairground.arena.events.topics import read_topic
from fairground.arena.http.problems import TooManyRequests, problem_of
from fairground.arena.limits.gate import CLIENT
from fairground.arena.limits.holdings import Holdings
from fairground.arena.log_watch import Watch
from fairground.core import FairgroundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairground.arena.state import ArenaState

MOST_STREAMS: Final = 256
"""Open streams of one client."""

HEARTBEAT: Final = 15.0
"""Seconds after which a quiet stream says that it is still there."""

RETRY: Final = b"retry: 1000\n\n"
"""Milliseconds after which a browser that lost its connection comes back."""

GONE: Final = "gone"


class Streams:
    """All streams that are open."""

    def __init__(self, tickets: Tickets, opened: Holdings) -> None:
        self.tickets = tickets
        self._open = opened

    def must_have_room(self) -> None:
        """Refuse a client that has too many streams open."""
        if self._open.of(CLIENT.get()) >= MOST_STREAMS:
            raise TooManyRequests(
                f"you have {MOST_STREAMS} streams open here: one is enough for all that you watch"
            )

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While a stream is open, it counts."""
        client = CLIENT.get()
        self._open.add(client, 1)
        try:
            yield
        finally:
            self._open.add(client, -1)


class EventStream:
    """One open stream."""

    def __init__(self, arena: ArenaState, here: str, ticket: str, after: str) -> None:
        self._arena = arena
        self._here = here
        self._ticket = ticket
        self._marks = read_cursor(after)
        self._cursor = Cursor()
        self._watch = Watch()
        self._waiting: dict[str, dict[str, None]] = {}
        """Log → the topics that wait for it."""
        self._sources: dict[str, Source] = {}
        self._dirty: dict[str, None] = {}
        """Topics that may have something to say, in the order of their turns."""

    async def chunks(self) -> AsyncIterator[bytes]:
        """The stream as bytes, until the arena stops or the client goes away."""
        arena, own = self._arena, log_of(self._ticket)
        with arena.streams.counted():
            arena.news.join(self._watch, own)
            # The topics are read now that changes of them are heard: none falls in between.
            self._watch.ring(own)
            try:
                yield RETRY
                while True:
                    while self._dirty:
                        topic = next(iter(self._dirty))
                        del self._dirty[topic]
                        if chunk := await self._turn(topic):
                            yield chunk
                        if self._watch.heard:
                            await self._take_note(own)
                    if arena.news.closing:
                        return
                    heard = await self._watch.wait(self._patience())
                    if not self._look_at_the_clock() and not heard:
                        yield b": still here\n\n"
                    await self._take_note(own)
            finally:
                self._follow({})
                arena.news.leave(self._watch, own)

    # Topics

    def _follow(self, topics: Mapping[str, int]) -> None:
        """Follow just these topics; one that was begun anew begins at its first line."""
        for text, source in list(self._sources.items()):
            if topics.get(text) != source.mark.serial:
                del self._sources[text]
                self._dirty.pop(text, None)
                self._cursor.drop(text)
                self._ignore(source)
        for text, serial in topics.items():
            if text not in self._sources:
                topic = read_topic(text)
                mark = mark_of(self._marks, text)
                if mark is None or mark.serial != serial:
                    mark = Mark(serial, 0)
                source = SOURCES[topic.kind](self._arena, self._here, topic, mark)
                if mark.lines:
                    self._cursor.move(text, mark)
                self._sources[text] = source
                self._attend(source)
                self._dirty[text] = None

    def _attend(self, source: Source) -> None:
        for log in source.logs:
            if log not in self._waiting:
                self._waiting[log] = {}
                self._arena.news.join(self._watch, log)
            self._waiting[log][source.topic.text] = None

    def _ignore(self, source: Source) -> None:
        for log in source.logs:
            del self._waiting[log][source.topic.text]
            if not self._waiting[log]:
                del self._waiting[log]
                self._arena.news.leave(self._watch, log)

    async def _take_note(self, own: str) -> None:
        """See what was heard: which topics may have news, and whether the topics changed."""
        heard, self._watch.heard = self._watch.heard, set()
        if own in heard:
            try:
                self._follow((await self._arena.streams.tickets.read(self._ticket)).topics)
            except FairgroundError:
                self._follow({})
        for log in heard:
            self._dirty.update(self._waiting.get(log, {}))

    def _patience(self) -> float:
        """Seconds to wait for something to be heard."""
        due = [source.due for source in self._sources.values() if source.due is not None]
        return max(0.0, min([HEARTBEAT, *(at - self._arena.hall.clock() for at in due)]))

    def _look_at_the_clock(self) -> bool:
        """Whether it is time to look at some topics, whatever was heard."""
        now = self._arena.hall.clock()
        late = [s.topic.text for s in self._sources.values() if s.due is not None and s.due <= now]
        self._dirty.update(dict.fromkeys(late))
        return bool(late)

    # Messages

    async def _turn(self, text: str) -> bytes:
        """All that one topic has to say now."""
        source = self._sources.get(text)
        if source is None:
            return b""
        try:
            news = await source.news()
        except FairgroundError as error:
            return self._gone(source, error)
        if source.more():
            self._dirty[text] = None
        out = []
        for data, lines in news:
            if lines is not None:
                self._cursor.move(text, Mark(source.mark.serial, lines))
            out.append(self._message(source.topic.kind, data))
        return b"".join(out)

    def _gone(self, source: Source, error: FairgroundError) -> bytes:
        """What is not there is said once; the rest goes on."""
        source.due = None
        self._cursor.drop(source.topic.text)
        told = {"topic": source.topic.text, "problem": problem_of(error)}
        return self._message(GONE, msgspec.json.encode(told))

    def _message(self, kind: str, data: bytes) -> bytes:
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (bytes(self._cursor), kind.encode(), data)
