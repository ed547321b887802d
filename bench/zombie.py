"""Simulated turns of Zombie Dice per second of CPU: the kernel, our rules, and a peer.

All three play whole games of two zombies who hold at two shotguns, in one run, taking
turns so that a busy machine slows all alike. The peer is the PyPI package ``zombiedice``.

    python bench/zombie.py            writes bench/results/zombie.json
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from _machine import ratio, side_by_side, summary, write
from fairground.games.kernels import kernel_for
from fairground.games.zombie.rules import Zombie
from fairground.lab.plans import plan_of, states_of

REPEATS = 7
KERNEL_GAMES, RULES_GAMES, PEER_GAMES = 100_000, 100, 300


def peer() -> Any:
    """The package; importing it changes the working folder, which is put back."""
    here = Path.cwd()
    import zombiedice  # noqa: PLC0415

    os.chdir(here)
    return zombiedice


def contestants() -> dict[str, Callable[[int], int]]:
    """By name: plays some games, with a number for the run, and tells how many turns."""
    game = Zombie.from_params({})
    compiled = kernel_for(game, ("cautious", "cautious"), "bench")
    assert compiled is not None
    plan = plan_of(game, ("cautious", "cautious"), "bench", (REPEATS + 1) * KERNEL_GAMES)
    package = peer()
    zombies = [package.examples.MinNumShotgunsThenStopsZombie(name, 2) for name in "ab"]

    def kernel(run: int) -> int:
        return int(compiled.play(run * KERNEL_GAMES, KERNEL_GAMES).facts[:, 3:5].sum())

    def rules(run: int) -> int:
        first = run * KERNEL_GAMES
        games = range(first, first + RULES_GAMES)
        return sum(sum(list(states_of(plan, number))[-1].turns) for number in games)

    def zombiedice(run: int) -> int:
        return sum(2 * int(package.runGame(zombies)["ROUND"]) for _ in range(PEER_GAMES))

    return {"kernel": kernel, "rules": rules, "zombiedice": zombiedice}


def main() -> None:
    turns = contestants()

    def cpu_seconds_a_turn(play: Callable[[int], int], runs: Iterator[int]) -> float:
        begin = time.process_time()
        played = play(next(runs))
        return (time.process_time() - begin) / played

    samples = side_by_side(
        {name: partial(cpu_seconds_a_turn, play, count()) for name, play in turns.items()}, REPEATS
    )
    rates = summary({name: [1 / one for one in each] for name, each in samples.items()})
    write(
        "zombie",
        {
            "what": "simulated turns per CPU-second, two zombies that hold at two shotguns",
            "repeats": REPEATS,
            "peer": f"zombiedice {peer().__version__}",
            "turns_per_cpu_second": rates,
            "kernel_times_peer": ratio(samples, "zombiedice", "kernel"),
            "rules_times_peer": ratio(samples, "zombiedice", "rules"),
        },
    )


if __name__ == "__main__":
    main()
