"""Who decides: players that need no person, from a coin-flipper to perfect play.

A player has one method. Write your own in three lines::

    class FirstMove(Player):
        def choose(self, game, view, seat):
            return next(iter(game.moves(view, seat)))

`make_player` builds a player from what a user types, such as ``optimal`` or
``mcts:200``; the registry below says which names exist for which game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from fairground.core import Game, Move, Seat, UnknownName
from fairground.fair.bits import Stream


class Player(ABC):
    """Someone who decides. It is handed only its own view, never the full state."""

    remarks: Sequence[str] = ()
    """What the player has to say for the record after `choose`. Whoever drives the table
    writes these into the transcript as notes, and clears them."""

    @abstractmethod
    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        """A legal move for ``seat`` in the position that ``view`` shows."""


ANY: Final = "any"

PLAYERS: Final[dict[str, dict[str, str]]] = {
    ANY: {
        "mcts": "fairground.players.mcts:MctsPlayer",
        "random": "fairground.players.simple:RandomPlayer",
    },
    "codebreaking": {
        "annealing": "fairground.players.codebreaking.breakers:AnnealingBreaker",
        "best": "fairground.players.codebreaking.breakers:best_breaker",
        "entropy": "fairground.players.codebreaking.breakers:EntropyBreaker",
        "evil": "fairground.players.codebreaking.evil:EvilKeeper",
        "expected": "fairground.players.codebreaking.breakers:ExpectedBreaker",
        "fair": "fairground.players.codebreaking.keepers:FairKeeper",
        "minimax": "fairground.players.codebreaking.breakers:MinimaxBreaker",
        "nice": "fairground.players.codebreaking.keepers:NiceKeeper",
        "optimal": "fairground.players.codebreaking.breakers:OptimalBreaker",
        "parts": "fairground.players.codebreaking.breakers:PartsBreaker",
    },
    "fatestones": {
        "greedy": "fairground.players.fatestones:GreedyPlayer",
        "optimal": "fairground.players.fatestones:OptimalPlayer",
    },
    "poker": {
        "optimal": "fairground.players.poker:OptimalPoker",
    },
    "zombie": {
        "cautious": "fairground.players.zombie:Cautious",
        "greedy": "fairground.players.zombie:Greedy",
        "optimal": "fairground.players.zombie:Optimal",
    },
    "intransitive": {
        "optimal": "fairground.players.intransitive:OptimalDice",
    },
}
"""Game family (the name before the slash) → player's name → ``module:factory``.

A factory is called with the game, a stream for chance of its own, and what was
written after the colon (or ``None``)."""


def player_names(game: Game[Any]) -> list[str]:
    """The names that `make_player` knows for this game."""
    family = game.name.partition("/")[0]
    return sorted({**PLAYERS[ANY], **PLAYERS.get(family, {})})


def make_player(spec: str, game: Game[Any], chance: Stream) -> Player:
    """Build the player that ``spec`` names; modules are imported only when needed."""
    name, colon, argument = spec.partition(":")
    family = game.name.partition("/")[0]
    path = {**PLAYERS[ANY], **PLAYERS.get(family, {})}.get(name)
    if path is None:
        known = ", ".join(player_names(game))
        raise UnknownName(f"no player named {name!r} for {game.name}; there are: {known}")
    module, _, factory = path.partition(":")
    player: Player = getattr(import_module(module), factory)(
        game, chance, argument if colon else None
    )
    return player
