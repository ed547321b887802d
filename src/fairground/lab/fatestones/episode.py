"""One round of FateStones: the *Episode* of the source document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairground.core import InputError
from fairground.fair.bits import fresh
from fairground.games.fatestones import FateStones, Round
from fairground.lab.fatestones.rows import row_of
from fairground.lab.plans import plan_of, states_of


class Episode(NamedTuple):
    """One choice and one roll."""

    played: Round
    seed: str
    """With it the same episode comes again."""

    @property
    def row(self) -> str:
        """The ten columns."""
        return row_of(self.played)


def episode(
    mine: Sequence[str],
    theirs: Sequence[str],
    players: Sequence[str] = ("optimal", "optimal"),
    seed: str | None = None,
) -> Episode:
    """Dice of both sides in; both choices and both rolls out. Without a seed one is made up."""
    if len(players) != 2:
        raise InputError(f"two players are needed, such as optimal,mcts:200; not {len(players)}")
    seed = fresh().hex() if seed is None else seed
    plan = plan_of(FateStones(hands=(mine, theirs)), players, seed, 1)
    played = next(state.last for state in states_of(plan, 0) if state.last is not None)
    return Episode(played, seed)
