"""An evening at this keyboard: who sits where, tables that can be resumed, one more game.

A saved game can be resumed: its record grows line by line, and its vault keeps the house's secrets
until it ends. `OpenTable` holds table, record and vault together.

``--seat NAME=PLAYER`` names a seat by its role: ``keeper``, or ``player1`` where several have the
same role. If all seats are alike, any other name takes the next free seat:
``--seat Ann=me --seat Hal=optimal``.

``--games N`` plays N games, ``--match N`` plays until somebody has won N. Otherwise a person on a
terminal is asked after each game. In a pipe one game is played.
"""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self

from fairground.core import FairgroundError, Game, InputError, Seat
from fairground.door.tables import USUAL, new_table
from fairground.escape import shown
from fairground.fair.bits import HashStream, Tag, digest, fresh
from fairground.fair.register import dealer_class
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.players import (
    DIFFICULTIES,
    Player,
    fitting,
    make_player,
    offered,
    prepare,
    seat_labels,
    seat_title,
    usual_player,
    wanted_seats,
)
from fairground.table import Table, new_name
from fairground.terminal.console import Console, EndOfInput, Ink, can_read_keys
from fairground.terminal.files import FileVault, Saved, VaultLabel, add_saving, read_file
from fairground.terminal.records import say_the_verdict, say_what_is_proven, winners
from fairground.terminal.waiting import once, patiently
from fairground.transcript import check_chain, read
from fairground.verifier import resume, verify
from fairground.words.plain import listed

PRACTICE = "seeded/1"


class TablePlan(NamedTuple):
    """A game that a command is going to open."""

    command: str
    """Which command it is: it names the file, and goes on with the game later."""
    arguments: Sequence[str]
    """The command line with which it is gone on with."""
    game: Game[Any]
    chairs: Sequence[Chair]
    scheme: str = USUAL
    options: Mapping[str, Any] = {}
    """The scheme's."""
    file: str = ""
    """Prefix of the file's name; the command by default."""


class HousePlayers:
    """Makes the house's players. They draw from one seed, which an unfinished game keeps."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.seed = seed or fresh()

    def make(self, spec: str, game: Game[Any], seat: Seat) -> Player:
        """Make the player that ``spec`` names; it may take seconds to get ready."""
        with once("Perfect play") as progress:
            prepare(spec, game, progress)
        chance = HashStream(digest(Tag.PLAYER, self.seed, seat))
        listing = fitting(game, seat).get(spec.partition(":")[0])
        if listing is not None and (listing.slow or listing.extra is not None):
            return patiently(f"{spec} gets ready", lambda: make_player(spec, game, chance, seat))
        return make_player(spec, game, chance, seat)


class OpenTable:
    """A table with its record and its secrets."""

    def __init__(self, table: Table, saved: Saved, vault: MemoryVault, resumed: bool) -> None:
        self.table = table
        self.saved = saved
        self.vault = vault
        self.resumed = resumed
        """True if an earlier process began the game."""

    @classmethod
    def new(
        cls, wanted: TablePlan, options: argparse.Namespace, players: HousePlayers | None = None
    ) -> Self:
        """Open a new table. With ``--seed`` it is for practice, and proves nothing."""
        name = new_name()
        saved = Saved(options, wanted.file or wanted.command, name)
        seed = (players or HousePlayers()).seed
        vault = _vault(wanted, saved, name, seed)
        scheme, more = wanted.scheme, dict(wanted.options)
        if options.seed is not None:
            scheme, more = PRACTICE, {"seed": options.seed, "game": 0}
        table = new_table(
            wanted.game,
            wanted.chairs,
            scheme,
            name=name,
            vault=vault,
            transcript=saved.transcript,
            **more,
        )
        return cls(table, saved, vault, resumed=False)

    @classmethod
    def again(cls, vault: FileVault) -> Self:
        """An unfinished table, where it stopped. The record says that it was gone on with."""
        path = Path(vault.label.record)
        data = read_file(str(path))
        start = check_chain(read(data)[:1])[0]
        if start["table"] != vault.label.table:
            raise InputError(f"{str(path)!r} is the record of another game")
        dealer = dealer_class(start["dealer"]).again(
            bytes.fromhex(start["table"]), vault, start["public"]
        )
        saved = Saved.again(path, data)
        table = resume(data, dealer, saved.write)
        saved.transcript = table.transcript
        if table.payoff is None:
            table.note({"resumed": sum(_is_resumed(e) for e in table.transcript.events) + 1})
        return cls(table, saved, vault, resumed=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the record. The secrets of a game that is over are removed."""
        self.saved.__exit__()
        if isinstance(self.vault, FileVault):
            over = self.table.closed or self.saved.path is None
            self.vault.close(over=over)

    def become(self, other: OpenTable) -> None:
        """Go on as another table: this one is closed."""
        self.close()
        self.table, self.saved, self.vault = other.table, other.saved, other.vault

    @property
    def lasting(self) -> bool:
        return (
            isinstance(self.vault, FileVault)
            and self.saved.path is not None
            and not self.table.closed
        )

    @property
    def practice(self) -> bool:
        return self.table.scheme.name == PRACTICE


