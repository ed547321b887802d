"""What the Bank needs of a node, whichever chain it is of.

`Node` is what the code above asks. `node.ChainNode` reaches any chain over JSON-RPC;
`embedded.EmbeddedNode` is a chain in this process. Everything here waits for its answer:
`ChainBank` asks from threads of its own. What is not answered is `BankAway`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from statistics import median
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    NO_GAME,
    NO_SESSION,
    Account,
    BankAway,
    BankEvent,
    BankGame,
    BankSession,
)
from fairground.bank.chain import abi
from fairground.bank.chain.artifact import Terms, WrongBank, recognized
from fairground.bank.chain.gas import Fees, Price
from fairground.bank.crypto.curve import checksummed
from fairground.bank.messages import Bet, Domain, Key

RECENT: Final = 20
"""Blocks by which one knows how fast a chain is."""


class NodeDeclined(BankAway):
    """The node answered, and does not want this transaction."""

    code = "bank/declined"


class Draft(NamedTuple):
    """A transaction before it is signed; ``to`` is ``None`` where it makes a contract."""

    to: str | None
    data: bytes
    value: int
    gas: int
    block: str = "latest"
    """The block on which it is tried before it is sent: calls with a deadline are tried on the
    ``pending`` one, which has the time of the next block."""


class Signed(NamedTuple):
    """A signed transaction, known by its hash before any node has seen it."""

    raw: bytes
    hash: bytes
    fees: Fees


class Mined(NamedTuple):
    """A transaction that is in a block."""

    hash: bytes
    block: int
    gas: int
    done: bool
    """Whether it did what it should; else it was refused, and only cost gas."""
    address: str | None
    """Of the contract that it made, if it made one."""
    events: list[BankEvent]


class Node(ABC):
    """A node of one chain."""

    name: str
    """Where it is, for people."""

    chain_id: int

    @property
    @abstractmethod
    def trusted(self) -> str:
        """Whom one must trust for this chain to be honest."""

    # Asking

    @abstractmethod
    def live_chain_id(self) -> int:
        """The chain that the node is on now."""

    @abstractmethod
    def block(self) -> int:
        """The number of the latest block."""

    @abstractmethod
    def now(self) -> int:
        """The time of the latest block."""

    @abstractmethod
    def balance(self, address: str) -> int:
        """What an account has outside the Bank, in wei."""

    @abstractmethod
    def code(self, address: str) -> bytes:
        """The contract at an address; empty if there is none."""

    @abstractmethod
    def call(
        self,
        bank: str,
        data: bytes,
        sender: str | None = None,
        value: int = 0,
        block: int | str = "latest",
    ) -> bytes:
        """Ask the Bank, changing nothing; raise `BankRefused`."""

    @abstractmethod
    def events(self, bank: str, game: bytes) -> list[BankEvent]:
        """What the Bank recorded of a game, in its order."""

    @abstractmethod
    def bets(self, bank: str, first: int, last: int) -> list[Bet]:
        """The bets that the Bank took in these blocks, read from their transactions."""

    @abstractmethod
    def time_of(self, block: int) -> int:
        """The time of a block."""

    def block_time(self) -> float:
        """Seconds from one block to the next: the median of the last few; 0 if there are none."""
        last = self.block()
        times = [self.time_of(number) for number in range(max(0, last - RECENT), last + 1)]
        gaps = [after - before for before, after in pairwise(times)]
        return median(gaps) if gaps else 0.0

    def terms(self, bank: str) -> tuple[int, Terms]:
        """Version, and terms, of a Bank; raise `WrongBank` if it is not just our contract."""
        code = self.code(bank)
        if not code:
            raise WrongBank(f"there is no contract at {bank} on the chain {self.chain_id}")
        return recognized(code)

    def domain(self, bank: str) -> Domain:
        """Where signatures for this Bank count."""
        return Domain(self.chain_id, checksummed(bank))

    def _view(self, bank: str, name: str, *values: Any) -> Any:
        data = self.call(bank, abi.call_data(name, *values))
        if not data:
            raise BankAway(f"the Bank {bank} is not on the chain at {self.name} now")
        return abi.result(name, data)

    def account(self, bank: str, owner: str) -> Account:
        """A participant."""
        available, open_games, key = self._view(bank, "getAccount", checksummed(owner))
        return Account(available, open_games, checksummed(key))

    def next_game_id(self, bank: str, croupier: str, player: str) -> int:
        """The number of the next game of these two."""
        return int(self._view(bank, "getNextGameId", checksummed(croupier), checksummed(player)))

    def session(self, bank: str, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        """The session of these two, as the Bank kept it ``confirmations`` blocks ago."""
        parties = checksummed(croupier), checksummed(player)
        found = self._view_then(confirmations, bank, "getSession", *parties)
        return NO_SESSION if found is None else BankSession(*found)

    def game(self, bank: str, key: bytes, confirmations: int = 0) -> BankGame:
        """A game as the Bank kept it ``confirmations`` blocks ago."""
        found = self._view_then(confirmations, bank, "getGame", key)
        return NO_GAME if found is None else BankGame(*found)

    def _view_then(self, confirmations: int, bank: str, name: str, *values: Any) -> Any:
        """What the Bank said so many blocks ago; ``None`` if it is younger than that."""
        if confirmations == 0:
            return self._view(bank, name, *values)
        then = self.block() - confirmations
        if then < 0:
            return None
        data = self.call(bank, abi.call_data(name, *values), block=then)
        return abi.result(name, data) if data else None

    # Sending

    @abstractmethod
    def count(self, address: str, which: str = "latest") -> int:
        """How many transactions of an account are in blocks, or (``pending``) on their way too."""

    @abstractmethod
    def price(self) -> Price:
        """What a unit of gas costs now."""

    @abstractmethod
    def estimate(self, sender: str, draft: Draft) -> int:
        """The gas that the node expects a call to use; 0 if it does not say."""

    @abstractmethod
    def sign(self, key: Key, nonce: int, draft: Draft, fees: Fees) -> Signed:
        """Sign a transaction for this chain."""

    @abstractmethod
    def broadcast(self, transaction: Signed) -> None:
        """Hand a transaction to the node; raise `NodeDeclined` if it does not want it."""

    @abstractmethod
    def knows(self, transaction: Signed) -> bool:
        """Whether the node has it, in a block or on its way."""

    @abstractmethod
    def receipt(self, transaction: Signed) -> Mined | None:
        """What became of a transaction; ``None`` while it is in no block."""
