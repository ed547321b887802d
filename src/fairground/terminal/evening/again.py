"""One more game: again, with sides swapped, a match to N, and the running score.

``--games N`` plays so many games, ``--match N`` until somebody has won so many. Without either, a
person on a terminal is asked after each game; in a pipe there is one.
"""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.core import FairgroundError, Seat
from fairground.shown import shown
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.ink import Ink
from fairground.terminal.keys import can_read_keys
from fairground.words.plain import listed

if TYPE_CHECKING:
    from fairground.players import Player
    from fairground.terminal.evening.tables import HousePlayers, OpenTable, TablePlan
    from fairground.terminal.proof import Missing

MOST_GAMES: Final = 1_000_000


def add_counting(parser: argparse.ArgumentParser, *names: str) -> None:
    """``--games`` (and other words for it), ``--match`` and ``--seed``."""
    many = parser.add_mutually_exclusive_group()
    many.add_argument("--games", *names, type=_number, metavar="N", help="play N games, and end")
    many.add_argument(
        "--match", type=_number, metavar="N", help="play until somebody has won N games"
    )


def add_practice(parser: argparse.ArgumentParser) -> None:
    """``--seed``: the same chance again."""
    parser.add_argument(
        "--seed",
        metavar="TEXT",
        help="practice: all chance comes from this text, the same each time. It proves nothing",
    )


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if not 1 <= number <= MOST_GAMES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_GAMES:,}")
    return number


class GamePlayed(NamedTuple):
    """A game that was played, or stopped."""

    opened: OpenTable
    valid: bool
    missing: Missing
    left: bool = False
    """Whether somebody at the keyboard left: then they are not asked for another."""

    @property
    def names(self) -> list[str]:
        """Who sat where."""
        return [chair.name for chair in self.opened.table.setting.chairs]

    @property
    def winners(self) -> list[Seat]:
        """Who won."""
        from fairground.terminal.evening.score import winners

        table = self.opened.table
        return winners(table.game.name, table.payoff)


def to_its_end(
    console: Console, art: Ink, opened: OpenTable, play: Callable[[], None], missing: Missing
) -> GamePlayed:
    """Play, and say what came of it, however it played."""
    played: GamePlayed | None = None
    try:
        play()
    finally:
        played = said_how_it_ended(console, art, opened, missing)
    return played


def said_how_it_ended(
    console: Console, art: Ink, opened: OpenTable, missing: Missing
) -> GamePlayed:
    """Say what a game that is played came to, and let go of its table."""
    from fairground.terminal.proof import say_what_is_proven

    with opened:
        valid = say_what_is_proven(console, art, opened, missing)
    people = [i for i, chair in enumerate(opened.table.setting.chairs) if chair.by == "self"]
    events = opened.table.transcript.events
    left = any(event["kind"] == "forfeit" and event["seat"] in people for event in events)
    return GamePlayed(opened, valid, missing, left)


