"""The value of a choice in FateStones, exactly.

With the dice on the table known to both, what remains is a little game of
simultaneous choices. If I roll die *a* and you roll die *b*, I win with chance
W(a, b), we tie with chance T(a, b), and after a tie we play on with the rest:

    entry(a, b) = W(a, b) + T(a, b) · value(my rest, your rest)

and with no dice left the value is one half: a scratch leads to a new deal, which
favours nobody. The value of a position is the value of the matrix game of these
entries, and perfect play is its mixed equilibrium. The matrices have at most three
rows and columns, so they are solved in integers by trying every square kernel
(Shapley and Snow, 1950). Each game has an equilibrium that is the unique solution
on some square submatrix, given by its determinant and cofactors.

Everything here is exact and uses the standard library only. `deals` solves all 18,123,840 deals
at once, in floating point with a certificate.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import gcd, lcm
from typing import Final, NamedTuple, TypeAlias

from fairground.core import BadParams
from fairground.games.fatestones.rules import FACES, HAND, Die, Hand, pips, without, wrong_with

ROLLS: Final = 36
"""Number of equally likely ways in which two dice fall."""

Matrix: TypeAlias = "tuple[tuple[int, ...], ...]"
Mixed: TypeAlias = tuple[Fraction, ...]


class Meeting(NamedTuple):
    """The results of two dice against each other, in ways out of 36."""

    wins: int
    ties: int

    @property
    def score(self) -> int:
        return 2 * self.wins + self.ties


class Equilibrium(NamedTuple):
    """The value for the row player, and how each side attains it."""

    value: Fraction
    rows: Mixed
    columns: Mixed


class Solution(NamedTuple):
    """Perfect play with these dice: the value for "mine", and a mixed strategy for both.

    The strategies are in the order in which the dice were given.
    """

    mine: Hand
    theirs: Hand
    value: Fraction
    my_mix: Mixed
    their_mix: Mixed

    def __repr__(self) -> str:
        def shares(dice: Hand, mix: Mixed) -> str:
            return ", ".join(f"{die} with {part}" for die, part in zip(dice, mix, strict=True))

        return (
            f"Value for mine: {self.value} = {float(self.value):.6f}.\n"
            f"Mine: {shares(self.mine, self.my_mix)}.\n"
            f"Theirs: {shares(self.theirs, self.their_mix)}."
        )


@cache
def meeting(mine: Die, theirs: Die) -> Meeting:
    """Return wins and ties of one die against another."""
    below = [bisect_left(theirs, face) for face in mine]  # a die is written in ascending order
    reached = [bisect_right(theirs, face) for face in mine]
    return Meeting(sum(below), sum(reached) - sum(below))


def _kernel(m: Matrix) -> tuple[int, tuple[int, ...], tuple[int, ...], int] | None:
    """Return the equalising pair of a square matrix: determinant, row and column weights, their
    sum.

    The weights are sums of cofactors along the columns and the rows. Divided by their common sum
    they make every column (and every row) worth the same, det / sum. The sum is made positive; with
    a sum of zero the pair does not exist.
    """
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    if len(m) == 2:
        (a, b), (c, d) = m
        determinant, rows, columns = a * d - b * c, (d - c, a - b), (d - b, a - c)
    else:
        (a, b, c), (d, e, f), (g, h, i) = m
        k = (
            (e * i - f * h, f * g - d * i, d * h - e * g),
            (c * h - b * i, a * i - c * g, b * g - a * h),
            (b * f - c * e, c * d - a * f, a * e - b * d),
        )
        determinant = a * k[0][0] + b * k[0][1] + c * k[0][2]
        rows = (sum(k[0]), sum(k[1]), sum(k[2]))
        columns = tuple(k[0][j] + k[1][j] + k[2][j] for j in range(3))
    total = sum(rows)
    if total == 0:
        return None
    sign = 1 if total > 0 else -1
    return (
        sign * determinant,
        tuple(sign * w for w in rows),
        tuple(sign * w for w in columns),
        sign * total,
    )


@cache
def _squares(height: int, width: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return rows and columns of every square submatrix of more than one cell, small ones first."""
    return [
        (rows, columns)
        for size in range(2, min(height, width) + 1)
        for rows in combinations(range(height), size)
        for columns in combinations(range(width), size)
    ]


