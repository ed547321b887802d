"""What an intransitive die is worth: exact odds of every pair, who beats whom, what to pick.

Everything here is counted, not estimated: of the ``|a| * |b|`` equally likely pairs
of faces, so many are won by a, so many by b, the rest are ties. Counts are Python
integers, so faces may be of any size and sign, and face counts may differ::

    odds = WinOdds([Die((2, 2, 4, 4, 9, 9)), Die((1, 1, 6, 6, 8, 8)), Die((3, 3, 5, 5, 7, 7))])
    odds.win(0, 1)            # Fraction(5, 9)
    odds.cycles_of_three()    # [(0, 1, 2)]: 0 beats 1 beats 2 beats 0
    odds.best_reply(0)        # 2

Three ways of counting give the same integers, and `WinOdds` takes the quickest:

* `Sweep`: one pass over all faces of all dice, for many dice of a few faces.
* `Bisection`: sort each die once, then look every face up in the other die: a
  pair of dice with n faces costs n log n. For a few dice of very many faces.
* `NativeBisection`: the same through NumPy, where it is installed and every face fits
  into 64 bits.

Playing needs only the standard library; nothing slow is imported until it is used.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import repeat
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, Literal

from fairground.core import BadParams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction
    from typing import Protocol

    from fairground.games.intransitive import Die

    class PairCounter(Protocol):
        """A way of counting, for the dice that it was made for."""

        def wins(self, i: int, j: int) -> int:
            """How many pairs of a face of die i and a face of die j have the higher face on i."""

        def table(self) -> Sequence[Sequence[int]]:
            """The wins of every die (row) over every die (column)."""


FEW_DICE: Final = 8
MANY_FACES: Final = 20_000
"""Up to `FEW_DICE` dice with `MANY_FACES` faces between them are counted pair by pair."""

LANES: Final[dict[int, Literal["B", "H", "I", "Q"]]] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Lanes of counts in a row of bytes: width in bytes → format. The widest serves dice of up
to four thousand million faces."""


class Sweep:
    """All pairs at once: sweep over the faces of all dice together, from low to high.

    Along the way ``below`` knows, for every die, how many of its faces lie strictly below
    the sweep. A face that is met wins against all of those, so its die's row of wins grows
    by the whole of ``below``. Both are single big integers with one lane of bits for each
    die, wide enough never to overflow into the next: one addition of Python's own integers
    counts one face against all dice.
    """

    def __init__(self, dice: Sequence[Die]) -> None:
        holders: dict[int, list[int]] = {}
        for number, die in enumerate(dice):
            for face in die.faces:
                try:
                    holders[face].append(number)
                except KeyError:
                    holders[face] = [number]
        most = max((len(die.faces) for die in dice), default=1)
        width = next(width for width in LANES if most * most < 256**width)
        size = width * len(dice)
        rows, below = [0] * len(dice), 0
        for face in sorted(holders):
            level = bytearray(size)
            count = level if width == 1 else memoryview(level).cast(LANES[width])
            for number in holders[face]:
                count[number] += 1
                rows[number] += below
            below += int.from_bytes(level, sys.byteorder)
        counted = [row.to_bytes(size, sys.byteorder) for row in rows]
        self._rows: Sequence[Sequence[int]] = (
            counted if width == 1 else [memoryview(row).cast(LANES[width]) for row in counted]
        )

    def wins(self, i: int, j: int) -> int:
        """Look the pair up in the table."""
        return self._rows[i][j]

    def table(self) -> Sequence[Sequence[int]]:
        """All rows, already counted."""
        return self._rows


class Bisection:
    """A pair at a time: in a sorted die, the place of a face is the number of lower faces.

    Pairs are counted when they are first asked for.
    """

    def __init__(self, dice: Sequence[Die]) -> None:
        self._dice: list[Any] = [sorted(die.faces) for die in dice]
        self._known: dict[tuple[int, int], int] = {}

    def wins(self, i: int, j: int) -> int:
        """Count the pair, once."""
        if (i, j) not in self._known:
            self._known[i, j] = self._count(self._dice[i], self._dice[j])
        return self._known[i, j]

    def table(self) -> Sequence[Sequence[int]]:
        """Count every pair."""
        numbers = range(len(self._dice))
        return [[self.wins(i, j) for j in numbers] for i in numbers]

    def _count(self, mine: Any, theirs: Any) -> int:
        return sum(map(bisect_left, repeat(theirs), mine))


class NativeBisection(Bisection):
    """`Bisection` at native speed.

    Making one raises ImportError without NumPy, and OverflowError if a face is beyond
    64 bits; no count is ever rounded.
    """

    def __init__(self, dice: Sequence[Die]) -> None:
        import numpy as np

        super().__init__(())
        for die in dice:
            faces = np.fromiter(die.faces, np.int64, len(die.faces))
            faces.sort()
            self._dice.append(faces)

    def _count(self, mine: Any, theirs: Any) -> int:
        return int(theirs.searchsorted(mine, "left").sum())


def quickest(dice: Sequence[Die]) -> PairCounter:
    """The way of counting that suits these dice on this installation."""
    if len(dice) > FEW_DICE or sum(len(die.faces) for die in dice) < MANY_FACES:
        return Sweep(dice)
    try:
        return NativeBisection(dice)
    except (ImportError, OverflowError):
        return Bisection(dice)


