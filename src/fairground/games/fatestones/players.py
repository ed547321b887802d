"""FateStones players that know what a choice is worth."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any

from fairground.core import Game, Move, Seat
from fairground.players import Player

if TYPE_CHECKING:
    from fairground.fair.bits import Stream
    from fairground.games.fatestones.rules import State
    from fairground.games.fatestones.solver.choices import Mixed


def sample(mix: Mixed, chance: Stream) -> int:
    """One index, each with exactly its chance: a whole number is drawn, nothing is rounded."""
    common = lcm(*(share.denominator for share in mix))
    drawn = chance.below(common)
    for index, share in enumerate(mix):
        drawn -= int(share * common)
        if drawn < 0:
            return index
    raise AssertionError("chances add up to one")  # pragma: no cover


class OptimalPlayer(Player):
    """Plays the equilibrium: it does not lose on average against any opponent."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self._chance = chance

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        from fairground.games.fatestones.solver.choices import solve  # not before the first choice

        return sample(solve(view.hands[seat], view.hands[1 - seat]).my_mix, self._chance)


class GreedyPlayer(Player):
    """Plays the die that scores best against an opponent who picks uniformly."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        """It needs neither chance nor argument."""

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        from fairground.games.fatestones.solver.choices import greedy_pick

        return greedy_pick(view.hands[seat], view.hands[1 - seat])
