"""Health checks and metrics, for the operator of the arena."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from litestar import get
from msgspec import Struct

from fairground import __version__
from fairground.bank.bank_port import BankAway
from fairground.bank.croupier.croupier import Croupier
from fairground.core import written
from fairground.server.contests.service import KIND as CONTEST
from fairground.server.croupier.wire import Whole
from fairground.server.metrics import TEXT
from fairground.server.oracles.service import KIND as ORACLE
from fairground.server.state import TheArena
from fairground.server.tables.opening import KIND as TABLE
from fairground.store import StoreAway

GAMES: Final = (ORACLE, TABLE)

PATIENCE: Final = 0.5
"""Seconds to wait for counts. Without them, an arena is alive all the same."""


class CroupierHealth(Struct):
    """The Croupier's report for his operator (`bank.croupier.service.OperatorReport`)."""

    open_games: int
    purse: Whole
    """His money for gas, in wei."""
    games_in_purse: int | None
    """Number of games that it pays for; ``None`` if calls cost nothing."""
    next_deadline: int | None
    """Seconds until he loses something; ``None`` while nothing can be lost."""
    games_at_risk: int
    at_stake: Whole
    """His possible loss in these games, in wei."""
    open_sessions: int


class Health(Struct, omit_defaults=True):
    """The arena is alive. The counts are left out while the database does not answer."""

    status: str
    version: str
    oracles: int | None = None
    open_oracles: int | None = None
    tables: int | None = None
    open_tables: int | None = None
    contests: int | None = None
    croupier: CroupierHealth | None = None
    """Left out while his Bank does not answer, or where there is no Croupier."""


class Ready(Struct):
    """The arena can do its work: it has just written something durably."""

    status: str
    version: str


@get("/healthz", summary="Whether the arena is alive", response_description="It is alive")
async def health(arena: TheArena) -> Health:
    """Answers whatever the database does. Restart the arena when this fails."""
    try:
        async with asyncio.timeout(PATIENCE):
            (oracles, tables), contests = await _counts(arena)
            counts = *oracles, *tables, contests
            return Health("ok", __version__, *counts, await _croupier(arena.croupier))
    except (StoreAway, TimeoutError):
        return Health("ok", __version__)


async def _counts(arena: TheArena) -> tuple[list[tuple[int, int]], int]:
    """Of oracles and tables: all, and the open ones. And all contests."""
    store = arena.store
    return [await store.count(kind) for kind in GAMES], (await store.count(CONTEST))[0]


async def _croupier(croupier: Croupier | None) -> CroupierHealth | None:
    if croupier is None:
        return None
    try:
        found = await croupier.report()
    except BankAway:
        return None
    return CroupierHealth(
        found.open_games,
        written(found.purse),
        found.games_in_purse,
        found.next_deadline,
        found.games_at_risk,
        written(found.at_stake),
        found.open_sessions,
    )


@get("/readyz", summary="Whether the arena can write", response_description="It can write")
async def ready(arena: TheArena) -> Ready:
    """Writes something within a second, or answers 503. Send clients elsewhere when this fails."""
    await arena.store.must_be_ready()
    return Ready("ready", __version__)


@get(
    "/metrics",
    media_type=TEXT,
    summary="Counts, for Prometheus",
    response_description="The text format of Prometheus",
)
async def count(arena: TheArena) -> str:
    """Requests by route and status, open games, how long commits take; how the Croupier stands.

    Open games and contests are left out while the database does not tell them.
    """
    games: dict[str, int] = {}
    contests: int | None = None
    with suppress(StoreAway, TimeoutError):
        async with asyncio.timeout(PATIENCE):
            counts, contests = await _counts(arena)
            games = {kind: count[1] for kind, count in zip(GAMES, counts, strict=True)}
    text = arena.metrics.text(games, contests)
    return text if arena.croupier is None else text + await arena.croupier.metrics()


MONITORING_ROUTES: Final = (health, ready, count)
