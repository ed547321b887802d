"""Codes that fit a board whose space is too large to list: local search.

The *strain* of a code is how far its answers are from those on the board, summed
over the rows: full matches and all matches each count by their difference. A code
of strain zero fits. Two small changes lead from code to code: exchanging two
places, and writing another digit into one. Either alters each row's two counts by
a few comparisons, so a change is judged in a time proportional to the rows.

`temper` looks for a fitting code by parallel tempering: replicas of a search, each
at its own temperature, which trade places so that the cold ones are fed with what
the hot ones find. `refill` starts from codes that already fit and wanders to new
ones. Everything is limited by counted steps and driven by a given word of chance:
the same call gives the same codes, however fast or slow the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.games.codebreaking import Row
from fairground.solve.codebreaking.kernels import Bytes, Words, answers_general
from fairground.solve.tape import copy

Shorts = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

TEMPERATURES: Final = (0.35, 0.8, 12)
"""The coldest and the hottest replica, and how many there are, in even ratios."""

STRETCH: Final = 200
"""Steps that a replica takes before it may trade places with its neighbour."""

WANDER: Final = 300
"""Steps of one walk from a code that fits to another one."""


class Layout(NamedTuple):
    """The rows, laid out so that one place or one digit of all guesses is contiguous."""

    base: int
    places: Bytes
    """``places[i, r]``: the digit in place i of guess r."""
    wanted: Shorts
    """``wanted[d, r]``: how often digit d stands in guess r."""
    full: Shorts
    common: Shorts
    settled: bool
    """Whether a row matches with all its digits: only their order is then unknown."""


def layout(base: int, length: int, rows: Sequence[Row]) -> Layout:
    """Lay out the rows."""
    places = np.array([row.guess for row in rows], np.uint8).reshape(len(rows), length)
    wanted = np.zeros((base, len(rows)), np.int16)
    for r, guess in enumerate(places):
        np.add.at(wanted[:, r], guess, 1)
    full = np.array([row.marks[0] for row in rows], np.int16)
    partial = np.array([row.marks[1] for row in rows], np.int16)
    common = full + partial
    settled = bool((common == length).any())
    return Layout(base, np.ascontiguousarray(places.T), wanted, full, common, settled)


class Walker(NamedTuple):
    """A code on its way, with the counts that make its next step cheap."""

    code: Bytes
    tally: Shorts
    """How often each digit stands in the code."""
    full: Shorts
    """By how much each row's full matches are off."""
    common: Shorts
    """By how much each row's matches, full and partial together, are off."""
    next_full: Shorts
    next_common: Shorts


