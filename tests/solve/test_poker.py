"""What poker hands are worth, against enumeration, formulas and published figures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from fairground.core import InputError
from fairground.games.poker import hands as compiled
from fairground.games.poker.holds import (
    SCALE,
    best_hold,
    hands_with,
    holds,
    per_stake,
    prizes_with,
)
from fairground.games.poker.players import OptimalPoker
from fairground.games.poker.rules import (
    DECK,
    LEVELS,
    PAYS,
    PENALTY,
    PLAYER,
    Poker,
    Rank,
    State,
    hand_text,
    parse_hand,
    rank,
)

HISTORIC = "5♢ 7♢ 9♧ 10♧ 7♡"

COUNTS = {
    Rank.ROYAL_FLUSH: 4,
    Rank.STRAIGHT_FLUSH: 36,
    Rank.FOUR_OF_A_KIND: 624,
    Rank.FULL_HOUSE: 3744,
    Rank.FLUSH: 5108,
    Rank.STRAIGHT: 10_200,
    Rank.THREE_OF_A_KIND: 54_912,
    Rank.TWO_PAIR: 123_552,
    Rank.JACKS_OR_BETTER: 337_920,
    Rank.NOTHING: 2_062_860,
}
"""Published: 2,598,960 hands, of which 1,098,240 have one pair, 4 in 13 of it jacks or better."""

CLASSES = {
    Rank.ROYAL_FLUSH: 1,
    Rank.STRAIGHT_FLUSH: 9,
    Rank.FOUR_OF_A_KIND: 156,
    Rank.FULL_HOUSE: 156,
    Rank.FLUSH: 1277,
    Rank.STRAIGHT: 10,
    Rank.THREE_OF_A_KIND: 858,
    Rank.TWO_PAIR: 858,
    Rank.JACKS_OR_BETTER: 880,
    Rank.NOTHING: 1980 + 1277,
}
"""Published: the 7,462 kinds of hands, 2,860 of them pairs."""

hands = st.lists(st.integers(0, DECK - 1), min_size=5, max_size=5, unique=True)


@cache
def all_hands() -> Any:
    """In the order of their numbers: by the highest card, then the next."""
    hands = np.fromiter(chain.from_iterable(combinations(range(DECK), 5)), np.uint8).reshape(-1, 5)
    return hands[np.lexsort(hands.T)]


def ranks_of(hands: Any) -> Any:
    return compiled.grading().ranks[compiled.grade_hands(hands)]


@cache
def all_ranks() -> Any:
    return ranks_of(all_hands())


@cache
def with_card(card: int) -> Any:
    """Which of all hands contain this card."""
    return (all_hands() == card).any(axis=1)


def enumerated(hand: Sequence[int], order: Sequence[int], level: int) -> Fraction:
    """The value of a hold: pick out of all hands those that can follow, and pay each."""
    can_follow = np.ones(len(all_hands()), bool)
    for card, gone in zip(hand, order, strict=True):
        can_follow &= ~with_card(card) if gone else with_card(card)
    count = np.bincount(all_ranks()[can_follow], minlength=len(Rank)).tolist()
    assert sum(count) == comb(47, sum(order))
    paid = sum(PAYS[level][each] * n for each, n in enumerate(count))
    return Fraction(paid, level * sum(count))


# Ranking


def test_the_known_counts_of_all_hands() -> None:
    counted = np.bincount(all_ranks(), minlength=len(Rank)).tolist()
    assert {each: counted[each] for each in Rank} == COUNTS


def test_the_kernel_ranks_as_the_rules_do() -> None:
    every, ranks = all_hands(), all_ranks()
    some = range(0, len(every), 11)
    assert [rank(hand) for hand in every[some].tolist()] == ranks[some].tolist()
    suits = every // 13
    flushes = np.flatnonzero((suits == suits[:, :1]).all(axis=1))
    assert len(flushes) == 4 * comb(13, 5)
    assert [rank(hand) for hand in every[flushes].tolist()] == ranks[flushes].tolist()


def test_grades_number_the_7462_kinds_of_hands() -> None:
    grades = compiled.grade_hands(all_hands())
    assert set(np.unique(grades)) == set(range(1, 7463))
    of_grade = compiled.grading().ranks[1:].tolist()
    assert of_grade == sorted(of_grade, reverse=True)
    assert {each: of_grade.count(each) for each in Rank} == CLASSES


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts", "Kh Qh Jh Th 9h"),
        ("6h 5h 4h 3h 2h", "Ah 2h 3h 4h 5h"),
        ("Ah 2h 3h 4h 5h", "Ah Ac Ad As Kh"),
        ("3h 3c 3d 3s 2h", "2h 2c 2d 2s Ah"),
        ("3h 3c 3d 2s 2h", "2c 2s 2h As Ad"),
        ("Ah 6h 4h 3h 2h", "Kh Qh Jh Th 8h"),
        ("6h 5h 4h 3h 2d", "Ah 2h 3h 4h 5d"),
        ("Kh Kd 2h 2d 3c", "Qh Qd Jh Jd Ac"),
        ("2h 2d 3h 4d 5c", "Ah Kd Qh Jd 9c"),
        ("Ah Kd Qh Jd 9c", "Ah Kd Qh Jd 8c"),
    ],
)
def test_a_better_hand_has_a_lower_grade(better: str, worse: str) -> None:
    pair = np.array([parse_hand(better), parse_hand(worse)], np.uint8)
    first, second = compiled.grade_hands(pair).tolist()
    assert first < second


# Sums


def test_formulas_and_enumeration_find_the_same_sums() -> None:
    prizes = (1, 10, 100, 7, 13, 17, 19, 23, 29, 31)  # so that no rank hides behind another
    sums = compiled.sum_up(prizes)
    for number in range(0, compiled.DEALS, 9_973):
        hand = all_hands()[number].tolist()
        assert prizes_with(hand, prizes) == sums[compiled.FIRST[5] + number]
    for size, step in ((0, 1), (1, 1), (2, 1), (3, 17), (4, 251)):
        sets = sorted(combinations(range(DECK), size), key=lambda cards: cards[::-1])[::step]
        numbers = range(int(compiled.FIRST[size]), int(compiled.FIRST[size + 1]), step)
        for held, number in zip(sets, numbers, strict=True):
            assert prizes_with(held, prizes) == sums[number], hand_text(held)


def test_hands_with_no_card_given_are_all_hands() -> None:
    assert dict(zip(Rank, hands_with(frozenset()), strict=True)) == COUNTS


def test_prizes_fit_where_they_are_kept() -> None:
    for level in LEVELS:
        assert 0 < compiled.sum_up(per_stake(level))[0] <= 875_504
    assert SCALE == 7_669_695
    assert 800 * SCALE * compiled.DEALS < 2**63


# Holds


@pytest.mark.parametrize(
    "hand",
    [
        HISTORIC,
        "Th Jh Qh Kh Ah",
        "Tc Jc Qc Kc 2h",
        "Ad 2d 3d 4d 6s",
        "8s 8h 8d 8c Kd",
        "Jh Js 4d 4c 9h",
        "Kh Qh Jd 9h 2c",
        "2c 3d 5h 8s 9c",
        "As Ah Ad 7c 7d",
        "Qc Qd 7c 8c 9c",
    ],
)
def test_all_32_holds_against_enumeration(hand: str) -> None:
    cards = parse_hand(hand)
    found = holds(cards, 5)
    assert len({hold.order for hold in found}) == 32
    for hold in found:
        assert hold.value == enumerated(cards, hold.order, 5), hold
    assert best_hold(cards, 5) == found[0]
    assert [hold.value for hold in found] == sorted((hold.value for hold in found), reverse=True)


def test_holds_of_few_replacements_against_the_rules_themselves() -> None:
    """Play every way out through `Poker`, with nothing of the solver or the kernel."""
    game = Poker(bet=1, level=4)
    cards = parse_hand("Tc Jc Qc Kc 9h")
    value = {hold.order: hold.value for hold in holds(cards, 4)}
    for order in ((0, 0, 0, 0, 0), (0, 0, 0, 0, 1), (1, 0, 0, 0, 0), (1, 0, 0, 0, 1)):
        ends = [State(cards, order)]
        for n in range(47, 47 - sum(order), -1):
            ends = [game.drawn(s, at) for s in ends for at in range(n)]
        paid = sum(game.prize(game.final_hand(s)) for s in ends)
        assert value[order] == Fraction(paid, game.stake * len(ends))


def test_levels_below_five_are_worth_the_same() -> None:
    cards = parse_hand("Tc Jc Qc Kc 2h")
    assert holds(cards, 1) == holds(cards, 2) == holds(cards, 3) == holds(cards, 4)
    assert best_hold(cards, 5).value - best_hold(cards, 1).value == Fraction(800 - 250, 47)


def test_equal_holds_replace_few_cards() -> None:
    cards = parse_hand("8s Kd 8h 8d 8c")
    first, second, *_ = holds(cards, 5)
    assert first.value == second.value == 25
    assert first.order == (0, 0, 0, 0, 0)
    assert second.order == (0, 1, 0, 0, 0)
    assert hand_text(second.kept(cards)) == "8♤ 8♡ 8♢ 8♧"


@pytest.mark.parametrize(
    "hand", [[0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 3, 52], [-1, 0, 1, 2, 3]]
)
def test_what_is_not_a_hand_is_refused(hand: list[int]) -> None:
    with pytest.raises(InputError, match="5 different cards"):
        holds(hand, 5)


@pytest.mark.parametrize("level", [0, 6, True, "5", None])
def test_what_is_not_a_level_is_refused(level: Any) -> None:
    with pytest.raises(InputError, match=r"level must be an integer in 1\.\.5"):
        holds(parse_hand(HISTORIC), level)


# All deals


def test_silence_at_the_draw_costs_the_croupier_more_than_it_could_save() -> None:
    """After four cards held 43 to 47 can come, however many were replaced before the last."""
    first, fifth = compiled.FIRST[4], compiled.FIRST[5]
    for level in LEVELS:
        dearest = compiled.sums_of(level)[first:fifth].max()
        assert dearest == 48 * 25, "four of a kind: 48 hands contain them"
        assert dearest / 43 < PENALTY


# Without the compiled part, and as a player


def test_a_single_hand_needs_no_optional_package_and_all_deals_say_what_they_need() -> None:
    program = (
        "import sys\n"
        "sys.modules['numpy'] = sys.modules['numba'] = None\n"
        "from fairground.core import MissingExtra\n"
        "from fairground.games.poker.rules import parse_hand\n"
        "from fairground.games.poker.holds import best_hold, perfect_return\n"
        f"print(best_hold(parse_hand({HISTORIC!r}), 5).value)\n"
        "try:\n"
        "    perfect_return(5)\n"
        "except MissingExtra as error:\n"
        "    print(error.code, error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], capture_output=True, text=True, check=True
    )
    first, second = ran.stdout.splitlines()
    assert first == "4452/5405"
    assert second.startswith("install/missing") and "fairground[solve]" in second


def test_the_optimal_player_keeps_the_pair_and_the_level_matters() -> None:
    player = OptimalPoker(Poker())
    assert player.choose(Poker(), State(parse_hand(HISTORIC)), PLAYER) == (1, 0, 1, 1, 0)
    hearts = State(parse_hand("3♡ Q♡ K♡ A♡ 2♢"))  # four to a flush, or three to a royal one
    assert player.choose(Poker(level=4), hearts, PLAYER) == (0, 0, 0, 0, 1)
    assert player.choose(Poker(level=5), hearts, PLAYER) == (1, 0, 0, 0, 1)
