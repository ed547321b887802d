"""Metrics for Prometheus: requests, commits, open games, and the process itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from fairground.server.storage import KEYED, Outages
from fairground.store import Append, Hear, Store, StoreAway

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram of commits, in seconds."""

METHODS: Final = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})

TEXT: Final = "text/plain; version=0.0.4"

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one arena."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "fairground_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._commits = Histogram(
            "fairground_commit_seconds",
            "How long a commit took until it was durable.",
            buckets=BUCKETS,
            registry=self.registry,
        )

        self._connections = Gauge(
            "fairground_connections", "Connections that are open.", registry=self.registry
        )
        self._waiting, self._running = (
            Gauge(f"fairground_thoughts_{what}", text, ["lane"], registry=self.registry)
            for what, text in (
                ("waiting", "Thoughts of house players that wait for a process."),
                ("running", "Thoughts of house players that run."),
            )
        )

    def answered(self, method: str, route: str, status: int) -> None:
        """Count an answered request.

        ``route`` is the pattern of the route, never the address: addresses hold secrets.
        """
        self._requests.labels(method if method in METHODS else "other", route, status).inc()

    def committed(self, seconds: float) -> None:
        self._commits.observe(seconds)

    def watch_connections(self, number: Callable[[], int]) -> None:
        self._connections.set_function(number)

    def watch_thoughts(
        self, lane: str, waiting: Callable[[], int], running: Callable[[], int]
    ) -> None:
        """Show how many thoughts of house players wait and run in a lane."""
        self._waiting.labels(lane).set_function(waiting)
        self._running.labels(lane).set_function(running)

    def text(self, games: Mapping[str, int], contests: int | None = None) -> str:
        """Return all metrics in the text format; ``games``: kind → how many are open."""
        now = CollectorRegistry()
        opened = Gauge("fairground_open_games", "Games that are not over.", ["kind"], registry=now)
        for kind, number in games.items():
            opened.labels(kind).set(number)
        if contests is not None:
            Gauge("fairground_contests", "Contests, closed ones too.", registry=now).set(contests)
        return (generate_latest(self.registry) + generate_latest(now)).decode()


def _noticing(name: str) -> Any:
    """Return a method that asks the store, and notices an outage."""

    async def ask(self: Measured, *about: Any, **more: Any) -> Any:
        try:
            return await getattr(self._store, name)(*about, **more)
        except StoreAway as error:
            self.outages.failed(error)
            raise

    return ask


class Measured(Store):
    """A store whose commits are timed, and whose outages are noticed."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self.shared = store.shared
        self._metrics = metrics
        self.outages = Outages(store)

    @classmethod
    async def open(cls, url: str) -> Self:
        raise NotImplementedError(url)

    async def close(self) -> None:
        await self.outages.stop()
        await self._store.close()

    async def commit(self, *appends: Append) -> None:
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

    read, lines, logs, idle, forget, count = map(
        _noticing, ("read", "lines", "logs", "idle", "forget", "count")
    )

    def listen(self, hear: Hear) -> Callable[[], None]:
        return self._store.listen(hear)
