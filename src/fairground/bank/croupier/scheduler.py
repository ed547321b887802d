"""How a Croupier finds time for everybody: rounds of all open games, and the queue to the Bank."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

from fairground.store import StoreAway

log = logging.getLogger("fairground.croupier")

N = TypeVar("N", bound=Hashable)
"""What a game or a session is called."""

INTERVAL: Final = 1.0
"""Seconds between two rounds of all games."""

SENDS: Final = 8
"""Calls that are under way to the Bank at the same time."""

CALL_TIME: Final = 15
"""Seconds that a call takes on a chain: about a block."""

Urgency = tuple[int, int]


def most_games(step_time: int) -> int:
    """How many games on a chain can all want a seed at once, and get it in half of its time.

    The other half is for confirmations. With more games, players who time their orders well
    would make him late, and a late seed 1 costs thirty stakes.
    """
    return max(1, SENDS * step_time // (2 * CALL_TIME))


class Turnstile:
    """Lets a few through at a time; of those who wait, the most urgent first.

    On a slow chain the calls of many games queue up. A seed that is late costs thirty
    stakes, a settlement that is late costs nothing.
    """

    def __init__(self, room: int = SENDS) -> None:
        self._room = room
        self._waiting: list[tuple[Urgency, int, asyncio.Future[None]]] = []
        self._count = 0

    @contextlib.asynccontextmanager
    async def turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """Wait for one's turn; the smallest goes first."""
        if self._room:
            self._room -= 1
        else:
            passed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._count += 1
            heapq.heappush(self._waiting, (urgency, self._count, passed))
            try:
                await passed
            except asyncio.CancelledError:
                if passed.done() and not passed.cancelled():
                    self._next()
                raise
        try:
            yield
        finally:
            self._next()

    def _next(self) -> None:
        while self._waiting:
            *_, passed = heapq.heappop(self._waiting)
            if not passed.done():
                passed.set_result(None)
                return
        self._room += 1


class Rounds(Generic[N]):
    """Visits every open game again and again, and at once those that are woken.

    ``visit`` must take care of its own trouble; it returns for how many seconds the game
    can be left alone. No game waits for another.
    """

    def __init__(
        self,
        open_offers: Callable[[], Awaitable[Sequence[N]]],
        visit: Callable[[N], Awaitable[float]],
        interval: float = INTERVAL,
    ) -> None:
        self._open_offers = open_offers
        self._visit = visit
        self._interval = interval
        self._woken: set[N] = set()
        self._busy: set[N] = set()
        self._asleep: dict[N, float] = {}
        self._bell = asyncio.Event()

    def wake(self, offer_id: N) -> None:
        """Something happened in this game."""
        self._asleep.pop(offer_id, None)
        self._woken.add(offer_id)
        self._bell.set()

    async def run(self) -> None:
        """Go on until cancelled."""
        following = time.monotonic()
        async with asyncio.TaskGroup() as group:
            while True:
                self._bell.clear()
                due = set(self._woken)
                if time.monotonic() >= following:
                    due |= await self._round()
                    following = time.monotonic() + self._interval
                for offer_id in due - self._busy:
                    self._woken.discard(offer_id)
                    self._busy.add(offer_id)
                    group.create_task(self._go(offer_id))
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, following - time.monotonic())):
                        await self._bell.wait()

    async def _round(self) -> set[N]:
        """All that are open and not asleep."""
        try:
            offer_ids = set(await self._open_offers())
        except StoreAway:
            return set()  # who keeps the store says so, once
        except Exception:
            log.exception("the journal cannot be read now")
            return set()
        now = time.monotonic()
        self._asleep = {
            offer_id: at
            for offer_id, at in self._asleep.items()
            if offer_id in offer_ids and at > now
        }
        return offer_ids - set(self._asleep)

    async def _go(self, offer_id: N) -> None:
        try:
            seconds = await self._visit(offer_id)
            if seconds and offer_id not in self._woken:
                self._asleep[offer_id] = time.monotonic() + seconds
        except Exception:
            log.exception("a game got into trouble")
        finally:
            self._busy.discard(offer_id)
            if offer_id in self._woken:
                self._bell.set()
