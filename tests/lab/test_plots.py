"""Pictures: the same bytes each time, and letters that fit the terminal."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import InputError
from fairground.lab.figures import FIGURES
from fairground.lab.plots import Bars, Curve, HeatMap, Plot, Whiskers, in_text, save
from fairground.lab.statistics import Interval
from tests.helpers.places import ROOT
from tests.helpers.width import WIDE

PLOTS: dict[str, Plot] = {
    "heat": HeatMap("Heat", ["a", "b"], [[None, 0.75], [0.25, None]]),
    "bars": Bars("Bars", "guesses", {"x": {1: 3, 2: 9}, "y": {2: 5}}),
    "whiskers": Whiskers("W", "Elo", [("a", Interval(3, 1, 5)), ("b", Interval(2, None, None))]),
    "curve": Curve("C", "mean", [10, 100], [Interval(1, 0, 2), Interval(1.2, 1, 1.4)], 1.25),
}
QUICK = ["win-matrix"]


@pytest.mark.parametrize("name", PLOTS)
def test_a_picture_has_the_same_bytes_each_time(name: str, tmp_path: Path) -> None:
    for number in (1, 2):
        save(PLOTS[name], tmp_path / f"{number}.svg")
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()
    root = ET.parse(tmp_path / "1.svg").getroot()
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert PLOTS[name].title in texts
    save(PLOTS[name], tmp_path / "1.png")
    assert (tmp_path / "1.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"ends in \.svg or \.png"):
        save(PLOTS[name], tmp_path / "1.gif")


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("columns", [30, 80, 200])
def test_letters_fit_the_terminal(name: str, columns: int) -> None:
    title, blank, *lines = in_text(PLOTS[name], columns)
    assert (title, blank) == (PLOTS[name].title, "")
    assert lines and max(map(len, lines)) <= columns


def test_letters_say_what_is_true() -> None:
    heat = in_text(PLOTS["heat"])
    assert heat[2].split() == ["a", ".", "75"]
    bars = in_text(PLOTS["bars"], 60)
    one, two = (line for line in bars if line.lstrip().startswith(("1 ", "2 ")) and "5" in line)
    assert two.count("#") == pytest.approx(3 * one.count("#"), abs=2)
    assert "+3.0000 ± 2.0000" in in_text(PLOTS["whiskers"])[2]
    assert in_text(PLOTS["curve"])[-1] == "(exact: +1.2500)"


@pytest.mark.parametrize("name", FIGURES if WIDE else QUICK)
def test_every_figure_can_be_drawn(name: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["plot", name]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 4
    assert main(["plot", name, "--out", str(tmp_path / "x.svg")]) == 0
    assert (tmp_path / "x.svg").stat().st_size > 5000


def test_the_documents_show_only_figures_that_one_command_draws() -> None:
    drawn = {path.stem for path in (ROOT / "docs" / "figures").iterdir()}
    assert drawn == {*FIGURES, "fatestones-mcts"}
    rule = (ROOT / "Makefile").read_text().partition("\nfigures:")[2].partition("\n\n")[0]
    assert "plot all --out docs/figures" in rule and "bench/fatestones_mcts.py --plot" in rule
    shown = [path for path in ROOT.glob("docs/**/*.svg") if path.parent.name != "figures"]
    assert shown == []


def test_bad_arguments(capsys: Any) -> None:
    assert main(["plot", "gueses"]) == 2
    assert "did you mean 'guesses'?" in capsys.readouterr().err
    assert main(["plot", "all"]) == 2
    assert "--out FOLDER" in capsys.readouterr().err
