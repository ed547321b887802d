"""One hand of the Blind Croupier, as one party has it: its messages, its cards and its record.

`HandEngine` plays steps 1 to 17 of the seed document as far as the messages are known. Both ways to
settle use it: each step at the Bank, or states of a session that both parties sign. Player and
Croupier use it, too. The table's name is the hash of the bet, and everything else in the record is
a message of one of the two. So both write the same bytes, and nobody takes the other's record on
trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    SILENT_AT,
    Bank,
    BankEvent,
    ClaimSession,
    GameOutcome,
    Silence,
    Step,
    step_after,
)
from fairground.bank.messages import (
    Bet,
    Domain,
    OrderAccepted,
    ReplacementOrder,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.schemes import ORDER_SIGNATURE, CroupierDealer, public_of
from fairground.bank.seeds import Seed, check_seed, packed_order
from fairground.bank.signatures import Signature, keccak
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.poker.rules import CROUPIER, PLAYER, BankPoker
from fairground.table import Table

LAPSED: Final = "LAPSED"
"""The end of a game that the Bank never had. All other ends are the Bank's outcomes."""

STOPPED: Final = (
    "this arena was restored from a copy, in which this game was open; its seeds may have been "
    "told since, so the Croupier tells no more of them"
)

CHAIRS: Final = (Chair("Croupier", "house"), Chair("Player", "self", "seed"))
AT_HOME: Final = (Chair("Croupier", "house"), Chair("Player", "house", "seed"))
"""Both parties in one program: it made all the seeds, and so they prove nothing."""


def chairs_at(bank: Bank) -> Sequence[Chair]:
    """Return the chairs of a record of this Bank."""
    return AT_HOME if bank.in_process else CHAIRS


def next_head(head: bytes, transcript: bytes) -> bytes:
    """Return the head of a session after one more hand."""
    return keccak(head + keccak(transcript))


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
        """Return the hand with one more seed; one that is there stays."""
        is_his = role is Signer.CROUPIER
        first, second = known = self.his if is_his else self.theirs
        if known[seed_id] is not None:
            return self
        seeds = (first, seed) if seed_id else (seed, second)
        return self._replace(his=seeds) if is_his else self._replace(theirs=seeds)


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


