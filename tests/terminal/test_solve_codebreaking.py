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

from fairground.games.codebreaking.rules import Row, fits, marks, read_code
from fairground.terminal.waiting import patiently
from tests.terminal.conftest import Here


def as_json(here: Here, *arguments: str) -> Any:
    told = here("", "solve", "codebreaking", *arguments, "--json")
    assert told.code == 0 and told.out.count("\n") == 1
    return json.loads(told.out)


class TestFigures:
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
        here: Here,
    ) -> None:
        arguments = ["--base", str(size[0]), "--length", str(size[1])]
        figures = as_json(here, *arguments, *(["--strategy", strategy] if strategy else []))
        assert figures["total"] == total
        assert worst in (None, figures["worst"])
        assert Fraction(figures["average"]) == Fraction(total, figures["codes"])


class TestAdvice:
    def test_a_game_in_progress(self, here: Here) -> None:
        rows = [Row((0, 0, 1, 2), (1, 1)), Row((0, 3, 0, 4), (0, 1))]
        advice = as_json(
            here, "--guess", "0012", "--marks", "1,1", "--guess", "0 3 0 4", "--marks", "0 1"
        )
        left = [code for code in product(range(6), repeat=4) if fits(code, rows)]
        assert advice["remaining"] == len(left) and advice["exact"] is True
        assert advice["possible"] == (tuple(advice["guess"]) in left)

    def test_following_the_advice_finds_the_code(self, here: Here) -> None:
        """From a first guess that no tree of ours would make."""
        secret, given = (2, 5, 5, 0), ["0000"]
        while read_code(given[-1]) != secret:
            arguments = []
            for guess in given:
                full, partial = marks(secret, read_code(guess))
                arguments += ["--guess", guess, "--marks", f"{full},{partial}"]
            out = here("", "solve", "codebreaking", *arguments).out
            found = re.search(r"^(?:Ask|The code is) (\d{4})", out, re.MULTILINE)
            assert found and found[1] not in given
            given.append(found[1])
        assert len(given) <= 7

    def test_at_any_size(self, here: Here) -> None:
        guess = ",".join(map(str, range(40)))
        arguments = ["--base", "100", "--length", "40", "--guess", guess, "--marks", "1,12"]
        advice = as_json(here, *arguments)
        assert advice["exact"] is False and "estimated" in advice["method"]
        assert isinstance(advice["remaining"], str), "beyond 2^53 a number is text"
        assert 10**70 < int(advice["remaining"]) < 10**80
        assert len(advice["guess"]) == 40
        out = here("", "solve", "codebreaking", *arguments).out
        assert re.search(r"Codes left: about \d\.\de\+7\d \(estimated", out)


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
