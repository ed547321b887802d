"""The compiled kernel of Zombie Dice: many games, one roll of each at a time.

The current games stand in **slots**, and all of them roll before any rolls again. A roll is the
same short sum for every game, without a branch and without a table. So the compiler vectorises it,
and the processor rolls eight games at once. Three tricks:

* A roll needs rows of 32-bit numbers, with one column for each slot (`Memory.table`).
* The next eight bytes of a stream are in one word. Taking dice reads the first four, throwing them
  the four after those: three draws, and one byte to spare for a rejected one.
* A division of a byte by n is a product with a `TRIFLE` more than 1 / n. The trifle is more than
  all rounding, and too little to reach the next number: the result is exact.

An unusual roll (the bag is short, two bytes are rejected) is left undone and noted. `roll_slowly`
plays it draw by draw afterwards. Slots whose turn has ended are noted as well.

Environments for learning programs play on the same slots, and roll slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numba as nb
import numpy as np

from fairground.core import InputError, Seat
from fairground.fair.bits import seeded_key
from fairground.games.compiled import (
    AT,
    GAME,
    LEAF,
    REGISTERS,
    SPARE,
    Episodes,
    Ints,
    below,
    new_stream,
    refill,
    rewind,
)
from fairground.games.kernels import Kernel, Played
from fairground.games.zombie.rules import FATAL, Zombie
from fairground.games.zombie.solver.turn import Array, Turns, turns

BLOCKS: Final = 16
"""Blocks of a stream that are computed at a time: most games need no more."""

SLOTS: Final = 32
"""Number of current games: their streams stay in the nearest cache."""

LARGEST_BAG: Final = 30
"""With more dice the table of a turn takes longer than the games."""

PLAYERS: Final = ("cautious", "greedy")
"""Players whose choice depends on their own turn only."""
NEVER_HOLDS: Final = ""
"""In a lineup: a seat that decides outside of the kernel."""

_LOOP: Final[dict[str, Any]] = {"cache": True, "error_model": "numpy", "_nrt": False}
_PART: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
LOOP: Final = nb.njit(**_LOOP)
PART: Final = nb.njit(cache=True, error_model="numpy", forceinline=True, **_PART)
"""Compile a loop over slots, and a part of one. (A division that can raise is a branch.)"""

Int, Float = np.int32, np.float32
"""Sums of 32 bits: with 64, only half as many games fit into a vector."""

GONE: Final = 3
"""The colour of an empty cell."""

MOST_FAST: Final = 127
"""With more dice in the bag, no roll is fast."""
FAST_FACES: Final = range(2, 16)
"""With more faces on a die, or with one, no roll is fast: a face is two bits of a number."""
TRIFLE: Final = 1 + 2**-12

FOOT, BRAIN, SHOTGUN = range(3)
"""The kinds of faces."""

GREEN, LOW, LEFT, CELL, CODE, HELD, PLACE, CELLS, DOUBT, NOTED = 0, 1, 2, 3, 6, 7, 8, 9, 10, 11
TABLE: Final = 12
"""The rows of `Memory.table`.

