"""What to do in a position: the move of the best adviser that we have, and what it is worth.

Hints come from here. An adviser sees only what the seat sees, as any player does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

from fairground.core import Game, Move, Seat, UnknownName
from fairground.fair.bits import SystemStream
from fairground.games.codebreaking import BREAKER, GIVE_UP, CodeBreaking, State
from fairground.games.fatestones import FateStones
from fairground.games.poker import Poker
from fairground.players import make_player, offered

ADVISERS: Final = ("optimal", "greedy", "best", "cautious", "fair", "nice", "evil", "mcts")
"""Players that advise, the better ones first."""

THOUGHT: Final = {"mcts": "mcts:200"}
"""How long those may think whose players say it behind a colon."""


class Advice(NamedTuple):
    """A move, and why."""

    move: Move
    adviser: str
    """The player whose move it is."""
    summary: str
    """What that player does."""
    exact: bool
    """Whether no move is better."""
    value: Fraction | None = None
    """What the position is worth with perfect play, where that is known: the chance to win, or
    what comes back for each unit staked."""


def advise(game: Game[Any], view: Any, seat: Seat) -> Advice:
    """Advice for this seat; raise `UnknownName` where nobody can give it."""
    if isinstance(game, CodeBreaking) and seat == BREAKER:
        return _for_breaker(game, view)
    there = offered(game, seat)
    name = next((name for name in ADVISERS if name in there and _is_quick(name, game)), None)
    if name is None:
        raise UnknownName(f"nobody here can advise the {game.role(seat)} of {game.name}")
    player = make_player(THOUGHT.get(name, name), game, SystemStream(), seat)
    move, listing = player.choose(game, view, seat), there[name]
    return Advice(move, name, listing.summary, listing.exact, _value(game, view, seat))


def _is_quick(name: str, game: Game[Any]) -> bool:
    """Perfect zombies have to solve their game first, which takes long."""
    return name != "optimal" or not game.name.startswith("zombie/")


def _for_breaker(game: CodeBreaking, view: State) -> Advice:
    """As the best breaker would ask; no tree is built for it, where none is stored."""
    from fairground.solve.codebreaking.advice import next_guess
    from fairground.solve.codebreaking.trees import TREE_CODES, best_stored

    size = game.base, game.length
    guess = next_guess(*size, view.rows, patient=False)
    small = game.codes <= TREE_CODES and game.base * game.length <= 64
    ready = best_stored(*size) if small else None
    exact = ready is not None and ready.proven and ready.after(view.rows) is not None
    move = GIVE_UP if guess is None else guess
    return Advice(move, "best", "asks what leaves the fewest guesses", exact)


def _value(game: Game[Any], view: Any, seat: Seat) -> Fraction | None:
    if isinstance(game, FateStones):
        from fairground.solve.fatestones.choices import solve

        return solve(view.hands[seat], view.hands[1 - seat]).value
    if isinstance(game, Poker):
        from fairground.solve.poker.holds import best_hold

        return best_hold(view.dealt, game.level).value
    return None
