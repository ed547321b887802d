"""``fairground solve zombie``: when to roll and when to hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairground.games.zombie.rules import COLOURS
from fairground.games.zombie.screen.look import how_it_ends
from fairground.games.zombie.screen.setup import LEAST_PLAYERS, read_config
from fairground.registry import needs
from fairground.terminal.console import Arguments, Ink
from fairground.terminal.waiting import once

WORDS: Final = {3: "three", 4: "four"}


def _arguments() -> Arguments:
    parser = Arguments(
        "solve zombie",
        "Exact figures for the configuration given: expected brains and bust chance of a turn\n"
        "for each strategy, the winning chance of the first of two perfect players, and the\n"
        "decision tables: roll or hold, by the dice on the table.",
        "Examples:\n  fairground solve zombie\n  fairground solve zombie zdice.ini --json",
    )
    parser.add_argument("ini", nargs="?", metavar="zdice.ini", help="the configuration file")
    parser.add_argument(
        "--players",
        type=int,
        choices=(2, *WORDS),
        default=2,
        help="how many perfect players: 2; or 3 or 4 (half a minute, or some minutes, where it is "
        "not stored)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground solve zombie``"""
    options = _arguments().parse_args(arguments)
    config = read_config(options.ini)
    for warning in config.warnings:
        print(f"fairground: {warning}", file=sys.stderr)
    with needs("solve", "fairground solve zombie"):
        from fairground.games.zombie.solver import duel, several
    game = config.game(LEAST_PLAYERS)
    with once("Perfect play") as progress:
        report = duel.report(game, progress)
    if word := WORDS.get(options.players):
        with once(f"Perfect play of {word}") as progress:
            known = several.load_or_compute(game, options.players, progress)
        report[f"{word}_players_win"] = [f"{chance:.12f}" for chance in several.all_win(known)]
    if options.json:
        print(json.dumps(report))
        return 0
    art = Ink.of_terminal()
    print(f"{art.fold(how_it_ends(game))}\nRules: {config.source}.\n")
    print("\n".join(_lines(report, art)))
    return 0


def _lines(report: Mapping[str, Any], art: Ink) -> list[str]:
    first = report["first_roll"]
    lines = [
        f"First roll: {first['brains']} brains expected, bust {first['bust']}",
        "",
        "A turn          expected brains            bust chance",
    ]
    for name, turn in report["strategies"].items():
        lines.append(f"  {name:<12}{turn['brains']:>17}      {turn['bust']:>17}")
    lines += [
        "",
        f"Two perfect players: the first to move wins with {report['first_player_wins']}",
    ]
    for word in WORDS.values():
        if chances := report.get(f"{word}_players_win"):
            order = "perfect players, in the order of their turns"
            lines.append(f"{word.capitalize()} {order}: {', '.join(chances)}")
    lines += [
        "",
        art.fold(
            "With more players than are solved here, optimal plays the exact duel against its "
            "strongest rival, and forgets the others: docs/games/zombie.md says what that costs."
        ),
    ]
    return [*lines, "", *_decisions(report, art)]


def _decisions(report: Mapping[str, Any], art: Ink) -> list[str]:
    """One line for each pile of shotguns and footprints, one column for each strategy."""
    columns = (report["decisions"], report["optimal"]["first"], report["optimal"]["second"])
    lines = [
        art.fold(
            "When to stop. The dice of the shotguns and footprints on the table are G green, Y "
            "yellow, R red. 5: roll with fewer than 5 brains, hold with 5 or more. 3..7: roll "
            "below 3, hold from 7; between it depends on the colours of the brains' dice, which "
            "--json lists. optimal is shown for a turn in which nobody has a brain yet, as first "
            "and as second."
        ),
        "",
        "  shotguns  footprints    greedy   first  second",
    ]
    for row in zip(*columns, strict=True):
        shot, steps = _pile(row[0]["shotguns"]) or "-", _pile(row[0]["footprints"]) or "-"
        cells = "".join(f"{_limit(cell):>8}" for cell in row)
        lines.append(f"  {shot:<8}  {steps:<10}{cells}")
    return lines


def _limit(row: Mapping[str, Any]) -> str:
    below, hold = row["roll_below"], row["hold_from"]
    return str(hold) if below >= hold else f"{below}..{hold}"


def _pile(pile: Mapping[str, int]) -> str:
    return "".join(colour[0].upper() * pile.get(colour, 0) for colour in COLOURS)
