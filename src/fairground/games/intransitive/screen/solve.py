"""``fairground solve dice``: the exact odds of a set of dice, also as a table for the screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Final

from rich import box
from rich.console import Console as RichConsole
from rich.table import Table as RichTable

from fairground.games.intransitive.rules import Die
from fairground.games.intransitive.screen.screen import (
    EXAMPLE,
    DiceParser,
    guard_negative_dice,
    unguard,
)
from fairground.games.intransitive.solver import WinOdds, ratio
from fairground.games.intransitive.words import label
from fairground.terminal.console import Arguments, Console, Ink

HEADING: Final = "Probability of the win for the user:"
CORNER: Final = "User dice v"
HOW_TO_READ: Final = (
    "Your die is the row, mine is the column; the cell is your chance to roll higher\n"
    "than I do. The diagonal, in brackets, is a die against its equal."
)
LONGEST_LABEL: Final = 30
CELL: Final = len("- (0.3333)")
MOST_DICE: Final = 50
"""Maximum number of dice in a table that is not split into pages."""
PADDING: Final = 3
"""Two blanks and a border around each cell."""


class HelpTable:
    """Renders win probabilities, a page at a time where the terminal is too small."""

    def __init__(self, dice: Sequence[Die], art: Ink) -> None:
        self._odds = WinOdds(dice)
        self._art = art
        room = (art.columns - 2 * PADDING - 1) // 2 if self._pages_turn else LONGEST_LABEL
        longest = min(LONGEST_LABEL, max(room, CELL))
        self._labels = [_cut(str(die), longest) for die in dice]

    @property
    def _pages_turn(self) -> bool:
        return self._art.lines != math.inf

    def cell(self, row: int, column: int) -> str:
        """The user's chance, with four digits; on the diagonal only in brackets."""
        text = f"{self._odds.wins(row, column) / self._odds.rolls(row, column):.4f}"
        return f"- ({text})" if row == column else text

    def table(self, rows: Sequence[int], columns: Sequence[int]) -> RichTable:
        """One page: these dice of the user against those of the computer."""
        page = RichTable(box=box.ASCII2, show_lines=True, header_style="bold cyan")
        page.add_column(CORNER, style="bold", no_wrap=True)
        for column in columns:
            page.add_column(self._labels[column], no_wrap=True)
        for row in rows:
            page.add_row(self._labels[row], *(self.cell(row, column) for column in columns))
        return page

    def pages(self, width: int, height: int) -> list[tuple[range, list[int]]]:
        """Which rows and columns each page shows, for a screen of this size."""
        everything = range(len(self._labels))
        columns = self._column_groups(width)
        rows_each = max(1, (height - 6) // 2)
        rows = [everything[i : i + rows_each] for i in range(0, len(everything), rows_each)]
        return [(some, group) for some in rows for group in columns]

    def _column_groups(self, width: int) -> list[list[int]]:
        first = max(len(CORNER), *map(len, self._labels)) + PADDING + 1
        groups: list[list[int]] = [[]]
        used = first
        for column, heading in enumerate(self._labels):
            wide = max(len(heading), CELL) + PADDING
            if groups[-1] and used + wide > width:
                groups.append([])
                used = first
            groups[-1].append(column)
            used += wide
        return groups

    def show(self, console: Console) -> None:
        """Print page by page on a terminal, waiting between them; else one page."""
        if self._pages_turn:
            pages = self.pages(self._art.columns, int(self._art.lines))
        else:
            shown = range(min(len(self._labels), MOST_DICE))
            pages = [(shown, list(shown))]
        console.say(HOW_TO_READ)
        if not self._pages_turn and len(self._labels) > MOST_DICE:
            console.say(f"These are the first {MOST_DICE} of {len(self._labels):,} dice.")
        console.say(HEADING)
        for number, (rows, columns) in enumerate(pages, 1):
            # In a pipe nothing is cut: a table is as wide as it is. There are no emoji in it, and
            # Rich would load the names of all of them.
            width = None if self._pages_turn else 10**6
            rich = RichConsole(highlight=False, emoji=False, width=width)
            rich.print(self.table(rows, columns), crop=False, no_wrap=True)
            if number < len(pages):
                more = f"Page {number} of {len(pages)}. Enter for the next, q to go back: "
                if self._pages_turn and console.ask(more).lower() in ("q", "quit", "x", "exit"):
                    return


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


MOST_CIRCLES: Final = 1000
"""A thousand dice can have forty million circles of three."""


def _arguments() -> Arguments:
    parser = Arguments(
        "solve dice",
        "Exact odds: how often each die rolls higher than each other one, which die beats\n"
        "which, every circle of three, and the best reply to each die.",
        f"Example:\n  {EXAMPLE.replace('dice', 'solve dice')}",
    )
    parser.add_argument("dice", nargs="*", metavar="DIE", help="faces, such as 2,2,4,4,9,9")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--all-circles",
        action="store_true",
        help=f"list every circle of three, not only the first {MOST_CIRCLES:,}",
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground solve dice``"""
    options = _arguments().parse_intermixed_args(guard_negative_dice(arguments))
    example = EXAMPLE.replace("dice", "solve dice")
    dice = DiceParser(example).parse([unguard(word) for word in options.dice])
    odds = WinOdds(dice)
    most = None if options.all_circles else MOST_CIRCLES
    if options.json:
        sys.stdout.writelines(odds.json_parts(most))
        print()
        return 0

    names = [f"{number}: {label(die)}" for number, die in enumerate(dice)]
    print("\n".join(names) + "\n")
    HelpTable(dice, Ink.of_terminal()).show(Console())
    print("\nWho beats whom (more often higher than lower):")
    for i in range(len(dice)):
        for j in odds.prey(i):
            rolls = odds.rolls(i, j)
            won, lost, tied = odds.wins(i, j), odds.wins(j, i), odds.ties(i, j)
            print(
                f"  {i} beats {j}: {ratio(won, rolls)} to {ratio(lost, rolls)}, "
                f"ties {ratio(tied, rolls)}"
            )
    count = odds.count_circles()
    print(f"\nIntransitive circles of three: {count or 'none'}")
    for i, j, k in islice(odds.circles(), most):
        print(f"  {i} beats {j} beats {k} beats {i}")
    if most is not None and count > most:
        print(f"  ... and {count - most:,} more: --all-circles lists them")
    print("\nBest reply:")
    for number in range(len(dice)):
        reply = odds.best_reply(number)
        wins = ratio(odds.wins(reply, number), odds.rolls(reply, number))
        print(f"  to {number}: take {reply}, which wins {wins}")
    print(f"\nBest first choice: {odds.best_guaranteed()}")
    return 0
