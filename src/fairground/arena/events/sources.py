"""What each kind of topic has to say, at first and whenever something has changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from fairground.arena.contests.wire import CONTEST_STATES, ContestRow
from fairground.arena.croupier.showing import shown_game
from fairground.arena.events.cursor import Mark
from fairground.arena.events.topics import CONTEST, CROUPIER, LOBBY, SEAT, TABLE, Topic
from fairground.arena.http.problems import Unknown
from fairground.arena.http.queries import MOST_ROWS
from fairground.arena.tables.lists import CHANGED
from fairground.arena.tables.showing import describe
from fairground.arena.tables.waiting import log_of as waiting_log
from fairground.arena.tables.waiting import rematch_log
from fairground.arena.tables.wire import STATES, TableRow

if TYPE_CHECKING:
    from fairground.arena.state import ArenaState

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
        """What it waits for: when one of these logs grows there may be news."""
        self.due: float | None = None
        """When to look even if nothing was heard, by the arena's clock."""
        self._last: Any = None

    @abstractmethod
    async def news(self) -> Sequence[News]:
        """What the client does not know yet."""

    def more(self) -> bool:
        """Whether there was too much for one time."""
        return False

    def changed(self, essence: Any, told: Mapping[str, Any]) -> Sequence[News]:
        """A message, unless it is the same as the last one in essence."""
        if essence == self._last:
            return ()
        self._last = essence
        return (News(encode({"topic": self.topic.text, **told})),)


class TableSource(Source):
    """A table: every line of its record once, in order, word for word."""

    _more = False

    async def news(self) -> Sequence[News]:
        """The lines behind those that were sent."""
        sent = self.mark.lines
        lines = await self.arena.tables.lines(self.topic.name, sent)
        self._more = len(lines) > MOST_AT_ONCE
        head = b'{"topic":%s,"line":' % encode(self.topic.text)
        news = [
            News(head + b'%d,"text":%s}' % (number, encode(line[:-1].decode())), number)
            for number, line in enumerate(lines[:MOST_AT_ONCE], sent + 1)
        ]
        self.mark = Mark(self.mark.serial, sent + len(news))
        return news

    def more(self) -> bool:
        """Whether it has more lines than were taken."""
        return self._more


class SeatSource(Source):
    """A seat: its own view, as ``GET`` gives it."""

    def __init__(self, arena: ArenaState, here: str, topic: Topic, mark: Mark) -> None:
        super().__init__(arena, here, topic, mark)
        self.logs += [waiting_log(topic.name), rematch_log(topic.name)]

    async def news(self) -> Sequence[News]:
        """The view, if the table has moved on; clocks run without being told of."""
        tables, name = self.arena.tables, self.topic.name
        table, seat = await tables.sit(name, self.topic.secret)
        shown = await describe(self.here, name, table, tables, seat)
        return self.changed((shown.step, shown.words, shown.rematch), {"seat": shown})


class ContestSource(Source):
    """A contest: its standings, and whether it is closed."""

    _quiet_until = 0.0

    async def news(self) -> Sequence[News]:
        """The standings, if they have changed; not more often than every `PAUSE`."""
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
        """How far it is, if that has changed."""
        desk = self.arena.croupier
        if desk is None:
            raise Unknown("there is no Croupier in this arena")
        game = await shown_game(self.here, self.topic.name, desk)
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
        """The rows that are new or different, and the names of those that are gone."""
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
