"""The kernel of every screen: people at this keyboard, and a table that asks them things.

A `Sitting` goes round and round: tell what is new in the record, let everyone else act, ask a
person what the table asks of their seat. It knows how a move is sealed and opened, how somebody
leaves, and what Ctrl-C and the end of the input mean. It has no words of its own for any game.
A screen says how things look and sound by overriding some of these:

===============  ===========================================================================
`tell`           a line of the record, as soon as it is there
`choose`         a move of a person, for an ask of a ``move`` or a ``seal``
`stir`           words of a person, which become part of the chance
`number`         a number of a person, which becomes part of the chance
`bound`          what binds the house, shown before it asks for words or a number
`refused`        an answer that was not taken, and why
`left`           somebody has left
`asides`         what can be typed at every prompt, such as ``?``
===============  ===========================================================================

The table may be here (`Here`) or far away: a `Place` is what both have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from fairground.core import BadShare, Game, IllegalMove, InputError, Move, Seat
from fairground.fair.vault import Vault
from fairground.players import Player
from fairground.players.hosted import Hosted
from fairground.table import Ask, Table
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.evening.vaults import FileVault
from fairground.transcript import Event

YES: Final = ("y", "yes")


class Left(Exception):
    """Whoever is at the keyboard wants to leave, and means it."""


class Place(Protocol):
    """Where people sit: what a table of this program and one far away have in common."""

    @property
    def game(self) -> Game[Any]:
        """The rules."""

    @property
    def people(self) -> Sequence[Seat]:
        """The seats that are played at this keyboard."""

    @property
    def names(self) -> Sequence[str]:
        """What all seats are called."""

    @property
    def events(self) -> Sequence[Event]:
        """The record so far."""

    @property
    def over(self) -> bool:
        """Whether nothing more happens here: the record is closed, or we have left it."""

    @property
    def lasting(self) -> bool:
        """Whether the game can be gone on with by another program of ours."""

    def others(self, news: Callable[[], None]) -> None:
        """Let happen what needs nobody at this keyboard; call ``news`` where it takes long."""

    def asks(self) -> list[Ask]:
        """What the people here are asked for now."""

    def view(self, seat: Seat | None) -> Any:
        """What a seat may see."""

    def hidden(self, run: int) -> Sequence[int] | None:
        """What a hidden run gave, if that is known here. Whoever shows it must ask `Game.view`."""

    def commitments(self) -> Sequence[tuple[int, str]]:
        """What binds the house so far: the line that has it, and the text."""

    def submit(self, ask: Ask, answer: Any) -> None:
        """Give an answer; to a ``seal`` it is the move itself, and the place seals it."""

    def leave(self, seat: Seat, reason: str) -> None:
        """Record that a seat walks away."""


class Here:
    """A table of this program, with seats for people and seats for players of the house."""

    def __init__(
        self, table: Table, players: Mapping[Seat, Player], vault: Vault | None = None
    ) -> None:
        self.table = table
        self._hosted = Hosted(table, players, vault)
        self.lasting = isinstance(vault, FileVault)

    @property
    def game(self) -> Game[Any]:
        """The rules."""
        return self.table.game

    @property
    def people(self) -> Sequence[Seat]:
        """The seats without a player of the house, as far as they have not left."""
        away = {*self._hosted.players, *self.table.gone}
        return [seat for seat in range(self.game.seats) if seat not in away]

    @property
    def names(self) -> Sequence[str]:
        """What all seats are called."""
        return [chair.name for chair in self.table.setting.chairs]

    @property
    def events(self) -> Sequence[Event]:
        """The record so far."""
        return self.table.transcript.events

    @property
    def over(self) -> bool:
        """Whether the record is closed, or the dealer keeps its last lines back."""
        return self.table.closed or self.table.waiting

    def others(self, news: Callable[[], None]) -> None:
        """The house's players move, and sealed moves are opened."""
        asks = self._hosted.play()
        while opening := [ask for ask in asks if ask.kind == "open"]:
            for ask in opening:
                self._hosted.open(ask)
            asks = self._hosted.play()

    def asks(self) -> list[Ask]:
        """What the people here are asked for now."""
        return self.table.asks()

    def view(self, seat: Seat | None) -> Any:
        """What a seat may see."""
        return self.table.view(seat)

    def hidden(self, run: int) -> Sequence[int]:
        """What a hidden run gave: this program is the house, and knows."""
        return [value for _, value in self.table.runs[run - 1].draws]

    def commitments(self) -> Sequence[tuple[int, str]]:
        """What binds the house so far."""
        return self.table.scheme.shown(self.table.runs)

    def submit(self, ask: Ask, answer: Any) -> None:
        """Give an answer; a move that is to be sealed is checked before."""
        if ask.kind != "seal":
            self.table.submit(ask, answer)
            return
        self.game.check(self.view(ask.seat), ask.seat, answer)
        self._hosted.seal(ask, answer)

    def leave(self, seat: Seat, reason: str) -> None:
        """Record a forfeit: by the seat itself, or by the house where a program sits there."""
        if seat in self.table.gone:
            return
        self.table.forfeit(seat, reason, "seat" if seat in self.people else "house")


