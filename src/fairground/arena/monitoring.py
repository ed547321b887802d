"""For whoever runs the arena: whether it works, and what it counts."""

from __future__ import annotations

from typing import Any, Final

from litestar import get
from msgspec import Struct

from fairground import __version__
from fairground.arena.croupier.bank_wire import Whole
from fairground.arena.http.metrics import TEXT
from fairground.arena.oracles.keeping import KIND as ORACLE
from fairground.arena.state import TheArena
from fairground.arena.tables.opening import KIND as TABLE
from fairground.bank.bank_port import BankAway
from fairground.bank.croupier.croupier import Croupier
from fairground.core import written


class CroupierHealth(Struct):
    """How the Croupier stands (`bank.croupier.watch.OperatorReport`)."""

    open_games: int
    purse: Whole
    """What he has for gas, in wei."""
    games_in_purse: int | None
    """How many more games that pays for; ``None`` where calls cost nothing."""
    next_deadline: int | None
    """Seconds until he loses something; ``None`` while nothing can be lost."""
    games_at_risk: int
    at_stake: Whole
    """What he loses in these games, in wei."""


class Health(Struct):
    """Whether the arena can work."""

    status: str
    version: str
    oracles: int
    open_oracles: int
    tables: int
    open_tables: int
    croupier: CroupierHealth | None
    """``None``: his Bank does not answer, or there is no Croupier."""


@get("/healthz", summary="Whether the arena can work")
async def health(arena: TheArena) -> Health:
    """Asks the store, so that it is true."""
    every, still_open = await arena.hall.store.count(ORACLE)
    tables, open_tables = await arena.hall.store.count(TABLE)
    counts = (every, still_open, tables, open_tables)
    return Health("ok", __version__, *counts, await _croupier(arena.croupier))


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
    )


@get("/metrics", media_type=TEXT, summary="Counts, for Prometheus")
async def count(arena: TheArena) -> str:
    """Requests by route and status, open games, how long commits take; how the Croupier stands."""
    store, croupier = arena.hall.store, arena.croupier
    text = arena.metrics.text({kind: (await store.count(kind))[1] for kind in (ORACLE, TABLE)})
    return text if croupier is None else text + await croupier.metrics()


MONITORING_ROUTES: Final = (health, count)

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "health": {
        "well": {
            "status": "ok",
            "version": "0.1.0",
            "oracles": 7,
            "open_oracles": 3,
            "tables": 2,
            "open_tables": 1,
            "croupier": {
                "open_games": 2,
                "purse": "90000000000000000",
                "games_in_purse": 58,
                "next_deadline": 3480,
                "games_at_risk": 0,
                "at_stake": 0,
            },
        }
    },
    "count": {"one line of many": 'fairground_open_games{kind="oracle"} 3\n'},
}
"""Examples for the OpenAPI document."""
