"""What a bot may use, and the error that says how it failed."""

from __future__ import annotations

from typing import NamedTuple

from fairground.core import InputError


class BotLimits(NamedTuple):
    """What a bot may use."""

    seconds: float = 2.0
    """For each decision: by the clock, and (rounded up) of processor time."""
    megabytes: int = 1024
    """Of address space."""
    loading: float = 20.0
    """Seconds for starting up."""


class BotFailure(InputError):
    """A bot that raised, answered nonsense, took too long or ended; the text says which."""

    code = "bot/failed"
