"""``fairground simulate`` for every registered game."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fairground as fg
from fairground.cli import main
from fairground.registry import load
from fairground.verifier import verify
from tests.helpers.installing import install_newgame

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> Run:
    monkeypatch.chdir(tmp_path)

    def command_line(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command_line


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_newgame(tmp_path_factory.mktemp("newgame"))


@pytest.fixture
def morra(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(packages)
    monkeypatch.delitem(fg.GAMES.__dict__, "_others", raising=False)
    yield
    fg.GAMES.__dict__.pop("_others", None)
    # Another test installs the same package elsewhere, and must not find this one.
    for name in [name for name in sys.modules if name.partition(".")[0] == "morra"]:
        del sys.modules[name]
    load.cache_clear()


def test_every_registered_game_is_simulated(run: Run, morra: None) -> None:
    games = list(fg.GAMES)
    assert "morra/1" in games
    for name in games:
        code, text, error = run("simulate", name, "--games", 6, "--seed", "s", "--json")
        assert code == 0, error
        told = json.loads(text)
        assert (told["game"], told["games"], told["seed"]) == (name, 6, "s")
        assert all(sum(one["counts"].values()) == 6 for one in told["entrants"])


def test_the_sixth_game_by_its_words(run: Run, morra: None, tmp_path: Path) -> None:
    arguments = ["simulate", "morra", "rounds=2", "--players", "mcts:20,random", "--seed", "s"]
    code, text, _ = run(*arguments, "--games", 30, "--mirror", "--out", "morra.csv")
    assert code == 0
    assert text.startswith("30 games, 30 rows in morra.csv\n")
    assert "mcts:20" in text
    head, *rows = Path("morra.csv").read_text().splitlines()
    assert head == "game,deal,lineup,payoff_player1,payoff_player2,turns,draws"
    assert all(row.split(",")[-2:] == ["2", "2"] for row in rows)
    assert run("dataset", "verify", "morra.csv")[0] == 0
    code, text, _ = run(*arguments, "--mirror", "--game", 7, "--transcript", "seven.jsonl")
    assert text.strip() == rows[7]
    assert verify(Path("seven.jsonl").read_bytes()).ok


def test_dice_are_called_dice(run: Run) -> None:
    code, text, _ = run("simulate", "dice", "--games", 500, "--seed", 1, "--json")
    told = json.loads(text)
    assert (code, told["game"]) == (0, "intransitive/1")
    assert [one["name"] for one in told["entrants"]] == ["computer (optimal)", "user (optimal)"]
    difference = told["pairs"][0]["difference"]
    assert difference["low"] < difference["mean"] < difference["high"]


def test_a_comparison_in_words(run: Run) -> None:
    arguments = ["simulate", "codebreaking", "--seat", "breaker=entropy", "--seed", "7"]
    _, text, _ = run(*arguments, "--versus", "breaker=minimax", "--games", 4000)
    assert "breaker=entropy wins more than breaker=minimax: 0." in text
    _, text, _ = run(*arguments, "--versus", "breaker=entropy", "--games", 40)
    assert "breaker=entropy and breaker=entropy are too close to call" in text
    _, text, _ = run("simulate", "dice", "--players", "optimal,random", "--until-separable",
                        "--seed", 7)  # fmt: skip
    assert "that was enough to tell" in text


def test_where_an_interval_holds_less_often_it_is_said_beside_it(run: Run) -> None:
    _, text, _ = run("simulate", "poker", "--games", 50, "--seed", "7")
    assert "the interval holds less often than 95 times in 100" in text
    _, text, _ = run("simulate", "dice", "--games", 50, "--seed", "7")
    assert "less often" not in text


def test_a_cluster_that_does_not_answer_is_named(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setattr("fairground.lab.simulation.PATIENCE", 0.2)
    code, text, error = run("simulate", "zombie", "--cluster", "tcp://127.0.0.1:1")
    assert (code, text) == (2, "") and "no Dask scheduler answers" in error
    assert list(Path().iterdir()) == []
