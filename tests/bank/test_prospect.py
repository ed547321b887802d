"""What a hand can still come to, and what must stay locked for it: by hand, and by all draws."""

from __future__ import annotations

from itertools import combinations

import pytest

from fairground.bank.ledger.rules import locked, reach
from fairground.fair.bits import SeededStream
from fairground.games.poker.rules import DECK, PAYS, Rank, rank

SUITS = "shdc"
RANKS = "23456789TJQKA"


def cards(text: str) -> list[int]:
    """Such as ``2s Td``: the rank is the number's rest by 13, the suit its quotient."""
    return [RANKS.index(one[0]) + 13 * SUITS.index(one[1]) for one in text.split()]


def hand_of(kept: str) -> tuple[list[int], tuple[int, ...]]:
    """A hand that keeps these cards and throws others away."""
    held = cards(kept)
    others = [card for card in range(DECK) if card not in held][: 5 - len(held)]
    return [*others, *held], (1,) * len(others) + (0,) * len(held)


@pytest.mark.parametrize(
    ("kept", "best"),
    [
        ("", Rank.ROYAL_FLUSH),
        ("As", Rank.ROYAL_FLUSH),
        ("Td", Rank.ROYAL_FLUSH),
        ("9d", Rank.STRAIGHT_FLUSH),
        ("Ts As", Rank.ROYAL_FLUSH),
        ("Ts Ah", Rank.FOUR_OF_A_KIND),
        ("9s As", Rank.FOUR_OF_A_KIND),
        ("9s Ks", Rank.STRAIGHT_FLUSH),
        ("2s 6s", Rank.STRAIGHT_FLUSH),
        ("2s 7s", Rank.FOUR_OF_A_KIND),
        ("5s As", Rank.STRAIGHT_FLUSH),
        ("6s As", Rank.FOUR_OF_A_KIND),
        ("2s 2h", Rank.FOUR_OF_A_KIND),
        ("2s 2h 3s", Rank.FOUR_OF_A_KIND),
        ("2s 2h 2d", Rank.FOUR_OF_A_KIND),
        ("2s 2h 2d 3s", Rank.FOUR_OF_A_KIND),
        ("2s 2h 3d 3s", Rank.FULL_HOUSE),
        ("2s 2h 3d 4s", Rank.THREE_OF_A_KIND),
        ("Ts Js Ks", Rank.ROYAL_FLUSH),
        ("2s 3s As", Rank.STRAIGHT_FLUSH),
        ("2s 6s As", Rank.FLUSH),
        ("2s 3s 8s", Rank.FLUSH),
        ("2s 3h 5s", Rank.STRAIGHT),
        ("2s 4h Ad", Rank.STRAIGHT),
        ("2s 3h 8d", Rank.THREE_OF_A_KIND),
        ("Ts Js Qs As", Rank.ROYAL_FLUSH),
        ("9s Ts Js Ks", Rank.STRAIGHT_FLUSH),
        ("2s 4s 6s 8s", Rank.FLUSH),
        ("9s Th Js Ks", Rank.STRAIGHT),
        ("2s 4h 6s Js", Rank.JACKS_OR_BETTER),
        ("2s 4h 6s Ts", Rank.NOTHING),
    ],
)
def test_the_best_that_kept_cards_can_come_to(kept: str, best: Rank) -> None:
    assert reach(*hand_of(kept)) == best


def test_a_hand_that_stands_is_what_it_is() -> None:
    assert reach(cards("2s 2h 3d 3s 3h"), (0,) * 5) == Rank.FULL_HOUSE
    assert reach(cards("2s 4h 6d 8s Th"), (0,) * 5) == Rank.NOTHING


def test_no_draw_beats_it() -> None:
    chance = SeededStream("prospects")
    for _ in range(30):
        deck = list(range(DECK))
        hand = [deck.pop(chance.below(len(deck))) for _ in range(5)]
        replaced = 1 + chance.below(2)
        kept = hand[replaced:]
        order = (1,) * replaced + (0,) * len(kept)
        best = max(rank((*drawn, *kept)) for drawn in combinations(deck, replaced))
        assert best <= reach(hand, order), (hand, order)


@pytest.mark.parametrize(
    ("kept", "chips"),
    [
        ("2s 2h 3d 3s 3h", 5 * 9),  # it stands: a full house, and no silence to pay for
        ("2s 4h 6d 8s Th", 0),
        ("Ts Js Qs As", 4000),
        ("2s 2h 3d 3s", 5 * 9 + 5),  # one card: silence takes a stake more than the draw is worth
        ("2s 4h 6s Ts", 0 + 5),
        ("2s 3h 8d", 5 * 5),  # two cards: five stakes, more than three of a kind pay
        ("2s 2h 2d", 5 * 25),
        ("2s 7s", 5 * 25),
        ("", 4000),
    ],
)
def test_what_stays_locked_at_level_five(kept: str, chips: int) -> None:
    assert locked(5, *hand_of(kept)) == chips
    assert PAYS[5][Rank.ROYAL_FLUSH] == 4000
