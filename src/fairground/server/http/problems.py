"""Errors over HTTP: problem details (RFC 9457) with our stable codes.

Every error answer is ``application/problem+json`` with ``status``, ``title``, ``code`` (such as
``move/illegal``, as everywhere in Fairground) and ``detail``, which quotes the offending value.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.datastructures import ResponseHeader
from litestar.exceptions import HTTPException

from fairground.bank.bank_port import BankAway, BankRefused
from fairground.bank.calls import BadCall
from fairground.bank.croupier_port import (
    Busy,
    Closed,
    Declined,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.seeds import WrongSeed
from fairground.bank.signatures import BadSignature
from fairground.clients.protocol import PROBLEM, RECEIPT
from fairground.core import (
    BadParams,
    BadShare,
    FairgroundError,
    IllegalMove,
    InputError,
    MissingExtra,
    StaleAsk,
    UnknownName,
)
from fairground.store import Conflict, Damaged, InDoubt, StoreAway

log = logging.getLogger("fairground.server")

LONGEST_QUOTE: Final = 80
"""Characters of an offending value that an error repeats."""

LONGEST_DETAIL: Final = 500
"""Characters of the whole detail."""


class ArenaError(FairgroundError):
    """Our mistake; the arena's log has it in full."""

    code = "arena/error"
    status: int = 500
    example = "something went wrong in the arena; it is in its log"
    """Example of a detail, for the OpenAPI document."""
    retry_after: int | None = None
    """Seconds after which it may be tried again, if that could help."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or self.example)


class Malformed(ArenaError):
    """The body or a parameter is not what the route takes."""

    code = "arena/malformed"
    status = 400
    example = 'base: expected `int`, got `str`: "6"'


class Forbidden(ArenaError):
    """The operator of this arena, or the creator of a contest, does not allow it."""

    code = "arena/forbidden"
    status = 403
    example = (
        "the operator of this arena does not allow the oracle factory "
        "'https://elsewhere.example/neworacle'"
    )


class ForeignSite(Forbidden):
    """A browser sent this for another web site. Programs are not asked where they come from."""

    example = 'this came from another web site (Sec-Fetch-Site: "cross-site")'


class Unknown(ArenaError):
    """Nothing here has this name, or you may not see it."""

    code = "arena/unknown"
    status = 404
    example = "there is no oracle 'nobody'"


class WrongMethod(ArenaError):
    """The address is right, the method is not; ``Allow`` lists those that are."""

    code = "arena/method"
    status = 405
    example = "PATCH is not for /oracle/{name}: DELETE, GET, HEAD, OPTIONS, POST are"


class NotAcceptable(ArenaError):
    """``Accept`` admits neither JSON nor what this route gives."""

    code = "arena/not-acceptable"
    status = 406
    example = "this route gives application/json, which Accept excludes: 'text/html'"


class GameOver(ArenaError):
    """The game has ended: nothing can be added."""

    code = "arena/over"
    status = 409
    example = "this game is over: the code was found, or given up"


class TooManyAttempts(ArenaError):
    """The oracle has answered as many submissions as it ever does."""

    code = "arena/attempts"
    status = 409
    example = "this oracle has answered 10000 submissions, and answers no more"


class AlreadyDone(ArenaError):
    """It was done before, and differently."""

    code = "arena/conflict"
    status = 409
    example = "a share can be lent once, and before the first submission"


class TooEarly(ArenaError):
    """Results become public when the contest closes, for everyone at once."""

    code = "arena/too-early"
    status = 409
    example = "nothing of a contest's games is told before the contest closes"


class TooSlow(ArenaError):
    """The request did not arrive in full; nothing was done."""

    code = "arena/too-slow"
    status = 408
    example = "a request must be here in full within 30 seconds"


class WrongHost(ArenaError):
    """``Host`` is a name that this arena does not know as its own."""

    code = "arena/host"
    status = 421
    example = (
        "this arena is not known as 'elsewhere.example': its operator can name it with "
        "--public-url or --allow-host"
    )


class BodyTooLarge(ArenaError):
    """The body is larger than this arena reads."""

    code = "arena/too-large"
    status = 413
    example = "a body has at most 100000 bytes here"


class WrongMedia(ArenaError):
    """The body says that it is not JSON."""

    code = "arena/media-type"
    status = 415
    example = "a body is application/json here, not 'text/xml'"


class BeingServed(ArenaError):
    """A request with this Idempotency-Key is being served just now."""

    code = "arena/being-served"
    status = 409
    retry_after = 1
    example = "a request with this Idempotency-Key is being served; ask again for its answer"


class AnswerLost(ArenaError):
    """It was done, but its answer was lost when the arena stopped: look at what has changed."""

    code = "arena/answer-lost"
    status = 409
    example = "this was done before the arena stopped, and its answer was lost: look, do not repeat"


class KeyReused(ArenaError):
    """The Idempotency-Key was used for another body."""

    code = "arena/key-reused"
    status = 422
    example = "this Idempotency-Key was used for another body; every new request has a new key"


class BadName(ArenaError):
    """A team's name or a version that cannot be shown in a table."""

    code = "arena/name"
    status = 422
    example = (
        "team_name must be 1 to 20 printable characters without spaces around them, not ' Ada'"
    )


