"""The messages that the parties sign (EIP-712), and the keys that sign them.

Every message names the chain, the Bank, both parties and the game, so that nothing signed for one
purpose can be used for another. The hashes here are those of ``contracts/Bank.sol``; tests compare
them with the contract and with ``eth-account``.

==================  ==========  ================================================================
message             signed by   says
==================  ==========  ================================================================
`PublicKey`         the key     "this account owns me" (proof of possession)
`Bet`               the Player  parties, keys, game number, bet, level, chip cost, commitments
                                to all four seeds, expiry
`SeedMessage`       either      its signature *is* the seed: role, game, seed number, a nonce
`ReplacementOrder`  the Player  which cards of this very bet's hand to replace
`SessionTerms`      the Player  parties of a session, their keys, and the funds of each
`SessionState`      both        the balances of a session after a number of hands
`OrderAccepted`     the         "for this order I told seed 1", in a session
                    Croupier
`LedgerCall`        the sender  "I make this call", to a Bank kept in a ledger; a chain has
                                its transactions for that
==================  ==========  ================================================================
"""

from __future__ import annotations

import enum
from typing import Any, Final, NamedTuple

from fairground.bank.signatures import (
    ORDER,
    BadSignature,
    Signature,
    address_of_secret,
    checksummed,
    keccak,
    recover,
    sign,
)
from fairground.core import InputError
from fairground.fair.bits import fresh
from fairground.games.poker.rules import PAYS, Rank

NAME: Final = "Fairground Bank"
VERSION: Final = "1"

DOMAIN_TYPE: Final = (
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)


class Signer(enum.IntEnum):
    """The party that a seed belongs to."""

    PLAYER = 0
    CROUPIER = 1


def word(value: int | str | bytes) -> bytes:
    """Return a value as Solidity's ABI writes it in 32 bytes; text is an address."""
    if isinstance(value, bytes):
        if len(value) != 32:
            raise InputError(f"32 bytes are wanted, not {len(value)}")
        return value
    number = int(checksummed(value), 16) if isinstance(value, str) else value
    if not 0 <= number < 2**256:
        raise InputError(f"{number} is not an unsigned number of 256 bits")
    return number.to_bytes(32, "big")


class Domain(NamedTuple):
    """The place that a signature counts in: one Bank on one chain."""

    chain_id: int
    bank: str

    @property
    def separator(self) -> bytes:
        return keccak(
            keccak(DOMAIN_TYPE.encode())
            + keccak(NAME.encode())
            + keccak(VERSION.encode())
            + word(self.chain_id)
            + word(self.bank)
        )

    def digest(self, message: Message) -> bytes:
        return keccak(b"\x19\x01" + self.separator + message.struct_hash())


class PublicKey(NamedTuple):
    """The proof that the owner has the key: the key's own signature of this."""

    owner: str
    key: str

    def struct_hash(self) -> bytes:
        return _struct_hash(TYPES[type(self)], *self)


def game_key(croupier: str, player: str, game_id: int) -> bytes:
    """Return the key under which the Bank keeps this game of these two."""
    return keccak(word(croupier) + word(player) + word(game_id))


class Bet(NamedTuple):
    """The Player's message that begins a game. The fields are the contract's, in its order."""

    croupier: str
    player: str
    croupier_key: str
    player_key: str
    game_id: int
    bet: int
    level: int
    chip_cost: int
    croupier_commitment_0: bytes
    croupier_commitment_1: bytes
    player_commitment_0: bytes
    player_commitment_1: bytes
    expiry: int

    def struct_hash(self) -> bytes:
        """The EIP-712 hash of the message alone: the Bank keeps it as the bet's name."""
        return _struct_hash(TYPES[type(self)], *self)

    @property
    def key(self) -> bytes:
        return game_key(self.croupier, self.player, self.game_id)

    def commitment(self, role: Signer, seed_id: int) -> bytes:
        if role is Signer.CROUPIER:
            return self.croupier_commitment_1 if seed_id else self.croupier_commitment_0
        return self.player_commitment_1 if seed_id else self.player_commitment_0

    def key_of(self, role: Signer) -> str:
        return self.croupier_key if role is Signer.CROUPIER else self.player_key

    @property
    def commitments(self) -> tuple[bytes, bytes, bytes, bytes]:
        """All four; they must differ."""
        return self[8], self[9], self[10], self[11]

    @property
    def stake(self) -> int:
        return self.bet * self.level * self.chip_cost

    @property
    def top_prize(self) -> int:
        """Wei that the Croupier puts in: enough for a royal flush."""
        return self.bet * PAYS[self.level][Rank.ROYAL_FLUSH] * self.chip_cost


