"""The hunt for a code in a space that nobody can list.

Every guess continues the parallel tempering of the last one, with one row more. It usually finds
some codes that fit; then the hunt asks the one whose answer tells the most about the others.
When it finds none, the hunt asks the code of least strain: that is nearly as informative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from fairground.games.codebreaking import Code, Row
from fairground.solve.codebreaking import pool

ROUNDS: Final = 4000
"""Rounds of tempering per guess; each is 12 replicas times 200 steps."""

CATCH: Final = 24
"""Fitting codes at which the search for more of them ends."""


class Hunt:
    """One hunt, from the empty board to the code; the same rows lead to the same guesses."""

    def __init__(self, base: int, length: int, seed: int, rounds: int = ROUNDS) -> None:
        self.base = base
        self.length = length
        self.rounds = rounds
        self._chance = np.array([seed], np.uint64)
        self._temperatures = np.geomspace(*pool.TEMPERATURES)
        self._replicas = pool.random_codes(base, length, len(self._temperatures), self._chance)

    def next(self, rows: Sequence[Row]) -> Code | None:
        """The next guess, which was never asked before; ``None`` when all codes were."""
        asked = {row.guess for row in rows}
        if len(asked) == self.base**self.length:
            return None
        at = pool.layout(self.base, self.length, rows)
        if at.settled:
            self._take_over_the_digits(rows)
        catch = np.zeros((CATCH, self.length), np.uint8)
        found, closest, _ = pool.temper(
            at, self._replicas, self._temperatures, self.rounds, self._chance, catch
        )
        if found:
            caught = catch[:found]
            closest = caught[int(np.argmax(pool.spread(caught, caught, self.base)))]
        guess = tuple(map(int, closest))
        while guess in asked:
            # The code of least strain may be one that was asked before: change a digit.
            place = int(pool.scaled(pool.word(self._chance), self.length))
            digit = int(pool.scaled(pool.word(self._chance), self.base))
            guess = (*guess[:place], digit, *guess[place + 1 :])
        return guess

    def _take_over_the_digits(self, rows: Sequence[Row]) -> None:
        """Begin anew from a row that has all the digits, where a replica has others."""
        right = next(row.guess for row in rows if sum(row.marks) == self.length)
        for replica in self._replicas:
            if sorted(replica) != sorted(right):
                replica[:] = right
