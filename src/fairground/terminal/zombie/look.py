"""The boxes and signs of Zombie Dice, for every kind of terminal.

A line is a list of spans, each a text and a style, so that widths are counted in cells of
the terminal (an emoji takes two) before any colour is added. Colour never says anything
that a letter or a word does not say as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

from fairground import __version__
from fairground.games.zombie import BRAIN, COLOURS, FOOTPRINTS, SHOTGUN, Pile
from fairground.terminal.ink import Ink

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

WIDEST: Final = 66
NARROWEST: Final = 32


class ZombieSigns(NamedTuple):
    """The signs of a screen."""

    zombie: str
    faces: Mapping[str, str]
    dice: tuple[str, str, str]
    """A die of each colour: its letter says the colour, too."""
    more: str

    def die(self, colour: int) -> Span:
        """A die, in its colour."""
        return self.dice[colour], COLOURS[colour]


EMOJI: Final = ZombieSigns(
    "🧟", {BRAIN: "🧠", FOOTPRINTS: "👣", SHOTGUN: "💥"}, ("🟩G", "🟨Y", "🟥R"), "…"
)
ASCII: Final = ZombieSigns(
    "Z", {BRAIN: "brain", FOOTPRINTS: "steps", SHOTGUN: "shot"}, ("[G]", "[Y]", "[R]"), "~"
)


class ZombieArt(Ink):
    """Draws boxes of a certain width, with certain signs."""

    def __init__(
        self,
        columns: int,
        ascii_only: bool = True,
        colour: bool = False,
        lines: float = math.inf,
    ) -> None:
        super().__init__(columns, ascii_only, colour, lines)
        self.signs = ASCII if ascii_only else EMOJI
        self.width = max(NARROWEST, min(columns, WIDEST))

    @property
    def room(self) -> int:
        """How many cells a line inside a box has."""
        return self.width - 4

    def line(self, spans: Iterable[Span]) -> str:
        """A line as it is printed."""
        return "".join(self.ink(text, style) for text, style in spans).rstrip()

    def title(self) -> list[Line]:
        """The first region."""
        zombie = self.signs.zombie
        text = f"---> {zombie} Zombie Dice (v {__version__}) {zombie} <---"
        return [[("", "")], [(self.centred(text), "title")]]

    def cut(self, text: str, cells: int) -> str:
        """A text in just so many cells: padded, or cut off with a sign that it was."""
        if cell_len(text) <= cells:
            return set_cell_size(text, cells)
        if cells == 0:
            return ""
        return set_cell_size(text, cells - 1) + self.signs.more

    def centred(self, text: str, cells: int | None = None) -> str:
        """A text in the middle."""
        wide = self.width if cells is None else cells
        text = self.cut(text, wide) if cell_len(text) > wide else text
        before = (wide - cell_len(text)) // 2
        return set_cell_size(" " * before + text, wide)

    def wrapped(self, text: str, cells: int | None = None) -> list[str]:
        """A text in lines of at most so many cells, broken between words where possible."""
        most = self.room if cells is None else cells
        lines = [""]
        for word in text.split():
            for piece in chop_cells(word, most) if cell_len(word) > most else [word]:
                longer = f"{lines[-1]} {piece}".strip()
                if cell_len(longer) > most:
                    lines.append(piece)
                else:
                    lines[-1] = longer
        return lines

    def edge(self, corners: str, heading: str = "") -> Line:
        """A horizontal line of a box, with a heading in it."""
        across = self.edges.across
        text = f"[ {self.cut(heading, min(cell_len(heading), self.width - 8))} ]" if heading else ""
        rest = self.width - 3 - cell_len(text)
        return [(corners[0] + across, ""), (text, "bold"), (across * rest + corners[2], "")]

    def inside(self, spans: Sequence[Span]) -> Line:
        """A line of a box: the spans, padded to its room; what does not fit is cut off."""
        line: Line = []
        left = self.room
        for text, style in spans:
            fitting = self.cut(text, left) if cell_len(text) > left else text
            line.append((fitting, style))
            left -= cell_len(fitting)
        down = self.edges.down
        return [(f"{down} ", ""), *line, (" " * left + f" {down}", "")]

    def box(self, heading: str, lines: Iterable[Sequence[Span]]) -> list[Line]:
        """A box around lines that fit it."""
        return [
            self.edge(self.edges.top, heading),
            *(self.inside(spans) for spans in lines),
            self.edge(self.edges.foot),
        ]

    def piles(self, pile: Pile) -> list[Line]:
        """The dice of an area, the best way first: one by one, or counted by colour."""
        signs = self.signs
        each = [signs.die(colour) for colour in range(3) for _ in range(pile[colour])]
        counted = [
            (f"{signs.dice[colour]}x{pile[colour]}", COLOURS[colour])
            for colour in range(3)
            if pile[colour]
        ]
        return [[span for die in dice for span in ((" ", ""), die)] for dice in (each, counted)]


def width(line: Iterable[Span]) -> int:
    """How many cells a line takes."""
    return sum(cell_len(text) for text, _ in line)
