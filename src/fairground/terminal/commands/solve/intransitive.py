"""``fairground solve dice``: exact odds of a set of dice."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fairground.solve.intransitive import WinOdds
from fairground.terminal.console import Arguments, Console
from fairground.terminal.intransitive.arguments import (
    EXAMPLE,
    DiceParser,
    guard_negative_dice,
    unguard,
)
from fairground.words.intransitive import label


def _arguments() -> Arguments:
    parser = Arguments(
        "solve dice",
        "Exact odds: how often each die rolls higher than each other one, which die beats\n"
        "which, every circle of three, and the best reply to each die.",
        f"Example:\n  {EXAMPLE.replace('dice', 'solve dice')}",
    )
    parser.add_argument("dice", nargs="*", metavar="DIE", help="faces, such as 2,2,4,4,9,9")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground solve dice``"""
    options = _arguments().parse_intermixed_args(guard_negative_dice(arguments))
    example = EXAMPLE.replace("dice", "solve dice")
    dice = DiceParser(example).parse([unguard(word) for word in options.dice])
    odds = WinOdds(dice)
    if options.json:
        print(json.dumps(odds.as_json()))
        return 0
    from fairground.terminal.intransitive.odds import HelpTable

    names = [f"{number}: {label(die)}" for number, die in enumerate(dice)]
    print("\n".join(names) + "\n")
    HelpTable(dice).show(Console())
    print("\nWho beats whom (more often higher than lower):")
    for i in range(len(dice)):
        for j in odds.prey(i):
            print(f"  {i} beats {j}: {odds.win(i, j)} to {odds.win(j, i)}, ties {odds.tie(i, j)}")
    cycles = odds.cycles_of_three()
    print(f"\nIntransitive circles of three: {len(cycles) or 'none'}")
    for i, j, k in cycles:
        print(f"  {i} beats {j} beats {k} beats {i}")
    print("\nBest reply:")
    for number in range(len(dice)):
        reply = odds.best_reply(number)
        print(f"  to {number}: take {reply}, which wins {odds.win(reply, number)}")
    print(f"\nBest first choice: {odds.best_guaranteed()}")
    return 0
