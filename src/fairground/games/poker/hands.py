"""The loops of `fairground.games.poker.holds`, compiled by Numba: all hands, all deals.

**Ranking.** A hand's rank depends on how often each card rank occurs, and on whether all
suits are equal. Each card rank has a key such that the sum of five keys is different for
every combination of ranks (`KEYS`), so a hand is ranked by five additions and one look
into a table. The rules' own `rank` fills that table: nothing here decides what a
straight is. It holds a *grade*, finer than a rank: 1 for a royal flush up to 7,462 for
7-5-4-3-2, the numbers of the classes that poker players cannot tell apart, so that a grade
also says which of two flushes is higher.

**Sums.** For every set K of up to five cards, ``sums`` has the prizes of all hands that
contain K, added up. If K is held and D is thrown away, then the hands that can follow are
those that contain K and nothing of D. Card by card of D: those with nothing of D' + d are
those with nothing of D', less those of them that contain d. Five passes of sixteen
subtractions turn the 32 sums of a hand's subsets into the prizes of its 32 holds.

**Exactness.** Everything is an integer; prizes are per unit staked, so at most 800. Every
number in the passes counts prizes of some set of hands, so it lies between 0 and
C(52, 5) * 800 < 2.1e9 and fits into 32 bits even before we use that the prizes of *all* hands
come to only 875,504. A hold's sum times its scale is its expected prize times `SCALE` (both in
`poker.holds`): at most 800 * 7,669,695 < 6.2e9; over all 2,598,960 deals at
most 1.6e16 < 2^63 = 9.2e18.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.games.poker.holds import SCALES, per_stake
from fairground.games.poker.rules import DECK, HAND, KINDS, rank

Grades = npt.NDArray[np.uint16]
Cards = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Prizes = npt.NDArray[np.int32]

DEALS: Final = comb(DECK, HAND)
KEYS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
"""Keys by rank. `grading` checks that no two combinations of ranks have the same sum."""

SPAN: Final = 4 * KEYS[-1] + KEYS[-2] + 1
"""An upper bound of all sums of keys; hands of one suit are looked up that much further on."""

SUIT_BIT: Final = 32
SUIT_FIELD: Final = 4
"""A card's word has its key below, and a one in its suit's field of four bits above."""

FIVES: Final = sum(0b0011 << (SUIT_BIT + SUIT_FIELD * suit) for suit in range(4))
FLUSH: Final = sum(0b1000 << (SUIT_BIT + SUIT_FIELD * suit) for suit in range(4))
"""Adding three to each field carries into its top bit if it was five."""


WHEEL: Final = (0, 1, 2, 3, 12)
"""2-3-4-5-A: the one combination of ranks in which the ace counts as the lowest."""


class Grading(NamedTuple):
    """Tables for ranking hands."""

    words: Ints
    """[card] its key, and its suit in a field of its own."""
    grades: Grades
    """[sum of keys (+ SPAN if all of one suit)] the grade, 1 the best."""
    ranks: Cards
    """[grade] the `Rank`."""


@cache
def grading() -> Grading:
    """Fill the tables by asking the rules about one hand of every class."""
    classes: list[tuple[Any, int]] = []
    for ranks in combinations_with_replacement(range(KINDS), HAND):
        tally = Counter(ranks)
        if max(tally.values()) == HAND:
            continue
        place = sum(KEYS[kind] for kind in ranks)
        pattern = sorted(((n, kind) for kind, n in tally.items()), reverse=True)
        strength = [n for n, _ in pattern], [kind for _, kind in pattern]
        if ranks == WHEEL:
            strength = [1] * HAND, [3, 2, 1, 0, -1]
        mixed = [kind + KINDS * (at % 4) for at, kind in enumerate(ranks)]
        classes.append(((rank(mixed), strength), place))
        if len(tally) == HAND:
            classes.append(((rank(ranks), strength), place + SPAN))
    classes.sort(reverse=True)
    grades = np.zeros(2 * SPAN, np.uint16)
    found = np.zeros(len(classes) + 1, np.uint8)
    for grade, ((category, _), place) in enumerate(classes, 1):
        assert grades[place] == 0, "two combinations of ranks have the same sum of keys"
        grades[place] = grade
        found[grade] = category
    words = [
        KEYS[card % KINDS] + (1 << (SUIT_BIT + SUIT_FIELD * (card // KINDS)))
        for card in range(DECK)
    ]
    return Grading(np.array(words, np.int64), grades, found)


@njit(cache=True)
def _grade_hands(hands: Cards, words: Ints, grades: Grades, out: Grades) -> None:
    for at in range(len(hands)):
        word = (
            words[hands[at, 0]]
            + words[hands[at, 1]]
            + words[hands[at, 2]]
            + words[hands[at, 3]]
            + words[hands[at, 4]]
        )
        one_suit = ((word + FIVES) & FLUSH) != 0
        out[at] = grades[(word & 0xFFFFFFFF) + one_suit * SPAN]


def grade_hands(hands: Cards) -> Grades:
    """Return the grades of many hands, each a row of five cards: 1 the best, 7,462 the least."""
    tables = grading()
    out = np.empty(len(hands), np.uint16)
    _grade_hands(hands, tables.words, tables.grades, out)
    return out


# Sets of cards are numbered: a < b < c ... is number C(a, 1) + C(b, 2) + C(c, 3) ... among
# the sets of its size, and sets of one size follow all sets of smaller sizes.

CHOOSE: Final = np.array([[comb(n, k) for n in range(DECK)] for k in range(HAND + 1)], np.int64)
"""[k, n]"""

FIRST: Final = np.array([sum(comb(DECK, j) for j in range(k)) for k in range(HAND + 2)], np.int64)
"""[k]: the index at which the sets of k cards begin; at the end, the number of sets."""


@njit(cache=True)
def _sum_up(words: Ints, grades: Grades, prize_of: Prizes, choose: Ints, first: Ints) -> Prizes:
    """Return the prizes of all hands that contain each set, in the order of the sets' numbers.

    Each hand adds to its subsets of four. Each set of k then adds to its subsets of k - 1, where
    every hand arrives once for each of its 5 - (k - 1) cards that could be left out.
    """
    sums = np.zeros(first[HAND + 1], np.int32)
    one, two, three, four = choose[1], choose[2], choose[3], choose[4]
    at = first[HAND]
    for e in range(DECK):
        for d in range(e):
            for c in range(d):
                for b in range(c):
                    word = words[e] + words[d] + words[c] + words[b]
                    one_suit_so_far = b // KINDS == e // KINDS
                    bcde = first[4] + one[b] + two[c] + three[d] + four[e]
                    acde = first[4] + two[c] + three[d] + four[e]
                    abde = first[4] + two[b] + three[d] + four[e]
                    abce = first[4] + two[b] + three[c] + four[e]
                    abcd = first[4] + two[b] + three[c] + four[d]
                    for a in range(b):
                        one_suit = one_suit_so_far and a // KINDS == e // KINDS
                        key = (word + words[a]) & 0xFFFFFFFF
                        prize = prize_of[grades[key + one_suit * SPAN]]
                        sums[at] = prize
                        at += 1
                        sums[bcde] += prize
                        sums[acde + a] += prize
                        sums[abde + a] += prize
                        sums[abce + a] += prize
                        sums[abcd + a] += prize
    at = first[4]
    for d in range(DECK):
        for c in range(d):
            for b in range(c):
                for a in range(b):
                    sums[first[3] + one[b] + two[c] + three[d]] += sums[at]
                    sums[first[3] + one[a] + two[c] + three[d]] += sums[at]
                    sums[first[3] + one[a] + two[b] + three[d]] += sums[at]
                    sums[first[3] + one[a] + two[b] + three[c]] += sums[at]
                    at += 1
    at = first[3]
    for c in range(DECK):
        for b in range(c):
            for a in range(b):
                sums[at] //= 2
                sums[first[2] + one[b] + two[c]] += sums[at]
                sums[first[2] + one[a] + two[c]] += sums[at]
                sums[first[2] + one[a] + two[b]] += sums[at]
                at += 1
    at = first[2]
    for b in range(DECK):
        for a in range(b):
            sums[at] //= 3
            sums[first[1] + a] += sums[at]
            sums[first[1] + b] += sums[at]
            at += 1
    for a in range(DECK):
        sums[first[1] + a] //= 4
        sums[0] += sums[first[1] + a]
    sums[0] //= HAND
    return sums


@cache
def sums_of(level: int) -> Prizes:
    """Return the sums for the prizes of a level, per unit staked: some 30 milliseconds of work."""
    return sum_up(per_stake(level))


def sum_up(prizes: Sequence[int]) -> Prizes:
    """Return the sums, for prizes by `Rank`."""
    tables = grading()
    by_grade = np.array(prizes, np.int32)[tables.ranks]
    sums: Prizes = _sum_up(tables.words, tables.grades, by_grade, CHOOSE, FIRST)
    return sums


@njit(cache=True)
def _locate(hand: Any, choose: Ints, first: Ints, at: Ints) -> None:
    """Write the numbers of a hand's subsets to ``at[held]``; bit i of ``held`` is its i-th card."""
    for held in range(1 << HAND):
        size = 0
        number = 0
        for i in range(HAND):
            if held >> i & 1:
                size += 1
                number += choose[size, hand[i]]
        at[held] = first[size] + number


