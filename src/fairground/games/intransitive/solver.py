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
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, Literal

from fairground.core import BadParams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
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
            holders.setdefault(face, []).append(number)
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
        from fractions import Fraction

        return Fraction(self.wins(i, j), self.rolls(i, j))

    def table(self) -> Sequence[Sequence[int]]:
        """Return the wins of every die (row) over every die (column), out of `rolls`."""
        return self._rows

    # Who beats whom

    def prey(self, i: int) -> list[int]:
        """Return the dice that die i beats, in order."""
        return list(_members(self._prey[i]))

    @cached_property
    def _prey(self) -> list[int]:
        """For each die, as bits, the dice that it beats."""
        rows = self._rows
        return [
            sum(1 << j for j, wins in enumerate(row) if wins > rows[j][i])
            for i, row in enumerate(rows)
        ]

    @cached_property
    def _hunters(self) -> list[int]:
        """For each die, as bits, the dice that beat it."""
        hunters = [0] * len(self.dice)
        for i, prey in enumerate(self._prey):
            for j in _members(prey):
                hunters[j] |= 1 << i
        return hunters

    def _thirds(self) -> Iterator[tuple[int, int, int]]:
        """Yield dice i and j, i beats j, and as bits those that close a circle, from i on."""
        for i, hunters in enumerate(self._hunters):
            for j in _members(self._prey[i] >> i << i):
                yield i, j, (self._prey[j] & hunters) >> i << i

    def circles(self) -> Iterator[tuple[int, int, int]]:
        """Yield every circle (i, j, k) in which i beats j, j beats k and k beats i, in order.

        Each is given once, from its lowest number. They are found lazily: n dice can have about
        n³/24 of them.
        """
        return ((i, j, k) for i, j, thirds in self._thirds() for k in _members(thirds))

    def count_circles(self) -> int:
        """Return the number of `circles` without making any."""
        return sum(thirds.bit_count() for _, _, thirds in self._thirds())

    def shortest_circle(self) -> list[int]:
        """Return a shortest circle, of any length, in which each die beats the next; or nothing.

        It begins with its lowest number. Of several, the one with the lowest first die is given.
        """
        best: list[int] = []
        for first in range(len(self.dice)):
            ways, met = [[first]], 1 << first
            while ways and not (best and len(ways[0]) >= len(best)):
                longer: list[list[int]] = []
                for way in ways:
                    prey = self._prey[way[-1]]
                    if prey >> first & 1:
                        best, longer = way, []
                        break
                    new = [die for die in _members(prey & ~met) if die > first]
                    met |= sum(1 << die for die in new)
                    longer += [[*way, die] for die in new]
                ways = longer
        return best

    def summary(self) -> str:
        """Say whether one of the dice is the best, and name a circle if there is one."""
        names = list(map(str, self.dice))
        if max(map(len, names)) > LONGEST_NAME:
            names = [f"die {i}" for i in range(len(names))]
        circle = self.shortest_circle()
        for name, prey in zip(names, self._prey, strict=True):
            if prey.bit_count() == len(names) - 1:
                return f"{'' if circle else 'No circle here: '}{name} beats every other die."
        if circle:
            beaten = [self._beaten(i, j, names) for i, j in pairwise([*circle, circle[0]])]
            return f"A circle: {names[circle[0]]} {', which '.join(beaten)}."
        best = [name for name, hunters in zip(names, self._hunters, strict=True) if not hunters]
        if len(best) == len(names):
            return "No circle here: no die beats another."
        listed = " or ".join([", ".join(best[:-1]), best[-1]] if len(best) > 1 else best)
        return f"No circle here: no die beats {listed}."

    def _beaten(self, i: int, j: int, names: Sequence[str]) -> str:
        rolls = self.rolls(i, j)
        odds = f"{self.wins(i, j) / rolls:.0%}"
        if self.ties(i, j):
            odds = f"wins {odds}, loses {self.wins(j, i) / rolls:.0%}"
        return f"beats {names[j]} ({odds.replace('%', ' %')})"

    # What to pick

    def best_reply(self, die: int, available: Iterable[int] | None = None) -> int:
        """Return the die to take against one that is already taken; among equals, the lowest.

        A tie is worth half a win. ``available`` are the dice to take from: by default all others.
        """
        dice = range(len(self.dice)) if available is None else available
        left = [reply for reply in dice if reply != die]
        if not left:
            raise BadParams(f"no die is left to reply to die {die} with")
        return min(left, key=lambda reply: (self._edge(die, reply), reply))

    def best_guaranteed(self, available: Iterable[int] | None = None) -> int:
        """Return the die to take first: the one whose strongest reply is the weakest."""
        dice = list(range(len(self.dice)) if available is None else available)
        if len(dice) < 2:
            raise BadParams(f"to choose first takes at least two dice, not {len(dice)}")

        def guarantee(die: int) -> tuple[int, int]:
            return min(self._edge(die, reply) for reply in dice if reply != die), -die

        return max(dice, key=guarantee)

    def _edge(self, i: int, j: int) -> int:
        """Return the wins less the losses of die i against die j, comparable with other pairs'."""
        return (self._rows[i][j] - self._rows[j][i]) * (self._scale // self.rolls(i, j))

    # All of it

    def as_json(self, most: int | None = None) -> dict[str, Any]:
        """Return the object that ``fairground solve dice --json`` prints.

        Fractions are text such as "5/9". ``cycles`` lists the first ``most`` circles of three (by
        default all), and ``cycle_count`` is their number.
        """
        dice = range(len(self.dice))

        def share(count: Callable[[int, int], int]) -> list[list[str]]:
            return [[ratio(count(i, j), self.rolls(i, j)) for j in dice] for i in dice]

        return {
            "dice": list(map(str, self.dice)),
            "win": share(self.wins),
            "tie": share(self.ties),
            "beats": [[i, j] for i in dice for j in self.prey(i)],
            "cycle_count": self.count_circles(),
            "cycles": [list(circle) for circle in islice(self.circles(), most)],
            "best_reply": [self.best_reply(die) for die in dice],
        }


def _members(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from low to high."""
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


@lru_cache(maxsize=1 << 14)
def ratio(part: int, whole: int) -> str:
    """Return the text of a fraction in lowest terms; an integer stands alone."""
    shared = gcd(part, whole)
    return str(part // shared) if whole == shared else f"{part // shared}/{whole // shared}"