@njit(cache=True)
def word(chance: Words) -> Any:
    """The next 64 bits of the splitmix64 generator."""
    chance[0] += np.uint64(0x9E3779B97F4A7C15)
    z = chance[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def scaled(bits: Any, n: int) -> Any:
    """16 bits of chance as a number below n: near enough to uniform for a search."""
    return np.int64((bits & np.uint64(0xFFFF)) * np.uint64(n) >> np.uint64(16))


@njit(cache=True)
def unit(chance: Words) -> float:
    """A number in [0, 1)."""
    return np.float64(word(chance) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def walker(at: Layout, code: Bytes) -> Walker:
    """Set out from a code."""
    rows = len(at.full)
    made = Walker(
        code.copy(),
        np.zeros(at.base, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
    )
    for digit in code:
        made.tally[digit] += 1
    for r in range(rows):
        full = 0
        common = 0
        for i in range(len(code)):
            full += at.places[i, r] == code[i]
        for d in range(at.base):
            common += min(made.tally[d], at.wanted[d, r])
        made.full[r] = full - at.full[r]
        made.common[r] = common - at.common[r]
    return made


@njit(cache=True)
def strain(w: Walker) -> int:
    """How far the code is from fitting; zero: it fits."""
    return np.abs(w.full).sum() + np.abs(w.common).sum()  # type: ignore[no-any-return]


@njit(cache=True)
def exchange(at: Layout, w: Walker, i: int, j: int) -> int:
    """The change of strain if two places are exchanged; the new counts are noted."""
    a = w.code[i]
    b = w.code[j]
    left = at.places[i]
    right = at.places[j]
    change = 0
    for r in range(len(at.full)):
        old = w.full[r]
        new = np.int16(old + (left[r] == b) + (right[r] == a) - (left[r] == a) - (right[r] == b))
        w.next_full[r] = new
        change += abs(new) - abs(old)
    return change


@njit(cache=True)
def rewrite(at: Layout, w: Walker, i: int, b: int) -> int:
    """The change of strain if place i is given the digit b; the new counts are noted."""
    a = w.code[i]
    here = at.places[i]
    less = at.wanted[a]
    more = at.wanted[b]
    ours = w.tally[a]
    theirs = w.tally[b]
    change = 0
    for r in range(len(at.full)):
        old = w.full[r]
        new = np.int16(old + (here[r] == b) - (here[r] == a))
        w.next_full[r] = new
        change += abs(new) - abs(old)
        old = w.common[r]
        new = np.int16(old + (theirs < more[r]) - (ours <= less[r]))
        w.next_common[r] = new
        change += abs(new) - abs(old)
    return change


@njit(cache=True)
def walk(  # noqa: PLR0917
    at: Layout, w: Walker, energy: int, temperature: float, steps: int, chance: Words, zero: Bytes
) -> tuple[int, bool]:
    """Take Metropolis steps; note in ``zero`` the last other code met that fits.

    Where the digits are settled, only exchanges are tried: the walker has the digits.
    Returns the strain at the end, and whether there was such a code.
    """
    length = len(w.code)
    found = False
    for _ in range(steps):
        bits = word(chance)
        i = scaled(bits, length)
        a = w.code[i]
        if at.settled or bits >> np.uint64(63):
            j = scaled(bits >> np.uint64(16), length)
            b = w.code[j]
            if a == b:
                continue
            change = exchange(at, w, i, j)
            if change <= 0 or unit(chance) < np.exp(-change / temperature):
                w.code[i] = b
                w.code[j] = a
                copy(w.next_full, w.full)
                energy += change
                if energy == 0:
                    copy(w.code, zero)
                    found = True
        else:
            digit = scaled(bits >> np.uint64(16), at.base)
            if a == digit:
                continue
            change = rewrite(at, w, i, digit)
            if change <= 0 or unit(chance) < np.exp(-change / temperature):
                w.code[i] = digit
                w.tally[a] -= 1
                w.tally[digit] += 1
                copy(w.next_full, w.full)
                copy(w.next_common, w.common)
                energy += change
                if energy == 0:
                    copy(w.code, zero)
                    found = True
    return energy, found


@njit(cache=True)
def name_of(code: Bytes) -> Any:
    """A word that stands for a code in comparisons (FNV-1a)."""
    name = np.uint64(0xCBF29CE484222325)
    for digit in code:
        name = (name ^ np.uint64(digit)) * np.uint64(0x100000001B3)
    return name


@njit(cache=True)
def is_new(names: Words, found: int, name: Any) -> bool:
    """Whether none of the first ``found`` names is this one."""
    return not (names[:found] == name).any()


@njit(cache=True, nogil=True)
def temper(  # noqa: PLR0917
    at: Layout, replicas: Bytes, temperatures: Floats, rounds: int, chance: Words, pool: Bytes
) -> tuple[int, Bytes, int]:
    """Parallel tempering: fill the pool with different codes that fit.

    ``replicas`` are taken as they are, coldest first, and left where they end, so
    that the next call continues. Returns how many codes were found, the code of least
    strain met at the end of a stretch, and that strain.
    """
    count, length = replicas.shape
    walkers = [walker(at, replicas[k]) for k in range(count)]
    energies = np.array([strain(w) for w in walkers])
    names = np.zeros(len(pool), np.uint64)
    zero = np.zeros(length, np.uint8)
    found = 0
    best = energies[0]
    closest = replicas[0].copy()
    for _ in range(rounds):
        for k in range(count):
            energies[k], fits = walk(
                at, walkers[k], energies[k], temperatures[k], STRETCH, chance, zero
            )
            if energies[k] < best:
                best = energies[k]
                copy(walkers[k].code, closest)
            if fits:
                best = 0
                copy(zero, closest)
                if is_new(names, found, name_of(zero)):
                    names[found] = name_of(zero)
                    copy(zero, pool[found])
                    found += 1
                    if found == len(pool):
                        break
        if found == len(pool):
            break
        for k in range(count - 1):
            gain = (1 / temperatures[k] - 1 / temperatures[k + 1]) * (energies[k] - energies[k + 1])
            if gain >= 0 or unit(chance) < np.exp(gain):
                walkers[k], walkers[k + 1] = walkers[k + 1], walkers[k]
                energies[k], energies[k + 1] = energies[k + 1], energies[k]
    for k in range(count):
        copy(walkers[k].code, replicas[k])
    return found, closest, best


@njit(cache=True, nogil=True)
def refill(at: Layout, pool: Bytes, found: int, walks: int, chance: Words) -> int:
    """Wander from codes that fit to others, until the pool is full or the walks are used up.

    The first ``found`` rows of the pool fit and differ; returns how many do then.
    """
    names = np.zeros(len(pool), np.uint64)
    for k in range(found):
        names[k] = name_of(pool[k])
    zero = np.zeros(pool.shape[1], np.uint8)
    for k in range(walks):
        if found == len(pool):
            break
        start = np.int64(word(chance) % np.uint64(found))
        temperature = 0.3 + 0.2 * (k % 4)
        _, fits = walk(at, walker(at, pool[start]), 0, temperature, WANDER, chance, zero)
        if fits and is_new(names, found, name_of(zero)):
            names[found] = name_of(zero)
            copy(zero, pool[found])
            found += 1
    return found


@njit(cache=True)
def random_codes(base: int, length: int, count: int, chance: Words) -> Bytes:
    """Codes to begin with."""
    codes = np.empty((count, length), np.uint8)
    for k in range(count):
        for i in range(length):
            codes[k, i] = scaled(word(chance), base)
    return codes


@njit(cache=True, nogil=True)
def spread(guesses: Bytes, pool: Bytes, base: int) -> Floats:
    """For each guess, the information in bits that the pool's codes expect of its answer."""
    length = pool.shape[1]
    answers = np.empty(len(pool), np.uint16)
    out = np.zeros(len(guesses), np.float64)
    sizes = np.zeros((length + 1) * (length + 1), np.int64)
    for g in range(len(guesses)):
        answers_general(guesses[g], pool, base, answers)
        sizes[:] = 0
        for answer in answers:
            sizes[answer] += 1
        for answer in answers:
            out[g] += np.log2(len(pool) / sizes[answer])
        out[g] /= len(pool)
    return out
