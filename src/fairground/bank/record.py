"""The transcript of a Blind Croupier game, made by the referee from what was said.

The table's name is the hash of the bet, and everything else in the transcript is a
message of one of the two: so Player and Croupier, each for themselves, write the same
bytes, and nobody has to take the other's record on trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.bank.bank_port import CROUPIER_OWES, Silence
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, Domain, Role
from fairground.bank.schemes import CroupierDealer, public_of
from fairground.bank.seeds import Seed, check_seed
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.poker import CROUPIER, PLAYER, Poker
from fairground.table import Table

ORDER_SIGNATURE: Final = "order_signature"
"""The member of a note that has the Player's signature of the order in the next line."""

CHAIRS: Final = (Chair("Croupier", "house"), Chair("Player", "self", "seed"))


class Record:
    """One game, as far as its messages are known.

    Bring them in their order: his seed 0, their seed 0, the order, his seed 1, their
    seed 1. Each is checked as the Bank would check it.
    """

    def __init__(self, domain: Domain, bet: Bet, signature: Signature) -> None:
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
        self.game = Poker(bet.bet, bet.level)
        self._table = Table.open(self.game, dealer, CHAIRS)

    def croupier_told(self, seed: Seed) -> None:
        """The Croupier's next seed."""
        check_seed(self._domain, self._bet, Role.CROUPIER, self._told, seed)
        self._vault.keep(f"seed.{self._told}", seed.hex().encode(), "")
        self._told += 1
        self._table.advance()

    def player_told(self, seed: Seed) -> None:
        """The Player's next seed."""
        self._answer(seed.hex())

    def ordered(self, order: Sequence[int], signature: Signature | None) -> None:
        """The Player's order, and its signature beside it.

        ``None``: it is with the Bank alone, and this record cannot show whose order it is.
        """
        if signature is not None:
            self._table.note({ORDER_SIGNATURE: signature.hex()})
        self._answer(list(order))

    def _answer(self, value: object) -> None:
        (ask,) = self._table.asks()
        self._table.submit(ask, value)

    def forfeited(self, seat: int, reason: str) -> None:
        """Somebody was silent; the word on it is the Bank's, brought by the house."""
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
    def final_hand(self) -> tuple[int, ...]:
        """The cards that are paid; refused while some are to come."""
        return self.game.final_hand(self._table.state)

    @property
    def prize(self) -> int:
        """What the final hand pays, in chips."""
        return self.game.prize(self.final_hand)

    @property
    def over(self) -> bool:
        """Whether nothing can follow."""
        return self._table.closed

    @property
    def data(self) -> bytes:
        """The transcript so far."""
        return b"".join(self._table.transcript.lines)
