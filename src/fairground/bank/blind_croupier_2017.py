"""The arithmetic of the Blind Croupier of 2017, kept to be checked against history. UNSAFE.

Seeds have 32 bits and are mixed by XOR. The whole deck is shuffled from the end, with a biased
``%`` and a seed that only counts up. For the replacements the rest of the deck is shuffled afresh,
*in the order that the first shuffle left it in*. Use it only to check old games.

It reproduces a real game. The croupier's seeds 62504461 and 1600494777 and the player's seeds
393532593 and 1301748256 dealt 5♢ 7♢ 9♧ 10♧ 7♡. The order 1,0,1,1,0 gave 3♡ 7♢ J♧ 7♤ 7♡.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.bank.crypto.signatures import keccak
from fairground.bank.messages import word

BITS: Final = 32


def generate_int(seed: int, low: int, high: int) -> tuple[int, int]:
    """The document's ``generateInt``: the next seed, and a (biased) integer."""
    value = int.from_bytes(keccak(word(seed)), "big") & 0xFFFFFFFF
    return seed + 1, value % (high - low + 1) + low


def shuffled(cards: Sequence[int], seed: int) -> list[int]:
    """The cards, shuffled from the last place down."""
    deck = list(cards)
    for i in range(len(deck) - 1, 0, -1):
        seed, j = generate_int(seed, 0, i)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def mix(croupier: int, player: int) -> int:
    """The game seed."""
    return croupier ^ player


def play(
    croupier: Sequence[int], player: Sequence[int], order: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The hand dealt, and the final hand, of a whole historic game."""
    deck = shuffled(range(52), mix(croupier[0], player[0]))
    hand, rest = deck[:5], iter(shuffled(deck[5:], mix(croupier[1], player[1])))
    final = [next(rest) if digit else card for card, digit in zip(hand, order, strict=True)]
    return tuple(hand), tuple(final)
