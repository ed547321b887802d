"""Remarks, hints and rematches."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from fairground.core import InputError, Seat, StaleAsk
from fairground.fair.bits import Tag, digest, token
from fairground.fair.register import dealer_class
from fairground.server.http.problems import AlreadyDone, GameOver, TooManyRequests
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
from fairground.server.tables.views import MOVES
from fairground.server.tables.wire import Hint, MadeSeat, MadeTable, NewSeat, NewTable
from fairground.store import Append, Conflict, Store

MOST_NOTES: Final = 100
"""Remarks and hints of one seat in one game: they make its record longer."""


class Company:
    """The service for remarks, hints and rematches at tables."""

    def __init__(self, tables: Tables, store: Store) -> None:
        self._tables = tables
        self._store = store

    # Remarks and hints

    async def remark(self, name: str, secret: str, text: str) -> None:
        """Write something into the record, in the name of a seat."""

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
        """Open the next game for the first who wants it."""
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
