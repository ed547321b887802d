"""Simulated turns of Zombie Dice per second of CPU: the kernel, our rules, and a peer.

All three play whole games of two zombies who hold at two shotguns, in one run, taking
turns so that a busy machine slows all alike. The peer is the PyPI package ``zombiedice``.

    python bench/zombie.py            prints a table and writes bench/results/zombie.json
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairground.games.kernels import kernel_for
from fairground.games.zombie.rules import Zombie
from fairground.lab.plans import plan_of, states_of

RESULTS = Path(__file__).resolve().parent / "results"
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


def machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names the machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def main() -> None:
    runners = contestants()
    rates: dict[str, list[float]] = {name: [] for name in runners}
    for name, play in runners.items():
        play(0)
        print(f"{name} is warm")
    for run in range(1, REPEATS + 1):
        for name, play in runners.items():
            begin = time.process_time()
            turns = play(run)
            rates[name].append(turns / (time.process_time() - begin))
    found = {
        name: {"median": statistics.median(r), "least": min(r), "most": max(r)}
        for name, r in rates.items()
    }
    base = found["zombiedice"]["median"]
    print(f"{'turns per CPU-second':22}{'median':>14}{'least':>14}{'most':>14}{'× peer':>10}")
    for name, rate in found.items():
        figures = "".join(f"{rate[key]:14,.0f}" for key in ("median", "least", "most"))
        print(f"{name:22}{figures}{rate['median'] / base:10,.1f}")
    result = {
        "what": "simulated turns per CPU-second, two zombies that hold at two shotguns",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "repeats": REPEATS,
        "peer": f"zombiedice {peer().__version__}",
        "turns_per_cpu_second": {
            name: {key: round(value) for key, value in rate.items()} for name, rate in found.items()
        },
        "kernel_times_peer": round(found["kernel"]["median"] / base, 1),
        "rules_times_peer": round(found["rules"]["median"] / base, 2),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "zombie.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
