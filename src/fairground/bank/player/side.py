"""The Player's side of the table: what all games of one sitting have in common."""

from __future__ import annotations

import asyncio
import time
from typing import Final, NamedTuple

from fairground.bank.bank_port import Bank
from fairground.bank.croupier_port import CroupierDesk
from fairground.bank.messages import Key
from fairground.bank.player.news import Tell
from fairground.bank.player.notes import Notebook

PATIENCE: Final = 60
"""Seconds that the Croupier has to bring something to the Bank before we do it ourselves;
never more than half of a step's time."""

CONFIRMATIONS: Final = 2
"""Blocks behind a seed of the Croupier on a chain, unless the Player wants more or fewer.

Without any, a Croupier on a chain that takes its last block back could see the hand, and let
a bad one lapse."""


class OwnClock:
    """The Player's own clock."""

    def now(self) -> float:
        """Seconds, from any beginning."""
        return time.monotonic()

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)


class Side(NamedTuple):
    """The Player's side of the table: what all their games have in common."""

    bank: Bank
    desk: CroupierDesk
    key: Key
    notebook: Notebook
    tell: Tell
    confirmations: int = 0
    """Blocks behind a seed of the Croupier before the Player's is told."""
    pace: OwnClock = OwnClock()
    one_by_one: bool = False
    """Whether seed 0 is told before the order, as in the document, and not with it."""

    @property
    def patience(self) -> int:
        """How long the Croupier has to bring something to the Bank."""
        return min(self.bank.terms.step_time // 2, PATIENCE)
