"""Tables that wait: seats of them are open, and the game begins when all are taken.

A game's first line names everybody at the table, so there is no game before they all sit. What
is known until then lies in a log of its own, of which the last line counts. The commit that
seats the last one begins the game: of two who take the same seat, one is told that it is taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary

import msgspec

from fairground.arena.http.problems import AlreadyDone, TooManyRequests, Unknown
from fairground.arena.limits.gate import CLIENT
from fairground.arena.limits.holdings import Holdings
from fairground.arena.live_games import Hall
from fairground.arena.tables.opening import KIND as TABLE
from fairground.arena.tables.opening import tried_out
from fairground.arena.tables.wire import NewSeat, NewSitter, NewTable
from fairground.core import Seat
from fairground.fair.bits import SystemStream, Tag, digest, same, token
from fairground.players import make_player, offered
from fairground.store import Append, Conflict, retried

KIND: Final = "waiting"
LISTED: Final = "listed"
"""The kind of the log that says that a table is listed."""

REMATCH: Final = "rematch"
"""The kind of the log that names the game which follows another."""

PATIENCE: Final = 3600
"""Seconds that a table waits for somebody to sit down, or to come back."""

MOST: Final = 1_000
"""Tables that wait at the same time."""

MOST_OF_ONE: Final = 50
"""Those of one client."""

BEGAN: Final = "began"
EXPIRED: Final = "expired"
LEFT: Final = "left"
"""Why a table waits no more: everybody sits, nobody came, nobody is there any more."""

SOMEBODY: Final = "somebody"
"""The name of an empty seat, where one is needed to try a table out."""


class WaitingTable(msgspec.Struct):
    """A table that is yet to begin."""

    wanted: NewTable
    tokens: dict[str, str]
    """Seat → digest of its secret token, for those who sit."""
    note: dict[str, Any] | None = None
    """What the record begins with."""
    at: float = 0
    """When this was written, by the house's clock."""
    ended: str = ""
    """Why it does not wait any more."""

    @property
    def missing(self) -> list[Seat]:
        """The seats on which nobody sits."""
        people = (i for i, seat in enumerate(self.wanted.seats) if seat.player is None)
        return [seat for seat in people if str(seat) not in self.tokens]


class Begin(Protocol):
    """How a game begins, together with what is written besides."""

    def __call__(self, name: str, table: WaitingTable, *more: Append) -> Awaitable[None]:
        """Begin it."""


def log_of(name: str) -> str:
    """The log in which a table waits."""
    return f"{KIND}.{name}"


def listing_log(name: str) -> str:
    """The log that says that a table is listed."""
    return f"{LISTED}.{name}"


def rematch_log(name: str) -> str:
    """The log that names the game which follows this one."""
    return f"{REMATCH}.{name}"


def listing_of(name: str, now: float) -> Append:
    """What is written for a table that is listed: when that was, in microseconds."""
    line = msgspec.json.encode({"table": name, "at": int(now * 1e6)}) + b"\n"
    return Append(listing_log(name), 0, (line,), LISTED)


@lru_cache(1_000)  # whoever plays says it with every answer and every look
def token_digest(name: str, secret: str) -> str:
    """What is kept of a seat's token."""
    return digest(Tag.TOKEN, name, secret).hex()


def seat_of(name: str, tokens: Mapping[str, str], secret: str) -> Seat:
    """The seat that a token opens. Every one is compared, and in constant time."""
    told = token_digest(name, secret)
    found = [int(seat) for seat, kept in tokens.items() if same(kept, told)]
    if not found:
        raise Unknown("there is no such seat at this table")
    return found[0]


