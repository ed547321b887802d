"""Breaking a code at the keyboard: shows the board, asks for guesses, tells how it ended.

The screen moves on by the table's events alone, so what it tells is what the record says.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, cast

from fairground.core import InputError, MissingExtra, Move, Seat
from fairground.fair.chains import LONGEST_STIR
from fairground.games.codebreaking import (
    BREAKER,
    FAIR,
    GIVE_UP,
    Code,
    CodeBreaking,
    Row,
    State,
    digits,
    fits,
    write_code,
)
from fairground.table import Ask
from fairground.terminal.codebreaking import words
from fairground.terminal.codebreaking.input import NAMES, code_of
from fairground.terminal.codebreaking.look import BoardRow, CodeArt, CodeBoard
from fairground.terminal.console import Console
from fairground.terminal.ink import terminal_size
from fairground.terminal.seat import Here, Sitting
from fairground.transcript import Event
from fairground.words.codebreaking import KEEPERS, CodeBreakingWords
from fairground.words.plain import count

if TYPE_CHECKING:
    from fairground.solve.codebreaking.advice import Counting

HELP = ("?", "help")


class CodeScreen(Sitting):
    """What both sides of the game have in common: a look, a board and a count."""

    def __init__(self, console: Console, art: CodeArt, place: Here, heading: str) -> None:
        super().__init__(console, place)
        game = place.game
        assert isinstance(game, CodeBreaking)
        self.art = art
        self._game = game
        self._words = CodeBreakingWords(game, NAMES)
        self._board = CodeBoard(art, game, heading)
        self._entries: list[BoardRow] = []

    @cached_property
    def _counting(self) -> Counting | None:
        """A count of the codes that fit the board. It needs the solver, so it begins late."""
        return self._count_from(())

    def _count_from(self, rows: tuple[Row, ...]) -> Counting | None:
        """A count of the codes that fit these rows; ``None`` where that needs an extra."""
        from fairground.solve.codebreaking.advice import Counting

        try:
            counting = Counting(self._game.base, self._game.length)
        except MissingExtra:
            return None
        for row in rows:
            counting.keep(row)
        return counting

    def say(self, text: str = "", style: str = "", first: str = "") -> None:
        """A text, folded to the art."""
        self.console.say(self.art.ink(self.art.fold(text, first), style))

    def bullets(self, *texts: str) -> None:
        """One paragraph each."""
        for text in texts:
            self.console.say(self.art.fold(text, "* ", "  "))

    def _add(self, row: Row) -> None:
        """Count on with a row, and put it on the board."""
        counting = self._counting
        if counting is not None:
            from fairground.terminal.waiting import patiently

            patiently("Counting codes", lambda: counting.keep(row))
        self._put(row, counting)

    def _enter(self, row: Row, counting: Counting | None) -> None:
        self._counting = counting
        self._entries.append(BoardRow(row, counting.count() if counting else None))

    def _put(self, row: Row, counting: Counting | None) -> None:
        """Put a row on the board, and show it: with all others where a terminal scrolls."""
        self._enter(row, counting)
        if sys.stdout.isatty():
            self._show_board(terminal_size().lines - 6)
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
            self.say(words.NOT_COUNTED)

    def _code(self, code: tuple[int, ...]) -> str:
        return write_code(code, self._game.base)


class BreakerScreen(CodeScreen):
    """The person breaks, a keeper of the house keeps."""

    def __init__(
        self, console: Console, art: CodeArt, place: Here, commitment: str, share: str | None
    ) -> None:
        super().__init__(console, art, place, "guess")
        self._table = place.table
        self._commitment = commitment
        self._share = share
        """The word to be lent; ``None``: it is asked for."""
        self._told_the_end = False

    def play(self) -> None:
        """From the commitment to the code, or until the person leaves."""
        self._introduce()
        super().play()

    def _introduce(self) -> None:
        oracle = self._game.oracle
        title = f"Code breaking, {oracle} keeper: {self._words.sizes()}"
        self.say(title, "bold")
        self.say("? helps, hint advises, give up shows the code, X leaves.")
        self.console.say()
        if self._commitment:
            self.say(f"The keeper's commitment ({words.PROMISES[oracle]})")
            self.say(self._commitment, first="  ")

    def bound(self, text: str) -> None:
        """The keeper's commitment is shown at the beginning."""

    def stir(self, ask: Ask) -> str:
        """A word for the draw, after the commitment and before the first guess."""
        while self._share is None:
            answer = self.ask("Type anything random for the draw (enter: none): ")
            if answer in HELP:
                self.say(words.STIR_HELP)
                continue
            if problem := wrong_with(answer):
                self.say(problem)
                continue
            self._share = answer
        return self._share

    def left(self, seat: Seat) -> None:
        """Leaving is giving up."""
        self.say("You leave the game; that counts as giving up.")

    # Asking

    def choose(self, ask: Ask) -> Move:
        """A guess, or giving up; all else comes back to the question."""
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
        self.bullets(*self._words.rules.splitlines(), KEEPERS[self._game.oracle], words.LEFT_HELP)
        full, partial, none = self.art.signs[:3]
        self.say(f"Marks: {full} full, {partial} partial, {none} none; in no order of places.")
        self.say(f"Type a guess, such as {self._words.example_code()}, or:")
        self.bullets(*words.BREAKER_KEYS)

    def _hint(self, state: State) -> None:
        """What the coach would ask; the record says that it was asked for."""
        from fairground.coach.advice import advise
        from fairground.terminal.waiting import patiently

        names = self.place.names
        try:
            best = patiently("Thinking", lambda: advise(self._game, state, BREAKER, names))
        except InputError as reason:
            self.say(f"No hint: {reason}.")
            return
        self._table.note({"hint": best.move, "seat": BREAKER})
        if best.move == GIVE_UP:
            self.say(f"Hint: {GIVE_UP}. {best.says}")
            return
        guess = cast(Code, best.move)
        may = "may be the code" if fits(guess, state.rows) else "cannot be the code, but tells much"
        self.say(f"Hint: {self._code(guess)}. It {may}. {best.says}")

    # Telling

    def tell_news(self) -> None:
        """The board follows the view, which the recorded answers make."""
        super().tell_news()
        shown: State = self._table.view(BREAKER)
        for row in shown.rows[len(self._entries) :]:
            self._add(row)
        if self._table.closed and not self._told_the_end:
            self._told_the_end = True
            self._tell_end(shown)

    def tell(self, event: Event) -> None:
        """Only what the keeper has to say for the record."""
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
