"""Keeping a code in your head: the solver asks, you answer, and contradictions are named.

Every answer is recorded as it is given. If an answer leaves no code, the screen asks before it is
recorded. A recorded answer cannot be changed, so a correction opens a new record. The new record
begins with the corrected rows and a note of the old answers.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Final

from fairground.core import InputError, Seat
from fairground.games.codebreaking.players.breakers import Breaker
from fairground.games.codebreaking.rules import (
    BREAKER,
    GIVE_UP,
    KEEPER,
    NO_CODE,
    Code,
    Row,
    State,
    fits,
    marks,
)
from fairground.games.codebreaking.screen import screen
from fairground.games.codebreaking.screen.screen import HELP, CodeArt, CodeScreen, marks_of
from fairground.games.codebreaking.solver.advice import Contradiction, Counting, contradiction
from fairground.players.runner import Runner
from fairground.table import Ask, Table
from fairground.terminal.console import Console
from fairground.terminal.evening import OpenTable
from fairground.terminal.waiting import patiently
from fairground.words.plain import count

ANSWER: Final = "Full and partial matches: "
END: Final = ("end", "no code")


class Records:
    """The record of a game that may have to be written again."""

    def __init__(self, opened: OpenTable, another: Callable[[], OpenTable]) -> None:
        self._opened = opened
        self._another = another
        """Opens a new record of the same game."""

    @property
    def table(self) -> Table:
        return self._opened.table

    def place(self, solver: Breaker) -> Runner:
        """Return the open table as a place for a screen."""
        return Runner(self._opened.table, {BREAKER: solver}, self._opened.vault)

    def write(self, rows: tuple[Row, ...]) -> None:
        """Take down what was answered; a changed answer opens a new record."""
        recorded: tuple[Row, ...] = self.table.state.rows
        if rows[: len(recorded)] != recorded:
            self._begin_again(recorded, rows)
            recorded = ()
        for guess, answer in rows[len(recorded) :]:
            for ask in self.table.asks():
                if ask.seat == BREAKER:
                    self.table.submit(ask, guess)
            self.table.submit(self.table.asks()[0], answer)

    def _begin_again(self, before: tuple[Row, ...], now: tuple[Row, ...]) -> None:
        """End the old record, and say in the new one what was changed."""
        changes = [
            {"row": number, "said": list(old.marks), "now": list(new.marks)}
            for number, (old, new) in enumerate(zip(before, now, strict=False), 1)
            if old != new
        ]
        old = self.table
        old.forfeit(KEEPER, "an answer was corrected: the game goes on in another record")
        self._opened.become(self._another())
        self.table.note({"corrected": changes, "before": old.transcript.head})


class KeeperScreen(CodeScreen):
    """The person keeps, a solver of the house breaks."""

    def __init__(self, console: Console, art: CodeArt, records: Records, solver: Breaker) -> None:
        super().__init__(console, art, records.place(solver), "asked")
        self._records = records
        self._solver = solver
        self._lied = False
        """True if the answers contradict each other and the person keeps them."""

    @property
    def _table(self) -> Table:
        return self._records.table

    def play(self) -> None:
        self.say(f"Code breaking, you keep the code: {self._words.sizes()}", "bold")
        self.say("Think of a code, and write it down. I ask; you answer with two numbers, full")
        self.say("and partial matches. ? helps, fix 2 corrects row 2, X leaves.")
        if self._table.state.rows:
            self._fill(self._table.state.rows)
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
            word = answer.lower()
            if word in HELP:
                self._help()
            elif word == "hint":
                self.say("There is nothing to advise: your code decides the answer.")
            elif word == "board":
                self._show_board()
            elif word.split()[:1] == ["fix"]:
                corrected = self._corrected(rows, word.removeprefix("fix").strip())
                if corrected is not None:
                    return self._settle(corrected)
            elif (row := self._read(answer, asked)) is not None:
                return self._settle((*rows, row))

    def _read(self, answer: str, asked: Code) -> Row | None:
        try:
            return Row(asked, marks_of(answer, self._game))
        except InputError as problem:
            self.say(f"Not counted: {problem}.")
            return None

    def _corrected(self, rows: tuple[Row, ...], number: str) -> tuple[Row, ...] | None:
        """The rows with another answer in one of them; ``None``: nothing was changed."""
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
            counting = self._count(rows)
            clash = self._clash(rows, counting)
            if clash is None:
                break
            self._explain(rows, clash)
            answer = self.ask(f"Which row is wrong (1 to {len(rows)}), or end: ").lower()
            if answer in END:
                break
            rows = self._corrected(rows, answer.removeprefix("fix").strip()) or rows
        self._lied = clash is not None
        rows = _until_found(rows, self._game.length)
        before = tuple(entry.row for entry in self._entries)
        if rows == before:
            return  # corrected, and corrected back
        self._records.write(rows)
        self.place = self._records.place(self._solver)
        if rows[:-1] == before:
            self._put(rows[-1], counting)
        else:
            self._fill(rows)
        for ask in self._table.asks():
            if self._lied and ask.seat == BREAKER:
                self._table.submit(ask, GIVE_UP)

    def _fill(self, rows: tuple[Row, ...]) -> None:
        """Fill the board anew with corrected rows."""
        self._entries = []
        counting = self._count_from(())
        assert counting is not None
        for row in rows:
            counting.keep(row)
            self._enter(row, counting)
        self._show_board()

    def _help(self) -> None:
        self.bullets(*self._words.rules.splitlines(), screen.LEFT_HELP)
        self.say("Type two numbers, such as 1 2 (no match at all: 0 0), or:")
        self.bullets(*screen.KEEPER_KEYS)

    # Contradictions

    def _count(self, rows: tuple[Row, ...]) -> Counting:
        """The codes that fit these rows, counted on from the board where they extend it."""
        assert self._counting is not None
        if rows[:-1] == tuple(entry.row for entry in self._entries):
            counting = deepcopy(self._counting)
            patiently("Counting codes", lambda: counting.keep(rows[-1]))
            return counting
        counted = self._count_from(rows)
        assert counted is not None
        return counted

    def _clash(self, rows: tuple[Row, ...], counting: Counting) -> Contradiction | None:
        """Rows that cannot all be true, as far as that can be found out."""
        base, length = self._game.base, self._game.length
        if counting.count().value:
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
        """The code is known, or there is none: the rules check what is shown."""
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


def _until_found(rows: tuple[Row, ...], length: int) -> tuple[Row, ...]:
    """The rows up to the first that names the code: what was asked later does not count."""
    for number, row in enumerate(rows, 1):
        if row.marks[0] == length:
            return rows[:number]
    return rows
