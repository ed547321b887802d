"""Telling many who wait that a log has grown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

News = tuple[str, int]
Hear = Callable[[str, int], None]


class Listeners:
    """Everyone who listens hears everything from then on, in the order in which it happened."""

    def __init__(self) -> None:
        self._all: list[Hear] = []
        self._untold: list[News] = []

    def tell(self, *news: News) -> None:
        """Pass news on when the loop comes round. Called in the event loop."""
        if not self._untold:
            asyncio.get_running_loop().call_soon(self._pass_on)
        self._untold += news

    def _pass_on(self) -> None:
        news, self._untold = self._untold, []
        for log, step in news:
            for hear in self._all:
                hear(log, step)

    def listen(self, hear: Hear) -> Callable[[], None]:
        """Let ``hear`` be called from this moment on, until what is returned is called."""
        self._all = [*self._all, hear]
        return partial(self._leave, hear)

    def _leave(self, hear: Hear) -> None:
        self._all = [one for one in self._all if one != hear]
