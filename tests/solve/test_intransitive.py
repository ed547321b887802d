"""Exact odds, and the sentences about them, against a count of every pair of faces."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import BadParams
from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.solver import WinOdds, count_wins
from tests.helpers.pseudo_terminal import on_a_terminal

SEED = [Die((2, 2, 4, 4, 9, 9)), Die((1, 1, 6, 6, 8, 8)), Die((3, 3, 5, 5, 7, 7))]
EFRON = [
    Die((4, 4, 4, 4, 0, 0)),
    Die((3, 3, 3, 3, 3, 3)),
    Die((6, 6, 2, 2, 2, 2)),
    Die((5, 5, 5, 1, 1, 1)),
]
HUGE = 10**40
FACES = list(combinations_with_replacement(range(3), 3))
SEEDS = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")

faces = st.lists(
    st.integers(-3, 12) | st.sampled_from([HUGE, -HUGE, HUGE + 1, 2**63, -(2**63) - 1, 2**63 - 1]),
    min_size=1,
    max_size=9,
)
some_dice = st.lists(faces.map(lambda values: Die(tuple(values))), min_size=2, max_size=6)


def brute(a: Die, b: Die) -> tuple[Fraction, Fraction, Fraction]:
    """Win, tie and loss of a against b, by looking at every pair of faces."""
    win = tie = loss = Fraction(0)
    share = Fraction(1, len(a.faces) * len(b.faces))
    for x in a.faces:
        for y in b.faces:
            if x > y:
                win += share
            elif x == y:
                tie += share
            else:
                loss += share
    return win, tie, loss


def worth(a: Die, b: Die) -> Fraction:
    win, tie, _ = brute(a, b)
    return win + tie / 2


def beats(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return sum((x > y) - (x < y) for x, y in product(a, b)) > 0


def brute_table(dice: list[Die]) -> list[list[int]]:
    return [[sum(x > y for x in a.faces for y in b.faces) for b in dice] for a in dice]


def plain(table: object) -> list[list[int]]:
    return [list(row) for row in table]  # type: ignore[attr-defined]


def test_the_table_in_the_source_document() -> None:
    odds = WinOdds(SEED)
    shown = [[f"{float(odds.win(i, j)):.4f}" for j in range(3)] for i in range(3)]
    assert shown == [
        ["0.3333", "0.5556", "0.4444"],
        ["0.4444", "0.3333", "0.5556"],
        ["0.5556", "0.4444", "0.3333"],
    ]


def test_efrons_dice_beat_the_next_with_two_thirds() -> None:
    odds = WinOdds(EFRON)
    for i in range(4):
        assert odds.win(i, (i + 1) % 4) == Fraction(2, 3)
        assert odds.best_reply((i + 1) % 4) == i
    # Across the ring: the third wins 5/9 against the first; the second and fourth are even.
    assert odds.win(2, 0) == Fraction(5, 9)
    assert odds.win(1, 3) == Fraction(1, 2)
    assert [odds.prey(i) for i in range(4)] == [[1], [2], [0, 3], [0]]
    assert list(odds.circles()) == [(0, 1, 2)]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some_dice)
def test_odds_equal_a_count_of_every_pair(dice: list[Die]) -> None:
    odds = WinOdds(dice)
    for i, j in product(range(len(dice)), repeat=2):
        win, tie, loss = brute(dice[i], dice[j])
        assert odds.win(i, j) == win
        assert Fraction(odds.ties(i, j), odds.rolls(i, j)) == tie
        assert (j in odds.prey(i)) == (win > loss)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some_dice)
def test_the_table_of_wins_is_a_count_of_every_pair(dice: list[Die]) -> None:
    assert plain(count_wins(dice)) == brute_table(dice)


@pytest.mark.parametrize("count", [1, 15, 16, 255, 256, 257, 65535, 65536])
def test_counts_never_spill_into_the_next_lane(count: int) -> None:
    # The largest possible count, |a| * |b|, stands between two zeros.
    low, high = Die((-HUGE,) * count), Die((HUGE,) * count)
    assert plain(count_wins([low, high, low])) == [
        [0, 0, 0],
        [count * count, 0, count * count],
        [0, 0, 0],
    ]


def test_playing_imports_nothing_slow() -> None:
    code = (
        "import sys; from fairground.games.intransitive.solver import WinOdds; "
        "from fairground.games.intransitive.rules import Die; "
        "odds = WinOdds([Die((2, 9)), Die((1, 8)), Die((3, 7))]); "
        "odds.best_guaranteed(); odds.best_reply(0); odds.as_json(); "
        "print(sorted({'numpy', 'fractions', 'decimal', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some_dice, st.data())
def test_the_best_reply_is_the_best_by_brute_force(dice: list[Die], data: st.DataObject) -> None:
    taken = data.draw(st.integers(0, len(dice) - 1))
    others = [i for i in range(len(dice)) if i != taken]
    left = data.draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
    points = {i: worth(dice[i], dice[taken]) for i in left}
    best = WinOdds(dice).best_reply(taken, left)
    assert best == min(left, key=lambda i: (-points[i], i))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some_dice)
def test_the_best_guaranteed_die_by_brute_force(dice: list[Die]) -> None:
    worst = [min(worth(die, dice[j]) for j in range(len(dice)) if j != i)
             for i, die in enumerate(dice)]  # fmt: skip
    assert WinOdds(dice).best_guaranteed() == worst.index(max(worst))


def test_a_tie_is_worth_half_a_win() -> None:
    """The second die wins more rolls, and loses many more."""
    dice = [Die((4, 4, 4, 4, 5, 6)), Die((1, 2, 2, 3, 6, 6)), Die((2, 4, 4, 4, 5, 6))]
    odds = WinOdds(dice)
    assert odds.wins(1, 0) > odds.wins(2, 0)
    assert odds.best_reply(0) == 2


@settings(derandomize=True, max_examples=100, deadline=None)
@given(some_dice)
def test_circles_by_brute_force(dice: list[Die]) -> None:
    numbers = range(len(dice))
    beaten = {(i, j) for i in numbers for j in numbers if beats(dice[i].faces, dice[j].faces)}
    expected = [
        (i, j, k)
        for i, j, k in permutations(numbers, 3)
        if i < min(j, k) and {(i, j), (j, k), (k, i)} <= beaten
    ]
    odds = WinOdds(dice)
    assert list(odds.circles()) == sorted(expected)
    assert odds.count_circles() == len(expected)


def test_many_circles_are_counted_without_making_them() -> None:
    """Three dice in a circle, two hundred of each: every choice of one of each is a circle."""
    odds = WinOdds([die for die in SEED for _ in range(200)])
    assert odds.count_circles() == 200**3
    assert next(odds.circles()) == (0, 200, 400)


def test_as_json_is_exact_text() -> None:
    told = WinOdds(SEED).as_json()
    assert told == json.loads(json.dumps(told))
    assert told == {
        "dice": ["2,2,4,4,9,9", "1,1,6,6,8,8", "3,3,5,5,7,7"],
        "win": [["1/3", "5/9", "4/9"], ["4/9", "1/3", "5/9"], ["5/9", "4/9", "1/3"]],
        "tie": [["1/3", "0", "0"], ["0", "1/3", "0"], ["0", "0", "1/3"]],
        "beats": [[0, 1], [1, 2], [2, 0]],
        "cycle_count": 1,
        "cycles": [[0, 1, 2]],
        "best_reply": [2, 0, 1],
    }


@settings(derandomize=True, max_examples=50, deadline=None)
@given(some_dice)
def test_as_json_spells_fractions_as_python_does(dice: list[Die]) -> None:
    odds = WinOdds(dice)
    told = odds.as_json()
    for i, j in product(range(len(dice)), repeat=2):
        assert told["win"][i][j] == str(odds.win(i, j))
        assert told["tie"][i][j] == str(Fraction(odds.ties(i, j), odds.rolls(i, j)))


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(BadParams, match="die 2 has no faces"):
        WinOdds([Die((1,)), Die(())])
    odds = WinOdds([Die((1,)), Die((2,))])
    with pytest.raises(BadParams, match="no die is left to reply to die 1"):
        odds.best_reply(1, [1])
    with pytest.raises(BadParams, match="at least two dice, not 1"):
        odds.best_guaranteed([0])


# Sentences before the game


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
    assert of(*SEEDS) == (
        "A circle: 2,2,4,4,9,9 beats 6,8,1,1,8,6 (56 %), which beats 7,5,3,7,5,3 (56 %), which "
        "beats 2,2,4,4,9,9 (56 %)."
    )
    ones, twos, threes = (",".join(face * 6) for face in "123")
    assert of(ones, twos, threes) == f"No circle here: {threes} beats every other die."
    assert of("1,2,3,4,5,6", twos, threes) == ("No circle here: 1,2,3,4,5,6 beats every other die.")
    assert of(ones, ones, ones) == "No circle here: no die beats another."
    assert of(ones, threes, threes) == f"No circle here: no die beats {threes} or {threes}."
    assert of(*SEEDS, "9,9,9") == "9,9,9 beats every other die."
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
        (SEEDS, "A circle: 2,2,4,4,9,9 beats 6,8,1,1,8,6 (56 %)"),
    ],
)
def test_the_first_screen(dice: tuple[str, ...], says: str) -> None:
    shown = on_a_terminal([("Your selection: ", "X\n")], 200, 40, "dice", *dice, "--no-save")
    assert says in shown
    assert "None of the dice" not in shown
