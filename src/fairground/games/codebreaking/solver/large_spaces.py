"""Guesses in a space that is too large to list, such as 40 digits in base 100.

`LargeSpaceSearch` finds out which digits the code has before it knows their places, and learns
about the places on the way. Before each guess:

* `Tallies` lists the possible counts of the digits. A few new digits join at a time.
* A sample of *candidates* stands for the codes that fit. Each has counts drawn from the list, and
  exchanges places until its full matches fit, too.
* The guess is the one whose answer has the most entropy over the sample. It need not fit. It mixes
  digits of unknown count with known ones, in their likely places.
* Once the sample has few different codes left, the guess is one of them.

The counts cannot always be listed: not after the guesses of another player. Then, and when no
candidate fits, and in bases with few digits, parallel tempering (`sets.temper`) looks for codes
that fit, and the most informative one is asked.

**Counts.** Full and partial matches together do not depend on the places: they are the sum, over
the digits, of the common counts of code and guess. So counts can be found apart from the order. All
counts of a hundred digits are too many to list; those of the dozen digits asked so far are not. A
digit joins the list when it is first asked, each answer strikes out counts that do not fit, and
known counts take no room. So the list stays short.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.games.codebreaking.rules import Code, Row
from fairground.games.codebreaking.solver.scoring import Bytes, Ints, Words
from fairground.games.codebreaking.solver.sets import (
    TEMPERATURES,
    Floats,
    layout,
    scaled,
    spread,
    temper,
    unit,
    word,
)
from fairground.games.compiled import copy

ROUNDS: Final = 2000
"""Steps in which a candidate mixes before each guess; tempering takes twice as many rounds."""

CANDIDATES: Final = 400
"""Number of candidates that represent all codes that fit."""

SAMPLES: Final = 2000
"""Number of sampled counts when the digits of a guess are chosen."""

WINDOW: Final = 15.5
"""Bits that may be unknown about the counts of the digits asked: this limits new digits."""

MANY: Final = 40
"""Bits of the counts of all digits from which on they are found first; with fewer it did not
pay."""

REPEATS: Final = 3
"""Maximum number of times that a guess has a digit of unknown count."""

PRICE: Final = 0.015
"""Bits that a known digit tells about its place beyond one of unknown count."""

FEW: Final = 30
"""Number of different candidates from which on one of them is asked."""

CATCH: Final = 24
"""Number of fitting codes at which tempering ends."""


class LargeSpaceSearch:
    """The guesses of one game; the same rows lead to the same guesses."""

    def __init__(self, base: int, length: int, seed: int, rounds: int = ROUNDS) -> None:
        self.base = base
        self.length = length
        self.rounds = rounds
        self._seed = seed
        self._begin()

    def _begin(self) -> None:
        self._chance = np.array([self._seed], np.uint64)
        self._rows: tuple[Row, ...] = ()
        tallies = Tallies(self.base, self.length)
        many = self.base * tallies.surprise > MANY
        self._tallies: Tallies | None = tallies if many else None
        drawn = tallies.draw(CANDIDATES, self._chance)
        self._candidates = np.zeros((CANDIDATES, self.length), np.uint8)
        for code, counts in zip(self._candidates, drawn, strict=True):
            retally(code, counts, self._chance)
        self._temperatures = np.geomspace(*TEMPERATURES)
        self._replicas = self._candidates[: len(self._temperatures)].copy()

    def next(self, rows: Sequence[Row]) -> Code | None:
        """Return a guess that was not asked before; ``None`` when all codes were asked."""
        asked = {row.guess for row in rows}
        if len(asked) == self.base**self.length:
            return None
        self._learn(tuple(rows))
        guess = tuple(map(int, self._choose()))
        while guess in asked:
            place = int(scaled(word(self._chance), self.length))
            digit = int(scaled(word(self._chance), self.base))
            guess = (*guess[:place], digit, *guess[place + 1 :])
        return guess

    def _learn(self, rows: tuple[Row, ...]) -> None:
        """Strike out the counts that do not fit, and adapt the candidates."""
        if self._rows != rows[: len(self._rows)]:
            self._begin()
        for row in rows[len(self._rows) :]:
            if self._tallies and not self._tallies.keep(row.guess, sum(row.marks)):
                self._tallies = None
            if self._tallies:
                drawn = self._tallies.draw(CANDIDATES, self._chance)
                guess = np.array(row.guess, np.uint8)
                regroup(self._candidates, drawn, guess, sum(row.marks), self._chance)
        self._rows = rows

    def _choose(self) -> Bytes:
        """Return the most informative guess for the known codes that fit."""
        fitting = self._fitting()
        if self._tallies is None or not len(fitting):
            return self._temper()
        if len(fitting) <= FEW:
            return self._telling(fitting)
        guess, digits = self._draft(self._tallies)
        improve(guess, digits, fitting, tallied(fitting, self.base))
        return guess

    def _fitting(self) -> Bytes:
        """Return the different candidates that fit."""
        if self._tallies is None or not self._rows:
            return self._candidates
        guesses = np.array([row.guess for row in self._rows], np.uint8)
        full = np.array([row.marks[0] for row in self._rows], np.int64)
        strains = settle(guesses, full, self.base, self._candidates, self.rounds, self._chance)
        fitting: Bytes = np.unique(self._candidates[strains == 0], axis=0)
        return fitting

    def _draft(self, tallies: Tallies) -> tuple[Bytes, Ints]:
        """Return a guess with informative digits in any order, and the digits that it may have.

        The remaining places go to the digits that are likely to occur most.
        """
        certain = tallies.certain()
        unseen = np.flatnonzero(~tallies.seen)
        new = int((WINDOW - tallies.bits()) / tallies.surprise)
        new = min(max(new, 1), NEW, len(unseen))
        unsure = np.concatenate([np.flatnonzero(tallies.seen & ~certain), unseen[:new]])
        samples = tallies.draw(SAMPLES, self._chance)
        mean = samples.mean(axis=0)
        asked = ask_for(samples, unsure, self.length, REPEATS, PRICE)
        digits = np.concatenate([unsure, np.flatnonzero(certain & (mean > 0))])
        digits = digits[np.argsort(-mean[digits], kind="stable")]
        likely = digits[: max(10, int((mean[digits] > 0.7).sum()))]
        left = self.length - int(asked.sum())
        guess = np.concatenate([np.repeat(np.arange(self.base), asked), np.resize(likely, left)])
        order = np.argsort([int(word(self._chance)) for _ in guess], kind="stable")
        return guess[order].astype(np.uint8), digits

    def _temper(self) -> Bytes:
        """Find codes that fit, or nearly, by parallel tempering; return the most informative."""
        at = layout(self.base, self.length, self._rows)
        if at.settled:
            right = next(row.guess for row in self._rows if sum(row.marks) == self.length)
            for replica in self._replicas:
                if sorted(replica) != sorted(right):
                    replica[:] = right
        catch = np.zeros((CATCH, self.length), np.uint8)
        found, closest, _ = temper(
            at, self._replicas, self._temperatures, 2 * self.rounds, self._chance, catch
        )
        return self._telling(catch[:found]) if found else closest

    def _telling(self, codes: Bytes) -> Bytes:
        """Return the code whose answer has the most information about these codes."""
        best: Bytes = codes[int(np.argmax(spread(codes, codes, self.base)))]
        return best


MOST: Final = 100_000
"""Maximum number of possibilities that are kept: the likeliest."""

ROOM: Final = 1_000_000
"""Maximum number of possibilities that are looked at after an answer."""

DROPPED: Final = 3e-5
"""Total weight of the unlikely possibilities that are dropped after an answer."""

NEW: Final = 16
"""Maximum number of new digits in a guess: more have too many ways to share an answer."""

MARGINS: Final = (14.0, 10.0, 7.0)
"""Possibilities lighter than the heaviest by a factor of e to this are ignored."""

Flags = npt.NDArray[np.bool_]


@njit(cache=True)
def _extend(  # noqa: PLR0917  # numba wants its arguments in order
    counts: Bytes,
    asked: Ints,
    news: Ints,
    unseen: int,
    length: int,
    total: int,
    margin: float,
    parents: Words,
    shares: Bytes,
    weights: Floats,
) -> int:
    """List every way to share the answer among listed and new digits; return -1 if too many.

    The weight of a possibility is the logarithm of the number of codes with these counts.
    """
    logs = np.zeros(length + 1)
    for n in range(2, length + 1):
        logs[n] = logs[n - 1] + np.log(n)
    fresh = len(news)
    found = 0
    heaviest = -1e300
    share = np.zeros(fresh + 1, np.int64)
    bound = np.zeros(fresh + 1)
    for k in range(len(counts)):
        need = total
        left = length
        bound[0] = 0.0
        for d in range(len(asked)):
            count = counts[k, d]
            left -= count
            bound[0] -= logs[count]
            need -= min(count, asked[d])
        if need < 0:
            continue
        # Depth first: ``share[j]`` of new digit j goes up from 0 until it is too much.
        j = 0
        share[0] = -1
        while j >= 0:
            if j < fresh:
                most = asked[news[j]]
                if share[j] >= 0:
                    left += share[j]
                    need += min(share[j], most)
                share[j] += 1
                if share[j] > left or min(share[j], most) > need:
                    j -= 1
                    continue
                left -= share[j]
                need -= min(share[j], most)
                bound[j + 1] = bound[j] - logs[share[j]]
                j += 1
                share[j] = -1
            # All codes that go on like this; no single way to go on can have more.
            others = unseen + fresh - j
            weight = bound[j] - logs[left] + (left * np.log(others) if others else 0.0)
            if weight < heaviest - margin or (left and not others):
                j -= 1
            elif j == fresh:
                if need == 0:
                    heaviest = max(heaviest, weight)
                    if found == len(weights):
                        return -1
                    parents[found] = k
                    for q in range(fresh):
                        shares[found, q] = share[q]
                    weights[found] = weight
                    found += 1
                j -= 1
    return found


@njit(cache=True)
def _draw(  # noqa: PLR0917
    counts: Bytes, upto: Floats, seen: Flags, length: int, wanted: int, chance: Words
) -> Bytes:
    """Draw possibilities in proportion to their weights."""
    out = np.empty((wanted, counts.shape[1]), np.uint8)
    unseen = np.array([d for d in range(counts.shape[1]) if not seen[d]])
    order = np.arange(wanted)
    for s in range(wanted - 1, 0, -1):
        t = np.int64(word(chance) % np.uint64(s + 1))
        order[s], order[t] = order[t], order[s]
    start = unit(chance)
    k = 0
    for s in range(wanted):
        while k < len(upto) - 1 and upto[k] < (s + start) / wanted:
            k += 1
        drawn = out[order[s]]
        copy(counts[k], drawn)
        for _ in range(length - counts[k].sum()):
            drawn[unseen[np.int64(word(chance) % np.uint64(len(unseen)))]] += 1
    return out


class Tallies:
    """The possible counts of the digits."""

    def __init__(self, base: int, length: int) -> None:
        self.base = base
        self.length = length
        self.seen: Flags = np.zeros(base, np.bool_)
        self._counts: Bytes = np.zeros((1, base), np.uint8)
        self._weights: Floats = np.ones(1)
        chances = [
            comb(length, n) * (base - 1) ** (length - n) / base**length for n in range(length + 1)
        ]
        self.surprise = -sum(p * log2(p) for p in chances if p)
        """Bits that the count of one digit tells at the start."""

    def keep(self, guess: Sequence[int], common: int) -> bool:
        """Strike out the counts that do not fit; return False if the rest cannot be listed."""
        asked = np.bincount(np.array(guess), minlength=self.base)
        news = np.flatnonzero((asked > 0) & ~self.seen)
        if len(news) > NEW:
            return False
        unseen = self.base - int(self.seen.sum()) - len(news)
        parents = np.empty(ROOM, np.uint64)
        shares = np.empty((ROOM, len(news)), np.uint8)
        weights = np.empty(ROOM)
        for margin in MARGINS:
            found = _extend(
                self._counts,
                asked,
                news,
                unseen,
                self.length,
                common,
                margin,
                parents,
                shares,
                weights,
            )
            if found >= 0:
                break
        if found <= 0:
            return False
        likely = np.exp(weights[:found] - weights[:found].max())
        likely /= likely.sum()
        order = np.argsort(-likely, kind="stable")[:MOST]
        kept = int(np.searchsorted(np.cumsum(likely[order]), 1 - DROPPED)) + 1
        order = order[:kept]
        self._counts = self._counts[parents[order]]
        self._counts[:, news] = shares[order]
        self._weights = likely[order] / likely[order].sum()
        self.seen[news] = True
        return True

    def bits(self) -> float:
        """Return the entropy of the counts of the asked digits, in bits."""
        return float(-(self._weights * np.log2(self._weights)).sum())

    def certain(self) -> Flags:
        """Return the mask of digits whose count is known."""
        known: Flags = self.seen & (self._counts.min(axis=0) == self._counts.max(axis=0))
        return known

    def draw(self, wanted: int, chance: Words) -> Bytes:
        """Draw counts of all digits in proportion to their weights."""
        upto = np.cumsum(self._weights)
        return _draw(self._counts, upto, self.seen, self.length, wanted, chance)


WARM: Final = 0.6
"""The temperature at which candidates mix."""

COLD: Final = 0.35
"""The temperature at which candidates look for a code that fits."""

PATIENCE: Final = 4
"""Ratio of steps that look for a code to steps that mix."""

TRIES: Final = 2
"""Maximum number of times that a candidate without a fitting code restarts from another one."""

REDRAWN: Final = 4
"""One candidate in this number gets new counts although its own fit."""


Narrow = npt.NDArray[np.uint32]
Offs = npt.NDArray[np.int32]


class Index(NamedTuple):
    """For each place and digit, the rows whose guess has it there.

    Every step of every candidate reads it. So its numbers are narrow, which keeps it in the cache,
    and unsigned, which saves a check for negative indices.
    """

    base: int
    starts: Narrow
    """``rows[starts[c]:starts[c + 1]]`` for ``c = place * base + digit``."""
    rows: Narrow


@njit(cache=True)
def index(guesses: Bytes, base: int) -> Index:
    """Sort the rows by place and digit."""
    rows, length = guesses.shape
    starts = np.zeros(length * base + 1, np.int64)
    for r in range(rows):
        for i in range(length):
            starts[i * base + guesses[r, i] + 1] += 1
    for c in range(length * base):
        starts[c + 1] += starts[c]
    at = starts.copy()
    listed = np.empty(rows * length, np.int64)
    for r in range(rows):
        for i in range(length):
            c = i * base + guesses[r, i]
            listed[at[c]] = r
            at[c] += 1
    return Index(base, starts.astype(np.uint32), listed.astype(np.uint32))


@njit(cache=True)
def offsets(guesses: Bytes, full: Ints, codes: Bytes) -> Offs:
    """Return [candidate, row] → error of the full matches."""
    off = np.empty((len(codes), len(guesses)), np.int32)
    for k in range(len(codes)):
        for r in range(len(guesses)):
            off[k, r] = (codes[k] == guesses[r]).sum() - full[r]
    return off


@njit(cache=True)
def _shift(at: Index, cell: Any, off: Offs, step: int) -> int:
    """Add to the matches of the rows of a place and digit; return the change of strain."""
    change = 0
    for q in range(at.starts[cell], at.starts[cell + np.uint64(1)]):
        r = at.rows[q]
        change += 1 if off[r] * step >= 0 else -1
        off[r] += step
    return change


@njit(cache=True)
def _stroll(  # noqa: PLR0917  # numba wants its arguments in order
    at: Index,
    code: Bytes,
    off: Offs,
    strain: int,
    steps: int,
    heat: float,
    seek: bool,
    chance: Words,
) -> int:
    """Take Metropolis steps, with ``seek`` only until the code fits; return the final strain."""
    length = len(code)
    base = np.uint64(at.base)
    accept = np.exp(-np.arange(64) / heat)
    for _ in range(steps):
        bits = word(chance)
        i = np.uint64(scaled(bits, length))
        j = np.uint64(scaled(bits >> np.uint64(16), length))
        a = code[i]
        b = code[j]
        if a == b:
            continue
        ia, ib = i * base + a, i * base + b
        ja, jb = j * base + a, j * base + b
        change = _shift(at, ia, off, -1) + _shift(at, jb, off, -1)
        change += _shift(at, ib, off, 1) + _shift(at, ja, off, 1)
        lot = np.float64(bits >> np.uint64(32)) * 2.0**-32
        if change <= 0 or lot < accept[min(change, 63)]:
            code[i] = b
            code[j] = a
            strain += change
            if seek and strain == 0:
                break
        else:
            _shift(at, ia, off, 1)
            _shift(at, jb, off, 1)
            _shift(at, ib, off, -1)
            _shift(at, ja, off, -1)
    return strain


@njit(cache=True, nogil=True)
def settle(  # noqa: PLR0917
    guesses: Bytes, full: Ints, base: int, codes: Bytes, steps: int, chance: Words
) -> Ints:
    """Let all candidates mix, and then look for codes that fit; return the strain of each.

    A candidate that finds none restarts from the code of one that did.
    """
    at = index(guesses, base)
    off = offsets(guesses, full, codes)
    strains = np.empty(len(codes), np.int64)
    for candidate in range(len(codes)):
        strains[candidate] = np.abs(off[candidate]).sum()
    who = np.arange(len(codes))
    for attempt in range(1 + TRIES):
        for k in who:
            strains[k] = _stroll(at, codes[k], off[k], strains[k], steps, WARM, False, chance)
            if strains[k]:
                strains[k] = _stroll(
                    at, codes[k], off[k], strains[k], steps * PATIENCE, COLD, True, chance
                )
        good = np.flatnonzero(strains == 0)
        who = np.flatnonzero(strains)
        if not len(good) or not len(who):
            break
        if attempt < TRIES:
            for k in who:
                other = good[np.int64(word(chance) % np.uint64(len(good)))]
                copy(codes[other], codes[k])
                copy(off[other], off[k])
                strains[k] = 0
    return strains


@njit(cache=True)
def retally(code: Bytes, counts: Bytes, chance: Words) -> None:
    """Give a code these counts of digits; a digit that may stay keeps its place."""
    length = len(code)
    order = np.arange(length)
    for s in range(length - 1, 0, -1):
        t = np.int64(word(chance) % np.uint64(s + 1))
        order[s], order[t] = order[t], order[s]
    lacking = counts.astype(np.int64)
    free = np.zeros(length, np.bool_)
    for i in order:
        if lacking[code[i]]:
            lacking[code[i]] -= 1
        else:
            free[i] = True
    d = 0
    for i in order:
        if free[i]:
            while not lacking[d]:
                d += 1
            code[i] = d
            lacking[d] -= 1


@njit(cache=True)
def tallied(codes: Bytes, base: int) -> Bytes:
    """Return [code, digit] → number of occurrences."""
    out = np.zeros((len(codes), base), np.uint8)
    for k in range(len(codes)):
        for digit in codes[k]:
            out[k, digit] += 1
    return out


@njit(cache=True)
def regroup(codes: Bytes, drawn: Bytes, guess: Bytes, common: int, chance: Words) -> None:
    """Give new counts to candidates that do not fit the newest row's total, and to some others."""
    base = drawn.shape[1]
    asked = tallied(guess.reshape(1, -1), base)[0]
    tallies = tallied(codes, base)
    for k in range(len(codes)):
        fits = np.minimum(tallies[k], asked).sum() == common
        if not fits or word(chance) % np.uint64(REDRAWN) == 0:
            retally(codes[k], drawn[k], chance)


