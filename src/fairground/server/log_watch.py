"""News: which logs have grown, heard once in each process and passed on to those who wait.

The store announces every commit of every server. One listener tells the hall, which drops older
copies of that game, and wakes those who wait for that log alone. So a thousand watchers of one
table cost the other tables nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Self

from fairground.server.live_games import Hall
from fairground.store import MISSED


class Watch:
    """Someone who waits for logs to grow."""

    def __init__(self) -> None:
        self.grown = asyncio.Event()
        self.heard: set[str] = set()
        """Logs that have grown since the waiter last looked."""

    def ring(self, log: str) -> None:
        self.heard.add(log)
        self.grown.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for the next growth; False if there was none in this time."""
        try:
            async with asyncio.timeout(seconds):
                await self.grown.wait()
        except TimeoutError:
            return False
        self.grown.clear()
        return True


class News:
    """The one listener of a process."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._watches: dict[str, set[Watch]] = {}
        self._stop: Callable[[], None] | None = None
        self.hearers: list[Callable[[str, int], None]] = []
        """Callbacks for every log that has grown, with its step; `MISSED` stands for any log."""
        self.closing = False
        """True while the arena stops. Then nobody should wait any longer."""

    async def __aenter__(self) -> Self:
        self._stop = self._hall.store.listen(self._heard)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        if self._stop is not None:
            self._stop()

    def _heard(self, log: str, step: int) -> None:
        for hear in self.hearers:
            hear(log, step)
        if (log, step) == MISSED:
            self._hall.doubt()
            self._wake_everyone()
            return
        self._hall.heard(log, step)
        self.tell(log)

    def tell(self, log: str) -> None:
        """Wake those who wait for this log."""
        for watch in self._watches.get(log, ()):
            watch.ring(log)

    def close(self) -> None:
        """Wake everyone: the arena stops. To be called in the event loop."""
        self.closing = True
        self._wake_everyone()

    def _wake_everyone(self) -> None:
        for log in self._watches:
            self.tell(log)

    @contextlib.contextmanager
    def watch(self, log: str) -> Iterator[Watch]:
        """Watch a log. Begin to watch before you look at it, so that nothing is missed."""
        watch = Watch()
        self.join(watch, log)
        try:
            yield watch
        finally:
            self.leave(watch, log)

    def join(self, watch: Watch, log: str) -> None:
        self._watches.setdefault(log, set()).add(watch)

    def leave(self, watch: Watch, log: str) -> None:
        self._watches[log].discard(watch)
        if not self._watches[log]:
            del self._watches[log]


@contextlib.asynccontextmanager
async def at_most(seconds: float) -> AsyncIterator[None]:
    """Go on after this time, whatever has happened."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            yield
