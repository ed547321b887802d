"""Shares of a worker's time, so that one client's requests cannot take it from all others.

A worker serves everybody in one loop. What a request costs is measured: the seconds that it holds
this loop. While only one client is there, it may use all of it. While there are others, a client
that has used more than its share waits: its next request is served when its share has grown
again, and refused with 429 if that would take long. So whoever asks for the dearest thing there
is, as fast as they can, slows down themselves.

With several workers, each keeps accounts of its own loop: that is where clients stand in each
other's way. A share of every worker's time is the same share of the whole arena's. For that,
others are *there* at whichever worker they ask (`seen_elsewhere`).

A cost is known when a request has been served. Until then it is estimated by what requests
of its shape have cost lately.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterable
from dataclasses import dataclass
from typing import Any, Final

SAVED: Final = 0.05
"""Seconds of work that a client which asks seldom may use at once."""

RECENT: Final = 1.0
"""Seconds after its last request that a client counts as being there."""

LONGEST: Final = 2.0
"""Seconds that a request may wait for its turn."""

MOST_CLIENTS: Final = 10_000
MOST_SHAPES: Final = 500
USUAL: Final = 0.0003
"""Seconds that a request is expected to cost of which nothing is known."""


@dataclass
class _Account:
    left: float
    at: float


class Shares:
    """What each client has used of this worker's loop."""

    def __init__(self, percent: int, clock: Callable[[], float] = time.perf_counter) -> None:
        """``percent``: how much of the loop one client gets beside others; 0 is no limit."""
        self._rate = percent / 100
        self._clock = clock
        self._accounts: OrderedDict[str, _Account] = OrderedDict()
        """Who asked last stands last."""
        self._shapes: dict[tuple[str, ...], float] = {}

    def wait(self, client: str) -> float:
        """Seconds until this client's next request may be served; 0: now."""
        now = self._clock()
        account = self._account(client, now)
        if not self._rate or account.left > 0 or not self._others(client, now):
            return 0
        return -account.left / self._rate

    def seen_elsewhere(self, clients: Iterable[str]) -> None:
        """These clients have just asked at another worker."""
        now = self._clock()
        for client in clients:
            self._account(client, now)

    def begun(self, client: str, shape: tuple[str, ...]) -> float:
        """A request is served: charge what it will probably cost, and return that."""
        guess = self._shapes.get(shape, USUAL)
        account = self._accounts.get(client)  # who has just been told to wait, or not, has one
        if account is None:
            account = self._account(client, self._clock())
        account.left -= guess
        return guess

    def ended(self, client: str, shape: tuple[str, ...], guess: float, spent: float) -> None:
        """A request has been served: charge what it has really cost."""
        self._account(client, self._clock()).left -= spent - guess
        if shape in self._shapes or len(self._shapes) < MOST_SHAPES:
            self._shapes[shape] = 0.8 * self._shapes.get(shape, spent) + 0.2 * spent

    def _account(self, client: str, now: float) -> _Account:
        account = self._accounts.get(client)
        if account is None:
            account = self._accounts[client] = _Account(SAVED, now)
            if len(self._accounts) > MOST_CLIENTS:
                self._accounts.popitem(last=False)
        self._accounts.move_to_end(client)
        account.left = min(SAVED, account.left + (now - account.at) * self._rate)
        account.at = now
        return account

    def _others(self, client: str, now: float) -> bool:
        """Whether anybody else was there lately."""
        others = (a for name, a in reversed(self._accounts.items()) if name != client)
        last = next(others, None)
        return last is not None and now - last.at < RECENT


def shape_of(method: str, path: str) -> tuple[str, ...]:
    """What a request looks like, without the names in it: they stand behind every first word."""
    words = path.split("/", 4)
    return (method, words[1], words[3]) if len(words) > 3 else (method, *words[1:2])


class Timed:
    """Awaits a coroutine, and measures the time in which it really runs."""

    def __init__(self, act: Coroutine[Any, Any, None]) -> None:
        self._act = act
        self.spent = 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        act, clock = self._act, time.perf_counter
        step: Callable[[Any], Any] = act.send
        given: Any = None
        while True:
            began = clock()
            try:
                waits_for = step(given)
            except StopIteration:
                return
            finally:
                self.spent += clock() - began
            try:
                step, given = act.send, (yield waits_for)
            except BaseException as error:
                step, given = act.throw, error

    def close(self) -> None:
        """Give up what was never begun."""
        self._act.close()
