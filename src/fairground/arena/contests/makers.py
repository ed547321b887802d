"""Who has made the contests that are open: one client can have only so many of them.

Contests that nobody looks at are not in memory, but on the disk, and in everybody's list. A contest
closes by itself, when somebody looks at it after its time; here it counts until that time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from fairground.arena.http.problems import TooManyRequests
from fairground.arena.limits.gate import CLIENT
from fairground.arena.limits.holdings import Holdings

MOST_OF_ONE: Final = 1_000
"""Open contests of one client."""


class Makers:
    """Counts the open contests of each client that were made since the start."""

    def __init__(self, held: Holdings, clock: Callable[[], float]) -> None:
        """``held``: how many each client has, at all workers."""
        self._held = held
        self._clock = clock
        self._open: dict[str, dict[str, int]] = {}
        """Client → contest → when it closes."""
        self._makers: dict[str, str] = {}
        """Contest → client."""

    @contextmanager
    def making(self, name: str, closes: int) -> Iterator[None]:
        """Around the making of a contest: refuse it if its maker has too many."""
        client = CLIENT.get()
        if not client:
            yield
            return
        if self._held.of(client) >= MOST_OF_ONE:
            self._forget_the_closed(client)
        if (there := self._held.of(client)) >= MOST_OF_ONE:
            raise TooManyRequests(
                f"you have {there} open contests here, and {MOST_OF_ONE} is the limit: close some "
                "of them first"
            )
        self._makers[name] = client
        self._open.setdefault(client, {})[name] = closes
        self._held.add(client, 1)
        try:
            yield
        except BaseException:
            self.closed(name)
            raise

    def closed(self, name: str) -> None:
        """A contest is closed, or was never made."""
        client = self._makers.pop(name, None)
        if client is None:
            return
        theirs = self._open[client]
        del theirs[name]
        if not theirs:
            del self._open[client]
        self._held.add(client, -1)

    def _forget_the_closed(self, client: str) -> None:
        now = self._clock()
        for name in [name for name, at in self._open.get(client, {}).items() if at <= now]:
            self.closed(name)
