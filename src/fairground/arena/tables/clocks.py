"""Time banks: how long each seat of a table may be waited for, in all.

A seat's clock runs while the table asks it for anything. After each commit the house
writes down, in the vault beside the log, what is left to each seat and who is asked
now; so a clock goes on after a restart, and time in which the arena was down is not
counted. When a bank is empty, the house forfeits the seat, and says that it is the
house who says so: clocks prove nothing (docs/fairness.md).

All time comes from one function that is handed in; tests hand in one that they turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from fairground.arena.live_games import Live
from fairground.core import Seat
from fairground.store import Stored

NAME: Final = "clock."
"""Vault names are ``clock.12``: what was left when the log had 12 lines."""


class Reading(msgspec.Struct):
    """The clocks of a table at one moment."""

    at: float
    left: dict[int, float]
    """Seat → seconds left in its bank. Seats that the house plays have none."""
    asked: list[int]
    """The seats whose clocks run since then."""


def _latest(names: dict[str, tuple[bytes, str]]) -> Reading | None:
    steps = [int(name.removeprefix(NAME)) for name in names if name.startswith(NAME)]
    if not steps:
        return None
    return msgspec.json.decode(names[f"{NAME}{max(steps)}"][0], type=Reading)


def stored_reading(stored: Stored) -> Reading | None:
    """What was last written of a log's clocks."""
    return _latest({one.name: (one.secret, one.head) for one in stored.secrets})


class Clocks:
    """The clocks of all tables, as one process measures them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = clock
        self._up = clock()
        """When this process began to listen. No clock ran before."""
        self._readings: WeakKeyDictionary[Live, Reading] = WeakKeyDictionary()

    def reading(self, live: Live) -> Reading | None:
        """The last reading of a game; ``None`` if it has no clocks."""
        if live not in self._readings:
            found = _latest(live.vault.secrets)
            if found is None:
                return None
            self._readings[live] = found
        return self._readings[live]

    def left(self, reading: Reading) -> dict[Seat, float]:
        """Seat → seconds left now."""
        gone = max(0.0, self.now() - max(reading.at, self._up))
        return {
            seat: seconds - gone if seat in reading.asked else seconds
            for seat, seconds in reading.left.items()
        }

    def deadline(self, reading: Reading) -> float | None:
        """When the first bank will be empty; ``None`` if no clock runs."""
        running = [reading.left[seat] for seat in reading.asked]
        return max(reading.at, self._up) + min(running) if running else None

    def fallen(self, reading: Reading) -> Seat | None:
        """The seat whose bank is empty (the emptiest; of equals the first)."""
        empty = [(left, seat) for seat, left in self.left(reading).items() if left <= 0]
        return min(empty)[1] if empty else None

    def note(self, live: Live) -> Reading | None:
        """Write down what is left and who is asked now. Goes into the next commit."""
        if not live.private.seconds:
            return None
        before = self.reading(live)
        others = [seat for seat in range(live.table.game.seats) if not _ours(live, seat)]
        left = dict.fromkeys(others, live.private.seconds) if before is None else self.left(before)
        left = {seat: bank for seat, bank in left.items() if not live.table.has_left(seat)}
        asked = sorted({ask.seat for ask in live.table.asks() if not _ours(live, ask.seat)})
        reading = Reading(self.now(), left, asked)
        live.vault.keep(f"{NAME}{live.table.transcript.step}", msgspec.json.encode(reading), "")
        self._readings[live] = reading
        return reading


def _ours(live: Live, seat: Seat) -> bool:
    return str(seat) in live.private.players
