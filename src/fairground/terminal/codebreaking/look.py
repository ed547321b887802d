"""The board of code breaking: guesses, marks and counts, for terminals of any kind and width.

    #   guess  marks  full  partial   left
    1   0012   Xo..      1        1    230
    2   0213   XXo.      2        1     12

Where a code is too long for a table, it is folded, and its marks stand below it. Marks are
always written as numbers too: no sign and no colour says anything that a digit does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.games.codebreaking import CodeBreaking, Marks, Row, write_code
from fairground.terminal.ink import Ink

if TYPE_CHECKING:
    from fairground.solve.codebreaking.advice import Count

PEG_COLOURS: Final = 8
SINGLE_DIGITS: Final = 10
"""Up to this base every digit is one sign, and has a peg."""
MOST_PEGS: Final = 10
"""Longer codes have their marks as numbers only: nobody counts twenty dots."""


class Pegs(NamedTuple):
    """What marks are drawn with."""

    full: str
    partial: str
    none: str


class BoardRow(NamedTuple):
    """A row of the board, and how many codes it leaves (``None``: not counted)."""

    row: Row
    left: Count | None


def amount(count: Count | None) -> str:
    """A number of codes: exact with all its digits, estimated with a sign and two of them."""
    if count is None:
        return "-"
    if count.exact:
        return _counted(count.value)
    return f"~{_rounded(count.value)}" if count.value else "?"


def _counted(value: int) -> str:
    """All digits, where they are not too many."""
    return f"{value:,}" if value < 10**15 else _rounded(value)


def _rounded(value: int) -> str:
    """Two digits and a power of ten."""
    if value < 1000:
        return str(value)
    exponent = len(str(value)) - 1
    tenths = round(value / 10 ** (exponent - 1))
    if tenths == 100:
        tenths, exponent = 10, exponent + 1
    return f"{tenths // 10}.{tenths % 10}e{exponent}"


class CodeArt(Ink):
    """Marks and bars."""

    @property
    def signs(self) -> Pegs:
        """One sign for each kind of mark."""
        return Pegs("X", "o", ".") if self.ascii_only else Pegs("●", "○", "·")

    @property
    def bar(self) -> str:
        """One cell of a bar."""
        return "#" if self.ascii_only else "█"

    def code(self, text: str) -> str:
        """A written code, each digit on a peg of its own colour."""
        return "".join(
            self.ink(sign, f"peg{int(sign) % PEG_COLOURS}") if sign.isdigit() else sign
            for sign in text
        )

    def marks(self, text: str) -> str:
        """Marks in their colours."""
        styles = {self.signs.full: "green", self.signs.partial: "yellow", self.signs.none: "dim"}
        return "".join(self.ink(sign, styles.get(sign, "")) for sign in text)

    def pegs(self, marks: Marks, length: int) -> str:
        """One sign for each place: full matches first, then partial ones, then none."""
        full, partial = marks
        none = length - full - partial
        return self.signs.full * full + self.signs.partial * partial + self.signs.none * none


class CodeBoard:
    """Writes rows of one game, always in the same columns."""

    def __init__(self, art: CodeArt, game: CodeBreaking, heading: str = "guess") -> None:
        self._art = art
        self._base, self._length = game.base, game.length
        widest = write_code([game.base - 1] * game.length, game.base)
        most = _counted(game.codes)
        self._titles = ["#", heading, "full", "partial", "left"]
        self._wide = [
            3,
            max(len(widest), len(heading)),
            len("full"),
            len("partial"),
            max(len(most), len("left") if game.codes < 10**6 else len("~1.0e78")),
        ]
        if game.length <= MOST_PEGS:
            self._titles.insert(2, "marks")
            self._wide.insert(2, max(game.length, len("marks")))
        self._stacked = sum(self._wide) + 2 * (len(self._wide) - 1) >= art.columns

    @property
    def heading(self) -> list[str]:
        """The titles of the columns; none where rows are stacked."""
        return (
            []
            if self._stacked
            else [self._art.ink("  ".join(self._cells(self._titles)).rstrip(), "dim")]
        )

    def row(self, number: int, entry: BoardRow) -> list[str]:
        """One row of the board."""
        (guess, (full, partial)), left = entry
        code = write_code(guess, self._base)
        if self._stacked:
            pegs = ""
            if self._length <= MOST_PEGS:
                pegs = self._art.pegs((full, partial), self._length) + "  "
            said = f"{pegs}{full} full, {partial} partial; {amount(left)} left"
            return [
                self._art.fold(code, f"{number:>3}  ", "     "),
                self._art.fold(said, "     "),
            ]
        cells = [str(number), code, str(full), str(partial), amount(left)]
        if self._length <= MOST_PEGS:
            cells.insert(2, self._art.pegs((full, partial), self._length))
        return [self._line(cells)]

    def lines(self, entries: Sequence[BoardRow], room: int | None = None) -> list[str]:
        """The whole board; with little room, its end, and how much was left out."""
        rows = [self.row(number, entry) for number, entry in enumerate(entries, 1)]
        hidden = 0
        if room is not None:
            while len(rows) - hidden > 1 and sum(map(len, rows[hidden:])) > room:
                hidden += 1
        out = list(self.heading)
        if hidden:
            out.append(f"  ... {hidden} earlier ({'board'!r} shows all)")
        return out + [line for row in rows[hidden:] for line in row]

    def some(self, rows: Iterable[tuple[int, Row]]) -> list[str]:
        """Certain rows, under their own numbers, without counts."""
        out = []
        for number, (guess, (full, partial)) in rows:
            code = write_code(guess, self._base)
            text = f"{code}: {full} full, {partial} partial"
            out.append(self._art.fold(text, f"{number:>5}  ", "       "))
        return out

    def _line(self, cells: Sequence[str]) -> str:
        """A row in its colours."""
        parts = self._cells(cells)
        if self._base <= SINGLE_DIGITS:
            parts[1] = self._art.code(parts[1])
        if self._length <= MOST_PEGS:
            parts[2] = self._art.marks(parts[2])
        return "  ".join(parts).rstrip()

    def _cells(self, cells: Sequence[str]) -> list[str]:
        """Text to the left, numbers to the right."""
        left = {1, 2} if len(cells) > 5 else {1}
        return [
            f"{cell:<{wide}}" if i in left else f"{cell:>{wide}}"
            for i, (cell, wide) in enumerate(zip(cells, self._wide, strict=True))
        ]
