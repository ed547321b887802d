"""The Croupier's desk for sessions: what a Player says to him, and what comes back.

A session, as the two speak of it::

    terms = await desk.session(player, funds)          what he puts in, and its number
    await desk.open(terms, signature)                  he brings it to the Bank
    commitments = await desk.offer(name, hand)         to two fresh seeds, for this hand alone
    taken = await desk.bet(name, bet, signature)       his signature of the bet, and seed 0
    drawn = await desk.order(name, seed, order, ...)   seed 1, and his word on the order
    signed = await desk.state(name, seed, state, ...)  his signature of the state
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, SessionState, SessionTerms
from fairground.bank.seeds import Seed


class Taken(NamedTuple):
    """A bet that the Croupier took."""

    signature: Signature
    """His, of the same bet: from now on it counts."""
    seed: Seed
    """His seed 0."""


class Drawn(NamedTuple):
    """His seed 1, for one order."""

    seed: Seed
    acceptance: Signature
    """His signature of `OrderAccepted`: without it the Player's seed 1 is not told."""


class SessionSight(NamedTuple):
    """A session, as the Croupier tells of it. The Bank knows better."""

    terms: SessionTerms
    state: SessionState
    """The last one that both have signed."""
    player_signature: Signature
    croupier_signature: Signature
    playing: bool
    """Whether a hand is open."""
    closed: bool


class SessionDesk(ABC):
    """A Croupier who plays sessions. Every method refuses with `Declined` and the reason."""

    @abstractmethod
    async def session(self, player: str, funds: int) -> SessionTerms:
        """The terms of a new session with this player, who puts in ``funds`` wei."""

    @abstractmethod
    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        """Have a session opened at the Bank, on terms that the Player signed."""

    @abstractmethod
    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        """Commitments to his two seeds for the next hand; the same again if asked again."""

    @abstractmethod
    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        """Place a bet on the offer."""

    @abstractmethod
    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        """Tell him the Player's seed 0, and the signed order; ``None`` if nothing is replaced."""

    @abstractmethod
    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        """Tell him the Player's seed 1, and the signed state after this hand; his signature.

        Without a seed: the hand stood, or it is the last state, which closes the session.
        """

    @abstractmethod
    async def look(self, session: bytes) -> SessionSight:
        """How far a session is."""
