"""Bodies of requests and answers of the Croupier and his Bank, with examples.

Integers beyond ±(2^53-1) are decimal text. Hashes, seeds and signatures are lower-case hex digits.
Addresses are 40 hex digits behind 0x. Calls and events of the Bank are those of
`fairground.bank.calls`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from msgspec import Meta, Struct

from fairground.bank.croupier_port import STAGES, Sight
from fairground.server.http.problems import Problem

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
Whole = Annotated[int | str, Meta(description="an integer; beyond ±(2^53-1) as decimal text")]
Order = Annotated[list[Annotated[int, Meta(ge=0, le=1)]], Meta(min_length=5, max_length=5)]


class AboutOut(Struct):
    """The Croupier's identity, and the Bank at which he plays."""

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
    """The parties that must be honest for that Bank to be honest."""
    play_money: str


class NewOffer(Struct):
    """A Player's request for a game."""

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

    order: Order
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

    @classmethod
    def of(cls, here: str, name: str, sight: Sight) -> Self:
        """Return what is shown of a game; ``here`` is the arena's address."""
        seeds = [None if seed is None else seed.hex() for seed in sight.seeds]
        return cls(f"{here}croupier/games/{name}", sight.stage, seeds, sight.trouble)


# Sessions


class NewSession(Struct):
    """A Player's request for a session, with the Player's stake in wei."""

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


class BetTaken(Struct):
    """The bet counts."""

    signature: str
    """His, of the same bet."""
    seed: str
    """His seed 0."""


class HandOrder(Struct):
    """Which cards to replace (1 replaces, 0 keeps), and the Player's seed 0."""

    seed: SeedText
    order: Order
    signature: Signed


class OrderTaken(Struct):
    """His seed 1, for this order; both are null where nothing is replaced."""

    seed: str | None
    acceptance: str | None
    """His signature of `OrderAccepted`: without it do not tell your seed 1."""


class StateIn(Struct):
    """The state of a session after a number of hands."""

    session: Hash
    hands: Number
    player_share: Number
    """The Player's share of the session, in wei."""
    head: Hash
    """The hash of all hands so far."""
    last: bool = False
    """True if this state closes the session at once."""


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
    """True while a hand is open."""
    closed: bool


# The Bank in a ledger


class BankOut(Struct):
    """A Bank: where signatures for it count, and its terms."""

    chain: int
    """Always 0: a ledger is on no chain."""
    bank: str
    """The address that stands for it in everything that is signed."""
    chip_cost: Whole
    step_time: int
    faucet: Whole
    """Maximum play money of one owner, in wei."""
    trusted: str
    """The parties that must be honest for this Bank to be honest."""
    notice: str
    now: int
    """By the Bank's clock, in seconds since 1970."""


class AccountOut(Struct):
    """A participant's balances, without amounts that a game has locked."""

    owner: str
    available: Whole
    open_games: int
    key: str
    """The address of the signing key; the zero address if there is none."""
    purse: Whole
    """The owner's money outside of the Bank."""
    next_number: Whole
    """The number that the owner's next envelope must have."""


class GameOut(Struct):
    """A game as the Bank keeps it; of one that it does not know, everything is zero."""

    bet_hash: str
    step: int
    outcome: int
    deadline: int
    order: int
    hand: int


class SessionOut(Struct):
    """A session of two parties; if there was none, everything is zero."""

    session: str
    """The last 20 bytes of its name, behind 12 zero bytes."""
    number: Whole
    """The number that their next session must have."""
    phase: int
    """0 none, 1 open, 2 claimed, 3 closed."""
    deadline: int
    hands: Whole
    player_share: Whole
    croupier_share: Whole


class NextOut(Struct):
    """The number that the next bet of two parties must have."""

    game_id: Whole


class EventsOut(Struct):
    """The events that the Bank recorded; empty for a repeated call."""

    events: list[dict[str, Any]]


class NewCall(Struct):
    """A call in an envelope: its sender signs ``LedgerCall(sender, number, call)`` (EIP-712)."""

    sender: Annotated[str, Meta(examples=["0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"])]
    number: Whole
    call: Annotated[dict[str, Any], Meta(examples=[{"call": "depositFunds", "amount": 1000}])]
    signature: Annotated[str, Meta(description="r, s and v as 130 hex digits")]


class NewMoney(Struct):
    """Play money that somebody wants."""

    owner: Annotated[str, Meta(examples=["0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"])]
    amount: Annotated[Whole, Meta(examples=["1000000000000000000"])]


class RefusedByBank(Problem, kw_only=True):
    """The Bank refused a call: the contract's name for the reason, and its values."""

    refusal: str
    values: list[Any]
