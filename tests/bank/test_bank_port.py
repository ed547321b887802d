"""Every keeper of a Bank obeys the same laws (`bank_laws`)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.helpers.bank_laws import LAWS, House, Law, furnished
from tests.helpers.banks import in_a_database, on_a_chain, over_http
from tests.helpers.width import WIDE

KEEPERS: dict[str, Callable[[str], AbstractAsyncContextManager[House]]] = {
    "ledger": in_a_database,
    "ledger over HTTP": over_http,
    "chain": on_a_chain,
}


HOW = [
    (keeper, law)
    for keeper in KEEPERS
    for law in LAWS
    if WIDE or keeper == "ledger" or law in LAWS[::2]
]
"""The other two keepers are slow: they show half of the laws in the suite, all in a campaign."""


@pytest.mark.parametrize(("keeper", "law"), HOW, ids=lambda one: getattr(one, "__name__", one))
async def test_every_keeper_obeys_every_law(keeper: str, law: Law, tmp_path: Path) -> None:
    async with KEEPERS[keeper](f"sqlite:///{tmp_path}/bank.db") as house:
        await law(await furnished(house))


def test_nothing_of_a_chain_is_loaded_before_it_is_needed() -> None:
    script = "import fairground.bank.bank_port, fairground.cli, sys; print('web3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"False\n"
