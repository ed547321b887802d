"""The rules of the Bank's second version: ``contracts/BankTwo.sol``, line for line.

What it does otherwise than the first (`rules`):

* anyone may bring what is signed, and complain;
* silence costs the Croupier what it takes away (`games.poker.BankPoker`), on seed 0 too;
* once the order is known, a game keeps locked only what can still be won;
* a key can change while games are open: they go on under the keys in their bets;
* the Player's seed 0 and the order, and seed 1 and the result, can come in one call;
* deposits fill an account to one half at the most;
* there are sessions (`sessions`).
"""

from __future__ import annotations

from typing import Final

from fairground.bank.bank_port import (
    BankEvent,
    BankGame,
    BankRefused,
    Step,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitReplacementOrder,
    short_name,
)
from fairground.bank.ledger.pockets import available_to, lock_of
from fairground.bank.ledger.rules import Books, MergedCall
from fairground.bank.ledger.sessions import SessionBooks
from fairground.bank.messages import Bet
from fairground.bank.prospect import locked
from fairground.bank.seeds import unpacked_hand, unpacked_order

MAX_DEPOSIT: Final = 2**79


class BooksTwo(SessionBooks):
    """Everything that a Bank of version 2 knows."""

    version = 2

    def _must_have_room(self, owner: str, amount: int) -> None:
        if self._money.get(available_to(owner), 0) + amount > MAX_DEPOSIT:
            raise BankRefused("AccountFull", (owner,))

    def _may_change_key(self, owner: str) -> None:
        """Always."""

    def _may_bring(self, sender: str, bet: Bet) -> None:
        """Anyone."""

    @staticmethod
    def _kept_name(bet_hash: bytes) -> bytes:
        return short_name(bet_hash)

    def _let_go(self, bet: Bet, key: bytes, game: BankGame) -> None:
        chips = locked(bet.level, unpacked_hand(game.hand), unpacked_order(game.order))
        rest = bet.top_prize - bet.bet * chips * bet.chip_cost
        self._move(lock_of(key), available_to(bet.croupier), rest)

    def _without_first_seed(self, bet: Bet, key: bytes, game: BankGame) -> list[BankEvent]:
        return self._forfeit_croupier(bet, key, game)

    def _merged(self, sender: str, call: MergedCall, now: int) -> list[BankEvent]:
        """Both, or neither. What somebody brought before is left out."""
        draft = self.draft()
        _, game = draft._find(sender, call.bet)
        first = isinstance(call, SubmitPlayerSeedAndOrder)
        events: list[BankEvent] = []
        if game.step < (Step.HAND_DEALT if first else Step.HAND_FINAL):
            seed = SubmitPlayerSeed(call.bet, 0 if first else 1, call.seed, call.croupiers)
            events += draft._submit_player_seed(sender, seed, now)
        if isinstance(call, SubmitPlayerSeedAndOrder):
            order = SubmitReplacementOrder(call.bet, call.order, call.signature)
            events += draft._submit_order(sender, order, now)
        else:
            events += draft._submit_result(sender, call.bet, now)
        draft.settle()
        return events


BOOKS: Final[dict[int, type[Books]]] = {1: Books, 2: BooksTwo}
"""The rules of each version."""
