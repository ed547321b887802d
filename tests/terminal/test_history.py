"""``fairground history`` and ``fairground replay``: what was kept, told again in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.places import ROOT
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.terminal.conftest import Here

DICE = ["dice", "2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]


def test_nothing_was_played(here: Here) -> None:
    assert here("", "history").out == "No game has been saved yet. Play one: fairground\n"
    assert json.loads(here("", "history", "--json").out) == {"games": []}


def test_every_game_has_an_ending_in_words(here: Here, tmp_path: Path) -> None:
    here("x\n", *DICE)
    here("0123\n", "codebreaking", "--oracle", "nice")
    (tmp_path / "data" / "fairground" / "transcripts" / "odd.jsonl").write_text("no record\n")
    told = here("", "history")
    assert told.code == 0
    assert "Intransitive dice with Computer\n  Computer wins." in told.out
    assert "Code breaking with Keeper\n  You find the code 0123 with 1 guess." in told.out
    assert "Code breaking with Keeper: 1 game, 1 won (21% to 100%)" in told.out
    assert "Intransitive dice with Computer: 1 game, 0 won (0% to 79%)" in told.out
    assert "odd.jsonl" not in told.out


@pytest.mark.parametrize(
    "record", sorted((ROOT / "tests" / "playthroughs").glob("*.jsonl")), ids=lambda path: path.stem
)
def test_any_record_is_told(record: Path, here: Here) -> None:
    told = here("", "replay", record)
    heading, *lines = told.out.splitlines()
    assert told.code == 0 and ": " in heading and lines
    assert "\x1b" not in "".join(lines)


def test_what_is_hidden_from_the_reader_stays_hidden_until_it_is_opened(here: Here) -> None:
    here.saved("w\n0012\ngive up\n", "codebreaking")
    text = here("", "replay", "game.jsonl").out
    assert "The code is drawn. Only Keeper may see it." in text
    assert text.index("You guess 0012.") < text.index("Keeper answers:") < text.index("You give up")


def test_step_by_step_forward_and_back(here: Here) -> None:
    here.saved("0123\n", "codebreaking", "--oracle", "nice")
    keys = [
        ("Step 1 of 4.", "\n"),
        ("Step 2 of 4.", "\x1b[D"),
        ("Step 1 of 4.", "\x1b[F"),
        ("Step 4 of 4.", "q"),
    ]
    shown = on_a_terminal(keys, 80, 60, "replay", "game.jsonl")
    assert shown.endswith("exit 0")
    assert shown.count("You guess 0123.") == 2


def test_what_is_no_record_is_refused(here: Here) -> None:
    Path("odd.jsonl").write_text("no record\n")
    told = here("", "replay", "odd.jsonl")
    assert told.code == 2 and told.err.startswith("fairground: ")
