"""A hand of the Blind Croupier whose keys, nonces and seeds are the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairground.bank.bank_port import Step
from fairground.bank.hand import CHAIRS, HandEngine
from fairground.bank.messages import Bet, Domain, Key, ReplacementOrder, SeedMessage, Signer
from fairground.bank.seeds import Seed, make_seed
from fairground.fair.schemes import Chair
from fairground.testing.modes import secret

DOMAIN = Domain(31337, "0x5FbDB2315678afecb367f032d93F642f64180aa3")
ORDER = (1, 0, 1, 1, 0)


def key_of(who: str) -> Key:
    """A signing key that is the same every time."""
    return Key(int.from_bytes(secret("key", who), "big"))


class Hand(NamedTuple):
    """A hand of the Blind Croupier with fixed keys and seeds."""

    bet: Bet
    croupier: tuple[Seed, Seed]
    player: tuple[Seed, Seed]

    @classmethod
    def of(cls, croupier: str = "croupier", player: str = "player") -> Hand:
        keys = {Signer.CROUPIER: key_of(croupier), Signer.PLAYER: key_of(player)}
        parties = (key_of("croupier").address, key_of("player").address)
        seeds = {
            role: tuple(
                make_seed(
                    key, DOMAIN, SeedMessage(*parties, role, 7, at, secret("nonce", role.name, at))
                )
                for at in (0, 1)
            )
            for role, key in keys.items()
        }
        his, theirs = seeds[Signer.CROUPIER], seeds[Signer.PLAYER]
        bet = Bet(
            *parties, keys[Signer.CROUPIER].address, keys[Signer.PLAYER].address, 7, 2, 5, 10**15,
            his[0].commitment, his[1].commitment, theirs[0].commitment, theirs[1].commitment,
            1_700_000_000,
        )  # fmt: skip
        return cls(bet, (his[0], his[1]), (theirs[0], theirs[1]))

    def record(
        self,
        *,
        signed: bool = True,
        chairs: Sequence[Chair] = CHAIRS,
        steps: int = 5,
    ) -> HandEngine:
        player = key_of("player")
        signature = player.sign(DOMAIN, self.bet)
        engine = HandEngine(DOMAIN, self.bet, signature, chairs)
        ordered = player.sign(DOMAIN, ReplacementOrder.of(self.bet, ORDER)) if signed else None
        known = engine.known._replace(
            his=self.croupier, theirs=self.player, order=ORDER, order_signature=ordered
        )
        engine.follow(known, Step.BET_SUBMITTED + steps)
        return engine
