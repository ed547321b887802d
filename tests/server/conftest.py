"""What several tests of the arena need."""

from __future__ import annotations

import pytest

from fairground.server import monitoring


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """``/healthz`` leaves its counts out after half a second; here it waits for them."""
    monkeypatch.setattr(monitoring, "PATIENCE", 60)
