"""The optimal player of intransitive dice, alone and at a table."""

from __future__ import annotations

import pytest

from fairground.core import Turn
from fairground.games.intransitive.players import OptimalDice
from fairground.games.intransitive.rules import COMPUTER, USER, Die, Intransitive, State
from fairground.games.intransitive.solver import WinOdds

DICE = [Die((2, 2, 4, 4, 9, 9)), Die((6, 8, 1, 1, 8, 6)), Die((7, 5, 3, 7, 5, 3)), Die((0, 0, 0))]
GAME = Intransitive(DICE)


@pytest.mark.parametrize("taken", range(4))
@pytest.mark.parametrize("seat", [COMPUTER, USER])
def test_second_it_takes_the_best_reply(taken: int, seat: int) -> None:
    picks = (None, taken) if seat == COMPUTER else (taken, None)
    state = State(first=1 - seat, picks=picks)
    assert GAME.awaits(state) == Turn((seat,))
    pick = OptimalDice(GAME).choose(GAME, state, seat)
    GAME.check(state, seat, pick)
    assert pick == WinOdds(DICE).best_reply(taken)


def test_first_it_takes_the_best_guaranteed_die() -> None:
    best = Intransitive([Die((1, 2)), Die((3, 4)), Die((8, 9)), Die((5, 6))])
    player = OptimalDice(GAME)
    assert player.choose(best, State(first=USER), USER) == 2
    assert player.choose(GAME, State(first=COMPUTER), COMPUTER) == 0
