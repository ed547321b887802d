"""Where the coach only estimates, in large spaces of codes: it is as good as it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from fairground.coach.judging import judge_of
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.codebreaking.codesets import SEARCH_ERROR, SIZE_ERROR, ListedSets
from fairground.games.codebreaking.rules import CodeBreaking, Row
from fairground.games.codebreaking.solver import worth
from fairground.games.codebreaking.solver.search import QUICK_WORK, Searcher
from fairground.games.codebreaking.solver.worth import KNOWN
from tests.helpers.codes import answer
from tests.helpers.width import WIDE


def codes(base: int, length: int) -> CodeBreaking:
    game = make_game("codebreaking/1", {"base": base, "length": length})
    assert isinstance(game, CodeBreaking)
    return game


def any_that_fits(left: list[Any]) -> Fraction:
    """The guesses of a breaker who names any code that fits: every game there is."""
    total = Fraction(1)
    for guess in left:
        parts: dict[Any, list[Any]] = {}
        for code in left:
            if code != guess:
                parts.setdefault(answer(code, guess), []).append(code)
        for part in parts.values():
            total += Fraction(len(part), len(left) ** 2) * any_that_fits(part)
    return total


@pytest.mark.parametrize(("base", "length"), [(2, 3), (3, 2), (5, 2)])
def test_the_games_that_measure_the_growth_are_as_long_as_they_should_be(
    base: int, length: int
) -> None:
    exact = any_that_fits(list(product(range(base), repeat=length)))
    spread = 1.5 / worth.GAMES**0.5
    assert abs(worth.mean_guesses(base, length) - float(exact)) <= 5 * spread


def test_the_growth_of_a_kept_tree_is_its_own() -> None:
    for (base, length), known in KNOWN.items():
        game = codes(base, length)
        value = judge_of(game).worth(game.start())[0]
        assert value == Fraction(known.total, base**length)
        sized = 1 + float(worth.growth(base, length)) * np.log(base**length)
        assert sized == pytest.approx(float(value), abs=1e-4)


@pytest.mark.parametrize(("base", "length"), [(50, 2), (100, 2), (60, 3), (100, 4)])
def test_many_digits_take_many_guesses(base: int, length: int) -> None:
    """No answer tells anything as long as no digit of the code was named.

    k guesses name at most k times ``length`` digits. So a code needs more than k guesses at least
    as often as all its digits are among the others.
    """
    least = sum(
        ((base - k * length) / base) ** length for k in range(base // length) if k * length < base
    )
    game = codes(base, length)
    judge = judge_of(game)
    value = float(judge.worth(game.start())[0])
    assert value + judge.basis.error >= least
    assert value - judge.basis.error <= base**length


class Patient(Searcher):
    """The same search, but with fifty times the time."""

    def fits(self, codes: int) -> bool:
        return True

    def _budget(self, codes: int) -> int:
        return max(50, 50 * QUICK_WORK // (codes * len(self._at.codes)))


def test_a_search_cut_short_and_an_estimate_are_off_by_no_more_than_they_say() -> None:
    """In the suite four positions; `make campaign` looks at many more, in more spaces."""
    spaces = [(7, 4), (10, 4), (6, 5), (3, 8)] if WIDE else [(10, 4)]
    stream = SeededStream("coach estimates", 1)
    for base, length in spaces:
        game = codes(base, length)
        sets, patient = ListedSets(game), Patient(base, length)
        for number in range(40 if WIDE else 4):
            code, *guesses = (
                tuple(stream.below(base) for _ in range(length)) for _ in range(3 + number % 2)
            )
            rows = tuple(Row(guess, answer(code, guess)) for guess in guesses)
            left = sets._fitting(rows).numbers().astype(np.int64)
            found = patient.average(left, tuple(guesses)).guesses
            off = float(sets.best(rows).guesses - found)
            if sets._searcher.fits(len(left)):
                assert -1e-9 <= off <= SEARCH_ERROR
            else:
                assert abs(off) <= SIZE_ERROR
