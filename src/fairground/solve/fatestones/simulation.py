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

from fairground.solve.tape import BLOCK, INLINE, LEAF, ONE_BYTE, below, new_tape, philox, rewind

RANDOM: Final = 0
GREEDY: Final = 1

COLUMNS: Final = 10
PADDED: Final = 12
"""Cells of a row of the kernel, of which the last two mean nothing."""

BATCH: Final = 1536
"""Games that are played abreast: few enough to stay in a cache, and so many that those which
go on after a tie are many, too."""

NONE: Final = -1
"""No die at this place."""

LOST: Final = np.uint16(4)
"""A game that skipped so many bytes, or more, is played again alone."""

SKIPS: Final = 12
NEAR: Final = 13
"""Rows of `Room.cells`: the two hands are in 0-5, a player's picks by round in 6-8, the other's in
9-11; then how many bytes were skipped. What is needed for one round only begins at `NEAR`: bytes of
the tape, and behind them what was drawn or rolled."""
OPEN: Final = 2
"""The row behind two rows of rolls: whether the game is still open."""

Rows = NDArray[np.int16]


@LEAF
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
    """Play one game draw by draw, into rows from number ``done`` on; return how many."""
    tapes, data, hands, drawn = room.tapes, room.data, room.hands, room.drawn
    n, first = len(faces) // 6, done
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
    return done - first


@LEAF
def blocks_abreast(first: int, lane: int, key: Any, words: Any) -> None:
    """Block 0 of many games' tapes: a plain loop, which runs many games abreast."""
    k0, k1, low = key[0], key[1], np.uint64(0xFFFFFFFF)
    high = np.uint64(first) & ~low  # of all games here, so that less is to be multiplied
    for g in range(words.shape[1]):
        game = high | np.uint64(first + g) & low
        words[0, g], words[1, g] = philox(0, game, lane, k0, k1)


