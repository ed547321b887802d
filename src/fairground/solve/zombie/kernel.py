"""A pass over a turn, compiled by Numba: solving a whole game takes very many.

The graph, and why one pass is enough, are in `fairground.solve.zombie.graph`.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np

from fairground.games.zombie import FATAL
from fairground.solve.tape import copy
from fairground.solve.zombie.graph import RING, STUCK, Array, Links, TurnLayers


@nb.njit(cache=True)
def sweep(links: Links, layers: TurnLayers, hold: Array, top: int) -> Array:
    """The best that a turn can bring, before its first roll, for several payoffs at once.

    Each column of ``hold[t, column]`` is a question of its own: what t brains held are worth. A
    bust is worth as much as none. States left out of ``layers`` are held, and so are those with
    ``top`` brains or more.
    """
    shapes, columns = len(links.stay), hold.shape[1]
    ring = np.empty((RING, shapes, columns))
    rolled = np.zeros(columns)
    for t in range(top, top + RING - 1):
        for i in range(shapes):
            copy(hold[t], ring[t % RING, i])
    for t in range(top - 1, -1, -1):
        here = ring[t % RING]
        for i in range(shapes):
            copy(hold[t], here[i])
        for j in range(layers.first[t], layers.first[t + 1]):
            i = layers.shapes[j]
            if links.stay[i] >= STUCK:
                continue
            for c in range(columns):
                rolled[c] = links.bust[i] * hold[0, c]
            for k in range(links.first[i], links.first[i + 1]):
                chance = links.chance[k]
                there = ring[(t + links.gain[k]) % RING, links.target[k]]
                for c in range(columns):
                    rolled[c] += chance * there[c]
            share = 1.0 / (1.0 - links.stay[i])
            # The empty table is the last shape, and there rolling is the only move.
            must = i == shapes - 1
            for c in range(columns):
                brought = rolled[c] * share
                here[i, c] = brought if must else max(here[i, c], brought)
    value: Array = ring[0, shapes - 1].copy()
    return value


class Outlook(NamedTuple):
    """What one roll can lead to, in short: so that a sweep need not follow hopeless ones."""

    shotguns: Array
    """By shape: how many lie on the table."""
    odds: Array
    """[shape, shotguns, brains]: the chance of a roll to leave so many shotguns and add so many
    brains, and to change something."""
    first: Array
    shapes: Array
    """The shapes that rolls lead to, with t brains from ``first[t]`` on."""


def outlook(links: Links, layers: TurnLayers, shotguns: Array) -> Outlook:
    """The outlook of every shape of a turn."""
    many = np.diff(links.first)
    source = np.repeat(np.arange(len(many)), many)
    odds = np.zeros((len(many), FATAL, RING))
    np.add.at(odds, (source, shotguns[links.target], links.gain), links.chance)
    tops = len(layers.first) - 1
    met = np.zeros((tops + RING, len(many)), np.bool_)
    met[tops:] = True
    for t in range(tops):
        here = np.zeros(len(many), np.bool_)
        here[layers.shapes[layers.first[t] : layers.first[t + 1]]] = True
        met[t] |= here
        arrows = here[source]
        met[t + links.gain[arrows], links.target[arrows]] = True
    first = np.zeros(len(met) + 1, np.int64)
    np.cumsum(met.sum(axis=1), out=first[1:])
    return Outlook(shotguns, odds, first, np.nonzero(met)[1].astype(np.int32))


@nb.njit(cache=True)
def sweep_shared(  # noqa: PLR0917 - numba wants its arguments in order
    links: Links, layers: TurnLayers, ahead: Outlook, hold: Array, width: int, top: int, room: Array
) -> Array:
    """What a turn is worth to everybody, when the mover thinks of itself; several turns at once.

    ``hold[t, width * g + p]``: what the mover of turn g (p = 0) and others get if it holds t
    brains; a bust is worth as much as none. It decides by its own column; the others' follow.
    States with ``top`` brains or more are held.

    ``best[s, t, g]`` is the most that any state with s shotguns and t brains is worth to the
    mover. Where even that makes a roll no better than to hold, its arrows are not followed.
    """
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
