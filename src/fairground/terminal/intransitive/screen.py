"""``fairground dice``: intransitive dice against the computer, in plain sentences."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from fairground.core import InputError
from fairground.fair.bits import SystemStream
from fairground.fair.hmac_user import FairSum, HmacUserDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.intransitive import COMPUTER, USER, Intransitive
from fairground.players import Player, make_player
from fairground.players.hosted import Hosted
from fairground.table import Ask, Table, new_name
from fairground.terminal.console import Arguments, Console, EndOfInput, Menu
from fairground.terminal.intransitive.arguments import (
    EXAMPLE,
    DiceParser,
    guard_negative_dice,
    label,
    unguard,
)
from fairground.terminal.saving import Saved, add_saving
from fairground.transcript import Event

FIRST_MOVE: Final = 1
"""The number of the draw that decides who chooses first; the rolls follow."""


class DiceScreen:
    """Tells one game as it happens, and asks the user what the table asks of them."""

    def __init__(self, console: Console, table: Table, players: dict[int, Player]) -> None:
        self._console = console
        self._table = table
        assert isinstance(table.game, Intransitive)
        self._game = table.game
        self._hosted = Hosted(table, players)
        self._told = 1
        self.checks: list[str] = []
        """For each draw, the command with which the user can check its HMAC."""

    def play(self) -> None:
        """From the first draw to the result, or until the user leaves."""
        try:
            while asks := self._hosted.play():
                self._tell_news()
                if not self._answer(asks[0]):
                    self._leave("the user chose to exit")
                    return
        except (EndOfInput, KeyboardInterrupt) as end:
            self._console.say()
            ctrl_c = isinstance(end, KeyboardInterrupt)
            self._leave("Ctrl-C" if ctrl_c else "the input ended")
            raise
        self._tell_news()

    def _leave(self, reason: str) -> None:
        if not self._table.closed:
            self._console.say("You leave the game.")
            self._table.forfeit(USER, reason)
            self._tell_news()

    # Asking

    def _answer(self, ask: Ask) -> bool:
        """Put one ask to the user and submit the answer; False when they want to leave."""
        if ask.kind == "move":
            left = list(self._game.moves(self._table.view(USER), USER))
            dice = [self._game.dice[number] for number in left if isinstance(number, int)]
            menu = Menu({str(key): label(die) for key, die in enumerate(dice)})
            heading = "Choose your dice:"
        else:
            menu = Menu.of_numbers(ask.n)
            heading = (
                "Try to guess my selection."
                if ask.run == FIRST_MOVE
                else f"Add your number modulo {ask.n}."
            )
        while True:
            self._console.say(heading)
            choice = menu.ask(self._console)
            if choice == Menu.EXIT:
                return False
            if choice != Menu.HELP:
                number = int(choice)
                self._table.submit(ask, left[number] if ask.kind == "move" else number)
                return True
            self._help()

    def _help(self) -> None:
        from fairground.terminal.intransitive.odds import HelpTable

        HelpTable(self._game.dice).show(self._console)

    # Telling

    def _tell_news(self) -> None:
        """Put into words what the table has written since the last time."""
        events = self._table.transcript.events
        while self._told < len(events):
            self._tell(events[self._told])
            self._told += 1

    def _tell(self, event: Event) -> None:
        match event["kind"]:
            case "ticket":
                self._tell_ticket(event)
            case "dealt":
                self._tell_dealt(event)
            case "move":
                self._tell_move(event)
            case "opening":
                number, key = event["evidence"]["number"], event["evidence"]["key"]
                self._console.say(f"My number was {number} (KEY={key}).")
                self._remember_check(number, key)
            case "end":
                self._tell_end(event)

    def _tell_ticket(self, event: Event) -> None:
        occasion = {
            FIRST_MOVE: "Let's determine who makes the first move.",
            FIRST_MOVE + 1: "It's time for my roll.",
            FIRST_MOVE + 2: "It's time for your roll.",
        }
        self._console.say(occasion[event["run"]])
        self._console.say(
            f"I selected a random value in the range 0..{event['n'] - 1} "
            f"(HMAC={event['ticket']['hmac']})."
        )

    def _tell_dealt(self, event: Event) -> None:
        say = self._console.say
        run = self._table.runs[event["run"] - 1]
        number, key = event["evidence"]["number"], event["evidence"]["key"]
        self._remember_check(number, key)
        if run.index == FIRST_MOVE:
            say(f"My selection: {number} (KEY={key}).")
            if self._table.state.first == USER:
                say("You make the first move.")
            return
        user = run.shares[0].value if run.shares else 0
        total = FairSum(number, user, run.n)
        say(f"My number is {number} (KEY={key}).")
        spelled_out = f"{number} + {user} = {total.result} (mod {run.n})"
        say(f"The fair number generation result is {spelled_out}.")
        seat = COMPUTER if run.index == FIRST_MOVE + 1 else USER
        pick = self._table.state.picks[seat]
        face = self._game.dice[pick].faces[total.result]
        say(f"{'My' if seat == COMPUTER else 'Your'} roll result is {face}.")

    def _remember_check(self, number: int, key: str) -> None:
        self.checks.append(f"printf %s {number} | openssl dgst -sha3-256 -hmac {key}")

    def _tell_move(self, event: Event) -> None:
        die = label(self._game.dice[event["move"]])
        first = self._table.state.first == event["seat"]
        if event["seat"] == USER:
            self._console.say(f"You choose the [{die}] dice.")
        elif first:
            self._console.say(f"I make the first move and choose the [{die}] dice.")
        else:
            self._console.say(f"I choose the [{die}] dice.")

    def _tell_end(self, event: Event) -> None:
        state = self._table.state
        if None in state.rolls:
            self._console.say("The game counts as mine.")
            return
        mine, yours = self._game.result(state, COMPUTER), self._game.result(state, USER)
        if mine == yours:
            self._console.say(f"It's a tie ({yours} = {mine})!")
        elif yours > mine:
            self._console.say(f"You win ({yours} > {mine})!")
        else:
            self._console.say(f"I win ({mine} > {yours})!")


def _players(seats: Sequence[str], game: Intransitive) -> dict[int, Player]:
    """The seats that programs play, from options such as ``user=optimal``."""
    wanted = {"computer": "optimal"}
    for text in seats:
        who, equals, player = text.partition("=")
        if not equals or who not in ("user", "computer"):
            raise InputError(
                f"--seat {text!r} is not understood. For example: --seat user=optimal "
                "(or user=random, computer=random)"
            )
        wanted[who] = player
    names = {"computer": COMPUTER, "user": USER}
    return {
        names[who]: make_player(spec, game, SystemStream(), names[who])
        for who, spec in wanted.items()
    }


def _arguments() -> Arguments:
    parser = Arguments(
        "dice",
        "Play intransitive dice: you and the computer take different dice and roll; the\n"
        "higher roll wins. Every number is made fairly by both of you, and you can check\n"
        "each with openssl. Give three or more dice, each a list of integers.",
        f"Example:\n  {EXAMPLE}\n\n"
        "At every prompt: a number chooses, ? shows the odds of all pairs of dice, X exits.",
    )
    parser.add_argument("dice", nargs="*", metavar="DIE", help="faces, such as 2,2,4,4,9,9")
    parser.add_argument(
        "--seat",
        action="append",
        default=[],
        metavar="SEAT=PLAYER",
        help="let a program play: user=optimal, user=random, computer=random",
    )
    add_saving(parser)
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command's arguments; dice may begin with a minus sign."""
    options = _arguments().parse_intermixed_args(guard_negative_dice(arguments))
    options.dice = [unguard(word) for word in options.dice]
    return options


def run(arguments: Sequence[str]) -> int:
    """``fairground dice``"""
    options = parse(arguments)
    game = Intransitive(DiceParser().parse(options.dice))
    players = _players(options.seat, game)
    with Saved(options, "dice", table_name := new_name()) as saved:
        person = USER not in players
        table = Table.open(
            game,
            HmacUserDealer(table_name, MemoryVault()),
            [
                Chair("Computer", by="house"),
                Chair("User", by="self", lends="number") if person else Chair("User", by="house"),
            ],
            transcript=saved.transcript,
        )
        console = Console()
        screen = DiceScreen(console, table, players)
        try:
            screen.play()
        finally:
            _say_how_to_check(console, screen, saved)
    return 0


def _say_how_to_check(console: Console, screen: DiceScreen, saved: Saved) -> None:
    if screen.checks:
        console.say("\nCheck me: each of these prints the HMAC that I showed (in small letters):")
        for check in screen.checks:
            console.say(f"  {check}")
    if saved.path is not None:
        console.say(f"The game is in {saved.path}\n  fairground verify {saved.quoted_path}")
