"""Numba kernels for FateStones: every deal solved, in floating point with a certificate.

Dice are positions in a sorted bag. A deal is a set of six positions and a way to
split it into two hands of three. Exchanging the hands turns a value v into 1 - v. So
the ten splits in which the first hand holds the lowest position are enough.

A matrix game is solved by trying its kernels, as in `solver.choices`. But
rounding may spoil the weights of a candidate, so they are not trusted. Its two strategies
guarantee something against *every* reply. These guarantees are an interval that encloses the value
whatever rounding did before. The candidate with the narrowest interval is taken, and the widest
interval that had to be accepted is reported. The value of a matrix game moves no more than its
entries do, so an error of an earlier table never grows.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.games.compiled import copy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NARROW: Final = 2.0**-50
"""Width of an interval that is within rounding of the value: no need to look further."""

SLACK: Final = 1e-12
"""Weights below zero by no more than this may be rounded zeros: worth a try."""

CLEARLY: Final = 1e-9
"""A candidate that fails by more than this is no kernel: rounding cannot explain it."""

SPLITS: Final = 10
"""Number of ways to split six dice into two hands, where the first one holds the lowest die."""

WIN: Final = 0
TIE: Final = 1
"""``meet[WIN, a, b]`` and ``meet[TIE, a, b]``: chances when die a meets die b."""

HANDS: Final = np.array(
    [
        [0, a, b, *(k for k in range(1, 6) if k not in (a, b))]
        for a in range(1, 6)
        for b in range(a + 1, 6)
    ],
    dtype=np.int64,
)
"""Split → the places (0..5) of the first hand's three dice, then of the second's."""


@njit(cache=True)
def guarantee(m: Floats, k: int, x: Floats, y: Floats) -> tuple[float, float]:
    """Return the guarantees of the mixed strategies x (rows) and y (columns) against any reply."""
    low, high = 2.0, -2.0
    for j in range(k):
        total = 0.0
        for i in range(k):
            total += x[i] * m[i, j]
        low = min(low, total)
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += y[j] * m[i, j]
        high = max(high, total)
    return low, high


@njit(cache=True)
def chances(w: Floats) -> bool:
    """Convert three weights into chances in place; return False if their signs forbid it."""
    total = w[0] + w[1] + w[2]
    if total == 0.0:
        return False
    for i in range(3):
        w[i] /= total
        if w[i] < -SLACK:
            return False
        w[i] = max(w[i], 0.0)
    # Once more, for what the slack took away: only true chances prove anything.
    total = w[0] + w[1] + w[2]
    for i in range(3):
        w[i] /= total
    return True


@njit(cache=True)
def share(a: float, b: float) -> float:
    """Return the first of two chances in the proportion a to b; -1 if the signs forbid it."""
    if a * b < -SLACK or a + b == 0.0:
        return -1.0
    return min(max(a / (a + b), 0.0), 1.0)


@njit(cache=True)
def pure(m: Floats, k: int, x: Floats, y: Floats) -> tuple[float, float]:
    """Write the most cautious row and column to x and y, and return their guarantees."""
    low, high, row, column = -2.0, 2.0, 0, 0
    for i in range(k):
        worst = m[i, 0]
        for j in range(1, k):
            worst = min(worst, m[i, j])
        if worst > low:
            low, row = worst, i
    for j in range(k):
        best = m[0, j]
        for i in range(1, k):
            best = max(best, m[i, j])
        if best < high:
            high, column = best, j
    x[:] = 0.0
    y[:] = 0.0
    x[row] = 1.0
    y[column] = 1.0
    return low, high


@njit(cache=True)
def equalise(m: Floats, u: Floats, v: Floats) -> bool:
    """Write strategies to u and v that make all three rows and columns worth the same, if any."""
    # Taking the same from every entry leaves the cofactor sums as they are, and makes
    # the numbers small, so that their products lose nothing.
    base = m[1, 1]
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        u[i] = 0.0
        v[i] = 0.0
        for j in range(3):
            r, s = (j + 1) % 3, (j + 2) % 3
            u[i] += (m[p, r] - base) * (m[q, s] - base) - (m[p, s] - base) * (m[q, r] - base)
            v[i] += (m[r, p] - base) * (m[s, q] - base) - (m[r, q] - base) * (m[s, p] - base)
    return chances(u) and chances(v)


@njit(cache=True)
def solve_game(m: Floats, k: int, x: Floats, y: Floats, work: Floats) -> tuple[float, float]:
    """Solve a k by k game (k at most 3); return its value and the width of the proof.

    The strategies are written to x and y. ``work`` is memory for two strategies of three.
    """
    low, high = pure(m, k, x, y)
    width = high - low
    if width <= NARROW:
        return 0.5 * (low + high), max(width, 0.0)
    value = 0.5 * (low + high)
    u, v = work[0], work[1]
    for a in range(k - 1):
        for b in range(a + 1, k):
            for c in range(k - 1):
                for d in range(c + 1, k):
                    # Unless both columns and both rows pull in opposite directions,
                    # these two by two have a saddle point and nothing is to be mixed.
                    p = share(m[b, d] - m[b, c], m[a, c] - m[a, d])
                    if p < 0.0:
                        continue
                    q = share(m[b, d] - m[a, d], m[a, c] - m[b, c])
                    if q < 0.0:
                        continue
                    if k == 3:
                        # Most candidates fail clearly against the one row or column left out.
                        e, f = 3 - a - b, 3 - c - d
                        even = p * m[a, c] + (1.0 - p) * m[b, c]
                        if q * m[e, c] + (1.0 - q) * m[e, d] > even + CLEARLY:
                            continue
                        if p * m[a, f] + (1.0 - p) * m[b, f] < even - CLEARLY:
                            continue
                    u[:] = 0.0
                    v[:] = 0.0
                    u[a], u[b] = p, 1.0 - p
                    v[c], v[d] = q, 1.0 - q
                    low, high = guarantee(m, k, u, v)
                    if high - low < width:
                        width, value = high - low, 0.5 * (low + high)
                        copy(u, x)
                        copy(v, y)
                        if width <= NARROW:
                            return value, max(width, 0.0)
    if k == 3 and equalise(m, u, v):
        low, high = guarantee(m, 3, u, v)
        if high - low < width:
            width, value = high - low, 0.5 * (low + high)
            copy(u, x)
            copy(v, y)
    return value, max(width, 0.0)


@njit(cache=True)
def pair_number(i: int, j: int) -> int:
    """Return the number of the pair of positions i < j."""
    return j * (j - 1) // 2 + i


@njit(cache=True)
def pair_values(meet: Floats) -> tuple[Floats, float]:
    """Compute values with two dice each, for all pairs of the bag; return the widest proof."""
    win, tie = meet[WIN], meet[TIE]
    n = win.shape[0]
    pairs = n * (n - 1) // 2
    one = win + 0.5 * tie
    two = np.empty((pairs, pairs))
    m, x, y, work = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((2, 3))
    widest = 0.0
    for b in range(1, n):
        for a in range(b):
            for d in range(1, n):
                for c in range(d):
                    m[0, 0] = win[a, c] + tie[a, c] * one[b, d]
                    m[0, 1] = win[a, d] + tie[a, d] * one[b, c]
                    m[1, 0] = win[b, c] + tie[b, c] * one[a, d]
                    m[1, 1] = win[b, d] + tie[b, d] * one[a, c]
                    value, width = solve_game(m, 2, x, y, work)
                    two[pair_number(a, b), pair_number(c, d)] = value
                    widest = max(widest, width)
    return two, widest


@njit(cache=True)
def fill(m: Floats, meet: Floats, two: Floats, place: Ints) -> None:
    """Fill the three by three game of the dice at six places, from the values of the rests."""
    for i in range(3):
        a, p, q = place[i], place[(i + 1) % 3], place[(i + 2) % 3]
        mine = pair_number(min(p, q), max(p, q))
        for j in range(3):
            b, p, q = place[3 + j], place[3 + (j + 1) % 3], place[3 + (j + 2) % 3]
            theirs = pair_number(min(p, q), max(p, q))
            m[i, j] = meet[WIN, a, b] + meet[TIE, a, b] * two[mine, theirs]


@njit(cache=True)
def choose(n: int, k: int) -> int:
    """Return the binomial coefficient, for small k."""
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


@njit(cache=True)
def six_of(rank: int, six: Ints) -> None:
    """Return the six positions p0 < ... < p5 of rank C(p0, 1) + C(p1, 2) + ... + C(p5, 6)."""
    for k in range(6, 0, -1):
        p = k - 1
        while choose(p + 1, k) <= rank:
            p += 1
        six[k - 1] = p
        rank -= choose(p, k)


@njit(cache=True)
def next_six(six: Ints) -> None:
    """Step to the positions of the next rank."""
    k = 0
    while k < 5 and six[k] + 1 == six[k + 1]:
        six[k] = k
        k += 1
    six[k] += 1


@njit(cache=True)
def solve_deals(
    meet: Floats, two: Floats, hands: Ints, first: int, out: Floats
) -> tuple[float, int]:
    """Solve ``out.shape[0]`` sixes from rank ``first``, ten splits each.

    Return the largest certified error, and the number of deals with a saddle point, that is, one
    right die for each side.
    """
    m, x, y, work = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((2, 3))
    six, place = np.empty(6, np.int64), np.empty(6, np.int64)
    six_of(first, six)
    widest, saddles = 0.0, 0
    for t in range(out.shape[0]):
        for s in range(hands.shape[0]):
            for i in range(6):
                place[i] = six[hands[s, i]]
            fill(m, meet, two, place)
            value, width = solve_game(m, 3, x, y, work)
            out[t, s] = value
            widest = max(widest, width)
            saddles += max(x[0], x[1], x[2]) == 1.0 and max(y[0], y[1], y[2]) == 1.0
        next_six(six)
    return widest, saddles


@njit(cache=True)
def solve_sixes(meet: Floats, hands: Ints, sixes: Ints, out: Floats, pure_deals: Floats) -> float:
    """For each set of six dice solve its ten 3-3 splits; return the largest certified error.

    ``sixes`` has six dice by their place in ``meet`` for each row of ``out``. ``pure_deals`` gets
    the number of a row's deals with a saddle point.
    """
    own, block = np.empty((2, 6, 6)), np.empty((1, hands.shape[0]))
    widest = 0.0
    for t in range(len(sixes)):
        for i in range(6):
            for j in range(6):
                own[WIN, i, j] = meet[WIN, sixes[t, i], sixes[t, j]]
                own[TIE, i, j] = meet[TIE, sixes[t, i], sixes[t, j]]
        two, width = pair_values(own)
        wide, saddles = solve_deals(own, two, hands, 0, block)
        copy(block[0], out[t])
        pure_deals[t] = saddles
        widest = max(widest, width, wide)
    return widest
