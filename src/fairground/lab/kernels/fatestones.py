"""FateStones on the loop of `fairground.solve.fatestones.simulation`: a row for each round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairground.fair.bits import seeded_key
from fairground.games.fatestones import FateStones
from fairground.lab.kernels import Kernel, Played
from fairground.solve.fatestones import simulation as loop
from fairground.solve.fatestones.choices import meeting

KINDS = {"random": loop.RANDOM, "greedy": loop.GREEDY}
WIDEST_BAG = 1 << 15
"""The loop numbers dice in 16 bits."""


def workspace_of(game: FateStones, lineup: tuple[str, ...], seed: str, games: int) -> Any:
    """Players, tape and dice as the loop wants them, with rows for some games."""
    return loop.workspace_for(
        [KINDS[who] for who in lineup],
        seeded_key(seed),
        [[meeting(a, b).score for b in game.bag] for a in game.bag],
        [int(die) for die in game.bag],
        games,
    )


def as_text(workspace: Any, count: int) -> bytes:
    """Rows of the loop as lines of ten columns."""
    text = np.empty(count * 51, dtype=np.uint8)
    return text[: loop.as_csv(workspace, count, text)].tobytes()


def kernel(game: FateStones, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """The loop for these players, if it knows them. It plays one deal: a scratch ends it."""
    if any(who not in KINDS for who in lineup) or game.scratch != "end":
        return None
    if game.hands is not None or len(game.bag) >= WIDEST_BAG:
        return None
    made = workspace_of(game, lineup, seed, 0)

    def play(first: int, count: int) -> Played:
        ready = made._replace(rows=np.zeros((3 * count, loop.PADDED), np.int16))
        rows = ready.rows[: loop.play(first, count, ready)]
        balance = np.sign(rows[:, 8].astype(np.int64) - rows[:, 9])
        ended = (balance != 0) | (rows[:, 1] == loop.NONE)
        ends = np.flatnonzero(ended)
        won = balance[ends]
        return Played(np.stack([won, -won], axis=1), rows, np.diff(ends, prepend=-1))

    def text(rows: Any) -> bytes:
        return as_text(made._replace(rows=np.ascontiguousarray(rows)), len(rows))

    return Kernel(play, text)
