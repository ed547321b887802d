"""Advice for code breaking: figures, the next guess, counts, contradictions.

Commands and screens need this module only; the others of this folder do the work behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.games.codebreaking.rules import Code, Row, fits
from fairground.games.codebreaking.solver.trees import TREE_CODES, best_stored, tree
from fairground.registry import needs

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.sets import Listed, Sampled

PLAIN_CODES: Final = 20_000
"""Maximum number of codes of a space that is counted in plain Python, without loading a package."""

CANDIDATES: Final = 400
"""Number of guesses that are compared in a space that is too large to compare all."""

SUBJECTS: Final = 4000
"""Number of codes that represent all that fit, if those are too many to split for every guess."""


class Count(NamedTuple):
    """The number of codes that fit, and the method of counting."""

    value: int
    exact: bool
    method: str


class Contradiction(NamedTuple):
    """Rows, counted from 0, that cannot all be true."""

    rows: tuple[int, ...]
    smallest: bool
    """True if it is proven that no smaller set of rows is contradictory."""


def solve(base: int, length: int, strategy: str | None = None) -> dict[str, Any]:
    """Return the figures of a strategy's tree over all codes; by default of the best known tree."""
    return tree(base, length, strategy).figures()


def sets() -> ModuleType:
    """Import `solver.sets`, which needs NumPy and Numba."""
    with needs("solve", "counting the codes that fit"):
        from fairground.games.codebreaking.solver import sets
    return sets


def listed(base: int, length: int, rows: Sequence[Row]) -> Listed:
    """Return every code that fits, in a space that can be listed."""
    codes: Listed = sets().Listed(base, length, rows)
    return codes


def enumerable(base: int, length: int) -> bool:
    """Return whether the codes of a space can be listed."""
    return bool(base**length <= sets().ENUMERABLE)


class Counting:
    """Counts the codes that fit a board as it grows row by row.

    Small spaces are counted with the rules' own scoring, which needs no package. Larger ones are
    listed, or estimated: for each row, the share of a sample of fitting codes that also fits this
    row is taken, and the shares are multiplied. Only the order of magnitude can be trusted.
    """

    def __init__(self, base: int, length: int, seed: int = 1) -> None:
        self._size = base**length
        self._rows = 0
        self._estimate: Fraction | None = None
        """The estimated number of codes; ``None`` where they are counted."""
        self._codes: list[Code] | Listed | Sampled
        if self._size <= PLAIN_CODES:
            self._codes = list(product(range(base), repeat=length))
        elif enumerable(base, length):
            self._codes = listed(base, length, ())
        else:
            self._estimate = Fraction(self._size)
            self._codes = sets().Sampled(base, length, seed)

    def keep(self, row: Row) -> None:
        """Add one more row."""
        self._rows += 1
        if isinstance(self._codes, list):
            self._codes = [code for code in self._codes if fits(code, (row,))]
            return
        before = len(self._codes)
        self._codes.keep(row)
        if before and self._estimate is not None:
            self._estimate *= Fraction(len(self._codes), before)
        if len(self._codes):
            self._codes.refresh()

    def count(self) -> Count:
        """Return the number of codes that fit all rows so far."""
        known = len(self._codes)
        if not self._rows:
            return Count(self._size, True, "all codes")
        if self._estimate is None:
            return Count(known, True, "counted one by one")
        if not known:
            return Count(0, False, "estimated: no code of the sample fits row by row")
        return Count(max(known, int(self._estimate)), False, "estimated from samples, row by row")


def remaining(base: int, length: int, rows: Sequence[Row]) -> Count:
    """Return the number of codes that fit the rows, as `Counting` counts them."""
    if not rows:
        return Count(base**length, True, "all codes")
    counting = Counting(base, length)
    for row in rows:
        counting.keep(row)
    return counting.count()


def advise(
    base: int, length: int, rows: Sequence[Row], strategy: str | None = None
) -> dict[str, Any]:
    """Return the next guess for a game in progress, and the number of codes that fit.

    ``guess`` is ``None`` when no code fits.
    """
    count = remaining(base, length, rows)
    guess = next_guess(base, length, rows, strategy) if count.value or not count.exact else None
    return {
        "guess": None if guess is None else list(guess),
        "possible": guess is not None and fits(guess, rows),
        "remaining": count.value,
        "exact": count.exact,
        "method": count.method,
    }


