"""Every keeper of a Bank obeys the same laws (`bank_laws`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.helpers.bank_laws import LAWS, House, Law, furnished
from tests.helpers.banks import embedded, in_a_database, over_http

KEEPERS: dict[str, Callable[[str], AbstractAsyncContextManager[House]]] = {
    "ledger": in_a_database,
    "ledger over HTTP": over_http,
    "embedded chain": embedded,
}


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_keeper_obeys_every_law(keeper: str, law: Law, tmp_path: Path) -> None:
    async def run() -> None:
        async with KEEPERS[keeper](f"sqlite:///{tmp_path}/bank.db") as house:
            await law(await furnished(house))

    asyncio.run(run())
