"""Outages of the database: said once when they begin, and once when they end.

While the database is away, every request fails for the same reason. A line of log for each would
bury everything else. So the first failure is logged, the others are counted, and a probe asks the
database until it can be written to again; then one more line tells how long it took.

On a full disk there is often room for a little. So once something has failed, the probe writes as
much as a request may need.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from secrets import token_hex
from typing import Final

from fairground.fair.bits import token
from fairground.store import Append, Store, StoreAway

log = logging.getLogger("fairground.arena")

PAUSE: Final = 1.0
"""Seconds between two probes."""

PROBE: Final = 1.0
"""Seconds within which a database that is ready has written something."""


MUCH: Final = 131_072
"""Bytes that are written to see whether there is room."""

KIND: Final = "probe"
"""The kind of the logs that are made for that, and deleted at once."""


class Outages:
    """Watches one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._probing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.failures = 0
        """Failures in the outage that goes on; 0 when there is none."""
        self.total = 0
        """All failures since the start."""
        self._left = 0
        """Logs of probes that may still lie in the store."""

    def failed(self, error: StoreAway) -> None:
        """Something could not be read or written."""
        self.failures += 1
        self.total += 1
        if self.failures == 1:
            log.error("the database is in trouble, and requests get 503 meanwhile: %s", error)
            self._probing = asyncio.create_task(self._until_it_works())

    async def _until_it_works(self) -> None:
        began = time.monotonic()
        while True:
            await asyncio.sleep(PAUSE)
            try:
                await self._write_much()
            except StoreAway:
                continue
            break
        log.error(
            "the database works again, after %.1f seconds and %d failures",
            time.monotonic() - began,
            self.failures,
        )
        self.failures = 0

    async def must_be_ready(self) -> None:
        """Raise `StoreAway` unless something can be written within a second.

        Who asks while somebody else's answer is on its way gets the same one.
        """
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._write_something())
        await asyncio.shield(self._looking)

    async def _write_something(self) -> None:
        try:
            async with asyncio.timeout(PROBE):
                await (self._write_much() if self.failures else self._store.probe())
        except TimeoutError:
            raise StoreAway(f"the database wrote nothing within {PROBE:g} second") from None

    async def _write_much(self) -> None:
        """Make a log that nobody reads, and delete it, with those that were left before."""
        line = token_hex(MUCH // 2).encode() + b"\n"
        self._left += 1
        await self._store.commit(Append(f"{KIND}.{token()}", 0, (line,), KIND, closed=True))
        await self._store.forget(KIND, 1, 100)
        self._left -= 1

    async def stop(self) -> None:
        """Probe no more, and leave nothing of it behind."""
        tasks = [task for task in (self._probing, self._looking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._left:
            with suppress(StoreAway, TimeoutError):
                async with asyncio.timeout(PROBE):
                    await self._store.forget(KIND, 1, 100)
