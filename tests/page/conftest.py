"""An arena for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.server.app import make_app
from tests.helpers.arena import in_a_thread
from tests.helpers.page import page


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real arena that serves the page as its sources are now."""
    page()
    folder = tmp_path_factory.mktemp("arena")
    with in_a_thread(make_app(f"sqlite:///{folder / 'arena.db'}")) as url:
        yield url
