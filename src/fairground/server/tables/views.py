"""Views of tables for each reader, and the public list of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import islice, pairwise
from typing import Any, Final

import msgspec
from msgspec import UNSET

from fairground.core import Game, Move, Seat, TooMany, written
from fairground.json_views import as_json
from fairground.server.http.problems import TooManyRequests, Unknown
from fairground.server.live_games import Live, Shown
from fairground.server.log_watch import News
from fairground.server.tables.opening import (
    LISTED,
    WAITING_KIND,
    WaitingTable,
    listed_by,
    listing_log,
)
from fairground.server.tables.service import Tables, ask_id
from fairground.server.tables.wire import (
    OPEN,
    OVER,
    PLAYING,
    AskOut,
    Choice,
    RowSeat,
    SeatOut,
    TableOut,
    TableRow,
)
from fairground.store import Append, Conflict, Store
from fairground.transcript import NO_LINE
from fairground.words import PlainWords, words_for
from fairground.words.plain import count, listed, quoted

MOST_MOVES: Final = 1000
"""Legal moves are listed if there are no more than this."""

MOST_CHOICES: Final = 100
"""They are listed with words if there are no more than this; else there is a form."""

MOVES: Final = frozenset({"move", "seal"})
"""The asks that are answered by a move."""


def position(
    game: Game[Any], shown: Shown, seat: Seat | None, names: Sequence[str]
) -> dict[str, Any]:
    """Return the members of a `TableOut` about the position: view, words, and legal moves.

    The law that views leak nothing is run against this function.
    """
    view = game.view(shown.state, seat)
    words = words_for(game, names, seat)
    told: dict[str, Any] = {"view": as_json(view), "words": _sentences(words, view, shown)}
    if seat is None or not any(ask.seat == seat and ask.kind in MOVES for ask in shown.asks):
        return told
    moves = _at_most(MOST_MOVES, game.moves, view, seat)
    told["moves"] = "too-many" if moves is None else as_json(moves)
    told["words"] += f" {words.question(view, seat)}"
    choices = _at_most(MOST_CHOICES, game.choices, view, seat)
    if choices is None:
        told["form"] = game.move_schema(view)
    else:
        told["choices"] = [Choice(as_json(one), words.option(view, seat, one)) for one in choices]
    return told


def _at_most(
    most: int, listed: Callable[[Any, Seat], Iterable[Move]], view: Any, seat: Seat
) -> list[Move] | None:
    """Return these moves, or ``None`` if they are more than ``most``."""
    try:
        moves = list(islice(listed(view, seat), most + 1))
    except TooMany:
        return None
    return moves if len(moves) <= most else None


def _sentences(words: PlainWords[Any], view: Any, shown: Shown) -> str:
    """Describe the position to one reader."""
    lines = [one if one.endswith((".", "!", "?")) else f"{one}." for one in words.state(view)]
    if shown.over:
        lines.append(
            "The game is void." if shown.payoff is None else words.over(view, shown.payoff)
        )
    elif others := sorted({ask.seat for ask in shown.asks} - {words.reader}):
        lines.append(f"The table waits for {listed([words.names[seat] for seat in others])}.")
    return " ".join(lines)


async def describe(
    here: str, name: str, table: Live | WaitingTable, tables: Tables, seat: Seat | None = None
) -> TableOut:
    """Describe a table to everyone, or to a seat; ``here`` is the arena's address."""
    if isinstance(table, WaitingTable):
        return _waiting(here, name, table, seat)
    out = _begun(here, table, await tables.shown(table), tables, seat)
    if out.over and (following := await tables.waiting.following(name)):
        out.rematch = f"{here}tables/{following}"
    return out


def waiting_words(table: WaitingTable) -> str:
    """Name the players who have not come yet."""
    chairs = table.wanted.seats
    free = [seat for seat in table.missing if chairs[seat].open]
    away = [quoted(chairs[seat].name) for seat in table.missing if not chairs[seat].open]
    lines = ["The game begins when everybody sits."]
    if free:
        lines.append(f"{count(len(free), 'seat is', 'seats are')} open.")
    if away:
        lines.append(f"The table waits for {listed(away)}.")
    return " ".join(lines)


