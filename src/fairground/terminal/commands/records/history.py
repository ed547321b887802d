"""``fairground history``: your games, how they ended, and how often you won."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.ink import Ink
from fairground.terminal.shelf import Kept, kept_games
from fairground.words.plain import count

USUAL: Final = 20
MOST: Final = 100_000
NORMAL: Final = 1.959964
"""For an interval of 95 %."""


def _arguments() -> Arguments:
    parser = Arguments(
        "history",
        "Your games, the newest first: when, what, with whom, and how each ended. Below them, how\n"
        "often you won against each opponent, with an interval of 95 %.",
        "Examples:\n  fairground history\n  fairground history --last 100 --json",
    )
    parser.add_argument("--last", type=int, default=USUAL, metavar="N", help="so many games (20)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground history``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if not 1 <= options.last <= MOST:
        parser.error(f"--last must be in 1..{MOST}, not {options.last}")
    games = kept_games(options.last)
    if options.json:
        print(json.dumps({"games": [_as_json(game) for game in games]}))
        return 0
    if not games:
        print("No game has been saved yet. Play one: fairground")
        return 0
    art = Ink.of_terminal()
    for game in games:
        when = game.when.astimezone().strftime("%Y-%m-%d %H:%M")
        opponents = f" with {shown(game.record.others)}" if game.record.others else ""
        print(art.ink(f"{when}  {game.record.title}{opponents}", "bold"))
        print(art.fold(shown(game.ending), "  "))
        print(f"  {shown(game.record.path)}")
    print()
    for line in statistics(games):
        print(art.fold(line, "", "  "))
    return 0


def _as_json(game: Kept) -> dict[str, Any]:
    record, payoff = game.record, game.record.payoff
    return {
        "file": str(record.path),
        "when": game.when.isoformat(timespec="seconds"),
        "game": record.events[0]["game"],
        "seats": record.names,
        "payoff": None if payoff is None else list(payoff),
        "ending": game.ending,
    }


def statistics(games: Sequence[Kept]) -> list[str]:
    """For each game and opponent: games, wins, and the share of wins with its interval."""
    played: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    for game in games:
        if game.record.payoff is not None and game.record.reader is not None:
            key = game.record.title, shown(game.record.others)
            played[key] += 1
            won[key] += game.won is True
    lines = []
    for (title, others), many in sorted(played.items()):
        low, high = interval(won[title, others], many)
        lines.append(
            f"{title} with {others}: {count(many, 'game')}, {won[title, others]} won "
            f"({low:.0%} to {high:.0%})"
        )
    return lines


def interval(won: int, played: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, weight = won / played, NORMAL**2 / played
    middle = (share + weight / 2) / (1 + weight)
    half = NORMAL * sqrt(share * (1 - share) / played + weight / (4 * played)) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)
