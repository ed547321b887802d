"""Passes over a turn, compiled by Numba: solving a whole game takes very many.

The graph, and why one pass is enough, are in `fairground.games.zombie.solver.turn`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numba as nb
import numpy as np

from fairground.games.compiled import copy
from fairground.games.zombie.rules import FATAL
from fairground.games.zombie.solver.turn import RING, STUCK, Array, Links, TurnLayers, Turns


class Outlook(NamedTuple):
    """A summary of the rolls of each shape, so that a sweep can skip hopeless ones."""

    shotguns: Array
    """By shape: number of shotguns on the table."""
    odds: Array
    """[shape, shotguns, brains]: the chance of a roll that changes something to leave these
    shotguns and add these brains."""
    first: Array
    shapes: Array
    """The shapes that rolls lead to, with t brains from ``first[t]`` on."""


def outlook(found: Turns) -> Outlook:
    """Return the outlook of every shape of a turn."""
    links, layers, shotguns = found.links, found.layers, found.shotguns
    many = np.diff(links.first)
    source = np.repeat(np.arange(len(many)), many)
    odds = np.zeros((len(many), FATAL, RING))
    np.add.at(odds, (source, shotguns[links.target], links.gain), links.chance)
    gain = links.gain.astype(np.intp)  # stored as bytes, which cannot count all layers
    tops = len(layers.first) - 1
    met = np.zeros((tops + RING, len(many)), np.bool_)
    met[tops:] = True
    for t in range(tops):
        here = np.zeros(len(many), np.bool_)
        here[layers.shapes[layers.first[t] : layers.first[t + 1]]] = True
        met[t] |= here
        arrows = here[source]
        met[t + gain[arrows], links.target[arrows]] = True
    first = np.zeros(len(met) + 1, np.int64)
    np.cumsum(met.sum(axis=1), out=first[1:])
    return Outlook(shotguns, odds, first, np.nonzero(met)[1].astype(np.int32))


@nb.njit(cache=True)
def _sweep(  # noqa: PLR0917 - numba wants its arguments in order
    links: Links, layers: TurnLayers, ahead: Outlook, hold: Array, width: int, top: int, room: Array
) -> Array:
    shapes, columns = len(links.stay), hold.shape[1]
    turns = columns // width
    ring = room[: RING * shapes * columns].reshape((RING, shapes, columns))
    best = np.empty((FATAL, RING, turns))
    rolled, most = np.zeros(columns), np.zeros(turns)
    nothing = hold[0, ::width].copy()
    for t in range(top + RING - 2, -1, -1):
        here, mine = ring[t % RING], hold[t, ::width].copy()
        for j in range(ahead.first[t], ahead.first[t + 1]):
            copy(hold[t], here[ahead.shapes[j]])
        for s in range(FATAL):
            copy(mine, best[s, t % RING])
        if t >= top:
            continue
        for j in range(layers.first[t], layers.first[t + 1]):
            i = layers.shapes[j]
            # The empty table is the last shape, and there rolling is the only move.
            must = i == shapes - 1
            if links.stay[i] >= STUCK:
                continue
            shotguns = ahead.shotguns[i]
            share = 1.0 / (1.0 - links.stay[i])
            for g in range(turns):
                most[g] = links.bust[i] * nothing[g]
            for s in range(shotguns, FATAL):
                for gain in range(RING):
                    chance = ahead.odds[i, s, gain]
                    there = best[s, (t + gain) % RING]
                    for g in range(turns):
                        most[g] += chance * there[g]
            hopeful = must
            for g in range(turns):
                hopeful |= most[g] * share > mine[g]
            if not hopeful:
                continue
            for c in range(columns):
                rolled[c] = links.bust[i] * hold[0, c]
            for k in range(links.first[i], links.first[i + 1]):
                chance = links.chance[k]
                there = ring[(t + links.gain[k]) % RING, links.target[k]]
                for c in range(columns):
                    rolled[c] += chance * there[c]
            top_here = best[shotguns, t % RING]
            for g in range(turns):
                own = width * g
                if must or rolled[own] * share > mine[g]:
                    for c in range(own, own + width):
                        here[i, c] = rolled[c] * share
                    top_here[g] = max(top_here[g], here[i, own])
    value: Array = ring[0, shapes - 1].copy()
    return value


class Sweeper:
    """Passes over the turns of one bag."""

    def __init__(self, found: Turns) -> None:
        self._found, self._outlook = found, outlook(found)
        self._memory = np.empty(0)

    def __call__(self, hold: Array, width: int, top: int) -> Array:
        """Return the worth of turns to every player, when the mover takes its own best.

        ``hold[t, width * g + p]`` is the worth to the mover of turn g (p = 0) and to the others if
        it holds t brains; a bust is worth the same as none. It decides by its own column, and the
        others follow. States with ``top`` brains or more are held, and so are those left out of
        the turn's layers.

        ``best[s, t, g]`` is the maximum worth to the mover of any state with s shotguns and t
        brains. If even that makes a roll no better than holding, its arrows are skipped.
        """
        found, needed = self._found, RING * self._found.shapes * hold.shape[1]
        if len(self._memory) < needed:
            self._memory = np.empty(needed)
        value: Array = _sweep(
            found.links, found.layers, self._outlook, hold, width, top, self._memory
        )
        return value


@lru_cache(maxsize=4)
def sweeper(found: Turns) -> Sweeper:
    """Return the passes over the turns of a bag, prepared once."""
    return Sweeper(found)
