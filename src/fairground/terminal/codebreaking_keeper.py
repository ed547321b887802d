"""Keeping a code in your head: the solver asks, you answer, and contradictions are named.

Every answer is recorded as it is given. An answer that leaves no code is talked about before
it is written down; an earlier one cannot be unwritten, so a correction opens a new record,
which begins with the corrected rows and a note of what was said before.
"""

from __future__ import annotations

import argparse

from fairground.core import InputError
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.codebreaking import (
    BREAKER,
    KEEPER,
    NO_CODE,
    Code,
    CodeBreaking,
    Marks,
    Row,
    State,
    fits,
    marks,
)
from fairground.players.breakers import Breaker
from fairground.players.drive import Hosted
from fairground.players.oracles import CHAIN_LENGTH
from fairground.solve.codebreaking import Contradiction, contradiction
from fairground.table import Table, new_name
from fairground.terminal import codebreaking_words as words
from fairground.terminal.codebreaking_input import marks_of, patiently
from fairground.terminal.codebreaking_look import Page
from fairground.terminal.codebreaking_screen import HELP, Left, Screen
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.saving import Saved

END = ("end", "no code")


class Records:
    """The record of a game that may have to be written again."""

    def __init__(self, options: argparse.Namespace, game: CodeBreaking, solver: str) -> None:
        self._options = options
        self._game = game
        self._chairs = (Chair("Player"), Chair(f"Solver ({solver})", by="house"))
        self.saved: Saved | None = None
        self.table = self._open()

    def _open(self) -> Table:
        name = new_name()
        self.saved = Saved(self._options, "codebreaking", name)
        return Table.open(
            self._game,
            HashChainsDealer(name, MemoryVault(), length=CHAIN_LENGTH),
            self._chairs,
            table=name,
            transcript=self.saved.transcript,
        )

    def correct(self, rows: tuple[Row, ...], number: int, said: Marks) -> None:
        """Write the game again with a corrected row; the old record ends here."""
        old = self.table
        old.forfeit(KEEPER, f"the answer in row {number} was corrected; see the next record")
        self.close()
        self.table = self._open()
        self.table.note(
            {
                "corrected": {"row": number, "said": list(said), "now": list(rows[number - 1][1])},
                "before": old.transcript.head,
            }
        )
        for guess, answer in rows:
            self.table.submit(self.table.asks()[0], guess)
            self.table.submit(self.table.asks()[0], answer)

    def close(self) -> None:
        """No more lines will follow."""
        if self.saved is not None:
            self.saved.__exit__()


