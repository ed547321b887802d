"""A node of any chain over JSON-RPC: what a Bank on it needs, and no more.

Transactions are signed here, so the node never sees a private key. Before anyone trusts
a Bank with money, `ChainNode.terms` compares its code with the packaged artifact.

Everything here waits for the node's answer: `ChainBank` asks from threads of
its own. What the node does not answer, or not as a node does, is `BankAway`. An error
names the node by its host alone, since the rest of an address is often somebody's password.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from fairground.bank.bank_port import BankAway, BankEvent, Step
from fairground.bank.chain import abi
from fairground.bank.chain.artifact import WrongBank
from fairground.bank.chain.gas import ASKING, DEAREST, LEAST_TIP, Fees, Price
from fairground.bank.chain.node_port import Draft, Mined, Node, NodeDeclined, Signed
from fairground.bank.crypto.curve import checksummed, keccak
from fairground.bank.messages import Bet, Key
from fairground.core import InputError
from fairground.extras import needs

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

WINDOW: Final = 1_000
"""Blocks that are searched at once where a node does not search the whole chain."""

MOST_WINDOWS: Final = 500
"""How often such a search goes one window further back."""

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


class ChainNode(Node):
    """One JSON-RPC endpoint, by its URL or as a provider of web3."""

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
        """Whom one must trust for this chain to be honest."""
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
        """The chain that the node is on now."""
        with self._answering():
            return int(self._web3.eth.chain_id)

    def block(self) -> int:
        """The number of the latest block."""
        with self._answering():
            return int(self._web3.eth.block_number)

    def now(self) -> int:
        """The time of the latest block."""
        with self._answering():
            return int(self._web3.eth.get_block("latest")["timestamp"])

    def balance(self, address: str) -> int:
        """What an account has outside the Bank, in wei."""
        with self._answering():
            return int(self._web3.eth.get_balance(_at(address)))

    def code(self, address: str) -> bytes:
        """The contract at an address; empty if there is none."""
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
        """What the Bank recorded of a game, in its order.

        Many public nodes refuse to search a whole chain. There we go back window by window,
        as far as the game's first event.
        """
        last = self.block()
        try:
            return self._search(bank, game, 0, last)
        except NodeDeclined as declined:
            if self.game(bank, game).step == Step.NONE:
                return []
            found: list[BankEvent] = []
            for window in range(MOST_WINDOWS):
                end = last - window * WINDOW
                found[:0] = self._search(bank, game, max(end - WINDOW + 1, 0), end)
                if found and found[0].name == "BetSubmitted":
                    return found
            raise declined

    def _search(self, bank: str, game: bytes, first: int, last: int) -> list[BankEvent]:
        with self._answering():
            logs = self._web3.eth.get_logs(
                {
                    "address": _at(bank),
                    "fromBlock": first,
                    "toBlock": last,
                    "topics": [None, "0x" + game.hex()],
                }
            )
        return _events(logs)

    def bets(self, bank: str, first: int, last: int) -> list[Bet]:
        """The bets that the Bank took in these blocks, read from their transactions."""
        with self._answering():
            logs = self._web3.eth.get_logs(
                {
                    "address": _at(bank),
                    "fromBlock": first,
                    "toBlock": last,
                    "topics": ["0x" + abi.topic("BetSubmitted").hex()],
                }
            )
            sent = [self._web3.eth.get_transaction(log["transactionHash"]) for log in logs]
        found = (abi.bet_in(bytes(one["input"])) for one in sent)
        return [bet for bet in found if bet is not None]

    # Sending

    def count(self, address: str, which: str = "latest") -> int:
        """How many transactions of an account are in blocks, or (``pending``) on their way too."""
        with self._answering():
            return int(self._web3.eth.get_transaction_count(_at(address), which))  # type: ignore[arg-type]

    def price(self) -> Price:
        """What a unit of gas costs now."""
        with self._answering():
            latest = self._web3.eth.get_block("latest")
            try:
                tip = int(self._web3.eth.max_priority_fee)
            except Web3RPCError:  # a node need not have an opinion
                tip = LEAST_TIP
        return Price(int(latest.get("baseFeePerGas", 0)), min(max(tip, LEAST_TIP), DEAREST))

    def estimate(self, sender: str, draft: Draft) -> int:
        """The gas that the node expects a call to use; 0 if it does not say."""
        question: Any = {"from": _at(sender), "value": draft.value, "data": "0x" + draft.data.hex()}
        if draft.to is not None:
            question["to"] = _at(draft.to)
        try:
            with self._answering():
                return int(self._web3.eth.estimate_gas(question))
        except BankAway:
            return 0

    def time_of(self, block: int) -> int:
        """The time of a block."""
        with self._answering():
            return int(self._web3.eth.get_block(block)["timestamp"])

    def sign(self, key: Key, nonce: int, draft: Draft, fees: Fees) -> Signed:
        """Sign a transaction for this chain."""
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
        """Whether the node has it, in a block or on its way."""
        with self._answering():
            try:
                self._web3.eth.get_transaction(transaction.hash)  # type: ignore[arg-type]
            except TransactionNotFound:
                return False
        return True

    def receipt(self, transaction: Signed) -> Mined | None:
        """What became of a transaction; ``None`` while it is in no block."""
        with self._answering():
            try:
                receipt = self._web3.eth.get_transaction_receipt(transaction.hash)  # type: ignore[arg-type]
            except (TransactionNotFound, BlockNotFound):
                return None
        made = receipt["contractAddress"]
        return Mined(
            bytes(receipt["transactionHash"]),
            int(receipt["blockNumber"]),
            int(receipt["gasUsed"]),
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
