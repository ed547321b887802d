"""Intervals hold as often as they say, and looking again and again does not fool them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

from fairground.core import Draw, Game, InputError, Over
from fairground.games import make_game
from fairground.games.codebreaking.solver.trees import tree
from fairground.games.fatestones.rules import FateStones
from fairground.games.intransitive.players import OptimalDice
from fairground.games.poker.holds import perfect_return
from fairground.lab.plans import plan_of
from fairground.lab.simulation import kernel_chunk, luck_of, rules_chunk, simulate
from fairground.lab.statistics import (
    LUCK_UNIT,
    Tally,
    always_within,
    looks,
    pairs,
)
from fairground.stats import around, share
from fairground.testing.toys import GUESS, Toy
from tests.helpers.width import WIDE

RUNS = 1000 if WIDE else 200


# Against the solvers' truth


def expected(game: Game[Any], chooses: dict[int, Callable[[Any], Any]]) -> Fraction:
    """What seat 0 wins on average, by going through every draw and every choice."""

    def value(s: Any) -> Fraction:
        match game.awaits(s):
            case Over(payoff):
                return Fraction(payoff[0])
            case Draw(n):
                return sum((value(game.drawn(s, v)) for v in range(n)), Fraction(0)) / n
            case turn:
                (seat,) = turn.seats
                moves = chooses[seat](s)
                found = (value(game.played(s, {seat: move})) for move in moves)
                return sum(found, Fraction(0)) / len(moves)

    return value(game.start())


def dice_truth() -> tuple[Game[Any], tuple[str, ...], Fraction]:
    game = make_game("intransitive/1", {})
    best = OptimalDice(game)
    truth = expected(
        game, {0: lambda s: [best.choose(game, s, 0)], 1: lambda s: list(game.moves(s, 1))}
    )
    return game, ("optimal", "random"), truth


def codes_truth() -> tuple[Game[Any], tuple[str, ...], Fraction]:
    found = tree(6, 4, "entropy").figures()
    return make_game("codebreaking/1", {}), ("fair", "entropy"), Fraction(found["average"])


def symmetric_truth() -> tuple[Game[Any], tuple[str, ...], Fraction]:
    return FateStones(scratch="end"), ("random", "random"), Fraction(0)


@pytest.mark.parametrize("setting", [dice_truth, codes_truth, symmetric_truth])
def test_intervals_cover_the_exact_value_as_often_as_they_say(setting: Any) -> None:
    game, lineup, truth = setting()
    plan = plan_of(game, lineup, "coverage", 400 * RUNS)
    covered = 0
    for run in range(RUNS):
        mean = kernel_chunk(plan, 400 * run, 400, check=0).tally.mean(0)
        assert mean.low is not None and mean.high is not None
        covered += mean.low <= truth <= mean.high
    # Three standard errors of a share of 0.95.
    assert abs(covered / RUNS - 0.95) < 3 * sqrt(0.95 * 0.05 / RUNS)


def test_a_rare_jackpot_makes_intervals_too_narrow_and_we_know_by_how_much() -> None:
    """Poker's royal flush: most short runs have none. The document says so."""
    game = make_game("poker/2", {})
    truth = 5 * (perfect_return(5) - 1)
    plan = plan_of(game, ("random", "optimal"), "royal", 1000 * RUNS)
    covered = 0
    for run in range(RUNS):
        mean = kernel_chunk(plan, 1000 * run, 1000, check=0).tally.mean(1)
        assert mean.low is not None and mean.high is not None
        covered += mean.low <= truth <= mean.high
    assert 0.80 < covered / RUNS < 0.95


# Without luck


def test_without_luck_intervals_are_narrower_and_still_cover_the_truth() -> None:
    game, lineup, truth = dice_truth()
    runs, covered, gains = 100 if WIDE else 40, 0, []
    plan = plan_of(game, lineup, "luck", 100 * runs, luck=True)
    for run in range(runs):
        tally = rules_chunk(plan, 100 * run, 100).tally
        plain, better = tally.mean(0), tally.mean(0, corrected=True)
        assert better.low is not None and better.high is not None
        assert plain.low is not None and plain.high is not None
        covered += better.low <= truth <= better.high
        gains.append((plain.high - plain.low) / (better.high - better.low))
    assert covered / runs > 0.85
    assert min(gains) > 3


def test_perfect_poker_without_luck_is_the_exact_return() -> None:
    plan = plan_of(make_game("poker/2", {}), ("random", "optimal"), "luck", 8, luck=True)
    found = rules_chunk(plan, 0, 8).tally.mean(1, corrected=True)
    assert found.mean == pytest.approx(float(5 * (perfect_return(5) - 1)), abs=1e-8)


def test_two_perfect_zombies_differ_by_luck_alone() -> None:
    """Whatever happened, what is left without luck is what the game is worth: nothing."""
    plan = plan_of(make_game("zombie/2", {}), ("optimal", "optimal"), "luck", 4, luck=True)
    for number in range(4):
        found = rules_chunk(plan, number, 1).tally
        assert found.mean(0).mean in (-1, 1)
        assert found.mean(0, corrected=True).mean == pytest.approx(0, abs=1e-9)


