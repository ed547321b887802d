"""``fairground zombie``: its options, and evenings with the same company."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from fairground.core import InputError, Seat, Unreadable
from fairground.fair.schemes import Chair
from fairground.games.zombie.look import ZombieArt, how_it_ends
from fairground.games.zombie.rules import COLOURS, Zombie
from fairground.games.zombie.screen import Evening, GameController, Pauses, Wanted
from fairground.games.zombie.setup import (
    BOT_ENDING,
    LEAST_PLAYERS,
    Company,
    Config,
    Guest,
    company,
    read_config,
    usual_file,
    write_config,
)
from fairground.players import Player, offered
from fairground.players.bot import BotFailure, BotLimits
from fairground.registry import needs
from fairground.terminal.console import Arguments, Ink
from fairground.terminal.evening import (
    ME,
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_playing,
)
from fairground.terminal.options import add_ascii, add_bot_seconds, add_stir
from fairground.terminal.waiting import once

EXAMPLE: Final = 'fairground zombie zdice.ini --players "Ann, Hal=optimal"'

KEYS_HELP: Final = """\
While playing:
  <enter>  roll (a turn begins with a roll)
  h        hold: keep the brains of this turn
  ?        the rules
  hint     what perfect play would do, and why (the record says that you asked)
  q        quit, after a question; the others play on

A name written Bob=mybot.py is played by your own bot: a file with a function
choose(game, view, seat) that returns "roll" or "hold"; see examples/zombie_bot.py.
"""


def machines_help() -> str:
    """Return the programs that may take a seat."""
    lines = ["A name written Hal=optimal is played by a program:"]
    for name, listing in sorted(offered(Zombie.from_params({}), 0).items()):
        lines.append(f"  {name:<9}{listing.summary}")
    return "\n".join(lines) + "\n"


def ini_help() -> str:
    """Return the fields of the configuration file with their meaning and defaults."""
    lines = [f"  {line}" for line in usual_file().splitlines()[1:] if line]
    return "\n".join(["The configuration file; every field may be left out:", *lines])


def _arguments() -> Arguments:
    parser = Arguments(
        "zombie",
        "Play Zombie Dice: eat brains, and stop before the third shotgun. Every roll is dealt\n"
        "by hash-chains/1, into which you may stir words of your own, and can be verified.",
        f"{KEYS_HELP}\n{machines_help()}\n{ini_help()}\n\n"
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
    add_playing(parser, "who plays, as in all games: Ann=me, Hal=optimal, Bob=mybot.py")
    add_bot_seconds(parser)
    add_stir(parser, "at each roll")
    parser.add_argument(
        "--fast", action="store_true", help="no pauses; a line for each turn if only machines play"
    )
    add_ascii(parser, "draw with plain letters", "with emoji")
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
    with ExitStack() as stack:
        return ZombieParlour(options, arguments, config, stack).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game. All who play are among ``--players`` by then."""
    options = _arguments().parse_args(arguments)
    options.bot, options.seat = [], []
    with ExitStack() as stack:
        parlour = ZombieParlour(options, arguments, read_config(options.ini), stack)
        return parlour.resume(opened, house)


def _must_be_playable(options: argparse.Namespace, config: Config) -> None:
    """Refuse what the options alone show to be wrong, before anything is printed."""
    for entry in options.bot:
        path = Path(entry.rpartition("=")[2].strip())
        if path.suffix != BOT_ENDING or not path.is_file():
            raise Unreadable(
                f"--bot {entry!r} names no Python file that is there. For example: --bot mybot.py, "
                "or --bot Bob=mybot.py"
            )
    if (names := _names(options)) is not None:
        company(names, options.bot, config)


def _names(options: argparse.Namespace) -> str | None:
    """Return the players of ``--players`` and ``--seat`` in one line; ``None``: ask for them."""
    names = [options.players] if options.players is not None else []
    for text in options.seat:
        name, equals, player = text.partition("=")
        if not equals or not name or not player:
            raise InputError(
                f"--seat {text!r} is not understood. For example: --seat Ann=me --seat Hal=optimal"
            )
        names.append(name if player == ME else text)
    return ", ".join(names) if names else None


