"""What luck gave each seat in a game, where that can be told exactly.

Luck is what the draws of a game were worth: after each draw the value of the game, less its value
before. On average that is zero, whoever plays. So it may be taken away from a result without
changing what is measured, and what is left scatters less.

The coach knows values. Where it knows none for a game, nothing is taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from fairground.core import Game

Luck = Callable[[Sequence[Any]], Sequence[Fraction | float]]
"""From all states of a game to what luck gave each seat, in its payoff's unit."""


def luck_of(game: Game[Any]) -> Luck | None:
    """How luck is told in this game; ``None``: it is not known."""
    return None
