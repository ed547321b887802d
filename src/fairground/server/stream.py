"""One stream of server-sent events for many topics.

A topic is the lobby, a table, a seat, a contest, or a game with the Croupier.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha3_256
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec

from fairground.core import FairgroundError, InputError
from fairground.fair.bits import HashStream, Tag, digest, token
from fairground.server.contests.wire import CONTEST_STATES, ContestRow
from fairground.server.croupier.wire import CroupierGame
from fairground.server.gate import CLIENT, Holdings
from fairground.server.http.problems import TooManyRequests, Unknown, problem_of, quoted
from fairground.server.http.requests import MOST_ROWS
from fairground.server.log_watch import Watch
from fairground.server.storage import Purging
from fairground.server.tables.opening import log_of as waiting_log
from fairground.server.tables.opening import rematch_log
from fairground.server.tables.views import CHANGED, describe
from fairground.server.tables.wire import STATES, TableRow
from fairground.store import Append, Store, retried

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairground.server.state import ArenaState


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
    """Parse a topic as a client writes it."""
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


# Cursors: for each table of a stream, the number of lines that were sent
#
# The cursor is the ``id`` of every message. A browser that lost its connection sends the last one
# that it got, and the stream goes on from there: nothing is lost, nothing comes twice. A few bytes
# of a hash stand for a topic, which keeps the cursor short.


KEY: Final = 6
"""Bytes that stand for a topic: two of a few dozen topics will not share them."""

LONGEST: Final = 4_000
"""Characters of a cursor."""


Count = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class Mark(NamedTuple):
    """The position of a stream in one topic."""

    serial: Count
    """Which time it is that this topic is followed: it may be dropped and begun anew."""
    lines: Count


class Cursor:
    """The marks of a stream."""

    def __init__(self) -> None:
        self._marks: dict[bytes, Mark] = {}

    def move(self, topic: str, mark: Mark) -> None:
        self._marks[_key(topic)] = mark

    def drop(self, topic: str) -> None:
        self._marks.pop(_key(topic), None)

    def __bytes__(self) -> bytes:
        if not self._marks:
            return b"-"
        return urlsafe_b64encode(msgspec.msgpack.encode(self._marks)).rstrip(b"=")


def read_cursor(text: str) -> dict[bytes, Mark]:
    """Parse the marks of a cursor that a client sends back; see `mark_of`."""
    if text == "-":
        return {}
    try:
        data = urlsafe_b64decode(text[:LONGEST].encode("ascii") + b"=" * (-len(text) % 4))
        return msgspec.msgpack.decode(data, type=dict[bytes, Mark])
    except ValueError:  # of the text, of base64, or of what it means
        raise InputError(f"this is no cursor of a stream: {quoted(text)}") from None


def mark_of(marks: dict[bytes, Mark], topic: str) -> Mark | None:
    """Return the cursor's mark of a topic, or ``None``."""
    return marks.get(_key(topic))


@lru_cache(10_000)
def _key(topic: str) -> bytes:
    return sha3_256(topic.encode()).digest()[:KEY]


# Tickets
#
# A ticket is a log of one line in the store, so any server can serve the stream, also after a
# restart. A change replaces the line. A topic may hold the secret of a seat. So the line is
# masked with a key stream from the ticket, and only a digest of the ticket is stored.


KIND: Final = "stream"

MOST_TOPICS: Final = 64
"""Of one stream."""

LIFETIME: Final = 3600
"""Seconds that a ticket can be used after it was last changed. Then it is deleted."""

MOST_OF_ONE: Final = 1_000
"""Maximum number of tickets of one client."""

TOO_MANY: Final = (
    "you have {} tickets of streams here, and one is enough for all that you watch; each ends an "
    "hour after its last change"
)


class Kept(msgspec.Struct):
    """The stored state of a stream."""

    topics: dict[str, int]
    """Topic → which time it is that it is followed."""
    after: str = "-"
    """The cursor with which it begins."""


def log_of(ticket: str) -> str:
    """Return the log of a ticket."""
    return f"events.{digest(Tag.TOKEN, 'events', ticket).hex()}"


