"""Games without a table: the players move, chance is handed in, nothing is recorded.

`fairground.table` referees games that must be proven. Simulations, searches and tests need no
proof and play many games: they use `play`. Its simplest player moves at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from fairground.core import Draw, Game, Move, Seat, Turn
from fairground.fair.bits import Stream
from fairground.fair.schemes import Chance
from fairground.players import Player

S = TypeVar("S")


class Chooser(Protocol):
    """The decider of a seat, such as a `fairground.players.Player`."""

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move: ...


class RandomPlayer(Player):
    """Plays each move that one would choose from with the same chance."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self._chance = chance

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        moves = list(game.choices(view, seat))
        return moves[self._chance.below(len(moves))]


def play(
    game: Game[S],
    players: Mapping[Seat, Chooser] | Sequence[Chooser],
    chance: Chance,
    state: S | None = None,
) -> Iterator[S]:
    """Play a game to its end, and yield every state on the way, the first and the last too.

    It begins at ``state``, or at the start of the game. Each player sees its own view only,
    and an illegal move is refused with `IllegalMove`.
    """
    now = game.start() if state is None else state
    while True:
        yield now
        match game.awaits(now):
            case Draw(n):
                now = game.drawn(now, chance.below(n))
            case Turn(seats):
                moves = {
                    seat: players[seat].choose(game, game.view(now, seat), seat) for seat in seats
                }
                for seat, move in moves.items():
                    game.check(now, seat, move)
                now = game.played(now, moves)
            case _:
                return