class SeedMessage(NamedTuple):
    """The message whose signature is a seed. The nonce makes each one fresh."""

    croupier: str
    player: str
    role: Signer
    game_id: int
    seed_id: int
    nonce: bytes

    def struct_hash(self) -> bytes:
        return _struct_hash(TYPES[type(self)], *self)


class ReplacementOrder(NamedTuple):
    """Which cards to replace: 1 replaces, 0 keeps; for one bet, named by its hash."""

    croupier: str
    player: str
    game_id: int
    bet_hash: bytes
    order: tuple[int, ...]

    @classmethod
    def of(cls, bet: Bet, order: tuple[int, ...]) -> ReplacementOrder:
        return cls(bet.croupier, bet.player, bet.game_id, bet.struct_hash(), order)

    def struct_hash(self) -> bytes:
        if len(self.order) != 5 or any(digit not in (0, 1) for digit in self.order):
            raise InputError(f"an order is five numbers, each 0 or 1, not {self.order!r}")
        cards = keccak(b"".join(map(word, self.order)))
        return _struct_hash(
            TYPES[type(self)], self.croupier, self.player, self.game_id, self[3], cards
        )


class SessionTerms(NamedTuple):
    """The Player's message that opens a session. The fields are the contract's, in its order."""

    croupier: str
    player: str
    croupier_key: str
    player_key: str
    number: int
    player_funds: int
    croupier_funds: int
    expiry: int

    def struct_hash(self) -> bytes:
        """The EIP-712 hash of the message alone: the session's name."""
        return _struct_hash(TYPES[type(self)], *self)

    @property
    def total(self) -> int:
        return self.player_funds + self.croupier_funds

    def game_id(self, hand: int) -> int:
        """Return the game number of a hand, counted from 0: no other game has it."""
        return IN_SESSION | self.number << 128 | hand


IN_SESSION: Final = 1 << 255
"""Game numbers from here on are those of sessions' hands."""


class SessionState(NamedTuple):
    """The balances of a session; they count when both have signed."""

    session: bytes
    hands: int
    player_share: int
    head: bytes
    """A hash of all hands so far."""
    last: bool = False
    """True if it closes the session at once."""

    def struct_hash(self) -> bytes:
        return _struct_hash(TYPES[type(self)], *self)


class OrderAccepted(NamedTuple):
    """The Croupier's message with seed 1 in a session: the order for which he tells it."""

    bet_hash: bytes
    order: int
    """Bit i for the card at i."""

    def struct_hash(self) -> bytes:
        return _struct_hash(TYPES[type(self)], *self)


class LedgerCall(NamedTuple):
    """The message of a sender to a ledger: the number makes the call count once."""

    sender: str
    number: int
    call: bytes

    def struct_hash(self) -> bytes:
        return _struct_hash(TYPES[type(self)], *self)


Message = (
    PublicKey
    | Bet
    | SeedMessage
    | ReplacementOrder
    | SessionTerms
    | SessionState
    | OrderAccepted
    | LedgerCall
)