=========================  ======================================================================
``GREEN, LOW, LEFT``       in the bag: green dice, green and yellow ones, all dice
``CELL``                   three rows: the colours in the cells
``CODE``                   brain dice and the player's policy, as parts of the code of a shape
``HELD``                   brains in 16 bits, then shotgun dice by colour, three bits each
``PLACE``                  the place of the next byte of the stream
``CELLS, DOUBT, NOTED``    of the last roll: its cells in base 4; 1 if undone; 1 if noted
=========================  ======================================================================
"""

SHOTS_AT: Final = 16
"""The bit at which shotguns begin in `HELD`."""

TURN, PLAYING, ROUND, TOP, DECIDING = range(REGISTERS, REGISTERS + 5)
FIELDS: Final = REGISTERS + 5
"""The fields of a slot: registers of its stream, index of the turn, number of seats still playing
(0: the slot is empty), completed rounds, highest score, 1 once a round decides."""

SCORE, SHOT, TURNS = range(3)
"""The tally of a seat. ``SHOT`` counts turns that three shotguns ended."""


class Prepared(NamedTuple):
    """The game and its players as the kernel reads them."""

    counts: Array
    """Number of faces by colour."""
    shows: Array
    """[colour, face] → `FOOT`, `BRAIN` or `SHOTGUN`."""
    packed: Array
    """By colour: its faces in one number, two bits each."""
    strides: Array
    """By colour: what a brain die adds to the code of a shape."""
    coding: Array
    """The other parts of the code: 512 numbers by shotgun dice, then 64 by cells."""
    limits: Array
    """[policy, code of a shape] → the number of brains from which on the policy holds."""
    policy: Array
    """By seat: the index at which its limits begin."""
    dice: Array
    fast: bool
    goal: int
    max_turns: int


class Memory(NamedTuple):
    """The working memory of the kernel."""

    table: Array
    """[row, slot]: the state of a turn; see `TABLE`."""
    near: Array
    """By slot: the next eight bytes of its stream."""
    slots: Array
    """[slot, field]: the state of a game; see `FIELDS`."""
    data: Array
    """[slot, byte]: the buffer of its stream."""
    order: Array
    """[slot, place]: the seats in turn order; those still playing come first."""
    tallies: Array
    """[slot, seat, `SCORE` …]"""
    noted: Array
    """Slots whose turn has ended, or whose roll is undone."""


@PART
def draw(n: Any, inverse: Any, limit: Any, word: Any) -> Any:
    """Draw ``below(n)``; return the value, the bits read, and whether two bytes were rejected."""
    byte, next_byte = word & Int(255), Int(word >> Int(8)) & Int(255)
    again = byte >= limit
    byte = next_byte if again else byte
    value = Int(byte - Int(Int(Float(byte) * inverse) * n))
    return value, Int(16) if again else Int(8), byte >= limit


@PART
def take(cell: Any, bag: Any, stream: Any) -> Any:
    """Fill a cell from the bag if it is empty. The last die needs no draw, which is unusual."""
    green, low, left = bag
    word, bits, doubt = stream
    empty, n = cell == Int(GONE), max(left, Int(2))
    inverse = Float(TRIFLE) / Float(n)
    value, read, more = draw(n, inverse, Int(Int(Float(256) * inverse) * n), word)
    colour = Int(Int(value >= green) + Int(value >= low))
    green = Int(green - Int(empty & (colour == Int(0))))
    low = Int(low - Int(empty & (colour <= Int(1))))
    doubt |= empty & (more | (left < Int(2)))
    read = read if empty else Int(0)
    bag, stream = (green, low, Int(left - Int(empty))), (Int(word >> read), Int(bits + read), doubt)
    return (colour if empty else cell), bag, stream


@PART
def by_colour(colour: Any, of: Any) -> Any:
    """Return one of three values without reading memory."""
    return of[0] if colour == Int(0) else (of[1] if colour == Int(1) else of[2])


@PART
def throw(cell: Any, dice: Any, stream: Any) -> Any:
    """Throw the die in a cell; return 1 for a brain, and 1 for a shotgun."""
    counts, inverses, limits, packed = dice
    word, bits, doubt = stream
    n, inverse = by_colour(cell, counts), by_colour(cell, inverses)
    face, read, more = draw(n, inverse, by_colour(cell, limits), word)
    shown = Int(by_colour(cell, packed) >> Int(face + face))
    stream = Int(word >> read), Int(bits + read), doubt | more
    return shown & Int(1), Int(shown >> Int(1)) & Int(1), stream


@PART
def three(row: Any) -> Any:
    """Return three numbers, so that a loop reads them once."""
    return row[0], row[1], row[2]


@PART
def held_of(cell: Any, brain: Any, shot: Any) -> Any:
    """Return what a die adds to `HELD`."""
    return Int(brain + Int(shot << Int(Int(cell * Int(3)) + Int(SHOTS_AT))))


@PART
def stays(cell: Any, brain: Any, shot: Any) -> Any:
    """Return the new colour of a cell: only footprints stay."""
    return cell if (brain | shot) == Int(0) else Int(GONE)


@LOOP
def roll_fast(size: int, table: Any, near: Any, prepared: Any) -> None:
    """Roll in each slot. An unusual roll leaves its slot unchanged, with `DOUBT` set."""
    n0, n1, n2 = three(prepared.counts)
    inverses = Float(TRIFLE) / Float(n0), Float(TRIFLE) / Float(n1), Float(TRIFLE) / Float(n2)
    limits = Int(256 - 256 % n0), Int(256 - 256 % n1), Int(256 - 256 % n2)
    dice = (n0, n1, n2), inverses, limits, three(prepared.packed)
    strides, low_half = three(prepared.strides), np.uint64(0xFFFFFFFF)
    for s in range(size):
        bag = table[GREEN, s], table[LOW, s], table[LEFT, s]
        stream = Int(near[s] & low_half), Int(0), False
        c0, bag, stream = take(table[CELL, s], bag, stream)
        c1, bag, stream = take(table[CELL + 1, s], bag, stream)
        c2, bag, stream = take(table[CELL + 2, s], bag, stream)
        _, taken, doubt = stream
        stream = Int(near[s] >> np.uint64(taken) & low_half), taken, doubt | (taken > Int(32))
        b0, s0, stream = throw(c0, dice, stream)
        b1, s1, stream = throw(c1, dice, stream)
        b2, s2, stream = throw(c2, dice, stream)
        _, bits, doubt = stream
        doubt |= Int(bits - taken) > Int(32)
        eaten = Int(b0 * by_colour(c0, strides)) + Int(b1 * by_colour(c1, strides))
        eaten = Int(eaten + Int(b2 * by_colour(c2, strides)))
        held = Int(held_of(c0, b0, s0) + held_of(c1, b1, s1) + held_of(c2, b2, s2))
        c0, c1, c2 = stays(c0, b0, s0), stays(c1, b1, s1), stays(c2, b2, s2)
        table[GREEN, s] = table[GREEN, s] if doubt else bag[0]
        table[LOW, s] = table[LOW, s] if doubt else bag[1]
        table[LEFT, s] = table[LEFT, s] if doubt else bag[2]
        table[CELL, s] = table[CELL, s] if doubt else c0
        table[CELL + 1, s] = table[CELL + 1, s] if doubt else c1
        table[CELL + 2, s] = table[CELL + 2, s] if doubt else c2
        table[CODE, s] += Int(0) if doubt else eaten
        table[HELD, s] += Int(0) if doubt else held
        table[PLACE, s] += Int(0) if doubt else Int(bits >> Int(3))
        table[CELLS, s] = c0 | c1 << Int(2) | c2 << Int(4)
        table[DOUBT, s] = Int(doubt)


@PART
def is_shot(held: Any) -> Any:
    """Return whether three shotguns are held."""
    shots = held >> SHOTS_AT
    return (shots & 7) + (shots >> 3 & 7) + (shots >> 6 & 7) >= FATAL


@PART
def is_over(held: Any, code: Any, cells: Any, prepared: Any) -> Any:
    """Return whether the turn ends: by three shotguns, or because its policy holds."""
    code += prepared.coding[held >> SHOTS_AT & 511] + prepared.coding[512 + (cells & 63)]
    return is_shot(held) | ((held & 0xFFFF) >= prepared.limits[np.uint32(code)])


@PART
def roll_all(size: int, memory: Memory, prepared: Prepared) -> int:
    """Roll in each slot; return how many slots are noted."""
    table, near, slots, data, _, _, noted = memory
    words, full = data.view(np.uint64), data.shape[1]
    if not prepared.fast:
        for s in range(size):
            noted[s], table[DOUBT, s] = s, 1
        return size
    for s in range(size):
        if full - table[PLACE, s] < SPARE:
            slots[s, AT] = table[PLACE, s]
            refill(slots[s], data[s])
            table[PLACE, s] = slots[s, AT]
        place = table[PLACE, s] & 0xFFFF
        shift, at = np.uint64(8 * (place & 7)), place >> 3
        # The word behind is shifted twice, since a word cannot be shifted by 64 bits.
        near[s] = words[s, at] >> shift | words[s, at + 1] << np.uint64(1) << np.uint64(63) - shift
    roll_fast(size, table, near, prepared)
    for s in range(size):
        over = is_over(table[HELD, s], table[CODE, s], table[CELLS, s], prepared)
        table[NOTED, s] = Int(over) | table[DOUBT, s]
    count = 0
    for s in range(size):
        noted[count & 0xFFFF] = s
        count += table[NOTED, s]
    return count


@LEAF
def roll_slowly(s: int, memory: Memory, prepared: Prepared) -> bool:
    """Roll draw by draw; return whether the turn is over."""
    table, slot, data = memory.table, memory.slots[s], memory.data[s]
    slot[AT] = table[PLACE, s]
    empty = 0
    for i in range(CELL, CELL + 3):
        empty += table[i, s] == GONE
    if empty > table[LEFT, s]:
        policy = prepared.policy[memory.order[s, slot[TURN]]]
        eaten = table[CODE, s] - policy
        for colour in range(3):
            back = eaten // prepared.strides[colour]
            eaten -= back * prepared.strides[colour]
            table[GREEN, s] += back if colour == 0 else 0
            table[LOW, s] += back if colour <= 1 else 0
            table[LEFT, s] += back
        table[CODE, s] = policy
    for i in range(CELL, CELL + 3):
        if table[i, s] == GONE and table[LEFT, s] > 0:
            value = below(table[LEFT, s], slot, data)
            colour = (value >= table[GREEN, s]) + (value >= table[LOW, s])
            table[GREEN, s] -= colour == 0
            table[LOW, s] -= colour <= 1
            table[LEFT, s] -= 1
            table[i, s] = colour
    cells = 0
    for i in range(CELL, CELL + 3):
        colour = table[i, s]
        if colour != GONE:
            shown = prepared.shows[colour, below(prepared.counts[colour], slot, data)]
            if shown == BRAIN:
                table[CODE, s] += prepared.strides[colour]
                table[HELD, s] += 1
            elif shown == SHOTGUN:
                table[HELD, s] += 1 << SHOTS_AT + 3 * colour
            table[i, s] = colour if shown == FOOT else GONE
        cells |= table[i, s] << 2 * (i - CELL)
    table[PLACE, s] = slot[AT]
    return bool(is_over(table[HELD, s], table[CODE, s], cells, prepared))


@PART
def begin(s: int, memory: Memory, game: int) -> None:
    """Begin a game in a slot: shuffle the seats."""
    slot, order, tallies = memory.slots[s], memory.order[s], memory.tallies[s]
    rewind(slot, game)
    seats = len(order)
    for i in range(seats):
        order[i] = i
        tallies[i, SCORE] = tallies[i, SHOT] = 0
    for i in range(seats - 1, 0, -1):
        j = below(i + 1, slot, memory.data[s])
        order[i], order[j] = order[j], order[i]
    memory.table[PLACE, s] = slot[AT]
    slot[TURN] = slot[ROUND] = slot[TOP] = slot[DECIDING] = 0
    slot[PLAYING] = seats


@PART
def begin_turn(s: int, memory: Memory, prepared: Prepared) -> None:
    """Put all dice into the bag for the next turn."""
    table, (green, yellow, red) = memory.table, three(prepared.dice)
    table[GREEN, s], table[LOW, s], table[LEFT, s] = green, green + yellow, green + yellow + red
    table[CELL, s] = table[CELL + 1, s] = table[CELL + 2, s] = GONE
    table[HELD, s] = 0
    seat = memory.order[s, np.uint32(memory.slots[s, TURN])]
    table[CODE, s] = prepared.policy[np.uint32(seat)]


@PART
def end_turn(s: int, memory: Memory, prepared: Prepared) -> None:
    """Score the turn and pass it on; `PLAYING` becomes 1 when the game is over."""
    slot, order, held = memory.slots[s], memory.order[s], memory.table[HELD, s]
    shot, tally = is_shot(held), memory.tallies[s, np.uint32(order[np.uint32(slot[TURN])])]
    tally[SHOT] += shot
    tally[SCORE] += (held & 0xFFFF) * (not shot)
    slot[TOP] = max(slot[TOP], tally[SCORE])
    # The end of a round is hard to predict, so there is no branch here.
    complete = slot[TURN] + 1 == slot[PLAYING]
    slot[TURN] = (slot[TURN] + 1) * (not complete)
    slot[ROUND] += complete
    enough = slot[TOP] >= prepared.goal
    if prepared.max_turns > 0:
        enough = slot[ROUND] == prepared.max_turns
    slot[DECIDING] |= complete & enough
    if slot[DECIDING] + complete == 2:  # one branch: `and` would be two
        level = 0
        for i in range(slot[PLAYING]):
            tally = memory.tallies[s, order[i]]
            tally[TURNS] = slot[ROUND]
            if tally[SCORE] == slot[TOP]:
                order[level] = order[i]
                level += 1
        slot[PLAYING] = level


@PART
def write(s: int, memory: Memory, row: Array) -> None:
    """Write the result of a game: the winner; then by seat scores, turns, and turns shot."""
    tallies = memory.tallies[s]
    seats = len(tallies)
    row[0] = memory.order[s, 0]
    for seat in range(seats):
        row[1 + seat] = tallies[seat, SCORE]
        row[1 + seats + seat] = tallies[seat, TURNS]
        row[1 + 2 * seats + seat] = tallies[seat, SHOT]


@LEAF
def play_games(first: int, prepared: Prepared, memory: Memory, rows: Array) -> None:
    """Play one game for each row; row 0 is game number ``first``.

    An empty slot is noted, too: at first all of them. Once no game is left to begin, empty slots
    roll on without effect.
    """
    slots, noted = memory.slots, memory.noted
    games = left = len(rows)
    size = count = min(len(slots), games)
    begun = 0
    for s in range(size):
        noted[s] = s
    while left > 0:
        for i in range(count):
            s = noted[i]
            if memory.table[DOUBT, s] and not roll_slowly(s, memory, prepared):
                continue
            if slots[s, PLAYING] > 0:
                end_turn(s, memory, prepared)
            if slots[s, PLAYING] == 1:
                write(s, memory, rows[slots[s, GAME] - first])
                left -= 1
                slots[s, PLAYING] = 0
            if slots[s, PLAYING] == 0 and begun < games:
                begin(s, memory, first + begun)
                begun += 1
            begin_turn(s, memory, prepared)
        count = roll_all(size, memory, prepared)


def prepare(game: Zombie, lineup: Sequence[str]) -> Prepared:
    """Return the game and its players, one for each seat, as the kernel reads them."""
    found = turns(game)
    names = sorted(set(lineup))
    limits = np.zeros((len(names), found.size), np.uint16)
    for row, name in zip(limits, names, strict=True):
        if name == NEVER_HOLDS:
            row[:] = np.iinfo(np.uint16).max
        else:
            choice = found.cautious if name == "cautious" else found.greedy
            row[found.codes] = limits_of(found, choice)
    by_shot, by_cells, strides = found.coding()
    counts = np.array([len(text) for text in game.faces], np.int32)
    shows = np.zeros((3, counts.max()), np.int64)
    for row, text in zip(shows, game.faces, strict=True):
        row[: len(text)] = ["fbs".index(face) for face in text]
    thrown = {len(text) for n, text in zip(game.dice, game.faces, strict=True) if n}
    fast = sum(game.dice) <= MOST_FAST and all(n in FAST_FACES for n in thrown)
    bits = 2 * np.arange(min(counts.max(), max(FAST_FACES)))
    return Prepared(
        np.maximum(counts, 1),
        shows,
        (shows[:, : len(bits)] << bits).sum(axis=1).astype(np.int32),
        strides.astype(np.int32),
        np.concatenate([by_shot, np.maximum(by_cells, 0)]).astype(np.int32),
        limits.ravel().astype(np.min_scalar_type(limits.max())),
        np.array([names.index(name) for name in lineup]) * found.size,
        np.array(game.dice),
        fast,
        game.brains_to_win,
        game.max_turns,
    )


def limits_of(found: Turns, choice: Array) -> Array:
    """Return for each shape the number of brains from which on the choice is to hold.

    More brains never turn a hold into a roll: there is more to lose and no more to win. So one
    number for each shape replaces the choices of all states that a turn can reach.
    """
    limits: Array = ((np.arange(len(choice)) + 1)[:, None] * choice).max(axis=0, initial=0)
    brains = np.repeat(np.arange(found.top), np.diff(found.layers.first))
    shapes = found.layers.shapes[: len(brains)]
    reached = brains < len(choice)
    brains, shapes = brains[reached], shapes[reached]
    assert (choice[brains, shapes] == (brains < limits[shapes])).all()
    return limits


def new_memory(slots: int, seats: int) -> Memory:
    """Return memory for a number of slots; call `seed_memory` before use."""
    _, data = new_stream((0, 0), blocks=BLOCKS)
    return Memory(
        np.zeros((TABLE, slots), np.int32),
        np.zeros(slots, np.uint64),
        np.zeros((slots, FIELDS), np.int64),
        np.tile(data, (slots, 1)),
        np.zeros((slots, seats), np.int64),
        np.zeros((slots, seats, 3), np.int64),
        np.zeros(slots + 1, np.uint32),
    )


def seed_memory(memory: Memory, seed: str) -> None:
    """Choose the stream of all slots, and empty them."""
    registers, _ = new_stream(seeded_key(seed))
    memory.slots[:] = 0
    memory.slots[:, :REGISTERS] = registers


def kernel(game: Zombie, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel for these players, or ``None`` if it does not know them."""
    if any(who not in PLAYERS for who in lineup) or not _fits(game):
        return None
    prepared, seats = prepare(game, lineup), game.seats

    def play(first: int, count: int) -> Played:
        memory = new_memory(SLOTS, seats)
        seed_memory(memory, seed)
        facts = np.empty((count, 1 + 3 * seats), np.int64)
        play_games(first, prepared, memory, facts)
        payoffs = np.where(np.arange(seats) == facts[:, :1], seats - 1, -1)
        return Played(payoffs.astype(np.int64), facts)

    return Kernel(play)