def _waiting(here: str, name: str, table: WaitingTable, seat: Seat | None) -> TableOut:
    wanted, where = table.wanted, f"{here}tables/{name}"
    chairs = [
        SeatOut(one.name, one.by, one.lends, one.player, open=one.open) for one in wanted.seats
    ]
    return TableOut(
        self=where,
        game=wanted.game,
        params=wanted.params,
        dealer=wanted.dealer,
        public={},
        seats=chairs,
        step=0,
        head=NO_LINE,
        waiting_for=[],
        over=False,
        view=None,
        transcript=f"{where}/transcript",
        events=f"{where}/events",
        table="",
        words=waiting_words(table),
        state=OPEN,
        seat=UNSET if seat is None else seat,
        asks=UNSET if seat is None else [],
    )


def _begun(here: str, live: Live, shown: Shown, tables: Tables, seat: Seat | None) -> TableOut:
    table, reading, where = live.table, live.reading, f"{here}tables/{live.log}"
    left = {} if reading is None or shown.over else tables.clocks.left(reading)
    chairs = table.setting.chairs
    start = table.transcript.events[0]
    told = position(table.game, shown, seat, [chair.name for chair in chairs])
    if shown.over:
        told["payoff"] = None if shown.payoff is None else list(shown.payoff)
    if seat is not None:
        told["seat"] = seat
        told["asks"] = [
            AskOut(ask_id(ask), ask.kind, ask.step, ask.head, written(ask.n), ask.run)
            for ask in shown.asks
            if ask.seat == seat
        ]
    return TableOut(
        self=where,
        game=start["game"],
        params=start["params"],
        dealer=start["dealer"],
        public=start["public"],
        seats=[
            SeatOut(
                *chair,
                live.private.players.get(str(number)),
                round(max(0.0, left[number]), 3) if number in left else None,
            )
            for number, chair in enumerate(chairs)
        ],
        step=shown.step,
        head=shown.head,
        waiting_for=sorted({ask.seat for ask in shown.asks}),
        over=shown.over,
        transcript=f"{where}/transcript",
        events=f"{where}/events",
        table=start["table"],
        state=OVER if shown.over else PLAYING,
        void=shown.void,
        **told,
    )


# The public list of tables, newest first
#
# A listed table has a small log of its own, which is closed when the table is over. So the list
# survives a restart, and all servers have the same one. The rows of the newest tables are cached,
# and made again at the next look after a change.
#
# The list is fair: first comes the newest table of each client, then the second of each, and so on.
# So a client that lists many tables moves only its own to the end.


MOST_LISTED: Final = 1_000
"""Tables in the list. The last of them leave it; they can still be reached by their addresses."""

MOST_OF_ONE: Final = 50
"""Tables of one client in the list, and listed ones of it that are not over."""

READ: Final = 5 * MOST_LISTED
"""Logs of open tables that are read when the list is looked at for the first time."""

ROUND: Final = 10**14
"""Tenths of milliseconds since 1970 are below this for a thousand years."""

CHANGED: Final = "lobby"
"""The topic that watchers of the list wait for (`News.tell`)."""


