"""The codes that fit a board: all of them in a space that can be listed, a sample elsewhere.

`Listed` holds every fitting code. `Sampled` holds some of them, found by local search
(`sampling`). OR-tools' CP-SAT answers whether any other code fits (`another_code`), and which rows
contradict each other (`refuted`).

In the model of CP-SAT a code is a choice of one digit for each place. "Digit d occurs at least k
times" is a choice, too. With both, every row is a plain sum. The limits are deterministic time, one
worker and a fixed seed, so the outcome does not depend on the speed of the machine. (Another
release of the solver may differ.)
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np

from fairground.games.codebreaking.rules import Code, Marks, Row, Rows, digits, fits
from fairground.games.codebreaking.solver import sampling
from fairground.games.codebreaking.solver.scoring import (
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
from fairground.registry import needs

ENUMERABLE: Final = 2**24
"""Maximum number of codes of a space that is listed."""

POOL: Final = 2000
"""Maximum number of codes in a sample."""

WALKS: Final = 5000
"""Maximum number of walks that refill a sample."""

HARDER: Final = 4
"""Factor on `WALKS` before a code is conceded."""


def least_informative(sizes: Ints, length: int) -> Marks:
    """Return the answer that leaves the most codes; ties: fewest full matches, then fewest partial.

    Answers are numbered in that order, and ``argmax`` takes the first.
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
        """Return a list of these codes."""
        made = cls(base, length)
        made._numbers = numbers
        return made

    def __len__(self) -> int:
        return self.base**self.length if self._numbers is None else len(self._numbers)

    @property
    def size(self) -> int:
        return 0 if self._numbers is None else self._numbers.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """Return how many codes give each answer, by answer number."""
        if self._numbers is None:
            return sizes_of_all(halves(np.array(guess, np.uint8), self.base), self.length)
        return np.bincount(self.answers(guess), minlength=(self.length + 1) ** 2)

    def answers(self, guess: Sequence[int]) -> Answers:
        """Return the answer number of every listed code to a guess."""
        numbers = self.numbers()
        out = np.empty(len(numbers), np.uint16)
        answers_of(halves(np.array(guess, np.uint8), self.base), numbers, self.length, out)
        return out

    def numbers(self) -> Numbers:
        """Return the numbers of the codes, in order."""
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
        """Do nothing: the list is complete."""

    def look_harder(self, but: Code) -> bool:
        """Return True: no code was overlooked."""
        return True

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """Return a code of the list that gives this answer to the guess."""
        full, partial = answer
        wanted = full * (self.length + 1) + partial
        if self._numbers is None:
            tables = halves(np.array(guess, np.uint8), self.base)
            return self.code(int(codes_answering(tables, self.length, wanted, 1)[0]))
        return self.code(int(np.argmax(self.answers(guess) == wanted)))

    def code(self, k: int) -> Code:
        """Return the k-th code of the list."""
        value = k if self._numbers is None else int(self._numbers[k])
        return digits(value, self.base, self.length)


class Sampled:
    """Some of the codes that fit, in a space that is too large to list.

    The sample depends on the rows and the seed alone. It becomes empty only if none of its codes
    gives the answer of a row.
    """

    def __init__(self, base: int, length: int, seed: int) -> None:
        self.base = base
        self.length = length
        self.rows: Sequence[Row] = ()
        self._chance = np.array([seed], np.uint64)
        self._codes = sampling.random_codes(base, length, POOL, self._chance)

    @classmethod
    def taken_over(
        cls, base: int, length: int, rows: Sequence[Row], chance: int, packed: bytes
    ) -> Self:
        """Continue a sample from its `chance` and `packed`."""
        made = cls(base, length, chance)
        made.rows = Rows(rows)
        made._chance = np.array([chance], np.uint64)
        made._codes = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(-1, length).copy()
        return made

    @property
    def chance(self) -> int:
        return int(self._chance[0])

    def packed(self) -> bytes:
        """Return its codes, compressed."""
        return zlib.compress(self._codes.tobytes(), 1)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def size(self) -> int:
        return self._codes.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """Return how many of the sample's codes give each answer, by answer number."""
        return np.bincount(self._answers(guess), minlength=(self.length + 1) ** 2)

    def keep(self, row: Row) -> None:
        """Drop the codes that do not fit one more row."""
        guess, (full, partial) = row
        answer = full * (self.length + 1) + partial
        self._codes = self._codes[self._answers(guess) == answer]
        rows = self.rows if isinstance(self.rows, Rows) else Rows(self.rows)
        self.rows = rows.plus(row)

    def refresh(self, walks: int | None = None) -> None:
        """Walk from the codes in the sample to others that fit; ``walks`` is `WALKS` by default."""
        if not self.rows:
            return
        codes = np.empty((POOL, self.length), np.uint8)
        found = len(self._codes)
        codes[:found] = self._codes
        at = sampling.layout(self.base, self.length, self.rows)
        found = sampling.refill(at, codes, found, WALKS if walks is None else walks, self._chance)
        self._codes = codes[:found].copy()

    def look_harder(self, but: Code) -> bool:
        """Search for another code, and add it; return whether the result is proven."""
        self.refresh(HARDER * WALKS)
        if len(self) > 1:
            return True
        found = another_code(self.base, self.length, self.rows, but)
        if found.code is not None and fits(found.code, self.rows):
            self._codes = np.concatenate([self._codes, np.array([found.code], np.uint8)])
        return found.settled

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """Return a code of the sample that gives this answer to the guess."""
        full, partial = answer
        at = int(np.argmax(self._answers(guess) == full * (self.length + 1) + partial))
        return self.code(at)

    def code(self, k: int) -> Code:
        """Return the k-th code of the sample."""
        return tuple(map(int, self._codes[k]))

    def codes(self) -> Bytes:
        """Return all codes of the sample."""
        return self._codes

    def _answers(self, guess: Sequence[int]) -> Answers:
        out = np.empty(len(self._codes), np.uint16)
        answers_general(np.array(guess, np.uint8), self._codes, self.base, out)
        return out