def _hidden(ticket: str, step: int, data: bytes) -> bytes:
    """Mask a line with a key stream from the ticket. Applied twice, it restores the line."""
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
        self._held = Holdings(clock)
        """The logs of all tickets that were made or changed here."""

    async def make(self, topics: Sequence[str], after: str) -> str:
        _must_be_topics(topics)
        ticket = token()
        marks = read_cursor(after)
        found = {topic: mark_of(marks, topic) for topic in topics}
        kept = Kept({topic: mark.serial if mark else 0 for topic, mark in found.items()}, after)
        await self._write(ticket, 0, kept)
        self._purging.look(self._store, self._clock)
        return ticket

    async def read(self, ticket: str) -> Kept:
        return (await self._read(ticket))[1]

    async def _read(self, ticket: str) -> tuple[int, Kept]:
        stored = await self._store.read(log_of(ticket))
        if stored is None or stored.seen + LIFETIME < self._clock():
            raise Unknown("there is no such stream (any more): ask for a new one, with its cursor")
        step = stored.step
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
        log, now = log_of(ticket), self._clock()
        self._held.add(log, MOST_OF_ONE, TOO_MANY, now + LIFETIME)
        line = _hidden(ticket, step, msgspec.json.encode(kept)).hex().encode() + b"\n"
        kind, seen = "" if step else KIND, int(now)
        await self._store.commit(Append(log, step, (line,), kind, seen=seen, replaces=step > 0))


# Sources: the messages of each kind of topic, at first and after every change


MOST_AT_ONCE: Final = 200
"""Lines of one table before it is another topic's turn."""

PAUSE: Final = 0.5
"""Seconds between two standings of a contest, at least: they take long to compute."""

GLANCE: Final = 5.0
"""Seconds between two looks at a game with the Croupier: what troubles him is in no log."""

LOBBY_CONTESTS: Final = 20
LOBBY_GLANCE: Final = 15.0
"""Seconds between two looks at the contests: what happens in them is not told to the lobby."""

encode = msgspec.json.Encoder().encode


class News(NamedTuple):
    """One message: its data, and for a table how far the stream then is."""

    data: bytes
    lines: int | None = None


class Source(ABC):
    """One topic of one stream."""

    def __init__(self, arena: ArenaState, here: str, topic: Topic, mark: Mark) -> None:
        self.arena = arena
        self.here = here
        """The arena's address, as this client reaches it."""
        self.topic = topic
        self.mark = mark
        self.logs = [topic.name]
        """Logs to watch: there may be news when one of them grows."""
        self.due: float | None = None
        """When to look even if nothing was heard, by the arena's clock."""
        self._last: Any = None

    @abstractmethod
    async def news(self) -> Sequence[News]:
        """Return the messages that the client has not received yet."""

    def changed(self, essence: Any, told: Mapping[str, Any]) -> Sequence[News]:
        """Return a message, unless its essence is that of the last one."""
        if essence == self._last:
            return ()
        self._last = essence
        return (News(encode({"topic": self.topic.text, **told})),)


class TableSource(Source):
    """A table: every line of its record once, in order, word for word."""

    async def news(self) -> Sequence[News]:
        sent = self.mark.lines
        lines = await self.arena.tables.lines(self.topic.name, sent)
        self.due = self.arena.hall.clock() if len(lines) > MOST_AT_ONCE else None
        head = b'{"topic":%s,"line":' % encode(self.topic.text)
        news = [
            News(head + b'%d,"text":%s}' % (number, encode(line[:-1].decode())), number)
            for number, line in enumerate(lines[:MOST_AT_ONCE], sent + 1)
        ]
        self.mark = Mark(self.mark.serial, sent + len(news))
        return news


class SeatSource(Source):
    """A seat: its own view, as ``GET`` gives it."""

    def __init__(self, arena: ArenaState, here: str, topic: Topic, mark: Mark) -> None:
        super().__init__(arena, here, topic, mark)
        self.logs += [waiting_log(topic.name), rematch_log(topic.name)]

    async def news(self) -> Sequence[News]:
        """Return the view if the table has moved on. A running clock is no news."""
        tables, name = self.arena.tables, self.topic.name
        table, seat = await tables.sit(name, self.topic.secret)
        shown = await describe(self.here, name, table, tables, seat)
        return self.changed((shown.step, shown.words, shown.rematch), {"seat": shown})


class ContestSource(Source):
    """A contest: its standings, and whether it is closed."""

    _quiet_until = 0.0

    async def news(self) -> Sequence[News]:
        """Return the standings if they have changed, at most once in `PAUSE` seconds."""
        arena, name = self.arena, self.topic.name
        now = arena.hall.clock()
        if now < self._quiet_until:
            self.due = self._quiet_until
            return ()
        self._quiet_until = now + PAUSE
        closed, closes = await arena.contests.look(
            name, lambda live: (live.book.closed, live.book.closes)
        )
        standings = await arena.contests.standing(name)
        self.due = None if closed else closes
        state = "closed" if closed else "running"
        return self.changed((standings, state), {"standings": standings, "state": state})


