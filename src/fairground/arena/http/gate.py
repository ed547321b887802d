"""ClientLimits for each client, and the gate at which they are kept: all traffic passes it.

A client is an address. Behind a proxy on this machine it is what ``X-Forwarded-For``
says. The limits are wide: they are there so that one broken program cannot take the
arena from everybody else, and an operator may narrow them.

The gate also gives every request a name (``X-Request-Id`` of its answer, and ``request`` in the
log), counts requests and writes the access log: one JSON object for each request, with the
*pattern* of the route in place of the address, since the addresses of seats hold secret tokens.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import math
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

import msgspec

from fairground.arena.http.metrics import Metrics
from fairground.arena.http.problems import ArenaError, Problem, Stopping, TooManyRequests, TooMuch
from fairground.arena.http.shares import LONGEST, Shares, Timed, shape_of
from fairground.clients.protocol import PROBLEM, REQUEST_ID

RATE: Final = 10_000
"""Requests a second from one client, on the average; a burst may be as large."""

SHARE: Final = 50
"""Percent of a worker's time that one client gets while there are others (`shares`)."""

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
Asgi = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

CLIENT: ContextVar[str] = ContextVar("client", default="")
"""Whose request is being served."""

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The name of the request that is being served: in its answer, and in every line of the log."""

ID_HEADER: Final = REQUEST_ID.lower().encode()

access = logging.getLogger("fairground.access")
log = logging.getLogger("fairground.arena")


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
        self,
        app: Asgi,
        limits: ClientLimits,
        metrics: Metrics,
        *,
        share: int = SHARE,
        access_log: bool = False,
    ) -> None:
        self._app = app
        self._shares = Shares(share)
        self._limits = limits
        self._metrics = metrics
        self._log = access_log
        self._id = f"{secrets.token_hex(4)}-"
        """Begins the name of every request that this process answers."""
        self._requests = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (or, untouched, whatever else the server has to say)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        client = (scope.get("client") or ("",))[0]
        status = 0
        number = self._id + format(next(self._requests), "x")

        async def noting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (ID_HEADER, number.encode())]
            await send(message)

        wait = self._limits.admit(client, began)
        CLIENT.set(client)
        REQUEST.set(number)
        try:
            if wait:
                await _refuse(noting, TooManyRequests, wait)
            elif (wait := self._shares.wait(client)) > LONGEST:
                await _refuse(noting, TooMuch, wait)
            else:
                await self._in_turn(wait, client, scope, receive, noting)
        except asyncio.CancelledError:  # the arena stops, and waits no longer
            if not status:
                await _refuse(noting, Stopping)
        except Exception as error:  # our mistake, in front of the framework
            log.error("a request failed: %s", scope["method"], exc_info=error)
            if not status:
                await _refuse(noting, ArenaError)
        finally:
            route = scope.get("path_template") or "(none)"
            self._metrics.answered(scope["method"], route, status or 500)
            if self._log:
                _write(
                    request=number,
                    client=client,
                    method=scope["method"],
                    route=route,
                    status=status or 500,
                    ms=round(1000 * (time.perf_counter() - began), 2),
                )

    async def _in_turn(
        self, wait: float, client: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve a request when its client may have it served, and charge what it costs."""
        shape = shape_of(scope["method"], scope["path"])
        guess = self._shares.begun(client, shape)
        serving = Timed(self._app(scope, receive, send))
        try:
            if wait:
                await asyncio.sleep(wait)
            await serving
        finally:
            serving.close()
            self._shares.ended(client, shape, guess, serving.spent)


def _write(**what: Any) -> None:
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **what}
    access.info("%s", json.dumps(line))


async def _refuse(send: Send, kind: type[ArenaError], wait: float | None = None) -> None:
    status = HTTPStatus(kind.status)
    data = msgspec.json.encode(Problem(status, status.phrase, kind.code, kind.example))
    seconds = kind.retry_after if wait is None else math.ceil(wait)
    headers = [(b"content-type", PROBLEM.encode()), (b"content-length", b"%d" % len(data))]
    headers += [] if seconds is None else [(b"retry-after", b"%d" % seconds)]
    await send({"type": "http.response.start", "status": kind.status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
