"""The Bank as the document describes it, word for word, and no better. It is unsafe.

Kept so that tests can show each fault of the description at work. Names are the
document's; money is in chips; a call that a contract would refuse raises `Refusal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairground.bank.messages import word
from fairground.bank.schemes import historic_shuffle
from fairground.bank.signatures import Signature, address_of_secret, keccak, recover
from fairground.games.poker.rules import PAYS, rank

BET_TOKEN, REPLACEMENT_TOKEN, SEED_TOKEN = 0xBE7, 0x2E91ACE, 0x5EED


def historic_play(
    croupier: Sequence[int], player: Sequence[int], order: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The hand dealt, and the final hand, of a whole game of 2017."""
    deck = historic_shuffle(range(52), croupier[0] ^ player[0])
    hand, rest = deck[:5], iter(historic_shuffle(deck[5:], croupier[1] ^ player[1]))
    final = [next(rest) if digit else card for card, digit in zip(hand, order, strict=True)]
    return tuple(hand), tuple(final)


class Refusal(Exception):
    """The contract would throw."""


def message(*parts: int) -> bytes:
    """What is signed: the hash of the numbers in a row."""
    return keccak(b"".join(word(part % 2**256) for part in parts))


def seed_message(game_id: int, seed_id: int) -> bytes:
    """``msg = [SEED_TOKEN, gameId, seedId]``: it names no parties."""
    return message(SEED_TOKEN, game_id, seed_id)


def seed_of(signature: Signature) -> int:
    """``seed = r & 0xffffffff``"""
    return signature.r & 0xFFFFFFFF


def salt(croupier: str, player: str, game_id: int) -> int:
    """``salt = sha3(croupierAddress ^ playerAddress ^ gameId)``: the same in both roles."""
    mixed = int(croupier, 16) ^ int(player, 16) ^ game_id
    return int.from_bytes(keccak(word(mixed)), "big")


@dataclass
class Game:
    """The one game of a pair."""

    game_id: int = 0
    bet: int = 0
    level: int = 0
    order: Sequence[int] | None = None
    croupier_seeds: dict[int, int] = field(default_factory=dict)
    player_seeds: dict[int, int] = field(default_factory=dict)


class DocumentBank:
    """The smart contract of the document."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.funds: dict[str, int] = {}
        self.games: dict[tuple[str, str], Game] = {}

    def submit_public_key(self, owner: str, key: str) -> None:
        """No proof that the owner has the key; at any time."""
        self.keys[owner] = key

    def deposit_funds(self, owner: str, amount: int) -> None:
        self.funds[owner] = self.funds.get(owner, 0) + amount

    def _signed_by(self, owner: str, digest: bytes, signature: Signature) -> None:
        if recover(digest, signature) != self.keys[owner]:
            raise Refusal("not signed by the owner's key")

    def game(self, croupier: str, player: str) -> Game:
        return self.games.setdefault((croupier, player), Game())

    def submit_bet(
        self, parties: tuple[str, str], bet: int, level: int, signature: Signature
    ) -> None:
        game = self.game(*parties)
        digest = message(BET_TOKEN, level << 8, bet, salt(*parties, game.game_id))
        self._signed_by(parties[1], digest, signature)
        game.bet, game.level = bet, level

    def submit_croupier_seed(
        self, parties: tuple[str, str], signature: Signature, seed_id: int
    ) -> None:
        game = self.game(*parties)
        self._signed_by(parties[0], seed_message(game.game_id, seed_id), signature)
        game.croupier_seeds[seed_id] = seed_of(signature)
        if seed_id == 0:
            stake = game.bet * game.level
            self._transfer(parties[1], parties[0], stake)

    def submit_player_seed(
        self, parties: tuple[str, str], signature: Signature, seed_id: int
    ) -> None:
        game = self.game(*parties)
        self._signed_by(parties[1], seed_message(game.game_id, seed_id), signature)
        game.player_seeds[seed_id] = seed_of(signature)

    def submit_replacement_order(
        self, parties: tuple[str, str], order: Sequence[int], signature: Signature
    ) -> None:
        game = self.game(*parties)
        bits = [digit << i for i, digit in enumerate(order)]
        digest = message(REPLACEMENT_TOKEN, *bits, salt(*parties, game.game_id))
        self._signed_by(parties[1], digest, signature)
        game.order = order

    def submit_game_result(self, parties: tuple[str, str]) -> tuple[int, ...]:
        game = self.game(*parties)
        return self._settle(parties, [game.croupier_seeds[i] for i in (0, 1)])

    def complain_no_second_croupier_seed(self, parties: tuple[str, str]) -> tuple[int, ...]:
        """ "…performs the game calculation on the data at hand": his missing seed is nothing."""
        game = self.game(*parties)
        return self._settle(parties, [game.croupier_seeds[0], 0])

    def _settle(self, parties: tuple[str, str], croupier: Sequence[int]) -> tuple[int, ...]:
        game = self.game(*parties)
        assert game.order is not None
        player = [game.player_seeds[i] for i in (0, 1)]
        _, final = historic_play(croupier, player, game.order)
        self._transfer(parties[0], parties[1], game.bet * PAYS[game.level][rank(final)])
        self.games[parties] = Game(game.game_id + 1)
        return final

    def _transfer(self, source: str, target: str, amount: int) -> None:
        if self.funds.get(source, 0) < amount:
            raise Refusal("the account has too little")
        self.funds[source] -= amount
        self.funds[target] = self.funds.get(target, 0) + amount


@dataclass
class Account:
    """A participant of the document's game: the account's address is that of its key."""

    secret: int

    @property
    def address(self) -> str:
        return address_of_secret(self.secret)
