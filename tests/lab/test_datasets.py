"""Files of games: a card that says what they are, and a check that can fail."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import Fault, Unreadable
from fairground.games import make_game
from fairground.lab import datasets
from fairground.lab.datasets import card_path, readme_path, sha256_of, verify
from fairground.lab.plans import plan_of
from fairground.lab.simulation import simulate
from tests.helpers.width import WIDE

Setting = tuple[str, dict[str, Any], tuple[str, ...], dict[str, Any]]

SETTINGS: list[Setting] = [
    ("intransitive/1", {}, ("optimal", "random"), {}),
    ("zombie/2", {}, ("cautious", "greedy"), {"mirror": True}),
    ("codebreaking/1", {}, ("fair", "entropy"), {"versus": {1: "parts"}}),
    ("fatestones/1", {"scratch": "end"}, ("greedy", "random"), {"mirror": True}),
    ("fatestones/1", {}, ("random", "random"), {}),
    ("poker/2", {"level": 1}, ("random", "optimal"), {}),
]


LARGE: Setting = (
    "codebreaking/1",
    {"base": 100, "length": 12, "oracle": "nice"},
    ("nice", "annealing:5"),
    {},
)
"""Codes beyond 64 bits, which are text."""

CASES = [(setting, "csv") for setting in SETTINGS] + [(SETTINGS[3], "parquet")]
if WIDE:
    CASES += [(LARGE, "csv"), (LARGE, "parquet")] + [(one, "parquet") for one in SETTINGS]


@pytest.mark.parametrize(("setting", "ending"), CASES, ids=str)
def test_a_file_verifies_and_can_be_made_again_from_its_readme(
    setting: Any, ending: str, tmp_path: Path, monkeypatch: Any
) -> None:
    name, params, lineup, more = setting
    monkeypatch.chdir(tmp_path)
    path = Path(f"games.{ending}")
    plan = plan_of(make_game(name, params), lineup, "it's a seed", 12, **more)
    simulate(plan, path)
    found = verify(path, sample=50)
    assert found.card.games == plan.games == 12
    assert found.replayed > 8
    told = readme_path(path).read_text()
    for column in json.loads(card_path(path).read_text())["columns"]:
        assert f"| `{column['name']}` | {column['kind']} | {column['says']} |" in told
    before = path.read_bytes()
    for made in (path, card_path(path), readme_path(path)):
        made.unlink()
    (command,) = [line for line in told.splitlines() if line.startswith("    fairground simulate")]
    assert main(shlex.split(command)[1:]) == 0
    assert path.read_bytes() == before


def test_a_changed_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    plan = plan_of(make_game("poker/2", {}), ("random", "optimal"), "s", 30)
    simulate(plan, path)
    lines = path.read_text().splitlines(keepends=True)
    card = json.loads(card_path(path).read_text())

    def write(rows: list[str], **changed: Any) -> None:
        path.write_text("".join(rows))
        told = card | {"sha256": sha256_of(path)} | changed
        card_path(path).write_text(json.dumps(told))

    path.write_text("".join(lines[:-1]))
    with pytest.raises(Fault, match="SHA-256") as fault:
        verify(path)
    assert fault.value.code == "dataset/hash"
    # A forger who also writes a new card: the rules remember how the games went.
    write([lines[0], lines[2], lines[1], *lines[3:]])
    with pytest.raises(Fault, match="went otherwise by the rules"):
        verify(path, sample=1000)
    for rows, code in (
        (lines[:-1], "dataset/size"),
        ([*lines, "1,2\n"], "dataset/row"),
        (["x\n", *lines[1:]], "dataset/header"),
    ):
        write(rows)
        with pytest.raises(Fault) as fault:
            verify(path, sample=0)
        assert fault.value.code == code


def test_a_game_that_does_not_end(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    plan = plan_of(make_game("fatestones/1", {"scratch": "end"}), ("random",) * 2, "s", 60)
    simulate(plan, path)
    rows = path.read_text().splitlines(keepends=True)
    tie = next(i for i, row in enumerate(rows) if row.split(",")[2] == "")
    path.write_text("".join(rows[:tie]))
    card = json.loads(card_path(path).read_text()) | {"sha256": sha256_of(path)}
    card_path(path).write_text(json.dumps(card))
    with pytest.raises(Fault, match="the last game has no end"):
        verify(path, sample=0)


@pytest.mark.parametrize("card", ["", "[]", "{}", '{"format": "other/1"}'])
def test_a_card_that_is_none(card: str, tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    with pytest.raises(Unreadable, match="cannot read"):
        verify(path)
    path.touch()
    card_path(path).write_text(card)
    with pytest.raises(Unreadable, match="is no card"):
        verify(path)


def test_the_command_says_what_holds(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    plan = plan_of(make_game("intransitive/1", {}), ("random", "random"), "s", 20)
    simulate(plan, Path("a.csv"))
    simulate(plan, Path("b.csv"))
    assert main(["dataset", "verify", "a.csv", "--sample", "5"]) == 0
    assert "a.csv: as its card says" in capsys.readouterr().out
    Path("b.csv").write_text("changed")
    assert main(["dataset", "verify", "a.csv", "b.csv", "--json"]) == 1
    good, bad = json.loads(capsys.readouterr().out)["files"]
    assert (good["ok"], good["games"], bad["ok"], bad["code"]) == (True, 20, False, "dataset/hash")
    assert main(["dataset", "verify", "a.csv", "--sample", "-1"]) == 2
    assert "--sample must be" in capsys.readouterr().err
    assert datasets.FORMAT == "fairground-dataset/1"
