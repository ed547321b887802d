"""``fairground solve fatestones``: perfect play, for one deal or all."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fairground.games.fatestones.rules import Hand
from fairground.games.fatestones.screen.screen import (
    HANDS,
    add_dice,
    add_hands,
    dice_file,
    hands,
    writing,
)
from fairground.games.fatestones.solver.choices import Mixed, by_die, solve
from fairground.terminal.console import Arguments, decimal
from fairground.terminal.waiting import progress_bar

if TYPE_CHECKING:
    from fairground.games.fatestones.solver.deals import SampleSummary, Summary


EXAMPLE: Final = f"fairground solve fatestones {HANDS}"
OUT: Final = Path("fatestones-values.bin")
BAR: Final = 60


def _arguments() -> Arguments:
    parser = Arguments(
        "solve fatestones",
        "Perfect play, exactly: the chance that the first side finally wins (a scratch counting\n"
        "one half), and with which chance each side should choose each die. Or the values of all\n"
        "deals of a bag, written to a compact file (docs/games/fatestones.md has its format).",
        f"Examples:\n  {EXAMPLE}\n"
        "  fairground solve fatestones --mine 111666,222555 --theirs 333444,123456 --json\n"
        "  fairground solve fatestones --all --out values.bin\n"
        "  fairground solve fatestones --all --dice bag.txt --no-out\n"
        "  fairground solve fatestones --sample 100000 --dice all.txt",
    )
    add_hands(parser, required=False)
    parser.add_argument("--all", action="store_true", help="every deal of the bag")
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="the twenty deals of N sixes drawn at random, for a bag of more than 53 dice",
    )
    add_dice(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help=f"where the values of --all are written (default: {OUT} in this directory)",
    )
    where.add_argument("--no-out", action="store_true", help="only sum the values up")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground solve fatestones``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.all and options.sample is not None:
        parser.error("--all is every deal, --sample some of them: give one of the two")
    if options.sample is not None:
        if options.mine is not None or options.theirs is not None:
            parser.error("--sample draws the hands, so it takes neither --mine nor --theirs")
        if options.out is not None or options.no_out:
            parser.error("--sample writes no file of values: --out and --no-out belong to --all")
        return _sample(options)
    if options.all:
        if options.mine is not None or options.theirs is not None:
            parser.error("--all is about every deal, so it takes neither --mine nor --theirs")
        return _all(options)
    if options.mine is None or options.theirs is None:
        parser.error("both --mine and --theirs are needed, or --all, or --sample")
    if options.dice is not None or options.out is not None or options.no_out:
        parser.error("--dice, --out and --no-out belong to --all and --sample")
    found = solve(*hands(options))
    mine, theirs = by_die(found.mine, found.my_mix), by_die(found.theirs, found.their_mix)
    if options.json:
        texts = [{die: str(share) for die, share in side.items()} for side in (mine, theirs)]
        print(json.dumps({"value": str(found.value), "mine": texts[0], "theirs": texts[1]}))
        return 0
    print(f"Value for mine: {found.value} = {decimal(found.value, 12)}")
    print("(the chance to win finally under perfect play, a scratch counting one half)")
    for title, hand, mix in (
        ("Mine", found.mine, found.my_mix),
        ("Theirs", found.theirs, found.their_mix),
    ):
        print(f"\n{title}: choose")
        print("\n".join(_strategy(hand, mix)))
    return 0


def _strategy(hand: Hand, mix: Mixed) -> list[str]:
    shares = by_die(hand, mix)
    wide = max(len(str(share)) for share in shares.values())
    return [
        f"  {die}  with chance {share!s:>{wide}} = {decimal(share, 12)}"
        if share
        else f"  {die}  never"
        for die, share in shares.items()
    ]


def _all(options: argparse.Namespace) -> int:
    from fairground.games.fatestones.solver.deals import solve_all

    dice = dice_file(options.dice)
    out: Path | None = None if options.no_out else options.out or OUT
    if out is None:
        with progress_bar("deals") as advance:
            summary = solve_all(dice, progress=advance)
    else:
        with writing(out), progress_bar("deals") as advance:
            summary = solve_all(dice, out, progress=advance)
    if options.json:
        print(json.dumps(as_json(summary, out)))
    else:
        print("\n".join(_lines(summary)))
        if out is not None:
            print(f"\nThe values are in {out} ({out.stat().st_size:,} bytes).")
    return 0


def _sample(options: argparse.Namespace) -> int:
    from fairground.games.fatestones.solver.deals import solve_sample

    dice = dice_file(options.dice)
    with progress_bar("deals") as advance:
        summary = solve_sample(dice, options.sample, progress=advance)
    if options.json:
        record = summary._asdict()
        record["best"] = [list(hand) for hand in summary.best]
        for name in ("spread", "pure"):
            record[name] = record[name]._asdict()
        print(json.dumps(record))
    else:
        print("\n".join(_sample_lines(summary)))
    return 0


def _sample_lines(summary: SampleSummary) -> list[str]:
    best, other = (",".join(hand) for hand in summary.best)
    share, margin = (100 * figure for figure in summary.pure)
    return [
        f"{summary.solved:,} deals, drawn from the {summary.deals:,} of {summary.dice} dice",
        f"best of them: {best} against {other}: {summary.highest:.12f}",
        f"typical edge: {summary.spread.mean:.5f} +- {summary.spread.margin:.5f}"
        " (root mean square distance from one half; 95%)",
        f"pure:         {share:.2f}% +- {margin:.2f}% of all deals: each side has one",
        "              right die, so that it need not be hidden (95%)",
        f"exactness:    bounds enclose every value to within {summary.proven:.1e};",
        f"              {summary.checked} of them differ from exact fractions by at most"
        f" {summary.error:.1e}",
        "",
        "How many deals of the sample have which value, in whole percents:",
        *histogram(summary.histogram, shutil.get_terminal_size().columns),
    ]


def as_json(summary: Summary, out: Path | None) -> dict[str, Any]:
    """The summary as ``--all --json`` prints it."""
    record = summary._asdict()
    record["best"] = [list(hand) for hand in summary.best]
    return {**record, "file": None if out is None else str(out)}


def _lines(summary: Summary) -> list[str]:
    best, other = (",".join(hand) for hand in summary.best)
    pure = 100 * summary.saddles / summary.deals
    return [
        f"{summary.deals:,} deals of {len(summary.dice)} dice",
        f"best deal:    {best} against {other}: {summary.highest:.12f}",
        f"typical edge: {summary.spread:.12f} (root mean square distance from one half)",
        f"pure:         {summary.saddles:,} deals ({pure:.1f}%) in which each side has one right "
        "die,",
        "              so that it need not be hidden",
        f"exactness:    bounds enclose every value to within {summary.proven:.1e}, the rounding of",
        f"              sums aside; a random sample of {summary.checked} differs",
        f"              from exact fractions by at most {summary.error:.1e}",
        "",
        "How many deals have which value, in whole percents:",
        *histogram(summary.histogram, shutil.get_terminal_size().columns),
    ]


def histogram(counts: Sequence[int], columns: int) -> list[str]:
    """One line for each percent that occurs or lies between two that do."""
    there = [percent for percent, count in enumerate(counts) if count]
    most = max(counts)
    digits = len(f"{most:,}")
    room = max(1, min(BAR, columns - digits - 8))
    lines = []
    for percent in range(min(there), max(there) + 1):
        bar = "#" * (room * counts[percent] // most)
        lines.append(f"{percent:>3}%  {counts[percent]:>{digits},}  {bar}".rstrip())
    return lines
