"""``fairground zombie``: an evening of Zombie Dice, against people, machines and own bots."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from fairground.core import InputError, Unreadable
from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.zombie import Zombie, ZombieTwo
from fairground.players import Player, make_player, offered, prepare
from fairground.players.bot.host import BotFailure, BotLimits, BotPlayer
from fairground.table import Table, new_name
from fairground.terminal.console import Arguments, Console
from fairground.terminal.options import add_ascii, add_bot_seconds, add_stir
from fairground.terminal.proof import say_what_is_proven
from fairground.terminal.saving import Saved, add_saving
from fairground.terminal.waiting import once
from fairground.terminal.zombie.ini import Config, read_config, usual_file, write_config
from fairground.terminal.zombie.look import ZombieArt
from fairground.terminal.zombie.loop import GameController
from fairground.terminal.zombie.scenes import Evening, Pauses, Wanted
from fairground.terminal.zombie.setup import BOT_ENDING, Company, Guest, company

EXAMPLE: Final = 'fairground zombie zdice.ini --players "Ann, Hal=optimal"'

COMMANDS: Final = """\
While playing:
  <enter>  roll (a turn begins with a roll)
  h        hold: keep the brains of this turn
  ?        the rules
  hint     what a careful player would do (and the record says that you asked)
  q        quit, after a question; the others play on

A name written Bob=mybot.py is played by your own bot: a file with a function
choose(game, view, seat) that returns "roll" or "hold"; see examples/zombie_bot.py.
"""


def machines_help() -> str:
    """The programs that may take a seat."""
    lines = ["A name written Hal=optimal is played by a program:"]
    for name, listing in sorted(offered(ZombieTwo.from_params({}), 0).items()):
        lines.append(f"  {name:<9}{listing.summary}")
    return "\n".join(lines) + "\n"


def ini_help() -> str:
    """The fields of the configuration file with their meaning and defaults."""
    lines = [f"  {line}" for line in usual_file().splitlines()[1:] if line]
    return "\n".join(["The configuration file; every field may be left out:", *lines])


def _arguments() -> Arguments:
    parser = Arguments(
        "zombie",
        "Play Zombie Dice: eat brains, and stop before the third shotgun. Every roll is dealt\n"
        "by hash-chains/1, into which you may stir words of your own, and can be verified.",
        f"{COMMANDS}\n{machines_help()}\n{ini_help()}\n\n"
        f"Examples:\n  fairground zombie\n  {EXAMPLE}\n"
        '  fairground zombie --players "Tic=greedy, Tac=cautious" --fast\n'
        "  fairground zombie --bot mybot.py --players Ann --stir each",
    )
    parser.add_argument("ini", nargs="?", metavar="zdice.ini", help="the configuration file")
    parser.add_argument(
        "--write-config",
        action="store_true",
        help="write a zdice.ini with all defaults (or the file that is named), and end",
    )
    parser.add_argument(
        "--players", metavar="NAMES", help="the names, with commas between; else they are asked for"
    )
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="seat a bot of your own, under its file's name or another; may be repeated",
    )
    add_bot_seconds(parser)
    add_stir(parser, "at each roll")
    parser.add_argument(
        "--fast", action="store_true", help="no pauses; a line for each turn if only machines play"
    )
    add_ascii(parser, "draw with plain letters", "with emoji")
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground zombie``"""
    options = _arguments().parse_args(arguments)
    if options.write_config:
        path = Path(options.ini or "zdice.ini")
        write_config(path)
        print(f"The configuration is in {path}. Change it, and play: fairground zombie {path}")
        return 0
    config = read_config(options.ini)
    for warning in config.warnings:
        print(f"fairground: {warning}", file=sys.stderr)
    _must_be_playable(options, config)
    console = Console()
    art = ZombieArt.of_terminal(options.ascii)
    with ExitStack() as stack:
        host = Host(options, stack)

        def seat(everyone: Company) -> Evening:
            return host.seat(config.game(len(everyone.guests)), everyone.guests)

        given = Wanted(config, seat, options.players, tuple(options.bot))
        pace = Pauses(sys.stdout.isatty() and not options.fast)
        controller = GameController(given, console, art, pace)
        try:
            controller.run()
        finally:
            if controller.party is not None:
                party = controller.party
                missing = partial(_missing, party.guests)
                say_what_is_proven(console, art, party.table, host.saved, missing)
    return 0


def _must_be_playable(options: argparse.Namespace, config: Config) -> None:
    """Refuse what the options alone show to be wrong, before anything is printed."""
    for entry in options.bot:
        path = Path(entry.rpartition("=")[2].strip())
        if path.suffix != BOT_ENDING or not path.is_file():
            raise Unreadable(
                f"--bot {entry!r} names no Python file that is there. For example: --bot mybot.py, "
                "or --bot Bob=mybot.py"
            )
    if options.players is not None:
        company(options.players, options.bot, config)


class Host:
    """Opens the table: players first (they may take long, or be missing), then the record."""

    def __init__(self, options: argparse.Namespace, stack: ExitStack) -> None:
        self._options = options
        self._stack = stack
        self.saved: Saved | None = None

    def seat(self, game: Zombie, guests: tuple[Guest, ...]) -> Evening:
        """Make the players, and open the table."""
        players = {
            seat: self._player(guest, game) for seat, guest in enumerate(guests) if not guest.person
        }
        name = new_name()
        self.saved = self._stack.enter_context(Saved(self._options, "zombie", name))
        table = Table.open(
            game,
            HashChainsDealer(name, MemoryVault(), stir=self._options.stir),
            [self._chair(guest) for guest in guests],
            transcript=self.saved.transcript,
        )
        return Evening(table, guests, players)

    def _player(self, guest: Guest, game: Zombie) -> Player:
        if guest.bot is not None:
            return self._bot(guest.bot, game)
        assert guest.strategy is not None
        with once("Perfect play") as progress:
            prepare(guest.strategy, game, progress)
        return make_player(guest.strategy, game, SystemStream(), 0)

    def _bot(self, path: Path, game: Zombie) -> Player:
        limits = BotLimits(seconds=self._options.bot_seconds)
        try:
            bot = BotPlayer(path, game, limits)
        except BotFailure as failure:
            raise InputError(f"the bot {str(path)!r} cannot be loaded: {failure}") from None
        self._stack.callback(bot.close)
        return bot

    @staticmethod
    def _chair(guest: Guest) -> Chair:
        """Persons stir; a bot of theirs is theirs, and lends nothing; the rest is ours."""
        if guest.person:
            return Chair(guest.label, by="self", lends="stir")
        return Chair(guest.label, by="self" if guest.bot is not None else "house")


def _missing(guests: Sequence[Guest], proven: set[str]) -> str | None:
    """What a player might think was proven, and was not."""
    if "UNIFORM" not in proven:
        return (
            "Nobody's own words are in every roll, so nothing proves that the house did not "
            "choose them."
        )
    if "UNFORESEEN" not in proven and not all(guest.person for guest in guests):
        return "Not proven: that no machine knew its roll when it decided. --stir each proves that."
    return None
