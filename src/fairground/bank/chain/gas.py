"""Gas limits of the calls, and fees for a unit of gas.

A sender must be able to pay for the whole limit of a transaction, used or not. So a limit that is
too wide keeps money in a purse from being used, just when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from fairground.bank import bank_port as bank

LIMITS: Final[Mapping[type[Any], int]] = {
    bank.SubmitPublicKey: 100_000,
    bank.DepositFunds: 60_000,
    bank.WithdrawFunds: 50_000,
    bank.SubmitBet: 98_000,
    bank.SubmitCroupierSeed: 67_000,
    bank.SubmitPlayerSeed: 72_000,
    bank.SubmitReplacementOrder: 68_000,
    bank.SubmitPlayerSeedAndOrder: 90_000,
    bank.SubmitPlayerSeedAndResult: 89_000,
    bank.SubmitGameResult: 67_000,
    bank.Complain: 155_000,
    bank.OpenSession: 150_000,
    bank.CloseSession: 85_000,
    bank.ClaimSession: 90_000,
    bank.BringHand: 130_000,
    bank.FinishSession: 70_000,
    bank.SubmitAcceptedSeed: 75_000,
    bank.ComplainTwoOrders: 85_000,
}
"""Gas that a call may use: what the dearest of its kind takes, and some 30 % more."""

MEASURED: Final[Mapping[tuple[str, int | None], int]] = {
    ("submitBet", None): 72_414,
    ("submitCroupierSeedAsSignature", 0): 48_489,
    ("submitPlayerSeedAsSignature", 0): 47_324,
    ("submitReplacementOrder", None): 45_738,
    ("submitCroupierSeedAsSignature", 1): 42_708,
    ("submitPlayerSeedAsSignature", 1): 50_219,
    ("submitGameResult", None): 49_103,
}
"""Gas that each of the document's seven calls used, by the contract's name and the seed's number.

The two parties had played before, and all five cards were replaced.
"""

DEPLOYMENT: Final = 7_000_000
"""Gas limit of the transaction that deploys the Bank."""

ASKING: Final = 300_000
"""Gas for a question, which costs nothing."""

DEAREST: Final = 500 * 10**9
"""Maximum wei for a unit of gas in a call that can wait."""

LEAST_TIP: Final = 10**6

SPARE: Final = 4
"""Factor on today's price: a purse must be able to pay its owed calls at this multiple."""


class Price(NamedTuple):
    """Today's price of a unit of gas, in wei: the chain's base fee, and the usual tip on top."""

    base: int
    tip: int

    def upkeep(self, calls: Iterable[type[Any]]) -> int:
        """Return the wei that a purse needs for such calls, also when gas becomes dearer."""
        return SPARE * (self.base + self.tip) * sum(LIMITS[call] for call in calls)


class Fees(NamedTuple):
    """The most that a unit of gas may cost, in wei, and the tip within it."""

    most: int
    tip: int

    @classmethod
    def at(cls, price: Price, ceiling: int) -> Fees | None:
        """Return the fees to offer, with room for a base fee that doubles. ``None`` above the
        ceiling.
        """
        tip = min(price.tip, ceiling - price.base)
        return cls(min(2 * price.base + tip, ceiling), tip) if tip >= LEAST_TIP else None

    def raised(self, market: Fees) -> Fees:
        """Enough to take the place of a transaction with these fees."""
        tip = max(self.tip * 5 // 4 + 1, market.tip)
        return Fees(max(self.most * 5 // 4 + 1, market.most, tip), tip)
