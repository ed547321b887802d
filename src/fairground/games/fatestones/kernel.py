"""The compiled kernel of FateStones: whole games from the random streams that the rules read.

Stream 0 serves the deal and the rolls, stream 1 + seat a player's own choices. The players are
those whose choice is a short integer computation: `random` and `greedy`.

`play_alone` plays one game draw by draw. Many games are played in batches: each step is a plain
loop over all games of the batch without a branch, so the compiler vectorises it. A batch handles
the usual case only. The few games in which too many bytes are rejected, or that go on after a
scratch, are marked `UNUSUAL` and played alone afterwards.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fairground.core import InputError, Seat
from fairground.fair.bits import seeded_key
from fairground.games.compiled import (
    BLOCK,
    INLINE,
    LEAF,
    ONE_BYTE,
    Episodes,
    Ints,
    below,
    new_stream,
    philox,
    rewind,
    rewind_all,
)
from fairground.games.fatestones.rules import FACES, HAND, FateStones
from fairground.games.fatestones.solver.choices import meeting
from fairground.games.kernels import Kernel, Played

PLAYERS: Final = ("random", "greedy")
RANDOM, GREEDY = range(2)
WIDEST_BAG: Final = 1 << 15
"""The kernel numbers dice in 16 bits."""

COLUMNS: Final = 10
PADDED: Final = 12
"""Cells of a row: ten columns, and two that make it three words of 64 bits."""

BATCH: Final = 1536
"""Games in a batch: few enough for the cache, and enough that many go on after a tie."""

NONE: Final = -1
"""Marks a place without a die."""

UNUSUAL: Final = np.uint16(4)
"""From this number of rejected bytes on, a game is played alone."""

SKIPS: Final = 12
NEAR: Final = 13
"""Rows of `Memory.cells`. Rows 0-5 hold the two hands, 6-8 and 9-11 each player's picks by round,
12 the number of rejected bytes. From `NEAR` on there are bytes of the stream, then draws or rolls
of this round."""
OPEN: Final = 2
"""The row after two rows of rolls: 1 if the game is still open."""

Rows = NDArray[np.int16]


@LEAF
def greedy(score: Any, hands: Any, seat: int, k: int) -> Any:
    """Return the pick of `fairground.games.fatestones.solver.choices.greedy_pick`.

    Among dice of equal promise it is the smaller one (the last column of ``score`` is the die
    itself), and among equal dice the first in the hand.
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


@INLINE
def deal(bag: int, stream: Any, data: Any, drawn: Any, hands: Any) -> None:
    """Deal three dice to each seat, in turns, from a bag of this size."""
    for d in range(2 * HAND):
        value = below(bag - d, stream, data)
        drawn[d] = value
        # From a place among the dice left back to a place in the full bag.
        for before in range(d - 1, -1, -1):
            value += value >= drawn[before]
        hands[d & 1, d >> 1] = value


@INLINE
def choose(  # noqa: PLR0917 - numba wants its arguments in order
    player: int, score: Any, hands: Any, seat: int, k: int, stream: Any, data: Any
) -> Any:
    """Return the pick of a player who has k dice left."""
    if player == RANDOM:
        return below(k, stream, data)
    return greedy(score, hands, seat, k)


@INLINE
def play_round(  # noqa: PLR0917 - numba wants its arguments in order
    k: int, picks: Any, faces: Any, hands: Any, stream: Any, data: Any, rolls: Any
) -> None:
    """Roll both picked dice, and take them out of the hands of k dice."""
    for seat in range(2):
        value = below(FACES, stream, data)
        rolls[seat] = faces[FACES * hands[seat, picks[seat]] + value]
        for i in range(picks[seat], k - 1):
            hands[seat, i] = hands[seat, i + 1]
        hands[seat, k - 1] = NONE


