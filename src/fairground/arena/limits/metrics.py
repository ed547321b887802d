"""What the arena counts: requests, open games, how long commits take. For Prometheus.

The text format is a few lines of printing, so it is written by hand. With several workers it is
the sum of what all of them have counted (`counts`), whichever is asked.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Self

from fairground.arena.keyed import KEYED
from fairground.arena.limits.counts import Counts, Name, total
from fairground.arena.outages import Outages
from fairground.store import Append, Store, StoreAway, Stored
from fairground.store.listeners import Hear

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram of commits, in seconds."""

METHODS: Final = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})
REQUESTS, COMMITS, SECONDS = "requests", "commits", "commit seconds"
"""How the names of the counts begin."""

TEXT: Final = "text/plain; version=0.0.4"


class Answered(NamedTuple):
    """One line of the counter of requests."""

    method: str
    route: str
    """The pattern of the route, never the address itself: addresses hold secrets."""
    status: int


class Metrics:
    """The counts of an arena: of this process, and of all its workers."""

    def __init__(self, counts: Counts | None = None, others: Sequence[Path] = ()) -> None:
        """``others``: where the other workers count."""
        self._counts = counts or Counts()
        self._others = others

    def answered(self, method: str, route: str, status: int) -> None:
        """A request was answered."""
        self._counts.add((REQUESTS, method if method in METHODS else "other", route, status))

    @property
    def requests(self) -> dict[Answered, int]:
        """What was answered in this process."""
        return _requests(self._counts.all())

    def committed(self, seconds: float) -> None:
        """A commit took so long."""
        self._counts.add((COMMITS, bisect_left(BUCKETS, seconds)))
        self._counts.add((SECONDS,), seconds)

    def text(self, games: dict[str, int], contests: int | None = None) -> str:
        """Everything in the text format; ``games``: kind → how many are open."""
        counted = total(self._counts, filter(Path.exists, self._others))
        lines = [
            "# HELP fairground_requests_total Requests answered.",
            "# TYPE fairground_requests_total counter",
        ]
        for (method, route, status), count in sorted(_requests(counted).items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            lines.append(f"fairground_requests_total{{{labels}}} {count}")
        lines += [
            "# HELP fairground_open_games Games that are not over.",
            "# TYPE fairground_open_games gauge",
            *(f'fairground_open_games{{kind="{kind}"}} {n}' for kind, n in games.items()),
            *([] if contests is None else _contests(contests)),
            "# HELP fairground_commit_seconds How long a commit took until it was durable.",
            "# TYPE fairground_commit_seconds histogram",
        ]
        so_far = 0
        for number, bound in enumerate((*BUCKETS, "+Inf")):
            so_far += int(counted.get((COMMITS, number), 0))
            lines.append(f'fairground_commit_seconds_bucket{{le="{bound}"}} {so_far}')
        lines.append(f"fairground_commit_seconds_sum {counted.get((SECONDS,), 0):.6f}")
        lines.append(f"fairground_commit_seconds_count {so_far}")
        return "\n".join(lines) + "\n"


def _contests(number: int) -> tuple[str, ...]:
    return (
        "# HELP fairground_contests Contests, closed ones too.",
        "# TYPE fairground_contests gauge",
        f"fairground_contests {number}",
    )


def _requests(counted: Mapping[Name, float]) -> dict[Answered, int]:
    return {
        Answered(str(name[1]), str(name[2]), int(name[3])): int(number)
        for name, number in counted.items()
        if name[0] == REQUESTS
    }


class Measured(Store):
    """A store whose commits are timed, and whose outages are noticed."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self.shared = store.shared
        self._metrics = metrics
        self.outages = Outages(store)

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
            await self._store.commit(*appends)
        except BaseException as error:
            if isinstance(error, StoreAway):
                self.outages.failed(error)
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

    async def forget(self, kind: str, before: int, most: int) -> int:
        """See `Store.forget`."""
        with self._noticing():
            return await self._store.forget(kind, before, most)

    async def count(self, kind: str) -> tuple[int, int]:
        """See `Store.count`."""
        with self._noticing():
            return await self._store.count(kind)

    def listen(self, hear: Hear) -> Callable[[], None]:
        """See `Store.listen`."""
        return self._store.listen(hear)
