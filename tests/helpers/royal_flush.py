"""A game that ends in a royal flush, and how it was found: ``python -m tests.helpers.royal_flush``.

The search knows the secrets of both parties, which nobody else ever does: it takes game
after game, throws away whatever does not belong to a royal flush, and looks at the draw.
"""

from __future__ import annotations

import sys

from fairground.games.poker.rules import KINDS, PAYS, TEN, Rank, rank
from tests.helpers.evm import CHIP, Hall, Play, hall

FOUND = 1905


def chase(hand: tuple[int, ...]) -> tuple[int, ...]:
    """Keep only what belongs to the likeliest royal flush."""
    high = [card // KINDS if card % KINDS >= TEN else -1 for card in hand]
    suit = max(range(4), key=high.count)
    return tuple(int(card != suit) for card in high)


def royal_flush(h: Hall, label: int = FOUND) -> tuple[Play, tuple[int, ...]]:
    """The game of this number, and the order that makes its royal flush."""
    play = h.play(label=f"royal {label}")
    return play, chase(play.hand())


def main() -> None:
    """Search; about 23,000 games are needed."""
    h = hall(bankroll=PAYS[5][Rank.ROYAL_FLUSH] * CHIP, purse=5 * CHIP)
    label = 0
    while True:
        play, order = royal_flush(h, label)
        if rank(play.final(order)) is Rank.ROYAL_FLUSH:
            sys.stdout.write(f"{label}\n")
            return
        label += 1


if __name__ == "__main__":
    main()
