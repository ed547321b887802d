"""``Idempotency-Key``: a repeated request does nothing, and gets the first answer again.

As the IETF's draft has it (draft-ietf-httpapi-idempotency-key-header):

* A new key: the request is served.
* A known key with the same body: the stored answer, with ``Idempotency-Replayed: true``.
* A known key while the first request is being served: 409.
* A known key with another body: 422.

A key is a secret of its client: an answer may hold private URLs, and anyone who shows the key gets
it again. So a key has at least 22 characters, which at random are 128 bits. Shorter keys are
refused. A key belongs to a method and an address, and is kept for a day. A refused request has
changed nothing, so a repeat is simply tried again.

The answers to a submission, an entry to a contest and a new oracle are computed again from the
record. All other answers are stored. If the arena was killed after the effect and before it stored
the answer, we can only say that it was done: no address or secret of it was sent. Another server
may be about to store the answer, so we wait before saying that.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import zlib
from collections.abc import Coroutine, Mapping
from typing import Any, Final

import msgspec
from litestar.datastructures import State

from fairground.clients.protocol import IDEMPOTENCY_KEY, JSON, RECEIPT
from fairground.fair.bits import Tag, digest
from fairground.server.gate import Asgi, Receive, Scope, Send
from fairground.server.http.addresses import base
from fairground.server.http.problems import (
    AnswerLost,
    BeingServed,
    KeyReused,
    Malformed,
    quoted,
    tell,
)
from fairground.server.http.requests import read_body, replayed
from fairground.server.oracles.wire import CountsOut
from fairground.server.state import the_arena
from fairground.server.storage import DONE, KEY_KIND, KEYED, REQUEST_KEY, KeyedRequest, Purging
from fairground.store import Append, Secret, StoreAway, Stored

logger = logging.getLogger("fairground.server")

HEADER: Final = IDEMPOTENCY_KEY.lower().encode()
REPLAYED: Final = (b"idempotency-replayed", b"true")
CHANGING: Final = frozenset({"POST", "PUT", "DELETE", "PATCH"})

SHORTEST, LONGEST = 22, 255
"""Characters of a key. 22 of base64 are 132 bits; a UUID has 36."""

KEY: Final = re.compile(rb'"([\x20-\x21\x23-\x5b\x5d-\x7e]+)"|([!#-\[\]-~]+)')
"""A string as structured fields write it, or the same without its quotes."""

CONFLICT: Final = 409
ERROR: Final = 400
"""Statuses from here on are refusals."""

DAY: Final = 24 * 3600
"""Seconds that a key is kept."""

SETTLED: Final = 10
"""Seconds after which a request in another process has stored its answer, or never will."""

ANSWER: Final = "answer"
SUBMITTED: Final = "/oracle/"
MADE: Final = "/neworacle"
ENTERED: Final = "/entry"


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
        self._purging = Purging(KEY_KIND, DAY)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        said = _header(scope)
        if said is None:
            return self._app(scope, receive, send)
        return self._keyed(said, scope, receive, send)

    async def _keyed(self, said: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        key = _read_key(said)
        body = await read_body(receive)
        if body is None:
            return  # the client has left
        place = digest(Tag.TOKEN, KEY_KIND, scope["method"], scope["path"], key)
        log, fingerprint = f"{KEY_KIND}.{place.hex()}", hashlib.sha256(body).hexdigest()
        if log in self._served:
            raise BeingServed()
        self._served.add(log)
        REQUEST_KEY.set(key)
        try:
            store = the_arena(self._state).hall.store
            kept, answer, asked = await store.read(log), None, {**scope}
            if kept is None:
                answer = await self._serve(log, fingerprint, scope, replayed(body, receive))
                if answer.status == CONFLICT and (kept := await store.read(log)) is not None:
                    answer = None  # another server was quicker
            if answer is None:
                assert kept is not None
                asked_again = replayed(body, receive)
                answer = await self._again(kept, fingerprint, asked, asked_again)
        finally:
            self._served.discard(log)
        headers = [one for one in answer.headers if one[0] != b"content-length"]
        await tell(send, answer.status, headers, answer.body)
        hall = the_arena(self._state).hall
        self._purging.look(hall.store, hall.clock)

    async def _serve(self, log: str, fingerprint: str, scope: Scope, receive: Receive) -> Answer:
        """Serve a request for the first time, and keep its answer if it has changed anything."""
        now = int(the_arena(self._state).hall.clock())
        keyed = KeyedRequest(log, fingerprint, now)
        token = KEYED.set(keyed)
        try:
            answer = await self._heard(scope, receive)
        finally:
            KEYED.reset(token)
        done, keyed.waits = not keyed.waits, False
        if done and not (answer.status < ERROR and _on_record(scope, keyed.grown)):
            packed = zlib.compress(msgspec.msgpack.encode(answer), 1)
            kept = Append(
                log,
                1,
                (b"answered\n",),
                closed=True,
                secrets=(Secret(ANSWER, packed, ""),),
                seen=keyed.seen,
            )
            try:
                await the_arena(self._state).hall.store.commit(kept)
            except StoreAway:
                pass  # it was done, and is told; only a repetition will not hear it
            except Exception as error:  # our mistake, and no reason to say that it was not done
                logger.error("an answer could not be kept", exc_info=error)
        return answer

    async def _heard(self, scope: Scope, receive: Receive) -> Answer:
        answer = Answer(500, [], b"")

        async def hear(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message["headers"])
            else:
                answer.body += message.get("body", b"")

        await self._app(scope, receive, hear)
        return answer

    async def _again(
        self, kept: Stored, fingerprint: str, scope: Scope, receive: Receive
    ) -> Answer:
        about = json.loads(kept.lines[0])
        if about["fingerprint"] != fingerprint:
            raise KeyReused()
        found = next((one.secret for one in kept.secrets if one.name == ANSWER), None)
        if found is not None:
            answer: Answer | None = msgspec.msgpack.decode(zlib.decompress(found), type=Answer)
        else:
            answer = await self._made_again(scope, receive, dict(about["grown"]))
        if answer is not None:
            answer.headers.append(REPLAYED)
            return answer
        hall = the_arena(self._state).hall
        since = abs(hall.clock() - about.get("at", 0))  # another machine's clock may be ahead
        if hall.store.shared and since < SETTLED:
            raise BeingServed()
        raise AnswerLost()

    async def _made_again(
        self, scope: Scope, receive: Receive, grown: dict[str, int]
    ) -> Answer | None:
        """Compute the answer from the record, by how far these logs grew; ``None`` if it cannot."""
        path, arena = scope["path"], the_arena(self._state)
        if not _on_record(scope, grown):
            return None
        if path == MADE:
            (made,) = grown
            where = f"{base(arena, scope)}oracle/{made}"
            return Answer(303, [(b"location", where.encode())], b"")
        if path.endswith(ENTERED):
            token = DONE.set(grown)
            try:
                return await self._heard(scope, receive)
            finally:
                DONE.reset(token)
        name = path.removeprefix(SUBMITTED)
        return _counted(*await arena.room_of(name).answered(name, grown[name]))


def _on_record(scope: Scope, grown: Mapping[str, int]) -> bool:
    """Return whether the logs that grew have all of the answer."""
    path = scope["path"]
    submitted = path.startswith(SUBMITTED) and path.removeprefix(SUBMITTED) in grown
    return scope["method"] == "POST" and (submitted or path == MADE or path.endswith(ENTERED))


def _read_key(said: bytes) -> str:
    """Return the key in a header; raise `Malformed` for one that could be guessed or not read."""
    found = KEY.fullmatch(said)
    key = "" if found is None else (found[1] or found[2]).decode()
    if not SHORTEST <= len(key) <= LONGEST:
        raise Malformed(
            f"{IDEMPOTENCY_KEY} is {SHORTEST} to {LONGEST} characters of ASCII that nobody can "
            f"guess, such as a random UUID: whoever shows the key gets the answer again, with its "
            f"private URLs. Not {quoted(said.decode('latin-1'))}"
        )
    return key


def _header(scope: Scope) -> bytes | None:
    if scope["type"] != "http" or scope["method"] not in CHANGING:
        return None
    found = None
    for name, value in scope["headers"]:
        if name == HEADER:  # of two, no key can be made
            found = value if found is None else b"%b, %b" % (found, value)
    return found


def _counted(counts: CountsOut, receipt: str) -> Answer:
    headers = [(b"content-type", JSON.encode()), (RECEIPT.lower().encode(), receipt.encode())]
    return Answer(200, headers, msgspec.json.encode(counts))
