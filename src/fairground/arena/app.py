"""The HTTP service: routes, and what surrounds them.

`make_app` gives an ASGI application for a database URL; `serve` runs it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from typing import Final

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from fairground.arena.contests.factories import Factories
from fairground.arena.contests.routes import CONTEST_ROUTES
from fairground.arena.croupier.bank_routes import BANK_HANDLERS, bank_routes
from fairground.arena.croupier.opened import ArenaCroupier
from fairground.arena.croupier.routes import CROUPIER_ROUTES, the_croupier
from fairground.arena.croupier.session_routes import SESSION_ROUTES
from fairground.arena.document import openapi
from fairground.arena.events.routes import EVENT_ROUTES
from fairground.arena.http import browsers, problems, requests
from fairground.arena.limits.gate import GAMES_IN_MEMORY, IDLE, ClientLimits
from fairground.arena.limits.metrics import Metrics
from fairground.arena.monitoring import MONITORING_ROUTES
from fairground.arena.oracles.keeping import Room
from fairground.arena.oracles.routes import ORACLE_ROUTES
from fairground.arena.page.files import Page
from fairground.arena.page.routes import PAGE_ROUTES
from fairground.arena.state import TheArena, open_arena, the_arena
from fairground.arena.tables.games import get_games
from fairground.arena.tables.routes import TABLE_ROUTES
from fairground.clients.protocol import EVENTS
from fairground.core import FairgroundError
from fairground.fair.bits import token

LARGEST_BODY: Final = 100_000

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]

ROUTES: Final = (
    *ORACLE_ROUTES,
    *MONITORING_ROUTES,
    *CONTEST_ROUTES,
    get_games,
    *TABLE_ROUTES,
    *EVENT_ROUTES,
    *CROUPIER_ROUTES,
    *SESSION_ROUTES,
    *PAGE_ROUTES,
)


def _also_for_head(route: HTTPRouteHandler) -> HTTPRouteHandler:
    """A route that answers GET answers HEAD too, except a stream of events, which has no end."""
    if route.http_methods == {"GET"} and route.media_type != EVENTS:
        route = copy(route)
        route.http_methods = {"GET", "HEAD"}
    return route


def the_room(arena: TheArena, name: FromPath[str]) -> Room:
    """Where the oracle is played that a request names."""
    return arena.room_of(name)


def make_app(
    database: str,
    *,
    public_url: str | None = None,
    factories: Factories | None = None,
    clock: Callable[[], float] = time.time,
    limits: ClientLimits | None = None,
    metrics: Metrics | None = None,
    idle_limit: int = IDLE,
    games_in_memory: int = GAMES_IN_MEMORY,
    croupier: ArenaCroupier | None = None,
    frames: Sequence[str] = (),
    new_name: Callable[[], str] = token,
    beside: Lifespan | None = None,
) -> Litestar:
    """The arena as an ASGI application on this database.

    ``clock`` gives seconds since 1970. By it contests open and close, time banks run, and
    idle oracles are ended, after ``idle_limit`` seconds (0: never). ``croupier``
    is the Croupier of this arena, if it has one; ``frames`` the origins that may frame its page.
    ``new_name`` makes the names of games and contests; ``beside`` is open while the arena is.
    """
    page = Page(frames)

    @asynccontextmanager
    async def with_arena(app: Litestar) -> AsyncIterator[None]:
        async with open_arena(
            database,
            public_url=public_url,
            factories=factories or Factories(),
            clock=clock,
            limits=limits or ClientLimits(),
            metrics=metrics or Metrics(),
            idle_limit=idle_limit,
            games_in_memory=games_in_memory,
            new_name=new_name,
        ) as arena:
            app.state.arena = arena
            yield

    lifespan = [with_arena, None if croupier is None else croupier.open_in, beside]
    return Litestar(
        [
            *map(_also_for_head, ROUTES),
            bank_routes([*map(_also_for_head, BANK_HANDLERS)]),
        ],
        lifespan=[one for one in lifespan if one is not None],
        dependencies={
            "arena": Provide(the_arena, sync_to_thread=False),
            "room": Provide(the_room, sync_to_thread=False),
            "desk": Provide(the_croupier, sync_to_thread=False),
            "page": Provide(lambda: page, sync_to_thread=False),
        },
        exception_handlers={
            FairgroundError: problems.from_fairground,
            HTTPException: problems.from_framework,
            Exception: problems.unexpected,
        },
        before_request=browsers.check,
        before_send=[browsers.add_safe_headers],
        dto=requests.Body,
        return_dto=None,
        request_max_body_size=LARGEST_BODY,
        logging_config=None,  # whoever runs the application decides where its log goes
        openapi_config=openapi.config(),
    )
