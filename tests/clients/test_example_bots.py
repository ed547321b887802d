"""The bots of examples/bots, each as a real process in a mixed contest of a live arena."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.clients.oracles import Arena
from fairground.contest.file import check
from fairground.server.serve import GatedArena, Settings
from tests.helpers.arena import in_a_thread
from tests.helpers.places import ROOT

BOTS = ROOT / "examples" / "bots"

COMMANDS = {
    # Without site packages: the standard library is all that this bot can have.
    "python": [sys.executable, "-I", "-S", str(BOTS / "python_bot.py")],
    "javascript": ["node", str(BOTS / "bot.js")],
    "java": ["java", "-XX:TieredStopAtLevel=1", str(BOTS / "Bot.java")],
    "bash": ["bash", str(BOTS / "bot.sh")],
}
MIXED = (
    {"base": 6, "length": 4, "games": 1},
    {"base": 3, "length": 3, "oracle_type": "evil", "games": 2},
    {"base": 9, "length": 2, "oracle_type": "nice", "games": 1},
    {"base": 12, "length": 2, "games": 1},
    {"base": 2, "length": 1, "games": 2},
    {"base": 2, "length": 40, "games": 1},
)
"""In the last one, the codes are too many for anybody's memory."""
GAMES = 8


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    app: Any = GatedArena(Settings(f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db"))
    with in_a_thread(app) as url:
        yield Arena(url)


def run(language: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMANDS[language], *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_every_example_is_run() -> None:
    assert {Path(command[-1]).name for command in COMMANDS.values()} == {
        path.name for path in BOTS.iterdir() if path.is_file()
    }


@pytest.mark.parametrize("language", COMMANDS)
def test_a_bot_plays_a_mixed_contest(arena: Arena, language: str, tmp_path: Path) -> None:
    contest = arena.new_contest(*MIXED)
    team = rf'{language} "\o/"'
    done = run(language, tmp_path, contest.uri, team, "1.0")
    assert done.returncode == 0, done.stderr
    told = [int(word) for word in re.findall(r"^game \d+: (\d+) guesses$", done.stdout, re.M)]
    assert len(told) == GAMES
    (seen,) = contest.watch().teams
    assert (seen.team_name, seen.software_version) == (team, "1.0")
    assert (seen.rank, seen.training) == (1, False)
    assert (seen.solved, seen.still_open) == (GAMES, 0)
    assert seen.mean is not None
    assert round(float(seen.mean) * GAMES) == sum(told), "it counts as the arena does"

    again = run(language, tmp_path, contest.uri, team, "1.0")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("over already") == GAMES, "it is the same entry"
    (secrets,) = tmp_path.iterdir()
    assert secrets.stat().st_mode & 0o077 == 0, "whoever has it can end the entry"
    ours, key = secrets.read_text().split()
    secrets.write_text(f"{ours}\n")  # as if the first answer had never arrived
    again = run(language, tmp_path, contest.uri, team, "1.0")
    assert again.returncode == 0, again.stderr
    assert secrets.read_text() == f"{ours}\n{key}\n", "the same key is told again"
    trained = run(language, tmp_path, contest.uri, team, "1 \"é'")
    assert trained.returncode == 0, trained.stderr
    assert contest.watch().teams[1].training
    secrets.unlink()
    stranger = run(language, tmp_path, contest.uri, team, "2.0")
    assert stranger.returncode == 1
    assert "needs its team_key" in stranger.stderr and "Traceback" not in stranger.stderr

    contest.close()
    verdict = check(contest.file())
    assert verdict.ok, verdict.fault
    assert verdict.table is not None
    (row,) = verdict.table["official"]
    assert (row["solved"], row["worst"]) == (GAMES, max(told))


@pytest.mark.parametrize("language", COMMANDS)
def test_a_bot_explains_itself(language: str, tmp_path: Path) -> None:
    done = run(language, tmp_path)
    assert done.returncode != 0
    assert "CONTEST_WATCH_URI TEAM VERSION" in done.stderr


def test_every_command_of_the_page_for_authors(arena: Arena, tmp_path: Path) -> None:
    """One script of all its ``sh`` blocks, after its Python files have been written down."""
    text = (ROOT / "docs" / "bots.md").read_text()
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", text, re.M | re.S)
    script = "set -euo pipefail\n"
    for language, block in blocks:
        if language == "python":
            name = block.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(block)
        elif block != "fairground serve\n":
            script += block.replace("http://127.0.0.1:8000", arena.url)
    assert script.count("fairground ") == 4
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("8 of 8 solved") == 2
    assert len(re.findall(r"^game \d: \d+ guesses$", done.stdout, re.M)) == 8
    assert len(re.findall(r"^3 2 \d$", done.stdout, re.M)) == 4
    assert "The record is valid." in done.stdout
    table = " ".join(done.stdout.split()).partition("contest.jsonl is valid")[2]
    for team in ("House 1", "Mine 0.1", "Snakes 1.0"):
        assert f"{team}: 8 solved, 0 unfinished" in table
