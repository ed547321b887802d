"""The codes that fit a board: all of them in a space that can be listed, a sample elsewhere.

`Listed` holds every fitting code. `Sampled` holds some of them, found by local search. OR-tools'
CP-SAT answers whether any other code fits (`another_code`), and which rows
contradict each other (`refuted`).

**Local search.** The *strain* of a code is the distance of its answers from those on the board,
summed over the rows: full matches and all matches each count by their difference. A code of strain
zero fits. Two small changes lead from code to code: exchanging two places, and writing another
digit into one. Either changes each row's two counts by a few comparisons, so a change is judged in
a time proportional to the rows.

`temper` looks for a fitting code by parallel tempering: replicas of a search at different
temperatures exchange places, so that the hot ones feed the cold ones. `refill` starts from codes
that fit and walks to new ones. Everything is limited by counted steps and driven by a given seed:
the same call gives the same codes on every machine.

**CP-SAT.** In the model a code is a choice of one digit for each place. "Digit d occurs at least k
times" is a choice, too. With both, every row is a plain sum. The limits are deterministic time, one
worker and a fixed seed, so the outcome does not depend on the speed of the machine. (Another
release of the solver may differ.)
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.games.codebreaking.rules import Code, Marks, Row, Rows, digits, fits
from fairground.games.codebreaking.solver.scoring import (
    Answers,
    Bytes,
    Ints,
    Numbers,
    Words,
    answers_general,
    answers_of,
    codes_answering,
    halves,
    sizes_of_all,
)
from fairground.games.compiled import copy
from fairground.registry import needs

ENUMERABLE: Final = 2**24
"""Maximum number of codes of a space that is listed."""

POOL: Final = 2000
"""Maximum number of codes in a sample."""

WALKS: Final = 5000
"""Maximum number of walks that refill a sample."""

HARDER: Final = 4
"""Factor on `WALKS` before a code is conceded."""


def least_informative(sizes: Ints, length: int) -> Marks:
    """Return the answer that leaves the most codes; ties: fewest full matches, then fewest partial.

    Answers are numbered in that order, and ``argmax`` takes the first.
    """
    full, partial = divmod(int(np.argmax(sizes)), length + 1)
    return full, partial


class Listed:
    """Every code that fits, by its number, in a space of at most `ENUMERABLE` codes."""

    def __init__(self, base: int, length: int, rows: Sequence[Row] = ()) -> None:
        self.base = base
        self.length = length
        self._numbers: Numbers | None = None
        for row in rows:
            self.keep(row)

    @classmethod
    def of(cls, base: int, length: int, numbers: Numbers) -> Self:
        """Return a list of these codes."""
        made = cls(base, length)
        made._numbers = numbers
        return made

    def __len__(self) -> int:
        return self.base**self.length if self._numbers is None else len(self._numbers)

    @property
    def size(self) -> int:
        return 0 if self._numbers is None else self._numbers.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """Return how many codes give each answer, by answer number."""
        if self._numbers is None:
            return sizes_of_all(halves(np.array(guess, np.uint8), self.base), self.length)
        return np.bincount(self.answers(guess), minlength=(self.length + 1) ** 2)

    def answers(self, guess: Sequence[int]) -> Answers:
        """Return the answer number of every listed code to a guess."""
        numbers = self.numbers()
        out = np.empty(len(numbers), np.uint16)
        answers_of(halves(np.array(guess, np.uint8), self.base), numbers, self.length, out)
        return out

    def numbers(self) -> Numbers:
        """Return the numbers of the codes, in order."""
        if self._numbers is None:
            return np.arange(len(self), dtype=np.uint32)
        return self._numbers

    def keep(self, row: Row) -> None:
        """Drop the codes that do not fit one more row."""
        guess, (full, partial) = row
        answer = full * (self.length + 1) + partial
        if self._numbers is None:
            tables = halves(np.array(guess, np.uint8), self.base)
            room = int(sizes_of_all(tables, self.length)[answer])
            self._numbers = codes_answering(tables, self.length, answer, room)
        else:
            self._numbers = self._numbers[self.answers(guess) == answer]

    def refresh(self) -> None:
        """Do nothing: the list is complete."""

    def look_harder(self, but: Code) -> bool:
        """Return True: no code was overlooked."""
        return True

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """Return a code of the list that gives this answer to the guess."""
        full, partial = answer
        wanted = full * (self.length + 1) + partial
        if self._numbers is None:
            tables = halves(np.array(guess, np.uint8), self.base)
            return self.code(int(codes_answering(tables, self.length, wanted, 1)[0]))
        return self.code(int(np.argmax(self.answers(guess) == wanted)))

    def code(self, k: int) -> Code:
        """Return the k-th code of the list."""
        value = k if self._numbers is None else int(self._numbers[k])
        return digits(value, self.base, self.length)


# Local search


Shorts = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

TEMPERATURES: Final = (0.35, 0.8, 12)
"""Temperatures of the coldest and the hottest replica, and the number of replicas."""

STRETCH: Final = 200
"""Steps of a replica before it may exchange places with its neighbour."""

WANDER: Final = 300
"""Steps of one walk from a fitting code to another one."""


class Layout(NamedTuple):
    """The rows, transposed so that one place or one digit of all guesses is contiguous."""

    base: int
    places: Bytes
    """``places[i, r]``: the digit in place i of guess r."""
    wanted: Shorts
    """``wanted[d, r]``: number of digits d in guess r."""
    full: Shorts
    common: Shorts
    settled: bool
    """True if a row matches with all its digits: then only their order is unknown."""


def layout(base: int, length: int, rows: Sequence[Row]) -> Layout:
    """Transpose the rows."""
    places = np.array([row.guess for row in rows], np.uint8).reshape(len(rows), length)
    wanted = np.zeros((base, len(rows)), np.int16)
    for r, guess in enumerate(places):
        np.add.at(wanted[:, r], guess, 1)
    full = np.array([row.marks[0] for row in rows], np.int16)
    partial = np.array([row.marks[1] for row in rows], np.int16)
    common = full + partial
    settled = bool((common == length).any())
    return Layout(base, np.ascontiguousarray(places.T), wanted, full, common, settled)


class Candidate(NamedTuple):
    """A code during a search, with the counts that make its next step cheap."""

    code: Bytes
    tally: Shorts
    """Number of occurrences of each digit."""
    full: Shorts
    """Error of each row's full matches."""
    common: Shorts
    """Error of each row's full and partial matches together."""
    next_full: Shorts
    next_common: Shorts


