"""Logs that are of use for a while only: they are deleted when they are too old.

Nothing waits for that. Whoever makes such a log has a look now and then at whether others are
due; those are deleted in bunches, until none is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fairground.store import Store, StoreAway

PAUSE: Final = 60
"""Seconds between two looks."""

BUNCH: Final = 1000
"""Logs that are deleted in one commit."""


class Purging:
    """Deletes the logs of one kind that were last written to a lifetime ago."""

    def __init__(self, kind: str, lifetime: int) -> None:
        self._kind = kind
        self._lifetime = lifetime
        self._looked: float | None = None
        self._looking: asyncio.Task[None] | None = None

    def look(self, store: Store, clock: Callable[[], float]) -> None:
        """Have a look, if the last one was a while ago."""
        now = clock()
        if self._looked is None or now - self._looked >= PAUSE:
            self._looked = now
            self._looking = asyncio.create_task(self._purge(store, int(now) - self._lifetime))

    async def _purge(self, store: Store, before: int) -> None:
        with suppress(StoreAway):  # it is known already (`outages`)
            while await store.forget(self._kind, before, BUNCH) == BUNCH:
                pass