class HandEngine:
    """A hand at the referee's table. Each message is checked as the Bank would check it."""

    def __init__(
        self,
        domain: Domain,
        bet: Bet,
        signature: Signature,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        self.known = Hand(bet, signature)
        """The messages; some may wait for their turn at the table."""
        self.bet = bet
        self.game = BankPoker(bet.bet, bet.level)
        self._domain, self._chairs = domain, chairs
        self._open()

    def _open(self) -> None:
        self.step = Step.BET_SUBMITTED
        """The Bank's step after the messages that are on the table."""
        self._vault, self._told = MemoryVault(), 0
        dealer = CroupierDealer(
            self.bet.struct_hash(),
            self._vault,
            public_of(self._domain, self.bet, self.known.player_signature),
            may_tell=lambda seed_id: seed_id < self._told,
        )
        self._table = Table.open(self.game, dealer, self._chairs)

    # Messages

    def follow(self, known: Hand, until: int = Step.HAND_FINAL) -> None:
        """Take every message that is known and in its turn, up to this step.

        Raise where one is wrong; then ``known`` is not kept.
        """
        while self.step < until and not self.over:
            match self.step:
                case Step.BET_SUBMITTED if known.his[0] is not None:
                    self._croupier_told(known.his[0])
                case Step.CROUPIER_SEED_0_SUBMITTED if known.theirs[0] is not None:
                    self._answer(known.theirs[0].hex())
                case Step.HAND_DEALT if known.order is not None:
                    if known.order_signature is not None:
                        self._table.note({ORDER_SIGNATURE: known.order_signature.hex()})
                    self._answer(list(known.order))
                case Step.ORDER_SUBMITTED if known.his[1] is not None:
                    self._croupier_told(known.his[1])
                case Step.CROUPIER_SEED_1_SUBMITTED if known.theirs[1] is not None:
                    self._answer(known.theirs[1].hex())
                case _:
                    break
            self.step = step_after(self.step, self.order)
        self.known = known

    def _croupier_told(self, seed: Seed) -> None:
        check_seed(self._domain, self.bet, Signer.CROUPIER, self._told, seed)
        self._vault.keep(f"seed.{self._told}", seed.hex().encode(), "")
        self._told += 1
        self._table.advance()

    def _answer(self, value: object) -> None:
        (ask,) = self._table.asks()
        self._table.submit(ask, value)

    def taken(self, signature: Signature | None, seed: Seed) -> None:
        """Take the Croupier's seed 0 and his signature; he told the Bank alone if unsigned."""
        if signature is not None:
            must_be_signed(self._domain, self.bet, signature, self.bet.croupier_key)
        told = self.known.told(Signer.CROUPIER, 0, seed)
        self.follow(told._replace(croupier_signature=signature))

    def ordered(self, seed: Seed, order: Sequence[int], signature: Signature) -> None:
        """Take the Player's signed order, and seed 0 if it was not told before."""
        message = ReplacementOrder.of(self.bet, tuple(order))
        must_be_signed(self._domain, message, signature, self.bet.player_key)
        told = self.known.told(Signer.PLAYER, 0, seed)
        self.follow(told._replace(order=tuple(order), order_signature=signature))

    def drawn(self, seed: Seed, acceptance: Signature) -> None:
        """Take the Croupier's seed 1, and his word on the order."""
        must_be_signed(self._domain, self.acceptance, acceptance, self.bet.croupier_key)
        told = self.known.told(Signer.CROUPIER, 1, seed)
        self.follow(told._replace(acceptance=acceptance))

    def last_told(self, seed: Seed) -> None:
        """Take the Player's seed 1."""
        self.follow(self.known.told(Signer.PLAYER, 1, seed))

    @property
    def acceptance(self) -> OrderAccepted:
        """The message by which the Croupier accepts the order."""
        assert self.known.order is not None
        return OrderAccepted(self.bet.struct_hash(), packed_order(self.known.order))

    # Its end

    def end_at(self, known: Hand, step: int, order: tuple[int, ...] | None, outcome: int) -> None:
        """Begin again with what the Bank took up to this step, and with its word on the end.

        If the Bank took another ``order`` than the known one, the signature of it is there alone.
        """
        signature = known.order_signature if known.order == order else None
        self._open()
        self.follow(known._replace(order=order, order_signature=signature), step)
        if outcome != GameOutcome.SETTLED and self.step in SILENT_AT:
            self.silent(SILENT_AT[self.step])

    def silent(self, silence: Silence) -> None:
        """Record that the Bank closed the game for this silence, in the words of both sides."""
        seat, reason = PLAYER, "was silent too long"
        if silence in CROUPIER_OWES:
            seed_id = 0 if silence is Silence.FIRST_CROUPIER_SEED else 1
            seat, reason = CROUPIER, f"did not show seed {seed_id} in time"
        self.forfeited(seat, reason)

    def forfeited(self, seat: int, reason: str) -> None:
        self._table.forfeit(seat, reason, by="house")

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards dealt; empty before the deal."""
        dealt: tuple[int, ...] = self._table.state.dealt
        return dealt

    @property
    def order(self) -> tuple[int, ...] | None:
        """The order; ``None`` before it is given."""
        order: tuple[int, ...] | None = self._table.state.order
        return order

    @property
    def is_final(self) -> bool:
        return self.step == Step.HAND_FINAL

    @property
    def final_hand(self) -> tuple[int, ...]:
        """The cards that are paid; refused while some are to come."""
        return self.game.final_hand(self._table.state)

    @property
    def prize(self) -> int:
        """Chips that the final hand pays."""
        return self.game.prize(self.final_hand)

    @property
    def won(self) -> int:
        """The Player's net win in wei; refused before the hand is final."""
        return self.prize * self.bet.chip_cost - self.bet.stake

    @property
    def over(self) -> bool:
        return self._table.closed

    @property
    def data(self) -> bytes:
        """The record."""
        return b"".join(self._table.transcript.lines)

    def follows(self, terms: SessionTerms, before: SessionState) -> SessionState:
        """Return the state of a session after this hand."""
        return SessionState(
            terms.struct_hash(),
            before.hands + 1,
            before.player_share + self.won,
            next_head(before.head, self.data),
        )
