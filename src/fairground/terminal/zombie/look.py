"""Paper and ink: signs, boxes and colours, for every kind of terminal.

A line is a list of spans, each a text and a style, so that widths are counted in cells of
the terminal (an emoji takes two) before any colour is added. Colour never says anything
that a letter or a word does not say as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

from fairground.games.zombie import BRAIN, COLOURS, FOOTPRINTS, SHOTGUN, Pile
from fairground.terminal.capabilities import only_ascii, wants_colour

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

WIDEST: Final = 66
NARROWEST: Final = 32

STYLES: Final = {
    "": "",
    "title": "1;32",
    "bold": "1",
    "dim": "2",
    "green": "1;32",
    "yellow": "1;33",
    "red": "1;31",
}


class Look(NamedTuple):
    """The signs of a screen."""

    zombie: str
    faces: Mapping[str, str]
    dice: tuple[str, str, str]
    """A die of each colour: its letter says the colour, too."""
    corners: str
    """Top left, top right, bottom left, bottom right, tee left, tee right, tee down, tee up."""
    across: str
    down: str
    more: str

    def die(self, colour: int) -> Span:
        """A die, in its colour."""
        return self.dice[colour], COLOURS[colour]


EMOJI: Final = Look(
    "🧟", {BRAIN: "🧠", FOOTPRINTS: "👣", SHOTGUN: "💥"}, ("🟩G", "🟨Y", "🟥R"),
    "┌┐└┘├┤┬┴", "─", "│", "…",
)  # fmt: skip
ASCII: Final = Look(
    "Z", {BRAIN: "brain", FOOTPRINTS: "steps", SHOTGUN: "shot"}, ("[G]", "[Y]", "[R]"),
    "++++++++", "-", "|", "~",
)  # fmt: skip


class Paper:
    """Draws boxes of a certain width, with certain signs."""

    def __init__(self, look: Look, columns: int, colour: bool = False) -> None:
        self.look = look
        self.width = max(NARROWEST, min(columns, WIDEST))
        self._colour = colour

    @classmethod
    def of_terminal(cls, ascii_only: bool | None = None) -> Paper:
        """Paper for standard output as it is now."""
        import shutil

        look = {None: None, True: ASCII, False: EMOJI}[ascii_only]
        return cls(
            look or (ASCII if only_ascii(sys.stdout, os.environ) else EMOJI),
            shutil.get_terminal_size().columns,
            wants_colour(sys.stdout, os.environ),
        )

    @property
    def room(self) -> int:
        """How many cells a line inside a box has."""
        return self.width - 4

    def ink(self, line: Iterable[Span]) -> str:
        """A line as it is printed."""
        if not self._colour:
            return "".join(text for text, _ in line).rstrip()
        return "".join(
            f"\x1b[{STYLES[style]}m{text}\x1b[0m" if style else text for text, style in line
        )

    def cut(self, text: str, cells: int) -> str:
        """A text in just so many cells: padded, or cut off with a sign that it was."""
        if cell_len(text) <= cells:
            return set_cell_size(text, cells)
        if cells == 0:
            return ""
        return set_cell_size(text, cells - 1) + self.look.more

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

    def edge(self, left: str, right: str, heading: str = "") -> Line:
        """A horizontal line of a box, with a heading in it."""
        across = self.look.across
        text = f"[ {self.cut(heading, min(cell_len(heading), self.width - 8))} ]" if heading else ""
        rest = self.width - 3 - cell_len(text)
        return [(f"{left}{across}", ""), (text, "bold"), (across * rest + right, "")]

    def inside(self, spans: Sequence[Span]) -> Line:
        """A line of a box: the spans, padded to its room; what does not fit is cut off."""
        line: Line = []
        left = self.room
        for text, style in spans:
            fitting = self.cut(text, left) if cell_len(text) > left else text
            line.append((fitting, style))
            left -= cell_len(fitting)
        down = self.look.down
        return [(f"{down} ", ""), *line, (" " * left + f" {down}", "")]

    def box(self, heading: str, lines: Iterable[Sequence[Span]]) -> list[Line]:
        """A box around lines that fit it."""
        corner = self.look.corners
        return [
            self.edge(corner[0], corner[1], heading),
            *(self.inside(spans) for spans in lines),
            self.edge(corner[2], corner[3]),
        ]

    def piles(self, pile: Pile) -> list[Line]:
        """The dice of an area, the best way first: one by one, or counted by colour."""
        look = self.look
        each = [look.die(colour) for colour in range(3) for _ in range(pile[colour])]
        counted = [
            (f"{look.dice[colour]}x{pile[colour]}", COLOURS[colour])
            for colour in range(3)
            if pile[colour]
        ]
        return [[span for die in dice for span in ((" ", ""), die)] for dice in (each, counted)]


def width(line: Iterable[Span]) -> int:
    """How many cells a line takes."""
    return sum(cell_len(text) for text, _ in line)
