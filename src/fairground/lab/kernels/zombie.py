"""Zombie Dice on the lanes of `fairground.solve.zombie`."""

from __future__ import annotations

import numpy as np

from fairground.games.zombie import Zombie
from fairground.lab.kernels import Kernel, Played
from fairground.solve.zombie import lanes
from fairground.solve.zombie.turn import can_bust

KNOWN = ("cautious", "greedy")
LARGEST_BAG = 30
"""With more dice the table of a turn takes longer than the games."""


def kernel(game: Zombie, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """The lanes for these players, if they know them."""
    if any(who not in KNOWN for who in lineup) or sum(game.dice) > LARGEST_BAG:
        return None
    if not can_bust(game):
        return None
    prepared = lanes.prepare(game, lineup)

    def play(first: int, count: int) -> Played:
        found = lanes.lanes_of(prepared, seed, count, first)
        payoffs = np.where(np.arange(game.seats) == found.winner[:, None], game.seats - 1, -1)
        facts = np.hstack([found.winner[:, None], found.scores, found.turns, found.shot])
        return Played(payoffs.astype(np.int64), facts)

    return Kernel(play)