SWEEPS: Final = 3
"""Number of passes over all places."""

LEAST: Final = 1e-9
"""Bits that a change must gain."""


@njit(cache=True)
def _scale(codes: int) -> Floats:
    """Return ``n * log2(n)`` for all numbers of codes."""
    table = np.zeros(codes + 1)
    for n in range(2, codes + 1):
        table[n] = n * np.log2(n)
    return table


@njit(cache=True)
def _entropy(counts: Ints, sizes: Ints, scale: Floats) -> float:
    """Return the entropy of a count over the sample, in bits."""
    sizes[:] = 0
    for count in counts:
        sizes[count] += 1
    load = 0.0
    for size in sizes:
        load += scale[size]
    return (scale[len(counts)] - load) / len(counts)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def ask_for(samples: Bytes, digits: Ints, length: int, most: int, price: float) -> Ints:
    """Choose how often to ask each of these digits, so that the total matches tell the most.

    ``samples`` are counts of all digits. A used place costs ``price`` bits.
    """
    asked = np.zeros(samples.shape[1], np.int64)
    totals = np.zeros(len(samples), np.int64)
    trial = np.zeros(len(samples), np.int64)
    sizes = np.zeros(length + 1, np.int64)
    scale = _scale(len(samples))
    used = 0
    best = 0.0
    better = True
    sweep = 0
    while better and sweep < 2 * SWEEPS:
        better = False
        sweep += 1
        for d in digits:
            old = asked[d]
            kept = old
            for new in range(most + 1):
                if new == old or used - old + new > length:
                    continue
                for s in range(len(samples)):
                    count = samples[s, d]
                    trial[s] = totals[s] - min(count, old) + min(count, new)
                gain = _entropy(trial, sizes, scale) - price * (used - old + new)
                if gain > best + LEAST:
                    best = gain
                    kept = new
            if kept != old:
                for s in range(len(samples)):
                    totals[s] += min(samples[s, d], kept) - min(samples[s, d], old)
                used += kept - old
                asked[d] = kept
                better = True
    return asked


