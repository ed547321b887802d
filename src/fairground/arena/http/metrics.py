"""What the arena counts: requests, open games, how long commits take. For Prometheus.

The text format is a few lines of printing, so it is written by hand; with several
workers each counts for itself, and says so by its ``worker`` label.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Self

from fairground.arena.keyed import KEYED
from fairground.arena.outages import Outages
from fairground.store import Append, Store, StoreAway, Stored

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram of commits, in seconds."""

METHODS: Final = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})
TEXT: Final = "text/plain; version=0.0.4"


class Answered(NamedTuple):
    """One line of the counter of requests."""

    method: str
    route: str
    """The pattern of the route, never the address itself: addresses hold secrets."""
    status: int


class Metrics:
    """The counts of one process."""

    def __init__(self) -> None:
        self.requests: Counter[Answered] = Counter()
        self._commits = [0] * (len(BUCKETS) + 1)
        self._commit_seconds = 0.0

    def answered(self, method: str, route: str, status: int) -> None:
        """A request was answered."""
        self.requests[Answered(method if method in METHODS else "other", route, status)] += 1

    def committed(self, seconds: float) -> None:
        """A commit took so long."""
        self._commits[bisect_left(BUCKETS, seconds)] += 1
        self._commit_seconds += seconds

    def text(self, games: dict[str, int]) -> str:
        """Everything in the text format; ``games``: kind → how many are open."""
        worker = f'worker="{os.getpid()}"'
        lines = [
            "# HELP fairground_requests_total Requests answered.",
            "# TYPE fairground_requests_total counter",
        ]
        for (method, route, status), count in sorted(self.requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}",{worker}'
            lines.append(f"fairground_requests_total{{{labels}}} {count}")
        lines += [
            "# HELP fairground_open_games Games that are not over, in the whole arena.",
            "# TYPE fairground_open_games gauge",
            *(f'fairground_open_games{{kind="{kind}"}} {n}' for kind, n in games.items()),
            "# HELP fairground_commit_seconds How long a commit took until it was durable.",
            "# TYPE fairground_commit_seconds histogram",
        ]
        so_far = 0
        for bound, count in zip((*BUCKETS, "+Inf"), self._commits, strict=True):
            so_far += count
            lines.append(f'fairground_commit_seconds_bucket{{le="{bound}",{worker}}} {so_far}')
        lines.append(f"fairground_commit_seconds_sum{{{worker}}} {self._commit_seconds:.6f}")
        lines.append(f"fairground_commit_seconds_count{{{worker}}} {so_far}")
        return "\n".join(lines) + "\n"


class Measured(Store):
    """A store whose commits are timed, and whose outages are noticed."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self.outages = Outages(store.probe)

    @classmethod
    async def open(cls, url: str) -> Self:
        """Not here: measure a store that is open."""
        raise NotImplementedError(url)

    async def close(self) -> None:
        """See `Store.close`."""
        await self.outages.stop()
        await self._store.close()

    async def commit(self, *appends: Append) -> None:
        """See `Store.commit`."""
        began = time.perf_counter()
        keyed = KEYED.get()
        if keyed is not None and keyed.waits:
            appends = (*appends, keyed.append(appends))
            keyed.waits = False
        else:
            keyed = None
        try:
            with self._noticing():
                await self._store.commit(*appends)
        except BaseException:
            if keyed is not None:
                keyed.waits = True
            raise
        self._metrics.committed(time.perf_counter() - began)

    async def probe(self) -> None:
        """See `Store.probe`."""
        await self._store.probe()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except StoreAway as error:
            self.outages.failed(error)
            raise

    async def read(self, log: str) -> Stored | None:
        """See `Store.read`."""
        with self._noticing():
            return await self._store.read(log)

    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        """See `Store.lines`."""
        with self._noticing():
            return await self._store.lines(log, after, most)

    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See `Store.logs`."""
        with self._noticing():
            return await self._store.logs(kind, open_only=open_only)

    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        """See `Store.idle`."""
        with self._noticing():
            return await self._store.idle(kind, before, most)

    async def forget(self, kind: str, before: int, most: int) -> None:
        """See `Store.forget`."""
        with self._noticing():
            await self._store.forget(kind, before, most)

    async def count(self, kind: str) -> tuple[int, int]:
        """See `Store.count`."""
        with self._noticing():
            return await self._store.count(kind)

    def listen(self) -> AsyncIterator[tuple[str, int]]:
        """See `Store.listen`."""
        return self._store.listen()