class Sitting:
    """One game at this keyboard, from the first question to the end."""

    leaves: tuple[str, ...] = ("q", "quit")
    """What is typed to leave, in small letters."""
    leaves_at_once: tuple[str, ...] = ("x", "exit")
    """The same for those who do not want to be asked whether they mean it."""
    costly: bool = True
    """Whether leaving is asked about once more."""
    exit_reason: str = "chose to exit"
    """What the record says of somebody who left by choice."""

    def __init__(self, console: Console, place: Place) -> None:
        self.console = console
        self.place = place
        self.told = 1
        """How many lines of the record have been told. The first is told by nobody."""
        self._bound = 0
        """How many commitments of the house have been shown."""
        self.asked: Seat = next(iter(place.people), 0)
        """Whose answer is awaited. Whoever leaves now leaves for this seat."""

    def play(self) -> None:
        """Until the record is closed, or somebody leaves."""
        while True:
            try:
                self._go_round()
                return
            except Left:
                self.leave(self.exit_reason)  # and the others play on, if they can
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
        """Record that whoever is asked walks away, and tell what comes of it."""
        if not self.place.over:
            self.place.leave(self.asked, reason)
            self.left(self.asked)
            self.tell_news()

    def leave_all(self, reason: str) -> None:
        """Everybody at the keyboard leaves, first whoever is asked.

        If the game goes on all the same, the house's players finish it. Where only they play,
        the house stops it.
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
        """A line from the person. Asides, and thoughts of leaving, come back to the prompt."""
        while True:
            typed = self.console.ask_hidden(prompt) if hidden else self.console.ask(prompt)
            word = " ".join(typed.lower().split())
            if word in self.leaves_at_once:
                raise Left
            if word in self.leaves:
                if self.means_to_leave():
                    raise Left
            elif word in (asides := self.asides()):
                asides[word]()
            else:
                return typed

    def means_to_leave(self) -> bool:
        """Whether they are sure, where leaving costs something."""
        if not self.costly:
            return True
        return self.console.ask("Leave the game? That gives it up. (y/n): ").lower() in YES

    def stays(self) -> bool:
        """Whether the game goes on after Ctrl-C: not where that is a quick way out."""
        return False

    # What a screen says in its own way

    def asides(self) -> Mapping[str, Callable[[], None]]:
        """What can be typed at every prompt, in small letters, and what it does."""
        return {}

    def tell(self, event: Event) -> None:
        """Put a new line of the record into words."""

    def choose(self, ask: Ask) -> Move:
        """A move of the person whose seat is asked."""
        raise NotImplementedError

    def stir(self, ask: Ask) -> str:
        """Words of a person, which become part of the chance."""
        return self.ask("Type anything random to mix into the chance: ")

    def number(self, ask: Ask) -> int:
        """A number of a person, which becomes part of the chance."""
        while True:
            typed = self.ask(f"Your number, from 0 to {ask.n - 1}: ")
            if typed.isascii() and typed.isdigit() and len(typed) <= len(str(ask.n)):
                return int(typed)
            self.console.say(f"Type a number from 0 to {ask.n - 1}, not {typed!r}.")

    def bound(self, text: str) -> None:
        """What binds the house, to be compared with what ``verify`` prints later."""
        half = len(text) // 2  # so that it fits into 40 columns
        self.console.say("The fingerprint of the house's secrets:")
        self.console.say(f"  {text[:half]}\n  {text[half:]}")

    def refused(self, ask: Ask, problem: InputError) -> None:
        """An answer was not taken; the same is asked again."""
        if ask.kind == "stir":
            from fairground.fair.chains import LONGEST_STIR

            self.console.say(f"Letters and digits, please, at most {LONGEST_STIR} of them.")
        else:
            self.console.say(f"Not taken: {problem}.")

    def left(self, seat: Seat) -> None:
        """Somebody has left; what that means is told by the lines that follow."""
