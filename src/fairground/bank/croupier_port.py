"""The Croupier's desk: the messages of a Player to a Croupier, and the answers.

Two ports, like `bank_port.Bank`: `CroupierDesk` for single games, `SessionDesk` for sessions. The
Croupier in this process implements them, and so do the clients over HTTP. The Player trusts none of
the answers: commitments bind the seeds, and the Bank has the last word on everything else.

A game, as the two speak of it::

    offer = await desk.offer(player)             commitments to two fresh seeds of his
    await desk.bet(offer.id, bet, signature)     he brings it to the Bank
    (await desk.look(offer.id)).seeds[0]         when the bet is final there, and the seed is, too
    await desk.order(offer.id, order, signature, seed)
    (await desk.look(offer.id)).seeds[1]         when the order is final there
    await desk.seed(offer.id, 1, seed)

A session::

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
from typing import Final, NamedTuple

from fairground.bank.bank_port import Terms
from fairground.bank.calls import (
    ADDRESS,
    BOOL,
    BYTES32,
    CALLS,
    ORDER,
    SEED,
    SIGNATURE,
    THE_STATE,
    UINT256,
    Fields,
    optional,
    pair,
)
from fairground.bank.messages import Bet, Domain, SessionState, SessionTerms
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.core import InputError


class Declined(InputError):
    """The Croupier does not take what he was told; nothing changed, and the text says why."""

    code = "croupier/declined"


class UnknownGame(Declined):
    """The Croupier never made this offer."""

    code = "croupier/unknown"


class TooSoon(Declined):
    """A message came before the one that it must follow."""

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
    """The Croupier's identity, and the Bank that he plays at."""

    account: str
    key: str
    """The address of his signing key."""
    domain: Domain
    terms: Terms
    trusted: str
    """The party that a user must trust for that Bank to be honest (`Bank.trusted`)."""
    confirmations: int
    """Number of blocks that he waits before he takes a step of the Player for final."""


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
    """The stage of the game: one of `STAGES`."""
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

    sessions: SessionDesk
    """His desk for sessions."""

    @abstractmethod
    async def about(self) -> About:
        """Return his identity."""

    @abstractmethod
    async def offer(self, player: str) -> Offer:
        """Ask for a game. The last offer to this player is repeated if it has no bet yet and is not
        old.
        """

    @abstractmethod
    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        """Place the signed bet; refused with the reason if he does not take it."""

    @abstractmethod
    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        """Tell him the Player's seed."""

    @abstractmethod
    async def order(
        self, offer_id: str, order: Sequence[int], signature: Signature, seed: Seed | None = None
    ) -> None:
        """Tell him the signed order; with it the Player's seed 0, if that was not told before.

        So he can bring both to the Bank in one call.
        """

    @abstractmethod
    async def look(self, offer_id: str) -> Sight:
        """Return the state of a game."""


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
    """True if a hand is open."""
    closed: bool


class SessionDesk(ABC):
    """A Croupier who plays sessions. Every method refuses with `Declined` and the reason."""

    @abstractmethod
    async def session(self, player: str, funds: int) -> SessionTerms:
        """Return the terms of a new session with this player, who puts in ``funds`` wei."""

    @abstractmethod
    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        """Have a session opened at the Bank, on terms that the Player signed."""

    @abstractmethod
    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        """Return commitments to his two seeds for the next hand; the same if asked again."""

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
        """Return the state of a session."""


MESSAGES: Final[dict[str, Fields]] = {
    "offer": {
        "croupier": ADDRESS,
        "player": ADDRESS,
        "croupier_key": ADDRESS,
        "game_id": UINT256,
        "commitments": pair(BYTES32),
        "expiry": UINT256,
    },
    "session": CALLS["openSession"][1],
    "offered": {"commitments": pair(BYTES32)},
    "bet": CALLS["submitBet"][1],
    "taken": {"signature": SIGNATURE, "seed": SEED},
    "order": {"seed": SEED, "order": ORDER, "signature": SIGNATURE},
    "drawn": {"seed": optional(SEED), "acceptance": optional(SIGNATURE)},
    "state": {"seed": optional(SEED), "state": THE_STATE, "signature": SIGNATURE},
    "signed": {"signature": SIGNATURE},
    "sight": {**CALLS["claimSession"][1], "playing": BOOL, "closed": BOOL},
}
"""The members of each message, as HTTP, the Croupier's journal and the Player's notes write it."""
