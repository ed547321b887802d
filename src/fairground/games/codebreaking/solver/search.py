"""The cheapest decision tree for a set of codes: branch and bound.

The cost of a tree is the sum, over the codes, of the guesses that each needs. A guess splits the
possible codes by their answers. So the least cost of a set is its size plus the least costs of the
parts, minimised over the guess; the part of the winning answer is done. Four ideas make it fast:

* a *floor* under the cost of n codes, from the number of answers alone: at best one code falls at
  the first guess, one for each other answer at the second, ...;
* the floors of a guess's parts bound that guess before anything is expanded;
* *symmetry*: permuted places and renamed digits that leave all earlier guesses unchanged turn a
  guess into an equivalent one, and one of each kind is tried;
* parts met before, in any order of guesses, are cached.

With a limited *width* only the most promising guesses are tried at each node: the tree is then
good, not proven best. Width one is a one-step strategy, defined by its `Ranking`. The floats rank
guesses; costs are integers.

`Searcher` answers how many more guesses a set of codes needs. A search that ends within its budget
has proven its answer; otherwise the tree that it has found is an upper bound.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.core import types
from numba.typed import Dict

from fairground.games.codebreaking.rules import Code, digits
from fairground.games.codebreaking.rules import number as number_of
from fairground.games.codebreaking.solver.scoring import (
    Bytes,
    Ints,
    Words,
    every_code,
    pack,
    popcount,
)
from fairground.games.codebreaking.solver.trees import DEEP
from fairground.games.codebreaking.solver.worth import CLASSIC

HOPELESS: Final = 1 << 40
"""The cost of a tree that is impossible within the allowed depth."""

Perms = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class Ranking(NamedTuple):
    """A measure of guesses: the least sum (or maximum) of the burdens of its parts is best."""

    burdens: Floats
    """``burdens[n]``: the burden of n codes left."""
    prize: float
    """The burden, usually negative, of a guess that may be the code."""
    peak: bool
    """True if only the heaviest part counts."""


def ranking(strategy: str, codes: int, growth: float = 0.5) -> Ranking:
    """Return the ranking of a named strategy for sets of up to ``codes`` codes.

    ``entropy``: the most information; ``expected``: the smallest expected part; ``parts``: the most
    parts; ``minimax``: the smallest largest part; ``cost``: the fewest guesses, if the guesses per
    code grow with the logarithm of the codes by ``growth``. All prefer a guess that may be the
    code.
    """
    n = np.maximum(np.arange(codes + 1, dtype=np.float64), 1)
    if strategy == "cost":
        # 1, 3 and 5 guesses in all are the least that one, two and three codes take.
        burdens = np.maximum(np.minimum(2 * n - 1, 5), n * (1 + growth * np.log(n)))
        prize = 0.0
    else:
        burdens = {"entropy": n * np.log(n), "expected": n * n, "parts": -1 + 0 * n, "minimax": n}[
            strategy
        ]
        prize = {"entropy": -1e-6, "expected": 0.5, "parts": -1.5, "minimax": -0.5}[strategy]
    burdens[0] = 0
    return Ranking(burdens, prize, strategy == "minimax")


class Space(NamedTuple):
    """All codes of one base and length, packed, with the tables of the search."""

    base: int
    length: int
    codes: Bytes
    places: Words
    tallies: Words
    names: Words
    """A random word for each code. The hash of a set is the exclusive or of its codes' words."""
    floors: Ints
    """``floors[depth, n]``: no tree of this depth for n codes is cheaper."""
    ranking: Ranking


def floors(codes: int, answers: int, depth: int) -> Ints:
    """Return the least cost of n codes in a tree of at most d guesses, for all n and d."""
    table = np.full((depth + 1, codes + 1), HOPELESS, np.int64)
    table[:, 0] = 0
    for d in range(1, depth + 1):
        level, room, cost = 1, 1, 0
        for n in range(1, codes + 1):
            if room == 0:
                level, room = level + 1, (answers - 1) ** level
            if level > d:
                break
            cost += level
            room -= 1
            table[d, n] = cost
    return table


def space(base: int, length: int, depth: int, ranked: Ranking) -> Space:
    """Return the space of a base and length whose product is at most 64."""
    codes = every_code(base, length)
    places, tallies = pack(codes, base)
    answers = (length + 1) * (length + 2) // 2 - 1
    table = floors(len(codes), answers, depth)
    return Space(base, length, codes, places, tallies, _names(len(codes)), table, ranked)


