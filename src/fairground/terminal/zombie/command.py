"""``fairground zombie``: an evening of Zombie Dice, against people, machines and own bots."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from fairground.core import InputError, Unreadable
from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.zombie import Zombie
from fairground.players import Player, make_player
from fairground.players.bot.host import BotFailure, BotLimits, BotPlayer
from fairground.table import Table, new_name
from fairground.terminal.console import Arguments, Console
from fairground.terminal.saving import Saved, add_saving
from fairground.terminal.zombie.ini import FIELDS, Config, defaults, read_config
from fairground.terminal.zombie.look import Paper
from fairground.terminal.zombie.loop import GameController
from fairground.terminal.zombie.scenes import Evening, Pace, Setup
from fairground.terminal.zombie.setup import BOT_ENDING, Company, Guest, company
from fairground.terminal.zombie.tables import prepare_tables
from fairground.verify import verify

EXAMPLE: Final = 'fairground zombie zdice.ini --players "Ann, Hal=optimal"'

COMMANDS: Final = """\
While playing:
  <enter>  roll (a turn begins with a roll)
  h        hold: keep the brains of this turn
  q        quit, after a question

Machines: a name written Hal=optimal is played by a program: cautious (holds at two
shotguns), greedy (most expected brains in the turn), optimal (plays to win the game) or
random. A name written Bob=mybot.py is played by your own bot: a file with a function
choose(game, view, seat) that returns "roll" or "hold"; see examples/zombie_bot.py.
"""


def ini_help() -> str:
    """The fields of the configuration file with their meaning and defaults."""
    usual = defaults()
    lines = ["The configuration file; every field may be left out:"]
    for section, fields in FIELDS.items():
        lines.append(f"  [{section}]")
        for name, meaning in fields.items():
            lines.append(f"  {f'{name} = {usual[name]}':<29}; {meaning}")
    return "\n".join(lines)


def _arguments() -> Arguments:
    parser = Arguments(
        "zombie",
        "Play Zombie Dice: eat brains, and stop before the third shotgun. Every roll is dealt\n"
        "by hash-chains/1, into which you may stir words of your own, and can be verified.",
        f"{COMMANDS}\n{ini_help()}\n\nExamples:\n  fairground zombie\n  {EXAMPLE}\n"
        '  fairground zombie --players "Tic=greedy, Tac=cautious" --fast\n'
        "  fairground zombie --bot mybot.py --players Ann --stir each",
    )
    parser.add_argument("ini", nargs="?", metavar="zdice.ini", help="the configuration file")
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
    parser.add_argument(
        "--bot-seconds",
        type=_seconds,
        default=BotLimits().seconds,
        metavar="S",
        help="the time that a bot has for each decision (default: %(default)s)",
    )
    parser.add_argument(
        "--stir",
        choices=("once", "each"),
        default="once",
        help="when you are asked for a word of your own: once, or at each roll, which proves "
        "that no machine could know its roll when it decided",
    )
    parser.add_argument(
        "--fast", action="store_true", help="no pauses; a line for each turn if only machines play"
    )
    parser.add_argument(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="draw with plain letters, or with emoji (default: what the terminal can show)",
    )
    add_saving(parser)
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time from 0.01 to 3600 seconds")
    return seconds


def run(arguments: Sequence[str]) -> int:
    """``fairground zombie``"""
    options = _arguments().parse_args(arguments)
    config = read_config(options.ini)
    for warning in config.warnings:
        print(f"fairground: {warning}", file=sys.stderr)
    _must_be_playable(options, config)
    console = Console()
    paper = Paper.of_terminal(options.ascii)
    with ExitStack() as stack:
        host = Host(options, stack)

        def seat(everyone: Company) -> Evening:
            return host.seat(config.game(len(everyone.guests)), everyone.guests)

        given = Setup(config, seat, options.players, tuple(options.bot))
        pace = Pace(sys.stdout.isatty() and not options.fast)
        controller = GameController(given, console, paper, pace)
        try:
            controller.run()
        finally:
            if controller.party is not None:
                _say_what_is_proven(console, paper, controller.party, host.saved)
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
        if guest.strategy == "optimal":
            prepare_tables(game)
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


def _say_what_is_proven(
    console: Console, paper: Paper, evening: Evening, saved: Saved | None
) -> None:
    """Verify the record at once, and say what it proves and where it is."""
    verdict = verify(bytes(evening.table.transcript))
    guests = evening.guests
    if not verdict.ok:
        assert verdict.fault is not None
        console.say(f"The record of this game DOES NOT HOLD: {verdict.fault.reason}")
        return
    lines = [f"Checked: the record of {verdict.events} events holds. It proves:"]
    for claim in verdict.claims:
        whom = "" if claim.seat is None else f" for {guests[claim.seat].name}"
        lines.append(f"* {claim.name}{whom}: {claim.condition}")
    if not verdict.claims:
        lines.append("* nothing beyond that it replays")
    proven = {claim.name for claim in verdict.claims}
    if "UNIFORM" not in proven:
        lines.append(
            "Nobody's own words are in every roll, so nothing proves that the house did not "
            "choose them."
        )
    elif "UNFORESEEN" not in proven and not all(guest.person for guest in guests):
        lines.append(
            "Not proven: that no machine knew its roll when it decided. --stir each proves that."
        )
    console.say()
    for line in lines:
        for number, part in enumerate(paper.wrapped(line, paper.width - 2)):
            console.say(part if number == 0 or line[0] != "*" else f"  {part}")
    if saved is not None and saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path}")
    else:
        console.say("No transcript was kept.")