TYPES: Final[dict[type[Message], str]] = {
    PublicKey: "PublicKey(address owner,address key)",
    Bet: (
        "Bet(address croupier,address player,address croupierKey,address playerKey,"
        "uint256 gameId,uint8 bet,uint8 level,uint256 chipCost,bytes32 croupierCommitment0,"
        "bytes32 croupierCommitment1,bytes32 playerCommitment0,bytes32 playerCommitment1,"
        "uint256 expiry)"
    ),
    SeedMessage: (
        "Seed(address croupier,address player,uint8 role,uint256 gameId,uint8 seedId,bytes32 nonce)"
    ),
    ReplacementOrder: (
        "ReplacementOrder(address croupier,address player,uint256 gameId,bytes32 betHash,"
        "uint8[5] replacementOrder)"
    ),
    SessionTerms: (
        "Session(address croupier,address player,address croupierKey,address playerKey,"
        "uint256 number,uint256 playerFunds,uint256 croupierFunds,uint256 expiry)"
    ),
    SessionState: (
        "State(bytes32 session,uint256 hands,uint256 playerShare,bytes32 head,bool last)"
    ),
    OrderAccepted: "OrderAccepted(bytes32 betHash,uint8 order)",
    LedgerCall: "LedgerCall(address sender,uint256 number,bytes32 call)",
}
"""The EIP-712 type of each message, as the contract spells it (all but the last)."""


def _struct_hash(type_: str, *values: int | str | bytes) -> bytes:
    return keccak(keccak(type_.encode()) + b"".join(map(word, values)))


class Key:
    """A signing key of a participant. It never shows itself in a text or an error."""

    def __init__(self, secret: int) -> None:
        if not 0 < secret < ORDER:
            raise InputError("a private key is 32 bytes, not zero and below the curve's order")
        self._secret = secret
        self.address = address_of_secret(secret)

    @classmethod
    def fresh(cls) -> Key:
        while not 0 < (secret := int.from_bytes(fresh(), "big")) < ORDER:
            pass  # pragma: no cover - one in 2^128
        return cls(secret)

    def __repr__(self) -> str:
        return f"Key({self.address})"

    def export(self) -> bytes:
        """The secret itself, for a key file or a signer of transactions and for nobody else."""
        return self._secret.to_bytes(32, "big")

    def sign(self, domain: Domain, message: Message) -> Signature:
        return sign(self._secret, domain.digest(message))

    def prove(self, domain: Domain, owner: str) -> Signature:
        return self.sign(domain, PublicKey(owner, self.address))


def must_be_signed(domain: Domain, message: Message, signature: Signature, key: str) -> None:
    """Raise `BadSignature` unless ``key`` signed the message, in the one form that counts."""
    signer = recover(domain.digest(message), signature)
    if signer != checksummed(key):
        what = type(message).__name__
        raise BadSignature(f"the {what} must be signed by {checksummed(key)}, not by {signer}")


def typed_data(domain: Domain, message: Message) -> dict[str, Any]:
    """Return the message as wallets take it (``eth_signTypedData_v4``)."""
    name, fields = _fields(TYPES[type(message)])
    values: dict[str, Any] = {}
    for field, value in zip(fields, message, strict=True):
        if isinstance(value, bytes):
            values[field["name"]] = "0x" + value.hex()
        elif isinstance(value, tuple):
            values[field["name"]] = list(value)
        else:
            values[field["name"]] = int(value) if isinstance(value, int) else value
    return {
        "types": {"EIP712Domain": _fields(DOMAIN_TYPE)[1], name: fields},
        "primaryType": name,
        "domain": {
            "name": NAME,
            "version": VERSION,
            "chainId": domain.chain_id,
            "verifyingContract": checksummed(domain.bank),
        },
        "message": values,
    }


def _fields(type_: str) -> tuple[str, list[dict[str, str]]]:
    name, _, inside = type_.removesuffix(")").partition("(")
    pairs = (field.split(" ") for field in inside.split(","))
    return name, [{"name": field, "type": kind} for kind, field in pairs]