class _Listed:
    """A table in the list."""

    def __init__(self, name: str, at: int, by: str, *, over: bool) -> None:
        self.name = name
        self.at = at
        """When it was listed, in microseconds."""
        self.by = by
        """A digest of the client that listed it; nothing if that is not known."""
        self.place = 0
        """Position in the list. Pages begin after a position."""
        self.closed = over
        """True if the store knows that the game is over."""
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
        self._making: Counter[str] = Counter()
        """Client → listed tables of it that are being made."""
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
        elif (grown := self._listed.get(name if kind == WAITING_KIND else log)) is not None:
            grown.row = None
        else:
            return
        self._news.tell(CHANGED)

    async def page(
        self, states: Collection[str], game: str | None, after: int, limit: int
    ) -> tuple[list[TableRow], int | None]:
        found: list[TableRow] = []
        last = 0
        await self._read_new()
        for one in list(self._listed.values()):
            if one.place <= after:
                continue
            if one.closed and OVER not in states:
                continue
            row = await self._row(one)
            if row is None or row.state not in states or game not in (None, row.game):
                continue
            if len(found) == limit:
                return found, last
            found.append(row)
            last = one.place
        return found, None

    @asynccontextmanager
    async def listing(self) -> AsyncIterator[None]:
        """Surround the making of a listed table; refuse it if its client has too many."""
        client = listed_by()
        if not client:
            yield
            return
        await self._read_new()
        rows = [await self._row(one) for one in list(self._listed.values()) if one.by == client]
        there = sum(row is not None and row.state != OVER for row in rows)
        if there + self._making[client] >= MOST_OF_ONE:
            raise TooManyRequests(
                f"you have {there} tables in the list that are not over, and {MOST_OF_ONE} is the "
                "limit: play some of them first, or open one that is not listed"
            )
        self._making[client] += 1
        try:
            yield
        finally:
            self._making -= Counter({client: 1})

    async def _read_new(self) -> None:
        """Take up what was listed since the last look, and let go what is beyond the last place."""
        if self._unread is None:
            self._unread = {}
            playing = (await self._store.logs(LISTED, open_only=True))[-READ:]
            for log in [*playing, *(await self._store.logs(LISTED))[-MOST_LISTED:]]:
                self._unread[log.removeprefix(f"{LISTED}.")] = None
        if not self._unread:
            return
        while self._unread:
            name = next(iter(self._unread))
            stored = await self._store.read(listing_log(name))
            self._unread.pop(name, None)
            if stored is not None:
                told = msgspec.json.decode(stored.lines[0])
                one = _Listed(name, told["at"], told.get("by", ""), over=stored.closed)
                self._listed.setdefault(name, one)
        self._put_in_order()

    def _put_in_order(self) -> None:
        seen: Counter[str] = Counter()
        for one in sorted(self._listed.values(), key=lambda one: one.at, reverse=True):
            one.place = (seen[one.by] + 1) * ROUND - one.at // 100
            seen[one.by] += bool(one.by)
        in_order = sorted(self._listed.values(), key=lambda one: one.place)
        for before, one in pairwise(in_order):
            one.place = max(one.place, before.place + 1)  # a page ends between any two
        room = (one for one in in_order if one.place < MOST_OF_ONE * ROUND)
        self._listed = {one.name: one for one in islice(room, MOST_LISTED)}

    async def _row(self, one: _Listed) -> TableRow | None:
        """Return the row of a table, or ``None`` if it is not listed any more."""
        if one.row is not None:
            return one.row
        try:
            table = await self._tables.look(one.name)
        except Unknown:  # nobody came
            await self._close(one)
            self._listed.pop(one.name, None)
            return None
        one.row = row = await self._new_row(one.name, table)
        if row.state == OVER:
            await self._close(one)
        return row

    async def _close(self, one: _Listed) -> None:
        """Let the store know that it is over, so that nobody has to look again."""
        if not one.closed:
            one.closed = True
            with suppress(Conflict):  # another server has said so
                line = msgspec.json.encode({"over": int(self._clock())}) + b"\n"
                await self._store.commit(Append(listing_log(one.name), 1, (line,), closed=True))

    async def _new_row(self, name: str, table: Live | WaitingTable) -> TableRow:
        if isinstance(table, WaitingTable):
            seen, changed = _waiting("", name, table, None), table.at
        else:
            seen = _begun("", table, await self._tables.shown(table), self._tables, None)
            changed = table.private.made if table.reading is None else table.reading.at
        seats = [RowSeat(seat.name, seat.player, seat.open) for seat in seen.seats]
        return TableRow(
            name, seen.game, seen.params, seen.state, seats, seen.words, seen.step, changed
        )
