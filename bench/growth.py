"""Growth of commands with their input: CPU time, memory, and the exponent of both.

    python bench/growth.py            # some CPU-minutes; writes results/growth.json

*Many dice.* ``solve dice`` with random six-faced dice, as JSON and as text, and with many copies of
three dice that beat each other in a circle, of which every choice is a circle of three. The help
table at the prompt of a game with a thousand dice.

The exponent is the slope between the two largest sizes: 1 is linear, 2 a table of all pairs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from math import log
from typing import Any, Final

from _machine import summary, write
from fairground.fair.bits import SeededStream

SIZES: Final = (250, 500, 1000, 2000)
COPIES: Final = (100, 200, 400)
CIRCLE: Final = ("2,2,4,4,9,9", "1,1,6,6,8,8", "3,3,5,5,7,7")
REPETITIONS: Final = 3


def dice(count: int) -> list[str]:
    chance = SeededStream("bench/growth")
    return [",".join(str(1 + chance.below(60)) for _ in range(6)) for _ in range(count)]


def run(arguments: Sequence[str], answers: bytes = b"") -> tuple[float, int]:
    """CPU seconds and megabytes at the most, of ``fairground`` with these arguments."""
    child = subprocess.Popen(
        [sys.executable, "-m", "fairground", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    child.stdin.write(answers)
    child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def grown(name: str, arguments: dict[int, list[str]]) -> dict[str, Any]:
    """Return the CPU time and memory of a command at every size, and the exponent."""
    rows: dict[int, dict[str, Any]] = {}
    for size, given in arguments.items():
        runs = [run(given) for _ in range(REPETITIONS)]
        rows[size] = {
            "cpu_seconds": summary({"": [cpu for cpu, _ in runs]})[""],
            "megabytes": max(memory for _, memory in runs),
        }
        print(name, size, rows[size], flush=True)
    (small, before), (large, after) = list(rows.items())[-2:]
    exponent = log(after["cpu_seconds"]["median"] / before["cpu_seconds"]["median"])
    return {"sizes": rows, "exponent": round(exponent / log(large / small), 2)}


def main() -> None:
    solve = ["solve", "dice"]
    copies = {n: [*solve, *(die for die in CIRCLE for _ in range(n)), "--json"] for n in COPIES}
    helped = [run(["dice", *dice(1000), "--no-save"], b"0\n?\nx\n") for _ in range(REPETITIONS)]
    write(
        "growth",
        {
            "unit": "CPU seconds, user and system, of a child process; the most memory it held",
            "solve dice --json": grown("json", {n: [*solve, *dice(n), "--json"] for n in SIZES}),
            "solve dice": grown("text", {n: [*solve, *dice(n)] for n in SIZES}),
            "solve dice --json, three dice so many times": grown("copies", copies),
            "help table of 1000 dice": {
                "cpu_seconds": summary({"": [cpu for cpu, _ in helped]})[""],
                "megabytes": max(memory for _, memory in helped),
            },
        },
    )


if __name__ == "__main__":
    main()
