"""``fairground sit``: play a seat at an arena. `list_seats` shows the free ones."""

from __future__ import annotations

import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from fairground.clients.http import Refused, in_plain_words
from fairground.clients.table import CONFLICT, WAIT, RemoteSeat, sit_down, tables
from fairground.core import FairgroundError, Game, IllegalMove, InputError, Seat
from fairground.games import GAMES
from fairground.receipts import beside, heads
from fairground.table import Ask
from fairground.terminal.console import Arguments, Console, EndOfInput, Ink
from fairground.terminal.files import Saved, add_saving
from fairground.terminal.options import add_ascii
from fairground.terminal.records import say_the_verdict
from fairground.terminal.sitting import PlainScreen
from fairground.transcript import Event
from fairground.verifier import verify
from fairground.words.plain import listed, quoted

ARENA_URL: Final = re.compile(r"https?://(?:(?!/tables)\S)+")
TABLE_URL: Final = re.compile(r"(https?://(?:(?!/tables)\S)+)/tables/([^/\s]+)/?")

LENDS: Final = "chain"
"""The share of chance that a person's client lends: its own hash chain."""


def list_seats(console: Console, arena: str) -> int:
    """Print the tables at which somebody may sit down."""
    rows = list(tables(arena, state="open"))
    if not rows:
        console.say("No seat is open there. Whoever opens a table can leave one open.")
        return 0
    for row in rows:
        console.say(_line(row))
    where = f"{arena.rstrip('/')}/tables/{in_plain_words(rows[0]['id'])}"
    console.say(f"To sit down, for example: fairground sit {where} --name NAME")
    return 0


def _line(row: dict[str, Any]) -> str:
    game = str(row["game"])
    title = GAMES[game].title if game in GAMES else game
    seats = row["seats"]
    there = [in_plain_words(seat["name"]) for seat in seats if not seat["open"]]
    free = sum(bool(seat["open"]) for seat in seats)
    company = f"with {', '.join(there)}" if there else "nobody is there yet"
    return (
        f"{in_plain_words(row['id'])}  {in_plain_words(title)}, {company}; "
        f"{free} seat{'s are' if free > 1 else ' is'} open"
    )


def take_seat(console: Console, table: str, name: str | None) -> str:
    """Sit down at a table; the private address of the seat, which is shown once."""
    if name is None:
        raise InputError("who are you? Say it with --name, such as --name Ada")
    found = TABLE_URL.fullmatch(table)
    assert found is not None
    seat = sit_down(found[1], found[2], name, lends=LENDS)
    console.say(f"Your seat is {seat}")
    console.say("Whoever has this address plays it. The game begins when everybody sits.")
    return seat


SEAT_URL: Final = re.compile(r"https?://\S+/tables/[^/\s]+/seats/[^/\s]+/?")
EXAMPLE: Final = "http://127.0.0.1:8000/tables/TABLE/seats/SECRET"
GLANCE: Final = 0.1
"""Seconds between two looks at whether a request is done: Ctrl-C is heard meanwhile."""


def _arguments() -> Arguments:
    parser = Arguments(
        "sit",
        "Play a seat at an arena. Give the private address of the seat, which whoever opened the\n"
        "table has got for you. Your own secrets stay here, every line of the record is checked,\n"
        "and in the end the whole game is.",
        f"Examples:\n  fairground sit {EXAMPLE}\n"
        "  fairground sit http://127.0.0.1:8000               lists the open seats\n"
        "  fairground sit http://127.0.0.1:8000/tables/TABLE --name Ada\n\n"
        "At every prompt: ? shows the rules, look shows the table, q leaves.\n"
        "Ctrl-C asks whether you mean to leave; a second one leaves.\n"
        "Exit codes: 0 finished or left by choice, 1 the record does not hold, 2 bad input or no\n"
        "arena, 3 end of input in the middle, 130 Ctrl-C.",
    )
    parser.add_argument(
        "seat",
        metavar="URL",
        help="the private address of a seat; of a table with an open seat; or of an arena, whose "
        "open seats are listed then",
    )
    parser.add_argument("--name", metavar="NAME", help="your name, for an open seat")
    add_ascii(parser, "keep to plain letters", "use all signs")
    add_saving(parser)
    return parser


