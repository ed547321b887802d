"""The core of every screen: people at this keyboard, and a table that asks them things.

A `Sitting` loops: tell the new lines of the record, let everyone else act, ask a person for an
answer. It handles stirs, leaving, Ctrl-C and the end of the input. A screen overrides the methods
in the last part of the class.

The table is in this process (`players.runner.Runner`) or on a server: both are a `Place`.
`PlainScreen` is a screen for any game, made of the game's declarations and words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from fairground.core import BadShare, Game, IllegalMove, InputError, Move, Seat, Turn
from fairground.fair.chains import LONGEST_STIR
from fairground.games import GAMES
from fairground.players.runner import Runner
from fairground.table import Ask
from fairground.terminal.console import Console, EndOfInput, Ink
from fairground.terminal.waiting import patiently
from fairground.transcript import Event
from fairground.words import PlainWords, words_for
from fairground.words.plain import listed
from fairground.words.telling import Telling

if TYPE_CHECKING:
    from fairground.coach.judging import Advice

YES: Final = ("y", "yes")
LEAVE: Final = ("q", "quit")
LEAVE_AT_ONCE: Final = ("x", "exit")
"""Commands to leave, with and without a question."""

COMMANDS: Final = frozenset(
    {"?", "help", "hint", "look", "best", "give up", *LEAVE, *LEAVE_AT_ONCE}
)
"""Commands at any prompt of any game. They are never mixed into the chance."""

STIR_HELP: Final = (
    "The house has fixed its part of the chance, and cannot change it. What you type is mixed into "
    "it. Then nobody can have chosen the draws, if nobody could guess what you typed. The throw "
    "of a real die is good; an empty line proves nothing. q leaves."
)

NO_ADVICE: Final = "There is nothing to advise: whatever you type, the chance is fair."


def not_random(typed: str) -> str:
    """Say why a command is not taken as part of the chance."""
    return (
        f"{typed!r} is a command, so it is not mixed into the chance: anybody could guess it. Type "
        "something else."
    )


class Left(Exception):
    """The person at the keyboard leaves."""


class Place(Protocol):
    """A table in this process or on a server, as a screen sees it."""

    @property
    def game(self) -> Game[Any]:
        """The rules."""

    @property
    def people(self) -> Sequence[Seat]:
        """The seats played at this keyboard."""

    @property
    def names(self) -> Sequence[str]:
        """The names of all seats."""

    @property
    def events(self) -> Sequence[Event]:
        """The record so far."""

    @property
    def over(self) -> bool:
        """True once the record is closed, or we have left."""

    @property
    def lasting(self) -> bool:
        """True if another process can resume the game."""

    def others(self, news: Callable[[], None]) -> None:
        """Let happen what needs nobody at this keyboard; call ``news`` where it takes long."""

    def asks(self) -> list[Ask]:
        """Return the open asks of the people here."""

    def view(self, seat: Seat | None) -> Any:
        """Return a seat's view."""

    def hidden(self, run: int) -> Sequence[int] | None:
        """Return the values of a hidden run, if they are known here.

        `Game.view` decides whether they may be shown.
        """

    def commitments(self) -> Sequence[tuple[int, str]]:
        """Return the house's commitments so far, each with its line number."""

    def submit(self, ask: Ask, answer: Any) -> None:
        """Give an answer; to a ``seal`` it is the move itself, and the place seals it."""

    def leave(self, seat: Seat, reason: str) -> None:
        """Record that a seat walks away."""


def advised(place: Place, view: Any, seat: Seat) -> Advice | str:
    """Return a seat's best move, or say why there is none. The record tells that it was asked."""
    from fairground.coach.judging import advise

    try:
        found = patiently("Thinking", lambda: advise(place.game, view, seat, place.names))
    except InputError as reason:
        return f"No hint: {reason}."
    if isinstance(place, Runner):
        place.table.note({"hint": found.move, "seat": seat})
    return found


