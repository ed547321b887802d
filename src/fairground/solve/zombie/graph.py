"""The graph of a turn: what can lie on the table, and what a roll makes of it.

A **shape** of a turn is which dice lie where: brain dice, shotgun dice and footprints
by colour; the bag has the rest. A state of a turn is a shape and the brains counted.
A roll never lowers the brains and never takes a shotgun away; if it adds neither, it
either fills the rolling area further or leaves everything as it was. So with shapes
sorted by shotguns and then by footprints, most first, every roll leads to a state with
more brains, or to an earlier **level** (fewer left to go) with the same brains, or back to
itself. The last case is a geometric series with a closed form, and one pass over the states
solves a turn exactly: no iteration, no recursion, for all its cycles.

The passes are here too, in plain NumPy, for one turn at a time. Solving a whole game takes so many
that `fairground.solve.zombie.kernel` has a compiled one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.games.zombie import BRAIN, CELLS, FATAL, FOOTPRINTS, SHOTGUN, Pile

Array: TypeAlias = np.ndarray[Any, Any]

BUST: Final = -2
"""In place of the number of a shape: three shotguns."""

STUCK: Final = 1.0 - 1e-12
"""A roll that stays where it is with this chance changes nothing: only pure footprints do."""

RING: Final = CELLS + 1
"""Layers of equal brains that a pass must remember: a roll adds at most three."""

MOST_LAYERS: Final = 5000
"""Turns in which more brains can plausibly be counted are not followed."""

REMEMBERED: Final = 1_000_000
"""Arrows, in a form that is quick to follow, that are kept: some tens of megabytes."""


class Rolls(NamedTuple):
    """What one roll can do, as tables."""

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


def rolls(dice: Pile, faces: tuple[str, str, str]) -> Rolls:
    """The tables that tell what a roll can do."""

    def piles(most: int) -> Array:
        ranges = (range(min(most, n) + 1) for n in dice)
        return np.array([p for p in itertools.product(*ranges) if sum(p) <= most])

    def index(table: Array, most: int) -> Array:
        where = np.full((most + 1,) * 3, -1)
        where[tuple(table.T)] = np.arange(len(table))
        return where

    shot_piles, foot_piles = piles(FATAL - 1), piles(CELLS)
    first, outcomes, chances = [0], [], []
    for hand in foot_piles.tolist():
        for colours in itertools.product(
            *(_thrown(n, f) for n, f in zip(hand, faces, strict=True))
        ):
            outcomes.append([colour[k] for k in range(3) for colour in colours])
            chances.append(float(math.prod(colour[3] for colour in colours)))
        first.append(len(outcomes))
    return Rolls(
        np.array(dice),
        shot_piles,
        foot_piles,
        index(shot_piles, FATAL - 1),
        index(foot_piles, CELLS),
        np.array(first),
        np.array(outcomes),
        np.array(chances),
    )


def _thrown(n: int, faces: str) -> list[tuple[int, int, int, Fraction]]:
    """The results of throwing n dice with these faces: brains, shotguns, footprints, chance."""
    if n == 0:
        return [(0, 0, 0, Fraction(1))]
    p, q, r = (Fraction(faces.count(face), len(faces)) for face in (BRAIN, SHOTGUN, FOOTPRINTS))
    results = []
    for b in range(n + 1):
        for s in range(n - b + 1):
            f = n - b - s
            ways = math.comb(n, b) * math.comb(n - b, s)
            chance = ways * p**b * q**s * r**f
            if chance:
                results.append((b, s, f, chance))
    return results


Obeyed: TypeAlias = Callable[[Array, Array], Array]
"""From what holding and a bust are worth to what every state is, by choices that are made."""


class TooManyShapes(Exception):
    """The graph would be larger than was allowed."""


class TooLong(Exception):
    """The states of a turn would be more than was allowed."""


class Level(NamedTuple):
    """Some states of a layer that do not lead to one another, and their arrows in that layer."""

    at: slice
    """Where its shapes are among those of the layer."""
    source: Array
    """Counted from the first of them."""
    target: Array
    chance: Array


class Layer(NamedTuple):
    """The states with the same brains, and their arrows."""

    shapes: Array
    source: Array
    """For arrows that add brains: the place of the shape in this layer,"""
    place: Array
    """and where it leads: shapes of the same brains first, then of one more, and so on."""
    chance: Array
    levels: list[Level]
    """In the order in which they are solved."""


class Graph:
    """The shapes of a bag, the arrows between them, and passes over them."""

    layers: TurnLayers
    reached: Array
    """The chance of a zombie who never holds to count 0, 1, 2, ... brains."""
    left_out: float
    """A bound on the chance that any policy ever meets a state that is not in ``layers``."""

    def __init__(self, rolls: Rolls, arrows: int, least: float, work: int) -> None:
        """Build it; raise `TooManyShapes` or `TooLong` beyond so many arrows and so much work.

        Layers that are reached with a chance below ``least`` are left out.
        """
        self.rolls = rolls
        self.size = math.prod((rolls.dice + 1).tolist()) * len(rolls.shot_piles)
        self.size *= len(rolls.foot_piles)
        if self.size > arrows:
            raise TooManyShapes
        self._connect(*self._arrows(arrows))
        stay = self.links.stay
        self._stuck = stay >= STUCK
        self._share = np.where(self._stuck, 1.0, 1 / (1 - np.minimum(stay, STUCK)))
        self.shotguns, footprints = self._lying(self.codes)
        self._ends = np.flatnonzero(np.diff(self.shotguns * RING + footprints)) + 1
        self._everything = self._among(np.arange(len(self.codes)))
        self._meet(least, work)
        self._remembered: dict[int, Layer] = {}

    def _connect(
        self, source: Array, target: Array, gain: Array, chance: Array, bust: Array
    ) -> None:
        """Number the shapes that can be reached, and sort the arrows by them."""
        codes = _reachable(self.size, source, target)
        shotguns, footprints = self._lying(codes)
        # Most shotguns first, then most footprints; the empty table, code 0, comes last.
        self.codes = codes[np.lexsort((-codes, -footprints, -shotguns))]
        shapes = len(codes)
        self.index = np.full(self.size, -1, np.int32)
        self.index[self.codes] = np.arange(shapes, dtype=np.int32)
        known = self.index[source] >= 0
        source, target = self.index[source[known]], self.index[target[known]]
        gain, chance = gain[known], chance[known]
        stays = (source == target) & (gain == 0)
        stay = np.bincount(source[stays], chance[stays], shapes)
        moves = np.flatnonzero(~stays)
        moves = moves[np.argsort(source[moves], kind="stable")]
        first = np.zeros(shapes + 1, np.int64)
        np.cumsum(np.bincount(source[moves], minlength=shapes), out=first[1:])
        self.links = Links(first, target[moves], gain[moves], chance[moves], bust[self.codes], stay)

    def _arrows(self, most: int) -> tuple[Array, Array, Array, Array, Array]:
        """All arrows between the codes of shapes; and by code, the chance of a bust."""
        rolls = self.rolls
        shots, feet = len(rolls.shot_piles), len(rolls.foot_piles)
        strides = (
            shots
            * feet
            * np.array([(rolls.dice[1] + 1) * (rolls.dice[2] + 1), rolls.dice[2] + 1, 1])
        )
        brains = np.array(list(itertools.product(*(range(n + 1) for n in rolls.dice.tolist()))))
        brain = np.repeat(brains, shots, axis=0)
        shot = np.tile(np.arange(shots), len(brains))
        after = self._after()
        bust = np.zeros(self.size)
        parts: list[tuple[Array, Array, Array, Array]] = []
        arrows = 0
        for foot, lying in enumerate(rolls.foot_piles):
            bag = rolls.dice - brain - rolls.shot_piles[shot] - lying
            there = (bag >= 0).all(axis=1)
            code = brain @ strides + shot * feet + foot
            need = CELLS - lying.sum()
            short = bag.sum(axis=1) < need
            kept = np.where(short[:, None], 0, brain)
            bag = np.where(short[:, None], bag + brain, bag)
            taken = np.minimum(need, bag.sum(axis=1))
            for drawn in rolls.foot_piles:
                rows = np.flatnonzero(there & (taken == drawn.sum()) & (bag >= drawn).all(axis=1))
                hand = rolls.foot_index[tuple(lying + drawn)] if len(rows) else -1
                if hand < 0:
                    continue
                ways = np.ones(len(rows))
                for colour in range(3):
                    ways = ways * _choose(bag[rows, colour], drawn[colour])
                ways /= _choose(bag[rows].sum(axis=1), drawn.sum())
                k = slice(rolls.hand_first[hand], rolls.hand_first[hand + 1])
                eaten, thrown = rolls.outcomes[k, :3], rolls.outcomes[k, 6:]
                then = after[shot[rows], k]
                chance = ways[:, None] * rolls.chances[k]
                safe = then >= 0
                bust[code[rows]] += np.where(safe, 0.0, chance).sum(axis=1)
                arrows += int(safe.sum())
                if arrows > most:
                    raise TooManyShapes
                target = (kept[rows] @ strides)[:, None] + eaten @ strides + then * feet
                target += rolls.foot_index[tuple(thrown.T)]
                source = np.broadcast_to(code[rows, None], target.shape)
                gain = np.broadcast_to(eaten.sum(axis=1), target.shape)
                parts.append((source[safe], target[safe], gain[safe].astype(np.int8), chance[safe]))
        source, target, gain, chance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return source, target, gain, chance, bust

    def _after(self) -> Array:
        """[shotgun dice, outcome] → the shotgun dice after it, or `BUST`."""
        shots = self.rolls.shot_piles[:, None] + self.rolls.outcomes[None, :, 3:6]
        fatal = shots.sum(axis=2) >= FATAL
        shots[fatal] = 0
        return np.where(fatal, BUST, self.rolls.shot_index[tuple(np.moveaxis(shots, 2, 0))])

    def _lying(self, codes: Array) -> tuple[Array, Array]:
        shots, feet = len(self.rolls.shot_piles), len(self.rolls.foot_piles)
        shotguns = self.rolls.shot_piles.sum(axis=1)[codes // feet % shots]
        return shotguns, self.rolls.foot_piles.sum(axis=1)[codes % feet]

    def _among(self, shapes: Array) -> Layer:
        """The arrows that begin at these shapes, which are in order."""
        first, target, gain, chance, *_ = self.links
        many = first[shapes + 1] - first[shapes]
        begins = np.cumsum(many) - many
        arrows = np.arange(many.sum()) + np.repeat(first[shapes] - begins, many)
        source = np.repeat(np.arange(len(shapes)), many)
        place = gain[arrows] * np.intp(len(self.codes)) + target[arrows]
        likely, more = chance[arrows], gain[arrows] > 0
        ends = [0, *np.searchsorted(shapes, self._ends).tolist(), len(shapes)]
        levels = []
        for low, high in itertools.pairwise(ends):
            if low < high:
                there = slice(*np.searchsorted(source, (low, high)))
                same = np.flatnonzero(~more[there]) + there.start
                level = Level(slice(low, high), source[same] - low, place[same], likely[same])
                levels.append(level)
        return Layer(shapes, source[more], place[more], likely[more], levels)

    def _layer(self, t: int) -> Layer:
        """The states with t brains. The first layers are needed for every turn, and remembered."""
        if t in self._remembered:
            return self._remembered[t]
        first, shapes = self.layers
        layer = self._among(shapes[first[t] : first[t + 1]])
        if np.diff(self.links.first)[shapes[: first[t + 1]]].sum() < REMEMBERED:
            self._remembered[t] = layer
        return layer

    def worths(self, hold: Array, own: int, top: int) -> Array:
        """[brains, shape, column]: what every state of a turn is worth to everybody.

        ``hold[t, column]`` is what t brains held are worth; a bust is worth as much as none.
        Column ``own`` is the mover's, who takes what is best for itself. States with ``top``
        brains or more are held, and so are those left out of ``layers``.
        """
        return self._swept(hold, hold[0], top, self._layer, own)

    def obeyed(self, choice: Array) -> Obeyed:
        """Everybody's worth where these choices are made: [brains, shape] → 1 rolls, 0 holds."""
        first, shapes = self.layers

        def rolling(t: int) -> Layer:
            here = shapes[first[t] : first[t + 1]]
            return self._among(here[(choice[t, here] == 1) | (here == len(self.codes) - 1)])

        layers = cache(rolling)
        return lambda hold, nothing: self._swept(hold, nothing, len(choice), layers)

    def _swept(
        self,
        hold: Array,
        nothing: Array,
        top: int,
        layers: Callable[[int], Layer],
        own: int | None = None,
    ) -> Array:
        """See `worths`; without an ``own`` column all states of the ``layers`` roll."""
        shapes, columns = len(self.codes), hold.shape[1]
        value = np.empty((columns, top + RING - 1, shapes))
        value[:] = hold[: top + RING - 1].T[:, :, None]
        for t in range(top - 1, -1, -1):
            layer = layers(t)
            here = value[:, t]
            rolled = np.outer(nothing, self.links.bust[layer.shapes])
            for c in range(columns):
                ahead = value[c, t : t + RING].reshape(-1).take(layer.place)
                rolled[c] += np.bincount(layer.source, layer.chance * ahead, rolled.shape[1])
            for level in layer.levels:
                brought, at = rolled[:, level.at], layer.shapes[level.at]
                for c in range(columns):
                    same = level.chance * here[c].take(level.target)
                    brought[c] += np.bincount(level.source, same, len(at))
                brought *= self._share[at]
                rolling = ~self._stuck[at]
                if own is not None:  # on the empty table rolling is the only move
                    rolling &= (brought[own] > hold[t, own]) | (at == shapes - 1)
                here[:, at[rolling]] = brought[:, rolling]
        return value.transpose(1, 2, 0)

    def _meet(self, least: float, most: int) -> None:
        """Find the states that matter, from the policy that never holds.

        No policy meets a state more often than that one does. Left out are states met with a
        chance below ``least`` / 1000, and all layers from the first one reached with a chance
        below ``least``.
        """
        arrows = np.diff(self.links.first)
        kept = np.zeros(len(self.codes), np.bool_)
        rare = 0.0

        def settle(t: int, at: slice, here: Array) -> Array:
            nonlocal rare
            met = here * self._share[at]
            kept[at] = met >= least / 1000
            rare += float(met[~kept[at]].sum())
            return kept[at]

        first, shapes, reached, work = [0], [], [1.0], 0
        for beyond in self._pour(settle):
            shapes.append(np.flatnonzero(kept).astype(np.int32))
            work += int(arrows[shapes[-1]].sum())
            if work > most or len(shapes) > MOST_LAYERS:
                raise TooLong
            first.append(first[-1] + len(shapes[-1]))
            reached.append(beyond)
            if beyond < least:
                break
        self.layers = TurnLayers(np.array(first), np.concatenate(shapes))
        self.reached, self.left_out = np.array(reached), rare + reached[-1]

    def banked(self, choice: Array) -> Array:
        """By these choices: the chance to bank 0, 1, 2, ... brains in a turn."""
        got = np.zeros(len(choice) + RING - 1)

        def settle(t: int, at: slice, here: Array) -> Array:
            rolling = choice[t, at] == 1 if t < len(choice) else np.zeros(len(here), np.bool_)
            if at.stop == len(self.codes):  # the empty table: rolling is the only move
                rolling[-1] = True
            rolling = rolling & ~self._stuck[at]
            got[t] += here[~rolling].sum()
            got[0] += (here * self._share[at] * self.links.bust[at])[rolling].sum()
            return rolling

        for _ in itertools.islice(self._pour(settle), len(got)):
            pass
        return got

    def _pour(self, settle: Callable[[int, slice, Array], Array]) -> Iterator[float]:
        """Let the chances of states run forward, from the empty table and no brains on.

        ``settle(t, level, chances)`` says which of these states roll on; the others' chance is
        gone. After each count of brains, the chance of all states with more is told.
        """
        shapes, source, place, chance, levels = self._everything
        ahead = np.zeros((RING, len(shapes)))
        ahead[0, -1] = 1.0
        for t in itertools.count():
            here = ahead[0]
            for level in reversed(levels):
                rolling = settle(t, level.at, here[level.at])
                here[level.at] *= np.where(rolling, self._share[level.at], 0.0)
                same = level.chance * here[level.at].take(level.source)
                here += np.bincount(level.target, same, len(shapes))
            ahead += np.bincount(place, chance * here.take(source), ahead.size).reshape(ahead.shape)
            ahead = np.concatenate((ahead[1:], np.zeros((1, len(shapes)))))
            yield float(ahead.sum())


def _reachable(size: int, source: Array, target: Array) -> Array:
    """The codes that can be reached from the empty table."""
    seen = np.zeros(size, np.bool_)
    seen[0] = True
    before = 0
    while before < (now := int(np.count_nonzero(seen))):
        before = now
        seen[target[seen[source]]] = True
    return np.flatnonzero(seen)


def _choose(n: Array, k: int) -> Array:
    """How many ways there are to take k of n, for k up to 3."""
    ways = np.ones(len(n))
    for i in range(k):
        ways *= (n - i) / (i + 1)
    return ways
