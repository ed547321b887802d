"""Large sets of codes, searched by the compiled search: how many more guesses they need.

`Searcher` looks for the cheapest tree of a set, or the lowest, by branch and bound
(`fairground.solve.codebreaking.search`). A search that ends within its budget has proven its
answer; one that does not still has found a tree, so its answer is an upper bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from fairground.games.codebreaking import Code, digits
from fairground.games.codebreaking import number as number_of
from fairground.solve.codebreaking import search
from fairground.solve.codebreaking.kernels import Ints
from fairground.solve.codebreaking.trees import DEEP
from fairground.solve.codebreaking.worth import CLASSIC

PATIENT_NODES: Final = 50_000
"""Sets of codes that such a search may settle: never reached so far."""

QUICK: Final = 4_000_000
"""In larger spaces: so many guesses times codes may a search compare at its first node."""

QUICK_WORK: Final = 60_000_000
"""And about so many in all, which is some hundredths of a second."""


class Found(NamedTuple):
    """The guesses that a set of codes needs, and a first guess that achieves it."""

    guesses: Fraction
    """On average (`Searcher.average`), or at worst (`Searcher.worst`)."""
    proven: bool
    guess: Code | None


class Symmetry(NamedTuple):
    """What may be swapped without changing anything that was asked."""

    used: int
    """The digits that were asked, as bits; all others are alike."""
    perms: search.Perms
    """The permutations of the places that are left."""


class Searcher:
    """Searches sets of one base and length, and remembers what it has found."""

    def __init__(self, base: int, length: int) -> None:
        self.base, self.length = base, length
        self._at = search.space(base, length, DEEP, search.ranking("cost", base**length, 0.466))
        self._symmetries: dict[tuple[Code, ...], Symmetry] = {
            (): Symmetry(0, search.place_permutations(self._at))
        }
        self._averages: dict[bytes, Found] = {}
        self._worsts: dict[bytes, Found] = {}
        self._memory = search.memory()

    def fits(self, codes: int) -> bool:
        """Whether a set of so many codes is searched at all."""
        return len(self._at.codes) <= CLASSIC or codes * len(self._at.codes) <= QUICK

    def _budget(self, codes: int) -> int:
        everything = len(self._at.codes)
        if everything <= CLASSIC:
            return PATIENT_NODES
        return min(2000, QUICK_WORK // (codes * everything))

    def average(self, members: Ints, asked: tuple[Code, ...]) -> Found:
        """The cheapest tree for the codes that are left after these guesses."""
        key = members.tobytes()
        if key not in self._averages:
            found = self._cheapest(members, self._symmetry(asked), DEEP)
            self._averages[key] = found or self._listed(members)
        return self._averages[key]

    def _symmetry(self, asked: tuple[Code, ...]) -> Symmetry:
        if asked not in self._symmetries:
            before = self._symmetry(asked[:-1])
            perms = before.perms
            if len(perms) > 1:
                perms = search.stabilizer(
                    self._at, before.used, perms, number_of(asked[-1], self.base)
                )
            used = before.used | sum(1 << digit for digit in set(asked[-1]))
            self._symmetries[asked] = Symmetry(used, perms)
        return self._symmetries[asked]

    def _listed(self, members: Ints) -> Found:
        """One by one: what is left where no tree was found."""
        n = len(members)
        return Found(Fraction(n + 1, 2), False, digits(int(members[0]), self.base, self.length))

    def worst(self, members: Ints, asked: tuple[Code, ...]) -> Found:
        """The lowest tree for the codes that are left after these guesses."""
        key = members.tobytes()
        if key not in self._worsts:
            self._worsts[key] = self._lowest(members, self._symmetry(asked))
        return self._worsts[key]

    def _lowest(self, members: Ints, like: Symmetry) -> Found:
        proven = True
        for depth in range(1, DEEP):
            if self._at.floors[depth, len(members)] >= search.HOPELESS:
                continue
            found = self._cheapest(members, like, depth)
            if found is not None:
                return Found(Fraction(depth), proven, found.guess)
            proven = proven and self._finished
        return self._listed(members)._replace(guesses=Fraction(len(members)))

    def _cheapest(self, members: Ints, like: Symmetry, depth: int) -> Found | None:
        """The cheapest tree within a depth; ``None`` if there is none, or none was found."""
        n = len(members)
        if n <= 2:
            first = digits(int(members[0]), self.base, self.length)
            self._finished = True
            return Found(Fraction(n + 1, 2), True, first) if depth >= n else None
        known, choice = self._memory
        codes = len(self._at.codes)
        limit = len(known) + self._budget(n)
        total = search.cheapest(
            self._at,
            members,
            search.HOPELESS,
            depth,
            like.used,
            like.perms,
            search.widths(codes, codes, budget=limit),
            known,
            choice,
        )
        self._finished = len(known) <= limit
        name = np.bitwise_xor.reduce(self._at.names[members]) ^ np.uint64(depth)
        guess = choice.get(name)
        if not self._finished:
            # Some of what was remembered is not proven: begin with an empty memory next time.
            self._memory = search.memory()
        if total >= search.HOPELESS or guess is None:
            return None
        return Found(
            Fraction(int(total), n), self._finished, digits(int(guess), self.base, self.length)
        )
