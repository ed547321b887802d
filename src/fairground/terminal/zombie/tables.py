"""The perfect player's tables: computed once, with a bar that shows how far it is."""

from __future__ import annotations

import sys
from typing import Final

from fairground.extras import needs
from fairground.games.zombie import Zombie

WIDE: Final = 30


class Bar:
    """A bar on standard error; where that is no terminal, one line at the beginning."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._live = sys.stderr.isatty()
        self._shown = -1
        self._begun = False

    def __call__(self, share: float) -> None:
        """Show this share of the work, from 0 to 1."""
        if not self._begun and not self._live:
            print(f"{self._what} (once; it is kept) ...", file=sys.stderr, flush=True)
        self._begun = True
        percent = int(100 * share)
        if self._live and percent > self._shown:
            self._shown = percent
            bar = "#" * (WIDE * percent // 100)
            end = "\n" if percent == 100 else ""
            print(f"\r{self._what} [{bar:<{WIDE}}] {percent:3d}%", end=end, file=sys.stderr)
            sys.stderr.flush()


def prepare_tables(game: Zombie) -> None:
    """Solve the game of two for this configuration, unless it is in the user's cache."""
    with needs("solve", "the player optimal"):
        from fairground.solve.zombie import duel, turn
    if turn.can_bust(game):
        duel.load_or_compute(game, Bar("Perfect play"))
