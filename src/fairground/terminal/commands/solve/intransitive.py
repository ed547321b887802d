"""``fairground solve dice``: exact odds of a set of dice."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from typing import Final

from fairground.solve.intransitive import WinOdds, ratio
from fairground.terminal.console import Arguments, Console
from fairground.terminal.ink import Ink
from fairground.terminal.intransitive.arguments import (
    EXAMPLE,
    DiceParser,
    guard_negative_dice,
    unguard,
)
from fairground.words.intransitive import label

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
    from fairground.terminal.intransitive.odds import HelpTable

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
