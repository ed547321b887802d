"""Threads for long thoughts: of our players at tables, and of keepers who answer slowly.

A thought can take minutes and cannot be interrupted. So one client gets half of the threads
at most; what it wants beyond that waits in its own line, and holds up nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from fairground.arena.limits.gate import CLIENT

T = TypeVar("T")


class Thinkers:
    """A pool of threads. One client gets at most half of them."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, name)
        self._each = threads // 2
        self._lines: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """Client → what counts the threads that it may use."""
        self.prepared: set[str] = set()
        """Who has thought here before, and so has loaded all that it thinks with."""

    async def think(self, thought: Callable[..., T], *about: Any) -> T:
        """Run a long thought in a thread, once the client that is being served may have one."""
        line = self._lines.setdefault(CLIENT.get(), asyncio.Semaphore(self._each))
        async with line:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, thought, *about)

    def close(self) -> None:
        """End the threads. Thoughts that have begun are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
