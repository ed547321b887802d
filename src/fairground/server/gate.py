"""The gate through which all traffic passes: limits for each client."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network
from typing import Any, Final

from fairground.clients.protocol import REQUEST_ID
from fairground.core import FairgroundError
from fairground.server.http.problems import (
    ArenaError,
    Stopping,
    TooManyRequests,
    answer_of,
    tell,
)
from fairground.server.metrics import Metrics


class Holdings:
    """Open things of one kind, by client. Each counts until it is dropped, or until its time."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._owners: dict[str, str] = {}
        """Thing → client."""
        self._ends: dict[str, dict[str, float]] = {}
        """Client → thing → its expiry time."""

    def of(self, client: str) -> int:
        return len(self._ends.get(client, ()))

    def owner(self, thing: str) -> str | None:
        """Return the client that opened a thing, if it is known."""
        return self._owners.get(thing)

    def add(self, thing: str, most: int, words: str = "", until: float = math.inf) -> None:
        """Count a thing of the client that is being served; refuse it beyond ``most`` of them.

        ``words`` tell the client so: with ``{0}`` for what it has, ``{1}`` for what it may have.
        """
        client = CLIENT.get()
        if not client:
            return
        if self._owners.get(thing) != client and self.of(client) >= most:
            for one in [one for one, at in self._ends[client].items() if at <= self._clock()]:
                self.drop(one)
            if (there := self.of(client)) >= most:
                raise TooManyRequests(words.format(there, most))
        self.drop(thing)
        self._owners[thing] = client
        self._ends.setdefault(client, {})[thing] = until
        if len(self._owners) > MOST_OWNED:
            self.drop(next(iter(self._owners)))

    def drop(self, thing: str) -> None:
        client = self._owners.pop(thing, None)
        if client is not None:
            del self._ends[client][thing]
            if not self._ends[client]:
                del self._ends[client]


# The gate
#
# The rate-limit key of a client is its IPv4 address, or the /64 of its IPv6 address. Behind a proxy
# on this machine the address comes from ``X-Forwarded-For``. The limits are wide: they stop one
# broken program from taking the arena from everybody else. An operator may narrow them.
#
# The gate also gives every request a name (``X-Request-Id`` of its answer, and ``request`` in the
# log), counts requests and writes the access log. The log has one JSON object for each request,
# with the *pattern* of the route in place of the address, since the addresses of seats hold secret
# tokens.


RATE: Final = 10_000
"""Requests a second from one client, on the average; a burst may be as large."""

OPEN_GAMES: Final = 200_000
"""Games of one client that may be open at the same time."""

IDLE: Final = 30 * 24 * 3600
"""Seconds without a submission after which an oracle is ended (`idle`)."""

GAMES_IN_MEMORY: Final = 120_000
"""Usual games for which there is room in memory, at 15 kB each: 1.8 GB. A larger game counts as
several. Any other is run again from its transcript when it is needed, which takes as long as one or
two moves."""

MOST_OWNED: Final = 500_000
"""Maximum number of things with a known owner. Beyond that, the oldest count for nobody."""

MOST_CLIENTS: Final = 10_000
"""With more clients than this, idle ones are forgotten."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

CLIENT: ContextVar[str] = ContextVar("client", default="")
"""The rate-limit key of the client whose request is being served."""

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The name of the request that is being served: in its answer, and in every line of the log."""

RECEIVE: ContextVar[Receive | None] = ContextVar("receive", default=None)
"""The ``receive`` of the request being served, which reports that its client has left."""

ID_HEADER: Final = REQUEST_ID.lower().encode()

SAFE: Final = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
"""Headers of every answer: it is what it says it is, and other sites do not learn what was read."""

access = logging.getLogger("fairground.access")
log = logging.getLogger("fairground.server")


@lru_cache(10_000)
def client_at(address: str) -> str:
    """Return the rate-limit key: the IPv4 address, or the /64 of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:  # a proxy can say anything
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((found, 64), strict=False))


class ClientLimits:
    """The limits of each client; 0 is no limit."""

    def __init__(self, rate: int = RATE, open_games: int = OPEN_GAMES) -> None:
        self._rate = rate
        self._open_games = open_games
        self._buckets: dict[str, tuple[float, float]] = {}
        self.games = Holdings()
        """The open games of each client."""

    def admit(self, client: str, now: float) -> float:
        """0 if the client may ask now; else the seconds after which it may.

        Each client has a bucket that fills at the rate and holds one second's worth.
        """
        if self._rate:
            left = self._left(client, now)
            if left < 1:
                self._buckets[client] = (left, now)
                return (1 - left) / self._rate
            self._buckets[client] = (left - 1, now)
        return 0

    def _left(self, client: str, now: float) -> float:
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets = {
                name: (left, at) for name, (left, at) in self._buckets.items() if now - at < 1
            }
        left, at = self._buckets.get(client, (float(self._rate), now))
        return min(float(self._rate), left + (now - at) * self._rate)

    def opening(self, name: str) -> None:
        """Count a new game of the client that is being served; refuse it if it has too many."""
        if self._open_games:
            words = "you have {} open games here, and {} is the limit: end some of them first"
            self.games.add(name, self._open_games, words)

    def closed(self, name: str) -> None:
        self.games.drop(name)


class Gate:
    """Around the whole application: limits, counts, access log."""

    def __init__(
        self,
        app: Asgi,
        limits: ClientLimits,
        metrics: Metrics,
        *,
        access_log: bool = False,
    ) -> None:
        self._app = app
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
        client = client_at((scope.get("client") or ("",))[0])
        status = 0
        number = self._id + format(next(self._requests), "x")

        async def noting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = message.get("headers", ())
                message["headers"] = [*given, *SAFE, (ID_HEADER, number.encode())]
            await send(message)

        wait = self._limits.admit(client, began)
        CLIENT.set(client)
        REQUEST.set(number)
        RECEIVE.set(receive)
        try:
            if wait:
                await tell(noting, *answer_of(TooManyRequests(), math.ceil(wait)))
                return
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:  # the arena stops, and waits no longer
            if not status:
                await tell(noting, *answer_of(Stopping()))
        except FairgroundError as error:
            await tell(noting, *answer_of(error))
        except Exception:  # our mistake, in front of the framework
            log.exception("a request failed: %s %s", scope["method"], scope.get("path_template"))
            if not status:
                await tell(noting, *answer_of(ArenaError()))
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


def _write(**what: Any) -> None:
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **what}
    access.info("%s", json.dumps(line))
