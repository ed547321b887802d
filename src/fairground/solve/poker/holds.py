"""What a poker hand is worth: every hold, exactly, and perfect play over all deals.

Values are expected prizes per unit staked, as fractions: 1 gives the stake back::

    hand = parse_hand("5♢ 7♢ 9♧ 10♧ 7♡")
    best_hold(hand, level=5)      # Hold(order=(1, 0, 1, 1, 0), value=Fraction(...))
    holds(hand, level=5)          # all 32, the best first
    perfect_return(level=5)       # Fraction(1653526326983, 1661102543100)

A single hand needs only the standard library (`fairground.solve.poker.counts`: formulas).
Many hands, or all of them, go through tables and need NumPy and Numba
(`fairground.solve.poker.kernel`)::

    table = hand_table(level=5)   # built in some 30 milliseconds
    holds(hand, 5, table)         # the same numbers

Both compute the same. Let K be the cards held and D those thrown away. Add up the prizes of
all hands that contain K, without those that contain a card of D. Divided by the number of ways
to draw, this is the expectation.

On levels 1 to 4 all prizes grow with the stake, so the values are the same on each of them;
level 5 pays 800 stakes for a royal flush, the others 250.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.core import InputError
from fairground.extras import needs
from fairground.games.poker import DECK, EXAMPLE, HAND, LEVELS, PAYS, Card, Order
from fairground.solve.poker.counts import SCALE, SCALES, prizes_with

if TYPE_CHECKING:
    from types import ModuleType

    from fairground.solve.poker.kernel import HandTable

HOLDS: Final = 1 << HAND

RETURNS: Final = {
    **dict.fromkeys(range(1, 5), Fraction(35523565111, 36110924850)),
    5: Fraction(1653526326983, 1661102543100),
}
"""What perfect play gives back for each unit staked, by level: `perfect_return`, kept."""


class Hold(NamedTuple):
    """Keep some cards, replace the others, and expect this for each unit staked."""

    order: Order
    """By place: 1 to replace, 0 to keep."""
    value: Fraction

    def kept(self, hand: Sequence[Card]) -> tuple[Card, ...]:
        """The cards of the hand that stay."""
        return tuple(card for card, gone in zip(hand, self.order, strict=True) if not gone)


class DearestDraw(NamedTuple):
    """A hand, and the hold of it that replaces a card and expects the most."""

    hand: tuple[Card, ...]
    hold: Hold


@cache
def per_stake(level: int) -> tuple[int, ...]:
    """Prizes by `Rank` for one unit staked: whole numbers on every level."""
    if type(level) is not int or level not in LEVELS:
        raise InputError(f"the level must be an integer in 1..{LEVELS[-1]}, not {level!r}")
    prizes = [Fraction(prize, level) for prize in PAYS[level]]
    assert all(prize.denominator == 1 for prize in prizes)
    return tuple(prize.numerator for prize in prizes)


def holds(hand: Sequence[Card], level: int, table: HandTable | None = None) -> list[Hold]:
    """All 32 holds, the best first; of equal ones, the one that replaces fewer cards first.

    Without a table (of the same level) the sums come from formulas: a few milliseconds.
    """
    places = _places(hand)
    worths = _worths(hand, level, table)
    ranked = sorted((-worth, *_order(held, places)) for held, worth in enumerate(worths))
    return [Hold(order, Fraction(-worth, SCALE)) for worth, _, order in ranked]


def best_hold(hand: Sequence[Card], level: int, table: HandTable | None = None) -> Hold:
    """The hold that expects the most: the first of `holds`, found sooner."""
    places = _places(hand)
    worths = _worths(hand, level, table)
    best = max(worths)
    equals = (_order(held, places) for held, worth in enumerate(worths) if worth == best)
    _, order = min(equals)
    return Hold(order, Fraction(best, SCALE))


def _worths(hand: Sequence[Card], level: int, table: HandTable | None) -> list[int]:
    """By the set of held cards, the expectation times `SCALE`."""
    prizes = per_stake(level)
    sums = _by_formula(sorted(hand), prizes) if table is None else table.hold_sums(hand).tolist()
    return [amount * scale for amount, scale in zip(sums, SCALES, strict=True)]


def _order(held: int, places: Sequence[int]) -> tuple[int, Order]:
    """How many cards a hold replaces, and which."""
    return HAND - held.bit_count(), tuple(1 - (held >> place & 1) for place in places)


def _places(hand: Sequence[Card]) -> list[int]:
    """For each place of the hand, where its card stands in ascending order."""
    ascending = sorted(hand)
    cards = set(range(DECK))
    if len(hand) != HAND or len(set(hand)) != HAND or not cards.issuperset(hand):
        raise InputError(
            f"a hand is {HAND} different cards, numbered 0..{DECK - 1}, such as "
            f"those of {EXAMPLE}; not {list(hand)}"
        )
    return [ascending.index(card) for card in hand]


def _by_formula(hand: Sequence[Card], prizes: Sequence[int]) -> list[int]:
    """By the set of held cards (bit i: the i-th), the prizes that can follow, added up."""
    sums = [
        prizes_with([card for i, card in enumerate(hand) if held >> i & 1], prizes)
        for held in range(HOLDS)
    ]
    for i in range(HAND):
        for held in range(HOLDS):
            if not held >> i & 1:
                sums[held] -= sums[held | 1 << i]
    return sums


# All hands: compiled


def _kernel() -> ModuleType:
    with needs("solve", "solving all deals"):
        from fairground.solve.poker import kernel
    return kernel


@cache
def hand_table(level: int) -> HandTable:
    """Tables that answer for any hand in microseconds."""
    prizes = per_stake(level)
    table: HandTable = _kernel().HandTable(prizes)
    return table


def perfect_return(level: int) -> Fraction:
    """What perfect play gives back for each unit staked, over all 2,598,960 deals."""
    table = hand_table(level)
    kernel = _kernel()
    return Fraction(kernel.survey(table.sums).total, kernel.DEALS * SCALE)


def dearest_draw(level: int) -> DearestDraw:
    """The greatest expectation of any hold of any hand that replaces at least one card.

    It is all that a croupier could hope to save by falling silent before the second draw,
    so the penalty for that (`fairground.games.poker.PENALTY` stakes) must exceed it.
    """
    table = hand_table(level)
    kernel = _kernel()
    seen = kernel.survey(table.sums)
    hand: tuple[Card, ...] = kernel.hand_of(seen.deal)
    order = tuple(1 - (seen.held >> i & 1) for i in range(HAND))
    return DearestDraw(hand, Hold(order, Fraction(seen.dearest, SCALE)))
