"""One turn of Zombie Dice: its states, its rolls, and the value of every strategy.

`cautious` holds at two shotguns; `greedy` rolls whenever that raises the expected brains of the
turn. Both are valued by backward induction over the states of a turn. The value of a turn for
winning the *game* is in `duel` and `several`.

A **shape** of a turn is the position of its dice: brain dice, shotgun dice and footprints by
colour; the bag has the rest. A state is a shape and the brains counted. A roll never lowers the
brains and never takes a shotgun away. If it adds neither, it fills the rolling area further or
leaves everything unchanged. Sort the shapes by shotguns and then by footprints, most first. Then
every roll leads to a state with more brains, or to an earlier **level** with the same brains, or
back to itself. The last case is a geometric series with a closed form. So one pass over the states
solves a turn exactly, without iteration. `sweeps` has compiled passes for solving whole games.

A turn can bring any number of brains, since brain dice go back into the bag. States are left out if
even a zombie who never holds reaches them with a chance of about `TINY` only. `Turns.left_out`
bounds the chance that any strategy meets one. Everything else is exact up to rounding.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.core import InputError
from fairground.games.zombie.rules import (
    BRAIN,
    CELLS,
    COLOURS,
    FATAL,
    FOOTPRINTS,
    SHOTGUN,
    Pile,
    State,
    Zombie,
)

Array: TypeAlias = np.ndarray[Any, Any]

Progress: TypeAlias = Callable[[float], None]
"""Called with the share of the work done, from 0 to 1."""

BUST: Final = -2
"""The number of a shape that stands for three shotguns."""

STUCK: Final = 1.0 - 1e-12
"""A roll that changes nothing with at least this chance never changes anything: pure footprints."""

RING: Final = CELLS + 1
"""Number of layers of equal brains that a pass keeps: a roll adds at most three."""

MOST_LAYERS: Final = 5000
"""Maximum number of brains that a turn may plausibly count."""

REMEMBERED: Final = 1_000_000
"""Maximum number of arrows that are cached: some tens of megabytes."""


TINY: Final = 1e-14
"""States below this chance are left out; see above."""

MOST_ARROWS: Final = 20_000_000
"""Maximum number of arrows of a turn's graph: about half a gigabyte."""

MOST_WORK: Final = 30_000_000
"""Maximum number of arrows, over all layers, that one pass follows: about a second."""


class TooMuchWork(InputError):
    """A bag or a goal whose exact solution would take unreasonable time or memory."""

    code = "solve/too-large"


class NoRisk(InputError):
    """A bag with fewer than three shotgun dice: a turn in it need never end."""

    code = "solve/no-risk"


class OtherRules(InputError):
    """A version of the game whose rules this solver does not know."""

    code = "solve/other-rules"


SOLVED: Final = "zombie/2"
"""The rules that this solver knows."""


class Rolls(NamedTuple):
    """The outcomes of one roll, as tables."""

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
    """The index at which the outcomes of each hand begin."""
    outcomes: Array
    """(·, 9) brains, shotguns, footprints by colour."""
    chances: Array


class Links(NamedTuple):
    """The reachable shapes, sorted as said above, and the arrows between them."""

    first: Array
    """The index at which the arrows of each shape begin."""
    target: Array
    gain: Array
    chance: Array
    bust: Array
    """By shape: the chance that the next roll ends the turn."""
    stay: Array
    """By shape: the chance that the next roll changes nothing."""


class TurnLayers(NamedTuple):
    """The shapes that occur with each number of brains."""

    first: Array
    """The index at which the layer with t brains begins in ``shapes``."""
    shapes: Array
    """The shapes of each layer, in the order in which they are solved."""


def _rolls(dice: Pile, faces: tuple[str, str, str]) -> Rolls:
    """Return the tables of the outcomes of a roll."""

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
    """Return the results of throwing n dice: brains, shotguns, footprints, chance."""
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
"""Maps the worth of holding and of a bust to that of every state, under given choices."""


