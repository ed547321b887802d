"""Opening of tables: from an order to a game, or to a table with open seats."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from fairground.core import BadParams, Game, InputError, Seat
from fairground.fair.bits import SystemStream, Tag, digest, same, token
from fairground.fair.register import SCHEMES, dealer_class
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.players import check_player, make_player, offered
from fairground.server.contests.names import looks
from fairground.server.gate import CLIENT, Holdings
from fairground.server.http.problems import AlreadyDone, BadName, TooManyRequests, Unknown, quoted
from fairground.server.live_games import Hall, Live, Private
from fairground.server.tables.wire import NewSeat, NewSitter, NewTable
from fairground.store import Append, Conflict, retried

KIND: Final = "table"

SHORTEST_CHAIN, LONGEST_CHAIN = 2, 10_000
DEEPEST_THOUGHT: Final = 20_000
"""The largest number that may stand behind a player's name, such as ``mcts:2000``."""


def opened(
    hall: Hall,
    name: str,
    wanted: NewTable,
    digests: Mapping[str, str],
    note: Mapping[str, Any] | None = None,
) -> Live:
    """Return a new table, not yet stored; ``digests`` are those of its seats' tokens."""
    _check_options(wanted)
    game = make_game(wanted.game, wanted.params)
    chairs = [Chair(seat.name, seat.by, seat.lends) for seat in wanted.seats]
    players = {
        number: _modest(seat.player)
        for number, seat in enumerate(wanted.seats)
        if seat.player is not None
    }
    if len(wanted.seats) == game.seats:
        for number, player in players.items():
            _must_play(player, game, number)
    return hall.open(
        KIND,
        game,
        dealer_class(wanted.dealer),
        chairs,
        players,
        name=name,
        note=note,
        private=Private(hall.clock(), tokens=dict(digests), seconds=float(wanted.seconds)),
        options=wanted.options,
    )


def _modest(player: str) -> str:
    """Refuse a player that would think for hours."""
    number = re.match(r"[0-9]*", player.partition(":")[2])
    if number and number[0] and (len(number[0]) > 9 or int(number[0]) > DEEPEST_THOUGHT):
        raise InputError(f"{player!r} thinks too long for this arena: at most {DEEPEST_THOUGHT}")
    return player


def _must_play(player: str, game: Game[Any], seat: Seat) -> None:
    """Refuse a player that cannot take this seat. Only one that is quickly built is built."""
    listing = check_player(player, game, seat)
    if listing.extra is None or player.partition(":")[0] not in offered(game, seat):
        make_player(player, game, SystemStream(), seat)


def tried_out(hall: Hall, name: str, wanted: NewTable) -> Live:
    """Check an order by opening it on trial, with the shortest hash chain."""
    _check_options(wanted)
    if any(option.name == "length" for option in dealer_class(wanted.dealer).options):
        wanted = replace(wanted, options={**wanted.options, "length": SHORTEST_CHAIN})
    return opened(hall, name, wanted, {})


def _check_options(wanted: NewTable) -> None:
    """Refuse a scheme that tables cannot have, and options that it does not take."""
    possible = [name for name, listing in SCHEMES.items() if listing.at_tables]
    if wanted.dealer not in possible:
        raise BadParams(
            f"a table cannot be dealt by {wanted.dealer!r}; it can by {', '.join(possible)}"
        )
    known = {option.name for option in dealer_class(wanted.dealer).options}
    if unknown := sorted(wanted.options.keys() - known):
        allowed = ", ".join(sorted(known)) or "no options"
        raise BadParams(f"{wanted.dealer} takes {allowed}, not {unknown[0]!r}")
    length = wanted.options.get("length", SHORTEST_CHAIN)
    if type(length) is not int or not SHORTEST_CHAIN <= length <= LONGEST_CHAIN:
        raise BadParams(
            f"length must be an integer from {SHORTEST_CHAIN} to {LONGEST_CHAIN}, not {length!r}"
        )
    if wanted.options.get("stir", "once") not in ("once", "each"):
        raise BadParams(f"stir is once or each, not {wanted.options['stir']!r}")


