"""A chain inside this process (py-evm) with play money, behind the same `ChainNode` as any other.

It answers the few JSON-RPC methods that `ChainNode` asks for, so everything above it is
the code that runs against a real chain. Whoever runs the process could rewrite it: a Bank
on it is *operator trusted*, and it is gone when the process ends.

Each transaction gets a block of its own, at once. Time is the wall clock's: a question
after a second or more finds a new, empty block, so deadlines pass and confirmations grow
as they do elsewhere. (Several blocks within a second run ahead of the clock, since no two
blocks may have the same time.) `EmbeddedNode.travel` lets time pass at once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.crypto.curve import checksummed
from fairground.bank.messages import Key
from fairground.extras import needs

with needs("chain", "the chain in this process"):
    from eth.vm.forks.prague import PragueVM
    from eth_tester import PyEVMBackend
    from eth_utils.exceptions import ValidationError
    from web3.providers import BaseProvider

TRUSTED: Final = "operator trusted: an embedded chain in this process, play money"

CHIP_COST: Final = 10**15
STEP_TIME: Final = 3600

_MINTED: Final = 10**20
"""What the account that makes the Bank has."""


class EmbeddedNode(ChainNode):
    """A new chain, with these purses: what each address has, in wei."""

    def __init__(self, purses: Mapping[str, int]) -> None:
        self._chain = _Chain(purses)
        super().__init__(self._chain)

    @property
    def trusted(self) -> str:
        """The operator."""
        return TRUSTED

    def travel(self, seconds: int) -> None:
        """Let time pass at once: the next block comes this long after the last one."""
        self._chain.travel(seconds)


async def open_bank(
    purses: Mapping[str, int], *, chip_cost: int = CHIP_COST, step_time: int = STEP_TIME
) -> ChainBank:
    """A new Bank on a new chain, with these purses: what each address has, in wei.

    A fresh key makes it, so its address is new, and nothing signed for another counts here.
    """
    maker = Key.fresh()
    node = EmbeddedNode({**purses, maker.address: _MINTED})
    bank = await ChainBank.open(node, await deploy(node, maker, chip_cost, step_time))
    bank.in_process = True
    return bank


class _Refusal(Exception):
    """An error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class _Chain(BaseProvider):
    """The chain, as a provider of web3: one request at a time."""

    def __init__(self, purses: Mapping[str, int]) -> None:
        super().__init__()
        state = {
            _bytes(address): {"balance": wei, "nonce": 0, "code": b"", "storage": {}}
            for address, wei in purses.items()
        }
        self._ahead = 0
        """How many seconds this chain's clock is before the wall's."""
        self._backend = PyEVMBackend(
            PyEVMBackend.generate_genesis_params({"timestamp": int(time.time())}),
            state,
            vm_configuration=((0, PragueVM),),  # a later fork could count gas in another way
        )
        self._chain = self._backend.chain
        self._receipts: dict[str, dict[str, Any]] = {}
        self._lock = Lock()

    def make_request(self, method: Any, params: Any) -> Any:
        """Answer as a node would."""
        answer = getattr(self, "_" + method, None) if method.startswith("eth_") else None
        with self._lock:
            try:
                if answer is None:
                    raise _Refusal(-32601, f"the embedded chain has no method {method}")
                self._catch_up()
                outcome = {"result": answer(*params)}
            except ValidationError as error:
                outcome = {"error": {"code": -32000, "message": str(error)}}
            except _Refusal as refusal:
                outcome = {"error": refusal.error}
        return {"jsonrpc": "2.0", "id": 1, **outcome}

    def travel(self, seconds: int) -> None:
        """See `EmbeddedNode.travel`."""
        with self._lock:
            now = max(self._clock(), self._header(self._latest).timestamp)
            self._ahead += now + seconds - self._clock()

    def _clock(self) -> int:
        return int(time.time()) + self._ahead

    def _catch_up(self) -> None:
        """Make a block if the clock has moved on since the last one."""
        now = self._clock()
        if now > self._header(self._latest).timestamp:
            self._chain.header = self._chain.header.copy(timestamp=now)
            self._backend.mine_blocks(1)

    @property
    def _latest(self) -> int:
        return int(self._chain.header.block_number) - 1

    def _header(self, number: int) -> Any:
        return self._chain.get_canonical_block_header_by_number(number)

    def _state(self, block: str) -> Any:
        """The state after a block, in a machine whose changes nobody keeps.

        The latest is seen as the next transaction will see it, at the time of its block.
        """
        if block in ("latest", "pending"):
            return self._chain.get_vm()
        return self._chain.get_vm(self._header(int(block, 16)))

    # The methods of JSON-RPC that a Node asks for

    def _eth_chainId(self) -> str:  # noqa: N802 - their names
        return hex(self._chain.chain_id)

    def _eth_blockNumber(self) -> str:  # noqa: N802
        return hex(self._latest)

    def _eth_getBlockByNumber(self, block: str, _: bool) -> dict[str, Any]:  # noqa: N802
        header = self._header(self._latest if block == "latest" else int(block, 16))
        return {
            "number": hex(header.block_number),
            "timestamp": hex(header.timestamp),
            "baseFeePerGas": hex(header.base_fee_per_gas),
        }

    def _eth_maxPriorityFeePerGas(self) -> str:  # noqa: N802
        return "0x0"

    def _eth_getBalance(self, address: str, block: str) -> str:  # noqa: N802
        return hex(self._state(block).state.get_balance(_bytes(address)))

    def _eth_getCode(self, address: str, block: str) -> str:  # noqa: N802
        return _hex(self._state(block).state.get_code(_bytes(address)))

    def _eth_getTransactionCount(self, address: str, block: str) -> str:  # noqa: N802
        return hex(self._state(block).state.get_nonce(_bytes(address)))

    def _eth_call(self, question: dict[str, str], block: str) -> str:
        vm = self._state(block)
        to, sender = _bytes(question["to"]), _bytes(question.get("from", "00" * 20))
        computation = vm.execute_bytecode(
            origin=sender,
            gas_price=0,
            gas=int(question["gas"], 16),
            to=to,
            sender=sender,
            value=int(question["value"], 16),
            data=_bytes(question["data"]),
            code=vm.state.get_code(to),
        )
        if computation.is_error:
            raise _Refusal(3, "execution reverted", _hex(computation.output))
        return _hex(computation.output)

    def _eth_sendRawTransaction(self, raw: str) -> str:  # noqa: N802
        transaction = self._chain.get_vm().get_transaction_builder().decode(_bytes(raw))
        _, receipt, computation = self._chain.apply_transaction(transaction)
        self._backend.mine_blocks(1)
        number, block_hash, own_hash = (
            hex(self._latest),
            _hex(self._header(self._latest).hash),
            _hex(transaction.hash),
        )
        made = computation.msg.storage_address if computation.msg.is_create else None
        where = {
            "blockNumber": number,
            "blockHash": block_hash,
            "transactionHash": own_hash,
            "transactionIndex": "0x0",
        }
        logs = [
            {
                **where,
                "address": _hex(log.address),
                "topics": [_hex(topic.to_bytes(32, "big")) for topic in log.topics],
                "data": _hex(log.data),
                "logIndex": hex(index),
            }
            for index, log in enumerate(receipt.logs)
        ]
        self._receipts[own_hash] = {
            **where,
            "status": "0x0" if computation.is_error else "0x1",
            "gasUsed": hex(receipt.gas_used),
            "contractAddress": None if made is None else checksummed(made.hex()),
            "logs": logs,
        }
        return own_hash

    def _eth_getTransactionReceipt(self, own_hash: str) -> dict[str, Any] | None:  # noqa: N802
        return self._receipts.get(own_hash)

    def _eth_getTransactionByHash(self, own_hash: str) -> dict[str, Any] | None:  # noqa: N802
        return {"hash": own_hash} if own_hash in self._receipts else None

    def _eth_getLogs(self, wanted: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: N802
        """What was logged under a second topic, by whatever contract: ours is the only one."""
        _, topic = wanted["topics"]
        return [
            log
            for receipt in self._receipts.values()
            for log in receipt["logs"]
            if log["topics"][1] == topic
        ]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _hex(data: bytes) -> str:
    return "0x" + bytes(data).hex()
