"""What luck gave each seat in a game, where the coach knows what positions are worth.

Luck is what the draws of a game were worth: after each draw the value of the game, less its value
before. On average that is zero, whoever plays. So it may be taken away from a result without
changing what is measured, and what is left scatters less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from fairground.coach.judging import Judge, NoJudge, judge_of, value_of
from fairground.core import Draw, Game, InputError, Over

Luck = Callable[[Sequence[Any]], Sequence[Fraction]]
"""From all states of a game to what luck gave each seat, in its payoff's unit."""


def luck_of(game: Game[Any]) -> Luck:
    """How luck is told in this game; refuse one that the coach cannot judge."""
    try:
        judge = judge_of(game)
    except NoJudge as error:
        raise InputError(f"luck cannot be taken away here: {error}") from None
    # A judge counts in its own unit, which grows with the payoff.
    nothing, one = judge.paid((0,) * game.seats), judge.paid((1,) * game.seats)
    scales = [high - low for low, high in zip(nothing, one, strict=True)]

    def luck(states: Sequence[Any]) -> Sequence[Fraction]:
        given = [Fraction(0)] * game.seats
        before = value_of(judge, states[0])
        for earlier, later in pairwise(states):
            if not _is_chance(judge, earlier):
                before = judge.decided(earlier, later)
            elif isinstance(game.awaits(later), Over) or judge.knows(later):
                after = value_of(judge, later)
                given = [g + b - a for g, a, b in zip(given, before, after, strict=True)]
                before = after  # else it is part of a longer draw
        return [part / scale for part, scale in zip(given, scales, strict=True)]

    return luck


def _is_chance(judge: Judge[Any], state: Any) -> bool:
    """Whether what follows is drawn, or only tells what was drawn."""
    awaits = judge.game.awaits(state)
    return isinstance(awaits, Draw) or judge.reveals(state)
