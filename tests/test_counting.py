"""How many histories each sample has: kept numbers, counted naively, and worked out by hand."""

from __future__ import annotations

import json
from itertools import accumulate, permutations, product
from math import comb, perm
from typing import Any

import pytest

from fairground.core import Draw, Game, Over, Turn
from fairground.games.intransitive.rules import Intransitive
from fairground.testing.laws import histories
from fairground.testing.toys import RICH, Toy
from tests import make_vectors
from tests.helpers.samples import SAMPLES, SEED_DICE, Sample

KEPT: dict[str, list[int]] = json.loads(
    (make_vectors.FOLDER / "perft.json").read_text(encoding="ascii")
)
ALL_SAMPLES = [sample for samples in SAMPLES.values() for sample in samples]


def walked(game: Game[Any], s: Any, deepest: int) -> list[int]:
    """The histories from a state on, walked one by one: nothing is merged, nothing remembered."""
    counts = [1] + [0] * deepest
    if deepest == 0:
        return counts
    awaits = game.awaits(s)
    following = []
    if isinstance(awaits, Draw):
        for value in range(awaits.n):
            following.append(game.drawn(s, value))
    elif isinstance(awaits, Turn):
        ways: list[dict[int, Any]] = [{}]
        for seat in awaits.seats:
            ways = [{**way, seat: move} for way in ways for move in game.moves(s, seat)]
        for way in ways:
            for seat, move in way.items():
                game.check(s, seat, move)
            following.append(game.played(s, way))
    else:
        assert isinstance(awaits, Over)
    for after in following:
        for depth, count in enumerate(walked(game, after, deepest - 1), 1):
            counts[depth] += count
    return counts


def test_every_sample_has_its_numbers() -> None:
    assert set(KEPT) == {sample.name for sample in ALL_SAMPLES}


@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_the_kept_numbers_are_those_of_a_walk_through_every_history(sample: Sample) -> None:
    kept = KEPT[sample.name]
    walkable = [total for total in accumulate(kept) if total <= 10_000]
    assert walked(sample.make(), sample.make().start(), len(walkable) - 1) == kept[: len(walkable)]


@pytest.mark.parametrize("sample", SAMPLES["intransitive/1"], ids=lambda sample: sample.name)
def test_dice_by_hand(sample: Sample) -> None:
    """A bit; any die; any other die; the faces of the computer's die, then of the user's."""
    faces = [len(die) for die in sample.params["dice"]]
    pairs = list(permutations(faces, 2))
    assert KEPT[sample.name] == [
        1,
        2,
        2 * len(faces),
        2 * len(pairs),
        2 * sum(computer for computer, _ in pairs),
        2 * sum(computer * user for computer, user in pairs),
    ]


def ties(one: str, other: str) -> int:
    return sum(a == b for a, b in product(one, other))


def test_fatestones_of_two_hands_by_hand() -> None:
    """Two picks each; 36 rolls; after a tie the other two dice, and 36 rolls more."""
    mine, yours = SAMPLES["fatestones/1"][2].params["hands"]
    tied = sum(ties(one, other) for one, other in product(mine, yours))
    counts = [1, 2 * 2, 2 * 2 * 6, 2 * 2 * 36, tied, tied * 6, tied * 36]
    assert KEPT["fatestones-1-hands"] == counts


def test_fatestones_of_six_equal_dice_by_hand() -> None:
    """A deal of 6!; three picks each; 18 of 36 rolls tie; then two picks each, then one."""
    assert ties("333444", "333444") == 18
    dealt = [perm(6, k) for k in range(7)]
    rounds = []
    going = dealt[-1]
    for left in (3, 2, 1):
        rounds += [going * left**2, going * left**2 * 6, going * left**2 * 36]
        going *= left**2 * 18
    kept = KEPT["fatestones-1-end"]
    assert kept == [*dealt, *rounds][: len(kept)]
    assert len(kept) > len(dealt) + 3


def test_a_deal_of_fatestones_and_of_cards_is_without_replacement() -> None:
    for name, size in (
        ("fatestones-1-deal", 7),
        ("poker-2-least", 52),
    ):
        kept = KEPT[name]
        assert kept == [perm(size, k) for k in range(len(kept))]
        assert len(kept) >= 3


def test_poker_after_the_deal_by_hand() -> None:
    """32 orders; an order that replaces k cards draws them one by one from the 47 unseen."""
    game = SAMPLES["poker/2"][0].make()
    state = game.start()
    for _ in range(5):
        state = game.drawn(state, 0)
    by_hand = [1, 32, sum(comb(5, k) * 47 for k in range(1, 6))]
    assert walked(game, state, 2) == by_hand
    twice = sum(comb(5, k) * 47 * 46 for k in range(2, 6))
    assert walked(game, state, 3) == [*by_hand, twice]


def test_a_fair_oracle_by_hand() -> None:
    """One of C codes; then C guesses or giving up; then one true answer, or the code shown."""
    codes = 2**2
    expected, guessing, found = [1], codes, 0
    while len(expected) < 12:
        guesses = guessing * (codes + 1)
        expected += [guesses + found] if found else [codes, guesses]
        expected.append(guesses)
        found, guessing = guessing, guessing * (codes - 1)
    kept = KEPT["codebreaking-1-fair"]
    assert kept == expected[: len(kept)]
    assert len(kept) > 8


def test_oracles_without_a_drawn_code_by_hand() -> None:
    nice = [1, 3 + 1, 3 * 1 + (3 + 1), 3 * (1 + 1)]  # "no code" may always be shown
    assert KEPT["codebreaking-1-nice"] == nice
    forms = 5  # full and partial matches of two digits: 00 01 02 10 20
    assert KEPT["codebreaking-1-evil"][:3] == [1, 4 + 1, 4 * forms + (4 + 1)]


def test_a_toy_by_hand() -> None:
    """Every step multiplies by its own number; two seats at once, by its square."""
    assert histories(Toy.from_params(RICH)) == [1, *accumulate([6, 10, 6, 2, 3 * 3], int.__mul__)]


def test_counting_stops_where_it_is_told_to() -> None:
    dice = Intransitive.from_params({"dice": SEED_DICE})
    assert histories(dice, most_states=12) == [1, 2, 6, 12]
    assert histories(dice, longest=2) == [1, 2, 6]


class Short(Intransitive):
    """It forgets the last die, in its list only."""

    def moves(self, s: Any, seat: int) -> Any:
        return [move for move in super().moves(s, seat) if move != len(self.dice) - 1]


class Endless(Intransitive):
    """The user may roll twice."""

    def awaits(self, s: Any) -> Any:
        awaits = super().awaits(s)
        return Draw(6) if isinstance(awaits, Over) and s.rolls[1] == 5 else awaits

    def drawn(self, s: Any, value: int) -> Any:
        return s._replace(rolls=(s.rolls[0], value)) if s.rolls[1] == 5 else super().drawn(s, value)


@pytest.mark.parametrize("rules", [Short, Endless], ids=["short", "endless"])
def test_rules_that_differ_have_other_numbers(rules: type[Intransitive]) -> None:
    good = Intransitive.from_params({"dice": SEED_DICE})
    bad = rules.from_params({"dice": SEED_DICE})
    assert histories(good) == KEPT["intransitive-1-seed"]
    assert histories(bad)[: len(KEPT["intransitive-1-seed"]) + 1] != KEPT["intransitive-1-seed"]