def next_guess(
    base: int,
    length: int,
    rows: Sequence[Row],
    strategy: str | None = None,
    *,
    patient: bool = True,
) -> Code | None:
    """Return a good guess after any rows; ``None`` when it is certain that no code fits.

    With ``patient`` false, no tree is built if none is stored: the codes that fit are split.
    """
    if base**length <= TREE_CODES and base * length <= 64:
        ready = tree(base, length, strategy) if patient else best_stored(base, length)
        node = ready.after(rows) if ready else None
        if node is not None:
            return node.guess
    if enumerable(base, length):
        if not rows:
            return opening(base, length)
        return split_well(listed(base, length, rows), strategy)
    from fairground.games.codebreaking.solver.large_spaces import LargeSpaceSearch

    return LargeSpaceSearch(base, length, seed=1).next(rows)


@cache
def opening(base: int, length: int) -> Code:
    """Return the first guess with the most information, over all codes.

    At the start only the repetition of digits matters. So one guess is tried for each way to write
    the length as a sum of at most ``base`` counts.
    """
    import numpy as np

    everything = listed(base, length, ())

    def surprise(guess: Code) -> float:
        sizes = everything.sizes(guess)
        sizes = sizes[sizes > 0]
        return float((sizes * np.log(sizes)).sum())

    return min(_patterns(length, base, length), key=surprise)


def _patterns(left: int, digits_left: int, most: int, digit: int = 0) -> Iterator[Code]:
    """Yield guesses of ``left`` digits in which no digit occurs more often than the one before."""
    if left == 0:
        yield ()
    elif digits_left:
        for times in range(min(left, most), 0, -1):
            for rest in _patterns(left - times, digits_left - 1, times, digit + 1):
                yield (digit,) * times + rest


def split_well(codes: Listed, strategy: str | None = None) -> Code | None:
    """Return the guess that divides the listed codes best, by a one-step strategy.

    If they are many, evenly spaced ones represent all of them, and evenly spaced guesses are
    compared. So the result is always the same.
    """
    import numpy as np

    from fairground.games.codebreaking.rules import digits
    from fairground.games.codebreaking.solver.search import ranking
    from fairground.games.codebreaking.solver.trees import ONE_STEP

    if not len(codes):
        return None
    if len(codes) <= 2:
        return codes.code(0)
    fitting = codes.numbers()
    subjects = fitting[:: max(1, len(fitting) // SUBJECTS)]
    shown = type(codes).of(codes.base, codes.length, subjects)
    everything = codes.base**codes.length
    candidates = np.concatenate(
        [
            fitting[:: max(1, len(fitting) // CANDIDATES)],
            np.arange(0, everything, max(1, everything // CANDIDATES), dtype=np.uint32),
        ]
    )
    rule = ranking(strategy if strategy in ONE_STEP else "cost", len(subjects))
    members = set(map(int, fitting))
    best: tuple[float, int] | None = None
    for number in map(int, candidates):
        sizes = shown.sizes(digits(number, codes.base, codes.length))[:-1]
        if sizes.max() == len(subjects):
            continue
        loads = rule.burdens[sizes[sizes > 0]]
        load = float(loads.max() if rule.peak else loads.sum())
        load += rule.prize if number in members else 0.0
        if best is None or load < best[0]:
            best = (load, number)
    chosen = best[1] if best else int(fitting[0])
    return digits(chosen, codes.base, codes.length)


def contradiction(base: int, length: int, rows: Sequence[Row]) -> Contradiction | None:
    """Return the smallest set of rows that no code fits together; ``None`` if some code fits all.

    This is exact if the codes can be listed and the rows are at most 63. Otherwise CP-SAT names
    rows that no code fits together, and rows that are not needed are dropped. A smaller set may
    then exist, and ``None`` may mean that nothing was proven within the limits.
    """
    if enumerable(base, length) and len(rows) < 64:
        return _smallest(base, length, rows)
    refuted = sets().refuted
    core: list[int] | None = refuted(base, length, rows)
    if core is None:
        return None
    for r in tuple(core):
        rest = [k for k in core if k != r]
        if refuted(base, length, [rows[k] for k in rest]) is not None:
            core = rest
    return Contradiction(tuple(core), len(core) == 1)


def _smallest(base: int, length: int, rows: Sequence[Row]) -> Contradiction | None:
    """Return the fewest rows that no code fits, from the rows that each code breaks."""
    import numpy as np

    everything = listed(base, length, ())
    broken = np.zeros(len(everything), np.uint64)
    for r, (guess, (full, partial)) in enumerate(rows):
        wrong = everything.answers(guess) != full * (length + 1) + partial
        broken |= wrong.astype(np.uint64) << np.uint64(r)
    kinds = np.unique(broken)
    if kinds[0] == 0:
        return None
    for size in range(1, len(rows) + 1):
        for chosen in combinations(range(len(rows)), size):
            if (kinds & np.uint64(sum(1 << r for r in chosen))).all():
                return Contradiction(chosen, True)
    raise AssertionError("all rows together contradict each other")
