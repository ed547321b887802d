"""The loops of `solve.zombie.turn`, compiled by Numba: the graph of a turn and its value.

A **shape** of a turn is which dice lie where: brain dice, shotgun dice and footprints
by colour; the bag has the rest. A state of a turn is a shape and the brains counted.
A roll never lowers the brains and never takes a shotgun away; if it adds neither, it
either fills the rolling area further or leaves everything as it was. So with shapes
sorted by shotguns and then by footprints, most first, every roll leads to a state with
more brains, or to an earlier shape with the same brains, or back to itself. The last
case is a geometric series with a closed form, and one sweep solves a turn exactly:
no iteration, no recursion, for all its cycles.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numba as nb
import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

SELF = -1
BUST = -2
STUCK = 1.0 - 1e-12
"""A roll that stays where it is with this chance changes nothing: only pure footprints do."""

RING = 4
"""Layers of equal brains that a sweep must remember: a roll adds at most three."""

FREE, RECORD, FOLLOW = 0, 1, 2


class Rolls(NamedTuple):
    """What one roll can do, as tables: see `fairground.solve.zombie.turn.rolls`."""

    dice: Array
    """(3) dice of each colour."""
    shot_piles: Array
    """(·, 3) shotgun dice by colour, up to two."""
    foot_piles: Array
    """(·, 3) footprints by colour, up to three; also the hands that can be thrown."""
    shot_index: Array
    foot_index: Array
    """The row of a pile in the tables above."""
    hand_first: Array
    """Where the outcomes of each hand begin."""
    outcomes: Array
    """(·, 9) brains, shotguns, footprints by colour."""
    chances: Array


class Links(NamedTuple):
    """The shapes that can be reached, sorted as said above, and the arrows between them."""

    first: Array
    """Where the arrows of each shape begin."""
    target: Array
    gain: Array
    """Brains that the arrow adds."""
    chance: Array
    bust: Array
    """By shape: the chance that the next roll ends the turn."""
    stay: Array
    """By shape: the chance that the next roll changes nothing."""


class TurnLayers(NamedTuple):
    """Which shapes occur with how many brains."""

    first: Array
    """Where the layer with t brains begins in ``shapes``."""
    shapes: Array
    """The shapes of each layer, in the order in which they are solved."""


class Payoffs(NamedTuple):
    """What the end of a turn is worth; each column is a question of its own."""

    hold: Array
    """[t, column]: t brains, held."""
    nothing: Array
    """[column]: a bust."""


@nb.njit(cache=True)
def choose(n: int, k: int) -> float:
    """How many ways there are to take k of n, for k up to 3."""
    ways = 1.0
    for i in range(k):
        ways *= (n - i) / (i + 1)
    return ways


@nb.njit(cache=True)
def expand(code: int, rolls: Rolls, to_code: Array, to_gain: Array, to_chance: Array) -> int:
    """All results of a roll from the shape ``code``: where it leads, brains gained, chance.

    No target but `BUST` occurs twice: what lies where afterwards tells what was drawn
    and thrown.
    """
    dice = rolls.dice
    shots, feet = len(rolls.shot_piles), len(rolls.foot_piles)
    foot = rolls.foot_piles[code % feet]
    shot = rolls.shot_piles[code // feet % shots]
    rest = code // (feet * shots)
    brain = np.empty(3, np.int64)
    brain[2] = rest % (dice[2] + 1)
    brain[1] = rest // (dice[2] + 1) % (dice[1] + 1)
    brain[0] = rest // ((dice[2] + 1) * (dice[1] + 1))
    bag = dice - brain - shot - foot
    need = 3 - foot.sum()
    if need > bag.sum():
        bag = bag + brain
        brain[:] = 0
        need = min(need, bag.sum())
    ways = choose(bag.sum(), need)
    n = 0
    for green in range(max(0, need - bag[1] - bag[2]), min(need, bag[0]) + 1):
        for yellow in range(max(0, need - green - bag[2]), min(need - green, bag[1]) + 1):
            red = need - green - yellow
            chance = choose(bag[0], green) * choose(bag[1], yellow) * choose(bag[2], red) / ways
            hand = rolls.foot_index[foot[0] + green, foot[1] + yellow, foot[2] + red]
            for k in range(rolls.hand_first[hand], rolls.hand_first[hand + 1]):
                b = rolls.outcomes[k, 0:3]
                s = shot + rolls.outcomes[k, 3:6]
                f = rolls.outcomes[k, 6:9]
                if s.sum() >= 3:
                    target = BUST
                else:
                    lying = brain + b
                    target = (lying[0] * (dice[1] + 1) + lying[1]) * (dice[2] + 1) + lying[2]
                    target = target * shots + rolls.shot_index[s[0], s[1], s[2]]
                    target = target * feet + rolls.foot_index[f[0], f[1], f[2]]
                    if target == code and b.sum() == 0:
                        target = SELF
                to_code[n] = target
                to_gain[n] = b.sum()
                to_chance[n] = chance * rolls.chances[k]
                n += 1
    return n


@nb.njit(cache=True)
def reach(size: int, most: int, rolls: Rolls) -> tuple[Array, int]:
    """The shapes that can be reached from the empty table, and how many arrows they have.

    Stops with ``most`` + 1 as soon as there are more arrows than ``most``.
    """
    seen = np.zeros(size, np.bool_)
    queue = np.empty(size, np.int64)
    room = 10 * len(rolls.outcomes)
    to_code, to_gain = np.empty(room, np.int64), np.empty(room, np.int64)
    to_chance = np.empty(room, np.float64)
    queue[0] = 0
    seen[0] = True
    done, known, arrows = 0, 1, 0
    while done < known and arrows <= most:
        for k in range(expand(queue[done], rolls, to_code, to_gain, to_chance)):
            target = to_code[k]
            if target >= 0:
                arrows += 1
                if not seen[target]:
                    seen[target] = True
                    queue[known] = target
                    known += 1
        done += 1
    return queue[:known].copy(), min(arrows, most + 1)


@nb.njit(cache=True)
def connect(
    codes: Array, index: Array, arrows: int, rolls: Rolls
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """The fields of `Links` for the shapes ``codes``, numbered by ``index``."""
    room = 10 * len(rolls.outcomes)
    to_code, to_gain = np.empty(room, np.int64), np.empty(room, np.int64)
    to_chance = np.empty(room, np.float64)
    first = np.zeros(len(codes) + 1, np.int64)
    target = np.empty(arrows, np.int32)
    gain = np.empty(arrows, np.int8)
    chance = np.empty(arrows, np.float64)
    bust, stay = np.zeros(len(codes)), np.zeros(len(codes))
    at = 0
    for i in range(len(codes)):
        for k in range(expand(codes[i], rolls, to_code, to_gain, to_chance)):
            if to_code[k] == BUST:
                bust[i] += to_chance[k]
            elif to_code[k] == SELF:
                stay[i] += to_chance[k]
            else:
                target[at] = index[to_code[k]]
                gain[at] = to_gain[k]
                chance[at] = to_chance[k]
                at += 1
        first[i + 1] = at
    return first, target, gain, chance, bust, stay


@nb.njit(cache=True)
def flow(links: Links, least: float, most: int) -> tuple[Array, Array, Array, float]:
    """The fields of `TurnLayers`, from the policy that never holds.

    No policy meets a state more often than that one does. Also returned: the chance of ever
    counting t brains, by t, and a bound on the chance that any policy ever meets a state that
    was left out. Left out are states met with a chance below ``least`` / 1000, and all layers
    from the first one reached with a chance below ``least``. Stops with a bound above 1 if the
    states kept have more than ``most`` arrows.
    """
    shapes = len(links.stay)
    mass = np.zeros((RING, shapes))
    mass[0, shapes - 1] = 1.0
    layer_first = [0]
    reached = [1.0]
    kept = np.empty(1 << 12, np.int32)
    n, t, arrows, left_out = 0, 0, 0, 0.0
    while True:
        here = mass[t % RING]
        beyond = 0.0
        for i in range(shapes - 1, -1, -1):
            seen = here[i]
            if seen == 0.0:
                continue
            here[i] = 0.0
            if links.stay[i] < STUCK:
                seen /= 1.0 - links.stay[i]
            if seen < least / 1000:
                left_out += seen
                continue
            if n == len(kept):
                kept = np.concatenate((kept, np.empty(len(kept), np.int32)))
            kept[n] = i
            n += 1
            arrows += links.first[i + 1] - links.first[i]
            for k in range(links.first[i], links.first[i + 1]):
                mass[(t + links.gain[k]) % RING, links.target[k]] += seen * links.chance[k]
        if arrows > most:
            return np.array(layer_first), kept[:0], np.array(reached), 2.0
        t += 1
        layer_first.append(n)
        for j in range(RING):
            beyond += mass[j].sum()
        reached.append(beyond)
        if beyond < least:
            break
    # A sweep solves a layer from the earliest shape on; the flow ran the other way.
    for j in range(t):
        kept[layer_first[j] : layer_first[j + 1]] = kept[layer_first[j] : layer_first[j + 1]][::-1]
    return np.array(layer_first), kept[:n].copy(), np.array(reached), left_out + beyond


@nb.njit(cache=True)
def sweep(links: Links, layers: TurnLayers, payoffs: Payoffs, mode: int, choice: Array) -> Array:
    """What a turn is worth, before its first roll, for several payoffs at once.

    States left out of ``layers`` are held, and so are those with as many brains as
    ``choice`` has rows. Mode `RECORD` (one payoff) writes the best choices into
    ``choice[t, shape]`` (1 rolls); `FOLLOW` obeys them instead of choosing.
    """
    hold, nothing = payoffs.hold, payoffs.nothing
    shapes, columns, top = len(links.stay), len(nothing), len(choice)
    ring = np.empty((RING, shapes, columns))
    rolled = np.zeros(columns)
    for t in range(top, top + RING - 1):
        for i in range(shapes):
            ring[t % RING, i] = hold[t]
    for t in range(top - 1, -1, -1):
        here = ring[t % RING]
        for i in range(shapes):
            here[i] = hold[t]
        for j in range(layers.first[t], layers.first[t + 1]):
            i = layers.shapes[j]
            # The empty table is the last shape, and there rolling is the only move.
            must = i == shapes - 1
            if links.stay[i] >= STUCK or (mode == FOLLOW and choice[t, i] == 0 and not must):
                continue
            for c in range(columns):
                rolled[c] = links.bust[i] * nothing[c]
            for k in range(links.first[i], links.first[i + 1]):
                chance = links.chance[k]
                there = ring[(t + links.gain[k]) % RING, links.target[k]]
                for c in range(columns):
                    rolled[c] += chance * there[c]
            share = 1.0 / (1.0 - links.stay[i])
            for c in range(columns):
                rolled[c] *= share
            if mode == FOLLOW or must:
                here[i] = rolled
            else:
                if mode == RECORD:
                    choice[t, i] = rolled[0] > here[i, 0]
                for c in range(columns):
                    here[i, c] = max(here[i, c], rolled[c])
    value: Array = ring[0, shapes - 1].copy()
    return value


@nb.njit(cache=True)
def sweep_shared(  # noqa: PLR0917 - numba wants its arguments in order
    links: Links, layers: TurnLayers, hold: Array, own: int, seats: int, top: int
) -> Array:
    """What a turn is worth to everybody, when the mover thinks of itself; several turns at once.

    ``hold[t, seats * g + p]``: what seat p gets if the mover of turn g holds t brains; a bust is
    worth as much as none. Seat ``own`` moves and decides by its own column; the others' columns
    follow. States with ``top`` brains or more are held.
    """
    shapes, columns = len(links.stay), hold.shape[1]
    ring = np.empty((RING, shapes, columns))
    rolled = np.zeros(columns)
    for t in range(top, top + RING - 1):
        for i in range(shapes):
            ring[t % RING, i] = hold[t]
    for t in range(top - 1, -1, -1):
        here = ring[t % RING]
        for i in range(shapes):
            here[i] = hold[t]
        for j in range(layers.first[t], layers.first[t + 1]):
            i = layers.shapes[j]
            must = i == shapes - 1
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
            for g in range(0, columns, seats):
                if must or rolled[g + own] * share > here[i, g + own]:
                    for c in range(g, g + seats):
                        here[i, c] = rolled[c] * share
    value: Array = ring[0, shapes - 1].copy()
    return value


@nb.njit(cache=True, nogil=True)  # a server reviews games in a thread
def worths(  # noqa: PLR0917 - numba wants its arguments in order
    links: Links, layers: TurnLayers, hold: Array, own: int, top: int, choice: Array
) -> Array:
    """[brains, shape, seat]: what every state of a turn is worth to everybody.

    ``hold`` and ``own`` are as in `sweep_shared`, for one turn. Where ``choice`` has rows it is
    obeyed; else the mover takes what is best for itself. States with ``top`` brains or more are
    held.
    """
    shapes, columns = len(links.stay), hold.shape[1]
    value = np.empty((top + RING - 1, shapes, columns))
    rolled = np.zeros(columns)
    obey = len(choice) > 0
    for t in range(top + RING - 1):
        for i in range(shapes):
            value[t, i] = hold[t]
    for t in range(top - 1, -1, -1):
        for j in range(layers.first[t], layers.first[t + 1]):
            i = layers.shapes[j]
            must = i == shapes - 1
            if links.stay[i] >= STUCK:
                continue
            for c in range(columns):
                rolled[c] = links.bust[i] * hold[0, c]
            for k in range(links.first[i], links.first[i + 1]):
                for c in range(columns):
                    there = value[t + links.gain[k], links.target[k], c]
                    rolled[c] += links.chance[k] * there
            share = 1.0 / (1.0 - links.stay[i])
            if obey:
                rolls = t < len(choice) and choice[t, i] == 1
            else:
                rolls = rolled[own] * share > hold[t, own]
            if must or rolls:
                for c in range(columns):
                    value[t, i, c] = rolled[c] * share
    return value
