"""What the house writes down of a table's clocks: how they stood at one moment.

It lies beside the log (`Append.clocks`), and each takes the place of the one before. Tables that
were opened by an older Fairground have a secret for each (``clock.12``: with twelve lines).
"""

from __future__ import annotations

from typing import Final

import msgspec

from fairground.store import Stored

OLD: Final = "clock."


class Reading(msgspec.Struct):
    """The clocks of a table at one moment."""

    at: float
    left: dict[int, float]
    """Seat → seconds left in its bank. Seats that the house plays have none."""
    asked: list[int]
    """The seats whose clocks run since then."""


written: Final = msgspec.json.Encoder().encode
_read: Final = msgspec.json.Decoder(Reading).decode


def stored_reading(stored: Stored) -> Reading | None:
    """What was last written of a log's clocks; ``None``: it has none."""
    if stored.clocks:
        return _read(stored.clocks)
    old = {
        int(one.name.removeprefix(OLD)): one for one in stored.secrets if one.name.startswith(OLD)
    }
    return _read(old[max(old)].secret) if old else None
