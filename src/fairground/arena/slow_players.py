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

from fairground.arena.http.gate import CLIENT

T = TypeVar("T")


class Thinkers:
    """So many threads, which all are called by one name."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, name)
        self._each = threads // 2
        self._lines: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """Client → where it waits, while it does."""

    async def think(self, thought: Callable[..., T], *about: Any) -> T:
        """Think it in a thread, when it is the turn of whoever is being served."""
        line = self._lines.setdefault(CLIENT.get(), asyncio.Semaphore(self._each))
        async with line:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, thought, *about)

    def close(self) -> None:
        """Nobody thinks any more; who is in the middle of it is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
