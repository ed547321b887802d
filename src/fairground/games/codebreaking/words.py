"""Words for code breaking."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, cast

from fairground.core import IllegalMove, Move, Seat
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
    State,
    digits,
    fits,
    marks,
    read_code,
    write_code,
)
from fairground.words.plain import PlainWords, count

LONGEST_EXAMPLE: Final = 30

KEEPERS: Final = {
    FAIR: "The keeper is fair: the code is drawn before the first guess, and every answer is true.",
    NICE: "The keeper is nice: the first guess becomes the code.",
    EVIL: "The keeper is evil: it has drawn no code. By its rule it answers so that you learn "
    "least, and some code fits all that it says.",
}


class CodeBreakingWords(PlainWords[CodeBreaking]):
    """A keeper, a breaker, and a board of rows."""

    rules = (
        "One keeps a secret code, and the other finds it by asking. Digits may repeat.\n"
        "Each guess is answered with two counts. A full match is a right digit in the right "
        "place. A partial match is a right digit in a wrong place. Each digit counts once.\n"
        "For example: if the code is 1 0 1 3, the guess 0 5 1 1 has one full match (the 1 in "
        "the third place) and two partial ones (the 0, and the other 1).\n"
        "The breaker needs as few guesses as possible, or gives up. In the end a code is shown "
        "that fits all answers."
    )
    looks: ClassVar[Mapping[str, str]] = {
        "phase": "text",
        "code": "code",
        "guess": "code",
        "marks": "score",
        "asked": "code",
        "shown": "code",
    }

    def sizes(self) -> str:
        """Describe a code: "4 digits, each from 0 to 5: 1,296 codes"."""
        game = self.game
        many = f"{game.codes:,}" if game.codes < 10**15 else f"{game.base}^{game.length}"
        return f"{count(game.length, 'digit')}, each from 0 to {game.base - 1}: {many} codes"

    def parameters(self) -> list[str]:
        return [f"A code has {self.sizes()}.", KEEPERS[self.game.oracle]]

    def code(self, code: Sequence[int]) -> str:
        return write_code(code, self.game.base)

    def state(self, view: State) -> list[str]:
        lines = []
        if isinstance(view.code, tuple):
            lines.append(f"The code is {self.code(view.code)}.")
        if not view.rows:
            lines.append("Nothing has been answered yet.")
        for number, (guess, answer) in enumerate(view.rows, 1):
            lines.append(f"Guess {number} was {self.code(guess)}: {_matches(answer)}.")
        if view.asked is not None:
            lines.append(f"Guess {len(view.rows) + 1} is {self.code(view.asked)}.")
        return lines

    def question(self, view: State, seat: Seat) -> str:
        if view.phase == "guess":
            return self.to(seat, f"What is your guess {len(view.rows) + 1}?")
        if view.phase == "show":
            return self.to(seat, "Which code do you show?")
        assert view.asked is not None
        asked = self.code(view.asked)
        return self.to(seat, f"How many full and partial matches has {asked}?")

    def menu(self, view: State, seat: Seat) -> list[Move] | None:
        """Return ``None``: codes and counts are typed, and would look like numbers of a menu."""
        return None

    def example(self, view: State, seat: Seat) -> str:
        if view.phase == "guess":
            return f"Type a code such as {self.example_code()}, or: {GIVE_UP}."
        if view.phase == "answer":
            if isinstance(view.code, tuple) and view.asked is not None:
                full, partial = marks(view.code, view.asked)
                return f"Type two counts. The truth is {full} {partial}."
            if self.game.oracle == NICE:
                return f"Type two counts. A nice keeper answers {self.game.length} 0."
            return "Type two counts, full matches first, such as 1 2."
        if isinstance(view.code, tuple):
            return f"Type {self.code(view.code)}, the code that was drawn."
        return f"Type a code that fits all answers, or: {NO_CODE}."

    def example_code(self) -> str:
        """Explain how to type a code of this game."""
        game = self.game
        code = [(game.base - 1 - place) % game.base for place in range(game.length)]
        text = self.code(code).rstrip(",")
        if len(text) <= LONGEST_EXAMPLE:
            return text
        some = self.code(code[:3])
        return f"{some}{'...' if game.base <= 10 else ' ...'} ({game.length} digits)"

    def option(self, view: State, seat: Seat, move: Move) -> str:
        if isinstance(move, str):
            return move
        if view.phase == "answer":
            return _matches(cast(Marks, move))
        return self.code(cast(Code, move))

    def read(self, view: State, seat: Seat, text: str) -> Move:
        """Read a code, two counts, ``give up`` or ``no code``."""
        word = " ".join(text.lower().split())
        move: Move
        if seat == BREAKER and word in (GIVE_UP, "giveup"):
            move = GIVE_UP
        elif view.phase == "show" and word in (NO_CODE, "nocode"):
            move = NO_CODE
        elif view.phase == "answer":
            move = read_marks(text, self.game.length)
        else:
            move = self._read_code(text)
        if view.phase == "show" and move != NO_CODE:
            drawn = view.code is None or move == view.code
            if not drawn or not fits(cast(Code, move), view.rows):
                raise IllegalMove(f"the code {text!r} does not fit what was drawn and answered")
        elif view.phase == "answer" and move not in self._true(view, move):
            oracle = self.game.oracle
            raise IllegalMove(f"a {oracle} keeper must tell the truth, and {text!r} is not true")
        self.game.check(view, seat, move)
        return move

    def _true(self, view: State, move: Move) -> tuple[Move, ...]:
        """Return the answers that a keeper may give, where the rules hold it to one."""
        if isinstance(view.code, tuple) and view.asked is not None:
            return (marks(view.code, view.asked),)
        return ((self.game.length, 0),) if self.game.oracle == NICE else (move,)

    def _read_code(self, text: str) -> Code:
        words, game = text.split(), self.game
        if game.length == 1 and len(words) == 1 and words[0].isascii() and words[0].isdigit():
            words[0] += ","  # a single large digit, which else would be read as several
        code = read_code(" ".join(words))
        if len(code) != game.length:
            raise IllegalMove(f"a code has {game.length} digits, not {len(code)}: {text!r}")
        if max(code) >= game.base:
            raise IllegalMove(f"a digit must be in 0..{game.base - 1}, not {max(code)}: {text!r}")
        return code

    def move(self, view: State, seat: Seat, move: Move) -> str:
        if move == GIVE_UP:
            return f"{self.does(seat, 'give')} up."
        if move == NO_CODE:
            return f"{self.does(seat, 'have', 'has')} no code that fits the answers."
        if view.phase == "answer":
            return f"{self.does(seat, 'answer')}: {_matches(cast(Marks, move))}."
        verb = "guess" if seat == BREAKER else "show"
        third = "guesses" if seat == BREAKER else "shows"
        return f"{self.does(seat, verb, third)} {self.code(cast(Code, move))}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        if isinstance(after.code, tuple):
            return f"The code is drawn: {self.code(after.code)}."
        return f"The code is drawn. Only {self._keeper} may see it."

    @property
    def _keeper(self) -> str:
        return "you" if self.reader == KEEPER else self.names[KEEPER]

    def opened(self, view: State, draws: Sequence[int]) -> str | None:
        if view.phase == "over" or not draws:
            return None
        code = digits(draws[0], self.game.base, self.game.length)
        return f"The code was {self.code(code)}."

    def over(self, view: State, payoff: Sequence[int]) -> str:
        if view.phase != "over":
            return super().over(view, payoff)
        if view.shown is None:
            return f"{self.does(BREAKER, 'win')}: no code fits the answers."
        if view.given_up:
            code = "The code was" if self.game.oracle == FAIR else "A code that fits is"
            return f"{self.does(KEEPER, 'win')}. {code} {self.code(view.shown)}."
        guesses = count(len(view.rows), "guess", "guesses")
        found = self.does(BREAKER, "find")
        return f"{found} the code {self.code(view.shown)} with {guesses}."


def _matches(answer: Marks) -> str:
    full, partial = answer
    return f"{full} full, {partial} partial"


_MARKS: Final = re.compile(r"(\d{1,3})\s*(?:full)?[\s,/]+(\d{1,3})\s*(?:partial)?", re.ASCII | re.I)


def read_marks(text: str, length: int) -> Marks:
    """Read full and partial matches, typed as ``1 2`` or ``1,2``; or ``12`` in short codes."""
    typed = text.strip()
    if length < 10 and len(typed) == 2 and typed.isascii() and typed.isdigit():
        return int(typed[0]), int(typed[1])
    found = _MARKS.fullmatch(typed)
    if found is None:
        raise IllegalMove(
            f"an answer is two numbers, full and partial matches, such as 1 2, not {text!r}"
        )
    return int(found[1]), int(found[2])
