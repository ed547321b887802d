"""Advice for somebody who has to decide now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fairground.coach.judging import Judge, judge_of
from fairground.core import Game, Move, Seat
from fairground.words import words_for


class Advice(NamedTuple):
    """A best move, and a sentence or two on why."""

    move: Move
    option: str
    """The move in words."""
    says: str


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
        return Advice(move, words.option(view, seat, move), "There is nothing else to do.")
    best = judge.options(view, seat)[0]
    says = judge.advice(words, view, seat, best)
    return Advice(best.move, words.option(view, seat, best.move), says)
