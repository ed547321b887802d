"""What is said in a session over the wire: the bodies of requests and answers.

Integers beyond ±(2^53-1) are decimal text; hashes, seeds and signatures are lower-case hex
digits; addresses are 40 hex digits behind 0x.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from fairground.arena.croupier.wire import (
    Address,
    BetIn,
    Hash,
    Number,
    SeedText,
    Signed,
)


class NewSession(Struct):
    """Who wants to play a session, and what they put in, in wei."""

    player: Address
    funds: Number


class SessionTermsIn(Struct):
    """The terms of a session, field by field as the Player signs them."""

    croupier: Address
    player: Address
    croupier_key: Address
    player_key: Address
    number: Number
    player_funds: Number
    croupier_funds: Number
    expiry: Number


class SessionTermsOut(Struct):
    """A session that he is ready to open."""

    self: str
    name: str
    """The hash of the terms: what the session is called."""
    terms: SessionTermsIn


class OpenSessionIn(Struct):
    """The terms, with the Player's signature (EIP-712)."""

    terms: SessionTermsIn
    signature: Signed


class NewHand(Struct):
    """The number of the hand, counted from 0."""

    hand: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class HandOffered(Struct):
    """His commitments to two seeds, for this hand alone."""

    commitments: list[str]


class HandBet(Struct):
    """The bet of a hand, with the Player's signature (EIP-712)."""

    bet: BetIn
    signature: Signed


class BetTaken(Struct):
    """The bet counts."""

    signature: str
    """His, of the same bet."""
    seed: str
    """His seed 0."""


class HandOrder(Struct):
    """Which cards to replace (1 replaces, 0 keeps), and the Player's seed 0."""

    seed: SeedText
    order: Annotated[list[Annotated[int, Meta(ge=0, le=1)]], Meta(min_length=5, max_length=5)]
    signature: Signed


class OrderTaken(Struct):
    """His seed 1, for this order; both are null where nothing is replaced."""

    seed: str | None
    acceptance: str | None
    """His signature of `OrderAccepted`: without it do not tell your seed 1."""


class StateIn(Struct):
    """How a session stands after so many hands."""

    session: Hash
    hands: Number
    player_share: Number
    """What the Player has in the session, in wei."""
    head: Hash
    """The hash of all hands so far."""
    last: bool = False
    """Whether it closes the session at once."""


class NewState(Struct):
    """The state after a hand, signed by the Player, and the Player's seed 1 where it was drawn."""

    state: StateIn
    signature: Signed
    seed: SeedText | None = None


class StateSigned(Struct):
    """His signature of the same state."""

    signature: str


class SessionShown(Struct):
    """A session, as the Croupier tells of it. The Bank knows better."""

    self: str
    terms: SessionTermsIn
    state: StateIn
    """The last one that both have signed."""
    player_signature: str
    croupier_signature: str
    playing: bool
    """Whether a hand is open."""
    closed: bool
