"""What a guess is worth in code breaking: figures, advice, counts, contradictions.

Commands and screens need this module only; the others of this folder do the work behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.extras import needs
from fairground.games.codebreaking import Code, Row, fits
from fairground.solve.codebreaking.trees import TREE_CODES, best_stored, tree

if TYPE_CHECKING:
    from fairground.solve.codebreaking.sets import Listed, Sampled

PLAIN_CODES: Final = 20_000
"""Spaces that are counted in plain Python, before a package would be loaded."""

CANDIDATES: Final = 400
"""Guesses that are compared where a space is too large to compare all."""

SUBJECTS: Final = 4000
"""Codes that stand for all that fit, where those are too many to split for every guess."""


class Count(NamedTuple):
    """How many codes fit, and how that is known."""

    value: int
    exact: bool
    method: str


class Contradiction(NamedTuple):
    """Rows, counted from 0, that cannot all be true."""

    rows: tuple[int, ...]
    smallest: bool
    """Whether it is proven that no fewer rows contradict each other."""


def solve(base: int, length: int, strategy: str | None = None) -> dict[str, Any]:
    """The figures of a strategy's tree over all codes; without one, of the best we know."""
    return tree(base, length, strategy).figures()


def listed(base: int, length: int, rows: Sequence[Row]) -> Listed:
    """Every code that fits, in a space that can be gone through."""
    codes: Listed = _sets().Listed(base, length, rows)
    return codes


def _sets() -> ModuleType:
    """Sets of codes, which need NumPy and Numba."""
    with needs("solve", "counting the codes that fit"):
        from fairground.solve.codebreaking import sets
    return sets


def enumerable(base: int, length: int) -> bool:
    """Whether the codes of a space can be gone through one by one."""
    return bool(base**length <= _sets().ENUMERABLE)


class Counting:
    """How many codes fit a board that grows row by row.

    Counted where that is possible, else estimated. The estimate goes row by row: of a sample of
    codes that fit the earlier rows, it takes the share that fits this one too, and multiplies
    the shares. Only its order of magnitude can be trusted.

    Spaces of at most ``plain`` codes are gone through with the rules' own scoring: that
    needs no package, and is done before one would be loaded.
    """

    def __init__(self, base: int, length: int, seed: int = 1, plain: int = PLAIN_CODES) -> None:
        self._size = base**length
        self._share = Fraction(1)
        self._rows = 0
        self._exact = True
        self._codes: list[Code] | Listed | Sampled
        if self._size <= plain:
            self._codes = list(product(range(base), repeat=length))
        elif enumerable(base, length):
            self._codes = listed(base, length, ())
        else:
            self._exact = False
            self._codes = _sets().Sampled(base, length, seed)

    def keep(self, row: Row) -> None:
        """Count on with one more row."""
        before = len(self._codes)
        if isinstance(self._codes, list):
            self._codes = [code for code in self._codes if fits(code, (row,))]
        else:
            self._codes.keep(row)
        if before and not self._exact:
            self._share *= Fraction(len(self._codes), before)
        if not isinstance(self._codes, list) and len(self._codes):
            self._codes.refresh()
        self._rows += 1

    def count(self) -> Count:
        """How many codes fit all rows so far."""
        if not self._rows:
            return Count(self._size, True, "all codes")
        if self._exact:
            return Count(len(self._codes), True, "counted one by one")
        if not len(self._codes):
            return Count(0, False, "estimated: no code of the sample fits row by row")
        value = max(len(self._codes), int(self._size * self._share))
        return Count(value, False, "estimated from samples, row by row")


def remaining(base: int, length: int, rows: Sequence[Row], seed: int = 1) -> Count:
    """How many codes fit the rows, as `Counting` counts them."""
    if not rows:
        return Count(base**length, True, "all codes")
    counting = Counting(base, length, seed, plain=0)
    for row in rows:
        counting.keep(row)
    return counting.count()


def advise(
    base: int, length: int, rows: Sequence[Row], strategy: str | None = None
) -> dict[str, Any]:
    """The next guess for a game in progress, and how many codes still fit.

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
    """A good guess after any rows; ``None`` when it is certain that no code fits.

    Without patience no tree is built where none is stored: the codes that fit are split.
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
    from fairground.solve.codebreaking.hunt import Hunt

    return Hunt(base, length, seed=1).next(rows)


@cache
def opening(base: int, length: int) -> Code:
    """The first guess that carries the most information, over all codes.

    Only how often digits repeat can matter before anything is known, so one guess is
    tried for each way to write the length as a sum of at most ``base`` counts.
    """
    import numpy as np

    everything = listed(base, length, ())

    def surprise(guess: Code) -> float:
        sizes = everything.sizes(guess)
        sizes = sizes[sizes > 0]
        return float((sizes * np.log(sizes)).sum())

    return min(_patterns(length, base, length), key=surprise)


def _patterns(left: int, digits_left: int, most: int, digit: int = 0) -> Iterator[Code]:
    """Guesses of ``left`` digits in which no digit occurs more often than the one before."""
    if left == 0:
        yield ()
    elif digits_left:
        for times in range(min(left, most), 0, -1):
            for rest in _patterns(left - times, digits_left - 1, times, digit + 1):
                yield (digit,) * times + rest


def split_well(codes: Listed, strategy: str | None = None) -> Code | None:
    """The guess that divides the listed codes best, by a one-step strategy.

    Where they are many, some of the codes that fit stand for all of them, and some
    guesses, both such codes and others, are compared: evenly spaced, so always the same.
    """
    import numpy as np

    from fairground.games.codebreaking import digits
    from fairground.solve.codebreaking.search import ranking
    from fairground.solve.codebreaking.trees import ONE_STEP

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
    """The smallest set of rows that no code fits together; ``None`` if some code fits all.

    Where the codes can be listed (and the rows are at most 63) this is exact. Elsewhere
    CP-SAT names rows that no code fits together. Rows are dropped from them as long as still no
    code fits. At the end every row of the set is needed, but another, smaller set may exist;
    and ``None`` may mean that nothing was proven within the limits.
    """
    if enumerable(base, length) and len(rows) < 64:
        return _smallest(base, length, rows)
    from fairground.solve.codebreaking.constraints import refuted

    core = refuted(base, length, rows)
    if core is None:
        return None
    for r in tuple(core):
        rest = [k for k in core if k != r]
        if refuted(base, length, [rows[k] for k in rest]) is not None:
            core = rest
    return Contradiction(tuple(core), len(core) == 1)


def _smallest(base: int, length: int, rows: Sequence[Row]) -> Contradiction | None:
    """Note for every code which rows it breaks; look for the fewest rows that catch all."""
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
