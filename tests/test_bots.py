"""The bots of examples/bots, each as a real process in a mixed contest of a live arena."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena_server import in_a_thread
from fairground.arena.app import make_app
from fairground.contest_file import check
from fairground.players.arena_client import Arena

BOTS = Path(__file__).parent.parent / "examples" / "bots"

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
)
GAMES = 7


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with in_a_thread(make_app(f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db")) as url:
        yield Arena(url)


def run(language: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMANDS[language], *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_every_example_is_run() -> None:
    assert {Path(command[-1]).name for command in COMMANDS.values()} == {
        path.name for path in BOTS.iterdir() if path.is_file()
    }


@pytest.mark.parametrize("language", COMMANDS)
def test_a_bot_plays_a_mixed_contest(arena: Arena, language: str) -> None:
    contest = arena.new_contest(*MIXED)
    team = rf'{language} "\o/"'
    done = run(language, contest.uri, team, "1.0")
    assert done.returncode == 0, done.stderr
    told = [int(word) for word in re.findall(r"^game \d+: (\d+) guesses$", done.stdout, re.M)]
    assert len(told) == GAMES
    (seen,) = contest.watch().teams
    assert (seen.name, seen.version, seen.rank, seen.training) == (team, "1.0", 1, False)
    assert (seen.solved, seen.still_open) == (GAMES, 0)
    assert seen.mean is not None
    assert round(float(seen.mean) * GAMES) == sum(told), "it counts as the arena does"

    again = run(language, contest.uri, team, "1.0")
    assert again.returncode == 1
    assert "arena/conflict" in again.stderr and "Traceback" not in again.stderr

    contest.close()
    verdict = check(contest.file())
    assert verdict.ok, verdict.fault
    assert verdict.table is not None
    (row,) = verdict.table["official"]
    assert (row["solved"], row["worst"]) == (GAMES, max(told))


@pytest.mark.parametrize("language", COMMANDS)
def test_a_bot_explains_itself(language: str) -> None:
    done = run(language)
    assert done.returncode != 0
    assert "CONTEST_WATCH_URI TEAM VERSION" in done.stderr
