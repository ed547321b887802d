"""The dice game as a person meets it: the words and the order of the source's sample."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.core import BadParams
from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.screen import DiceParser, HelpTable
from fairground.terminal.console import Console, Ink
from fairground.verifier import verify
from tests.helpers.pseudo_terminal import on_a_terminal

DICE = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]

HMAC = r"HMAC=([0-9A-F]{64})"
KEY = r"KEY=([0-9A-F]{64})"


def play(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: str,
    *arguments: str,
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    code = main(["dice", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def the_sample() -> str:
    """The sample session of the source document, as a pattern for any game of these dice."""
    numbers = "".join(f"{i} - {i}\n" for i in range(6))
    roll = (
        rf"I selected a random value in the range 0\.\.5 \({HMAC}\)\.\n"
        rf"Add your number modulo 6\.\n{numbers}X - exit\n\? - help\nYour selection: [0-5]\n"
        rf"My number is [0-5] \({KEY}\)\.\n"
        r"The fair number generation result is [0-5] \+ [0-5] = [0-5] \(mod 6\)\.\n"
    )
    computer_first = r"I make the first move and choose the \[[0-9,]+\] dice\.\n"
    computer_second = r"I choose the \[[0-9,]+\] dice\.\n"
    mine = r"Choose your dice:\n(?:[0-2] - [0-9,]+\n)+X - exit\n\? - help\nYour selection: \d\n"
    choose = r"You choose the \[[0-9,]+\] dice\.\n"
    return (
        r"Let's determine who makes the first move\.\n"
        rf"I selected a random value in the range 0\.\.1 \({HMAC}\)\.\n"
        r"Try to guess my selection\.\n0 - 0\n1 - 1\nX - exit\n\? - help\nYour selection: [01]\n"
        rf"My selection: [01] \({KEY}\)\.\n"
        rf"(?:{computer_first}{mine}{choose}"
        rf"|You make the first move\.\n{mine}{choose}{computer_second})"
        rf"It's time for my roll\.\n{roll}My roll result is \d\.\n"
        rf"It's time for your roll\.\n{roll}Your roll result is \d\.\n"
        r"(?:You win \(\d > \d\)|I win \(\d > \d\)|It's a tie \(\d = \d\))!\n"
    )


def test_a_session_reads_like_the_sample(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    for _ in range(8):  # both orders of choosing, most likely
        code, text, _ = play(monkeypatch, capsys, "0\n0\n4\n5\n", *DICE, "--save", str(path))
        assert code == 0
        assert re.match(the_sample(), text), text
        assert len(re.findall("HMAC=", text)) == 3
        assert len(re.findall("KEY=", text)) == 3
        assert len(re.findall(r"\(mod 6\)", text)) == 2
        verdict = verify(path.read_bytes())
        assert verdict.ok
        assert [str(claim) for claim in verdict.claims] == [
            "COMMITTED",
            "UNIFORM:1",
            "UNFORESEEN:1",
        ]


def test_every_hmac_opens_with_the_number_and_key_shown_after_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = play(monkeypatch, capsys, "1\n0\n2\n3\n", *DICE, "--no-save")
    shown = re.findall(HMAC, text)
    opened = re.findall(rf"(?:My selection: |My number is )(\d) \({KEY}\)", text)
    assert len(shown) == len(opened) == 3
    assert len(set(shown)) == len({key for _, key in opened}) == 3
    for tag, (number, key) in zip(shown, opened, strict=True):
        made = hmac.new(key.encode(), number.encode(), hashlib.sha3_256).hexdigest().upper()
        assert made == tag
        where_shown, where_opened = text.index(tag), text.index(key)
        assert where_shown < text.index("Your selection", where_shown) < where_opened


def test_the_openssl_lines_print_what_was_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = play(monkeypatch, capsys, "1\n1\n2\n3\n", *DICE, "--no-save")
    lines = re.findall(r"^  (printf .*)$", text, re.MULTILINE)
    assert len(lines) == 3
    for line, tag in zip(lines, re.findall(HMAC, text), strict=True):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1].upper() == tag


def test_the_results_follow_from_the_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = play(monkeypatch, capsys, "0\n0\n4\n5\n", *DICE, "--no-save")
    mine, yours = (
        tuple(map(int, re.findall(rf"{who} choose the \[([0-9,]+)\]", text)[0].split(",")))
        for who in ("(?:I make the first move and|I)", "You")
    )
    assert mine != yours
    sums = re.findall(r"result is (\d) \+ (\d) = (\d) \(mod 6\)", text)
    for x, y, total in sums:
        assert (int(x) + int(y)) % 6 == int(total)
    i, j = (int(total) for _, _, total in sums)
    assert f"My roll result is {mine[i]}." in text
    assert f"Your roll result is {yours[j]}." in text
    outcome = (
        f"You win ({yours[j]} > {mine[i]})!"
        if yours[j] > mine[i]
        else f"I win ({mine[i]} > {yours[j]})!"
    )
    assert outcome in text


@pytest.mark.parametrize("before", ["", "0\n", "0\n0\n", "0\n0\n3\n"])
def test_x_is_a_recorded_forfeit_and_the_key_is_revealed(
    before: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.jsonl"
    code, text, _ = play(monkeypatch, capsys, before + "X\n", *DICE, "--save", str(path))
    assert code == 0
    assert text.count("HMAC=") == text.count("KEY=")
    verdict = verify(path.read_bytes())
    assert verdict.ok
    assert verdict.payoff == (1, -1)
    assert 'the record says that "User" left' in verdict.remarks[0]


def test_the_taken_die_vanishes_and_equal_dice_stay_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = set()
    for _ in range(12):
        _, text, _ = play(monkeypatch, capsys, "0\n0\n0\n0\n", "1,2", "1,2", "1,2", "--no-save")
        menu = re.findall(r"Choose your dice:\n((?:\d - 1,2\n)+)", text)[0]
        first = "You make the first move" in text
        assert menu.count("\n") == (3 if first else 2)
        seen.add(first)
    assert seen == {True, False}


def test_negative_and_huge_faces(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    huge = str(10**40)
    dice = ["-1,2,3,4,5,6", f"-{huge},{huge}", "5"]
    for _ in range(10):
        assert main(["dice", *dice, "--seat", "user=random", "--save", str(path)]) == 0
        assert verify(path.read_bytes()).ok
    assert "[-1,2,3,4,5,6]" in capsys.readouterr().out


def test_many_games_of_programs_all_verify(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    for user in ("optimal", "random") * 10:
        assert main(["dice", *DICE, "--seat", f"user={user}", "--save", str(path)]) == 0
        assert verify(path.read_bytes()).ok
    assert "Your selection" not in capsys.readouterr().out


def test_games_are_saved_in_the_data_directory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["dice", *DICE, "--seat", "user=random"]) == 0
    (saved,) = tmp_path.glob("fairground/transcripts/dice-*.jsonl")
    assert str(saved) in capsys.readouterr().out
    assert verify(saved.read_bytes()).ok


def test_a_data_directory_that_cannot_be_written_costs_only_the_record(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fairground").write_text("a file stands in the way")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["dice", *DICE, "--seat", "user=random"]) == 0
    assert "the game is not saved" in capsys.readouterr().err


def test_a_full_disk_costs_the_record_and_not_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """/dev/full is a real file on which every write fails for want of room."""
    answers = "0\n0\n4\n5\n"
    code, text, error = play(monkeypatch, capsys, answers, *DICE, "--save", "/dev/full")
    assert code == 2, "the record was asked for, and is not there"
    assert re.match(the_sample(), text)
    assert error.count("not saved any more") == 1
    assert "The game is in" not in text


class TestDiceParser:
    def test_blanks_and_plus_signs(self) -> None:
        assert DiceParser().parse([" 1, +2", "-3", "4"]) == [Die((1, 2)), Die((-3,)), Die((4,))]

    def test_at_least_three(self) -> None:
        with pytest.raises(BadParams):
            DiceParser().parse(["1", "2"])


class TestHelpTable:
    def test_the_sources_example(self, capsys: pytest.CaptureFixture[str]) -> None:
        dice = [Die((2, 2, 4, 4, 9, 9)), Die((1, 1, 6, 6, 8, 8)), Die((3, 3, 5, 5, 7, 7))]
        HelpTable(dice, Ink(80)).show(Console())
        expected = """\
