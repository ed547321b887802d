"""The bare loop: every state once, views only, chance in order, nothing illegal."""

from __future__ import annotations

from typing import Any

import pytest

from fairground.core import HIDDEN, Game, IllegalMove, Move, Over, Seat
from fairground.fair.bits import Tape
from fairground.players import play
from fairground.testing.toys import Toy

STEPS: list[list[Any]] = [["draw", 6], ["hidden", 4, 0], ["turn", [0, 1], 3], ["draw", 2]]


class Scripted:
    """Always moves the same, and remembers what it was shown."""

    def __init__(self, move: Move) -> None:
        self.move = move
        self.seen: list[tuple[Seat, Any]] = []

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        self.seen.append((seat, view))
        return self.move


def test_every_state_comes_once_and_chance_is_read_in_order() -> None:
    game = Toy(2, STEPS)
    states = list(play(game, [Scripted(1), Scripted(2)], Tape(bytes([5, 3, 1]))))
    assert [len(state) for state in states] == [0, 1, 2, 3, 4]
    assert [state[:2] for state in states[2:]] == [states[1] + states[2][1:]] * 3
    assert isinstance(game.awaits(states[-1]), Over)


def test_players_see_their_own_view() -> None:
    game = Toy(2, STEPS)
    players = Scripted(0), Scripted(0)
    list(play(game, players, Tape(bytes([5, 3, 1]))))
    (mine,), (theirs,) = players[0].seen, players[1].seen
    assert (mine[0], theirs[0]) == (0, 1)
    assert HIDDEN not in mine[1]
    assert HIDDEN in theirs[1]


def test_it_goes_on_from_any_state() -> None:
    game = Toy(2, STEPS)
    states = list(play(game, [Scripted(1), Scripted(2)], Tape(bytes([5, 3, 1]))))
    rest = list(play(game, {0: Scripted(1), 1: Scripted(2)}, Tape(bytes([1])), states[2]))
    assert rest == states[2:]


def test_an_illegal_move_is_refused() -> None:
    with pytest.raises(IllegalMove):
        list(play(Toy(2, STEPS), [Scripted(1), Scripted(3)], Tape(bytes([5, 3, 1]))))
