"""What an intransitive die is worth: exact odds of every pair, who beats whom, what to pick.

Everything here is counted, not estimated: of the ``|a| * |b|`` equally likely pairs
of faces, so many are won by a, so many by b, the rest are ties. Counts are Python
integers, so faces may be of any size and sign, and face counts may differ::

    odds = WinOdds([Die((2, 2, 4, 4, 9, 9)), Die((1, 1, 6, 6, 8, 8)), Die((3, 3, 5, 5, 7, 7))])
    odds.win(0, 1)            # Fraction(5, 9)
    list(odds.circles())      # [(0, 1, 2)]: 0 beats 1 beats 2 beats 0
    odds.best_reply(0)        # 2

Four ways of counting give the same integers, and `WinOdds` takes the quickest:

* `Sweep`: one pass over all faces of all dice, for many dice of a few faces.
* `Layers`: one pass for each value, where NumPy is at hand and faces have few values.
* `Bisection`: sort each die once, then look every face up in the other die: a
  pair of dice with n faces costs n log n. For a few dice of very many faces.
* `NativeBisection`: the same through NumPy, where it is installed and every face fits
  into 64 bits.

Playing needs only the standard library; nothing slow is imported until it is used.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, repeat
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, Literal

from fairground.core import BadParams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction
    from typing import Protocol

    from fairground.games.intransitive import Die

    class PairCounter(Protocol):
        """A way of counting, for the dice that it was made for."""

        def wins(self, i: int, j: int) -> int:
            """How many pairs of a face of die i and a face of die j have the higher face on i."""

        def table(self) -> Sequence[Sequence[int]]:
            """The wins of every die (row) over every die (column)."""

        def of(self, i: int, over: Sequence[int]) -> list[int]:
            """The wins of die i over each of these."""

        def over(self, i: int, by: Sequence[int]) -> list[int]:
            """The wins of each of these over die i."""


FEW_DICE: Final = 8
MANY_FACES: Final = 20_000
"""Up to `FEW_DICE` dice with `MANY_FACES` faces between them are counted pair by pair."""

FEW_VALUES: Final = 32
"""Up to this many neighbouring values, `Layers` is quicker than `Sweep`."""

LANES: Final[dict[int, Literal["B", "H", "I", "Q"]]] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Lanes of counts in a row of bytes: width in bytes → format. The widest serves dice of up
to four thousand million faces."""


class Counted:
    """All pairs, counted at once, in rows."""

    _rows: Sequence[Sequence[int]]

    def wins(self, i: int, j: int) -> int:
        """Look the pair up."""
        return self._rows[i][j]

    def table(self) -> Sequence[Sequence[int]]:
        """All rows."""
        return self._rows

    def of(self, i: int, over: Sequence[int]) -> list[int]:
        """Look a part of a row up."""
        row = self._rows[i]
        return [row[j] for j in over]

    def over(self, i: int, by: Sequence[int]) -> list[int]:
        """Look a part of a column up."""
        rows = self._rows
        return [rows[j][i] for j in by]


class Sweep(Counted):
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
        self._rows = (
            counted if width == 1 else [memoryview(row).cast(LANES[width]) for row in counted]
        )


class Layers(Counted):
    """All pairs at once, value by value, where NumPy is at hand and the faces have few values.

    For each value: how often die i shows it, times how many faces of die j lie below it. Eight
    dice j share a number of 64 bits, one byte for each. No count is above 255, so none runs over
    into the next, and one product counts for eight. (A product of matrices by BLAS would take as
    long, and wake as many threads as there are processors for it.)

    Making one raises OverflowError where there are more values, or a count needs more than a byte.
    """

    def __init__(self, dice: Sequence[Die]) -> None:
        from struct import iter_unpack

        import numpy as np

        faces = [die.faces for die in dice]
        n, sizes = len(faces), list(map(len, faces))
        flat = np.fromiter(chain.from_iterable(faces), np.int64, sum(sizes))
        low = int(flat.min())
        span = int(flat.max()) - low + 1
        if span > FEW_VALUES or max(sizes) ** 2 > 255:
            raise OverflowError("these dice are counted otherwise")
        flat -= low
        flat *= n
        flat += np.repeat(np.arange(n), sizes)
        shown = np.bincount(flat, minlength=span * n).reshape(span, n).astype(np.uint64)
        padding = -n % 8
        below = np.zeros((span, n + padding), np.uint8)
        below[1:, :n] = shown[:-1].cumsum(axis=0)
        total = np.einsum("vi,vj->ij", shown, below.view(np.uint64))
        self._rows = [row for (row,) in iter_unpack(f"{n}s{padding}x", total)]


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
        return [self.of(i, numbers) for i in numbers]

    def of(self, i: int, over: Sequence[int]) -> list[int]:
        """Count these pairs."""
        return [self.wins(i, j) for j in over]

    def over(self, i: int, by: Sequence[int]) -> list[int]:
        """Count these pairs."""
        return [self.wins(j, i) for j in by]

    def _count(self, mine: Any, theirs: Any) -> int:
        return sum(map(bisect_left, repeat(theirs), mine))


