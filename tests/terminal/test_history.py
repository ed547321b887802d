"""``fairground history`` and ``fairground replay``: what was kept, told again in words."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.stats import share
from tests.helpers.places import ROOT
from tests.helpers.pseudo_terminal import on_a_terminal

DICE = ["dice", "2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def play(monkeypatch: pytest.MonkeyPatch, answers: str, *arguments: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    assert main(list(arguments)) in (0, 3)


def test_nothing_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    assert capsys.readouterr().out == "No game has been saved yet. Play one: fairground\n"
    assert main(["history", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"games": []}


def test_every_game_has_an_ending_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    play(monkeypatch, "x\n", *DICE)
    play(monkeypatch, "0123\n", "codebreaking", "--oracle", "nice")
    (tmp_path / "fairground" / "transcripts" / "odd.jsonl").write_text("no record\n")
    capsys.readouterr()
    assert main(["history"]) == 0
    text = capsys.readouterr().out
    assert "Intransitive dice with Computer\n  Computer wins." in text
    assert "Code breaking with Keeper\n  You find the code 0123 with 1 guess." in text
    assert "Code breaking with Keeper: 1 game, 1 won (21% to 100%)" in text
    assert "Intransitive dice with Computer: 1 game, 0 won (0% to 79%)" in text
    assert "odd.jsonl" not in text


def test_the_interval_is_wilsons() -> None:
    found = share(9, 10)
    assert found.low is not None and found.high is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.5958, 0.9821)  # Newcombe, 1998


@pytest.mark.parametrize(
    "record", sorted((ROOT / "tests" / "playthroughs").glob("*.jsonl")), ids=lambda path: path.stem
)
def test_any_record_is_told(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record)]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert ": " in heading and lines
    assert "\x1b" not in "".join(lines)


def test_what_is_hidden_from_the_reader_stays_hidden_until_it_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    play(monkeypatch, "w\n0012\ngive up\n", "codebreaking", "--save", str(record))
    capsys.readouterr()
    assert main(["replay", str(record)]) == 0
    text = capsys.readouterr().out
    assert "The code is drawn. Only Keeper may see it." in text
    assert text.index("You guess 0012.") < text.index("Keeper answers:") < text.index("You give up")


def test_step_by_step_forward_and_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    play(monkeypatch, "0123\n", "codebreaking", "--oracle", "nice", "--save", str(record))
    keys = [
        ("Step 1 of 4.", "\n"),
        ("Step 2 of 4.", "\x1b[D"),
        ("Step 1 of 4.", "\x1b[F"),
        ("Step 4 of 4.", "q"),
    ]
    shown = on_a_terminal(keys, 80, 60, "replay", str(record))
    assert shown.endswith("exit 0")
    assert shown.count("You guess 0123.") == 2


def test_what_is_no_record_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text("no record\n")
    assert main(["replay", str(path)]) == 2
    assert capsys.readouterr().err.startswith("fairground: ")
