"""Whether some code fits a board, by constraint solving (OR-tools CP-SAT).

A code is a choice of one digit for each place. "Digit d occurs at least k times" is
a choice too, and with both every row is a plain sum: its full matches add up the
choices that its guess made, and its matches altogether add up, for each digit,
"at least 1", "at least 2", ... as far as the guess has it.

Limits are the solver's deterministic time, one worker and a fixed seed, so the
outcome does not depend on how fast a machine is (another release of the solver may differ).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.extras import needs
from fairground.games.codebreaking import Code, Row

PATIENCE: Final = 4.0
"""Deterministic time units (near to seconds) that one question may take."""


class Found(NamedTuple):
    """A code that was found, or none; without one, whether that is proven."""

    code: Code | None
    settled: bool


class BoardQuestion:
    """A model of a board that can be solved under conditions."""

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
        """For each row a switch: the row must hold where it is on."""
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
        """Allow only codes that differ from this one in so many places."""
        kept = sum(self.digit[i][d] for i, d in enumerate(code))
        self.model.add(kept <= self.length - closest)
        self.model.add(kept >= self.length - farthest)

    def hint(self, code: Code) -> None:
        """Let the search begin at this code."""
        for choices, d in zip(self.digit, code, strict=True):
            for value, choice in enumerate(choices):
                self.model.add_hint(choice, value == d)

    def solve(self, patience: float = PATIENCE) -> tuple[Found, list[int]]:
        """Look for a code; if there is none, also which assumptions cannot all hold."""
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
    """A code other than ``but`` that fits the rows; first around it, then anywhere.

    ``settled`` without a code: it is proven that no other one fits.
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
    """Rows, counted from 0, that no code fits together; ``None`` if none were found."""
    question = BoardQuestion(base, length, rows)
    question.model.add_assumptions(question.holds)
    found, core = question.solve()
    return core if found.code is None and found.settled else None