def solve_matrix(m: Matrix, denominator: int = 1) -> Equilibrium:
    """Solve a matrix game of integers over a common denominator, up to three by three.

    Among several equilibria it returns the one with the smallest support that comes first in the
    order of rows and columns. So the answer is always the same.
    """
    height, width = len(m), len(m[0])
    worst, best = [min(row) for row in m], [max(column) for column in zip(*m, strict=True)]
    if (saddle := max(worst)) == min(best):
        mine = _spread((1,), (worst.index(saddle),), 1, height)
        theirs = _spread((1,), (best.index(saddle),), 1, width)
        return Equilibrium(Fraction(saddle, denominator), mine, theirs)
    for rows, columns in _squares(height, width):
        found = _kernel(tuple(tuple(m[i][j] for j in columns) for i in rows))
        if found is None:
            continue
        determinant, x, y, total = found
        # Each side's weights must be chances, and must hold against *every* reply.
        if (
            min(x) >= 0
            and min(y) >= 0
            and all(
                sum(w * m[i][j] for w, i in zip(x, rows, strict=True)) >= determinant
                for j in range(width)
            )
            and all(
                sum(w * m[i][j] for w, j in zip(y, columns, strict=True)) <= determinant
                for i in range(height)
            )
        ):
            return Equilibrium(
                Fraction(determinant, total * denominator),
                _spread(x, rows, total, height),
                _spread(y, columns, total, width),
            )
    raise AssertionError("every matrix game has a Shapley-Snow kernel")  # pragma: no cover


def _spread(weights: Sequence[int], at: Sequence[int], total: int, length: int) -> Mixed:
    mix = [Fraction(0)] * length
    for weight, i in zip(weights, at, strict=True):
        mix[i] = Fraction(weight, total)
    return tuple(mix)