Probability of the win for the user:
+-------------+-------------+-------------+-------------+
| User dice v | 2,2,4,4,9,9 | 1,1,6,6,8,8 | 3,3,5,5,7,7 |
+-------------+-------------+-------------+-------------+
| 2,2,4,4,9,9 | - (0.3333)  | 0.5556      | 0.4444      |
+-------------+-------------+-------------+-------------+
| 1,1,6,6,8,8 | 0.4444      | - (0.3333)  | 0.5556      |
+-------------+-------------+-------------+-------------+
| 3,3,5,5,7,7 | 0.5556      | 0.4444      | - (0.3333)  |
+-------------+-------------+-------------+-------------+
"""
        assert capsys.readouterr().out.endswith(expected)

    def test_pages_show_every_pair_once_and_fit(self) -> None:
        table = HelpTable([Die((n, n + 1, n + 2)) for n in range(30)], Ink(80))
        pages = table.pages(80, 24)
        cells = [(row, column) for rows, columns in pages for row in rows for column in columns]
        assert sorted(cells) == [(i, j) for i in range(30) for j in range(30)]
        assert len(pages) > 4

    def test_in_a_pipe_the_first_dice_of_many_are_shown(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        HelpTable([Die((n, 1000 + n)) for n in range(1000)], Ink(80)).show(Console())
        shown = capsys.readouterr().out
        assert "These are the first 50 of 1,000 dice." in shown
        rows = [line for line in shown.splitlines() if line.startswith("| ")]
        assert [len(rows), rows[0].count("|"), rows[-1][2:9]] == [51, 52, "49,1049"]


def test_a_game_on_a_real_terminal() -> None:
    keys = [("Your selection: ", answer) for answer in ("?\n", "0\n", "0\n", "4\n", "5\n")]
    keys.append(("Once more? ", "q\n"))
    shown = on_a_terminal(keys, 100, 40, "dice", *DICE, "--no-save")
    assert "| User dice v | 2,2,4,4,9,9 |" in shown
    assert "Your selection: 4" in shown
    assert re.search(r"(win|tie) \(", shown)
    assert shown.endswith("exit 0")


def test_help_is_paged_on_a_small_terminal() -> None:
    dice = [f"{n},{n + 1}" for n in range(12)]
    keys = [
        ("Your selection: ", "?\n"),
        ("q to go back: ", "\n"),
        ("q to go back: ", "q\n"),
        ("Your selection: ", "x\n"),
    ]
    shown = on_a_terminal(keys, 60, 20, "dice", *dice, "--no-save")
    assert "Page 1 of " in shown
    assert "Page 2 of " in shown
    assert shown.endswith("exit 0")


def test_the_menu_starts_a_game_at_a_keypress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    keys = [
        ("press a letter.", "v"),
        ("press a letter.", "\x1b[D\x1b[C\x1bOP\x1b[15~*d"),  # odd keys start nothing
        ("Your selection: ", "x\n"),
        ("for the menu.", " "),
        ("press a letter.", "v"),
        ("for the menu.", " "),
        ("press a letter.", "h"),
        ("for the menu.", " "),
        ("press a letter.", "\x1b[B"),
        ("press a letter.", "\n"),
    ]
    shown = on_a_terminal(keys, 100, 50)
    assert "No game has been saved yet" in shown
    assert "You leave the game." in shown
    assert "The house stopped" not in shown and "is valid" in shown
    assert "usage: fairground" in shown
    assert shown.endswith("exit 0")


@pytest.mark.parametrize("dice", [5, 9])
def test_no_odds_are_cut_in_a_pipe(dice: int, capsys: pytest.CaptureFixture[str]) -> None:
    faces = [f"{number},2,3,4,5,6" for number in range(dice)]
    assert main(["solve", "dice", *faces]) == 0
    text = capsys.readouterr().out
    assert "…" not in text
    assert text.count("- (0.") == dice


def test_a_hint_names_the_best_die_and_is_recorded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """First, 9,9,9 is the best of these; against it 5,5,11 wins one time in three."""
    path = tmp_path / "game.jsonl"
    monkeypatch.setattr(sys, "stdin", io.StringIO("0\nhint\n0\n0\n0\n"))
    assert main(["dice", "1,1,1", "9,9,9", "5,5,11", "--save", str(path)]) == 0
    text = capsys.readouterr().out
    hints = [json.loads(line) for line in path.read_bytes().splitlines() if b'"hint"' in line]
    assert len(hints) == 1 and hints[0]["body"]["seat"] == 1
    best = "[9,9,9]" if "You make the first move" in text else "[5,5,11]"
    assert f"Hint: take {best}" in text
