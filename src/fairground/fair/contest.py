"""`contest/1`: addressed draws from one seed, committed before entries open.

Everyone meets the same chance. The house knows it all along, so it is COMMITTED and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from fairground.core import BadParams, Fault, Parameter, SecretLost
from fairground.fair.bits import HashStream, Tag, digest, same
from fairground.fair.schemes import (
    Chance,
    Dealer,
    Evidence,
    NotYet,
    Run,
    Scheme,
    Setting,
    fields,
    is_hex,
)
from fairground.fair.vault import Vault


def contest_commitment(contest: str, seed: bytes) -> str:
    """Return the commitment to a contest's seed, published before entries open."""
    return digest(Tag.CONTEST_COMMIT, contest, seed).hex()


class ContestScheme(Scheme):
    """The public half of `contest/1`: ``contest``, ``game`` and the ``commitment``."""

    name = "contest/1"
    opens_once = True
    unproven = "the house alone chose the seed of every draw"

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        if (
            set(public) != {"commitment", "contest", "game"}
            or not isinstance(public["contest"], str)
            or type(public["game"]) is not int
            or public["game"] < 0
            or not is_hex(public["commitment"])
        ):
            raise BadParams(
                f"{self.name} wants contest (its name), game (a number from 0) and commitment "
                f"(64 hex digits), not {dict(public)!r}"
            )

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """The stream of this address: contest, game, run."""
        fields(now, {}, "evidence")
        seed = self._seed(later)
        public = self.public
        return HashStream(digest(Tag.CONTEST, public["contest"], public["game"], run.index, seed))

    def _seed(self, opened: Evidence) -> bytes:
        fields(opened, {"seed": is_hex}, "opening")
        seed = bytes.fromhex(opened["seed"])
        if not same(contest_commitment(self.public["contest"], seed), self.public["commitment"]):
            raise Fault("fair/bad-evidence", "the contest's seed does not fit its commitment")
        return seed

    def committed(self, run: Run) -> bool:
        """The commitment stands in the first event."""
        return True

    def bound(self, run: Run) -> int:
        """The first event."""
        return 1

    def shown(self, runs: Sequence[Run]) -> list[tuple[int, str]]:
        """The contest's commitment."""
        return [(1, self.public["commitment"])]


class ContestDealer(Dealer):
    """The house's half of `contest/1`. The seed belongs to the contest, not to the table.

    One seed serves many tables, so a table that ends must not open it while others are
    still played: a dealer that is ``held`` keeps it back until the contest's close, when
    whoever runs the contest sets ``held`` to false and lets the table `advance`.
    """

    scheme = ContestScheme
    options = (
        Parameter("contest", "the contest's name", {"type": "string"}),
        Parameter("game", "which of its games", {"type": "integer", "minimum": 0}),
        Parameter("seed", "the contest's seed", {}),
    )

    def __init__(
        self,
        table: bytes,
        vault: Vault,
        *,
        contest: str,
        game: int,
        seed: bytes,
        held: bool = False,
    ) -> None:
        super().__init__(table, vault)
        self._seed = vault.keep("contest", seed, "")
        self.held = held
        if held:
            vault.keep("held", b"1", "")  # so that a table brought back by anyone stays held
        self.public = {
            "commitment": contest_commitment(contest, self._seed),
            "contest": contest,
            "game": game,
        }

    @classmethod
    def again(cls, table: bytes, vault: Vault, public: Evidence) -> Self:
        """The contest's seed is kept with each of its tables."""
        seed = vault.recall("contest")
        try:
            held = bool(vault.recall("held"))
        except SecretLost:
            held = False
        contest, game = public["contest"], public["game"]
        return cls(table, vault, contest=contest, game=game, seed=seed, held=held)

    def open(self, run: Run) -> Evidence:
        """All was said in the first event."""
        return {}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """The seed opens once, after the end."""
        return {}, {"seed": self._seed.hex()}

    def release(self) -> None:
        """Not while others are still playing for it."""
        if self.held:
            raise NotYet
