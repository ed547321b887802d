"""Solve the game of three with the usual dice, and store it with the package.

python bench/zombie_tables.py        # one or two CPU-minutes
"""

from __future__ import annotations

import time
from pathlib import Path

from fairground.games.zombie import Zombie
from fairground.solve.zombie import tables, trio

DATA = Path(__file__).parents[1] / "src" / "fairground" / "solve" / "zombie" / "data"


def main() -> None:
    game = Zombie.from_params({})
    began = time.process_time()
    solved = trio.solve(game)
    path = DATA / tables.file_name(game, trio.SEATS)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(tables.packed(solved))
    chances = ", ".join(f"{chance:.12f}" for chance in trio.first_player_wins(solved))
    print(f"{path.name}: {path.stat().st_size:,} bytes; first, second, third win {chances}")
    print(f"{time.process_time() - began:.1f} CPU-seconds")


if __name__ == "__main__":
    main()