class KeeperScreen(Screen):
    """The person keeps, a solver of the house breaks."""

    def __init__(
        self, console: Console, page: Page, game: CodeBreaking, records: Records, solver: Breaker
    ) -> None:
        super().__init__(console, page, game, "asked")
        self._records = records
        self._solver = solver

    @property
    def _table(self) -> Table:
        return self._records.table

    @property
    def _rows(self) -> tuple[Row, ...]:
        state: State = self._table.state
        return state.rows

    def play(self) -> None:
        """From the first question to the code, or until the person leaves."""
        self.say(f"Code breaking, you keep the code: {words.sizes(self._game)}", "bold")
        self.say("Think of a code, and write it down. I ask; you answer with two numbers, full")
        self.say("and partial matches. ? helps, fix 2 corrects row 2, X leaves.")
        try:
            while not self._table.closed:
                Hosted(self._table, {BREAKER: self._solver}).play()
                state: State = self._table.state
                if state.phase == "show":
                    self._show(state)
                else:
                    assert state.asked is not None
                    self._answer(state.asked)
        except Left:
            self._leave("chose to exit")
        except (EndOfInput, KeyboardInterrupt) as end:
            self._console.say()
            self._leave("Ctrl-C" if isinstance(end, KeyboardInterrupt) else "the input ended")
            raise

    def _leave(self, reason: str) -> None:
        if not self._table.closed:
            self._table.forfeit(KEEPER, reason)
            self.say("You leave the game; a keeper that shows no code loses.")

    # Asking

    def _answer(self, asked: Code) -> None:
        """Put one guess to the person, and take the answer down if some code may fit it."""
        number = len(self._rows) + 1
        self._console.say()
        self.say(f"My guess {number}: {self._code(asked)}", "bold")
        while True:
            answer = self._ask("Full and partial matches: ")
            word = answer.lower()
            if word in HELP:
                self._help()
            elif word == "board":
                self._show_board()
            elif word.split()[:1] == ["fix"]:
                if self._fix(word):
                    return
            elif (row := self._read(answer, asked)) is not None:
                break
        self._take(row)

    def _read(self, answer: str, asked: Code) -> Row | None:
        try:
            return Row(asked, marks_of(answer, self._game))
        except InputError as problem:
            self.say(f"Not counted: {problem}.")
            return None

    def _take(self, row: Row) -> None:
        """Write an answer down, unless it contradicts the others and is to be corrected."""
        rows = (*self._rows, row)
        clash = self._clash(rows)
        if clash is None:
            self._write(row)
            return
        self._explain(rows, clash)
        while True:
            answer = self._ask(f"Which row is wrong (1 to {len(rows)}), or end: ").lower()
            if answer in END:
                self._write(row)
                return
            if answer == str(len(rows)):
                return  # nothing was written yet: it is asked again
            if answer in HELP:
                self._explain(rows, clash)
            elif self._fix(f"fix {answer}"):
                return

    def _write(self, row: Row) -> None:
        self._table.submit(self._table.asks()[0], row.marks)
        self._add(row)

    def _fix(self, word: str) -> bool:
        """Correct an earlier answer, as in ``fix 2``; whether that was done."""
        rows = self._rows
        number = word.removeprefix("fix").strip()
        if number not in [str(k) for k in range(1, len(rows) + 1)]:
            known = f"1 to {len(rows)}" if rows else "none yet"
            self.say(f"There is no row {number!r} to correct; rows: {known}. For example: fix 1")
            return False
        at = int(number) - 1
        guess, said = rows[at]
        self.say(f"Row {number} was {self._code(guess)}: {said[0]} full, {said[1]} partial.")
        row = self._read(self._ask("Full and partial matches: "), guess)
        if row is None or row.marks == said:
            self.say("Nothing was changed.")
            return False
        corrected = (*rows[:at], row, *rows[at + 1 :])
        self._records.correct(corrected, at + 1, said)
        self._begin_again(corrected)
        if (clash := self._clash(corrected)) is not None:
            self._explain(corrected, clash)
            self.say("Correct another row with fix, or go on.")
        return True

    def _begin_again(self, rows: tuple[Row, ...]) -> None:
        """Fill the board with corrected rows."""
        self._entries = []
        self._counting = self._count_from(())
        for row in rows:
            self._add(row)

    def _help(self) -> None:
        self.bullets(*words.RULES, words.LEFT_HELP)
        self.say("Type two numbers, such as 1 2 (no match at all: 0 0), or:")
        self.bullets(*words.KEEPER_KEYS)

    # Contradictions

    def _clash(self, rows: tuple[Row, ...]) -> Contradiction | None:
        """Rows that cannot all be true, as far as that can be found out."""
        base, length = self._game.base, self._game.length
        found = rows[-1].guess
        if rows[-1].marks[0] == length and not fits(found, rows):
            # The code is named: whatever it does not fit is wrong, or that it is the code.
            other = next(k for k, (guess, said) in enumerate(rows) if marks(found, guess) != said)
            return Contradiction((other, len(rows) - 1), False)
        return patiently("Looking for a code that fits", lambda: contradiction(base, length, rows))

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
            self._console.say(line)
        if clash.smallest and len(numbers) > 1:
            self.say("No smaller set of rows is contradictory.")

    # The end

    def _show(self, state: State) -> None:
        """The code is known, or there is none: the rules check what is shown."""
        (ask,) = self._table.asks()
        self._console.say()
        if state.given_up or not fits(state.rows[-1].guess, state.rows):
            self._table.submit(ask, NO_CODE)
            self.say("No code fits your answers: the keeper has none to show, and loses.", "bad")
            return
        code = state.rows[-1].guess
        self._table.submit(ask, code)
        count = words.guesses(len(state.rows))
        self.say(f"Found with {count}: your code is {self._code(code)}.", "good")
