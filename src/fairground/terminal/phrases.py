"""Fractions as people write them."""

from __future__ import annotations

from fractions import Fraction


def decimal(value: Fraction, digits: int) -> str:
    """A fraction with so many digits behind the point, rounded to the nearest."""
    whole, rest = divmod(round(value * 10**digits), 10**digits)
    return f"{whole}.{rest:0{digits}d}"


def percent(share: Fraction) -> str:
    """A share of one with one digit behind the point; a little is never called nothing."""
    text = f"{float(100 * share):.1f}%"
    return "less than 0.1%" if share and text == "0.0%" else text
