"""Steps per second of CPU in learning environments: ours, PettingZoo's own and OpenSpiel's own.

All run in one process and take turns, so that a busy machine slows all alike. A step is one call
to ``step`` for one environment; each plays random legal actions that were drawn beforehand. The
games differ: no peer has ours. Kuhn poker is OpenSpiel's nearest, for an episode ends after two or
three steps, and one of FateStones mostly after one. `rps_v2` goes on for fifteen steps. The
4,096 lanes have no peer: OpenSpiel's vector environment is a Python loop over single ones.

    python bench/environments.py      prints a table and writes bench/results/environments.json
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

import numpy as np
from open_spiel.python import rl_environment
from pettingzoo.classic import rps_v2

from _machine import cpu_seconds, side_by_side, summary, write
from fairground.lab.environments.gymnasium_env import FairgroundEnv
from fairground.lab.environments.pettingzoo_env import aec_env, parallel_env
from fairground.lab.environments.vector import vector_env

LANES: Final = 4096
ROUNDS: Final = 40
STEPS: Final = 1500
REPETITIONS: Final = 5
CHANCE: Final = np.random.Generator(np.random.PCG64(1))


def lanes(name: str, **options: Any) -> Callable[[], float]:
    env = vector_env(name, LANES, **options)
    _, infos = env.reset(seed=1)
    choices = {"poker": 32, "zombie": 2, "codebreaking": 1296}.get(name, 1)
    actions = CHANCE.integers(0, choices, size=(ROUNDS, LANES))
    mask = infos["action_mask"]

    def work() -> None:
        for row in actions:
            env.step(row * mask[:, 1] if name == "zombie" else row)

    work()  # compile
    return lambda: ROUNDS * LANES / cpu_seconds(work)


def gymnasium_seat(name: str, **options: Any) -> Callable[[], float]:
    env = FairgroundEnv(name, **options)
    picks = CHANCE.random(STEPS)

    def work() -> None:
        _, info = env.reset()
        for pick in picks:
            legal = info["legal_actions"]
            _, _, over, cut, info = env.step(legal[int(pick * len(legal))])
            if over or cut:
                _, info = env.reset()

    return lambda: STEPS / cpu_seconds(work)


def agents_together(make: Callable[[], Any], actions: int) -> Callable[[], float]:
    env = make()
    picks = CHANCE.integers(0, actions, size=(STEPS, 2))

    def work() -> None:
        env.reset()
        for mine, yours in picks:
            first, second = env.agents
            env.step({first: mine, second: yours})
            if not env.agents:
                env.reset()

    return lambda: STEPS / cpu_seconds(work)


def agents_in_turn(name: str) -> Callable[[], float]:
    env = aec_env(name)
    picks = CHANCE.random(STEPS)

    def work() -> None:
        env.reset()
        for pick in picks:
            _, _, over, cut, info = env.last()
            if over or cut:
                env.reset()
                _, _, _, _, info = env.last()
            legal = info["legal_actions"]
            env.step(legal[int(pick * len(legal))])

    return lambda: STEPS / cpu_seconds(work)


def spiel(name: str) -> Callable[[], float]:
    env = rl_environment.Environment(name)
    picks = CHANCE.random(STEPS)

    def work() -> None:
        now = env.reset()
        for pick in picks:
            if now.last():
                now = env.reset()
            legal = now.observations["legal_actions"][now.observations["current_player"]]
            now = env.step([legal[int(pick * len(legal))]])

    return lambda: STEPS / cpu_seconds(work)


def main() -> None:
    contestants = {
        "ours, FateStones, 4096 lanes against greedy": lanes("fatestones", players=["greedy"]),
        "ours, dice, 4096 lanes against optimal": lanes("intransitive", players=["optimal"]),
        "ours, video poker, 4096 lanes": lanes("poker"),
        "ours, Zombie Dice, 4096 lanes against greedy": lanes("zombie", players=["greedy"]),
        "ours, code breaking, 4096 lanes": lanes("codebreaking"),
        "ours, FateStones, Gymnasium against greedy": gymnasium_seat(
            "fatestones", players=["greedy"]
        ),
        "ours, FateStones, PettingZoo parallel": agents_together(
            lambda: parallel_env("fatestones"), 1
        ),
        "ours, Zombie Dice, PettingZoo in turns": agents_in_turn("zombie"),
        "PettingZoo, rps_v2 parallel": agents_together(rps_v2.parallel_env, 3),
        "OpenSpiel, kuhn_poker, rl_environment": spiel("kuhn_poker"),
    }
    samples = side_by_side(contestants, REPETITIONS)
    write("environments", {"unit": "steps per second of CPU", "steps": summary(samples)})


if __name__ == "__main__":
    main()
