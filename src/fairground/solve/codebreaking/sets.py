"""The codes that fit a board: listed one by one where they can be, sampled elsewhere.

Both kinds answer the same questions: how a guess would divide them, which answer
leaves the most, and what is left after an answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final, Self

import numpy as np

from fairground.games.codebreaking import Code, Marks, Row, Rows, digits, fits
from fairground.solve.codebreaking import pool
from fairground.solve.codebreaking.constraints import another_code
from fairground.solve.codebreaking.kernels import (
    Answers,
    Bytes,
    Ints,
    Numbers,
    answers_general,
    answers_of,
    codes_answering,
    halves,
    sizes_of_all,
)

ENUMERABLE: Final = 2**24
"""Spaces of at most this many codes are gone through one by one."""

POOL: Final = 2000
"""How many fitting codes a sample holds at most."""

WALKS: Final = 5000
"""How many walks may be spent on filling up a sample again."""

HARDER: Final = 4
"""The usual walks are spent this many times over before a code is conceded."""


def least_informative(sizes: Ints, length: int) -> Marks:
    """The answer that leaves the most codes; ties: fewest full matches, then fewest partial.

    Answers are numbered in just that order, and ``argmax`` takes the first.
    """
    full, partial = divmod(int(np.argmax(sizes)), length + 1)
    return full, partial


class Listed:
    """Every code that fits, by its number, in a space of at most `ENUMERABLE` codes."""

    def __init__(self, base: int, length: int, rows: Sequence[Row] = ()) -> None:
        self.base = base
        self.length = length
        self._numbers: Numbers | None = None
        for row in rows:
            self.keep(row)

    @classmethod
    def of(cls, base: int, length: int, numbers: Numbers) -> Self:
        """A list of just these codes."""
        made = cls(base, length)
        made._numbers = numbers
        return made

    def __len__(self) -> int:
        return self.base**self.length if self._numbers is None else len(self._numbers)

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return 0 if self._numbers is None else self._numbers.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """How many codes give each answer, by answer number."""
        if self._numbers is None:
            return sizes_of_all(halves(np.array(guess, np.uint8), self.base), self.length)
        return np.bincount(self.answers(guess), minlength=(self.length + 1) ** 2)

    def answers(self, guess: Sequence[int]) -> Answers:
        """The answer number of every listed code to a guess."""
        numbers = self.numbers()
        out = np.empty(len(numbers), np.uint16)
        answers_of(halves(np.array(guess, np.uint8), self.base), numbers, self.length, out)
        return out

    def numbers(self) -> Numbers:
        """The numbers of the codes, in order."""
        if self._numbers is None:
            return np.arange(len(self), dtype=np.uint32)
        return self._numbers

    def keep(self, row: Row) -> None:
        """Drop the codes that do not fit one more row."""
        guess, (full, partial) = row
        answer = full * (self.length + 1) + partial
        if self._numbers is None:
            tables = halves(np.array(guess, np.uint8), self.base)
            room = int(sizes_of_all(tables, self.length)[answer])
            self._numbers = codes_answering(tables, self.length, answer, room)
        else:
            self._numbers = self._numbers[self.answers(guess) == answer]

    def refresh(self) -> None:
        """Nothing to do: the list is complete."""

    def look_harder(self, but: Code) -> bool:
        """There is no code that was overlooked, and that is certain."""
        return True

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """A code of the list that gives this answer to the guess."""
        full, partial = answer
        wanted = full * (self.length + 1) + partial
        if self._numbers is None:
            tables = halves(np.array(guess, np.uint8), self.base)
            return self.code(int(codes_answering(tables, self.length, wanted, 1)[0]))
        return self.code(int(np.argmax(self.answers(guess) == wanted)))

    def code(self, k: int) -> Code:
        """The k-th code of the list."""
        value = k if self._numbers is None else int(self._numbers[k])
        return digits(value, self.base, self.length)


class Sampled:
    """Some of the codes that fit, in a space that nobody can list.

    What it holds depends on the rows and the seed alone. It becomes empty only if a row has an
    answer that none of its codes gives.
    """

    def __init__(self, base: int, length: int, seed: int) -> None:
        self.base = base
        self.length = length
        self.rows: Sequence[Row] = ()
        self._chance = np.array([seed], np.uint64)
        self._codes = pool.random_codes(base, length, POOL, self._chance)

    @classmethod
    def taken_over(
        cls, base: int, length: int, rows: Sequence[Row], chance: int, packed: bytes
    ) -> Self:
        """A sample that goes on where another stopped, which gave its `chance` and `packed`."""
        made = cls(base, length, chance)
        made.rows = Rows(rows)
        made._chance = np.array([chance], np.uint64)
        made._codes = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(-1, length).copy()
        return made

    @property
    def chance(self) -> int:
        """Where its random numbers are."""
        return int(self._chance[0])

    def packed(self) -> bytes:
        """Its codes, in few bytes."""
        return zlib.compress(self._codes.tobytes(), 1)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self._codes.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """How many of the sample's codes give each answer, by answer number."""
        return np.bincount(self._answers(guess), minlength=(self.length + 1) ** 2)

    def keep(self, row: Row) -> None:
        """Drop the codes that do not fit one more row."""
        guess, (full, partial) = row
        answer = full * (self.length + 1) + partial
        self._codes = self._codes[self._answers(guess) == answer]
        rows = self.rows if isinstance(self.rows, Rows) else Rows(self.rows)
        self.rows = rows.plus(row)

    def refresh(self, walks: int | None = None) -> None:
        """Wander from the codes at hand to others that fit as well, by `WALKS` if not told."""
        if not self.rows:
            return
        codes = np.empty((POOL, self.length), np.uint8)
        found = len(self._codes)
        codes[:found] = self._codes
        at = pool.layout(self.base, self.length, self.rows)
        found = pool.refill(at, codes, found, WALKS if walks is None else walks, self._chance)
        self._codes = codes[:found].copy()

    def look_harder(self, but: Code) -> bool:
        """Look for a code other than this one, and take it in; else: is it proven alone?"""
        self.refresh(HARDER * WALKS)
        if len(self) > 1:
            return True
        found = another_code(self.base, self.length, self.rows, but)
        if found.code is not None and fits(found.code, self.rows):
            self._codes = np.concatenate([self._codes, np.array([found.code], np.uint8)])
        return found.settled

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """A code of the sample that gives this answer to the guess."""
        full, partial = answer
        at = int(np.argmax(self._answers(guess) == full * (self.length + 1) + partial))
        return self.code(at)

    def code(self, k: int) -> Code:
        """The k-th code of the sample."""
        return tuple(map(int, self._codes[k]))

    def codes(self) -> Bytes:
        """All codes of the sample."""
        return self._codes

    def _answers(self, guess: Sequence[int]) -> Answers:
        out = np.empty(len(self._codes), np.uint16)
        answers_general(np.array(guess, np.uint8), self._codes, self.base, out)
        return out
