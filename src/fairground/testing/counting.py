"""Count the histories of a game: the test that chess programmers call *perft*.

A history is everything that happened: each draw and each move, in order. A list of how many
there are after 0, 1, 2, ... steps is a sharp fingerprint of the rules. One move too few,
one draw too wide, one state that ends too late, and some number differs.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from fairground.core import Draw, Game, Turn


def histories(game: Game[Any], most_states: int = 10_000, longest: int = 20) -> list[int]:
    """The number of histories of each length, from 0 on, until the game is over for sure.

    Histories that lead to equal states are counted together, so the numbers may be huge.
    The list stops early, after ``longest`` steps or before more than ``most_states`` states.
    """
    layer: Counter[Any] = Counter({game.start(): 1})
    counts: list[int] = []
    while layer and len(layer) <= most_states and len(counts) <= longest:
        counts.append(layer.total())
        following: Counter[Any] = Counter()
        for state, ways in layer.items():
            for after in _following(game, state):
                following[after] += ways
            if len(following) > most_states:
                break
        layer = following
    return counts


def _following(game: Game[Any], s: Any) -> list[Any]:
    awaits = game.awaits(s)
    if isinstance(awaits, Draw):
        return [game.drawn(s, value) for value in range(awaits.n)]
    if isinstance(awaits, Turn):
        seats = awaits.seats
        moves = product(*(list(game.moves(s, seat)) for seat in seats))
        return [game.played(s, dict(zip(seats, made, strict=True))) for made in moves]
    return []
