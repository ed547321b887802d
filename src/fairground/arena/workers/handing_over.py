"""A request goes to the worker that keeps its game, and its answer comes back the same way.

The worker at which a request came in names it, counts it and writes it into the access log; the
keeper serves it, and charges its client for the time that this takes there.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final

from fairground.arena.http.bodies import again, whole_body
from fairground.arena.http.browsers import SAFE
from fairground.arena.http.fast_lane import BEFORE, ROUTE, plain_submission, tell
from fairground.arena.http.problems import ArenaError, TooMuch, answer_of
from fairground.arena.http.repeats import HEADER as KEY
from fairground.arena.limits.gate import (
    CLIENT,
    REQUEST,
    Asgi,
    ClientLimits,
    Receive,
    Scope,
    Send,
    Turns,
    client_at,
)
from fairground.arena.limits.shares import shape_of
from fairground.arena.oracles.keeping import Room
from fairground.arena.oracles.wire import CountsOut
from fairground.arena.workers.links import (
    Answer,
    AnyCall,
    Call,
    Counted,
    Gone,
    Link,
    Reply,
    Submission,
    Switchboard,
    Usage,
)
from fairground.arena.workers.owners import Seat, name_in
from fairground.core import FairgroundError
from fairground.store import InDoubt

log = logging.getLogger("fairground.arena")

HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

TELL: Final = 0.1
"""Seconds between two words on what clients have used: so much later, all workers know."""

SUBMITTED: Final = shape_of("POST", BEFORE)

LOST: Final = (
    "the worker that keeps this game went away in the middle: look whether this was done, or "
    "repeat it with the same Idempotency-Key"
)


class HandingOver:
    """One worker of several: hands requests over to the others, and serves theirs."""

    def __init__(self, seat: Seat, limits: ClientLimits) -> None:
        self._seat = seat
        self._limits = limits
        self._news()  # from now on they are kept
        self._links = {index: Link(seat.socket(index), self._greeting) for index in seat.others}
        self.serve_others: Turns
        """How requests are served that were handed over to us."""
        self.room_of: Callable[[str], Room]
        """Where an oracle is played that we keep."""

    def around(self, app: Asgi) -> Asgi:
        """An application that hands over what is another worker's."""
        return partial(self._pass_on, app)

    @asynccontextmanager
    async def open_in(self, _: Any) -> AsyncIterator[None]:
        """While the arena is open, calls are made and taken."""
        async with AsyncExitStack() as stack:
            here = self._seat.socket(self._seat.index)
            board = Switchboard(here, self._serve, self._hear, self._gone)
            await stack.enter_async_context(board)
            for link in self._links.values():
                await stack.enter_async_context(link)
            telling = asyncio.create_task(self._tell_on())
            try:
                yield
            finally:
                telling.cancel()

    # What clients have used

    async def _tell_on(self) -> None:
        while True:
            await asyncio.sleep(TELL)
            usage = self._news()
            if usage.asked or any(usage.held.values()):
                for link in self._links.values():
                    link.tell(usage)

    def _news(self) -> Usage:
        news = {what: held.news() for what, held in self._limits.held.items()}
        return Usage(self._seat.index, self._limits.asked(), news)

    def _greeting(self) -> Usage:
        here = {what: held.here() for what, held in self._limits.held.items()}
        return Usage(self._seat.index, {}, here)

    def _hear(self, usage: Usage) -> None:
        self._limits.asked_elsewhere(usage.asked, time.perf_counter())
        self.serve_others.others_elsewhere(usage.asked)
        for what, news in usage.held.items():
            self._limits.held[what].told(usage.worker, news)

    def _gone(self, worker: int) -> None:
        for held in self._limits.held.values():
            held.gone(worker)

    # Requests

    async def _pass_on(self, app: Asgi, scope: Scope, receive: Receive, send: Send) -> None:
        name = name_in(scope["path"]) if scope["type"] == "http" else None
        link = None if name is None else self._links.get(self._seat.keeper(name))
        if link is None:
            await app(scope, receive, send)
            return
        first = await receive()
        digits, receive = _digits(scope, first), again([first], receive)
        if digits is not None:
            waits = link.call(partial(_submission, scope, digits))
        else:
            body, receive = await whole_body(receive)
            waits = None if body is None else link.call(partial(_call, scope, body))
        if waits is None:
            await app(scope, receive, send)
            return
        try:
            await _tell(scope, send, await waits)
        except Gone:
            if scope["method"] in HARMLESS or _has_key(scope):  # it may be asked twice
                await app(scope, receive, send)
            else:
                await _tell(scope, send, _refusal(0, InDoubt(LOST)))

    async def _serve(self, call: AnyCall) -> Answer:
        """Serve what came in at another worker."""
        REQUEST.set(call.request)
        try:
            if isinstance(call, Submission):
                return await self._submit(call)
            return await self._serve_request(call)
        except FairgroundError as error:
            return _refusal(call.number, error)
        except Exception as error:  # our own mistakes, too, have their form
            log.error("a request failed", exc_info=error)
            return _refusal(call.number, ArenaError(ArenaError.example))

    async def _submit(self, call: Submission) -> Answer:
        CLIENT.set(call.client)
        answer: Answer | None = None

        async def play() -> None:
            nonlocal answer
            room = self.room_of(call.oracle)
            counts, receipt = await room.submit(call.oracle, [*call.digits])
            full, partial = counts.full_match_count, counts.partial_match_count
            answer = Counted(call.number, full, partial, receipt)

        if wait := await self.serve_others.take(SUBMITTED, play()):
            too_much = TooMuch(TooMuch.example)
            too_much.retry_after = math.ceil(wait)
            raise too_much
        assert answer is not None
        return answer

    async def _serve_request(self, call: Call) -> Reply:
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": call.http_version,
            "server": call.server,
            "client": call.client,
            "scheme": call.scheme,
            "root_path": "",
            "headers": call.headers,
            "state": {},
            "method": call.method,
            "path": call.path,
            "raw_path": call.raw_path,
            "query_string": call.query_string,
        }
        reply = Reply(call.number, 500, [], b"", None)
        parts: list[bytes] = []

        async def hear(message: Any) -> None:
            if message["type"] == "http.response.start":
                reply.status, reply.headers = message["status"], list(message["headers"])
            else:
                parts.append(message.get("body", b""))

        CLIENT.set(client_at(call.client[0]) if call.client else "")
        body = {"type": "http.request", "body": call.body, "more_body": False}
        await self.serve_others(scope, again([body], _never), hear)
        reply.body, reply.route = b"".join(parts), scope.get("path_template")
        return reply


