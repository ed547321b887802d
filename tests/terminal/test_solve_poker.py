"""``fairground solve poker`` as a person and as a program meets it."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from fairground.cli import main
from fairground.core import InputError
from fairground.games.poker.rules import parse_hand
from fairground.games.poker.screen import run
from fairground.games.poker.solver.holds import holds
from fairground.terminal.console import decimal

HISTORIC = "5♢ 7♢ 9♧ 10♧ 7♡"


def test_a_hand_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([HISTORIC, "--level", "5", "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert printed.out.count("\n") == 1 and not printed.err
    assert list(found) == ["hand", "level", "holds", "best"]
    assert found["hand"] == HISTORIC.split()
    assert found["level"] == 5
    assert found["best"] == {
        "hold": "7♢ 7♡",
        "replace": [1, 0, 1, 1, 0],
        "value": "4452/5405",
        "decimal": "0.823681776133",
    }
    assert found["holds"][0] == found["best"]
    expected = {hold.order: hold.value for hold in holds(parse_hand(HISTORIC), 5)}
    assert {tuple(row["replace"]): Fraction(row["value"]) for row in found["holds"]} == expected


def test_signs_letters_one_word_or_five_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for words in (
        [HISTORIC],
        ["5d 7d 9c Tc 7h"],
        ["5d", "7d", "9c", "10c", "7h"],
        ["5♦,7♦,9♣", "T♣,7♥"],
    ):
        assert run([*words, "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert len(set(said)) == 1


def test_a_hand_as_a_table_has_32_holds_the_best_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["8s", "Kd", "8h", "8d", "8c", "--level", "1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("8♤ K♢ 8♡ 8♢ 8♧: four of a kind. Level 1.\n")
    rows = [line.split("|")[1:-1] for line in printed.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row] for row in rows]
    assert cells[0] == ["", "keep", "replace", "value", "exactly"]
    assert len(cells) == 33
    assert cells[1] == ["*", "8♤ K♢ 8♡ 8♢ 8♧", "0,0,0,0,0", "25.000000", "25"]
    assert cells[2] == ["*", "8♤ 8♡ 8♢ 8♧", "0,1,0,0,0", "25.000000", "25"]
    assert [row[0] for row in cells[3:]] == [""] * 30
    assert "(nothing)" in [row[1] for row in cells]
    values = [Fraction(row[4]) for row in cells[1:]]
    assert values == sorted(values, reverse=True)


def test_perfect_play_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--all", "--level", "5", "--json"]) == 0
    assert capsys.readouterr().out == '{"level": 5, "return": "1653526326983/1661102543100"}\n'
    assert run(["--json", "--all", "--level", "2"]) == 0
    assert capsys.readouterr().out == '{"level": 2, "return": "35523565111/36110924850"}\n'


def test_perfect_play_in_words_and_level_5_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--all"]) == 0
    printed = capsys.readouterr().out
    assert "level 5 returns 1653526326983/1661102543100" in printed
    assert "0.995439043695. The house keeps 0.456096 %." in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "five cards are needed, or --all"),
        (["--all", "5d"], "takes no cards"),
        (["5d 7d 9c Tc 7h", "--level", "6"], "invalid choice: 6"),
        (["5d 7d 9c Tc 7h", "--level", "x"], "invalid int value: 'x'"),
        (["5d 7d 9c Tc 7h", "--lev", "5"], "unrecognized arguments"),
        (["5d 7d 9c Tc 7x"], "'7x' is not a card"),
        (["5d 7d 9c Tc 5♦"], "5♢ is there twice"),
        (["5d 7d 9c Tc"], "has 4"),
    ],
)
def test_errors_say_what_is_wrong_and_how_to_do_it_right(arguments: list[str], says: str) -> None:
    with pytest.raises(InputError) as error:
        run(arguments)
    assert says in str(error.value)
    assert "5d 7d 9c Tc 7h" in str(error.value)
    assert error.value.exit == 2


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(0), 3, "0.000"),
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(2, 3), 4, "0.6667"),
        (Fraction(9999, 10000), 3, "1.000"),
        (Fraction(1, 1000), 6, "0.001000"),
        (Fraction(25), 1, "25.0"),
    ],
)
def test_decimals(value: Fraction, digits: int, text: str) -> None:
    assert decimal(value, digits) == text


def test_suits_without_unicode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "poker", "5d 7d 9c Tc 7h", "--ascii"]) == 0
    text = capsys.readouterr().out
    assert text.isascii() and "7d 7h" in text and "?" not in text
