"""Make the golden playthroughs of every registered game: ``python -m tests.make_playthroughs``."""

from __future__ import annotations

import sys

from fairground.games import GAMES
from fairground.testing import playthroughs
from fairground.testing.playthroughs import Playthrough
from tests.helpers.places import TESTS
from tests.helpers.samples import playthroughs_of

FOLDER = TESTS / "playthroughs"


def all_playthroughs() -> list[Playthrough]:
    return [each for game in sorted(GAMES) for each in playthroughs_of(game)]


def main() -> int:
    wanted = playthroughs.write(all_playthroughs(), FOLDER)
    for path in FOLDER.iterdir():
        if path.name not in wanted:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
