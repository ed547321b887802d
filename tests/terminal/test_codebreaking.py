"""Code breaking as a person meets it: whole games typed line by line, and what they prove."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from hashlib import shake_256
from itertools import count, product
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.coach import judging as coach_advice
from fairground.core import MissingExtra
from fairground.games.codebreaking import screen as screens
from fairground.games.codebreaking import solver as solve_codebreaking
from fairground.games.codebreaking.rules import (
    Code,
    CodeBreaking,
    Row,
    fits,
    marks,
    possible_marks,
    read_code,
    write_code,
)
from fairground.games.codebreaking.screen import (
    NAMES,
    BoardRow,
    CodeArt,
    CodeBoard,
    amount,
    code_of,
)
from fairground.games.codebreaking.solver.advice import Count, Counting
from fairground.games.codebreaking.words import CodeBreakingWords
from fairground.terminal.waiting import patiently
from fairground.verifier import verify
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.helpers.told import Told
from tests.terminal.conftest import Answer, Here

Play = Callable[..., Told]


@pytest.fixture
def play(here: Here, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Games whose chance is the same in every run: no guess hits the code by accident."""
    drops = count()
    monkeypatch.setattr("secrets.token_bytes", lambda n: shake_256(b"%d" % next(drops)).digest(n))
    monkeypatch.setenv("COLUMNS", "100")

    def session(answers: list[str] | Answer, *arguments: str) -> Told:
        typed = answers if callable(answers) else "".join(f"{answer}\n" for answer in answers)
        return here.saved(typed, "codebreaking", *arguments)

    return session


ROW = re.compile(r"^ +\d+  (\d+) +[Xo.●○·]+ +(\d+) +(\d+) +([\d,]+)$", re.MULTILINE)


def rows_on(screen: str) -> list[tuple[Row, int]]:
    """The board as a person reads it off the screen: rows, and how many codes are left."""
    return [
        (Row(read_code(code), (int(full), int(partial))), int(left.replace(",", "")))
        for code, full, partial, left in ROW.findall(screen)
    ]


def simple_breaker(base: int, length: int) -> Callable[[str], str]:
    """The first code that fits what the screen shows."""

    def answer(screen: str) -> str:
        rows = [row for row, _ in rows_on(screen)]
        codes = product(range(base), repeat=length)
        return write_code(next(code for code in codes if fits(code, rows)), base)

    return answer


def honest_keeper(secret: Code, base: int) -> Callable[[str], str]:
    """Answers the last guess on the screen with the truth about a code."""

    def answer(screen: str) -> str:
        asked = re.findall(r"My guess \d+: ([\d ]+)", screen)[-1]
        full, partial = marks(secret, read_code(asked))
        return f"{full} {partial}"

    return answer


