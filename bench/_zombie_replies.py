"""The exact gain of the best reply to some players: a measure of their play.

Each player has a **mind**: what it thinks that holding is worth. It takes its turns by that. What
then really happens is followed beside it, by the same sweeps that solve the game
(`solver.several`). A player without a mind knows what the others do, and plays the
best reply to it: what it wins more than with its mind is what the others could be robbed of.
Where every mind is a solution, that is nothing but rounding.

Of all chances together nothing is lost. So what all seats win with their best replies, less one, is
the sum of what they gain by them, and no seat gains more than that.

Extra rounds among fewer players than all are played perfectly here, as `optimal` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from fairground.games.zombie.rules import Zombie
from fairground.games.zombie.solver import duel, several, turn
from fairground.games.zombie.solver.turn import Array, Progress


class Mind(Protocol):
    """Value of holding, to the mind of the player to move: [case, brains].

    The cases are those of `several.Payoffs`.
    """

    def regular(self, k: int, scores: Array) -> Array:
        """In turn k of regular rounds with these scores."""
        ...

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """In turn k of deciding rounds."""
        ...


class Solution:
    """Believes in solved tables, as `optimal` does among three and four."""

    def __init__(self, game: Zombie, known: several.Several) -> None:
        self._payoffs = several.Payoffs(game, known)

    def regular(self, k: int, scores: Array) -> Array:
        """What the tables say."""
        mine: Array = self._payoffs.regular(k, scores)[:, :, k]
        return mine

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """What the tables say."""
        mine: Array = self._payoffs.answered(k, leaders, behind)[:, :, k]
        return mine


class Brains:
    """Counts brains, as `greedy` does."""

    def __init__(self, game: Zombie) -> None:
        self._brains = np.arange(turn.turns(game).top + turn.RING, dtype=float)

    def regular(self, k: int, scores: Array) -> Array:
        """As many as they are."""
        return np.tile(self._brains, (len(scores), 1))

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """As many as they are."""
        return np.tile(self._brains, (len(behind), 1))


class Rival:
    """Sees only its strongest rival, as `optimal` does among five and more."""

    def __init__(self, game: Zombie) -> None:
        self._game, self._found = game, turn.turns(game)
        self._duel = duel.load_or_compute(game)

    def regular(self, k: int, scores: Array) -> Array:
        """What it would be worth in a duel."""
        rows = []
        for row in scores.tolist():
            other, yet = max((score, seat > k) for seat, score in enumerate(row) if seat != k)
            rows.append(self._stakes(row[k], other, yet, False))
        return np.array(rows)

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """The same. Only in extra rounds somebody who has yet to move is level with the leaders."""
        rows = []
        for lead, *others in behind.tolist():
            rows.append(self._stakes(0, lead, 0 in others, True))
        return np.array(rows)

    def _stakes(self, mine: int, other: int, yet: bool, extra: bool) -> Array:
        where = several.Among(0, (mine, other), extra) if yet else several.Among(
            1, (other, mine), extra
        )  # fmt: skip
        return duel.stakes(self._found, self._duel, self._game, where)


class Replies(several.Solver):
    """Fills the tables with what really happens when these minds play.

    With a player who has none, only that one's chances are followed.
    """

    def __init__(self, game: Zombie, ties: Array, minds: Sequence[Mind | None]) -> None:
        super().__init__(game, ties)
        self._minds = minds
        alone = minds.index(None) if None in minds else None
        self._follow = range(self.players - 1) if alone is None else [alone]

    def columns(self, k: int) -> list[int]:
        """A mind decides; behind it all follow."""
        followed = [*self._follow, self.players]
        return followed if self._minds[k] is None else [self.players + 1, *followed]

    def regular(self, k: int, scores: Array) -> Array:
        """What it is worth, and what the mind thinks."""
        hold, mind = super().regular(k, scores), self._minds[k]
        return hold if mind is None else _beside(hold, mind.regular(k, scores))

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """What it is worth, and what the mind thinks."""
        hold, mind = super().answered(k, leaders, behind), self._minds[k]
        return hold if mind is None else _beside(hold, mind.answered(k, leaders, behind))


def _beside(hold: Array, thought: Array) -> Array:
    return np.concatenate((hold, thought[:, :, None]), axis=2)


def played(game: Zombie, minds: Sequence[Mind | None], progress: Progress | None = None) -> Array:
    """Everybody's chances, in the order of the turns, when these minds play.

    With a player who has none, only its chance is told: that of the best reply.
    """
    solver = Replies(game, several.ties(game, len(minds) - 1), minds)
    solver.tie_break()
    return several.all_win(solver.fill(progress or (lambda share: None)))


def replied(game: Zombie, mind: Mind, players: int) -> list[float]:
    """Return each seat's wins with the best reply, if all others have this mind."""
    minds = [[None if seat == k else mind for seat in range(players)] for k in range(players)]
    return [float(played(game, some)[k]) for k, some in enumerate(minds)]