def _call(scope: Scope, body: bytes, number: int) -> Call:
    return Call(
        number,
        scope["method"],
        scope["path"],
        scope["raw_path"],
        scope["query_string"],
        scope["http_version"],
        scope["scheme"],
        scope["server"],
        scope["client"],
        scope["headers"],
        body,
        REQUEST.get(),
    )


def _digits(scope: Scope, message: Any) -> bytes | None:
    """The digits of a plain submission; ``None``: it is something else."""
    said = None if _has_key(scope) else plain_submission(scope, message)
    try:
        return None if said is None else bytes(said.submission)
    except (ValueError, OverflowError):
        return None  # no digits of any game


def _submission(scope: Scope, digits: bytes, number: int) -> Submission:
    return Submission(number, scope["path"][len(BEFORE) :], digits, CLIENT.get(), REQUEST.get())


def _refusal(number: int, error: FairgroundError) -> Reply:
    status, headers, body = answer_of(error)
    headers += [(b"content-length", b"%d" % len(body)), *SAFE]
    return Reply(number, status, headers, body, ROUTE)


async def _tell(scope: Scope, send: Send, answer: Answer) -> None:
    if isinstance(answer, Counted):
        scope["path_template"] = ROUTE
        await tell(send, CountsOut(answer.full, answer.partial), answer.receipt)
        return
    scope["path_template"] = answer.route
    start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body})


def _has_key(scope: Scope) -> bool:
    return any(name == KEY for name, _ in scope["headers"])


async def _never() -> Any:
    """The client is another worker's: we hear nothing more of it."""
    await asyncio.Event().wait()
