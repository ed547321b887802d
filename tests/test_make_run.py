"""``make run``, as a new user types it: the arena answers, with the embedded default."""

from __future__ import annotations

import os
import signal
import subprocess
import urllib.request
from pathlib import Path

from tests.helpers.places import ROOT


def test_make_run_serves_the_arena(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    make = subprocess.Popen(
        ["make", "--no-print-directory", "run", "ARGS=--port 0"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert make.stdout is not None
        line = next(line for line in make.stdout if "http://" in line)
        url = next(word for word in line.split() if word.startswith("http://"))
        with urllib.request.urlopen(f"{url}/healthz", timeout=60) as answer:
            assert answer.status == 200
        assert list(tmp_path.rglob("arena.db"))
    finally:
        os.killpg(make.pid, signal.SIGTERM)
        make.communicate(timeout=60)
