"""The compiled kernel of intransitive dice: a coin, two picks, two rolls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.core import InputError, Seat
from fairground.fair.bits import SystemStream
from fairground.games.compiled import INLINE, Episodes, Ints, below, new_streams, rewind_all
from fairground.games.intransitive.rules import Intransitive, State
from fairground.games.kernels import Kernel, Played
from fairground.players import make_player

PLAYERS = ("random", "optimal")
MOST = 4096
"""Maximum number of dice, and of faces on one of them."""


@INLINE
def first_seat(stream: Any, data: Any) -> int:
    """Flip the coin; return the seat that picks first."""
    return 1 if below(2, stream, data) == 0 else 0


@INLINE
def pick_die(player: int, taken: int, rules: Any, stream: Any, data: Any) -> Any:
    """Return a player's pick after die ``taken``, or after none (-1)."""
    sizes, _, best = rules
    if player == 1:
        return best[taken]
    pick = below(sizes.shape[0] - (taken >= 0), stream, data)
    return pick + 1 if taken >= 0 and pick >= taken else pick


@INLINE
def roll(die: int, rules: Any, stream: Any, data: Any) -> Any:
    """Roll a die."""
    return rules[1][die, below(rules[0][die], stream, data)]


@njit(cache=True)
def _play(first: int, players: Any, rules: Any, room: Any, out: Any) -> None:
    (streams, data), (payoffs, facts) = room, out
    for d in range(payoffs.shape[0]):
        rewind_all(streams, first + d)
        seat = facts[d, 0] = first_seat(streams[0], data[0])
        taken = -1
        for _ in range(2):
            taken = pick_die(players[seat], taken, rules, streams[1 + seat], data[1 + seat])
            facts[d, 1 + seat] = taken
            seat = 1 - seat
        mine = facts[d, 3] = roll(facts[d, 1], rules, streams[0], data[0])
        yours = facts[d, 4] = roll(facts[d, 2], rules, streams[0], data[0])
        payoffs[d, 0] = int(mine > yours) - int(mine < yours)
        payoffs[d, 1] = -payoffs[d, 0]


def _rules(game: Intransitive, optimal: bool) -> tuple[Ints, Ints, Ints] | None:
    """Return sizes and faces of the dice, and the best reply to each; ``None`` if too large.

    The last reply is the best first pick.
    """
    sizes = [len(die.faces) for die in game.dice]
    largest = max(abs(face) for die in game.dice for face in die.faces)
    if len(sizes) > MOST or max(sizes) > MOST or largest >= 2**62:
        return None
    faces = np.zeros((len(sizes), max(sizes)), np.int64)
    for number, die in enumerate(game.dice):
        faces[number, : len(die.faces)] = die.faces
    best = np.zeros(len(sizes) + 1, np.int64)
    if optimal:
        player = make_player("optimal", game, SystemStream(), 0)
        best[-1] = player.choose(game, State(first=0), 0)
        for taken in range(len(sizes)):
            best[taken] = player.choose(game, State(first=1, picks=(None, taken)), 0)
    return np.array(sizes), faces, best


def kernel(game: Intransitive, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel for these players, or ``None`` if it does not know them."""
    if any(who not in PLAYERS for who in lineup):
        return None
    rules = _rules(game, "optimal" in lineup)
    if rules is None:
        return None
    players = np.array([PLAYERS.index(who) for who in lineup])
    streams = new_streams(seed)

    def play(first: int, count: int) -> Played:
        payoffs, facts = np.zeros((count, 2), np.int64), np.zeros((count, 5), np.int64)
        _play(first, players, rules, streams, (payoffs, facts))
        return Played(payoffs, facts)

    return Kernel(play)


@njit(cache=True)
def _begin(places: Any, numbers: Any, agent: Any, rules: Any, room: Any) -> None:
    seat, player = agent
    streams, data, seen, masks = room
    for p in places:
        rewind_all(streams[p], numbers[p])
        first = first_seat(streams[p, 0], data[p, 0])
        seen[p, 0], seen[p, 1], seen[p, 2] = int(first == seat), 0, 0
        masks[p, :] = 1
        if first != seat:
            other = 2 - seat  # the stream of the other seat
            pick = pick_die(player, -1, rules, streams[p, other], data[p, other])
            seen[p, 2] = pick + 1
            masks[p, pick] = 0


@njit(cache=True)
def _act(actions: Any, agent: Any, rules: Any, room: Any, rewards: Any) -> None:
    seat, player = agent
    streams, data, seen, masks = room
    for p in range(len(actions)):
        action, other = actions[p], 1 - seat
        if not 0 <= action < masks.shape[1] or masks[p, action] == 0:
            rewards[p] = -1.0
            continue
        if seen[p, 2] == 0:
            stream, bytes_ = streams[p, 1 + other], data[p, 1 + other]
            seen[p, 2] = pick_die(player, action, rules, stream, bytes_) + 1
        seen[p, 1] = action + 1
        first, second = (action, seen[p, 2] - 1) if seat == 0 else (seen[p, 2] - 1, action)
        one = roll(first, rules, streams[p, 0], data[p, 0])
        two = roll(second, rules, streams[p, 0], data[p, 0])
        won = int(one > two) - int(one < two)
        rewards[p] = won if seat == 0 else -won


class DiceEpisodes(Episodes):
    """Episodes of one pick and one roll, against `random` or `optimal`."""

    opponents = PLAYERS

    def __init__(self, game: Intransitive, count: int, seat: Seat, opponent: str) -> None:
        super().__init__(game, count, seat, opponent)
        rules = _rules(game, opponent == "optimal")
        if rules is None:
            raise InputError(f"the kernel of {game.name} has at most {MOST} dice and faces")
        self._rules = rules

    def begin(self, places: Ints) -> None:
        room = self.streams, self.buffers, self.seen, self.masks
        _begin(places, self.numbers, (self.seat, self.opponent), self._rules, room)

    def act(self, actions: Ints) -> None:
        room = self.streams, self.buffers, self.seen, self.masks
        _act(actions, (self.seat, self.opponent), self._rules, room, self.rewards)
        self.over[:] = True
