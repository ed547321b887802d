"""A node of any chain over JSON-RPC: what a Bank on it needs, and no more.

Transactions are signed here, so the node never sees a private key. Before anyone trusts
a Bank with money, `Node.terms` compares its code with the packaged artifact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fairground.bank import abi
from fairground.bank.artifact import Terms, artifact
from fairground.bank.curve import checksummed
from fairground.bank.port import Event, Game, Refused
from fairground.bank.wire import Domain
from fairground.core import FairgroundError, MissingExtra

try:
    from eth_account import Account
    from eth_account.signers.local import LocalAccount
    from web3 import HTTPProvider, Web3
    from web3.exceptions import ContractLogicError, Web3Exception
except ImportError:  # pragma: no cover - the extra is installed where tests run
    raise MissingExtra(
        "a Bank on a chain needs more packages: pip install 'fairground[chain]'"
    ) from None

GAS = 1_000_000
DEPLOYMENT_GAS = 5_000_000


class NodeAway(FairgroundError):
    """The node does not answer, or not as a node does."""

    code = "bank/node-away"
    exit = 1


class Mined(NamedTuple):
    """A transaction that is in a block."""

    hash: bytes
    block: int
    gas: int
    address: str | None
    """Of the contract that it made, if it made one."""
    events: list[Event]


class Purse:
    """An account that pays for gas: its private key signs transactions, and nothing else."""

    def __init__(self, secret: bytes) -> None:
        self._account: LocalAccount = Account.from_key(secret)
        self.address: str = self._account.address

    def __repr__(self) -> str:
        return f"Purse({self.address})"

    def sign(self, transaction: dict[str, Any]) -> bytes:
        """The raw bytes of a signed transaction."""
        return bytes(self._account.sign_transaction(transaction).raw_transaction)


class Node:
    """One JSON-RPC endpoint."""

    def __init__(self, url: str, timeout: float = 30.0) -> None:
        self._web3 = Web3(HTTPProvider(url, request_kwargs={"timeout": timeout}))
        try:
            self.chain_id = int(self._web3.eth.chain_id)
        except (OSError, ValueError, Web3Exception) as error:
            raise NodeAway(f"no chain answers at {url}: {error}") from None

    def block(self) -> int:
        """The number of the latest block."""
        return int(self._web3.eth.block_number)

    def now(self) -> int:
        """The time of the latest block."""
        return int(self._web3.eth.get_block("latest")["timestamp"])

    def balance(self, address: str) -> int:
        """What an account has outside the Bank, in wei."""
        return int(self._web3.eth.get_balance(self._at(address)))

    def rpc(self, method: str, *values: Any) -> Any:
        """Any other method of the node, such as a test node's ``evm_increaseTime``."""
        return self._web3.manager.request_blocking(method, list(values))  # type: ignore[arg-type]

    @staticmethod
    def _at(address: str) -> Any:
        return Web3.to_checksum_address(checksummed(address))

    def terms(self, bank: str) -> Terms:
        """Chip cost and step time of a Bank; raise `WrongBank` if it is not just our contract."""
        return artifact().terms_of(bytes(self._web3.eth.get_code(self._at(bank))))

    def domain(self, bank: str) -> Domain:
        """Where signatures for this Bank count."""
        return Domain(self.chain_id, checksummed(bank))

    def deploy(self, purse: Purse, chip_cost: int, step_time: int) -> str:
        """Make a new Bank, and return its address."""
        mined = self._send(purse, None, abi.deployment(chip_cost, step_time), 0, DEPLOYMENT_GAS)
        assert mined.address is not None
        return mined.address

    def send(self, purse: Purse, bank: str, data: bytes, value: int = 0) -> Mined:
        """Send a call to the Bank and wait for its block; raise `Refused` with the reason.

        The call is tried without a transaction first: what would be refused costs no gas.
        """
        self.call(bank, data, purse.address, value)
        return self._send(purse, bank, data, value, GAS)

    def call(self, bank: str, data: bytes, sender: str | None = None, value: int = 0) -> bytes:
        """Ask the Bank, changing nothing; raise `Refused`."""
        question: Any = {"to": self._at(bank), "data": "0x" + data.hex(), "value": value}
        if sender is not None:
            question["from"] = self._at(sender)
        try:
            return bytes(self._web3.eth.call(question))
        except ContractLogicError as error:
            raise abi.refusal(_revert_data(error.data)) from None

    def ask(self, bank: str, name: str, *values: Any) -> Any:
        """The result of a view of the Bank."""
        return abi.result(name, self.call(bank, abi.call_data(name, *values)))

    def game(self, bank: str, key: bytes) -> Game:
        """A game as the Bank keeps it."""
        return abi.game(self.call(bank, abi.call_data("getGame", key)))

    def _send(self, purse: Purse, to: str | None, data: bytes, value: int, gas: int) -> Mined:
        eth = self._web3.eth
        transaction: dict[str, Any] = {
            "chainId": self.chain_id,
            "nonce": eth.get_transaction_count(self._at(purse.address), "pending"),
            "gas": gas,
            "maxFeePerGas": 2 * int(eth.gas_price),
            "maxPriorityFeePerGas": 0,
            "value": value,
            "data": "0x" + data.hex(),
        }
        if to is not None:
            transaction["to"] = self._at(to)
        sent = eth.send_raw_transaction(purse.sign(transaction))
        receipt = eth.wait_for_transaction_receipt(sent)
        if receipt["status"] != 1:
            # It was fine when it was tried: something else came first.
            if to is not None:
                self.call(to, data, purse.address, value)
            raise Refused("Overtaken")
        made = receipt["contractAddress"]
        return Mined(
            bytes(receipt["transactionHash"]),
            int(receipt["blockNumber"]),
            int(receipt["gasUsed"]),
            None if made is None else checksummed(made),
            [
                abi.event([bytes(topic) for topic in log["topics"]], bytes(log["data"]))
                for log in receipt["logs"]
            ],
        )

    def events(self, bank: str, first: int, last: int | None = None) -> list[Event]:
        """What the Bank recorded in these blocks."""
        logs = self._web3.eth.get_logs(
            {
                "address": self._at(bank),
                "fromBlock": first,
                "toBlock": "latest" if last is None else last,
            }
        )
        return [
            abi.event([bytes(topic) for topic in log["topics"]], bytes(log["data"])) for log in logs
        ]


def _revert_data(data: Any) -> bytes:
    return bytes.fromhex(data.removeprefix("0x")) if isinstance(data, str) else b""
