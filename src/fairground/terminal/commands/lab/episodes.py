"""``fairground episodes``: what a file of rounds says, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fairground.lab.fatestones.rows import PARQUET, Loss, Report, read_cells, report
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.input import add_dice, dice_file

STEP: Final = 200
"""Rows between two looks at the progress bar."""


def _arguments() -> Arguments:
    parser = Arguments(
        "episodes",
        "Read rounds of FateStones in ten columns (commas, a Markdown table or Parquet; with or\n"
        "without a header) and report: rows, wins, losses and ties of player 1, games, scratches,\n"
        "what each side's choices cost against perfect play, and every row that cannot be.",
        "Examples:\n"
        "  fairground episodes episodes.csv\n"
        "  fairground episodes episodes.parquet --dice bag.txt --json",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the rows")
    add_dice(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground episodes``"""
    from fairground.terminal.waiting import progress_bar

    options = _arguments().parse_args(arguments)
    dice = dice_file(options.dice)
    with progress_bar("rows") as advance:
        size = _rows_at_most(options.file)

        def seen(count: int) -> None:
            if count % STEP == 0:
                advance(count, size)

        found = report(read_cells(options.file), dice, seen)
        advance(found.rows, found.rows)
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        print("\n".join(_lines(found)))
    return 1 if found.illegal else 0


def _rows_at_most(path: Path) -> int | None:
    """How many lines a file of text has; ``None`` where that cannot be told quickly."""
    try:
        with path.open("rb") as file:
            if file.read(len(PARQUET)) == PARQUET:
                return None
            return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return None  # reading it will say what is wrong


def _lines(found: Report) -> list[str]:
    lines = [
        f"rows       {found.rows:,}",
        f"wins       {found.wins:,} (of player 1)",
        f"losses     {found.losses:,}",
        f"ties       {found.ties:,}",
        f"games      {found.games:,}",
        f"scratches  {found.scratches:,}",
        f"illegal    {len(found.illegal):,}",
        "",
        "What choices cost against perfect play, in chance to win:",
        _cost("player 1", found.loss_player1),
        _cost("player 2", found.loss_player2),
    ]
    if found.illegal:
        lines += ["", "Illegal rows:"]
        lines += [f"  line {bad.line}: {bad.reason}" for bad in found.illegal]
    return lines


def _cost(who: str, loss: Loss) -> str:
    where = "" if loss.worst_line is None else f", in line {loss.worst_line}"
    worst = f"{loss.worst} = {float(loss.worst):.12f}" if loss.worst else "0"
    return f"{who}   {loss.average:.12f} on average, {worst} at worst{where}"
