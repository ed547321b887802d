"""Time to verify a contest of 20 teams with 1,000 games each.

The file is made here, by a house in memory: every team breaks every code of (6, 4), asking always
the first code that fits all answers. ``fairground verify --contest`` then runs each game again, and
recomputes orders, disguises and standings. It stands beside the floor in the same run, which
parses and hashes each line and does nothing else.

    python bench/contest.py
    python bench/contest.py --teams 4 --games 200
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Final

from _machine import child_cpu_seconds, ratio, side_by_side, summary, write
from fairground.contest.games import Part
from fairground.games.codebreaking.rules import Code, Row, fits

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.helpers.contests import House

REPETITIONS: Final = 3
BASE: Final = 6
LENGTH: Final = 4
ROOT: Final = Path(__file__).parent.parent
FLOOR: Final = """\
import hashlib, json, sys
with open(sys.argv[1], "rb") as file:
    for line in file:
        json.loads(line)
        hashlib.sha3_256(line).hexdigest()
"""


@cache
def next_code(rows: tuple[Row, ...]) -> Code:
    """The first code that fits all answers."""
    return next(code for code in product(range(BASE), repeat=LENGTH) if fits(code, rows))


def made(file: Path, teams: int, games: int) -> int:
    """Write the file of such a contest; how many lines it has."""
    house = House([Part(BASE, LENGTH, "fair", games)])
    for number in range(teams):
        entry = house.enter(f"Team {number}")
        for slot in range(games):
            rows: tuple[Row, ...] = ()
            while not rows or rows[-1].marks[0] < LENGTH:
                code = next_code(rows)
                rows = (*rows, Row(code, house.submit(entry, slot, code)))
    house.close()
    lines = house.file()
    file.write_bytes(b"".join(lines))
    return len(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=20)
    parser.add_argument("--games", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "contest.jsonl"
        lines = made(file, options.teams, options.games)
        now = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        verify = [sys.executable, "-m", "fairground", "verify", "--contest", str(file)]
        floor = [sys.executable, "-c", FLOOR, str(file)]
        samples = side_by_side(
            {
                "floor": partial(child_cpu_seconds, floor, now),
                "verify": partial(child_cpu_seconds, verify, now),
            },
            REPETITIONS,
        )
        write(
            "contest",
            {
                "setting": f"{options.teams} teams × {options.games} games of (6, 4)",
                "unit": "CPU seconds, user and system, of one child process",
                "repetitions": REPETITIONS,
                "lines": lines,
                "bytes": file.stat().st_size,
                "cpu_seconds": summary(samples),
                "floor_over_verify": ratio(samples, "floor", "verify"),
            },
        )


if __name__ == "__main__":
    main()
