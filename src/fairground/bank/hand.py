"""The messages of a hand, and of a session, as far as one party has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from fairground.bank.bank_port import BankEvent, ClaimSession
from fairground.bank.crypto.signatures import Signature
from fairground.bank.messages import Bet, SessionTerms, Signer
from fairground.bank.seeds import Seed

LAPSED: Final = "LAPSED"
"""The end of a game that the Bank never had. All other ends are the Bank's outcomes."""

STOPPED: Final = (
    "this arena was restored from a copy, in which this game was open; its seeds may have been "
    "told since, so the Croupier tells no more of them"
)


class Hand(NamedTuple):
    """The messages of a hand, as far as one party has them."""

    bet: Bet
    player_signature: Signature
    croupier_signature: Signature | None = None
    """His signature of the same bet, in a session."""
    his: tuple[Seed | None, Seed | None] = (None, None)
    """The Croupier's seeds: his own, or those that were told."""
    theirs: tuple[Seed | None, Seed | None] = (None, None)
    """The Player's."""
    order: tuple[int, ...] | None = None
    order_signature: Signature | None = None
    """``None``: it is with the Bank alone, and a record cannot show whose order it is."""
    acceptance: Signature | None = None
    """The Croupier's word on the order, with which he told seed 1 in a session."""

    def told(self, role: Signer, seed_id: int, seed: Seed) -> Hand:
        """Return the hand with one more seed."""
        known = self.his if role is Signer.CROUPIER else self.theirs
        seeds = (known[0], seed) if seed_id else (seed, known[1])
        return self._replace(his=seeds) if role is Signer.CROUPIER else self._replace(theirs=seeds)


class Held(NamedTuple):
    """The signed messages and seeds of one party of a session."""

    role: Signer
    terms: SessionTerms
    state: ClaimSession
    """The last state that both have signed; without hands it needs no signature."""
    hand: Hand | None = None
    has_key: bool = True
    """True if it can sign as that party. A watchtower cannot."""


def seeds_in(events: Iterable[BankEvent]) -> Iterator[tuple[Signer, int, Seed]]:
    """Yield the seeds that the Bank recorded: whose, which number, and the seed."""
    roles = {"CroupierSeedSubmitted": Signer.CROUPIER, "PlayerSeedSubmitted": Signer.PLAYER}
    for name, values in events:
        if name in roles:
            yield roles[name], values["seedId"], Seed(values["nonce"], values["signature"])
