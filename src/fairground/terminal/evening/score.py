"""Who has won, by the record."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Seat


def winners(game: str, payoff: Sequence[int] | None) -> list[Seat]:
    """The seats that have won; none where it is a tie, void or unfinished.

    A breaker pays for every guess, and has won when the code was found.
    """
    if payoff is None:
        return []
    if game.startswith("codebreaking/"):
        from fairground.games.codebreaking import BREAKER, KEEPER, STAKE

        return [BREAKER if -payoff[BREAKER] < STAKE else KEEPER]
    return [seat for seat, paid in enumerate(payoff) if paid > 0]
