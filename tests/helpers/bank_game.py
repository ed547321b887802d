"""A game of the Blind Croupier as data: an honest bet, and each call that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairground.bank import seeds
from fairground.bank.bank_port import (
    Bank,
    Call,
    DepositFunds,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPublicKey,
    SubmitReplacementOrder,
)
from fairground.bank.hand import Hand, HandEngine
from fairground.bank.messages import Bet, Key, ReplacementOrder, Signer
from fairground.bank.seeds import fresh_seeds
from fairground.bank.signatures import Signature

ORDER = (1, 0, 1, 1, 0)


async def enter(bank: Bank, key: Key, funds: int) -> None:
    """Register a key for its own account, and deposit."""
    proof = key.prove(bank.domain, key.address)
    await bank.send(key, SubmitPublicKey(key.address, proof))
    await bank.send(key, DepositFunds(funds))


class Round:
    """One game of these two at a Bank; an account signs with its own key."""

    def __init__(
        self,
        bank: Bank,
        croupier: Key,
        player: Key,
        game_id: int,
        expiry: int,
        *,
        bet: int = 1,
        level: int = 5,
        order: tuple[int, ...] = ORDER,
    ) -> None:
        self.domain = bank.domain
        self.croupier, self.player, self.order = croupier, player, order
        parties = (croupier.address, player.address)
        self.theirs = fresh_seeds(player, bank.domain, parties, Signer.PLAYER, game_id)
        self.his = fresh_seeds(croupier, bank.domain, parties, Signer.CROUPIER, game_id)
        self.bet = Bet(
            *parties,
            *parties,
            game_id,
            bet,
            level,
            bank.terms.chip_cost,
            self.his[0].commitment,
            self.his[1].commitment,
            self.theirs[0].commitment,
            self.theirs[1].commitment,
            expiry,
        )
        self.signature = player.sign(bank.domain, self.bet)

    @classmethod
    async def new(cls, bank: Bank, croupier: Key, player: Key, **terms: Any) -> Round:
        game_id = await bank.next_game_id(croupier.address, player.address)
        return cls(bank, croupier, player, game_id, await bank.now() + 3000, **terms)

    @property
    def order_signature(self) -> Signature:
        return self.player.sign(self.domain, ReplacementOrder.of(self.bet, self.order))

    def calls(self) -> Iterator[tuple[Key, Call]]:
        """Every call of the game, and who makes it."""
        yield self.croupier, SubmitBet(self.bet, self.signature)
        yield self.croupier, SubmitCroupierSeed(self.bet, 0, self.his[0])
        yield self.player, SubmitPlayerSeed(self.bet, 0, self.theirs[0], self.his[0].signature)
        yield self.player, SubmitReplacementOrder(self.bet, self.order, self.order_signature)
        if any(self.order):
            yield self.croupier, SubmitCroupierSeed(self.bet, 1, self.his[1])
            yield self.player, SubmitPlayerSeed(self.bet, 1, self.theirs[1], self.his[1].signature)
        yield self.croupier, SubmitGameResult(self.bet)

    async def take(self, bank: Bank, steps: int) -> None:
        """Make the first calls."""
        for (sender, call), _ in zip(self.calls(), range(steps), strict=False):
            await bank.send(sender, call)

    def final_hand(self) -> tuple[int, ...]:
        """What the contract must come to, without a table or a Bank."""
        mixed = [
            seeds.mix(self.bet.struct_hash(), i, self.his[i].signature, self.theirs[i].signature)
            for i in (0, 1)
        ]
        return seeds.replace(seeds.deal(mixed[0]), self.order, mixed[1])

    @property
    def known(self) -> Hand:
        """All messages of the hand."""
        return Hand(
            self.bet,
            self.signature,
            his=self.his,
            theirs=self.theirs,
            order=self.order,
            order_signature=self.order_signature,
        )

    def record(self, signed: Signature | None = None, *, bare: bool = False) -> bytes:
        """The transcript of the whole game; with another signature of the order, or without."""
        engine = HandEngine(self.domain, self.bet, self.signature)
        signature = None if bare else signed or self.order_signature
        engine.follow(self.known._replace(order_signature=signature))
        return engine.data
