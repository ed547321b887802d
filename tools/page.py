"""Builds the page: ``python tools/page.py``, or hatchling on the way to an sdist or a wheel.

The sources are in ``web/``; Deno and esbuild make ``src/fairground/web/page/`` of them, which git
ignores. An sdist brings the page along, so only a checkout needs Deno. Nothing is built
again while the sources are the same.

Before a release, ``python tools/page.py --changelog`` writes the hash of verify.html into the
changelog.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # called by hand
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
BOTS = ROOT / "examples" / "bots"
CONTRACTS = ROOT / "src" / "fairground" / "bank" / "chain" / "contracts"
CHANGELOG = ROOT / "CHANGELOG.md"
PAGE = ROOT / "src" / "fairground" / "web" / "page"
BUILT_FROM = WEB / "node_modules" / ".built-from"
"""The digest of the sources of the page that is there."""

DENO = "deno>=2.9,<3"
NOT_SOURCES = ("node_modules", "test")


class PageHook(BuildHookInterface):
    """The hook that hatchling calls."""

    def dependencies(self) -> list[str]:
        """The inputs of a build."""
        return [] if _is_sdist() else [DENO]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a wheel or an sdist is written."""
        if not _is_sdist():
            build()
        elif not (PAGE / "index.html").exists():
            raise FileNotFoundError(f"this sdist was made without its page: {PAGE}")


def _is_sdist() -> bool:
    return (ROOT / "PKG-INFO").exists()


def build() -> None:
    """Build the page if it is not there, or older than its sources."""
    BUILT_FROM.parent.mkdir(exist_ok=True)
    with (BUILT_FROM.parent / ".building").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        digest = _digest_of_sources()
        if BUILT_FROM.exists() and BUILT_FROM.read_text() == digest and PAGE.exists():
            return
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "page"
            made.mkdir()
            build_into(made)
            shutil.rmtree(PAGE, ignore_errors=True)
            shutil.copytree(made, PAGE)
        BUILT_FROM.write_text(digest)


def build_into(folder: Path) -> None:
    """Build the page into an empty folder."""
    _deno("install", "--frozen", "--quiet")
    _deno("run", "--allow-all", "--frozen", "build.ts", str(folder))


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted([*WEB.rglob("*"), *BOTS.iterdir(), *CONTRACTS.iterdir()]):
        name = path.relative_to(ROOT)
        if path.is_file() and not set(name.parts) & set(NOT_SOURCES):
            digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _deno(*arguments: str) -> None:
    beside = Path(sys.executable).with_name("deno")
    deno = str(beside) if beside.exists() else shutil.which("deno")
    if deno is None:
        sys.exit(f"Deno builds the page, and is not here: pip install '{DENO}'")
    quiet = os.environ | {"DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        [deno, *arguments], cwd=WEB, env=quiet, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"deno {' '.join(arguments)}\n{done.stdout}{done.stderr}")


def write_changelog() -> None:
    """Put the SHA-256 of verify.html where the changelog has it."""
    digest = hashlib.sha256((PAGE / "verify.html").read_bytes()).hexdigest()
    text = CHANGELOG.read_text()
    CHANGELOG.write_text(re.sub(r"(?<=in this version:\n  `)[0-9a-f]{64}", digest, text, count=1))


if __name__ == "__main__":
    build()
    if sys.argv[1:] == ["--changelog"]:
        write_changelog()