def _fits(game: Zombie) -> bool:
    return sum(game.dice) <= LARGEST_BAG and game.can_bust


# Episodes: one slot each


@LEAF
def decide(s: int, rolls: bool, memory: Memory, prepared: Prepared, count: Any) -> bool:
    """Roll or hold in a slot; return whether the game is over.

    ``count`` has the rolls of this turn and the decisions of the game so far.
    """
    count[s, 1] += 1
    if rolls:
        count[s, 0] += 1
        if not roll_slowly(s, memory, prepared):
            return False
        count[s, 1] += not is_shot(memory.table[HELD, s])  # a policy that holds decides again
    end_turn(s, memory, prepared)
    count[s, 0] = 0
    if memory.slots[s, PLAYING] == 1:
        return True
    begin_turn(s, memory, prepared)
    return False


@LEAF
def play_opponent(  # noqa: PLR0917 - numba wants its arguments in order
    s: int,
    seat: int,
    random: bool,
    memory: Memory,
    prepared: Prepared,
    own: Any,
    data: Any,
    count: Any,
) -> bool:
    """Play in a slot until it is this seat's turn; return whether the game is over.

    Random choices read the opponent's stream ``own``; other players follow their policy.
    """
    while memory.order[s, memory.slots[s, TURN]] != seat:
        rolls = not random or count[s, 0] == 0 or below(2, own, data) == 0
        if decide(s, rolls, memory, prepared, count):
            return True
    return False