@LEAF
def play_alone(  # noqa: PLR0917 - arrays in a tuple would be counted anew at each call
    game: int, players: Any, redeal: bool, faces: Any, score: Any, rows: Any, done: int, memory: Any
) -> Any:
    """Play one game draw by draw, into rows from number ``done`` on.

    Return how many rounds it took, or -1 if there are too few rows.
    """
    streams, data, hands = memory.streams, memory.data, memory.hands
    first, k = done, 0
    for at in range(3):
        rewind(streams[at], game)
    while True:
        if k == 0:
            deal(len(faces) // FACES, streams[0], data[0], memory.drawn, hands)
            k = HAND
        if done == len(rows):
            return -1
        row = rows[done]
        for seat in range(2):
            for i in range(HAND):
                row[HAND * seat + i] = hands[seat, i]
            stream, bytes_ = streams[1 + seat], data[1 + seat]
            row[6 + seat] = choose(players[seat], score, hands, seat, k, stream, bytes_)
        play_round(k, row[6:8], faces, hands, streams[0], data[0], row[8:10])
        done += 1
        k -= 1
        if row[8] != row[9] or (k == 0 and not redeal):
            return done - first


@LEAF
def blocks_batch(first: int, lane: int, key: Any, words: Any) -> None:
    """Compute block 0 of the streams of consecutive games."""
    k0, k1, low = key[0], key[1], np.uint64(0xFFFFFFFF)
    high = np.uint64(first) & ~low  # of all games here, so that less is to be multiplied
    for g in range(words.shape[1]):
        game = high | np.uint64(first + g) & low
        words[0, g], words[1, g] = philox(0, game, lane, k0, k1)


@LEAF
def bytes_batch(size: int, words: Any, begin: int, out: Any) -> None:
    """Copy bytes of the games' blocks, from number ``begin`` on, into the rows of ``out``."""
    for i in range(out.shape[0]):
        half, shift = words[(begin + i) // 8], np.uint64(56 - 8 * ((begin + i) % 8))
        for g in range(size):
            out[i, g] = half[g] >> shift & np.uint64(255)


@INLINE
def one_of(place: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the value at a place, without a branch."""
    value = b if place >= np.uint16(1) else a
    value = c if place >= np.uint16(2) else value
    return d if place >= np.uint16(3) else value


@LEAF
def draw_batch(n: int, size: int, near: Any, skips: Any, out: Any) -> None:
    """Draw ``below(n)`` for the first games of a batch, without a branch; n from 2 to 256.

    ``near`` holds four bytes of each game. A game that has skipped none so far begins with the
    first. Up to two bytes are rejected here; after that the game is `UNUSUAL`.
    """
    limit = np.uint16(256 - 256 % n)
    of, inverse = np.uint32(n), np.uint32(65536 // n + 1)  # exact for a byte: no slow division
    for g in range(size):
        a, b, c, d, skipped = near[0, g], near[1, g], near[2, g], near[3, g], skips[g]
        byte = one_of(skipped, a, b, c, d)
        for _ in range(2):
            skipped = np.uint16(skipped + np.uint16(byte >= limit))
            byte = one_of(skipped, a, b, c, d)
        skips[g] = skipped | (UNUSUAL if byte >= limit else np.uint16(0))
        out[g] = byte
    for g in range(size):
        out[g] -= (np.uint32(out[g]) * inverse >> np.uint32(16)) * of


@LEAF
def pick_batch(size: int, words: Any, picks: Any, skips: Any) -> None:
    """Draw the picks of a random player: one of three dice, then of two, then the last."""
    byte = np.uint64(255)
    for g in range(size):
        word = words[0, g]
        one, two = word >> np.uint64(56), word >> np.uint64(48) & byte
        again = one == byte  # the only one that is drawn again
        drawn = two if again else one
        picks[0, g] = drawn - (drawn * np.uint64(171) >> np.uint64(9)) * np.uint64(3)
        picks[1, g] = (word >> np.uint64(40) if again else two) & np.uint64(1)
        picks[2, g] = 0
        skips[g] |= UNUSUAL if drawn == byte else np.uint16(0)


@INLINE
def lift(place: Any, taken: Any) -> Any:
    """Convert a place among the dice left into the place before ``taken`` was removed."""
    return np.uint16(place + np.uint16(place >= taken))


@LEAF
def place_batch(size: int, d: Any, hands: Any) -> None:
    """Convert six drawn numbers into the hands that they deal."""
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
def roll_batch(size: int, hand: Any, pick: Any, roll: Any, faces: Any) -> None:
    """Convert the numbers of faces into faces, for one seat."""
    for g in range(size):
        first, second, third = hand[0, g], hand[1, g], hand[2, g]
        # A sum, for a choice would become a branch, or a slow look into memory.
        die = first * (pick[g] == 0) + second * (pick[g] == 1) + third * (pick[g] == 2)
        roll[g] += np.uint16(6) * die
    for g in range(size):
        roll[g] = faces[roll[g]]


@LEAF
def write_batch(size: int, places: Any, picks: Any, rolls: Any, words: Any) -> None:
    """Pack the rows of a round into words of four cells."""
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
def take_batch(size: int, hand: Any, pick: Any) -> None:
    """Take the picked die out of the hand of one seat."""
    for g in range(size):
        first, second, third = hand[0, g], hand[1, g], hand[2, g]
        hand[0, g] = second if pick[g] == np.uint16(0) else first
        hand[1, g] = second if pick[g] == np.uint16(2) else third
        hand[2, g] = np.uint16(0xFFFF)


class Memory(NamedTuple):
    """The working memory of the kernel; columns are games of a batch."""

    cells: Any
    """Hands, picks, rejected bytes, stream bytes and draws: see `NEAR`."""
    words: Any
    """Blocks of the streams, then the packed rows of three rounds."""
    lists: Any
    """By row: the games in each round (0-3), games that go on (4), unusual games (5), rounds of
    each game (6), its first row (7), first row of each unusual game in `alone` (8)."""
    sizes: Any
    """Number of games in each round."""
    alone: Rows
    """Rows of the games that are played alone."""
    streams: Any
    data: Any
    hands: Any
    drawn: Any


class Workspace(NamedTuple):
    """Players, dice and memory of the kernel, as arrays."""

    players: Any
    """`RANDOM` or `GREEDY` for each seat."""
    redeal: bool
    """True if a new deal follows a scratch."""
    key: Any
    faces: Any
    """Six faces for each die of the bag, in ascending order."""
    score: Any
    """``score[a, b]``: chance of die a to win plus half a tie, in 72nds. The last column is the
    die as a number such as 123456."""
    rows: Rows
    """Positions in the bag (or `NONE`), picks, faces."""
    memory: Memory


def workspace_of(
    game: FateStones, lineup: tuple[str, ...], seed: str, games: int, rounds: int = HAND
) -> Workspace:
    """Return a workspace with rows for ``games`` games of ``rounds`` rounds on average."""
    key = seeded_key(seed)
    streams, data = zip(*(new_stream(key, at) for at in range(3)), strict=True)
    memory = Memory(
        np.zeros((NEAR + BLOCK + 6, BATCH), np.uint16),
        np.zeros((13, BATCH), np.uint64),
        np.zeros((9, BATCH + 1), np.int64),
        np.zeros(3, np.int64),
        np.zeros((rounds * BATCH, PADDED), np.int16),
        np.array(streams),
        np.array(data),
        np.zeros((2, HAND), np.int64),
        np.zeros(2 * HAND, np.int64),
    )
    return Workspace(
        np.array([PLAYERS.index(who) for who in lineup]),
        game.scratch == "redeal",
        np.array(key, dtype=np.uint64),
        _faces(game),
        _scores(game),
        np.zeros((rounds * games, PADDED), dtype=np.int16),
        memory,
    )


def _faces(game: FateStones) -> Ints:
    return np.array([int(face) for die in game.bag for face in die], np.int64)


def _scores(game: FateStones) -> Ints:
    bag = game.bag
    return np.array([[*(meeting(a, b).score for b in bag), int(a)] for a in bag], np.int64)


@LEAF
def keep(size: int, going: Any, games: Any) -> None:
    """Move the games that go on to the front of the batch."""
    for i in range(games.shape[0]):
        for j in range(size):
            games[i, j] = games[i, going[j]]


@LEAF
def deal_batch(start: int, size: int, workspace: Any) -> int:
    """Deal the hands and draw random picks; return how many bytes of stream 0 were read."""
    players, _, key, faces, _, _, memory = workspace
    places, skips, near = memory.cells[:6], memory.cells[SKIPS], memory.cells[NEAR : NEAR + BLOCK]
    drawn, n, read = memory.cells[NEAR + BLOCK :], len(faces) // 6, 0
    blocks_batch(start, 0, key, memory.words[:2])
    bytes_batch(size, memory.words, 0, near[:11])
    for g in range(size):
        skips[g] = 0
        drawn[5, g] = 0  # in a bag of six, there is nothing to draw
    for d in range(min(6, n - 1)):
        draw_batch(n - d, size, near[d : d + 4], skips, drawn[d])
        read += 1
    place_batch(size, drawn, places)
    for seat in range(2):
        if players[seat] == RANDOM:
            blocks_batch(start, 1 + seat, key, memory.words[2:4])
            picks = memory.cells[6 + 3 * seat : 9 + 3 * seat]
            pick_batch(size, memory.words[2:4], picks, skips)
    return read


@LEAF
def round_batch(r: int, size: int, read: int, workspace: Any) -> None:
    """Play round r, 0 to 2, of the games that are at the front."""
    players, _, _, faces, score, _, memory = workspace
    places, skips, near = memory.cells[:6], memory.cells[SKIPS], memory.cells[NEAR : NEAR + BLOCK]
    rolls = memory.cells[NEAR + BLOCK :]
    if r > 0:
        bytes_batch(size, memory.words, read, near[read : read + 5])
    for seat in range(2):
        draw_batch(6, size, near[read + seat : read + seat + 4], skips, rolls[seat])
        pick = memory.cells[6 + 3 * seat + r]
        if players[seat] == GREEDY:
            for g in range(size):
                for i in range(6):
                    memory.hands[i // 3, i % 3] = places[i, g]
                pick[g] = greedy(score, memory.hands, seat, 3 - r)
        roll_batch(size, places[3 * seat : 3 * seat + 3], pick, rolls[seat], faces)
    picks = memory.cells[6 + r], memory.cells[9 + r]
    write_batch(size, places, picks, rolls, memory.words[4 + 3 * r : 7 + 3 * r])
    for g in range(size):
        rolls[OPEN, g] = np.uint16(rolls[0, g] == rolls[1, g]) | np.uint16(skips[g] >= UNUSUAL)


@LEAF
def play(first: int, count: int, workspace: Any) -> int:
    """Play games ``first`` to ``first + count - 1``, and fill the rows.

    Return how many rounds were played, or -1 if there are too few rows. After each round the
    decided games leave the batch. Unusual games are played alone at the end of it.
    """
    players, redeal, _, faces, score, rows, memory = workspace
    n, packed = len(faces) // FACES, rows.view(np.uint64)
    games, skips, rolls = memory.cells[:NEAR], memory.cells[SKIPS], memory.cells[NEAR + BLOCK :]
    number, going, unusual = memory.lists[:4], memory.lists[4], memory.lists[5]
    rounds, at, begins = memory.lists[6], memory.lists[7], memory.lists[8]
    done = 0
    for g in range(BATCH):
        number[0, g] = g
    for start in range(first, first + count, BATCH):
        size = left = min(BATCH, first + count - start)
        alone = read = 0
        for g in range(size):
            unusual[g], rounds[g] = g, 1
        if n <= ONE_BYTE and start >> 32 == (start + BATCH) >> 32:
            read = deal_batch(start, size, workspace)
        else:
            alone, left = size, 0
        for r in range(HAND):
            memory.sizes[r] = left
            round_batch(r, left, read + 2 * r, workspace)
            still = left = 0
            for g in range(memory.sizes[r]):
                going[still] = g
                still += rolls[OPEN, g]
            for j in range(still):
                g = going[j]
                goes_on = (skips[g] < UNUSUAL) & (r < HAND - 1)
                rounds[number[r, g]] += goes_on
                number[r + 1, left], unusual[alone] = number[r, g], number[r, g]
                going[left] = g
                left += goes_on
                alone += (skips[g] >= UNUSUAL) | (redeal & (r == HAND - 1))
            keep(left, going, games)
            keep(left, going, memory.words[:2])
            for seat in range(2):
                take_batch(left, games[3 * seat : 3 * seat + 3], games[6 + 3 * seat + r])
        used = 0
        for i in range(alone):
            game, begins[i] = start + unusual[i], used
            took = play_alone(game, players, redeal, faces, score, memory.alone, used, memory)
            if took < 0:
                return -1
            rounds[unusual[i]] = took
            used += took
        for g in range(size):
            at[g] = done
            done += rounds[g]
        if done > len(rows):
            return -1
        for r in range(HAND):
            written = memory.words[4 + 3 * r : 7 + 3 * r]
            for j in range(memory.sizes[r]):
                row = at[number[r, j]] + r
                packed[row, 0], packed[row, 1] = written[0, j], written[1, j]
                packed[row, 2] = written[2, j]
        for i in range(alone):
            for r in range(rounds[unusual[i]]):
                for column in range(COLUMNS):
                    rows[at[unusual[i]] + r, column] = memory.alone[begins[i] + r, column]
    return done


@njit(cache=True)
def as_csv(workspace: Any, count: int, out: NDArray[np.uint8]) -> int:
    """Write rows as lines of ten columns; ``out`` needs 51 bytes for each."""
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


def as_text(workspace: Any, count: int) -> bytes:
    """Return the first rows of the workspace as CSV lines of ten columns."""
    text = np.empty(count * 51, dtype=np.uint8)
    return text[: as_csv(workspace, count, text)].tobytes()


def _fits(game: FateStones) -> bool:
    endless = game.scratch == "redeal" and len(set("".join(game.bag))) == 1
    return game.hands is None and len(game.bag) < WIDEST_BAG and not endless


def kernel(game: FateStones, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel for these players, or ``None`` if it does not know them."""
    if any(who not in PLAYERS for who in lineup) or not _fits(game):
        return None
    made = workspace_of(game, lineup, seed, 0)

    def run(first: int, count: int) -> Played:
        rounds = HAND
        while True:
            ready = made._replace(
                rows=np.zeros((rounds * count, PADDED), np.int16),
                memory=made.memory._replace(alone=np.zeros((rounds * BATCH, PADDED), np.int16)),
            )
            played = play(first, count, ready)
            if played >= 0:
                break
            rounds *= 2  # dice that often tie take more rounds
        rows = ready.rows[:played]
        balance = np.sign(rows[:, 8].astype(np.int64) - rows[:, 9])
        scratched = rows[:, 1] == NONE if game.scratch == "end" else np.bool_(False)
        ends = np.flatnonzero((balance != 0) | scratched)
        won = balance[ends]
        return Played(np.stack([won, -won], axis=1), rows, np.diff(ends, prepend=-1))

    def text(rows: Any) -> bytes:
        return as_text(made._replace(rows=np.ascontiguousarray(rows)), len(rows))

    return Kernel(run, text)


@njit(cache=True)
def _show(faces: Any, seat: int, hands: Any, seen: Any, mask: Any) -> None:
    for side in range(2):
        hand = hands[seat if side == 0 else 1 - seat]
        for i in range(HAND):
            for f in range(FACES):
                at = FACES * (HAND * side + i) + f
                seen[at] = 0 if hand[i] == NONE else faces[FACES * hand[i] + f]
            if side == 0:
                mask[i] = hand[i] != NONE


@njit(cache=True)
def _begin(places: Any, numbers: Any, rules: Any, memory: Any) -> None:
    faces, _, seat = rules[:3]
    streams, data, seen, masks, hands, left = memory
    drawn = np.empty(2 * HAND, np.int64)
    for p in places:
        rewind_all(streams[p], numbers[p])
        deal(len(faces) // FACES, streams[p, 0], data[p, 0], drawn, hands[p])
        left[p] = HAND
        _show(faces, seat, hands[p], seen[p], masks[p])


@njit(cache=True)
def _act(actions: Any, rules: Any, memory: Any, rewards: Any, over: Any) -> None:
    faces, score, seat, player, redeal = rules
    streams, data, seen, masks, hands, left = memory
    picks, rolls = np.zeros(2, np.int64), np.zeros(2, np.int64)
    drawn, other = np.empty(2 * HAND, np.int64), 1 - seat
    for p in range(len(actions)):
        k, stream, bytes_ = left[p], streams[p], data[p]
        rewards[p], over[p] = 0.0, False
        if not 0 <= actions[p] < k:
            rewards[p], over[p] = -1.0, True
            continue
        own, own_bytes = stream[1 + other], bytes_[1 + other]
        picks[seat] = actions[p]
        picks[other] = choose(player, score, hands[p], other, k, own, own_bytes)
        play_round(k, picks, faces, hands[p], stream[0], bytes_[0], rolls)
        left[p] = k - 1
        if rolls[0] != rolls[1]:
            rewards[p], over[p] = (1.0 if rolls[seat] > rolls[other] else -1.0), True
        elif k == 1 and redeal:
            deal(len(faces) // FACES, stream[0], bytes_[0], drawn, hands[p])
            left[p] = HAND
        elif k == 1:
            over[p] = True
        _show(faces, seat, hands[p], seen[p], masks[p])


class StonesEpisodes(Episodes):
    """Episodes of whole games, against `random` or `greedy`."""

    opponents = PLAYERS

    def __init__(self, game: FateStones, count: int, seat: Seat, opponent: str) -> None:
        if not _fits(game):
            raise InputError("the kernel of FateStones deals from a bag in which somebody can win")
        super().__init__(game, count, seat, opponent)
        redeal = game.scratch == "redeal"
        self._rules = _faces(game), _scores(game), seat, self.opponent, redeal
        self._hands = np.zeros((count, 2, HAND), np.int64)
        self._left = np.zeros(count, np.int64)

    def _memory(self) -> tuple[Any, ...]:
        return self.streams, self.buffers, self.seen, self.masks, self._hands, self._left

    def begin(self, places: Ints) -> None:
        _begin(places, self.numbers, self._rules, self._memory())

    def act(self, actions: Ints) -> None:
        _act(actions, self._rules, self._memory(), self.rewards, self.over)
