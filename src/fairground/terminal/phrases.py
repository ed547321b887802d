"""Numbers and lists as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its word: "1 die", "2 dice"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence: "a, b and c"."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def decimal(value: Fraction, digits: int) -> str:
    """A fraction with so many digits behind the point, rounded to the nearest."""
    whole, rest = divmod(round(value * 10**digits), 10**digits)
    return f"{whole}.{rest:0{digits}d}"
