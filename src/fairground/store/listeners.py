"""Telling many who wait that a log has grown."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

News = tuple[str, int]


class _Listener:
    """What one listener has not heard yet."""

    def __init__(self) -> None:
        self.news: deque[News] = deque()
        self.there = asyncio.Event()


class Listeners:
    """Everyone who listens hears everything from then on, each at their own pace."""

    def __init__(self) -> None:
        self._all: set[_Listener] = set()

    def tell(self, *news: News) -> None:
        """Pass news on. Called in the event loop."""
        for listener in self._all:
            listener.news.extend(news)
            listener.there.set()

    def listen(self) -> AsyncIterator[News]:
        """News as they come, from this moment on."""
        listener = _Listener()
        self._all.add(listener)
        return self._heard(listener)

    async def _heard(self, listener: _Listener) -> AsyncIterator[News]:
        try:
            while True:
                await listener.there.wait()
                listener.there.clear()
                while listener.news:
                    yield listener.news.popleft()
        finally:
            self._all.discard(listener)
