"""Metrics for Prometheus: requests, commits, open games, and the process itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

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