def place_permutations(at: Space) -> Perms:
    """Return, for every permutation of the places, the number that each code becomes.

    For long codes it is the identity alone, because the table would be too large.
    """
    weights = at.base ** np.arange(at.length - 1, -1, -1)
    places = tuple(range(at.length))
    small = factorial(at.length) * len(at.codes) <= 20_000_000
    orders = permutations(places) if small else (places,)
    rows = [(at.codes[:, list(order)] @ weights).astype(np.int32) for order in orders]
    return np.array(rows)


@njit(cache=True)
def _names(codes: int) -> Words:
    """Return pseudo-random words that are always the same (splitmix64)."""
    names = np.empty(codes, np.uint64)
    for k in range(codes):
        z = np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        names[k] = z ^ (z >> np.uint64(31))
    return names


@njit(cache=True)
def split(at: Space, members: Ints, guess: int, order: Ints, starts: Ints) -> None:
    """Sort the members by their answers: part a is ``order[starts[a]:starts[a + 1]]``."""
    answers = np.empty(len(members), np.int64)
    starts[:] = 0
    for k in range(len(members)):
        full = popcount(at.places[guess] & at.places[members[k]])
        common = popcount(at.tallies[guess] & at.tallies[members[k]])
        answers[k] = np.int64(full) * at.length + np.int64(common)
        starts[answers[k] + 1] += 1
    for a in range(len(starts) - 1):
        starts[a + 1] += starts[a]
    at_part = starts.copy()
    for k in range(len(members)):
        order[at_part[answers[k]]] = members[k]
        at_part[answers[k]] += 1


@njit(cache=True)
def rename(at: Space, used: int) -> Perms:
    """Return each code with its unused digits renamed in the order in which they appear."""
    out = np.empty(len(at.codes), np.int32)
    fresh = np.array([d for d in range(at.base) if not used >> d & 1], np.int64)
    name = np.empty(at.base, np.int64)
    for k in range(len(out)):
        for d in range(at.base):
            name[d] = d if used >> d & 1 else -1
        met = 0
        number = 0
        for i in range(at.length):
            digit = at.codes[k, i]
            if name[digit] < 0:
                name[digit] = fresh[met]
                met += 1
            number = number * at.base + name[digit]
        out[k] = number
    return out


@njit(cache=True)
def representatives(at: Space, used: int, perms: Perms) -> Ints:
    """Return one guess of each kind: no symmetry turns it into an earlier one."""
    renamed = rename(at, used)
    out = np.empty(len(renamed), np.int64)
    found = 0
    for guess in range(len(renamed)):
        first = renamed[guess] == guess
        for p in range(1, len(perms)):
            if not first:
                break
            first = renamed[perms[p, guess]] >= guess
        if first:
            out[found] = guess
            found += 1
    return out[:found]


@njit(cache=True)
def stabilizer(at: Space, used: int, perms: Perms, guess: int) -> Perms:
    """Return the symmetries that also leave ``guess`` unchanged, unused digits renamed to fit."""
    out = np.empty((len(perms), perms.shape[1]), np.int32)
    kept = 0
    name = np.empty(at.base, np.int64)
    for p in range(len(perms)):
        image = at.codes[perms[p, guess]]
        wanted = at.codes[guess]
        name[:] = -1
        taken = 0
        fits = True
        for i in range(at.length):
            digit = image[i]
            if used >> digit & 1:
                fits = fits and digit == wanted[i]
            elif name[digit] >= 0:
                fits = fits and name[digit] == wanted[i]
            elif (used | taken) >> wanted[i] & 1:
                fits = False
            else:
                name[digit] = wanted[i]
                taken |= 1 << wanted[i]
        if not fits:
            continue
        for digit in range(at.base):
            if used >> digit & 1:
                name[digit] = digit
                taken |= 1 << digit
        for digit in range(at.base):
            if name[digit] < 0:
                free = 0
                while taken >> free & 1:
                    free += 1
                name[digit] = free
                taken |= 1 << free
        for k in range(perms.shape[1]):
            number = 0
            for i in range(at.length):
                number = number * at.base + name[at.codes[perms[p, k], i]]
            out[kept, k] = number
        kept += 1
    return out[:kept].copy()


