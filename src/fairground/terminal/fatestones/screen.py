"""A game of FateStones at the keyboard: tells what the table writes, asks what it asks.

The screen keeps a state of its own, moved on by the recorded events alone: what it tells is
what the record says. Choices are sealed for those at the keyboard by this program; the seal of
a machine is recorded and shown before anyone is asked.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping

from fairground.core import InputError, Seat
from fairground.fair.chains import LONGEST_STIR
from fairground.fair.seals import Seal
from fairground.games.fatestones import FateStones, Round
from fairground.players import Player
from fairground.players.hosted import Hosted
from fairground.table import Ask, Table
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.fatestones import words
from fairground.terminal.fatestones.art import DiceArt
from fairground.transcript import Event

PERSON: Seat = 0
MACHINE: Seat = 1

EXIT = "X"
HELP = "?"
HINT = "hint"


class HiddenConsole(Console):
    """A console that can also read what the neighbour must not see."""

    def ask_hidden(self, prompt: str) -> str:
        """Read a line without showing it; in a pipe it is read like any other, and not echoed."""
        if sys.stdin is not None and sys.stdin.isatty():
            sys.stdout.flush()
            try:
                return getpass.getpass(prompt).strip()
            except EOFError:
                raise EndOfInput from None
        print(prompt, flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise EndOfInput
        return line.strip()


class Left(Exception):
    """Somebody at the keyboard wants to leave."""


class FateStonesScreen:
    """Tells one game as it happens, and asks those at the keyboard."""

    def __init__(
        self, console: HiddenConsole, art: DiceArt, table: Table, players: Mapping[Seat, Player]
    ) -> None:
        assert isinstance(table.game, FateStones)
        self._console = console
        self._art = art
        self._table = table
        self._game = table.game
        self._hosted = Hosted(table, players)
        self._hot_seat = not players
        self._words = words.Words(self._hot_seat)
        self._state = self._game.start()
        self._told = 1
        self._deals = 0
        self._opened: dict[Seat, int] = {}
        self._sealed: dict[Seat, tuple[Seal, int]] = {}
        self._asked: Seat = PERSON
        """Who is at the keyboard: whoever leaves then leaves for this seat."""
        self._stirred = False

    def play(self) -> None:
        """From the first stir to the result, or until somebody leaves."""
        try:
            while True:
                self._tell_news()  # before a machine begins to think
                asks = self._hosted.play()
                self._tell_news()
                if not asks:
                    return
                self._asked = asks[0].seat
                self._answer(asks[0])
        except Left:
            self._leave("chose to exit")
        except (EndOfInput, KeyboardInterrupt) as end:
            self._console.say()
            self._leave("Ctrl-C" if isinstance(end, KeyboardInterrupt) else "the input ended")
            raise

    def _leave(self, reason: str) -> None:
        if not self._table.closed:
            seat = self._asked
            self._table.forfeit(seat, reason)
            self._say(f"{self._words.does(seat, 'leave')} the game, and so the other side wins.")

    def _say(self, text: str = "", style: str = "") -> None:
        folded = self._art.fold(text)
        self._console.say(self._art.ink(folded, style) if style else folded)

    # Asking

    def _answer(self, ask: Ask) -> None:
        if ask.kind == "stir":
            self._ask_stir(ask)
        elif ask.kind == "seal":
            move = self._ask_die(ask.seat)
            sealed = self._table.seal(ask, move)
            self._sealed[ask.seat] = sealed, move
            self._table.submit(ask, sealed.commitment)
        else:
            sealed, move = self._sealed.pop(ask.seat)
            self._table.submit(ask, {"key": sealed.key, "move": move})

    def _ask_stir(self, ask: Ask) -> None:
        """A word of a person, which becomes part of the chance."""
        what = "deal" if self._state.phase == "deal" else "roll"
        if not self._stirred:
            self._say(
                f"Stir the {what}: type a word or a number that nobody can guess, such as a throw "
                "of a real die. It becomes part of the chance."
            )
            self._stirred = True
        while True:
            answer = self._console.ask(f"{self._words.to(ask.seat)} stir for the {what}: ")
            if answer.upper() == EXIT:
                raise Left
            if answer == HELP:
                self._say(words.STIR_HELP)
                continue
            try:
                self._table.submit(ask, answer)
            except InputError:
                self._say(f"Letters and digits, please, at most {LONGEST_STIR} of them.")
                continue
            return

    def _ask_die(self, seat: Seat) -> int:
        """Which of the dice left a person takes; help and hints come back to the question."""
        mine, theirs = self._state.hands[seat], self._state.hands[1 - seat]
        hidden = "hidden: " if self._hot_seat else ""
        prompt = f"{self._words.to(seat)} die ({hidden}{words.choices(mine)}, hint, ?, X): "
        ask = self._console.ask_hidden if self._hot_seat else self._console.ask
        while True:
            answer = ask(prompt)
            if answer.upper() == EXIT:
                raise Left
            if answer == HELP:
                self._help(seat)
            elif answer.lower() == HINT:
                self._table.note({"hint": words.advised(mine, theirs), "seat": seat})
                first, *lines = words.advice(mine, theirs)
                self._say(first)
                self._console.say("\n".join(lines))
            elif answer in mine:
                return mine.index(answer)
            elif answer in [str(number) for number in range(len(mine))]:
                return int(answer)
            else:
                # Behind a hidden prompt nothing that was typed is shown, not even nonsense.
                said = "That" if self._hot_seat or not answer else repr(answer)
                self._say(
                    f"{said} is none of the dice. Type {words.choices(mine)} or the die itself, "
                    "hint for advice, ? for help or X to exit."
                )

    def _help(self, seat: Seat) -> None:
        for rule in words.RULES:
            self._console.say(self._art.fold(rule, "* ", "  "))
        self._console.say()
        lines = words.odds(self._state.hands[seat], self._state.hands[1 - seat])
        self._say(lines[0])
        self._console.say("\n".join(lines[1:]))
        self._console.say()
        self._say(words.KEYS)

    # Telling

    def _tell_news(self) -> None:
        """Put into words what the table has written since the last time."""
        events = self._table.transcript.events
        while self._told < len(events):
            self._tell(events[self._told])
            self._told += 1

    def _tell(self, event: Event) -> None:
        match event["kind"]:
            case "dealt":
                for _, value in event["draws"]:
                    self._drawn(value)
                if self._state.phase == "choose":
                    self._show_dice()
            case "seal":
                seat = event["seat"]
                self._say(f"{self._words.whose(seat)} choice is made, and sealed:")
                self._say(event["commitment"], "dim")
            case "open":
                self._opened[event["seat"]] = event["move"]
                if len(self._opened) == self._game.seats:
                    self._state = self._game.played(self._state, self._opened)
                    self._opened = {}
                    self._tell_choices()

    def _drawn(self, value: int) -> None:
        before = self._state
        self._state = self._game.drawn(before, value)
        played = self._state.last
        if before.phase == "roll" and self._state.phase != "roll" and played is not None:
            self._tell_round(played)
        elif before.phase == "deal" and not before.hands[0]:
            self._deals += 1

    def _show_dice(self) -> None:
        self._console.say()
        if len(self._state.hands[0]) < 3:
            self._say("These dice are left:")
        elif self._deals > 1:
            self._say(f"Deal number {self._deals}:")
        titles = [f"{self._words.whose(seat)} dice" for seat in (0, 1)]
        for line in self._art.hands(titles, self._state.hands):
            self._console.say(line)
        self._console.say()

    def _tell_choices(self) -> None:
        picks = self._state.picks
        assert picks is not None
        taken = [
            f"{self._words.does(seat, 'take')} {self._state.hands[seat][picks[seat]]}"
            for seat in (0, 1)
        ]
        self._say(f"Both seals are opened. {taken[0]}, {taken[1]}.")

    def _tell_round(self, played: Round) -> None:
        does, dice = self._words.does, played.dice
        mine, yours = played.rolls
        captions = [f"{does(seat, 'roll')} {dice[seat]}" for seat in (0, 1)]
        self._console.say()
        for line in self._art.rolled(played.rolls, (captions[0], captions[1])):
            self._console.say(line)
        if mine != yours:
            winner = 0 if mine > yours else 1
            style = "bad" if winner == MACHINE and not self._hot_seat else "good"
            high, low = max(mine, yours), min(mine, yours)
            self._say(f"{does(winner, 'win')}: {high} is more than {low}.", style)
        elif len(played.hands[0]) > 1:
            self._say(f"A tie: {mine} and {yours}. Both dice are gone; choose again.", "bold")
        else:
            self._say(
                f"A tie: {mine} and {yours}, with the last dice. That is a scratch: the bag is "
                "filled, and dealt anew.",
                "bold",
            )
        if not self._hot_seat and len(played.hands[PERSON]) > 1:
            self._say(words.cost(*played.hands, played.picks[PERSON]))
