"""Code breaking on a terminal: what is typed, the board, and a screen for each side.

The board shows guesses, marks and counts::

    #   guess  marks  full  partial   left
    1   0012   Xo..      1        1    230
    2   0213   XXo.      2        1     12

A code that is too long for a table is folded, with its marks below. Marks are always written as
numbers too. The screens follow the table's events alone, so they tell what the record says.

Every answer of a person who keeps the code is recorded as it is given. If an answer leaves no code,
the screen asks before it is recorded. A recorded answer cannot be changed, so a correction opens a
new record. The new record begins with the corrected rows and a note of the old answers.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Final, NamedTuple, cast

from fairground.core import IllegalMove, InputError, MissingExtra, Move, Seat
from fairground.fair.chains import LONGEST_STIR
from fairground.games.codebreaking.players import Breaker
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    GIVE_UP,
    KEEPER,
    NICE,
    NO_CODE,
    Code,
    CodeBreaking,
    Marks,
    Row,
    State,
    digits,
    fits,
    marks,
    write_code,
)
from fairground.games.codebreaking.solver.advice import (
    Contradiction,
    Count,
    Counting,
    contradiction,
)
from fairground.games.codebreaking.words import KEEPERS, CodeBreakingWords
from fairground.players.runner import Runner
from fairground.table import Ask, Table
from fairground.terminal.console import Console, Ink
from fairground.terminal.evening import OpenTable
from fairground.terminal.sitting import STIR_HELP, Sitting
from fairground.terminal.waiting import patiently
from fairground.transcript import Event
from fairground.words.plain import count

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

LEFT_HELP: Final = (
    "'left' is how many codes fit all answers so far. ~ marks an estimate from samples, of the "
    "right order of magnitude and no more; ? means that none of the sampled codes fits."
)

NOT_COUNTED: Final = "What is left cannot be counted here: pip install 'fairground[solve]'"


NAMES = ("Keeper", "Breaker")


def add_size(parser: argparse.ArgumentParser) -> None:
    """Add ``--base`` and ``--length``."""
    parser.add_argument(
        "--base",
        type=int,
        default=6,
        metavar="B",
        help="digits are 0 to B - 1; 2 to 100 (6)",
    )
    parser.add_argument(
        "--length", type=int, default=4, metavar="D", help="digits of a code; 1 to 40 (4)"
    )


def code_of(text: str, game: CodeBreaking) -> Code:
    """Return the code that was typed; raise `IllegalMove` with the reason if it is none."""
    move = CodeBreakingWords(game, NAMES).read(State("guess"), BREAKER, text)
    if not isinstance(move, tuple):
        raise IllegalMove(f"{text!r} is no code")
    return cast(Code, move)


def marks_of(text: str, game: CodeBreaking) -> Marks:
    """Return full and partial matches, typed as ``1 2`` or ``1,2``; or ``12`` in short codes."""
    anyone = CodeBreaking(game.base, game.length, EVIL)
    asked = State("answer", asked=(0,) * game.length)
    move = CodeBreakingWords(anyone, NAMES).read(asked, KEEPER, text)
    return cast(Marks, move)


PEG_COLOURS: Final = 8
SINGLE_DIGITS: Final = 10
"""Up to this base every digit is one sign, and has a peg."""
MOST_PEGS: Final = 10
"""Longer codes have their marks as numbers only: nobody counts twenty dots."""


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
    """Return all digits, where they are not too many."""
    return f"{value:,}" if value < 10**15 else _rounded(value)


def _rounded(value: int) -> str:
    """Return two digits and a power of ten."""
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
    def signs(self) -> str:
        """The signs for a full match, a partial one and none."""
        return "Xo." if self.ascii_only else "●○·"

    @property
    def bar(self) -> str:
        return "#" if self.ascii_only else "█"

    def code(self, text: str) -> str:
        return "".join(
            self.ink(sign, f"peg{int(sign) % PEG_COLOURS}") if sign.isdigit() else sign
            for sign in text
        )

    def marks(self, text: str) -> str:
        styles = dict(zip(self.signs, ("green", "yellow", "dim"), strict=True))
        return "".join(self.ink(sign, styles.get(sign, "")) for sign in text)

    def pegs(self, marks: Marks, length: int) -> str:
        """Return one sign for each place: full matches first, then partial ones, then none."""
        numbers = (*marks, length - sum(marks))
        return "".join(sign * many for sign, many in zip(self.signs, numbers, strict=True))


class CodeBoard:
    """Writes rows of one game, always in the same columns."""

    def __init__(self, art: CodeArt, game: CodeBreaking, heading: str = "guess") -> None:
        self._art = art
        self._base, self._length = game.base, game.length
        self._has_pegs = game.length <= MOST_PEGS
        widest = write_code([game.base - 1] * game.length, game.base)
        estimate = len("~1.0e78") if game.codes >= 10**6 else 0
        columns = {
            "#": 3,
            heading: len(widest),
            **({"marks": game.length} if self._has_pegs else {}),
            "full": 0,
            "partial": 0,
            "left": max(len(_counted(game.codes)), estimate),
        }
        self._titles = list(columns)
        self._wide = [max(len(title), wide) for title, wide in columns.items()]
        self._stacked = sum(self._wide) + 2 * (len(self._wide) - 1) >= art.columns

    @property
    def heading(self) -> list[str]:
        if self._stacked:
            return []
        return [self._art.ink("  ".join(self._cells(self._titles)).rstrip(), "dim")]

    def row(self, number: int, entry: BoardRow) -> list[str]:
        (guess, marks), left = entry
        code, (full, partial) = write_code(guess, self._base), marks
        pegs = [self._art.pegs(marks, self._length)] if self._has_pegs else []
        if self._stacked:
            said = "  ".join([*pegs, f"{full} full, {partial} partial; {amount(left)} left"])
            fold = self._art.fold
            return [fold(code, f"{number:>3}  ", "     "), fold(said, "     ")]
        parts = self._cells([str(number), code, *pegs, str(full), str(partial), amount(left)])
        if self._base <= SINGLE_DIGITS:
            parts[1] = self._art.code(parts[1])
        if self._has_pegs:
            parts[2] = self._art.marks(parts[2])
        return ["  ".join(parts).rstrip()]

    def lines(self, entries: Sequence[BoardRow], room: int | None = None) -> list[str]:
        """Return the whole board; with little room, its end, and how much was left out."""
        rows = [self.row(number, entry) for number, entry in enumerate(entries, 1)]
        hidden = 0
        if room is not None:
            while len(rows) - hidden > 1 and sum(map(len, rows[hidden:])) > room:
                hidden += 1
        out = list(self.heading)
        if hidden:
            out.append(f"  ... {hidden} earlier ('board' shows all)")
        return out + [line for row in rows[hidden:] for line in row]

    def some(self, rows: Iterable[tuple[int, Row]]) -> list[str]:
        """Return certain rows, under their own numbers, without counts."""
        return [
            self._art.fold(
                f"{write_code(guess, self._base)}: {full} full, {half} partial",
                f"{number:>5}  ",
                "       ",
            )
            for number, (guess, (full, half)) in rows
        ]

    def _cells(self, cells: Sequence[str]) -> list[str]:
        """Pad the cells: text to the left, numbers to the right."""
        left = (1, 2) if self._has_pegs else (1,)
        return [
            f"{cell:<{wide}}" if i in left else f"{cell:>{wide}}"
            for i, (cell, wide) in enumerate(zip(cells, self._wide, strict=True))
        ]


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
        self._rows: tuple[Row, ...] = ()
        """The rows on the board."""
        self._counts: dict[tuple[Row, ...], Counting | None] = {}

    def _counted(self, rows: tuple[Row, ...]) -> Counting | None:
        """Count the codes that fit these rows; return ``None`` where that needs an extra."""
        if rows not in self._counts:
            self._counts[rows] = self._count(rows)
        return self._counts[rows]

    def _count(self, rows: tuple[Row, ...]) -> Counting | None:
        if not rows:
            with contextlib.suppress(MissingExtra):
                return Counting(self._game.base, self._game.length)
            return None
        counting = deepcopy(self._counted(rows[:-1]))
        if counting is not None:
            patiently("Counting codes", partial(counting.keep, rows[-1]))
        return counting

    def asides(self) -> Mapping[str, Callable[[], None]]:
        return {
            "?": self._help,
            "help": self._help,
            "hint": self._hint,
            "board": self._show_board,
        }

    def _help(self) -> None:
        raise NotImplementedError

    def _hint(self) -> None:
        raise NotImplementedError

    def bullets(self, *texts: str) -> None:
        for text in texts:
            self.say(text, first="* ")

    def _put(self, rows: tuple[Row, ...]) -> None:
        """Show a new row: with all others where a terminal scrolls, or where one was changed."""
        before, self._rows = self._rows, rows
        if rows[:-1] != before:
            self._show_board()
        elif sys.stdout.isatty():
            self._show_board(shutil.get_terminal_size().lines - 6)
        else:
            heading = self._board.heading if len(rows) == 1 else []
            for line in (*heading, *self._board.row(len(rows), self._entry(len(rows)))):
                self.console.say(line)

    def _entry(self, number: int) -> BoardRow:
        counting = self._counted(self._rows[:number])
        return BoardRow(self._rows[number - 1], counting.count() if counting else None)

    def _show_board(self, room: int | None = None) -> None:
        if not self._rows:
            self.say("The board is empty.")
            return
        self.console.say()
        entries = [self._entry(number) for number in range(1, len(self._rows) + 1)]
        for line in self._board.lines(entries, room):
            self.console.say(line)
        if self._counted(()) is None:
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
        """Print nothing: the keeper's commitment was shown at the beginning."""

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
            example = self._words.example_code()
            if not answer:
                self.say(f"Type a guess, such as {example}; ? helps.")
                continue
            try:
                return self._words.read(state, BREAKER, answer)
            except InputError as problem:
                self.say(f"Not counted: {problem}. A guess is typed like this: {example}")

    def _help(self) -> None:
        self.say(f"Find the code: {self._words.sizes()}.")
        self.bullets(*self._words.rules.splitlines(), KEEPERS[self._game.oracle], LEFT_HELP)
        full, partial, none = tuple(self.art.signs)
        self.say(f"Marks: {full} full, {partial} partial, {none} none; in no order of places.")
        self.say(f"Type a guess, such as {self._words.example_code()}, or:")
        self.bullets(*BREAKER_KEYS)

    def _hint(self) -> None:
        state: State = self._table.view(BREAKER)
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
        for number in range(len(self._rows), len(shown.rows)):
            self._put(shown.rows[: number + 1])
        if self._table.closed and not self._told_the_end:
            self._told_the_end = True
            self._tell_end(shown)

    def tell(self, event: Event) -> None:
        if event["kind"] == "note" and "remark" in event["body"]:
            self.say(f"The keeper remarks: {event['body']['remark']}.", "dim")

    def _tell_end(self, state: State) -> None:
        opened = [event for event in self._table.transcript.events if event["kind"] == "opening"]
        if state.shown is None:  # a player left: the code, if one was drawn
            for _, value in (draw for opening in opened for draw in opening["draws"][:1]):
                code = digits(int(value), self._game.base, self._game.length)
                self.say(f"The code was {self._code(code)}.")
        elif state.given_up:
            what = "The code was" if self._game.oracle == FAIR else "A code that fits is"
            self.say(f"{what} {self._code(state.shown)}. You gave up: the keeper wins.", "bad")
        else:
            guesses = count(len(state.rows), "guess", "guesses")
            self.console.say()
            self.say(f"Broken with {guesses}: the code is {self._code(state.shown)}.", "good")
        keys = [opening["evidence"]["key"] for opening in opened if "key" in opening["evidence"]]
        if keys:
            self.say("The key that opens the commitment:")
            self.say(keys[0], first="  ")
        elif state.shown is not None and not opened:
            self.say("Nothing was drawn. The code shown fits every answer.")