@njit(cache=True)
def rank(at: Space, members: Ints, depth: int, guesses: Ints) -> tuple[Ints, Floats]:
    """Return, for every guess, the floor under its cost, and its burden by the ranking.

    A guess that splits nothing is hopeless.
    """
    n = len(members)
    win = at.length * (at.length + 1)
    least = np.empty(len(guesses), np.int64)
    burden = np.empty(len(guesses), np.float64)
    places = at.places[members]
    tallies = at.tallies[members]
    sizes = np.zeros(win + 1, np.int64)
    for g in range(len(guesses)):
        place = at.places[guesses[g]]
        tally = at.tallies[guesses[g]]
        sizes[:] = 0
        for k in range(n):
            full = popcount(place & places[k])
            common = popcount(tally & tallies[k])
            sizes[np.int64(full) * at.length + np.int64(common)] += 1
        low = n
        load = 0.0
        for a in range(win):
            if sizes[a]:
                low += HOPELESS if sizes[a] == n else at.floors[depth - 1, sizes[a]]
                weight = at.ranking.burdens[sizes[a]]
                load = max(load, weight) if at.ranking.peak else load + weight
        least[g] = low
        burden[g] = load + (at.ranking.prize if sizes[win] else 0.0)
    return least, burden


@njit(cache=True, nogil=True)  # so that a terminal can show that it still works
def cheapest(  # noqa: PLR0917  # one recursion, and numba wants its arguments in order
    at: Space,
    members: Ints,
    bound: int,
    depth: int,
    used: int,
    perms: Perms,
    widths: Ints,
    known: Any,
    choice: Any,
) -> int:
    """Return the least cost of a tree for ``members`` within ``depth`` guesses.

    If that is not below ``bound``, return some number between the two. ``used`` are the digits of
    the guesses so far, as bits; ``perms`` are the symmetries that leave them unchanged.
    ``widths[n]`` guesses are tried for n codes, but only one once ``widths[0]`` sets are known,
    which bounds every search. ``known`` caches costs, doubled, plus 1 while they are only floors;
    ``choice`` caches the guess that achieves a cost.
    """
    n = len(members)
    if at.floors[depth, n] >= bound or n == 1:
        return int(at.floors[depth, n])
    name = np.uint64(depth)
    for k in range(n):
        name ^= at.names[members[k]]
    if name in known:
        memory = known[name]
        if memory % 2 == 0 or memory // 2 >= bound:
            return int(memory // 2)
    guesses = members
    least, burden = rank(at, members, depth, guesses)
    # A guess that cannot be the code itself costs two for every code at the least, so
    # where a member costs no more (its parts are of one code or two) it need not be tried.
    if at.ranking.peak or least.min() > 2 * n:
        guesses = representatives(at, used, perms)
        least, burden = rank(at, members, depth, guesses)
    floor = least.min()
    if floor >= bound:
        known[name] = 2 * floor + 1
        return int(floor)
    promising = np.nonzero(least < bound)[0]
    promising = promising[np.argsort(burden[promising], kind="mergesort")]
    best = bound
    order = np.empty(n, np.int64)
    starts = np.empty(at.length * (at.length + 1) + 2, np.int64)
    tried = 0
    for g in promising:
        if least[g] >= best:
            continue
        if tried == widths[n] or (tried and len(known) > widths[0]):
            break
        tried += 1
        guess = guesses[g]
        split(at, members, guess, order, starts)
        sizes = starts[1:-1] - starts[:-2]
        remaining = stabilizer(at, used, perms, guess) if len(perms) > 1 else perms
        seen = used
        for i in range(at.length):
            seen |= 1 << at.codes[guess, i]
        total = least[g]
        # Small parts first: they are cheap to settle, and may settle the guess.
        for a in np.argsort(sizes, kind="mergesort"):
            if sizes[a] < 2:
                continue
            others = total - at.floors[depth - 1, sizes[a]]
            part = order[starts[a] : starts[a + 1]].copy()
            total = others + cheapest(
                at, part, best - others, depth - 1, seen, remaining, widths, known, choice
            )
            if total >= best:
                break
        if total < best:
            best = total
            choice[name] = guess
            if best == floor:
                break
    known[name] = 2 * best + (1 if best == bound else 0)
    return best


def widths(codes: int, narrow: int, small: int = 0, wide: int = 0, budget: int = 1 << 40) -> Ints:
    """Return the widths: ``wide`` guesses for up to ``small`` codes and ``narrow`` ones beyond."""
    table = np.full(codes + 1, narrow, np.int64)
    table[: small + 1] = wide
    table[0] = budget
    return table


def memory() -> tuple[Any, Any]:
    """Return two empty caches for `cheapest`."""
    return (
        Dict.empty(types.uint64, types.int64),
        Dict.empty(types.uint64, types.int64),
    )


PATIENT_NODES: Final = 50_000
"""Maximum number of sets that a patient search settles: never reached so far."""

QUICK: Final = 4_000_000
"""In larger spaces: maximum number of guesses times codes that a search compares at its first
node."""

QUICK_WORK: Final = 60_000_000
"""About the maximum of guesses times codes in all: some hundredths of a second."""


class Found(NamedTuple):
    """The guesses that a set of codes needs, and a first guess that achieves it."""

    guesses: Fraction
    """On average (`Searcher.average`), or at worst (`Searcher.worst`)."""
    proven: bool
    guess: Code | None


class Symmetry(NamedTuple):
    """The symmetries that leave all earlier guesses unchanged."""

    used: int
    """The digits that were asked, as bits; all others are alike."""
    perms: Perms
    """The remaining permutations of the places."""


class Searcher:
    """Searches sets of one base and length, and caches its results."""

    def __init__(self, base: int, length: int) -> None:
        self.base, self.length = base, length
        self._at = space(base, length, DEEP, ranking("cost", base**length, 0.466))
        self._symmetries: dict[tuple[Code, ...], Symmetry] = {
            (): Symmetry(0, place_permutations(self._at))
        }
        self._averages: dict[bytes, Found] = {}
        self._worsts: dict[bytes, Found] = {}
        self._memory = memory()

    def fits(self, codes: int) -> bool:
        """Return true if a set of this size is searched at all."""
        return len(self._at.codes) <= CLASSIC or codes * len(self._at.codes) <= QUICK

    def _budget(self, codes: int) -> int:
        everything = len(self._at.codes)
        if everything <= CLASSIC:
            return PATIENT_NODES
        return min(2000, QUICK_WORK // (codes * everything))

    def average(self, members: Ints, asked: tuple[Code, ...]) -> Found:
        """Return the cheapest tree for the codes that are left after these guesses."""
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
                perms = stabilizer(self._at, before.used, perms, number_of(asked[-1], self.base))
            used = before.used | sum(1 << digit for digit in set(asked[-1]))
            self._symmetries[asked] = Symmetry(used, perms)
        return self._symmetries[asked]

    def _listed(self, members: Ints) -> Found:
        """Return the cost of asking one code after the other, if no tree was found."""
        n = len(members)
        return Found(Fraction(n + 1, 2), False, digits(int(members[0]), self.base, self.length))

    def worst(self, members: Ints, asked: tuple[Code, ...]) -> Found:
        """Return the lowest tree for the codes that are left after these guesses."""
        key = members.tobytes()
        if key not in self._worsts:
            self._worsts[key] = self._lowest(members, self._symmetry(asked))
        return self._worsts[key]

    def _lowest(self, members: Ints, like: Symmetry) -> Found:
        proven = True
        for depth in range(1, DEEP):
            if self._at.floors[depth, len(members)] >= HOPELESS:
                continue
            found = self._cheapest(members, like, depth)
            if found is not None:
                return Found(Fraction(depth), proven, found.guess)
            proven = proven and self._finished
        return self._listed(members)._replace(guesses=Fraction(len(members)))

    def _cheapest(self, members: Ints, like: Symmetry, depth: int) -> Found | None:
        """Return the cheapest tree within a depth, or ``None`` if none was found."""
        n = len(members)
        if n <= 2:
            first = digits(int(members[0]), self.base, self.length)
            self._finished = True
            return Found(Fraction(n + 1, 2), True, first) if depth >= n else None
        known, choice = self._memory
        codes = len(self._at.codes)
        limit = len(known) + self._budget(n)
        total = cheapest(
            self._at,
            members,
            HOPELESS,
            depth,
            like.used,
            like.perms,
            widths(codes, codes, budget=limit),
            known,
            choice,
        )
        self._finished = len(known) <= limit
        name = np.bitwise_xor.reduce(self._at.names[members]) ^ np.uint64(depth)
        guess = choice.get(name)
        if not self._finished:
            # Some of what was remembered is not proven: begin with an empty memory next time.
            self._memory = memory()
        if total >= HOPELESS or guess is None:
            return None
        return Found(
            Fraction(int(total), n), self._finished, digits(int(guess), self.base, self.length)
        )
