"""Many games of Zombie Dice at native speed, each on a tape of its own.

The compiled loop is a second set of rules, so it is held to the first. **Lane** g reads exactly
the bytes of ``SeededStream(seed, g)``, draw for draw as `Stream.below` would. It must end as the
rules end on that tape, down to the number of bytes read. `simulate` plays a random sample of its
lanes by the rules each time, and refuses to answer if one differs.

What makes it fast is in `fairground.solve.zombie.abreast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from fairground.core import Fault, Game, Move, Seat, UnknownName
from fairground.fair.bits import SeededStream, Stream, SystemStream, seeded_key
from fairground.games.zombie import HOLD, ROLL, State, Zombie
from fairground.playing import play
from fairground.solve.tape import REGISTERS, new_tape
from fairground.solve.zombie.abreast import (
    FAST_FACES,
    FIELDS,
    MOST_FAST,
    TABLE,
    Prepared,
    Room,
    play_lanes,
)
from fairground.solve.zombie.turn import Array, Turns, turns

BLOCKS: Final = 16
"""How many blocks of a tape are made at a time: most games need no more. The `SPARE` bytes before
them are more than the six draws of a roll need."""

SLOTS: Final = 32
"""How many games are at hand at a time: their tapes stay in the nearest cache."""


class Lanes(NamedTuple):
    """How each game ended; rows are lanes, columns seats."""

    winner: Array
    scores: Array
    turns: Array
    shot: Array
    """Turns that ended with three shotguns."""
    used: Array
    """Bytes of the tape that were read."""


def policy_table(found: Turns, name: str) -> Array:
    """The choices of a strategy that looks at its own turn only."""
    if name == "cautious":
        return found.cautious
    if name == "greedy":
        return found.greedy
    raise UnknownName(f"no strategy named {name!r} can be simulated; there are: cautious, greedy")


def prepare(game: Zombie, policies: Sequence[str]) -> Prepared:
    """Everything the loop needs to know, for one named strategy at each seat."""
    found = turns(game)
    names = sorted(set(policies))
    limits = np.zeros((len(names), found.size), np.uint16)
    for row, name in zip(limits, names, strict=True):
        row[found.codes] = limits_of(found, policy_table(found, name))
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
        np.array([names.index(name) for name in policies]) * found.size,
        np.array(game.dice),
        fast,
        game.brains_to_win,
        game.max_turns,
    )


def limits_of(found: Turns, choice: Array) -> Array:
    """By shape: the brains from which on it is held.

    Whoever holds with some brains holds with more, for there is more to lose and no more to win.
    So the choices of all states that a turn can reach come down to one number for each shape.
    """
    limits: Array = ((np.arange(len(choice)) + 1)[:, None] * choice).max(axis=0, initial=0)
    brains = np.repeat(np.arange(found.top), np.diff(found.layers.first))
    shapes = found.layers.shapes[: len(brains)]
    reached = brains < len(choice)
    brains, shapes = brains[reached], shapes[reached]
    assert (choice[brains, shapes] == (brains < limits[shapes])).all()
    return limits


def lanes_of(prepared: Prepared, seed: str, games: int, first: int = 0) -> Lanes:
    """Play the games ``first`` … ``first + games - 1`` of a seed, without checking any lane."""
    seats = len(prepared.policy)
    tape, data = new_tape(seeded_key(seed), blocks=BLOCKS)
    room = Room(
        np.zeros((TABLE, SLOTS), np.int32),
        np.zeros(SLOTS, np.uint64),
        np.tile(np.append(tape, np.zeros(FIELDS - REGISTERS, np.int64)), (SLOTS, 1)),
        np.tile(data, (SLOTS, 1)),
        np.zeros((SLOTS, seats), np.int64),
        np.zeros((SLOTS, seats, 3), np.int64),
        np.zeros(SLOTS + 1, np.uint32),
    )
    rows = np.empty((games, 2 + 3 * seats), np.int64)
    play_lanes(first, prepared, room, rows)
    scores, taken, shot = np.split(rows[:, 1:-1], 3, axis=1)
    return Lanes(rows[:, 0], scores, taken, shot, rows[:, -1])


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
        code = self._prepared.policy[seat] + self._found.codes[self._found.shape_of(view)]
        on = view.rolls == 0 or view.brains < self._prepared.limits[code]
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
