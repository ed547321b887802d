"""Players of video poker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairground.core import Game, Move, Seat
from fairground.games.poker.holds import best_hold
from fairground.players import Player

if TYPE_CHECKING:
    from fairground.fair.bits import Stream


class OptimalPoker(Player):
    """Perfect play: the hold with the greatest expected prize on the level that is played.

    Of equal holds it takes the one that replaces fewest cards. It needs no chance of its own
    and no optional package. The croupier's seat has no moves, so nobody plays it.
    """

    def __init__(
        self, game: Game[Any], chance: Stream | None = None, argument: str | None = None
    ) -> None:
        """All that it needs stands in the view."""

    def choose(self, game: Any, view: Any, seat: Seat) -> Move:
        return best_hold(view.dealt, game.level).order
