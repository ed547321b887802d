"""The search of `fairground.players.mcts`, compiled, for one deal of FateStones.

It is the same search, draw for draw and rounding for rounding: the same bytes of the stream give
the same averages. It is fast because the tree of a deal has a fixed shape. The hands of the round
before, its picks and its level faces determine a position in which both choose. So positions have
numbers, and nothing is looked up by its state.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.games.compiled import AT, FILLED, INLINE, SPARE, below, refill

Floats = NDArray[np.float64]

HAND: Final = 3
FACES: Final = 6
POSITIONS: Final = 1 + HAND**2 * FACES + HAND**2 * 4 * FACES
"""Number of positions: the root, those one level round later, and those two later."""

MOST: Final = 10**6
"""Maximum number of iterations of this search."""


@lru_cache(maxsize=4)
def explored(iterations: int) -> Floats:
    """Return the chance of a random move by visits.

    Python's own powers round as the search does.
    """
    return np.array([0.0] + [visits ** (-1.0 / 3.0) for visits in range(1, iterations + 1)])


@INLINE
def fraction(stream: Any, data: Any) -> Any:
    """Read four bytes as a number from 0 up to (not including) 1."""
    if stream[FILLED] - stream[AT] < SPARE:
        refill(stream, data)
    value = 0
    for i in range(4):
        value = value << 8 | int(data[stream[AT] + i])
    stream[AT] += 4
    return value / 4294967296.0


@INLINE
def outcome(left: Any, stream: Any, data: Any) -> Any:
    """Draw one of six faces; none comes again before all came. ``left[6]`` has the number left."""
    if left[FACES] == 0:
        for i in range(FACES):
            left[i] = i
        left[FACES] = FACES
    at = below(left[FACES], stream, data)
    value = left[at]
    left[FACES] -= 1
    for i in range(at, left[FACES]):
        left[i] = left[i + 1]
    return value


@njit(cache=True)
def select(regrets: Any, averages: Any, visited: Any, room: Any) -> Any:
    """Return the pick of one seat; add its strategy, by regret matching, to its averages."""
    k, visits, explore = visited
    strategy, stream, data = room
    total = 0.0
    for move in range(k):
        total += regrets[move]
    for move in range(k):
        strategy[move] = regrets[move] / total if total > 0.0 else 1.0 / k
        averages[move] += strategy[move] * visits
    if fraction(stream, data) < explore:
        return below(k, stream, data)
    at = fraction(stream, data)
    last = 0
    for move in range(k):
        at -= strategy[move]
        if at < 0.0:
            return move
        if strategy[move] > 0.0:
            last = move
    return last


@njit(cache=True)
def learn(position: Any, picks: Any, k: int, payoff: int) -> None:
    """Carry one payoff into the means and the regrets of both seats."""
    regrets, seen, means = position
    cell = picks[0] * HAND + picks[1]
    seen[cell] += 1
    means[0, cell] += (payoff - means[0, cell]) / seen[cell]
    means[1, cell] += (-payoff - means[1, cell]) / seen[cell]
    for seat in range(2):
        for move in range(k):
            other = move * HAND + picks[1] if seat == 0 else picks[0] * HAND + move
            if move != picks[seat] and seen[other] > 0:
                more = regrets[seat, move] + means[seat, other] - means[seat, cell]
                regrets[seat, move] = more if more > 0.0 else 0.0


@njit(cache=True)
def grow(hands: Any, alike: Any, explore: Any, stream: Any, data: Any) -> Any:
    """Search as many iterations as ``explore`` is long; return both seats' averages at the root."""
    most = hands.shape[1]
    visits = np.zeros(POSITIONS, np.int64)
    regrets, averages = np.zeros((POSITIONS, 2, HAND)), np.zeros((POSITIONS, 2, HAND))
    seen, means = np.zeros((POSITIONS, 9), np.int64), np.zeros((POSITIONS, 2, 9))
    # By position and picks: faces that have yet to come, first of one seat, then of the other.
    left = np.zeros((POSITIONS, 9, 1 + FACES, FACES + 1), np.int8)
    path, picked = np.zeros(HAND, np.int64), np.zeros((HAND, 2), np.int64)
    dice, rolls, strategy = np.empty((2, HAND), np.int64), np.zeros(2, np.int64), np.empty(HAND)
    for _ in range(len(explore) - 1):
        for seat in range(2):
            for i in range(most):
                dice[seat, i] = i
        position = depth = payoff = pair = 0
        new = False
        for k in range(most, 0, -1):
            inside = not new
            cell = 0
            if inside:
                visits[position] += 1
                new = visits[position] == 1
                visited = k, visits[position], explore[visits[position]]
                for seat in range(2):
                    mine, sums = regrets[position, seat], averages[position, seat]
                    picked[depth, seat] = select(mine, sums, visited, (strategy, stream, data))
                path[depth] = position
                picks = picked[depth]
                cell = picks[0] * HAND + picks[1]
                depth += 1
            else:
                picks = rolls  # any two cells: what is played at random is not kept
                for seat in range(2):
                    picks[seat] = below(k, stream, data)
            first, second = picks[0], picks[1]
            die, other = hands[0, dice[0, first]], hands[1, dice[1, second]]
            if new:
                face = die[below(FACES, stream, data)]
                payoff = face - other[below(FACES, stream, data)]
            else:
                face = die[outcome(left[position, cell, 0], stream, data)]
                payoff = face - other[outcome(left[position, cell, face], stream, data)]
            if payoff != 0:
                payoff = 1 if payoff > 0 else -1
                break
            if not new:
                # Only the round before tells positions apart: of the first one, what it left.
                step = (first * k + second) * FACES + face - 1
                position = 1 + step
                if k < most:
                    position += (most * most + pair * k * k) * FACES
                pair = alike[0, first] * most + alike[1, second]
            for i in range(first, k - 1):
                dice[0, i] = dice[0, i + 1]
            for i in range(second, k - 1):
                dice[1, i] = dice[1, i + 1]
        for i in range(depth):
            here = path[i]
            learn((regrets[here], seen[here], means[here]), picked[i], most - i, payoff)
    return averages[0]


def alike(hand: Sequence[str]) -> list[int]:
    """Return, for each die, the first one that leaves the same hand behind when it is taken."""
    left = [(*hand[:i], *hand[i + 1 :]) for i in range(len(hand))]
    return [left.index(rest) for rest in left]


def averages(hands: Sequence[Sequence[str]], iterations: int, stream: Any) -> list[list[float]]:
    """Return both seats' sums of strategies after a search of these hands, on a `NativeStream`."""
    faces = np.array([[[int(face) for face in die] for die in hand] for hand in hands])
    same = np.array([alike(hand) for hand in hands])
    found = grow(faces, same, explored(iterations), stream.registers, stream.data)
    return [row[: len(hand)] for row, hand in zip(found.tolist(), hands, strict=True)]
