"""What the laws run on: small samples of every game, and every way of using every dealer.

A game or a dealer that is registered but has no entry here fails the suite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fairground.testing.driving import SEED, Mode


class Sample(NamedTuple):
    """A small game: quick to play through, and rich in what can happen."""

    game: str
    label: str
    params: dict[str, Any]

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
        Sample("intransitive/1", "seed", {"dice": SEED_DICE}),
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
    "poker/1": (Sample("poker/1", "least", {"bet": 1, "level": 1}),),
    "zombie/1": (
        Sample("zombie/1", "duel", _ZOMBIE),
        Sample("zombie/1", "three", {**_ZOMBIE, "players": 3}),
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


MODES: dict[str, tuple[Mode, ...]] = {
    "hmac-sha3-user/1": (
        Mode("hmac-sha3-user/1", "alone"),
        Mode("hmac-sha3-user/1", "number", "number"),
    ),
    "hash-chains/1": (
        Mode("hash-chains/1", "alone"),
        Mode("hash-chains/1", "once", "stir", (("stir", "once"), ("length", 2))),
        Mode("hash-chains/1", "each", "stir", (("stir", "each"),)),
        Mode("hash-chains/1", "chain", "chain", (("length", 2),)),
    ),
    "contest/1": (
        Mode("contest/1", "cup", options=(("contest", "cup"), ("game", 7), ("seed", SEED))),
    ),
    "seeded/1": (Mode("seeded/1", "tape", options=(("seed", "Ärger"), ("game", 3))),),
    "system/1": (Mode("system/1", "plain"),),
}


def modes_of(dealer: str) -> tuple[Mode, ...]:
    """The ways of using a registered dealer; an error that says what to do if there are none."""
    if not MODES.get(dealer):
        raise LookupError(
            f"{dealer} is registered but nothing uses it: add a Mode to MODES in helpers/samples.py"
        )
    return MODES[dealer]


def mode(name: str) -> Mode:
    """A mode by its name, such as ``hash-chains-once``."""
    return next(mode for modes in MODES.values() for mode in modes if mode.name == name)


class Golden(NamedTuple):
    """A playthrough that is kept in tests/playthroughs."""

    sample: Sample
    mode: Mode
    leaves_after: int | None = None
    """After how many answers the last seat walks away."""

    @property
    def name(self) -> str:
        left = "" if self.leaves_after is None else "--left"
        return f"{self.sample.name}--{self.mode.name}{left}"


def goldens_of(game: str) -> list[Golden]:
    """Every sample with a seeded tape; the first one under every other scheme, and left early."""
    samples = samples_of(game)
    out = [Golden(sample, mode("seeded-tape")) for sample in samples]
    if game == "intransitive/1":
        ways = [way for ways in MODES.values() for way in ways]
    else:
        ways = [mode("hash-chains-chain")]
    out += [Golden(samples[0], way) for way in ways if way.dealer != "seeded/1"]
    return [*out, Golden(samples[0], mode("hmac-sha3-user-number"), leaves_after=1)]
