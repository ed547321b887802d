"""Stops the open games of a restored backup, so that no secret decides anything twice.

A backup knows nothing of later events. A code that it still hides may have been revealed since, a
contest closed, or a draw opened. A player who saw that could use it. So every unfinished game is
*stopped* before a restored arena opens. A stopped game takes no more answers, reveals no more
secrets, and counts for nobody. Contests are closed, with the results that the backup has.

The Croupier reveals no seed that the backup had not revealed. Hands at the ledger end by the Bank's
rules, and he pays for his silence. Sessions go to the Bank with the last state that both signed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from fairground.bank.croupier.journal import CroupierJournal, SessionJournal, stop_open
from fairground.server.contests.books import KIND as CONTESTS
from fairground.server.contests.service import Contests
from fairground.server.live_games import RESTORED
from fairground.server.oracles.service import KIND as ORACLES
from fairground.server.serve import alone
from fairground.server.tables.opening import KIND as TABLES
from fairground.store import Append, Secret, Store, open_store


class Stopped(NamedTuple):
    """Numbers of stopped games and closed contests."""

    contests: int
    oracles: int
    tables: int
    hands: int
    """Games and offers of the Croupier."""
    sessions: int
    """Sessions of the Croupier."""


def restore(database: str) -> Stopped:
    """Make a copy fit to be opened, while no arena runs on it."""
    with alone(database, restored=True):
        return asyncio.run(stop_what_was_open(database))


async def stop_what_was_open(database: str, clock: Callable[[], float] = time.time) -> Stopped:
    """End everything that hides something. It may be done again, if it was interrupted."""
    store = await open_store(database)
    try:
        contests = Contests(store, clock)
        closed = 0
        for name in await store.logs(CONTESTS, open_only=True):
            closed += await contests.close_restored(name)
        return Stopped(
            closed,
            await _stop(store, ORACLES),
            await _stop(store, TABLES),
            await stop_open(store, CroupierJournal),
            await stop_open(store, SessionJournal),
        )
    finally:
        await store.close()


async def _stop(store: Store, kind: str) -> int:
    """Close the logs of these games as they are."""
    names = await store.logs(kind, open_only=True)
    for name in names:
        stored = await store.read(name)
        assert stored is not None
        mark = Secret(RESTORED, b"", "")
        await store.commit(Append(name, len(stored.lines), (), closed=True, secrets=(mark,)))
    return len(names)
