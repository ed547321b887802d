"""The finite state machine of an evening, and what its scenes share.

`TRANSITIONS` is the whole machine; ``docs/games/zombie.md`` draws it, and a test holds the
drawing to it.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.core import Seat
from fairground.games.zombie import ROLL, Ended, State, Zombie
from fairground.terminal.zombie.ini import Config
from fairground.terminal.zombie.setup import Company, Guest
from fairground.words.zombie import ZombieWords

if TYPE_CHECKING:
    from fairground.players import Player
    from fairground.table import Ask, Table


class Scene(enum.Enum):
    """Where the evening stands: what is shown, and what is waited for."""

    START = "start"
    WELCOME = "welcome"
    STIR = "stir"
    ORDER = "order"
    TURN = "turn"
    THINK = "think"
    ROLLED = "rolled"
    SHOT = "shot"
    TIE = "tie"
    QUIT = "quit"
    OVER = "over"
    LEFT = "left"


TRANSITIONS: Final[dict[Scene, frozenset[Scene]]] = {
    Scene.START: frozenset({Scene.WELCOME, Scene.STIR, Scene.TURN, Scene.THINK}),
    Scene.WELCOME: frozenset({Scene.WELCOME, Scene.STIR, Scene.ORDER, Scene.LEFT}),
    Scene.STIR: frozenset({Scene.STIR, Scene.ORDER, Scene.ROLLED, Scene.QUIT}),
    Scene.ORDER: frozenset({Scene.TURN, Scene.THINK, Scene.QUIT}),
    Scene.TURN: frozenset(
        {Scene.TURN, Scene.THINK, Scene.STIR, Scene.ROLLED, Scene.TIE, Scene.OVER, Scene.QUIT}
    ),
    Scene.THINK: frozenset(
        {Scene.TURN, Scene.THINK, Scene.STIR, Scene.ROLLED, Scene.TIE, Scene.OVER}
    ),
    Scene.ROLLED: frozenset({Scene.TURN, Scene.THINK, Scene.SHOT}),
    Scene.SHOT: frozenset({Scene.TURN, Scene.THINK, Scene.TIE, Scene.OVER}),
    Scene.TIE: frozenset({Scene.TURN, Scene.THINK, Scene.QUIT}),
    Scene.QUIT: frozenset(
        {Scene.TURN, Scene.STIR, Scene.ORDER, Scene.TIE, Scene.THINK, Scene.ROLLED, Scene.LEFT}
    ),
    Scene.OVER: frozenset(),
    Scene.LEFT: frozenset(),
}


class TurnTally:
    """What a player has done so far, for the winner screen."""

    def __init__(self) -> None:
        self.rolls = 0
        self.shot = 0
        self.best = 0
        self.lost = 0

    def count(self, ended: Ended) -> None:
        """Take in how a turn ended."""
        self.shot += ended.how == "shot"
        self.best = max(self.best, ended.scored)
        self.lost += ended.brains - ended.scored


class Evening:
    """A table that has been set: who sits there, who plays for whom, and how it goes."""

    def __init__(
        self,
        table: Table,
        guests: tuple[Guest, ...],
        players: Mapping[Seat, Player],
        lasting: bool = False,
    ) -> None:
        assert isinstance(table.game, Zombie)
        self.table = table
        self.game: Zombie = table.game
        self.guests = guests
        self.lasting = lasting
        """Whether it can be gone on with another time."""
        self.players = players
        self.names = [guest.name for guest in guests]
        """What messages call the players."""
        self.labels = [guest.label for guest in guests]
        """What the scoreboard calls them."""
        self.persons = [
            seat for seat, guest in enumerate(guests) if guest.person and seat not in table.gone
        ]
        self.tallies = [TurnTally() for _ in guests]
        self.before = self.state
        """The table before the move whose effect is now shown."""

    def recount(self) -> None:
        """Count what the record tells of turns that were played before."""
        from fairground.words.telling import Telling

        telling = Telling(ZombieWords(self.game, self.names))
        for event in self.table.transcript.events[1:]:
            before: State = telling.view
            telling.line(event)
            after: State = telling.view
            if event["kind"] == "move" and event["move"] == ROLL:
                self.tallies[event["seat"]].rolls += 1
            if sum(after.turns) > sum(before.turns) and after.last is not None:
                self.tallies[after.last.seat].count(after.last)

    @property
    def stirs(self) -> bool:
        """Whether words of players are mixed in at all: not in practice."""
        return "stir" in self.table.scheme.public

    @property
    def state(self) -> State:
        """The table as everybody sees it."""
        state: State = self.table.view(None)
        return state

    @property
    def ask(self) -> Ask:
        """What the table waits for."""
        return self.table.asks()[0]

    @property
    def stirs_each(self) -> bool:
        """Whether words are asked for at each roll."""
        return bool(self.table.scheme.public.get("stir") == "each")

    @property
    def turn_has_ended(self) -> bool:
        """Whether the last move, or the roll that it began, ended a turn."""
        return self.state.turns != self.before.turns

    def forfeit(self, seat: Seat, reason: str) -> None:
        """Somebody is out; the others play on, as long as there are two."""
        person = seat in self.persons
        self.table.forfeit(seat, reason, "seat" if person else "house")
        if person:
            self.persons.remove(seat)

    def end(self, reason: str) -> None:
        """Everybody leaves, one after the other, until the record is closed."""
        for _ in self.guests:
            if not self.table.closed:
                self.forfeit(self.leaver(), reason)

    def leaver(self) -> Seat:
        """Whose prompt it is: at a prompt for everybody, the first person's in turn."""
        asks, state = self.table.asks(), self.state
        in_turn = [*(ask.seat for ask in asks[:1]), *state.playing[state.at :], *state.order]
        return next((seat for seat in in_turn if seat in self.persons), in_turn[0])


class Wanted(NamedTuple):
    """What the command line decides."""

    config: Config
    open: Callable[[Company], Evening]
    names: str | None = None
    """Given as an option; ``None``: they are asked for."""
    bots: tuple[str, ...] = ()


class Pauses:
    """Short waits, so that an eye can follow; none in a pipe, none with ``--fast``."""

    def __init__(self, watched: bool) -> None:
        self.watched = watched

    def wait(self, seconds: float) -> None:
        """Let the screen stand for a moment."""
        if self.watched:
            sys.stdout.flush()
            time.sleep(seconds)
