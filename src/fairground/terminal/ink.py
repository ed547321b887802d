"""What a terminal can show, and how to write on it: its width, its signs, its colours.

Each game draws its own pictures with a class of its own, made from `Ink`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple, Self, TextIO

SAMPLE: Final = "🧟┌┐└┘├┤┬┴"

WIDEST_TEXT: Final = 96
"""Longer lines are hard to read, however wide the terminal is."""

STYLES: Final = {
    "bold": "1",
    "dim": "2",
    "good": "1;32",
    "bad": "1;31",
    "title": "1;32",
    "green": "1;32",
    "yellow": "1;33",
    "red": "1;31",
    "suit": "31",
    **{
        f"peg{digit}": colours
        for digit, colours in enumerate(
            ("97;41", "30;42", "30;43", "97;44", "97;45", "30;46", "30;47", "97;100")
        )
    },
}
"""Colour never says anything that a letter or a word does not say as well."""


class Edges(NamedTuple):
    """What boxes are drawn with. Corners are left, between and right."""

    across: str
    down: str
    top: str
    middle: str
    foot: str


ASCII_EDGES: Final = Edges("-", "|", "+++", "+++", "+++")
LINE_EDGES: Final = Edges("─", "│", "┌┬┐", "├┼┤", "└┴┘")


def terminal_size(usual: tuple[int, int] = (80, 24)) -> os.terminal_size:
    """Columns and lines: what the user has set, what the terminal says, or what is usual.

    `shutil` answers the same, but it brings along all that packs files, and every prompt would
    wait for that.
    """
    try:
        told: tuple[int, int] = os.get_terminal_size()
    except (OSError, ValueError):
        told = (0, 0)  # no terminal, or none that says it
    columns, lines = (
        int(wanted) if wanted.isdecimal() and int(wanted) > 0 else size or otherwise
        for wanted, size, otherwise in zip(
            (os.environ.get("COLUMNS", ""), os.environ.get("LINES", "")), told, usual, strict=True
        )
    )
    return os.terminal_size((columns, lines))


def only_ascii(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to keep to ASCII: by the stream's encoding, the locale, and the bare console."""
    try:
        SAMPLE.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    kind = environment.get("LC_CTYPE", "")
    if kind == "C.UTF-8":
        kind = ""  # Python itself sets this where the user has said LANG=C
    locale = environment.get("LC_ALL") or kind or environment.get("LANG")
    on_the_console = environment.get("TERM") == "linux" and stream.isatty()
    return locale in ("C", "POSIX") or on_the_console


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to use colours: NO_COLOR, a pipe and a dumb terminal say no."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


class Ink:
    """Writes for a terminal of a certain width."""

    def __init__(
        self,
        columns: int,
        ascii_only: bool = True,
        colour: bool = False,
        lines: float = math.inf,
    ) -> None:
        self.columns = max(columns, 1)
        self.lines = lines
        """How high the terminal is; a pipe has no end."""
        self.ascii_only = ascii_only
        self.edges = ASCII_EDGES if ascii_only else LINE_EDGES
        self._colour = colour

    @classmethod
    def of_terminal(cls, ascii_only: bool | None = None) -> Self:
        """For standard output as it is now; ``None`` takes what it can show."""
        if ascii_only is None:
            ascii_only = only_ascii(sys.stdout, os.environ)
        colour = wants_colour(sys.stdout, os.environ)
        columns, lines = terminal_size()
        return cls(columns, ascii_only, colour, lines if sys.stdout.isatty() else math.inf)

    def ink(self, text: str, style: str) -> str:
        """Text in a style, where there are colours."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self._colour and text and style else text

    def fold(self, text: str, first: str = "", rest: str | None = None) -> str:
        """A paragraph in lines that fit; what has no blank in it, such as a seal, is broken.

        ``first`` stands before the first line, ``rest`` before the others (the same, if not given).
        """
        import textwrap

        rest = first if rest is None else rest
        width = max(min(self.columns - 1, WIDEST_TEXT), len(rest) + 12)
        return textwrap.fill(
            text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
