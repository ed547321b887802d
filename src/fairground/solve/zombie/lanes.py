"""Many games of Zombie Dice at native speed, each on a tape of its own.

The compiled loop is a second set of rules, so it is held to the first. **Lane** g reads exactly
the bytes of ``SeededStream(seed, g)``, draw for draw as `Stream.below` would. It must end as the
rules end on that tape, down to the number of bytes read. `simulate` plays a random sample of its
lanes by the rules each time, and refuses to answer if one differs.

What makes it fast: one look into a table turns a byte into a colour or a face, one packed number
per die says what a throw adds, and the bytes of a tape are made some blocks at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from fairground.core import Fault, Game, Move, Seat, UnknownName
from fairground.fair.bits import SeededStream, Stream, SystemStream, seeded_key
from fairground.games.zombie import BRAIN, CELLS, HOLD, ROLL, SHOTGUN, State, Zombie
from fairground.playing import play
from fairground.solve.tape import (
    AT,
    FILLED,
    GAME,
    LEAF,
    ONE_BYTE,
    SPARE,
    below,
    new_tape,
    refill,
    rewind,
    used,
)
from fairground.solve.zombie.turn import Array, Turns, turns

BLOCKS: Final = 8
"""How many blocks of a tape are made at a time. The `SPARE` bytes before them are more than
the six draws of a roll need."""

GONE: Final = 3
"""The colour of an empty cell."""

REJECTED: Final = -1

SMALL: Final = 0
"""[n, byte] → the number below n that this byte draws, or `REJECTED`. Where a draw reads
no byte (n = 1) or two (the last row stands for all n > 256), every byte is rejected."""
THROWN: Final = SMALL + (ONE_BYTE + 2) * ONE_BYTE
"""[colour, byte] → what the die thrown adds, see `packed`, or `REJECTED` as above."""
FEET: Final = THROWN + 3 * ONE_BYTE
"""Colours in the three cells, base 4 → what they add to the code of a shape."""
SHOTS: Final = FEET + 4**CELLS
"""Shotgun dice, packed → what they add to the code of a shape."""
STRIDES: Final = SHOTS + 512
"""What a brain die of each colour adds to the code of a shape."""
DICE: Final = STRIDES + 3
COUNTS: Final = DICE + 3
"""How many faces each colour has."""
FACES: Final = COUNTS + 3
"""[colour, face] → what the die thrown adds."""


class Prepared(NamedTuple):
    """The configuration as the loop reads it."""

    tables: Array
    """All tables in one row; the constants above say where each begins. With many arrays a
    compiled loop spends more time on counting references than on looking into them."""
    choices: Array
    """[policy, brains, code of a shape] → 1 rolls."""
    policy: Array
    """By seat: which table of choices it plays."""
    goal: int
    max_turns: int


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


@LEAF
def pick(
    bag: tuple[int, int, int], at: int, tables: Array, tape: Array, data: Array
) -> tuple[int, int]:
    """Take a die from the bag: its colour, and the place of the next byte."""
    green, yellow, red = bag
    left = green + yellow + red
    value = int(tables[SMALL + min(left, ONE_BYTE + 1) * ONE_BYTE + data[at]])
    at += 1
    if value < 0:
        # A rejected byte has been read; where none is to be read, it was only looked at.
        tape[AT] = at if 1 < left <= ONE_BYTE else at - 1
        value = below(left, tape, data)
        at = tape[AT]
    return int(value >= green) + int(value >= green + yellow), at


@LEAF
def throw(colour: int, at: int, tables: Array, tape: Array, data: Array) -> tuple[int, int]:
    """Throw a die: what it adds, see `packed`, and the place of the next byte."""
    more = int(tables[THROWN + colour * ONE_BYTE + data[at]])
    at += 1
    if more < 0:
        count = int(tables[COUNTS + colour])
        tape[AT] = at if 1 < count <= ONE_BYTE else at - 1
        most = (len(tables) - FACES) // 3
        more = int(tables[FACES + colour * most + below(count, tape, data)])
        at = tape[AT]
    return more, at


@LEAF
def one_turn(choices: Array, tables: Array, tape: Array, data: Array) -> int:
    """The brains that a turn banks, or -1 for three shotguns."""
    green, yellow = int(tables[DICE]), int(tables[DICE + 1])
    red = int(tables[DICE + 2])
    green_eaten = yellow_eaten = red_eaten = 0
    brains = shotguns = shot = 0
    c0 = c1 = c2 = GONE
    while True:
        if tape[FILLED] - tape[AT] < SPARE:
            refill(tape, data)
        at = tape[AT]
        left = green + yellow + red
        if (c0 == GONE) + (c1 == GONE) + (c2 == GONE) > left:
            green, yellow, red = green + green_eaten, yellow + yellow_eaten, red + red_eaten
            green_eaten = yellow_eaten = red_eaten = 0
            left = green + yellow + red
        if c0 == GONE and left > 0:
            c0, at = pick((green, yellow, red), at, tables, tape, data)
            green, yellow, red = green - (c0 == 0), yellow - (c0 == 1), red - (c0 == 2)
            left -= 1
        if c1 == GONE and left > 0:
            c1, at = pick((green, yellow, red), at, tables, tape, data)
            green, yellow, red = green - (c1 == 0), yellow - (c1 == 1), red - (c1 == 2)
            left -= 1
        if c2 == GONE and left > 0:
            c2, at = pick((green, yellow, red), at, tables, tape, data)
            green, yellow, red = green - (c2 == 0), yellow - (c2 == 1), red - (c2 == 2)
        added = 0
        if c0 != GONE:
            more, at = throw(c0, at, tables, tape, data)
            added, c0 = added + more, c0 if more == 0 else GONE
        if c1 != GONE:
            more, at = throw(c1, at, tables, tape, data)
            added, c1 = added + more, c1 if more == 0 else GONE
        if c2 != GONE:
            more, at = throw(c2, at, tables, tape, data)
            added, c2 = added + more, c2 if more == 0 else GONE
        tape[AT] = at
        shotguns += (added >> 3) & 7
        brains += added & 7
        if shotguns >= 3:
            return -1
        shot += (added >> 7) & 511
        green_eaten += (added >> 16) & 3
        yellow_eaten += (added >> 18) & 3
        red_eaten += (added >> 20) & 3
        code = tables[FEET + c0 * 16 + c1 * 4 + c2] + tables[SHOTS + shot]
        code += tables[STRIDES] * green_eaten + tables[STRIDES + 1] * yellow_eaten
        code += tables[STRIDES + 2] * red_eaten
        if brains >= choices.shape[0] or choices[brains, code] == 0:
            return brains


@LEAF
def play_lanes(prepared: Prepared, tape: Array, data: Array, order: Array, lanes: Lanes) -> None:
    """Play one game in each lane, from the tape's game on; ``order`` is room for the seats."""
    tables, choices, policy = prepared.tables, prepared.choices, prepared.policy
    scores, turns, shot = lanes.scores, lanes.turns, lanes.shot
    games, seats = scores.shape
    first = tape[GAME]
    for lane in range(games):
        rewind(tape, first + lane)
        for i in range(seats):
            order[i] = i
        for i in range(seats - 1, 0, -1):
            j = below(i + 1, tape, data)
            order[i], order[j] = order[j], order[i]
        playing, rounds, deciding = seats, 0, False
        while playing > 1:
            rounds += 1
            top = 0
            for i in range(playing):
                seat = order[i]
                brains = one_turn(choices[policy[seat]], tables, tape, data)
                turns[lane, seat] += 1
                shot[lane, seat] += brains < 0
                scores[lane, seat] += max(0, brains)
                top = max(top, scores[lane, seat])
            if prepared.max_turns > 0:
                deciding |= rounds == prepared.max_turns
            else:
                deciding |= top >= prepared.goal
            if deciding:
                level = 0
                for i in range(playing):
                    if scores[lane, order[i]] == top:
                        order[level] = order[i]
                        level += 1
                playing = level
        lanes.winner[lane] = order[0]
        lanes.used[lane] = used(tape)


