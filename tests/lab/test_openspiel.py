"""OpenSpiel's own tests and algorithms, on our games; its best replies against our solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, mcts

from fairground.core import Game, Over
from fairground.games import GAMES, make_game
from fairground.games.fatestones.rules import Hand
from fairground.games.fatestones.solver.choices import meeting, solve
from fairground.lab.environments.openspiel import load, short_name
from fairground.testing.toys import GUESS, Toy
from tests.helpers.width import WIDE

SMALL: dict[str, dict[str, Any]] = {
    "codebreaking/1": {"base": 2, "length": 2},
    "zombie/2": {"players": 3, "brains_to_win": 2},
}
HANDS: tuple[Hand, Hand] = (("112566", "144444"), ("222366", "133455"))
LARGE: tuple[Hand, Hand] = (("134445", "144444", "112566"), ("233346", "133455", "222366"))


@pytest.mark.parametrize("name", list(GAMES.listed))
def test_its_game_tests_pass(name: str, capfd: Any) -> None:
    game = load(name, **SMALL.get(name, {}))
    pyspiel.random_sim_test(game, num_sims=20 if WIDE else 2, serialize=True, verbose=False)
    assert game.get_type().short_name == short_name(name)
    assert pyspiel.load_game(str(game)).num_players() == game.num_players()


def test_a_game_of_others_is_walked_through(capfd: Any) -> None:
    rules: Game[Any] = Toy.from_params(GUESS)
    GAMES.listed["toy/1"] = GAMES["intransitive/1"]._replace(rules="fairground.testing.toys:Toy")
    try:
        pyspiel.random_sim_test(load(rules), num_sims=3, serialize=True, verbose=False)
    finally:
        del GAMES.listed["toy/1"]


def test_chance_is_explicit_and_the_tree_is_that_of_the_rules() -> None:
    """Every history of a small game ends as the rules say, with chances that add up."""
    rules = make_game("intransitive/1", {"dice": ["1,4", "2,2", "0,5"]})
    ends: list[tuple[float, list[float]]] = []

    def walk(state: Any, chance: float, ours: Any) -> None:
        if state.is_terminal():
            over = rules.awaits(ours)
            assert isinstance(over, Over) and state.returns() == list(over.payoff)
            ends.append((chance, state.returns()))
        elif state.is_chance_node():
            for value, p in state.chance_outcomes():
                walk(state.child(value), chance * p, rules.drawn(ours, value))
        else:
            seat, legal = state.current_player(), state.legal_actions()
            for action in legal:
                walk(state.child(action), chance / len(legal), rules.played(ours, {seat: action}))

    walk(load(rules).new_initial_state(), 1.0, rules.start())
    assert sum(p for p, _ in ends) == pytest.approx(1.0)
    assert len(ends) == 2 * 3 * 2 * 2 * 2


def test_cfr_and_mcts_run() -> None:
    game = load("intransitive", dice=["2,4,9", "1,6,8", "3,5,7"])
    solver = cfr.CFRPlusSolver(game)
    before = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert after < before / 10
    chance = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 50, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)
    state = game.new_initial_state()
    state.apply_action(0)
    assert bot.step(state) in state.legal_actions()


# Against our solver

Mix = Callable[[Hand, Hand], Sequence[Fraction]]


def optimal(mine: Hand, theirs: Hand) -> Sequence[Fraction]:
    return solve(mine, theirs).my_mix


def uniform(mine: Hand, theirs: Hand) -> Sequence[Fraction]:
    return [Fraction(1, len(mine))] * len(mine)


def kept(mine: Hand, theirs: Hand, mix: Mix) -> Fraction:
    """Our own count: the chance to win that is left to a strategy when the other replies best."""
    replies = []
    for j, their in enumerate(theirs):
        total = Fraction(0)
        for i, (die, weight) in enumerate(zip(mine, mix(mine, theirs), strict=True)):
            met = meeting(die, their)
            after = Fraction(1, 2)
            if len(mine) > 1:
                after = kept(mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :], mix)
            total += weight * (met.wins + met.ties * after) / 36
        replies.append(total)
    return min(replies)


class Ours(policy.Policy):
    """A strategy of ours, as OpenSpiel asks for it."""

    def __init__(self, game: Any, mix: Mix) -> None:
        super().__init__(game, [0, 1])
        self._mix = mix

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        seat = state.current_player() if player_id is None else player_id
        hands = state.view(seat).hands
        mix = self._mix(hands[seat], hands[1 - seat])
        return {action: float(weight) for action, weight in enumerate(mix)}


@pytest.mark.parametrize("mix", [uniform, optimal])
def test_its_exploitability_agrees_with_ours(mix: Mix) -> None:
    for mine, theirs in (HANDS, LARGE) if WIDE else (HANDS,):
        game = load("fatestones", hands=[list(mine), list(theirs)])
        found = exploitability.exploitability(game, Ours(game, mix))
        # A chance p to win is a payoff of 2p - 1; what is kept is what the best reply leaves.
        ours = 1 - kept(mine, theirs, mix) - kept(theirs, mine, mix)
        assert found == pytest.approx(float(ours), abs=1e-9)
        if mix is optimal:
            assert ours == 0 and abs(found) < 1e-9, "the best reply wins nothing"
        else:
            assert ours > Fraction(1, 100)
