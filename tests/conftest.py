"""Settings for the whole suite: property tests draw the same examples every time."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from fairground.testing.toys import toy
from tests.helpers.stores import cluster, store_url

__all__ = ["cluster", "store_url", "toy"]

settings.register_profile(
    "fairground",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fairground")
