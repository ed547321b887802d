"""How much gas each call may use, and what a unit of it may cost.

A sender must be able to pay for the whole limit of a transaction, used or not. So a limit
that is too wide keeps money in a purse from being used, just when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    BringHand,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    OpenSession,
    SubmitAcceptedSeed,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    WithdrawFunds,
)

LIMITS: Final[Mapping[type[Any], int]] = {
    SubmitPublicKey: 100_000,
    DepositFunds: 60_000,
    WithdrawFunds: 50_000,
    SubmitBet: 98_000,
    SubmitCroupierSeed: 67_000,
    SubmitPlayerSeed: 72_000,
    SubmitReplacementOrder: 68_000,
    SubmitPlayerSeedAndOrder: 90_000,
    SubmitPlayerSeedAndResult: 89_000,
    SubmitGameResult: 67_000,
    Complain: 155_000,
    OpenSession: 150_000,
    CloseSession: 85_000,
    ClaimSession: 90_000,
    BringHand: 130_000,
    FinishSession: 70_000,
    SubmitAcceptedSeed: 75_000,
    ComplainTwoOrders: 85_000,
}
"""Gas that a call may use: what the dearest of its kind takes, and some 30 % more."""

FIRST_VERSION: Final[Mapping[type[Any], int]] = {SubmitBet: 156_000}
"""What more a Bank of version 1 needs: it keeps a game in two words, and counts games."""


def limit(call: type[Any], version: int) -> int:
    """The gas that such a call may use at a Bank of this version."""
    return max(LIMITS[call], FIRST_VERSION.get(call, 0) if version == 1 else 0)


DEPLOYMENT: Final = 7_000_000

ASKING: Final = 300_000
"""Gas for a question, which costs nothing."""

DEAREST: Final = 500 * 10**9
"""What we pay for a unit of gas, in wei, where nothing is lost by waiting."""

LEAST_TIP: Final = 10**6

SPARE: Final = 4
"""How many times today's price a purse must be able to pay for the calls that will be owed."""


class Price(NamedTuple):
    """What a unit of gas costs now, in wei: the chain's base fee, and the usual tip on top."""

    base: int
    tip: int

    def upkeep(self, calls: Iterable[type[Any]]) -> int:
        """What must be in a purse so that such calls can be made, also when gas becomes dearer."""
        return SPARE * (self.base + self.tip) * sum(LIMITS[call] for call in calls)


class Fees(NamedTuple):
    """What a unit of gas may cost at most, in wei, and the part of it that is the tip."""

    most: int
    tip: int

    @classmethod
    def at(cls, price: Price, ceiling: int) -> Fees | None:
        """What to offer: with room for a base fee that doubles. ``None`` above the ceiling."""
        tip = min(price.tip, ceiling - price.base)
        return cls(min(2 * price.base + tip, ceiling), tip) if tip >= LEAST_TIP else None

    def raised(self, market: Fees) -> Fees:
        """Enough to take the place of a transaction with these fees."""
        tip = max(self.tip * 5 // 4 + 1, market.tip)
        return Fees(max(self.most * 5 // 4 + 1, market.most, tip), tip)
