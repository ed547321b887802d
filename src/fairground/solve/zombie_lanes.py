"""Many games of Zombie Dice at native speed, each on a tape of its own.

The compiled loop repeats the rules, so it is held to them: **lane** g reads exactly the
bytes of ``SeededStream(seed, g)``, draw for draw as `Stream.below` would, and must end as
the rules end on that tape, down to the number of bytes read. `simulate` runs a random
sample of its lanes through the rules each time and refuses to answer if one differs.

What makes it fast: a byte becomes a colour or a face by one look into a table, what a
throw adds to the areas is one packed number per die, and the bytes of a tape are made
some blocks at a time, which compilers turn into vector instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numba as nb
import numpy as np

from fairground.core import Draw, Fault, Over, UnknownName
from fairground.fair.bits import SeededStream, Stream, SystemStream, seeded_key
from fairground.games.zombie import BRAIN, HOLD, ROLL, SHOTGUN, Zombie
from fairground.solve.zombie import Array, Turns, turns

BLOCKS: Final = 8
"""How many blocks of 16 bytes are made at a time."""

SPARE: Final = 16
"""So many bytes at least are at hand before a roll: more than its six draws need."""

GAME, NEXT_BLOCK, AT, FILLED, KEY = 0, 1, 2, 3, 4
"""Registers of a tape: game, next block, the next byte and the end of those at hand, key."""

ONE_BYTE: Final = 256
"""Draws below this or less read one byte; larger ones (a thousand faces) read two."""

GONE: Final = 3
"""The colour of an empty cell."""

REJECTED: Final = -1


class Board(NamedTuple):
    """The configuration as the loop reads it."""

    dice: Array
    face_counts: Array
    faces: Array
    """[colour, face] → what the die adds, packed: see `packed`."""
    thrown: Array
    """[colour, byte] → the same for dice of up to 256 faces, or `REJECTED`."""
    small: Array
    """[n, byte] → the number below n that this byte draws, or `REJECTED`.

    Where a draw reads no byte, or two, all are rejected and `below` sees to it."""
    goal: int
    max_turns: int
    shots: Array
    """Shotgun dice, packed → what they add to the code of a shape."""
    feet: Array
    """Colours in the three cells, base 4 → what they add to the code of a shape."""
    strides: Array
    """What a brain die of each colour adds to the code of a shape."""
    policy: Array
    """By seat: which table of choices it plays."""
    choices: Array
    """[policy, brains, code of a shape] → 1 rolls."""


class Lanes(NamedTuple):
    """How each game ended; rows are lanes, columns seats."""

    winner: Array
    scores: Array
    turns: Array
    shot: Array
    """Turns that ended with three shotguns."""
    used: Array
    """Bytes of the tape that were read."""


def packed(colour: int, face: str) -> int:
    """What a thrown die adds, so that three dice can be summed.

    Brains are in bits 0-2, shotguns in 3-5, shotgun dice by colour in 7-15 (three bits
    each), brain dice by colour in 16-21 (two bits each). Footprints add nothing.
    """
    if face == BRAIN:
        return 1 | 1 << (16 + 2 * colour)
    if face == SHOTGUN:
        return 1 << 3 | 1 << (7 + 3 * colour)
    return 0


@nb.njit(cache=True)
def refill(tape: Array, data: Array) -> None:
    """Move the bytes left to the front and write `BLOCKS` more behind them.

    Philox4x32-10, as `fairground.fair.bits.philox`, for all the blocks side by side.
    """
    left = tape[FILLED] - tape[AT]
    for i in range(left):
        data[i] = data[tape[AT] + i]
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    m0, m1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    game = np.uint64(tape[GAME])
    c0, c1 = np.empty(BLOCKS, np.uint64), np.full(BLOCKS, game & low)
    c2, c3 = np.full(BLOCKS, game >> half), np.zeros(BLOCKS, np.uint64)
    for j in range(BLOCKS):
        c0[j] = np.uint64(tape[NEXT_BLOCK] + j)
    k0, k1 = np.uint64(tape[KEY]), np.uint64(tape[KEY + 1])
    for _ in range(10):
        for j in range(BLOCKS):
            p0, p1 = m0 * c0[j], m1 * c2[j]
            c0[j], c1[j] = (p1 >> half) ^ c1[j] ^ k0, p1 & low
            c2[j], c3[j] = (p0 >> half) ^ c3[j] ^ k1, p0 & low
        k0 = (k0 + np.uint64(0x9E3779B9)) & low
        k1 = (k1 + np.uint64(0xBB67AE85)) & low
    at = left
    for j in range(BLOCKS):
        for word in (c0[j], c1[j], c2[j], c3[j]):
            data[at] = word >> np.uint64(24)
            data[at + 1] = (word >> np.uint64(16)) & np.uint64(255)
            data[at + 2] = (word >> np.uint64(8)) & np.uint64(255)
            data[at + 3] = word & np.uint64(255)
            at += 4
    tape[AT] = 0
    tape[FILLED] = at
    tape[NEXT_BLOCK] += BLOCKS


@nb.njit(cache=True)
def below(n: int, tape: Array, data: Array) -> int:
    """`Stream.below` for any n up to 65,536, as it stands there."""
    if n == 1:
        return 0
    span = ONE_BYTE if n <= ONE_BYTE else ONE_BYTE * ONE_BYTE
    while True:
        if tape[FILLED] - tape[AT] < SPARE:
            refill(tape, data)
        value = int(data[tape[AT]])
        tape[AT] += 1
        if span > ONE_BYTE:
            value = value * ONE_BYTE + int(data[tape[AT]])
            tape[AT] += 1
        if value < span - span % n:
            return value % n


@nb.njit(cache=True)
def one_turn(policy: int, board: Board, tape: Array, data: Array) -> int:  # noqa: PLR0915
    """The brains that a turn banks, or -1 for three shotguns."""
    green, yellow, red = board.dice[0], board.dice[1], board.dice[2]
    green_eaten = yellow_eaten = red_eaten = 0
    brains = shotguns = shot = 0
    c0 = c1 = c2 = GONE
    small, thrown, counts = board.small, board.thrown, board.face_counts
    while True:
        if tape[FILLED] - tape[AT] < SPARE:
            refill(tape, data)
        at = tape[AT]
        left = green + yellow + red
        empty = (c0 == GONE) + (c1 == GONE) + (c2 == GONE)
        if empty > left:
            green, yellow, red = green + green_eaten, yellow + yellow_eaten, red + red_eaten
            green_eaten = yellow_eaten = red_eaten = 0
            left = green + yellow + red
        for i in range(3):
            if (c0 if i == 0 else c1 if i == 1 else c2) != GONE or left == 0:
                continue
            value = small[min(left, ONE_BYTE + 1), data[at]]
            at += 1
            if value < 0:
                tape[AT] = at - (left > ONE_BYTE or left == 1)
                value = below(left, tape, data)
                at = tape[AT]
            colour = (value >= green) + (value >= green + yellow)
            green -= colour == 0
            yellow -= colour == 1
            red -= colour == 2
            left -= 1
            if i == 0:
                c0 = colour
            elif i == 1:
                c1 = colour
            else:
                c2 = colour
        added = 0
        for i in range(3):
            colour = c0 if i == 0 else c1 if i == 1 else c2
            if colour == GONE:
                continue
            more = thrown[colour, data[at]]
            at += 1
            if more < 0:
                tape[AT] = at - (counts[colour] > ONE_BYTE or counts[colour] == 1)
                more = board.faces[colour, below(counts[colour], tape, data)]
                at = tape[AT]
            added += more
            colour = colour if more == 0 else GONE
            if i == 0:
                c0 = colour
            elif i == 1:
                c1 = colour
            else:
                c2 = colour
        tape[AT] = at
        shotguns += (added >> 3) & 7
        if shotguns >= 3:
            return -1
        brains += added & 7
        shot += (added >> 7) & 511
        green_eaten += (added >> 16) & 3
        yellow_eaten += (added >> 18) & 3
        red_eaten += (added >> 20) & 3
        if brains >= board.choices.shape[1]:
            return brains
        code = board.feet[c0 * 16 + c1 * 4 + c2] + board.shots[shot]
        code += board.strides[0] * green_eaten + board.strides[1] * yellow_eaten
        code += board.strides[2] * red_eaten
        if board.choices[policy, brains, code] == 0:
            return brains


@nb.njit(cache=True)
def play(first: int, key: Array, board: Board, lanes: Lanes) -> None:
    """Play game number ``first`` and those after it, a lane each."""
    games, seats = lanes.scores.shape
    tape = np.zeros(KEY + 2, np.int64)
    data = np.zeros(SPARE + 16 * BLOCKS, np.uint8)
    order = np.empty(seats, np.int64)
    tape[KEY], tape[KEY + 1] = key[0], key[1]
    for lane in range(games):
        tape[GAME] = first + lane
        tape[NEXT_BLOCK] = tape[AT] = tape[FILLED] = 0
        scores, turns, shot = lanes.scores[lane], lanes.turns[lane], lanes.shot[lane]
        for i in range(seats):
            order[i] = i
        for i in range(seats - 1, 0, -1):
            j = below(i + 1, tape, data)
            order[i], order[j] = order[j], order[i]
        playing, rounds, deciding = seats, 0, False
        while playing > 1:
            rounds += 1
            for i in range(playing):
                seat = order[i]
                brains = one_turn(board.policy[seat], board, tape, data)
                turns[seat] += 1
                if brains < 0:
                    shot[seat] += 1
                else:
                    scores[seat] += brains
            top = scores.max()
            if board.max_turns > 0:
                deciding = deciding or rounds == board.max_turns
            else:
                deciding = deciding or top >= board.goal
            if deciding:
                level = 0
                for i in range(playing):
                    if scores[order[i]] == top:
                        order[level] = order[i]
                        level += 1
                playing = level
        lanes.winner[lane] = order[0]
        lanes.used[lane] = 16 * tape[NEXT_BLOCK] - (tape[FILLED] - tape[AT])


def policy_table(found: Turns, name: str) -> Array:
    """The choices of a strategy that looks at its own turn only."""
    if name == "cautious":
        return found.cautious()
    if name == "greedy":
        return found.greedy()
    raise UnknownName(f"no strategy named {name!r} can be simulated; there are: cautious, greedy")


def board(game: Zombie, policies: Sequence[str]) -> Board:
    """Everything the loop needs to know, for one named strategy at each seat."""
    found = turns(game)
    names = sorted(set(policies))
    tables = [policy_table(found, name) for name in names]
    choices = np.zeros((len(tables), max(map(len, tables)), found.size), np.uint8)
    for i, table in enumerate(tables):
        choices[i, : len(table), found.codes] = table.T
    byte = np.arange(ONE_BYTE)
    small = np.full((ONE_BYTE + 2, ONE_BYTE), REJECTED, np.int16)
    for n in range(2, ONE_BYTE + 1):
        small[n] = np.where(byte < ONE_BYTE - ONE_BYTE % n, byte % n, REJECTED)
    faces = np.zeros((3, max(map(len, game.faces))), np.int64)
    thrown = np.full((3, ONE_BYTE), REJECTED, np.int32)
    for colour, text in enumerate(game.faces):
        faces[colour, : len(text)] = [packed(colour, face) for face in text]
        if 1 < len(text) <= ONE_BYTE:
            value = small[len(text)]
            thrown[colour] = np.where(value < 0, REJECTED, faces[colour][value])
    return Board(
        np.array(game.dice),
        np.array([len(text) for text in game.faces]),
        faces,
        thrown,
        small,
        game.brains_to_win,
        game.max_turns,
        *found.coding(),
        np.array([names.index(name) for name in policies]),
        choices,
    )


def lanes_of(prepared: Board, seed: str, games: int, first: int = 0) -> Lanes:
    """Play the games ``first`` … ``first + games - 1`` of a seed; no lane is rechecked."""
    seats = len(prepared.policy)
    winner, used = np.zeros(games, np.int64), np.zeros(games, np.int64)
    scores, taken, shot = (np.zeros((games, seats), np.int64) for _ in range(3))
    lanes = Lanes(winner, scores, taken, shot, used)
    play(first, np.array(seeded_key(seed), np.int64), prepared, lanes)
    return lanes


class Counted(Stream):
    """A stream that counts the bytes it gives."""

    def __init__(self, inner: Stream) -> None:
        self._inner = inner
        self.used = 0

    def take(self, k: int) -> bytes:
        """The next k bytes of the inner stream."""
        self.used += k
        return self._inner.take(k)


def by_rules(
    game: Zombie, prepared: Board, chance: Stream
) -> tuple[int, list[int], list[int], list[int], int]:
    """One game through the rules, with the same choices: a row of each field of `Lanes`."""
    found, tape = turns(game), Counted(chance)
    shot = [0] * game.seats
    s = game.start()
    while not isinstance(awaits := game.awaits(s), Over):
        if isinstance(awaits, Draw):
            ended, s = s.last, game.drawn(s, tape.below(awaits.n))
            if s.last is not None and s.last is not ended:
                shot[s.last.seat] += 1
            continue
        (seat,) = awaits.seats
        table = prepared.choices[prepared.policy[seat]]
        code = found.codes[found.shape_of(s)]
        on = s.rolls == 0 or (s.brains < len(table) and table[s.brains, code])
        s = game.played(s, {seat: ROLL if on else HOLD})
    return s.playing[0], list(s.scores), list(s.turns), shot, tape.used


class Run(NamedTuple):
    """Which games were played: ``games`` of them under a seed, from number ``first`` on."""

    seed: str
    games: int
    first: int = 0


def simulate(game: Zombie, policies: Sequence[str], run: Run, recheck: int = 4) -> Lanes:
    """Play many games between named strategies, one for each seat.

    ``recheck`` lanes, picked by the operating system's chance, are played again by the
    rules on the same tape; a difference is a fault, and no result is given.
    """
    prepared = board(game, policies)
    lanes = lanes_of(prepared, *run)
    for _ in range(min(recheck, run.games)):
        must_equal_rules(game, prepared, lanes, run, SystemStream().below(run.games))
    return lanes


def must_equal_rules(game: Zombie, prepared: Board, lanes: Lanes, run: Run, lane: int) -> None:
    """Refuse lanes of which this one did not go as the rules have it."""
    number = run.first + lane
    expected = by_rules(game, prepared, SeededStream(run.seed, number))
    if tuple(column[lane].tolist() for column in lanes) != expected:
        raise Fault("solve/drift", f"game {number} of {run.seed!r} went otherwise by the rules")
