"""Small samples of every registered game: what the laws and the playthroughs run on.

A game that is registered but has no entry here fails the suite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fairground.core import Game
from fairground.games import make_game
from fairground.testing import playthroughs
from fairground.testing.modes import ALL_MODES
from fairground.testing.playthroughs import Playthrough


class Sample(NamedTuple):
    """A small game: quick to play through, and rich in what can happen."""

    game: str
    label: str
    params: dict[str, Any]
    every_mode: bool = False
    """Whether it has a golden playthrough in every mode, and not only in two."""

    def make(self) -> Game[Any]:
        """The game itself."""
        return make_game(self.game, self.params)

    @property
    def name(self) -> str:
        return f"{self.game.replace('/', '-')}-{self.label}"


SEED_DICE = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]]

_BAG = ["111666", "123456", "222555", "333444", "114456", "123366", "222456"]
_ZOMBIE = {
    "players": 2,
    "weak_dice": 2,
    "strong_dice": 1,
    "tough_dice": 1,
    "weak_die_faces": "bbf",
    "strong_die_faces": "bs",
    "tough_die_faces": "f",
    "brains_to_win": 1,
    "max_turns": 1,
}

SAMPLES: dict[str, tuple[Sample, ...]] = {
    "intransitive/1": (
        Sample("intransitive/1", "seed", {"dice": SEED_DICE}, every_mode=True),
        Sample("intransitive/1", "odd", {"dice": [[-5, "-99999999999999999999"], [7], [1, 2, 3]]}),
    ),
    "codebreaking/1": (
        Sample("codebreaking/1", "fair", {"base": 2, "length": 2, "oracle": "fair"}),
        Sample("codebreaking/1", "evil", {"base": 2, "length": 2, "oracle": "evil"}),
        Sample("codebreaking/1", "nice", {"base": 3, "length": 1, "oracle": "nice"}),
    ),
    "fatestones/1": (
        Sample("fatestones/1", "deal", {"dice": _BAG, "scratch": "redeal"}),
        Sample("fatestones/1", "end", {"dice": ["333444"] * 6, "scratch": "end"}),
        Sample("fatestones/1", "hands", {"hands": [["333444", "123456"], ["222555", "111666"]]}),
    ),
    "poker/2": (Sample("poker/2", "least", {"bet": 1, "level": 1}),),
    "bank-poker/1": (Sample("bank-poker/1", "least", {"bet": 1, "level": 1}),),
    "zombie/2": (
        Sample("zombie/2", "three", {**_ZOMBIE, "players": 3}),
        Sample("zombie/2", "duel", _ZOMBIE),
    ),
}


def samples_of(game: str) -> tuple[Sample, ...]:
    """The samples of a registered game; an error that says what to do if there are none."""
    if not SAMPLES.get(game):
        raise LookupError(
            f"{game} is registered but has no sample: add small parameters to SAMPLES in "
            "tests/helpers/samples.py, then run `python -m tests.make_playthroughs`"
        )
    return SAMPLES[game]


def playthroughs_of(game: str) -> list[Playthrough]:
    """The golden playthroughs of a registered game."""
    samples = samples_of(game)
    modes = ALL_MODES if samples[0].every_mode else ()
    return playthroughs.plan({sample.label: sample.make() for sample in samples}, modes)
