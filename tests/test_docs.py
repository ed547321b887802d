"""Every command in a document is executed, and prints what the document says.

In a ``console`` block, a line behind ``$ `` is a command for the shell; what follows is its
output, in which ``...`` stands for anything. ``# exit 1`` behind a command says that it fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers.places import ROOT

DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]
    if "```console" in path.read_text()
)


class Step(NamedTuple):
    command: str
    expected: str
    exit_code: int
    line: int


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
    for word in ("$ printf", "fairground dice", "$ fairground verify", "tampered", "DOES NOT HOLD"):
        assert word in screen


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_the_document(document: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "COLUMNS": "100",
    }
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