class ZombieParlour(Parlour):
    """Evenings of Zombie Dice, with bots that end with the program."""

    def __init__(
        self,
        options: argparse.Namespace,
        arguments: Sequence[str],
        config: Config,
        stack: ExitStack,
    ) -> None:
        self._zombie_art = ZombieArt.of_terminal(options.ascii)
        super().__init__(options, arguments, self._zombie_art)
        self._config = config
        self._stack = stack
        self._names = _names(options)
        self._bots = tuple(options.bot)
        self._guests: tuple[Guest, ...] = ()
        self._opened: OpenTable | None = None

    # Sitting down

    def players(self, house: HousePlayers) -> dict[Seat, Player]:
        game = self._game
        return {
            seat: self._player(guest, seat, game, house)
            for seat, guest in enumerate(self._guests)
            if not guest.person
        }

    @property
    def _game(self) -> Zombie:
        return self._config.game(len(self._guests))

    def _player(self, guest: Guest, seat: Seat, game: Zombie, house: HousePlayers) -> Player:
        if guest.bot is not None:
            return self._bot(guest.bot, game)
        assert guest.strategy is not None
        return house.make(guest.strategy, game, seat)

    def _bot(self, path: Path, game: Zombie) -> Player:
        from fairground.players.bot import BotPlayer

        limits = BotLimits(seconds=self.options.bot_seconds)
        try:
            bot = BotPlayer(path, game, limits)
        except BotFailure as failure:
            raise InputError(f"the bot {str(path)!r} cannot be loaded: {failure}") from None
        self._stack.callback(bot.close)
        return bot

    def wanted(self) -> TablePlan:
        lends = "nothing" if self.options.seed is not None else "stir"
        chairs = [
            Chair(guest.label, by="self", lends=lends)
            if guest.person
            else Chair(guest.label, by="house" if guest.bot is None else "self")
            for guest in self._guests
        ]
        line = ", ".join(guest.entry for guest in self._guests)
        arguments = [*self.arguments, "--players", line]
        stir = {"stir": self.options.stir}
        return TablePlan("zombie", arguments, self._game, chairs, options=stir)

    # Playing

    def new(self) -> OpenTable | None:
        controller = self._controller()
        try:
            controller.play()
        finally:
            if controller.party is not None and self._opened is not None:
                self.ended(self._opened)
        return None if controller.party is None else self._opened

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> GameController:
        controller = self._controller()
        controller.come_back(self._evening(opened, players))
        return controller

    def resume(self, opened: OpenTable, house: HousePlayers) -> int:
        assert self._names is not None
        self._guests = company(self._names, (), self._config).guests
        return super().resume(opened, house)

    def _controller(self) -> GameController:
        given = Wanted(self._config, self._seat, self._names, self._bots)
        pace = Pauses(sys.stdout.isatty() and not self.options.fast)
        return GameController(given, self.console, self._zombie_art, pace)

    def _seat(self, everyone: Company) -> Evening:
        """Open the table: players first, then the record."""
        self._guests = everyone.guests
        house = HousePlayers()
        players = self.players(house)
        self._opened = OpenTable.new(self.wanted(), self.options, house)
        self._names, self._bots = ", ".join(guest.entry for guest in self._guests), ()
        return self._evening(self._opened, players)

    def _evening(self, opened: OpenTable, players: Mapping[Seat, Player]) -> Evening:
        return Evening(opened.table, players, opened.vault, self._guests)


WORDS: Final = {3: "three", 4: "four"}


def _solve_arguments() -> Arguments:
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


def run_solve(arguments: Sequence[str]) -> int:
    """``fairground solve zombie``"""
    options = _solve_arguments().parse_args(arguments)
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
    """Return one line for each pile of shotguns and footprints, one column for each strategy."""
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
