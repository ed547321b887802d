"""Remarks, hints and rematches; the coach's review of a finished game."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec

from fairground.core import InputError, Seat, StaleAsk
from fairground.fair.bits import Tag, digest, token
from fairground.fair.register import dealer_class
from fairground.server.http.problems import (
    AlreadyDone,
    GameOver,
    TooEarly,
    TooManyRequests,
    Unknown,
)
from fairground.server.live_games import Live
from fairground.server.tables.opening import (
    REMATCH,
    WaitingTable,
    listing_log,
    listing_of,
    rematch_log,
    token_digest,
)
from fairground.server.tables.service import Tables, ask_id
from fairground.server.tables.thoughts import NoReview, reviewed, tried
from fairground.server.tables.views import MOVES
from fairground.server.tables.wire import (
    Hint,
    MadeSeat,
    MadeTable,
    NewSeat,
    NewTable,
    NewTry,
    Tried,
)
from fairground.store import Append, Conflict, Store

T = TypeVar("T")

MOST_NOTES: Final = 100
"""Remarks and hints of one seat in one game: they make its record longer."""


class Company:
    """The service for remarks, hints and rematches at tables."""

    def __init__(self, tables: Tables, store: Store) -> None:
        self._tables = tables
        self._store = store

    # Remarks and hints

    async def remark(self, name: str, secret: str, text: str) -> None:
        async def act(live: Live, seat: Seat) -> None:
            await self._note(live, seat, {"remark": text})

        await self._tables.acting(name, secret, act)

    async def hint(self, name: str, secret: str) -> Hint:
        """Return advice on the seat's next move, and record publicly that the seat asked.

        The advice itself stays private: the others could tell from it what the seat will do.
        """
        table, seat = await self._tables.sit(name, secret)
        asked = None
        if isinstance(table, Live):
            shown = await self._tables.shown(table)
            asked = next((a for a in shown.asks if a.seat == seat and a.kind in MOVES), None)
        if asked is None or not isinstance(table, Live):
            raise StaleAsk(f"seat {seat} is not asked for a move now, so there is no hint")
        game, view = table.table.game, table.table.game.view(shown.state, seat)
        try:
            names = [chair.name for chair in table.table.setting.chairs]
            hint = await self._tables.house.hint(game, view, seat, names)
        except InputError as nobody:
            raise StaleAsk(f"there is no hint: {nobody}") from None

        async def act(live: Live, seat: Seat) -> None:
            if asked not in live.table.asks():
                raise StaleAsk(f"seat {seat} is not asked for {ask_id(asked)!r} any more")
            hinted = live.table.transcript.events[asked.step :]
            if not any(event.get("body") == {"hint": True, "seat": seat} for event in hinted):
                await self._note(live, seat, {"hint": True})

        await self._tables.acting(name, secret, act)
        return hint

    async def _note(self, live: Live, seat: Seat, body: Mapping[str, Any]) -> None:
        if live.table.closed:
            raise GameOver("this game is over")
        notes = (e["body"] for e in live.table.transcript.events if e["kind"] == "note")
        if sum(note.get("seat") == seat for note in notes) >= MOST_NOTES:
            raise TooManyRequests(f"a seat writes at most {MOST_NOTES} notes into a record")
        live.table.note({**body, "seat": seat})
        await self._tables.play_on(live)

    # Another game together

    async def rematch(self, here: str, name: str, secret: str) -> MadeTable:
        """Open the same game again, with the same people and players, once the first is over.

        The first person to ask opens the table. The game begins when all people have come back.
        """
        live, seat = await self._tables.sit(name, secret)
        if not isinstance(live, Live) or not live.table.closed:
            raise StaleAsk("this game is not over: play it to its end first")
        following = await self._tables.waiting.following(name) or await self._put_up(
            live, seat, secret
        )
        again = _secret_of(following, secret)

        def sit_down(table: WaitingTable) -> Seat:
            if str(seat) in table.tokens:
                raise AlreadyDone("you have sat down already")
            return seat

        with suppress(AlreadyDone):  # said twice, it is said once
            await self._tables.waiting.seat(following, sit_down, again)
        where = f"{here}tables/{following}"
        chairs, players = live.table.setting.chairs, live.private.players
        seats = [
            MadeSeat(
                number,
                chair.name,
                f"{where}/seats/{again}" if number == seat else None,
                players.get(str(number)),
            )
            for number, chair in enumerate(chairs)
        ]
        return MadeTable(where, seats)

    async def _put_up(self, live: Live, seat: Seat, secret: str) -> str:
        following, transcript = token(), live.table.transcript
        table = WaitingTable(
            _wanted_again(live),
            {str(seat): token_digest(following, _secret_of(following, secret))},
            {"rematch": live.table.setting.table.hex(), "head": transcript.head},
        )
        line = msgspec.json.encode({"table": following}) + b"\n"
        more = [Append(rematch_log(live.log), 0, (line,), REMATCH, closed=True)]
        if await self._store.read(listing_log(live.log)) is not None:
            more.append(listing_of(following, self._tables.clocks.now()))
        try:
            if table.missing:
                await self._tables.waiting.put_up(following, table, *more)
            else:
                await self._tables.begin(following, table, *more)
        except Conflict:  # somebody else at the table was faster
            first = await self._tables.waiting.following(live.log)
            if first is None:
                raise
            return first
        return following


def _secret_of(following: str, secret: str) -> str:
    """Return a seat's token in the next game: derived from that in the last one, and not stored."""
    return urlsafe_b64encode(digest(Tag.TOKEN, REMATCH, following, secret)[:18]).decode()


