"""The compiled kernel of code breaking: a code is drawn, guesses are answered.

A breaker that follows a tree needs no answers: the tree says how many guesses each code takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.core import InputError, Seat
from fairground.fair.bits import SystemStream
from fairground.games.codebreaking.players import TreeBreaker
from fairground.games.codebreaking.rules import BREAKER, FAIR, KEEPER, STAKE, CodeBreaking, number
from fairground.games.codebreaking.solver.trees import Tree
from fairground.games.compiled import Episodes, Ints, below_wide, new_streams, rewind
from fairground.games.kernels import Kernel, Played
from fairground.players import make_player

GUESS, OVER = 1, 4
"""Phases of a game, as `CodeCodec` numbers them."""

TREES = ("best", "optimal", "expected", "entropy", "parts", "minimax")


@njit(cache=True)
def draw_code(codes: int, game: int, streams: Any, data: Any) -> int:
    """Return the code of a game, as a number."""
    rewind(streams[0], game)
    return below_wide(codes, streams[0], data[0])


@njit(cache=True)
def _play(first: int, needed: Any, room: Any, out: Any) -> None:
    (streams, data), (payoffs, facts) = room, out
    for d in range(payoffs.shape[0]):
        code = draw_code(needed.shape[0], first + d, streams, data)
        facts[d, 0], facts[d, 1] = code, needed[code]
        payoffs[d, 0], payoffs[d, 1] = needed[code], -needed[code]


def guesses_needed(tree: Tree) -> Ints:
    """Return how many guesses the tree needs for each code, by the code's number."""
    needed = np.zeros(tree.base**tree.length, np.int64)
    level, depth = [tree.root], 0
    while level:
        depth += 1
        for node in level:
            if node.wins:
                needed[number(node.guess, tree.base)] = depth
        level = [part for node in level for part in node.parts.values()]
    return needed


def kernel(game: CodeBreaking, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel for a breaker with a tree, or ``None`` for any other."""
    spec = lineup[BREAKER]
    if game.oracle != FAIR or lineup[KEEPER] != FAIR or spec.partition(":")[0] not in TREES:
        return None
    if not game.listable:
        return None
    breaker = make_player(spec, game, SystemStream(), BREAKER)
    if not isinstance(breaker, TreeBreaker) or breaker.tree is None:
        return None
    needed = guesses_needed(breaker.tree)
    streams = new_streams(seed)

    def play(first: int, count: int) -> Played:
        payoffs, facts = np.zeros((count, 2), np.int64), np.zeros((count, 3), np.int64)
        _play(first, needed, streams, (payoffs, facts))
        return Played(payoffs, facts)

    return Kernel(play)


@njit(cache=True)
def _begin(places: Any, numbers: Any, rules: Any, room: Any) -> None:
    base, length, codes = rules
    streams, data, seen, hidden, rows = room
    for p in places:
        code = draw_code(codes, numbers[p], streams[p], data[p])
        for i in range(length - 1, -1, -1):
            hidden[p, i] = code % base
            code //= base
        rows[p] = 0
        seen[p, :] = 0
        seen[p, 0] = GUESS


@njit(cache=True)
def _show_code(code: Any, seen: Any) -> None:
    seen[0] = OVER
    for i in range(len(code)):
        seen[2 + i] = code[i] + 1


@njit(cache=True)
def _act(actions: Any, rules: Any, room: Any, ends: Any) -> None:
    """Answer one guess in every place. The last action gives up."""
    base, length, codes, shown, most_turns, stake = rules
    seen, hidden, rows = room
    rewards, over, truncated = ends
    guess, tally = np.zeros(length, np.int64), np.zeros(base, np.int64)
    width, first = length + 2, 2 + 2 * length
    for p in range(len(actions)):
        rewards[p], over[p], truncated[p] = 0.0, False, False
        number = actions[p]
        if not 0 <= number < codes:
            rewards[p], over[p] = -float(stake), True
            if number == codes:
                _show_code(hidden[p], seen[p])
            continue
        tally[:] = 0
        full = common = 0
        for i in range(length - 1, -1, -1):
            guess[i] = number % base
            number //= base
            full += guess[i] == hidden[p, i]
            tally[hidden[p, i]] += 1
        for i in range(length):
            common += tally[guess[i]] > 0
            tally[guess[i]] -= 1
        rows[p] += 1
        place = first + min(rows[p] - 1, shown - 1) * width
        if rows[p] > shown:
            for i in range(first, place):
                seen[p, i] = seen[p, i + width]
        for i in range(length):
            seen[p, place + i] = guess[i] + 1
        seen[p, place + length] = full
        seen[p, place + length + 1] = common - full
        seen[p, 1] = rows[p]
        if full == length:
            rewards[p], over[p] = -float(rows[p]), True
            _show_code(hidden[p], seen[p])
        else:
            truncated[p] = 2 * rows[p] >= most_turns > 0


class CodeEpisodes(Episodes):
    """Episodes in which the agent breaks the code of a fair keeper."""

    opponents = (FAIR,)
    all_legal = True

    def __init__(self, game: CodeBreaking, count: int, seat: Seat, opponent: str) -> None:
        if seat != BREAKER or game.oracle != FAIR:
            raise InputError("the kernel of code breaking has an agent who breaks a fair code")
        super().__init__(game, count, seat, opponent)
        self._rules = game.base, game.length, game.codes
        self._hidden = np.zeros((count, game.length), np.int64)
        self._rows = np.zeros(count, np.int64)

    def begin(self, places: Ints) -> None:
        room = self.streams, self.buffers, self.seen, self._hidden, self._rows
        _begin(places, self.numbers, self._rules, room)

    def act(self, actions: Ints) -> None:
        length = self._rules[1]
        shown = (self.seen.shape[1] - 2 - 2 * length) // (length + 2)
        ends = self.rewards, self.over, self.truncated
        rules = (*self._rules, shown, self.most_turns, STAKE)
        _act(actions, rules, (self.seen, self._hidden, self._rows), ends)
