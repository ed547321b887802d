"""Where money is, in a Bank that is a ledger.

Every movement takes from one pocket what it puts into another, so that the sum over all of them
is always zero.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Pocket(NamedTuple):
    """Where money can be. ``of`` is an owner, for a lock the game's key in hex."""

    kind: str
    of: str


ISSUE: Final = Pocket("issue", "all")
"""Where play money comes from: below zero by what was made."""


def purse_of(owner: str) -> Pocket:
    """What an owner has outside of the Bank."""
    return Pocket("purse", owner)


def available_to(owner: str) -> Pocket:
    """What an owner has in the Bank, free of games."""
    return Pocket("available", owner)


def lock_of(key: bytes) -> Pocket:
    """What a game has locked."""
    return Pocket("lock", key.hex())
