"""``fairground fatestones``: three odd dice each, a sealed choice, one provable roll."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.fatestones import FateStones
from fairground.players import Player, make_player
from fairground.table import Table, new_name
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.art import DiceArt
from fairground.terminal.fatestones.input import add_dice, dice_file
from fairground.terminal.fatestones.screen import MACHINE, FateStonesScreen, HiddenConsole
from fairground.terminal.saving import Saved, add_saving
from fairground.verify import verify

OPPONENT: Final = "optimal"


def _arguments() -> Arguments:
    parser = Arguments(
        "fatestones",
        "Play FateStones: three odd dice each, all on show. Choose one in secret; the higher roll\n"
        "wins; a tie uses up both dice. The choices are sealed, so that neither side can peek,\n"
        "and every roll is dealt by hash-chains/1, into which you stir words of your own.",
        "Examples:\n"
        "  fairground fatestones\n"
        "  fairground fatestones --opponent mcts:500 --stir each --save game.jsonl\n"
        "  fairground fatestones --hot-seat\n\n"
        "At every prompt: ? helps, X exits. Where a die is asked for, hint tells what perfect\n"
        "play would do (and the record says that you asked).",
    )
    against = parser.add_mutually_exclusive_group()
    against.add_argument(
        "--opponent",
        metavar="PLAYER",
        default=OPPONENT,
        help="optimal (perfect play, the default), mcts (a search; mcts:200 thinks for 200 "
        "iterations, mcts:50ms for a time), greedy or random",
    )
    against.add_argument(
        "--hot-seat", action="store_true", help="two people at one keyboard; choices are not shown"
    )
    add_dice(parser)
    parser.add_argument(
        "--stir",
        choices=("once", "each"),
        default="once",
        help="when you are asked for words of your own: once, or before each deal and roll, which "
        "proves that no machine could know its roll when it chose",
    )
    parser.add_argument(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="draw dice with plain characters, or with boxes (default: what the terminal can show)",
    )
    add_saving(parser)
    return parser


def _chairs(options: argparse.Namespace) -> list[Chair]:
    """Persons stir; a machine is ours, and lends nothing."""
    if options.hot_seat:
        return [Chair(f"Player {seat}", by="self", lends="stir") for seat in (1, 2)]
    return [
        Chair("Player", by="self", lends="stir"),
        Chair(f"Machine ({options.opponent})", by="house"),
    ]


def run(arguments: Sequence[str]) -> int:
    """``fairground fatestones``"""
    options = _arguments().parse_args(arguments)
    game = FateStones(dice_file(options.dice))
    players: dict[int, Player] = {}
    if not options.hot_seat:
        players[MACHINE] = make_player(options.opponent, game, SystemStream(), MACHINE)
    console, art = HiddenConsole(), DiceArt.of_terminal(options.ascii)
    with Saved(options, "fatestones", name := new_name()) as saved:
        table = Table.open(
            game,
            HashChainsDealer(name, MemoryVault(), stir=options.stir),
            _chairs(options),
            transcript=saved.transcript,
        )
        against = "for two people" if options.hot_seat else f"against {options.opponent}"
        console.say(art.ink(art.fold(f"FateStones {against}"), "bold"))
        console.say(
            art.fold(
                f"A bag of {len(game.bag)} dice, three for each of you. Choose one in secret: "
                "the higher roll wins. ? helps, X leaves."
            )
        )
        screen = FateStonesScreen(console, art, table, players)
        holds = False
        try:
            screen.play()
        finally:
            holds = _say_what_is_proven(console, art, table, saved)
    return 0 if holds else 1


def _say_what_is_proven(console: HiddenConsole, art: DiceArt, table: Table, saved: Saved) -> bool:
    """Verify the record at once, and say what it proves and where it is."""
    verdict = verify(bytes(table.transcript))
    console.say()
    if not verdict.ok:
        assert verdict.fault is not None
        console.say(art.fold(f"The record of this game DOES NOT HOLD: {verdict.fault.reason}"))
    else:
        console.say(art.fold(f"Checked: the record of {verdict.events} events holds. It proves:"))
        for claim in verdict.claims:
            console.say(art.fold(f"* {claim}: {claim.condition}", "  "))
        if not verdict.claims:
            console.say("* nothing beyond that it replays")
        _say_what_is_missing(console, art, {claim.name for claim in verdict.claims}, table)
    if saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path}")
    else:
        console.say("No transcript was kept.")
    return verdict.ok


def _say_what_is_missing(
    console: HiddenConsole, art: DiceArt, proven: set[str], table: Table
) -> None:
    """What a player might think was proven, and was not."""
    if not any(run.line for run in table.runs):
        return
    if "UNIFORM" not in proven:
        text = "No words of yours are in every roll: nothing proves that the house did not choose."
    elif "UNFORESEEN" not in proven and table.setting.chairs[MACHINE].by == "house":
        text = (
            "Not proven: that this program, which also plays the machine, did not know the rolls "
            "when it chose. --stir each proves that."
        )
    else:
        return
    console.say(art.fold(text))
