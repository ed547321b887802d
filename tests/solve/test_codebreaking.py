"""Scoring, counting, trees and contradictions in code breaking, against brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import InputError, TooMany, UnknownName
from fairground.games.codebreaking.rules import Code, Row, digits, fits, marks
from fairground.games.codebreaking.solver import advice as cb
from fairground.games.codebreaking.solver import sets
from fairground.games.codebreaking.solver.scoring import (
    answers_general,
    every_code,
    halves,
    pack,
    sizes_of_all,
)
from fairground.games.codebreaking.solver.sets import (
    Listed,
    Sampled,
    another_code,
    least_informative,
    refuted,
)
from fairground.games.codebreaking.solver.trees import (
    best_stored,
    grow,
    plant,
    stored,
    tree,
)
from tests.helpers.bench import load_bench
from tests.helpers.codes import Trees

EASY = settings(derandomize=True, max_examples=60, deadline=None)


def numbered(answer: tuple[int, int], length: int) -> int:
    return answer[0] * (length + 1) + answer[1]


def rows_about(code: Code, *guesses: Code) -> tuple[Row, ...]:
    return tuple(Row(guess, marks(code, guess)) for guess in guesses)


@pytest.mark.parametrize(("base", "length"), [(6, 3), (2, 6), (21, 2), (64, 1)])
def test_bit_masks_score_like_the_rules(base: int, length: int) -> None:
    codes = every_code(base, length)
    places, tallies = pack(codes, base)
    plain = [tuple(map(int, code)) for code in codes]
    assert plain == list(product(range(base), repeat=length))
    for k in range(0, len(codes), 7):
        full = np.bitwise_count(places[k] & places)
        common = np.bitwise_count(tallies[k] & tallies)
        out = full.astype(int) * length + common
        assert out.tolist() == [numbered(marks(code, plain[k]), length) for code in plain]


@EASY
@given(st.data(), st.integers(2, 100), st.integers(1, 40))
def test_the_general_scorer_scores_like_the_rules(
    data: st.DataObject, base: int, length: int
) -> None:
    one = st.lists(st.integers(0, min(base, 12) - 1), min_size=length, max_size=length)
    codes = data.draw(st.lists(one, min_size=2, max_size=5))
    out = np.empty(len(codes), np.uint16)
    answers_general(np.array(codes[0], np.uint8), np.array(codes, np.uint8), base, out)
    assert out.tolist() == [numbered(marks(code, codes[0]), length) for code in codes]


@pytest.mark.parametrize(("base", "length"), [(6, 4), (3, 5), (2, 9), (30, 2), (5, 1)])
def test_halves_count_like_the_rules(base: int, length: int) -> None:
    codes = list(product(range(base), repeat=length))
    for guess in (codes[0], codes[len(codes) // 3], codes[-2]):
        sizes = sizes_of_all(halves(np.array(guess, np.uint8), base), length)
        expected = [0] * (length + 1) ** 2
        for code in codes:
            expected[numbered(marks(code, guess), length)] += 1
        assert sizes.tolist() == expected


@EASY
@given(st.data())
def test_a_list_holds_exactly_what_fits(data: st.DataObject) -> None:
    base, length = data.draw(st.sampled_from([(6, 3), (2, 7), (40, 2), (4, 4)]))
    codes = list(product(range(base), repeat=length))
    secret, *guesses = data.draw(st.lists(st.sampled_from(codes), min_size=2, max_size=5))
    rows = rows_about(secret, *guesses)
    left = Listed(base, length, rows)
    fitting = [code for code in codes if fits(code, rows)]
    assert [left.code(k) for k in range(len(left))] == fitting
    assert cb.remaining(base, length, rows) == (len(fitting), True, "counted one by one")
    sizes = left.sizes(guesses[0])
    assert sizes.sum() == len(fitting) == sizes[numbered(rows[0].marks, length)]


def test_least_informative_prefers_fewer_full_then_fewer_partial_matches() -> None:
    sizes = np.zeros(25, np.int64)
    sizes[[numbered(a, 4) for a in ((1, 2), (1, 1), (2, 0))]] = 7
    assert least_informative(sizes, 4) == (1, 1)
    sizes[numbered((2, 0), 4)] = 8
    assert least_informative(sizes, 4) == (2, 0)


@pytest.mark.parametrize(("base", "length"), [(2, 1), (5, 1), (2, 2), (3, 2), (2, 3), (4, 2)])
def test_the_search_finds_what_trying_everything_finds(base: int, length: int) -> None:
    best, trees = grow(base, length, "optimal"), Trees(base, length)
    assert best.proven
    assert best.total() == trees.least(frozenset(trees.codes))[0]


@pytest.mark.parametrize(
    ("base", "length", "total", "worst"), [(4, 3, 206, 4), (4, 4, 905, 5), (5, 4, 2463, 6)]
)
def test_known_optima(base: int, length: int, total: int, worst: int) -> None:
    figures = cb.solve(base, length)
    assert (figures["total"], figures["worst"], figures["proven"]) == (total, worst, True)
    assert Fraction(figures["average"]) == Fraction(total, base**length)


def test_the_search_proves_5625_and_5626() -> None:
    assert grow(6, 4, "optimal").total() == 5625
    within_five = grow(6, 4, "optimal:5")
    assert (within_five.total(), len(within_five.distribution())) == (5626, 5)
    assert within_five.proven


def count_by_play(base: int, length: int, strategy: str | None) -> list[int]:
    """Play the tree against every code by the rules alone."""
    played = tree(base, length, strategy)
    counts: list[int] = []
    for code in product(range(base), repeat=length):
        node, used = played.root, 1
        while node.guess != code:
            node, used = node.parts[marks(code, node.guess)], used + 1
        counts += [0] * (used - len(counts))
        counts[used - 1] += 1
    return counts


@pytest.mark.parametrize(
    ("strategy", "total", "spread"),
    [
        (None, 5625, [1, 8, 96, 642, 542, 7]),
        ("optimal", 5625, [1, 8, 96, 642, 542, 7]),
        ("optimal:5", 5626, [1, 8, 96, 634, 557]),
    ],
)
def test_the_stored_trees_at_6_4_do_what_they_say(
    strategy: str | None, total: int, spread: list[int]
) -> None:
    figures = cb.solve(6, 4, strategy)
    assert count_by_play(6, 4, strategy) == figures["distribution"] == spread
    assert (figures["codes"], figures["total"], figures["worst"]) == (1296, total, len(spread))
    assert figures["average"] == str(Fraction(total, 1296))


@pytest.mark.parametrize(
    ("base", "length", "strategy", "at_most"),
    [
        (7, 4, "optimal", 11_228),
        (8, 4, "beam", 20_471),
        (9, 4, "beam", 34_705),
        (10, 4, "beam", 55_757),
        (5, 5, "beam", 13_496),
        (6, 5, "beam", 36_750),
        (7, 5, "beam", 86_101),
        (8, 5, "beam", 179_018),
    ],
)
def test_stored_trees_of_larger_spaces(base: int, length: int, strategy: str, at_most: int) -> None:
    ready = stored(base, length, strategy)
    assert ready is not None and ready.at_least is not None
    assert sum(ready.distribution()) == base**length
    assert ready.at_least <= ready.total() <= at_most


@pytest.mark.parametrize(
    ("base", "length", "worst", "total"),
    [(8, 4, 6, 20_474), (10, 4, 7, 56_472)],
)
def test_stored_trees_that_never_need_more(base: int, length: int, worst: int, total: int) -> None:
    """The tree that is cheapest on average needs one guess more at worst."""
    within, average = tree(base, length, f"optimal:{worst}"), best_stored(base, length)
    assert average is not None and len(average.distribution()) == worst + 1
    assert (within.strategy, within.proven) == (f"beam:{worst}", False)
    assert len(within.distribution()) == worst
    assert sum(within.distribution()) == base**length
    assert average.total() <= within.total() <= total


def test_a_beam_search_keeps_within_its_limit() -> None:
    """The cheapest tree that needs no more than five is known: see above."""
    found = grow(6, 4, "beam:5", 4)
    assert len(found.distribution()) == 5 and found.total() >= 5626
    with pytest.raises(InputError, match="within 3 guesses"):
        grow(6, 4, "beam:3")


@pytest.mark.parametrize(
    ("base", "length", "least"), [(4, 3, 206), (6, 3, 854), (4, 4, 905), (5, 4, 2463), (6, 4, 5625)]
)
def test_lower_bounds_are_below_the_proven_optimum_but_not_far(
    base: int, length: int, least: int
) -> None:
    lower_bound = load_bench("codebreaking_trees").lower_bound
    assert 0.95 * least < lower_bound(base, length) <= least


@pytest.mark.parametrize("strategy", ["entropy", "expected", "parts", "minimax", "beam"])
def test_one_step_trees_are_complete_and_near_the_optimum(strategy: str) -> None:
    counts = count_by_play(6, 3, strategy)
    total = sum(i * n for i, n in enumerate(counts, start=1))
    assert counts == tree(6, 3, strategy).distribution()
    assert cb.solve(6, 3)["total"] == 854 <= total <= 854 * 1.06


def test_a_pressed_tree_grows_again() -> None:
    made = grow(5, 3, "parts")
    pressed = load_bench("codebreaking_trees").pressed
    assert plant(5, 3, iter(pressed(made))) == made.root


def test_trees_that_cannot_be_are_refused() -> None:
    with pytest.raises(TooMany, match="no full tree"):
        grow(100, 40, "entropy")
    with pytest.raises(TooMany, match="the optimum is searched"):
        grow(10, 4, "optimal")
    with pytest.raises(UnknownName, match="no strategy named 'clever'"):
        grow(6, 4, "clever")
    with pytest.raises(InputError, match="most guesses must be in"):
        grow(6, 4, "optimal:x")
    with pytest.raises(InputError, match="within 4 guesses"):
        grow(6, 4, "optimal:4")


def test_advice_for_a_game_in_progress() -> None:
    opening = cb.advise(6, 4, ())
    assert opening["remaining"] == 1296 and opening["guess"] == list(tree(6, 4).root.guess)
    rows = rows_about((3, 1, 4, 1), (0, 0, 1, 1), (2, 3, 4, 5))
    fitting = [code for code in product(range(6), repeat=4) if fits(code, rows)]
    advice = cb.advise(6, 4, rows)
    assert advice["remaining"] == len(fitting) and advice["exact"]
    parts = {marks(code, tuple(advice["guess"])) for code in fitting}
    assert len(fitting) == 48 and len(parts) >= 12
    broken = (*rows, Row((0, 0, 1, 1), (0, 0)))
    assert cb.advise(6, 4, broken)["guess"] is None


def test_the_opening_of_a_space_without_a_tree_is_the_most_informative() -> None:
    def left(guess: Code) -> float:
        sizes = Listed(30, 3).sizes(guess)
        return float((sizes[sizes > 0] * np.log(sizes[sizes > 0])).sum())

    assert cb.opening(30, 3) == min(((0, 0, 0), (0, 0, 1), (0, 1, 2)), key=left)


def smallest_by_brute_force(base: int, length: int, rows: tuple[Row, ...]) -> int | None:
    codes = list(product(range(base), repeat=length))
    for size in range(len(rows) + 1):
        for chosen in combinations(rows, size):
            if not any(fits(code, chosen) for code in codes):
                return size
    return None


@EASY
@given(st.data())
def test_contradictions_are_the_smallest(data: st.DataObject) -> None:
    codes = list(product(range(3), repeat=3))
    answers = sorted({marks(a, b) for a in codes for b in codes})
    row = st.builds(Row, st.sampled_from(codes), st.sampled_from(answers))
    rows = tuple(data.draw(st.lists(row, min_size=1, max_size=5)))
    found = cb.contradiction(3, 3, rows)
    size = smallest_by_brute_force(3, 3, rows)
    if size is None:
        assert found is None
    else:
        assert found is not None and found.smallest and len(found.rows) == size
        assert smallest_by_brute_force(3, 3, tuple(rows[r] for r in found.rows)) == size


def test_contradictions_where_codes_cannot_be_listed() -> None:
    secret = tuple(range(12))
    guesses = [tuple((i * k + 1) % 30 for i in range(12)) for k in range(1, 5)]
    rows = rows_about(secret, *guesses)
    assert cb.contradiction(30, 12, rows) is None
    # Twelve 7s: (3, 0) says that 7 stands three times; the last row says that it does not.
    lies = (Row((7,) * 12, (3, 0)), *rows, Row((7,) * 6 + (8,) * 6, (0, 0)))
    found = cb.contradiction(30, 12, lies)
    assert found is not None and len(found.rows) == 2 and not found.smallest
    assert refuted(30, 12, [lies[r] for r in found.rows]) == [0, 1]
    assert all(refuted(30, 12, [lies[r]]) is None for r in found.rows)


def test_constraints_agree_with_the_rules() -> None:
    secret = (2, 0, 1)
    rows = rows_about(secret, (0, 0, 1))
    fitting = {code for code in product(range(4), repeat=3) if fits(code, rows)}
    assert secret in fitting and len(fitting) > 1
    other = another_code(4, 3, rows, secret)
    assert other.settled and other.code in fitting - {secret}
    alone = rows_about(secret, *product(range(4), repeat=3))
    assert another_code(4, 3, alone, secret) == (None, True)
    assert refuted(4, 3, rows) is None


def test_a_walk_keeps_its_books() -> None:
    """The strain kept step by step is the strain counted anew."""
    secret = digits(987654321987, 20, 10)
    rows = rows_about(secret, *(digits(10**12 * k + 12345 * k, 20, 10) for k in range(1, 8)))
    at = sets.layout(20, 10, rows)
    chance = np.array([3], np.uint64)
    code = sets.random_codes(20, 10, 1, chance)[0]
    candidate = sets.candidate(at, code)
    zero = np.zeros(10, np.uint8)
    energy, _ = sets.walk(at, candidate, sets.strain(candidate), 1.0, 5000, chance, zero)
    assert energy == sets.strain(sets.candidate(at, candidate.code))
    by_rules = 0
    for guess, (full, partial) in rows:
        f, p = marks(tuple(map(int, candidate.code)), guess)
        by_rules += abs(f - full) + abs(f + p - full - partial)
    assert energy == by_rules


def test_a_sample_fits_whatever_happens() -> None:
    sample = Sampled(20, 10, seed=5)
    for k in range(6):
        guess = digits(10**12 * (k + 1) + 777 * k, 20, 10)
        answer = least_informative(sample.sizes(guess), 10)
        sample.keep(Row(guess, answer))
        sample.refresh(300)
        kept = [sample.code(i) for i in range(len(sample))]
        assert kept and len(set(kept)) == len(kept)
        assert all(fits(code, sample.rows) for code in kept[::50])
        assert marks(sample.witness(guess, answer), guess) == answer


def test_estimates_say_that_they_are_estimates() -> None:
    rows = rows_about(digits(31415926535, 20, 10), digits(2718281828, 20, 10))
    count = cb.remaining(20, 10, rows)
    assert not count.exact and "estimated" in count.method
    assert 0 < count.value < 20**10
    assert cb.remaining(20, 10, ()).value == 20**10


def test_an_estimate_is_of_the_right_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a size where we can count as well."""
    secret = (4, 0, 3, 7, 7, 1)
    rows = rows_about(secret, (0, 0, 1, 1, 2, 2), (3, 4, 5, 6, 7, 8), (7, 7, 3, 0, 9, 4))
    exact = cb.remaining(10, 6, rows).value
    monkeypatch.setattr(cb, "enumerable", lambda base, length: False)
    estimate = cb.remaining(10, 6, rows)
    assert not estimate.exact
    assert exact / 3 <= estimate.value <= exact * 3
