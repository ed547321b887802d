"""What the coach says, read as a player reads it: by itself, without the line before it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import fairground as fg
from fairground.coach.luck import LuckOdds
from fairground.coach.telling import moment, oddness
from fairground.words import reasons


@pytest.mark.parametrize(
    ("low", "high", "often"),
    [
        ((77, 1000), (104, 1000), "8 to 10 games in 100"),
        ((14, 100), (16, 100), "14 to 16 games in 100"),
        ((1, 130), (1, 120), "1 game in 120 to 130"),
        ((201, 1000), (202, 1000), "about 20 games in 100"),
        ((0, 1), (1, 50), "at most 1 game in 50"),
        ((22, 100), (22, 100), "22 games in 100"),
    ],
)
def test_bounds_of_luck_are_counted_in_one_way(
    low: tuple[int, int], high: tuple[int, int], often: str
) -> None:
    odds = LuckOdds(good=True, low=Fraction(*low), high=Fraction(*high), draws=9, unknown=0)
    said = oddness(odds, "Ann")
    assert said == f"Luck at least this good for Ann: {often}, if all draws were drawn again."


def test_a_roll_says_whose_it_is() -> None:
    table = fg.open("zombie", players=3, seats=["greedy"] * 3, names=["Ann", "Bob", "Cy"], seed="x")
    review = fg.coach(table.play())
    rolls = [step.says for step in review.steps if "roll shows" in step.says]
    assert rolls and all(says.split()[0] in ("Ann's", "Bob's", "Cy's") for says in rolls)


def test_no_two_numbers_stand_side_by_side() -> None:
    """ "Takes 114456 38 times in 100" is read twice, and "1 time in 1.09" three times."""
    mix = [("114456", Fraction(3, 8)), ("222555", Fraction(5, 8))]
    assert reasons.fatestones_mix(mix, Fraction(1, 2)) == (
        "Perfect play takes 114456 in 38 of 100 games and 222555 in 62 of 100 games, "
        "and wins 50 in 100 games."
    )
    assert reasons.once_in(Fraction(92, 100)) == "92 times in 100"
    assert reasons.once_in(Fraction(1, 14)) == "1 time in 14"
    assert reasons.compared(Fraction(1, 4), Fraction(1, 21)) == "25 times in 100 instead of 4.76"
    assert reasons.compared(Fraction(1, 40), Fraction(0)) == "1 time in 40 instead of never"


def test_a_mistake_is_not_called_as_good_as_what_was_better() -> None:
    hands = [["222456", "114456", "222555"], ["233346", "122556", "113466"]]
    table = fg.open("fatestones", hands=hands, names=["Hal", "Ann"], seed="fate0")
    while not table.over:
        for ask in table.asks():
            table.answer(ask, list(ask.moves)[-1])
            break
    review = fg.coach(table).review
    said = [moment(step, review) for step in review.steps if step.kind == "decision" and step.cost]
    assert said and not any("Equally right" in one for one in said)
    assert any("That cost" in one and "Better" in one for one in said)
