"""Players of intransitive dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairground.core import Game, Move, Seat
from fairground.players import Player

if TYPE_CHECKING:
    from fairground.fair.bits import Stream
    from fairground.games.intransitive.solver import WinOdds


class OptimalDice(Player):
    """Picks by exact odds, and needs no chance of its own.

    Second: the best reply to the die that was taken (`WinOdds.best_reply`). First: the die
    whose worst case is best (`WinOdds.best_guaranteed`). Equal choices go to the lowest
    number, so the same dice always give the same pick.
    """

    def __init__(
        self, game: Game[Any], chance: Stream | None = None, argument: str | None = None
    ) -> None:
        self._game = game
        self._odds: WinOdds | None = None

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        odds = self._odds_of(game)
        left = [move for move in game.moves(view, seat) if isinstance(move, int)]
        taken = view.picks[1 - seat]
        return odds.best_guaranteed(left) if taken is None else odds.best_reply(taken, left)

    def _odds_of(self, game: Any) -> WinOdds:
        """The odds of this game's dice, counted once for all games with the same rules."""
        if self._odds is None or game is not self._game:
            from fairground.games.intransitive.solver import WinOdds  # not before the first pick

            self._game, self._odds = game, WinOdds(game.dice)
        return self._odds
