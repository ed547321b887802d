"""A node of a chain: `ChainNode` reaches any chain over JSON-RPC.

Transactions are signed here, so the node never sees a private key. Before anyone trusts a Bank with
money, `ChainNode.terms` compares its code with the packaged artifact.

Everything here blocks until the node answers: `ChainBank` asks from threads of its own. A missing
or malformed answer is `BankAway`. An error names the node by its host alone, since the rest of an
address is often somebody's password.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from statistics import median
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from fairground.bank.bank_port import (
    BankAway,
    BankEvent,
    BankGame,
    Step,
    Terms,
    WrongBank,
    artifact,
)
from fairground.bank.chain import abi
from fairground.bank.chain.gas import ASKING, DEAREST, LEAST_TIP, Fees, Price
from fairground.bank.messages import Bet, Domain, Key
from fairground.bank.signatures import checksummed, keccak
from fairground.core import InputError
from fairground.registry import needs

with needs("chain", "a Bank on a chain"):
    import eth_account
    from web3 import HTTPProvider, Web3
    from web3.exceptions import (
        BlockNotFound,
        ContractLogicError,
        TransactionNotFound,
        Web3Exception,
        Web3RPCError,
    )
    from web3.middleware import ExtraDataToPOAMiddleware
    from web3.providers import BaseProvider

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
    done: bool
    """False if the transaction was refused and only cost gas."""
    address: str | None
    """Address of the contract that it made, if it made one."""
    events: list[BankEvent]


WINDOW: Final = 1_000
"""Blocks that are searched at once where a node does not search the whole chain."""

MOST_WINDOWS: Final = 500
"""Maximum number of windows that such a search goes back."""

MAIN_NETS: Final = {
    1: "Ethereum",
    10: "OP Mainnet",
    25: "Cronos",
    56: "BNB Smart Chain",
    100: "Gnosis",
    130: "Unichain",
    137: "Polygon",
    250: "Fantom",
    324: "zkSync Era",
    1101: "Polygon zkEVM",
    5000: "Mantle",
    8217: "Kaia",
    8453: "Base",
    34443: "Mode",
    42161: "Arbitrum One",
    42170: "Arbitrum Nova",
    42220: "Celo",
    43114: "Avalanche",
    59144: "Linea",
    81457: "Blast",
    534352: "Scroll",
}
"""Chains on which money is real. We play for play money, on test chains, and nowhere else."""


class ChainNode:
    """One JSON-RPC endpoint, by its URL or as a provider of web3."""

    name: str
    """The node's address, for people."""
    chain_id: int

    def __init__(self, where: str | BaseProvider, timeout: float = 20.0) -> None:
        if isinstance(where, str):
            self.name = _host(where)
            options = {"timeout": timeout}
            where = HTTPProvider(where, options, exception_retry_configuration=None)
        else:
            self.name = "this process"
        self._web3 = Web3(where)
        self._web3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
        self.chain_id = self.live_chain_id()
        if self.chain_id in MAIN_NETS:
            raise WrongBank(
                f"on {MAIN_NETS[self.chain_id]} (chain {self.chain_id}) money is real: this is for "
                "play money and test chains only"
            )

    @property
    def trusted(self) -> str:
        """Return the party that a user must trust for this chain to be honest."""
        return f"the chain {self.chain_id}"

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except Web3RPCError as error:
            said = (error.rpc_response or {}).get("error", {})
            reason = said.get("message") if isinstance(said, dict) else said
            raise NodeDeclined(f"the node at {self.name} declines: {reason or error}") from None
        except (OSError, ValueError, KeyError, TypeError, Web3Exception) as error:
            kind = type(error).__name__
            raise BankAway(f"no chain answers at {self.name} ({kind}); is a node there?") from None

    # Asking

    def live_chain_id(self) -> int:
        with self._answering():
            return int(self._web3.eth.chain_id)

    def block(self) -> int:
        with self._answering():
            return int(self._web3.eth.block_number)

    def now(self) -> int:
        with self._answering():
            return int(self._web3.eth.get_block("latest")["timestamp"])

    def balance(self, address: str) -> int:
        """Return the wei that an account has outside the Bank."""
        with self._answering():
            return int(self._web3.eth.get_balance(_at(address)))

    def code(self, address: str) -> bytes:
        """Return the contract at an address; empty if there is none."""
        with self._answering():
            return bytes(self._web3.eth.get_code(_at(address)))

    def rpc(self, method: str, *values: Any) -> Any:
        """Any other method of the node, such as a test node's ``evm_increaseTime``."""
        with self._answering():
            return self._web3.manager.request_blocking(method, list(values))  # type: ignore[arg-type]

    def call(
        self,
        bank: str,
        data: bytes,
        sender: str | None = None,
        value: int = 0,
        block: int | str = "latest",
    ) -> bytes:
        """Ask the Bank, changing nothing; raise `BankRefused`."""
        question: Any = {"to": _at(bank), "data": "0x" + data.hex(), "value": value, "gas": ASKING}
        if sender is not None:
            question["from"] = _at(sender)
        with self._answering():
            try:
                return bytes(self._web3.eth.call(question, block))  # type: ignore[arg-type]
            except ContractLogicError as error:
                raise abi.refusal(_revert_data(error.data)) from None

    def events(self, bank: str, game: bytes) -> list[BankEvent]:
        """Return the events that the Bank recorded of a game, in order.

        Many public nodes refuse to search a whole chain. There we go back window by window, as far
        as the game's first event.
        """
        last = self.block()
        try:
            return self._search(bank, game, 0, last)
        except NodeDeclined as declined:
            if BankGame(*self.view(bank, 0, "getGame", game)).step == Step.NONE:
                return []
            found: list[BankEvent] = []
            for window in range(MOST_WINDOWS):
                end = last - window * WINDOW
                found[:0] = self._search(bank, game, max(end - WINDOW + 1, 0), end)
                if found and found[0].name == "BetSubmitted":
                    return found
            raise declined

    def _search(self, bank: str, game: bytes, first: int, last: int) -> list[BankEvent]:
        return _events(self._logs(bank, first, last, [None, "0x" + game.hex()]))

    def _logs(self, bank: str, first: int, last: int, topics: list[str | None]) -> list[Any]:
        asked: Any = {"address": _at(bank), "fromBlock": first, "toBlock": last, "topics": topics}
        with self._answering():
            return list(self._web3.eth.get_logs(asked))

    def bets(self, bank: str, first: int, last: int) -> list[Bet]:
        """Return the bets that the Bank took in these blocks, read from their transactions."""
        logs = self._logs(bank, first, last, ["0x" + abi.topic("BetSubmitted").hex()])
        with self._answering():
            sent = [self._web3.eth.get_transaction(log["transactionHash"]) for log in logs]
        found = (abi.bet_in(bytes(one["input"])) for one in sent)
        return [bet for bet in found if bet is not None]

    def block_time(self) -> float:
        """Seconds from one block to the next: the median of the last few; 0 if there are none."""
        last = self.block()
        times = [self.time_of(number) for number in range(max(0, last - RECENT), last + 1)]
        gaps = [after - before for before, after in pairwise(times)]
        return median(gaps) if gaps else 0.0

    def terms(self, bank: str) -> Terms:
        """Return the terms of a Bank; raise `WrongBank` if it is not just our contract."""
        code = self.code(bank)
        if not code:
            raise WrongBank(f"there is no contract at {bank} on the chain {self.chain_id}")
        return artifact().terms_of(code)

    def domain(self, bank: str) -> Domain:
        return Domain(self.chain_id, checksummed(bank))

    def view(self, bank: str, confirmations: int, name: str, *values: Any) -> Any:
        """Ask a question of the Bank as it was some blocks ago; ``None`` if it was not there."""
        data = abi.call_data(name, *values)
        if confirmations == 0:
            found = self.call(bank, data)
            if not found:
                raise BankAway(f"the Bank {bank} is not on the chain at {self.name} now")
            return abi.result(name, found)
        block = self.block() - confirmations
        found = self.call(bank, data, block=block) if block >= 0 else b""
        return abi.result(name, found) if found else None

    # Sending

    def count(self, address: str, which: str = "latest") -> int:
        """Count an account's transactions in blocks; with ``pending``, also those on their way."""
        with self._answering():
            return int(self._web3.eth.get_transaction_count(_at(address), which))  # type: ignore[arg-type]

    def price(self) -> Price:
        with self._answering():
            latest = self._web3.eth.get_block("latest")
            try:
                tip = int(self._web3.eth.max_priority_fee)
            except Web3RPCError:  # a node need not have an opinion
                tip = LEAST_TIP
        return Price(int(latest.get("baseFeePerGas", 0)), min(max(tip, LEAST_TIP), DEAREST))

    def estimate(self, sender: str, draft: Draft) -> int:
        """Return the gas that the node expects a call to use; 0 if it does not say."""
        question: Any = {"from": _at(sender), "value": draft.value, "data": "0x" + draft.data.hex()}
        if draft.to is not None:
            question["to"] = _at(draft.to)
        try:
            with self._answering():
                return int(self._web3.eth.estimate_gas(question))
        except BankAway:
            return 0

    def time_of(self, block: int) -> int:
        with self._answering():
            return int(self._web3.eth.get_block(block)["timestamp"])

    def sign(self, key: Key, nonce: int, draft: Draft, fees: Fees) -> Signed:
        transaction: dict[str, Any] = {
            "type": 2,
            "chainId": self.chain_id,
            "nonce": nonce,
            "gas": draft.gas,
            "maxFeePerGas": fees.most,
            "maxPriorityFeePerGas": fees.tip,
            "value": draft.value,
            "data": "0x" + draft.data.hex(),
        }
        if draft.to is not None:
            transaction["to"] = _at(draft.to)
        raw = eth_account.Account.sign_transaction(transaction, key.export()).raw_transaction
        return Signed(bytes(raw), keccak(bytes(raw)), fees)

    def broadcast(self, transaction: Signed) -> None:
        """Hand a transaction to the node; raise `NodeDeclined` if it does not want it."""
        with self._answering():
            self._web3.eth.send_raw_transaction(transaction.raw)

    def knows(self, transaction: Signed) -> bool:
        """Return whether the node has the transaction, in a block or on its way."""
        with self._answering():
            try:
                self._web3.eth.get_transaction(transaction.hash)  # type: ignore[arg-type]
            except TransactionNotFound:
                return False
        return True

    def receipt(self, transaction: Signed) -> Mined | None:
        """Return the receipt of a transaction; ``None`` while it is in no block."""
        with self._answering():
            try:
                receipt = self._web3.eth.get_transaction_receipt(transaction.hash)  # type: ignore[arg-type]
            except (TransactionNotFound, BlockNotFound):
                return None
        made = receipt["contractAddress"]
        return Mined(
            bytes(receipt["transactionHash"]),
            int(receipt["blockNumber"]),
            receipt["status"] == 1,
            None if made is None else checksummed(made),
            _events(receipt["logs"]),
        )


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or parts.scheme not in ("http", "https"):
        raise InputError("the URL of a node is like http://127.0.0.1:8545 (JSON-RPC over HTTP)")
    return host if port is None else f"{host}:{port}"


def _at(address: str) -> Any:
    return Web3.to_checksum_address(checksummed(address))


def _events(logs: Sequence[Any]) -> list[BankEvent]:
    return [
        abi.event([bytes(topic) for topic in log["topics"]], bytes(log["data"])) for log in logs
    ]


def _revert_data(data: Any) -> bytes:
    return bytes.fromhex(data.removeprefix("0x")) if isinstance(data, str) else b""