class Away:
    """A seat at a table far away, as a `Place`."""

    def __init__(self, remote: RemoteSeat, tell_waiting: Callable[[str], None]) -> None:
        self._remote = remote
        self._tell_waiting = tell_waiting
        self._looking: _Work | None = None
        self._left = False
        self.lasting = False
        """Leaving an arena is leaving: others wait there."""
        self.names: Sequence[str] = [quoted(name) for name in remote.names]

    @property
    def game(self) -> Game[Any]:
        return self._remote.game

    @property
    def people(self) -> Sequence[Seat]:
        return (self._remote.seat,)

    @property
    def events(self) -> Sequence[Event]:
        return self._remote.events[: self._remote.shown["step"]]

    def commitments(self) -> Sequence[tuple[int, str]]:
        """Nothing to show: the words and numbers of this seat are made by its own program."""
        return ()

    @property
    def closed(self) -> bool:
        return bool(self.events[-1]["kind"] == "end")

    @property
    def over(self) -> bool:
        return self.closed or self._left

    def others(self, news: Callable[[], None]) -> None:
        """Give what needs no person, and wait until a person is asked or the game is over."""
        waited = False
        while not self.over and not self.asks():
            if self._give_by_itself():
                self._look(0)
                continue
            news()
            if not waited:
                self._tell_waiting(self._who_is_awaited())
                waited = True
            self._look(WAIT)

    def _give_by_itself(self) -> bool:
        """Links of our chain, numbers, words of chance and keys of seals: all made here."""
        given = False
        for ask in self._remote.owed():
            given = self._remote.give(ask) or given
        return given

    def _who_is_awaited(self) -> str:
        others = [name for seat, name in enumerate(self.names) if seat not in self.people]
        return f"Waiting for {listed(others) or 'the house'}."

    def asks(self) -> list[Ask]:
        """The moves that the person owes."""
        if self.over:
            return []
        return [ask for ask in self._remote.owed() if ask.kind in ("move", "seal")]

    def view(self, seat: Seat | None) -> Any:
        """Return the seat's view."""
        return self._remote.view

    def hidden(self, run: int) -> Sequence[int] | None:
        """Return the values of a hidden run once it is opened."""
        return self._remote.hidden(run)

    def submit(self, ask: Ask, answer: Any) -> None:
        """Send a move, or its seal."""
        self.game.check(self.view(ask.seat), ask.seat, answer)
        try:
            self._remote.give(ask, answer)
        except Refused as refused:
            if refused.code == IllegalMove.code:
                raise IllegalMove(str(refused)) from None
            raise
        self._look(0)

    def leave(self, seat: Seat, reason: str) -> None:
        """Tell the arena, and see what it writes."""
        try:
            self._remote.forfeit(reason)
        except Refused as refused:
            if refused.status != CONFLICT:
                raise
        self._look(0)
        self._left = True

    def _look(self, wait: float) -> None:
        """Learn what is new. A look that Ctrl-C broke into is finished before another begins."""
        resumed = self._looking is not None
        self._finish_a_look(wait)
        if resumed and not wait:
            self._finish_a_look(0)

    def _finish_a_look(self, wait: float) -> None:
        with ctrl_c_kept_back() as pressed:
            look = self._looking = self._looking or _Work(partial(self._remote.look, wait))
            while look.thread.is_alive():
                if pressed():
                    raise KeyboardInterrupt
                look.thread.join(GLANCE)
            self._looking = None
            if pressed():
                raise KeyboardInterrupt
        if look.error is not None:
            raise look.error


class _Work:
    """Something done in a thread of its own, so that Ctrl-C cannot leave it half done."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.error: FairgroundError | None = None
        self._work = work
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except FairgroundError as error:
            self.error = error


@contextmanager
def ctrl_c_kept_back() -> Iterator[Callable[[], bool]]:
    """Have Ctrl-C only noted, so that it can be heeded where nothing is half done."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


class SeatScreen(PlainScreen):
    """A seat at an arena, where others wait: leaving is asked about, by Ctrl-C too."""

    def stays(self) -> bool:
        if sys.stdin is None or not sys.stdin.isatty():
            return False
        try:
            return not self.means_to_leave()
        except (KeyboardInterrupt, EndOfInput):
            self.console.say()
            return False


def run(arguments: Sequence[str]) -> int:
    """``fairground sit``"""
    options = _arguments().parse_args(arguments)
    if ARENA_URL.fullmatch(options.seat):
        return list_seats(Console(), options.seat)
    if TABLE_URL.fullmatch(options.seat):
        options.seat = take_seat(Console(), options.seat, options.name)
    if not SEAT_URL.fullmatch(options.seat):
        raise InputError(f"this is not the address of a seat: {options.seat!r}. One is {EXAMPLE}")
    remote = RemoteSeat(options.seat)
    console, ink = Console(), Ink.of_terminal(options.ascii)
    table = bytes.fromhex(remote.events[0]["table"])
    with Saved(options, remote.game.name.partition("/")[0], table) as saved:
        place = Away(remote, lambda text: screen.say(text, "dim"))
        screen = SeatScreen(console, ink, place)
        if saved.path is not None and not place.over:
            remote.receipts_file = beside(saved.path)
            remote.receipts_file.unlink(missing_ok=True)
        holds = True
        try:
            if place.over:
                screen.say("This game is over.")
            else:
                screen.introduce(_about(remote))
            screen.play()
        finally:
            data = bytes(remote)
            saved.write(data)
            if place.closed:
                verdict = verify(data, heads(remote.receipts))
                holds = say_the_verdict(console, ink, verdict, saved)
            else:
                screen.say("The record is not closed yet.")
    return 0 if holds else 1


def _about(remote: RemoteSeat) -> dict[Seat, str]:
    """Return who runs the other seats, by the record."""
    chairs = remote.events[0]["seats"]
    run_by = {"house": "a player of the house", "self": "a person, or a program of their own"}
    return {
        seat: run_by.get(chair["by"], "nobody knows whom")
        for seat, chair in enumerate(chairs)
        if seat != remote.seat
    }
