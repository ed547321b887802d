"""The chain of `tests.helpers.evm`, on a node that others wrote: ``anvil``, asked over JSON-RPC.

What a test does on py-evm it can do here, call for call. So each fraud is tried on two EVMs.
Nothing is mined by itself: each transaction gets a block of its own, when the test says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import Any

from fairground.bank.chain import abi
from fairground.bank.signatures import checksummed
from tests.helpers.anvil import Anvil
from tests.helpers.evm import GENESIS, WEALTH, Evm, Receipt

OPTIONS = (
    *("--hardfork", "prague", "--no-mining", "--timestamp", str(GENESIS), "--accounts", "8"),
    *("--balance", str(WEALTH // 10**18), "--base-fee", "0", "--gas-price", "0"),
)


class AnvilEvm(Evm):
    """One chain, which more than one Bank can be on."""

    def __init__(self, node: Anvil) -> None:
        self._port = int(node.port)
        self.accounts = [checksummed(address) for address in self._rpc("eth_accounts")]
        self.chain_id = int(self._rpc("eth_chainId"), 16)
        self._now = int(self._rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16) + 1

    def _rpc(self, method: str, *values: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": values}
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            connection.request("POST", "/", json.dumps(asked), {"Content-Type": "application/json"})
            told = json.loads(connection.getresponse().read())
        if "data" in told.get("error", {}):
            raise abi.refusal(_bytes(told["error"]["data"]))
        assert "error" not in told, told
        return told["result"]

    @property
    def now(self) -> int:
        """The time of the next block."""
        return self._now

    def travel_to(self, timestamp: int) -> None:
        """Let the next block come at just this time."""
        assert timestamp >= self._now
        self._now = timestamp

    @contextmanager
    def forked(self, chain_id: int) -> Iterator[None]:
        """The same chain under another number."""
        self._rpc("anvil_setChainId", chain_id)
        try:
            yield
        finally:
            self._rpc("anvil_setChainId", self.chain_id)

    def balance(self, address: str) -> int:
        return int(self._rpc("eth_getBalance", address, "latest"), 16)

    def code(self, address: str) -> bytes:
        return _bytes(self._rpc("eth_getCode", address, "latest"))

    def deploy(self, data: bytes, sender: int = 0, value: int = 0) -> tuple[str, int]:
        """The address of a new contract, and the gas that it took."""
        receipt = self._mined(self.accounts[sender], None, data, value)
        return checksummed(receipt["contractAddress"]), int(receipt["gasUsed"], 16)

    def _mined(self, sender: str, to: str | None, data: bytes, value: int) -> Any:
        """Put one transaction into a block of its own; raise `BankRefused`."""
        wanted = {"from": sender, "data": "0x" + data.hex(), "value": hex(value)}
        wanted |= {"gas": hex(8_000_000), "gasPrice": "0x0"} | ({"to": to} if to else {})
        name = self._rpc("eth_sendTransaction", wanted)
        self._rpc("evm_mine", {"timestamp": self._now, "blocks": 1})
        self._now += 1
        receipt = self._rpc("eth_getTransactionReceipt", name)
        if int(receipt["status"], 16) == 0:
            traced = self._rpc("debug_traceTransaction", name, {"tracer": "callTracer"})
            raise abi.refusal(_bytes(traced.get("output", "0x")))
        return receipt

    def send(self, sender: str, to: str, data: bytes, value: int = 0) -> Receipt:
        """Send a transaction; raise `BankRefused` with the contract's reason."""
        receipt = self._mined(sender, to, data, value)
        events = [
            abi.event(list(map(_bytes, log["topics"])), _bytes(log["data"]))
            for log in receipt["logs"]
            if checksummed(log["address"]) == checksummed(to)
        ]
        return Receipt(int(receipt["gasUsed"], 16), events)

    def call(self, sender: str, to: str, data: bytes) -> bytes:
        """Ask, changing nothing; raise `BankRefused`."""
        asked = {"from": sender, "to": to, "data": "0x" + data.hex()}
        found = self._rpc("eth_call", asked, "latest", {}, {"time": hex(self._now)})
        return _bytes(found)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))
