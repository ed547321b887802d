"""Tests of the Bank are coroutines, each in a loop of its own."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.croupier import House
from tests.helpers.croupier import house as open_house
from tests.helpers.player import PlayersTable, players_table

LONGEST: Final = 300
"""Seconds that a test may take."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine; enter those of its fixtures that are asynchronous contexts."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None

    async def run() -> None:
        async with AsyncExitStack() as stack:
            values = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
            for name, value in values.items():
                if isinstance(value, AbstractAsyncContextManager):
                    values[name] = await stack.enter_async_context(value)
            await test(**values)

    asyncio.run(asyncio.wait_for(run(), LONGEST))
    return True


@pytest.fixture
def house(tmp_path: Path) -> AbstractAsyncContextManager[House]:
    return open_house(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> AbstractAsyncContextManager[PlayersTable]:
    return players_table(tmp_path)
