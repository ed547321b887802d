"""Every deal of a bag of FateStones dice: values, a file of them, and who can be beaten.

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

Every value is proven to lie within `TRUSTED` of the exact fraction (see the kernel), and a
random sample of each run is compared with exact fractions before the file gets its name.
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
from fairground.extras import needs
from fairground.fair.bits import Stream, SystemStream
from fairground.games.fatestones import FateStones, Hand
from fairground.solve.fatestones.choices import ROLLS, meeting, value

if TYPE_CHECKING:
    from types import ModuleType

MAGIC: Final = "fairground/fatestones-values/1"
TRUSTED: Final = 1e-12
"""No value is written that is not proven to be this close to the exact one."""

MOST_DEALS: Final = 500_000_000
"""More deals than this would take minutes and gigabytes: a bag of 53 dice is the limit."""

SPLITS: Final = 10
CHUNK: Final = 10_000
"""Sixes solved between two reports of progress."""

Progress = Callable[[int, int], None]
"""Told how many deals are done, and of how many."""


class Summary(NamedTuple):
    """What all deals of a bag have to say."""

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
    """No value is further than this from the exact one, but for the rounding of a sum."""
    checked: int
    """Deals of a random sample that were compared with exact fractions."""
    error: float
    """The largest difference that was found among them."""


class Comparison(NamedTuple):
    """How the named players fare over all deals, a scratch counting one half."""

    names: tuple[str, ...]
    exploitability: tuple[float, ...]
    """What a best reply gains beyond the value, on average over all deals and both seats."""
    worst: tuple[float, ...]
    """The same in the worst deal."""
    scores: tuple[tuple[float, ...], ...]
    """``scores[a][b]``: what player a earns against player b, on average."""


def kernels() -> ModuleType:
    """The compiled part; imported here so that nothing else needs Numba."""
    with needs("solve", "solving all deals"):
        from fairground.solve.fatestones import kernel
    return kernel


def count_deals(n: int) -> int:
    """How many deals a bag of n dice has."""
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
    """Chances to win and to tie for each pair of dice in the bag."""
    met = k.np.array([[meeting(a, b) for b in bag] for a in bag]) / ROLLS
    return k.np.ascontiguousarray(met.transpose(2, 0, 1))


def positions(rank: int) -> tuple[int, ...]:
    """The six positions that a rank stands for."""
    out = []
    for k in range(6, 0, -1):
        p = k - 1
        while comb(p + 1, k) <= rank:
            p += 1
        out.append(p)
        rank -= comb(p, k)
    return tuple(reversed(out))


def _splits() -> tuple[tuple[int, ...], ...]:
    """Places among the six that the first hand takes, in the order of the file."""
    return tuple((0, a, b) for a in range(1, 6) for b in range(a + 1, 6))


def deal_at(bag: Sequence[str], rank: int, split: int) -> tuple[Hand, Hand]:
    """The two hands whose value stands at this place, the first hand first."""
    six = positions(rank)
    first = _splits()[split]
    return (
        tuple(bag[six[i]] for i in first),
        tuple(bag[six[i]] for i in range(6) if i not in first),
    )


def _body(
    bag: tuple[str, ...], progress: Progress | None, chunk: int
) -> Iterator[tuple[Any, float, int]]:
    """Blocks of values in the order of the file, with their proof and their saddle points."""
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
    """Solve every deal of a bag, write the values to ``path`` if given, and sum them up.

    The file appears under its name only when it is complete and a random sample of it
    agrees with exact fractions; an interrupted run leaves nothing behind.
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
    """Places to be compared with exact fractions: rank of the six → splits."""
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
        """The value of one deal of this bag for "mine"."""
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
        """Different positions in the bag for six dice."""
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


NAMES: Final = ("random", "greedy", "optimal")
"""In the order of the kernel."""


def compare_players(
    dice: Sequence[str] | None = None, *, progress: Progress | None = None, chunk: int = CHUNK
) -> Comparison:
    """Exploitability and mutual scores of `NAMES` over all deals of a bag.

    A best reply knows the other side's strategy (not its pick) and uses it in every
    round. Both seats and all deals count alike. The tables of ``docs/games/fatestones.md``
    come from here.
    """
    bag = _checked(dice)
    k = kernels()
    meet = _meetings(k, bag)
    told = k.tell_pairs(meet)
    sixes = comb(len(bag), 6)
    sums, worst = k.np.zeros(k.TOLD), k.np.zeros(len(NAMES))
    for first in range(0, sixes, chunk):
        count = min(chunk, sixes - first)
        some, worse = k.compare_deals(meet, told, k.HANDS, first, count)
        sums += some
        worst = k.np.maximum(worst, worse)
        if progress is not None:
            progress(2 * SPLITS * (first + count), 2 * SPLITS * sixes)
    mean = [float(total) / (SPLITS * sixes) for total in sums]
    kinds = range(len(NAMES))
    kept, given = mean[k.KEPT :], mean[k.GIVEN :]

    def earned(a: int, b: int) -> float:
        return mean[int(k.EARNED) + len(NAMES) * a + b]

    return Comparison(
        names=NAMES,
        exploitability=tuple((given[a] - kept[a]) / 2 for a in kinds),
        worst=tuple(float(loss) for loss in worst),
        scores=tuple(tuple((earned(a, b) + 1.0 - earned(b, a)) / 2 for b in kinds) for a in kinds),
    )