@LEAF
def show(  # noqa: PLR0917 - numba wants its arguments in order
    s: int, seat: int, over: bool, memory: Memory, prepared: Prepared, rolls: int, seen: Any
) -> None:
    """Write the observation of a seat, in the order of `ZombieCodec`."""
    table, slot = memory.table, memory.slots[s]
    seen[0], seen[1] = memory.tallies[s, seat, SCORE], memory.tallies[s, 1 - seat, SCORE]
    held, eaten = table[HELD, s], table[CODE, s] - prepared.policy[memory.order[s, slot[TURN]]]
    seen[2], seen[3] = held & 0xFFFF, rolls
    seen[7] = table[GREEN, s]
    seen[8] = table[LOW, s] - table[GREEN, s]
    seen[9] = table[LEFT, s] - table[LOW, s]
    for i in range(3):
        seen[4 + i] = (table[CELL + i, s] + 1) % 4  # 0: empty
        seen[10 + i] = eaten // prepared.strides[i]
        eaten %= prepared.strides[i]
        seen[13 + i] = held >> SHOTS_AT + 3 * i & 7
    seen[16] = slot[ROUND] + (not over)
    seen[17] = not over or memory.order[s, 0] == seat
    seen[18] = not over or memory.order[s, 0] != seat


@nb.njit(cache=True)
def _begin(places: Any, numbers: Any, agent: Any, prepared: Any, memory: Any, rest: Any) -> None:  # noqa: PLR0917 - numba wants its arguments in order
    seat, random = agent
    streams, data, seen, masks, count = rest
    for s in places:
        begin(s, memory, numbers[s])
        begin_turn(s, memory, prepared)
        count[s, 0] = count[s, 1] = 0
        own, bytes_ = streams[s, 2 - seat], data[s, 2 - seat]
        rewind(own, numbers[s])
        play_opponent(s, seat, random, memory, prepared, own, bytes_, count)
        show(s, seat, False, memory, prepared, count[s, 0], seen[s])
        masks[s, 0], masks[s, 1] = 1, 0


