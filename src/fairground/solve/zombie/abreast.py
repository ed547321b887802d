"""The compiled loop of `fairground.solve.zombie.lanes`: many games, one roll of each at a time.

Some games are at hand, each in a **slot**; all of them roll before any rolls again. A roll is the
same short sum for every game, with no branch and no look into a table. So the compiler makes
vector instructions of it, and the processor rolls eight games abreast. Three tricks:

* What a roll needs lies in rows of 32-bit numbers, with one column for each slot (`Room.table`).
* The next eight bytes of a tape are at hand in one word. The dice that are taken read the first
  four, and those that are thrown the four behind what was read: three draws, and a byte to spare
  for one that must be drawn again.
* How often n fits into a byte is found by a product with a `TRIFLE` more than 1 / n. It is more
  than all rounding, and too little to reach the next number: the result is exact.

A roll that goes otherwise (the bag is short, two bytes must be drawn again) is not done at all.
It is noted, and played draw by draw afterwards (`roll_slowly`). Turns that ended are noted, too.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numba as nb
import numpy as np

from fairground.games.zombie import FATAL
from fairground.solve.tape import (
    AT,
    GAME,
    LEAF,
    REGISTERS,
    SPARE,
    below,
    refill,
    rewind,
    used,
)
from fairground.solve.zombie.turn import Array

_LOOP: Final[dict[str, Any]] = {"cache": True, "error_model": "numpy", "_nrt": False}
_PART: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ABREAST: Final = nb.njit(**_LOOP)
PART: Final = nb.njit(cache=True, error_model="numpy", forceinline=True, **_PART)
"""A loop over slots, and a part of one. A division that could raise an error would be a branch."""

Int, Float = np.int32, np.float32
"""Numba would make 64 bits of every sum, and half as many games would fit into a vector."""

GONE: Final = 3
"""The colour of an empty cell."""

MOST_FAST: Final = 127
"""With more dice in the bag, no roll is fast."""
FAST_FACES: Final = range(2, 16)
"""With more faces on a die, or with one, no roll is fast: a face is two bits of a number."""
TRIFLE: Final = 1 + 2**-12

FOOT, BRAIN, SHOTGUN = range(3)
"""What a face shows."""

GREEN, LOW, LEFT, CELL, CODE, HELD, PLACE, CELLS, DOUBT, NOTED = 0, 1, 2, 3, 6, 7, 8, 9, 10, 11
TABLE: Final = 12
"""The rows of `Room.table`. Of a turn: green dice in the bag, green and yellow ones, all of them;
three rows for the colours in the cells; brain dice and who plays, as parts of the `CODE` of a
shape; what is held: brains in 16 bits, then shotgun dice by colour, three bits each. Where the next
byte of the tape is. Of the last roll: its cells in base 4; whether it is yet to be done; whether it
is noted."""

SHOTS_AT: Final = 16
"""Where the shotguns begin in `HELD`."""

TURN, PLAYING, ROUND, TOP, DECIDING = range(REGISTERS, REGISTERS + 5)
FIELDS: Final = REGISTERS + 5
"""The fields of a slot: the registers of a tape, whose turn it is, among how many (none: the slot
is empty), in which round; the highest score; whether this round decides."""

SCORE, SHOT, TURNS = range(3)
"""The tally of a seat; ``SHOT`` are turns that ended with three shotguns."""


class Prepared(NamedTuple):
    """The configuration as the loop reads it."""

    counts: Array
    """How many faces each colour has."""
    shows: Array
    """[colour, face] → what it shows."""
    packed: Array
    """By colour: what its faces show, two bits each."""
    strides: Array
    """What an eaten die of each colour adds to the code of a shape."""
    coding: Array
    """What else adds up to it: by shotgun dice, 512 numbers, then by cells, 64."""
    limits: Array
    """[policy, code of a shape] → with so many brains it holds, with fewer it rolls."""
    policy: Array
    """By seat: where its limits begin."""
    dice: Array
    fast: bool
    goal: int
    max_turns: int


class Room(NamedTuple):
    """What the loop works with."""

    table: Array
    """[row, slot]: what a roll needs; see `TABLE`."""
    near: Array
    """By slot: the next eight bytes of its tape."""
    slots: Array
    """[slot, field]: what else there is of a game; see `FIELDS`."""
    data: Array
    """[slot, byte]: what is at hand of its tape."""
    order: Array
    """[slot, place]: the seats in the order of their turns; those still in come first."""
    tallies: Array
    """[slot, seat, `SCORE` …]"""
    noted: Array
    """Slots where a turn ended, or a roll is yet to come."""


@PART
def draw(n: Any, inverse: Any, limit: Any, word: Any) -> Any:
    """``below(n)``: the value, how many bits it read, and whether it should have read more."""
    byte, next_byte = word & Int(255), Int(word >> Int(8)) & Int(255)
    again = byte >= limit
    byte = next_byte if again else byte
    value = Int(byte - Int(Int(Float(byte) * inverse) * n))
    return value, Int(16) if again else Int(8), byte >= limit


@PART
def take(cell: Any, bag: Any, tape: Any) -> Any:
    """Fill a cell from the bag if it is empty. The last die would need no draw: a doubt."""
    green, low, left = bag
    word, bits, doubt = tape
    empty, n = cell == Int(GONE), max(left, Int(2))
    inverse = Float(TRIFLE) / Float(n)
    value, read, more = draw(n, inverse, Int(Int(Float(256) * inverse) * n), word)
    colour = Int(Int(value >= green) + Int(value >= low))
    green = Int(green - Int(empty & (colour == Int(0))))
    low = Int(low - Int(empty & (colour <= Int(1))))
    doubt |= empty & (more | (left < Int(2)))
    read = read if empty else Int(0)
    bag, tape = (green, low, Int(left - Int(empty))), (Int(word >> read), Int(bits + read), doubt)
    return (colour if empty else cell), bag, tape


@PART
def by_colour(colour: Any, of: Any) -> Any:
    """One of three values, without a look into memory."""
    return of[0] if colour == Int(0) else (of[1] if colour == Int(1) else of[2])


@PART
def throw(cell: Any, dice: Any, tape: Any) -> Any:
    """Throw the die in a cell: whether it shows a brain, and whether a shotgun."""
    counts, inverses, limits, packed = dice
    word, bits, doubt = tape
    n, inverse = by_colour(cell, counts), by_colour(cell, inverses)
    face, read, more = draw(n, inverse, by_colour(cell, limits), word)
    shown = Int(by_colour(cell, packed) >> Int(face + face))
    tape = Int(word >> read), Int(bits + read), doubt | more
    return shown & Int(1), Int(shown >> Int(1)) & Int(1), tape


@PART
def three(row: Any) -> Any:
    """Three numbers that need not be read again and again."""
    return row[0], row[1], row[2]


@PART
def held_of(cell: Any, brain: Any, shot: Any) -> Any:
    """What a die adds to what is held."""
    return Int(brain + Int(shot << Int(Int(cell * Int(3)) + Int(SHOTS_AT))))


@PART
def stays(cell: Any, brain: Any, shot: Any) -> Any:
    """A die that does not show footprints leaves its cell."""
    return cell if (brain | shot) == Int(0) else Int(GONE)


@ABREAST
def roll_abreast(size: int, table: Any, near: Any, prepared: Any) -> None:
    """One roll in each slot. A doubtful one is left as it was."""
    n0, n1, n2 = three(prepared.counts)
    inverses = Float(TRIFLE) / Float(n0), Float(TRIFLE) / Float(n1), Float(TRIFLE) / Float(n2)
    limits = Int(256 - 256 % n0), Int(256 - 256 % n1), Int(256 - 256 % n2)
    dice = (n0, n1, n2), inverses, limits, three(prepared.packed)
    strides, low_half = three(prepared.strides), np.uint64(0xFFFFFFFF)
    for s in range(size):
        bag = table[GREEN, s], table[LOW, s], table[LEFT, s]
        tape = Int(near[s] & low_half), Int(0), False
        c0, bag, tape = take(table[CELL, s], bag, tape)
        c1, bag, tape = take(table[CELL + 1, s], bag, tape)
        c2, bag, tape = take(table[CELL + 2, s], bag, tape)
        _, taken, doubt = tape
        tape = Int(near[s] >> np.uint64(taken) & low_half), taken, doubt | (taken > Int(32))
        b0, s0, tape = throw(c0, dice, tape)
        b1, s1, tape = throw(c1, dice, tape)
        b2, s2, tape = throw(c2, dice, tape)
        _, bits, doubt = tape
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
    """Whether these are three shotguns."""
    shots = held >> SHOTS_AT
    return (shots & 7) + (shots >> 3 & 7) + (shots >> 6 & 7) >= FATAL


@PART
def is_over(held: Any, code: Any, cells: Any, prepared: Any) -> Any:
    """Whether the turn ends here: with three shotguns, or because its zombie holds."""
    code += prepared.coding[held >> SHOTS_AT & 511] + prepared.coding[512 + (cells & 63)]
    return is_shot(held) | ((held & 0xFFFF) >= prepared.limits[np.uint32(code)])


@PART
def roll_all(size: int, room: Room, prepared: Prepared) -> int:
    """One roll in each slot. How many of them are noted."""
    table, near, slots, data, _, _, noted = room
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
    roll_abreast(size, table, near, prepared)
    for s in range(size):
        over = is_over(table[HELD, s], table[CODE, s], table[CELLS, s], prepared)
        table[NOTED, s] = Int(over) | table[DOUBT, s]
    count = 0
    for s in range(size):
        noted[count & 0xFFFF] = s
        count += table[NOTED, s]
    return count


@LEAF
def roll_slowly(s: int, room: Room, prepared: Prepared) -> bool:
    """One roll draw by draw, whatever happens in it; whether the turn is over."""
    table, slot, data = room.table, room.slots[s], room.data[s]
    slot[AT] = table[PLACE, s]
    empty = 0
    for i in range(CELL, CELL + 3):
        empty += table[i, s] == GONE
    if empty > table[LEFT, s]:
        policy = prepared.policy[room.order[s, slot[TURN]]]
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
def begin(s: int, room: Room, game: int) -> None:
    """Shuffle the seats of a new game."""
    slot, order, tallies = room.slots[s], room.order[s], room.tallies[s]
    rewind(slot, game)
    seats = len(order)
    for i in range(seats):
        order[i] = i
        tallies[i, SCORE] = tallies[i, SHOT] = 0
    for i in range(seats - 1, 0, -1):
        j = below(i + 1, slot, room.data[s])
        order[i], order[j] = order[j], order[i]
    room.table[PLACE, s] = slot[AT]
    slot[TURN] = slot[ROUND] = slot[TOP] = slot[DECIDING] = 0
    slot[PLAYING] = seats


@PART
def begin_turn(s: int, room: Room, prepared: Prepared) -> None:
    """All dice in the bag, and the next one's turn."""
    table, (green, yellow, red) = room.table, three(prepared.dice)
    table[GREEN, s], table[LOW, s], table[LEFT, s] = green, green + yellow, green + yellow + red
    table[CELL, s] = table[CELL + 1, s] = table[CELL + 2, s] = GONE
    table[HELD, s] = 0
    seat = room.order[s, np.uint32(room.slots[s, TURN])]
    table[CODE, s] = prepared.policy[np.uint32(seat)]


