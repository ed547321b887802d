"""What the ledger Bank says over the wire. Integers beyond ±(2^53-1) are decimal text.

The bodies of calls and events are those of `fairground.bank.calls`.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from fairground.arena.http.problems import Problem

Whole = Annotated[int | str, Meta(description="an integer; beyond ±(2^53-1) as decimal text")]


class BankOut(Struct):
    """A Bank: where signatures for it count, and its terms."""

    chain: int
    """Always 0: a ledger is on no chain."""
    bank: str
    """The address that stands for it in everything that is signed."""
    chip_cost: Whole
    step_time: int
    faucet: Whole
    """How much play money one owner may get, in wei."""
    trusted: str
    """Whom one must trust for this Bank to be honest."""
    notice: str
    now: int
    """By the Bank's clock, in seconds since 1970."""
    version: int
    """Of its rules: 1, or 2 with graded prices of silence."""


class AccountOut(Struct):
    """A participant. What a game has locked is in no account."""

    owner: str
    available: Whole
    open_games: int
    key: str
    """The address of the signing key; the zero address if there is none."""
    purse: Whole
    """What the owner has outside of the Bank."""
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
    """What the Bank recorded; empty where a call was repeated."""

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
