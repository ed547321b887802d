"""Tables: any game of ours, with people, remote programs and our own players in its seats.

The referee is the same `Table` as everywhere. Here it is driven by requests: a seat
reads what it is asked and answers by the ask's id; our own players answer at once, in
threads of their own, so that a long thought holds nobody else up.

What is shown is only ever what is durable: after each commit the table's position is
kept as a `Shown`, and all reading is done from it, while the next answer is being
worked on. An answer is recorded at most once: repeated with the same id it gets the
same receipt, which is found in the transcript and so outlasts every restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, Self, TypeVar

from fairground.arena.http.problems import AlreadyDone, GameOver, Unknown
from fairground.arena.limits.holdings import Holdings
from fairground.arena.live_games import STOPPED, Hall, Live, Shown
from fairground.arena.log_watch import News, at_most
from fairground.arena.readings import Reading, stored_reading
from fairground.arena.slow_players import Thinkers
from fairground.arena.tables.clocks import Clocks
from fairground.arena.tables.opening import KIND, opened
from fairground.arena.tables.waiting import Waiting, WaitingTable, listing_of, seat_of, token_digest
from fairground.arena.tables.wire import NewTable, Taken
from fairground.core import Seat, StaleAsk
from fairground.fair.bits import token
from fairground.replay import said
from fairground.store import Append, Conflict, StoreAway, retried
from fairground.table import Ask
from fairground.transcript import canonical

log = logging.getLogger("fairground.arena")

THINKERS: Final = 4
"""How many of our players think at the same time."""

SWEEP: Final = 1.0
"""Seconds between two looks at the clocks."""

ADOPT: Final = 30
"""Looks between two searches for tables that another worker opened."""

HEARTBEAT: Final = 15.0
"""Seconds after which a quiet stream of events says that it is still there."""

T = TypeVar("T")


def ask_id(ask: Ask) -> str:
    """The name by which a seat answers: what is asked, and after which line."""
    return f"{ask.kind}.{ask.step}"


class Tables:
    """All tables of an arena."""

    def __init__(
        self, hall: Hall, news: News, clocks: Clocks, waiting: Holdings | None = None
    ) -> None:
        """``waiting``: how many tables of each client wait for somebody to sit down."""
        self._hall = hall
        self._news = news
        self.clocks = clocks
        self.thinkers = Thinkers(THINKERS, "thinker")
        self._deadlines: dict[str, float] = {}
        """Open tables: when the first bank of each will be empty, as far as we know."""
        self._sweeping: asyncio.Task[None] | None = None
        self.waiting = Waiting(hall, self.begin, waiting or Holdings())

    async def __aenter__(self) -> Self:
        self._sweeping = asyncio.create_task(self._sweep_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeping
        self.thinkers.close()

    # Making

    async def make(self, wanted: NewTable) -> tuple[str, dict[Seat, str]]:
        """Open a table, durably; return its name, and the tokens of its seats.

        With open seats it waits for those who take them, and begins when all are taken.
        """
        name = self._hall.new_name()
        tokens = {
            number: token()
            for number, seat in enumerate(wanted.seats)
            if seat.player is None and not seat.open
        }
        digests = {str(seat): token_digest(name, secret) for seat, secret in tokens.items()}
        listing = [listing_of(name, self._hall.clock())] if wanted.listed else []
        if any(seat.open for seat in wanted.seats):
            await self.waiting.put_up(name, WaitingTable(wanted, digests), *listing)
        else:
            await self.begin(name, WaitingTable(wanted, digests), *listing)
        return name, tokens

    async def begin(self, name: str, table: WaitingTable, *more: Append) -> None:
        """Begin to play, durably, together with ``more``."""
        live = opened(self._hall, name, table.wanted, table.tokens, table.note)
        if live.private.players:
            await self._think(live, live_plays)
        asks = live.table.asks()
        reading = self.clocks.note(live, asks)
        await self._hall.keep(live, kind=KIND, more=more)
        self._remember(live, reading, asks)

    # Looking

    async def find(self, name: str) -> Live:
        """A table by its public name."""
        return await self._hall.find(name, KIND)

    async def look(self, name: str) -> Live | WaitingTable:
        """A table, or one that has not begun."""
        try:
            return await self.find(name)
        except Unknown:
            waiting = await self.waiting.find(name)
            if waiting is None:
                raise
            # It may have begun between our two looks.
            return await self.find(name) if waiting.ended else waiting

    async def sit(self, name: str, secret: str) -> tuple[Live | WaitingTable, Seat]:
        """The table and seat that a private URL names."""
        table = await self.look(name)
        if isinstance(table, WaitingTable):
            return table, seat_of(name, table.tokens, secret)
        return table, seat_of(name, table.private.tokens, secret)

    async def shown(self, live: Live) -> Shown:
        """How the table stands in the store."""
        while live.shown is None:
            async with live.lock:
                if live.stored == live.table.transcript.step:
                    return self._show(live, live.table.asks())
            # Whoever held it could not store what it did: such a copy was let go. Take the next.
            live = await self._hall.find(live.log, KIND)
        return live.shown

    def _show(self, live: Live, asks: Sequence[Ask]) -> Shown:
        table = live.table
        live.shown = Shown(
            table.state,
            () if live.stopped else tuple(asks),
            table.transcript.step,
            table.transcript.head,
            table.closed or live.stopped,
            table.payoff if table.closed else None,
            STOPPED if live.stopped else table.void_reason,
        )
        return live.shown

    async def wait(self, name: str, after: int, seconds: float) -> None:
        """Return when the table has more than ``after`` lines, or after this time."""
        with self._news.watch(name) as watch:
            table = await self.look(name)
            async with at_most(seconds):
                while not self._news.closing:
                    if isinstance(table, Live) and (
                        table.stored > after or table.heard > after or table.table.closed
                    ):
                        return
                    await watch.wait(seconds)
                    table = await self.look(name)

    async def lines(self, name: str, after: int = 0) -> tuple[bytes, ...]:
        """The lines behind line ``after``: what is public now."""
        live = await self.look(name)
        if isinstance(live, WaitingTable):
            return ()
        if live.outdated or after > live.stored:  # who asks may know more than we do
            stored = await self._hall.store.read(name)
            assert stored is not None
            return stored.lines[after:]
        return tuple(live.table.transcript.lines[after : live.stored])

    async def follow(self, name: str, after: int) -> AsyncIterator[bytes]:
        """The lines behind line ``after`` as they come; nothing (``b""``) now and then."""
        with self._news.watch(name) as watch:
            while True:
                for line in await self.lines(name, after):
                    after += 1
                    yield line
                    if line.startswith(b'{"kind":"end"'):
                        return
                if self._news.closing:
                    return
                if not await watch.wait(HEARTBEAT):
                    yield b""

    # Acting

    async def answer(self, name: str, secret: str, ask: str, answer: Any) -> Taken:
        """Record the answer to an ask; the same again gets the same receipt."""

        async def act(live: Live, seat: Seat) -> Taken:
            table = live.table
            wanted = next((one for one in table.asks() if _is(one, seat, ask)), None)
            if wanted is None:
                return _answered_before(live, seat, ask, answer)
            if self._fallen(live) == seat:
                await self._flag(live, seat)
                raise GameOver(f"the time bank of seat {seat} is empty: the house forfeited it")
            step = table.transcript.step
            table.submit(wanted, answer)
            await self.play_on(live)
            return _taken(ask, live, step + 1)

        return await self.acting(name, secret, act)

    async def forfeit(self, name: str, secret: str, reason: str) -> Taken:
        """A seat leaves, by its own word. Said again, it gets the same receipt."""

        async def act(live: Live, seat: Seat) -> Taken:
            table = live.table
            if (left := _left_at(live, seat)) is None:
                if table.closed:
                    raise GameOver("this game is over")
                table.forfeit(seat, reason)
                left = _left_at(live, seat)
                assert left is not None
                await self.play_on(live)
            return _taken("forfeit", live, left)

        return await self.acting(name, secret, act)

    async def get_up(self, name: str, secret: str) -> None:
        """A seat leaves before the game has begun: no record speaks of it."""
        await self.sit(name, secret)  # whoever has no seat here is not told how it stands
        await self.waiting.get_up(name, secret)

    async def acting(self, name: str, secret: str, act: Callable[[Live, Seat], Awaitable[T]]) -> T:
        """Act on a table, alone; again if another worker was faster."""
        try:
            return await self._acting(name, secret, act)
        except Unknown:
            await self.sit(name, secret)
            raise StaleAsk("this game has not begun: a seat is still open") from None

    @retried
    async def _acting(self, name: str, secret: str, act: Callable[[Live, Seat], Awaitable[T]]) -> T:
        async with self._hall.using(name, KIND) as live:
            return await act(live, seat_of(name, live.private.tokens, secret))

    async def play_on(self, live: Live) -> None:
        """Let our players answer, commit all of it, and show it."""
        asks, ours = live.table.asks(), live.private.players
        if ours and any(str(ask.seat) in ours for ask in asks):
            if live.quick:
                _plays_or_resigns(live)
            else:
                await self._think(live, _plays_or_resigns)
            asks = live.table.asks()
        reading = self.clocks.note(live, asks)
        await self._hall.save(live)
        self._remember(live, reading, asks)

    async def _think(self, live: Live, how: Callable[[Live], None]) -> None:
        """In a thread, so that others are served meanwhile."""
        try:
            await self.thinkers.think(how, live)
        except asyncio.CancelledError:
            self._hall.forget(live)  # the thread thinks on; nobody may use what it touches
            raise

    # Clocks

    def _remember(self, live: Live, reading: Reading | None, asks: Sequence[Ask]) -> None:
        self._show(live, asks)
        deadline = None
        if reading is not None and not live.table.closed:
            deadline = self.clocks.deadline(reading)
        if deadline is None:
            self._deadlines.pop(live.log, None)
        else:
            self._deadlines[live.log] = deadline

    def _fallen(self, live: Live) -> Seat | None:
        reading = live.reading
        return None if reading is None or live.table.closed else self.clocks.fallen(reading)

    async def _flag(self, live: Live, seat: Seat) -> None:
        """Forfeit a seat whose bank is empty. It is the house that says so."""
        bank = live.private.seconds
        reason = f"silent: its time bank of {bank:g} seconds is empty, by the house's clock"
        live.table.forfeit(seat, reason, by="house")
        await self.play_on(live)

    async def adopt(self) -> None:
        """Take over the clocks of tables that another process opened, or we before a crash."""
        for name in await self._hall.store.logs(KIND, open_only=True):
            if name not in self._deadlines:
                stored = await self._hall.store.read(name)
                reading = None if stored is None else stored_reading(stored)
                deadline = None if reading is None else self.clocks.deadline(reading)
                if deadline is not None:
                    self._deadlines.setdefault(name, deadline)

    async def sweep(self) -> None:
        """Look at all clocks, and end what has waited long enough."""
        now = self.clocks.now()
        for name in [name for name, when in self._deadlines.items() if when <= now]:
            try:
                async with self._hall.using(name, KIND) as live:
                    seat = self._fallen(live)
                    if seat is None:
                        self._remember(live, live.reading, live.table.asks())
                    else:
                        await self._flag(live, seat)
            except Conflict:
                pass  # another worker has just written to it: the next sweep looks again
            except Unknown:
                del self._deadlines[name]

    async def _sweep_on(self) -> None:
        rounds = 0
        while True:
            try:
                if rounds % ADOPT == 0:
                    await self.adopt()
                    await self.waiting.expire()
                await self.sweep()
            except StoreAway:
                pass  # it is known already (`outages`)
            except Exception:
                log.exception("the clocks could not be looked at")
            rounds += 1
            await asyncio.sleep(SWEEP)


def live_plays(live: Live) -> None:
    """Let our players play as far as they can."""
    live.think()


def _plays_or_resigns(live: Live) -> None:
    """The same; a player of ours that fails loses its seat, and the game does not hang."""
    for _ in range(live.table.game.seats):
        try:
            live.think()
        except Exception:
            log.exception("a player of ours failed at table %s", live.log)
            ours = (ask.seat for ask in live.table.asks() if str(ask.seat) in live.private.players)
            live.table.forfeit(next(ours), "the house's player failed", by="house")
        else:
            return


# Answers that were given before


def _left_at(live: Live, seat: Seat) -> int | None:
    """The line at which this seat left by its own word; ``None``: it did not."""
    for number, event in enumerate(live.table.transcript.events, 1):
        if event["kind"] == "forfeit" and (event["seat"], event["by"]) == (seat, "seat"):
            return number
    return None


def _is(ask: Ask, seat: Seat, name: str) -> bool:
    return ask.seat == seat and ask_id(ask) == name


def _taken(ask: str, live: Live, line: int) -> Taken:
    """The receipt: a line and its hash, which the next line names."""
    record = live.table.transcript
    return Taken(ask, line, record.head if line == record.step else record.events[line]["prev"])


def _answered_before(live: Live, seat: Seat, ask: str, answer: Any) -> Taken:
    """The receipt of an answer that the transcript has already; else refuse."""
    line = _line_of(live.table.transcript.events, seat, ask)
    if line is None:
        if live.table.closed:
            raise GameOver("this game is over")
        raise StaleAsk(f"the table does not ask seat {seat} for {ask!r} (any more): look again")
    recorded = said(live.table.transcript.events[line - 1])
    try:
        again = canonical(answer) == canonical(recorded)
    except ValueError:
        again = False
    if not again:
        raise AlreadyDone(f"{ask!r} was answered already, and differently")
    return _taken(ask, live, line)


def _line_of(events: Sequence[dict[str, Any]], seat: Seat, ask: str) -> int | None:
    """The line with the answer to an ask: behind the ask's line come answers of its kind."""
    kind, _, step = ask.rpartition(".")
    if not (step.isascii() and step.isdigit() and 0 < len(step) < 10):
        return None
    for number in range(int(step), len(events)):
        event = events[number]
        if event["kind"] == "note":
            continue
        if event.get("share", event["kind"]) != kind or "seat" not in event:
            return None
        if event["seat"] == seat:
            return number + 1
    return None
