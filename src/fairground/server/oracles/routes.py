"""The routes of oracles: those that belong to no contest, and those of contests alike.

Which of the two a name belongs to is decided once, by the dependency ``room``.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from litestar import Request, Response, delete, get, post, put
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from fairground.clients.protocol import JSON_LINES
from fairground.core import BadParams, BadShare, IllegalMove
from fairground.server.contests.factories import FactoryFailed, FactorySlow
from fairground.server.http.addresses import address, see_other
from fairground.server.http.problems import (
    RECEIPT_HEADER,
    AlreadyDone,
    GameOver,
    TooEarly,
    TooManyAttempts,
    header,
    refuses,
)
from fairground.server.oracles.service import LAST, Room
from fairground.server.oracles.wire import (
    CountsOut,
    LeftOut,
    NewOracle,
    NewShare,
    OracleOut,
    Submission,
)
from fairground.server.state import TheArena
from fairground.store import Conflict

TheRoom = NamedDependency[Room]
TheRequest = Request[Any, Any, State]
After = Annotated[
    int,
    QueryParameter(name="after", description="tell the answers behind so many; -1: the last 100"),
]


@post(
    "/neworacle",
    status_code=303,
    summary="Open a game; redirects to its oracle",
    response_description="The game is open: its oracle is at `Location`",
    opt=refuses(BadParams),
    response_headers=[header("Location", "The absolute URI of the oracle")],
)
async def new_oracle(
    request: TheRequest, data: JSONBody[NewOracle], arena: TheArena
) -> Response[bytes]:
    """Open a code-breaking game."""
    live = await arena.oracles.make(data.base, data.length, data.oracle_type)
    return see_other(address(request, f"oracle/{live.log}"))


@get(
    "/oracle/{name:str}",
    summary="An oracle's parameters and progress",
    response_description="The oracle as everyone may see it",
)
async def get_oracle(
    request: TheRequest, name: FromPath[str], room: TheRoom, after: After = LAST
) -> OracleOut:
    """A game with its latest answers (``?after=n``: those after the first n)."""
    here = address(request, f"oracle/{name}")
    return _with_contest(request, await room.describe(name, here, after))


def _with_contest(request: TheRequest, oracle: OracleOut) -> OracleOut:
    if oracle.contest is not None:
        oracle.contest = address(request, f"contest/{oracle.contest}")
    return oracle


@post(
    "/oracle/{name:str}",
    status_code=200,
    summary="One divination step",
    response_description="How much of the submission matches",
    opt=refuses(
        IllegalMove, GameOver, TooManyAttempts, AlreadyDone, Conflict, FactoryFailed, FactorySlow
    ),
    response_headers=[RECEIPT_HEADER],
)
async def submit(name: FromPath[str], data: JSONBody[Submission]) -> CountsOut:
    """Submit a number, and learn how many digits match.

    The header ``Fairground-Receipt`` is the hash of the game's last line. Keep it: with it
    you can tell whether what is published later is what was played.
    """
    raise NotImplementedError  # `http.front` answers it


@delete(
    "/oracle/{name:str}",
    status_code=200,
    summary="Give up",
    response_description="The oracle, with its code",
    opt=refuses(GameOver, Conflict),
)
async def give_up(request: TheRequest, name: FromPath[str], room: TheRoom) -> OracleOut:
    """End the game; the code is opened, in a contest when it closes."""
    return _with_contest(request, await room.give_up(name, address(request, f"oracle/{name}")))


@put(
    "/oracle/{name:str}/share",
    status_code=204,
    summary="Lend a share to the draw",
    response_description="The share is mixed in",
    opt=refuses(BadShare, AlreadyDone, GameOver, Conflict),
)
async def lend_share(name: FromPath[str], data: JSONBody[NewShare], room: TheRoom) -> None:
    """Mix 32 bytes of your own into the draw of the code: earns the claim UNIFORM."""
    await room.share(name, data.share)


@get(
    "/oracle/{name:str}/transcript",
    media_type=JSON_LINES,
    summary="The game's transcript",
    response_description="JSON Lines, one for each event",
    opt=refuses(TooEarly),
)
async def oracle_transcript(name: FromPath[str], room: TheRoom) -> Response[bytes]:
    """The record for ``fairground verify``; complete once the game is over."""
    return Response(await room.transcript(name), media_type=JSON_LINES)


@get(
    "/oracle/{name:str}/left",
    summary="How many codes are left",
    response_description="The count",
    opt=refuses(TooEarly),
)
async def codes_left(name: FromPath[str], room: TheRoom) -> LeftOut:
    """Number of codes that fit all answers so far, counted exactly in spaces of moderate size."""
    left = await room.left(name)
    return LeftOut(left, exact=left is not None)


ORACLE_ROUTES: Final = (
    new_oracle,
    get_oracle,
    submit,
    give_up,
    lend_share,
    oracle_transcript,
    codes_left,
)
