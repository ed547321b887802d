"""Code breaking on a terminal: what is typed, the board, and the breaker's screen.

The board shows guesses, marks and counts::

    #   guess  marks  full  partial   left
    1   0012   Xo..      1        1    230
    2   0213   XXo.      2        1     12

A code that is too long for a table is folded, with its marks below. Marks are always written as
numbers too. The screen follows the table's events alone, so it tells what the record says.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from fairground.core import IllegalMove, InputError, MissingExtra, Move, Seat
from fairground.fair.chains import LONGEST_STIR
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    GIVE_UP,
    KEEPER,
    NICE,
    Code,
    CodeBreaking,
    Marks,
    Row,
    State,
    digits,
    fits,
    write_code,
)
from fairground.games.codebreaking.words import KEEPERS, CodeBreakingWords
from fairground.players.runner import Runner
from fairground.table import Ask
from fairground.terminal.console import Console, Ink
from fairground.terminal.options import whole_number
from fairground.terminal.sitting import Sitting
from fairground.terminal.waiting import patiently
from fairground.transcript import Event
from fairground.words.plain import count

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.advice import Count, Counting


PROMISES: Final = {
    FAIR: "It is opened in the end.",
    NICE: "This keeper draws nothing, so this is random filler.",
    EVIL: "This keeper has no fixed code, so this is random filler.",
}

BREAKER_KEYS: Final = (
    "hint: a good next guess (the record says that you asked)",
    "board: all rows again",
    "give up: end the game, and see the code",
    "X or q: leave, which counts as giving up",
)

KEEPER_KEYS: Final = (
    "fix 2: correct your answer in row 2 (any row)",
    "board: all rows again",
    "X or q: leave, which counts as a loss",
)

STIR_HELP: Final = (
    "The keeper's part of the draw is fixed: the commitment says so. Your word is mixed with it, "
    "so that neither side alone decides the code. It counts as far as nobody could guess it: "
    "throw a coin or a die. Without one, the record proves only that the code was fixed."
)

LEFT_HELP: Final = (
    "'left' is how many codes fit all answers so far. ~ marks an estimate from samples, of the "
    "right order of magnitude and no more; ? means that none of the sampled codes fits."
)

NOT_COUNTED: Final = "What is left cannot be counted here: pip install 'fairground[solve]'"


NAMES = ("Keeper", "Breaker")


def add_size(parser: argparse.ArgumentParser) -> None:
    """The options that say which codes there are."""
    parser.add_argument(
        "--base",
        type=whole_number,
        default=6,
        metavar="B",
        help="digits are 0 to B - 1; 2 to 100 (6)",
    )
    parser.add_argument(
        "--length", type=whole_number, default=4, metavar="D", help="digits of a code; 1 to 40 (4)"
    )


def code_of(text: str, game: CodeBreaking) -> Code:
    """The code that was typed; raises `IllegalMove` with the reason if it is none."""
    move = CodeBreakingWords(game, NAMES).read(State("guess"), BREAKER, text)
    if not isinstance(move, tuple):
        raise IllegalMove(f"{text!r} is no code")
    return cast(Code, move)


def marks_of(text: str, game: CodeBreaking) -> Marks:
    """Full and partial matches, typed as ``1 2`` or ``1,2``; or ``12`` in short codes."""
    anyone = CodeBreaking(game.base, game.length, EVIL)
    asked = State("answer", asked=(0,) * game.length)
    move = CodeBreakingWords(anyone, NAMES).read(asked, KEEPER, text)
    return cast(Marks, move)


PEG_COLOURS: Final = 8
SINGLE_DIGITS: Final = 10
"""Up to this base every digit is one sign, and has a peg."""
MOST_PEGS: Final = 10
"""Longer codes have their marks as numbers only: nobody counts twenty dots."""


class Pegs(NamedTuple):
    """The signs for marks."""

    full: str
    partial: str
    none: str


class BoardRow(NamedTuple):
    """A row of the board, and how many codes it leaves (``None``: not counted)."""

    row: Row
    left: Count | None


def amount(count: Count | None) -> str:
    """A number of codes: exact with all its digits, estimated with a sign and two of them."""
    if count is None:
        return "-"
    if count.exact:
        return _counted(count.value)
    return f"~{_rounded(count.value)}" if count.value else "?"


def _counted(value: int) -> str:
    """All digits, where they are not too many."""
    return f"{value:,}" if value < 10**15 else _rounded(value)


def _rounded(value: int) -> str:
    """Two digits and a power of ten."""
    if value < 1000:
        return str(value)
    exponent = len(str(value)) - 1
    tenths = round(value / 10 ** (exponent - 1))
    if tenths == 100:
        tenths, exponent = 10, exponent + 1
    return f"{tenths // 10}.{tenths % 10}e{exponent}"


class CodeArt(Ink):
    """Marks and bars."""

    @property
    def signs(self) -> Pegs:
        return Pegs("X", "o", ".") if self.ascii_only else Pegs("●", "○", "·")

    @property
    def bar(self) -> str:
        return "#" if self.ascii_only else "█"

    def code(self, text: str) -> str:
        """A written code, each digit on a peg of its own colour."""
        return "".join(
            self.ink(sign, f"peg{int(sign) % PEG_COLOURS}") if sign.isdigit() else sign
            for sign in text
        )

    def marks(self, text: str) -> str:
        """Marks in their colours."""
        styles = {self.signs.full: "green", self.signs.partial: "yellow", self.signs.none: "dim"}
        return "".join(self.ink(sign, styles.get(sign, "")) for sign in text)

    def pegs(self, marks: Marks, length: int) -> str:
        """One sign for each place: full matches first, then partial ones, then none."""
        full, partial = marks
        none = length - full - partial
        return self.signs.full * full + self.signs.partial * partial + self.signs.none * none


class CodeBoard:
    """Writes rows of one game, always in the same columns."""

    def __init__(self, art: CodeArt, game: CodeBreaking, heading: str = "guess") -> None:
        self._art = art
        self._base, self._length = game.base, game.length
        widest = write_code([game.base - 1] * game.length, game.base)
        most = _counted(game.codes)
        self._titles = ["#", heading, "full", "partial", "left"]
        self._wide = [
            3,
            max(len(widest), len(heading)),
            len("full"),
            len("partial"),
            max(len(most), len("left") if game.codes < 10**6 else len("~1.0e78")),
        ]
        if game.length <= MOST_PEGS:
            self._titles.insert(2, "marks")
            self._wide.insert(2, max(game.length, len("marks")))
        self._stacked = sum(self._wide) + 2 * (len(self._wide) - 1) >= art.columns

    @property
    def heading(self) -> list[str]:
        return (
            []
            if self._stacked
            else [self._art.ink("  ".join(self._cells(self._titles)).rstrip(), "dim")]
        )

    def row(self, number: int, entry: BoardRow) -> list[str]:
        """One row of the board."""
        (guess, (full, partial)), left = entry
        code = write_code(guess, self._base)
        if self._stacked:
            pegs = ""
            if self._length <= MOST_PEGS:
                pegs = self._art.pegs((full, partial), self._length) + "  "
            said = f"{pegs}{full} full, {partial} partial; {amount(left)} left"
            return [
                self._art.fold(code, f"{number:>3}  ", "     "),
                self._art.fold(said, "     "),
            ]
        cells = [str(number), code, str(full), str(partial), amount(left)]
        if self._length <= MOST_PEGS:
            cells.insert(2, self._art.pegs((full, partial), self._length))
        return [self._line(cells)]

    def lines(self, entries: Sequence[BoardRow], room: int | None = None) -> list[str]:
        """The whole board; with little room, its end, and how much was left out."""
        rows = [self.row(number, entry) for number, entry in enumerate(entries, 1)]
        hidden = 0
        if room is not None:
            while len(rows) - hidden > 1 and sum(map(len, rows[hidden:])) > room:
                hidden += 1
        out = list(self.heading)
        if hidden:
            out.append(f"  ... {hidden} earlier ({'board'!r} shows all)")
        return out + [line for row in rows[hidden:] for line in row]

    def some(self, rows: Iterable[tuple[int, Row]]) -> list[str]:
        """Certain rows, under their own numbers, without counts."""
        out = []
        for number, (guess, (full, half)) in rows:
            code = write_code(guess, self._base)
            text = f"{code}: {full} full, {half} partial"
            out.append(self._art.fold(text, f"{number:>5}  ", "       "))
        return out

    def _line(self, cells: Sequence[str]) -> str:
        """A row in its colours."""
        parts = self._cells(cells)
        if self._base <= SINGLE_DIGITS:
            parts[1] = self._art.code(parts[1])
        if self._length <= MOST_PEGS:
            parts[2] = self._art.marks(parts[2])
        return "  ".join(parts).rstrip()

    def _cells(self, cells: Sequence[str]) -> list[str]:
        """Text to the left, numbers to the right."""
        left = {1, 2} if len(cells) > 5 else {1}
        return [
            f"{cell:<{wide}}" if i in left else f"{cell:>{wide}}"
            for i, (cell, wide) in enumerate(zip(cells, self._wide, strict=True))
        ]


HELP = ("?", "help")


class CodeScreen(Sitting):
    """The common part of both sides' screens: look, board and count."""

    def __init__(self, console: Console, art: CodeArt, place: Runner, heading: str) -> None:
        super().__init__(console, art, place)
        game = place.game
        assert isinstance(game, CodeBreaking)
        self.art = art
        self._game = game
        self._words = CodeBreakingWords(game, NAMES)
        self._board = CodeBoard(art, game, heading)
        self._entries: list[BoardRow] = []

    @cached_property
    def _counting(self) -> Counting | None:
        return self._count_from(())

    def _count_from(self, rows: tuple[Row, ...]) -> Counting | None:
        """A count of the codes that fit these rows; ``None`` where that needs an extra."""
        from fairground.games.codebreaking.solver.advice import Counting

        try:
            counting = Counting(self._game.base, self._game.length)
        except MissingExtra:
            return None
        for row in rows:
            counting.keep(row)
        return counting

    def bullets(self, *texts: str) -> None:
        """One paragraph each."""
        for text in texts:
            self.say(text, first="* ")

    def _add(self, row: Row) -> None:
        """Count on with a row, and put it on the board."""
        counting = self._counting
        if counting is not None:
            patiently("Counting codes", lambda: counting.keep(row))
        self._put(row, counting)

    def _enter(self, row: Row, counting: Counting | None) -> None:
        self._counting = counting
        self._entries.append(BoardRow(row, counting.count() if counting else None))

    def _put(self, row: Row, counting: Counting | None) -> None:
        """Put a row on the board, and show it: with all others where a terminal scrolls."""
        self._enter(row, counting)
        if sys.stdout.isatty():
            self._show_board(shutil.get_terminal_size().lines - 6)
            return
        number = len(self._entries)
        for line in (self._board.heading if number == 1 else []) + self._board.row(
            number, self._entries[-1]
        ):
            self.console.say(line)

    def _show_board(self, room: int | None = None) -> None:
        if not self._entries:
            self.say("The board is empty.")
            return
        self.console.say()
        for line in self._board.lines(self._entries, room):
            self.console.say(line)
        if self._counting is None:
            self.say(NOT_COUNTED)

    def _code(self, code: tuple[int, ...]) -> str:
        return write_code(code, self._game.base)