@njit(cache=True)
def word(chance: Words) -> Any:
    """Return the next 64 bits of the splitmix64 generator."""
    chance[0] += np.uint64(0x9E3779B97F4A7C15)
    z = chance[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def scaled(bits: Any, n: int) -> Any:
    """Convert 16 random bits to a number below n: uniform enough for a search."""
    return np.int64((bits & np.uint64(0xFFFF)) * np.uint64(n) >> np.uint64(16))


@njit(cache=True)
def unit(chance: Words) -> float:
    """Return a random number in [0, 1)."""
    return np.float64(word(chance) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def candidate(at: Layout, code: Bytes) -> Candidate:
    """Return a candidate for a code."""
    rows = len(at.full)
    made = Candidate(
        code.copy(),
        np.zeros(at.base, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
        np.zeros(rows, np.int16),
    )
    for digit in code:
        made.tally[digit] += 1
    for r in range(rows):
        full = 0
        common = 0
        for i in range(len(code)):
            full += at.places[i, r] == code[i]
        for d in range(at.base):
            common += min(made.tally[d], at.wanted[d, r])
        made.full[r] = full - at.full[r]
        made.common[r] = common - at.common[r]
    return made


@njit(cache=True)
def strain(w: Candidate) -> int:
    """Return the distance of the code from fitting; zero: it fits."""
    return np.abs(w.full).sum() + np.abs(w.common).sum()  # type: ignore[no-any-return]


@njit(cache=True)
def exchange(at: Layout, w: Candidate, i: int, j: int) -> int:
    """Return the change of strain if two places are exchanged; store the new counts."""
    a = w.code[i]
    b = w.code[j]
    left = at.places[i]
    right = at.places[j]
    change = 0
    for r in range(len(at.full)):
        old = w.full[r]
        new = np.int16(old + (left[r] == b) + (right[r] == a) - (left[r] == a) - (right[r] == b))
        w.next_full[r] = new
        change += abs(new) - abs(old)
    return change


@njit(cache=True)
def rewrite(at: Layout, w: Candidate, i: int, b: int) -> int:
    """Return the change of strain if place i gets the digit b; store the new counts."""
    a = w.code[i]
    here = at.places[i]
    less = at.wanted[a]
    more = at.wanted[b]
    ours = w.tally[a]
    theirs = w.tally[b]
    change = 0
    for r in range(len(at.full)):
        old = w.full[r]
        new = np.int16(old + (here[r] == b) - (here[r] == a))
        w.next_full[r] = new
        change += abs(new) - abs(old)
        old = w.common[r]
        new = np.int16(old + (theirs < more[r]) - (ours <= less[r]))
        w.next_common[r] = new
        change += abs(new) - abs(old)
    return change


@njit(cache=True)
def walk(  # noqa: PLR0917
    at: Layout,
    w: Candidate,
    energy: int,
    temperature: float,
    steps: int,
    chance: Words,
    zero: Bytes,
) -> tuple[int, bool]:
    """Take Metropolis steps; copy the last other fitting code to ``zero``.

    If the digits are settled, only exchanges are tried. Return the final strain, and whether a
    fitting code was met.
    """
    length = len(w.code)
    found = False
    for _ in range(steps):
        bits = word(chance)
        i = scaled(bits, length)
        a = w.code[i]
        if at.settled or bits >> np.uint64(63):
            j = scaled(bits >> np.uint64(16), length)
            b = w.code[j]
            if a == b:
                continue
            change = exchange(at, w, i, j)
            if change <= 0 or unit(chance) < np.exp(-change / temperature):
                w.code[i] = b
                w.code[j] = a
                copy(w.next_full, w.full)
                energy += change
                if energy == 0:
                    copy(w.code, zero)
                    found = True
        else:
            digit = scaled(bits >> np.uint64(16), at.base)
            if a == digit:
                continue
            change = rewrite(at, w, i, digit)
            if change <= 0 or unit(chance) < np.exp(-change / temperature):
                w.code[i] = digit
                w.tally[a] -= 1
                w.tally[digit] += 1
                copy(w.next_full, w.full)
                copy(w.next_common, w.common)
                energy += change
                if energy == 0:
                    copy(w.code, zero)
                    found = True
    return energy, found


@njit(cache=True)
def name_of(code: Bytes) -> Any:
    """Return the FNV-1a hash of a code."""
    name = np.uint64(0xCBF29CE484222325)
    for digit in code:
        name = (name ^ np.uint64(digit)) * np.uint64(0x100000001B3)
    return name


@njit(cache=True)
def is_new(names: Words, found: int, name: Any) -> bool:
    """Return whether none of the first ``found`` hashes is this one."""
    return not (names[:found] == name).any()


@njit(cache=True, nogil=True)
def temper(  # noqa: PLR0917
    at: Layout, replicas: Bytes, temperatures: Floats, rounds: int, chance: Words, pool: Bytes
) -> tuple[int, Bytes, int]:
    """Fill the pool with different codes that fit, by parallel tempering.

    ``replicas``, the coldest first, are changed in place, so that the next call continues. Return
    the number of codes found, the code of least strain at the end of a stretch, and that strain.
    """
    count, length = replicas.shape
    candidates = [candidate(at, replicas[k]) for k in range(count)]
    energies = np.array([strain(w) for w in candidates])
    names = np.zeros(len(pool), np.uint64)
    zero = np.zeros(length, np.uint8)
    found = 0
    best = energies[0]
    closest = replicas[0].copy()
    for _ in range(rounds):
        for k in range(count):
            energies[k], fits = walk(
                at, candidates[k], energies[k], temperatures[k], STRETCH, chance, zero
            )
            if energies[k] < best:
                best = energies[k]
                copy(candidates[k].code, closest)
            if fits:
                best = 0
                copy(zero, closest)
                if is_new(names, found, name_of(zero)):
                    names[found] = name_of(zero)
                    copy(zero, pool[found])
                    found += 1
                    if found == len(pool):
                        break
        if found == len(pool):
            break
        for k in range(count - 1):
            gain = (1 / temperatures[k] - 1 / temperatures[k + 1]) * (energies[k] - energies[k + 1])
            if gain >= 0 or unit(chance) < np.exp(gain):
                candidates[k], candidates[k + 1] = candidates[k + 1], candidates[k]
                energies[k], energies[k + 1] = energies[k + 1], energies[k]
    for k in range(count):
        copy(candidates[k].code, replicas[k])
    return found, closest, best


@njit(cache=True, nogil=True)
def refill(at: Layout, pool: Bytes, found: int, walks: int, chance: Words) -> int:
    """Walk from fitting codes to others, until the pool is full or the walks are used up.

    The first ``found`` rows of the pool fit and differ; return how many do afterwards.
    """
    names = np.zeros(len(pool), np.uint64)
    for k in range(found):
        names[k] = name_of(pool[k])
    zero = np.zeros(pool.shape[1], np.uint8)
    for k in range(walks):
        if found == len(pool):
            break
        start = np.int64(word(chance) % np.uint64(found))
        temperature = 0.3 + 0.2 * (k % 4)
        _, fits = walk(at, candidate(at, pool[start]), 0, temperature, WANDER, chance, zero)
        if fits and is_new(names, found, name_of(zero)):
            names[found] = name_of(zero)
            copy(zero, pool[found])
            found += 1
    return found


@njit(cache=True)
def random_codes(base: int, length: int, count: int, chance: Words) -> Bytes:
    """Return random codes."""
    codes = np.empty((count, length), np.uint8)
    for k in range(count):
        for i in range(length):
            codes[k, i] = scaled(word(chance), base)
    return codes


@njit(cache=True, nogil=True)
def spread(guesses: Bytes, pool: Bytes, base: int) -> Floats:
    """Return, for each guess, the information in bits of its answer over the pool's codes."""
    length = pool.shape[1]
    answers = np.empty(len(pool), np.uint16)
    out = np.zeros(len(guesses), np.float64)
    sizes = np.zeros((length + 1) * (length + 1), np.int64)
    for g in range(len(guesses)):
        answers_general(guesses[g], pool, base, answers)
        sizes[:] = 0
        for answer in answers:
            sizes[answer] += 1
        for answer in answers:
            out[g] += np.log2(len(pool) / sizes[answer])
        out[g] /= len(pool)
    return out


# A sample


class Sampled:
    """Some of the codes that fit, in a space that is too large to list.

    The sample depends on the rows and the seed alone. It becomes empty only if none of its codes
    gives the answer of a row.
    """

    def __init__(self, base: int, length: int, seed: int) -> None:
        self.base = base
        self.length = length
        self.rows: Sequence[Row] = ()
        self._chance = np.array([seed], np.uint64)
        self._codes = random_codes(base, length, POOL, self._chance)

    @classmethod
    def taken_over(
        cls, base: int, length: int, rows: Sequence[Row], chance: int, packed: bytes
    ) -> Self:
        """Continue a sample from its `chance` and `packed`."""
        made = cls(base, length, chance)
        made.rows = Rows(rows)
        made._chance = np.array([chance], np.uint64)
        made._codes = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(-1, length).copy()
        return made

    @property
    def chance(self) -> int:
        return int(self._chance[0])

    def packed(self) -> bytes:
        """Return its codes, compressed."""
        return zlib.compress(self._codes.tobytes(), 1)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def size(self) -> int:
        return self._codes.nbytes

    def sizes(self, guess: Sequence[int]) -> Ints:
        """Return how many of the sample's codes give each answer, by answer number."""
        return np.bincount(self._answers(guess), minlength=(self.length + 1) ** 2)

    def keep(self, row: Row) -> None:
        """Drop the codes that do not fit one more row."""
        guess, (full, partial) = row
        answer = full * (self.length + 1) + partial
        self._codes = self._codes[self._answers(guess) == answer]
        rows = self.rows if isinstance(self.rows, Rows) else Rows(self.rows)
        self.rows = rows.plus(row)

    def refresh(self, walks: int | None = None) -> None:
        """Walk from the codes in the sample to others that fit; ``walks`` is `WALKS` by default."""
        if not self.rows:
            return
        codes = np.empty((POOL, self.length), np.uint8)
        found = len(self._codes)
        codes[:found] = self._codes
        at = layout(self.base, self.length, self.rows)
        found = refill(at, codes, found, WALKS if walks is None else walks, self._chance)
        self._codes = codes[:found].copy()

    def look_harder(self, but: Code) -> bool:
        """Search for another code, and add it; return whether the result is proven."""
        self.refresh(HARDER * WALKS)
        if len(self) > 1:
            return True
        found = another_code(self.base, self.length, self.rows, but)
        if found.code is not None and fits(found.code, self.rows):
            self._codes = np.concatenate([self._codes, np.array([found.code], np.uint8)])
        return found.settled

    def witness(self, guess: Sequence[int], answer: Marks) -> Code:
        """Return a code of the sample that gives this answer to the guess."""
        full, partial = answer
        at = int(np.argmax(self._answers(guess) == full * (self.length + 1) + partial))
        return self.code(at)

    def code(self, k: int) -> Code:
        """Return the k-th code of the sample."""
        return tuple(map(int, self._codes[k]))

    def codes(self) -> Bytes:
        """Return all codes of the sample."""
        return self._codes

    def _answers(self, guess: Sequence[int]) -> Answers:
        out = np.empty(len(self._codes), np.uint16)
        answers_general(np.array(guess, np.uint8), self._codes, self.base, out)
        return out


# CP-SAT


PATIENCE: Final = 4.0
"""Deterministic time units (about seconds) that one question may take."""


class Found(NamedTuple):
    """A code, or none; ``settled`` without a code means a proof that there is none."""

    code: Code | None
    settled: bool


class BoardQuestion:
    """A CP-SAT model of a board."""

    def __init__(self, base: int, length: int, rows: Sequence[Row]) -> None:
        with needs("solve", "a search for contradictions"):
            from ortools.sat.python import cp_model
        self.base = base
        self.length = length
        self._cp = cp_model
        self.model: Any = cp_model.CpModel()
        self.digit: Any = [
            [self.model.new_bool_var(f"x{i},{d}") for d in range(base)] for i in range(length)
        ]
        most = [max((row.guess.count(d) for row in rows), default=0) for d in range(base)]
        self._at_least: Any = [
            [self.model.new_bool_var(f"c{d},{k}") for k in range(most[d])] for d in range(base)
        ]
        for choices in self.digit:
            self.model.add_exactly_one(choices)
        for d, steps in enumerate(self._at_least):
            count = sum(self.digit[i][d] for i in range(length))
            for k, step in enumerate(steps, start=1):
                self.model.add(count >= k).only_enforce_if(step)
                self.model.add(count < k).only_enforce_if(step.Not())
        self.holds: Any = []
        """For each row a switch that makes the row hold."""
        for r, row in enumerate(rows):
            switch = self.model.new_bool_var(f"row{r}")
            self._add_row(row, switch)
            self.holds.append(switch)

    def _add_row(self, row: Row, switch: Any) -> None:
        guess, (full, partial) = row
        in_place = sum(self.digit[i][d] for i, d in enumerate(guess))
        in_all = sum(
            step for d, times in Counter(guess).items() for step in self._at_least[d][:times]
        )
        self.model.add(in_place == full).only_enforce_if(switch)
        self.model.add(in_all == full + partial).only_enforce_if(switch)

    def near(self, code: Code, closest: int, farthest: int) -> None:
        """Allow only codes that differ from this one in ``closest`` to ``farthest`` places."""
        kept = sum(self.digit[i][d] for i, d in enumerate(code))
        self.model.add(kept <= self.length - closest)
        self.model.add(kept >= self.length - farthest)

    def hint(self, code: Code) -> None:
        """Let the search begin at this code."""
        for choices, d in zip(self.digit, code, strict=True):
            for value, choice in enumerate(choices):
                self.model.add_hint(choice, value == d)

    def solve(self, patience: float = PATIENCE) -> tuple[Found, list[int]]:
        """Search for a code; if there is none, also return the assumptions that clash."""
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = patience
        status = solver.solve(self.model)
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            code = tuple(
                next(d for d, choice in enumerate(choices) if solver.value(choice))
                for choices in self.digit
            )
            return Found(code, True), []
        if status == self._cp.INFEASIBLE:
            core = set(solver.sufficient_assumptions_for_infeasibility())
            return Found(None, True), [r for r, s in enumerate(self.holds) if s.index in core]
        return Found(None, False), []


def another_code(base: int, length: int, rows: Sequence[Row], but: Code) -> Found:
    """Search for a code other than ``but`` that fits the rows; first near it, then anywhere.

    ``settled`` without a code: no other one fits.
    """
    for farthest in (4, 8, length):
        if farthest > length:
            continue
        question = BoardQuestion(base, length, rows)
        question.model.add_bool_and(question.holds)
        question.near(but, 1, farthest)
        question.hint(but)
        found, _ = question.solve()
        if found.code is not None or farthest == length:
            return found
    raise AssertionError("the last distance is the length itself")


def refuted(base: int, length: int, rows: Sequence[Row]) -> list[int] | None:
    """Return rows, counted from 0, that no code fits together; ``None`` if none were found."""
    question = BoardQuestion(base, length, rows)
    question.model.add_assumptions(question.holds)
    found, core = question.solve()
    return core if found.code is None and found.settled else None
