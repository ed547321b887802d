"""What the Croupier says over the wire: the bodies of his requests and answers.

Integers beyond ±(2^53-1) are decimal text; hashes, seeds and signatures are lower-case hex
digits; addresses are 40 hex digits behind 0x.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from fairground.bank.croupier_port import STAGES

SIGNATURE_DIGITS: Final = 130
SEED_DIGITS: Final = 194

Address = Annotated[str, Meta(pattern="^0x[0-9a-fA-F]{40}$")]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Number = (
    Annotated[int, Meta(ge=0, le=2**53 - 1)] | Annotated[str, Meta(pattern="^[1-9][0-9]{15,77}$")]
)
Signed = Annotated[str, Meta(pattern=f"^[0-9a-f]{{{SIGNATURE_DIGITS}}}$", description="r, s and v")]
SeedText = Annotated[
    str, Meta(pattern=f"^[0-9a-f]{{{SEED_DIGITS}}}$", description="the nonce, then r, s and v")
]


class AboutOut(Struct):
    """Who the Croupier is, and at which Bank he plays."""

    account: str
    key: str
    """The address of his signing key."""
    chain: int | str
    bank: str
    chip_cost: int | str
    """In wei; fixed in the Bank."""
    step_time: int | str
    """Seconds that each step of a game may take."""
    confirmations: int
    """Blocks that he waits before he takes a step for final."""
    trusted: str
    """Whom one must trust for that Bank to be honest."""
    play_money: str


class NewOffer(Struct):
    """Who wants to play."""

    player: Address


class OfferOut(Struct):
    """A game that he is ready to play, once, with this player."""

    self: str
    id: str
    croupier: str
    player: str
    croupier_key: str
    game_id: int | str
    commitments: list[str]
    """To his two seeds, made for this offer alone."""
    expiry: int | str
    """The latest expiry that he takes in a bet, by the Bank's time."""


class BetIn(Struct):
    """The bet, field by field as it is signed."""

    croupier: Address
    player: Address
    croupier_key: Address
    player_key: Address
    game_id: Number
    bet: Annotated[int, Meta(ge=0, le=255)]
    level: Annotated[int, Meta(ge=0, le=255)]
    chip_cost: Number
    croupier_commitment_0: Hash
    croupier_commitment_1: Hash
    player_commitment_0: Hash
    player_commitment_1: Hash
    expiry: Number


class NewBet(Struct):
    """A bet with the Player's signature (EIP-712)."""

    bet: BetIn
    signature: Signed


class NewSeed(Struct):
    """A seed of the Player: not before his of the same number is final at the Bank."""

    seed_id: Annotated[int, Meta(ge=0, le=1)]
    seed: SeedText


class NewOrder(Struct):
    """Which cards to replace: 1 replaces, 0 keeps."""

    order: Annotated[list[Annotated[int, Meta(ge=0, le=1)]], Meta(min_length=5, max_length=5)]
    signature: Signed
    seed: SeedText | None = None
    """The Player's seed 0, if it was not told before."""


class CroupierGame(Struct):
    """A game, as the Croupier tells of it. The Bank knows better."""

    self: str
    stage: Annotated[str, Meta(description=f"one of {', '.join(STAGES)}")]
    seeds: list[str | None]
    """His seeds, as far as they may be told."""
    trouble: str
    """Why it does not go on, if it does not."""
