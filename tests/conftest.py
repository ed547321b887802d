"""Settings for the whole suite: the same examples every time, and signals as in a terminal."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from fairground.games import GAMES
from fairground.testing.driving import listing_of
from fairground.testing.toys import Toy
from tests.helpers.browser import browser
from tests.helpers.stores import cluster, let_go, postgres_url, store, store_url
from tests.helpers.width import WIDE

__all__ = ["browser", "cluster", "let_go", "postgres_url", "store", "store_url"]

settings.register_profile(
    "fairground",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fairground")

# A suite that is started in the background begins with these signals ignored, and so would every
# program that a test starts: Ctrl-C on its terminal would do nothing.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
    if signal.getsignal(number) is signal.SIG_IGN:
        usual = signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL
        signal.signal(number, usual)

# Some machines keep no bytecode. Then each of the many programs that tests start would compile the
# whole package again, which takes about as long as all that it does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the campaign's tests out of the suite."""
    if not WIDE:
        items[:] = [item for item in items if item.get_closest_marker("campaign") is None]


@pytest.fixture(autouse=True, scope="session")
def own_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what belongs to whoever runs the suite.

    All workers share one cache. Deno and uv keep theirs, which hold packages.
    """
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in (("DENO_DIR", "deno"), ("UV_CACHE_DIR", "uv")):
            patch.setenv(name, os.environ.get(name, str(Path(usual, folder))))
        patch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """The toy game, registered for one test; gives its name."""
    monkeypatch.setitem(GAMES.listed, Toy.name, listing_of(Toy))
    return Toy.name
