"""Scoring guesses at native speed.

Two forms of the one rule (`fairground.games.codebreaking.rules.marks`), held to it by
tests. With ``base * length`` up to 64, a code is two machine words:

* *places*: bit ``digit * length + position`` is set for every digit of the code;
* *tally*: for each digit value, as many of its ``length`` bits as it occurs.

The full matches of two codes are the common bits of their places, and all the
matches the common bits of their tallies: two ANDs and two bit counts. Beyond 64
bits, codes are rows of bytes, compared place by place and tallied.

An answer (full, partial) is one small number here: ``full * (length + 1) + partial``.

Functions that can take long release Python's lock (``nogil``): a keeper or a player that thinks
in a thread must not hold up everybody else in the process.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Answers = npt.NDArray[np.uint16]
Numbers = npt.NDArray[np.uint32]

WORD: Final = 64
"""Bits of a machine word: spaces with ``base * length`` up to this are scored by bit masks."""


def _popcount(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


popcount: Any = intrinsic(_popcount)
"""Return the number of set bits of a word: one machine instruction, in compiled code only."""


@njit(cache=True)
def spell(number: int, base: int, length: int, out: Bytes) -> None:
    """Write the digits of a number, most significant first."""
    for i in range(length - 1, -1, -1):
        out[i] = number % base
        number //= base


@njit(cache=True, nogil=True)
def every_code(base: int, length: int) -> Bytes:
    """Return all codes as rows of bytes, in the order of their numbers."""
    codes = np.empty((base**length, length), np.uint8)
    for number in range(len(codes)):
        spell(number, base, length, codes[number])
    return codes


@njit(cache=True, nogil=True)
def pack(codes: Bytes, base: int) -> tuple[Words, Words]:
    """Return the two words of every code: places and tally."""
    n, length = codes.shape
    places = np.zeros(n, np.uint64)
    tallies = np.zeros(n, np.uint64)
    count = np.zeros(base, np.int64)
    for k in range(n):
        count[:] = 0
        for i in range(length):
            digit = np.int64(codes[k, i])
            places[k] |= np.uint64(1) << np.uint64(digit * length + i)
            tallies[k] |= np.uint64(1) << np.uint64(digit * length + count[digit])
            count[digit] += 1
    return places, tallies


@njit(cache=True, nogil=True)
def answers_general(guess: Bytes, codes: Bytes, base: int, out: npt.NDArray[np.uint16]) -> None:
    """Write the answer of every code to one guess, at any base and length."""
    n, length = codes.shape
    wanted = np.zeros(base, np.int16)
    for i in range(length):
        wanted[guess[i]] += 1
    left = wanted.copy()
    for k in range(n):
        full = 0
        common = 0
        for i in range(length):
            digit = codes[k, i]
            full += digit == guess[i]
            common += left[digit] > 0
            left[digit] -= 1
        for i in range(length):
            left[codes[k, i]] = wanted[codes[k, i]]
        out[k] = full * length + common


class Halves(NamedTuple):
    """Tables of one guess for every beginning and every ending of a code.

    A code's number splits into a head and a tail. The matches of each head are counted once. The
    digits of the guess that the head did not match form a tally. The bits that it has in common
    with the tail's tally are the tail's matches. Only digits of the guess have a field in a tally,
    so it fits one word in every space of at most 2^24 codes.
    """

    tails: int
    head_full: Answers
    head_common: Answers
    head_left: Words
    tail_full: Answers
    tail_tally: Words


@njit(cache=True, nogil=True)
def _halves(
    guess: Bytes, base: int, head: int
) -> tuple[int, Answers, Answers, Words, Answers, Words]:
    length = len(guess)
    tail = length - head
    field = np.full(base, -1, np.int64)
    wanted = np.zeros(length, np.int64)
    fields = 0
    for i in range(length):
        if field[guess[i]] < 0:
            field[guess[i]] = fields
            fields += 1
        wanted[field[guess[i]]] += 1
    heads = base**head
    tails = base**tail
    head_full = np.zeros(heads, np.uint16)
    head_common = np.zeros(heads, np.uint16)
    head_left = np.zeros(heads, np.uint64)
    tail_full = np.zeros(tails, np.uint16)
    tail_tally = np.zeros(tails, np.uint64)
    part = np.zeros(length, np.uint8)
    count = np.zeros(length, np.int64)
    for number in range(heads):
        spell(number, base, head, part)
        count[:] = 0
        for i in range(head):
            head_full[number] += part[i] == guess[i]
            if field[part[i]] >= 0:
                count[field[part[i]]] += 1
        for f in range(fields):
            used = min(count[f], wanted[f])
            head_common[number] += used
            rest = (np.uint64(1) << np.uint64(wanted[f] - used)) - np.uint64(1)
            head_left[number] |= rest << np.uint64(f * length)
    for number in range(tails):
        spell(number, base, tail, part)
        count[:] = 0
        for i in range(tail):
            tail_full[number] += part[i] == guess[head + i]
            f = field[part[i]]
            if f >= 0:
                tail_tally[number] |= np.uint64(1) << np.uint64(f * length + count[f])
                count[f] += 1
    return tails, head_full, head_common, head_left, tail_full, tail_tally


def halves(guess: Bytes, base: int) -> Halves:
    """Return the tables of one guess; the tail is the longer half."""
    return Halves(*_halves(guess, base, len(guess) // 2))


@njit(cache=True, nogil=True)
def sizes_of_all(h: Halves, length: int) -> Ints:
    """Return how many of *all* codes give each answer, without listing them."""
    sizes = np.zeros((length + 1) * (length + 1), np.int64)
    for a in range(len(h.head_full)):
        start = h.head_full[a] * length + h.head_common[a]
        left = h.head_left[a]
        for b in range(h.tails):
            common = popcount(left & h.tail_tally[b])
            sizes[start + h.tail_full[b] * length + np.int64(common)] += 1
    return sizes


@njit(cache=True, nogil=True)
def answers_of(h: Halves, numbers: Numbers, length: int, out: Answers) -> None:
    """Write the answer of every listed code, given by its number."""
    for k in range(len(numbers)):
        a = numbers[k] // h.tails
        b = numbers[k] % h.tails
        common = h.head_common[a] + popcount(h.head_left[a] & h.tail_tally[b])
        full = h.head_full[a] + h.tail_full[b]
        out[k] = full * length + common


@njit(cache=True, nogil=True)
def codes_answering(h: Halves, length: int, answer: int, room: int) -> Numbers:
    """Return the numbers of the first ``room`` codes that give this answer; so many must exist."""
    numbers = np.empty(room, np.uint32)
    found = 0
    for a in range(len(h.head_full)):
        start = h.head_full[a] * length + h.head_common[a]
        left = h.head_left[a]
        for b in range(h.tails):
            common = popcount(left & h.tail_tally[b])
            if start + h.tail_full[b] * length + np.int64(common) == answer:
                numbers[found] = a * h.tails + b
                found += 1
                if found == room:
                    return numbers
    return numbers
