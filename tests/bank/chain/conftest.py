"""Two EVMs for the contract: py-evm in this process, and a node that others wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.anvil import Anvil, anvil
from tests.helpers.anvil_evm import OPTIONS, AnvilEvm
from tests.helpers.evm import Evm


@pytest.fixture(scope="session")
def lasting_node() -> Iterator[Anvil]:
    """One node for all tests that ask for a chain: each opens a Bank of its own."""
    with anvil(*OPTIONS) as running:
        yield running


@pytest.fixture(params=["py-evm", "anvil"])
def evm(request: pytest.FixtureRequest) -> Evm:
    """A chain; each test runs on both kinds."""
    if request.param == "py-evm":
        return Evm()
    return AnvilEvm(request.getfixturevalue("lasting_node"))
