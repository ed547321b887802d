"""What silence costs, and what stays locked, against every hand, hold and level that there is.

Nothing here asks our solver or our rules what a draw is worth. Prizes of all 2,598,960 hands
are computed from the pay table as it is printed, with NumPy; what a hold is worth follows by
inclusion and exclusion over the cards thrown away.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pytest

from fairground.bank.ledger.rules import locked, reach
from fairground.bank.seeds import packed_hand, packed_order
from fairground.games.poker.rules import PAYS, SILENCE, BankPoker, State, silence_price
from tests.helpers.evm import hall
from tests.helpers.width import WIDE

Array = np.ndarray[Any, np.dtype[np.int64]]

LEVELS = {1: 250, 5: 4000}
"""At levels 1 to 4 all prizes are in proportion; at level 5 the royal flush is dearer."""


CHOOSE = np.array([[comb(card, size) for size in range(6)] for card in range(52)])


def places(cards: Array) -> Array:
    """The place of each set of cards (ascending, a row each) among all sets of its size."""
    found: Array = CHOOSE[cards, np.arange(1, cards.shape[1] + 1)].sum(axis=1)
    return found


def prizes(hands: Array, royal: int, level: int) -> Array:
    """What each hand pays for a bet of 1, read from the printed table."""
    ranks, suits = np.sort(hands % 13, axis=1), hands // 13
    counts = np.sort((ranks[:, :, None] == ranks[:, None, :]).sum(axis=2), axis=1)
    flush = (suits == suits[:, :1]).all(axis=1)
    runs = (np.diff(ranks, axis=1) == 1).all(axis=1) | (ranks == [0, 1, 2, 3, 12]).all(axis=1)
    four, three = counts[:, 4] == 4, counts[:, 4] == 3
    full = three & (counts[:, 0] == 2)
    two_pair = (counts[:, 4] == 2) & (counts[:, 1] == 2)
    high = ((np.diff(ranks, axis=1) == 0) & (ranks[:, 1:] >= 9)).any(axis=1)
    table = [
        (runs & flush & (ranks[:, 0] == 8), royal),
        (runs & flush, 50 * level),
        (four, 25 * level),
        (full, 9 * level),
        (flush, 6 * level),
        (runs, 4 * level),
        (three, 3 * level),
        (two_pair, 2 * level),
        (high & (counts[:, 4] == 2), level),
    ]
    return np.select([which for which, _ in table], [pay for _, pay in table], 0)


class Deck(NamedTuple):
    """All hands at one level: of every set of up to five cards, what the hands that hold it pay."""

    level: int
    hands: Array
    sums: list[Array]
    most: list[Array]


def all_hands() -> Array:
    flat = np.fromiter(
        (card for hand in combinations(range(52), 5) for card in hand), np.int64, 5 * comb(52, 5)
    )
    return flat.reshape(-1, 5)


def deck(hands: Array, level: int) -> Deck:
    pays = prizes(hands, LEVELS[level], level)
    sums, most = [], []
    for size in range(6):
        total, best = np.zeros(comb(52, size), np.int64), np.zeros(comb(52, size), np.int64)
        for subset in combinations(range(5), size):
            at = places(hands[:, subset])
            total += np.bincount(at, pays, comb(52, size)).astype(np.int64)
            np.maximum.at(best, at, pays)
        sums.append(total)
        most.append(best)
    return Deck(level, hands, sums, most)


@pytest.fixture(scope="module")
def decks() -> list[Deck]:
    """Level 5, at which draws are worth most; in a campaign the other levels, too."""
    hands = all_hands()
    return [deck(hands, level) for level in LEVELS if level == 5 or WIDE]


def draws(found: Deck, hands: Array) -> dict[int, Array]:
    """For each set of kept places (bit i), what all possible draws pay together, hand by hand.

    The draws that hold none of the cards thrown away: by inclusion and exclusion over those.
    """
    held = {
        mask: found.sums[mask.bit_count()][places(hands[:, [i for i in range(5) if mask >> i & 1]])]
        for mask in range(32)
    }
    for place in range(5):
        for mask in range(32):
            if not mask >> place & 1:
                held[mask] = held[mask] - held[mask | 1 << place]
    return held


@pytest.mark.campaign
def test_the_pay_table_is_ours_and_all_hands_are_there(decks: list[Deck]) -> None:
    for found in decks:
        assert len(found.hands) == 2_598_960
        assert found.most[0].tolist() == [PAYS[found.level][-1]]


@pytest.mark.campaign
def test_silence_always_costs_more_than_the_draw_and_never_much_more(decks: list[Deck]) -> None:
    dearest: dict[int, Fraction] = dict.fromkeys(range(1, 6), Fraction(0))
    bounty: dict[int, Fraction] = dict.fromkeys(range(1, 6), Fraction(0))
    for found in decks:
        for start in range(0, len(found.hands), 200_000):
            paid = draws(found, found.hands[start : start + 200_000])
            for mask, total in paid.items():
                replaced = 5 - mask.bit_count()
                if not replaced:
                    continue
                ways = comb(47, replaced)
                if replaced == 1:  # what the draw is worth, rounded up, and a stake
                    price = -(-total // ways) + found.level
                else:
                    price = np.full_like(total, SILENCE[replaced] * found.level)
                margin = price * ways - total
                assert margin.min() > 0, "silence would pay"
                stake = found.level * ways
                dearest[replaced] = max(dearest[replaced], Fraction(int(total.max()), stake))
                bounty[replaced] = max(bounty[replaced], Fraction(int(margin.max()), stake))
    assert dearest == {
        1: 25,
        2: Fraction(4657, 1081),
        3: Fraction(5021, 3243),
        4: Fraction(631, 1265),
        5: dearest[5],
    }
    assert Fraction(39, 100) < dearest[5] < Fraction(2, 5)
    # For whoever silences him: less than five stakes more than the draw was worth, not thirty.
    assert max(bounty.values()) < 5
    assert bounty[1] < 2


@pytest.mark.campaign
def test_what_stays_locked_covers_every_hand_that_can_come(decks: list[Deck]) -> None:
    """If thrown-away cards could come back, the bound is what the best hand pays, exactly."""
    found = decks[-1]
    for kept in range(5):
        order = (0,) * kept + (1,) * (5 - kept)
        for at, cards in enumerate(in_place(kept)):
            others = [card for card in range(12) if card not in cards][: 5 - kept]
            best = PAYS[found.level][reach((*cards, *others), order)]
            assert best == found.most[kept][at], cards


def in_place(size: int) -> list[tuple[int, ...]]:
    """All sets of cards of this size, in the order of `places`."""
    return sorted(combinations(range(52), size), key=lambda cards: cards[::-1])


def some_hands(hands: Array, count: int) -> list[tuple[int, ...]]:
    special = [
        (8, 9, 10, 11, 12),  # a royal flush
        (8, 9, 10, 11, 25),  # four to it
        (0, 13, 26, 39, 5),  # four of a kind
        (0, 1, 2, 3, 12),  # the lowest straight flush
        (9, 22, 10, 23, 0),
    ]
    others = [hands[number * 104_729 % len(hands)].tolist() for number in range(1, count + 1)]
    return special + [
        (*hand[number % 5 :], *hand[: number % 5]) for number, hand in enumerate(others)
    ]


@pytest.mark.campaign
def test_the_contract_and_the_rules_ask_the_same_price(decks: list[Deck]) -> None:
    bank = hall().bank
    for number, hand in enumerate(some_hands(decks[0].hands, 12)):
        found = decks[number % len(decks)]
        row = np.array([sorted(hand)])
        for mask in (0, 1 << number % 5, 3 << number % 4, 31 ^ 1 << number % 5, 29):
            order = tuple(mask >> i & 1 for i in range(5))
            packed = packed_hand(hand), packed_order(order)
            bet = 1 + number % 10
            lock, best = bank.ask("getLock", found.level, *packed)
            assert (lock, best) == (locked(found.level, hand, order), reach(hand, order))
            if not mask:
                continue
            price = bank.ask("getSilencePrice", bet, found.level, *packed)
            assert price == silence_price(bet, found.level, hand, order)
            assert price <= bet * lock, "what is locked pays for silence, too"
            game = BankPoker(bet, found.level)
            assert game.forfeit(State(hand, order), 0)[1] == price - bet * found.level
            if sum(order) == 1:
                kept = sum(
                    1 << sorted(hand).index(card)
                    for card, d in zip(hand, order, strict=True)
                    if not d
                )
                total = int(draws(found, row)[kept][0])
                assert price == -(-bet * total // 47) + bet * found.level
