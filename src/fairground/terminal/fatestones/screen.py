"""A game of FateStones at the keyboard: tells what the table writes, asks what it asks.

The screen keeps a state of its own, moved on by the recorded events alone: what it tells is
what the record says. Choices are sealed for those at the keyboard by this program; the seal of
a machine is recorded and shown before anyone is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from fairground.core import Seat
from fairground.games.fatestones import FateStones, Round
from fairground.table import Ask
from fairground.terminal.console import Console
from fairground.terminal.fatestones import words
from fairground.terminal.fatestones.look import DiceArt
from fairground.terminal.seat import Here, Sitting
from fairground.transcript import Event
from fairground.words.fatestones import FateStonesWords

PERSON: Seat = 0
MACHINE: Seat = 1


class FateStonesScreen(Sitting):
    """Tells one game as it happens, and asks those at the keyboard."""

    def __init__(self, console: Console, art: DiceArt, place: Here) -> None:
        super().__init__(console, place)
        assert isinstance(place.game, FateStones)
        self._art = art
        self._table = place.table
        self._game = place.game
        self._me = place.people[0] if len(place.people) == 1 else None
        """Whose side the words take: nobody's where two people, or none, play."""
        self._hot_seat = self._me is None
        self._words = words.SeatNames(place.names, self._me)
        self._state = self._game.start()
        self._deals = 0
        self._opened: dict[Seat, int] = {}
        self._stirred = False
        self._asides: dict[str, Callable[[], None]] = {}

    def left(self, seat: Seat) -> None:
        """Whoever leaves loses."""
        self._say(f"{self._words.does(seat, 'leave')} the game, and so the other side wins.")

    def _say(self, text: str = "", style: str = "") -> None:
        self.console.say(self._art.ink(self._art.fold(text), style))

    # Asking

    def asides(self) -> Mapping[str, Callable[[], None]]:
        """Help, and where a die is asked for, advice."""
        return self._asides

    def stir(self, ask: Ask) -> str:
        """A word of a person, which becomes part of the chance."""
        what = "deal" if self._state.phase == "deal" else "roll"
        if not self._stirred:
            self._say(
                "Type a word or a number that nobody can guess, such as a throw of a real die. It "
                f"becomes part of the chance, so that nobody alone decides the {what}."
            )
            self._stirred = True
        self._asides = {"?": partial(self._say, words.STIR_HELP)}
        return self.ask(self._words.asked(ask.seat, f"Type anything random for the {what}: "))

    def choose(self, ask: Ask) -> int:
        """Which of the dice left a person takes; help and hints come back to the question."""
        mine = self._state.hands[ask.seat]
        hidden = "hidden: " if self._hot_seat else ""
        prompt = f"{self._words.to(ask.seat)} die ({hidden}{words.choices(mine)}, hint, ?, X): "
        self._asides = {"?": partial(self._help, ask.seat), "hint": partial(self._hint, ask.seat)}
        while True:
            answer = self.ask(prompt, hidden=self._hot_seat)
            if answer in mine:
                return mine.index(answer)
            if answer in [str(number) for number in range(len(mine))]:
                return int(answer)
            # Behind a hidden prompt nothing that was typed is shown, not even nonsense.
            said = "That" if self._hot_seat or not answer else repr(answer)
            self._say(
                f"{said} is none of the dice. Type {words.choices(mine)} or the die itself, "
                "hint for advice, ? for help or X to exit."
            )

    def _hint(self, seat: Seat) -> None:
        from fairground.terminal.fatestones import advice

        mine, theirs = self._state.hands[seat], self._state.hands[1 - seat]
        self._table.note({"hint": advice.advised(mine, theirs), "seat": seat})
        first, *lines = advice.advice(mine, theirs)
        self._say(first)
        self.console.say("\n".join(lines))

    def _help(self, seat: Seat) -> None:
        from fairground.terminal.fatestones import advice

        for rule in FateStonesWords.rules.splitlines():
            self.console.say(self._art.fold(rule, "* ", "  "))
        self.console.say()
        lines = advice.odds(self._state.hands[seat], self._state.hands[1 - seat])
        self._say(lines[0])
        self.console.say("\n".join(lines[1:]))
        self.console.say()
        self._say(words.KEYS)

    # Telling

    def tell(self, event: Event) -> None:
        """The state is moved on by what is recorded."""
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
        self.console.say()
        if len(self._state.hands[0]) < 3:
            self._say("These dice are left:")
        elif self._deals > 1:
            self._say(f"Deal number {self._deals}:")
        titles = [f"{self._words.whose(seat)} dice" for seat in (0, 1)]
        for line in self._art.hands(titles, self._state.hands):
            self.console.say(line)
        self.console.say()

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
        self.console.say()
        for line in self._art.rolled(played.rolls, (captions[0], captions[1])):
            self.console.say(line)
        if mine != yours:
            winner = 0 if mine > yours else 1
            style = "good" if self._me in (None, winner) else "bad"
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
        if self._me is not None and len(played.hands[self._me]) > 1:
            from fairground.terminal.fatestones import advice

            hands = played.hands[self._me], played.hands[1 - self._me]
            self._say(advice.cost(*hands, played.picks[self._me]))
