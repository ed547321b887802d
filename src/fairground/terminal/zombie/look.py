"""The boxes and signs of Zombie Dice, for every kind of terminal.

A line is a list of spans, each a text and a style, so that widths are counted in cells of
the terminal (an emoji takes two) before any colour is added. Colour never says anything
that a letter or a word does not say as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

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
_TWO_CELLS: Final = str.maketrans(dict.fromkeys("🧟🧠👣💥🟩🟨🟥", "##"))
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
        if cells_of(text) <= cells:
            return fitted(text, cells)
        if cells == 0:
            return ""
        return fitted(text, cells - 1) + self.signs.more

    def centred(self, text: str, cells: int | None = None) -> str:
        """A text in the middle."""
        wide = self.width if cells is None else cells
        text = self.cut(text, wide) if cells_of(text) > wide else text
        before = (wide - cells_of(text)) // 2
        return fitted(" " * before + text, wide)

    def wrapped(self, text: str, cells: int | None = None) -> list[str]:
        """A text in lines of at most so many cells, broken between words where possible."""
        most = self.room if cells is None else cells
        lines = [""]
        for word in text.split():
            for piece in chopped(word, most) if cells_of(word) > most else [word]:
                longer = f"{lines[-1]} {piece}".strip()
                if cells_of(longer) > most:
                    lines.append(piece)
                else:
                    lines[-1] = longer
        return lines

    def edge(self, corners: str, heading: str = "") -> Line:
        """A horizontal line of a box, with a heading in it."""
        across = self.edges.across
        text = f"[ {self.cut(heading, min(cells_of(heading), self.width - 8))} ]" if heading else ""
        rest = self.width - 3 - cells_of(text)
        return [(corners[0] + across, ""), (text, "bold"), (across * rest + corners[2], "")]

    def inside(self, spans: Sequence[Span]) -> Line:
        """A line of a box: the spans, padded to its room; what does not fit is cut off."""
        line: Line = []
        left = self.room
        for text, style in spans:
            fitting = self.cut(text, left) if cells_of(text) > left else text
            line.append((fitting, style))
            left -= cells_of(fitting)
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


def cells_of(text: str) -> int:
    """How many cells a text takes: ours is ASCII and some emoji, for other signs Rich is asked."""
    if _is_plain(plain := text.translate(_TWO_CELLS)):
        return len(plain)
    from rich.cells import cell_len

    return cell_len(text)


def fitted(text: str, cells: int) -> str:
    """A text in just so many cells: padded, or cut off."""
    if _is_plain(text):
        return text[: max(cells, 0)].ljust(cells)
    if _is_plain(plain := text.translate(_TWO_CELLS)) and len(plain) <= cells:
        return text + " " * (cells - len(plain))
    from rich.cells import set_cell_size

    return set_cell_size(text, cells)


def _is_plain(text: str) -> bool:
    """Whether every sign takes one cell."""
    return text.isascii() and text.isprintable()


def chopped(text: str, cells: int) -> list[str]:
    """A text in pieces of at most so many cells."""
    from rich.cells import chop_cells

    return chop_cells(text, cells)


def width(line: Iterable[Span]) -> int:
    """How many cells a line takes."""
    return sum(cells_of(text) for text, _ in line)
