"""Train something small that beats `greedy` at FateStones, and prove it with an interval.

    pip install 'fairground[solve,rl]'
    python examples/learn_fatestones.py

The learner sees all six dice, as everybody does. For each of its dice it knows three numbers: how
that die fares against the other side's dice on average, and against the die that the other side is
likely to pick, if that side looks at averages (a little, or very much). How much each number
should count is learned from nothing but wins and losses, by policy gradients, in environments
that play thousands of games at a time. Then it is measured on other deals, from both sides.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairground.lab.environments.vector import vector_env
from fairground.stats import Interval, around

Floats = NDArray[np.float64]
ENVS = 8192
SHARPNESS = (0.0, 20.0, 200.0)
"""Sharpness of the other side's assumed choice by averages; 0: any die."""


def features(seen: NDArray[np.int32]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return, for each environment and die, a number for each sharpness; and which dice I have."""
    dice = seen.reshape(len(seen), 2, 3, 6)
    mine, yours = dice[:, 0], dice[:, 1]
    have, there = mine[..., 0] > 0, yours[..., 0] > 0
    faces = mine[:, :, None, :, None], yours[:, None, :, None, :]
    score = ((faces[0] > faces[1]) * 1.0 - (faces[0] < faces[1])).mean(axis=(3, 4))
    met = have[:, :, None] & there[:, None, :]
    score = np.where(met, score, 0.0)
    left = have.sum(axis=1)[:, None]
    # What the other side's dice promise on average, seen from there.
    promise = -score.sum(axis=1) / left
    found = []
    for sharpness in SHARPNESS:
        weight = np.where(there, np.exp(np.clip(sharpness * promise, -50, 50)), 0.0)
        weight /= weight.sum(axis=1, keepdims=True)
        found.append((score * weight[:, None, :]).sum(axis=2))
    return np.stack(found, axis=2), have


def choices(weights: Floats, seen: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """The chance of each die in each environment, and the features."""
    known, have = features(seen)
    value = np.where(have, known @ weights, -np.inf)
    value -= value.max(axis=1, keepdims=True)
    chance = np.exp(value)
    return chance / chance.sum(axis=1, keepdims=True), known


def train(steps: int, seed: int) -> Floats:
    """Weights for the features, learned from wins and losses."""
    weights = np.zeros(len(SHARPNESS))
    random = np.random.Generator(np.random.PCG64(seed))
    envs = [vector_env("fatestones", ENVS, seat=seat, players=["greedy"]) for seat in (0, 1)]
    seen = [env.reset(seed=seed + seat)[0] for seat, env in enumerate(envs)]
    for step in range(steps):
        slope = np.zeros_like(weights)
        for at, env in enumerate(envs):
            chance, known = choices(weights, seen[at])
            picked = (chance.cumsum(axis=1) < random.random((ENVS, 1))).sum(axis=1).clip(0, 2)
            seen[at], reward, _, _, _ = env.step(picked)
            mine = known[np.arange(ENVS), picked] - (chance[:, :, None] * known).sum(axis=1)
            slope += (mine * (reward - reward.mean())[:, None]).mean(axis=0)
        weights += 4000 / (10 + step) * slope
    return weights


def measure(weights: Floats, steps: int, seed: int) -> Interval:
    """Return its result against `greedy` on new deals, with a 95 % interval."""
    won: list[Any] = []
    for seat in (0, 1):
        env = vector_env("fatestones", ENVS, seat=seat, players=["greedy"])
        seen, _ = env.reset(seed=seed + seat)
        for _ in range(steps):
            chance, _ = choices(weights, seen)
            seen, reward, over, _, _ = env.step(chance.argmax(axis=1))
            won.append(reward[over])
    results = np.concatenate(won)
    return around(float(results.mean()), float(results.var(ddof=1)), len(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    before = measure(np.zeros(len(SHARPNESS)), 20, 1_000_000)
    print(f"before learning: {before} a game against greedy")
    weights = train(options.steps, options.seed)
    print(f"weights:         {', '.join(f'{weight:+.1f}' for weight in weights)}")
    after = measure(weights, 60, 2_000_000)
    print(f"after learning:  {after} a game against greedy")
    assert after.low is not None
    print("It beats greedy." if after.low > 0 else "It does not beat greedy.")


if __name__ == "__main__":
    main()
