"""``fairground episode``: dice of both sides in; both choices, both rolls and the row out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from fairground.lab.fatestones.episode import Episode, episode
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.input import HANDS, add_hands, hands, two_players


def _arguments() -> Arguments:
    parser = Arguments(
        "episode",
        "One round of FateStones: given the dice of both sides, each player chooses one, both are\n"
        "rolled, and the round is printed as the ten columns of the data sets: three dice of\n"
        "player 1, three of player 2 (those that are gone are empty), both choices (0 to 2), both\n"
        "results. The same seed gives the same episode; without one, a new one is made up.",
        "Examples:\n"
        f"  fairground episode {HANDS}\n"
        f"  fairground episode {HANDS} --players optimal,mcts:200 --seed 7",
    )
    add_hands(parser, required=True)
    parser.add_argument(
        "--players",
        metavar="P,Q",
        default="optimal,optimal",
        help="who chooses: optimal, mcts:200, greedy, random (default: %(default)s)",
    )
    parser.add_argument("--seed", metavar="S", help="any text")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground episode``"""
    options = _arguments().parse_args(arguments)
    mine, theirs = hands(options)
    players = two_players(options.players)
    found = episode(mine, theirs, players, options.seed)
    if options.json:
        print(json.dumps(as_json(found, players)))
        return 0
    dice, rolls = found.played.dice, found.played.rolls
    for number, (who, die, roll) in enumerate(zip(players, dice, rolls, strict=True), start=1):
        print(f"Player {number} ({who}) chooses {die} and rolls {roll}")
    print(found.row)
    if options.seed is None:
        given = f"--mine {options.mine} --theirs {options.theirs} --players {options.players}"
        print(f"Again: fairground episode {given} --seed {shlex.quote(found.seed)}")
    return 0


def as_json(found: Episode, players: Sequence[str]) -> dict[str, Any]:
    """The episode as ``--json`` prints it."""
    played = found.played
    return {
        "mine": list(played.hands[0]),
        "theirs": list(played.hands[1]),
        "players": list(players),
        "seed": found.seed,
        "choices": list(played.picks),
        "dice": list(played.dice),
        "results": list(played.rolls),
        "row": found.row,
    }
