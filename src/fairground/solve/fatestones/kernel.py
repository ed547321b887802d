"""Numba kernels for FateStones: every deal solved, in floating point with a certificate.

Dice are positions in a sorted bag. A deal is a set of six positions and a way to
split it into two hands of three; exchanging the hands turns a value v into 1 - v, so
the ten splits in which the first hand holds the lowest position are enough.

A matrix game is solved by trying its kernels, as in `fairground.solve.fatestones.choices`. But
rounding may spoil the weights of a candidate, so they are not trusted. What its two strategies
guarantee against *every* reply is computed: an interval that encloses the value whatever
rounding did before. The candidate with the narrowest interval is taken, and the widest interval
that had to be accepted is reported. The value of a matrix game moves no more than its entries
do, so an error of an earlier table never grows.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.solve.tape import copy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NARROW: Final = 2.0**-50
"""An interval this narrow is within rounding of the value: no need to look further."""

SLACK: Final = 1e-12
"""Weights below zero by no more than this may be zeros that were rounded: worth a try."""

CLEARLY: Final = 1e-9
"""A candidate that fails by more than this is no kernel: rounding cannot explain it."""

SPLITS: Final = 10
"""Ways to split six dice into two hands, the first of which holds the lowest die."""

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
    """What the mixed strategies x (rows) and y (columns) hold against every pure reply."""
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
    """Turn three weights into chances in place; False where their signs do not allow it."""
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
    """The first of two chances in the proportion a to b; -1 where the signs forbid it."""
    if a * b < -SLACK or a + b == 0.0:
        return -1.0
    return min(max(a / (a + b), 0.0), 1.0)


@njit(cache=True)
def pure(m: Floats, k: int, x: Floats, y: Floats) -> tuple[float, float]:
    """The most cautious row and column, left in x and y, and what they hold."""
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
    """Strategies in u and v that make all three rows and columns worth the same, if any."""
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
    """Solve a k by k game (k at most 3): its value and the width of the proof.

    The strategies are left in x and y. ``work`` is room for two strategies of three.
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
    """The number of the pair of positions i < j."""
    return j * (j - 1) // 2 + i


@njit(cache=True)
def pair_values(meet: Floats) -> tuple[Floats, float]:
    """Values with two dice each, for all pairs of the bag; the widest proof."""
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
    """The three by three game of the dice at six places, given what the rests are worth."""
    for i in range(3):
        a, p, q = place[i], place[(i + 1) % 3], place[(i + 2) % 3]
        mine = pair_number(min(p, q), max(p, q))
        for j in range(3):
            b, p, q = place[3 + j], place[3 + (j + 1) % 3], place[3 + (j + 2) % 3]
            theirs = pair_number(min(p, q), max(p, q))
            m[i, j] = meet[WIN, a, b] + meet[TIE, a, b] * two[mine, theirs]


@njit(cache=True)
def choose(n: int, k: int) -> int:
    """The binomial coefficient, for small k."""
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


