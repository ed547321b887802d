"""Words for any game: the names of seats, states, moves and draws, for people.

The rules are silent. Terminal, page, replay, coach and screen readers all take their sentences
from here, so the same thing has the same name everywhere. Nothing here prints, draws chance or
knows a terminal.

===============  ===========================================================================
`plain`          words for any game, made of its declarations; the base of all others
`telling`        a whole record in words, line by line
===============  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.core import Game, InputError, Seat
from fairground.games import GAMES, Games
from fairground.registry import load
from fairground.words.plain import PlainWords

__all__ = ["PlainWords", "words_for"]


def words_for(
    game: Game[Any], names: Sequence[str], reader: Seat | None = None, games: Games = GAMES
) -> PlainWords[Any]:
    """The words for a game between these names, as ``reader`` reads them (``None``: anyone)."""
    listing = games.get(game.name)
    if listing is None:
        return PlainWords(game, names, reader)
    try:
        words: type[PlainWords[Any]] = load(listing.words)
    except (ImportError, AttributeError) as error:
        raise InputError(f"the words of {game.name} cannot be loaded: {error}") from None
    return words(game, names, reader)