class TestBreaking:
    def test_the_count_is_exact(self, play: Play) -> None:
        told = play(["", "0012", "3454", "1122", "give up"])
        rows: list[Row] = []
        for row, left in rows_on(told.out):
            rows.append(row)
            assert left == sum(fits(code, rows) for code in product(range(6), repeat=4))
        assert len(rows) == 3

    def test_hints_lead_to_the_code(self, play: Play) -> None:
        def follow(screen: str) -> str:
            """Ask for a hint, then type it."""
            found = re.search(r"Hint: (\d{4})", screen[screen[:-9].rfind("Guess") :])
            return found[1] if found else "hint"

        told = play(follow, "--no-share")
        assert told.code == 0 and "Broken with" in told.out
        assert len(rows_on(told.out)) <= 6, "perfect play needs six guesses at most"

    def test_what_needs_an_extra_says_so_before_the_game(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delitem(sys.modules, "fairground.games.codebreaking.solver.sets", raising=False)
        monkeypatch.setitem(sys.modules, "numpy", None)
        monkeypatch.delattr(solve_codebreaking, "sets", raising=False)
        for argument in ("--oracle=evil", "--keeper"):
            assert main(["codebreaking", argument, "--no-save"]) == 2
            printed = capsys.readouterr()
            assert "pip install 'fairground[solve]'" in printed.err and printed.out == ""

    def test_a_fair_game_needs_no_extra(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(*_: object, **__: object) -> None:
            raise MissingExtra("no extra here")

        monkeypatch.setattr(screens, "Counting", missing)
        monkeypatch.setattr(coach_advice, "advise", missing)
        told = play(["", "0000", "hint", "board", "give up"])
        assert told.code == 0 and "No hint: no extra here" in told.out
        assert re.search(r"^ +1  0000 .* -$", told.out, re.MULTILINE)
        assert "pip install 'fairground[solve]'" in told.out


class TestKeeping:
    @pytest.mark.parametrize("secret", [(1, 0, 1, 3), (5, 5, 5, 5), (0, 0, 1, 2)])
    def test_the_solver_finds_the_code(self, secret: Code, play: Play) -> None:
        told = play(honest_keeper(secret, 6), "--keeper")
        rows = [row for row, _ in rows_on(told.out)]
        assert told.code == 0 and len(rows) <= 6
        assert f"your code is {write_code(secret, 6)}." in told.out
        assert told.claims == ["CONSISTENT"]
        assert told.verdict.payoff == (len(rows), -len(rows))
        assert told.verdict.seats == ("Player", "Solver (best)")

    def test_a_correction_opens_a_new_record_that_says_so(self, play: Play) -> None:
        secret = (1, 0, 1, 3)
        honest = honest_keeper(secret, 6)
        steps = iter(["3 0", None, "fix 1"])  # a false answer, a true one, then the correction
        state = {"corrected": False}

        def answer(screen: str) -> str:
            if screen.endswith("or end: "):
                return "1"
            if "Row 1 was" in screen and not state["corrected"]:
                state["corrected"] = True
                full, partial = marks(secret, (0, 0, 1, 2))
                return f"{full},{partial}"
            return next(steps, None) or honest(screen)

        told = play(answer, "--keeper")
        assert told.code == 0 and "your code is 1013." in told.out
        assert told.claims == ["CONSISTENT"]
        (note,) = told.notes
        assert note["corrected"] == [
            {"row": 1, "said": [3, 0], "now": list(marks(secret, (0, 0, 1, 2)))}
        ]
        assert re.fullmatch("[0-9a-f]{64}", str(note["before"]))

    def test_the_old_record_is_closed_where_both_are_kept(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        monkeypatch.setattr(sys, "stdin", io.StringIO("1 1\nfix 1\n0 1\nq\ny\n"))
        assert main(["codebreaking", "--keeper"]) == 0
        files = list(tmp_path.glob("fairground/transcripts/codebreaking-*.jsonl"))
        verdicts = [verify(path.read_bytes()) for path in files]
        assert len(files) == 2 and all(verdict.ok for verdict in verdicts)
        reasons = sorted(
            verdict.remarks[0].rpartition(": ")[2].strip(chr(34)) for verdict in verdicts
        )
        assert reasons == ["chose to exit", "the game goes on in another record"]
        assert "INVALID" not in capsys.readouterr().out

    def test_the_answer_that_contradicts_can_be_corrected_itself(self, play: Play) -> None:
        """Nothing false was written down, so the record is the first one."""
        secret = (1, 0, 1, 3)
        honest = honest_keeper(secret, 6)
        codes = list(product(range(6), repeat=4))

        def answer(screen: str) -> str:
            if screen.endswith("or end: "):
                return "2"
            rows = [row for row, _ in rows_on(screen)]
            if len(rows) == 1 and "Row 2 was" not in screen:
                guess = read_code(re.findall(r"My guess 2: (\d+)", screen)[-1])
                given = {marks(code, guess) for code in codes if fits(code, rows)}
                full, partial = next(m for m in possible_marks(4) if m not in given)
                return f"{full} {partial}"
            return honest(screen)

        told = play(answer, "--keeper")
        assert told.out.count("Your answers contradict each other: no code fits rows 1 and 2") == 1
        assert told.code == 0 and "your code is 1013." in told.out
        assert told.claims == ["CONSISTENT"] and told.notes == []


class TestLook:
    GAME = CodeBreaking(6, 4)

    def test_marks_are_signs_and_numbers(self) -> None:
        entry = BoardRow(Row((0, 5, 1, 1), (1, 2)), Count(208, True, ""))
        (line,) = CodeBoard(CodeArt(80, ascii_only=False), self.GAME).row(7, entry)
        assert line.split() == ["7", "0511", "●○○·", "1", "2", "208"]
        (line,) = CodeBoard(CodeArt(80), self.GAME).row(7, entry)
        assert line.split() == ["7", "0511", "Xoo.", "1", "2", "208"] and line.isascii()

    @pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
    @pytest.mark.parametrize(("base", "length"), [(6, 4), (10, 10), (100, 40), (2, 40), (100, 1)])
    def test_everything_fits(self, columns: int, base: int, length: int) -> None:
        game = CodeBreaking(base, length)
        board = CodeBoard(CodeArt(columns), game)
        row = Row((base - 1,) * length, (0, length))
        entries = [BoardRow(row, Count(base**length, True, ""))] * 30
        lines = [part for line in board.lines(entries) for part in line.splitlines()]
        assert max(map(len, lines)) < columns
        text = " ".join(" ".join(lines).split())
        assert write_code(row.guess, base).rstrip(",")[:4] in text

    def test_a_tall_board_shows_its_end(self) -> None:
        entries = [BoardRow(Row((0, 0, 0, k), (0, 0)), None) for k in range(5)]
        lines = CodeBoard(CodeArt(80), self.GAME).lines(entries, room=3)
        assert "2 earlier" in lines[1]
        assert [line.split()[1] for line in lines[2:]] == ["0002", "0003", "0004"]

    @pytest.mark.parametrize(
        ("found", "text"),
        [
            (Count(1296, True, ""), "1,296"),
            (Count(100**40, True, ""), "1.0e80"),
            (Count(995, False, ""), "~995"),
            (Count(99_999, False, ""), "~1.0e5"),
            (Count(3_650, False, ""), "~3.6e3"),
            (Count(0, False, ""), "?"),
            (None, "-"),
        ],
    )
    def test_amounts(self, found: Count | None, text: str) -> None:
        assert amount(found) == text


class TestInput:
    @pytest.mark.parametrize(("base", "length"), [(2, 1), (6, 4), (10, 8), (100, 1), (100, 5)])
    def test_examples_can_be_typed(self, base: int, length: int) -> None:
        game = CodeBreaking(base, length)
        assert len(code_of(CodeBreakingWords(game, NAMES).example_code(), game)) == length

    def test_what_fails_while_waiting_fails(self) -> None:
        with pytest.raises(ZeroDivisionError):
            patiently("Dividing", lambda: 1 // 0)
        assert patiently("Adding", lambda: 1 + 1) == 2


def test_counting_goes_on_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain, listed and one-by-one counts agree."""
    secret = (3, 1, 4, 1)
    rows = [Row(g, marks(secret, g)) for g in ((0, 0, 1, 1), (1, 3, 2, 2), (3, 1, 5, 5))]
    plain = Counting(6, 4)
    monkeypatch.setattr("fairground.games.codebreaking.solver.advice.PLAIN_CODES", 0)
    compiled = Counting(6, 4)
    for number, row in enumerate(rows, 1):
        plain.keep(row)
        compiled.keep(row)
        left = sum(fits(code, rows[:number]) for code in product(range(6), repeat=4))
        assert plain.count() == compiled.count() == (left, True, "counted one by one")


# The real program, in a pipe and on a terminal


def test_a_game_on_a_real_terminal_shows_the_whole_board() -> None:
    keys = [
        ("Guess 1: ", "0123\n"),
        ("Guess 2: ", "9\n"),
        ("Guess 2: ", "4455\n"),
        ("Guess 3: ", "give up\n"),
        ("Once more? ", "q\n"),
    ]
    shown = on_a_terminal(keys, 80, 50, "codebreaking", "--no-save", "--oracle", "evil")
    assert len(re.findall(r"^  1  0123   [●○·]{4} ", shown, re.MULTILINE)) == 2
    assert len(re.findall(r"^  2  4455   [●○·]{4} ", shown, re.MULTILINE)) == 1
    assert "Consistent      yes" in shown and "No transcript was kept." in shown
    assert shown.endswith("exit 0")