PATIENCE: Final = 4.0
"""Deterministic time units (about seconds) that one question may take."""


class Found(NamedTuple):
    """A code, or none; ``settled`` without a code means a proof that there is none."""

    code: Code | None
    settled: bool


class BoardQuestion:
    """A CP-SAT model of a board."""

    def __init__(self, base: int, length: int, rows: Sequence[Row]) -> None:
        with needs("solve", "a search for contradictions"):
            from ortools.sat.python import cp_model
        self.base = base
        self.length = length
        self._cp = cp_model
        self.model: Any = cp_model.CpModel()
        self.digit: Any = [
            [self.model.new_bool_var(f"x{i},{d}") for d in range(base)] for i in range(length)
        ]
        most = [max((row.guess.count(d) for row in rows), default=0) for d in range(base)]
        self._at_least: Any = [
            [self.model.new_bool_var(f"c{d},{k}") for k in range(most[d])] for d in range(base)
        ]
        for choices in self.digit:
            self.model.add_exactly_one(choices)
        for d, steps in enumerate(self._at_least):
            count = sum(self.digit[i][d] for i in range(length))
            for k, step in enumerate(steps, start=1):
                self.model.add(count >= k).only_enforce_if(step)
                self.model.add(count < k).only_enforce_if(step.Not())
        self.holds: Any = []
        """For each row a switch that makes the row hold."""
        for r, row in enumerate(rows):
            switch = self.model.new_bool_var(f"row{r}")
            self._add_row(row, switch)
            self.holds.append(switch)

    def _add_row(self, row: Row, switch: Any) -> None:
        guess, (full, partial) = row
        in_place = sum(self.digit[i][d] for i, d in enumerate(guess))
        in_all = sum(
            step for d, times in Counter(guess).items() for step in self._at_least[d][:times]
        )
        self.model.add(in_place == full).only_enforce_if(switch)
        self.model.add(in_all == full + partial).only_enforce_if(switch)

    def near(self, code: Code, closest: int, farthest: int) -> None:
        """Allow only codes that differ from this one in ``closest`` to ``farthest`` places."""
        kept = sum(self.digit[i][d] for i, d in enumerate(code))
        self.model.add(kept <= self.length - closest)
        self.model.add(kept >= self.length - farthest)

    def hint(self, code: Code) -> None:
        """Let the search begin at this code."""
        for choices, d in zip(self.digit, code, strict=True):
            for value, choice in enumerate(choices):
                self.model.add_hint(choice, value == d)

    def solve(self, patience: float = PATIENCE) -> tuple[Found, list[int]]:
        """Search for a code; if there is none, also return the assumptions that clash."""
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = patience
        status = solver.solve(self.model)
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            code = tuple(
                next(d for d, choice in enumerate(choices) if solver.value(choice))
                for choices in self.digit
            )
            return Found(code, True), []
        if status == self._cp.INFEASIBLE:
            core = set(solver.sufficient_assumptions_for_infeasibility())
            return Found(None, True), [r for r, s in enumerate(self.holds) if s.index in core]
        return Found(None, False), []


def another_code(base: int, length: int, rows: Sequence[Row], but: Code) -> Found:
    """Search for a code other than ``but`` that fits the rows; first near it, then anywhere.

    ``settled`` without a code: no other one fits.
    """
    for farthest in (4, 8, length):
        if farthest > length:
            continue
        question = BoardQuestion(base, length, rows)
        question.model.add_bool_and(question.holds)
        question.near(but, 1, farthest)
        question.hint(but)
        found, _ = question.solve()
        if found.code is not None or farthest == length:
            return found
    raise AssertionError("the last distance is the length itself")


def refuted(base: int, length: int, rows: Sequence[Row]) -> list[int] | None:
    """Return rows, counted from 0, that no code fits together; ``None`` if none were found."""
    question = BoardQuestion(base, length, rows)
    question.model.add_assumptions(question.holds)
    found, core = question.solve()
    return core if found.code is None and found.settled else None
