"""Builds the site of the documents: ``python tools/docs.py``.

Zensical makes a site of ``docs/`` and ``mkdocs.yml``, without network and without
warnings, else this fails. The site is packed into ``src/fairground/web/docs.zip``: git ignores it,
and the arena serves it. Nothing is built again while the sources are the same.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "documents"
SITE = COPY / "build" / "site"
PACKED = ROOT / "src" / "fairground" / "web" / "docs.zip"
BUILT_FROM = ROOT / "build" / ".docs-built-from"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
NOT_SERVED = (".inv", ".xml", "LICENSE")


def sources() -> list[Path]:
    """Sources of the site: documents, settings, and the code whose docstrings it shows."""
    shown = (ROOT / "src" / "fairground").rglob("*.py")
    pages = (path for path in (ROOT / "docs").rglob("*") if path.is_file())
    return sorted([ROOT / "mkdocs.yml", *pages, *shown])


def digest() -> str:
    """One hash of all sources."""
    made = hashlib.sha256()
    for path in sources():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        made.update(f"{path.relative_to(ROOT)} {content}\n".encode())
    return made.hexdigest()


def build() -> None:
    """Build the site, if it is not there or older than its sources."""
    COPY.parent.mkdir(exist_ok=True)
    with (COPY.parent / ".building-docs").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        now = digest()
        if not (PACKED.exists() and BUILT_FROM.exists() and BUILT_FROM.read_text() == now):
            _build()
            BUILT_FROM.write_text(now)


def _copy() -> None:
    """The documents as the site shows them.

    A link to a file of the repository that is no document leads somewhere on a forge, and nowhere
    on the site: there only its text and the name of the file are left.
    """
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT / "docs", COPY / "docs")
    settings = (ROOT / "mkdocs.yml").read_text()
    ours = "paths: [src]"
    assert ours in settings
    settings = settings.replace(ours, f"paths: [{ROOT / 'src'}]")
    (COPY / "mkdocs.yml").write_text(settings)
    for page in (COPY / "docs").rglob("*.md"):
        page.write_text(LINK.sub(lambda link, page=page: _inside(page, link), page.read_text()))


def _inside(page: Path, link: re.Match[str]) -> str:
    text, target = link[1], link[2].partition("#")[0]
    there = Path(os.path.normpath(page.parent / target))
    if not target or ":" in target or there.is_relative_to(COPY / "docs"):
        return link[0]
    return f"{text} (`{there.relative_to(COPY)}`)"


def _build() -> None:
    _copy()
    program = Path(sys.executable).with_name("zensical")
    done = subprocess.run(
        [program, "build", "--strict"],
        cwd=COPY, capture_output=True, text=True, check=False, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    said = done.stdout + done.stderr
    if done.returncode or "Warning" in said:
        raise SystemExit(f"the documents do not make a site:\n{said}")
    _pack()


def _pack() -> None:
    """All files into one, always in the same order and with the same date."""
    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(SITE.rglob("*")):
            if path.is_file() and not path.name.endswith(NOT_SERVED):
                name = zipfile.ZipInfo(path.relative_to(SITE).as_posix(), (2026, 1, 1, 0, 0, 0))
                name.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(name, path.read_bytes())


if __name__ == "__main__":
    build()
