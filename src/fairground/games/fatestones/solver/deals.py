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

Every value is proven to lie within `TRUSTED` of the exact fraction (see `equilibria`), and a
random sample of each run is compared with exact fractions before the file gets its name.

A sample
--------

All 462 dice have some 2.6 · 10¹⁴ deals, too many to go through. `solve_sample` draws sixes of dice
from the bag with equal chances and solves all twenty deals of each, with the same certificate.
Means over all deals are estimates with 95 % intervals; the value of a deal is as exact as above.
Memory depends neither on the bag nor on the size of the sample.
"""

from __future__ import annotations

import os
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import BadParams, Fault, Unreadable
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


def _body(
    bag: tuple[str, ...], progress: Progress | None, chunk: int
) -> Iterator[tuple[Any, float, int]]:
    """Yield blocks of values in the order of the file, with their proof and their saddle points."""
    k = kernels()
    meet = _meetings(k, bag)
    two, widest = k.pair_values(meet)
    sixes = comb(len(bag), 6)
    for first in range(0, sixes, chunk):
        block = k.np.empty((min(chunk, sixes - first), SPLITS))
        width, saddles = k.solve_deals(meet, two, k.HANDS, first, block)
        if max(width, widest) > TRUSTED:
            raise Fault("solve/inexact", f"values could only be proven to {width:.1e}")
        yield block, max(width, widest), saddles
        if progress is not None:
            progress(2 * SPLITS * (first + len(block)), 2 * SPLITS * sixes)


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
    sixes = comb(len(bag), 6)
    head = _header(bag)
    crc = zlib.crc32(head)
    if file is not None:
        file.write(head)
    sample = sum(len(splits) for splits in wanted.values())
    counts = k.np.zeros(101, dtype=k.np.int64)
    squares, proven, saddles, error, done = 0.0, 0.0, 0, 0.0, 0
    furthest, where = -1.0, (0, 0)
    for block, width, pure in _body(bag, progress, chunk):
        proven, saddles = max(proven, width), saddles + pure
        away = k.np.abs(block - 0.5)
        squares += float((away * away).sum())
        if away.max() > furthest:
            furthest = float(away.max())
            rank, split = divmod(int(away.argmax()), SPLITS)
            where = done + rank, split
        percents = k.np.bincount(k.np.rint(block * 100.0).astype(k.np.int64).ravel(), minlength=101)
        counts += percents + percents[::-1]
        for rank in [rank for rank in wanted if done <= rank < done + len(block)]:
            for split in wanted.pop(rank):
                exact = value(*deal_at(bag, rank, split))
                got = Fraction(float(block[rank - done, split]))
                error = max(error, float(abs(got - exact)))
        done += len(block)
        if file is not None:
            data = block.astype("<f8").tobytes()
            crc = zlib.crc32(data, crc)
            file.write(data)
    if error > TRUSTED:
        raise Fault("solve/inexact", f"a value differs from the exact fraction by {error:.1e}")
    if file is not None:
        file.write(crc.to_bytes(8, "little"))
    best = deal_at(bag, *where)
    if value(*best) < Fraction(1, 2):
        best = best[1], best[0]
    return Summary(
        dice=bag,
        deals=2 * SPLITS * sixes,
        highest=0.5 + furthest,
        best=best,
        spread=sqrt(squares / (SPLITS * sixes)),
        saddles=2 * saddles,
        histogram=tuple(int(count) for count in counts),
        proven=proven,
        checked=sample,
        error=error,
    )


def _header(bag: tuple[str, ...]) -> bytes:
    head = f"{MAGIC}\n{','.join(bag)}\n".encode()
    return head + b"\n" * (-len(head) % 8)


class DealValues:
    """A file of values, opened for reading: the other half of ``solve fatestones --all --out``.

    Close it, or use it in a ``with``.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise Unreadable(f"cannot read {path}: {error.strerror}") from None
        try:
            magic, dice = self._file.readline(64), self._file.readline(8 * 1024)
            if magic.decode("ascii", "replace") != f"{MAGIC}\n":
                raise Unreadable(f"{path} is not a file of FateStones values")
            self.dice = tuple(dice.decode("ascii", "replace").strip().split(","))
            self._start = len(_header(self.dice))
            end = self._start + 8 * SPLITS * comb(len(self.dice), 6) + 8
            if path.stat().st_size != end:
                raise Unreadable(f"{path} is damaged: {path.stat().st_size} bytes, not {end}")
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> DealValues:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def value(self, mine: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the value of one deal of this bag for "mine"."""
        places = self._places((*mine, *theirs))
        six = sorted(places)
        hand = set(places[:3])
        swapped = six[0] not in hand
        first = tuple(i for i, p in enumerate(six) if (p in hand) != swapped)
        rank = sum(comb(p, i + 1) for i, p in enumerate(six))
        self._file.seek(self._start + 8 * (SPLITS * rank + _splits().index(first)))
        stored = array("d", self._file.read(8))
        if sys.byteorder == "big":
            stored.byteswap()
        return 1.0 - stored[0] if swapped else stored[0]

    def _places(self, dice: Sequence[str]) -> list[int]:
        """Return different positions in the bag for six dice."""
        places: list[int] = []
        for die in dice:
            free = (p for p, other in enumerate(self.dice) if other == die and p not in places)
            place = next(free, None)
            if place is None:
                raise BadParams(f"{die} is not in this bag as often as it is in the deal")
            places.append(place)
        if len(places) != 6:
            raise BadParams(f"a deal has six dice, not {len(places)}")
        return places

    def check(self) -> None:
        """Read the whole file and compare its checksum."""
        self._file.seek(0, os.SEEK_END)
        left, crc = self._file.tell() - 8, 0
        self._file.seek(0)
        while left:
            data = self._file.read(min(left, 1 << 20))
            crc, left = zlib.crc32(data, crc), left - len(data)
        if int.from_bytes(self._file.read(8), "little") != crc:
            raise Unreadable("the file of values is damaged: its checksum does not fit")


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
    """Draw so many sixes from a bag, and solve the twenty deals of each."""
    if not 2 <= sixes <= MOST_SIXES:
        raise BadParams(f"a sample has 2 to {MOST_SIXES:,} sixes, not {sixes:,}")
    bag, chance, k = FateStones(dice).bag, chance or SystemStream(), kernels()
    kinds = sorted(set(bag))
    kind_of = [kinds.index(die) for die in bag]
    meet = k.np.array([[meeting(a, b) for b in kinds] for a in kinds]) / ROLLS
    meet = k.np.ascontiguousarray(meet.transpose(2, 0, 1))
    seen = _Seen(k, kinds)
    for first in range(0, sixes, SAMPLE_CHUNK):
        count = min(SAMPLE_CHUNK, sixes - first)
        drawn = k.np.array([_six(kind_of, chance) for _ in range(count)])
        values, pure = k.np.empty((count, SPLITS)), k.np.empty(count)
        width = k.solve_sixes(meet, k.HANDS, drawn, values, pure)
        if width > TRUSTED:
            raise Fault("solve/inexact", f"values could only be proven to {width:.1e}")
        seen.take(drawn, values, pure, width)
        while seen.checked * sixes < checked * (first + count):
            seen.check(drawn, values, chance.below(count), chance.below(SPLITS))
        if progress is not None:
            progress(2 * SPLITS * (first + count), 2 * SPLITS * sixes)
    return seen.summary(len(bag))


def _six(kind_of: Sequence[int], chance: Stream) -> list[int]:
    """Draw six dice of the bag, by kind, in ascending order; each six is equally likely."""
    places: set[int] = set()
    while len(places) < 6:
        places.add(chance.below(len(kind_of)))
    return sorted(kind_of[place] for place in places)


class _Seen:
    """Sums over the sample."""

    def __init__(self, k: Any, kinds: Sequence[str]) -> None:
        self._k = k
        self._kinds = kinds
        self._sixes = 0
        self._counts = k.np.zeros(101, dtype=k.np.int64)
        # The deals of one six are akin, so a six counts as one observation.
        self._square, self._square_2, self._pure, self._pure_2 = 0.0, 0.0, 0.0, 0.0
        self._furthest = -1.0
        self._best: tuple[Hand, Hand] = (), ()
        self._proven, self._error = 0.0, 0.0
        self.checked = 0

    def take(self, drawn: Any, values: Any, pure: Any, width: float) -> None:
        """Add some sixes."""
        np = self._k.np
        away = np.abs(values - 0.5)
        squares, shares = (away * away).mean(axis=1), pure / SPLITS
        self._sixes += len(drawn)
        self._square += float(squares.sum())
        self._square_2 += float((squares * squares).sum())
        self._pure += float(shares.sum())
        self._pure_2 += float((shares * shares).sum())
        self._proven = max(self._proven, width)
        if away.max() > self._furthest:
            self._furthest = float(away.max())
            six, split = divmod(int(away.argmax()), SPLITS)
            self._best = self._deal(drawn[six], split)
        percents = np.bincount(np.rint(values * 100.0).astype(np.int64).ravel(), minlength=101)
        self._counts += percents + percents[::-1]

    def check(self, drawn: Any, values: Any, six: int, split: int) -> None:
        """Compare one deal with its exact fraction."""
        exact = value(*self._deal(drawn[six], split))
        self._error = max(self._error, float(abs(Fraction(float(values[six, split])) - exact)))
        self.checked += 1
        if self._error > TRUSTED:
            raise Fault("solve/inexact", f"a value is {self._error:.1e} off the exact fraction")

    def _deal(self, six: Any, split: int) -> tuple[Hand, Hand]:
        return deal_at([self._kinds[int(kind)] for kind in six], 0, split)

    def summary(self, dice: int) -> SampleSummary:
        best = self._best
        if value(*best) < Fraction(1, 2):
            best = best[1], best[0]
        square, pure = (
            self._estimate(self._square, self._square_2),
            self._estimate(self._pure, self._pure_2),
        )
        root = sqrt(square.mean)
        return SampleSummary(
            dice=dice,
            deals=count_deals(dice),
            solved=2 * SPLITS * self._sixes,
            highest=0.5 + self._furthest,
            best=best,
            spread=Estimate(root, square.margin / (2 * root) if root else 0.0),
            pure=pure,
            histogram=tuple(int(count) for count in self._counts),
            proven=self._proven,
            checked=self.checked,
            error=self._error,
        )

    def _estimate(self, total: float, squares: float) -> Estimate:
        n = self._sixes
        variance = max(0.0, squares - total * total / n) / (n - 1)
        return Estimate(total / n, float(NORMAL) * sqrt(variance / n))
