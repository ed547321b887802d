"""Exact odds of intransitive dice: the odds of every pair, who beats whom, and what to pick.

Everything is counted: of the ``|a| * |b|`` equally likely pairs of faces, some are won by a, some
by b, and the rest are ties. Counts are Python integers, so faces may be of any size and sign, and
dice may have different numbers of faces::

    odds = WinOdds([Die((2, 2, 4, 4, 9, 9)), Die((1, 1, 6, 6, 8, 8)), Die((3, 3, 5, 5, 7, 7))])
    odds.win(0, 1)            # Fraction(5, 9)
    list(odds.circles())      # [(0, 1, 2)]: 0 beats 1 beats 2 beats 0
    odds.best_reply(0)        # 2

Playing needs only the standard library; nothing slow is imported until it is used.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import islice, pairwise
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, Literal

from fairground.core import BadParams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from fairground.games.intransitive.rules import Die

LONGEST_NAME: Final = 24
"""Characters of a die's faces up to which a sentence names the die by them."""

WIDTHS: Final[dict[int, Literal["B", "H", "I", "Q"]]] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Formats of the counts in a row of bytes, by their width. The widest serves dice of up to four
thousand million faces."""


def count_wins(dice: Sequence[Die]) -> Sequence[Sequence[int]]:
    """Count, for every die (row) and die (column), the pairs of faces that the row wins.

    One pass goes over the faces of all dice together, from low to high. ``below`` has, for every
    die, the number of its faces strictly below the current value. A face wins against all of those,
    so its die's row of wins grows by the whole of ``below``. Both are single big integers with a
    field of bits for each die, wide enough never to overflow. So one addition of Python's integers
    counts one face against all dice.
    """
    holders: dict[int, list[int]] = {}
    for number, die in enumerate(dice):
        for face in die.faces:
            try:
                holders[face].append(number)
            except KeyError:
                holders[face] = [number]
    most = max((len(die.faces) for die in dice), default=1)
    width = next(width for width in WIDTHS if most * most < 256**width)
    size = width * len(dice)
    rows, below = [0] * len(dice), 0
    for face in sorted(holders):
        level = bytearray(size)
        count = level if width == 1 else memoryview(level).cast(WIDTHS[width])
        for number in holders[face]:
            count[number] += 1
            rows[number] += below
        below += int.from_bytes(level, sys.byteorder)
    counted = [row.to_bytes(size, sys.byteorder) for row in rows]
    return counted if width == 1 else [memoryview(row).cast(WIDTHS[width]) for row in counted]


class WinOdds:
    """The exact odds between dice, which are named by their place in the list.

    A die *beats* another if it wins more often than it loses; ties do not matter. A die may be set
    against itself: then it wins as often as it loses.
    """

    def __init__(self, dice: Iterable[Die]) -> None:
        self.dice = tuple(dice)
        sizes = [len(die.faces) for die in self.dice]
        if 0 in sizes:
            raise BadParams(f"die {sizes.index(0) + 1} has no faces")
        self._rows = count_wins(self.dice)
        self._sizes = sizes
        self._scale = lcm(*set(sizes)) ** 2
        """A multiple of every pair's number of rolls: brings all odds to one denominator."""

    # Counts and fractions

    def rolls(self, i: int, j: int) -> int:
        """Return the number of equally likely pairs of faces."""
        return len(self.dice[i].faces) * len(self.dice[j].faces)

    def wins(self, i: int, j: int) -> int:
        """Return the number of pairs in which die i shows the higher face."""
        return self._rows[i][j]

    def ties(self, i: int, j: int) -> int:
        """Return the number of pairs in which both show the same."""
        return self.rolls(i, j) - self.wins(i, j) - self.wins(j, i)

    def win(self, i: int, j: int) -> Fraction:
        """Return the probability that die i rolls higher than die j."""
        return _fraction(self.wins(i, j), self.rolls(i, j))

    def tie(self, i: int, j: int) -> Fraction:
        """Return the probability that both roll the same."""
        return _fraction(self.ties(i, j), self.rolls(i, j))

    def loss(self, i: int, j: int) -> Fraction:
        """Return the probability that die i rolls lower than die j."""
        return self.win(j, i)

    # Who beats whom

    def beats(self, i: int, j: int) -> bool:
        """Return whether die i wins against die j more often than it loses."""
        return self.wins(i, j) > self.wins(j, i)

    def prey(self, i: int) -> list[int]:
        """Return the dice that die i beats, in order."""
        pairs = zip(self._rows[i], self._over(i), strict=True)
        return [j for j, (mine, theirs) in enumerate(pairs) if mine > theirs]

    def circles(self) -> Iterator[tuple[int, int, int]]:
        """Yield every circle (i, j, k) in which i beats j, j beats k and k beats i, in order.

        Each is given once, from its lowest number. They are found lazily: n dice can have about
        n³/24 of them.
        """
        prey, hunters = self._sets()
        for i, hunting in enumerate(hunters):
            for j in _members(prey[i] >> i << i):
                yield from ((i, j, k) for k in _members((prey[j] & hunting) >> i << i))

    def count_circles(self) -> int:
        """Return the number of `circles` without making any."""
        prey, hunters = self._sets()
        return sum(
            ((prey[j] & hunting) >> i).bit_count()
            for i, hunting in enumerate(hunters)
            for j in _members(prey[i] >> i << i)
        )

    def champion(self) -> int | None:
        """Return the die that beats every other, or ``None``."""
        others = len(self.dice) - 1
        return next((i for i in range(len(self.dice)) if len(self.prey(i)) == others), None)

    def unbeaten(self) -> list[int]:
        """Return the dice that no other die beats, in order."""
        _, hunters = self._sets()
        return [i for i, hunting in enumerate(hunters) if not hunting]

    def shortest_circle(self) -> list[int]:
        """Return a shortest circle, of any length, in which each die beats the next; or nothing.

        It begins with its lowest number. Of several, the one with the lowest first die is given.
        """
        prey, _ = self._sets()
        best: list[int] = []
        for first in range(len(prey)):
            ways, met = [[first]], 1 << first
            while ways and not (best and len(ways[0]) >= len(best)):
                longer: list[list[int]] = []
                for way in ways:
                    if prey[way[-1]] >> first & 1:
                        best, longer = way, []
                        break
                    new = [die for die in _members(prey[way[-1]] & ~met) if die > first]
                    met |= sum(1 << die for die in new)
                    longer += [[*way, die] for die in new]
                ways = longer
        return best

    def summary(self) -> str:
        """Say whether one of the dice is the best, and name a circle if there is one."""
        names = list(map(str, self.dice))
        if max(map(len, names)) > LONGEST_NAME:
            names = [f"die {i}" for i in range(len(names))]
        circle, champion = self.shortest_circle(), self.champion()
        if champion is not None:
            return f"{'' if circle else 'No circle here: '}{names[champion]} beats every other die."
        if circle:
            beaten = [self._beaten(i, j, names) for i, j in pairwise([*circle, circle[0]])]
            return f"A circle: {names[circle[0]]} {', which '.join(beaten)}."
        unbeaten = self.unbeaten()
        if len(unbeaten) == len(names):
            return "No circle here: no die beats another."
        best = [names[i] for i in unbeaten]
        listed = " or ".join([", ".join(best[:-1]), best[-1]] if len(best) > 1 else best)
        return f"No circle here: no die beats {listed}."

    def _beaten(self, i: int, j: int, names: Sequence[str]) -> str:
        rolls = self.rolls(i, j)
        odds = f"{self.wins(i, j) / rolls:.0%}"
        if self.ties(i, j):
            odds = f"wins {odds}, loses {self.wins(j, i) / rolls:.0%}"
        return f"beats {names[j]} ({odds.replace('%', ' %')})"

    def _sets(self) -> tuple[list[int], list[int]]:
        """Return as bits, for each die, the dice that it beats and those that beat it."""
        prey = [sum(1 << j for j in self.prey(i)) for i in range(len(self.dice))]
        hunters = [0] * len(prey)
        for i, caught in enumerate(prey):
            for j in _members(caught):
                hunters[j] |= 1 << i
        return prey, hunters

    def _over(self, i: int) -> list[int]:
        """Return the wins of each die over die i."""
        return [row[i] for row in self._rows]

    # What to pick

    def best_reply(self, die: int, available: Iterable[int] | None = None) -> int:
        """Return the die to take against one that is already taken.

        *Best* is the greatest probability of winning the roll: a tie is not a win. Among equals,
        the one that loses least; among those, the lowest number. ``available`` are the dice to take
        from: by default all others.
        """
        left = self._others(die, available)
        losses, wins = self._scaled(die, left)
        most = max(wins)
        # From here on only those that win most often: often one.
        best = [(-loss, -j) for win, loss, j in zip(wins, losses, left, strict=True) if win == most]
        return -max(best)[1]

    def best_guaranteed(self, available: Iterable[int] | None = None) -> int:
        """Return the die to take first: the one whose worst case is best.

        A die *guarantees* its probability of winning against the reply that leaves it the least.
        (If dice cannot tie, that reply is the other side's best.) Among equals, take the die whose
        greatest probability of losing is the smallest; among those, the lowest number.
        """
        dice = list(range(len(self.dice)) if available is None else available)
        if len(dice) < 2:
            raise BadParams(f"to choose first takes at least two dice, not {len(dice)}")

        def guarantee(die: int) -> tuple[int, int, int]:
            wins, losses = self._scaled(die, [reply for reply in dice if reply != die])
            return min(wins), -max(losses), -die

        return max(dice, key=guarantee)

    def _others(self, die: int, available: Iterable[int] | None) -> list[int]:
        dice = range(len(self.dice)) if available is None else available
        left = [number for number in dice if number != die]
        if not left:
            raise BadParams(f"no die is left to reply to die {die} with")
        return left

    def _scaled(self, die: int, others: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return comparable wins and losses of a die against each of the others."""
        row = self._rows[die]
        wins, losses = [row[j] for j in others], [self._rows[j][die] for j in others]
        if len(set(self._sizes)) == 1:
            return wins, losses
        units = [self._scale // self.rolls(die, j) for j in others]
        return (
            [win * unit for win, unit in zip(wins, units, strict=True)],
            [loss * unit for loss, unit in zip(losses, units, strict=True)],
        )

    # All of it

    def table(self) -> Sequence[Sequence[int]]:
        """Return the wins of every die (row) over every die (column), out of `rolls`."""
        return self._rows

    def json_parts(self, most: int | None = None) -> Iterator[str]:
        """Yield the text that ``fairground solve dice --json`` prints, in pieces.

        Fractions are text such as "5/9". ``cycles`` lists the first ``most`` circles of three (by
        default all), and ``cycle_count`` is their number.
        """
        from json import dumps

        numbers = range(len(self.dice))
        yield f'{{"dice": {dumps([str(die) for die in self.dice])}, "win": '
        yield from _array(dumps(self._row(i, ties=False)) for i in numbers)
        yield ', "tie": '
        yield from _array(dumps(self._row(i, ties=True)) for i in numbers)
        yield ', "beats": '
        pairs = (", ".join(f"[{i}, {j}]" for j in self.prey(i)) for i in numbers)
        yield from _array(filter(None, pairs))
        yield f', "cycle_count": {self.count_circles()}, "cycles": '
        yield from _array(dumps(circle) for circle in islice(self.circles(), most))
        yield f', "best_reply": {dumps([self.best_reply(i) for i in numbers])}}}'

    def as_json(self) -> dict[str, Any]:
        """Return `json_parts` as one object."""
        from json import loads

        told: dict[str, Any] = loads("".join(self.json_parts()))
        return told

    def _row(self, i: int, ties: bool) -> list[str]:
        """Return the shares of rolls that die i wins (or ties) against every die."""
        counts: Sequence[int] = self._rows[i]
        size = len(self.dice[i].faces)
        rolls = [size * other for other in self._sizes]
        if ties:
            pairs = zip(rolls, counts, self._over(i), strict=True)
            counts = [of - wins - losses for of, wins, losses in pairs]
        return list(map(ratio, counts, rolls))


def _array(items: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON array."""
    between = "["
    for item in items:
        yield between + item
        between = ", "
    yield "[]" if between == "[" else "]"


def _members(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from low to high."""
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


def _fraction(part: int, whole: int) -> Fraction:
    from fractions import Fraction

    return Fraction(part, whole)


@lru_cache(maxsize=1 << 14)
def ratio(part: int, whole: int) -> str:
    """Return the text of a fraction in lowest terms; an integer stands alone."""
    shared = gcd(part, whole)
    return str(part // shared) if whole == shared else f"{part // shared}/{whole // shared}"
