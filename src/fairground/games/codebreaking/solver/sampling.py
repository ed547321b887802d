"""Codes that fit a board in a space that is too large to list: local search.

The *strain* of a code is the distance of its answers from those on the board, summed over the rows:
full matches and all matches each count by their difference. A code of strain zero fits. Two small
changes lead from code to code: exchanging two places, and writing another digit into one. Either
changes each row's two counts by a few comparisons, so a change is judged in a time proportional to
the rows.

`temper` looks for a fitting code by parallel tempering: replicas of a search at different
temperatures exchange places, so that the hot ones feed the cold ones. `refill` starts from codes
that fit and walks to new ones. Everything is limited by counted steps and driven by a given seed:
the same call gives the same codes on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.games.codebreaking.rules import Row
from fairground.games.codebreaking.solver.scoring import Bytes, Words, answers_general
from fairground.games.compiled import copy

Shorts = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

TEMPERATURES: Final = (0.35, 0.8, 12)
"""Temperatures of the coldest and the hottest replica, and the number of replicas."""

STRETCH: Final = 200
"""Steps of a replica before it may exchange places with its neighbour."""

WANDER: Final = 300
"""Steps of one walk from a fitting code to another one."""


class Layout(NamedTuple):
    """The rows, transposed so that one place or one digit of all guesses is contiguous."""

    base: int
    places: Bytes
    """``places[i, r]``: the digit in place i of guess r."""
    wanted: Shorts
    """``wanted[d, r]``: number of digits d in guess r."""
    full: Shorts
    common: Shorts
    settled: bool
    """True if a row matches with all its digits: then only their order is unknown."""


def layout(base: int, length: int, rows: Sequence[Row]) -> Layout:
    """Transpose the rows."""
    places = np.array([row.guess for row in rows], np.uint8).reshape(len(rows), length)
    wanted = np.zeros((base, len(rows)), np.int16)
    for r, guess in enumerate(places):
        np.add.at(wanted[:, r], guess, 1)
    full = np.array([row.marks[0] for row in rows], np.int16)
    partial = np.array([row.marks[1] for row in rows], np.int16)
    common = full + partial
    settled = bool((common == length).any())
    return Layout(base, np.ascontiguousarray(places.T), wanted, full, common, settled)


class Candidate(NamedTuple):
    """A code during a search, with the counts that make its next step cheap."""

    code: Bytes
    tally: Shorts
    """Number of occurrences of each digit."""
    full: Shorts
    """Error of each row's full matches."""
    common: Shorts
    """Error of each row's full and partial matches together."""
    next_full: Shorts
    next_common: Shorts


@njit(cache=True)
def word(chance: Words) -> Any:
    """Return the next 64 bits of the splitmix64 generator."""
    chance[0] += np.uint64(0x9E3779B97F4A7C15)
    z = chance[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def scaled(bits: Any, n: int) -> Any:
    """Convert 16 random bits to a number below n: uniform enough for a search."""
    return np.int64((bits & np.uint64(0xFFFF)) * np.uint64(n) >> np.uint64(16))


@njit(cache=True)
def unit(chance: Words) -> float:
    """Return a random number in [0, 1)."""
    return np.float64(word(chance) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def candidate(at: Layout, code: Bytes) -> Candidate:
    """Return a candidate for a code."""
    rows = len(at.full)
    made = Candidate(
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
def strain(w: Candidate) -> int:
    """Return the distance of the code from fitting; zero: it fits."""
    return np.abs(w.full).sum() + np.abs(w.common).sum()  # type: ignore[no-any-return]


@njit(cache=True)
def exchange(at: Layout, w: Candidate, i: int, j: int) -> int:
    """Return the change of strain if two places are exchanged; store the new counts."""
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
def rewrite(at: Layout, w: Candidate, i: int, b: int) -> int:
    """Return the change of strain if place i gets the digit b; store the new counts."""
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
    at: Layout,
    w: Candidate,
    energy: int,
    temperature: float,
    steps: int,
    chance: Words,
    zero: Bytes,
) -> tuple[int, bool]:
    """Take Metropolis steps; copy the last other fitting code to ``zero``.

    If the digits are settled, only exchanges are tried. Return the final strain, and whether a
    fitting code was met.
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
    """Return the FNV-1a hash of a code."""
    name = np.uint64(0xCBF29CE484222325)
    for digit in code:
        name = (name ^ np.uint64(digit)) * np.uint64(0x100000001B3)
    return name


@njit(cache=True)
def is_new(names: Words, found: int, name: Any) -> bool:
    """Return whether none of the first ``found`` hashes is this one."""
    return not (names[:found] == name).any()


@njit(cache=True, nogil=True)
def temper(  # noqa: PLR0917
    at: Layout, replicas: Bytes, temperatures: Floats, rounds: int, chance: Words, pool: Bytes
) -> tuple[int, Bytes, int]:
    """Fill the pool with different codes that fit, by parallel tempering.

    ``replicas``, the coldest first, are changed in place, so that the next call continues. Return
    the number of codes found, the code of least strain at the end of a stretch, and that strain.
    """
    count, length = replicas.shape
    candidates = [candidate(at, replicas[k]) for k in range(count)]
    energies = np.array([strain(w) for w in candidates])
    names = np.zeros(len(pool), np.uint64)
    zero = np.zeros(length, np.uint8)
    found = 0
    best = energies[0]
    closest = replicas[0].copy()
    for _ in range(rounds):
        for k in range(count):
            energies[k], fits = walk(
                at, candidates[k], energies[k], temperatures[k], STRETCH, chance, zero
            )
            if energies[k] < best:
                best = energies[k]
                copy(candidates[k].code, closest)
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
                candidates[k], candidates[k + 1] = candidates[k + 1], candidates[k]
                energies[k], energies[k + 1] = energies[k + 1], energies[k]
    for k in range(count):
        copy(candidates[k].code, replicas[k])
    return found, closest, best


@njit(cache=True, nogil=True)
def refill(at: Layout, pool: Bytes, found: int, walks: int, chance: Words) -> int:
    """Walk from fitting codes to others, until the pool is full or the walks are used up.

    The first ``found`` rows of the pool fit and differ; return how many do afterwards.
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
        _, fits = walk(at, candidate(at, pool[start]), 0, temperature, WANDER, chance, zero)
        if fits and is_new(names, found, name_of(zero)):
            names[found] = name_of(zero)
            copy(zero, pool[found])
            found += 1
    return found


@njit(cache=True)
def random_codes(base: int, length: int, count: int, chance: Words) -> Bytes:
    """Return random codes."""
    codes = np.empty((count, length), np.uint8)
    for k in range(count):
        for i in range(length):
            codes[k, i] = scaled(word(chance), base)
    return codes


@njit(cache=True, nogil=True)
def spread(guesses: Bytes, pool: Bytes, base: int) -> Floats:
    """Return, for each guess, the information in bits of its answer over the pool's codes."""
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
