"""Small sets of codes, searched in plain NumPy: what a coach needs at once, without compiling.

It finds the same as `fairground.solve.codebreaking.search`: the cheapest tree of a set, or the
lowest, by branch and bound. That one is compiled and fit for large sets. This one has the answers
of all codes to all guesses in one table, and is quick for sets of some dozens.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

HOPELESS: Final = 1 << 40
"""The cost of what cannot be done."""

PATIENCE: Final = 1000
"""Sets that a search may look at before it gives up: some tenths of a second."""


class TooLong(Exception):
    """A search that takes longer than is worth waiting for here."""


class Tree(NamedTuple):
    """What a set costs, and the first guess, as a number."""

    cost: int
    """The guesses of all codes together; or those that the last code takes."""
    guess: int


@cache
def answers(base: int, length: int) -> Array:
    """[guess, code] → the number of the answer: ``full * (length + 1) + partial``."""
    numbers = np.arange(base**length)
    digits = numbers[:, None] // base ** np.arange(length - 1, -1, -1) % base
    full = np.zeros((len(numbers), len(numbers)), np.uint8)
    for place in digits.T:
        full += place[:, None] == place
    common = np.zeros_like(full)
    for digit in range(base):
        many = (digits == digit).sum(axis=1).astype(np.uint8)
        common += np.minimum(many[:, None], many)
    return full * np.uint8(length) + common


class SmallSearch:
    """Searches sets of one base and length, and remembers what it has found.

    `average` and `worst` raise `TooLong` where that would not be quick.
    """

    def __init__(self, base: int, length: int) -> None:
        self.answers = answers(base, length)
        self._kinds, compact = np.unique(self.answers, return_inverse=True)
        self._win = len(self._kinds) - 1
        codes = len(self.answers)
        self._compact = compact.reshape(codes, codes) + np.arange(codes)[:, None] * len(self._kinds)
        self._floors = self._cheapest_thinkable(codes)
        self._costs: dict[bytes, Tree] = {}
        self._bounds: dict[bytes, int] = {}
        self._depths: dict[tuple[bytes, int], int | None] = {}
        self._looked = 0

    def _cheapest_thinkable(self, codes: int) -> Array:
        """By number of codes: one falls at the first guess, one per other answer at the next."""
        level, room, floors = 1, 1, [0]
        for _ in range(codes):
            if not room:
                level, room = level + 1, self._win**level
            floors.append(floors[-1] + level)
            room -= 1
        return np.array(floors)

    def _parts(self, members: Array) -> Array:
        """[guess, answer] → how many of the members give it."""
        self._looked += 1
        if self._looked > PATIENCE:
            raise TooLong
        taken = self._compact[:, members].ravel()
        kinds = len(self._kinds)
        return np.bincount(taken, minlength=len(self.answers) * kinds).reshape(-1, kinds)

    def _split(self, members: Array, guess: int) -> list[Array]:
        """The members by their answers, the smallest part first, without the guess itself."""
        answer = self.answers[guess, members]
        parts = [members[answer == kind] for kind in np.unique(answer)]
        return sorted((part for part in parts if part[0] != guess or len(part) > 1), key=len)

    def average(self, members: Array) -> Tree:
        """The cheapest tree: the least sum of guesses over all members."""
        self._looked = 0
        cost = self._cost(members, HOPELESS)
        return self._costs.get(members.tobytes(), Tree(cost, int(members[0])))

    def _cost(self, members: Array, bound: int) -> int:
        """The least cost; if it is not below the bound, some number between the two."""
        n = len(members)
        if n <= 2 or self._floors[n] >= bound:
            return int(self._floors[n])
        key = members.tobytes()
        if key in self._costs:
            return self._costs[key].cost
        if self._bounds.get(key, 0) >= bound:
            return self._bounds[key]
        sizes = self._parts(members)
        least = n + self._floors[sizes[:, : self._win]].sum(axis=1)
        least[sizes[:, : self._win].max(axis=1) == n] = HOPELESS
        guesses = np.arange(len(least))
        # A guess that cannot be the code itself costs two for every code at the least, so where a
        # member costs no more it need not be tried.
        if least[members].min() <= 2 * n:
            guesses = members
        floor = int(least[guesses].min())
        best, chosen = bound, -1
        # Those that leave few codes together with many answers are tried first.
        hoped = (sizes[guesses, : self._win] ** 1.4).sum(axis=1)
        for guess in guesses[np.argsort(hoped, kind="stable")].tolist():
            total = int(least[guess])
            if total >= best:
                continue
            for part in self._split(members, guess):
                others = total - int(self._floors[len(part)])
                total = others + self._cost(part, best - others)
                if total >= best:
                    break
            if total < best:
                best, chosen = total, guess
                if best == floor:
                    break
        if best == bound:
            self._bounds[key] = bound
        else:
            self._costs[key] = Tree(best, chosen)
        return best

    def worst(self, members: Array) -> Tree:
        """The lowest tree: the fewest guesses after which every member is found."""
        self._looked, depth = 0, 1
        while (guess := self._within(members, depth)) is None:
            depth += 1
        return Tree(depth, guess)

    def _within(self, members: Array, depth: int) -> int | None:
        """A guess after which all members are found within so many guesses, this one included."""
        n = len(members)
        if n <= 2:
            return int(members[0]) if n <= depth else None
        if depth == 1 or n > sum(self._win**level for level in range(depth)):
            return None
        key = members.tobytes(), depth
        if key not in self._depths:
            self._depths[key] = self._deep(members, depth)
        return self._depths[key]

    def _deep(self, members: Array, depth: int) -> int | None:
        sizes = self._parts(members)[:, : self._win]
        largest = sizes.max(axis=1)
        room = sum(self._win**level for level in range(depth - 1))
        largest[largest == len(members)] = room + 1
        guesses: list[int] = np.argsort(largest, kind="stable").tolist()
        for guess in guesses:
            if largest[guess] > room:
                return None
            parts = reversed(self._split(members, guess))
            if all(self._within(part, depth - 1) is not None for part in parts):
                return guess
        return None
