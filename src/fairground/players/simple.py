"""Players that need no thought."""

from __future__ import annotations

from typing import Any

from fairground.core import Game, Move, Seat
from fairground.fair.bits import Stream
from fairground.players import Player


class RandomPlayer(Player):
    """Plays each move that one would choose from with the same chance."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self._chance = chance

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        moves = list(game.choices(view, seat))
        return moves[self._chance.below(len(moves))]
