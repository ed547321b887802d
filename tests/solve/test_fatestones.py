"""Exact values, all deals, and the ranking of dice, each against a brute-force twin."""

from __future__ import annotations

import json
import struct
import zlib
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.cli import main
from fairground.core import BadParams
from fairground.fair.bits import SeededStream
from fairground.games.fatestones.rules import Hand, all_dice, fair_dice, pips
from fairground.games.fatestones.solver import deals
from fairground.games.fatestones.solver.choices import (
    Equilibrium,
    by_die,
    contradictions,
    costs,
    edge,
    entries,
    greedy_pick,
    meeting,
    ranking,
    regrets,
    solve,
    solve_matrix,
    value,
)
from fairground.games.fatestones.solver.deals import solve_sample
from tests.helpers.bench import load_bench

MINE = ("134445", "144444", "234444")
THEIRS = ("233346", "333336", "333444")
SMALL = ("111666", "114555", "123456", "144444", "222555", "333336", "333444", "333444")
"""A bag with a pair of equal dice: 28 sixes, 560 deals."""

DICE = st.sampled_from(all_dice())


def hands_of(size: int) -> st.SearchStrategy[tuple[Hand, Hand]]:
    hand = st.lists(DICE, min_size=size, max_size=size).map(tuple)
    return st.tuples(hand, hand)


HANDS = st.one_of(hands_of(1), hands_of(2), hands_of(3))


def meets(mine: str, theirs: str) -> tuple[Fraction, Fraction]:
    falls = list(product(pips(mine), pips(theirs)))
    return (
        Fraction(sum(a > b for a, b in falls), 36),
        Fraction(sum(a == b for a, b in falls), 36),
    )


def entry(mine: Hand, theirs: Hand, i: int, j: int) -> Fraction:
    win, tie = meets(mine[i], theirs[j])
    rest = mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :]
    return win + tie * (value(*rest) if rest[0] else Fraction(1, 2))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(DICE, DICE)
def test_a_meeting_counts_the_36_falls(mine: str, theirs: str) -> None:
    wins, ties = meeting(mine, theirs)
    assert (Fraction(wins, 36), Fraction(ties, 36)) == meets(mine, theirs)


def test_the_known_deal() -> None:
    found = solve(MINE, THEIRS)
    assert found.value == Fraction(185, 288)
    assert by_die(MINE, found.my_mix) == {"134445": 0, "144444": 1, "234444": 0}


@settings(derandomize=True, max_examples=120, deadline=None)
@given(HANDS)
def test_no_reply_does_better_than_the_value(hands: tuple[Hand, Hand]) -> None:
    mine, theirs = hands
    found = solve(mine, theirs)
    places = range(len(mine))
    for mix in (found.my_mix, found.their_mix):
        assert sum(mix) == 1
        assert min(mix) >= 0
    for j in places:
        assert sum(found.my_mix[i] * entry(mine, theirs, i, j) for i in places) >= found.value
    for i in places:
        assert sum(found.their_mix[j] * entry(mine, theirs, i, j) for j in places) <= found.value


@settings(derandomize=True, max_examples=60, deadline=None)
@given(HANDS)
def test_the_two_sides_mirror_each_other(hands: tuple[Hand, Hand]) -> None:
    mine, theirs = hands
    assert value(mine, theirs) + value(theirs, mine) == 1


@settings(derandomize=True, max_examples=30, deadline=None)
@given(hands_of(3))
def test_strategies_belong_to_dice_and_not_to_places(hands: tuple[Hand, Hand]) -> None:
    mine, theirs = hands
    found = solve(mine, theirs)
    wanted = by_die(mine, found.my_mix)
    for other in permutations(mine):
        again = solve(other, theirs)
        assert again.value == found.value
        assert by_die(other, again.my_mix) == wanted


SQUARE = st.integers(1, 3).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(-6, 6), min_size=k, max_size=k).map(tuple), min_size=k, max_size=k
    ).map(tuple)
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(SQUARE, st.integers(1, 7))
def test_any_small_matrix_game_is_solved(m: tuple[tuple[int, ...], ...], over: int) -> None:
    found = solve_matrix(m, over)
    k = range(len(m))
    assert sum(found.rows) == sum(found.columns) == 1
    assert min(found.rows + found.columns) >= 0
    assert min(sum(found.rows[i] * m[i][j] for i in k) for j in k) == found.value * over
    assert max(sum(found.columns[j] * m[i][j] for j in k) for i in k) == found.value * over


