"""Players of intransitive dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairground.core import Game, Move, Seat
from fairground.games.intransitive.solver import WinOdds
from fairground.players import Player

if TYPE_CHECKING:
    from fairground.fair.bits import Stream


class OptimalDice(Player):
    """Picks by exact odds, with a tie worth half a win, and needs no chance of its own.

    Second: the best reply to the die that was taken (`WinOdds.best_reply`). First: the die
    whose worst case is best (`WinOdds.best_guaranteed`). Equal choices go to the lowest
    number, so the same dice always give the same pick.
    """

    def __init__(
        self, game: Game[Any], chance: Stream | None = None, argument: str | None = None
    ) -> None:
        self._game: Any = None

    def choose(self, game: Any, view: Any, seat: Seat) -> Move:
        if game is not self._game:  # the odds are counted once for all games with the same rules
            self._game, self._odds = game, WinOdds(game.dice)
        left = [move for move in game.moves(view, seat) if isinstance(move, int)]
        taken = view.picks[1 - seat]
        if taken is None:
            return self._odds.best_guaranteed(left)
        return self._odds.best_reply(taken, left)
