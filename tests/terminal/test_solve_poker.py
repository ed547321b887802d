"""``fairground solve poker`` as a person and as a program meets it."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from fairground.games.poker.holds import holds
from fairground.games.poker.rules import parse_hand
from fairground.games.poker.screen import run

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
