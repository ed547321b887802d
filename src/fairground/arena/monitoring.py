"""For whoever runs the arena: whether it works, and what it counts."""

from __future__ import annotations

from typing import Any, Final

from litestar import get
from msgspec import Struct

from fairground import __version__
from fairground.arena.http.metrics import TEXT
from fairground.arena.oracles.keeping import KIND as ORACLE
from fairground.arena.state import TheArena
from fairground.arena.tables.opening import KIND as TABLE


class Health(Struct):
    """Whether the arena can work."""

    status: str
    version: str
    oracles: int
    open_oracles: int
    tables: int
    open_tables: int


@get("/healthz", summary="Whether the arena can work")
async def health(arena: TheArena) -> Health:
    """Asks the store, so that it is true."""
    every, still_open = await arena.hall.store.count(ORACLE)
    tables, open_tables = await arena.hall.store.count(TABLE)
    return Health("ok", __version__, every, still_open, tables, open_tables)


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
        }
    },
    "count": {"one line of many": 'fairground_open_games{kind="oracle"} 3\n'},
}
"""Examples for the OpenAPI document."""
