"""``fairground solve codebreaking``: figures, advice, refusals."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from fairground.cli import main
from fairground.games.codebreaking.rules import Row, fits, marks, read_code
from fairground.terminal.waiting import patiently


def solve(
    capsys: pytest.CaptureFixture[str], *arguments: str, exit_code: int = 0
) -> tuple[str, str]:
    assert main(["solve", "codebreaking", *arguments]) == exit_code
    printed = capsys.readouterr()
    return printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str, exit_code: int = 0) -> Any:
    out, _ = solve(capsys, *arguments, "--json", exit_code=exit_code)
    assert out.count("\n") == 1
    return json.loads(out)


class TestFigures:
    def test_the_best_at_6_4_is_what_the_issue_says(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        figures = as_json(capsys, "--base", "6", "--length", "4")
        distribution = figures.pop("distribution")
        assert figures == {"codes": 1296, "total": 5625, "average": "625/144", "worst": 6}
        assert sum(distribution) == 1296 and len(distribution) == 6
        assert sum(i * codes for i, codes in enumerate(distribution, 1)) == 5625

    @pytest.mark.parametrize(
        ("size", "strategy", "total", "worst"),
        [
            ((4, 3), None, 206, None),
            ((2, 1), None, 3, 2),
            ((3, 1), None, 6, 3),
            ((6, 4), "optimal:5", 5626, 5),
            ((8, 4), "optimal:6", 20474, 6),
            ((6, 4), "parts", 5668, 6),
            ((6, 4), "entropy", 5722, 6),
        ],
    )
    def test_other_figures(
        self,
        size: tuple[int, int],
        strategy: str | None,
        total: int,
        worst: int | None,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        arguments = ["--base", str(size[0]), "--length", str(size[1])]
        figures = as_json(capsys, *arguments, *(["--strategy", strategy] if strategy else []))
        assert figures["total"] == total
        assert worst in (None, figures["worst"])
        assert Fraction(figures["average"]) == Fraction(total, figures["codes"])

    def test_for_people(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "40")
        out, _ = solve(capsys, "--ascii")
        assert "Strategy: optimal (proven cheapest)" in out and "First guess: 0012" in out
        assert "Average: 625/144 = 4.340277777778" in out
        bars = re.findall(r"^ +(\d)  +(\d+)  (#+)$", out, re.MULTILINE)
        assert [int(guess) for guess, _, _ in bars] == [1, 2, 3, 4, 5, 6]
        assert sum(int(codes) for _, codes, _ in bars) == 1296
        longest = max(bars, key=lambda bar: int(bar[1]))
        assert len(longest[2]) == max(len(bar) for _, _, bar in bars)
        assert max(map(len, out.splitlines())) < 40

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--base", "100", "--length", "40"], "--guess CODE --marks FULL,PARTIAL"),
            (["--base", "100", "--length", "40"], "no full tree for 100^40 codes"),
            (["--base", "8", "--strategy", "optimal"], "--strategy beam"),
            (["--strategy", "luck"], "no strategy named 'luck'"),
            (["--strategy", "entropy:5"], "only optimal takes a limit"),
            (["--strategy", "optimal:3"], "no tree for 6^4 codes was found within 3 guesses"),
            (["--strategy", "optimal:x"], "not 'x'"),
            (["--base", "1"], "base must be in 2..100"),
        ],
    )
    def test_refusals_say_what_works(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out, error = solve(capsys, *arguments, exit_code=2)
        assert said in error and out == ""


class TestAdvice:
    def test_a_game_in_progress(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [Row((0, 0, 1, 2), (1, 1)), Row((0, 3, 0, 4), (0, 1))]
        advice = as_json(
            capsys, "--guess", "0012", "--marks", "1,1", "--guess", "0 3 0 4", "--marks", "0 1"
        )
        left = [code for code in product(range(6), repeat=4) if fits(code, rows)]
        assert advice["remaining"] == len(left) and advice["exact"] is True
        assert advice["possible"] == (tuple(advice["guess"]) in left)

    def test_following_the_advice_finds_the_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        """From a first guess that no tree of ours would make."""
        secret, given = (2, 5, 5, 0), ["0000"]
        while read_code(given[-1]) != secret:
            arguments = []
            for guess in given:
                full, partial = marks(secret, read_code(guess))
                arguments += ["--guess", guess, "--marks", f"{full},{partial}"]
            out, _ = solve(capsys, *arguments)
            found = re.search(r"^(?:Ask|The code is) (\d{4})", out, re.MULTILINE)
            assert found and found[1] not in given
            given.append(found[1])
        assert len(given) <= 7

    def test_one_code_left_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        out, _ = solve(capsys, "--guess", "0123", "--marks", "4,0")
        assert out.endswith("The code is 0123\n") and "Codes left: 1 (" in out

    def test_rows_that_contradict_each_other_are_named(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Row 1 says that the code is 0123; row 2 agrees; row 3 cannot be."""
        rows = "--guess 0123 --marks 4,0 --guess 0132 --marks 2,2 --guess 0100 --marks 0,0"
        out, _ = solve(capsys, *rows.split(), exit_code=1)
        assert "rows 1 and 3 cannot all be true" in out
        advice = as_json(capsys, *rows.split(), exit_code=1)
        assert advice["contradiction"] == [1, 3]
        assert advice["guess"] is None and advice["remaining"] == 0

    def test_a_row_that_cannot_be_true_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        """All digits are 0 or 1: 0000 has no digit that is elsewhere."""
        arguments = ["--base", "2", "--length", "4", "--guess", "0000", "--marks", "1,1"]
        assert "row 1 cannot be true" in solve(capsys, *arguments, exit_code=1)[0]

    def test_at_any_size(self, capsys: pytest.CaptureFixture[str]) -> None:
        guess = ",".join(map(str, range(40)))
        arguments = ["--base", "100", "--length", "40", "--guess", guess, "--marks", "1,12"]
        advice = as_json(capsys, *arguments)
        assert advice["exact"] is False and "estimated" in advice["method"]
        assert isinstance(advice["remaining"], str), "beyond 2^53 a number is text"
        assert 10**70 < int(advice["remaining"]) < 10**80
        assert len(advice["guess"]) == 40
        out, _ = solve(capsys, *arguments)
        assert re.search(r"Codes left: about \d\.\de\+7\d \(estimated", out)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--guess", "0012"], "every --guess needs its --marks: 1 and 0 were given"),
            (["--marks", "1,1"], "0 and 1 were given"),
            (["--guess", "012", "--marks", "1,1"], "row 1"),
            (["--guess", "012", "--marks", "1,1"], "a code has 4 digits, not 3"),
            (["--guess", "0012", "--marks", "3,1"], "no two codes of 4 digits match like (3, 1)"),
            (["--guess", "0012", "--marks", "one"], "an answer is two numbers"),
        ],
    )
    def test_bad_rows_are_explained(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out, error = solve(capsys, *arguments, exit_code=2)
        assert said in error and out == ""


def test_a_long_search_shows_that_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a terminal: while the work goes on, it says what is done."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        shown = b""

        def work() -> int:
            nonlocal shown
            while b"Searching far" not in shown:
                shown += os.read(ours, 1024)
            return 7

        assert patiently("Searching far", work) == 7
    os.close(ours)
