"""Advice for somebody who has to decide now."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

from fairground.coach.judging import BETS, Judge, NoJudge, judge_of
from fairground.core import Game, InputError, MissingExtra, Move, Seat
from fairground.fair.bits import SystemStream
from fairground.players import make_player, offered
from fairground.words import words_for

SMALL: Final = 1e-6
"""Values that are off by less than this tell the best move all the same."""

ADVISERS: Final = {
    name: name for name in ("optimal", "greedy", "best", "cautious", "fair", "nice", "evil")
} | {"mcts": "mcts:200"}
"""Players whose move is advised where there is no judge, the better ones first."""


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
    mix: Sequence[tuple[Move, str, Fraction]] = ()
    """Where perfect play mixes: each of its moves, the same in words, and how often it is made."""


@lru_cache(maxsize=8)
def _judge(game: Game[Any]) -> Judge[Any]:
    return judge_of(game)


def advise(game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Advice:
    """What perfect play would do; where nobody can tell, what the best of our players would.

    Raises an `InputError` where there is none. Only what the seat may see is looked at.
    """
    try:
        judge = _judge(game)
    except (NoJudge, MissingExtra) as reason:
        return _as_a_player(game, view, seat, names, reason)
    words = words_for(game, names, seat)
    if judge.reveals(view) or judge.forced(view, seat):
        move = next(iter(game.choices(view, seat)))
        only = "There is nothing else to do."
        return Advice(move, words.option(view, seat, move), only, exact=True)
    options = judge.options(view, seat)
    best = options[0]
    mix = tuple(
        (option.move, words.option(view, seat, option.move), option.mix)
        for option in options
        if option.mix
    )
    says = judge.advice(words, view, seat, best)
    known = judge.basis.error < SMALL
    value = best.values[seat] + (1 if judge.unit is BETS else 0) if judge.basis.exact else None
    return Advice(best.move, words.option(view, seat, best.move), says, known, value, mix)


def _as_a_player(
    game: Game[Any], view: Any, seat: Seat, names: Sequence[str], reason: Exception
) -> Advice:
    there = offered(game, seat)
    for name, spec in ADVISERS.items():
        if name in there:
            try:
                move = make_player(spec, game, SystemStream(), seat).choose(game, view, seat)
            except InputError:  # nor can this one tell
                continue
            option = words_for(game, names, seat).option(view, seat, move)
            says = f"That is what {name} would do: it {there[name].summary}."
            return Advice(move, option, says, exact=False)
    raise reason