def test_a_game_that_nobody_can_judge_is_refused() -> None:
    game: Game[Any] = Toy.from_params(GUESS)
    with pytest.raises(InputError, match="luck cannot be taken away here"):
        luck_of(game)


# Looking again and again


def walks(runs: int, most: int, drift: float) -> Any:
    """Results of -1, 0 and 1 by NumPy's generator: nothing of ours is in them."""
    chance = np.random.Generator(np.random.PCG64(7))
    up, down = 0.45 + drift / 2, 0.45 - drift / 2
    return chance.choice([1, 0, -1], size=(runs, most), p=[up, 0.1, down])


def ever_separated(results: Any, sequential: bool) -> list[int]:
    """For each run, the first look at which it separates; 0: never."""
    first = []
    for run in results:
        stopped = 0
        for at in looks(len(run)):
            total, square = int(run[:at].sum()), int((run[:at] ** 2).sum())
            products = ((square, -square), (-square, square))
            tally = Tally(at, (total, -total), products, ({}, {}))
            if pairs(tally, sequential=sequential)[0].better is not None:
                stopped = at
                break
        first.append(stopped)
    return first


def test_stopping_at_the_first_difference_is_wrong_at_most_as_often_as_it_says() -> None:
    equal = walks(2 * RUNS, 10_000, drift=0.0)
    wrong = sum(at > 0 for at in ever_separated(equal, sequential=True)) / len(equal)
    naive = sum(at > 0 for at in ever_separated(equal, sequential=False)) / len(equal)
    assert wrong <= 0.05
    assert naive > 0.12, "an ordinary interval, looked at so often, is wrong far more often"


def test_a_real_difference_is_found() -> None:
    stopped = ever_separated(walks(100, 20_000, drift=0.1), sequential=True)
    assert all(stopped)
    assert sorted(stopped)[50] < 5_000


def test_a_run_stops_at_a_look_and_nowhere_else() -> None:
    plan = plan_of(make_game("intransitive/1", {}), ("optimal", "random"), "stop", 100_000)
    done = simulate(plan, until_separable=True)
    assert done.stopped_early
    assert done.games in list(looks(plan.deals))
    assert pairs(done.tally, sequential=True)[0].better == 0
    same = plan_of(make_game("fatestones/1", {"scratch": "end"}), ("random",) * 2, "stop", 3000)
    assert not simulate(same, until_separable=True).stopped_early


def test_the_mixture_is_wider_than_one_look_and_shrinks() -> None:
    for n in (100, 1_000, 10_000):
        assert 1.3 < always_within(1.0, n) / (1.96 / sqrt(n)) < 2.5
    assert always_within(1.0, 40_000) < always_within(1.0, 10_000) / 1.8


# Tallies


def test_a_tally_says_what_numpy_says() -> None:
    chance = np.random.Generator(np.random.PCG64(3))
    results = chance.integers(-9, 9, size=(50, 2, 1))
    tally = Tally.of(results.tolist())
    halves = Tally.of(results[:20].tolist()) + Tally.of(results[20:].tolist())
    assert tally == halves
    a, b = results[:, 0, 0], results[:, 1, 0]
    mean, variance = tally.difference(0, 1)
    assert mean == pytest.approx(np.mean(a - b))
    assert variance == pytest.approx(np.var(a - b, ddof=1))
    found = tally.mean(0)
    assert found.mean == pytest.approx(np.mean(a))
    assert found.high is not None
    half = 2.009575 * np.std(a, ddof=1) / np.sqrt(50)  # Student's point for 49 degrees
    assert found.high - found.mean == pytest.approx(half, rel=1e-5)


def test_luck_that_is_known_is_taken_away() -> None:
    chance = np.random.Generator(np.random.PCG64(4))
    luck, skill = chance.integers(-100, 100, 500), chance.integers(0, 3, 500)
    results = [[[int(a + b)]] for a, b in zip(luck, skill, strict=True)]
    tally = Tally.of(results, [[int(a) * LUCK_UNIT] for a in luck])
    assert tally.knows_luck
    assert tally.mean(0, corrected=True).mean == pytest.approx(np.mean(skill))
    plain, better = tally.mean(0), tally.mean(0, corrected=True)
    assert plain.high is not None and better.high is not None
    assert (plain.high - plain.mean) / (better.high - better.mean) > 30


def test_where_nothing_differs_nothing_is_claimed() -> None:
    assert around(1.0, 0.0, 100) == (1.0, None, None)
    alike = Tally.of([[[1], [-1]]] * 30)
    assert pairs(alike)[0].better is None
    assert share(0, 30).low == 0.0
    high = share(0, 30).high
    assert high is not None and 0.08 < high < 0.13  # the rule of three says 0.1
