"""Telling many who wait that a log has grown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

News = tuple[str, int]


class Listeners:
    """Everyone who listens hears everything from then on, each at their own pace."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[News]] = set()

    def tell(self, log: str, step: int) -> None:
        """Pass the news on. Called in the event loop."""
        for waiting in self._queues:
            waiting.put_nowait((log, step))

    def listen(self) -> AsyncIterator[News]:
        """News as they come, from this moment on."""
        waiting: asyncio.Queue[News] = asyncio.Queue()
        self._queues.add(waiting)
        return self._news(waiting)

    async def _news(self, waiting: asyncio.Queue[News]) -> AsyncIterator[News]:
        try:
            while True:
                yield await waiting.get()
        finally:
            self._queues.discard(waiting)
