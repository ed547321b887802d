"""What an open arena consists of, by name and type; and how it is opened and closed.

`make_app` keeps an `ArenaState` in the application's state while it runs. A route asks for it
by a parameter ``arena: TheArena``; who has only the application's state calls `the_arena`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from litestar.datastructures import State
from litestar.di import NamedDependency

from fairground.arena.contests.factories import Factories
from fairground.arena.contests.games import ContestGames, place_of
from fairground.arena.contests.keeping import Contests
from fairground.arena.contests.lists import ContestLists
from fairground.arena.contests.relay import Relay
from fairground.arena.events.stream import Streams
from fairground.arena.events.tickets import Tickets
from fairground.arena.limits.gate import CONTESTS, STREAMS, WAITING, ClientLimits
from fairground.arena.limits.metrics import Measured, Metrics
from fairground.arena.live_games import Hall
from fairground.arena.log_watch import News
from fairground.arena.oracles.idle import Idle
from fairground.arena.oracles.keeping import Oracles, Room
from fairground.arena.outages import Outages
from fairground.arena.tables.clocks import Clocks
from fairground.arena.tables.company import Company
from fairground.arena.tables.keeping import Tables
from fairground.arena.tables.lists import Lists
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.ledger.bank import LedgerBank
from fairground.store import open_store


@dataclass
class ArenaState:
    """An arena that is open."""

    public_url: str | None
    """How clients reach us, if that is not what their requests say."""
    factories: Factories
    metrics: Metrics
    hall: Hall
    outages: Outages
    news: News
    oracles: Oracles
    idle: Idle
    contests: Contests
    contest_games: ContestGames
    contest_lists: ContestLists
    tables: Tables
    lists: Lists
    company: Company
    streams: Streams
    bank: LedgerBank | None = None
    """The Croupier's Bank, if it is a ledger in our own store."""
    croupier: Croupier | None = None

    def room_of(self, name: str) -> Room:
        """Where an oracle of this name is played: in a contest, or alone."""
        return self.contest_games if place_of(name) else self.oracles

    def end_streams(self) -> None:
        """Tell everyone who follows events that the arena stops. Call it in the event loop."""
        self.news.close()
        self.contests.end_streams()


TheArena = NamedDependency[ArenaState]


def the_arena(state: State) -> ArenaState:
    """The arena behind an application that runs, by the application's state."""
    found: ArenaState = state["arena"]  # as an attribute, it is looked for in vain first
    return found


def has_started(state: State) -> bool:
    """Whether there is an arena behind the application (yet)."""
    return "arena" in state


def steady(clock: Callable[[], float]) -> Callable[[], float]:
    """The machine's clock, which goes on evenly when somebody sets it: nobody loses by that.

    It is read once, and measured on from there. Another clock is taken as it is.
    """
    if clock is not time.time:
        return clock
    offset = time.time() - time.monotonic()
    return lambda: offset + time.monotonic()


@asynccontextmanager
async def open_arena(
    database: str,
    *,
    public_url: str | None,
    factories: Factories,
    clock: Callable[[], float],
    limits: ClientLimits,
    metrics: Metrics,
    idle_limit: int,
    games_in_memory: int,
    new_name: Callable[[], str],
) -> AsyncIterator[ArenaState]:
    """Open the store and all that works on it; close everything in the end."""
    clock = steady(clock)
    store = Measured(await open_store(database), metrics)
    hall = Hall(store, games_in_memory, clock, new_name)
    hall.opening, hall.ended = limits.opening, limits.closed
    oracles, contests = Oracles(hall), Contests(store, clock, new_name, limits.held[CONTESTS])
    contest_games = ContestGames(hall, contests, Relay(hall, contests, factories))
    try:
        async with (
            News(hall) as news,
            Tables(hall, news, Clocks(clock), limits.held[WAITING]) as tables,
            Idle(hall, oracles, idle_limit) as idle,
        ):
            news.hearers.append(contests.heard)
            yield ArenaState(
                public_url,
                factories,
                metrics,
                hall,
                store.outages,
                news,
                oracles,
                idle,
                contests,
                contest_games,
                ContestLists(contests),
                tables,
                Lists(tables, store, news, clock),
                Company(tables, store),
                Streams(Tickets(store, clock), limits.held[STREAMS]),
            )
    finally:
        hall.close()
        await factories.close()
        await store.close()
