"""What a turn of Zombie Dice is worth: exact for every bag that is not absurdly large.

`cautious` holds at two shotguns; `greedy` rolls whenever that raises the expected brains
of the turn. Both are valued by backward induction over the states of a turn (see
`fairground.solve.zombie.graph` for why one pass is enough). What a turn is worth for
winning the *game* is in `fairground.solve.zombie.duel`.

A turn can bring any number of brains, since dice of eaten brains go back into the bag. States
are left out if even a zombie who never holds reaches them with a chance of about `TINY` only.
`Turns.left_out` bounds the chance that any strategy ever meets one. Everything else is exact up
to the rounding of floating point numbers.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.core import InputError
from fairground.games.zombie import (
    BRAIN,
    CELLS,
    COLOURS,
    FATAL,
    SHOTGUN,
    Pile,
    State,
    Zombie,
)
from fairground.solve.zombie import graph

Array: TypeAlias = np.ndarray[Any, Any]

TINY: Final = 1e-14
"""States beyond this chance are left out; see above."""

MOST_ARROWS: Final = 20_000_000
"""The largest graph of a turn that is built: about half a gigabyte."""

MOST_WORK: Final = 30_000_000
"""The most arrows, over all layers, that one sweep may follow: about a second."""


class TooMuchWork(InputError):
    """A bag, or a goal, whose exact solution would take unreasonable time or memory."""

    code = "solve/too-large"


class NoRisk(InputError):
    """A bag with fewer than three shotgun dice: a turn in it need never end."""

    code = "solve/no-risk"


class OtherRules(InputError):
    """A version of the game whose rules this solver does not know."""

    code = "solve/other-rules"


SOLVED_AS: Final = {"zombie/1": "zombie/1", "zombie/2": "zombie/1"}
"""The versions of the game that are solved here → the one whose tables they share. They differ
only in what happens when somebody leaves."""


def solved_as(game: Zombie) -> str:
    """The version whose tables this game uses; refuse rules that the solver does not know."""
    if game.name not in SOLVED_AS:
        known = " and ".join(SOLVED_AS)
        raise OtherRules(f"perfect play is known for {known}, not for {game.name}")
    return SOLVED_AS[game.name]


class Strategy(NamedTuple):
    """What a strategy makes of one turn."""

    brains: float
    """Expected brains banked."""
    bust: float
    """The chance of three shotguns."""


def can_bust(game: Zombie) -> bool:
    """Whether three shotguns are possible at all."""
    dice = zip(game.dice, game.faces, strict=True)
    return sum(n for n, faces in dice if SHOTGUN in faces) >= FATAL


def first_roll(game: Zombie) -> tuple[Fraction, Fraction]:
    """The first roll of a turn: the chance of a bust, and expected brains, as fractions."""
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


class Turns:
    """All turns that a bag allows: the solved graph behind every strategy."""

    def __init__(self, dice: Pile, faces: tuple[str, str, str]) -> None:
        self.dice = dice
        self._rolls = graph.rolls(dice, faces)
        try:
            self._graph = graph.Graph(self._rolls, MOST_ARROWS, TINY, MOST_WORK)
        except graph.TooManyShapes:
            raise TooMuchWork(
                f"a bag of {sum(dice)} dice has too many different turns to be solved exactly"
            ) from None
        except graph.TooLong:
            raise TooMuchWork(
                "turns with these dice can last too long to be solved exactly"
            ) from None
        self.size, self.codes, self.links = self._graph.size, self._graph.codes, self._graph.links
        self.layers, self.reached = self._graph.layers, self._graph.reached
        self.left_out, self.shotguns = self._graph.left_out, self._graph.shotguns
        self.top = len(self.layers.first) - 1
        moving = self.links.stay < graph.STUCK
        self._least_bust = float((self.links.bust[moving] / (1 - self.links.stay[moving])).min())

    @property
    def shapes(self) -> int:
        """How many different tables a turn can lead to."""
        return len(self.codes)

    def piles(self, shape: int) -> tuple[Pile, Pile, Pile]:
        """The brain dice, shotgun dice and footprints of a shape, by colour."""
        code = int(self.codes[shape])
        code, foot = divmod(code, len(self._rolls.foot_piles))
        code, shot = divmod(code, len(self._rolls.shot_piles))
        code, red = divmod(code, self.dice[2] + 1)
        green, yellow = divmod(code, self.dice[1] + 1)
        shots, feet = self._rolls.shot_piles[shot].tolist(), self._rolls.foot_piles[foot].tolist()
        return (green, yellow, red), tuple(shots), tuple(feet)

    def shape(self, brain_dice: Pile, shotgun_dice: Pile, footprints: Pile) -> int:
        """The number of the shape with these dice, or -1 if no turn leads there."""
        code = (brain_dice[0] * (self.dice[1] + 1) + brain_dice[1]) * (self.dice[2] + 1)
        code = (code + brain_dice[2]) * len(self._rolls.shot_piles)
        code = (code + int(self._rolls.shot_index[shotgun_dice])) * len(self._rolls.foot_piles)
        return int(self._graph.index[code + int(self._rolls.foot_index[footprints])])

    def shape_of(self, s: State) -> int:
        """The number of the shape that a state of the rules shows."""
        left = [die.colour for die in s.cells if die]
        return self.shape(
            s.brain_dice, s.shotgun_dice, (left.count(0), left.count(1), left.count(2))
        )

    def coding(self) -> tuple[Array, Array, Array]:
        """How a simulation finds the code of a shape: three tables whose entries add up.

        By shotgun dice packed as green + 8 yellow + 64 red; by the colours of the three
        cells in base 4, with 3 for an empty one; and for each brain die, by its colour.
        """
        feet, shots = len(self._rolls.foot_piles), len(self._rolls.shot_piles)
        by_shot = np.zeros(512, np.int64)
        for i, (green, yellow, red) in enumerate(self._rolls.shot_piles.tolist()):
            by_shot[green + 8 * yellow + 64 * red] = feet * i
        by_cells = np.zeros(64, np.int64)
        for i, cells in enumerate(itertools.product(range(4), repeat=3)):
            by_cells[i] = self._rolls.foot_index[tuple(cells.count(colour) for colour in range(3))]
        red, yellow = self.dice[2] + 1, self.dice[1] + 1
        return by_shot, by_cells, feet * shots * np.array([red * yellow, red, 1])

    def quiet(self, hold: Array, nothing: Array) -> int:
        """The count of brains from which holding is best whatever lies on the table.

        A roll risks at least the smallest bust chance and can lead to no more than the
        best payoff; where that cannot be better than holding, no search is needed.
        """
        best = hold.max(axis=0)
        enough = (hold >= best - self._least_bust * (best - nothing)).all(axis=1)
        doubtful = np.flatnonzero(~enough)
        return min(self.top, int(doubtful[-1]) + 1 if len(doubtful) else 1)

    def best(self, hold: Array) -> Array:
        """The best choices for one payoff, by brains held: [brains, shape] → 1 rolls, 0 holds.

        There is no row for counts of brains with which it is always best to hold.
        """
        hold = hold.reshape(-1, 1)
        top = self.quiet(hold, hold[0])
        worth = self._graph.worths(hold, 0, top)
        choice: Array = (worth[:top, :, 0] > hold[:top]).astype(np.uint8)
        return choice

    def follow(self, choice: Array) -> Strategy:
        """What a turn played by these choices brings."""
        brains = np.arange(len(choice) + graph.RING, dtype=float)
        hold = np.stack((brains, np.zeros_like(brains)), axis=1)
        worth = self._graph.obeyed(choice)(hold, np.array([0.0, 1.0]))
        got, shot = worth[0, -1].tolist()
        return Strategy(got, shot)

    def worths(self, hold: Array, own: int) -> Array:
        """[brains, shape, seat]: what each state is worth to everybody.

        ``hold[t, seat]`` is what everybody gets when the mover, ``own``, holds t brains; a bust is
        worth as much as none. The mover takes what is best for itself.
        """
        mine = hold[:, own : own + 1]
        return self._graph.worths(hold, own, self.quiet(mine, mine[0]))

    def obeyed(self, choice: Array) -> graph.Obeyed:
        """The same where these choices are made, for any number of payoffs."""
        return self._graph.obeyed(choice)

    def banked(self, choice: Array) -> Array:
        """By these choices: the chance to bank 0, 1, 2, ... brains in a turn."""
        return self._graph.banked(choice)

    def outcomes(self, shape: int) -> list[tuple[int, int, float]]:
        """What one roll can do: brains gained, the shape it leads to, and its chance.

        The shape is `graph.BUST` for three shotguns, and the same as before if nothing changes.
        """
        links = self.links
        arrows = slice(links.first[shape], links.first[shape + 1])
        rows = zip(
            links.gain[arrows].tolist(),
            links.target[arrows].tolist(),
            links.chance[arrows].tolist(),
            strict=True,
        )
        more = [(0, graph.BUST, float(links.bust[shape])), (0, shape, float(links.stay[shape]))]
        return [*rows, *(row for row in more if row[2])]

    @cached_property
    def cautious(self) -> Array:
        """The choices of the zombie that holds at two shotguns, or when a roll is in vain."""
        few = self._graph.shotguns < FATAL - 1
        rolls_on = few & (self.links.stay < graph.STUCK)
        return _fixed(np.tile(rolls_on.astype(np.uint8), (self.top, 1)))

    @cached_property
    def greedy(self) -> Array:
        """The choices that bring the most brains in a turn."""
        return _fixed(self.best(np.arange(self.top + graph.RING, dtype=float)))


def _fixed(choice: Array) -> Array:
    """Many share it, so nobody may write into it."""
    choice.flags.writeable = False
    return choice


@lru_cache(maxsize=4)
def _turns(dice: Pile, faces: tuple[str, str, str]) -> Turns:
    return Turns(dice, faces)


def turns(game: Zombie) -> Turns:
    """The turns of this game's bag, built once.

    Refuses a bag that can never bust, and other rules than those that were compiled here: a
    later version of the game needs a solver of its own.
    """
    solved_as(game)
    if not can_bust(game):
        raise NoRisk(
            "fewer than three dice in this bag have a shotgun, so a turn never has to end "
            "and there is no best moment to hold"
        )
    return _turns(game.dice, game.faces)


class Threshold(NamedTuple):
    """One line of a decision table: what to do with these shotguns and footprints.

    With fewer than ``roll_below`` brains roll, with ``hold_from`` or more hold, whatever
    colours the brains' dice have; in between roll only with the brain dice listed.
    """

    shotguns: Pile
    footprints: Pile
    roll_below: int
    hold_from: int
    roll_with: tuple[Pile, ...]


def decisions(found: Turns, choice: Array) -> list[Threshold]:
    """A readable table of a strategy's choices, complete until brain dice go back to the bag."""
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
    """Whether a turn can show this shape with so many brains."""
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
    """A pile as JSON: only the colours that are there."""
    return {colour: n for colour, n in zip(COLOURS, pile, strict=True) if n}


def as_json(rows: list[Threshold]) -> list[dict[str, Any]]:
    """A decision table as JSON."""
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
