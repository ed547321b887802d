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
tree is then good, not proven best. The floats rank guesses; costs are integers.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.core import types
from numba.typed import Dict

from fairground.solve.codebreaking_kernels import Bytes, Ints, Words, every_code, pack, popcount

HOPELESS: Final = 1 << 40
"""The cost of what cannot be done within the allowed depth."""

Perms = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


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
    hopes: Floats
    """What n codes usually cost: ranks guesses, proves nothing."""


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


def space(base: int, length: int, depth: int, growth: float = 0.466) -> Space:
    """The space of a base and length whose product is at most 64.

    ``growth`` is how fast the guesses per code grow with the logarithm of the codes.
    """
    codes = every_code(base, length)
    places, tallies = pack(codes, base)
    answers = (length + 1) * (length + 2) // 2 - 1
    table = floors(len(codes), answers, depth)
    sizes = np.maximum(np.arange(len(codes) + 1), 1)
    hopes = np.maximum(table[depth], sizes * (1 + growth * np.log(sizes)))
    hopes[0] = 0
    return Space(base, length, codes, places, tallies, _names(len(codes)), table, hopes)


def place_permutations(at: Space) -> Perms:
    """For every permutation of the places, the number that each code becomes."""
    weights = at.base ** np.arange(at.length - 1, -1, -1)
    rows = [at.codes[:, list(p)] @ weights for p in permutations(range(at.length))]
    return np.array(rows, np.int32)


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
def rank(
    at: Space, members: Ints, depth: int, guesses: Ints, least: Ints, hope: Floats
) -> None:
    """For every guess: the floor under its cost, and the cost hoped for.

    A guess that splits nothing is hopeless.
    """
    n = len(members)
    win = at.length * (at.length + 1)
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
        wish = 0.0
        for a in range(win):
            if sizes[a]:
                low += HOPELESS if sizes[a] == n else at.floors[depth - 1, sizes[a]]
                wish += at.hopes[sizes[a]]
        least[g] = low
        hope[g] = wish


@njit(cache=True)
def cheapest(
    at: Space,
    members: Ints,
    bound: int,
    depth: int,
    used: int,
    perms: Perms,
    widths: Ints,
    known: dict[int, int],
    choice: dict[int, int],
) -> int:
    """The least cost of a tree for ``members`` within ``depth`` guesses.

    If it is not below ``bound``: some number between the two. ``used`` are the digits
    of the guesses so far, as bits, and ``perms`` the symmetries that leave them be.
    ``widths[n]`` guesses are tried for n codes. ``known`` remembers costs, doubled,
    plus 1 while they are only floors; ``choice`` the guess that achieves a cost.
    """
    n = len(members)
    if at.floors[depth, n] >= bound or n == 1:
        return at.floors[depth, n]
    name = np.uint64(depth)
    for k in range(n):
        name ^= at.names[members[k]]
    if name in known:
        memory = known[name]
        if memory % 2 == 0 or memory // 2 >= bound:
            return memory // 2
    guesses = members
    least = np.empty(n, np.int64)
    hope = np.empty(n, np.float64)
    rank(at, members, depth, guesses, least, hope)
    # A guess that cannot be the code itself costs two for every code at the least, so
    # a member that costs no more, with its parts of one or two settled, ends the search.
    if least.min() > 2 * n:
        guesses = representatives(at, used, perms)
        least = np.empty(len(guesses), np.int64)
        hope = np.empty(len(guesses), np.float64)
        rank(at, members, depth, guesses, least, hope)
    floor = least.min()
    if floor >= bound:
        known[name] = 2 * floor + 1
        return floor
    promising = np.nonzero(least < bound)[0]
    promising = promising[np.argsort(hope[promising], kind="mergesort")]
    best = bound
    order = np.empty(n, np.int64)
    starts = np.empty(at.length * (at.length + 1) + 2, np.int64)
    tried = 0
    for g in promising:
        if least[g] >= best:
            continue
        if tried == widths[n]:
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


def memory() -> tuple[dict[int, int], dict[int, int]]:
    """Two empty memories for `cheapest`."""
    return (
        Dict.empty(types.uint64, types.int64),
        Dict.empty(types.uint64, types.int64),
    )