def _is_resumed(event: Mapping[str, Any]) -> bool:
    return bool(event["kind"] == "note" and "resumed" in event["body"])


def _vault(wanted: TablePlan, saved: Saved, name: bytes, seed: bytes) -> MemoryVault:
    """In a file, where the record is one; else as long as this program."""
    if saved.path is None or not saved.path.is_file():
        return MemoryVault()
    record = str(saved.path.resolve())
    label = VaultLabel(name.hex(), record, wanted.command, list(wanted.arguments), seed.hex())
    try:
        return FileVault.create(label)
    except OSError:
        return MemoryVault()


ME: Final = "me"


def add_seats(parser: argparse.ArgumentParser, says: str) -> None:
    """``--seat``, which may be repeated."""
    parser.add_argument("--seat", action="append", default=[], metavar="NAME=PLAYER", help=says)


def add_difficulty(parser: argparse.ArgumentParser, game: Game[Any], seat: Seat) -> None:
    """``--difficulty``: how strong the machine at this seat is, in words."""
    words = difficulties(game, seat)
    each = ", ".join(f"{word} ({name})" for word, name in words.items())
    parser.add_argument(
        "--difficulty", choices=list(words), help=f"how strong the machine is: {each}"
    )


def add_playing(parser: argparse.ArgumentParser, seats: str) -> None:
    """Add the options of every game: its seats, how many games, practice, and the record."""
    add_seats(parser, seats)
    add_counting(parser)
    add_practice(parser)
    add_saving(parser)


class SeatPlan(NamedTuple):
    """People and players by seat."""

    people: dict[Seat, str]
    """The people at this keyboard, by name."""
    players: dict[Seat, str]
    """The players of the other seats, such as ``mcts:200``."""

    def names(self, game: Game[Any]) -> list[str]:
        """Return the names of the seats in the record."""
        labels = [seat_title(label) for label in seat_labels(game)]
        return [
            self.people[seat] or label if seat in self.people else f"{label} ({self.players[seat]})"
            for seat, label in enumerate(labels)
        ]

    def swapped(self) -> SeatPlan:
        """Return the plan with the two sides swapped."""
        return SeatPlan(
            {1 - seat: name for seat, name in self.people.items()},
            {1 - seat: spec for seat, spec in self.players.items()},
        )


def company(game: Game[Any], wanted: Sequence[str]) -> SeatPlan:
    """Return the seat plan as given; by default one person and house players."""
    people: dict[Seat, str] = {}
    players: dict[Seat, str] = {}
    given = _with_free_names(game, wanted)
    for seat, player in wanted_seats(game, given, "--seat", _seat_example(game)).items():
        who, _, name = player.partition(":")
        if who == ME:
            people[seat] = name
        else:
            players[seat] = player_for(game, seat, player)
    free = [seat for seat in range(game.seats) if seat not in people and seat not in players]
    if free and not people:
        # A game names the house's role first: a person takes the last.
        role = game.role(game.seats - 1)
        seat = next((seat for seat in free if game.role(seat) == role), free[0])
        people[seat] = ""
        free.remove(seat)
    for seat in free:
        players[seat] = usual_player(game, seat) or _nobody(game, seat)
    return SeatPlan(people, players)


def _with_free_names(game: Game[Any], wanted: Sequence[str]) -> list[str]:
    """``Ann=me`` as ``player1=me:Ann``, where all seats are alike and this one is free."""
    labels = seat_labels(game)
    roles = {game.role(seat) for seat in range(game.seats)}
    taken = {text.partition("=")[0] for text in wanted}
    free = iter([label for label in labels if label not in taken])
    given = []
    for text in wanted:
        name, equals, player = text.partition("=")
        meant_as_label = name.rstrip("0123456789") in roles or not name
        if len(roles) == 1 and equals and not meant_as_label and (label := next(free, None)):
            given.append(f"{label}={f'{ME}:{name}' if player == ME else player}")
        else:
            given.append(text)
    return given


def player_for(game: Game[Any], seat: Seat, word: str) -> str:
    """Return a player by its name, or by how strong it is: ``easy``, ``medium`` or ``hard``."""
    return difficulties(game, seat).get(word, word)


def difficulties(game: Game[Any], seat: Seat) -> dict[str, str]:
    """Return the difficulties at this seat, each with its player."""
    there = sorted(offered(game, seat).items())
    by_word = {listing.difficulty: name for name, listing in there if listing.difficulty}
    return {word: by_word[word] for word in DIFFICULTIES if word in by_word}


