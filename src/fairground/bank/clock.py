"""The Bank's time, also while its clock stands still.

A Bank on a chain knows the time of its last block only. Between two blocks, and on a chain
that makes none while nobody calls, its clock stands still although its deadlines draw near.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fairground.bank.bank_port import Bank


class BankClock:
    """The latest time that the Bank told, and the seconds that passed here since then."""

    def __init__(self, bank: Bank, own: Callable[[], float] | None = None) -> None:
        """``own`` counts seconds, from any beginning: our own clock."""
        self._bank, self._own = bank, own or time.monotonic
        self._told, self._at = 0, self._own()

    async def __call__(self) -> int:
        """Seconds since 1970."""
        told, own = await self._bank.now(), self._own()
        if told > self._told + (own - self._at):
            self._told, self._at = told, own
        # Only the difference is a fraction: added to the time it would be rounded, and could fall
        # just below a whole second that has come.
        return self._told + int(own - self._at)

    def start_again(self) -> None:
        """Forget what was counted: the Bank says that it is not so late."""
        self._told, self._at = 0, self._own()