class Parlour(ABC):
    """Game after game of one kind, with the same company.

    A game says how: who plays for the house (`players`), what is opened (`wanted`), and how it is
    played at the keyboard (`play`).
    """

    swaps = False
    """Whether another side is another game."""

    def __init__(
        self,
        options: argparse.Namespace,
        arguments: Sequence[str],
        console: Console,
        art: Ink,
    ) -> None:
        """``arguments`` is the command line that goes on with an unfinished game."""
        self.options = options
        self.arguments = arguments
        self.console = console
        self.swapped = False
        self._art = art
        self._games: int | None = options.games
        self._match: int | None = options.match
        self._won: dict[str, int] = {}
        self._count_played = 0
        self._valid = True
        self._lost = False

    @abstractmethod
    def players(self, house: HousePlayers) -> dict[Seat, Player]:
        """The house's players. A name that is wrong is refused here, before there is a record."""

    @abstractmethod
    def wanted(self) -> TablePlan:
        """What to open."""

    @abstractmethod
    def play(self, opened: OpenTable, players: Mapping[Seat, Player]) -> GamePlayed:
        """Play a game to its end; see `to_its_end`."""

    def run(self) -> int:
        """Until nobody wants another; the exit code."""
        return self._go_on(self.new())

    def resume(self, opened: OpenTable, house: HousePlayers) -> int:
        """The same, beginning with a game that is open already."""
        return self._go_on(self.play(opened, self.players(house)))

    def _go_on(self, played: GamePlayed | None) -> int:
        while played is not None and self._goes_on(played):
            played = self.new()
        if self._lost and self.options.save is not None:
            return 2  # the record was asked for, and is not there
        return 0 if self._valid else 1

    def new(self) -> GamePlayed | None:
        """Open a table, and play; ``None``: nobody wanted to."""
        from fairground.terminal.evening.tables import HousePlayers, OpenTable

        house = HousePlayers()
        players = self.players(house)
        return self.play(OpenTable.new(self.wanted(), self.options, house), players)

    def _goes_on(self, played: GamePlayed) -> bool:
        self._valid = self._valid and played.valid
        self._lost = self._lost or played.opened.saved.lost
        self._count(played)
        if played.left:
            return False
        if self._match is not None:
            return self._match_goes_on(self._match)
        if self._games is not None:
            return self._count_played < self._games
        people = any(chair.by == "self" for chair in played.opened.table.setting.chairs)
        return people and can_read_keys() and self._asked(played)

    def _count(self, played: GamePlayed) -> None:
        self._count_played += 1
        for name in played.names:
            self._won.setdefault(name, 0)
        for seat in played.winners:
            self._won[played.names[seat]] += 1
        if self._count_played > 1 or self._match is not None:
            goal = "" if self._match is None else f" The match goes to {self._match}."
            self._say(f"Score after {self._count_played}: {self._score()}.{goal}", "bold")

    def _score(self) -> str:
        return listed([f"{shown(name)} {won}" for name, won in self._won.items()])

    def _match_goes_on(self, to: int) -> bool:
        best = max(self._won.values())
        if best < to:
            return True
        first = [shown(name) for name, won in self._won.items() if won == best]
        self._say(f"{listed(first)} won the match.", "good")
        return False

    # Asking

    def _asked(self, played: GamePlayed) -> bool:
        """Whether the person wants another game."""
        path = played.opened.saved.path
        saved = path is not None
        choices = ["Enter plays again"]
        choices += ["s swaps sides"] if self.swaps else []
        choices += ["m 3 plays a match to 3"]
        choices += ["r reviews this game", "p tells what its record proves"] if saved else []
        self.console.say()
        self._say(f"{', '.join(choices)}, q ends.")
        while True:
            try:
                typed = self.console.ask("Once more? ").lower()
            except EndOfInput:
                return False  # nothing is at stake now
            match typed.split():
                case [] | ["y" | "yes"]:
                    return True
                case ["s" | "swap"] if self.swaps:
                    self.swapped = not self.swapped
                    return True
                case ["m" | "match", number] if _is_number(number):
                    self._match, self._won, self._count_played = int(number), {}, 0
                    return True
                case ["r" | "review"] if saved:
                    self._review(str(path))
                case ["p" | "proof"] if saved:
                    self._tell_the_proof(played)
                case ["q" | "quit" | "x" | "exit" | "n" | "no"]:
                    return False
                case _:
                    self._say(f"{typed!r} is none of these: {', '.join(choices)}, q ends.")

    def _tell_the_proof(self, played: GamePlayed) -> None:
        from fairground.terminal.proof import say_the_verdict
        from fairground.verify import verify

        opened = played.opened

        verdict = verify(bytes(opened.table.transcript))
        say_the_verdict(self.console, self._art, verdict, opened.saved, played.missing)

    def _review(self, path: str) -> None:
        from fairground.terminal.commands.records.coach import run

        try:
            run([path])
        except FairgroundError as reason:
            self._say(f"There is no review: {reason}.")

    def _say(self, text: str, style: str = "") -> None:
        self.console.say(self._art.ink(self._art.fold(text), style))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MOST_GAMES
