"""The cheapest decision tree for a set of codes: branch and bound.

The cost of a tree is the sum, over the codes, of the guesses that each needs. A
guess splits the codes that are still possible by their answers, so the least cost
of a set is its size plus the least costs of the parts, minimised over the guess;
the part of the winning answer is done. What makes the search fast:

* a *floor* under the cost of n codes, from the number of answers alone: at best
  one code falls at the first guess, one per other answer at the second, ...;
* the floors of a guess's parts bound that guess before anything is expanded;
* *symmetry*: permuted places and renamed digits that leave all earlier guesses
  as they are turn a guess into an equivalent one, and one of each kind is tried;
* parts met before, in whatever order of guesses, are remembered.

With a limited *width* only the most promising guesses are tried at each node: the
tree is then good, not proven best. Width one is a one-step strategy: what it takes
for promising is its `Ranking`. The floats rank guesses; costs are integers.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.core import types
from numba.typed import Dict

from fairground.solve.codebreaking.kernels import Bytes, Ints, Words, every_code, pack, popcount

HOPELESS: Final = 1 << 40
"""The cost of what cannot be done within the allowed depth."""

Perms = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class Ranking(NamedTuple):
    """What makes a guess promising: the least sum (or peak) of its parts' burdens."""

    burdens: Floats
    """``burdens[n]``: how bad it is to be left with n codes."""
    prize: float
    """The burden, usually negative, of the chance to be right at once."""
    peak: bool
    """Whether only the heaviest part counts."""


def ranking(strategy: str, codes: int, growth: float = 0.5) -> Ranking:
    """The ranking of a named strategy for sets of up to ``codes`` codes.

    ``entropy``: the most information; ``expected``: the smallest expected part;
    ``parts``: the most parts; ``minimax``: the smallest largest part; ``cost``: the
    least guesses hoped for, when the guesses per code grow with the logarithm of the
    codes by ``growth``. All prefer a guess that may be the code itself.
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
    """All codes of one base and length, packed, with what the search looks up."""

    base: int
    length: int
    codes: Bytes
    places: Words
    tallies: Words
    names: Words
    """A random word for each code; a set's name is the exclusive or of its codes' words."""
    floors: Ints
    """``floors[depth, n]``: no tree of this depth for n codes is cheaper."""
    ranking: Ranking


def floors(codes: int, answers: int, depth: int) -> Ints:
    """The least cost of n codes in a tree of at most d guesses, for all n and d."""
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
    """The space of a base and length whose product is at most 64."""
    codes = every_code(base, length)
    places, tallies = pack(codes, base)
    answers = (length + 1) * (length + 2) // 2 - 1
    table = floors(len(codes), answers, depth)
    return Space(base, length, codes, places, tallies, _names(len(codes)), table, ranked)


def place_permutations(at: Space) -> Perms:
    """For every permutation of the places, the number that each code becomes.

    The identity alone for long codes, where the table would be too large.
    """
    weights = at.base ** np.arange(at.length - 1, -1, -1)
    places = tuple(range(at.length))
    small = factorial(at.length) * len(at.codes) <= 20_000_000
    orders = permutations(places) if small else (places,)
    rows = [(at.codes[:, list(order)] @ weights).astype(np.int32) for order in orders]
    return np.array(rows)


@njit(cache=True)
def _names(codes: int) -> Words:
    """Words that look random and are always the same (splitmix64)."""
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
    """Each code with its unused digits renamed in the order in which they appear."""
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
    """One guess of each kind: no symmetry turns it into an earlier one."""
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
    """The symmetries that also leave ``guess`` as it is, unused digits renamed to fit."""
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
    """For every guess: the floor under its cost, and its burden by the ranking.

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
    """The least cost of a tree for ``members`` within ``depth`` guesses.

    If it is not below ``bound``: some number between the two. ``used`` are the digits
    of the guesses so far, as bits, and ``perms`` the symmetries that leave them be.
    ``widths[n]`` guesses are tried for n codes, but only one once ``widths[0]`` sets
    of codes are known, which ends every search. ``known`` remembers costs, doubled,
    plus 1 while they are only floors; ``choice`` the guess that achieves a cost.
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
    """Try ``wide`` guesses for up to ``small`` codes and ``narrow`` ones beyond."""
    table = np.full(codes + 1, narrow, np.int64)
    table[: small + 1] = wide
    table[0] = budget
    return table


def memory() -> tuple[Any, Any]:
    """Two empty memories for `cheapest`."""
    return (
        Dict.empty(types.uint64, types.int64),
        Dict.empty(types.uint64, types.int64),
    )