def wrong_with(word: str) -> str | None:
    """Return the reason why this cannot be mixed into the draw, or ``None``."""
    if len(word) > LONGEST_STIR:
        return f"At most {LONGEST_STIR} characters, please, not {len(word)}."
    if any("\ud800" <= sign <= "\udfff" for sign in word):
        return "Letters and digits, please."
    return None


ANSWER: Final = "Full and partial matches: "
END: Final = ("end", "no code")


class KeeperScreen(CodeScreen):
    """The person keeps, a solver of the house breaks."""

    def __init__(
        self,
        console: Console,
        art: CodeArt,
        opened: OpenTable,
        another: Callable[[], OpenTable],
        solver: Breaker,
    ) -> None:
        super().__init__(console, art, _place(opened, solver), "asked")
        self._opened = opened
        self._another = another
        """Opens a new record of the same game."""
        self._solver = solver
        self._lied = False
        """True if the answers contradict each other and the person keeps them."""

    @property
    def _table(self) -> Table:
        return self._opened.table

    def play(self) -> None:
        self.say(f"Code breaking, you keep the code: {self._words.sizes()}", "bold")
        self.say("Think of a code, and write it down. I ask; you answer with two numbers, full")
        self.say("and partial matches. ? helps, fix 2 corrects row 2, X leaves.")
        if self._table.state.rows:
            self._put(self._table.state.rows)
        super().play()

    def left(self, seat: Seat) -> None:
        self.say("You leave the game; a keeper that shows no code loses.")

    # Asking

    def answer(self, ask: Ask) -> None:
        state: State = self._table.state
        if state.phase == "show":
            return self._show(state)
        rows, asked = state.rows, state.asked
        assert asked is not None
        self.console.say()
        self.say(f"My guess {len(rows) + 1}: {self._code(asked)}", "bold")
        while True:
            answer = self.ask(ANSWER)
            word, _, number = answer.lower().partition(" ")
            settled: tuple[Row, ...] | None
            if word == "fix":
                settled = self._corrected(rows, number.strip())
            else:
                row = self._read(answer, asked)
                settled = None if row is None else (*rows, row)
            if settled is not None:
                return self._settle(settled)

    def _read(self, answer: str, asked: Code) -> Row | None:
        try:
            return Row(asked, marks_of(answer, self._game))
        except InputError as problem:
            self.say(f"Not counted: {problem}.")
            return None

    def _corrected(self, rows: tuple[Row, ...], number: str) -> tuple[Row, ...] | None:
        """Return the rows with another answer in one of them; ``None``: nothing was changed."""
        if number not in [str(k) for k in range(1, len(rows) + 1)]:
            known = f"1 to {len(rows)}" if rows else "none yet"
            self.say(f"There is no row {number!r} to correct; rows: {known}.")
            return None
        at = int(number) - 1
        guess, (full, partial) = rows[at]
        self.say(f"Row {number} was {self._code(guess)}: {full} full, {partial} partial.")
        row = self._read(self.ask(ANSWER), guess)
        if row is None or row == rows[at]:
            self.say("Nothing was changed.")
            return None
        return (*rows[:at], row, *rows[at + 1 :])

    def _settle(self, rows: tuple[Row, ...]) -> None:
        """Talk about contradictions until there are none, or none is to be mended; write."""
        while True:
            clash = self._clash(rows)
            if clash is None:
                break
            self._explain(rows, clash)
            answer = self.ask(f"Which row is wrong (1 to {len(rows)}), or end: ").lower()
            if answer in END:
                break
            rows = self._corrected(rows, answer.removeprefix("fix").strip()) or rows
        self._lied = clash is not None
        rows = _until_found(rows, self._game.length)
        if rows == self._rows:
            return  # corrected, and corrected back
        self._write(rows)
        self._put(rows)
        for ask in self._table.asks():
            if self._lied and ask.seat == BREAKER:
                self._table.submit(ask, GIVE_UP)

    def _write(self, rows: tuple[Row, ...]) -> None:
        """Take down what was answered; a changed answer opens a new record."""
        recorded: tuple[Row, ...] = self._table.state.rows
        if rows[: len(recorded)] != recorded:
            self._begin_again(recorded, rows)
            recorded = ()
        for guess, answer in rows[len(recorded) :]:
            for ask in self._table.asks():
                if ask.seat == BREAKER:
                    self._table.submit(ask, guess)
            self._table.submit(self._table.asks()[0], answer)

    def _begin_again(self, before: tuple[Row, ...], now: tuple[Row, ...]) -> None:
        """End the old record, and say in the new one what was changed."""
        changes = [
            {"row": number, "said": list(old.marks), "now": list(new.marks)}
            for number, (old, new) in enumerate(zip(before, now, strict=False), 1)
            if old != new
        ]
        old = self._table
        old.forfeit(KEEPER, "an answer was corrected: the game goes on in another record")
        self._opened.become(self._another())
        self._table.note({"corrected": changes, "before": old.transcript.head})
        self.place = _place(self._opened, self._solver)

    def _help(self) -> None:
        self.bullets(*self._words.rules.splitlines(), LEFT_HELP)
        self.say("Type two numbers, such as 1 2 (no match at all: 0 0), or:")
        self.bullets(*KEEPER_KEYS)

    def _hint(self) -> None:
        self.say("There is nothing to advise: your code decides the answer.")

    # Contradictions

    def _clash(self, rows: tuple[Row, ...]) -> Contradiction | None:
        """Return rows that cannot all be true, as far as they can be found."""
        base, length = self._game.base, self._game.length
        counting = self._counted(rows)
        if counting is not None and counting.count().value:
            return None  # a code that fits is known
        found = patiently("Looking for a code that fits", lambda: contradiction(base, length, rows))
        code = rows[-1].guess
        if found is None and rows[-1].marks[0] == length and not fits(code, rows):
            # The code is named: whatever it does not fit is wrong, or that it is the code.
            other = next(k for k, (guess, said) in enumerate(rows) if marks(code, guess) != said)
            return Contradiction((other, len(rows) - 1), False)
        return found

    def _explain(self, rows: tuple[Row, ...], clash: Contradiction) -> None:
        numbers = [k + 1 for k in clash.rows]
        if len(numbers) == 1:
            text = f"No code fits row {numbers[0]}."
        else:
            text = (
                "Your answers contradict each other: no code fits rows "
                f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]} together."
            )
        self.say(text, "bad")
        for line in self._board.some((k + 1, rows[k]) for k in clash.rows):
            self.console.say(line)
        if clash.smallest and len(numbers) > 1:
            self.say("No smaller set of rows is contradictory.")

    # The end

    def _show(self, state: State) -> None:
        (ask,) = self._table.asks()
        self.console.say()
        if self._lied or state.given_up or not fits(state.rows[-1].guess, state.rows):
            self._table.submit(ask, NO_CODE)
            self.say("No code fits your answers: the keeper has none to show, and loses.", "bad")
            return
        code = state.rows[-1].guess
        self._table.submit(ask, code)
        guesses = count(len(state.rows), "guess", "guesses")
        self.say(f"Found with {guesses}: your code is {self._code(code)}.", "good")


def _place(opened: OpenTable, solver: Breaker) -> Runner:
    return Runner(opened.table, {BREAKER: solver}, opened.vault)


def _until_found(rows: tuple[Row, ...], length: int) -> tuple[Row, ...]:
    """Return the rows up to the first that names the code: what was asked later does not count."""
    for number, row in enumerate(rows, 1):
        if row.marks[0] == length:
            return rows[:number]
    return rows
