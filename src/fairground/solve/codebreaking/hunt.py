"""The hunt for a code in a space that nobody can list.

It settles which digits the code has before it knows where they stand, and learns about the places
on the way. Before each guess:

* `Tallies` lists what the answers leave of the digits' counts. A few new digits join at a time.
* A crowd of walkers stands for the codes that fit. Each has counts drawn from the list, and
  exchanges places until its full matches fit too.
* The guess is the one whose answer tells the most about them. It need not fit. It mixes digits
  of unknown count with known ones, which are put where they are likely to stand.
* When few different codes are left among the walkers, the guess is one of them.

Where the counts cannot be listed, as after guesses that others made, or where no walker finds a
code that fits, the hunt looks for fitting codes by tempering alone, and asks the most telling one.
So it does where the digits are few: there is little to settle first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from fairground.games.codebreaking import Code, Row
from fairground.solve.codebreaking import pool
from fairground.solve.codebreaking.kernels import Bytes, Ints
from fairground.solve.codebreaking.questions import ask_for, improve
from fairground.solve.codebreaking.tallies import NEW, Tallies
from fairground.solve.codebreaking.walkers import regroup, retally, settle, tallied

ROUNDS: Final = 2000
"""Steps in which a walker mixes before each guess; tempering takes twice as many rounds."""

WALKERS: Final = 400
"""How many codes stand for all that fit."""

SAMPLES: Final = 2000
"""Counts that stand for all that fit, when it is chosen which digits to ask."""

WINDOW: Final = 15.5
"""Bits that may be unknown about the counts of the digits asked: so many new ones join."""

MANY: Final = 40
"""Where the counts of all digits have fewer bits, they are not settled first: it did not pay."""

REPEATS: Final = 3
"""How often a digit of unknown count is asked at most."""

PRICE: Final = 0.015
"""What a known digit tells more about its place than one of unknown count, in bits."""

FEW: Final = 30
"""Where so few different codes are left among the walkers, one of them is asked."""

CATCH: Final = 24
"""Fitting codes at which tempering ends."""


class Hunt:
    """One hunt, from the empty board to the code; the same rows lead to the same guesses."""

    def __init__(self, base: int, length: int, seed: int, rounds: int = ROUNDS) -> None:
        self.base = base
        self.length = length
        self.rounds = rounds
        self._seed = seed
        self._begin()

    def _begin(self) -> None:
        self._chance = np.array([self._seed], np.uint64)
        self._rows: tuple[Row, ...] = ()
        tallies = Tallies(self.base, self.length)
        many = self.base * tallies.surprise > MANY
        self._tallies: Tallies | None = tallies if many else None
        drawn = tallies.draw(WALKERS, self._chance)
        self._walkers = np.zeros((WALKERS, self.length), np.uint8)
        for code, counts in zip(self._walkers, drawn, strict=True):
            retally(code, counts, self._chance)
        self._temperatures = np.geomspace(*pool.TEMPERATURES)
        self._replicas = self._walkers[: len(self._temperatures)].copy()

    def next(self, rows: Sequence[Row]) -> Code | None:
        """The next guess, which was never asked before; ``None`` when all codes were."""
        asked = {row.guess for row in rows}
        if len(asked) == self.base**self.length:
            return None
        self._learn(tuple(rows))
        guess = tuple(map(int, self._choose()))
        while guess in asked:
            place = int(pool.scaled(pool.word(self._chance), self.length))
            digit = int(pool.scaled(pool.word(self._chance), self.base))
            guess = (*guess[:place], digit, *guess[place + 1 :])
        return guess

    def _learn(self, rows: tuple[Row, ...]) -> None:
        """Strike out the counts that do not fit, and let the walkers follow."""
        if self._rows != rows[: len(self._rows)]:
            self._begin()
        for row in rows[len(self._rows) :]:
            if self._tallies and not self._tallies.keep(row.guess, sum(row.marks)):
                self._tallies = None
            if self._tallies:
                drawn = self._tallies.draw(WALKERS, self._chance)
                guess = np.array(row.guess, np.uint8)
                regroup(self._walkers, drawn, guess, sum(row.marks), self._chance)
        self._rows = rows

    def _choose(self) -> Bytes:
        """The most informative guess for the codes that fit, as far as we have them."""
        fitting = self._fitting()
        if self._tallies is None or not len(fitting):
            return self._temper()
        if len(fitting) <= FEW:
            return self._telling(fitting)
        guess, digits = self._draft(self._tallies)
        improve(guess, digits, fitting, tallied(fitting, self.base))
        return guess

    def _fitting(self) -> Bytes:
        """The different codes among the walkers that fit."""
        if self._tallies is None or not self._rows:
            return self._walkers
        guesses = np.array([row.guess for row in self._rows], np.uint8)
        full = np.array([row.marks[0] for row in self._rows], np.int64)
        strains = settle(guesses, full, self.base, self._walkers, self.rounds, self._chance)
        fitting: Bytes = np.unique(self._walkers[strains == 0], axis=0)
        return fitting

    def _draft(self, tallies: Tallies) -> tuple[Bytes, Ints]:
        """A guess with digits whose counts tell much, in any order, and the digits it may have.

        The places that are left go to the digits that are likely to occur most.
        """
        certain = tallies.certain()
        unseen = np.flatnonzero(~tallies.seen)
        new = int((WINDOW - tallies.bits()) / tallies.surprise)
        new = min(max(new, 1), NEW, len(unseen))
        unsure = np.concatenate([np.flatnonzero(tallies.seen & ~certain), unseen[:new]])
        samples = tallies.draw(SAMPLES, self._chance)
        mean = samples.mean(axis=0)
        asked = ask_for(samples, unsure, self.length, REPEATS, PRICE)
        digits = np.concatenate([unsure, np.flatnonzero(certain & (mean > 0))])
        digits = digits[np.argsort(-mean[digits], kind="stable")]
        likely = digits[: max(10, int((mean[digits] > 0.7).sum()))]
        left = self.length - int(asked.sum())
        guess = np.concatenate([np.repeat(np.arange(self.base), asked), np.resize(likely, left)])
        order = np.argsort([int(pool.word(self._chance)) for _ in guess], kind="stable")
        return guess[order].astype(np.uint8), digits

    def _temper(self) -> Bytes:
        """Codes that fit, or nearly, by parallel tempering; the best of those."""
        at = pool.layout(self.base, self.length, self._rows)
        if at.settled:
            right = next(row.guess for row in self._rows if sum(row.marks) == self.length)
            for replica in self._replicas:
                if sorted(replica) != sorted(right):
                    replica[:] = right
        catch = np.zeros((CATCH, self.length), np.uint8)
        found, closest, _ = pool.temper(
            at, self._replicas, self._temperatures, 2 * self.rounds, self._chance, catch
        )
        return self._telling(catch[:found]) if found else closest

    def _telling(self, codes: Bytes) -> Bytes:
        """The one of some codes whose answer tells the most about them."""
        best: Bytes = codes[int(np.argmax(pool.spread(codes, codes, self.base)))]
        return best
