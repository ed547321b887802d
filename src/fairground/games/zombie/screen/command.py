"""``fairground zombie``: options, and the game loop: read events, update, render.

The controller carries answers from the prompt or a machine to the table, and decides which scene
is shown next. The rules are in ``games/zombie/rules.py``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fairground.core import IllegalMove, InputError, Seat, Unreadable
from fairground.fair.chains import LONGEST_STIR
from fairground.fair.schemes import Chair
from fairground.games.zombie.rules import PASS, ROLL, Zombie
from fairground.games.zombie.screen import look
from fairground.games.zombie.screen.look import ZombieArt
from fairground.games.zombie.screen.screen import (
    TRANSITIONS,
    Evening,
    Pauses,
    Renderer,
    Scene,
    Wanted,
)
from fairground.games.zombie.screen.setup import (
    BOT_ENDING,
    Company,
    Config,
    Guest,
    company,
    read_config,
    usual_file,
    write_config,
)
from fairground.games.zombie.words import TYPED, ZombieWords
from fairground.players import Player, offered, prepare
from fairground.players.bot.limits import BotFailure, BotLimits
from fairground.players.runner import Runner
from fairground.terminal.console import Arguments, Console, EndOfInput
from fairground.terminal.evening import (
    ME,
    GamePlayed,
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_counting,
    add_practice,
    add_seats,
    said_how_it_ended,
)
from fairground.terminal.files import add_saving
from fairground.terminal.options import add_ascii, add_bot_seconds, add_stir
from fairground.terminal.sitting import COMMANDS, NO_ADVICE, YES, not_random
from fairground.terminal.waiting import once

if TYPE_CHECKING:
    from pathlib import Path

    from fairground.terminal.evening import HousePlayers, OpenTable, TablePlan


QUIT: Final = ("q", "quit", "x", "exit")
HELP: Final = ("?", "help")
HINT: Final = "hint"


class GameController:
    """Runs an evening from the welcome screen to the winner."""

    def __init__(self, given: Wanted, console: Console, art: ZombieArt, pace: Pauses) -> None:
        self.scene = Scene.START
        self.party: Evening | None = None
        """The table, once it is set."""
        self._given = given
        self._console = console
        self._renderer = Renderer(given, console, art, pace)
        self._event = ""
        self._interrupted = Scene.START
        self._ordered = False
        """True once the players have been shuffled."""
        self._turn_rolls = 0
        self._round = 1
        self._extra = 0

    def come_back(self, evening: Evening) -> None:
        """Go on with a table that was set before, where it stopped."""
        evening.recount()
        self.party = evening
        self._ordered = evening.state.phase != "shuffle"
        self._round, self._extra = evening.state.round, evening.state.extra
        self._remark("The game goes on.")

    # The loop

    def run(self) -> None:
        """Until somebody has won, or left."""
        try:
            while TRANSITIONS[self.scene]:
                self.process_events()
                self.update()
                self.render()
        except (EndOfInput, KeyboardInterrupt) as end:
            stopped = isinstance(end, KeyboardInterrupt)
            if stopped and self.party is not None and self.party.lasting:
                self._console.say()  # nobody leaves: the game waits
            else:
                self._walk_out("Ctrl-C" if stopped else "the input ended")
            raise

    def process_events(self) -> None:
        """Read what this scene waits for; most wait for one line."""
        ask, prompt = self._console.ask, self._renderer.prompt
        match self.scene:
            case Scene.WELCOME if self._given.names is None:
                self._event = ask("  >>> ")
            case Scene.STIR:
                self._event = ask(self._renderer.stir_prompt(self.evening, self.evening.ask.seat))
            case Scene.ORDER | Scene.TIE if self.evening.persons:
                self._event = ask(prompt)
            case Scene.TURN | Scene.QUIT:
                self._event = ask(prompt)
            case _:
                self._event = ""

    def update(self) -> None:
        """Let the event have its effect, and go to the next scene."""
        handlers: dict[Scene, Callable[[], Scene]] = {
            Scene.START: self._update_start,
            Scene.WELCOME: self._update_welcome,
            Scene.STIR: self._update_stir,
            Scene.ORDER: self._update_enter,
            Scene.TURN: self._update_turn,
            Scene.THINK: self._update_think,
            Scene.ROLLED: self._update_rolled,
            Scene.SHOT: self._end_of_turn,
            Scene.TIE: self._update_enter,
            Scene.QUIT: self._update_quit,
        }
        scene = handlers[self.scene]()
        assert scene in TRANSITIONS[self.scene], f"{self.scene} -> {scene}"
        self.scene = scene

    def render(self) -> None:
        """Show the scene."""
        self._renderer.render(self.scene, self.party)

    @property
    def evening(self) -> Evening:
        """The table; only once it is set."""
        assert self.party is not None
        return self.party

    def _remark(self, *texts: str) -> None:
        self._renderer.remarks = list(texts)

    # Updates, one for each scene

    def _update_start(self) -> Scene:
        if self.party is None:
            return Scene.WELCOME
        return Scene.STIR if self.evening.ask.kind == "stir" else self._to_move()

    def _update_welcome(self) -> Scene:
        given = self._given
        if given.names is None and not self._event:
            return Scene.LEFT
        line = self._event if given.names is None else given.names
        try:
            guests = company(line, given.bots, given.config)
            self.party = given.open(guests)
        except InputError as problem:
            if given.names is not None:
                raise
            self._remark(f"{problem}.")
            return Scene.WELCOME
        self._remark(*guests.remarks)
        return self._after_chance()

    def _update_stir(self) -> Scene:
        typed = " ".join(self._event.lower().split())
        if typed in QUIT:
            return self._interrupt()
        if typed in HELP:
            self._remark(look.STIR_HELP)
            return Scene.STIR
        if typed == HINT:
            self._remark(NO_ADVICE)
            return Scene.STIR
        if typed and typed in (*COMMANDS, *TYPED):
            self._remark(not_random(self._event))
            return Scene.STIR
        try:
            self.evening.table.submit(self.evening.ask, self._event)
        except InputError:
            self._remark(f"Letters and digits, please, at most {LONGEST_STIR} of them.")
            return Scene.STIR
        return self._after_chance()

    def _after_chance(self) -> Scene:
        """Return the scene after draws: a stir is asked for, or the roll is shown."""
        asks = self.evening.table.asks()
        if asks and asks[0].kind == "stir":
            return Scene.STIR
        if not self._ordered:
            self._ordered = True
            return Scene.ORDER
        return Scene.ROLLED

    def _update_enter(self) -> Scene:
        return self._interrupt() if self._event.lower() in QUIT else self._to_move()

    def _to_move(self) -> Scene:
        return Scene.TURN if self.evening.ask.seat in self.evening.persons else Scene.THINK

    def _update_turn(self) -> Scene:
        state, ask = self.evening.state, self.evening.ask
        typed = self._event.lower()
        if typed in QUIT:
            return self._interrupt()
        if typed in HELP:
            self._renderer.reply = [*ZombieWords.rules.splitlines(), look.commands(state)]
            return Scene.TURN
        if typed == HINT:
            self._renderer.reply = [self._hint(), look.commands(state)]
            return Scene.TURN
        if typed not in TYPED:
            self._renderer.reply = [look.not_a_command(self._event), look.commands(state)]
            return Scene.TURN
        try:
            self.evening.game.check(state, ask.seat, TYPED[typed])
        except IllegalMove as refused:
            self._renderer.reply = [look.sentence(str(refused)), look.commands(state)]
            return Scene.TURN
        return self._play(TYPED[typed])

    def _hint(self) -> str:
        """Give the coach's move and its reason. The record says that it was asked for."""
        from fairground.coach.judging import advise

        evening, seat = self.evening, self.evening.ask.seat
        names = [chair.name for chair in evening.table.setting.chairs]
        try:
            advice = advise(evening.game, evening.table.view(seat), seat, names)
        except InputError as reason:
            return f"No hint: {reason}."
        evening.table.note({"hint": advice.move, "seat": seat})
        return f"Hint: {advice.option}. {advice.says}"

    def _update_think(self) -> Scene:
        evening, seat = self.evening, self.evening.ask.seat
        try:
            move = evening.runner.choose(evening.ask)
        except BotFailure as failure:
            evening.table.note({"seat": seat, "bot": str(failure)})
            self._remark(f"{evening.names[seat]} loses the turn: {failure}.")
            move = PASS
        return self._play(str(move))

    def _play(self, move: str) -> Scene:
        evening = self.evening
        before = evening.before = evening.state
        evening.table.submit(evening.ask, move)
        if move != ROLL:
            return self._end_of_turn()
        self._turn_rolls += 1
        evening.tallies[before.playing[before.at]].rolls += 1
        return self._after_chance()

    def _update_rolled(self) -> Scene:
        return Scene.SHOT if self.evening.turn_has_ended else self._to_move()

    def _end_of_turn(self) -> Scene:
        """Who is next, is there a tie, is it over?"""
        evening, state = self.evening, self.evening.state
        assert state.last is not None
        evening.tallies[state.last.seat].count(state.last)
        if self._renderer.is_brief(evening):
            self._renderer.turn_in_brief(evening, self._round, self._turn_rolls)
        tied = state.extra > self._extra
        self._turn_rolls, self._round, self._extra = 0, state.round, state.extra
        if state.phase == "over":
            return Scene.OVER
        return Scene.TIE if tied else self._to_move()

    # Leaving

    def _interrupt(self) -> Scene:
        self._interrupted = self.scene
        return Scene.QUIT

    def _update_quit(self) -> Scene:
        if self._event.lower() not in YES:
            return self._interrupted
        evening, leaver = self.evening, self.evening.leaver()
        was_on = evening.state.phase != "shuffle" and evening.before.playing[evening.before.at]
        self._forfeit("quit")
        if evening.table.closed:
            return Scene.LEFT
        scene = self._after_chance()
        if scene is Scene.ROLLED and (leaver == was_on or self._interrupted is not Scene.STIR):
            # Nobody's roll is on the table any more: the next one is on.
            evening.before = evening.state
            self._turn_rolls, self._round = 0, evening.state.round
            return self._to_move()
        return scene

    def _forfeit(self, reason: str) -> None:
        evening, seat = self.evening, self.evening.leaver()
        person = seat in evening.persons
        name = evening.names[seat]
        self._remark(f"{name} leaves the game." if person else f"It was stopped in {name}'s turn.")
        evening.runner.leave(seat, reason)

    def _walk_out(self, reason: str) -> None:
        """Ctrl-C, or the end of the input: close the record, and show where it ended."""
        if self.party is not None and not self.party.table.closed:
            self._console.say()
            self._forfeit(reason)
            self.party.end(reason)
            self.scene = Scene.LEFT
            self.render()


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
    """The programs that may take a seat."""
    lines = ["A name written Hal=optimal is played by a program:"]
    for name, listing in sorted(offered(Zombie.from_params({}), 0).items()):
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
    add_seats(parser, "the same in one word for all games: Ann=me, Hal=optimal, Bob=mybot.py")
    add_bot_seconds(parser)
    add_stir(parser, "at each roll")
    parser.add_argument(
        "--fast", action="store_true", help="no pauses; a line for each turn if only machines play"
    )
    add_ascii(parser, "draw with plain letters", "with emoji")
    add_counting(parser)
    add_practice(parser)
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
        super().__init__(options, arguments, Console(), self._zombie_art)
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
        with once("Perfect play") as progress:
            prepare(guest.strategy, game, progress)
        return house.make(guest.strategy, game, seat)

    def _bot(self, path: Path, game: Zombie) -> Player:
        from fairground.players.bot.host import BotPlayer

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

    def new(self) -> GamePlayed | None:
        self._opened = None
        return self._played(self._controller())

    def play(self, opened: OpenTable, players: Mapping[Seat, Player]) -> GamePlayed:
        self._opened = opened
        controller = self._controller()
        controller.come_back(self._evening(opened, players))
        played = self._played(controller)
        assert played is not None
        return played

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
        runner = Runner(opened.table, players, opened.vault)
        return Evening(runner, self._guests, opened.lasting)

    def _played(self, controller: GameController) -> GamePlayed | None:
        played: GamePlayed | None = None
        try:
            controller.run()
        finally:
            if self._opened is not None:
                missing = partial(_missing, self._guests)
                played = said_how_it_ended(self.console, self._zombie_art, self._opened, missing)
        return played


def _missing(guests: Sequence[Guest], proven: set[str]) -> str | None:
    """Return what a player might wrongly think was proven, or None."""
    if "UNIFORM" not in proven:
        return (
            "Nobody's own words are in every roll, so nothing proves that the house did not "
            "choose them."
        )
    if "UNFORESEEN" not in proven and not all(guest.person for guest in guests):
        return "Not proven: that no machine knew its roll when it decided. --stir each proves that."
    return None