def entries(mine: Hand, theirs: Hand) -> tuple[Matrix, int]:
    """Return the matrix game of a position with sorted hands: integers and their denominator."""
    if len(mine) == 1:
        return ((meeting(mine[0], theirs[0]).score,),), 2 * ROLLS
    rests = [
        [_worth(without(mine, i), without(theirs, j)) for j in range(len(theirs))]
        for i in range(len(mine))
    ]
    common = lcm(*(value.denominator for row in rests for value in row))
    rows = tuple(
        tuple(
            meet.wins * common + meet.ties * rest.numerator * (common // rest.denominator)
            for b, rest in zip(theirs, row, strict=True)
            for meet in (meeting(a, b),)
        )
        for a, row in zip(mine, rests, strict=True)
    )
    shared = gcd(ROLLS * common, *(entry for row in rows for entry in row))
    return tuple(tuple(entry // shared for entry in row) for row in rows), ROLLS * common // shared


def _worth(mine: Hand, theirs: Hand) -> Fraction:
    """Return the value of a position with one or two dice each. Both sides share one cache."""
    if len(mine) == 1:
        return Fraction(meeting(mine[0], theirs[0]).score, 2 * ROLLS)
    return _worth_of_two(mine, theirs) if mine <= theirs else 1 - _worth_of_two(theirs, mine)


@lru_cache(maxsize=1 << 17)
def _worth_of_two(mine: Hand, theirs: Hand) -> Fraction:
    """Return the value of a position with two dice each, by the closed form of `solve_matrix`."""
    a, b, c, d = (
        2 * ROLLS * now.wins + now.ties * meeting(mine[1 - i], theirs[1 - j]).score
        for i in (0, 1)
        for j in (0, 1)
        for now in (meeting(mine[i], theirs[j]),)
    )
    low, high = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    if low == high:
        return Fraction(low, 2 * ROLLS**2)
    return Fraction(a * d - b * c, (a - b - c + d) * 2 * ROLLS**2)


@lru_cache(maxsize=64)
def _equilibrium(mine: Hand, theirs: Hand) -> Equilibrium:
    """Solve a position.

    The cache is small: a deal rarely recurs, but is asked about more than once.
    """
    return solve_matrix(*entries(mine, theirs))


def _must_be_playable(mine: Sequence[Die], theirs: Sequence[Die]) -> None:
    for die in (*mine, *theirs):
        reason = wrong_with(die)
        if reason is not None:
            raise BadParams(f"{die!r} is not a die: {reason}")
    if len(mine) != len(theirs) or not 1 <= len(mine) <= HAND:
        raise BadParams(
            f"both sides need the same number of dice, one to three each, such as "
            f"134445,144444 and 233346,333336; not {len(mine)} and {len(theirs)}"
        )


def _placed(hand: Sequence[Die], in_order: Mixed) -> Mixed:
    """Reorder a strategy of a sorted hand to the order in which the dice lie."""
    order = sorted(range(len(hand)), key=lambda place: hand[place])
    placed = [Fraction(0)] * len(hand)
    for place, number in zip(order, in_order, strict=True):
        placed[place] = number
    return tuple(placed)


def solve(mine: Sequence[Die], theirs: Sequence[Die]) -> Solution:
    """Return the exact value for "mine" and an exact mixed strategy for both sides.

    Strategies belong to dice, not to places: the same dice in another order get the same strategy,
    in that order.
    """
    _must_be_playable(mine, theirs)
    found = _equilibrium(tuple(sorted(mine)), tuple(sorted(theirs)))
    return Solution(
        tuple(mine),
        tuple(theirs),
        found.value,
        _placed(mine, found.rows),
        _placed(theirs, found.columns),
    )


def value(mine: Sequence[Die], theirs: Sequence[Die]) -> Fraction:
    """Return the chance that "mine" finally wins under perfect play; a scratch counts one half."""
    return solve(mine, theirs).value


def by_die(hand: Hand, mix: Mixed) -> dict[Die, Fraction]:
    """Return a strategy as chances of dice; equal dice in a hand are one entry."""
    chances: dict[Die, Fraction] = {}
    for die, chance in zip(hand, mix, strict=True):
        chances[die] = chances.get(die, Fraction(0)) + chance
    return chances


def regrets(mine: Sequence[Die], theirs: Sequence[Die]) -> tuple[Mixed, Mixed]:
    """Return the cost of each pick against the equilibrium strategy of the other side.

    The cost of die *i* is the value of the position less the worth of *i* against the other side's
    equilibrium strategy, with perfect play afterwards. It is never negative, and zero for every die
    that perfect play uses.
    """
    _must_be_playable(mine, theirs)
    hands = tuple(sorted(mine)), tuple(sorted(theirs))
    m, denominator = entries(*hands)
    found = _equilibrium(*hands)
    mine_earn = [_dot(found.columns, row) / denominator for row in m]
    theirs_earn = [_dot(found.rows, column) / denominator for column in zip(*m, strict=True)]
    return (
        _placed(mine, tuple(found.value - earned for earned in mine_earn)),
        _placed(theirs, tuple(earned - found.value for earned in theirs_earn)),
    )


def _dot(mix: Mixed, line: Sequence[int]) -> Fraction:
    return sum((chance * entry for chance, entry in zip(mix, line, strict=True)), Fraction(0))


def costs(
    mine: Sequence[Die], theirs: Sequence[Die], my_pick: int, their_pick: int
) -> tuple[Fraction, Fraction]:
    """Return the costs of two picks for their owners: the `regrets` of one round."""
    mine_cost, their_cost = regrets(mine, theirs)
    return mine_cost[my_pick], their_cost[their_pick]


def greedy_pick(mine: Sequence[Die], theirs: Sequence[Die]) -> int:
    """Return the die with the best win plus half a tie against an opponent who picks uniformly.

    It looks one roll ahead only. Among dice of equal promise it takes the smaller number, so that
    the order of a hand never matters.
    """
    return min(
        range(len(mine)),
        key=lambda i: (-sum(meeting(mine[i], die).score for die in theirs), mine[i], i),
    )


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
    """Rank the dice of a set from best to worst, never a die above one that dominates it.

    Dice do not line up: many beat one another in circles. So let every die of a set meet every
    other one, as in a tournament where all play all, and rank them by

    1. the *balance*: how many dice it beats, less how many beat it (to beat is to win more
       often than to lose);
    2. among dice with the same balance, the average score (win plus half a tie) against the set;
    3. then the mean of its faces; then the number with which it is written, the smaller first.
       (That last one is arbitrary.)

    The balance respects dominance. If d is at least as good as e face by face, and not the same,
    then d beats whatever e beats and loses only to what e loses to. And d beats e: on some place d
    shows more than e's face x there, so d wins or ties there more often than e does with itself.
    So the balance of d is higher by at least two, and among all 462 dice ``111111`` comes last.

    The average score alone respects dominance too, but says little: over all 462 dice it is a
    straight line in the mean of the faces. (The tests hold both statements against all pairs.)
    """
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
