"""Advice for somebody who has to decide now."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

from fairground.coach.judging import BETS, Judge, judge_of
from fairground.core import Game, Move, Seat
from fairground.words import words_for

SMALL: Final = 1e-6
"""Values that are off by less than this tell the best move all the same."""


class Advice(NamedTuple):
    """A best move, and a sentence or two on why."""

    move: Move
    option: str
    """The move in words."""
    says: str
    exact: bool
    """Whether it is certain that no move is better."""
    value: Fraction | None = None
    """What the seat may expect then, where that is an exact fraction: the chance to win, what comes
    back for each bet, or (as a loss) the guesses in all."""


@lru_cache(maxsize=8)
def _judge(game: Game[Any]) -> Judge[Any]:
    return judge_of(game)


def advise(game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Advice:
    """What perfect play would do; raises an `InputError` where nobody here knows.

    Only what the seat may see is looked at.
    """
    judge = _judge(game)
    words = words_for(game, names, seat)
    if judge.reveals(view) or judge.forced(view, seat):
        move = next(iter(game.choices(view, seat)))
        only = "There is nothing else to do."
        return Advice(move, words.option(view, seat, move), only, exact=True)
    best = judge.options(view, seat)[0]
    says = judge.advice(words, view, seat, best)
    known = judge.basis.error < SMALL
    value = best.values[seat] + (1 if judge.unit is BETS else 0) if judge.basis.exact else None
    return Advice(best.move, words.option(view, seat, best.move), says, known, value)
