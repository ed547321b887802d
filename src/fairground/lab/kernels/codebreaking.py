"""Code breaking by a tree: a code is drawn, and the tree knows how many guesses it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.fair.bits import SystemStream
from fairground.games.codebreaking import BREAKER, FAIR, KEEPER, CodeBreaking, number
from fairground.lab.kernels import Kernel, Played
from fairground.lab.kernels.tapes import Ints, below_wide, new_tapes
from fairground.players import make_player
from fairground.players.codebreaking.breakers import TreeBreaker
from fairground.solve.codebreaking.trees import Tree
from fairground.solve.tape import rewind

TREES = ("best", "optimal", "expected", "entropy", "parts", "minimax")


@njit(cache=True)
def _play(first: int, needed: Any, room: Any, out: Any) -> None:
    (tapes, data), (payoffs, facts) = room, out
    for d in range(payoffs.shape[0]):
        rewind(tapes[0], first + d)
        code = below_wide(needed.shape[0], tapes[0], data[0])
        facts[d, 0], facts[d, 1] = code, needed[code]
        payoffs[d, 0], payoffs[d, 1] = needed[code], -needed[code]


def guesses_needed(tree: Tree) -> Ints:
    """For each code, by its number, with which guess the tree finds it."""
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
    """The loop for a breaker with a tree."""
    spec = lineup[BREAKER]
    if game.oracle != FAIR or lineup[KEEPER] != FAIR or spec.partition(":")[0] not in TREES:
        return None
    if not game.listable:
        return None
    breaker = make_player(spec, game, SystemStream(), BREAKER)
    if not isinstance(breaker, TreeBreaker) or breaker.tree is None:
        return None
    needed = guesses_needed(breaker.tree)
    tapes = new_tapes(seed)

    def play(first: int, count: int) -> Played:
        payoffs, facts = np.zeros((count, 2), np.int64), np.zeros((count, 3), np.int64)
        _play(first, needed, tapes, (payoffs, facts))
        return Played(payoffs, facts)

    return Kernel(play)
