"""Cards and the pay table, drawn for terminals of any width.

Five cards lie side by side where there is room, else in a line of signs::

    +-----+ +-----+ +-----+ +-----+ +-----+
    |J    | |7    | |9    | |10   | |J    |
    |  Jc | |  7d | |  9c | | 10c | |  Jh |
    |    J| |    7| |    9| |   10| |    J|
    +-----+ +-----+ +-----+ +-----+ +-----+
       1       2       3       4       5
     HELD                            HELD
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from fairground.games.poker import HAND, KINDS, LEVELS, PAYS, RANKS, SUITS, Card, Rank
from fairground.terminal.ink import Ink

LETTERS: Final = "hdcs"
SUIT_NAMES: Final = ("hearts", "diamonds", "clubs", "spades")
RANK_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
RED: Final = (0, 1)
"""Hearts and diamonds."""

CARD: Final = 7
ROW: Final = HAND * (CARD + 1) - 1
NAMES: Final = max(len(rank.words) for rank in Rank)
CELL: Final = 7


def in_words(card: Card) -> str:
    """A card as it is spoken of: "jack of clubs"."""
    return f"{RANK_NAMES[card % KINDS]} of {SUIT_NAMES[card // KINDS]}"


class CardArt(Ink):
    """Cards and the pay table."""

    # Cards

    def card(self, card: Card) -> str:
        """A card in signs."""
        suits = LETTERS if self.ascii_only else SUITS
        return RANKS[card % KINDS] + suits[card // KINDS]

    def cards(self, cards: Sequence[Card]) -> str:
        """Cards in signs, in one line."""
        return " ".join(map(self.card, cards))

    def row(
        self, hand: Sequence[Card], held: Collection[int] = (), *, marks: bool = False
    ) -> list[str]:
        """The hand on the table, each card over its number; ``held`` are places from 0.

        With ``marks`` there is a line for the held ones even if there are none.
        """
        if self.columns <= ROW:
            return [self._small(hand, held)]
        edges = self.edges
        top, foot = (
            ends[0] + edges.across * (CARD - 2) + ends[2] for ends in (edges.top, edges.foot)
        )
        faces = [self._face(card) for card in hand]
        lines = [
            " ".join([top] * HAND),
            *(" ".join(row) for row in zip(*faces, strict=True)),
            " ".join([foot] * HAND),
            " ".join(f"{place:^{CARD}}" for place in range(1, HAND + 1)).rstrip(),
        ]
        if held or marks:
            each = (f"{'HELD' if place in held else '':^{CARD}}" for place in range(HAND))
            lines.append(self.ink(" ".join(each).rstrip(), "good"))
        return lines

    def _face(self, card: Card) -> tuple[str, str, str]:
        """The three lines inside a card."""
        rank, down = RANKS[card % KINDS], self.edges.down
        style = "suit" if card // KINDS in RED else "bold"
        rows = (f"{rank:<5}", f"{self.card(card):>4} ", f"{rank:>5}")
        first, middle, last = (down + self.ink(text, style) + down for text in rows)
        return first, middle, last

    def _small(self, hand: Sequence[Card], held: Collection[int]) -> str:
        return " ".join(
            f"[{self.card(card)}]" if place in held else self.card(card)
            for place, card in enumerate(hand)
        )

    # The pay table

    def pays(self, bet: int, level: int, made: Rank | None = None) -> list[str]:
        """What each hand pays in chips, the played level marked; ``made`` marks a row."""
        narrow = self.columns <= NAMES + CELL * len(LEVELS) + 4
        levels = (level,) if narrow else tuple(LEVELS)

        def cell(text: str, at: int) -> str:
            return f"{f'[{text}]':>{CELL}}" if at == level else f"{text} ".rjust(CELL)

        head = "".join(cell(str(at), at) for at in levels)
        lines = [self.ink(f"{'level':<{NAMES}}{head}", "bold")]
        for rank in reversed(Rank):
            if rank is Rank.NOTHING:
                continue
            row = "".join(cell(str(bet * PAYS[at][rank]), at) for at in levels)
            line = f"{rank.words:<{NAMES}}{row}"
            lines.append(self.ink(f"{line} <--", "good") if rank is made else line)
        return lines
