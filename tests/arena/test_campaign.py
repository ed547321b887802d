"""A short slice of the campaign against a live arena (tools/arena_campaign.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.helpers.places import ROOT


def test_a_killed_and_fuzzed_arena_keeps_its_promises(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = [sys.executable, str(ROOT / "tools" / "arena_campaign.py")]
    run = subprocess.run(
        [*command, "--seconds", "6", "--result", str(result)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(result.read_text())
    assert found["kills"]["kills"] >= 1 and found["kills"]["submissions answered"] > 0
    assert found["kills"]["counted otherwise"] == 0
    assert len(found["floods"]) == 14
