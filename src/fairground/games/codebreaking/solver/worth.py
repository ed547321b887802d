"""The guesses that a set of codes still needs, on average or at worst.

* `KNOWN` has the figures of the trees that come with the package.
* `opening` has the boards of the usual game after one guess or two. A proof can take long then.
  Up to the order of places and the names of digits only 182 openings differ;
  `tools/code_openings.py` searches them all.
* `SmallSearch` finds the cheapest or the lowest tree of some dozens of codes in plain NumPy,
  without compiling anything. Larger sets need `search.Searcher`.
* `by_size` estimates sets that are too large to search: n codes need about 1 + c ln n guesses. The
  `growth` c is 0.41 for five digits in five places, 0.50 for ten in four, above 2 for fifty in two.
  It is that of the stored tree, or measured: some games are played in which every guess is any code
  that still fits. `BEST` corrects for perfect play. A space that is too large for that takes the
  growth of a smaller one with about as many digits for each place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import permutations, product
from math import log
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.games.codebreaking.rules import Code, Row, digits, number

SEARCHABLE: Final = 33_000
"""Maximum number of codes of a space whose sets can be searched."""

CLASSIC: Final = 1296
"""Maximum number of codes of a space in which every search runs until its proof."""

WORST: Final = Fraction(128, 100)
"""Ratio of the longest branch of a tree to its mean, as both grow."""


class Known(NamedTuple):
    """The figures of the best tree that comes with the package, for all codes of a space."""

    total: int
    """Sum of the guesses of all codes."""
    guess: Code
    worst: int
    proven: bool


KNOWN: Final = {
    (6, 4): Known(5625, (0, 0, 1, 2), 6, True),
    (7, 4): Known(11228, (0, 0, 1, 2), 6, True),
    (8, 4): Known(20471, (0, 1, 2, 3), 7, False),
    (9, 4): Known(34705, (0, 1, 2, 3), 7, False),
    (10, 4): Known(55757, (0, 1, 2, 3), 8, False),
    (5, 5): Known(13496, (0, 0, 1, 1, 2), 6, False),
    (6, 5): Known(36750, (0, 0, 1, 1, 2), 7, False),
    (7, 5): Known(86101, (0, 0, 1, 1, 2), 7, False),
    (8, 5): Known(179018, (0, 0, 1, 1, 2), 8, False),
}
"""Base and length → figures of the stored tree, which takes a second to load from its file."""


def by_size(codes: float, growth: Fraction) -> Fraction:
    """Estimate the mean number of guesses for a number of codes."""
    if codes <= 2:
        return Fraction(max(codes, 1.0) + 1) / 2
    return 1 + growth * Fraction(log(codes)).limit_denominator(10**6)


def worst_by_size(codes: float, growth: Fraction) -> Fraction:
    """Estimate the number of guesses for a number of codes at worst, as an integer."""
    if codes <= 2:
        return Fraction(round(codes))
    return Fraction(round(1 + WORST * growth * Fraction(log(codes))))


BASE: Final = 6
LENGTH: Final = 4
FILE: Final = "openings-6-4.npz"


class Opening(NamedTuple):
    """The guesses that the remaining codes need, and first guesses that achieve it."""

    total: int
    """Sum of the guesses of all codes."""
    guess: Code
    worst: int
    """Number of guesses after which all codes are found."""
    worst_guess: Code


class Seen(NamedTuple):
    """Guesses in a normal form: places exchanged, digits renamed, order ignored."""

    guesses: tuple[Code, ...]
    order: tuple[int, ...]
    """For each guess, its index in the game."""
    places: tuple[int, ...]
    """For each place, its place in the game."""
    names: dict[int, int]
    """Digit of the game → digit of the normal form."""

    def back(self, guess: Code) -> Code:
        """Translate a guess of the normal form back into the game."""
        spare = (digit for digit in range(BASE) if digit not in self.names)
        named = {here: digit for digit, here in self.names.items()}
        code = [0] * LENGTH
        for place, digit in zip(self.places, guess, strict=True):
            if digit not in named:
                named[digit] = next(spare)
            code[place] = named[digit]
        return tuple(code)


def seen(guesses: Sequence[Code]) -> Seen:
    """Return the normal form of these guesses."""
    return min(_looks(guesses), key=lambda look: look.guesses)


def _looks(guesses: Sequence[Code]) -> Iterator[Seen]:
    for order, places in product(permutations(range(len(guesses))), permutations(range(LENGTH))):
        names: dict[int, int] = {}
        shown = tuple(
            tuple(names.setdefault(guesses[at][place], len(names)) for place in places)
            for at in order
        )
        yield Seen(shown, order, places, names)


def key(rows: Sequence[Row]) -> int:
    """Return a number for a board of one row or two."""
    made = 0
    for guess, (full, partial) in rows:
        made = made * BASE**LENGTH + number(guess, BASE) + 1
        made = made * (LENGTH + 1) ** 2 + full * (LENGTH + 1) + partial
    return made


@cache
def _stored() -> dict[int, tuple[int, int, int, int]]:
    path: Any = files("fairground.games.codebreaking.solver") / "data" / FILE
    with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        return dict(zip(kept["keys"].tolist(), map(tuple, kept["rows"].tolist()), strict=True))


def opening(rows: Sequence[Row]) -> Opening | None:
    """Return the stored figures of a board of the usual game, or ``None``."""
    look = seen([row.guess for row in rows])
    again = [Row(guess, rows[at].marks) for guess, at in zip(look.guesses, look.order, strict=True)]
    found = _stored().get(key(again))
    if found is None:
        return None
    total, guess, worst, worst_guess = found
    codes = (look.back(digits(code, BASE, LENGTH)) for code in (guess, worst_guess))
    return Opening(total, next(codes), worst, next(codes))


Array: TypeAlias = np.ndarray[Any, Any]

HOPELESS: Final = 1 << 40
"""The cost of an impossible tree."""

PATIENCE: Final = 1000
"""Maximum number of sets that a search looks at: some tenths of a second."""


class TooLong(Exception):
    """The search takes too long for a quick answer."""


class Tree(NamedTuple):
    """The cost of a set, and the first guess, as a number."""

    cost: int
    """Sum of the guesses of all codes; or the number of guesses for the last code."""
    guess: int


@cache
def answers(base: int, length: int) -> Array:
    """Return a table [guess, code] → number of the answer: ``full * (length + 1) + partial``."""
    numbers = np.arange(base**length)
    digits = numbers[:, None] // base ** np.arange(length - 1, -1, -1) % base
    full = np.zeros((len(numbers), len(numbers)), np.uint8)
    for place in digits.T:
        full += place[:, None] == place
    common = np.zeros_like(full)
    for digit in range(base):
        many = (digits == digit).sum(axis=1).astype(np.uint8)
        common += np.minimum(many[:, None], many)
    return full * np.uint8(length) + common


class SmallSearch:
    """Searches sets of one base and length, and caches its results.

    `average` and `worst` raise `TooLong` if the search would not be quick.
    """

    def __init__(self, base: int, length: int) -> None:
        self.answers = answers(base, length)
        self._kinds, compact = np.unique(self.answers, return_inverse=True)
        self._win = len(self._kinds) - 1
        codes = len(self.answers)
        self._compact = compact.reshape(codes, codes) + np.arange(codes)[:, None] * len(self._kinds)
        self._floors = self._cheapest_thinkable(codes)
        self._costs: dict[bytes, Tree] = {}
        self._bounds: dict[bytes, int] = {}
        self._depths: dict[tuple[bytes, int], int | None] = {}
        self._looked = 0

    def _cheapest_thinkable(self, codes: int) -> Array:
        """Return the least cost by number of codes: one falls first, then one for each answer."""
        level, room, floors = 1, 1, [0]
        for _ in range(codes):
            if not room:
                level, room = level + 1, self._win**level
            floors.append(floors[-1] + level)
            room -= 1
        return np.array(floors)

    def _parts(self, members: Array) -> Array:
        """Return [guess, answer] → number of members that give it."""
        self._looked += 1
        if self._looked > PATIENCE:
            raise TooLong
        taken = self._compact[:, members].ravel()
        kinds = len(self._kinds)
        return np.bincount(taken, minlength=len(self.answers) * kinds).reshape(-1, kinds)

    def _split(self, members: Array, guess: int) -> list[Array]:
        """Split the members by their answers, the smallest part first, without the guess itself."""
        answer = self.answers[guess, members]
        parts = [members[answer == kind] for kind in np.unique(answer)]
        return sorted((part for part in parts if part[0] != guess or len(part) > 1), key=len)

    def average(self, members: Array) -> Tree:
        """Return the cheapest tree: the least sum of guesses over all members."""
        self._looked = 0
        cost = self._cost(members, HOPELESS)
        return self._costs.get(members.tobytes(), Tree(cost, int(members[0])))

    def _cost(self, members: Array, bound: int) -> int:
        """Return the least cost; if it is not below the bound, some number between the two."""
        n = len(members)
        if n <= 2 or self._floors[n] >= bound:
            return int(self._floors[n])
        key = members.tobytes()
        if key in self._costs:
            return self._costs[key].cost
        if self._bounds.get(key, 0) >= bound:
            return self._bounds[key]
        sizes = self._parts(members)
        least = n + self._floors[sizes[:, : self._win]].sum(axis=1)
        least[sizes[:, : self._win].max(axis=1) == n] = HOPELESS
        guesses = np.arange(len(least))
        # A guess that cannot be the code itself costs two for every code at the least, so where a
        # member costs no more it need not be tried.
        if least[members].min() <= 2 * n:
            guesses = members
        floor = int(least[guesses].min())
        best, chosen = bound, -1
        # Those that leave few codes together with many answers are tried first.
        hoped = (sizes[guesses, : self._win] ** 1.4).sum(axis=1)
        for guess in guesses[np.argsort(hoped, kind="stable")].tolist():
            total = int(least[guess])
            if total >= best:
                continue
            for part in self._split(members, guess):
                others = total - int(self._floors[len(part)])
                total = others + self._cost(part, best - others)
                if total >= best:
                    break
            if total < best:
                best, chosen = total, guess
                if best == floor:
                    break
        if best == bound:
            self._bounds[key] = bound
        else:
            self._costs[key] = Tree(best, chosen)
        return best

    def worst(self, members: Array) -> Tree:
        """Return the lowest tree: the fewest guesses after which every member is found."""
        self._looked, depth = 0, 1
        while (guess := self._within(members, depth)) is None:
            depth += 1
        return Tree(depth, guess)

    def _within(self, members: Array, depth: int) -> int | None:
        """Return a guess after which ``depth`` guesses in all find every member, or ``None``."""
        n = len(members)
        if n <= 2:
            return int(members[0]) if n <= depth else None
        if depth == 1 or n > sum(self._win**level for level in range(depth)):
            return None
        key = members.tobytes(), depth
        if key not in self._depths:
            self._depths[key] = self._deep(members, depth)
        return self._depths[key]

    def _deep(self, members: Array, depth: int) -> int | None:
        sizes = self._parts(members)[:, : self._win]
        largest = sizes.max(axis=1)
        room = sum(self._win**level for level in range(depth - 1))
        largest[largest == len(members)] = room + 1
        guesses: list[int] = np.argsort(largest, kind="stable").tolist()
        for guess in guesses:
            if largest[guess] > room:
                return None
            parts = reversed(self._split(members, guess))
            if all(self._within(part, depth - 1) is not None for part in parts):
                return guess
        return None


GAMES: Final = 200
"""Number of games played: some hundredths of a second in a space of ten thousand codes."""

LARGEST: Final = 2**17
"""Maximum number of codes of a space in which they are played."""

BEST: Final = 0.91
"""Growth of the best known trees divided by that of such play: 0.88 to 0.99."""


@cache
def growth(base: int, length: int) -> Fraction:
    """Return the growth c of a space: see above."""
    if (known := KNOWN.get((base, length))) is not None:
        return _fraction((known.total / base**length - 1) / log(base**length))
    if base**length > LARGEST:
        return growth(*smaller(base, length))
    return _fraction(BEST * (mean_guesses(base, length) - 1) / log(base**length))


def _fraction(number: float) -> Fraction:
    return Fraction(number).limit_denominator(10**6)


def smaller(base: int, length: int) -> tuple[int, int]:
    """Return the largest space up to `LARGEST` codes with about as many digits for each place."""
    for places in range(length, 0, -1):
        kinds = max(min(base, 3), round(base * places / length))  # two digits are a case apart
        if kinds**places <= LARGEST:
            break
    return kinds, places


def mean_guesses(base: int, length: int) -> float:
    """Return the mean of `GAMES` games in which each guess is any code that fits."""
    from fairground.games.codebreaking.solver.sets import Listed

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
