"""The guess that tells the most about a sample of codes.

What an answer tells is its entropy over the sample: that of the matches in all, which depends on
the digits of the guess, plus that of the full matches, which depends on their places. Both are
climbed together: one place is given another digit, or two places are exchanged, as long as that
helps.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from fairground.solve.codebreaking.kernels import Bytes, Ints
from fairground.solve.codebreaking.pool import Floats

SWEEPS: Final = 3
"""How often all places are gone through."""

LEAST: Final = 1e-9
"""What a change must gain, in bits."""


@njit(cache=True)
def _scale(codes: int) -> Floats:
    """``n * log2(n)`` for all numbers of codes."""
    table = np.zeros(codes + 1)
    for n in range(2, codes + 1):
        table[n] = n * np.log2(n)
    return table


@njit(cache=True)
def _entropy(counts: Ints, sizes: Ints, scale: Floats) -> float:
    """What a count tells, in bits, that is known for every code of the sample."""
    sizes[:] = 0
    for count in counts:
        sizes[count] += 1
    load = 0.0
    for size in sizes:
        load += scale[size]
    return (scale[len(counts)] - load) / len(counts)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def ask_for(samples: Bytes, digits: Ints, length: int, most: int, price: float) -> Ints:
    """How often to ask each of these digits, so that the matches in all tell the most.

    ``samples`` are counts of all digits. A place that is used costs ``price`` bits.
    """
    asked = np.zeros(samples.shape[1], np.int64)
    totals = np.zeros(len(samples), np.int64)
    trial = np.zeros(len(samples), np.int64)
    sizes = np.zeros(length + 1, np.int64)
    scale = _scale(len(samples))
    used = 0
    best = 0.0
    better = True
    sweep = 0
    while better and sweep < 2 * SWEEPS:
        better = False
        sweep += 1
        for d in digits:
            old = asked[d]
            kept = old
            for new in range(most + 1):
                if new == old or used - old + new > length:
                    continue
                for s in range(len(samples)):
                    count = samples[s, d]
                    trial[s] = totals[s] - min(count, old) + min(count, new)
                gain = _entropy(trial, sizes, scale) - price * (used - old + new)
                if gain > best + LEAST:
                    best = gain
                    kept = new
            if kept != old:
                for s in range(len(samples)):
                    totals[s] += min(samples[s, d], kept) - min(samples[s, d], old)
                used += kept - old
                asked[d] = kept
                better = True
    return asked


class _Sample(NamedTuple):
    """The codes, with what each would answer to the guess as it is, and room for trials."""

    codes: Bytes
    tallies: Bytes
    full: Ints
    common: Ints
    next_full: Ints
    next_common: Ints
    sizes: Ints
    scale: Floats


@njit(cache=True)
def _told(at: _Sample) -> float:
    """What the answer to the guess on trial tells, in bits."""
    of_full = _entropy(at.next_full, at.sizes, at.scale)
    return of_full + _entropy(at.next_common, at.sizes, at.scale)


@njit(cache=True)
def _rewrite(at: _Sample, asked: Ints, i: int, a: int, b: int) -> None:
    """Try the digit b instead of a in place i."""
    for k in range(len(at.codes)):
        here = at.codes[k, i]
        at.next_full[k] = at.full[k] + (here == b) - (here == a)
        less = at.tallies[k, a] >= asked[a]
        at.next_common[k] = at.common[k] + (at.tallies[k, b] > asked[b]) - less


@njit(cache=True)
def _exchange(at: _Sample, guess: Bytes, i: int, j: int) -> None:
    """Try to exchange two places."""
    a = guess[i]
    b = guess[j]
    for k in range(len(at.codes)):
        x = at.codes[k, i]
        y = at.codes[k, j]
        at.next_full[k] = at.full[k] + (x == b) - (x == a) + (y == a) - (y == b)


@njit(cache=True, nogil=True)
def improve(guess: Bytes, digits: Ints, codes: Bytes, tallies: Bytes) -> None:
    """Climb from a guess to one that tells more about the codes, with these digits only."""
    n, length = codes.shape
    asked = np.zeros(tallies.shape[1], np.int64)
    for d in guess:
        asked[d] += 1
    room = np.zeros((4, n), np.int64)
    sizes = np.zeros(length + 1, np.int64)
    at = _Sample(codes, tallies, room[0], room[1], room[2], room[3], sizes, _scale(n))
    for k in range(n):
        at.full[k] = (codes[k] == guess).sum()
        at.common[k] = np.minimum(tallies[k], asked).sum()
    at.next_full[:] = at.full
    at.next_common[:] = at.common
    best = _told(at)
    for _ in range(SWEEPS):
        before = best
        for i in range(length):
            a: Any = np.int64(guess[i])
            kept: Any = a
            for d in digits:
                if d == a:
                    continue
                _rewrite(at, asked, i, a, d)
                told = _told(at)
                if told > best + LEAST:
                    best = told
                    kept = d
            if kept != a:
                _rewrite(at, asked, i, a, kept)
                at.full[:] = at.next_full
                at.common[:] = at.next_common
                asked[a] -= 1
                asked[kept] += 1
                guess[i] = kept
            at.next_common[:] = at.common
            other = i
            for j in range(length):
                if guess[i] == guess[j]:
                    continue
                _exchange(at, guess, i, j)
                told = _told(at)
                if told > best + LEAST:
                    best = told
                    other = j
            if other != i:
                _exchange(at, guess, i, other)
                at.full[:] = at.next_full
                guess[i], guess[other] = guess[other], guess[i]
        if best <= before:
            break