# Tables with open seats
#
# A game's first line names everybody at the table, so the game cannot begin before all sit. Until
# then the order lies in a log of its own with one line, which every change replaces. The commit
# that takes the last seat begins the game. If two people take the same seat, one of them gets an
# error.


WAITING_KIND: Final = "waiting"
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

MOST_TAKEN: Final = 10
"""Seats that one client holds at tables of others without having played there."""

LEFT_ALONE: Final = 600
"""Seconds for which a seat counts that was taken and left without an answer."""

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
    """The first note of the record."""
    at: float = 0
    """When this was written, by the house's clock."""
    ended: str = ""
    """Why it does not wait any more."""

    @property
    def missing(self) -> list[Seat]:
        people = (i for i, seat in enumerate(self.wanted.seats) if seat.player is None)
        return [seat for seat in people if str(seat) not in self.tokens]


def must_differ(wanted: NewTable) -> None:
    """Refuse a person whose name cannot be told apart from another one at the table."""
    seen: dict[str, str] = {}
    people_last = sorted(wanted.seats, key=lambda chair: chair.player is None)
    for chair in (chair for chair in people_last if chair.name):
        alike = seen.setdefault(looks(chair.name), "")
        if alike and chair.player is None:
            raise BadName(
                f"two seats of this table would be {quoted(alike)} and {quoted(chair.name)}: "
                "choose names that people can tell apart"
            )
        seen[looks(chair.name)] = chair.name


def log_of(name: str) -> str:
    """Return the log of a table with open seats."""
    return f"{WAITING_KIND}.{name}"


def listing_log(name: str) -> str:
    """Return the log that lists a table."""
    return f"{LISTED}.{name}"


def rematch_log(name: str) -> str:
    """Return the log that names the rematch of this game."""
    return f"{REMATCH}.{name}"


def listing_of(name: str, now: float) -> Append:
    """Return the append for a listed table: the time in microseconds, and the client."""
    listing = {"table": name, "at": int(now * 1e6), "by": listed_by()}
    line = msgspec.json.encode(listing) + b"\n"
    return Append(listing_log(name), 0, (line,), LISTED)


def listed_by() -> str:
    """Return a digest of the client that is being served; nothing if nobody knows it."""
    client = CLIENT.get()
    return digest(Tag.TOKEN, LISTED, client)[:16].hex() if client else ""


@lru_cache(1_000)  # whoever plays says it with every answer and every look
def token_digest(name: str, secret: str) -> str:
    """Return the stored digest of a seat's token."""
    return digest(Tag.TOKEN, name, secret).hex()


def seat_of(name: str, tokens: Mapping[str, str], secret: str) -> Seat:
    """Return the seat that a token opens. All are compared, in constant time."""
    told = token_digest(name, secret)
    found = [int(seat) for seat, kept in tokens.items() if same(kept, told)]
    if not found:
        raise Unknown("there is no such seat at this table")
    return found[0]