class _Sample(NamedTuple):
    """The codes, with the answer of each to the current guess, and memory for trials."""

    codes: Bytes
    tallies: Bytes
    full: Ints
    common: Ints
    next_full: Ints
    next_common: Ints
    sizes: Ints
    scale: Floats


@njit(cache=True)
def _told(at: _Sample) -> float:
    """Return the information in the answer to the tried guess, in bits."""
    of_full = _entropy(at.next_full, at.sizes, at.scale)
    return of_full + _entropy(at.next_common, at.sizes, at.scale)


@njit(cache=True)
def _rewrite(at: _Sample, asked: Ints, i: int, a: int, b: int) -> None:
    """Try the digit b instead of a in place i."""
    for k in range(len(at.codes)):
        here = at.codes[k, i]
        at.next_full[k] = at.full[k] + (here == b) - (here == a)
        less = at.tallies[k, a] >= asked[a]
        at.next_common[k] = at.common[k] + (at.tallies[k, b] > asked[b]) - less


@njit(cache=True)
def _exchange(at: _Sample, guess: Bytes, i: int, j: int) -> None:
    """Try to exchange two places."""
    a = guess[i]
    b = guess[j]
    for k in range(len(at.codes)):
        x = at.codes[k, i]
        y = at.codes[k, j]
        at.next_full[k] = at.full[k] + (x == b) - (x == a) + (y == a) - (y == b)