@PART
def end_turn(s: int, room: Room, prepared: Prepared) -> None:
    """Count what the turn brought, and see who is next; `PLAYING` is 1 when the game is over."""
    slot, order, held = room.slots[s], room.order[s], room.table[HELD, s]
    shot, tally = is_shot(held), room.tallies[s, np.uint32(order[np.uint32(slot[TURN])])]
    tally[SHOT] += shot
    tally[SCORE] += (held & 0xFFFF) * (not shot)
    slot[TOP] = max(slot[TOP], tally[SCORE])
    # Who is last in a round cannot be foreseen, so the processor should not have to.
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
            tally = room.tallies[s, order[i]]
            tally[TURNS] = slot[ROUND]
            if tally[SCORE] == slot[TOP]:
                order[level] = order[i]
                level += 1
        slot[PLAYING] = level


@PART
def write(s: int, room: Room, row: Array) -> None:
    """How a game ended: the winner; scores, turns and turns shot by seat; bytes that were read."""
    slot, tallies = room.slots[s], room.tallies[s]
    seats = len(tallies)
    slot[AT] = room.table[PLACE, s]
    row[0], row[-1] = room.order[s, 0], used(slot)
    for seat in range(seats):
        row[1 + seat] = tallies[seat, SCORE]
        row[1 + seats + seat] = tallies[seat, TURNS]
        row[1 + 2 * seats + seat] = tallies[seat, SHOT]


@LEAF
def play_lanes(first: int, prepared: Prepared, room: Room, rows: Array) -> None:
    """Play one game for each row; row 0 is game number ``first``.

    A slot is noted when it is empty, too: at first all of them. When no game is left to begin,
    an empty slot rolls on for nobody.
    """
    slots, noted = room.slots, room.noted
    games = left = len(rows)
    size = count = min(len(slots), games)
    begun = 0
    for s in range(size):
        noted[s] = s
    while left > 0:
        for i in range(count):
            s = noted[i]
            if room.table[DOUBT, s] and not roll_slowly(s, room, prepared):
                continue
            if slots[s, PLAYING] > 0:
                end_turn(s, room, prepared)
            if slots[s, PLAYING] == 1:
                write(s, room, rows[slots[s, GAME] - first])
                left -= 1
                slots[s, PLAYING] = 0
            if slots[s, PLAYING] == 0 and begun < games:
                begin(s, room, first + begun)
                begun += 1
            begin_turn(s, room, prepared)
        count = roll_all(size, room, prepared)
