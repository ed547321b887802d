"""The arithmetic of the standings: means with intervals, and an exact test of differences.

Everything is computed in integers and decimals of fixed precision, so that it comes out
the same to the last digit wherever a contest file is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Final, NamedTuple

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


def student(freedom: int) -> Decimal:
    """The 97.5 % point of Student's t: a table, then Cornish and Fisher's expansion."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    with localcontext(DIGITS):
        z, v = NORMAL, Decimal(freedom)
        terms = (
            z,
            (z**3 + z) / (4 * v),
            (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2),
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3),
        )
        return sum(terms, Decimal(0))


def decimal(value: Fraction | Decimal) -> str:
    """A number with 12 digits behind the point, as text."""
    if isinstance(value, Fraction):
        value = DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(value.quantize(PLACES, ROUND_HALF_EVEN, DIGITS), "f")


class Mean(NamedTuple):
    """A mean with its 95 % interval; ``None`` where there is too little to say."""

    mean: str | None
    low: str | None
    high: str | None


def mean_of(values: Sequence[int], least: int | None = None) -> Mean:
    """The mean of these integers, and Student's interval around it; never below ``least``."""
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


def sign_flip(differences: Sequence[int]) -> Fraction:
    """The exact two-sided p of the sign-flip test.

    Of the 2^m sign patterns of the m differences that are not zero, the share whose sum is
    at least as far from zero as the sum that was seen. A pattern's sum is Σ|d| less twice
    the sum of those made negative, so it is enough to count subsets by their sum: the
    coefficients of Π(1 + x^|d|), here packed side by side into one large integer.

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
    """The same test with every difference counted as one: the exact sign test."""
    signs = [1 if d > 0 else -1 for d in differences if d]
    seen = abs(sum(signs))
    count, ways = 0, 1
    for k in range((len(signs) - seen) // 2 + 1):
        count += ways
        ways = ways * (len(signs) - k) // (k + 1)
    return _both_tails(count, len(signs), seen)


def _both_tails(count: int, m: int, seen: int) -> Fraction:
    return Fraction(2 * count, 2**m) if seen else Fraction(1)
