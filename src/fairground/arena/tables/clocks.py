"""Time banks: how long each seat of a table may be waited for, in all.

A seat's clock runs while the table asks it for anything. With each commit the house writes down
what is left to each seat and who is asked now (`readings`); so a clock goes on after a restart, and
time in which the arena was down is not counted. When a bank is empty, the house forfeits the seat,
and says that it is the house who says so: clocks prove nothing (docs/fairness.md).

All time comes from one function that is handed in; tests hand in one that they turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from fairground.arena.live_games import Live
from fairground.arena.readings import Reading
from fairground.core import Seat
from fairground.table import Ask

MOST_AHEAD: Final = 1_000
"""Readings by another clock that are remembered."""


class Clocks:
    """The clocks of all tables, as one process measures them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = clock
        self._up = clock()
        """When this process began to listen. No clock ran before."""
        self._ahead: dict[float, float] = {}
        """Moment of a reading that is yet to come → when we saw it first."""

    def left(self, reading: Reading) -> dict[Seat, float]:
        """Seat → seconds left now."""
        now = self.now()
        gone = now - self._since(reading, now)
        return {
            seat: seconds - gone if seat in reading.asked else seconds
            for seat, seconds in reading.left.items()
        }

    def deadline(self, reading: Reading) -> float | None:
        """When the first bank will be empty; ``None`` if no clock runs."""
        running = [reading.left[seat] for seat in reading.asked]
        return self._since(reading, self.now()) + min(running) if running else None

    def _since(self, reading: Reading, now: float) -> float:
        """Since when the clocks of a reading run, as far as we know.

        It may be of a time that is yet to come, if somebody has set the machine's clock back before
        we were started. Then they run from the moment at which we see it, and do not stand
        still until that time.
        """
        if reading.at <= now:
            return max(reading.at, self._up)
        while len(self._ahead) > MOST_AHEAD:
            del self._ahead[next(iter(self._ahead))]
        return self._ahead.setdefault(reading.at, now)

    def fallen(self, reading: Reading) -> Seat | None:
        """The seat whose bank is empty (the emptiest; of equals the first)."""
        empty = [(left, seat) for seat, left in self.left(reading).items() if left <= 0]
        return min(empty)[1] if empty else None

    def note(self, live: Live, asks: Sequence[Ask]) -> Reading | None:
        """Write down what is left and who is asked now. Goes into the next commit."""
        table, ours = live.table, live.private.players
        if not live.private.seconds:
            return None
        if live.reading is None:
            others = [seat for seat in range(table.game.seats) if str(seat) not in ours]
            left = dict.fromkeys(others, live.private.seconds)
        else:
            left = self.left(live.reading)
        if table.scheme.gone:
            left = {seat: bank for seat, bank in left.items() if not table.has_left(seat)}
        asked = sorted({ask.seat for ask in asks if str(ask.seat) not in ours})
        live.reading = Reading(self.now(), left, asked)
        return live.reading
