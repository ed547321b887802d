"""What everybody may find: the tables that are listed, newest first.

A listed table has a small log of its own, which says so, and which is closed when the table is
over. So the list survives a restart, and all workers have the same one. In memory are the rows
of the newest tables, each made again when its table has changed and somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import msgspec

from fairground.arena.http.problems import Unknown
from fairground.arena.live_games import Live
from fairground.arena.log_watch import News
from fairground.arena.tables.keeping import Tables
from fairground.arena.tables.showing import position, waiting_words
from fairground.arena.tables.waiting import KIND, LISTED, WaitingTable, listing_log
from fairground.arena.tables.wire import OPEN, OVER, PLAYING, RowSeat, TableRow
from fairground.store import Append, Conflict, Store

MOST_LISTED: Final = 1_000
"""Tables in the list. An older one leaves it; it can still be reached by its address."""

CHANGED: Final = "lobby"
"""What those wait for who watch the list (`News.tell`)."""


class _Listed:
    """A table in the list."""

    def __init__(self, name: str, at: int, *, over: bool) -> None:
        self.name = name
        self.at = at
        """When it was listed, in microseconds: the newest come first, and pages begin behind it."""
        self.closed = over
        """Whether the store knows that it is over."""
        self.row: TableRow | None = None
        """``None``: it has changed since somebody looked."""


class Lists:
    """The tables that are listed."""

    def __init__(
        self, tables: Tables, store: Store, news: News, clock: Callable[[], float]
    ) -> None:
        self._tables = tables
        self._store = store
        self._news = news
        self._clock = clock
        self._listed: dict[str, _Listed] = {}
        self._unread: dict[str, None] | None = None
        """Tables that were heard to be listed, and not looked at yet; ``None``: nobody has looked
        at the list at all."""
        news.hearers.append(self._heard)

    def _heard(self, log: str, _: int) -> None:
        """Take note that a log has grown; one without a name means that any may have."""
        kind, dot, name = log.partition(".")
        if not log:
            for one in self._listed.values():
                one.row = None
        elif dot and kind == LISTED:
            if self._unread is not None and name not in self._listed:
                self._unread[name] = None
        elif (grown := self._listed.get(name if kind == KIND else log)) is not None:
            grown.row = None
        else:
            return
        self._news.tell(CHANGED)

    async def page(
        self, states: Collection[str], game: str | None, after: int, limit: int
    ) -> tuple[list[TableRow], int | None]:
        """So many rows behind a place in the list (0: from its beginning), and the next place."""
        found: list[TableRow] = []
        last = 0
        await self._read_new()
        listed = sorted(self._listed.values(), key=lambda one: one.at, reverse=True)
        for one in listed:
            if after and one.at >= after:
                continue
            if one.closed and OVER not in states:
                continue
            row = await self._row(one)
            if row is None or row.state not in states or game not in (None, row.game):
                continue
            if len(found) == limit:
                return found, last
            found.append(row)
            last = one.at
        return found, None

    async def _read_new(self) -> None:
        """Take up what was listed since the last look, and let go what is too old."""
        if self._unread is None:
            self._unread = {}
            for log in (await self._store.logs(LISTED))[-MOST_LISTED:]:
                self._unread[log.removeprefix(f"{LISTED}.")] = None
        while self._unread:
            name = next(iter(self._unread))
            stored = await self._store.read(listing_log(name))
            self._unread.pop(name, None)
            if stored is not None:
                at = msgspec.json.decode(stored.lines[0])["at"]
                self._listed.setdefault(name, _Listed(name, at, over=stored.closed))
        for name in sorted(self._listed, key=lambda name: self._listed[name].at)[:-MOST_LISTED]:
            del self._listed[name]

    async def _row(self, one: _Listed) -> TableRow | None:
        """How a table stands; ``None`` if it is not to be listed any more."""
        if one.row is not None:
            return one.row
        try:
            table = await self._tables.look(one.name)
        except Unknown:  # nobody came
            await self._close(one)
            self._listed.pop(one.name, None)
            return None
        if isinstance(table, WaitingTable):
            row = _waiting_row(one.name, table)
        else:
            row = await self._begun_row(table)
        one.row = row
        if row.state == OVER:
            await self._close(one)
        return row

    async def _close(self, one: _Listed) -> None:
        """Let the store know that it is over, so that nobody has to look again."""
        if not one.closed:
            one.closed = True
            with suppress(Conflict):  # another worker has said so
                line = msgspec.json.encode({"over": int(self._clock())}) + b"\n"
                await self._store.commit(Append(listing_log(one.name), 1, (line,), closed=True))

    async def _begun_row(self, live: Live) -> TableRow:
        table, players = live.table, live.private.players
        shown = await self._tables.shown(live)
        chairs = table.setting.chairs
        reading = live.reading
        start = table.transcript.events[0]
        return TableRow(
            live.log,
            start["game"],
            start["params"],
            OVER if shown.over else PLAYING,
            [RowSeat(chair.name, players.get(str(seat))) for seat, chair in enumerate(chairs)],
            position(table.game, shown, None, [chair.name for chair in chairs])["words"],
            shown.step,
            live.private.made if reading is None else reading.at,
        )


def _waiting_row(name: str, table: WaitingTable) -> TableRow:
    wanted = table.wanted
    return TableRow(
        name,
        wanted.game,
        wanted.params,
        OPEN,
        [RowSeat(chair.name, chair.player, chair.open) for chair in wanted.seats],
        waiting_words(table),
        0,
        table.at,
    )
