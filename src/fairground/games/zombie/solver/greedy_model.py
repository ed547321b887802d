"""Four zombies or more: the chance of each to win, if all play each turn for brains.

Perfect play among so many is not known. This is a model of it: from now on every turn is played by
`Turns.greedy`, for any scores. Then the brains of a turn have one known distribution, all turns are
independent, and the chances follow without simulation.

Let D_i(r, x) be the chance that zombie i has x brains after r more rounds and was never over the
goal before. The game ends with the first round in which a zombie is over the goal. Zombie i wins it
with x brains if all others have fewer. If m are level at the top, each has the chance 1/m, because
extra rounds are alike for all. The share of i is D_i(x) times the integral over z from 0 to 1 of
the product over the others of P(fewer than x) + z D_j(x). That product is a polynomial in z, so a
quadrature of enough points is exact.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from fairground.games.zombie.rules import State, Zombie
from fairground.games.zombie.solver import turn
from fairground.games.zombie.solver.turn import Array, Obeyed, TooMuchWork

MOST: Final = 12
"""Maximum number of zombies."""

UNLIKELY: Final = 1e-4
"""Turns with more brains than this are held: even a zombie who never holds counts them with less
than this chance."""

UNDECIDED: Final = 1e-9
"""Rounds are followed until the game goes on with less than this chance."""

MOST_ROUNDS: Final = 400


class GreedyModel(NamedTuple):
    """The result of a turn, and its choices."""

    brains: int
    """Number of brains from which on a turn is always held."""
    worths: Obeyed
    """The worth of states under the choices for the most brains."""
    banked: Array
    """The chance of a turn to bring 0, 1, 2, ... brains."""


def greedy_model(game: Zombie) -> GreedyModel:
    """Return the model for a game; raise `TooMuchWork` if it is too large."""
    if game.seats > MOST:
        raise TooMuchWork(f"games of more than {MOST} zombies are not followed")
    if game.brains_to_win > 200 or game.max_turns > 200:
        raise TooMuchWork("such long games of many zombies are not followed")
    found = turn.turns(game)
    choice = found.greedy[: int(np.argmax(found.reached < UNLIKELY))]
    return GreedyModel(len(choice), found.obeyed(choice), found.banked(choice))


def holds(game: Zombie, found: GreedyModel, s: State) -> Array:
    """Return [t, player]: the chances of all to win when the mover holds t brains.

    Players are in the order of ``s.playing``.
    """
    mine = s.scores[s.playing[s.at]]
    least = 0 if s.extra or game.max_turns else game.brains_to_win
    brains = found.brains + turn.RING
    others = [
        _course(game, found, s, player, s.scores[seat])
        for player, seat in enumerate(s.playing)
        if player != s.at
    ]
    held = [_course(game, found, s, s.at, mine + t) for t in range(brains)]
    rounds = max(len(course) for course in (*others, *held))
    width = max(course.shape[1] for course in (*others, *held))
    shares = _shares(
        np.array([_padded(course, rounds, width) for course in others]),
        np.array([_padded(course, rounds, width) for course in held]),
        least,
    )
    rows = np.empty((turn.turns(game).top + turn.RING, len(s.playing)))
    in_order = [*range(1, s.at + 1), 0, *range(s.at + 1, len(s.playing))]
    rows[:brains] = shares[:, in_order]
    rows[brains:] = rows[brains - 1]
    return rows


def _padded(course: Array, rounds: int, width: int) -> Array:
    padded = np.zeros((rounds, width))
    padded[: len(course), : course.shape[1]] = course
    return padded


def _course(game: Zombie, found: GreedyModel, s: State, player: int, score: int) -> Array:
    """Return D_i as [round, brains]; for a number of rounds, and in extra rounds, only the last
    one.

    The mover has held, so its turn of this round is over, as for those before it.
    """
    pending = player > s.at
    now = np.zeros(score + 1)
    now[score] = 1.0
    first = np.convolve(now, found.banked) if pending else now
    if s.extra:
        return first[np.newaxis]
    if game.max_turns:
        for _ in range(game.max_turns - s.round):
            first = np.convolve(first, found.banked)
        return first[np.newaxis]
    goal = game.brains_to_win
    rows = [first]
    while rows[-1][:goal].sum() > UNDECIDED and len(rows) < MOST_ROUNDS:
        rows.append(np.convolve(rows[-1][:goal], found.banked))
    course = np.zeros((len(rows), max(len(row) for row in rows)))
    for row, brains in zip(course, rows, strict=True):
        row[: len(brains)] = brains
    return course


def _shares(others: Array, held: Array, least: int) -> Array:
    """Return [t, player]: the chances to win with at least ``least`` brains; the mover first.

    ``others`` are D_j as [player, round, brains], ``held`` is the mover's D for each t.
    """
    below, below_held = (np.cumsum(d, axis=-1) - d for d in (others, held))
    others, held, below, below_held = (d[..., least:] for d in (others, held, below, below_held))
    points, weights = np.polynomial.legendre.leggauss(len(others) // 2 + 1)
    nodes, shape = len(points), others.shape[1:]
    factors = below + ((points + 1) / 2)[:, None, None, None] * others
    weight = (weights / 2)[:, None, None]
    shares = np.empty((len(held), len(others) + 1))
    flat_held, flat_below = held.reshape(len(held), -1), below_held.reshape(len(held), -1)
    shares[:, 0] = flat_held @ (weight * factors.prod(axis=1)).sum(axis=0).ravel()
    for j in range(len(others)):
        rest = np.ones((nodes, *shape)) if len(others) == 1 else _without(factors, j).prod(axis=1)
        alone = weight * rest * others[j]
        tied = alone * ((points + 1) / 2)[:, None, None]
        shares[:, j + 1] = flat_below @ alone.sum(axis=0).ravel()
        shares[:, j + 1] += flat_held @ tied.sum(axis=0).ravel()
    return shares


def _without(factors: Array, player: int) -> Array:
    return np.delete(factors, player, axis=1)
