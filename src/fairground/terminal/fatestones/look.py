"""Dice with their pips, drawn side by side, for terminals of any width.

A die is shown as its six faces in a row::

    0  133446
    +---+---+---+---+---+---+
    |   |o  |o  |o o|o o|o o|
    | o | o | o |   |   |o o|
    |   |  o|  o|o o|o o|o o|
    +---+---+---+---+---+---+

Two hands lie beside each other where there is room, else one above the other; where there is
no room for a drawing at all, the digits alone remain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final

from fairground.games.fatestones import FACES, Die, Hand, pips
from fairground.terminal.ink import Ink

PIPS: Final[Mapping[int, tuple[str, str, str]]] = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}

GAP: Final = 3


class DiceArt(Ink):
    """Dice with pips."""

    def strip(self, faces: Sequence[int], wide: bool) -> list[str]:
        """Faces in a row, sharing their edges: five lines."""
        edges, margin = self.edges, " " if wide else ""
        edge, down = edges.across * (3 + 2 * len(margin)), edges.down

        def ruler(ends: str) -> str:
            return ends[0] + ends[1].join([edge] * len(faces)) + ends[2]

        rows = (
            down + down.join(f"{margin}{PIPS[face][row]}{margin}" for face in faces) + down
            for row in range(3)
        )
        drawn = [row.replace("o", "o" if self.ascii_only else "●") for row in rows]
        return [ruler(edges.top), *drawn, ruler(edges.foot)]

    def die(self, label: str, die: Die, wide: bool) -> list[str]:
        """A die below its label."""
        return [f"{label}  {die}", *self.strip(pips(die), wide)]

    def hands(self, titles: Sequence[str], hands: Sequence[Hand]) -> list[str]:
        """Both hands with the numbers of their dice, side by side if they fit."""
        layouts = [(True, True), (True, False), (False, True), (False, False)]
        for beside, wide in layouts:
            if _width(wide) * (2 if beside else 1) + (GAP if beside else 0) <= self.columns:
                break
        else:
            return [
                line
                for title, hand in zip(titles, hands, strict=True)
                for line in (title, *(f"{i} {die}" for i, die in enumerate(hand)))
            ]
        columns = [
            [title, *(line for i, die in enumerate(hand) for line in self.die(str(i), die, wide))]
            for title, hand in zip(titles, hands, strict=True)
        ]
        if not beside:
            return [self._titled(line, titles) for column in columns for line in column]
        room = _width(wide) + GAP
        first = self.ink(titles[0], "bold") + " " * (room - len(titles[0]))
        lines = [first + self.ink(titles[1], "bold")]
        for left, right in zip_longest(columns[0][1:], columns[1][1:], fillvalue=""):
            lines.append(f"{left:<{room}}{right}".rstrip())
        return lines

    def _titled(self, line: str, titles: Sequence[str]) -> str:
        return self.ink(line, "bold") if line in titles else line

    def rolled(self, faces: tuple[int, int], captions: tuple[str, str]) -> list[str]:
        """Two faces as they fell, each below its caption; beside each other if they fit."""
        shown = [self.strip([face], wide=True) for face in faces]
        room = max(len(captions[0]), len(shown[0][0])) + GAP
        if room + max(len(captions[1]), len(shown[1][0])) > self.columns:
            return [
                line
                for caption, face in zip(captions, shown, strict=True)
                for line in (caption, *face)
            ]
        rows = zip((captions[0], *shown[0]), (captions[1], *shown[1]), strict=True)
        return [f"{left:<{room}}{right}".rstrip() for left, right in rows]


def _width(wide: bool) -> int:
    """How wide a die is drawn."""
    return FACES * (6 if wide else 4) + 1
