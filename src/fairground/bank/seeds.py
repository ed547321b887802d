"""Chance out of four signatures: commitments, seeds, mixing, `generate_int`, the deal.

A *seed* is a signature, as in the document: seed 0 and seed 1 of the Croupier, and the
same two of the Player. It cannot be chosen late, since the signed bet holds a commitment
to each of the four. The commitment and the value that counts hash the same bytes
(v, r, s) under different tags::

    commitment = keccak(COMMIT_TAG, v, r, s)
    value      = keccak(SEED_TAG, v, r, s)
    game seed  = keccak(MIX_TAG, hash of the bet, 0 or 1, croupier's value, player's value)

The *game seed* of number 0 deals the hand, that of number 1 draws the replacements.

`generate_int` keeps the shape of the document's and loses its faults: the next seed is a
hash of the last one (seed + 1 made the streams of neighbouring seeds overlap), values are
rejected rather than folded (``%`` alone is biased), and the full range works.

Everything here equals ``contracts/Bank.sol`` to the bit; tests compare them. The rules of
the cards are those of ``games/poker.py``, which only takes numbers from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from fairground.bank.messages import Bet, Domain, Key, SeedMessage, Signer, must_be_signed, word
from fairground.bank.signatures import Signature, keccak
from fairground.core import Draw, InputError
from fairground.fair.bits import fresh, same
from fairground.games.poker.rules import PLAYER, Poker, State

COMMIT_TAG: Final = keccak(b"fairground/croupier-commitment/1")
SEED_TAG: Final = keccak(b"fairground/croupier-seed/1")
MIX_TAG: Final = keccak(b"fairground/croupier-mix/1")
GENERATE_TAG: Final = keccak(b"fairground/croupier-generate/1")

SEED_IDS: Final = (0, 1)


class WrongSeed(InputError):
    """A seed that is not the one committed to."""

    code = "bank/wrong-seed"


class Seed(NamedTuple):
    """A seed in the open: the nonce of its message, and the signature that it is."""

    nonce: bytes
    signature: Signature

    @property
    def commitment(self) -> bytes:
        """Return the commitment, which stands in the bet before the seed is known."""
        return commit_to(self.signature)

    def hex(self) -> str:
        """The nonce and the signature, as 194 hex digits: how transcripts and messages tell it."""
        return self.nonce.hex() + self.signature.hex()

    @classmethod
    def from_hex(cls, text: object) -> Seed:
        if (
            not isinstance(text, str)
            or len(text) != 194
            or any(digit not in "0123456789abcdef" for digit in text)
        ):
            raise WrongSeed(f"a seed is 194 lower-case hex digits (nonce, r, s, v), not {text!r}")
        return cls(bytes.fromhex(text[:64]), Signature.from_hex(text[64:]))


def make_seed(key: Key, domain: Domain, message: SeedMessage) -> Seed:
    """Sign this message: the signature is the seed."""
    return Seed(message.nonce, key.sign(domain, message))


def fresh_seeds(
    key: Key, domain: Domain, parties: tuple[str, str], role: Signer, game_id: int
) -> tuple[Seed, Seed]:
    """Return two new seeds for one offer or bet. They are never used again.

    ``parties`` are the accounts of Croupier and Player.
    """
    first, second = (
        make_seed(key, domain, SeedMessage(*parties, role, game_id, seed_id, fresh()))
        for seed_id in SEED_IDS
    )
    return first, second


def commit_to(signature: Signature) -> bytes:
    """Return the commitment to a seed."""
    return keccak(COMMIT_TAG + signature.words)


def check_seed(domain: Domain, bet: Bet, role: Signer, seed_id: int, seed: Seed) -> None:
    """Raise `WrongSeed` or `BadSignature` unless the Bank would take this seed."""
    if seed_id not in SEED_IDS:
        raise WrongSeed(f"a seed's number is 0 or 1, not {seed_id!r}")
    if not same(seed.commitment, bet.commitment(role, seed_id)):
        raise WrongSeed(f"the {role.name.lower()}'s seed {seed_id} is not what was committed to")
    message = SeedMessage(bet.croupier, bet.player, role, bet.game_id, seed_id, seed.nonce)
    must_be_signed(domain, message, seed.signature, bet.key_of(role))


def mix(bet_hash: bytes, seed_id: int, croupier: Signature, player: Signature) -> int:
    """Return the game seed that two seeds of the same number give."""
    values = keccak(SEED_TAG + croupier.words) + keccak(SEED_TAG + player.words)
    mixed = keccak(MIX_TAG + word(bet_hash) + word(seed_id) + values)
    return int.from_bytes(mixed, "big")


def generate_int(seed: int, low: int, high: int) -> tuple[int, int]:
    """Return the next ``seed``, and an integer from ``low`` to ``high`` (both included, 32 bits).

    ``seed`` is a game seed, or what the last call returned as the next one.
    """
    if not 0 <= low <= high < 2**32:
        raise InputError(f"the range must lie in 0..2^32-1 and not be empty, not {low}..{high}")
    n = high - low + 1
    limit = 2**32 - 2**32 % n
    while True:
        seed = int.from_bytes(keccak(GENERATE_TAG + word(seed)), "big")
        value = seed & 0xFFFFFFFF
        if value < limit:
            return seed, low + value % n


class Generator:
    """The chance of one game seed: what a run of draws is read from."""

    def __init__(self, game_seed: int) -> None:
        self._seed = game_seed

    def below(self, n: int) -> int:
        self._seed, value = generate_int(self._seed, 0, n - 1)
        return value


def deal(game_seed: int) -> tuple[int, ...]:
    """Return the five cards of game seed 0."""
    return _drawn(Poker(), State(), game_seed).dealt


def replace(hand: Sequence[int], order: Sequence[int], game_seed: int) -> tuple[int, ...]:
    """Return the final hand of game seed 1."""
    game = Poker()
    dealt = State(tuple(hand))
    game.check(dealt, PLAYER, tuple(order))
    state = _drawn(game, dealt._replace(order=tuple(order)), game_seed)
    return game.final_hand(state)


def _drawn(game: Poker, state: State, game_seed: int) -> State:
    chance = Generator(game_seed)
    while isinstance(awaits := game.awaits(state), Draw):
        state = game.drawn(state, chance.below(awaits.n))
    return state


def packed_hand(hand: Sequence[int]) -> int:
    """Return five cards as the contract has them: a byte each, the first in the lowest."""
    return int.from_bytes(bytes(hand), "little")


def unpacked_hand(number: int) -> tuple[int, ...]:
    """The inverse of `packed_hand`."""
    return tuple(number.to_bytes(5, "little"))


def packed_order(order: Sequence[int]) -> int:
    """Return an order as the contract has it: bit i for the card at i."""
    return sum(digit << i for i, digit in enumerate(order))


def unpacked_order(number: int) -> tuple[int, ...]:
    """The inverse of `packed_order`."""
    return tuple(number >> i & 1 for i in range(5))
