"""Tables: opening, answers, forfeits, and the time banks of seats.

A seat's clock runs while the table asks it for anything. With each commit the house stores the
remaining time of each seat and the seats that are asked (`Reading`). So a clock goes on after a
restart, and downtime is not counted. When a bank is empty, the house forfeits the seat, and the
record says that this is the house's word: clocks prove nothing (docs/fairness.md).

All time comes from one function that is passed in; tests pass one that they control.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Self, TypeVar

from fairground.core import Game, InputError, Seat, StaleAsk
from fairground.fair.bits import Tag, digest, token
from fairground.players import listing_of as player_listing
from fairground.server.http.problems import AlreadyDone, GameOver, Unknown
from fairground.server.live_games import (
    STOPPED,
    Hall,
    Live,
    Reading,
    Shown,
    repeating,
    stored_reading,
)
from fairground.server.log_watch import News
from fairground.server.metrics import Metrics
from fairground.server.tables.opening import (
    KIND,
    Waiting,
    WaitingTable,
    listing_of,
    must_differ,
    opened,
    seat_of,
    token_digest,
)
from fairground.server.tables.thoughts import Question, advised, decide
from fairground.server.tables.wire import Hint, NewTable, Taken
from fairground.server.workers import BUDGET, Lane, Thinking, TookTooLong
from fairground.store import Append, Conflict, retried
from fairground.table import Ask
from fairground.transcript import canonical
from fairground.verifier import said

log = logging.getLogger("fairground.server")

MOST_AHEAD: Final = 1_000
"""Readings by another clock that are remembered."""


class Clocks:
    """The clocks of all tables, as one process measures them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = clock
        self._up = clock()
        """When this process began to listen. No clock ran before."""
        self._ahead: dict[float, float] = {}
        """Moment of a reading that is yet to come → when we saw it first."""

    def left(self, reading: Reading) -> dict[Seat, float]:
        """Seat → seconds left now."""
        now = self.now()
        gone = now - self._since(reading, now)
        return {
            seat: seconds - gone if seat in reading.asked else seconds
            for seat, seconds in reading.left.items()
        }

    def deadline(self, reading: Reading) -> float | None:
        """When the first bank will be empty; ``None`` if no clock runs."""
        running = [reading.left[seat] for seat in reading.asked]
        return self._since(reading, self.now()) + min(running) if running else None

    def _since(self, reading: Reading, now: float) -> float:
        """Since when the clocks of a reading run, as far as we know.

        It may be of a time that is yet to come, if somebody has set the machine's clock back before
        we were started. Then they run from the moment at which we see it, and do not stand
        still until that time.
        """
        if reading.at <= now:
            return max(reading.at, self._up)
        while len(self._ahead) > MOST_AHEAD:
            del self._ahead[next(iter(self._ahead))]
        return self._ahead.setdefault(reading.at, now)

    def fallen(self, reading: Reading) -> Seat | None:
        """Return the seat whose bank is empty (the emptiest; of equals the first)."""
        empty = [(left, seat) for seat, left in self.left(reading).items() if left <= 0]
        return min(empty)[1] if empty else None

    def note(self, live: Live, asks: Sequence[Ask]) -> Reading | None:
        """Write down what is left and who is asked now. Goes into the next commit."""
        table, ours = live.table, live.private.players
        if not live.private.seconds:
            return None
        if live.reading is None:
            others = [seat for seat in range(table.game.seats) if str(seat) not in ours]
            left = dict.fromkeys(others, live.private.seconds)
        else:
            left = self.left(live.reading)
        if table.scheme.gone:
            left = {seat: bank for seat, bank in left.items() if not table.has_left(seat)}
        asked = sorted({ask.seat for ask in asks if str(ask.seat) not in ours})
        live.reading = Reading(self.now(), left, asked)
        return live.reading


QUICK: Final = 0.05
"""Seconds of CPU time. A player that once takes longer decides in a process from then on."""


