"""Statistics: intervals, exact tests, and Holm's method. The coach, contests and the lab share it.

Everything that stands in a contest file (`mean_of`, `sign_flip`, `student`, `holm`) is computed in
integers, fractions and decimals of fixed precision. So it comes out the same to the last digit
wherever the file is checked. The rest is in floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from math import atan2, cos, pi, sin, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple, TypeVar

LEVEL: Final = Fraction(1, 20)
"""Chance of a wrong conclusion that we allow: intervals are 95 %, tests are at 5 %."""

DIGITS: Final = Context(prec=40, rounding=ROUND_HALF_EVEN)
PLACES: Final = Decimal("1e-12")
COUNTABLE: Final = 2**23
"""Bits of the integer that the exact test may need. This is enough for 2,000 games of code breaking
with usual differences."""

_POINTS: Final = """
12.706205 4.302653 3.182446 2.776445 2.570582 2.446912 2.364624 2.306004 2.262157 2.228139
2.200985 2.178813 2.160369 2.144787 2.131450 2.119905 2.109816 2.100922 2.093024 2.085963
2.079614 2.073873 2.068658 2.063899 2.059539 2.055529 2.051831 2.048407 2.045230 2.042272
"""
STUDENT: Final = tuple(map(Decimal, _POINTS.split()))
"""The 97.5 % points of Student's distribution with 1 to 30 degrees of freedom."""

NORMAL: Final = Decimal("1.959963984540054")


Number = TypeVar("Number", float, Decimal)


def student(freedom: int) -> Decimal:
    """Return the 97.5 % point of Student's t: a table, then Cornish and Fisher's expansion."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    with localcontext(DIGITS):
        return _expanded(NORMAL, Decimal(freedom))


def _expanded(z: Number, v: Number) -> Number:
    """Widen a point of the normal distribution to Student's with ``v`` degrees of freedom."""
    first = (z**3 + z) / (4 * v)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    return z + first + second + third


EXPANDED_FROM: Final = 200
"""Degrees of freedom from which the expansion is exact to eight digits at any level we use."""


def student_point(level: float, freedom: int) -> float:
    """Return the point that Student's t exceeds, on either side, with chance ``level``."""
    if freedom >= EXPANDED_FROM:
        return _expanded(NormalDist().inv_cdf(1 - level / 2), float(freedom))
    low, high = 0.0, 1.0
    while 1 - _inside(high, freedom) > level:
        high *= 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (low, middle) if 1 - _inside(middle, freedom) <= level else (middle, high)
    return high


def _inside(t: float, freedom: int) -> float:
    """Return the chance that Student's t lies in ±t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = atan2(t, sqrt(freedom))
    odd = freedom % 2
    total, term = 0.0, cos(angle) if odd else 1.0
    for k in range(odd, freedom - 1, 2):
        total += term
        term *= (k + 1) / (k + 2) * cos(angle) ** 2
    return (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total


def decimal(value: Fraction | Decimal) -> str:
    """Return a number with 12 digits behind the point, as text."""
    if isinstance(value, Fraction):
        value = DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(value.quantize(PLACES, ROUND_HALF_EVEN, DIGITS), "f")


class Mean(NamedTuple):
    """A mean with its 95 % interval; ``None`` where there is too little to say."""

    mean: str | None
    low: str | None
    high: str | None


def mean_of(values: Sequence[int], least: int | None = None) -> Mean:
    """Return the mean of integers with Student's interval, which never goes below ``least``."""
    n = len(values)
    if n == 0:
        return Mean(None, None, None)
    total = sum(values)
    mean = Fraction(total, n)
    if n == 1:
        return Mean(decimal(mean), None, None)
    variance = Fraction(n * sum(v * v for v in values) - total * total, n * (n - 1))
    square = DIGITS.divide(Decimal(variance.numerator), Decimal(variance.denominator * n))
    half = DIGITS.multiply(DIGITS.sqrt(square), student(n - 1))
    middle = DIGITS.divide(Decimal(total), Decimal(n))
    low = DIGITS.subtract(middle, half)
    if least is not None:
        low = max(low, Decimal(least))
    return Mean(decimal(mean), decimal(low), decimal(DIGITS.add(middle, half)))


