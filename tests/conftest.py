"""Settings for the whole suite: property tests draw the same examples every time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from fairground.games import GAMES
from fairground.testing.driving import listing_of
from fairground.testing.toys import Toy
from tests.helpers.stores import cluster, store_url

__all__ = ["cluster", "store_url"]

settings.register_profile(
    "fairground",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fairground")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """The toy game, registered for one test; gives its name."""
    monkeypatch.setitem(GAMES.listed, Toy.name, listing_of(Toy))
    return Toy.name
