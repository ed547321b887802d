"""The HTTP service: routes, and what surrounds them.

`make_app` gives an ASGI application for a database URL; `serve` runs it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, Final

from litestar import Litestar, Request, Response, delete, get, post, put
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from fairground import __version__
from fairground.arena.contests.books import Contests
from fairground.arena.contests.factories import Factories
from fairground.arena.contests.games import ContestGames
from fairground.arena.contests.relay import Relay
from fairground.arena.contests.routes import CONTEST_ROUTES, RECEIPT
from fairground.arena.croupier.bank_routes import BANK_HANDLERS, bank_routes
from fairground.arena.croupier.opened import Desk
from fairground.arena.croupier.routes import CROUPIER_ROUTES, the_croupier
from fairground.arena.http import openapi, problems
from fairground.arena.http import requests as reading
from fairground.arena.http.addresses import address, see_other
from fairground.arena.http.fast_lane import refusing, room_of
from fairground.arena.http.gate import GAMES_IN_MEMORY, IDLE, Limits
from fairground.arena.http.metrics import TEXT, Measured, Metrics
from fairground.arena.live_games import Hall
from fairground.arena.log_watch import News
from fairground.arena.oracles import keeping as oracles
from fairground.arena.oracles.idle import Idle
from fairground.arena.oracles.keeping import Oracles, Room
from fairground.arena.oracles.wire import Counts, Health, NewOracle, Oracle, Share, Submission
from fairground.arena.tables.clocks import Clocks
from fairground.arena.tables.keeping import KIND as TABLE
from fairground.arena.tables.keeping import Tables
from fairground.arena.tables.routes import EVENTS, TABLE_ROUTES
from fairground.core import FairgroundError
from fairground.store import open_store

log = logging.getLogger("fairground.arena")

LARGEST_BODY: Final = 100_000
TRANSCRIPT: Final = "application/jsonl"


TheOracles = NamedDependency[Oracles]
TheHall = NamedDependency[Hall]
TheRoom = NamedDependency[Room]


@post("/neworacle", status_code=303, summary="Open a game; redirects to its oracle")
async def new_oracle(
    request: Request[Any, Any, State], data: JSONBody[NewOracle], games: TheOracles
) -> Response[bytes]:
    """Open a code-breaking game."""
    live = await games.make(data.base, data.length, data.oracle_type)
    return see_other(address(request, f"oracle/{live.log}"))


@get("/oracle/{name:str}", summary="An oracle's parameters and progress")
async def get_oracle(
    request: Request[Any, Any, State], name: FromPath[str], room: TheRoom
) -> Oracle:
    """Everything public about a game."""
    return _with_contest(request, await room.describe(name, address(request, f"oracle/{name}")))


def _with_contest(request: Request[Any, Any, State], oracle: Oracle) -> Oracle:
    if oracle.contest is not None:
        oracle.contest = address(request, f"contest/{oracle.contest}")
    return oracle


@post("/oracle/{name:str}", status_code=200, summary="One divination step", middleware=[refusing])
async def submit(
    name: FromPath[str], data: JSONBody[Submission], room: TheRoom
) -> Response[Counts]:
    """Submit a number, and learn how many digits match.

    The header ``Fairground-Receipt`` is the hash of the game's last line. Keep it: with it
    you can tell whether what is published later is what was played.
    """
    counts, receipt = await room.submit(name, data.submission)
    return Response(counts, headers={RECEIPT: receipt})


@delete("/oracle/{name:str}", status_code=200, summary="Give up")
async def give_up(request: Request[Any, Any, State], name: FromPath[str], room: TheRoom) -> Oracle:
    """End the game; the code is opened, in a contest when it closes."""
    return _with_contest(request, await room.give_up(name, address(request, f"oracle/{name}")))


@put("/oracle/{name:str}/share", status_code=204, summary="Lend a share to the draw")
async def lend_share(name: FromPath[str], data: JSONBody[Share], room: TheRoom) -> None:
    """Mix 32 bytes of your own into the draw of the code: earns the claim UNIFORM."""
    await room.share(name, data.share)


@get("/oracle/{name:str}/transcript", media_type=TRANSCRIPT, summary="The game's transcript")
async def oracle_transcript(name: FromPath[str], room: TheRoom) -> Response[bytes]:
    """What ``fairground verify`` checks; complete once the game is over."""
    return Response(await room.transcript(name), media_type=TRANSCRIPT)


@get("/healthz", summary="Whether the arena can work")
async def health(hall: TheHall) -> Health:
    """Asks the store, so that it is true."""
    every, still_open = await hall.store.count(oracles.KIND)
    tables, open_tables = await hall.store.count(TABLE)
    return Health("ok", __version__, every, still_open, tables, open_tables)


@get("/metrics", media_type=TEXT, summary="Counts, for Prometheus")
async def count(state: State, hall: TheHall) -> str:
    """Requests by route and status, open games, how long commits take."""
    found: Metrics = state.metrics
    return found.text({kind: (await hall.store.count(kind))[1] for kind in (oracles.KIND, TABLE)})


ROUTES: Final = (
    *(new_oracle, get_oracle, submit, give_up, lend_share, oracle_transcript),
    *(health, count),
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
            *map(_also_for_head, (*ROUTES, *CONTEST_ROUTES, *TABLE_ROUTES, *CROUPIER_ROUTES)),
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
        before_request=reading.check,
        dto=reading.Body,
        return_dto=None,
        request_max_body_size=LARGEST_BODY,
        logging_config=None,  # whoever runs the application decides where its log goes
        openapi_config=openapi.config(),
    )
