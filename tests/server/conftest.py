"""What several tests of the arena need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from fairground.server import monitoring
from fairground.server.app import make_app
from tests.helpers.arena import Client


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """``/healthz`` leaves its counts out after half a second; here it waits for them."""
    monkeypatch.setattr(monitoring, "PATIENCE", 60)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/arena.db"


@pytest.fixture
def client(database: str) -> Iterator[Client]:
    """A client of an arena of its own."""
    with TestClient(make_app(database)) as client:
        yield client
