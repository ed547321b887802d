"""After a restore: what was open in the copy is ended, and no secret decides anything twice.

A copy of a database knows nothing of what came after it. A code that it still hides may have been
told since, a contest may have been closed, a draw may have been opened. Whoever saw that could play
on with it. So before a restored arena opens, every game in it that was not finished is *stopped*:
it takes no more answers, tells no more of its secrets, and its record stays unfinished, which
counts for nobody. Contests are closed, with the results that the copy has.

The Croupier tells no seed that he had not told in the copy. Hands at the ledger end by the Bank's
rules, and he pays for his silence; sessions go to the Bank with the last state that both signed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from fairground.arena.contests.keeping import Contests
from fairground.arena.contests.live_book import KIND as CONTESTS
from fairground.arena.live_games import RESTORED
from fairground.arena.oracles.keeping import KIND as ORACLES
from fairground.arena.serve import alone
from fairground.arena.tables.opening import KIND as TABLES
from fairground.bank.croupier.journal import stop_open_games
from fairground.bank.session.journal import stop_open_sessions
from fairground.store import Append, Secret, Store, open_store


class Stopped(NamedTuple):
    """How much was open."""

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
            await stop_open_games(store),
            await stop_open_sessions(store),
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
