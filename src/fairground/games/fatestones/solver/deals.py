"""Every deal of a bag of FateStones dice, or a sample: values, and a file of them.

A bag of n dice has C(n, 6) · 20 deals of three dice each: 18,123,840 for the 32 fair
dice. Equal dice in the bag count as often as they are there, so that the deals are
equally likely.

The file
--------

=========  ==================================================================
bytes      meaning
=========  ==================================================================
text       ``fairground/fatestones-values/1`` and a line feed
text       the bag in ascending order, dice separated by commas, and a line feed
text       line feeds up to the next multiple of 8 bytes
8 each     values: IEEE 754 double precision, little-endian, ten for each six
8          CRC-32 of all bytes before, as an unsigned little-endian number
=========  ==================================================================

A *six* is a set of six positions p0 < p1 < ... < p5 in the bag. Its rank is
C(p0, 1) + C(p1, 2) + ... + C(p5, 6), and its ten values start at value number ten times
the rank. They belong to the ten hands that hold the lowest of the six: p0 with p1 p2,
p1 p3, p1 p4, p1 p5, p2 p3, ..., p4 p5. Each is the chance that this hand finally wins
under perfect play, a scratch counting one half; for the other hand take it from one.
So four bytes are spent on a deal, and any deal is found without reading the others.

Every value is proven to lie within `TRUSTED` of the exact fraction (see `equilibria`). A random
sample of each run is compared with exact fractions before the file gets its name.

A sample
--------

All 462 dice have some 2.6 · 10¹⁴ deals, too many to go through. `solve_sample` draws sixes of dice
from the bag with equal chances and solves all twenty deals of each, with the same certificate.
Means over all deals are estimates with 95 % intervals; the value of a deal is as exact as above.
Memory depends neither on the bag nor on the size of the sample.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import BadParams, Fault
from fairground.fair.bits import Stream, SystemStream
from fairground.games.fatestones.rules import FateStones, Hand
from fairground.games.fatestones.solver.choices import ROLLS, meeting, value
from fairground.registry import needs
from fairground.stats import NORMAL

if TYPE_CHECKING:
    from types import ModuleType


MAGIC: Final = "fairground/fatestones-values/1"
TRUSTED: Final = 1e-12
"""Maximum proven distance of a written value from the exact one."""

MOST_DEALS: Final = 500_000_000
"""Maximum number of deals, which take minutes and gigabytes: a bag of 53 dice."""

SPLITS: Final = 10
CHUNK: Final = 10_000
"""Number of sixes solved between two reports of progress."""

Progress = Callable[[int, int], None]
"""Called with the number of deals done, and of all deals."""


class Summary(NamedTuple):
    """A summary of all deals of a bag."""

    dice: tuple[str, ...]
    deals: int
    highest: float
    """The best value a hand can have; the worst is one minus this."""
    best: tuple[Hand, Hand]
    """The deal with the highest value, the favoured hand first."""
    spread: float
    """The root mean square distance of the values from one half, which is their mean."""
    saddles: int
    """Deals in which each side has one right die, so that nothing need be hidden."""
    histogram: tuple[int, ...]
    """Deals by value rounded to whole percents: 101 counts."""
    proven: float
    """Maximum proven distance of a value from the exact one, except for the rounding of a sum."""
    checked: int
    """Number of deals of a random sample that were compared with exact fractions."""
    error: float
    """The largest difference among them."""


def kernels() -> ModuleType:
    """Import the compiled part, so that nothing else needs Numba."""
    with needs("solve", "solving all deals"):
        from fairground.games.fatestones.solver import equilibria
    return equilibria


def count_deals(n: int) -> int:
    """Return the number of deals of a bag of n dice."""
    return comb(n, 6) * 2 * SPLITS


def _checked(dice: Sequence[str] | None) -> tuple[str, ...]:
    bag = FateStones(dice).bag
    deals = count_deals(len(bag))
    if deals > MOST_DEALS:
        raise BadParams(
            f"{len(bag)} dice have {deals:,} deals; more than {MOST_DEALS:,} (53 dice) "
            "would take too long and too much room: take a sample, such as --sample 100000"
        )
    return bag


def _meetings(k: ModuleType, bag: tuple[str, ...]) -> Any:
    """Return the chances to win and to tie for each pair of dice in the bag."""
    met = k.np.array([[meeting(a, b) for b in bag] for a in bag]) / ROLLS
    return k.np.ascontiguousarray(met.transpose(2, 0, 1))


def positions(rank: int) -> tuple[int, ...]:
    """Return the six positions of a rank."""
    out = []
    for k in range(6, 0, -1):
        p = k - 1
        while comb(p + 1, k) <= rank:
            p += 1
        out.append(p)
        rank -= comb(p, k)
    return tuple(reversed(out))


def _splits() -> tuple[tuple[int, ...], ...]:
    """Return the places among the six that the first hand takes, in the order of the file."""
    return tuple((0, a, b) for a in range(1, 6) for b in range(a + 1, 6))


def deal_at(bag: Sequence[str], rank: int, split: int) -> tuple[Hand, Hand]:
    """Return the two hands whose value stands at this place, the first hand first."""
    six = positions(rank)
    first = _splits()[split]
    return (
        tuple(bag[six[i]] for i in first),
        tuple(bag[six[i]] for i in range(6) if i not in first),
    )


def solve_all(
    dice: Sequence[str] | None = None,
    path: Path | None = None,
    *,
    progress: Progress | None = None,
    sample: int = 200,
    chance: Stream | None = None,
    chunk: int = CHUNK,
) -> Summary:
    """Solve every deal of a bag, write the values to ``path`` if given, and summarise them.

    The file gets its name only when it is complete and a random sample of it agrees with exact
    fractions. An interrupted run leaves nothing behind.
    """
    bag = _checked(dice)
    if path is None:
        return _solve_into(None, bag, _sample(bag, sample, chance), progress, chunk)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            summary = _solve_into(file, bag, _sample(bag, sample, chance), progress, chunk)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return summary


def _sample(bag: tuple[str, ...], size: int, chance: Stream | None) -> dict[int, list[int]]:
    """Return places to be compared with exact fractions: rank of the six → splits."""
    chance = chance or SystemStream()
    wanted: dict[int, list[int]] = {}
    for _ in range(size):
        wanted.setdefault(chance.below(comb(len(bag), 6)), []).append(chance.below(SPLITS))
    return wanted


def _solve_into(
    file: IO[bytes] | None,
    bag: tuple[str, ...],
    wanted: dict[int, list[int]],
    progress: Progress | None,
    chunk: int,
) -> Summary:
    k = kernels()
    meet = _meetings(k, bag)
    two, widest = k.pair_values(meet)
    sixes, seen = comb(len(bag), 6), _Seen(k)
    crc = _written(file, _header(bag), 0)
    for first in range(0, sixes, chunk):
        block = k.np.empty((min(chunk, sixes - first), SPLITS))
        width, saddles = k.solve_deals(meet, two, k.HANDS, first, block)

        def deal(six: int, split: int, first: int = first) -> tuple[Hand, Hand]:
            return deal_at(bag, first + six, split)

        seen.take(block, k.np.array([saddles]), max(width, widest), deal)
        for rank in [rank for rank in wanted if first <= rank < first + len(block)]:
            for split in wanted.pop(rank):
                seen.check(block, rank - first, split, deal)
        crc = _written(file, block.astype("<f8").tobytes(), crc)
        if progress is not None:
            progress(2 * SPLITS * (first + len(block)), 2 * SPLITS * sixes)
    _written(file, crc.to_bytes(8, "little"), crc)
    return Summary(
        dice=bag,
        deals=2 * SPLITS * sixes,
        highest=0.5 + seen.furthest,
        best=seen.best(),
        spread=sqrt(seen.squares[0] / (SPLITS * sixes)),
        saddles=2 * int(seen.pure[0]),
        histogram=tuple(seen.counts.tolist()),
        proven=seen.proven,
        checked=seen.checked,
        error=seen.error,
    )


def _written(file: IO[bytes] | None, data: bytes, crc: int) -> int:
    """Write some bytes, if there is a file; return the checksum of all bytes so far."""
    if file is not None:
        file.write(data)
    return zlib.crc32(data, crc)


def _header(bag: tuple[str, ...]) -> bytes:
    head = f"{MAGIC}\n{','.join(bag)}\n".encode()
    return head + b"\n" * (-len(head) % 8)


SAMPLE_CHUNK: Final = 2_000
"""Number of sixes that are drawn and solved at a time."""

MOST_SIXES: Final = 100_000_000


class Estimate(NamedTuple):
    """A mean over all deals, and how far off it may be (95 %)."""

    mean: float
    margin: float


class SampleSummary(NamedTuple):
    """A summary of all deals of a bag, estimated from a sample."""

    dice: int
    deals: int
    """Number of deals of the whole bag."""
    solved: int
    """Number of deals in this sample."""
    highest: float
    """The best value that was met."""
    best: tuple[Hand, Hand]
    spread: Estimate
    """The root mean square distance of the values from one half."""
    pure: Estimate
    """The share of deals in which each side has one right die."""
    histogram: tuple[int, ...]
    """Deals of the sample by value rounded to whole percents: 101 counts."""
    proven: float
    checked: int
    error: float
    """As in `Summary` of all deals."""


def solve_sample(
    dice: Sequence[str] | None,
    sixes: int,
    *,
    progress: Progress | None = None,
    chance: Stream | None = None,
    checked: int = 200,
) -> SampleSummary:
    """Draw this many sixes from a bag, and solve the twenty deals of each."""
    if not 2 <= sixes <= MOST_SIXES:
        raise BadParams(f"a sample has 2 to {MOST_SIXES:,} sixes, not {sixes:,}")
    bag, chance, k = FateStones(dice).bag, chance or SystemStream(), kernels()
    kinds = tuple(sorted(set(bag)))
    kind_of = [kinds.index(die) for die in bag]
    meet, seen = _meetings(k, kinds), _Seen(k)
    for first in range(0, sixes, SAMPLE_CHUNK):
        count = min(SAMPLE_CHUNK, sixes - first)
        drawn = k.np.array([_six(kind_of, chance) for _ in range(count)])
        values, pure = k.np.empty((count, SPLITS)), k.np.empty(count)
        width = k.solve_sixes(meet, k.HANDS, drawn, values, pure)

        def deal(six: int, split: int, drawn: Any = drawn) -> tuple[Hand, Hand]:
            return deal_at([kinds[kind] for kind in drawn[six]], 0, split)

        seen.take(values, pure, width, deal)
        while seen.checked * sixes < checked * (first + count):
            seen.check(values, chance.below(count), chance.below(SPLITS), deal)
        if progress is not None:
            progress(2 * SPLITS * (first + count), 2 * SPLITS * sixes)
    square, pure = (_estimate(sums, sixes) for sums in (seen.squares, seen.pure))
    root = sqrt(square.mean)
    return SampleSummary(
        dice=len(bag),
        deals=count_deals(len(bag)),
        solved=2 * SPLITS * sixes,
        highest=0.5 + seen.furthest,
        best=seen.best(),
        spread=Estimate(root, square.margin / (2 * root) if root else 0.0),
        pure=pure,
        histogram=tuple(seen.counts.tolist()),
        proven=seen.proven,
        checked=seen.checked,
        error=seen.error,
    )


def _estimate(sums: tuple[float, float], sixes: int) -> Estimate:
    """Return the mean of a deal from the sums over sixes, and of their squares.

    The deals of one six are akin, so a six counts as one observation.
    """
    total, squares = sums[0] / SPLITS, sums[1] / SPLITS**2
    variance = max(0.0, squares - total * total / sixes) / (sixes - 1)
    return Estimate(total / sixes, float(NORMAL) * sqrt(variance / sixes))


def _six(kind_of: Sequence[int], chance: Stream) -> list[int]:
    """Draw six dice of the bag, by kind, in ascending order; each six is equally likely."""
    places: set[int] = set()
    while len(places) < 6:
        places.add(chance.below(len(kind_of)))
    return sorted(kind_of[place] for place in places)


Deal = Callable[[int, int], tuple[Hand, Hand]]
"""Returns the two hands of a six of a block, and of one of its splits."""


class _Seen:
    """Sums over the solved deals."""

    def __init__(self, k: Any) -> None:
        self._np = k.np
        self.counts = k.np.zeros(101, dtype=k.np.int64)
        self.squares, self.pure = (0.0, 0.0), (0.0, 0.0)
        """Sums over sixes, and sums of their squares."""
        self.furthest = -1.0
        self._best: tuple[Hand, Hand] = (), ()
        self.proven, self.error, self.checked = 0.0, 0.0, 0

    def take(self, values: Any, pure: Any, width: float, deal: Deal) -> None:
        """Add a block of sixes; ``pure`` counts their deals with a saddle point."""
        np = self._np
        if width > TRUSTED:
            raise Fault("solve/inexact", f"values could only be proven to {width:.1e}")
        self.proven = max(self.proven, width)
        away = np.abs(values - 0.5)
        squares = away * away
        self.squares = _added(self.squares, squares.sum(), (squares.sum(axis=1) ** 2).sum())
        self.pure = _added(self.pure, pure.sum(), (pure * pure).sum())
        if away.max() > self.furthest:
            self.furthest = float(away.max())
            self._best = deal(*divmod(int(away.argmax()), SPLITS))
        percents = np.bincount(np.rint(values * 100.0).astype(np.int64).ravel(), minlength=101)
        self.counts += percents + percents[::-1]

    def check(self, values: Any, six: int, split: int, deal: Deal) -> None:
        """Compare one deal with its exact fraction."""
        off = abs(Fraction(float(values[six, split])) - value(*deal(six, split)))
        self.error = max(self.error, float(off))
        self.checked += 1
        if self.error > TRUSTED:
            raise Fault(
                "solve/inexact", f"a value differs from the exact fraction by {self.error:.1e}"
            )

    def best(self) -> tuple[Hand, Hand]:
        """Return the deal with the highest value, the favoured hand first."""
        mine, theirs = self._best
        return (mine, theirs) if value(mine, theirs) >= Fraction(1, 2) else (theirs, mine)


def _added(sums: tuple[float, float], one: Any, two: Any) -> tuple[float, float]:
    return sums[0] + float(one), sums[1] + float(two)
