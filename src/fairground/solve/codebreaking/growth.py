"""How fast the guesses grow with the number of codes, measured in the space itself.

n codes need about 1 + c ln n guesses. The growth c depends on the space: it is 0.41 for five digits
in five places, 0.50 for ten in four, and above 2 for fifty in two. Where a tree of all codes is
kept, c is that of the tree. Elsewhere some games are played, in which every guess is any code that
still fits. Such play needs a little more than the best: `BEST` says how much. Spaces that are too
large for that take the growth of a smaller one with about as many digits for each place.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import log
from typing import Final

import numpy as np

from fairground.games.codebreaking import digits
from fairground.solve.codebreaking.sets import Listed
from fairground.solve.codebreaking.worth import KNOWN

GAMES: Final = 200
"""Games that are played: some hundredths of a second in a space of ten thousand codes."""

LARGEST: Final = 2**17
"""The most codes of a space in which they are played."""

BEST: Final = 0.91
"""The growth of the best trees that we know, over that of such play: 0.88 to 0.99."""


@cache
def growth(base: int, length: int) -> Fraction:
    """c, above: the same at every call."""
    if (known := KNOWN.get((base, length))) is not None:
        return _fraction((known.total / base**length - 1) / log(base**length))
    if base**length > LARGEST:
        return growth(*smaller(base, length))
    return _fraction(BEST * (mean_guesses(base, length) - 1) / log(base**length))


def _fraction(number: float) -> Fraction:
    return Fraction(number).limit_denominator(10**6)


def smaller(base: int, length: int) -> tuple[int, int]:
    """The largest space of at most `LARGEST` codes with about as many digits for each place."""
    for places in range(length, 0, -1):
        kinds = max(min(base, 3), round(base * places / length))  # two digits are a case apart
        if kinds**places <= LARGEST:
            break
    return kinds, places


def mean_guesses(base: int, length: int) -> float:
    """The mean of `GAMES` games in which each guess is any code that fits."""
    rng = np.random.default_rng(1)
    everything = Listed(base, length)
    total = 0
    for code in rng.integers(base**length, size=GAMES):
        left, guess = everything, None
        while guess != code:
            numbers = left.numbers()
            guess = int(numbers[rng.integers(len(numbers))])
            answers = left.answers(digits(guess, base, length))
            answer = answers[np.searchsorted(numbers, code)]
            left = Listed.of(base, length, numbers[answers == answer])
            total += 1
    return total / GAMES