class Interval(NamedTuple):
    """A mean with its 95 % interval; ``None`` where nothing can be said."""

    mean: float
    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[float, float]:
        """Low and high; the mean itself where nothing can be said."""
        if self.low is None or self.high is None:
            return self.mean, self.mean
        return self.low, self.high

    @property
    def half(self) -> float:
        low, high = self.ends
        return (high - low) / 2

    def __str__(self) -> str:
        return f"{self.mean:+.4f}" + ("" if self.low is None else f" ± {self.half:.4f}")


def interval_of(values: Sequence[float]) -> Interval:
    """Return the mean of these values with Student's interval."""
    n = len(values)
    mean = sum(values) / n
    return around(mean, sum((value - mean) ** 2 for value in values) / max(1, n - 1), n)


def around(mean: float, variance: float, n: int) -> Interval:
    """Return Student's interval around a mean of n observations.

    Equal observations give none: they say nothing about what was not seen.
    """
    if n < 2 or variance == 0:
        return Interval(mean, None, None)
    half = float(student(n - 1)) * sqrt(variance / n)
    return Interval(mean, mean - half, mean + half)


def share(hits: int, of: int) -> Interval:
    """Return a share of games with Wilson's interval, which holds near 0 and 1 as well."""
    if of == 0:
        return Interval(0.0, None, None)
    z = float(NORMAL)
    p, zz = hits / of, z * z / of
    middle = (p + zz / 2) / (1 + zz)
    half = z * sqrt(p * (1 - p) / of + zz / (4 * of)) / (1 + zz)
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


def holm(chances: Sequence[Fraction], level: Fraction = LEVEL) -> set[int]:
    """Return which of these p are significant together: smallest first, until one fails.

    The chance of even one wrong conclusion stays at ``level``.
    """
    told: set[int] = set()
    for i in sorted(range(len(chances)), key=lambda i: (chances[i], i)):
        if chances[i] * (len(chances) - len(told)) > level:
            break
        told.add(i)
    return told


def sign_flip(differences: Sequence[int]) -> Fraction:
    """Return the exact two-sided p of the sign-flip test.

    The m differences that are not zero have 2^m sign patterns. The p is the share of patterns whose
    sum is at least as far from zero as the sum that was seen. A pattern's sum is Σ|d| less twice
    the sum of those made negative. So it is enough to count subsets by their sum. These counts are
    the coefficients of Π(1 + x^|d|), here packed side by side into one large integer.

    A program that needs thousands of steps could make that integer as large as it likes;
    beyond `COUNTABLE` bits only the signs count.
    """
    sizes = sorted(abs(d) for d in differences if d)
    total, seen, width = sum(sizes), abs(sum(differences)), len(sizes) + 1
    if total * width > COUNTABLE:
        return sign_flip_of_signs(differences)
    packed = 1
    for size in sizes:
        packed += packed << (size * width)
    # Sums s of the subset made negative with total - 2s >= seen; the other tail mirrors it.
    tail = bin(packed & ((1 << (((total - seen) // 2 + 1) * width)) - 1))[2:]
    count = sum(int(tail[max(0, end - width) : end], 2) for end in range(len(tail), 0, -width))
    return _both_tails(count, len(sizes), seen)


def sign_flip_of_signs(differences: Sequence[int]) -> Fraction:
    """Return the p-value of the exact sign test: every difference counts as one."""
    signs = [1 if d > 0 else -1 for d in differences if d]
    seen = abs(sum(signs))
    count, ways = 0, 1
    for k in range((len(signs) - seen) // 2 + 1):
        count += ways
        ways = ways * (len(signs) - k) // (k + 1)
    return _both_tails(count, len(signs), seen)


def _both_tails(count: int, m: int, seen: int) -> Fraction:
    return Fraction(2 * count, 2**m) if seen else Fraction(1)
