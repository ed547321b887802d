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
    """What is known of the codes that fit a board."""

    def __init__(self, game: CodeBreaking) -> None:
        self.game = game
        self.base, self.length = game.base, game.length
        self.evil = game.oracle == EVIL
        self.win: Marks = (game.length, 0)

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """How good this is."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """How many codes fit."""

    @abstractmethod
    def parts(self, rows: Rows, guess: Code) -> dict[Marks, Fraction]:
        """How likely each answer is, if all codes that fit are."""

    @abstractmethod
    def best(self, rows: Rows) -> Best:
        """Guesses needed on average; with an evil keeper, at worst."""

    def after(self, rows: Rows, guess: Code) -> dict[Marks, tuple[Fraction, Fraction]]:
        """For each answer to a guess: how likely it is, and the guesses needed after it."""
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
        """The guesses needed from here on, this one included."""
        after = self.after(rows, guess).values()
        if self.evil:
            return 1 + max((guesses for _, guesses in after), default=Fraction(0))
        return 1 + sum((share * guesses for share, guesses in after), Fraction(0))

    def suggestion(self, rows: Rows) -> Code | None:
        """A good guess where `best` names none."""
        return None


class SmallSets(Sets):
    """Every code that fits, in a space so small that every value can be proven."""

    basis = Basis(True, 0.0, PROVEN)

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._search = worth.SmallSearch(self.base, self.length)
        self._usual = (self.base, self.length) == (worth.BASE, worth.LENGTH)
        self._fitting: dict[Rows, worth.Array] = {(): np.arange(game.codes)}
        self._best: dict[Rows, Best] = {}

    @cached_property
    def _searcher(self) -> Searcher:
        """The compiled search, which takes long to start."""
        from fairground.games.codebreaking.solver.search import Searcher

        return Searcher(self.base, self.length)

    def _codes(self, rows: Rows) -> worth.Array:
        if rows not in self._fitting:
            before = self._codes(rows[:-1])
            guess, (full, partial) = rows[-1]
            answers = self._search.answers[number_of(guess, self.base), before]
            self._fitting[rows] = before[answers == full * (self.length + 1) + partial]
        return self._fitting[rows]

    def size(self, rows: Rows) -> float:
        return len(self._codes(rows))

    def parts(self, rows: Rows, guess: Code) -> dict[Marks, Fraction]:
        codes = self._codes(rows)
        answers = self._search.answers[number_of(guess, self.base), codes]
        return {
            divmod(int(answer), self.length + 1): Fraction(int(many), len(codes))
            for answer, many in zip(*np.unique(answers, return_counts=True), strict=True)
        }

    def best(self, rows: Rows) -> Best:
        if rows not in self._best:
            self._best[rows] = self._found(rows)
        return self._best[rows]

    def _found(self, rows: Rows) -> Best:
        codes = self._codes(rows)
        if not rows and (known := KNOWN.get((self.base, self.length))) is not None:
            worst = WORST_OF_CLASSIC if self._usual else known.worst
            return Best(
                Fraction(worst if self.evil else Fraction(known.total, len(codes))), known.guess
            )
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
    """The best that can be had for a space of this size."""
    if game.codes <= CLASSIC and game.base * game.length <= 64:
        return SmallSets(game)
    from fairground.games.codebreaking.codelists import ListedSets, SampledSets
    from fairground.games.codebreaking.solver.advice import enumerable

    return ListedSets(game) if enumerable(game.base, game.length) else SampledSets(game)
