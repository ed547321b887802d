"""The codes that fit a board in large spaces: searched, or estimated.

`ListedSets` goes through all codes of a space of up to 2^24; `SampledSets` has samples of larger
ones, so all that it says is an estimate.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Final

import numpy as np

from fairground.coach.judging import Basis
from fairground.games.codebreaking.codesets import Best, Rows, Sets
from fairground.games.codebreaking.rules import EVIL, Code, CodeBreaking, Marks
from fairground.games.codebreaking.solver.advice import split_well
from fairground.games.codebreaking.solver.scoring import Answers, Bytes, Ints, answers_general
from fairground.games.codebreaking.solver.search import QUICK, Searcher
from fairground.games.codebreaking.solver.sets import ENUMERABLE, Listed, Sampled
from fairground.games.codebreaking.solver.worth import (
    KNOWN,
    SEARCHABLE,
    by_size,
    growth,
    worst_by_size,
)

SEARCH_ERROR: Final = 0.2
"""How far a search that was cut short can be off. Against fifty times the work, which proved 119 of
171 positions in spaces of 2,401 to 32,768 codes, it was off by 0.17 guesses at most."""

SIZE_ERROR: Final = 0.7
"""How far the estimate by size can be off in spaces of up to `SEARCHABLE` codes with few digits.
Against trees of ten times the work it was off by 0.57 at most, and mostly by less than 0.2."""

FEW_DIGITS: Final = 4
"""With at most so many digits for each place the growth is well known."""

SHARE: Final = 0.15
"""How far the estimate can be off in larger spaces with few digits, as a share of the guesses. It
was off by 0.08 at most from the mean of whole games in which every guess splits the codes best."""

LARGE_SHARE: Final = 0.4
"""The same with more digits (it was 0.29 at most), or in spaces that cannot be listed (0.16)."""

SEARCHED: Final = (
    "Values come from a search that was cut short: positions of up to {limit:,} codes may need "
    "fewer guesses than it found, by up to {searched:g}. Positions with more codes are estimated "
    "from their number, and can be off by {error:g}."
)
ESTIMATED: Final = (
    "There are too many codes to search. Values are estimated from how many codes still fit, and "
    "can be off by up to {error:g} guesses; what one guess cost against another is surer than that."
)
TRIED: Final = 60
"""Codes of a sample that are compared as guesses."""


WALKS: Final = 1000
"""How hard a sample is filled up again after each row."""


def _by_size(game: CodeBreaking, codes: float) -> Fraction:
    """The guesses that so many codes of this space need: on average, or at worst."""
    estimate = worst_by_size if game.oracle == EVIL else by_size
    return estimate(codes, growth(game.base, game.length))


def _estimated(game: CodeBreaking) -> Basis:
    """An estimate, and how far it can be off."""
    error = _share_off(game)
    return Basis(False, error, ESTIMATED.format(error=error))


def _share_off(game: CodeBreaking) -> float:
    share = SHARE if _few_digits(game) and game.codes <= ENUMERABLE else LARGE_SHARE
    return float(ceil(share * _by_size(game, game.codes)))


def _few_digits(game: CodeBreaking) -> bool:
    return game.base <= FEW_DIGITS * game.length


class ListedSets(Sets):
    """Every code that fits, in a space that can be gone through."""

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._listed: dict[Rows, Listed] = {(): Listed(self.base, self.length)}
        self._searchable = game.codes <= SEARCHABLE and game.base * game.length <= 64

    @property
    def basis(self) -> Basis:
        if not self._searchable:
            return _estimated(self.game)
        searched, error = (1.0, 2.0) if self.evil else (SEARCH_ERROR, SIZE_ERROR)
        if not _few_digits(self.game):
            error = _share_off(self.game)
        limit = QUICK // self.game.codes
        return Basis(False, error, SEARCHED.format(limit=limit, searched=searched, error=error))

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self.base, self.length)

    def _fitting(self, rows: Rows) -> Listed:
        if rows not in self._listed:
            before, (guess, answer) = self._fitting(rows[:-1]), rows[-1]
            numbers = before.numbers()[before.answers(guess) == self.number(answer)]
            self._listed[rows] = Listed.of(self.base, self.length, numbers)
        return self._listed[rows]

    def size(self, rows: Rows) -> float:
        return len(self._fitting(rows))

    def _counts(self, rows: Rows, guess: Code) -> Ints:
        return self._fitting(rows).sizes(guess)

    def _found(self, rows: Rows) -> Best:
        fitting = self._fitting(rows)
        n = len(fitting)
        if not rows and (known := KNOWN.get((self.base, self.length))) is not None:
            needed = Fraction(known.worst) if self.evil else Fraction(known.total, n)
            return Best(needed, known.guess)
        if self._searchable and n and self._searcher.fits(n):
            members = fitting.numbers().astype(np.int64)
            asked = tuple(row.guess for row in rows)
            search = self._searcher.worst if self.evil else self._searcher.average
            found = search(members, asked)
            return Best(found.guesses, found.guess)
        return Best(_by_size(self.game, n), None)

    def suggestion(self, rows: Rows) -> Code | None:
        return split_well(self._fitting(rows), "minimax" if self.evil else None)


class SampledSets(Sets):
    """Samples of the codes that fit, and an estimate of their number."""

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        self._sample = Sampled(game.base, game.length, seed=1)
        self._seen: dict[Rows, tuple[float, Bytes]] = {(): (float(game.codes), self._codes())}

    @property
    def basis(self) -> Basis:
        return _estimated(self.game)

    def _codes(self) -> Bytes:
        return self._sample.codes().copy()

    def _look(self, rows: Rows) -> tuple[float, Bytes]:
        """Go on row by row, as `advice.Counting` does; what was seen is remembered."""
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

    def _answers(self, codes: Bytes, guess: Code) -> Answers:
        out = np.empty(len(codes), np.uint16)
        answers_general(np.array(guess, np.uint8), codes, self.base, out)
        return out

    def size(self, rows: Rows) -> float:
        return self._look(rows)[0]

    def _counts(self, rows: Rows, guess: Code) -> Ints:
        _, codes = self._look(rows)
        return np.bincount(self._answers(codes, guess), minlength=1)

    def after(self, rows: Rows, guess: Code) -> dict[Marks, tuple[Fraction, Fraction]]:
        number = self.size(rows)
        return {
            answer: (
                share,
                Fraction(0)
                if answer == self.win
                else _by_size(self.game, max(1.0, number * float(share))),
            )
            for answer, share in self.parts(rows, guess).items()
        }

    def best(self, rows: Rows) -> Best:
        return self._found(rows)  # a sample that has moved on may tell more: nothing is cached

    def _found(self, rows: Rows) -> Best:
        return Best(_by_size(self.game, self.size(rows)), None)

    def suggestion(self, rows: Rows) -> Code | None:
        _, codes = self._look(rows)
        tried = [tuple(map(int, code)) for code in codes[:: max(1, len(codes) // TRIED)]]
        return min(tried, key=lambda code: self.worth(rows, code), default=None)
