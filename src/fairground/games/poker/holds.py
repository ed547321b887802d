"""The value of a poker hand: every hold, exactly, and perfect play over all deals.

Values are expected prizes per unit staked, as fractions: 1 gives the stake back::

    hand = parse_hand("5♢ 7♢ 9♧ 10♧ 7♡")
    best_hold(hand, level=5)      # Hold(order=(1, 0, 1, 1, 0), value=Fraction(...))
    holds(hand, level=5)          # all 32, the best first
    perfect_return(level=5)       # Fraction(1653526326983, 1661102543100)

A single hand needs only the standard library: `hands_with` counts by formula.
Simulated hands, and all deals, go through tables and need NumPy and Numba
(`fairground.games.poker.hands`).

Both compute the same. Let K be the cards held and D those thrown away. Add up the prizes of
all hands that contain K, without those that contain a card of D. Divided by the number of ways
to draw, this is the expectation.

On levels 1 to 4 all prizes grow with the stake, so the values are the same on each of them;
level 5 pays 800 stakes for a royal flush, the others 250.

**Counts.** Of the ``C(52 - k, 5 - k)`` hands that contain k given cards, the number of flushes,
straights, four of a kind ... is a short product of binomial coefficients each. No hand is looked
at. `hands` finds the same numbers by looking at every hand; the tests compare the two.

**Deals.** `worths` has the value of the best hold over all 2,598,960 deals. The counts come with
the package (``tools/poker_deals.py`` makes them). Their mean is the return of perfect play.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations
from math import comb, factorial, lcm, prod
from typing import Final, NamedTuple

from fairground.core import InputError
from fairground.games.poker.rules import (
    ACE,
    DECK,
    EXAMPLE,
    HAND,
    JACK,
    KINDS,
    LEVELS,
    PAYS,
    SUITS,
    TEN,
    Card,
    Order,
    Rank,
)
from fairground.registry import needs

COPIES: Final = len(SUITS)
"""Number of cards of one rank."""

RUNS: Final = (
    frozenset({ACE, 0, 1, 2, 3}),
    *(frozenset(range(low, low + HAND)) for low in range(TEN + 1)),
)
"""The ranks of the ten straights, the royal one last."""

SCALE: Final = lcm(*(comb(DECK - HAND, replaced) for replaced in range(HAND + 1)))
"""The least number that makes every hold's expectation an integer: 7,669,695."""

SCALES: Final = tuple(
    SCALE // comb(DECK - HAND, HAND - held.bit_count()) for held in range(1 << HAND)
)
"""By the set of held cards, one bit for each: the factor from the prizes of all hands that can
follow to the expectation times `SCALE`."""

SHAPES: Final = {
    Rank.FOUR_OF_A_KIND: (4, 1),
    Rank.FULL_HOUSE: (3, 2),
    Rank.THREE_OF_A_KIND: (3, 1, 1),
    Rank.TWO_PAIR: (2, 2, 1),
    Rank.JACKS_OR_BETTER: (2, 1, 1, 1),
}
"""The shapes of hands in which some rank occurs more than once: occurrences of each rank."""


