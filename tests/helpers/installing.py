"""Installing with uv, and the example game where nothing else is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

from tests.helpers.places import ROOT

NEWGAME = ROOT / "examples" / "newgame"


def uv(*arguments: str | Path) -> None:
    """Run uv: from its cache alone; only if that does not suffice, from the index."""
    for offline in (["--offline"], []):
        done = subprocess.run(
            [find_uv_bin(), *arguments, "-q", *offline], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return
    raise AssertionError(done.stderr)


def install_newgame(folder: Path) -> Path:
    """Install the example game into this folder, which then belongs on the path."""
    uv("pip", "install", "--python", sys.executable, "--no-deps", "--target", folder, NEWGAME)
    return folder