class Waiting:
    """All tables of an arena that wait."""

    def __init__(self, hall: Hall, begin: Begin, held: Holdings) -> None:
        """``held``: how many each client has put up."""
        self._hall = hall
        self._begin = begin
        self._held = held
        self._clients: dict[str, str] = {}
        """Table → who put it up here."""
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Table → what lets one after the other in, so that nobody has to try again."""

    async def put_up(self, name: str, table: WaitingTable, *more: Append) -> None:
        """Let a table wait, durably, together with ``more``."""
        await self._must_have_room()
        self._try_out(name, table)
        if self._hall.opening is not None:
            self._hall.opening([name])
        try:
            await self._hall.store.commit(self._line(name, 0, table), *more)
        except BaseException:
            self._forget(name)
            raise
        self._clients[name] = CLIENT.get()
        self._held.add(CLIENT.get(), 1)

    async def find(self, name: str) -> WaitingTable | None:
        """A table that waits, or that did; ``None`` if there is none of this name."""
        return (await self._read(name))[1]

    async def following(self, name: str) -> str | None:
        """The game that follows this one, if people want one."""
        stored = await self._hall.store.read(rematch_log(name))
        return None if stored is None else str(msgspec.json.decode(stored.lines[0])["table"])

    async def _read(self, name: str) -> tuple[int, WaitingTable | None]:
        stored = await self._hall.store.read(log_of(name))
        if stored is None:
            return 0, None
        return len(stored.lines), msgspec.json.decode(stored.lines[-1], type=WaitingTable)

    async def take(self, name: str, who: NewSitter) -> tuple[Seat, str]:
        """Take an open seat: its number, and the token that plays it."""
        secret = token()

        def sit_down(table: WaitingTable) -> Seat:
            free = [seat for seat in table.missing if table.wanted.seats[seat].open]
            if not free or who.seat not in (None, *free):
                raise AlreadyDone("this seat is not open" if free else "no seat is open here")
            seat = free[0] if who.seat is None else who.seat
            chair = table.wanted.seats[seat]
            chair.name, chair.lends, chair.open = who.name, who.lends, False
            return seat

        return await self.seat(name, sit_down, secret), secret

    async def seat(self, name: str, sit_down: Callable[[WaitingTable], Seat], secret: str) -> Seat:
        """Seat somebody as ``sit_down`` says; the last one begins the game."""

        @retried
        async def seating() -> Seat:
            step, table = await self._read(name)
            if table is None or table.ended in (EXPIRED, LEFT):
                await self._hall.find(name, TABLE)  # there may be one that never waited
                raise AlreadyDone("no seat is open here")
            if table.ended:
                raise AlreadyDone("no seat is open here: the game has begun")
            seat = sit_down(table)
            table.tokens[str(seat)] = token_digest(name, secret)
            self._try_out(name, table)
            if table.missing:
                await self._hall.store.commit(self._line(name, step, table))
            else:
                table.ended = BEGAN
                await self._begin(name, table, self._line(name, step, table))
                self._waits_no_more(name)
            return seat

        async with self._doors.setdefault(name, asyncio.Lock()):
            return await seating()

    async def get_up(self, name: str, secret: str) -> None:
        """Leave a seat before the game begins. The last one who leaves takes the table down.

        A seat is then open to anybody. In another game of the same people it stays theirs.
        """

        @retried
        async def rising() -> None:
            step, table = await self._read(name)
            if table is None or table.ended:
                raise AlreadyDone("this game has begun: leave it by a forfeit")
            seat = seat_of(name, table.tokens, secret)
            del table.tokens[str(seat)]
            if table.note is None:
                table.wanted.seats[seat] = NewSeat(open=True)
                table.ended = "" if table.tokens else LEFT
            await self._hall.store.commit(self._line(name, step, table))
            if table.ended:
                self._forget(name)

        async with self._doors.setdefault(name, asyncio.Lock()):
            await rising()

    async def expire(self) -> None:
        """End the waiting of tables to which nobody came."""
        before = int(self._hall.clock()) - PATIENCE
        for log in await self._hall.store.idle(KIND, before, 100):
            name = log.removeprefix(f"{KIND}.")
            step, table = await self._read(name)
            if table is not None and not table.ended:
                table.ended = EXPIRED
                with suppress(Conflict):  # somebody has just sat down
                    await self._hall.store.commit(self._line(name, step, table))
                    self._forget(name)

    def _line(self, name: str, step: int, table: WaitingTable) -> Append:
        table.at = self._hall.clock()
        line = msgspec.json.encode(table) + b"\n"
        kind, closed = "" if step else KIND, bool(table.ended)
        return Append(log_of(name), step, (line,), kind, closed, seen=int(table.at))

    def _try_out(self, name: str, table: WaitingTable) -> None:
        """Refuse what could not begin: with somebody in every empty seat, it must open."""
        wanted = table.wanted
        trial = [
            msgspec.structs.replace(chair, name=SOMEBODY, lends="nothing") if chair.open else chair
            for chair in wanted.seats
        ]
        live = tried_out(self._hall, name, msgspec.structs.replace(wanted, seats=trial))
        for seat, spec in live.private.players.items():
            if spec.partition(":")[0] not in offered(live.table.game, int(seat)):
                make_player(spec, live.table.game, SystemStream(), int(seat))

    async def _must_have_room(self) -> None:
        mine = self._held.of(CLIENT.get())
        there = len(await self._hall.store.logs(KIND, open_only=True))
        if there >= MOST or (CLIENT.get() and mine >= MOST_OF_ONE):
            raise TooManyRequests(
                f"{there} tables wait for somebody to sit down, {mine} of them yours: take a seat "
                "at one of those, or come back later"
            )

    def _waits_no_more(self, name: str) -> None:
        client = self._clients.pop(name, None)
        if client is not None:
            self._held.add(client, -1)

    def _forget(self, name: str) -> None:
        self._waits_no_more(name)
        if self._hall.ended is not None:
            self._hall.ended(name)