class Sitting:
    """One game at this keyboard, from the first question to the end."""

    def __init__(self, console: Console, art: Ink, place: Place) -> None:
        self.console = console
        self.place = place
        self._ink = art
        self.told = 1
        """Number of lines of the record that were told. The first line is never told."""
        self._bound = 0
        """Number of the house's commitments that were shown."""
        self._stirred = False
        """True once it was explained why words are asked for."""
        self.asked: Seat = next(iter(place.people), 0)
        """The seat that is asked. Leaving now means leaving this seat."""

    def play(self) -> None:
        """Play until the record is closed."""
        while True:
            try:
                self._go_round()
                return
            except Left:
                self.leave("chose to exit")  # and the others play on, if they can
            except KeyboardInterrupt:
                self.console.say()
                if not self.stays():
                    if not self.place.lasting:
                        self.leave_all("Ctrl-C")
                    raise
            except EndOfInput:
                self.console.say()
                self.leave_all("the input ended")
                raise

    def _go_round(self) -> None:
        while True:
            self.tell_news()  # before a machine begins to think
            self.place.others(self.tell_news)
            self.tell_news()
            asks = self.place.asks()
            if asks:
                self.asked = asks[0].seat
                self.answer(asks[0])
            elif self.place.over:
                return

    def leave(self, reason: str) -> None:
        """Let the asked seat leave, and tell the new lines."""
        if not self.place.over:
            self.place.leave(self.asked, reason)
            self.left(self.asked)
            self.tell_news()

    def leave_all(self, reason: str) -> None:
        """Let everybody at the keyboard leave, the asked seat first.

        If the game goes on all the same, the house players finish it. If only house players play,
        the house stops the game.
        """
        seats = self.place.people or range(self.place.game.seats)
        for seat in sorted(seats, key=lambda seat: seat != self.asked):
            self.asked = seat
            self.leave(reason)
        if not self.place.over:
            self.place.others(self.tell_news)
            self.tell_news()

    def tell_news(self) -> None:
        """Tell what the record has gained since the last time."""
        events = self.place.events
        while self.told < len(events):
            self.told += 1
            self.tell(events[self.told - 1])

    # Asking

    def answer(self, ask: Ask) -> None:
        """Ask a person until the table takes the answer."""
        if ask.kind in ("stir", "number"):
            self._show_what_binds()
        while True:
            match ask.kind:
                case "stir":
                    answer: Any = self.stir(ask)
                case "number":
                    answer = self.number(ask)
                case _:
                    answer = self.choose(ask)
            try:
                self.place.submit(ask, answer)
            except (IllegalMove, BadShare) as problem:
                self.refused(ask, problem)
                continue
            return

    def _show_what_binds(self) -> None:
        """Show what commits the house before anything is lent: later it cannot be changed."""
        commitments = self.place.commitments()
        for _, text in commitments[self._bound :]:
            self.bound(text)
        self._bound = len(commitments)

    def ask(self, prompt: str, *, hidden: bool = False) -> str:
        """Read a line from the person. Asides, and thoughts of leaving, come back to the prompt."""
        while True:
            typed = self.console.ask_hidden(prompt) if hidden else self.console.ask(prompt)
            word = " ".join(typed.lower().split())
            if word in LEAVE_AT_ONCE:
                raise Left
            if word in LEAVE:
                if self.means_to_leave():
                    raise Left
            elif word in (asides := self.asides()):
                asides[word]()
            else:
                return typed

    def ask_random(self, prompt: str, helps: Callable[[], None]) -> str:
        """Ask for words that become part of the chance.

        A command keeps its meaning, and is never taken as the words. Every way of leaving asks
        whether it is meant: a single letter could be meant as the words.
        """
        while True:
            typed = self.console.ask(prompt)
            word = " ".join(typed.lower().split())
            if word in (*LEAVE, *LEAVE_AT_ONCE):
                if self.means_to_leave():
                    raise Left
            elif word in ("?", "help"):
                helps()
            elif word == "hint":
                self.console.say(NO_ADVICE)
            elif word in COMMANDS:
                self.console.say(not_random(typed))
            else:
                return typed

    def means_to_leave(self) -> bool:
        """Ask whether the person is sure."""
        return self.console.ask("Leave the game? That gives it up. (y/n): ").lower() in YES

    def stays(self) -> bool:
        """Return True to go on after Ctrl-C."""
        return False

    def say(self, text: str = "", style: str = "", first: str = "") -> None:
        """Print a paragraph, folded to the terminal; ``first`` stands before its first line."""
        self.console.say(self._ink.ink(self._ink.fold(text, first, " " * len(first)), style))

    def advice(self, view: Any) -> Advice | None:
        """Return the asked seat's best move, or say why there is none."""
        found = advised(self.place, view, self.asked)
        if isinstance(found, str):
            self.say(found)
            return None
        return found

    # What a screen says in its own way

    def asides(self) -> Mapping[str, Callable[[], None]]:
        """Return the commands of every prompt, in lower case, with their handlers."""
        return {}

    def tell(self, event: Event) -> None:
        """Put a new line of the record into words."""

    def choose(self, ask: Ask) -> Move:
        """Ask the person for a move."""
        raise NotImplementedError

    def stir(self, ask: Ask) -> str:
        """Ask the person for words that become part of the chance."""
        what = self.occasion()
        if not self._stirred:
            self._stirred = True
            self.say(
                "Type a word or a number that nobody can guess, such as a throw of a real die. It "
                f"becomes part of the chance, so that nobody alone decides {what}."
            )
        prompt = self.addressed(ask.seat, f"Type anything random for {what}: ")
        return self.ask_random(prompt, partial(self.say, STIR_HELP))

    def occasion(self) -> str:
        """Return the draws that words are asked for."""
        return "the draws"

    def addressed(self, seat: Seat, request: str) -> str:
        """Return a request to a seat, by its name if several people share the keyboard."""
        return request

    def number(self, ask: Ask) -> int:
        """Ask the person for a number that becomes part of the chance."""
        while True:
            typed = self.ask(f"Your number, from 0 to {ask.n - 1}: ")
            if typed.isascii() and typed.isdigit() and len(typed) <= len(str(ask.n)):
                return int(typed)
            self.console.say(f"Type a number from 0 to {ask.n - 1}, not {typed!r}.")

    def bound(self, text: str) -> None:
        """Show the house's commitment, which ``verify`` prints again later."""
        half = len(text) // 2  # so that it fits into 40 columns
        self.console.say("The fingerprint of the house's secrets:")
        self.console.say(f"  {text[:half]}\n  {text[half:]}")

    def refused(self, ask: Ask, problem: InputError) -> None:
        """Say why an answer was not taken."""
        if ask.kind == "stir":
            self.console.say(f"Letters and digits, please, at most {LONGEST_STIR} of them.")
        else:
            self.console.say(f"Not taken: {problem}.")

    def left(self, seat: Seat) -> None:
        """Say that a seat left. The lines that follow tell the consequences."""