def test_a_matrix_whose_kernels_are_singular_is_solved_too() -> None:
    for m in (((0, 0), (0, 0)), ((1, 1, 1),) * 3, ((1, 2, 3), (2, 4, 6), (3, 6, 9))):
        assert solve_matrix(m).value == max(min(row) for row in m)
    paper = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))
    third = (Fraction(1, 3),) * 3
    assert solve_matrix(paper) == Equilibrium(Fraction(0), third, third)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(HANDS)
def test_a_pick_costs_what_it_loses_against_the_equilibrium(hands: tuple[Hand, Hand]) -> None:
    mine, theirs = hands
    found = solve(mine, theirs)
    mine_cost, their_cost = regrets(mine, theirs)
    places = range(len(mine))
    for i in places:
        earned = sum(found.their_mix[j] * entry(mine, theirs, i, j) for j in places)
        assert mine_cost[i] == found.value - earned >= 0
        assert not (found.my_mix[i] and mine_cost[i])
    assert costs(mine, theirs, 0, len(mine) - 1) == (mine_cost[0], their_cost[-1])
    assert regrets(theirs, mine) == (their_cost, mine_cost)


def test_greedy_looks_one_roll_ahead_and_breaks_ties_by_the_smaller_die() -> None:
    for seed in range(20):
        chance = SeededStream("greedy", seed)
        bag = list(fair_dice())
        dice = tuple(bag.pop(chance.below(len(bag))) for _ in range(6))
        mine, theirs = dice[:3], dice[3:]
        scores = [sum(2 * w + t for w, t in (meets(a, b) for b in theirs)) for a in mine]
        best = [die for die, score in zip(mine, scores, strict=True) if score == max(scores)]
        assert mine[greedy_pick(mine, theirs)] == min(best)
    assert greedy_pick(("333444", "123456"), ("123456", "123456")) == 1


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (("123456",), ("123456", "123456")),
        ((), ()),
        (("123456",) * 4, ("123456",) * 4),
        (("654321",), ("123456",)),
    ],
)
def test_what_cannot_be_solved_is_refused(mine: Hand, theirs: Hand) -> None:
    with pytest.raises(BadParams):
        solve(mine, theirs)


# --- all deals -----------------------------------------------------------------------------


def all_deals(bag: tuple[str, ...]) -> list[tuple[Hand, Hand]]:
    """Every ordered deal, by brute force over positions."""
    places = range(len(bag))
    return [
        (tuple(bag[p] for p in mine), tuple(bag[p] for p in theirs))
        for mine in combinations(places, 3)
        for theirs in combinations([p for p in places if p not in mine], 3)
    ]


