"""How quickly the command line is there, against the modules that it cannot do without.

The floor is ``python -c "import argparse, hmac, secrets, json"``. The dice game is started
with nothing to read, so it ends with exit code 3 right after its first prompt: what it
does on the way out (forfeit, opening, saving) is counted too.

As on any installed program, bytecode is compiled beforehand (by the warm-up, into a
directory of its own), for the floor and for us alike.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from _machine import child_cpu_seconds, ratio, side_by_side, summary, write

REPETITIONS = 31
TARGET = 3
FLOOR = "python -c 'import argparse, hmac, secrets, json'"
HELP = "fairground --help"
DICE = "fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3, first prompt"


def main() -> None:
    command = str(Path(sys.executable).with_name("fairground"))
    dice = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "XDG_DATA_HOME": home, "PYTHONPYCACHEPREFIX": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)

        def cost(arguments: Sequence[str], exits: int = 0) -> float:
            return child_cpu_seconds(arguments, env, exits)

        samples = side_by_side(
            {
                FLOOR: lambda: cost([sys.executable, "-c", "import argparse, hmac, secrets, json"]),
                HELP: lambda: cost([command, "--help"]),
                DICE: lambda: cost([command, "dice", *dice], 3),
            },
            REPETITIONS,
        )
    write(
        "startup",
        {
            "unit": "CPU seconds, user and system, of a child process",
            "repetitions": REPETITIONS,
            "cpu_seconds": summary(samples),
            "times_the_floor": {name: ratio(samples, name, FLOOR) for name in (HELP, DICE)},
            "target": f"at most {TARGET} times the floor",
        },
    )


if __name__ == "__main__":
    main()
