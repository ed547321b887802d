"""The games at hand: in memory, those that were asked for last.

There is room for so many bytes, as far as a game can say what it takes: a game with a long record,
or with a keeper that holds a million codes in mind, takes the room of many. The game that was
asked for longest ago is let go first. And a game that nobody has asked for a while is let go
though there is room. It is all in the store, and is brought back when it is wanted.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

KEPT: Final = 120
"""Seconds after its last use for which a game is kept at hand."""


class Holdable(Protocol):
    """A game, as far as it matters here."""

    log: str
    lock: asyncio.Lock

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        ...


G = TypeVar("G", bound=Holdable)


@dataclass
class _Place(Generic[G]):
    game: G
    size: int
    used: float


class AtHand(Generic[G]):
    """Games by their name, within a room of so many bytes."""

    def __init__(self, room: int, clock: Callable[[], float]) -> None:
        self._room = room
        self._clock = clock
        self._places: OrderedDict[str, _Place[G]] = OrderedDict()
        """What was used last stands last."""
        self.size = 0
        """Bytes that all games take."""
        self._soon: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def get(self, log: str) -> G | None:
        """The game of this name, if it is at hand."""
        place = self._places.get(log)
        return None if place is None else place.game

    def use(self, log: str) -> None:
        """Note that somebody has asked for it, if it is at hand."""
        place = self._places.get(log)
        if place is not None:
            place.used = self._clock()
            self._places.move_to_end(log)

    def put(self, game: G) -> None:
        """Take a game in, in place of another copy of it; let others go."""
        self._drop(game.log)
        size = game.size
        self._places[game.log] = _Place(game, size, self._clock())
        self.size += size
        self._let_go()
        if self._soon is None:
            self._look_again()

    def grown(self, game: G) -> None:
        """Note that it may take more than before; let others go."""
        place = self._places.get(game.log)
        if place is not None and place.game is game:
            self.size -= place.size
            place.size = game.size
            self.size += place.size
            self._let_go()

    def drop(self, game: G) -> None:
        """Let this copy go."""
        if self.get(game.log) is game:
            self._drop(game.log)

    def clear(self) -> None:
        """Let all go."""
        self._places.clear()
        self.size = 0
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _drop(self, log: str) -> None:
        place = self._places.pop(log, None)
        if place is not None:
            self.size -= place.size

    def _let_go(self) -> None:
        """The game that was used last stays in any case, and so does one that is in use."""
        before = self._clock() - KEPT
        while len(self._places) > 1:
            log, place = next(iter(self._places.items()))
            if self.size <= self._room and place.used >= before:
                return
            if place.game.lock.locked():
                self.use(log)
                return
            self._drop(log)

    def _look_again(self) -> None:
        """Look now and then, for nobody may ask any more."""
        self._let_go()
        loop = asyncio.get_running_loop()
        self._soon = loop.call_later(KEPT, self._look_again) if self._places else None
