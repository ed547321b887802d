"""How many hands contain given cards, by rank: counted by formula, without NumPy.

Of the ``C(52 - k, 5 - k)`` hands that contain k given cards, so many are flushes, so many
straights, so many have a rank four times ... Each number is a short product of binomial
coefficients, so no hand is ever looked at. `fairground.solve.poker.kernel` finds the same
numbers by looking at every hand; the tests hold the two against each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import comb, factorial, lcm, prod
from typing import Final

from fairground.games.poker import ACE, DECK, HAND, JACK, KINDS, SUITS, TEN, Card, Rank

COPIES: Final = len(SUITS)
"""How many cards there are of one rank."""

RUNS: Final = (
    frozenset({ACE, 0, 1, 2, 3}),
    *(frozenset(range(low, low + HAND)) for low in range(TEN + 1)),
)
"""The ranks of the ten straights, the royal one last."""

SCALE: Final = lcm(*(comb(DECK - HAND, replaced) for replaced in range(HAND + 1)))
"""7,669,695: the least number by which every hold's expectation becomes whole."""

SCALES: Final = tuple(
    SCALE // comb(DECK - HAND, HAND - held.bit_count()) for held in range(1 << HAND)
)
"""By the set of held cards, one bit for each: what the prizes of all hands that can follow
must be multiplied by to be the expectation times `SCALE`."""

SHAPES: Final = {
    Rank.FOUR_OF_A_KIND: (4, 1),
    Rank.FULL_HOUSE: (3, 2),
    Rank.THREE_OF_A_KIND: (3, 1, 1),
    Rank.TWO_PAIR: (2, 2, 1),
    Rank.JACKS_OR_BETTER: (2, 1, 1, 1),
}
"""How often each rank of the hand occurs, where some rank occurs more than once."""


@lru_cache(maxsize=1 << 16)
def hands_with(held: frozenset[Card]) -> tuple[int, ...]:
    """How many five-card hands out of the whole deck contain these cards, by `Rank`."""
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
    """How many hands of a shape contain each held rank at least as often as it is held.

    Each part of the shape is given to a rank of its own: first every held rank takes a
    part, in all ways; what is left goes to ranks that are not held. The rank of the first
    part must be ``lowest`` or higher. Parts of equal size could be swapped, so every hand
    was counted once for each order of those.
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
    """The prizes of all hands that contain these cards, added up; ``prizes`` is by `Rank`."""
    counts = hands_with(frozenset(held))
    return sum(count * prize for count, prize in zip(counts, prizes, strict=True))
