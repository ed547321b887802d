"""Statistics, against every case counted, published tables, and SciPy."""

from __future__ import annotations

import statistics
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import product
from typing import Any

import pytest

from fairground.coach.judging import BETS
from fairground.coach.report import Played, ratings
from fairground.fair.bits import SeededStream
from fairground.stats import (
    COUNTABLE,
    around,
    holm,
    interval_of,
    mean_of,
    sign_flip,
    sign_flip_of_signs,
    student,
    student_point,
)


@pytest.fixture(scope="module")
def scipy() -> Any:
    """SciPy's statistics, imported where they are needed: that takes a second."""
    return import_module("scipy.stats")


def brute(differences: list[int]) -> Fraction:
    """Try every sign pattern."""
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(one >= seen for one in sums), len(sums))


def test_the_sign_flip_test_against_every_pattern() -> None:
    chance = SeededStream("differences")
    for n in [*range(11), *range(11)]:
        differences = [chance.below(9) - 4 for _ in range(n)]
        assert sign_flip(differences) == brute(differences)
        signs = [(d > 0) - (d < 0) for d in differences]
        assert sign_flip_of_signs(differences) == brute(signs)


def test_sign_flips_by_hand() -> None:
    assert sign_flip([]) == sign_flip([0, 0]) == 1
    assert sign_flip([1]) == 1
    assert sign_flip([1] * 5) == Fraction(2, 32)
    assert sign_flip([1, 2, 3]) == Fraction(2, 8)  # +++ and ---
    assert sign_flip([-1, 2, 3]) == Fraction(4, 8)  # 4 or more from zero: ±6, ±4


def test_differences_too_large_to_count_are_judged_by_their_signs() -> None:
    huge = [COUNTABLE, COUNTABLE, COUNTABLE, -1]
    assert sign_flip(huge) == sign_flip_of_signs(huge) == brute([1, 1, 1, -1])
    # Three differences are counted in sums of 4 bits: 2^21 of them are 2^23 bits, and just fit.
    # The large one and any one of the small ones go beyond what was seen: 6 of 8 patterns.
    assert sign_flip([2**21 - 2, 1, -1]) == Fraction(6, 8)
    assert sign_flip([2**21 - 1, 1, -1]) == 1


def test_means_and_intervals() -> None:
    values = [3, 4, 4, 5, 7, 2]
    mean, low, high = mean_of(values)
    half = 2.570582 * statistics.stdev(values) / len(values) ** 0.5
    assert (mean, low, high) != (None, None, None)
    assert float(mean or 0) == pytest.approx(statistics.fmean(values), abs=1e-11)
    assert float(low or 0) == pytest.approx(statistics.fmean(values) - half, abs=1e-6)
    assert float(high or 0) == pytest.approx(statistics.fmean(values) + half, abs=1e-6)
    assert mean_of([]) == (None, None, None)
    assert mean_of([5]) == ("5.000000000000", None, None)
    assert mean_of([5, 5]) == ("5.000000000000",) * 3


def test_students_points_beyond_the_table() -> None:
    """To the last digit as docs/contest-file.md says."""
    z, v = Fraction("1.959963984540054"), 31
    first, second = (z**3 + z) / (4 * v), (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    assert abs(Fraction(student(31)) - (z + first + second + third)) < Fraction(1, 10**35)


def test_students_points_for_2_to_1000_games_as_scipy_has_them(scipy: Any) -> None:
    assert student(30) == Decimal("2.042272")
    for games in (*range(2, 1001), 10**9):
        true = scipy.t.ppf(0.975, games - 1)
        assert float(student(games - 1)) == pytest.approx(true, rel=2e-6), games


def test_students_points_at_other_levels_as_scipy_has_them(scipy: Any) -> None:
    for freedom in [*range(1, 40), 99, 199, 200, 201, 1000, 10**6]:
        for level in (0.5, 0.1, 0.05, 0.01, 0.05 / 45, 1e-5):
            true = scipy.t.isf(level / 2, freedom)
            assert student_point(level, freedom) == pytest.approx(true, rel=1e-6), (freedom, level)


@pytest.mark.parametrize("games", [2, 3, 30, 31, 32, 33, 60, 200, 1000])
def test_the_coachs_interval_is_students_for_any_number_of_games(games: int, scipy: Any) -> None:
    """From 32 games on it was that of the normal distribution, which is too narrow."""
    costs = [Fraction(i % 2) for i in range(games)]
    (rating,) = ratings(Played("Ann", "Dice", BETS, cost, 1, 0, Fraction(0), 0) for cost in costs)
    values = list(map(float, costs))
    error = statistics.stdev(values) / games**0.5
    low, high = scipy.t.interval(0.95, games - 1, statistics.fmean(values), error)
    assert rating.low == pytest.approx(max(0.0, low), rel=1e-5)
    assert rating.high == pytest.approx(high, rel=1e-5)


def test_one_value_or_equal_values_have_no_interval() -> None:
    assert interval_of([2.0]) == interval_of([2.0, 2.0]) == (2.0, None, None)
    assert around(2.0, 1.0, 1) == (2.0, None, None)


def test_holm_by_hand() -> None:
    """Of 1/100, 1/50 and 1/25 the first passes 1/60, the second passes 1/40, the third passes 1/20.

    Of 1/100, 3/100 and 1/25 the second fails 1/40, so the third is not tried.
    """
    assert holm([Fraction(1, 25), Fraction(1, 100), Fraction(1, 50)]) == {0, 1, 2}
    assert holm([Fraction(1, 25), Fraction(1, 100), Fraction(3, 100)]) == {1}
    assert holm([Fraction(1, 20)]) == {0}
    assert holm([]) == set()