class BreakerScreen(CodeScreen):
    """The person breaks, a keeper of the house keeps."""

    def __init__(
        self, console: Console, art: CodeArt, place: Runner, commitment: str, share: str | None
    ) -> None:
        super().__init__(console, art, place, "guess")
        self._table = place.table
        self._commitment = commitment
        self._share = share
        """The word to be lent; ``None``: it is asked for."""
        self._told_the_end = False

    def play(self) -> None:
        self._introduce()
        super().play()

    def _introduce(self) -> None:
        oracle = self._game.oracle
        title = f"Code breaking, {oracle} keeper: {self._words.sizes()}"
        self.say(title, "bold")
        self.say("? helps, hint advises, give up shows the code, X leaves.")
        self.console.say()
        if self._commitment:
            self.say(f"The keeper's commitment ({PROMISES[oracle]})")
            self.say(self._commitment, first="  ")

    def bound(self, text: str) -> None:
        """The keeper's commitment is shown at the beginning."""

    def stir(self, ask: Ask) -> str:
        while self._share is None:
            answer = self.ask_random(
                "Type anything random for the draw (enter: none): ",
                partial(self.say, STIR_HELP),
            )
            if problem := wrong_with(answer):
                self.say(problem)
                continue
            self._share = answer
        return self._share

    def left(self, seat: Seat) -> None:
        self.say("You leave the game; that counts as giving up.")

    # Asking

    def choose(self, ask: Ask) -> Move:
        state: State = self._table.view(BREAKER)
        while True:
            answer = self.ask(f"Guess {len(state.rows) + 1}: ")
            word = " ".join(answer.lower().split())
            if word in HELP:
                self._help()
            elif word == "hint":
                self._hint(state)
            elif word == "board":
                self._show_board()
            elif word in (GIVE_UP, "giveup"):
                return GIVE_UP
            elif not word:
                self.say(f"Type a guess, such as {self._words.example_code()}; ? helps.")
            else:
                try:
                    return code_of(answer, self._game)
                except InputError as problem:
                    self.say(
                        f"Not counted: {problem}. A guess is typed like this: "
                        f"{self._words.example_code()}"
                    )

    def _help(self) -> None:
        self.say(f"Find the code: {self._words.sizes()}.")
        self.bullets(*self._words.rules.splitlines(), KEEPERS[self._game.oracle], LEFT_HELP)
        full, partial, none = self.art.signs[:3]
        self.say(f"Marks: {full} full, {partial} partial, {none} none; in no order of places.")
        self.say(f"Type a guess, such as {self._words.example_code()}, or:")
        self.bullets(*BREAKER_KEYS)

    def _hint(self, state: State) -> None:
        best = self.advice(state)
        if best is None:
            return
        if best.move == GIVE_UP:
            self.say(f"Hint: {GIVE_UP}. {best.says}")
            return
        guess = cast(Code, best.move)
        may = "may be the code" if fits(guess, state.rows) else "cannot be the code, but tells much"
        self.say(f"Hint: {self._code(guess)}. It {may}. {best.says}")

    # Telling

    def tell_news(self) -> None:
        super().tell_news()
        shown: State = self._table.view(BREAKER)
        for row in shown.rows[len(self._entries) :]:
            self._add(row)
        if self._table.closed and not self._told_the_end:
            self._told_the_end = True
            self._tell_end(shown)

    def tell(self, event: Event) -> None:
        if event["kind"] == "note" and "remark" in event["body"]:
            self.say(f"The keeper remarks: {event['body']['remark']}.", "dim")

    def _tell_end(self, state: State) -> None:
        rows = state.rows
        if state.shown is None:
            self._tell_opened_code()
        elif state.given_up:
            what = "The code was" if self._game.oracle == FAIR else "A code that fits is"
            self.say(f"{what} {self._code(state.shown)}. You gave up: the keeper wins.", "bad")
        else:
            guesses = count(len(rows), "guess", "guesses")
            self.console.say()
            self.say(f"Broken with {guesses}: the code is {self._code(state.shown)}.", "good")
        opened = [e["evidence"] for e in self._table.transcript.events if _opens(e)]
        keys = [evidence["key"] for evidence in opened if "key" in evidence]
        if keys:
            self.say("The key that opens the commitment:")
            self.say(keys[0], first="  ")
        elif state.shown is not None and not opened:
            self.say("Nothing was drawn. The code shown fits every answer.")

    def _tell_opened_code(self) -> None:
        """After a forfeit: the code, if one was drawn."""
        for event in self._table.transcript.events:
            if _opens(event) and event["draws"]:
                code = digits(int(event["draws"][0][1]), self._game.base, self._game.length)
                self.say(f"The code was {self._code(code)}.")


def _opens(event: Event) -> bool:
    return bool(event["kind"] == "opening")


def wrong_with(word: str) -> str | None:
    """Why this cannot be lent to the draw."""
    if len(word) > LONGEST_STIR:
        return f"At most {LONGEST_STIR} characters, please, not {len(word)}."
    if any("\ud800" <= sign <= "\udfff" for sign in word):
        return "Letters and digits, please."
    return None
