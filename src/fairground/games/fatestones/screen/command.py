"""``fairground fatestones``: three odd dice each, a sealed choice, one provable roll."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Final

from fairground.core import InputError, Seat
from fairground.fair.schemes import Chair
from fairground.games.fatestones.rules import FateStones
from fairground.games.fatestones.screen.screen import (
    MACHINE,
    PERSON,
    DiceArt,
    FateStonesScreen,
    add_dice,
    dice_file,
)
from fairground.players import Player
from fairground.players.runner import Runner
from fairground.table import Table
from fairground.terminal.console import Arguments
from fairground.terminal.evening import (
    HousePlayers,
    OpenTable,
    Parlour,
    SeatPlan,
    TablePlan,
    add_counting,
    add_difficulty,
    add_practice,
    add_seats,
    company,
    player_for,
)
from fairground.terminal.files import add_saving
from fairground.terminal.options import add_ascii, add_stir, players_in_words
from fairground.words.plain import listed

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
        "  fairground fatestones --hot-seat Ann,Bob --match 3\n\n"
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
        "--hot-seat",
        nargs="?",
        const="Player 1,Player 2",
        metavar="ANN,BOB",
        help="two people at one keyboard, under these names; choices are not shown",
    )
    add_seats(parser, "the same in one word for all games: Ann=me, Hal=optimal")
    add_difficulty(parser, FateStones(), MACHINE)
    add_dice(parser)
    add_stir(parser, "before each deal and roll")
    add_ascii(parser, "draw dice with plain characters", "with boxes")
    add_counting(parser)
    add_practice(parser)
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground fatestones``"""
    options = _arguments().parse_args(arguments)
    return FateStonesParlour(FateStones(dice_file(options.dice)), options, arguments).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game."""
    game = opened.table.game
    assert isinstance(game, FateStones)
    options = _arguments().parse_args(arguments)
    return FateStonesParlour(game, options, arguments).resume(opened, house)


def _company(options: argparse.Namespace, game: FateStones) -> SeatPlan:
    """Return the seat plan from ``--seat`` or from this game's own options."""
    if options.seat:
        return company(game, options.seat)
    if options.hot_seat is not None:
        names = [name.strip() for name in options.hot_seat.split(",")]
        if len(names) != 2 or not all(names):
            raise InputError(
                f"--hot-seat {options.hot_seat!r} is not understood: two names are needed, such "
                "as --hot-seat Ann,Bob"
            )
        return SeatPlan(dict(enumerate(names)), {})
    spec = player_for(game, MACHINE, options.difficulty or options.opponent)
    return SeatPlan({PERSON: "Player"}, {MACHINE: spec})


class FateStonesParlour(Parlour):
    """Games from one bag."""

    def __init__(
        self, game: FateStones, options: argparse.Namespace, arguments: Sequence[str]
    ) -> None:
        self._dice_art = DiceArt.of_terminal(options.ascii)
        super().__init__(options, arguments, self._dice_art, _company(options, game))
        self._game = game

    def wanted(self) -> TablePlan:
        who = self.who
        lends = "nothing" if self.options.seed is not None else "stir"
        chairs = [
            Chair(who.people[seat] or f"Player {seat + 1}", by="self", lends=lends)
            if seat in who.people
            else Chair(f"Machine ({who.players[seat]})", by="house")
            for seat in range(self._game.seats)
        ]
        stir = {"stir": self.options.stir}
        return TablePlan("fatestones", self.arguments, self._game, chairs, options=stir)

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> FateStonesScreen:
        console, art = self.console, self._dice_art
        names = [chair.name for chair in opened.table.setting.chairs]
        against = listed([f"against {name}" for name in self.who.players.values()])
        console.say(art.ink(art.fold(f"FateStones {against or 'for ' + listed(names)}"), "bold"))
        console.say(
            art.fold(
                f"A bag of {len(self._game.bag)} dice, three for each of you. Choose one in "
                "secret: the higher roll wins. ? helps, X leaves."
            )
        )
        return FateStonesScreen(console, art, Runner(opened.table, players, opened.vault))

    def missing(self, table: Table, proven: set[str]) -> str | None:
        if not any(run.line for run in table.runs):
            return None
        if "UNIFORM" not in proven:
            return (
                "No words of yours are in every roll: nothing proves that the house did not choose."
            )
        if "UNFORESEEN" not in proven and self.who.players:
            return (
                "Not proven: that this program, which also plays the machine, did not know the "
                "rolls when it chose. --stir each proves that."
            )
        return None
