"""Solves Zombie Dice with the usual dice, and stores it with the package.

python tools/zombie_tables.py     writes games/zombie/solver/data/*.npz, in four CPU-minutes

`optimal`, the coach and ``fairground solve zombie`` read these files. They are named after the
rules and after `tables.VERSION`; files that no version reads any more are removed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from fairground.games.zombie.rules import Zombie
from fairground.games.zombie.solver import duel, several, tables

DATA = Path(tables.__file__).parent / "data"


def solved(game: Zombie, players: int) -> Any:
    """Return the stored figures of a game with this number of players."""

    def tell(share: float) -> None:
        sys.stderr.write(f"\r{players} players: {share:4.0%}")

    if players == 2:
        return duel.solve(game, tell)
    return several.compressed(several.solve(game, players, tell))


def main() -> None:
    """Solve the games of two, three and four."""
    game = Zombie.from_params({})
    written = set()
    for players in range(2, several.MOST + 1):
        began = time.process_time()
        path = DATA / tables.file_name(game, players)
        path.write_bytes(tables.packed(solved(game, players)))
        written.add(path)
        spent = time.process_time() - began
        sys.stderr.write(f", {path.stat().st_size:,} bytes, {spent:.0f} CPU-seconds\n")
    for path in set(DATA.glob("*.npz")) - written:
        path.unlink()


if __name__ == "__main__":
    main()
