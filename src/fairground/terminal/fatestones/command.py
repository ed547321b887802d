"""``fairground fatestones``: three odd dice each, a sealed choice, one provable roll."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Final

from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.fatestones import FateStones
from fairground.players import Player, make_player
from fairground.table import Table, new_name
from fairground.terminal.console import Arguments, Console
from fairground.terminal.fatestones.input import add_dice, dice_file
from fairground.terminal.fatestones.look import DiceArt
from fairground.terminal.fatestones.screen import MACHINE, FateStonesScreen
from fairground.terminal.options import add_ascii, add_stir, players_in_words
from fairground.terminal.proof import say_what_is_proven
from fairground.terminal.saving import Saved, add_saving

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
        help=f"who plays against you: {players_in_words(FateStones(), MACHINE, OPPONENT)}",
    )
    against.add_argument(
        "--hot-seat", action="store_true", help="two people at one keyboard; choices are not shown"
    )
    add_dice(parser)
    add_stir(parser, "before each deal and roll")
    add_ascii(parser, "draw dice with plain characters", "with boxes")
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
    console, art = Console(), DiceArt.of_terminal(options.ascii)
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
            holds = say_what_is_proven(console, art, table, saved, partial(_missing, table))
    return 0 if holds else 1


def _missing(table: Table, proven: set[str]) -> str | None:
    """What a player might think was proven, and was not."""
    if not any(run.line for run in table.runs):
        return None
    if "UNIFORM" not in proven:
        return "No words of yours are in every roll: nothing proves that the house did not choose."
    if "UNFORESEEN" not in proven and table.setting.chairs[MACHINE].by == "house":
        return (
            "Not proven: that this program, which also plays the machine, did not know the rolls "
            "when it chose. --stir each proves that."
        )
    return None
