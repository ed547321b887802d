"""The Croupier's desk: what a Player says to a Croupier, and what comes back.

A port, like `bank_port.Bank`: the Croupier in this process implements it (`croupier.Croupier`),
and so does the client that reaches one over HTTP. The Player trusts nothing that comes
back: commitments bind the seeds, and the Bank has the last word on everything else.

A game, as the two speak of it::

    offer = await desk.offer(player)             commitments to two fresh seeds of his
    await desk.bet(offer.id, bet, signature)     he brings it to the Bank
    (await desk.look(offer.id)).seeds[0]         when the bet is final there, and the seed is, too
    await desk.order(offer.id, order, signature, seed)
    (await desk.look(offer.id)).seeds[1]         when the order is final there
    await desk.seed(offer.id, 1, seed)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from fairground.bank.chain.artifact import Terms
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, Domain
from fairground.bank.seeds import Seed
from fairground.core import InputError


class Declined(InputError):
    """The Croupier does not take what he was told; nothing changed, and the text says why."""

    code = "croupier/declined"


class UnknownGame(Declined):
    """He made no such offer."""

    code = "croupier/unknown"


class TooSoon(Declined):
    """What must come before it is not there."""

    code = "croupier/not-yet"


class SaidOtherwise(Declined):
    """Something else was said before, and that counts."""

    code = "croupier/said-otherwise"


class Closed(Declined):
    """The game is over, or the offer was closed: ask for a new one."""

    code = "croupier/over"


class Busy(Declined):
    """He cannot begin another game now: too many are open, or his money is bound."""

    code = "croupier/busy"


REFUSALS = {
    kind.code: kind for kind in (Declined, UnknownGame, TooSoon, SaidOtherwise, Closed, Busy)
}
"""All of them, by their code: so they come over HTTP as they are raised in process."""


class About(NamedTuple):
    """Who the Croupier is, and where he plays."""

    account: str
    key: str
    """The address of his signing key."""
    domain: Domain
    terms: Terms
    trusted: str
    """Whom one must trust for that Bank to be honest (`Bank.trusted`)."""
    confirmations: int
    """How many blocks he waits before he takes a step of the Player for final."""


class Offer(NamedTuple):
    """A game that the Croupier is ready to play, once, with this player."""

    id: str
    croupier: str
    player: str
    croupier_key: str
    game_id: int
    commitments: tuple[bytes, bytes]
    """To his two seeds, made for this offer alone."""
    expiry: int
    """The latest expiry that he takes in a bet, by the Bank's time."""


class Sight(NamedTuple):
    """A game, as the Croupier tells of it. Words only: the Bank knows better."""

    stage: str
    """What he waits for, or that it is over; one of `STAGES`."""
    seeds: tuple[Seed | None, Seed | None]
    """His seeds, as far as they may be told."""
    trouble: str = ""
    """Why it does not go on, if it does not; in words."""


STAGES = (
    "offered",
    "bet-sent",
    "awaits-seed-0",
    "awaits-order",
    "order-sent",
    "awaits-seed-1",
    "settling",
    "over",
)


class CroupierDesk(ABC):
    """A Croupier, as a Player reaches him."""

    @abstractmethod
    async def about(self) -> About:
        """Who he is."""

    @abstractmethod
    async def offer(self, player: str) -> Offer:
        """Ask for a game. The last offer to this player is told again, if it has no bet yet and
        is not old.
        """

    @abstractmethod
    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        """Place the signed bet; refused with the reason if he does not take it."""

    @abstractmethod
    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        """Tell him the Player's seed."""

    @abstractmethod
    async def order(
        self,
        offer_id: str,
        order: Sequence[int],
        signature: Signature,
        seed: Seed | None = None,
    ) -> None:
        """Tell him the signed order; with it the Player's seed 0, if that was not told before.

        So he can bring both to the Bank in one call.
        """

    @abstractmethod
    async def look(self, offer_id: str) -> Sight:
        """How far the game is."""