SUITS: Final = str.maketrans("♡♢♧♤", "hdcs")
"""Cards in ASCII."""

KEYS: Final = (
    "At every prompt: ? shows the rules, look shows the table again, hint advises, q leaves."
)


class PlainScreen(Sitting):
    """Tells a game in sentences, and asks for moves by number or in words."""

    def __init__(self, console: Console, ink: Ink, place: Place) -> None:
        super().__init__(console, ink, place)
        people = place.people
        self._alone = len(people) == 1
        self._reader = people[0] if self._alone else None
        """The reader's seat; ``None`` if several people share the keyboard."""
        self._words: dict[Seat | None, PlainWords[Any]] = {}
        self._telling = Telling(self.words(self._reader))

    def words(self, seat: Seat | None) -> PlainWords[Any]:
        """Return the game's words, as this seat reads them."""
        if seat not in self._words:
            self._words[seat] = words_for(self.place.game, self.place.names, seat)
        return self._words[seat]

    def say(self, text: str = "", style: str = "", first: str = "") -> None:
        if self._ink.ascii_only:
            text = text.translate(SUITS).encode("ascii", "replace").decode()
        super().say(text, style, first)

    def introduce(self, about: Mapping[Seat, str]) -> None:
        """Name the game and its players; ``about`` describes the other seats."""
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
        """Return the role where only one seat has it, else the name."""
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
        return {"?": self._help, "help": self._help, "look": self._show, "hint": self._hint}

    def _hint(self) -> None:
        view = self.place.view(self.asked)
        awaits = self.place.game.awaits(view)
        if not isinstance(awaits, Turn) or self.asked not in awaits.seats:
            self.say(NO_ADVICE)
        elif best := self.advice(view):
            self.say(f"Hint: {best.option}. {best.says}")

    def _help(self) -> None:
        self._rules()
        self.say(KEYS)

    def _show(self) -> None:
        for line in self.words(self._reader).state(self.place.view(self.asked)):
            self.say(line, first="  ")

    def choose(self, ask: Ask) -> Move:
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

    def addressed(self, seat: Seat, request: str) -> str:
        return self.words(self._reader).to(seat, request)

    # Telling

    def tell(self, event: Event) -> None:
        if event["kind"] == "end":
            self._look()  # nothing comes behind it: the place shows how it ended
        dealt = event["kind"] == "dealt"
        hidden = self.place.hidden(event["run"]) if dealt else None
        for line in self._telling.line(event, hidden):
            self.say(line, "bold" if event["kind"] == "end" else "")

    def tell_news(self) -> None:
        super().tell_news()
        self._look()

    def _look(self) -> None:
        self._telling.look(self.place.view(self._reader))