@LEAF
def bytes_abreast(size: int, words: Any, begin: int, out: Any) -> None:
    """Bytes of the games' blocks from number ``begin`` on: one for each row of ``out``."""
    for i in range(out.shape[0]):
        half, shift = words[(begin + i) // 8], np.uint64(56 - 8 * ((begin + i) % 8))
        for g in range(size):
            out[i, g] = half[g] >> shift & np.uint64(255)


@INLINE
def one_of(place: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The value at a place, without a branch."""
    value = b if place >= np.uint16(1) else a
    value = c if place >= np.uint16(2) else value
    return d if place >= np.uint16(3) else value


@LEAF
def draw_abreast(n: int, size: int, near: Any, skips: Any, out: Any) -> None:
    """``below(n)`` for the first games of a batch, without a branch; n from 2 to 256.

    ``near`` holds four bytes of each game: the next one is the first of them if the game has
    skipped none so far. A byte that must be drawn again is skipped, and so is the one after it.
    Where that is not enough, the game is `LOST`.
    """
    limit = np.uint16(256 - 256 % n)
    of, inverse = np.uint32(n), np.uint32(65536 // n + 1)  # exact for a byte: no slow division
    for g in range(size):
        a, b, c, d, skipped = near[0, g], near[1, g], near[2, g], near[3, g], skips[g]
        byte = one_of(skipped, a, b, c, d)
        for _ in range(2):
            skipped = np.uint16(skipped + np.uint16(byte >= limit))
            byte = one_of(skipped, a, b, c, d)
        skips[g] = skipped | (LOST if byte >= limit else np.uint16(0))
        out[g] = byte
    for g in range(size):
        out[g] -= (np.uint32(out[g]) * inverse >> np.uint32(16)) * of


@LEAF
def pick_abreast(size: int, words: Any, picks: Any, skips: Any) -> None:
    """The picks of a random player: one of three dice, then one of two, then the last."""
    byte = np.uint64(255)
    for g in range(size):
        word = words[0, g]
        one, two = word >> np.uint64(56), word >> np.uint64(48) & byte
        again = one == byte  # the only one that is drawn again
        drawn = two if again else one
        picks[0, g] = drawn - (drawn * np.uint64(171) >> np.uint64(9)) * np.uint64(3)
        picks[1, g] = (word >> np.uint64(40) if again else two) & np.uint64(1)
        picks[2, g] = 0
        skips[g] |= LOST if drawn == byte else np.uint16(0)


@INLINE
def lift(place: Any, taken: Any) -> Any:
    """A place among the dice that are left → the same die's place before one was taken."""
    return np.uint16(place + np.uint16(place >= taken))


@LEAF
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


@LEAF
def roll_abreast(size: int, hand: Any, pick: Any, roll: Any, faces: Any) -> None:
    """From numbers of faces to faces, for one seat of a whole batch."""
    for g in range(size):
        first, second, third = hand[0, g], hand[1, g], hand[2, g]
        # A sum, for a choice would become a branch, or a slow look into memory.
        die = first * (pick[g] == 0) + second * (pick[g] == 1) + third * (pick[g] == 2)
        roll[g] += np.uint16(6) * die
    for g in range(size):
        roll[g] = faces[roll[g]]


@LEAF
def write_abreast(size: int, places: Any, picks: Any, rolls: Any, words: Any) -> None:
    """The rows of a round as words: four cells of 16 bits in each."""
    low, middle, top = np.uint64(16), np.uint64(32), np.uint64(48)
    mine, theirs = picks
    for g in range(size):
        hand = places[0, g] | places[1, g] << low | places[2, g] << middle
        words[0, g] = hand | places[3, g] << top
    for g in range(size):
        moves = mine[g] << middle | theirs[g] << top
        words[1, g] = places[4, g] | places[5, g] << low | moves
    for g in range(size):
        words[2, g] = rolls[0, g] | rolls[1, g] << low


@LEAF
def take_abreast(size: int, hand: Any, pick: Any) -> None:
    """Take the picked die out of a hand, for one seat of a whole batch."""
    for g in range(size):
        first, second, third = hand[0, g], hand[1, g], hand[2, g]
        hand[0, g] = second if pick[g] == np.uint16(0) else first
        hand[1, g] = second if pick[g] == np.uint16(2) else third
        hand[2, g] = np.uint16(0xFFFF)


class Room(NamedTuple):
    """What the loop works with; columns are games of a batch."""

    cells: Any
    """Hands, picks and `skips`; then `near` bytes, and what was drawn."""
    words: Any
    """Blocks of the tapes; then rows of all three rounds, as they will be written."""
    lists: Any
    """Which games are in which round; which go on, which are lost; how many rounds each takes,
    and where its rows begin."""
    sizes: Any
    """How many games there are in each round."""
    lost_rows: Any
    tapes: Any
    data: Any
    hands: Any
    drawn: Any


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
    room: Room


def workspace_for(
    kinds: Any, key: tuple[int, int], score: Any, bag: list[int], games: int
) -> Workspace:
    """A workspace with rows for so many games.

    Rows are padded, so that one of them is three words of 64 bits.
    """
    tapes, data = zip(*(new_tape(key, lane) for lane in range(3)), strict=True)
    room = Room(
        np.zeros((NEAR + BLOCK + 6, BATCH), np.uint16),
        np.zeros((13, BATCH), np.uint64),
        np.zeros((8, BATCH + 1), np.int64),
        np.zeros(3, np.int64),
        np.zeros((3 * BATCH, PADDED), np.int16),
        np.array(tapes),
        np.array(data),
        np.zeros((2, 3), np.int64),
        np.zeros(6, np.int64),
    )
    return Workspace(
        np.array(kinds, dtype=np.int64),
        np.array(key, dtype=np.uint64),
        np.array([int(face) for die in bag for face in str(die)], dtype=np.int64),
        np.array([[*row, die] for row, die in zip(score, bag, strict=True)], dtype=np.int64),
        np.zeros((3 * games, PADDED), dtype=np.int16),
        room,
    )


@LEAF
def keep(size: int, going: Any, games: Any) -> None:
    """Move the games that go on to the front of the batch."""
    for i in range(games.shape[0]):
        for j in range(size):
            games[i, j] = games[i, going[j]]


@LEAF
def deal_abreast(start: int, size: int, workspace: Any) -> int:
    """Deal the hands, and pick for random players; return how many bytes of a tape were read."""
    kinds, key, faces, _, _, room = workspace
    places, skips, near = room.cells[:6], room.cells[SKIPS], room.cells[NEAR : NEAR + BLOCK]
    drawn, n, read = room.cells[NEAR + BLOCK :], len(faces) // 6, 0
    blocks_abreast(start, 0, key, room.words[:2])
    bytes_abreast(size, room.words, 0, near[:11])
    for g in range(size):
        skips[g] = 0
        drawn[5, g] = 0  # in a bag of six, there is nothing to draw
    for d in range(min(6, n - 1)):
        draw_abreast(n - d, size, near[d : d + 4], skips, drawn[d])
        read += 1
    place_abreast(size, drawn, places)
    for seat in range(2):
        if kinds[seat] == RANDOM:
            blocks_abreast(start, 1 + seat, key, room.words[2:4])
            picks = room.cells[6 + 3 * seat : 9 + 3 * seat]
            pick_abreast(size, room.words[2:4], picks, skips)
    return read


@LEAF
def round_abreast(r: int, size: int, read: int, workspace: Any) -> None:
    """Play round r, 0 to 2, of the games that are at the front."""
    kinds, _, faces, score, _, room = workspace
    places, skips, near = room.cells[:6], room.cells[SKIPS], room.cells[NEAR : NEAR + BLOCK]
    rolls = room.cells[NEAR + BLOCK :]
    if r > 0:
        bytes_abreast(size, room.words, read, near[read : read + 5])
    for seat in range(2):
        draw_abreast(6, size, near[read + seat : read + seat + 4], skips, rolls[seat])
        pick = room.cells[6 + 3 * seat + r]
        if kinds[seat] == GREEDY:
            for g in range(size):
                for i in range(6):
                    room.hands[i // 3, i % 3] = places[i, g]
                pick[g] = greedy(score, room.hands, seat, 3 - r)
        roll_abreast(size, places[3 * seat : 3 * seat + 3], pick, rolls[seat], faces)
    picks = room.cells[6 + r], room.cells[9 + r]
    write_abreast(size, places, picks, rolls, room.words[4 + 3 * r : 7 + 3 * r])
    for g in range(size):
        rolls[OPEN, g] = np.uint16(rolls[0, g] == rolls[1, g]) | np.uint16(skips[g] >= LOST)


@LEAF
def play(first: int, count: int, workspace: Any) -> int:
    """Play games ``first`` to ``first + count - 1``; fill the rows; return how many rounds.

    Many games are played abreast. After each round those that are decided drop out. The few
    that are lost are played again alone.
    """
    kinds, _, faces, score, rows, room = workspace
    n, packed = len(faces) // 6, rows.view(np.uint64)
    games, skips, rolls = room.cells[:NEAR], room.cells[SKIPS], room.cells[NEAR + BLOCK :]
    number, going, lost = room.lists[:4], room.lists[4], room.lists[5]
    rounds, at = room.lists[6], room.lists[7]
    done = 0
    for g in range(BATCH):
        number[0, g] = g
    for start in range(first, first + count, BATCH):
        size = left = min(BATCH, first + count - start)
        losses = read = 0
        for g in range(size):
            lost[g], rounds[g] = g, 1
        if n <= ONE_BYTE and start >> 32 == (start + BATCH) >> 32:
            read = deal_abreast(start, size, workspace)
        else:
            losses, left = size, 0
        for r in range(3):
            room.sizes[r] = left
            round_abreast(r, left, read + 2 * r, workspace)
            still = left = 0
            for g in range(room.sizes[r]):
                going[still] = g
                still += rolls[OPEN, g]
            for j in range(still):
                g = going[j]
                goes_on = (skips[g] < LOST) & (r < 2)
                rounds[number[r, g]] += goes_on
                number[r + 1, left], lost[losses] = number[r, g], number[r, g]
                going[left] = g
                left += goes_on
                losses += skips[g] >= LOST
            keep(left, going, games)
            keep(left, going, room.words[:2])
            for seat in range(2):
                take_abreast(left, games[3 * seat : 3 * seat + 3], games[6 + 3 * seat + r])
        for i in range(losses):
            game = start + lost[i]
            rounds[lost[i]] = play_alone(game, kinds, faces, score, room.lost_rows, 3 * i, room)
        for g in range(size):
            at[g] = done
            done += rounds[g]
        for r in range(3):
            written = room.words[4 + 3 * r : 7 + 3 * r]
            for j in range(room.sizes[r]):
                row = at[number[r, j]] + r
                packed[row, 0], packed[row, 1] = written[0, j], written[1, j]
                packed[row, 2] = written[2, j]
        for i in range(losses):
            for r in range(rounds[lost[i]]):
                for column in range(COLUMNS):
                    rows[at[lost[i]] + r, column] = room.lost_rows[3 * i + r, column]
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
