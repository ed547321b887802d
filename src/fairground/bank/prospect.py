"""What can still come of a hand once the order is known, and what must stay locked for it.

The library ``Prospect`` of ``contracts/BankTwo.sol`` is the same in Solidity; tests compare
the two, and both with all hands that can be drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fairground.games.poker import ACE, FIVE, JACK, KINDS, PAYS, SILENCE, TEN, Rank, rank


def reach(hand: Sequence[int], order: Sequence[int]) -> Rank:
    """A rank that no draw from the kept cards can beat.

    Cards thrown away count as if they could come back: so it may be better than what is
    possible, and is never worse.
    """
    if not any(order):
        return rank(hand)
    kept = [card for card, replaced in zip(hand, order, strict=True) if not replaced]
    if not kept:
        return Rank.ROYAL_FLUSH
    ranks = {card % KINDS for card in kept}
    suited = len({card // KINDS for card in kept}) == 1
    if len(ranks) < len(kept):
        counts = sorted(Counter(card % KINDS for card in kept).values())
        if counts == [2, 2]:
            return Rank.FULL_HOUSE
        return Rank.THREE_OF_A_KIND if counts == [1, 1, 2] else Rank.FOUR_OF_A_KIND
    if suited and min(ranks) >= TEN:
        return Rank.ROYAL_FLUSH
    near = max(ranks) - min(ranks) < 5 or all(r in (ACE, *range(FIVE + 1)) for r in ranks)
    if suited and near:
        return Rank.STRAIGHT_FLUSH
    if len(kept) <= 2:
        return Rank.FOUR_OF_A_KIND
    if suited:
        return Rank.FLUSH
    if near:
        return Rank.STRAIGHT
    if len(kept) == 3:
        return Rank.THREE_OF_A_KIND
    return Rank.JACKS_OR_BETTER if max(ranks) >= JACK else Rank.NOTHING


def locked(level: int, hand: Sequence[int], order: Sequence[int]) -> int:
    """What must stay locked, in chips for each chip of the bet.

    That is the best prize within reach, and no less than silence costs.
    """
    best = reach(hand, order)
    chips = PAYS[level][best]
    replaced = sum(order)
    if not replaced or best == Rank.ROYAL_FLUSH:
        return chips
    return chips + level if replaced == 1 else max(chips, SILENCE[replaced] * level)
