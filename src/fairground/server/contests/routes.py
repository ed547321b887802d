"""The handlers of contests. They call `service` and `games`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage, Stream

from fairground.clients.protocol import CLOSE, CSV, EVENTS, JSON, JSON_LINES, RECEIPT
from fairground.contest.book import DISGUISES, DRAWN
from fairground.contest.games import Part, check_parts, oracle_name
from fairground.core import BadParams
from fairground.server.contests import wire
from fairground.server.contests.factories import Factories, FactoryFailed, FactorySlow
from fairground.server.contests.service import LiveBook
from fairground.server.contests.wire import (
    CONTEST_STATES,
    ContestList,
    ContestOut,
    Entered,
    MadeContest,
    NewContest,
    NewEntry,
    Removal,
)
from fairground.server.http.addresses import address
from fairground.server.http.problems import (
    RECEIPT_HEADER,
    AlreadyDone,
    BadName,
    Forbidden,
    GameOver,
    Malformed,
    TooEarly,
    header,
    refuses,
)
from fairground.server.http.requests import Behind, Limit, read_states
from fairground.server.state import TheArena
from fairground.server.stream import LOBBY
from fairground.store import Conflict

TheRequest = Request[Any, Any, State]

FEW: Final = 200
"""Games whose addresses are made at once; those of more are made in a thread."""


def _parts(one: NewContest, factories: Factories) -> list[Part]:
    """Return one part, or with oracle factories one for each of them."""
    spellings = [one.games_per_orclefactory, one.games_per_oraclefactory]
    per_factory = {games for games in spellings if games is not None}
    if one.oraclefactories is None:
        if per_factory:
            raise Malformed("games_per_oraclefactory is nothing without oraclefactories")
        if one.games is None:
            raise Malformed("a contest needs games: how many there are to be")
        return [Part(one.base, one.length, one.oracle_type, one.games)]
    if len(per_factory) != 1 or not one.oraclefactories:
        raise Malformed("oraclefactories, at least one, need games_per_oraclefactory, one number")
    each = per_factory.pop()
    games = each * len(one.oraclefactories)
    if one.games not in (None, games):
        raise BadParams(f"games is {one.games}, but the factories give {games}")
    for uri in one.oraclefactories:
        factories.must_allow(uri)
    return [Part(one.base, one.length, one.oracle_type, each, uri) for uri in one.oraclefactories]


@get("/contests", summary="All contests", response_description="A page of the list")
async def list_contests(
    arena: TheArena,
    states: Annotated[
        str,
        QueryParameter(
            name="state",
            description=f"one or more of {','.join(CONTEST_STATES)}",
            schema_extra={"pattern": "^(running|closed)(,(running|closed))*$"},
        ),
    ] = "running,closed",
    after: Behind = 0,
    limit: Limit = 20,
) -> ContestList:
    """Newest first."""
    wanted = read_states(states, CONTEST_STATES)
    return ContestList(*await arena.contest_lists.page(wanted, after, limit))


@post(
    "/newcontest",
    status_code=303,
    summary="Open a contest; redirects to its watch page",
    response_description="The contest is open: its watch page is at `Location`",
    opt=refuses(BadParams, Forbidden, FactoryFailed, FactorySlow),
    response_headers=[
        header("Location", "The absolute URI of the watch page"),
        header(CLOSE, "The private URI that closes the contest early"),
    ],
)
async def new_contest(
    request: TheRequest,
    data: JSONBody[NewContest | list[NewContest]],
    arena: TheArena,
) -> Response[MadeContest]:
    """Open a contest. Keep ``close``: no other answer has it."""
    here, close = await _made(request, data, arena)
    headers = {"Location": here, CLOSE: close}
    return Response(MadeContest(here, close), status_code=303, headers=headers)


@post(
    "/contests",
    status_code=201,
    summary="Open a contest, without a redirect",
    response_description="The contest is open",
    opt=refuses(BadParams, Forbidden, FactoryFailed, FactorySlow),
    response_headers=[
        header("Location", "The absolute URI of the watch page"),
        header(CLOSE, "The private URI that closes the contest early"),
    ],
)
async def open_contest(
    request: TheRequest,
    data: JSONBody[NewContest | list[NewContest]],
    arena: TheArena,
) -> Response[ContestOut]:
    """Make a contest as ``/newcontest`` does, for programs that follow redirects, such as browsers.

    They would never see the answer that names ``close``. So this answer is the watch page, with
    ``close`` in it, only this once.
    """
    here, close = await _made(request, data, arena)
    page = await arena.contests.look(here.rpartition("/")[2], lambda live: _watch(request, live))
    told = msgspec.structs.replace(page, close=close)
    return Response(told, status_code=201, headers={"Location": here, CLOSE: close})


async def _made(
    request: TheRequest, data: NewContest | list[NewContest], arena: TheArena
) -> tuple[str, str]:
    """Return the addresses of a new contest: its watch page, and the private one."""
    wanted = [data] if isinstance(data, NewContest) else data
    parts = [part for one in wanted for part in _parts(one, arena.factories)]
    closes_in, key = _agreed(wanted, "closes_in"), _agreed(wanted, "entry_key")
    disguise = _agreed(wanted, "disguise") or DRAWN
    if disguise not in DISGUISES:
        raise BadParams(f"disguise is one of {', '.join(DISGUISES)}, not {disguise!r}")
    check_parts(parts)
    await arena.factories.probe(parts)
    name, secret = await arena.contests.make(parts, closes_in, key, disguise)
    arena.news.tell(LOBBY)
    here = address(request, f"contest/{name}")
    return here, f"{here}/close/{secret}"


def _agreed(wanted: Sequence[NewContest], member: str) -> Any:
    """Return the value on which all parts of a contest agree that name one."""
    found = {value for one in wanted if (value := getattr(one, member)) is not None}
    if len(found) > 1:
        raise BadParams(f"a contest has one {member}, not {len(found)}")
    return next(iter(found), None)


@get(
    "/contest/{name:str}",
    summary="Watch a contest",
    response_description="The contest as everyone may see it",
)
async def watch_contest(
    request: TheRequest, name: FromPath[str], arena: TheArena
) -> Response[ContestOut]:
    """Parameters, commitment, closing time, and the teams with their standing."""
    page: Any = await arena.contests.look(name, lambda live: _watch_event(request, live)[1])
    return Response(page, media_type=JSON)


def _watch(request: Request[Any, Any, Any], live: LiveBook) -> ContestOut:
    return wire.watch(live, address(request, ""))


def _watch_event(request: Request[Any, Any, Any], live: LiveBook) -> tuple[str, str]:
    """Return the watch page as number and text of an event."""
    page = live.page(address(request, ""), wire.watch_as_json)
    return str(live.transcript.step), page


@post(
    "/contest/{name:str}/entry",
    status_code=201,
    summary="Enter a contest",
    response_description="An oracle for each game, for this entry alone",
    opt=refuses(BadName, AlreadyDone, Forbidden, GameOver, Conflict),
    response_headers=[RECEIPT_HEADER],
)
async def enter_contest(
    request: TheRequest,
    name: FromPath[str],
    data: JSONBody[NewEntry],
    arena: TheArena,
) -> Response[Entered]:
    """Enter with a team and a version; the same team again, with a new version, trains.

    The answer to a team's first entry has its ``team_key``, which later entries need.
    """
    who = data.team_name, data.software_version
    live, entry, key = await arena.contests.enter(
        name, *who, data.team_key, invitation=data.entry_key
    )
    here = address(request, "oracle/")

    def told() -> Any:
        names = (oracle_name(name, live.seed, entry.number, k) for k in range(live.book.games))
        return msgspec.json.encode(Entered([here + one for one in names], entry.training, key))

    body = told() if live.book.games <= FEW else await asyncio.to_thread(told)
    return Response(body, media_type=JSON, headers={RECEIPT: entry.head})


@post(
    "/contest/{name:str}/close/{secret:str}",
    status_code=200,
    summary="Close a contest early",
    response_description="The contest, closed",
)
async def close_contest(
    request: TheRequest,
    name: FromPath[str],
    secret: FromPath[str],
    arena: TheArena,
) -> ContestOut:
    """For its creator: the address came with the answer that made the contest."""
    await arena.contests.close(name, secret)
    return await arena.contests.look(name, lambda live: _watch(request, live))


@post(
    "/contest/{name:str}/close/{secret:str}/remove",
    status_code=200,
    summary="Take an entry out, before its first submission",
    response_description="The contest, without the entry",
    opt=refuses(BadName, AlreadyDone, GameOver, Conflict),
)
async def remove_entry(
    request: TheRequest,
    name: FromPath[str],
    secret: FromPath[str],
    data: JSONBody[Removal],
    arena: TheArena,
) -> ContestOut:
    """For its creator: the address that closes it, and ``/remove``. It is on the record."""
    await arena.contests.remove(name, secret, data.entry, data.reason)
    return await arena.contests.look(name, lambda live: _watch(request, live))


@get(
    "/contest/{name:str}/standings",
    summary="The standings",
    response_description="The standings: official and training apart",
)
async def contest_standings(name: FromPath[str], arena: TheArena) -> Response[dict[str, Any]]:
    """Official and training apart, with intervals and paired comparisons."""
    told: Any = await arena.contests.standing_as(name, msgspec.json.encode)
    return Response(told, media_type=JSON)


@get(
    "/contest/{name:str}/standings.csv",
    media_type=CSV,
    summary="The standings as CSV",
    response_description="A line for each entry",
)
async def contest_csv(name: FromPath[str], arena: TheArena) -> Response[str]:
    """One line for each entry."""
    return Response(await arena.contests.standing_as(name, wire.as_csv), media_type=CSV)


@get(
    "/contest/{name:str}/parts.csv",
    media_type=CSV,
    summary="Parts and factories as CSV",
    response_description="A line for each part, entry and factory",
)
async def contest_parts_csv(name: FromPath[str], arena: TheArena) -> Response[str]:
    """One line for each part and official entry, for each part, and for each factory."""
    return Response(await arena.contests.standing_as(name, wire.parts_as_csv), media_type=CSV)


@get(
    "/contest/{name:str}/book",
    media_type=JSON_LINES,
    summary="The contest's book so far",
    response_description="JSON Lines, one for each entry and result",
)
async def contest_book(name: FromPath[str], arena: TheArena) -> Response[bytes]:
    """Entries and results, chained by hashes; the seed stands in it once it is closed."""
    data = await arena.contests.look(name, lambda live: bytes(live.transcript))
    return Response(data, media_type=JSON_LINES)


@get(
    "/contest/{name:str}/file",
    media_type=JSON_LINES,
    summary="The contest file, after the close",
    response_description="JSON Lines: the book and all games",
    opt=refuses(TooEarly),
)
async def contest_file(name: FromPath[str], arena: TheArena) -> Stream:
    """Everything: what ``fairground verify --contest FILE`` checks."""
    await arena.contest_games.file_all(name)
    return Stream(arena.contest_games.file(name), media_type=JSON_LINES)


@get(
    "/contest/{name:str}/events",
    media_type=EVENTS,
    summary="Follow a contest (server-sent events)",
    response_description="The watch page, as `watch` events",
)
async def contest_events(
    request: TheRequest, name: FromPath[str], arena: TheArena
) -> ServerSentEvent:
    """The watch page as ``watch`` events whenever it changes; the last one says closed."""
    arena.streams.must_have_room()
    await arena.contests.find(name)

    async def news() -> AsyncIterator[ServerSentEventMessage]:
        with arena.streams.counted():
            view = partial(_watch_event, request)
            async for seen in arena.contests.follow(arena.news, name, view):
                if seen is None:
                    yield ServerSentEventMessage(comment="still here")
                else:
                    yield ServerSentEventMessage(data=seen[1], event="watch", id=seen[0])

    return ServerSentEvent(news())


CONTEST_ROUTES: Final = (
    list_contests,
    new_contest,
    open_contest,
    watch_contest,
    enter_contest,
    close_contest,
    remove_entry,
    contest_standings,
    contest_csv,
    contest_parts_csv,
    contest_book,
    contest_file,
    contest_events,
)