def policy_table(found: Turns, name: str) -> Array:
    """The choices of a strategy that looks at its own turn only."""
    if name == "cautious":
        return found.cautious()
    if name == "greedy":
        return found.greedy()
    raise UnknownName(f"no strategy named {name!r} can be simulated; there are: cautious, greedy")


def prepare(game: Zombie, policies: Sequence[str]) -> Prepared:
    """Everything the loop needs to know, for one named strategy at each seat."""
    found = turns(game)
    names = sorted(set(policies))
    tables = [policy_table(found, name) for name in names]
    choices = np.zeros((len(tables), max(map(len, tables)), found.size), np.uint8)
    for i, table in enumerate(tables):
        choices[i, : len(table), found.codes] = table.T
    byte = np.arange(ONE_BYTE)
    small = np.full((ONE_BYTE + 2, ONE_BYTE), REJECTED)
    for n in range(2, ONE_BYTE + 1):
        small[n] = np.where(byte < ONE_BYTE - ONE_BYTE % n, byte % n, REJECTED)
    faces = np.zeros((3, max(map(len, game.faces))), np.int64)
    thrown = np.full((3, ONE_BYTE), REJECTED)
    for colour, text in enumerate(game.faces):
        faces[colour, : len(text)] = [packed(colour, face) for face in text]
        if 1 < len(text) <= ONE_BYTE:
            value = small[len(text)]
            thrown[colour] = np.where(value < 0, REJECTED, faces[colour][value])
    shots, feet, strides = found.coding()
    counts = np.array([len(text) for text in game.faces])
    rows = (small, thrown, feet, shots, strides, np.array(game.dice), counts, faces)
    return Prepared(
        np.concatenate([row.ravel() for row in rows]).astype(np.int32),
        choices,
        np.array([names.index(name) for name in policies]),
        game.brains_to_win,
        game.max_turns,
    )


