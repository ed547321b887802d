"""``fairground solve zombie``: the figures, as people and programs read them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from fairground.terminal.waiting import once
from tests.terminal.conftest import Here

SMALL = "[Game]\nbrains_to_win = 2\nweak_dice = 1\nstrong_dice = 1\ntough_dice = 2\n"


@pytest.fixture
def small(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game with few dice, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("small.ini").write_text(SMALL)
    return "small.ini"


def test_json_has_the_documented_shape(small: str, here: Here) -> None:
    told = here("", "solve", "zombie", small, "--json")
    report = json.loads(told.out)
    assert told.code == 0 and told.out.count("\n") == 1
    assert told.err == "Perfect play (once; it is kept) ...\n"
    assert set(report["strategies"]) == {"greedy", "cautious"}
    figures = [report["first_player_wins"]]
    for strategy in report["strategies"].values():
        figures += [strategy["brains"], strategy["bust"]]
    for figure in figures:
        assert re.fullmatch(r"\d\.\d{12,}", figure), "decimals to at least 12 digits"
    assert 0 < float(report["first_player_wins"]) < 1
    greedy, cautious = (report["strategies"][name] for name in ("greedy", "cautious"))
    assert float(greedy["brains"]) >= float(cautious["brains"])
    assert report["params"]["brains_to_win"] == 2
    for row in report["decisions"]:
        assert set(row) == {"shotguns", "footprints", "roll_below", "hold_from", "roll_with"}
    # By hand: three of the dice G, Y, R, R, with 1, 2, 3 and 3 shotguns on six faces.
    hands = (1 * 2 * 3, 1 * 2 * 3, 1 * 3 * 3, 2 * 3 * 3)
    assert Fraction(report["first_roll"]["bust"]) == Fraction(sum(hands), 4 * 6**3)


@pytest.mark.parametrize(
    ("players", "word", "chances"),
    [
        ("3", "three", ["0.299780754656", "0.331019247651", "0.369199997694"]),
        ("4", "four", ["0.220130111951", "0.237982435177", "0.258705861285", "0.283181591587"]),
    ],
)
def test_three_and_four_with_the_usual_dice_are_known(
    players: str, word: str, chances: list[str], here: Here
) -> None:
    found = json.loads(here("", "solve", "zombie", "--players", players, "--json").out)
    assert found[f"{word}_players_win"] == chances
    line = f"{word.capitalize()} perfect players, in the order of their turns: "
    assert line + ", ".join(chances) in here("", "solve", "zombie", "--players", players).out


def test_people_get_tables(small: str, here: Here) -> None:
    report = json.loads(here("", "solve", "zombie", small, "--json").out)
    told = here("", "solve", "zombie", small)
    assert told.code == 0 and told.err == "", "it is computed once"
    assert "The game goes to 2 brains" in told.out
    assert report["first_player_wins"] in told.out
    for name, turn in report["strategies"].items():
        assert re.search(rf"{name} +{turn['brains']} +{turn['bust']}", told.out)
    rows = re.findall(r"^  ([GYR-]+) +([GYR-]+) +(\S+) +(\S+) +(\S+)$", told.out, re.MULTILINE)
    assert len(rows) == len(report["decisions"])
    for row, decision in zip(rows, report["decisions"], strict=True):
        below, hold = decision["roll_below"], decision["hold_from"]
        assert row[2] == (str(hold) if below >= hold else f"{below}..{hold}")
        assert len(row[0].strip("-")) == sum(decision["shotguns"].values())
        assert len(row[1].strip("-")) == sum(decision["footprints"].values())
    assert max(map(len, told.out.splitlines())) < 100


def test_a_bag_without_risk_is_refused_with_the_reason(here: Here) -> None:
    Path("safe.ini").write_text("[Dice]\nweak_die_faces=b\nstrong_die_faces=b\ntough_die_faces=b\n")
    told = here("", "solve", "zombie", "safe.ini")
    assert (told.code, told.out) == (2, "")
    assert "a turn never has to end" in told.err


def test_warnings_stay_out_of_the_json(small: str, here: Here) -> None:
    Path("odd.ini").write_text(SMALL + "max_turns = often\n")
    told = here("", "solve", "zombie", "odd.ini", "--json")
    assert told.code == 0 and json.loads(told.out)
    assert "line 6: max_turns = 'often'" in told.err


def test_without_the_extra_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None; from fairground.cli import main;"
        "sys.exit(main(['solve', 'zombie', '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["fault"]["code"] == "install/missing"
    assert "pip install 'fairground[solve]'" in done.stderr


def test_the_bar_grows_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with once("Work") as progress:
        for share in (0.0, 0.004, 0.5, 0.5, 1.0):
            progress(share)
    shown = capsys.readouterr().err
    assert "Work" in shown and "100/100" in shown and "kept" not in shown
