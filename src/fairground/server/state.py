"""The open arena: its services by name and type, and how they start and stop.

`make_app` keeps an `ArenaState` in the application's state while it runs. A handler asks for it by
a parameter ``arena: TheArena``. Other code, which has only the application's state, calls
`the_arena`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from litestar.datastructures import State
from litestar.di import NamedDependency

from fairground.bank.croupier.croupier import Croupier
from fairground.bank.ledger.bank import LedgerBank
from fairground.server.contests.factories import Factories
from fairground.server.contests.games import ContestGames, place_of
from fairground.server.contests.service import ContestLists, Contests
from fairground.server.gate import GAMES_IN_MEMORY, IDLE, ClientLimits
from fairground.server.live_games import Hall, repeating
from fairground.server.log_watch import News
from fairground.server.metrics import Metrics
from fairground.server.oracles.service import Oracles, Room
from fairground.server.storage import WatchedStore
from fairground.server.stream import Streams, Tickets
from fairground.server.tables.company import Company, Reviews
from fairground.server.tables.service import Clocks, Tables
from fairground.server.tables.views import Lists
from fairground.store import open_store


@dataclass
class ArenaState:
    """An arena that is open."""

    public_url: str | None
    """The arena's public URL, if it differs from the ``Host`` of requests."""
    factories: Factories
    metrics: Metrics
    hall: Hall
    store: WatchedStore
    news: News
    oracles: Oracles
    contests: Contests
    contest_games: ContestGames
    contest_lists: ContestLists
    tables: Tables
    lists: Lists
    company: Company
    reviews: Reviews
    streams: Streams
    bank: LedgerBank | None = None
    """The Croupier's Bank, if it is a ledger in our own store."""
    croupier: Croupier | None = None

    def room_of(self, name: str) -> Room:
        """Return the service for the oracle of this name: a contest's, or for single ones."""
        return self.contest_games if place_of(name) else self.oracles

    def closing(self) -> None:
        """End all streams of events and all long thoughts: the arena stops. Call it in the loop."""
        self.news.close()
        self.tables.house.thinking.stop()


TheArena = NamedDependency[ArenaState]


def the_arena(state: State) -> ArenaState:
    """Return the arena of a running application, by the application's state."""
    found: ArenaState = state["arena"]  # as an attribute, it is looked for in vain first
    return found


def has_started(state: State) -> bool:
    """Return True once the arena has started."""
    return "arena" in state


def steady(clock: Callable[[], float]) -> Callable[[], float]:
    """Return a clock that starts at the machine's time, and is unmoved when somebody sets that.

    It is read once, and measured on from there. Another clock is taken as it is.
    """
    if clock is not time.time:
        return clock
    offset = time.time() - time.monotonic()
    return lambda: offset + time.monotonic()


SWEEP: Final = 60
"""Seconds between two looks for idle oracles, at most."""


@asynccontextmanager
async def open_arena(
    database: str,
    *,
    public_url: str | None = None,
    factories: Factories | None = None,
    clock: Callable[[], float] = time.time,
    limits: ClientLimits | None = None,
    metrics: Metrics | None = None,
    idle_limit: int = IDLE,
    games_in_memory: int = GAMES_IN_MEMORY,
) -> AsyncIterator[ArenaState]:
    """Open the store and all that works on it; close everything in the end.

    ``clock`` gives seconds since 1970. By it contests open and close, time banks run, and
    idle oracles are ended, after ``idle_limit`` seconds (0: never).
    """
    factories, limits = factories or Factories(), limits or ClientLimits()
    metrics = metrics or Metrics()
    clock = steady(clock)
    store = WatchedStore(await open_store(database), metrics)
    hall = Hall(store, games_in_memory, clock)
    hall.opening, hall.ended = limits.opening, limits.closed
    oracles, contests = Oracles(hall, idle_limit), Contests(store, clock)
    contest_games = ContestGames(hall, contests, factories)
    try:
        async with (
            News(hall) as news,
            Tables(hall, news, Clocks(clock), metrics).running() as tables,
            repeating(oracles.end_idle, min(SWEEP, idle_limit or SWEEP)),
        ):
            news.hearers.append(contests.heard)
            yield ArenaState(
                public_url,
                factories,
                metrics,
                hall,
                store,
                news,
                oracles,
                contests,
                contest_games,
                ContestLists(contests),
                tables,
                Lists(tables, store, news, clock),
                Company(tables, store),
                Reviews(tables),
                Streams(Tickets(store, clock)),
            )
    finally:
        hall.close()
        await factories.close()
        await store.close()
