"""A browser for all tests of the page, and an arena for each module of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from tests.helpers.arena import in_a_thread
from tests.helpers.browser import chromium
from tests.helpers.page import page
from tests.helpers.visitor import Visitor, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def arena(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URL of a real arena that serves the page as its sources are now.

    A module with ``CROUPIER = True`` gets a Croupier of play money as well.
    """
    page()
    database = f"sqlite:///{tmp_path_factory.mktemp('arena') / 'arena.db'}"
    croupier = ArenaCroupier(CroupierPlace()) if hasattr(request.module, "CROUPIER") else None
    with in_a_thread(make_app(database, croupier=croupier)) as url:
        yield url


@pytest.fixture
def ada(browser: Browser, arena: str) -> Iterator[Visitor]:
    """A person with a browser, who is in the lobby."""
    with visiting(browser, arena) as visitor:
        yield visitor
