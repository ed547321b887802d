"""Requests that may be sent again: what one of them does is written together with its key.

A client that got no answer cannot know whether its request was carried out. So it may name the
request (``Idempotency-Key``), and send it again under the same name. The name becomes a small log
of its own, made in the *same commit* as the effect of the request. A log is made once: whoever
comes second, at any worker and after any crash, is found out by the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fairground.store import Append

KIND: Final = "key"
"""The kind of the logs of keys. No route reads them."""


@dataclass
class KeyedRequest:
    """A request with a key, while it is served."""

    log: str
    fingerprint: str
    seen: int
    waits: bool = True
    """Whether its effect is yet to be written."""

    def append(self, effect: Sequence[Append]) -> Append:
        """What goes into the same commit as the effect: which logs grew, and how far."""
        grown = [[one.log, one.step + len(one.lines)] for one in effect]
        about = {"fingerprint": self.fingerprint, "grown": grown, "at": self.seen}
        line = json.dumps(about) + "\n"
        return Append(self.log, 0, (line.encode(),), KIND, closed=True, seen=self.seen)


KEYED: ContextVar[KeyedRequest | None] = ContextVar("keyed", default=None)
"""The request that is being served, if it has a key."""


DONE: ContextVar[Mapping[str, int]] = ContextVar("done", default=MappingProxyType({}))
"""Of a request that was carried out before, and is only asked for its answer: log → how far it grew
then. Whoever is called with this writes nothing."""


@contextmanager
def unkeyed() -> Iterator[None]:
    """Around commits that are not what the request asked for: they only prepare it."""
    token = KEYED.set(None)
    try:
        yield
    finally:
        KEYED.reset(token)
