"""Players for the coach's tests: one that follows its judge, one that errs when told to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import fairground as fg
from fairground.coach.judging import Judge, judge_of
from fairground.coach.review import Review, review_of
from fairground.core import Draw, Game, Move, Over, Seat
from fairground.games.codebreaking.rules import GIVE_UP
from fairground.players import Player


class Follower(Player):
    """Makes the best move by its judge; but in its decisions numbered ``errs``, the worst."""

    def __init__(self, judge: Judge[Any], errs: Sequence[int] = ()) -> None:
        self.judge, self.errs, self.made = judge, errs, 0

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        if self.judge.reveals(view) or getattr(view, "phase", "") == "show":
            return next(iter(game.moves(view, seat)))
        if self.judge.forced(view, seat):
            return next(iter(game.choices(view, seat)))
        self.made += 1
        if self.made not in self.errs:
            return self.judge.options(view, seat)[0].move
        return self.judge.options(view, seat, self._all(game, view, seat))[-1].move

    def _all(self, game: Game[Any], view: Any, seat: Seat) -> list[Move]:
        """Some moves to choose the worst of; giving up would end the game at once."""
        return [move for move in islice(game.choices(view, seat), 20) if move != GIVE_UP]


def followed(
    game: Game[Any], seed: object, errs: Sequence[int] = (), who: Seat = 1
) -> tuple[bytes, Review]:
    """A game between followers, of whom ``who`` errs; and its review."""
    judge = judge_of(game)
    seats = [Follower(judge, errs if seat == who else ()) for seat in range(game.seats)]
    names = [f"Seat {seat}" for seat in range(game.seats)]
    table = fg.open(game, seats=seats, names=names, seed=str(seed))
    table.play()
    return bytes(table), review_of(bytes(table))


def outcomes(game: Game[Any], state: Any, judge: Judge[Any]) -> Iterator[tuple[Any, Fraction]]:
    """All that a draw, with the draws that fall together with it, can lead to."""
    awaits = game.awaits(state)
    assert isinstance(awaits, Draw)
    for value in range(awaits.n):
        after = game.drawn(state, value)
        share = Fraction(1, awaits.n)
        if isinstance(game.awaits(after), Over) or judge.knows(after):
            yield after, share
        else:
            yield from ((end, share * rest) for end, rest in outcomes(game, after, judge))
