"""The codes that fit a board, and how many more guesses they need.

`SmallSets` knows small spaces, and the usual game, at once and exactly. `ListedSets` goes through
all codes of a space of up to 2^24. `SampledSets` has samples of larger ones, so all that it says is
an estimate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.coach.judging import Basis
from fairground.games.codebreaking.rules import EVIL, Code, CodeBreaking, Marks, Row, digits
from fairground.games.codebreaking.rules import number as number_of
from fairground.games.codebreaking.solver import worth
from fairground.games.codebreaking.solver.advice import enumerable, listed, split_well
from fairground.games.codebreaking.solver.worth import CLASSIC, KNOWN, SEARCHABLE, Array

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.scoring import Bytes
    from fairground.games.codebreaking.solver.search import Searcher
    from fairground.games.codebreaking.solver.sets import Listed

Rows: TypeAlias = tuple[Row, ...]

PROVEN: Final = "Every value is exact: all ways to find the code were searched."
SEARCHED: Final = (
    "Values come from a search that was cut short: positions of up to {limit:,} codes may need "
    "fewer guesses than it found, by up to {searched:g}. Positions with more codes are estimated "
    "from their number, and can be off by {error:g}."
)
ESTIMATED: Final = (
    "There are too many codes to search. Values are estimated from how many codes still fit, and "
    "can be off by up to {error:g} guesses; what one guess cost against another is surer than that."
)

WORST_OF_CLASSIC: Final = 5
"""Knuth, 1977: the 6^4 codes need five guesses at worst, and never more."""

SEARCH_ERROR: Final = 0.2
"""Error of a search that was cut short. Against fifty times the work, which proved 119 of
171 positions in spaces of 2,401 to 32,768 codes, it was off by 0.17 guesses at most."""

SIZE_ERROR: Final = 0.7
"""Error of the estimate by size in spaces of up to `SEARCHABLE` codes with few digits.
Against trees of ten times the work it was off by 0.57 at most, and mostly by less than 0.2."""

FEW_DIGITS: Final = 4
"""Maximum number of digits for each place with a well-known growth."""

SHARE: Final = 0.15
"""Error of the estimate in larger spaces with few digits, as a share of the guesses. It
was off by 0.08 at most from the mean of whole games in which every guess splits the codes best."""

LARGE_SHARE: Final = 0.4
"""`SHARE` with more digits (it was 0.29 at most), or in spaces that cannot be listed (0.16)."""

TRIED: Final = 60
"""Codes of a sample that are compared as guesses."""

WALKS: Final = 1000
"""Number of walks that fill up a sample after each row."""


class Best(NamedTuple):
    """The guesses that a set still needs, and a guess that achieves it."""

    guesses: Fraction
    guess: Code | None


class Sets(ABC):
    """Answers questions about the codes that fit a board, and caches the guesses they need."""

    basis: Basis
    """The trust that values deserve."""

    def __init__(self, game: CodeBreaking) -> None:
        self.game = game
        self.base, self.length = game.base, game.length
        self.evil = game.oracle == EVIL
        self.win: Marks = (game.length, 0)
        self._best: dict[Rows, Best] = {}

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """Return the number of codes that fit."""

    @abstractmethod
    def _counts(self, rows: Rows, guess: Code) -> Array:
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
                Fraction(0) if answer == self.win else self._then(rows, guess, answer, share),
            )
            for answer, share in self.parts(rows, guess).items()
        }

    def _then(self, rows: Rows, guess: Code, answer: Marks, share: Fraction) -> Fraction:
        """Return the guesses needed after one more row, whose answer has this probability."""
        return self.best((*rows, Row(guess, answer))).guesses

    def worth(self, rows: Rows, guess: Code) -> Fraction:
        """Return the guesses needed from here on, this one included."""
        after = self.after(rows, guess).values()
        if self.evil:
            return 1 + max((guesses for _, guesses in after), default=Fraction(0))
        return 1 + sum((share * guesses for share, guesses in after), Fraction(0))

    def suggestion(self, rows: Rows) -> Code | None:
        """Return a good guess where `best` names none."""
        return None

    @cached_property
    def _searcher(self) -> Searcher:
        """The compiled search, which takes long to start."""
        from fairground.games.codebreaking.solver.search import Searcher

        return Searcher(self.base, self.length)

    def _searched(self, codes: Array, rows: Rows) -> Best:
        """Search for the cheapest tree of these codes, or for the lowest one."""
        search = self._searcher.worst if self.evil else self._searcher.average
        found = search(codes.astype(np.int64), tuple(row.guess for row in rows))
        return Best(found.guesses, found.guess)

    def _by_size(self, codes: float) -> Fraction:
        """Estimate the guesses that so many codes of this space need."""
        estimate = worth.worst_by_size if self.evil else worth.by_size
        return estimate(codes, worth.growth(self.base, self.length))

    @property
    def _few_digits(self) -> bool:
        return self.base <= FEW_DIGITS * self.length

    def _size_error(self) -> float:
        few = self._few_digits and enumerable(self.base, self.length)
        return float(ceil((SHARE if few else LARGE_SHARE) * self._by_size(self.game.codes)))

    def _estimated(self) -> Basis:
        error = self._size_error()
        return Basis(False, error, ESTIMATED.format(error=error))


class SmallSets(Sets):
    """Every code that fits, in a space so small that every value can be proven."""

    basis = Basis(True, 0.0, PROVEN)

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._search = worth.SmallSearch(self.base, self.length)
        self._usual = (self.base, self.length) == (worth.BASE, worth.LENGTH)
        self._fitting: dict[Rows, Array] = {(): np.arange(game.codes)}

    def _answers(self, codes: Array, guess: Code) -> Array:
        answers: Array = self._search.answers[number_of(guess, self.base), codes]
        return answers

    def _codes(self, rows: Rows) -> Array:
        if rows not in self._fitting:
            before, (guess, answer) = self._codes(rows[:-1]), rows[-1]
            self._fitting[rows] = before[self._answers(before, guess) == self.number(answer)]
        return self._fitting[rows]

    def size(self, rows: Rows) -> float:
        return len(self._codes(rows))

    def _counts(self, rows: Rows, guess: Code) -> Array:
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
            return self._searched(codes, rows)
        needed = Fraction(tree.cost, 1 if self.evil else len(codes))
        return Best(needed, digits(tree.guess, self.base, self.length))


class ListedSets(Sets):
    """Every code that fits, in a space that can be gone through."""

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._listed: dict[Rows, Listed] = {(): listed(self.base, self.length, ())}
        self._searchable = game.codes <= SEARCHABLE and game.base * game.length <= 64
        self.basis = self._search_basis() if self._searchable else self._estimated()

    def _search_basis(self) -> Basis:
        from fairground.games.codebreaking.solver.search import QUICK

        searched, error = (1.0, 2.0) if self.evil else (SEARCH_ERROR, SIZE_ERROR)
        if not self._few_digits:
            error = self._size_error()
        limit = QUICK // self.game.codes
        return Basis(False, error, SEARCHED.format(limit=limit, searched=searched, error=error))

    def _fitting(self, rows: Rows) -> Listed:
        if rows not in self._listed:
            before, (guess, answer) = self._fitting(rows[:-1]), rows[-1]
            numbers = before.numbers()[before.answers(guess) == self.number(answer)]
            self._listed[rows] = type(before).of(self.base, self.length, numbers)
        return self._listed[rows]

    def size(self, rows: Rows) -> float:
        return len(self._fitting(rows))

    def _counts(self, rows: Rows, guess: Code) -> Array:
        return self._fitting(rows).sizes(guess)

    def _found(self, rows: Rows) -> Best:
        fitting = self._fitting(rows)
        n = len(fitting)
        if not rows and (known := KNOWN.get((self.base, self.length))) is not None:
            needed = Fraction(known.worst) if self.evil else Fraction(known.total, n)
            return Best(needed, known.guess)
        if self._searchable and n and self._searcher.fits(n):
            return self._searched(fitting.numbers(), rows)
        return Best(self._by_size(n), None)

    def suggestion(self, rows: Rows) -> Code | None:
        return split_well(self._fitting(rows), "minimax" if self.evil else None)


class SampledSets(Sets):
    """Samples of the codes that fit, and an estimate of their number."""

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        from fairground.games.codebreaking.solver.sets import Sampled

        self._sample = Sampled(game.base, game.length, seed=1)
        self._seen: dict[Rows, tuple[float, Bytes]] = {(): (float(game.codes), self._codes())}
        self.basis = self._estimated()

    def _codes(self) -> Bytes:
        return self._sample.codes().copy()

    def _look(self, rows: Rows) -> tuple[float, Bytes]:
        """Go on row by row, as `advice.Counting` does; results are cached."""
        if rows not in self._seen:
            (number, codes), (guess, answer) = self._look(rows[:-1]), rows[-1]
            share = float(np.mean(self._answers(codes, guess) == self.number(answer)))
            if self._sample.rows != rows[:-1]:
                return max(1.0, number * share), codes
            self._sample.keep(rows[-1])
            if len(self._sample):
                self._sample.refresh(WALKS)
            self._seen[rows] = max(1.0, number * share), self._codes()
        return self._seen[rows]

    def _answers(self, codes: Bytes, guess: Code) -> Any:
        from fairground.games.codebreaking.solver.scoring import answers_general

        out = np.empty(len(codes), np.uint16)
        answers_general(np.array(guess, np.uint8), codes, self.base, out)
        return out

    def size(self, rows: Rows) -> float:
        return self._look(rows)[0]

    def _counts(self, rows: Rows, guess: Code) -> Array:
        _, codes = self._look(rows)
        return np.bincount(self._answers(codes, guess), minlength=1)

    def _then(self, rows: Rows, guess: Code, answer: Marks, share: Fraction) -> Fraction:
        return self._by_size(max(1.0, self.size(rows) * float(share)))

    def best(self, rows: Rows) -> Best:
        return self._found(rows)  # a sample that has moved on may tell more: nothing is cached

    def _found(self, rows: Rows) -> Best:
        return Best(self._by_size(self.size(rows)), None)

    def suggestion(self, rows: Rows) -> Code | None:
        _, codes = self._look(rows)
        tried = [tuple(map(int, code)) for code in codes[:: max(1, len(codes) // TRIED)]]
        return min(tried, key=lambda code: self.worth(rows, code), default=None)


def sets_for(game: CodeBreaking) -> Sets:
    """Return the most exact sets for a space of this size."""
    if game.codes <= CLASSIC and game.base * game.length <= 64:
        return SmallSets(game)
    return ListedSets(game) if enumerable(game.base, game.length) else SampledSets(game)