class House:
    """Lets the house's players answer."""

    def __init__(self, thinking: Thinking) -> None:
        self.thinking = thinking

    async def hint(self, game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Hint:
        found, _ = await self.thinking.slow.think(BUDGET, advised, game, view, seat, names)
        return found

    async def play_or_resign(self, live: Live) -> None:
        """Play on. A player that fails or takes too long loses its seat, and the game goes on."""
        for _ in range(live.table.game.seats):
            try:
                await self.play(live)
            except TookTooLong as error:
                self._resign(live, f"the house's player gave up: {error}")
            except Exception:
                log.exception("a player of ours failed at table %s", live.log)
                self._resign(live, "the house's player failed")
            else:
                return

    def _resign(self, live: Live, reason: str) -> None:
        live.table.forfeit(self._asked(live)[0].seat, reason, by="house")

    async def play(self, live: Live) -> None:
        """Answer for the house's seats until only others are asked."""
        left = BUDGET
        while asks := self._asked(live):
            for ask in asks:
                left -= await self._answer(live, ask, left)

    def _asked(self, live: Live) -> list[Ask]:
        return [ask for ask in live.table.asks() if str(ask.seat) in live.private.players]

    async def _answer(self, live: Live, ask: Ask, left: float) -> float:
        """Answer one ask; return the CPU time that a process took for it."""
        if ask.kind == "open":
            live.hosted.open(ask)
            return 0
        lane = self._lane(live, ask.seat)
        if lane is None:
            began = time.thread_time()
            live.hosted.answer(ask)
            if time.thread_time() - began > QUICK:
                live.slow.add(ask.seat)
            return 0
        table, seat = live.table, ask.seat
        question = Question(
            live.private.players[str(seat)],
            table.game,
            table.view(seat),
            seat,
            digest(Tag.PLAYER, live.player_seed, seat, ask.step),
            live.minds.get(seat, b""),
        )
        decision, took = await lane.think(max(left, 0.1), decide, question)
        live.minds[seat] = decision.memory
        live.hosted.note(decision.remarks)
        live.hosted.make(ask, decision.move)
        return took

    def _lane(self, live: Live, seat: Seat) -> Lane | None:
        """Return the lane in which this seat's player thinks; ``None``: it decides here."""
        listing = player_listing(live.private.players[str(seat)], live.table.game)
        if listing.slow:
            return self.thinking.slow
        return self.thinking.quick if listing.extra or seat in live.slow else None


# The service
#
# The referee is the same `Table` as everywhere. Here it is driven by requests: a seat reads its
# question and answers by the ask's id. Our own players answer at once (`house`).
#
# Readers only ever see durable state. After each commit the table's position is kept as a `Shown`,
# and all reads use it while the next answer is being worked on. An answer is recorded at most once.
# A repeat with the same id gets the same receipt, which is found in the transcript and so outlasts
# every restart.


SWEEP: Final = 1.0
"""Seconds between two looks at the clocks."""

EXPIRE: Final = 30
"""Sweeps between two looks at tables that wait for somebody to sit down."""

HEARTBEAT: Final = 15.0
"""Seconds after which a quiet stream of events says that it is still there."""

T = TypeVar("T")


def ask_id(ask: Ask) -> str:
    """Return the id by which a seat answers: the kind of question, and its line."""
    return f"{ask.kind}.{ask.step}"


class Tables:
    """All tables of an arena."""

    def __init__(
        self,
        hall: Hall,
        news: News,
        clocks: Clocks,
        metrics: Metrics | None = None,
    ) -> None:
        self._hall = hall
        self._news = news
        self.clocks = clocks
        self.house = House(Thinking(metrics))
        self._deadlines: dict[str, float] = {}
        """Open tables: when the first bank of each will be empty, as far as we know."""
        self._started = False
        self._sweeps = 0
        self.waiting = Waiting(hall, self.begin)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Look at the clocks while the body runs."""
        try:
            async with repeating(self._sweep, SWEEP):
                yield self
        finally:
            self.house.thinking.stop()

    # Making

    async def make(self, wanted: NewTable) -> tuple[str, dict[Seat, str]]:
        """Open a table, durably; return its name, and the tokens of its seats.

        With open seats it waits for those who take them, and begins when all are taken.
        """
        must_differ(wanted)
        name = token()
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
        if len(live.private.players) == live.table.game.seats:
            raise InputError(
                "a table needs a seat for somebody who is not a house player. Games among house "
                "players are for the lab: see fairground simulate --help"
            )
        await self.house.play(live)
        asks = live.table.asks()
        reading = self.clocks.note(live, asks)
        await self._hall.keep(live, *more)
        self._remember(live, reading, asks)

    # Looking

    async def find(self, name: str) -> Live:
        return await self._hall.find(name, KIND)

    async def look(self, name: str) -> Live | WaitingTable:
        try:
            return await self.find(name)
        except Unknown:
            waiting = await self.waiting.find(name)
            if waiting is None:
                raise
            # It may have begun between our two looks.
            return await self.find(name) if waiting.ended else waiting

    async def sit(self, name: str, secret: str) -> tuple[Live | WaitingTable, Seat]:
        """Return the table and seat of a private URL."""
        table = await self.look(name)
        if isinstance(table, WaitingTable):
            return table, seat_of(name, table.tokens, secret)
        return table, seat_of(name, table.private.tokens, secret)

    async def shown(self, live: Live) -> Shown:
        while live.shown is None:
            async with live.lock:
                if live.stored == live.table.transcript.step:
                    self._remember(live, live.reading, live.table.asks())
                    break
            # Whoever held it could not store what it did: such a copy was let go. Take the next.
            live = await self._hall.find(live.log, KIND)
        assert live.shown is not None
        return live.shown

    async def wait(self, name: str, after: int, seconds: float) -> None:
        """Return when the table has more than ``after`` lines, or after this time."""
        with self._news.watch(name) as watch:
            until = time.monotonic() + seconds
            while not self._news.closing and (left := until - time.monotonic()) > 0:
                table = await self.look(name)
                if isinstance(table, Live) and (table.stored > after or table.table.closed):
                    return
                await watch.wait(left)

    async def lines(self, name: str, after: int = 0) -> tuple[bytes, ...]:
        """Return the public lines after line ``after``."""
        live = await self.look(name)
        if isinstance(live, WaitingTable):
            return ()
        if after > live.stored:  # the client may have seen more at another server
            stored = await self._hall.store.read(name)
            assert stored is not None
            return stored.lines[after:]
        return tuple(live.table.transcript.lines[after : live.stored])

    async def follow(self, name: str, after: int) -> AsyncIterator[bytes]:
        """Yield the lines after line ``after`` when they come, and ``b""`` as a heartbeat."""
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
            asks = (one for one in table.asks() if one.seat == seat and ask_id(one) == ask)
            wanted = next(asks, None)
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
        """Forfeit a seat by its own word. A repeat gets the same receipt."""

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
        """Leave a seat before the game has begun. No record mentions it."""
        await self.sit(name, secret)  # whoever has no seat here is not told how it stands
        await self.waiting.get_up(name, secret)

    async def acting(self, name: str, secret: str, act: Callable[[Live, Seat], Awaitable[T]]) -> T:
        """Act on a table, alone; again if another server was faster."""
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
        await self.house.play_or_resign(live)
        asks = live.table.asks()
        reading = self.clocks.note(live, asks)
        await self._hall.save(live)
        self._remember(live, reading, asks)

    # Clocks

    def _remember(self, live: Live, reading: Reading | None, asks: Sequence[Ask]) -> None:
        """Show a table as it was stored, and note when the first of its clocks ends."""
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
        runs = None if table.closed else reading
        deadline = None if runs is None else self.clocks.deadline(runs)
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

    async def start_clocks(self) -> None:
        """Go on with the clocks of all open tables in the store, after a start."""
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
                pass  # another server has just written to it: the next sweep looks again
            except Unknown:
                del self._deadlines[name]

    async def _sweep(self) -> None:
        if not self._started:
            await self.start_clocks()
            self._started = True
        if self._sweeps % EXPIRE == 0:
            await self.waiting.expire()
        self._sweeps += 1
        await self.sweep()


# Answers that were given before


def _left_at(live: Live, seat: Seat) -> int | None:
    """Return the line at which this seat left by its own word, or ``None``."""
    for number, event in enumerate(live.table.transcript.events, 1):
        if event["kind"] == "forfeit" and (event["seat"], event["by"]) == (seat, "seat"):
            return number
    return None


def _taken(ask: str, live: Live, line: int) -> Taken:
    """Return the receipt: a line and its hash, which the next line names."""
    record = live.table.transcript
    return Taken(ask, line, record.head if line == record.step else record.events[line]["prev"])


def _answered_before(live: Live, seat: Seat, ask: str, answer: Any) -> Taken:
    """Return the receipt of an answer that the transcript has already, or refuse."""
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
    """Return the line with the answer to an ask: answers of its kind follow the ask's line."""
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
