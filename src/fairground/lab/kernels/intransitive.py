"""Intransitive dice: a coin, two picks, two rolls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.fair.bits import SystemStream
from fairground.games.intransitive import Intransitive, State
from fairground.lab.kernels import Kernel, Played
from fairground.lab.kernels.tapes import new_tapes
from fairground.players import make_player
from fairground.solve.tape import below, rewind

KINDS = {"random": 0, "optimal": 1}
MOST = 4096
"""Dice, or faces of one of them."""


@njit(cache=True)
def _play(first: int, game: Any, room: Any, out: Any) -> None:
    (tapes, data), (payoffs, facts) = room, out
    kinds, choice, sizes, faces = game
    dice = sizes.shape[0]
    for d in range(payoffs.shape[0]):
        for lane in range(3):
            rewind(tapes[lane], first + d)
        leader = 1 if below(2, tapes[0], data[0]) == 0 else 0
        taken = -1
        for turn in range(2):
            seat = leader if turn == 0 else 1 - leader
            if kinds[seat] == 1:
                pick = choice[taken]
            else:
                pick = below(dice - turn, tapes[1 + seat], data[1 + seat])
                if taken >= 0 and pick >= taken:
                    pick += 1
            facts[d, 1 + seat] = pick
            taken = pick
        for seat in range(2):
            pick = facts[d, 1 + seat]
            facts[d, 3 + seat] = faces[pick, below(sizes[pick], tapes[0], data[0])]
        facts[d, 0] = leader
        mine, yours = facts[d, 3], facts[d, 4]
        payoffs[d, 0] = int(mine > yours) - int(mine < yours)
        payoffs[d, 1] = -payoffs[d, 0]


def kernel(game: Intransitive, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """The loop for these players, if it knows them."""
    sizes = [len(die.faces) for die in game.dice]
    largest = max(abs(face) for die in game.dice for face in die.faces)
    if any(who not in KINDS for who in lineup) or len(sizes) > MOST or max(sizes) > MOST:
        return None
    if largest >= 2**62:
        return None
    faces = np.zeros((len(sizes), max(sizes)), np.int64)
    for number, die in enumerate(game.dice):
        faces[number, : len(die.faces)] = die.faces
    # The pick of `optimal` after each die that may be taken; the last one: after none.
    choice = np.zeros(len(sizes) + 1, np.int64)
    if "optimal" in lineup:
        best = make_player("optimal", game, SystemStream(), 0)
        choice[-1] = best.choose(game, State(first=0), 0)
        for taken in range(len(sizes)):
            choice[taken] = best.choose(game, State(first=1, picks=(None, taken)), 0)
    ready = (np.array([KINDS[who] for who in lineup]), choice, np.array(sizes), faces)
    tapes = new_tapes(seed)

    def play(first: int, count: int) -> Played:
        payoffs, facts = np.zeros((count, 2), np.int64), np.zeros((count, 5), np.int64)
        _play(first, ready, tapes, (payoffs, facts))
        return Played(payoffs, facts)

    return Kernel(play)
