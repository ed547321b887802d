"""The files built for browsers, and Deno, which builds and checks them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.helpers.places import ROOT

WEB = ROOT / "web"
DENO = Path(sys.executable).with_name("deno")


@cache
def page() -> Path:
    """The folder with the built page, as the sources are now."""
    subprocess.run([sys.executable, ROOT / "tools" / "page.py"], check=True)
    return ROOT / "src" / "fairground" / "web" / "page"


def deno(*arguments: str, standard_input: str = "") -> str:
    """Run Deno in web/; what it prints."""
    page()  # which installs what the sources import
    done = subprocess.run(
        [str(DENO), *arguments],
        cwd=WEB,
        input=standard_input,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
    return done.stdout
