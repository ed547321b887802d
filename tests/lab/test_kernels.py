"""Compiled kernels play as the rules do: in simulations, and in environments."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from fairground.core import Fault, InputError
from fairground.games import make_game
from fairground.games.fatestones.rules import FateStones, all_dice
from fairground.games.kernels import kernel_for
from fairground.games.zombie import kernel as zombie
from fairground.lab import simulation as lab
from fairground.lab.environments.gymnasium_env import FairgroundEnv
from fairground.lab.environments.vector import KernelVectorEnv, vector_env
from fairground.lab.plans import Plan, plan_of, states_of
from fairground.lab.simulation import kernel_chunk, rules_chunk
from fairground.testing.toys import GUESS, Toy

# Simulation

SMALL: dict[str, Any] = {
    "weak_dice": 2, "strong_dice": 1, "tough_dice": 1,
    "weak_die_faces": "bfs", "strong_die_faces": "bss", "tough_die_faces": "fsss",
}  # fmt: skip
STUCK: dict[str, Any] = {
    "weak_dice": 2, "strong_dice": 3, "tough_dice": 3,
    "weak_die_faces": "bbs", "strong_die_faces": "ff", "tough_die_faces": "s",
}  # fmt: skip
"""Three dice with nothing but footprints can fill the cells: no roll changes anything then."""
REJECTED: dict[str, Any] = {
    "players": 5, "weak_dice": 30, "strong_dice": 0, "tough_dice": 0,
    "weak_die_faces": "bbbbbffffffss", "max_turns": 20,
}  # fmt: skip
"""Many bytes are rejected when these dice are taken and thrown."""

KERNELS: list[tuple[str, dict[str, Any], str]] = [
    ("intransitive/1", {}, "optimal random"),
    ("intransitive/1", {}, "random optimal"),
    ("intransitive/1", {"dice": ["1,2,3", "3,4,5,6", "-7,7", "0,0,9,9"]}, "random random"),
    ("poker/2", {}, "random optimal"),
    ("poker/2", {"bet": 3, "level": 1}, "random random"),
    ("codebreaking/1", {}, "fair entropy"),
    ("codebreaking/1", {"base": 2, "length": 9}, "fair minimax"),
    ("zombie/2", {}, "cautious greedy"),
    ("zombie/2", {**SMALL, "players": 5, "brains_to_win": 3},
     "cautious cautious greedy cautious greedy"),
    ("zombie/2", {**SMALL, "players": 3, "max_turns": 3}, "cautious cautious greedy"),
    ("zombie/2", {**STUCK, "brains_to_win": 2}, "cautious greedy"),
    ("zombie/2", {"weak_die_faces": "b" * 100 + "f" * 99 + "s" * 101}, "greedy greedy"),
    ("zombie/2", {"weak_die_faces": "bfs" * 5, "strong_die_faces": "sb"}, "greedy cautious"),
    ("zombie/2", {"weak_die_faces": "bffs" * 4, "max_turns": 4}, "cautious greedy"),
    ("zombie/2", {"weak_dice": 2, "strong_dice": 1, "tough_dice": 2, "tough_die_faces": "b"},
     "greedy greedy"),
    ("zombie/2", REJECTED, "cautious cautious cautious cautious cautious"),
    *(("fatestones/1", params, lineup)
      for params in ({}, {"scratch": "end"}, {"dice": ["111111", "111112"] * 3},
                     {"dice": ["111111", "111112"] * 3, "scratch": "end"},
                     {"dice": list(all_dice())}, {"dice": list(all_dice())[:257]},
                     {"dice": ["123456"] * 6})
      for lineup in ("random random", "greedy random", "greedy greedy")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "params", "lineup"), KERNELS)
def test_every_kernel_plays_as_the_rules_do(name: str, params: Any, lineup: str) -> None:
    plan = plan_of(make_game(name, params), lineup.split(), "kernel", 2**33)
    games = 25 if "zombie" in name else 60
    for first in (0, 2**32 - games // 2):
        assert kernel_chunk(plan, first, games, check=0) == rules_chunk(plan, first, games)


def test_players_and_games_that_no_kernel_knows() -> None:
    for name, params, lineup in (
        ("codebreaking/1", {"base": 17, "length": 4}, ("fair", "parts")),
        ("fatestones/1", {}, ("optimal", "random")),
        ("fatestones/1", {"dice": ["111111"] * 6}, ("random", "random")),
        ("zombie/2", {}, ("optimal", "greedy")),
        ("zombie/2", {"weak_dice": 300}, ("cautious", "greedy")),
        ("zombie/2", {"weak_die_faces": "b", "strong_die_faces": "b", "tough_die_faces": "b"},
         ("greedy", "greedy")),
    ):  # fmt: skip
        assert kernel_for(make_game(name, params), lineup, "none") is None


def test_a_number_fits_into_a_byte_as_often_as_the_fast_roll_says() -> None:
    number = np.arange(257)
    for n in range(2, zombie.MOST_FAST + 1):
        inverse = np.float32(zombie.TRIFLE) / np.float32(n)
        assert ((number.astype(np.float32) * inverse).astype(int) == number // n).all()


def test_a_kernel_that_disagrees_with_the_rules_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(plan: Plan, number: int) -> Any:
        return states_of(plan, number + 1)

    monkeypatch.setattr(lab, "states_of", other)
    with pytest.raises(Fault, match="disagree on game"):
        kernel_chunk(plan_of(FateStones(), ("random", "random"), "a seed", 40), 0, 39)


# Environments


EPISODES: list[tuple[str, int, str, dict[str, Any]]] = [
    *(
        (name, seat, player, params)
        for seat in (0, 1)
        for name, player, params in (
            ("fatestones", "greedy", {"scratch": "end"}),
            ("fatestones", "random", {}),
            ("fatestones", "random", {"dice": ["111111", "111112"] * 3}),
            ("intransitive", "optimal", {}),
            ("intransitive", "random", {}),
            ("zombie", "random", {"brains_to_win": 4}),
            ("zombie", "greedy", {"brains_to_win": 2}),
            ("zombie", "cautious", {"max_turns": 1, "weak_dice": 2, "strong_dice": 1}),
        )
    ),
    ("poker", 1, "random", {"level": 1}),
    ("codebreaking", 1, "fair", {"base": 3, "length": 2}),
]


@pytest.mark.parametrize(("name", "seat", "player", "params"), EPISODES)
def test_each_environment_plays_the_episodes_of_a_single_one(
    name: str, seat: int, player: str, params: Any
) -> None:
    many = vector_env(name, 4, seat=seat, players=[player], **params)
    assert isinstance(many, KernelVectorEnv)
    chance = np.random.Generator(np.random.PCG64(5))
    seen, infos = many.reset(seed=11)
    assert many.observation_space.contains(seen)
    steps: Any = defaultdict(list)
    for _ in range(60):
        masks = infos["action_mask"]
        actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in masks])
        wild = chance.random(4) < 0.1  # some are illegal
        actions[wild] = len(masks[0]) - 1
        numbers, before = many.episodes.numbers.copy(), masks.copy()
        after, rewards, over, cut, infos = many.step(actions)
        assert not cut.any()
        assert (masks == before).all(), "a mask that was handed out never changes"
        for place in range(4):
            end = infos["final_obs"][place] if over[place] else after[place]
            steps[int(numbers[place])].append(
                (seen[place], before[place], actions[place], rewards[place], over[place], end)
            )
        seen = after
    alone = FairgroundEnv(many.game, seat=seat, players=[player])
    for number in range(max(steps) + 1):
        row, info = alone.reset(seed=11) if number == 0 else alone.reset()
        for wanted, mask, action, reward, ended, end in steps[number]:
            assert (row == wanted).all()
            assert (info["action_mask"] == mask).all()
            row, got, over, _, info = alone.step(action)
            assert (got, over) == (reward, ended)
            assert (row == end).all()


def test_a_long_episode_is_truncated_where_a_single_environment_does() -> None:
    """Guess the same code again and again: it is wrong, unless it was the very code."""
    many = vector_env("codebreaking", 3)
    alone = FairgroundEnv("codebreaking", players=["fair"])
    many.reset(seed=2)
    alone.reset(seed=2)
    steps = 0
    ended = False
    while not ended:
        steps += 1
        seen, _, over, cut, infos = many.step(np.zeros(3, np.int64))
        row, _, _, ended, _ = alone.step(0)
        assert cut[0] == ended and not over.any()
        assert ((infos["final_obs"][0] if ended else seen[0]) == row).all()
    assert steps == 500


def test_some_environments_are_reset_and_the_others_left_alone() -> None:
    env = vector_env("fatestones", 4)
    first, _ = env.reset(seed=3)
    env.reset(options={"reset_mask": np.array([True, False, False, True])})
    second, _ = env.reset(seed=3)
    third, _ = env.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert (first == second).all()
    assert (third[1:3] == second[1:3]).all() and (third[0] != second[0]).any()
    with pytest.raises(InputError, match="serve all environments"):
        env.reset(seed=3, options={"reset_mask": np.array([True, False, False, True])})


def test_gymnasium_makes_the_same_environments() -> None:
    made = gymnasium.make_vec("fairground/FateStones-v1", 4, players=["greedy"])
    assert isinstance(made.unwrapped, KernelVectorEnv)
    ours = vector_env("fatestones", 4, players=["greedy"])
    assert (made.reset(seed=1)[0] == ours.reset(seed=1)[0]).all()


def test_without_a_kernel_the_rules_play_and_say_so() -> None:
    toy: Any = Toy.from_params(GUESS)
    for game, options, said in (
        (toy, {}, "no compiled kernel"),
        (make_game("zombie/2", {"players": 3}), {}, "two seats, not 3"),
        (make_game("codebreaking/1", {"base": 2, "length": 2}), {"seat": 0}, "breaks a fair code"),
        (FateStones(), {"players": ["mcts:3"]}, "random or greedy, not 'mcts:3'"),
    ):
        with pytest.warns(UserWarning, match=said):
            env = vector_env(game, 2, **options)
        assert isinstance(env, SyncVectorEnv)
        _, infos = env.reset(seed=1)
        env.step(np.array([mask.argmax() for mask in infos["action_mask"]]))


def test_environments_that_cannot_be() -> None:
    with pytest.raises(InputError, match="at least one environment"):
        vector_env("fatestones", 0)
    with pytest.raises(InputError, match="never moves"):
        vector_env("poker", 2, seat=0)
    with pytest.raises(InputError, match="one seed serves all"):
        vector_env("poker", 2).reset(seed=[1, 2])  # type: ignore[arg-type]
