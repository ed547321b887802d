"""The codes that fit a board, and how many more guesses they need.

`SmallSets` knows small spaces, and the usual game, at once and exactly. Larger ones are in
`fairground.games.codebreaking.codelists`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.coach.judging import Basis
from fairground.games.codebreaking.rules import EVIL, Code, CodeBreaking, Marks, Row, digits
from fairground.games.codebreaking.rules import number as number_of
from fairground.games.codebreaking.solver import worth
from fairground.games.codebreaking.solver.worth import CLASSIC, KNOWN

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.search import Searcher

Rows: TypeAlias = tuple[Row, ...]

PROVEN: Final = "Every value is exact: all ways to find the code were searched."

WORST_OF_CLASSIC: Final = 5
"""Knuth, 1977: the 6^4 codes need five guesses at worst, and never more."""


class Best(NamedTuple):
    """How many more guesses a set needs, and a guess that achieves it."""

    guesses: Fraction
    guess: Code | None


class Sets(ABC):
    """Answers questions about the codes that fit a board, and caches the guesses they need."""

    def __init__(self, game: CodeBreaking) -> None:
        self.game = game
        self.base, self.length = game.base, game.length
        self.evil = game.oracle == EVIL
        self.win: Marks = (game.length, 0)
        self._best: dict[Rows, Best] = {}

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """Say how far values can be trusted."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """Return the number of codes that fit."""

    @abstractmethod
    def _counts(self, rows: Rows, guess: Code) -> worth.Array:
        """Return how many of the known codes give each answer, by its number."""

    @abstractmethod
    def _found(self, rows: Rows) -> Best:
        """Find what `best` returns."""

    def number(self, answer: Marks) -> int:
        """Return the number of an answer."""
        full, partial = answer
        return full * (self.length + 1) + partial

    def parts(self, rows: Rows, guess: Code) -> dict[Marks, Fraction]:
        """Return how likely each answer is, if all codes that fit are equally likely."""
        counts = self._counts(rows, guess)
        total = int(counts.sum())
        return {
            divmod(int(answer), self.length + 1): Fraction(int(counts[answer]), total)
            for answer in np.flatnonzero(counts)
        }

    def best(self, rows: Rows) -> Best:
        """Return the guesses needed on average; with an evil keeper, at worst."""
        if rows not in self._best:
            self._best[rows] = self._found(rows)
        return self._best[rows]

    def after(self, rows: Rows, guess: Code) -> dict[Marks, tuple[Fraction, Fraction]]:
        """Return, for each answer to a guess, its probability and the guesses needed after it."""
        return {
            answer: (
                share,
                Fraction(0)
                if answer == self.win
                else self.best((*rows, Row(guess, answer))).guesses,
            )
            for answer, share in self.parts(rows, guess).items()
        }

    def worth(self, rows: Rows, guess: Code) -> Fraction:
        """Return the guesses needed from here on, this one included."""
        after = self.after(rows, guess).values()
        if self.evil:
            return 1 + max((guesses for _, guesses in after), default=Fraction(0))
        return 1 + sum((share * guesses for share, guesses in after), Fraction(0))

    def suggestion(self, rows: Rows) -> Code | None:
        """Return a good guess where `best` names none."""
        return None


class SmallSets(Sets):
    """Every code that fits, in a space so small that every value can be proven."""

    basis = Basis(True, 0.0, PROVEN)

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._search = worth.SmallSearch(self.base, self.length)
        self._usual = (self.base, self.length) == (worth.BASE, worth.LENGTH)
        self._fitting: dict[Rows, worth.Array] = {(): np.arange(game.codes)}

    @cached_property
    def _searcher(self) -> Searcher:
        """The compiled search, which takes long to start."""
        from fairground.games.codebreaking.solver.search import Searcher

        return Searcher(self.base, self.length)

    def _answers(self, codes: worth.Array, guess: Code) -> worth.Array:
        answers: worth.Array = self._search.answers[number_of(guess, self.base), codes]
        return answers

    def _codes(self, rows: Rows) -> worth.Array:
        if rows not in self._fitting:
            before, (guess, answer) = self._codes(rows[:-1]), rows[-1]
            self._fitting[rows] = before[self._answers(before, guess) == self.number(answer)]
        return self._fitting[rows]

    def size(self, rows: Rows) -> float:
        return len(self._codes(rows))

    def _counts(self, rows: Rows, guess: Code) -> worth.Array:
        return np.bincount(self._answers(self._codes(rows), guess))

    def _found(self, rows: Rows) -> Best:
        codes = self._codes(rows)
        if self._usual and not rows:
            known = KNOWN[self.base, self.length]
            average = Fraction(known.total, len(codes))
            return Best(Fraction(WORST_OF_CLASSIC) if self.evil else average, known.guess)
        told = tuple({row.guess: row for row in rows}.values())
        if self._usual and len(told) <= 2 and (kept := worth.opening(told)) is not None:
            if self.evil:
                return Best(Fraction(kept.worst), kept.worst_guess)
            return Best(Fraction(kept.total, len(codes)), kept.guess)
        try:
            tree = self._search.worst(codes) if self.evil else self._search.average(codes)
        except worth.TooLong:
            asked = tuple(row.guess for row in rows)
            search = self._searcher.worst if self.evil else self._searcher.average
            found = search(codes.astype(np.int64), asked)
            return Best(found.guesses, found.guess)
        needed = Fraction(tree.cost, 1 if self.evil else len(codes))
        return Best(needed, digits(tree.guess, self.base, self.length))


def sets_for(game: CodeBreaking) -> Sets:
    """Return the most exact sets for a space of this size."""
    if game.codes <= CLASSIC and game.base * game.length <= 64:
        return SmallSets(game)
    from fairground.games.codebreaking.codelists import ListedSets, SampledSets
    from fairground.games.codebreaking.solver.advice import enumerable

    return ListedSets(game) if enumerable(game.base, game.length) else SampledSets(game)
