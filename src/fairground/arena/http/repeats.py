"""``Idempotency-Key``: the same request again does nothing, and gets the same answer again.

As the IETF's draft has it (draft-ietf-httpapi-idempotency-key-header):

* A key that is new: the request is served, and its answer kept, if it has changed anything.
* The same key with the same body: the answer that was kept, with ``Idempotency-Replayed: true``.
* The same key while the first is being served: 409.
* The same key with another body: 422.

A key belongs to a client, a method and an address. It is kept for a day. What was refused has
changed nothing, so the same request is simply tried again.

If the arena was killed after a request was carried out and before its answer was kept, then a
submission is answered from the game's own record. Of anything else we can only say that it was
done.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
import zlib
from contextlib import suppress
from typing import Any, Final

import msgspec
from litestar.datastructures import State

from fairground.arena.http.gate import CLIENT, Asgi, Receive, Scope, Send
from fairground.arena.http.problems import (
    AnswerLost,
    BeingServed,
    KeyReused,
    Malformed,
    answer_of,
    quoted,
)
from fairground.arena.http.requests import NAME
from fairground.arena.keyed import KEYED, KIND, KeyedRequest
from fairground.arena.oracles.wire import CountsOut
from fairground.arena.state import the_arena
from fairground.clients.protocol import IDEMPOTENCY_KEY, JSON, RECEIPT
from fairground.core import FairgroundError
from fairground.fair.bits import Tag, digest
from fairground.store import Append, Secret, StoreAway, Stored

HEADER: Final = IDEMPOTENCY_KEY.lower().encode()
REPLAYED: Final = (b"idempotency-replayed", b"true")
CHANGING: Final = frozenset({"POST", "PUT", "DELETE", "PATCH"})

KEY: Final = re.compile(rb'"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([!#-\[\]-~]{1,255})')
"""A string as structured fields write it, or the same without its quotes."""

DAY: Final = 24 * 3600
"""Seconds that a key is kept."""

PURGE: Final = 60
"""Seconds between two looks for keys that are too old."""

BUNCH: Final = 1000

LARGEST: Final = 100_000
"""Bytes of a body. A larger one is refused by the routes."""

ANSWER: Final = "answer"
SUBMITTED: Final = "/oracle/"


class Answer(msgspec.Struct):
    """An answer as it is kept."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Repeats:
    """Around the application: serves what has a key at most once."""

    def __init__(self, app: Asgi, state: State) -> None:
        self._app = app
        self._state = state
        self._served: set[str] = set()
        """The keys of requests that are being served here."""
        self._purged = 0.0
        self._purging: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        said = _header(scope)
        if said is None:
            await self._app(scope, receive, send)
            return
        try:
            await self._keyed(said, scope, receive, send)
        except FairgroundError as error:
            await _say(send, Answer(*answer_of(error)))

    async def _keyed(self, said: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        found = KEY.fullmatch(said)
        if found is None:
            shown = quoted(said.decode("latin-1"))
            raise Malformed(f"{IDEMPOTENCY_KEY} is text of 1 to 255 characters, not {shown}")
        key = (found[1] or found[2]).decode()
        body, again = await _whole_body(receive)
        if body is None:
            await self._app(scope, again, send)
            return
        place = digest(Tag.TOKEN, KIND, CLIENT.get(), scope["method"], scope["path"], key)
        log, fingerprint = f"{KIND}.{place.hex()}", hashlib.sha256(body).hexdigest()
        if log in self._served:
            raise BeingServed(BeingServed.example)
        self._served.add(log)
        try:
            kept = await the_arena(self._state).hall.store.read(log)
            if kept is None:
                answer = await self._serve(log, fingerprint, scope, again)
            else:
                answer = await self._again(kept, fingerprint, scope)
        finally:
            self._served.discard(log)
        await _say(send, answer)
        self._purge()

    async def _serve(self, log: str, fingerprint: str, scope: Scope, receive: Receive) -> Answer:
        """Serve a request for the first time, and keep its answer if it has changed anything."""
        keyed = KeyedRequest(log, fingerprint, int(time.time()))
        answer = Answer(500, [], b"")

        async def hear(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message["headers"])
            else:
                answer.body += message.get("body", b"")

        token = KEYED.set(keyed)
        try:
            await self._app(scope, receive, hear)
        finally:
            KEYED.reset(token)
        done, keyed.waits = not keyed.waits, False
        if done:
            packed = zlib.compress(msgspec.msgpack.encode(answer), 1)
            kept = Append(
                log,
                1,
                (b"answered\n",),
                closed=True,
                secrets=(Secret(ANSWER, packed, ""),),
                seen=keyed.seen,
            )
            with suppress(
                StoreAway
            ):  # it was done, and is told; only a repetition will not hear it
                await the_arena(self._state).hall.store.commit(kept)
        return answer

    async def _again(self, kept: Stored, fingerprint: str, scope: Scope) -> Answer:
        """The answer to a request that was carried out before."""
        about = json.loads(kept.lines[0])
        if about["fingerprint"] != fingerprint:
            raise KeyReused(KeyReused.example)
        found = next((one.secret for one in kept.secrets if one.name == ANSWER), None)
        if found is not None:
            answer = msgspec.msgpack.decode(zlib.decompress(found), type=Answer)
            answer.headers.append(REPLAYED)
            return answer
        method, path, grown = scope["method"], scope["path"], dict(about["grown"])
        name = path.removeprefix(SUBMITTED)
        submitted = method == "POST" and path.startswith(SUBMITTED) and NAME.fullmatch(name)
        if not submitted or name not in grown:
            raise AnswerLost(AnswerLost.example)
        room = the_arena(self._state).room_of(name)
        counts, receipt = await room.answered(name, grown[name])
        return _counted(counts, receipt)

    def _purge(self) -> None:
        now = time.time()
        if now - self._purged >= PURGE:
            self._purged = now
            store = the_arena(self._state).hall.store
            self._purging = asyncio.create_task(store.forget(KIND, int(now) - DAY, BUNCH))


def _header(scope: Scope) -> bytes | None:
    if scope["type"] != "http" or scope["method"] not in CHANGING:
        return None
    found = [value for name, value in scope["headers"] if name == HEADER]
    return b",".join(found) if found else None


async def _whole_body(receive: Receive) -> tuple[bytes | None, Receive]:
    """The body, and a way to receive it again; ``None``: it is too large, or broke off."""
    messages = [await receive()]
    size = len(messages[0].get("body", b""))
    while messages[-1].get("more_body") and size <= LARGEST:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
    whole = size <= LARGEST and messages[-1]["type"] == "http.request"
    body = b"".join(message.get("body", b"") for message in messages) if whole else None
    waiting = iter(messages)

    async def again() -> Any:
        message = next(waiting, None)
        return await receive() if message is None else message

    return body, again


def _counted(counts: CountsOut, receipt: str) -> Answer:
    headers = [(b"content-type", JSON.encode()), (RECEIPT.lower().encode(), receipt.encode())]
    return Answer(200, [*headers, REPLAYED], msgspec.json.encode(counts))


async def _say(send: Send, answer: Answer) -> None:
    headers = [one for one in answer.headers if one[0] != b"content-length"]
    headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
