"""The transcript of a Blind Croupier game, made by the referee from both parties' messages.

The table's name is the hash of the bet, and everything else in the transcript is a message of one
of the two. So Player and Croupier, each for themselves, write the same bytes, and nobody has to
take the other's record on trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.bank.bank_port import CROUPIER_OWES, Bank, Silence, Step, step_after
from fairground.bank.crypto.signatures import Signature
from fairground.bank.hand import Hand
from fairground.bank.messages import Bet, Domain, Signer
from fairground.bank.schemes import ORDER_SIGNATURE, CroupierDealer, public_of
from fairground.bank.seeds import Seed, check_seed
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.poker.rules import CROUPIER, PLAYER, BankPoker
from fairground.table import Table

CHAIRS: Final = (Chair("Croupier", "house"), Chair("Player", "self", "seed"))
AT_HOME: Final = (Chair("Croupier", "house"), Chair("Player", "house", "seed"))
"""Both parties in one program: it made all the seeds, and so they prove nothing."""


def chairs_at(bank: Bank) -> Sequence[Chair]:
    """Return the chairs of a record of this Bank."""
    return AT_HOME if bank.in_process else CHAIRS


class GameRecord:
    """One game, as far as its messages are known. Each is checked as the Bank would check it."""

    def __init__(
        self,
        domain: Domain,
        bet: Bet,
        signature: Signature,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        name = bet.struct_hash()
        self._domain, self._bet = domain, bet
        self._vault = MemoryVault()
        self._told = 0
        dealer = CroupierDealer(
            name,
            self._vault,
            public_of(domain, bet, signature),
            may_tell=lambda seed_id: seed_id < self._told,
        )
        self.game = BankPoker(bet.bet, bet.level)
        self.step = Step.BET_SUBMITTED
        """Return the Bank's step after these messages."""
        self._table = Table.open(self.game, dealer, chairs)

    def follow(self, known: Hand, until: int = Step.HAND_FINAL) -> None:
        """Take every message that is known and in its turn, up to this step."""
        while self.step < until and not self.over:
            match self.step:
                case Step.BET_SUBMITTED if known.his[0] is not None:
                    self.croupier_told(known.his[0])
                case Step.CROUPIER_SEED_0_SUBMITTED if known.theirs[0] is not None:
                    self.player_told(known.theirs[0])
                case Step.HAND_DEALT if known.order is not None:
                    self.ordered(known.order, known.order_signature)
                case Step.ORDER_SUBMITTED if known.his[1] is not None:
                    self.croupier_told(known.his[1])
                case Step.CROUPIER_SEED_1_SUBMITTED if known.theirs[1] is not None:
                    self.player_told(known.theirs[1])
                case _:
                    return

    def croupier_told(self, seed: Seed) -> None:
        check_seed(self._domain, self._bet, Signer.CROUPIER, self._told, seed)
        self._vault.keep(f"seed.{self._told}", seed.hex().encode(), "")
        self._told += 1
        self._table.advance()
        self._go_on()

    def player_told(self, seed: Seed) -> None:
        self._answer(seed.hex())

    def ordered(self, order: Sequence[int], signature: Signature | None) -> None:
        """The Player's order, and its signature beside it, where it is known."""
        if signature is not None:
            self._table.note({ORDER_SIGNATURE: signature.hex()})
        self._answer(list(order))

    def _answer(self, value: object) -> None:
        (ask,) = self._table.asks()
        self._table.submit(ask, value)
        self._go_on()

    def _go_on(self) -> None:
        self.step = step_after(self.step, self.order)

    def forfeited(self, seat: int, reason: str) -> None:
        """Record a party's silence: the Bank's word on it, brought by the house."""
        self._table.forfeit(seat, reason, by="house")

    def silent(self, silence: Silence) -> None:
        """The Bank closed the game for this silence: in the same words on both sides."""
        if silence in CROUPIER_OWES:
            first = silence is Silence.FIRST_CROUPIER_SEED
            self.forfeited(CROUPIER, f"did not show seed {0 if first else 1} in time")
        else:
            self.forfeited(PLAYER, "was silent too long")

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
    def final_hand(self) -> tuple[int, ...]:
        """The cards that are paid; refused while some are to come."""
        return self.game.final_hand(self._table.state)

    @property
    def prize(self) -> int:
        return self.game.prize(self.final_hand)

    @property
    def over(self) -> bool:
        return self._table.closed

    @property
    def data(self) -> bytes:
        return b"".join(self._table.transcript.lines)