@lru_cache(maxsize=1 << 16)
def hands_with(held: frozenset[Card]) -> tuple[int, ...]:
    """Return the number of five-card hands that contain these cards, by `Rank`."""
    missing = HAND - len(held)
    ranks = Counter(card % KINDS for card in held)
    suits = {card // KINDS for card in held}
    counts = [0] * len(Rank)
    for at, run in enumerate(RUNS):
        if len(ranks) < len(held) or not run >= ranks.keys():
            continue
        suited = COPIES if not held else 1 if len(suits) == 1 else 0
        royal = at == len(RUNS) - 1
        counts[Rank.ROYAL_FLUSH if royal else Rank.STRAIGHT_FLUSH] += suited
        counts[Rank.STRAIGHT] += COPIES**missing - suited
    straight_flushes = counts[Rank.STRAIGHT_FLUSH] + counts[Rank.ROYAL_FLUSH]
    if len(suits) <= 1:
        of_one_suit = comb(KINDS - len(held), missing) * (1 if held else COPIES)
        counts[Rank.FLUSH] = of_one_suit - straight_flushes
    for category, shape in SHAPES.items():
        lowest = JACK if category is Rank.JACKS_OR_BETTER else 0
        counts[category] = _of_shape(tuple(sorted(ranks.items())), shape, lowest)
    counts[Rank.NOTHING] = comb(DECK - len(held), missing) - sum(counts)
    return tuple(counts)


@lru_cache(maxsize=1 << 16)
def _of_shape(held: tuple[tuple[int, int], ...], shape: tuple[int, ...], lowest: int) -> int:
    """Return the number of hands of a shape that contain each held rank at least as often as held.

    Each part of the shape is given to a rank of its own. First every held rank takes a part, in all
    ways; the rest goes to ranks that are not held. The rank of the first part must be ``lowest`` or
    higher. Parts of equal size can be swapped, so every hand was counted once for each order of
    those.
    """
    if len(held) > len(shape):
        return 0
    others = KINDS - len(held)
    high_others = sum(1 for rank in range(lowest, KINDS) if rank not in dict(held))
    total = 0
    for places in permutations(range(len(shape)), len(held)):
        ways = 1
        for (rank, have), place in zip(held, places, strict=True):
            fits = have <= shape[place] and (place > 0 or rank >= lowest)
            ways *= comb(COPIES - have, shape[place] - have) if fits else 0
        free = [place for place in range(len(shape)) if place not in places]
        for taken, place in enumerate(free):  # place 0, if free, comes first
            ranks_left = high_others if place == 0 else others - taken
            ways *= ranks_left * comb(COPIES, shape[place])
        total += ways
    return total // prod(factorial(same) for same in Counter(shape).values())


def prizes_with(held: Sequence[Card], prizes: Sequence[int]) -> int:
    """Return the sum of prizes, given by `Rank`, of all hands that contain these cards."""
    counts = hands_with(frozenset(held))
    return sum(count * prize for count, prize in zip(counts, prizes, strict=True))


HOLDS: Final = 1 << HAND

RETURNS: Final = {
    **dict.fromkeys(range(1, 5), Fraction(35523565111, 36110924850)),
    5: Fraction(1653526326983, 1661102543100),
}
"""The return of perfect play for each unit staked, by level: stored results of `perfect_return`."""


class Hold(NamedTuple):
    """A hold: the cards to replace, and the expected prize for each unit staked."""

    order: Order
    """By place: 1 to replace, 0 to keep."""
    value: Fraction

    def kept(self, hand: Sequence[Card]) -> tuple[Card, ...]:
        """Return the cards of the hand that stay."""
        return tuple(card for card, gone in zip(hand, self.order, strict=True) if not gone)


@cache
def per_stake(level: int) -> tuple[int, ...]:
    """Return prizes by `Rank` for one unit staked: integers on every level."""
    if type(level) is not int or level not in LEVELS:
        raise InputError(f"the level must be an integer in 1..{LEVELS[-1]}, not {level!r}")
    prizes = [Fraction(prize, level) for prize in PAYS[level]]
    assert all(prize.denominator == 1 for prize in prizes)
    return tuple(prize.numerator for prize in prizes)


def holds(hand: Sequence[Card], level: int) -> list[Hold]:
    """Return all 32 holds, the best first; among equals, those that replace fewer cards first.

    The sums come from formulas: a few milliseconds.
    """
    places = _places(hand)
    worths = _worths(hand, level)
    ranked = sorted((-worth, *_order(held, places)) for held, worth in enumerate(worths))
    return [Hold(order, Fraction(-worth, SCALE)) for worth, _, order in ranked]


def best_hold(hand: Sequence[Card], level: int) -> Hold:
    """Return the first of `holds`, faster."""
    places = _places(hand)
    worths = _worths(hand, level)
    best = max(worths)
    equals = (_order(held, places) for held, worth in enumerate(worths) if worth == best)
    _, order = min(equals)
    return Hold(order, Fraction(best, SCALE))


def _worths(hand: Sequence[Card], level: int) -> list[int]:
    """Return the expectation times `SCALE`, by the set of held cards."""
    sums = _by_formula(sorted(hand), per_stake(level))
    return [amount * scale for amount, scale in zip(sums, SCALES, strict=True)]


def _order(held: int, places: Sequence[int]) -> tuple[int, Order]:
    """Return the number of cards that a hold replaces, and which."""
    return HAND - held.bit_count(), tuple(1 - (held >> place & 1) for place in places)


def _places(hand: Sequence[Card]) -> list[int]:
    """Return, for each place of the hand, the rank of its card in ascending order."""
    ascending = sorted(hand)
    cards = set(range(DECK))
    if len(hand) != HAND or len(set(hand)) != HAND or not cards.issuperset(hand):
        raise InputError(
            f"a hand is {HAND} different cards, numbered 0..{DECK - 1}, such as "
            f"those of {EXAMPLE}; not {list(hand)}"
        )
    return [ascending.index(card) for card in hand]


def _by_formula(hand: Sequence[Card], prizes: Sequence[int]) -> list[int]:
    """Return the sum of the prizes that can follow, by the set of held cards (bit i: the i-th)."""
    sums = [
        prizes_with([card for i, card in enumerate(hand) if held >> i & 1], prizes)
        for held in range(HOLDS)
    ]
    for i in range(HAND):
        for held in range(HOLDS):
            if not held >> i & 1:
                sums[held] -= sums[held | 1 << i]
    return sums


# All deals


def perfect_return(level: int) -> Fraction:
    """Return the prize that perfect play returns for each unit staked, over all 2,598,960 deals."""
    per_stake(level)  # refuses what is not a level
    with needs("solve", "solving all deals"):
        from fairground.games.poker import hands
    return Fraction(hands.survey(hands.sums_of(level)), hands.DEALS * SCALE)


def file_name(level: int) -> str:
    """Return the name of the file; levels 1 to 4 have the same values for each unit staked."""
    return f"deals-{5 if level == 5 else 1}.json"


@cache
def worths(level: int) -> tuple[tuple[Fraction, int], ...]:
    """Return each expectation per unit staked, and the number of deals in which it is the best."""
    path = files("fairground.games.poker") / "data" / file_name(level)
    rows = json.loads(path.read_text(encoding="ascii"))
    return tuple((Fraction(worth, SCALE), many) for worth, many in rows)
