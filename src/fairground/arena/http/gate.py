"""ClientLimits for each client, and the gate at which they are kept: all traffic passes it.

A client is an address. Behind a proxy on this machine it is what ``X-Forwarded-For``
says. The limits are wide: they are there so that one broken program cannot take the
arena from everybody else, and an operator may narrow them.

The gate also counts requests and writes the access log: one JSON object for each
request, with the *pattern* of the route in place of the address, since the addresses of
seats hold secret tokens.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from fairground.arena.http.metrics import Metrics
from fairground.arena.http.problems import Problem, TooManyRequests
from fairground.clients.protocol import PROBLEM

RATE: Final = 10_000
"""Requests a second from one client, on the average; a burst may be as large."""

OPEN_GAMES: Final = 200_000
"""Games of one client that may be open at the same time, by the count of one worker."""

IDLE: Final = 30 * 24 * 3600
"""Seconds without a submission after which an oracle is ended (`idle`)."""

GAMES_IN_MEMORY: Final = 120_000
"""Games that are kept in memory, at about 15 kB each. Any other is run again from its transcript
when it is needed, which takes as long as one or two moves."""

MOST_CLIENTS: Final = 10_000
"""With more clients than this, idle ones are forgotten."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

CLIENT: ContextVar[str] = ContextVar("client", default="")
"""Whose request is being served."""

access = logging.getLogger("fairground.access")


class ClientLimits:
    """What each client may have; 0 is no limit."""

    def __init__(self, rate: int = RATE, open_games: int = OPEN_GAMES) -> None:
        self._rate = rate
        self._open_games = open_games
        self._buckets: dict[str, tuple[float, float]] = {}
        self._owners: dict[str, str] = {}
        self._open: Counter[str] = Counter()

    def admit(self, client: str, now: float) -> float:
        """0 if the client may ask now; else the seconds after which it may.

        Each client has a bucket that fills at the rate and holds one second's worth.
        """
        if not self._rate:
            return 0
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets = {
                name: (left, at) for name, (left, at) in self._buckets.items() if now - at < 1
            }
        left, at = self._buckets.get(client, (float(self._rate), now))
        left = min(float(self._rate), left + (now - at) * self._rate)
        if left < 1:
            self._buckets[client] = (left, now)
            return (1 - left) / self._rate
        self._buckets[client] = (left - 1, now)
        return 0

    def opening(self, names: Sequence[str]) -> None:
        """New games for the client that is being served; refuse them if it has too many."""
        client = CLIENT.get()
        names = [name for name in names if name not in self._owners]
        if not self._open_games or not client:
            return
        if self._open[client] + len(names) > self._open_games:
            raise TooManyRequests(
                f"you have {self._open[client]} open games here, and {self._open_games} is the "
                "limit: end some of them first"
            )
        self._open[client] += len(names)
        for name in names:
            self._owners[name] = client

    def closed(self, name: str) -> None:
        """A game has ended."""
        client = self._owners.pop(name, None)
        if client is not None:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]


class Gate:
    """Around the whole application: limits, counts, access log."""

    def __init__(
        self, app: Asgi, limits: ClientLimits, metrics: Metrics, *, access_log: bool = False
    ) -> None:
        self._app = app
        self._limits = limits
        self._metrics = metrics
        self._log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (or, untouched, whatever else the server has to say)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        client = (scope.get("client") or ("",))[0]
        status = 500

        async def noting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        wait = self._limits.admit(client, began)
        CLIENT.set(client)
        try:
            if wait:
                await _refuse(noting, wait)
            else:
                await self._app(scope, receive, noting)
        finally:
            route = scope.get("path_template") or "(none)"
            self._metrics.answered(scope["method"], route, status)
            if self._log:
                _write(scope["method"], route, status, client, time.perf_counter() - began)


def _write(method: str, route: str, status: int, client: str, seconds: float) -> None:
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": client,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(1000 * seconds, 2),
    }
    access.info("%s", json.dumps(line))


async def _refuse(send: Send, wait: float) -> None:
    problem = Problem(429, "Too Many Requests", TooManyRequests.code, TooManyRequests.example)
    data = msgspec.json.encode(problem)
    headers = [
        (b"content-type", PROBLEM.encode()),
        (b"content-length", str(len(data)).encode()),
        (b"retry-after", str(math.ceil(wait)).encode()),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": data})
