"""Every command in a document is executed, and prints what the document says.

In a ``console`` block, a line behind ``$ `` is a command for the shell; what follows is its
output, in which ``...`` stands for anything. ``# exit 1`` behind a command says that it fails.

In a document that says ``import fairground as fg``, the ``python`` blocks are one program, run from
top to bottom; a ``text`` block right behind one is what it prints. An arena answers at the address
that the documents name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import fairground as fg
from fairground.server.app import make_app
from tests.helpers.anvil import TOOLS
from tests.helpers.arena import in_a_thread
from tests.helpers.installing import install_newgame
from tests.helpers.page import page
from tests.helpers.places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
DOCUMENTS = [path for path in PAGES if "```console" in path.read_text()]
PROGRAMS = [path for path in PAGES if "```python\nimport fairground as fg" in path.read_text()]
ARENA = "http://127.0.0.1:8000"

ANVIL = next((TOOLS / "@foundry-rs").glob("anvil-*/bin"), TOOLS)
"""Folder of the node anvil, if it is installed."""


class Step(NamedTuple):
    command: str
    expected: str
    exit_code: int
    line: int


class Block(NamedTuple):
    code: str
    expected: str
    line: int


def blocks(text: str) -> list[Block]:
    """The Python of a document, each piece with what it is said to print."""
    found: list[Block] = []
    kind = before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            before, kind = kind, line[3:]
            if kind == "python":
                found.append(Block("", "", number))
        elif kind == "python":
            found[-1] = found[-1]._replace(code=found[-1].code + line + "\n")
        elif kind == "text" and found:
            found[-1] = found[-1]._replace(expected=found[-1].expected + line + "\n")
    assert kind == "", f"a block is not closed after {before}"
    return found


def steps(document: Path) -> list[Step]:
    found: list[Step] = []
    inside = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            code = re.search(r"# exit (\d+)$", line)
            found.append(Step(line[2:], "", int(code[1]) if code else 0, number))
        elif inside:
            found[-1] = found[-1]._replace(expected=found[-1].expected + line + "\n")
    return found


def matches(expected: str, printed: str) -> bool:
    """Compare line by line; ``...`` is anything, alone on a line it is any number of lines."""
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r" *\n"
    if printed and not printed.endswith("\n"):
        printed += "\n"  # curl prints what it gets, and JSON needs no line feed
    return re.fullmatch(pattern, printed) is not None


def test_the_matcher_can_refuse() -> None:
    assert matches("a...c\n", "abc\n")
    assert matches("a\n...\nz\n", "a\nb\nc\nz\n")
    assert not matches("a\n...\nz\n", "a\nb\nc\n")
    assert not matches("ab\n", "ac\n")
    assert not matches("ab\n", "ab\nmore\n")


def test_the_first_screen_of_the_readme_plays_verifies_and_tampers() -> None:
    screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:40])
    for word in ("$ printf", "fairground dice", "$ fairground verify", "tampered", "INVALID"):
        assert word in screen


def test_the_second_screen_of_the_readme_is_python_in_15_lines() -> None:
    (block,) = blocks((ROOT / "README.md").read_text())
    assert len([line for line in block.code.splitlines() if line.strip()]) <= 15
    assert block.line < 60


def test_every_name_of_the_front_door_is_documented() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    missing = [name for name in fg.__all__ if not re.search(rf"\bfg\.{name}\b", page)]
    assert not missing


@pytest.mark.parametrize("document", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_python_of_the_document(document: Path, tmp_path: Path) -> None:
    found = blocks(document.read_text())
    program = "\nprint('=' * 99)\n".join(block.code for block in found)
    with in_a_thread(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as url:
        (tmp_path / "program.py").write_text(program.replace(ARENA, url))
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split("=" * 99 + "\n")
    assert len(printed) == len(found)
    for block, said in zip(found, printed, strict=True):
        assert matches(block.expected, said), f"{document.name}:{block.line}:\n{said}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_the_document(document: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": ":".join([str(Path(sys.executable).parent), str(ANVIL), os.environ["PATH"]]),
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "COLUMNS": "100",
    }
    if "examples/newgame" in document.read_text():
        packages = install_newgame(tmp_path / "packages")
        environment["PYTHONPATH"] = os.pathsep.join([*sys.path, str(packages)])
    page()  # the arenas of these documents serve it
    todo = steps(document)
    assert todo
    for step in todo:
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        where = f"{document.name}:{step.line}: {step.command}\n{done.stdout}{done.stderr}"
        assert done.returncode == step.exit_code, where
        assert matches(step.expected, done.stdout), where