@nb.njit(cache=True)
def _act(actions: Any, agent: Any, prepared: Any, memory: Any, rest: Any, ends: Any) -> None:  # noqa: PLR0917 - numba wants its arguments in order
    seat, random = agent
    streams, data, seen, masks, count = rest
    rewards, over, truncated, most_turns = ends
    for s in range(len(actions)):
        rewards[s], over[s], truncated[s] = 0.0, False, False
        if actions[s] != 0 and not (actions[s] == 1 and count[s, 0] > 0):
            rewards[s], over[s] = -1.0, True
            continue
        own, bytes_ = streams[s, 2 - seat], data[s, 2 - seat]
        over[s] = decide(s, actions[s] == 0, memory, prepared, count) or play_opponent(
            s, seat, random, memory, prepared, own, bytes_, count
        )
        if over[s]:
            rewards[s] = 1.0 if memory.order[s, 0] == seat else -1.0
            begin_turn(s, memory, prepared)
        truncated[s] = not over[s] and count[s, 1] >= most_turns > 0
        show(s, seat, over[s], memory, prepared, count[s, 0], seen[s])
        masks[s, 1] = count[s, 0] > 0


class ZombieEpisodes(Episodes):
    """Episodes for two zombies, against `random`, `cautious` or `greedy`."""

    opponents = ("random", *PLAYERS)

    def __init__(self, game: Zombie, count: int, seat: Seat, opponent: str) -> None:
        if game.seats != 2:
            raise InputError(f"the kernel of {game.name} has two seats, not {game.seats}")
        if not _fits(game):
            raise InputError(
                f"the kernel of {game.name} has at most {LARGEST_BAG} dice, three of which can "
                "show a shotgun"
            )
        super().__init__(game, count, seat, opponent)
        lineup = [NEVER_HOLDS if at == seat or not self.opponent else opponent for at in range(2)]
        self._prepared, self._memory = prepare(game, lineup), new_memory(count, 2)
        self._count = np.zeros((count, 2), np.int64)

    def seed(self, seed: str) -> None:
        super().seed(seed)
        seed_memory(self._memory, seed)

    def begin(self, places: Ints) -> None:
        rest = self.streams, self.buffers, self.seen, self.masks, self._count
        agent = self.seat, self.opponent == 0
        _begin(places, self.numbers, agent, self._prepared, self._memory, rest)

    def act(self, actions: Ints) -> None:
        rest = self.streams, self.buffers, self.seen, self.masks, self._count
        ends = self.rewards, self.over, self.truncated, self.most_turns
        _act(actions, (self.seat, self.opponent == 0), self._prepared, self._memory, rest, ends)
