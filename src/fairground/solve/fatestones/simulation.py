"""FateStones at native speed: whole games from the same tape that the rules read.

A kernel that simulates is a second set of rules. So this one reads the same tape as the rules
(lane 0 for the deal and the rolls, lane 1 + seat for a player's own chance), and its games can be
compared with those of the rules one by one. The simulator does so with a sample of every run.

Only players whose choice is a short integer computation are here: `RANDOM` and `GREEDY`.
A game is one deal; a scratch ends it.

Importing this module imports Numba; do it only where it is needed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.solve.tape import BLOCK, KEY, LANE, LEAF, REGISTERS, SPARE, below, philox, rewind

RANDOM: Final = 0
GREEDY: Final = 1

COLUMNS: Final = 10
PADDED: Final = 12
"""Cells of a row of the kernel, of which the last two mean nothing."""

BATCH: Final = 256
"""Games whose first blocks are made at once: small enough to stay in the nearest cache."""

NONE: Final = -1
"""No die at this place."""

Rows = NDArray[np.int16]


@njit(cache=True)
def first_blocks(first: int, lane: int, key: Any, out: Any) -> None:
    """Block 0 of many games' tapes: a plain loop, which runs many games abreast."""
    k0, k1 = key[0], key[1]
    for g in range(out.shape[1]):
        out[0, g], out[1, g] = philox(0, first + g, lane, k0, k1)


@njit(cache=True)
def greedy(score: Any, hands: Any, seat: int, k: int) -> Any:
    """The pick of `fairground.solve.fatestones.choices.greedy_pick`.

    Of dice with equal promise the smaller one is taken (the last column of ``score`` is the
    die itself), and of equal dice the first in the hand.
    """
    pick, best = 0, -1
    for i in range(k):
        total = 0
        for j in range(k):
            total += score[hands[seat, i], hands[1 - seat, j]]
        mine, other = score[hands[seat, i], -1], score[hands[seat, pick], -1]
        if total > best or (total == best and mine < other):
            pick, best = i, total
    return pick


@LEAF
def play_alone(  # noqa: PLR0917 - arrays in a tuple would be counted anew at each call
    game: int, kinds: Any, faces: Any, score: Any, rows: Any, done: int, room: Any
) -> Any:
    """Play one game from its first byte on, draw by draw; return the number of rows."""
    tapes, data, hands, drawn = room
    n = faces.shape[0] // 6
    for lane in range(3):
        rewind(tapes[lane], game)
    for d in range(6):
        value = below(n - d, tapes[0], data[0])
        drawn[d] = value
        # From a place among the dice left back to a place in the full bag.
        for before in range(d - 1, -1, -1):
            value += value >= drawn[before]
        hands[d & 1, d >> 1] = value
    for k in range(3, 0, -1):
        for seat in range(2):
            for i in range(3):
                rows[done, 3 * seat + i] = hands[seat, i] if i < k else NONE
            if kinds[seat] == RANDOM:
                pick = below(k, tapes[1 + seat], data[1 + seat])
            else:
                pick = greedy(score, hands, seat, k)
            rows[done, 6 + seat] = pick
        for seat in range(2):
            value = below(6, tapes[0], data[0])
            rows[done, 8 + seat] = faces[6 * hands[seat, rows[done, 6 + seat]] + value]
        done += 1
        if rows[done - 1, 8] != rows[done - 1, 9]:
            break
        for seat in range(2):
            for i in range(rows[done - 1, 6 + seat], k - 1):
                hands[seat, i] = hands[seat, i + 1]
    return done


@njit(cache=True, forceinline=True)
def peek(high: Any, low: Any, at: Any) -> Any:
    """Byte number ``at`` of a block of 16."""
    half = high if at < np.uint64(8) else low
    shift = (np.uint64(7) - (at & np.uint64(7))) * np.uint64(8)
    return (half >> shift) & np.uint64(255)