def _nobody(game: Game[Any], seat: Seat) -> str:
    label = seat_labels(game)[seat]
    raise InputError(
        f"no player of ours can take the seat {label} here. A person can: --seat {label}={ME}"
    )


def _seat_example(game: Game[Any]) -> str:
    seat = game.seats - 1
    return f"--seat {seat_labels(game)[seat]}={usual_player(game, seat) or ME}"


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


class Screen(Protocol):
    """One game at this keyboard."""

    def play(self) -> None:
        """Play until the record is closed."""


class Parlour(ABC):
    """Game after game of one kind, with the same company.

    A game declares its table (`wanted`) and its screen (`screen`).
    """

    swaps = False
    """True if swapping sides makes sense."""

    def __init__(
        self,
        options: argparse.Namespace,
        arguments: Sequence[str],
        art: Ink,
        seats: SeatPlan | None = None,
    ) -> None:
        """``arguments`` is the command line that goes on with an unfinished game."""
        self.options = options
        self.arguments = arguments
        self.console = Console()
        self.swapped = False
        self._art = art
        self._seats = seats or SeatPlan({}, {})
        self._games: int | None = options.games
        self._match: int | None = options.match
        self._won: dict[str, int] = {}
        self._count_played = 0
        self._valid = True
        self._lost = False

    @property
    def who(self) -> SeatPlan:
        return self._seats.swapped() if self.swapped else self._seats

    def players(self, house: HousePlayers) -> dict[Seat, Player]:
        """Make the house's players. A wrong name is refused here, before there is a record."""
        game = self.wanted().game
        return {seat: house.make(spec, game, seat) for seat, spec in self.who.players.items()}

    @abstractmethod
    def wanted(self) -> TablePlan:
        """Return the plan of the table."""

    @abstractmethod
    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> Screen:
        """Return the screen of a game that is about to be played."""

    def play(self, opened: OpenTable, players: Mapping[Seat, Player]) -> OpenTable:
        """Play a game to its end, and say what came of it, however it ended."""
        try:
            self.screen(opened, players).play()
        finally:
            self.ended(opened)
        return opened

    def ended(self, opened: OpenTable) -> None:
        """Say what a game came to, and let go of its table."""
        with opened:
            self._valid = say_what_is_proven(self.console, self._art, opened) and self._valid
        self._lost = self._lost or opened.saved.lost

    def run(self) -> int:
        """Play until nobody wants another game; return the exit code."""
        return self._go_on(self.new())

    def resume(self, opened: OpenTable, house: HousePlayers) -> int:
        """Run the evening, beginning with a resumed game."""
        return self._go_on(self.play(opened, self.players(house)))

    def _go_on(self, played: OpenTable | None) -> int:
        while played is not None and self._goes_on(played):
            played = self.new()
        if self._lost and self.options.save is not None:
            return 2  # the record was asked for, and is not there
        return 0 if self._valid else 1

    def new(self) -> OpenTable | None:
        """Open a table, and play; ``None``: nobody wanted to."""
        house = HousePlayers()
        players = self.players(house)
        return self.play(OpenTable.new(self.wanted(), self.options, house), players)

    def _goes_on(self, played: OpenTable) -> bool:
        table = played.table
        self._count(table)
        people = [seat for seat, chair in enumerate(table.setting.chairs) if chair.by == "self"]
        if any(e["kind"] == "forfeit" and e["seat"] in people for e in table.transcript.events):
            return False  # nobody who left is asked for another game
        if self._match is not None:
            return self._match_goes_on(self._match)
        if self._games is not None:
            return self._count_played < self._games
        return bool(people) and can_read_keys() and self._asked(played)

    def _count(self, table: Table) -> None:
        self._count_played += 1
        names = [chair.name for chair in table.setting.chairs]
        for name in names:
            self._won.setdefault(name, 0)
        for seat in winners(table.game.name, table.payoff):
            self._won[names[seat]] += 1
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

    def _asked(self, played: OpenTable) -> bool:
        """Ask whether the person wants another game."""
        path = played.saved.path
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
                    verdict = verify(bytes(played.table.transcript))
                    say_the_verdict(self.console, self._art, verdict, played.saved)
                case ["q" | "quit" | "x" | "exit" | "n" | "no"]:
                    return False
                case _:
                    self._say(f"{typed!r} is none of these: {', '.join(choices)}, q ends.")

    def _review(self, path: str) -> None:
        from fairground.commands.coach import run_coach

        try:
            run_coach([path])
        except FairgroundError as reason:
            self._say(f"There is no review: {reason}.")

    def _say(self, text: str, style: str = "") -> None:
        self.console.say(self._art.ink(self._art.fold(text), style))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MOST_GAMES
