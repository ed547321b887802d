"""The coach's review of a finished table, and his judgement of another move in it.

A review is long work: it is made in a thread, one at a time for each arena, and kept. Records that
are longer than any sensible game are not reviewed. While a game goes on nothing is told: it would
be advice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, Final
from weakref import WeakKeyDictionary

from litestar import get, post
from litestar.params import FromPath, JSONBody

from fairground.arena.http.problems import TooEarly, Unknown
from fairground.arena.slow_players import Thinkers
from fairground.arena.state import ArenaState, TheArena
from fairground.arena.tables.keeping import Tables
from fairground.arena.tables.wire import NewTry, Tried
from fairground.coach.judging import judge_of
from fairground.coach.learning import judged, position_at, verdict, words_at
from fairground.coach.reviewing import alternatives
from fairground.coach.shape import alternatives_as_json, as_json, number, unit_as_json
from fairground.coach.sources import replayed, review_of
from fairground.core import InputError
from fairground.transcript import frozen

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
        data = await _record(name, tables)
        async with self._alone:
            if name not in self._made:
                try:
                    made = await self._thinkers.think(_reviewed, data)
                except InputError as reason:
                    raise Unknown(f"there is no review: {reason}") from None
                self._made[name] = made
                if len(self._made) > KEPT:
                    self._made.popitem(last=False)
        return self._made[name]

    async def of_try(self, name: str, tables: Tables, wanted: NewTry) -> Tried:
        """What another move would have been worth there."""
        data = await _record(name, tables)
        async with self._alone:
            return await self._thinkers.think(_tried, data, wanted)


async def _record(name: str, tables: Tables) -> bytes:
    lines = await tables.lines(name)
    if len(lines) > LONGEST:
        raise Unknown(f"there is no review: {len(lines):,} lines are more than {LONGEST:,}")
    return b"".join(lines)


def _reviewed(data: bytes) -> dict[str, Any]:
    return as_json(review_of(data))


def _tried(data: bytes, wanted: NewTry) -> Tried:
    seat, move = wanted.seat, frozen(wanted.move)
    position = position_at(replayed(data), wanted.line, seat)
    game, state = position.walk()
    game.check(state, seat, move)
    view = game.view(state, seat)
    try:
        judge, words = judge_of(game), words_at(game, seat)
    except InputError as reason:
        raise Unknown(f"there is no review: {reason}") from None
    found = judged(judge, view, seat, move)
    listed = tuple(alternatives(judge, words, view, seat, found.options, chosen=found.chosen))
    exact = judge.basis.exact
    return Tried(
        found.right,
        number(found.cost, exact),
        unit_as_json(judge.unit),
        verdict(judge, words, view, seat, found),
        alternatives_as_json(listed, exact),
    )


_REVIEWS: WeakKeyDictionary[Tables, Reviews] = WeakKeyDictionary()
"""Those of each arena in this process."""


@get("/tables/{name:str}/review", summary="What each decision of a finished game was worth")
async def table_review(name: FromPath[str], arena: TheArena) -> dict[str, Any]:
    """The coach's review, as ``fairground coach --json`` prints it: see docs/coach.md."""
    return await (await _reviews(name, arena)).of(name, arena.tables)


@post("/tables/{name:str}/review", status_code=200, summary="Try another move in a finished game")
async def try_again(name: FromPath[str], data: JSONBody[NewTry], arena: TheArena) -> Tried:
    """What it would have been worth, in the words of ``fairground learn``. Nothing is recorded."""
    return await (await _reviews(name, arena)).of_try(name, arena.tables, data)


async def _reviews(name: str, arena: ArenaState) -> Reviews:
    """For a game that is over: before, a judgement would be advice."""
    shown = await arena.tables.shown(await arena.tables.find(name))
    if not shown.over:
        raise TooEarly("a game is reviewed when it is over")
    if shown.payoff is None:
        raise Unknown("there is no review: the house voided this game")
    return _REVIEWS.setdefault(arena.tables, Reviews())
