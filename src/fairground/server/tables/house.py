"""The house's seats at tables: quick players decide here, the others in processes."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, Final

from fairground.core import Game, Seat
from fairground.fair.bits import Tag, digest
from fairground.players import listing_of
from fairground.server.live_games import Live
from fairground.server.tables.thoughts import Question, advised, decide
from fairground.server.tables.wire import Hint
from fairground.server.workers import BUDGET, Lane, Thinking, TookTooLong
from fairground.table import Ask

log = logging.getLogger("fairground.server")

QUICK: Final = 0.05
"""Seconds of CPU time. A player that once takes longer decides in a process from then on."""


class House:
    """Lets the house's players answer."""

    def __init__(self, thinking: Thinking) -> None:
        self.thinking = thinking

    async def hint(self, game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Hint:
        """Return what the best adviser would play."""
        found, _ = await self.thinking.slow.think(BUDGET, advised, game, view, seat, names)
        return found

    async def play_or_resign(self, live: Live) -> None:
        """Play on. A player that fails or takes too long loses its seat, and the game goes on."""
        for _ in range(live.table.game.seats):
            try:
                await self.play(live)
            except TookTooLong as error:
                self._resign(live, f"the house's player gave up: {error}")
            except Exception:
                log.exception("a player of ours failed at table %s", live.log)
                self._resign(live, "the house's player failed")
            else:
                return

    def _resign(self, live: Live, reason: str) -> None:
        live.table.forfeit(self._asked(live)[0].seat, reason, by="house")

    async def play(self, live: Live) -> None:
        """Answer for the house's seats until only others are asked."""
        left = BUDGET
        while asks := self._asked(live):
            for ask in asks:
                left -= await self._answer(live, ask, left)

    def _asked(self, live: Live) -> list[Ask]:
        return [ask for ask in live.table.asks() if str(ask.seat) in live.private.players]

    async def _answer(self, live: Live, ask: Ask, left: float) -> float:
        """Answer one ask; return the CPU time that a process took for it."""
        if ask.kind == "open":
            live.hosted.open(ask)
            return 0
        lane = self._lane(live, ask.seat)
        if lane is None:
            began = time.thread_time()
            live.hosted.answer(ask)
            if time.thread_time() - began > QUICK:
                live.slow.add(ask.seat)
            return 0
        table, seat = live.table, ask.seat
        question = Question(
            live.private.players[str(seat)],
            table.game,
            table.view(seat),
            seat,
            digest(Tag.PLAYER, live.player_seed, seat, ask.step),
            live.minds.get(seat, b""),
        )
        decision, took = await lane.think(max(left, 0.1), decide, question)
        live.minds[seat] = decision.memory
        live.hosted.note(decision.remarks)
        live.hosted.make(ask, decision.move)
        return took

    def _lane(self, live: Live, seat: Seat) -> Lane | None:
        """Return the lane in which this seat's player thinks; ``None``: it decides here."""
        listing = listing_of(live.private.players[str(seat)], live.table.game)
        if listing.slow:
            return self.thinking.slow
        return self.thinking.quick if listing.extra or seat in live.slow else None