class CroupierSource(Source):
    """A game with the Croupier: its stage."""

    async def news(self) -> Sequence[News]:
        desk = self.arena.croupier
        if desk is None:
            raise Unknown("there is no Croupier in this arena")
        name = self.topic.name
        game = CroupierGame.of(self.here, name, await desk.look(name))
        self.due = None if game.stage == "over" else self.arena.hall.clock() + GLANCE
        return self.changed(game, msgspec.to_builtins(game))


class LobbySource(Source):
    """The lobby: what is listed. First all of it, then what has changed."""

    def __init__(self, arena: ArenaState, here: str, topic: Topic, mark: Mark) -> None:
        super().__init__(arena, here, topic, mark)
        self.logs = [CHANGED]
        self._quiet_until = 0.0
        self._known: dict[str, TableRow | ContestRow] | None = None

    async def news(self) -> Sequence[News]:
        """Return the new and changed rows, and the names of those that are gone."""
        now = self.arena.hall.clock()
        if now < self._quiet_until:
            self.due = self._quiet_until
            return ()
        self._quiet_until, self.due = now + PAUSE, now + LOBBY_GLANCE
        tables, _ = await self.arena.lists.page(STATES, None, 0, MOST_ROWS)
        contests, _ = await self.arena.contest_lists.page(CONTEST_STATES, 0, LOBBY_CONTESTS)
        rows: dict[str, TableRow | ContestRow] = {one.id: one for one in tables}
        rows |= {one.id: one for one in contests}
        first, known, self._known = self._known is None, self._known or {}, rows
        told = {
            "topic": self.topic.text,
            "all": first,
            "tables": [one for one in tables if known.get(one.id) != one],
            "contests": [one for one in contests if known.get(one.id) != one],
            "gone": [name for name in known if name not in rows],
        }
        return (News(encode(told)),) if first or any(list(told.values())[2:]) else ()


SOURCES: Final[dict[str, type[Source]]] = {
    LOBBY: LobbySource,
    TABLE: TableSource,
    SEAT: SeatSource,
    CONTEST: ContestSource,
    CROUPIER: CroupierSource,
}


# The stream: serves its topics in turn, and waits when none has news
#
# A slow client needs no queue. The stream knows its position in each topic, and reads on from there
# when the last message has gone out.


MOST_STREAMS: Final = 256
"""Open streams of one client."""

HEARTBEAT: Final = 15.0
"""Seconds after which a quiet stream says that it is still there."""

RETRY: Final = b"retry: 1000\n\n"
"""Milliseconds after which a browser that lost its connection comes back."""

GONE: Final = "gone"


class Streams:
    """All streams that are open."""

    def __init__(self, tickets: Tickets) -> None:
        self.tickets = tickets
        self._open = Holdings()

    def must_have_room(self) -> None:
        if self._open.of(CLIENT.get()) >= MOST_STREAMS:
            raise TooManyRequests(
                f"you have {MOST_STREAMS} streams open here: one is enough for all that you watch"
            )

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While a stream is open, it counts."""
        name = token()
        self._open.add(name, sys.maxsize)
        try:
            yield
        finally:
            self._open.drop(name)


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
        """Yield the stream as bytes, until the arena stops or the client leaves."""
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
        due = [source.due for source in self._sources.values() if source.due is not None]
        return max(0.0, min([HEARTBEAT, *(at - self._arena.hall.clock() for at in due)]))

    def _look_at_the_clock(self) -> bool:
        """Mark the topics that are due by the clock; False if none is."""
        now = self._arena.hall.clock()
        late = [s.topic.text for s in self._sources.values() if s.due is not None and s.due <= now]
        self._dirty.update(dict.fromkeys(late))
        return bool(late)

    # Messages

    async def _turn(self, text: str) -> bytes:
        source = self._sources.get(text)
        if source is None:
            return b""
        try:
            news = await source.news()
        except FairgroundError as error:
            return self._gone(source, error)
        out = []
        for data, lines in news:
            if lines is not None:
                self._cursor.move(text, Mark(source.mark.serial, lines))
            out.append(self._message(source.topic.kind, data))
        return b"".join(out)

    def _gone(self, source: Source, error: FairgroundError) -> bytes:
        """Report a missing topic once. The other topics go on."""
        source.due = None
        self._cursor.drop(source.topic.text)
        told = {"topic": source.topic.text, "problem": problem_of(error)}
        return self._message(GONE, msgspec.json.encode(told))

    def _message(self, kind: str, data: bytes) -> bytes:
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (bytes(self._cursor), kind.encode(), data)