class Level(NamedTuple):
    """States of a layer that do not lead to one another, and their arrows in that layer."""

    at: slice
    """Their shapes among those of the layer."""
    source: Array
    """Index of the shape, counted from the first of the level."""
    target: Array
    chance: Array


class Layer(NamedTuple):
    """The states with the same brains, and their arrows."""

    shapes: Array
    source: Array
    """For arrows that add brains: the index of the shape in this layer."""
    place: Array
    """The index of the target: shapes of the same brains first, then of one more, and so on."""
    chance: Array
    levels: list[Level]
    """In the order in which they are solved."""


class Strategy(NamedTuple):
    """The result of a strategy in one turn."""

    brains: float
    bust: float


class Turns:
    """All turns that a bag allows: its shapes, the arrows between them, and passes over them."""

    layers: TurnLayers
    reached: Array
    """The chance of a zombie who never holds to count 0, 1, 2, ... brains."""
    left_out: float
    """A bound on the chance that any strategy meets a state that is not in ``layers``."""

    def __init__(self, dice: Pile, faces: tuple[str, str, str]) -> None:
        self.dice = dice
        self.rolls = rolls = _rolls(dice, faces)
        self.size = math.prod((rolls.dice + 1).tolist()) * len(rolls.shot_piles)
        self.size *= len(rolls.foot_piles)
        self._connect(*self._arrows())
        moving = self.links.stay < STUCK
        self._stuck = ~moving
        self._share = np.where(moving, 1 / (1 - np.minimum(self.links.stay, STUCK)), 1.0)
        self._least_bust = float((self.links.bust[moving] / (1 - self.links.stay[moving])).min())
        self.shotguns, footprints = self._lying(self.codes)
        self._ends = np.flatnonzero(np.diff(self.shotguns * RING + footprints)) + 1
        self._everything = self._among(np.arange(len(self.codes)))
        self._meet()
        self.top = len(self.layers.first) - 1
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

    def _arrows(self) -> tuple[Array, Array, Array, Array, Array]:
        """Return all arrows between the codes of shapes; and by code, the chance of a bust."""
        too_many = TooMuchWork(
            f"a bag of {sum(self.dice)} dice has too many different turns to be solved exactly"
        )
        if self.size > MOST_ARROWS:
            raise too_many
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
                if arrows > MOST_ARROWS:
                    raise too_many
                target = (kept[rows] @ strides)[:, None] + eaten @ strides + then * feet
                target += rolls.foot_index[tuple(thrown.T)]
                source = np.broadcast_to(code[rows, None], target.shape)
                gain = np.broadcast_to(eaten.sum(axis=1), target.shape)
                parts.append((source[safe], target[safe], gain[safe].astype(np.int8), chance[safe]))
        source, target, gain, chance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return source, target, gain, chance, bust

    def _after(self) -> Array:
        """Return [shotgun dice, outcome] → the shotgun dice after it, or `BUST`."""
        shots = self.rolls.shot_piles[:, None] + self.rolls.outcomes[None, :, 3:6]
        fatal = shots.sum(axis=2) >= FATAL
        shots[fatal] = 0
        return np.where(fatal, BUST, self.rolls.shot_index[tuple(np.moveaxis(shots, 2, 0))])

    def _lying(self, codes: Array) -> tuple[Array, Array]:
        shots, feet = len(self.rolls.shot_piles), len(self.rolls.foot_piles)
        shotguns = self.rolls.shot_piles.sum(axis=1)[codes // feet % shots]
        return shotguns, self.rolls.foot_piles.sum(axis=1)[codes % feet]

    def _among(self, shapes: Array) -> Layer:
        """Return the arrows that begin at these shapes, which are in order."""
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
        """Return the states with t brains.

        The first layers are needed for every turn, and cached.
        """
        if t in self._remembered:
            return self._remembered[t]
        first, shapes = self.layers
        layer = self._among(shapes[first[t] : first[t + 1]])
        if np.diff(self.links.first)[shapes[: first[t + 1]]].sum() < REMEMBERED:
            self._remembered[t] = layer
        return layer

    def obeyed(self, choice: Array) -> Obeyed:
        """Return the worth to all under these choices: [brains, shape] → 1 rolls, 0 holds."""
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
        """Do the pass of `worths`; without an ``own`` column all states of the ``layers`` roll."""
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

    def _meet(self) -> None:
        """Find the relevant states, from the policy that never holds.

        No policy meets a state more often than that one. Left out are states met with a chance
        below `TINY` / 1000, and all layers from the first one reached with a chance below `TINY`.
        """
        arrows = np.diff(self.links.first)
        kept = np.zeros(len(self.codes), np.bool_)
        rare = 0.0

        def settle(t: int, at: slice, here: Array) -> Array:
            nonlocal rare
            met = here * self._share[at]
            kept[at] = met >= TINY / 1000
            rare += float(met[~kept[at]].sum())
            return kept[at]

        first, shapes, reached, work = [0], [], [1.0], 0
        for beyond in self._pour(settle):
            shapes.append(np.flatnonzero(kept).astype(np.int32))
            work += int(arrows[shapes[-1]].sum())
            if work > MOST_WORK or len(shapes) > MOST_LAYERS:
                raise TooMuchWork("turns with these dice can last too long to be solved exactly")
            first.append(first[-1] + len(shapes[-1]))
            reached.append(beyond)
            if beyond < TINY:
                break
        self.layers = TurnLayers(np.array(first), np.concatenate(shapes))
        self.reached, self.left_out = np.array(reached), rare + reached[-1]

    def banked(self, choice: Array) -> Array:
        """Return the chance to bank 0, 1, 2, ... brains in a turn, under these choices."""
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
        """Propagate the chances of states forward, from the empty table without brains.

        ``settle(t, level, chances)`` returns the states that roll on; the chance of the others is
        gone. After each number of brains, the chance of all states with more is yielded.
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

    @property
    def shapes(self) -> int:
        return len(self.codes)

    def piles(self, shape: int) -> tuple[Pile, Pile, Pile]:
        """Return the brain dice, shotgun dice and footprints of a shape, by colour."""
        code = int(self.codes[shape])
        code, foot = divmod(code, len(self.rolls.foot_piles))
        code, shot = divmod(code, len(self.rolls.shot_piles))
        code, red = divmod(code, self.dice[2] + 1)
        green, yellow = divmod(code, self.dice[1] + 1)
        shots, feet = self.rolls.shot_piles[shot].tolist(), self.rolls.foot_piles[foot].tolist()
        return (green, yellow, red), tuple(shots), tuple(feet)

    def shape(self, brain_dice: Pile, shotgun_dice: Pile, footprints: Pile) -> int:
        """Return the number of the shape with these dice, or -1 if no turn leads there."""
        code = (brain_dice[0] * (self.dice[1] + 1) + brain_dice[1]) * (self.dice[2] + 1)
        code = (code + brain_dice[2]) * len(self.rolls.shot_piles)
        code = (code + int(self.rolls.shot_index[shotgun_dice])) * len(self.rolls.foot_piles)
        return int(self.index[code + int(self.rolls.foot_index[footprints])])

    def shape_of(self, s: State) -> int:
        """Return the number of the shape of a state of the rules."""
        left = [die.colour for die in s.cells if die]
        return self.shape(
            s.brain_dice, s.shotgun_dice, (left.count(0), left.count(1), left.count(2))
        )

    def coding(self) -> tuple[Array, Array, Array]:
        """Return three tables whose entries add up to the code of a shape, for the kernel.

        The first is by shotgun dice, packed as green + 8 yellow + 64 red. The second is by the
        colours of the three cells in base 4, with 3 for an empty one. The third has the part of
        each brain die, by colour.
        """
        feet, shots = len(self.rolls.foot_piles), len(self.rolls.shot_piles)
        by_shot = np.zeros(512, np.int64)
        for i, (green, yellow, red) in enumerate(self.rolls.shot_piles.tolist()):
            by_shot[green + 8 * yellow + 64 * red] = feet * i
        by_cells = np.zeros(64, np.int64)
        for i, cells in enumerate(itertools.product(range(4), repeat=3)):
            by_cells[i] = self.rolls.foot_index[tuple(cells.count(colour) for colour in range(3))]
        red, yellow = self.dice[2] + 1, self.dice[1] + 1
        return by_shot, by_cells, feet * shots * np.array([red * yellow, red, 1])

    def quiet(self, hold: Array, nothing: Array) -> int:
        """Return the number of brains from which on holding is best in every shape.

        A roll risks at least the smallest bust chance and leads to no more than the best payoff. If
        that is no better than holding, no search is needed.
        """
        best = hold.max(axis=0)
        enough = (hold >= best - self._least_bust * (best - nothing)).all(axis=1)
        doubtful = np.flatnonzero(~enough)
        return min(self.top, int(doubtful[-1]) + 1 if len(doubtful) else 1)

    def best(self, hold: Array) -> Array:
        """Return the best choices for one payoff: [brains, shape] → 1 rolls, 0 holds.

        Numbers of brains with which holding is always best have no row.
        """
        hold = hold.reshape(-1, 1)
        top = self.quiet(hold, hold[0])
        worth = self._swept(hold, hold[0], top, self._layer, 0)
        choice: Array = (worth[:top, :, 0] > hold[:top]).astype(np.uint8)
        return choice

    def follow(self, choice: Array) -> Strategy:
        """Return the result of a turn played by these choices."""
        brains = np.arange(len(choice) + RING, dtype=float)
        hold = np.stack((brains, np.zeros_like(brains)), axis=1)
        worth = self.obeyed(choice)(hold, np.array([0.0, 1.0]))
        got, shot = worth[0, -1].tolist()
        return Strategy(got, shot)

    def worths(self, hold: Array, own: int) -> Array:
        """Return [brains, shape, seat]: the worth of each state to every player.

        ``hold[t, seat]`` is everybody's worth when the mover, ``own``, holds t brains; a bust is
        worth the same as none. The mover takes its own best.
        """
        mine = hold[:, own : own + 1]
        return self._swept(hold, hold[0], self.quiet(mine, mine[0]), self._layer, own)

    def outcomes(self, shape: int) -> list[tuple[int, int, float]]:
        """Return the outcomes of one roll: brains gained, the next shape, and its chance.

        The shape is `BUST` for three shotguns, and unchanged if nothing changes.
        """
        links = self.links
        arrows = slice(links.first[shape], links.first[shape + 1])
        rows = zip(
            links.gain[arrows].tolist(),
            links.target[arrows].tolist(),
            links.chance[arrows].tolist(),
            strict=True,
        )
        more = [(0, BUST, float(links.bust[shape])), (0, shape, float(links.stay[shape]))]
        return [*rows, *(row for row in more if row[2])]

    @cached_property
    def cautious(self) -> Array:
        """Hold at two shotguns, or when a roll cannot change anything."""
        few = self.shotguns < FATAL - 1
        rolls_on = few & (self.links.stay < STUCK)
        return _fixed(np.tile(rolls_on.astype(np.uint8), (self.top, 1)))

    @cached_property
    def greedy(self) -> Array:
        return _fixed(self.best(np.arange(self.top + RING, dtype=float)))


def _reachable(size: int, source: Array, target: Array) -> Array:
    """Return the codes that can be reached from the empty table."""
    seen = np.zeros(size, np.bool_)
    seen[0] = True
    before = 0
    while before < (now := int(np.count_nonzero(seen))):
        before = now
        seen[target[seen[source]]] = True
    return np.flatnonzero(seen)


def _choose(n: Array, k: int) -> Array:
    """Return the number of ways to take k of n, for k up to 3."""
    ways = np.ones(len(n))
    for i in range(k):
        ways *= (n - i) / (i + 1)
    return ways


def must_be_solvable(game: Zombie) -> None:
    """Raise `OtherRules` for a version of the game that the solver does not know."""
    if game.name != SOLVED:
        raise OtherRules(f"perfect play is known for {SOLVED}, not for {game.name}")


def first_roll(game: Zombie) -> tuple[Fraction, Fraction]:
    """Return the chance of a bust and the expected brains of the first roll, as fractions."""
    bust, brains = Fraction(0), Fraction(0)
    hands = math.comb(sum(game.dice), CELLS)
    for hand in itertools.product(*(range(min(n, CELLS) + 1) for n in game.dice)):
        if sum(hand) != CELLS:
            continue
        ways = math.prod(math.comb(n, k) for n, k in zip(game.dice, hand, strict=True))
        faces = [game.faces[c] for c in range(3) for _ in range(hand[c])]
        share = Fraction(ways, hands)
        bust += share * math.prod(Fraction(f.count(SHOTGUN), len(f)) for f in faces)
        brains += share * sum(Fraction(f.count(BRAIN), len(f)) for f in faces)
    return bust, brains


def _fixed(choice: Array) -> Array:
    choice.flags.writeable = False
    return choice


@lru_cache(maxsize=4)
def _turns(dice: Pile, faces: tuple[str, str, str]) -> Turns:
    return Turns(dice, faces)


def turns(game: Zombie) -> Turns:
    """Return the turns of this game's bag, built once.

    Refuse a bag that can never bust, and rules of another version: those need a solver of their
    own.
    """
    must_be_solvable(game)
    if not game.can_bust:
        raise NoRisk(
            "fewer than three dice in this bag have a shotgun, so a turn never has to end "
            "and there is no best moment to hold"
        )
    return _turns(game.dice, game.faces)


class Threshold(NamedTuple):
    """One line of a decision table: the decision with these shotguns and footprints.

    Roll with fewer than ``roll_below`` brains, hold with ``hold_from`` or more, for any colours of
    brain dice. In between, roll only with the brain dice listed.
    """

    shotguns: Pile
    footprints: Pile
    roll_below: int
    hold_from: int
    roll_with: tuple[Pile, ...]


def decisions(found: Turns, choice: Array) -> list[Threshold]:
    """Return a readable table of a strategy's choices, until brain dice go back to the bag."""
    by_pile: dict[tuple[Pile, Pile], list[tuple[int, Pile, bool]]] = defaultdict(list)
    for shape in range(found.shapes - 1):
        brain_dice, shotguns, footprints = found.piles(shape)
        brains = sum(brain_dice)
        if _occurs(found, brains, shape):
            rolls_on = brains < len(choice) and bool(choice[brains, shape])
            by_pile[shotguns, footprints].append((brains, brain_dice, rolls_on))
    table = []
    for (shotguns, footprints), lines in sorted(by_pile.items(), key=_by_size):
        holds = [brains for brains, _, rolls_on in lines if not rolls_on]
        rolled = [brains for brains, _, rolls_on in lines if rolls_on]
        hold_from = max(rolled) + 1 if rolled else 0
        roll_below = min(holds) if holds else hold_from
        mixed = [dice for n, dice, on in lines if on and roll_below <= n]
        table.append(Threshold(shotguns, footprints, roll_below, hold_from, tuple(sorted(mixed))))
    return table


def _occurs(found: Turns, brains: int, shape: int) -> bool:
    """Return whether a turn can show this shape with so many brains."""
    if brains >= found.top:
        return False
    first, shapes = found.layers
    layer = shapes[first[brains] : first[brains + 1]]
    at = int(np.searchsorted(layer, shape))
    return at < len(layer) and int(layer[at]) == shape


def _by_size(item: tuple[tuple[Pile, Pile], Any]) -> tuple[int, Pile, int, Pile]:
    (shotguns, footprints), _ = item
    return sum(shotguns), shotguns, sum(footprints), footprints


def named(pile: Pile) -> dict[str, int]:
    """Return a pile as JSON: only the colours that occur."""
    return {colour: n for colour, n in zip(COLOURS, pile, strict=True) if n}


def as_json(rows: list[Threshold]) -> list[dict[str, Any]]:
    """Return a decision table as JSON."""
    return [
        {
            "shotguns": named(row.shotguns),
            "footprints": named(row.footprints),
            "roll_below": row.roll_below,
            "hold_from": row.hold_from,
            "roll_with": [named(pile) for pile in row.roll_with],
        }
        for row in rows
    ]
