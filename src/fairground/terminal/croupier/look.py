"""Cards and the pay table, drawn for terminals of any width.

Five cards lie side by side where there is room, else in a line of signs::

    +----+ +----+ +----+ +----+ +----+
    | Jc | | 7d | | 9c | |10c | | Jh |
    +----+ +----+ +----+ +----+ +----+
       1      2      3      4      5
     held                        held
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Sequence
from typing import Final

from fairground.games.poker import HAND, KINDS, LEVELS, PAYS, RANKS, SUITS, Card, Rank
from fairground.terminal.capabilities import only_ascii, wants_colour

LETTERS: Final = "hdcs"
SUIT_NAMES: Final = ("hearts", "diamonds", "clubs", "spades")
RANK_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
RED: Final = (0, 1)
"""Hearts and diamonds."""

WIDEST_TEXT: Final = 96
CARD: Final = 6
ROW: Final = HAND * (CARD + 1) - 1
NAMES: Final = max(len(rank.words) for rank in Rank)
CELL: Final = 7

STYLES: Final = {"bold": "1", "good": "1;32", "bad": "1;31", "dim": "2", "red": "31"}


def in_words(card: Card) -> str:
    """A card as it is spoken of: "jack of clubs"."""
    return f"{RANK_NAMES[card % KINDS]} of {SUIT_NAMES[card // KINDS]}"


def a_list(words: Sequence[str]) -> str:
    """Some things in a sentence: "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class Look:
    """Draws for a terminal of a certain width."""

    def __init__(self, columns: int, ascii_only: bool = True, colour: bool = False) -> None:
        self.columns = max(columns, 1)
        self.ascii_only = ascii_only
        self._colour = colour

    @classmethod
    def of_terminal(cls, ascii_only: bool | None = None) -> Look:
        """For standard output as it is now."""
        if ascii_only is None:
            ascii_only = only_ascii(sys.stdout, os.environ)
        colour = wants_colour(sys.stdout, os.environ)
        return cls(shutil.get_terminal_size().columns, ascii_only, colour)

    def ink(self, text: str, style: str) -> str:
        """Text in a style; colour never says anything that the words do not say as well."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self._colour and text else text

    def fold(self, text: str, indent: str = "", first: str = "") -> str:
        """A paragraph in lines that fit; what has no blank in it, such as a seed, too."""
        width = max(min(self.columns - 1, WIDEST_TEXT), len(indent) + 12)
        return textwrap.fill(
            text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
        )

    # Cards

    def card(self, card: Card) -> str:
        """A card in signs."""
        suits = LETTERS if self.ascii_only else SUITS
        return RANKS[card % KINDS] + suits[card // KINDS]

    def cards(self, cards: Sequence[Card]) -> str:
        """Cards in signs, in one line."""
        return " ".join(map(self.card, cards))

    def row(self, hand: Sequence[Card], held: Collection[int] = ()) -> list[str]:
        """The hand on the table, each card over its number; ``held`` are places from 0."""
        if self.columns <= ROW:
            return [self._small(hand, held)]
        edge, down = ("-", "|") if self.ascii_only else ("─", "│")
        corners = ("++", "++") if self.ascii_only else ("┌┐", "└┘")
        top, foot = (ends[0] + edge * (CARD - 2) + ends[1] for ends in corners)
        faces = []
        for card in hand:
            text = f"{self.card(card):^4}" if len(self.card(card)) < 3 else f"{self.card(card):>3} "
            faces.append(down + (self.ink(text, "red") if card // KINDS in RED else text) + down)
        lines = [
            " ".join([top] * HAND),
            " ".join(faces),
            " ".join([foot] * HAND),
            " ".join(f"{place:^{CARD}}" for place in range(1, HAND + 1)).rstrip(),
        ]
        if held:
            marks = (f"{'held' if place in held else '':^{CARD}}" for place in range(HAND))
            lines.append(" ".join(marks).rstrip())
        return lines

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
