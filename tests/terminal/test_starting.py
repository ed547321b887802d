"""Commands start quickly: a first prompt imports no heavy package and no server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from fairground.core import UnknownName
from fairground.games.intransitive.rules import Die, Intransitive
from fairground.games.intransitive.screen import HelpTable
from fairground.players import Player
from fairground.terminal import evening
from fairground.terminal.console import Ink

PLAYTHROUGH = (
    Path(__file__).parent.parent / "playthroughs/fatestones-1-deal--hash-chains-chain.jsonl"
)
DICE = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")
HEAVY = {"matplotlib", "numba", "numpy", "ortools", "rich.console", "urllib.request"}
"""Packages that no first prompt needs: array code, tables in colour, pictures, an HTTP client."""
SERVER_AND_BANK = ("fairground.server", "fairground.bank", "fairground.lab", "fairground.store")
AT_THE_PROMPT = """\
import sys
import fairground.terminal.console as console
from fairground.cli import main

def stop():
    print("seen", *sys.modules, file=sys.stderr)
    raise console.EndOfInput

console._line = stop
main(sys.argv[1:])
"""


def _modules(home: Path, *arguments: str) -> set[str]:
    """All modules that a command has imported when it asks for its first line.

    Its game is saved, as it mostly is.
    """
    ran = subprocess.run(
        [sys.executable, "-c", AT_THE_PROMPT, *arguments],
        env={**os.environ, "XDG_DATA_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    (seen,) = [line for line in ran.stderr.splitlines() if line.startswith("seen ")]
    return set(seen.split()[1:])


@pytest.mark.parametrize(
    "command",
    [("dice", *DICE), ("codebreaking",), ("zombie",), ("fatestones",)],
    ids=lambda command: command[0],
)
def test_a_first_prompt_imports_nothing_heavy(command: tuple[str, ...], tmp_path: Path) -> None:
    assert heavy(_modules(tmp_path, *command)) == []
    asks_for_names_first = command == ("zombie",)
    assert asks_for_names_first or list(tmp_path.rglob("*.jsonl"))


def heavy(modules: set[str]) -> list[str]:
    return sorted(name for name in modules if name in HEAVY or name.startswith(SERVER_AND_BANK))


@pytest.mark.parametrize("command", [("--version",), ("verify", str(PLAYTHROUGH))])
def test_nor_do_commands_that_ask_nothing(command: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom fairground.cli import main\nmain(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    assert heavy(set(ran.stderr.split())) == []


def test_a_wheel_turns_only_for_players_that_may_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited = []

    def patiently(what: str, work: Callable[[], Player]) -> Player:
        waited.append(what)
        return work()

    monkeypatch.setattr("fairground.terminal.evening.patiently", patiently)
    house, game = evening.HousePlayers(), Intransitive.from_params({})
    for spec in ("optimal", "random", "mcts:5"):
        house.make(spec, game, 0)
    assert waited == ["mcts:5 gets ready"]
    with pytest.raises(UnknownName, match="no player named 'perfect'"):
        house.make("perfect", game, 0)


@pytest.mark.parametrize("columns", [30, 40, 80])
def test_the_odds_fit_a_narrow_terminal(columns: int) -> None:
    dice = [Die(tuple(range(n, n + 20))) for n in range(4)]
    table = HelpTable(dice, Ink(columns, lines=24))
    shown = StringIO()
    console = Console(file=shown, width=1000)
    for page in table.pages(columns, 24):
        console.print(table.table(*page))
    assert max(map(len, shown.getvalue().splitlines())) <= columns