def read_values(path: Path) -> tuple[list[str], list[float]]:
    """A file of values, read by the description in `deals`: the bag, and ten values for a six."""
    data = path.read_bytes()
    magic, bag, _ = data.split(b"\n", 2)
    start = -(-(len(magic) + len(bag) + 2) // 8) * 8
    assert magic == b"fairground/fatestones-values/1" and not data[start - 1 : start].strip()
    assert int.from_bytes(data[-8:], "little") == zlib.crc32(data[:-8])
    return bag.decode().split(","), [value for (value,) in struct.iter_unpack("<d", data[start:-8])]


def test_there_are_18_123_840_deals() -> None:
    assert deals.count_deals(32) == comb(32, 3) * comb(29, 3) == 18_123_840


def test_all_deals_of_a_small_bag_agree_with_exact_fractions(tmp_path: Path) -> None:
    path = tmp_path / "small.values"
    steps: list[tuple[int, int]] = []
    summary = deals.solve_all(
        SMALL,
        path,
        progress=lambda done, of: steps.append((done, of)),
        sample=30,
        chance=SeededStream("sample"),
        chunk=10,
    )
    exact = {deal: value(*deal) for deal in all_deals(SMALL)}
    every = [value(*deal) for deal in all_deals(SMALL)]
    assert summary.deals == len(every) == 560
    assert steps == [(200, 560), (400, 560), (560, 560)]
    assert summary.highest == pytest.approx(float(max(every)), abs=1e-14)
    assert exact[summary.best] == max(every)
    mean_square = sum((v - Fraction(1, 2)) ** 2 for v in every) / len(every)
    assert summary.spread**2 == pytest.approx(float(mean_square), abs=1e-14)
    assert sum(summary.histogram) == 560
    assert summary.histogram == summary.histogram[::-1]
    assert (summary.checked, summary.error <= 1e-14, summary.proven <= 1e-13) == (30, True, True)
    saddles = 0
    for mine, theirs in all_deals(SMALL):
        m, _ = entries(tuple(sorted(mine)), tuple(sorted(theirs)))
        saddles += max(min(row) for row in m) == min(max(c) for c in zip(*m, strict=True))
    assert summary.saddles == saddles
    dice, values = read_values(path)
    assert dice == sorted(SMALL)
    for rank, split in product(range(28), range(10)):
        mine, theirs = deals.deal_at(dice, rank, split)
        assert values[10 * rank + split] == pytest.approx(float(exact[mine, theirs]), abs=1e-14)
    assert [file.name for file in tmp_path.iterdir()] == ["small.values"]


def test_a_sample_says_of_a_bag_what_all_its_deals_say() -> None:
    everything = deals.solve_all(SMALL, sample=0)
    some = solve_sample(SMALL, 3_000, chance=SeededStream("sixes"))
    assert (some.dice, some.deals, some.solved) == (8, everything.deals, 60_000)
    assert abs(some.spread.mean - everything.spread) < 1.5 * some.spread.margin
    assert abs(some.pure.mean - everything.saddles / everything.deals) < 1.5 * some.pure.margin
    assert some.highest == pytest.approx(everything.highest, abs=1e-12)
    assert value(*some.best) == Fraction(some.highest).limit_denominator(10**9)
    assert some.checked == 200 and some.error < 1e-13
    assert sum(some.histogram) == some.solved


def test_all_462_dice_are_sampled_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = tmp_path / "all.txt"
    dice.write_text("\n".join(all_dice()))
    assert main(["solve", "fatestones", "--all", "--dice", str(dice)]) == 2
    assert "--sample 100000" in capsys.readouterr().err
    assert main(["solve", "fatestones", "--sample", "50", "--dice", str(dice), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dice"], told["solved"]) == (462, 1000)
    assert main(["solve", "fatestones", "--sample", "50", "--dice", str(dice)]) == 0
    assert "1,000 deals, drawn from the 261,452,377,535,580 of 462 dice" in capsys.readouterr().out
    for wrong in (["1"], ["9", "--all"], ["9", "--no-out"], ["9", "--mine", "111666"]):
        assert main(["solve", "fatestones", "--sample", *wrong]) == 2


def test_places_in_the_file_name_each_deal_once() -> None:
    bag = tuple(sorted(SMALL))
    listed = [deals.deal_at(bag, rank, split) for rank in range(28) for split in range(10)]
    both = sorted([*listed, *((theirs, mine) for mine, theirs in listed)])
    assert both == sorted(all_deals(bag))
    assert deals.positions(27) == (2, 3, 4, 5, 6, 7)


def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deals.solve_all(SMALL, tmp_path / "values", progress=stop, chunk=10)
    assert list(tmp_path.iterdir()) == []


def test_too_many_deals_are_refused() -> None:
    with pytest.raises(BadParams, match="462 dice have"):
        deals.solve_all(all_dice())
    with pytest.raises(BadParams, match="at least 6"):
        load_bench("_fatestones_exploitability").compare_players(("123456",) * 5)


def test_a_sample_of_the_real_deals_agrees_with_exact_fractions() -> None:
    """The kernel on a stretch of the 32 fair dice, every value of it checked."""
    k = deals.kernels()
    bag = fair_dice()
    meet = k.np.array([[meets(a, b) for b in bag] for a in bag], dtype=float).transpose(2, 0, 1)
    two, widest = k.pair_values(k.np.ascontiguousarray(meet))
    block = k.np.empty((20, 10))
    first = 654_321
    width, _ = k.solve_deals(k.np.ascontiguousarray(meet), two, k.HANDS, first, block)
    assert max(width, widest) < 1e-13
    for rank in range(20):
        for split in range(10):
            exact = value(*deals.deal_at(bag, first + rank, split))
            assert abs(Fraction(float(block[rank, split])) - exact) < Fraction(1, 10**14)


# --- exploitability: a twin in fractions -----------------------------------------------------


def strategy_of(name: str, mine: Hand, theirs: Hand) -> tuple[Fraction, ...]:
    if name == "random":
        return (Fraction(1, len(mine)),) * len(mine)
    if name == "optimal":
        return solve(mine, theirs).my_mix
    pick = greedy_pick(mine, theirs)
    return tuple(Fraction(i == pick) for i in range(len(mine)))


def kept(name: str, mine: Hand, theirs: Hand) -> Fraction:
    """What a player keeps against the best reply, by recursion over everything."""
    if not mine:
        return Fraction(1, 2)
    mix = strategy_of(name, mine, theirs)
    return min(
        sum(
            (
                share
                * (win + tie * kept(name, mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :]))
                for i, share in enumerate(mix)
                for win, tie in (meets(mine[i], theirs[j]),)
            ),
            Fraction(0),
        )
        for j in range(len(theirs))
    )


def earned(name: str, rival: str, mine: Hand, theirs: Hand) -> Fraction:
    if not mine:
        return Fraction(1, 2)
    total = Fraction(0)
    for i, x in enumerate(strategy_of(name, mine, theirs)):
        for j, y in enumerate(strategy_of(rival, theirs, mine)):
            if x and y:
                win, tie = meets(mine[i], theirs[j])
                rest = mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :]
                total += x * y * (win + tie * earned(name, rival, *rest))
    return total


@pytest.mark.campaign
def test_exploitability_and_scores_agree_with_a_twin_in_fractions() -> None:
    bag = ("111666", "114456", "123555", "144444", "222555", "333336", "333444")
    found = load_bench("_fatestones_exploitability").compare_players(bag, chunk=3)
    every = all_deals(bag)
    for a, name in enumerate(found.names):
        losses = [value(*deal) - kept(name, *deal) for deal in every]
        assert found.exploitability[a] == pytest.approx(float(sum(losses) / len(every)), abs=1e-13)
        assert found.worst[a] == pytest.approx(float(max(losses)), abs=1e-13)
    for name, rival in (("random", "greedy"), ("greedy", "random"), ("greedy", "greedy")):
        a, b = found.names.index(name), found.names.index(rival)
        mean = sum(earned(name, rival, *deal) for deal in every) / len(every)
        assert found.scores[a][b] == pytest.approx(float(mean), abs=1e-13)
    assert found.exploitability[found.names.index("optimal")] == pytest.approx(0.0, abs=1e-13)
    assert min(found.exploitability[:2]) > 0.001


# --- the ranking ---------------------------------------------------------------------------


def test_a_dominating_die_ranks_above_over_all_pairs() -> None:
    ranked = ranking(all_dice())
    assert ranked[0].die == "666666"
    assert ranked[-1].die == "111111"
    assert [r.rank for r in ranked] == list(range(1, 463))
    place = {r.die: r.rank for r in ranked}
    balance = {r.die: r.balance for r in ranked}
    dominations = 0
    for high, low in product(all_dice(), repeat=2):
        if high != low and all(a >= b for a, b in zip(high, low, strict=True)):
            dominations += 1
            assert place[high] < place[low]
            assert balance[high] >= balance[low] + 2
    assert dominations > 20_000


def test_the_average_score_over_all_dice_says_no_more_than_the_mean() -> None:
    for ranked in ranking(all_dice()):
        assert ranked.score == (ranked.mean - Fraction(1, 2)) / 6


def test_contradictions_are_counted_pair_by_pair() -> None:
    order = [ranked.die for ranked in ranking(fair_dice())]
    pairs = list(combinations(order, 2))
    wins = [meets(a, b)[0] - meets(b, a)[0] for a, b in pairs]
    assert contradictions(order) == (496, wins.count(Fraction(0)), sum(w < 0 for w in wins))
    assert contradictions(["222555", "333336", "114444"]).pairs == 3
    assert edge("666666", "111111") == -edge("111111", "666666") == 1
    assert edge("333444", "123456") == 0
