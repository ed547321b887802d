"""What goes wrong, over HTTP: problem details (RFC 9457) with our stable codes.

Every error answer is ``application/problem+json`` with ``status``, ``title``, ``code``
(such as ``move/illegal``: the same words as everywhere in Fairground) and ``detail``,
which quotes the offending value.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from fairground.core import FairgroundError
from fairground.transcript import DEEPEST, must_be_shallow

log = logging.getLogger("fairground.arena")

PROBLEM: Final = "application/problem+json"


class ArenaError(FairgroundError):
    """Something about a request; each kind has its code and its status."""

    code = "arena/error"
    status: int = 400


class Malformed(ArenaError):
    """The body or a parameter is not what the route takes."""

    code = "arena/malformed"


class Unknown(ArenaError):
    """There is nothing of this name, or not for you."""

    code = "arena/unknown"
    status = 404


class GameOver(ArenaError):
    """The game has ended: nothing can be added."""

    code = "arena/over"
    status = 409


class AlreadyDone(ArenaError):
    """It was done before, and differently."""

    code = "arena/conflict"
    status = 409


class TooEarly(ArenaError):
    """It is told when the contest has closed, to all at once."""

    code = "arena/too-early"
    status = 409


class BadName(ArenaError):
    """A team's name or a version that cannot be shown in a table."""

    code = "arena/name"
    status = 422


class Forbidden(ArenaError):
    """The operator of this arena does not allow it."""

    code = "arena/forbidden"
    status = 403


class TooManyRequests(ArenaError):
    """A limit of this arena; try again later."""

    code = "arena/limit"
    status = 429
    retry_after = 60


STATUS: Final = {
    "input/bad": 400,
    "game/params": 422,
    "name/unknown": 422,
    "move/illegal": 422,
    "move/too-many": 422,
    "share/bad": 422,
    "ask/stale": 409,
    "store/conflict": 409,
    "install/missing": 501,
}
"""The status of errors that are not the arena's own."""

HTTP_CODES: Final = {
    400: "arena/malformed",
    404: "arena/unknown",
    405: "arena/method",
    406: "arena/not-acceptable",
    413: "arena/too-large",
    415: "arena/malformed",
    429: "arena/limit",
}
"""Our code for what the framework itself refuses."""


class Problem(msgspec.Struct, omit_defaults=True):
    """The body of an error answer."""

    status: int
    title: str
    code: str
    detail: str
    type: str = "about:blank"


def answer(status: int, code: str, detail: str) -> Response[Problem]:
    """A problem as a response."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    problem = Problem(status, title, code, detail)
    return Response(problem, status_code=status, media_type=PROBLEM)


def from_ours(_: Request[Any, Any, Any], error: FairgroundError) -> Response[Problem]:
    """An error of ours: its code goes over the wire unchanged."""
    status = error.status if isinstance(error, ArenaError) else STATUS.get(error.code, 500)
    problem = answer(status, error.code, str(error))
    if (seconds := getattr(error, "retry_after", None)) is not None:
        problem.headers["Retry-After"] = str(seconds)
    return problem


def from_framework(_: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """What the framework refuses before we see it: an unreadable body, an unknown route."""
    detail = error.detail
    extra = getattr(error, "extra", None)
    if isinstance(extra, list) and extra and isinstance(extra[0], dict):
        detail = "; ".join(f"{one.get('key', 'body')}: {one.get('message')}" for one in extra)
    code = HTTP_CODES.get(error.status_code, "arena/error")
    problem = answer(error.status_code, code, detail)
    problem.headers.update(error.headers or {})
    return problem


async def refuse_deep_nesting(request: Request[Any, Any, Any]) -> None:
    """Refuse a body of brackets without end before the native JSON reader recurses into it.

    Python's recursion limit is no protection: a library in the same process may have raised
    it, and then such a body would overflow the stack and end the process.
    """
    body = await request.body()
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        try:
            must_be_shallow(body.decode(errors="replace"))
        except ValueError as error:
            raise Malformed(f"the body cannot be read: {error}") from None


def unexpected(_: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """Our own mistake: the log has it in full, the client learns that it is not theirs."""
    log.error("a request failed", exc_info=error)
    return answer(500, "arena/error", "something went wrong in the arena; it is in its log")