class HeadTooLarge(ArenaError):
    """Address and headers are larger than this arena reads."""

    code = "arena/head-too-large"
    status = 431
    example = "address and headers have at most 65536 bytes here"


class Stopping(ArenaError):
    """The arena stops just now: ask again, it may be back soon."""

    code = "arena/stopping"
    status = 503
    retry_after = 2
    example = "the arena stops, and did not wait for the end of this request"


class TooManyRequests(ArenaError):
    """A limit of this arena; try again later."""

    code = "arena/limit"
    status = 429
    retry_after = 60
    example = "more requests a second than this arena takes from one client"


class Crowded(ArenaError):
    """More connections than this arena keeps open."""

    code = "arena/crowded"
    status = 503
    retry_after = 2
    example = "too many connections are open; use one for many requests"


class ErrorKind(NamedTuple):
    """A kind of error, as clients meet it."""

    code: str
    status: int
    meaning: str
    example: str
    retry_after: int | None = None


PASSED_ON: Final = {
    InputError: (422, "seat 1 has no name of 1 to 80 characters: ''"),
    BadParams: (422, "base must be in 2..100, not 1"),
    UnknownName: (422, "there is no game 'chess/1'"),
    IllegalMove: (422, "each digit must be in 0..5, not 9"),
    BadShare: (422, "a share is 32 bytes as 64 hex digits, not 'zz'"),
    StaleAsk: (409, "the table does not ask seat 1 for 'move.12' (any more): look again"),
    Conflict: (409, "somebody else wrote to it first, and again; try once more"),
    MissingExtra: (
        501,
        "the player optimal needs numpy, which is not installed: pip install 'fairground[solve]'",
    ),
    BadCall: (422, "bet: level must be an integer from 0 to 2^8-1, not 300"),
    BadSignature: (422, "the Bet must be signed by 0x7E5F…5Bdf, not by 0x2B5A…6C2F"),
    WrongSeed: (422, "the player's seed 0 is not what was committed to"),
    Declined: (422, "the bet's game_id must be 3, not 4"),
    UnknownGame: (404, "the Croupier knows of no game 'nobody'"),
    TooSoon: (409, "there is no hand yet: first tell your seed 0, then the order"),
    SaidOtherwise: (409, "the order [1, 0, 1, 1, 0] came first, and one only counts"),
    Closed: (409, "this game is over: settled"),
    Busy: (409, "500 games are open at this desk: come back in a while"),
    BankRefused: (409, "the Bank refused: WrongStep(3)"),
    BankAway: (503, "no chain answers at node.example (ConnectionError); is a node there?"),
    StoreAway: (503, "the database cannot be written to: database or disk is full"),
    Damaged: (503, "the database 'arena.db' is damaged (database disk image is malformed)"),
    InDoubt: (
        503,
        "the database did not say whether this was done: look, or repeat it with the same "
        "Idempotency-Key",
    ),
}
"""Errors that the arena passes on from elsewhere in Fairground: the status, and an example of the
detail of each. An error that is not here, nor a subclass of one that is, is our mistake.
"""

REFUSES: Final = "refuses"
"""The key in a handler's ``opt`` of the problems that only this route has."""


def refuses(*errors: type[FairgroundError]) -> dict[str, Any]:
    """Return the ``opt`` of a handler: its problems, besides those that any request can meet."""
    return {REFUSES: errors}


def header(name: str, meaning: str) -> ResponseHeader:
    """Describe a header of a good answer, for the OpenAPI document."""
    return ResponseHeader(name=name, description=meaning, documentation_only=True, required=True)


