"""The coach's review of a finished table.

A review is long work: it is made in a thread, one at a time for each arena, and kept. Records that
are longer than any sensible game are not reviewed. While a game goes on nothing is told: it would
be advice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, Final
from weakref import WeakKeyDictionary

from litestar import get
from litestar.params import FromPath

from fairground.arena.http.problems import TooEarly, Unknown
from fairground.arena.slow_players import Thinkers
from fairground.arena.state import TheArena
from fairground.arena.tables.keeping import Tables
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from fairground.core import InputError

LONGEST: Final = 5000
"""Lines of a record that is reviewed."""

KEPT: Final = 200
"""Reviews that are remembered; the ones asked for longest ago are forgotten."""


class Reviews:
    """Makes reviews, one at a time, and remembers them."""

    def __init__(self) -> None:
        self._thinkers = Thinkers(2, "coach")
        self._made: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._alone = asyncio.Lock()

    async def of(self, name: str, tables: Tables) -> dict[str, Any]:
        """The review of a table that is over."""
        if name in self._made:
            self._made.move_to_end(name)
            return self._made[name]
        lines = await tables.lines(name)
        if len(lines) > LONGEST:
            raise Unknown(f"there is no review: {len(lines):,} lines are more than {LONGEST:,}")
        async with self._alone:
            if name not in self._made:
                try:
                    made = await self._thinkers.think(_reviewed, b"".join(lines))
                except InputError as reason:
                    raise Unknown(f"there is no review: {reason}") from None
                self._made[name] = made
                if len(self._made) > KEPT:
                    self._made.popitem(last=False)
        return self._made[name]


def _reviewed(data: bytes) -> dict[str, Any]:
    return as_json(review_of(data))


_REVIEWS: WeakKeyDictionary[Tables, Reviews] = WeakKeyDictionary()
"""Those of each arena in this process."""


@get("/tables/{name:str}/review", summary="What each decision of a finished game was worth")
async def table_review(name: FromPath[str], arena: TheArena) -> dict[str, Any]:
    """The coach's review, as ``fairground coach --json`` prints it: see docs/coach.md."""
    shown = await arena.tables.shown(await arena.tables.find(name))
    if not shown.over:
        raise TooEarly("a game is reviewed when it is over")
    if shown.payoff is None:
        raise Unknown("there is no review: the house voided this game")
    reviews = _REVIEWS.setdefault(arena.tables, Reviews())
    return await reviews.of(name, arena.tables)
