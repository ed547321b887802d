"""``fairground solve poker``: what each hold of a hand is worth."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Final

from fairground.games.poker.holds import Hold, holds, perfect_return
from fairground.games.poker.rules import LEVELS, Card, card_text, hand_text, parse_hand, rank
from fairground.terminal.console import Arguments, decimal
from fairground.terminal.croupier.hand import CardArt
from fairground.terminal.options import add_ascii

EXAMPLE: Final = 'fairground solve poker "5d 7d 9c Tc 7h" --level 5'
NOTHING_KEPT: Final = "(nothing)"


def _arguments() -> Arguments:
    parser = Arguments(
        "solve poker",
        "Video poker, 9/6 Jacks or Better: the exact value of all 32 holds of a hand, as the\n"
        "expected prize for each unit staked; or the return of perfect play over all deals.",
        f"Examples:\n  {EXAMPLE}\n"
        "  fairground solve poker 5♢ 7♢ 9♧ 10♧ 7♡ --json\n"
        "  fairground solve poker --all --level 5",
    )
    parser.add_argument("cards", nargs="*", metavar="CARD", help="five cards: 5♢ 10♧, or 5d Tc")
    parser.add_argument("--all", action="store_true", help="perfect play over all deals")
    parser.add_argument(
        "--level",
        type=int,
        default=LEVELS[-1],
        choices=LEVELS,
        help="the level played, 1 to 5, default %(default)s: on 5 a royal flush pays 800 stakes, "
        "below it 250",
    )
    add_ascii(parser, "suits as letters", "as signs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground solve poker``"""
    parser = _arguments()
    options = parser.parse_intermixed_args(arguments)
    if options.all:
        if options.cards:
            parser.error("--all is about every deal, so it takes no cards")
        _show_return(options.level, options.json)
        return 0
    if not options.cards:
        parser.error("five cards are needed, or --all")
    hand = parse_hand(" ".join(options.cards))
    found = holds(hand, options.level)
    if options.json:
        print(json.dumps(as_json(hand, options.level, found)))
    else:
        _show_holds(hand, options.level, found, CardArt.of_terminal(options.ascii))
    return 0


def as_json(hand: Sequence[Card], level: int, found: Sequence[Hold]) -> dict[str, Any]:
    """Return the holds as ``--json`` prints them, the best first."""
    rows = [
        {
            "hold": hand_text(hold.kept(hand)),
            "replace": list(hold.order),
            "value": str(hold.value),
            "decimal": decimal(hold.value, 12),
        }
        for hold in found
    ]
    cards = [card_text(card) for card in hand]
    return {"hand": cards, "level": level, "holds": rows, "best": rows[0]}


def _show_return(level: int, as_object: bool) -> None:
    value = perfect_return(level)
    if as_object:
        print(json.dumps({"level": level, "return": str(value)}))
        return
    edge = decimal(100 * (1 - value), 6)
    print(f"Perfect play on level {level} returns {value} of what is staked:")
    print(f"{decimal(value, 12)}. The house keeps {edge} %.")


def _show_holds(hand: Sequence[Card], level: int, found: Sequence[Hold], art: CardArt) -> None:
    from rich import box
    from rich.console import Console as RichConsole
    from rich.table import Table as RichTable

    print(f"{art.cards(hand)}: {rank(hand).words}. Level {level}.")
    print("The value is the expected prize for each unit staked; * marks the best hold.\n")
    table = RichTable(box=box.ASCII2, header_style="bold cyan")
    table.add_column("", no_wrap=True)
    for title in ("keep", "replace"):
        table.add_column(title, no_wrap=True)
    for title in ("value", "exactly"):
        table.add_column(title, no_wrap=True, justify="right")
    for hold in found:
        table.add_row(
            "*" if hold.value == found[0].value else "",
            art.cards(hold.kept(hand)) or NOTHING_KEPT,
            ",".join(map(str, hold.order)),
            decimal(hold.value, 6),
            str(hold.value),
            style="bold" if hold.value == found[0].value else None,
        )
    RichConsole(highlight=False, width=None if sys.stdout.isatty() else 10**6).print(
        table, crop=False, no_wrap=True
    )