RECEIPT_HEADER: Final = header(
    RECEIPT, "The hash of the last line that the answer stands for: keep it as a proof"
)

AWAY: Final = 503
COME_BACK: Final = 2
"""Seconds after which something that is away may be tried again."""


def kind_of(error: type[FairgroundError]) -> ErrorKind:
    """Return the status, code and title of an error on the wire."""
    meaning = (error.__doc__ or "").partition("\n")[0]
    if issubclass(error, ArenaError):
        return ErrorKind(error.code, error.status, meaning, error.example, error.retry_after)
    for base in error.__mro__:
        if base in PASSED_ON:
            status, example = PASSED_ON[base]
            again = COME_BACK if status == AWAY else None
            return ErrorKind(error.code, status, meaning, example, again)
    return ErrorKind(error.code, ArenaError.status, meaning, ArenaError.example)


FROM_FRAMEWORK: Final[dict[int, type[ArenaError]]] = {
    kind.status: kind for kind in (Malformed, Unknown, WrongMethod, BodyTooLarge)
}
"""Our errors for what the framework itself refuses, by status."""


class Problem(msgspec.Struct, omit_defaults=True):
    """The body of an error answer."""

    status: int
    title: str
    code: str
    detail: str
    type: str = "about:blank"


def quoted(value: Any) -> str:
    """Return a value as JSON, as it was sent; a long one is cut."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def problem_of(error: FairgroundError) -> Problem:
    """Return the problem of an error of ours, with its code unchanged."""
    status, detail = kind_of(type(error)).status, str(error)
    if len(detail) > LONGEST_DETAIL:  # it quotes something long
        detail = f"{detail[:LONGEST_DETAIL]}…"
    return Problem(status, HTTPStatus(status).phrase, error.code, detail)


def answer_of(
    error: FairgroundError, retry_after: int | None = None
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, headers and body of an error."""
    told, seconds = problem_of(error), retry_after or kind_of(type(error)).retry_after
    headers = [(b"content-type", PROBLEM.encode())]
    headers += [] if seconds is None else [(b"retry-after", b"%d" % seconds)]
    return told.status, headers, msgspec.json.encode(told)


async def tell(
    send: Callable[[Any], Awaitable[None]],
    status: int,
    headers: Sequence[tuple[bytes, bytes]],
    body: bytes,
) -> None:
    """Send an answer, in front of the framework."""
    headers = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def from_fairground(_: Request[Any, Any, Any], error: FairgroundError) -> Response[bytes]:
    """Answer a request that raised such an error."""
    status, headers, body = answer_of(error)
    given = {name.decode(): value.decode() for name, value in headers[1:]}
    return Response(body, status_code=status, headers=given, media_type=PROBLEM)


def from_framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Translate an error of the framework into our own words."""
    status = error.status_code
    if status >= ArenaError.status:
        return from_fairground(request, ArenaError(error.detail))
    kind = FROM_FRAMEWORK.get(status, Malformed)
    problem = from_fairground(request, kind(_detail(request, error)))
    if kind is WrongMethod:
        problem.headers["Allow"] = _allowed(error)
    return problem


def _allowed(error: HTTPException) -> str:
    methods = (error.headers or {}).get("allow", "").split(", ")
    return ", ".join(sorted(methods))


def _detail(request: Request[Any, Any, Any], error: HTTPException) -> str:
    where = quoted(request.scope["path"])
    match error.status_code:
        case 404:
            return f"there is nothing at {where}; /schema lists what there is"
        case 405:
            return f"{request.method} is not for {where}: {_allowed(error)} are"
        case 413:
            return f"a body has at most {request.app.request_max_body_size} bytes here"
    wrong = error.extra if isinstance(error.extra, list) else []
    return "; ".join(_of_parameter(request, one) for one in wrong) or error.detail


def _of_parameter(request: Request[Any, Any, Any], wrong: Any) -> str:
    """Say what is wrong with one query parameter, and quote it."""
    name = wrong.get("key", "")
    sent = request.query_params.getall(name, [])
    return f"{name}: {wrong.get('message')}: {', '.join(map(quoted, sent))}"


def unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Report a bug of ours: all of it to the log, and only the fact to the client."""
    route = request.scope.get("path_template")
    log.error("a request failed: %s %s", request.method, route, exc_info=error)
    return from_fairground(request, ArenaError())