@njit(cache=True)
def _throw_away(worth: Ints) -> None:
    """Convert the prizes of all hands with the held cards to those without any discarded one."""
    for i in range(HAND):
        bit = 1 << i
        for above in range(0, 1 << HAND, 2 * bit):
            for held in range(above, above + bit):
                worth[held] -= worth[held + bit]


@njit(cache=True)
def fill_hold_sums(hand: Any, sums: Prizes, choose: Ints, first: Ints, worth: Ints) -> None:
    """Write the prizes of all hands that can follow to ``worth[held]``; ``hand`` is ascending."""
    _locate(hand, choose, first, worth)
    for held in range(1 << HAND):
        worth[held] = sums[worth[held]]
    _throw_away(worth)


@njit(cache=True)
def _survey(sums: Prizes, choose: Ints, first: Ints, scale: Ints) -> int:
    """Go through every deal.

    The lowest card runs fastest. It counts singly in the number of a set, so the numbers of all
    sets that contain it grow by one at each step.
    """
    hand = np.zeros(HAND, np.int64)
    at = np.zeros(1 << HAND, np.int64)
    worth = np.zeros(1 << HAND, np.int64)
    total = 0
    for e in range(DECK):
        hand[4] = e
        for d in range(e):
            hand[3] = d
            for c in range(d):
                hand[2] = c
                for b in range(c):
                    hand[1] = b
                    _locate(hand, choose, first, at)
                    for a in range(b):
                        for held in range(0, 1 << HAND, 2):
                            worth[held] = sums[at[held]]
                            worth[held + 1] = sums[at[held + 1] + a]
                        _throw_away(worth)
                        best = 0
                        for held in range(1 << HAND):
                            best = max(best, worth[held] * scale[held])
                        total += best
    return total


def survey(sums: Prizes) -> int:
    """Return the sum of the best hold's expectation, times ``holds.SCALE``, over all deals."""
    return int(_survey(sums, CHOOSE, FIRST, np.array(SCALES)))
