"""Guesses in large spaces, against plain counting: counts, codes that fit, information."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import log2

import numpy as np
import pytest

from fairground.fair.bits import SeededStream
from fairground.games.codebreaking.rules import Code, Row, digits, fits, marks
from fairground.games.codebreaking.solver.large_spaces import (
    NEW,
    LargeSpaceSearch,
    Tallies,
    ask_for,
    improve,
    retally,
    settle,
    tallied,
)


def words(seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([seed], np.uint64)


def entropy(values: list[tuple[int, ...]]) -> float:
    return -sum(n / len(values) * log2(n / len(values)) for n in Counter(values).values())


@pytest.mark.parametrize(("base", "length"), [(2, 7), (3, 5), (5, 4), (6, 1)])
def test_counts_are_as_likely_as_the_codes_that_have_them(base: int, length: int) -> None:
    """Against all codes, one by one: those with these totals, sorted by their counts."""
    stream = SeededStream("tallies", base)
    code = digits(stream.below(base**length), base, length)
    left = list(product(range(base), repeat=length))
    tallies = Tallies(base, length)
    for _ in range(4):
        guess = digits(stream.below(base**length), base, length)
        total = sum(marks(code, guess))
        left = [c for c in left if sum(marks(c, guess)) == total]
        assert tallies.keep(guess, total)
    many = Counter(tuple(c.count(d) for d in range(base)) for c in left)
    drawn = Counter(tuple(map(int, row)) for row in tallies.draw(20_000, words(1)))
    assert set(drawn) <= set(many)
    for counts, codes in many.items():
        assert drawn[counts] / 20_000 == pytest.approx(codes / len(left), abs=0.015)
    only = len({tuple(c.count(d) for d in range(base) if tallies.seen[d]) for c in left}) == 1
    assert (tallies.bits() < 1e-9) == only


def test_counts_that_nobody_can_list_are_left_alone() -> None:
    assert not Tallies(100, 40).keep(tuple(range(NEW + 1)) + (0,) * (39 - NEW), 5)


def test_totals_that_contradict_each_other_leave_nothing() -> None:
    tallies = Tallies(6, 4)
    assert tallies.keep((0, 0, 0, 0), 4)
    assert not tallies.keep((1, 1, 1, 1), 4)


def test_candidates_that_say_they_fit_do() -> None:
    base, length = 12, 9
    stream = SeededStream("walkers", 1)
    code = digits(stream.below(base**length), base, length)
    guesses = [digits(stream.below(base**length), base, length) for _ in range(8)]
    full = np.array([marks(code, guess)[0] for guess in guesses])
    chance = words(2)
    codes = np.zeros((50, length), np.uint8)
    counts = tallied(np.array([code], np.uint8), base)[0]
    for candidate in codes:
        retally(candidate, counts, chance)
    strains = settle(np.array(guesses, np.uint8), full, base, codes, 400, chance)
    for candidate, strain in zip(codes, strains, strict=True):
        assert sorted(map(int, candidate)) == sorted(code)
        found = [marks(tuple(map(int, candidate)), guess)[0] for guess in guesses]
        assert strain == np.abs(np.array(found) - full).sum()
    assert (strains == 0).mean() > 0.9


def test_new_counts_leave_places_that_may_stay() -> None:
    code = np.array([3, 3, 1, 0, 2], np.uint8)
    retally(code, np.array([1, 2, 0, 2], np.uint8), words(3))
    assert list(code) == [3, 3, 1, 0, 1]


def test_a_guess_is_improved_until_no_change_of_one_place_helps() -> None:
    stream = SeededStream("questions", 1)
    codes = [digits(stream.below(5**4), 5, 4) for _ in range(60)]
    sample = np.array(codes, np.uint8)
    guess = np.zeros(4, np.uint8)

    def told(guess: Code) -> float:
        answers = [marks(code, guess) for code in codes]
        return entropy([(full,) for full, _ in answers]) + entropy([(sum(a),) for a in answers])

    improve(guess, np.arange(5), sample, tallied(sample, 5))
    climbed: Code = tuple(map(int, guess))
    others = [(*climbed[:i], d, *climbed[i + 1 :]) for i in range(4) for d in range(5)]
    assert told(climbed) > told((0, 0, 0, 0))
    assert told(climbed) == pytest.approx(max(map(told, others)))


def test_digits_whose_count_is_known_are_not_asked() -> None:
    samples = np.array([[1, 0, 2, 3], [0, 1, 2, 3], [0, 0, 2, 3], [1, 1, 2, 3]], np.uint8)
    asked = ask_for(samples, np.arange(4), 10, 3, 0.01)
    # The first two digits are either way; together they tell 1.5 bits, asked once each.
    assert list(asked) == [1, 1, 0, 0]


@pytest.mark.parametrize(("base", "length", "most"), [(2, 12, 14), (10, 5, 12), (60, 5, 40)])
def test_the_hunt_finds_the_code(base: int, length: int, most: int) -> None:
    for seed in range(2):
        code = digits(SeededStream("hunt", seed).below(base**length), base, length)
        search = LargeSpaceSearch(base, length, seed, 300)
        rows: tuple[Row, ...] = ()
        while not rows or rows[-1].marks[0] < length:
            guess = search.next(rows)
            assert guess is not None
            rows = (*rows, Row(guess, marks(code, guess)))
        assert len(rows) <= most


def test_the_hunt_goes_on_from_the_rows_of_others() -> None:
    """Forty digits at once cannot be listed; a code that fits is found all the same."""
    code = digits(SeededStream("others", 1).below(40**20), 40, 20)
    rows = tuple(
        Row(guess, marks(code, guess)) for guess in [tuple(range(20)), tuple(range(20, 40))]
    )
    guess = LargeSpaceSearch(40, 20, 1, 300).next(rows)
    assert guess is not None and fits(guess, rows)