@njit(cache=True, nogil=True)
def improve(guess: Bytes, digits: Ints, codes: Bytes, tallies: Bytes) -> None:
    """Improve a guess by hill climbing on its information about the codes; use these digits."""
    n, length = codes.shape
    asked = np.zeros(tallies.shape[1], np.int64)
    for d in guess:
        asked[d] += 1
    room = np.zeros((4, n), np.int64)
    sizes = np.zeros(length + 1, np.int64)
    at = _Sample(codes, tallies, room[0], room[1], room[2], room[3], sizes, _scale(n))
    for k in range(n):
        at.full[k] = (codes[k] == guess).sum()
        at.common[k] = np.minimum(tallies[k], asked).sum()
    at.next_full[:] = at.full
    at.next_common[:] = at.common
    best = _told(at)
    for _ in range(SWEEPS):
        before = best
        for i in range(length):
            a: Any = np.int64(guess[i])
            kept: Any = a
            for d in digits:
                if d == a:
                    continue
                _rewrite(at, asked, i, a, d)
                told = _told(at)
                if told > best + LEAST:
                    best = told
                    kept = d
            if kept != a:
                _rewrite(at, asked, i, a, kept)
                at.full[:] = at.next_full
                at.common[:] = at.next_common
                asked[a] -= 1
                asked[kept] += 1
                guess[i] = kept
            at.next_common[:] = at.common
            other = i
            for j in range(length):
                if guess[i] == guess[j]:
                    continue
                _exchange(at, guess, i, j)
                told = _told(at)
                if told > best + LEAST:
                    best = told
                    other = j
            if other != i:
                _exchange(at, guess, i, other)
                at.full[:] = at.next_full
                guess[i], guess[other] = guess[other], guess[i]
        if best <= before:
            break
