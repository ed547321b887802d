"""Many codes at once that fit a board, by exchanging places.

Each *walker* has a code with given counts of digits, and keeps those. It exchanges two places at a
time until its full matches are as the board says. Its strain is by how many they are off, summed
over the rows. Walkers hardly ever meet, so they stand for all the codes that fit, not for one
corner of them.

An exchange changes few rows: those whose guess has one of the two digits in one of the two places.
The `Index` lists them, so a step hardly takes longer on a longer board.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.solve.codebreaking.kernels import Bytes, Ints, Words
from fairground.solve.codebreaking.pool import scaled, word
from fairground.solve.tape import copy

WARM: Final = 0.6
"""The temperature at which walkers mix."""

COLD: Final = 0.35
"""The temperature at which they look for a code that fits."""

PATIENCE: Final = 4
"""They look for this many times as many steps as they mix."""

TRIES: Final = 2
"""How often a walker that found no code may go on from another one's."""

REDRAWN: Final = 4
"""One walker in so many is given new counts although its own fit."""


Narrow = npt.NDArray[np.uint32]
Offs = npt.NDArray[np.int32]


class Index(NamedTuple):
    """For each place and digit the rows whose guess has it there.

    All steps of all walkers go through it. So its numbers are narrow, which keeps it near the
    processor, and unsigned, for which no index has to be looked at for a minus sign.
    """

    base: int
    starts: Narrow
    """``rows[starts[c]:starts[c + 1]]`` for ``c = place * base + digit``."""
    rows: Narrow


@njit(cache=True)
def index(guesses: Bytes, base: int) -> Index:
    """Sort the rows by place and digit."""
    rows, length = guesses.shape
    starts = np.zeros(length * base + 1, np.int64)
    for r in range(rows):
        for i in range(length):
            starts[i * base + guesses[r, i] + 1] += 1
    for c in range(length * base):
        starts[c + 1] += starts[c]
    at = starts.copy()
    listed = np.empty(rows * length, np.int64)
    for r in range(rows):
        for i in range(length):
            c = i * base + guesses[r, i]
            listed[at[c]] = r
            at[c] += 1
    return Index(base, starts.astype(np.uint32), listed.astype(np.uint32))


@njit(cache=True)
def offsets(guesses: Bytes, full: Ints, codes: Bytes) -> Offs:
    """[walker, row] → by how much the full matches are off."""
    off = np.empty((len(codes), len(guesses)), np.int32)
    for k in range(len(codes)):
        for r in range(len(guesses)):
            off[k, r] = (codes[k] == guesses[r]).sum() - full[r]
    return off


@njit(cache=True)
def _shift(at: Index, cell: Any, off: Offs, step: int) -> int:
    """Let the rows of a place and digit have one match more or less; the change of strain."""
    change = 0
    for q in range(at.starts[cell], at.starts[cell + np.uint64(1)]):
        r = at.rows[q]
        change += 1 if off[r] * step >= 0 else -1
        off[r] += step
    return change


@njit(cache=True)
def _stroll(  # noqa: PLR0917  # numba wants its arguments in order
    at: Index,
    code: Bytes,
    off: Offs,
    strain: int,
    steps: int,
    heat: float,
    seek: bool,
    chance: Words,
) -> int:
    """Take Metropolis steps, if ``seek`` only until the code fits; the strain at the end."""
    length = len(code)
    base = np.uint64(at.base)
    accept = np.exp(-np.arange(64) / heat)
    for _ in range(steps):
        bits = word(chance)
        i = np.uint64(scaled(bits, length))
        j = np.uint64(scaled(bits >> np.uint64(16), length))
        a = code[i]
        b = code[j]
        if a == b:
            continue
        ia, ib = i * base + a, i * base + b
        ja, jb = j * base + a, j * base + b
        change = _shift(at, ia, off, -1) + _shift(at, jb, off, -1)
        change += _shift(at, ib, off, 1) + _shift(at, ja, off, 1)
        lot = np.float64(bits >> np.uint64(32)) * 2.0**-32
        if change <= 0 or lot < accept[min(change, 63)]:
            code[i] = b
            code[j] = a
            strain += change
            if seek and strain == 0:
                break
        else:
            _shift(at, ia, off, 1)
            _shift(at, jb, off, 1)
            _shift(at, ib, off, -1)
            _shift(at, ja, off, -1)
    return strain


@njit(cache=True, nogil=True)
def settle(  # noqa: PLR0917
    guesses: Bytes, full: Ints, base: int, codes: Bytes, steps: int, chance: Words
) -> Ints:
    """Let all walkers mix, and then look for codes that fit; how far each is from one.

    A walker that finds none goes on from the code of one that did.
    """
    at = index(guesses, base)
    off = offsets(guesses, full, codes)
    strains = np.empty(len(codes), np.int64)
    for walker in range(len(codes)):
        strains[walker] = np.abs(off[walker]).sum()
    who = np.arange(len(codes))
    for attempt in range(1 + TRIES):
        for k in who:
            strains[k] = _stroll(at, codes[k], off[k], strains[k], steps, WARM, False, chance)
            if strains[k]:
                strains[k] = _stroll(
                    at, codes[k], off[k], strains[k], steps * PATIENCE, COLD, True, chance
                )
        good = np.flatnonzero(strains == 0)
        who = np.flatnonzero(strains)
        if not len(good) or not len(who):
            break
        if attempt < TRIES:
            for k in who:
                other = good[np.int64(word(chance) % np.uint64(len(good)))]
                copy(codes[other], codes[k])
                copy(off[other], off[k])
                strains[k] = 0
    return strains


@njit(cache=True)
def retally(code: Bytes, counts: Bytes, chance: Words) -> None:
    """Give a code these counts of digits; places whose digit may stay are left as they are."""
    length = len(code)
    order = np.arange(length)
    for s in range(length - 1, 0, -1):
        t = np.int64(word(chance) % np.uint64(s + 1))
        order[s], order[t] = order[t], order[s]
    lacking = counts.astype(np.int64)
    free = np.zeros(length, np.bool_)
    for i in order:
        if lacking[code[i]]:
            lacking[code[i]] -= 1
        else:
            free[i] = True
    d = 0
    for i in order:
        if free[i]:
            while not lacking[d]:
                d += 1
            code[i] = d
            lacking[d] -= 1


@njit(cache=True)
def tallied(codes: Bytes, base: int) -> Bytes:
    """[code, digit] → how often it occurs."""
    out = np.zeros((len(codes), base), np.uint8)
    for k in range(len(codes)):
        for digit in codes[k]:
            out[k, digit] += 1
    return out


@njit(cache=True)
def regroup(codes: Bytes, drawn: Bytes, guess: Bytes, common: int, chance: Words) -> None:
    """Give new counts to walkers that do not fit the newest row's total, and to some others."""
    base = drawn.shape[1]
    asked = tallied(guess.reshape(1, -1), base)[0]
    tallies = tallied(codes, base)
    for k in range(len(codes)):
        fits = np.minimum(tallies[k], asked).sum() == common
        if not fits or word(chance) % np.uint64(REDRAWN) == 0:
            retally(codes[k], drawn[k], chance)