@njit(cache=True)
def six_of(rank: int, six: Ints) -> None:
    """The six positions of a rank: rank = C(p0,1) + C(p1,2) + ... + C(p5,6), p0 < ... < p5."""
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

    Returns the widest proof, and how many deals have a saddle point, that is, one
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
    """Solve sixes of dice, each by itself, ten splits each; returns the widest proof.

    ``sixes`` has six dice by their place in ``meet`` for each row of ``out``; ``pure_deals`` gets
    how many of a row's deals have a saddle point.
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


RANDOM: Final = 0
GREEDY: Final = 1
OPTIMAL: Final = 2
KINDS: Final = 3

VALUE: Final = 0
KEPT: Final = 1
GIVEN: Final = KEPT + KINDS
EARNED: Final = GIVEN + KINDS
TOLD: Final = EARNED + KINDS * KINDS
"""What is told about a position, always from the side of the rows: its value; what each
kind of player keeps, as rows, against a best reply; what each kind gives away, as columns,
to a best reply; and what each kind earns, as rows, against each kind."""


@njit(cache=True)
def pick_greedily(score: Floats, k: int, x: Floats) -> None:
    """The row with the best score against a uniform column; the first of equals.

    The rows are in the order of the bag, so a tie goes to the smaller die. The scores
    are sums of whole 72nds, and the margin keeps rounding from breaking a tie.
    """
    best, pick = -1.0, 0
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += score[i, j]
        if total > best + 1e-9:
            best, pick = total, i
    x[:] = 0.0
    x[pick] = 1.0


@njit(cache=True)
def tell(e: Any, one: Floats, k: int, room: Floats, out: Floats) -> None:
    """Everything that is told about a position with k dice each.

    ``e[c, i, j]`` is the entry of the pair (i, j) if the rest is worth what ``c`` tells
    of it; ``one`` holds win plus half a tie of each pair; ``room`` is room to work in.
    """
    x, y, flipped = room[0:3], room[3:6], room[6:9]
    value, _width = solve_game(e[VALUE], k, x[OPTIMAL], y[OPTIMAL], room[9:11])
    for i in range(k):
        for j in range(k):
            flipped[j, i] = 1.0 - one[i, j]
    pick_greedily(one, k, x[GREEDY])
    pick_greedily(flipped, k, y[GREEDY])
    x[RANDOM, :] = 1.0 / k
    y[RANDOM, :] = 1.0 / k
    out[VALUE] = value
    for kind in range(KINDS):
        kept, given = 2.0, -2.0
        for reply in range(k):
            low, high = 0.0, 0.0
            for i in range(k):
                low += x[kind, i] * e[KEPT + kind, i, reply]
                high += y[kind, i] * e[GIVEN + kind, reply, i]
            kept, given = min(kept, low), max(given, high)
        out[KEPT + kind], out[GIVEN + kind] = kept, given
        for rival in range(KINDS):
            c, earned = EARNED + KINDS * kind + rival, 0.0
            for i in range(k):
                for j in range(k):
                    earned += x[kind, i] * y[rival, j] * e[c, i, j]
            out[c] = earned


@njit(cache=True)
def tell_pairs(meet: Floats) -> Any:
    """What is told of every position with two dice each. (With one there is no choice.)"""
    win, tie = meet[WIN], meet[TIE]
    n = win.shape[0]
    pairs = n * (n - 1) // 2
    told = np.empty((pairs, pairs, TOLD))
    e, score, room = np.empty((TOLD, 3, 3)), np.empty((3, 3)), np.empty((11, 3))
    for b in range(1, n):
        for a in range(b):
            for d in range(1, n):
                for c in range(d):
                    for i in range(2):
                        for j in range(2):
                            mine, my_rest = (b, a) if i else (a, b)
                            theirs, their_rest = (d, c) if j else (c, d)
                            score[i, j] = win[mine, theirs] + 0.5 * tie[mine, theirs]
                            last = win[my_rest, their_rest] + 0.5 * tie[my_rest, their_rest]
                            e[:, i, j] = win[mine, theirs] + tie[mine, theirs] * last
                    tell(e, score, 2, room, told[pair_number(a, b), pair_number(c, d)])
    return told


@njit(cache=True)
def compare_deals(
    meet: Floats, told: Any, hands: Ints, first: int, count: int
) -> tuple[Floats, Floats]:
    """Sums of what is told over ``count`` sixes from rank ``first``; each kind's worst loss."""
    win, tie = meet[WIN], meet[TIE]
    e, score, room = np.empty((TOLD, 3, 3)), np.empty((3, 3)), np.empty((11, 3))
    out, sums, worst = np.empty(TOLD), np.zeros(TOLD), np.zeros(KINDS)
    six, place = np.empty(6, np.int64), np.empty(6, np.int64)
    six_of(first, six)
    for _ in range(count):
        for s in range(hands.shape[0]):
            for i in range(6):
                place[i] = six[hands[s, i]]
            for i in range(3):
                a, p, q = place[i], place[(i + 1) % 3], place[(i + 2) % 3]
                mine = pair_number(min(p, q), max(p, q))
                for j in range(3):
                    b, p, q = place[3 + j], place[3 + (j + 1) % 3], place[3 + (j + 2) % 3]
                    rest = told[mine, pair_number(min(p, q), max(p, q))]
                    score[i, j] = win[a, b] + 0.5 * tie[a, b]
                    for c in range(TOLD):
                        e[c, i, j] = win[a, b] + tie[a, b] * rest[c]
            tell(e, score, 3, room, out)
            for c in range(TOLD):
                sums[c] += out[c]
            for kind in range(KINDS):
                worst[kind] = max(
                    worst[kind], out[VALUE] - out[KEPT + kind], out[GIVEN + kind] - out[VALUE]
                )
        next_six(six)
    return sums, worst
