"""The HTTP service: routes, and what surrounds them.

`make_app` gives an ASGI application for a database URL; `serve` runs it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, Final

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from fairground.clients.protocol import EVENTS
from fairground.core import FairgroundError
from fairground.server import openapi
from fairground.server.contests.routes import CONTEST_ROUTES
from fairground.server.croupier.opened import ArenaCroupier
from fairground.server.croupier.routes import (
    BANK_HANDLERS,
    CROUPIER_ROUTES,
    SESSION_ROUTES,
    bank_routes,
    the_croupier,
)
from fairground.server.event_routes import EVENT_ROUTES
from fairground.server.http import addresses, problems, requests
from fairground.server.http.front import Front
from fairground.server.monitoring import MONITORING_ROUTES
from fairground.server.oracles.routes import ORACLE_ROUTES
from fairground.server.oracles.service import Room
from fairground.server.page import PAGE_ROUTES, Page
from fairground.server.state import TheArena, open_arena, the_arena
from fairground.server.tables.games import get_games
from fairground.server.tables.routes import TABLE_ROUTES

ROUTES: Final = {
    "oracles": ORACLE_ROUTES,
    "contests": CONTEST_ROUTES,
    "tables": (get_games, *TABLE_ROUTES),
    "events": EVENT_ROUTES,
    "croupier": (*CROUPIER_ROUTES, *SESSION_ROUTES),
    "bank": BANK_HANDLERS,
    "operation": MONITORING_ROUTES,
}
"""The routes by their tag in the OpenAPI document."""


def _also_for_head(route: HTTPRouteHandler) -> HTTPRouteHandler:
    """Return the route, answering HEAD too. An event stream has no end, and so no HEAD."""
    if route.http_methods == {"GET"} and route.media_type != EVENTS:
        route = copy(route)
        route.http_methods = {"GET", "HEAD"}
    return route


def the_room(arena: TheArena, name: FromPath[str]) -> Room:
    """Return the service for the oracle that the request names: single oracles, or a contest's."""
    return arena.room_of(name)


def make_app(
    database: str,
    *,
    croupier: ArenaCroupier | None = None,
    frames: Sequence[str] = (),
    **options: Any,
) -> Litestar:
    """Return the arena as an ASGI application on this database.

    ``croupier`` is the Croupier of this arena, if it has one; ``frames`` the origins that may frame
    its page. `open_arena` has the other options.
    """
    page = Page(frames)

    @asynccontextmanager
    async def with_arena(app: Litestar) -> AsyncIterator[None]:
        async with open_arena(database, **options) as arena:
            app.state.arena = arena
            yield

    return Front(
        [
            *(_also_for_head(one) for tag in ROUTES if tag != "bank" for one in ROUTES[tag]),
            bank_routes([*map(_also_for_head, BANK_HANDLERS)]),
            *map(_also_for_head, PAGE_ROUTES),
        ],
        lifespan=[with_arena] if croupier is None else [with_arena, croupier.open_in],
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
        before_request=addresses.check,
        dto=requests.Body,
        return_dto=None,
        request_max_body_size=requests.LARGEST_BODY,
        logging_config=None,  # whoever runs the application decides where its log goes
        openapi_config=openapi.config(ROUTES),
    )
