"""Commands begin quickly: what a first prompt does not need is not imported before it.

Our own answers stand in for large packages there, and are compared with them here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich import cells
from rich.console import Console

from fairground.core import UnknownName
from fairground.games.intransitive import Die, Intransitive
from fairground.players import Player
from fairground.terminal.evening import tables
from fairground.terminal.ink import Ink, terminal_size
from fairground.terminal.intransitive.odds import HelpTable
from fairground.terminal.zombie.look import cells_of, fitted

PLAYTHROUGH = (
    Path(__file__).parent.parent / "playthroughs/fatestones-1-deal--hash-chains-chain.jsonl"
)
DICE = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")
LATER = {
    "asyncio", "dataclasses", "fractions", "inspect", "numba", "numpy", "pathlib", "platformdirs",
    "rich", "select", "shlex", "shutil", "subprocess", "threading", "urllib",
    "fairground.verify", "fairground.solve", "fairground.terminal.proof",
    "fairground.terminal.waiting",
}  # fmt: skip
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
def test_a_first_prompt_waits_for_nothing_large(command: tuple[str, ...], tmp_path: Path) -> None:
    assert _modules(tmp_path, *command) & LATER == set()
    asks_for_names_first = command == ("zombie",)
    assert asks_for_names_first or list(tmp_path.rglob("*.jsonl"))


def test_zombies_are_asked_for_their_names_before_there_is_a_table(tmp_path: Path) -> None:
    table = {"fairground.table", "fairground.transcript", "fairground.fair.bits"}
    assert _modules(tmp_path, "zombie") & table == set()
    assert _modules(tmp_path, "fatestones") & table == table


def test_an_end_looks_through_nothing_again() -> None:
    """What Python would do before it ends takes a tenth of a short command."""
    code = (
        "import atexit, gc\n"
        "atexit.register(lambda: print('kept', gc.get_freeze_count() > 10_000))\n"
        "from fairground.cli import main\nmain(['--version'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[1:] == ["kept True"]


def test_nor_does_verify() -> None:
    code = (
        "import sys\nfrom fairground.cli import main\nmain(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "verify", str(PLAYTHROUGH)],
        capture_output=True,
        text=True,
        check=True,
    )
    proven = {"fairground.verify", "fairground.terminal.proof"}
    assert set(ran.stderr.split()) & LATER == proven


def test_a_wheel_turns_only_for_players_that_may_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited = []

    def patiently(what: str, work: Callable[[], Player]) -> Player:
        waited.append(what)
        return work()

    monkeypatch.setattr("fairground.terminal.waiting.patiently", patiently)
    house, game = tables.HousePlayers(), Intransitive.from_params({})
    for spec in ("optimal", "random", "mcts:5"):
        house.make(spec, game, 0)
    assert waited == ["mcts:5 gets ready"]
    with pytest.raises(UnknownName, match="no player named 'perfect'"):
        house.make("perfect", game, 0)


@pytest.mark.parametrize("columns", ["", "0", "-3", "40", "x", "132"])
@pytest.mark.parametrize("lines", ["", "7"])
def test_the_size_of_a_terminal_is_what_shutil_says(
    columns: str, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", lines)

    def told(*_: object) -> os.terminal_size:
        return os.terminal_size((100, 0))

    assert terminal_size() == shutil.get_terminal_size()
    monkeypatch.setattr(os, "get_terminal_size", told)
    assert terminal_size((96, 24)) == shutil.get_terminal_size((96, 24))


@given(st.text(st.characters(max_codepoint=0x1FAFF, exclude_categories=["Cs"])), st.integers(0, 30))
@example("a\x1bb", 2)
@example("🧟 eats 🧠", 30)
@example("🟩G🟨Y🟥R", 3)
@settings(max_examples=200)
def test_cells_are_those_that_rich_counts(text: str, room: int) -> None:
    assert cells_of(text) == cells.cell_len(text)
    assert fitted(text, room) == cells.set_cell_size(text, room)


@pytest.mark.parametrize("columns", [30, 40, 80])
def test_the_odds_fit_a_narrow_terminal(columns: int) -> None:
    dice = [Die(tuple(range(n, n + 20))) for n in range(4)]
    table = HelpTable(dice, Ink(columns, lines=24))
    shown = StringIO()
    console = Console(file=shown, width=1000)
    for page in table.pages(columns, 24):
        console.print(table.table(*page))
    assert max(map(len, shown.getvalue().splitlines())) <= columns