def _wanted_again(live: Live) -> NewTable:
    """Return the order for a table like this one, as far as its record shows it."""
    start, players = live.table.transcript.events[0], live.private.players
    known = {option.name for option in dealer_class(start["dealer"]).options}
    return NewTable(
        start["game"],
        [
            NewSeat(chair.name, players.get(str(seat)), chair.lends)
            for seat, chair in enumerate(live.table.setting.chairs)
        ],
        start["params"],
        start["dealer"],
        {name: value for name, value in start["public"].items() if name in known},
        live.private.seconds,
    )


# Reviews
#
# A review takes long: it is computed in a worker process and cached. Records longer than any
# sensible game are not reviewed. A running game has no review: it would be advice.


BUDGET: Final = 120.0
"""Seconds of CPU time for a review."""

LONGEST: Final = 5000
"""Lines of a record that is reviewed."""

KEPT: Final = 200
"""Reviews that are remembered; the ones asked for longest ago are forgotten."""


class Reviews:
    """Makes reviews, one at a time, and remembers them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._made: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._alone = asyncio.Lock()

    async def of(self, name: str) -> dict[str, Any]:
        if name not in self._made:
            data = await self._record(name)
            async with self._alone:
                if name not in self._made:
                    self._made[name] = await self._think(reviewed, data)
                    if len(self._made) > KEPT:
                        self._made.popitem(last=False)
        self._made.move_to_end(name)
        return self._made[name]

    async def of_try(self, name: str, wanted: NewTry) -> Tried:
        return await self._think(tried, await self._record(name), wanted)

    async def _think(self, thought: Callable[..., T], *about: Any) -> T:
        try:
            found, _ = await self._tables.house.thinking.slow.think(BUDGET, thought, *about)
        except NoReview as reason:
            raise Unknown(f"there is no review: {reason}") from None
        return found

    async def _record(self, name: str) -> bytes:
        """Return the record of a finished game. Before the end a review would be advice."""
        shown = await self._tables.shown(await self._tables.find(name))
        if not shown.over:
            raise TooEarly("a game is reviewed when it is over")
        if shown.payoff is None:
            raise Unknown("there is no review: the house voided this game")
        lines = await self._tables.lines(name)
        if len(lines) > LONGEST:
            raise Unknown(f"there is no review: {len(lines):,} lines are more than {LONGEST:,}")
        return b"".join(lines)
