"""Schemes that prove nothing: `seeded/1` and `system/1`.

* `seeded/1`: a public seed, for simulation and tests. It is reproducible.
* `system/1`: the operating system's entropy. It is unpredictable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from fairground.core import BadParams
from fairground.fair.bits import HashStream, SeededStream, Stream, fresh
from fairground.fair.schemes import (
    Chance,
    Dealer,
    Evidence,
    Run,
    Scheme,
    Setting,
    fields,
    is_hex,
)
from fairground.fair.vault import Vault


class SeededScheme(Scheme):
    """The public half of `seeded/1`: ``seed`` (any text) and ``game`` (a number).

    One tape serves the whole game, so that a kernel which reads the same tape from left
    to right meets the same draws.
    """

    name = "seeded/1"
    unproven = "a seed that was known beforehand made every draw"

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        if (
            set(public) != {"game", "seed"}
            or not isinstance(public["seed"], str)
            or type(public["game"]) is not int
            or public["game"] < 0
        ):
            raise BadParams(
                f"{self.name} wants seed (any text) and game (a number from 0), "
                f"not {dict(public)!r}"
            )
        self._tape: Stream = SeededStream(public["seed"], public["game"])

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """The game's tape, read on from where the last run left it."""
        fields(now, {}, "evidence")
        fields(later, {}, "opening")
        return self._tape

    def must_open(self, run: Run) -> bool:
        """Hidden draws are opened at the end, though anyone can read them off the tape."""
        return run.hidden


class SeededDealer(Dealer):
    """The house's half of `seeded/1`: it has no secrets."""

    scheme = SeededScheme

    def __init__(self, table: bytes, vault: Vault, *, seed: str, game: int = 0) -> None:
        super().__init__(table, vault)
        self.public = {"game": game, "seed": seed}

    @classmethod
    def again(cls, table: bytes, vault: Vault, public: Evidence) -> Self:
        """The seed is public."""
        return cls(table, vault, seed=public["seed"], game=public["game"])

    def open(self, run: Run) -> Evidence:
        """All was said in the first event."""
        return {}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """Nothing needs opening."""
        return {}, {}


class SystemScheme(Scheme):
    """The public half of `system/1`: 32 fresh bytes for each run, shown with it.

    They make a game replay, and prove nothing: the house could have tried many.
    """

    name = "system/1"
    unproven = "the house alone made every draw"

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        if public:
            raise BadParams(f"{self.name} has no parameters, but {dict(public)!r} was given")

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """The stream of the run's own root."""
        fields(now, {} if run.hidden else {"root": is_hex}, "evidence")
        root = later if run.hidden else now
        fields(root, {"root": is_hex}, "opening")
        return HashStream(bytes.fromhex(root["root"]))

    def must_open(self, run: Run) -> bool:
        """Hidden draws are opened at the end; a run that was never dealt has nothing to tell."""
        return run.hidden and run.line > 0


class SystemDealer(Dealer):
    """The house's half of `system/1`."""

    scheme = SystemScheme

    def open(self, run: Run) -> Evidence:
        """Nothing is promised."""
        return {}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """Fresh entropy, kept so that a crash does not roll again."""
        root: Evidence = {"root": self._vault.keep(f"root.{run.index}", fresh(), head).hex()}
        return ({}, root) if run.hidden else (root, {})
