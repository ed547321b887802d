"""One hand of a session, as either party knows it: its cards, its record, its worth.

The transcript is that of a game at the Bank, made by the same referee from the same messages.
So both parties write the same bytes, and `head` chains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.bank.crypto.curve import Signature, keccak
from fairground.bank.messages import (
    Bet,
    Domain,
    OrderAccepted,
    ReplacementOrder,
    SessionState,
    SessionTerms,
    must_be_signed,
)
from fairground.bank.record import CHAIRS, GameRecord
from fairground.bank.seeds import Seed, packed_order
from fairground.bank.session.duties import OpenHand
from fairground.fair.schemes import Chair

NO_HEAD: Final = bytes(32)
"""The head of a session without hands."""


def next_head(head: bytes, transcript: bytes) -> bytes:
    """The head after one more hand."""
    return keccak(head + keccak(transcript))


class SessionHand:
    """One hand. Each message is checked as the Bank would check it."""

    def __init__(
        self,
        domain: Domain,
        bet: Bet,
        signature: Signature,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        self.record = GameRecord(domain, bet, signature, chairs)
        self.open = OpenHand(bet, signature)
        self._domain = domain

    @property
    def bet(self) -> Bet:
        """The bet."""
        return self.open.bet

    def taken(self, signature: Signature, seed: Seed) -> None:
        """The Croupier took the bet, and told seed 0."""
        must_be_signed(self._domain, self.bet, signature, self.bet.croupier_key)
        self.record.croupier_told(seed)
        self.open = self.open._replace(croupier_signature=signature, his=(seed, None))

    def peek(self, seed: Seed) -> tuple[int, ...]:
        """The hand that both seeds 0 deal; the Player's is in the record from now on."""
        self.record.player_told(seed)
        self.open = self.open._replace(theirs=(seed, None))
        return self.record.hand

    def ordered(self, seed: Seed, order: Sequence[int], signature: Signature) -> None:
        """The Player's seed 0, if it was not told before, and the order."""
        message = ReplacementOrder.of(self.bet, tuple(order))
        must_be_signed(self._domain, message, signature, self.bet.player_key)
        if self.open.theirs[0] is None:
            self.peek(seed)
        self.record.ordered(order, signature)
        self.open = self.open._replace(order=tuple(order), order_signature=signature)

    @property
    def acceptance(self) -> OrderAccepted:
        """What the Croupier signs when he tells seed 1."""
        assert self.open.order is not None
        return OrderAccepted(self.bet.struct_hash(), packed_order(self.open.order))

    def drawn(self, seed: Seed, acceptance: Signature) -> None:
        """The Croupier told seed 1, for this order."""
        must_be_signed(self._domain, self.acceptance, acceptance, self.bet.croupier_key)
        self.record.croupier_told(seed)
        self.open = self.open._replace(his=(self.open.his[0], seed), acceptance=acceptance)

    def final(self, seed: Seed) -> None:
        """The Player's seed 1; nothing new if it was told before."""
        if self.open.theirs[1] is not None:
            return
        self.record.player_told(seed)
        self.open = self.open._replace(theirs=(self.open.theirs[0], seed))

    @property
    def won(self) -> int:
        """What the Player won in this hand, net, in wei; only when it is over."""
        final = self.record.prize - self.bet.bet * self.bet.level
        return final * self.bet.chip_cost

    def follows(self, terms: SessionTerms, before: SessionState) -> SessionState:
        """The state after this hand."""
        return SessionState(
            terms.struct_hash(),
            before.hands + 1,
            before.player_share + self.won,
            next_head(before.head, self.record.data),
        )


def fits(terms: SessionTerms, before: SessionState, bet: Bet, chip_cost: int) -> str:
    """Why a bet cannot follow this state; empty if it can."""
    wanted = (*terms[:4], terms.game_id(before.hands))
    if bet[:5] != wanted:
        return f"it must name the parties and keys of the session, and the number {wanted[4]}"
    if bet.chip_cost != chip_cost:
        return f"a chip costs {chip_cost} wei"
    if len(set(bet.commitments)) != len(bet.commitments):
        return "the four commitments must differ"
    if bet.stake > before.player_share:
        return f"the Player has {before.player_share} wei left in the session"
    rest = terms.total - before.player_share
    if bet.top_prize > rest:
        return f"the Croupier has {rest} wei left in the session, less than the top prize"
    return ""
