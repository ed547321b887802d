"""The HTTP service: routes, and what surrounds them.

`make_app` gives an ASGI application for a database URL; `serve` runs it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import copy
from typing import Final

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from fairground.arena.contests.books import Contests
from fairground.arena.contests.factories import Factories
from fairground.arena.contests.games import ContestGames
from fairground.arena.contests.relay import Relay
from fairground.arena.contests.routes import CONTEST_ROUTES
from fairground.arena.croupier.bank_routes import BANK_HANDLERS, bank_routes
from fairground.arena.croupier.opened import Desk
from fairground.arena.croupier.routes import CROUPIER_ROUTES, the_croupier
from fairground.arena.http import openapi, problems, requests
from fairground.arena.http.fast_lane import room_of
from fairground.arena.http.gate import GAMES_IN_MEMORY, IDLE, Limits
from fairground.arena.http.metrics import Measured, Metrics
from fairground.arena.live_games import Hall
from fairground.arena.log_watch import News
from fairground.arena.monitoring import MONITORING_ROUTES
from fairground.arena.oracles.idle import Idle
from fairground.arena.oracles.keeping import Oracles, Room
from fairground.arena.oracles.routes import ORACLE_ROUTES
from fairground.arena.tables.clocks import Clocks
from fairground.arena.tables.keeping import Tables
from fairground.arena.tables.routes import EVENTS, TABLE_ROUTES
from fairground.core import FairgroundError
from fairground.store import open_store

LARGEST_BODY: Final = 100_000

ROUTES: Final = (
    *ORACLE_ROUTES,
    *MONITORING_ROUTES,
    *CONTEST_ROUTES,
    *TABLE_ROUTES,
    *CROUPIER_ROUTES,
)


def _also_for_head(route: HTTPRouteHandler) -> HTTPRouteHandler:
    """A route that answers GET answers HEAD; but not a stream of events, which has no end."""
    if route.http_methods == {"GET"} and route.media_type != EVENTS:
        route = copy(route)
        route.http_methods = {"GET", "HEAD"}
    return route


def make_app(
    database: str,
    *,
    public_url: str | None = None,
    factories: Factories | None = None,
    clock: Callable[[], float] = time.time,
    limits: Limits | None = None,
    metrics: Metrics | None = None,
    idle_limit: int = IDLE,
    games_in_memory: int = GAMES_IN_MEMORY,
    desk: Desk | None = None,
) -> Litestar:
    """The arena as an ASGI application on this database.

    ``clock`` gives seconds since 1970: by it contests open and close, time banks run, and
    oracles are idle, which are ended after ``idle_limit`` seconds (0: never). ``desk`` is
    the Croupier's, if there is one.
    """
    limits, metrics = limits or Limits(), metrics or Metrics()
    elsewhere = factories or Factories()

    @asynccontextmanager
    async def with_store(app: Litestar) -> AsyncIterator[None]:
        store = Measured(await open_store(database), metrics)
        hall = app.state.hall = Hall(store, games_in_memory, clock)
        hall.opening, hall.ended = limits.opening, limits.closed
        app.state.oracles = Oracles(app.state.hall)
        app.state.contests = Contests(store, clock)
        relay = Relay(hall, app.state.contests, elsewhere)
        app.state.contest_games = ContestGames(hall, app.state.contests, relay)
        app.state.contests.start()
        try:
            async with (
                News(hall) as news,
                Tables(hall, news, Clocks(clock)) as tables,
                Idle(hall, app.state.oracles, idle_limit) as idle,
            ):
                app.state.idle = idle
                app.state.news, app.state.tables = news, tables
                yield
        finally:
            hall.close()
            await app.state.contests.stop()
            await elsewhere.close()
            await store.close()

    def the_hall(state: State) -> Hall:
        hall: Hall = state.hall
        return hall

    def the_oracles(state: State) -> Oracles:
        found: Oracles = state.oracles
        return found

    def the_tables(state: State) -> Tables:
        found: Tables = state.tables
        return found

    def the_contests(state: State) -> Contests:
        found: Contests = state.contests
        return found

    def the_contest_games(state: State) -> ContestGames:
        found: ContestGames = state.contest_games
        return found

    def the_room(state: State, name: FromPath[str]) -> Room:
        return room_of(state, name)

    return Litestar(
        [
            *map(_also_for_head, ROUTES),
            bank_routes([*map(_also_for_head, BANK_HANDLERS)]),
        ],
        lifespan=[with_store] if desk is None else [with_store, desk.open_in],
        state=State(
            {
                "public_url": public_url,
                "factories": elsewhere,
                "metrics": metrics,
            }
        ),
        dependencies={
            "hall": Provide(the_hall, sync_to_thread=False),
            "games": Provide(the_oracles, sync_to_thread=False),
            "tables": Provide(the_tables, sync_to_thread=False),
            "contests": Provide(the_contests, sync_to_thread=False),
            "contest_games": Provide(the_contest_games, sync_to_thread=False),
            "room": Provide(the_room, sync_to_thread=False),
            "desk": Provide(the_croupier, sync_to_thread=False),
        },
        exception_handlers={
            FairgroundError: problems.from_ours,
            HTTPException: problems.from_framework,
            Exception: problems.unexpected,
        },
        before_request=requests.check,
        dto=requests.Body,
        return_dto=None,
        request_max_body_size=LARGEST_BODY,
        logging_config=None,  # whoever runs the application decides where its log goes
        openapi_config=openapi.config(),
    )
