"""Pictures: the same bytes each time, and letters that fit the terminal."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import InputError
from fairground.lab.plots import FIGURES, Bars, Curve, HeatMap, Plot, Whiskers, in_text, save
from fairground.stats import Interval
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


# Files of games


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_file_of_games_is_drawn(ending: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / f"games{ending}"
    made = ["simulate", "zombie", "--players", "greedy,cautious", "--games", "60", "--seed", "7"]
    assert main([*made, "--out", str(path)]) == 0
    told = capsys.readouterr().out
    assert main(["plot", str(path)]) == 0
    drawn = capsys.readouterr().out
    for who in ("zombie1 (greedy)", "zombie2 (cautious)"):
        interval = re.search(re.escape(who) + r" +(\S+ ± \S+)", told)
        assert interval is not None and f"{interval[1]}\n" in drawn

    assert main(["plot", str(path), "--column", "brains_zombie1"]) == 0
    drawn = capsys.readouterr().out
    assert main([*made, "--out", str(tmp_path / "again.csv")]) == 0
    with (tmp_path / "again.csv").open() as file:
        counts = Counter(row["brains_zombie1"] for row in csv.DictReader(file))
    shares = dict(re.findall(r"^ +(\d+) +([\d.]+) %", drawn, re.MULTILINE))
    assert shares == {brains: f"{100 * many / 60:.1f}" for brains, many in counts.items()}
    picture = tmp_path / "brains.png"
    both = ["--column", "brains_zombie1", "--column", "brains_zombie2"]
    assert main(["plot", str(path), *both, "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_files_that_cannot_be_drawn(tmp_path: Path, capsys: Any) -> None:
    def refused(*arguments: str) -> str:
        code = main(["plot", *arguments])
        said = str(capsys.readouterr().err)
        assert code in (1, 2) and "Traceback" not in said
        return said

    path = str(tmp_path / "rounds.csv")
    assert "cannot read" in refused(path)
    assert main(["simulate", "fatestones", "--games", "5", "--seed", "1", "--out", path]) == 0
    assert "has no column 'Result'" in refused(path, "--column", "Result")
    assert "for a file of games" in refused("guesses", "--column", "x")
    codes = str(tmp_path / "codes.csv")
    large = ["codebreaking", "base=50", "length=12", "--games", "1", "--seed", "1"]
    large += ["--seat", "breaker=annealing:1"]
    assert main(["simulate", *large, "--out", codes]) == 0
    assert "holds text" in refused(codes, "--column", "code")
    with Path(path).open("a") as file:
        file.write("1\n")
    assert "SHA-256" in refused(path)