class Waiting:
    """All tables of an arena that wait."""

    def __init__(self, hall: Hall, begin: Callable[..., Awaitable[None]]) -> None:
        """``begin``: begins a game, with further appends in the same commit."""
        self._hall = hall
        self._begin = begin
        self._held = Holdings()
        """The tables that wait, by the client who put each up here."""
        self._taken: dict[str, dict[tuple[str, str], float]] = {}
        """Client → table and digest of a seat's token → when it took that seat."""
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Table → what lets one after the other in, so that nobody has to try again."""

    async def put_up(self, name: str, table: WaitingTable, *more: Append) -> None:
        """Let a table wait, durably, together with ``more``."""
        await self._must_have_room()
        self._try_out(name, table)
        if self._hall.opening is not None:
            self._hall.opening(name)
        try:
            await self._hall.store.commit(self._line(name, 0, table), *more)
        except BaseException:
            self._forget(name)
            raise
        self._held.add(name, MOST)

    async def find(self, name: str) -> WaitingTable | None:
        """Return a table that waits, or did; ``None`` if none has this name."""
        return (await self._read(name))[1]

    async def following(self, name: str) -> str | None:
        """Return the rematch of this game, if people want one."""
        stored = await self._hall.store.read(rematch_log(name))
        return None if stored is None else str(msgspec.json.decode(stored.lines[0])["table"])

    async def _read(self, name: str) -> tuple[int, WaitingTable | None]:
        stored = await self._hall.store.read(log_of(name))
        if stored is None:
            return 0, None
        return stored.step, msgspec.json.decode(stored.lines[-1], type=WaitingTable)

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
            must_differ(table.wanted)
            return seat

        async with self._taking(name, token_digest(name, secret)):
            return await self.seat(name, sit_down, secret), secret

    @asynccontextmanager
    async def _taking(self, name: str, seat: str) -> AsyncIterator[None]:
        """Count a seat at somebody else's table; refuse it if its client plays too few of those."""
        client = CLIENT.get()
        if not client or self._held.owner(name) == client:
            yield
            return
        theirs = self._taken.setdefault(client, {})
        if len(theirs) >= MOST_TAKEN:
            for one, at in list(theirs.items()):
                if not await self._is_unplayed(*one, at):
                    theirs.pop(one, None)
        if len(theirs) >= MOST_TAKEN:
            raise TooManyRequests(
                f"you have taken {len(theirs)} seats at tables of others, and answered nothing "
                "there: play those games first"
            )
        theirs[name, seat] = self._hall.clock()
        try:
            yield
        except BaseException:
            theirs.pop((name, seat), None)
            raise

    async def _is_unplayed(self, name: str, token: str, at: float) -> bool:
        """Return whether a seat that was taken then has not answered anything yet."""
        table = await self.find(name)
        if table is not None and table.ended != BEGAN:
            return not table.ended and token in table.tokens.values()
        try:
            live = await self._hall.find(name, KIND)
        except Unknown:  # the game is about to begin
            return True
        seats = [int(seat) for seat, kept in live.private.tokens.items() if kept == token]
        events = live.table.transcript.events
        if any(e.get("seat") in seats and e["kind"] != "forfeit" for e in events):
            return False
        return not live.table.closed or self._hall.clock() < at + LEFT_ALONE

    async def seat(self, name: str, sit_down: Callable[[WaitingTable], Seat], secret: str) -> Seat:
        """Seat somebody as ``sit_down`` says; the last one begins the game."""

        @retried
        async def seating() -> Seat:
            step, table = await self._read(name)
            if table is None or table.ended in (EXPIRED, LEFT):
                await self._hall.find(name, KIND)  # there may be one that never waited
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
                self._held.drop(name)
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
        for log in await self._hall.store.idle(WAITING_KIND, before, 100):
            name = log.removeprefix(f"{WAITING_KIND}.")
            step, table = await self._read(name)
            if table is not None and not table.ended:
                table.ended = EXPIRED
                with suppress(Conflict):  # somebody has just sat down
                    await self._hall.store.commit(self._line(name, step, table))
                    self._forget(name)

    def _line(self, name: str, step: int, table: WaitingTable) -> Append:
        table.at = self._hall.clock()
        line = msgspec.json.encode(table) + b"\n"
        kind, closed = "" if step else WAITING_KIND, bool(table.ended)
        at = int(table.at)
        return Append(log_of(name), step, (line,), kind, closed, seen=at, replaces=step > 0)

    def _try_out(self, name: str, table: WaitingTable) -> None:
        """Refuse what could not begin: with somebody in every empty seat, it must open."""
        wanted = table.wanted
        trial = [
            replace(chair, name=SOMEBODY, lends="nothing") if chair.open else chair
            for chair in wanted.seats
        ]
        tried_out(self._hall, name, replace(wanted, seats=trial))

    async def _must_have_room(self) -> None:
        mine = self._held.of(CLIENT.get())
        there = len(await self._hall.store.logs(WAITING_KIND, open_only=True))
        if there >= MOST or (CLIENT.get() and mine >= MOST_OF_ONE):
            raise TooManyRequests(
                f"{there} tables wait for somebody to sit down, {mine} of them yours: take a seat "
                "at one of those, or come back later"
            )

    def _forget(self, name: str) -> None:
        self._held.drop(name)
        if self._hall.ended is not None:
            self._hall.ended(name)
