"""Oracles that nobody plays any more are ended, so that they are not open for ever.

An oracle that was not acted on for the limit is forfeited by the house, and labelled as the
house's word: its transcript is complete and can be verified, a fair one opens its code, and
the client that opened it has room for another game. Tables need no such limit, since a time
bank runs whenever they wait for somebody; the games of a contest end with the contest.

The store keeps, with each log, when it was last acted on, in an index; a look at those that
are due costs the same with ten open oracles and with a hundred thousand. Whoever comes back
after the limit, and before the next look, may play on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Final, Self

from fairground.arena.limits.gate import IDLE
from fairground.arena.live_games import MARK, Hall
from fairground.arena.oracles.keeping import KIND, Oracles
from fairground.store import Conflict, StoreAway

log = logging.getLogger("fairground.arena")

GRACE: Final = 3600
"""Seconds after a start in which nothing is ended: while the arena was down, nobody could play."""

PAUSE: Final = 60
"""Seconds between two looks, at most."""

BUNCH: Final = 100


class Idle:
    """Looks now and then for oracles that nobody plays; with limit 0, never."""

    def __init__(self, hall: Hall, oracles: Oracles, limit: int = IDLE) -> None:
        self._hall = hall
        self._oracles = oracles
        self._limit = limit
        self._begins = hall.clock() + min(GRACE, limit)
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._limit:
            self._looking = asyncio.create_task(self._look_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking

    async def sweep(self) -> None:
        """End what is due. Times are rounded down to a `MARK`, so wait that much longer."""
        now = int(self._hall.clock())
        before = now - self._limit - MARK
        if now < self._begins:
            return
        reason = f"idle: nothing was submitted for {self._limit} seconds, by the house's clock"
        tried: set[str] = set()
        while names := set(await self._hall.store.idle(KIND, before, BUNCH)) - tried:
            for name in names:
                with contextlib.suppress(Conflict):  # another worker was faster
                    await self._oracles.end_idle(name, before, reason)
            tried = names

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(min(PAUSE, self._limit))
            try:
                await self.sweep()
            except StoreAway:
                continue  # it is known already (`outages`)
            except Exception:
                log.exception("idle games could not be looked for")
