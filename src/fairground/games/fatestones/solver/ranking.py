"""A ranking of dice that never puts a die above one that dominates it.

Dice do not line up: many beat one another in circles. So let every die of a set meet every
other one, as in a tournament where all play all, and rank them by

1. the *balance*: how many dice it beats, less how many beat it (to beat is to win more
   often than to lose);
2. among dice with the same balance, the average score (win plus half a tie) against the set;
3. then the mean of its faces; then the number with which it is written, the smaller first.
   (That last one is arbitrary.)

The balance respects dominance. If d is at least as good as e face by face, and not the same,
then d scores at least as much as e against every die, so it beats whatever e beats and
loses only to what e loses to. And d beats e: on some place d shows more than e's face x
there, and x is a face of e, so d wins or ties there more often than e does with itself.
Where e is level with itself and loses to d, d is level with itself and beats e, hence the
balance of d is higher by at least two. So among all 462 dice ``111111`` comes last and
``666666`` first.

The average score alone would respect dominance too, but it says little: over all 462 dice
every number of pips occurs equally often, so the average score of a die is a straight line
in the mean of its faces, and nothing else. (The tests hold both statements against all pairs.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from fairground.games.fatestones.rules import FACES, Die, pips
from fairground.games.fatestones.solver.choices import ROLLS, meeting


class Ranked(NamedTuple):
    """One die with its rank (1 is best) and the parts of the rank."""

    rank: int
    die: Die
    balance: int
    """Number of dice of the set that it beats, less the number that beat it."""
    score: Fraction
    """Win plus half a tie, on average over the set."""
    mean: Fraction


def edge(mine: Die, theirs: Die) -> int:
    """Return 1 if the first wins more often than it loses, -1 if the reverse, 0 if level."""
    lead = meeting(mine, theirs).score - ROLLS
    return (lead > 0) - (lead < 0)


def ranking(dice: Sequence[Die]) -> list[Ranked]:
    """Return the dice of a set from best to worst."""
    merits: dict[Die, tuple[int, Fraction, Fraction]] = {}
    for die in set(dice):
        total = sum(meeting(die, other).score for other in dice)
        merits[die] = (
            sum(edge(die, other) for other in dice),
            Fraction(total, 2 * ROLLS * len(dice)),
            Fraction(sum(pips(die)), FACES),
        )
    ordered = sorted(dice, key=lambda die: (*(-merit for merit in merits[die]), die))
    return [Ranked(rank, die, *merits[die]) for rank, die in enumerate(ordered, start=1)]


class Contradictions(NamedTuple):
    """The number of disagreements between a ranking and the pairwise results."""

    pairs: int
    level: int
    """Pairs in which neither die has the edge."""
    against: int
    """Pairs in which the die ranked lower beats the one ranked higher."""


def contradictions(ordered: Sequence[Die]) -> Contradictions:
    """Compare an order, best first, with every pair of its dice."""
    edges = [edge(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]]
    return Contradictions(len(edges), edges.count(0), edges.count(-1))
