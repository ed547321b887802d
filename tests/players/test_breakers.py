"""Breakers: every code is found, and in the guesses that their trees promise."""

from __future__ import annotations

from itertools import product

import pytest

from fairground.core import InputError, Over
from fairground.fair.bits import SeededStream
from fairground.games.codebreaking.players import (
    AnnealingBreaker,
    Breaker,
    EntropyBreaker,
    EvilKeeper,
    ExpectedBreaker,
    MinimaxBreaker,
    PartsBreaker,
    TreeBreaker,
    best_breaker,
)
from fairground.games.codebreaking.rules import (
    GIVE_UP,
    Code,
    CodeBreaking,
    Row,
    State,
    digits,
    marks,
)
from fairground.games.codebreaking.solver import advice as cb


def chance(game: int = 0) -> SeededStream:
    return SeededStream("breakers", game)


def guesses_for(breaker: Breaker, game: CodeBreaking, code: Code, limit: int = 100) -> int:
    """How many guesses the breaker needs for a code."""
    s = game.start()
    for count in range(1, limit + 1):
        guess = breaker.choose(game, s, 1)
        s = game.played(s, {1: guess})
        s = game.played(s, {0: marks(code, guess)})  # type: ignore[arg-type]
        if s.phase == "show":
            return count
    raise AssertionError(f"{code} was not found")


@pytest.mark.parametrize(
    "kind", [EntropyBreaker, ExpectedBreaker, PartsBreaker, MinimaxBreaker, TreeBreaker]
)
def test_breakers_play_their_trees(kind: type[TreeBreaker]) -> None:
    game = CodeBreaking(4, 3, "evil")
    breaker = kind(game, chance())
    needed = [guesses_for(breaker, game, code) for code in product(range(4), repeat=3)]
    figures = cb.solve(4, 3, kind.strategy)
    assert (sum(needed), max(needed)) == (figures["total"], figures["worst"])


def test_spaces_without_a_tree_are_split() -> None:
    game = CodeBreaking(40, 3, "evil")
    for seed in range(3):
        code = digits(SeededStream("codes", seed).below(game.codes), 40, 3)
        assert guesses_for(EntropyBreaker(game, chance()), game, code) <= 25


def test_a_board_that_left_the_tree_is_split_too() -> None:
    game = CodeBreaking(6, 4, "evil")
    rows = (Row((5, 5, 5, 5), (0, 0)),)
    guess = TreeBreaker(game, chance()).choose(game, State("guess", rows=rows), 1)
    assert isinstance(guess, tuple) and 5 not in guess


def test_a_lying_keeper_is_given_up_on() -> None:
    game = CodeBreaking(6, 4, "evil")
    rows = (Row((0, 0, 0, 0), (4, 0)), Row((1, 1, 1, 1), (4, 0)))
    assert TreeBreaker(game, chance()).choose(game, State("guess", rows=rows), 1) == GIVE_UP


def test_annealing_breaks_what_nobody_can_list() -> None:
    game = CodeBreaking(20, 10, "evil")
    for seed in range(3):
        code = digits(SeededStream("codes", seed).below(game.codes), 20, 10)
        breaker = best_breaker(game, chance(seed), "300")
        assert isinstance(breaker, AnnealingBreaker)
        assert guesses_for(breaker, game, code) <= 30


def test_annealing_is_reproducible() -> None:
    game = CodeBreaking(20, 10, "evil")
    code = digits(SeededStream("codes", 9).below(game.codes), 20, 10)
    one, two = (guesses_for(AnnealingBreaker(game, chance(4), "50"), game, code) for _ in "ab")
    assert one == two


def test_annealing_never_asks_twice() -> None:
    """With one round it hardly searches; its guesses must still be new ones."""
    game = CodeBreaking(2, 2, "evil")
    breaker = AnnealingBreaker(game, chance(), "1")
    rows = tuple(Row(code, (0, 0)) for code in [(0, 0), (0, 1), (1, 0)])
    assert breaker.choose(game, State("guess", rows=rows), 1) == (1, 1)
    rows = (*rows, Row((1, 1), (0, 0)))
    assert breaker.choose(game, State("guess", rows=rows), 1) == GIVE_UP


def test_evil_forces_at_least_five_at_6_4() -> None:
    game = CodeBreaking(6, 4, "evil")
    for argument in (None, "5"):
        keeper, breaker = EvilKeeper(game, chance()), TreeBreaker(game, chance(), argument)
        s = game.start()
        while s.phase != "show":
            s = game.played(s, {1: breaker.choose(game, s, 1)})
            s = game.played(s, {0: keeper.choose(game, s, 0)})
        s = game.played(s, {0: keeper.choose(game, s, 0)})
        over = game.awaits(s)
        assert isinstance(over, Over) and over.payoff[0] >= 5


def test_breakers_refuse_what_is_not_theirs() -> None:
    game = CodeBreaking(6, 4, "evil")
    with pytest.raises(InputError, match="breaks codes: it sits in seat 1"):
        TreeBreaker(game, chance()).choose(game, game.start(), 0)
    with pytest.raises(InputError, match="let 'annealing' break them"):
        EntropyBreaker(CodeBreaking(100, 40, "evil"), chance())
    for wrong in ("0", "x", "-1", "9999999"):
        with pytest.raises(InputError, match="rounds per guess"):
            AnnealingBreaker(game, chance(), wrong)
    assert isinstance(best_breaker(game, chance()), TreeBreaker)
