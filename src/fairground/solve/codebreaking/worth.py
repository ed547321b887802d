"""What a set of codes is worth: how many more guesses it takes, on average or at worst.

`Searcher` looks for the cheapest tree of a set, or the lowest, by branch and bound
(`fairground.solve.codebreaking.search`). A search that ends within its budget has proven its
answer; one that does not still has found a tree, so its answer is an upper bound.

`by_size` is an estimate for sets that are too large to be searched. Trees of all sizes that we
know need 1 + c ln n guesses on average for n codes, with c between 0.42 and 0.51.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Final, NamedTuple

import numpy as np

from fairground.games.codebreaking import Code, digits
from fairground.games.codebreaking import number as number_of
from fairground.solve.codebreaking import search
from fairground.solve.codebreaking.kernels import Ints
from fairground.solve.codebreaking.trees import DEEP

SEARCHABLE: Final = 33_000
"""Sets of spaces of at most this many codes can be searched."""

CLASSIC: Final = 1296
"""In spaces of up to so many codes, every search may take as long as a proof needs."""

PATIENT_NODES: Final = 50_000
"""Sets of codes that such a search may settle: never reached so far."""

QUICK: Final = 4_000_000
"""In larger spaces: so many guesses times codes may a search compare at its first node."""

QUICK_WORK: Final = 60_000_000
"""And about so many in all, which is some hundredths of a second."""

GROWTH: Final = Fraction(47, 100)
"""c, above."""

GROWTH_ERROR: Final = 0.05
"""How far c was off in the trees that we know."""

WORST_GROWTH: Final = Fraction(6, 10)
"""The same for the longest branch of a tree."""


class Known(NamedTuple):
    """The best tree that comes with the package, for all codes of a space."""

    total: int
    """The guesses that all codes together need."""
    guess: Code
    worst: int
    proven: bool


KNOWN: Final = {
    (6, 4): Known(5625, (0, 0, 1, 2), 6, True),
    (7, 4): Known(11228, (0, 0, 1, 2), 6, True),
    (8, 4): Known(20471, (0, 1, 2, 3), 7, False),
    (9, 4): Known(34705, (0, 1, 2, 3), 7, False),
    (10, 4): Known(55757, (0, 1, 2, 3), 8, False),
    (5, 5): Known(13496, (0, 0, 1, 1, 2), 6, False),
    (6, 5): Known(36750, (0, 0, 1, 1, 2), 7, False),
    (7, 5): Known(86101, (0, 0, 1, 1, 2), 7, False),
    (8, 5): Known(179018, (0, 0, 1, 1, 2), 8, False),
}
"""Base and length → the figures of the stored tree, which takes a second to grow from its file."""


class Found(NamedTuple):
    """The guesses that a set of codes needs, and a first guess that achieves it."""

    guesses: Fraction
    """On average (`Searcher.average`), or at worst (`Searcher.worst`)."""
    proven: bool
    guess: Code | None


def by_size(codes: float) -> Fraction:
    """An estimate of the guesses that so many codes need on average."""
    if codes <= 2:
        return Fraction(max(codes, 1.0) + 1) / 2
    return 1 + GROWTH * Fraction(log(codes)).limit_denominator(10**6)


def worst_by_size(codes: float) -> Fraction:
    """An estimate of the guesses that so many codes need at worst: a whole number."""
    if codes <= 2:
        return Fraction(round(codes))
    return Fraction(round(1 + WORST_GROWTH * Fraction(log(codes))))


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