@njit(cache=True)
def draw_abreast(n: int, size: int, lane: Any, out: Any, unsure: Any) -> None:
    """``below(n)`` for the first games of a batch, without a branch; n up to 256.

    A byte that must be drawn again is replaced by the next one, and once more. Where that
    is not enough, or the first 16 bytes are used up, the game is marked as unsure.
    """
    if n == 1:
        out[:] = 0  # there is nothing to draw, and nothing is read
        return
    block, at = lane
    of, limit = np.uint64(n), np.uint64(256 - 256 % n)
    inverse = np.uint64(65536 // n + 1)  # exact for one byte: no slow division
    one = np.uint64(1)
    for g in range(size):
        byte = peek(block[0, g], block[1, g], at[g])
        second = peek(block[0, g], block[1, g], at[g] + one)
        third = peek(block[0, g], block[1, g], at[g] + np.uint64(2))
        at[g] += one
        at[g] += one if byte >= limit else np.uint64(0)
        at[g] += one if byte >= limit and second >= limit else np.uint64(0)
        byte = second if byte >= limit else byte
        byte = third if byte >= limit else byte
        unsure[g] |= one if byte >= limit or at[g] > np.uint64(16) else np.uint64(0)
        out[g] = byte - ((byte * inverse) >> np.uint64(16)) * of


@njit(cache=True, forceinline=True)
def lift(place: Any, taken: Any) -> Any:
    """A place among the dice that are left → the same die's place before one was taken."""
    return place + (np.uint64(1) if place >= taken else np.uint64(0))


@njit(cache=True)
def place_abreast(size: int, d: Any, hands: Any) -> None:
    """The hands that six drawn numbers deal, for a whole batch."""
    for g in range(size):
        a, b, c = d[0, g], d[1, g], d[2, g]
        e, f, h = d[3, g], d[4, g], d[5, g]
        hands[0, g] = a
        hands[3, g] = lift(b, a)
        hands[1, g] = lift(lift(c, b), a)
        hands[4, g] = lift(lift(lift(e, c), b), a)
        hands[2, g] = lift(lift(lift(lift(f, e), c), b), a)
        hands[5, g] = lift(lift(lift(lift(lift(h, f), e), c), b), a)


@njit(cache=True, forceinline=True)
def chosen(pick: Any, first: Any, second: Any, third: Any) -> Any:
    """One of three, without a branch."""
    early = second if pick == np.uint64(1) else first
    return third if pick == np.uint64(2) else early


@njit(cache=True)
def roll_abreast(size: int, hand: Any, pick: Any, roll: Any, faces: Any) -> None:
    """From numbers of faces to faces, for one seat of a whole batch."""
    for g in range(size):
        roll[g] += np.uint64(6) * chosen(pick[g], hand[0, g], hand[1, g], hand[2, g])
    for g in range(size):
        roll[g] = faces[roll[g]]


@njit(cache=True)
def write_abreast(size: int, places: Any, picks: Any, rolls: Any, words: Any) -> None:
    """The rows of a round as words: four cells of 16 bits in each."""
    low, middle, top = np.uint64(16), np.uint64(32), np.uint64(48)
    for g in range(size):
        hand = places[0, g] | places[1, g] << low | places[2, g] << middle
        words[0, g] = hand | places[3, g] << top
    for g in range(size):
        moves = picks[0, g] << middle | picks[1, g] << top
        words[1, g] = places[4, g] | places[5, g] << low | moves
    for g in range(size):
        words[2, g] = rolls[0, g] | rolls[1, g] << low


@njit(cache=True)
def take_abreast(size: int, hand: Any, pick: Any) -> None:
    """Take the picked die out of a hand, for one seat of a whole batch."""
    for g in range(size):
        first, second, third = hand[0, g], hand[1, g], hand[2, g]
        hand[0, g] = second if pick[g] == np.uint64(0) else first
        hand[1, g] = second if pick[g] == np.uint64(2) else third
        hand[2, g] = np.uint64(0xFFFF)


@njit(cache=True, forceinline=True)
def rolled_even(word: Any) -> Any:
    """Whether the two faces in the last word of a row are the same."""
    return word & np.uint64(0xFFFF) == word >> np.uint64(16)


class Workspace(NamedTuple):
    """What a simulation depends on, as arrays."""

    kinds: Any
    """`RANDOM` or `GREEDY` for each seat."""
    key: Any
    faces: Any
    """Six faces for each die of the bag, whose dice are in ascending order."""
    score: Any
    """``score[a, b]``: win plus half a tie of die a against die b, in 72nds; and in the last
    column the die itself as a number such as 123456."""
    rows: Rows
    """Positions in the bag (or `NONE`), picks, faces; three rows for each game."""


def workspace_for(
    kinds: Any, key: tuple[int, int], score: Any, bag: list[int], games: int
) -> Workspace:
    """A workspace with rows for so many games.

    Rows are padded, so that one of them is three words of 64 bits.
    """
    return Workspace(
        np.array(kinds, dtype=np.int64),
        np.array(key, dtype=np.uint64),
        np.array([int(face) for die in bag for face in str(die)], dtype=np.int64),
        np.array([[*row, die] for row, die in zip(score, bag, strict=True)], dtype=np.int64),
        np.zeros((3 * games, PADDED), dtype=np.int16),
    )


@njit(cache=True)
def keep_tied(size: int, words: Any, games: Any, at: Any) -> int:
    """Move the games that go on to the front of the batch; return how many there are.

    ``at[g]`` says where game g went.
    """
    kept = 0
    for g in range(size):
        if rolled_even(words[g]):
            for i in range(games.shape[0]):
                games[i, kept] = games[i, g]
            at[g] = kept
            kept += 1
    return kept


@njit(cache=True)
def play(first: int, count: int, workspace: Any) -> int:
    """Play games ``first`` to ``first + count - 1``; fill the rows; return how many rounds.

    Many games are played abreast. After each round those that are decided drop out. The few
    that are unsure are played again alone.
    """
    kinds, key, faces, score, rows = workspace
    n = faces.shape[0] // 6
    packed = rows.view(np.uint64)
    # All that a game needs for its next round: hands, and for each lane a block and a place in it.
    games = np.zeros((15, BATCH), np.uint64)
    places, blocks, at = games[:6], games[6:12].reshape(3, 2, BATCH), games[12:]
    words, drawn = np.zeros((3, 3, BATCH), np.uint64), np.empty((6, BATCH), np.uint64)
    rolls, went = np.empty((2, BATCH), np.uint64), np.zeros((3, BATCH), np.int64)
    picks, unsure = np.zeros((2, BATCH), np.uint64), np.zeros((3, BATCH), np.uint64)
    hands = np.empty((2, 3), np.int64)
    tapes, data = np.zeros((3, REGISTERS), np.int64), np.zeros((3, SPARE + BLOCK), np.uint8)
    for lane in range(3):
        tapes[lane, LANE] = lane
        tapes[lane, KEY], tapes[lane, KEY + 1] = key[0], key[1]
    room = (tapes, data, np.empty((2, 3), np.int64), np.empty(6, np.int64))
    done = 0
    for start in range(first, first + count, BATCH):
        size = left = min(BATCH, first + count - start)
        at[:] = 0
        unsure[:] = 1 if n > 256 else 0
        if n <= 256:
            for lane in range(3):
                if lane == 0 or kinds[lane - 1] == RANDOM:
                    first_blocks(start, lane, key, blocks[lane])
            for d in range(6):
                draw_abreast(n - d, left, (blocks[0], at[0]), drawn[d], unsure[0])
            place_abreast(left, drawn, places)
            for k in range(3, 0, -1):
                doubt = unsure[3 - k]
                for seat in range(2):
                    draw_abreast(6, left, (blocks[0], at[0]), rolls[seat], doubt)
                    if kinds[seat] == RANDOM:
                        own = blocks[1 + seat], at[1 + seat]
                        draw_abreast(k, left, own, picks[seat], doubt)
                        continue
                    for g in range(left):
                        for i in range(6):
                            hands[i // 3, i % 3] = places[i, g]
                        picks[seat, g] = greedy(score, hands, seat, k)
                for seat in range(2):
                    hand = places[3 * seat : 3 * seat + 3]
                    roll_abreast(left, hand, picks[seat], rolls[seat], faces)
                write_abreast(left, places, picks, rolls, words[3 - k])
                for seat in range(2):
                    take_abreast(left, places[3 * seat : 3 * seat + 3], picks[seat])
                if k > 1:
                    left = keep_tied(left, words[3 - k, 2], games, went[3 - k])
        for g in range(size):
            begin, here = done, g
            for r in range(3):
                if unsure[r, here]:
                    done = play_alone(start + g, kinds, faces, score, rows, begin, room)
                    break
                packed[done, 0] = words[r, 0, here]
                packed[done, 1] = words[r, 1, here]
                packed[done, 2] = words[r, 2, here]
                done += 1
                if not rolled_even(words[r, 2, here]):
                    break
                here = went[r, here]
    return done


@njit(cache=True)
def as_csv(workspace: Any, count: int, out: NDArray[np.uint8]) -> int:
    """Write rows as text lines of ten columns; ``out`` needs 51 bytes for each row."""
    rows, faces = workspace.rows, workspace.faces
    at = 0
    for r in range(count):
        for column in range(COLUMNS):
            cell = np.int64(rows[r, column])
            if column >= 6:
                out[at] = 48 + cell
                at += 1
            elif cell != NONE:
                for f in range(6):
                    out[at + f] = 48 + faces[6 * cell + f]
                at += 6
            out[at] = 44 if column < COLUMNS - 1 else 10
            at += 1
    return at
