"""The dice game as a person meets it: the words and the order of the source's sample."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.screen import HelpTable
from fairground.terminal.console import Console, Ink
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.terminal.conftest import Here

DICE = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]

HMAC = r"HMAC=([0-9A-F]{64})"
KEY = r"KEY=([0-9A-F]{64})"


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


def test_a_session_reads_like_the_sample(here: Here) -> None:
    for _ in range(8):  # both orders of choosing, most likely
        told = here.saved("0\n0\n4\n5\n", "dice", *DICE)
        assert told.code == 0
        assert re.match(the_sample(), told.out), told.out
        assert [len(re.findall(what, told.out)) for what in ("HMAC=", "KEY=")] == [3, 3]
        assert told.claims == ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1"]


def test_the_openssl_lines_print_what_was_shown(here: Here) -> None:
    text = here("1\n1\n2\n3\n", "dice", *DICE, "--no-save").out
    lines = re.findall(r"^  (printf .*)$", text, re.MULTILINE)
    shown, opened = re.findall(HMAC, text), re.findall(KEY, text)
    assert len(lines) == len(set(shown)) == len(set(opened)) == 3
    for line, tag, key in zip(lines, shown, opened, strict=True):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1].upper() == tag
        asked = text.index("Your selection", text.index(tag))
        assert text.index(tag) < asked < text.index(key)


def test_the_results_follow_from_the_numbers(here: Here) -> None:
    text = here("0\n0\n4\n5\n", "dice", *DICE, "--no-save").out
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
    won = yours[j] > mine[i]
    said = f"You win ({yours[j]} > {mine[i]})!" if won else f"I win ({mine[i]} > {yours[j]})!"
    assert said in text


def test_the_taken_die_vanishes_and_equal_dice_stay_apart(here: Here) -> None:
    seen = set()
    for _ in range(12):
        text = here("0\n0\n0\n0\n", "dice", "1,2", "1,2", "1,2", "--no-save").out
        menu = re.findall(r"Choose your dice:\n((?:\d - 1,2\n)+)", text)[0]
        first = "You make the first move" in text
        assert menu.count("\n") == (3 if first else 2)
        seen.add(first)
    assert seen == {True, False}


def test_many_games_of_programs_all_verify(here: Here) -> None:
    huge = str(10**40)
    for dice in (DICE, ["-1,2,3,4,5,6", f"-{huge},{huge}", "5"]):
        for user in ("optimal", "random") * 5:
            told = here.saved("", "dice", *dice, "--seat", f"user={user}")
            assert told.code == 0 and told.verdict.ok
            assert "Your selection" not in told.out


def test_a_record_that_cannot_be_written_costs_only_the_record(here: Here, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file stands in the way")
    told = here("", "dice", *DICE, "--seat", "user=random")
    assert told.code == 0 and "the game is not saved" in told.err
    # /dev/full is a real file on which every write fails for want of room.
    told = here("0\n0\n4\n5\n", "dice", *DICE, "--save", "/dev/full")
    assert told.code == 2, "the record was asked for, and is not there"
    assert re.match(the_sample(), told.out)
    assert told.err.count("not saved any more") == 1


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


def test_a_hint_names_the_best_die_and_is_recorded(here: Here) -> None:
    """First, 9,9,9 is the best of these; against it 5,5,11 wins one time in three."""
    told = here.saved("0\nhint\n0\n0\n0\n", "dice", "1,1,1", "9,9,9", "5,5,11")
    (note,) = told.notes
    assert told.code == 0 and note["seat"] == 1
    best = "[9,9,9]" if "You make the first move" in told.out else "[5,5,11]"
    assert f"Hint: take {best}" in told.out
