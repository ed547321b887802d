"""The arena's store: request keys, purging of old logs, and outages of the database.

A client that got no answer cannot know whether its request was carried out. So it may name the
request (``Idempotency-Key``), and send it again under the same name. The name becomes a small log
of its own, made in the *same commit* as the effect of the request. A log can be made only once, so
the database detects every repeat, at any server and after any crash.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, Self

from fairground.fair.bits import token
from fairground.server.metrics import Metrics
from fairground.store import Append, Damaged, Hear, Store, StoreAway

KEY_KIND: Final = "key"
"""The kind of the logs of keys. No route reads them."""


@dataclass
class KeyedRequest:
    """A request with a key, while it is served."""

    log: str
    fingerprint: str
    seen: int
    waits: bool = True
    """True until the effect is written."""
    grown: dict[str, int] = field(default_factory=dict)
    """Log → its lines behind the effect."""

    def append(self, effect: Sequence[Append]) -> Append:
        """Return the append for the commit of the effect. It says which logs grew, and how far."""
        self.grown = {one.log: one.step + len(one.lines) for one in effect}
        about = {"fingerprint": self.fingerprint, "grown": [*self.grown.items()], "at": self.seen}
        line = json.dumps(about) + "\n"
        return Append(self.log, 0, (line.encode(),), KEY_KIND, closed=True, seen=self.seen)


REQUEST_KEY: ContextVar[str] = ContextVar("request key", default="")
"""The ``Idempotency-Key`` of the request that is being served: a secret of its client."""

KEYED: ContextVar[KeyedRequest | None] = ContextVar("keyed", default=None)
"""The request that is being served, if it has a key."""


DONE: ContextVar[Mapping[str, int]] = ContextVar("done", default=MappingProxyType({}))
"""For a repeated request, whose effect is already written: log → its length after the effect.
Handlers that find this set write nothing.
"""


@contextmanager
def unkeyed() -> Iterator[None]:
    """Around commits that are not what the request asked for: they only prepare it."""
    token = KEYED.set(None)
    try:
        yield
    finally:
        KEYED.reset(token)


# Purging of old logs
#
# Nobody waits for it. A service that makes such logs checks now and then for old ones. They are
# deleted in batches, until none is left.


PURGE_PAUSE: Final = 60
"""Seconds between two looks."""

BUNCH: Final = 1000
"""Logs that are deleted in one commit."""


class Purging:
    """Deletes the logs of one kind that were last written to a lifetime ago."""

    def __init__(self, kind: str, lifetime: int) -> None:
        self._kind = kind
        self._lifetime = lifetime
        self._looked: float | None = None
        self._looking: asyncio.Task[None] | None = None

    def look(self, store: Store, clock: Callable[[], float]) -> None:
        """Have a look, if the last one was a while ago."""
        now = clock()
        if self._looked is None or now - self._looked >= PURGE_PAUSE:
            self._looked = now
            self._looking = asyncio.create_task(self._purge(store, int(now) - self._lifetime))

    async def _purge(self, store: Store, before: int) -> None:
        with suppress(StoreAway):  # the store has noted the outage
            while await store.forget(self._kind, before, BUNCH) == BUNCH:
                pass


# Outages of the database
#
# While the database is away, every request fails for the same reason. A line of log for each would
# bury everything else. So the first failure is logged, the others are counted, and a probe retries
# until a write succeeds. One more line then says how long it took. A damaged database does not
# recover: this is logged once, and the arena stays not ready.


log = logging.getLogger("fairground.server")

PAUSE: Final = 1.0
"""Seconds between two probes."""

PROBE: Final = 1.0
"""Seconds within which a database that is ready has written something."""


MUCH: Final = 131_072
LITTLE: Final = 64
"""Bytes of a probe in an outage, and of any other. A full disk often has room for a little."""

PROBE_KIND: Final = "probe"
"""The kind of the logs that are made for that, and deleted at once."""


def _noticing(name: str) -> Any:
    """Return a method that asks the store, and notices an outage."""

    async def ask(self: WatchedStore, *about: Any, **more: Any) -> Any:
        try:
            return await getattr(self._store, name)(*about, **more)
        except StoreAway as error:
            self.failed(error)
            raise

    return ask


class WatchedStore(Store):
    """A store that times its commits, adds the key of the request, and notices outages."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self.shared = store.shared
        self._metrics = metrics
        self._probing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.failures = 0
        """Failures in the outage that goes on; 0 when there is none."""
        self.damaged: Damaged | None = None
        """The permanent damage of the database, if any."""

    @classmethod
    async def open(cls, url: str) -> Self:
        raise NotImplementedError(url)

    async def close(self) -> None:
        """Stop probing, delete what a broken-off probe has left, and close."""
        tasks = [task for task in (self._probing, self._looking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(StoreAway, TimeoutError):
            async with asyncio.timeout(PROBE):
                await self._forget_probes()
        await self._store.close()

    async def commit(self, *appends: Append) -> None:
        began = time.perf_counter()
        keyed = KEYED.get()
        if keyed is not None and keyed.waits:
            appends = (*appends, keyed.append(appends))
            keyed.waits = False
        else:
            keyed = None
        try:
            await self._store.commit(*appends)
        except BaseException as error:
            if isinstance(error, StoreAway):
                self.failed(error)
            if keyed is not None:
                keyed.waits = True
            raise
        self._metrics.committed(time.perf_counter() - began)

    read, lines, logs, idle, forget, count = map(
        _noticing, ("read", "lines", "logs", "idle", "forget", "count")
    )

    def listen(self, hear: Hear) -> Callable[[], None]:
        return self._store.listen(hear)

    def failed(self, error: StoreAway) -> None:
        """Note a failure; the first one of an outage starts the probes."""
        self.failures += 1
        if isinstance(error, Damaged):
            self._note_damage(error)
        elif self.failures == 1 and self.damaged is None:
            log.error("the database is in trouble, and requests get 503 meanwhile: %s", error)
            self._probing = asyncio.create_task(self._until_it_works())

    def _note_damage(self, error: Damaged) -> None:
        if self.damaged is None:
            self.damaged = error
            log.critical(
                "the arena is not ready any more, and does not recover by itself: %s", error
            )

    async def _until_it_works(self) -> None:
        began = time.monotonic()
        while True:
            await asyncio.sleep(PAUSE)
            try:
                await self._write(MUCH)
            except StoreAway as error:
                if isinstance(error, Damaged):
                    self._note_damage(error)
                if self.damaged is not None:
                    return
                continue
            if self.damaged is not None:
                return
            break
        log.error(
            "the database works again, after %.1f seconds and %d failures",
            time.monotonic() - began,
            self.failures,
        )
        self.failures = 0

    async def must_be_ready(self) -> None:
        """Raise `StoreAway` unless something can be written within a second.

        Concurrent callers share one probe.
        """
        if self.damaged is not None:
            raise self.damaged
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._write_something())
        await asyncio.shield(self._looking)

    async def _write_something(self) -> None:
        try:
            async with asyncio.timeout(PROBE):
                await self._write(MUCH if self.failures else LITTLE)
        except Damaged as error:
            self._note_damage(error)
            raise
        except TimeoutError:
            raise StoreAway(f"the database wrote nothing within {PROBE:g} second") from None

    async def _write(self, size: int) -> None:
        """Make a log that nobody reads, and delete it, with those that were left before."""
        line = token_hex(size // 2).encode() + b"\n"
        await self._store.commit(
            Append(f"{PROBE_KIND}.{token()}", 0, (line,), PROBE_KIND, closed=True)
        )
        await self._forget_probes()

    async def _forget_probes(self) -> None:
        await self._store.forget(PROBE_KIND, 1, 100)
