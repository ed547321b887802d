"""What is shown of a game with the Croupier."""

from __future__ import annotations

from fairground.arena.croupier.wire import CroupierGame
from fairground.bank.croupier.croupier import Croupier


async def shown_game(here: str, name: str, desk: Croupier) -> CroupierGame:
    """How far a game is, as he says; ``here`` is the arena's address."""
    sight = await desk.look(name)
    return CroupierGame(
        f"{here}croupier/games/{name}",
        sight.stage,
        [None if seed is None else seed.hex() for seed in sight.seeds],
        sight.trouble,
    )