class WinOdds:
    """The exact odds between dice, which are named by their place in the list.

    A die *beats* another if it wins more often than it loses; how often they tie does not
    matter. A die may be set against itself, too: then it wins as often as it loses.
    """

    def __init__(self, dice: Iterable[Die]) -> None:
        self.dice = tuple(dice)
        sizes = [len(die.faces) for die in self.dice]
        if 0 in sizes:
            raise BadParams(f"die {sizes.index(0) + 1} has no faces")
        self._counting = quickest(self.dice)
        self._scale = lcm(*set(sizes)) ** 2
        """A multiple of every pair's number of rolls: brings all odds to one denominator."""

    # Counts and fractions

    def rolls(self, i: int, j: int) -> int:
        """How many equally likely pairs of faces the two dice have."""
        return len(self.dice[i].faces) * len(self.dice[j].faces)

    def wins(self, i: int, j: int) -> int:
        """In how many of them die i shows the higher face."""
        return self._counting.wins(i, j)

    def ties(self, i: int, j: int) -> int:
        """In how many of them both show the same."""
        return self.rolls(i, j) - self.wins(i, j) - self.wins(j, i)

    def win(self, i: int, j: int) -> Fraction:
        """The probability that die i rolls higher than die j."""
        return _fraction(self.wins(i, j), self.rolls(i, j))

    def tie(self, i: int, j: int) -> Fraction:
        """The probability that both roll the same."""
        return _fraction(self.ties(i, j), self.rolls(i, j))

    def loss(self, i: int, j: int) -> Fraction:
        """The probability that die i rolls lower than die j."""
        return self.win(j, i)

    # Who beats whom

    def beats(self, i: int, j: int) -> bool:
        """Whether die i wins against die j more often than it loses."""
        return self.wins(i, j) > self.wins(j, i)

    def prey(self, i: int) -> list[int]:
        """The dice that die i beats, in order."""
        return [j for j in range(len(self.dice)) if self.beats(i, j)]

    def cycles_of_three(self) -> list[tuple[int, int, int]]:
        """Every circle (i, j, k) in which i beats j, j beats k and k beats i.

        Each is told once, from its lowest number; they are sorted.
        """
        prey = [set(self.prey(i)) for i in range(len(self.dice))]
        hunters: list[set[int]] = [set() for _ in self.dice]
        for hunter, caught in enumerate(prey):
            for j in caught:
                hunters[j].add(hunter)
        return [
            (i, j, k)
            for i, caught in enumerate(prey)
            for j in sorted(caught)
            if j > i
            for k in sorted(prey[j] & hunters[i])
            if k > i
        ]

    # What to pick

    def best_reply(self, die: int, available: Iterable[int] | None = None) -> int:
        """The die to take against one that is already taken.

        *Best* is the greatest probability of winning the roll: a tie is not a win. Among
        equals, the one that loses least; among those, the lowest number. ``available``
        are the dice left to take from: by default all others.
        """
        left = self._others(die, available)
        return max(left, key=lambda reply: (*self._chances(reply, die), -reply))

    def best_guaranteed(self, available: Iterable[int] | None = None) -> int:
        """The die to take first: the one whose worst case is best.

        What a die *guarantees* is its probability of winning against the reply that leaves
        it the least: whatever the other side takes, it is no worse. (Where dice cannot tie,
        that reply is the other side's best.) Among equals, the die whose greatest
        probability of losing is the smallest; among those, the lowest number.
        """
        dice = list(range(len(self.dice)) if available is None else available)
        if len(dice) < 2:
            raise BadParams(f"to choose first takes at least two dice, not {len(dice)}")

        def guarantee(die: int) -> tuple[int, int, int]:
            chances = [self._chances(die, reply) for reply in dice if reply != die]
            return min(win for win, _ in chances), min(minus for _, minus in chances), -die

        return max(dice, key=guarantee)

    def _others(self, die: int, available: Iterable[int] | None) -> list[int]:
        dice = range(len(self.dice)) if available is None else available
        left = [number for number in dice if number != die]
        if not left:
            raise BadParams(f"no die is left to reply to die {die} with")
        return left

    def _chances(self, i: int, j: int) -> tuple[int, int]:
        """Win and minus loss of i against j, as integers that compare across all pairs."""
        unit = self._scale // self.rolls(i, j)
        return self.wins(i, j) * unit, -self.wins(j, i) * unit

    # All of it

    def table(self) -> Sequence[Sequence[int]]:
        """The wins of every die (row) over every die (column), out of `rolls`."""
        return self._counting.table()

    def as_json(self) -> dict[str, Any]:
        """What ``fairground solve dice --json`` prints: fractions are text such as "5/9"."""
        numbers = range(len(self.dice))
        return {
            "dice": [str(die) for die in self.dice],
            "win": [[_ratio(self.wins(i, j), self.rolls(i, j)) for j in numbers] for i in numbers],
            "tie": [[_ratio(self.ties(i, j), self.rolls(i, j)) for j in numbers] for i in numbers],
            "beats": [[i, j] for i in numbers for j in self.prey(i)],
            "cycles": [list(cycle) for cycle in self.cycles_of_three()],
            "best_reply": [self.best_reply(i) for i in numbers],
        }


def _fraction(part: int, whole: int) -> Fraction:
    from fractions import Fraction

    return Fraction(part, whole)


def _ratio(part: int, whole: int) -> str:
    """The text of a fraction in lowest terms; a whole number stands alone."""
    shared = gcd(part, whole)
    return str(part // shared) if whole == shared else f"{part // shared}/{whole // shared}"
