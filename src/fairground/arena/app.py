"""The HTTP service: routes, and what surrounds them.

`make_app` gives an ASGI application for a database URL; `serve` runs it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Litestar, Request, Response, Router, delete, get, post, put
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import License
from litestar.params import FromPath, JSONBody

from fairground import __version__
from fairground.arena import oracles, problems
from fairground.arena.hall import Hall
from fairground.arena.oracles import Oracles
from fairground.arena.wire import Counts, Health, NewOracle, Oracle, Share, Submission
from fairground.core import FairgroundError
from fairground.store import open_store

log = logging.getLogger("fairground.arena")

LARGEST_BODY: Final = 100_000
TRANSCRIPT: Final = "application/jsonl"


TheOracles = NamedDependency[Oracles]
TheHall = NamedDependency[Hall]


def address(request: Request[Any, Any, Any], path: str) -> str:
    """The absolute URI of a path, as this client reaches us."""
    public: str | None = request.app.state.public_url
    return f"{(public or str(request.base_url)).rstrip('/')}/{path}"


def see_other(where: str) -> Response[None]:
    """303: what you asked for is over there."""
    return Response(None, status_code=303, headers={"Location": where})


@post("/neworacle", status_code=303, summary="Open a game; redirects to its oracle")
async def new_oracle(
    request: Request[Any, Any, State], data: JSONBody[NewOracle], games: TheOracles
) -> Response[None]:
    """Open a code-breaking game."""
    live = await games.make(data.base, data.length, data.oracle_type)
    return see_other(address(request, f"oracle/{live.log}"))


@get("/oracle/{name:str}", summary="An oracle's parameters and progress")
async def get_oracle(
    request: Request[Any, Any, State], name: FromPath[str], games: TheOracles
) -> Oracle:
    """Everything public about a game."""
    return oracles.describe(await games.find(name), address(request, f"oracle/{name}"))


@post("/oracle/{name:str}", status_code=200, summary="One divination step")
async def submit(name: FromPath[str], data: JSONBody[Submission], games: TheOracles) -> Counts:
    """Submit a number, and learn how many digits match."""
    return await games.submit(name, data.submission)


@delete("/oracle/{name:str}", status_code=200, summary="Give up")
async def give_up(
    request: Request[Any, Any, State], name: FromPath[str], games: TheOracles
) -> Oracle:
    """End the game; the code is opened."""
    return oracles.describe(await games.give_up(name), address(request, f"oracle/{name}"))


@put("/oracle/{name:str}/share", status_code=204, summary="Lend a share to the draw")
async def lend_share(name: FromPath[str], data: JSONBody[Share], games: TheOracles) -> None:
    """Mix 32 bytes of your own into the draw of the code: earns the claim UNIFORM."""
    await games.share(name, data.share)


@get("/oracle/{name:str}/transcript", media_type=TRANSCRIPT, summary="The game's transcript")
async def oracle_transcript(name: FromPath[str], games: TheOracles) -> Response[bytes]:
    """What ``fairground verify`` checks; complete once the game is over."""
    live = await games.find(name)
    return Response(bytes(live.table.transcript), media_type=TRANSCRIPT)


@get("/healthz", summary="Whether the arena can work")
async def health(hall: TheHall) -> Health:
    """Asks the store, so that it is true."""
    every, still_open = await hall.store.count(oracles.KIND)
    return Health("ok", __version__, every, still_open)


ROUTES: Final = (new_oracle, get_oracle, submit, give_up, lend_share, oracle_transcript, health)


def make_app(database: str, *, public_url: str | None = None) -> Litestar:
    """The arena as an ASGI application on this database."""

    @asynccontextmanager
    async def with_store(app: Litestar) -> AsyncIterator[None]:
        store = await open_store(database)
        app.state.hall = Hall(store)
        app.state.oracles = Oracles(app.state.hall)
        try:
            yield
        finally:
            await store.close()

    def the_hall(state: State) -> Hall:
        hall: Hall = state.hall
        return hall

    def the_oracles(state: State) -> Oracles:
        found: Oracles = state.oracles
        return found

    return Litestar(
        [Router("/", route_handlers=list(ROUTES))],
        lifespan=[with_store],
        state=State({"public_url": public_url}),
        dependencies={
            "hall": Provide(the_hall, sync_to_thread=False),
            "games": Provide(the_oracles, sync_to_thread=False),
        },
        exception_handlers={
            FairgroundError: problems.from_ours,
            HTTPException: problems.from_framework,
        },
        request_max_body_size=LARGEST_BODY,
        openapi_config=OpenAPIConfig(
            title="Fairground arena",
            version=__version__,
            description="Provably fair games over HTTP.",
            license=License(name="MIT", identifier="MIT"),
        ),
    )
