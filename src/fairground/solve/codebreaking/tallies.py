"""How often each digit may occur: every possibility that the answers leave, with its weight.

Full and partial matches together do not depend on the places: they are the sum, over the digits,
of what code and guess have in common. So the *counts* of the digits can be found apart from their
order.

All counts of a hundred digits are far too many to list. Those of the dozen digits that were asked
so far are not. A digit joins the list when it is asked for the first time. Each answer strikes out
what does not fit; what is known for certain costs no room any more. So the hunt asks few new
digits in each guess, and the list stays short.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2
from typing import Final

import numpy as np
import numpy.typing as npt
from numba import njit

from fairground.solve.codebreaking.kernels import Bytes, Ints, Words
from fairground.solve.codebreaking.pool import Floats, unit, word
from fairground.solve.tape import copy

MOST: Final = 100_000
"""Possibilities that are kept: the likeliest ones."""

ROOM: Final = 1_000_000
"""Possibilities that are looked at after an answer."""

DROPPED: Final = 3e-5
"""The weight of all that is struck out after an answer because it is unlikely."""

NEW: Final = 16
"""New digits that one guess may have. More are too many ways to share an answer among them."""

MARGINS: Final = (14.0, 10.0, 7.0)
"""Possibilities lighter than the heaviest by a factor of e to this are not looked at."""

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
    """Every way to share the answer among the listed and the new digits; -1: too many.

    The weight of a possibility is the number of codes that have these counts, as a logarithm.
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
    """So many possibilities, each as often as its weight says, in any order."""
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
    """What is known about the counts of the digits."""

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
        """What the count of one digit tells, in bits, before anything is known."""

    def keep(self, guess: Sequence[int], common: int) -> bool:
        """Strike out what does not fit an answer; false: what is left cannot be listed."""
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
        """How much is unknown about the digits that were asked."""
        return float(-(self._weights * np.log2(self._weights)).sum())

    def certain(self) -> Flags:
        """Of which digits the count is known."""
        known: Flags = self.seen & (self._counts.min(axis=0) == self._counts.max(axis=0))
        return known

    def draw(self, wanted: int, chance: Words) -> Bytes:
        """Counts of all digits, as likely as they are."""
        upto = np.cumsum(self._weights)
        return _draw(self._counts, upto, self.seen, self.length, wanted, chance)
