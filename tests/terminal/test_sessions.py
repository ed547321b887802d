"""Whole sessions at a terminal: what is typed, and all that is printed.

A file of ``sessions`` begins with a command and the lines that are typed (``>`` alone is Enter).
Behind an empty line comes the whole screen. Then come the exit code and what the record says. All
chance is the same in every run. ``mistakes.txt`` has many commands that are refused, each with all
that it says.

``make screens`` writes these files again. Look at what changed before you commit them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from fairground import __version__
from tests.helpers.told import Told
from tests.terminal.conftest import Here

FOLDER = Path(__file__).parent / "sessions"
MISTAKES = FOLDER / "mistakes.txt"
SESSIONS = [path for path in sorted(FOLDER.glob("*.txt")) if path != MISTAKES]
MAKING = bool(os.environ.get("SHOTS"))


@pytest.fixture
def told(here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Told]:
    """Run commands with the same chance every time."""
    drops = count()
    monkeypatch.setattr(
        "secrets.token_bytes", lambda n: hashlib.shake_256(b"%d" % next(drops)).digest(n)
    )
    for path in FOLDER.iterdir():
        if path.suffix != ".txt":
            shutil.copy(path, tmp_path)
    return lambda command, typed="": here(typed, *shlex.split(command))


def summary(told: Told) -> str:
    """Return the exit code, and the moves, notes, claims and payoff of the record."""
    said = f"exit {told.code}\n"
    if told.transcript:
        left = [(e["seat"], e["by"], e["reason"]) for e in told.events if e["kind"] == "forfeit"]
        said += f"moves: {told.moves}\nnotes: {told.notes}\nleft: {left}\n"
        said += f"claims: {' '.join(told.claims)}\npayoff: {told.verdict.payoff}\n"
    return said


@pytest.mark.parametrize(
    "name", sorted({path.stem for path in FOLDER.glob("*.txt")} - {"mistakes"})
)
def test_a_session_looks_as_it_did(name: str, told: Callable[..., Told]) -> None:
    path = FOLDER / f"{name}.txt"
    head, _, before = path.read_text().partition("\n\n")
    command, *lines = head.splitlines()
    typed = "".join(f"{line[2:]}\n" for line in lines)
    found = told(command.removeprefix("$ fairground "), typed)
    shown = f"{found.out}{found.err}{summary(found)}".replace(f"(v {__version__})", "(v VERSION)")
    if MAKING:
        path.write_text(f"{head}\n\n{shown}")
    else:
        assert shown == before


def mistakes() -> dict[str, str]:
    """Return what each command says."""
    parts = re.split(r"^\$ fairground (.*)\n", MISTAKES.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("command", mistakes())
def test_a_mistake_is_explained(command: str, told: Callable[..., Told]) -> None:
    assert refused(told, command) == mistakes()[command]


def refused(told: Callable[..., Told], command: str) -> str:
    """Return all that a command says that must change nothing."""
    before = sorted(Path().iterdir())
    found = told(command)
    assert found.code == 2
    assert sorted(Path().iterdir()) == before, "nothing was written"
    return (found.out + found.err).replace(f"(v {__version__})", "(v VERSION)")


@pytest.mark.skipif(not MAKING, reason="only `make screens` writes")
def test_mistakes_are_written(told: Callable[..., Told]) -> None:
    said = [f"$ fairground {command}\n{refused(told, command)}" for command in mistakes()]
    MISTAKES.write_text("".join(said))
