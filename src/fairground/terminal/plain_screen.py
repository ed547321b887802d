"""A screen for any game: made of the game's declarations and its words, and of nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from fairground.core import IllegalMove, InputError, Move, Seat, Turn
from fairground.games import GAMES
from fairground.table import Ask
from fairground.terminal.console import Console
from fairground.terminal.ink import Ink
from fairground.terminal.seat import Here, Place, Sitting
from fairground.transcript import Event
from fairground.words import PlainWords, words_for
from fairground.words.plain import listed
from fairground.words.telling import Telling

SUITS: Final = str.maketrans("♡♢♧♤", "hdcs")
"""How cards are written where there is only ASCII."""

KEYS: Final = (
    "At every prompt: ? shows the rules, look shows the table again, hint advises, q leaves."
)

STIR_HELP: Final = (
    "The house has fixed its part of the chance, and cannot change it. What you type is mixed into "
    "it. Then nobody can have chosen the draws, if nobody could guess what you typed. The throw "
    "of a real die is good; an empty line proves nothing."
)


class PlainScreen(Sitting):
    """Tells a game in sentences, and asks for moves by number or in words."""

    def __init__(self, console: Console, ink: Ink, place: Place) -> None:
        super().__init__(console, place)
        self._ink = ink
        people = place.people
        self._alone = len(people) == 1
        self._reader = people[0] if self._alone else None
        """Who is "you": nobody in particular where several people share the keyboard."""
        self._words: dict[Seat | None, PlainWords[Any]] = {}
        self._telling = Telling(self.words(self._reader))
        self._stirred = False

    def words(self, seat: Seat | None) -> PlainWords[Any]:
        """The game's words, as this seat reads them."""
        if seat not in self._words:
            self._words[seat] = words_for(self.place.game, self.place.names, seat)
        return self._words[seat]

    def say(self, text: str = "", style: str = "", first: str = "") -> None:
        """A paragraph, folded to the terminal, in signs that it can show."""
        if self._ink.ascii_only:
            text = text.translate(SUITS).encode("ascii", "replace").decode()
        rest = " " * len(first)
        self.console.say(self._ink.ink(self._ink.fold(text, first, rest), style))

    def introduce(self, about: Mapping[Seat, str]) -> None:
        """What is played, how, and by whom; ``about`` says something of the other seats."""
        game, words = self.place.game, self.words(self._reader)
        listing = GAMES.get(game.name)
        self.say(f"{listing.title if listing else game.name} ({game.name})", "bold")
        self._rules()
        self.console.say()
        for line in words.parameters():
            self.say(line, first="* ")
        self.console.say()
        if self._reader is not None:
            self.say(f"You are {self._seat_in_words(self._reader)}.")
        elif self.place.people:
            self.say(f"{listed([words.who(seat) for seat in self.place.people])} play here.")
        for seat, text in about.items():
            self.say(f"{words.who(seat)}: {text}.")
        self.say(KEYS)
        self.console.say()

    def _seat_in_words(self, seat: Seat) -> str:
        """The role where only one seat has it, else the name."""
        game = self.place.game
        roles = [game.role(other) for other in range(game.seats)]
        if roles.count(roles[seat]) > 1:
            return self.words(None).names[seat]
        return f"the {roles[seat]}"

    def _rules(self) -> None:
        for paragraph in filter(None, self.words(None).rules.split("\n")):
            self.say(paragraph)

    # Asking

    def asides(self) -> Mapping[str, Callable[[], None]]:
        """Help, another look at the table, and advice."""
        return {"?": self._help, "help": self._help, "look": self._show, "hint": self._hint}

    def _hint(self) -> None:
        """What perfect play would do, where that is known; the record says that it was asked."""
        from fairground.coach.advice import advise

        seat, game = self.asked, self.place.game
        view = self.place.view(seat)
        awaits = game.awaits(view)
        if seat is None or not isinstance(awaits, Turn) or seat not in awaits.seats:
            self.say("There is nothing to advise: whatever you type, the chance is fair.")
            return
        try:
            advice = advise(game, view, seat, self.place.names)
        except InputError as reason:
            self.say(f"No hint: {reason}.")
            return
        if isinstance(self.place, Here):
            self.place.table.note({"hint": advice.move, "seat": seat})
        self.say(f"Hint: {advice.option}. {advice.says}")

    def _help(self) -> None:
        self._rules()
        self.say(KEYS)

    def _show(self) -> None:
        """What whoever is asked sees."""
        for line in self.words(self._reader).state(self.place.view(self.asked)):
            self.say(line, first="  ")

    def choose(self, ask: Ask) -> Move:
        """Show the table and the choices, and read until it is a move."""
        seat, view = ask.seat, self.place.view(ask.seat)
        words = self.words(self._reader)
        # Where others look at the same screen, a choice made at the same time is not shown.
        hidden = ask.kind == "seal" and not self._alone
        self.console.say()
        self._show()
        menu = words.menu(view, seat)
        if menu is None:
            self.say(words.example(view, seat))
        for number, move in enumerate(menu or ()):
            self.say(words.option(view, seat, move), first=f"{number:>3} - ")
        question = words.question(view, seat)
        prompt = f"{question} (hidden) " if hidden else f"{question} "
        while True:
            typed = self.ask(prompt, hidden=hidden)
            try:
                return words.read(view, seat, typed)
            except IllegalMove as problem:
                # Behind a hidden prompt nothing that was typed is shown, not even nonsense.
                what = "That cannot be played" if hidden else f"Not taken: {problem}"
                self.say(f"{what}. ? helps.")

    def stir(self, ask: Ask) -> str:
        """Words of a person; the first time it is said what they are for."""
        if not self._stirred:
            self._stirred = True
            self.say(STIR_HELP)
        name = "" if self._alone else f"{self.words(None).who(ask.seat)}: "
        return self.ask(f"{name}Type anything random to mix into the chance: ")

    # Telling

    def tell(self, event: Event) -> None:
        """In sentences, as the reader may know it."""
        if event["kind"] == "end":
            self._look()  # nothing comes behind it: the place shows how it ended
        dealt = event["kind"] == "dealt"
        hidden = self.place.hidden(event["run"]) if dealt else None
        for line in self._telling.line(event, hidden):
            self.say(line, "bold" if event["kind"] == "end" else "")

    def tell_news(self) -> None:
        """What is new; then what the place shows counts, where the lines do not tell all."""
        super().tell_news()
        self._look()

    def _look(self) -> None:
        self._telling.look(self.place.view(self._reader))


def on_a_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()
