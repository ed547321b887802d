"""What is said of a set of dice before the game is true of these dice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest

from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.solver import WinOdds
from tests.helpers.pseudo_terminal import on_a_terminal

FACES = list(combinations_with_replacement(range(3), 3))
SEED = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")


def beats(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return sum((x > y) - (x < y) for x, y in product(a, b)) > 0


def circles(dice: Sequence[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """All circles, by trying every order of every part of the dice."""
    return {
        order
        for size in range(2, len(dice) + 1)
        for order in permutations(range(len(dice)), size)
        if all(beats(dice[i], dice[j]) for i, j in zip(order, (*order[1:], order[0]), strict=True))
    }


@pytest.mark.parametrize("many", [3, 4])
def test_every_set_of_small_dice(many: int) -> None:
    """All sets with faces 0 to 2, equal dice and ties included."""
    for dice in combinations_with_replacement(FACES, many):
        check(list(dice))


def test_many_sets_with_circles() -> None:
    """Dice with four faces from 0 to 5 that sum up to 10."""
    faces = [die for die in combinations_with_replacement(range(6), 4) if sum(die) == 10]
    said = [check(list(dice)) for dice in combinations(faces, 3)]
    assert sum(one.startswith("A circle") for one in said) > 10


def check(dice: Sequence[tuple[int, ...]]) -> str:
    odds, said = WinOdds(map(Die, dice)), WinOdds(map(Die, dice)).summary()
    names = [str(Die(die)) for die in dice]
    every = circles(dice)
    best = [
        i
        for i, die in enumerate(dice)
        if all(beats(die, other) for j, other in enumerate(dice) if j != i)
    ]
    unbeaten = [i for i, die in enumerate(dice) if not any(beats(other, die) for other in dice)]
    shortest = tuple(odds.shortest_circle())
    assert bool(shortest) == bool(every)
    assert not every or (shortest in every and len(shortest) == min(map(len, every)))
    if best:
        assert said.endswith(f"{names[best[0]]} beats every other die.")
        assert said.startswith("No circle here") == (not every)
    elif every:
        assert said.startswith(f"A circle: {names[shortest[0]]} beats {names[shortest[1]]} (")
        assert said.count("beats") == len(shortest)
    elif len(unbeaten) == len(dice):
        assert said == "No circle here: no die beats another."
    else:
        named = re.split(", | or ", said.removeprefix("No circle here: no die beats ")[:-1])
        assert named == [names[i] for i in unbeaten]
    return said


def of(*dice: str) -> str:
    return WinOdds(Die(tuple(map(int, die.split(",")))) for die in dice).summary()


def test_the_sentences() -> None:
    assert of(*SEED) == (
        "A circle: 2,2,4,4,9,9 beats 6,8,1,1,8,6 (56 %), which beats 7,5,3,7,5,3 (56 %), which "
        "beats 2,2,4,4,9,9 (56 %)."
    )
    ones, twos, threes = (",".join(face * 6) for face in "123")
    assert of(ones, twos, threes) == f"No circle here: {threes} beats every other die."
    assert of("1,2,3,4,5,6", twos, threes) == ("No circle here: 1,2,3,4,5,6 beats every other die.")
    assert of(ones, ones, ones) == "No circle here: no die beats another."
    assert of(ones, threes, threes) == f"No circle here: no die beats {threes} or {threes}."
    assert of(*SEED, "9,9,9") == "9,9,9 beats every other die."
    long = ",".join(["7"] * 20)
    assert of(long, ones, twos) == "No circle here: die 0 beats every other die."


def test_a_circle_of_four_with_ties_and_none_of_three() -> None:
    dice = [(0, 0, 3, 4), (0, 2, 2, 3), (1, 2, 2, 2), (1, 1, 2, 4)]
    assert min(map(len, circles(dice))) == 4
    assert "0,0,3,4 beats 0,2,2,3 (wins 44 %, loses 38 %), which beats" in check(dice)


@pytest.mark.parametrize(
    ("dice", "says"),
    [
        (("1,1,1,1,1,1", "2,2,2,2,2,2", "3,3,3,3,3,3"), "3,3,3,3,3,3 beats every other die."),
        (SEED, "A circle: 2,2,4,4,9,9 beats 6,8,1,1,8,6 (56 %)"),
    ],
)
def test_the_first_screen(dice: tuple[str, ...], says: str) -> None:
    shown = on_a_terminal([("Your selection: ", "X\n")], 200, 40, "dice", *dice, "--no-save")
    assert says in shown
    assert "None of the dice" not in shown