def lanes_of(prepared: Prepared, seed: str, games: int, first: int = 0) -> Lanes:
    """Play the games ``first`` … ``first + games - 1`` of a seed, without checking any lane."""
    seats = len(prepared.policy)
    winner, used = np.zeros(games, np.int64), np.zeros(games, np.int64)
    scores, taken, shot = (np.zeros((games, seats), np.int64) for _ in range(3))
    lanes = Lanes(winner, scores, taken, shot, used)
    tape, data = new_tape(seeded_key(seed), blocks=BLOCKS)
    rewind(tape, first)
    play_lanes(prepared, tape, data, np.zeros(seats, np.int64), lanes)
    return lanes


class CountedStream(Stream):
    """A stream that counts the bytes it gives."""

    def __init__(self, inner: Stream) -> None:
        self._inner = inner
        self.used = 0

    def take(self, k: int) -> bytes:
        """The next k bytes of the inner stream."""
        self.used += k
        return self._inner.take(k)


class _Follower:
    """Plays at every seat what the prepared choices say."""

    def __init__(self, found: Turns, prepared: Prepared) -> None:
        self._found, self._prepared = found, prepared

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        """Roll, or hold."""
        table = self._prepared.choices[self._prepared.policy[seat]]
        code = self._found.codes[self._found.shape_of(view)]
        on = view.rolls == 0 or (view.brains < len(table) and table[view.brains, code])
        return ROLL if on else HOLD


def by_rules(
    game: Zombie, prepared: Prepared, chance: Stream
) -> tuple[int, list[int], list[int], list[int], int]:
    """One game through the rules, with the same choices: a row of each field of `Lanes`."""
    tape, follower, shot = CountedStream(chance), _Follower(turns(game), prepared), [0] * game.seats
    s = before = game.start()
    for s in play(game, [follower] * game.seats, tape):
        if s.last is not None and s.last is not before.last:
            shot[s.last.seat] += s.last.how == "shot"
        before = s
    return s.playing[0], list(s.scores), list(s.turns), shot, tape.used


class Batch(NamedTuple):
    """Which games were played: ``games`` of them under a seed, from number ``first`` on."""

    seed: str
    games: int
    first: int = 0


def simulate(game: Zombie, policies: Sequence[str], batch: Batch, recheck: int = 4) -> Lanes:
    """Play many games between named strategies, one for each seat.

    ``recheck`` lanes, picked by the operating system's chance, are played again by the
    rules on the same tape; a difference is a fault, and no result is given.
    """
    prepared = prepare(game, policies)
    lanes = lanes_of(prepared, *batch)
    for _ in range(min(recheck, batch.games)):
        must_equal_rules(game, prepared, lanes, batch, SystemStream().below(batch.games))
    return lanes


def must_equal_rules(
    game: Zombie, prepared: Prepared, lanes: Lanes, batch: Batch, lane: int
) -> None:
    """Refuse the lanes if this one differs from the game that the rules play."""
    number = batch.first + lane
    expected = by_rules(game, prepared, SeededStream(batch.seed, number))
    if tuple(column[lane].tolist() for column in lanes) != expected:
        raise Fault("solve/drift", f"game {number} of {batch.seed!r} went otherwise by the rules")