class NativeBisection(Bisection):
    """`Bisection` at native speed: `fairground.solve.pairs` says how.

    Making one raises ImportError without NumPy, and OverflowError if a face is beyond
    64 bits; no count is ever rounded.
    """

    def __init__(self, dice: Sequence[Die]) -> None:
        from fairground.solve import pairs

        super().__init__(())
        self._dice = pairs.large([die.faces for die in dice])

    def wins(self, i: int, j: int) -> int:
        """Count the pair, once: the wins of either, since whatever is left over are ties."""
        if (i, j) not in self._known:
            mine, theirs = self._dice[i], self._dice[j]
            won, not_lost = mine.against(theirs)
            self._known[i, j] = won
            self._known[j, i] = len(mine.faces) * len(theirs.faces) - not_lost
        return self._known[i, j]


def quickest(dice: Sequence[Die]) -> PairCounter:
    """The way of counting that suits these dice on this installation.

    Importing NumPy takes longer than counting many small dice without it.
    """
    large = len(dice) <= FEW_DICE and sum(len(die.faces) for die in dice) >= MANY_FACES
    if large:
        try:
            return NativeBisection(dice)
        except (ImportError, OverflowError):
            return Bisection(dice)
    if len(dice) > FEW_DICE and "numpy" in sys.modules:
        with suppress(OverflowError):
            return Layers(dice)
    return Sweep(dice)


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
        self._sizes = sizes
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
        pairs = zip(self._of(i), self._over(i), strict=True)
        return [j for j, (mine, theirs) in enumerate(pairs) if mine > theirs]

    def circles(self) -> Iterator[tuple[int, int, int]]:
        """Every circle (i, j, k) in which i beats j, j beats k and k beats i, in order.

        Each is told once, from its lowest number. They are found when they are asked for: n dice
        can have about n³/24 of them.
        """
        prey, hunters = self._sets()
        for i, hunting in enumerate(hunters):
            for j in _members(prey[i] >> i << i):
                yield from ((i, j, k) for k in _members((prey[j] & hunting) >> i << i))

    def count_circles(self) -> int:
        """How many `circles` there are, without making any."""
        prey, hunters = self._sets()
        return sum(
            ((prey[j] & hunting) >> i).bit_count()
            for i, hunting in enumerate(hunters)
            for j in _members(prey[i] >> i << i)
        )

    def _sets(self) -> tuple[list[int], list[int]]:
        """For each die the set of dice that it beats, and of those that beat it, as bits."""
        prey = [sum(1 << j for j in self.prey(i)) for i in range(len(self.dice))]
        hunters = [0] * len(prey)
        for i, caught in enumerate(prey):
            for j in _members(caught):
                hunters[j] |= 1 << i
        return prey, hunters

    def _of(self, i: int) -> list[int]:
        return self._counting.of(i, range(len(self.dice)))

    def _over(self, i: int) -> list[int]:
        return self._counting.over(i, range(len(self.dice)))

    # What to pick

    def best_reply(self, die: int, available: Iterable[int] | None = None) -> int:
        """The die to take against one that is already taken.

        *Best* is the greatest probability of winning the roll: a tie is not a win. Among
        equals, the one that loses least; among those, the lowest number. ``available``
        are the dice left to take from: by default all others.
        """
        left = self._others(die, available)
        losses, wins = self._scaled(die, left)
        most = max(wins)
        # From here on only those that win most often: often one.
        best = [(-loss, -j) for win, loss, j in zip(wins, losses, left, strict=True) if win == most]
        return -max(best)[1]

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
        """Wins and losses of a die against each of the others, as numbers that compare."""
        wins, losses = self._counting.of(die, others), self._counting.over(die, others)
        if len(set(self._sizes)) == 1:
            return wins, losses
        units = [self._scale // self.rolls(die, j) for j in others]
        return (
            [win * unit for win, unit in zip(wins, units, strict=True)],
            [loss * unit for loss, unit in zip(losses, units, strict=True)],
        )

    # All of it

    def table(self) -> Sequence[Sequence[int]]:
        """The wins of every die (row) over every die (column), out of `rolls`."""
        return self._counting.table()

    def json_parts(self, most: int | None = None) -> Iterator[str]:
        """What ``fairground solve dice --json`` prints, a piece at a time.

        Fractions are text such as "5/9". ``cycles`` lists the first ``most`` circles of three
        (all of them, if not told), and ``cycle_count`` says how many there are.
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
        """All of `json_parts`, read."""
        from json import loads

        told: dict[str, Any] = loads("".join(self.json_parts()))
        return told

    def _row(self, i: int, ties: bool) -> list[str]:
        """How often die i wins (or ties) against every die."""
        counts = self._of(i)
        size = len(self.dice[i].faces)
        rolls = [size * other for other in self._sizes]
        if ties:
            pairs = zip(rolls, counts, self._over(i), strict=True)
            counts = [of - wins - losses for of, wins, losses in pairs]
        return list(map(ratio, counts, rolls))


def _array(items: Iterable[str]) -> Iterator[str]:
    """The pieces of a JSON array."""
    between = "["
    for item in items:
        yield between + item
        between = ", "
    yield "[]" if between == "[" else "]"


def _members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, from low to high."""
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
    """The text of a fraction in lowest terms; a whole number stands alone."""
    shared = gcd(part, whole)
    return str(part // shared) if whole == shared else f"{part // shared}/{whole // shared}"
