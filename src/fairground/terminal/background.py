"""Parties that act while a person thinks: an event loop in a thread of its own.

The keyboard and the screen stay in the main thread, where Ctrl-C arrives. Background
news goes into a queue, and the main thread prints it when it is free.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from contextlib import AsyncExitStack
from typing import Any, Final, Generic, Self, TypeVar

T = TypeVar("T")
N = TypeVar("N")

GLANCE: Final = 0.05
"""Seconds between two looks into the queue while something is waited for."""


class Backstage(Generic[N]):
    """See the module's text. News are of the type ``N``."""

    def __init__(self) -> None:
        self.stack = AsyncExitStack()
        """Resources that are closed in the loop at the end."""
        self._news: queue.SimpleQueue[N] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def tell(self, news: N) -> None:
        """Put something into the queue, from any thread."""
        self._news.put(news)

    def hear(self, say: Callable[[N], None]) -> None:
        """Take everything out of the queue."""
        while True:
            try:
                news = self._news.get_nowait()
            except queue.Empty:
                return
            say(news)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin something, and do not wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Future[T], say: Callable[[N], None], seconds: float | None = None) -> T:
        """Wait for something, telling the news meanwhile; `NotDone` if it takes too long."""
        left = seconds
        try:
            while True:
                try:
                    result = work.result(GLANCE if left is None else min(GLANCE, left))
                except NotDone:
                    if work.done():
                        raise  # it was the work that said so
                    left = None if left is None else left - GLANCE
                    if left is not None and left <= 0:
                        raise
                else:
                    return result
                finally:
                    self.hear(say)
        except KeyboardInterrupt:
            work.cancel()
            raise

    def do(self, work: Coroutine[Any, Any, T], say: Callable[[N], None]) -> T:
        """Do something to its end, telling the news meanwhile."""
        return self.wait(self.start(work), say)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.start(self._end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        """Close what was opened, and stop what still goes on."""
        await self.stack.aclose()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
