"""Every way of using every fairness scheme, with secrets that are the same every time.

A *mode* is a scheme, its options, and what the seats lend to chance. Nothing here is
random: each secret is a digest of a label, so a game played twice is the same to the byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple, cast

from fairground.fair.bits import SIZE
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer, Evidence, Run
from fairground.fair.vault import MemoryVault, Vault

TABLE: Final = hashlib.sha3_256(b"the table of the tests").digest()
SEED: Final = hashlib.sha3_256(b"the seed of the contest").digest()


def secret(*words: object) -> bytes:
    """Return 32 bytes that depend on these words alone."""
    return hashlib.sha3_256("|".join(map(str, words)).encode()).digest()


class FixedVault(MemoryVault):
    """A vault that swaps every secret for a fixed one of the same shape.

    The fixed one comes from ``script``, by the secret's name, or else from the label.
    """

    def __init__(self, label: str = "vault", script: Mapping[str, bytes] | None = None) -> None:
        super().__init__()
        self.label = label
        self.script = dict(script or {})
        self.n = 1
        """The range of the run that the secret is for; a fixed dealer says it in time."""

    def keep(self, name: str, secret: bytes, head: str) -> bytes:
        made = self.script.get(name)
        return super().keep(name, made or self._fixed(name, secret), head)

    def _fixed(self, name: str, made: bytes) -> bytes:
        """Return 32 bytes for 32 bytes; for text, keys for its keys and numbers for its numbers."""
        key = secret(self.label, name)
        if len(made) == SIZE:
            return key
        number = int.from_bytes(secret(self.label, name, "number"), "big") % self.n
        words = made.decode("ascii").split()
        return " ".join(
            key.hex().upper() if len(word) == 2 * SIZE else str(number) for word in words
        ).encode("ascii")


@cache
def fixed(dealer: type[Dealer]) -> type[Dealer]:
    """Return a dealer that gives a `FixedVault` the range of a run before it makes secrets."""

    def open_(self: Dealer, run: Run) -> Evidence:
        if isinstance(self._vault, FixedVault):
            self._vault.n = run.n
        return dealer.open(self, run)

    return cast("type[Dealer]", type(f"Fixed{dealer.__name__}", (dealer,), {"open": open_}))


class Mode(NamedTuple):
    """One way of using a scheme: what each seat lends, and the dealer's options."""

    dealer: str
    label: str
    lends: str = "nothing"
    options: tuple[tuple[str, Any], ...] = ()
    lenders: int | None = None
    """Maximum number of lending seats; ``None``: all that the house does not run."""
    schemes: Schemes = SCHEMES

    @property
    def name(self) -> str:
        return f"{self.dealer.partition('/')[0]}-{self.label}"

    def make(self, vault: Vault, table: bytes = TABLE) -> Dealer:
        """Make the house's half of the scheme."""
        dealer: Any = fixed(dealer_class(self.dealer, self.schemes))
        made: Dealer = dealer(table, vault, **dict(self.options))
        return made

    def chairs(self, seats: int) -> list[Chair]:
        """Return the chairs: seat 0 is the house's and lends nothing, the first others lend."""
        lenders = seats if self.lenders is None else self.lenders
        chairs = [Chair("House", "house")]
        for seat in range(1, seats):
            lends = self.lends if seat <= lenders else "nothing"
            chairs.append(Chair(f"Seat {seat}", "self", lends))
        return chairs


MODES: Final[dict[str, tuple[Mode, ...]]] = {
    "hmac-sha3-user/1": (
        Mode("hmac-sha3-user/1", "alone"),
        Mode("hmac-sha3-user/1", "number", "number", lenders=1),
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
"""The modes of each scheme, by the scheme's name."""

ALL_MODES: Final = tuple(mode for modes in MODES.values() for mode in modes)


def modes_of(dealer: str) -> tuple[Mode, ...]:
    """Return the modes of a registered scheme; without any, raise an error that says what to do."""
    if dealer not in MODES:
        raise LookupError(
            f"{dealer} is registered but nothing uses it: add a Mode to MODES in "
            "fairground/testing/modes.py"
        )
    return MODES[dealer]


def mode(name: str) -> Mode:
    """Return a mode by its name, such as ``hash-chains-once``."""
    for each in ALL_MODES:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in ALL_MODES)
    raise LookupError(f"no mode named {name!r}; there are: {known}")
