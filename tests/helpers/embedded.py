"""A chain inside this process (py-evm) with play money, behind the same methods as any other.

Transactions are signed, checked and executed as on a real chain, and cost the same gas; the
contract cannot tell. Whoever runs the process could rewrite it: a Bank on it is *operator
trusted*, and it is gone when the process ends.

Each transaction gets a block of its own, at once. A block is a number, a time and a root of the
state: nobody else looks at this chain, so its blocks need no hashes and no proofs. Time is the
wall clock's: a question after a second or more finds a new, empty block, so deadlines pass and
confirmations grow as they do elsewhere. (Several blocks within a second run ahead of the clock,
since no two blocks may have the same time.) `EmbeddedNode.travel` lets time pass at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from eth.constants import BLANK_ROOT_HASH
from eth.db.atomic import AtomicDB
from eth.db.chain import ChainDB
from eth.vm.chain_context import ChainContext
from eth.vm.forks import prague  # a later fork could count gas in another way
from eth.vm.forks.prague.blocks import PragueBlockHeader
from eth_keys.datatypes import PrivateKey
from eth_utils.exceptions import ValidationError

from fairground.bank.bank_port import BankEvent
from fairground.bank.chain import abi
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.gas import ASKING, LEAST_TIP, Fees, Price
from fairground.bank.chain.node import ChainNode, Draft, Mined, NodeDeclined, Signed
from fairground.bank.crypto.signatures import checksummed, keccak
from fairground.bank.messages import Bet, Key

TRUSTED: Final = "operator trusted: an embedded chain in this process, play money"

CHIP_COST: Final = 10**15
STEP_TIME: Final = 3600

CHAIN_ID: Final = 131277322940537
"""A number that no public chain has."""

BASE_FEE: Final = 7
"""Wei for a unit of gas, as on a chain where nobody competes for room in a block."""

BLOCK_GAS: Final = 30_000_000

_MINTED: Final = 10**20
"""What the account that makes the Bank has."""

_VM: Any = prague.PragueVM
_HEADER: Any = PragueBlockHeader
"""Its types know less than it does."""

P = ParamSpec("P")
T = TypeVar("T")


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


class _Block(NamedTuple):
    time: int
    root: bytes
    """The root of the state behind it."""
    data: bytes = b""
    """What its transaction said to the contract, if that was not refused."""


class _Log(NamedTuple):
    bank: bytes
    game: bytes
    event: BankEvent


def _asked(
    method: Callable[Concatenate[EmbeddedNode, P], T],
) -> Callable[Concatenate[EmbeddedNode, P], T]:
    """One question at a time, each after the chain has caught up with the clock."""

    @wraps(method)
    def ask(node: EmbeddedNode, /, *values: P.args, **named: P.kwargs) -> T:
        with node._lock:
            node._catch_up()
            return method(node, *values, **named)

    return ask


class EmbeddedNode(ChainNode):
    """A new chain, with these purses: what each address has, in wei."""

    name = "this process"
    chain_id = CHAIN_ID

    def __init__(self, purses: Mapping[str, int]) -> None:
        self._lock = RLock()
        self._ahead = 0
        """How many seconds this chain's clock is before the wall's."""
        self._db = ChainDB(AtomicDB())
        self._blocks = [_Block(int(time.time()) - 1, BLANK_ROOT_HASH)]
        self._mined: dict[bytes, Mined] = {}
        self._logs: list[_Log] = []
        self._answers: dict[tuple[str, bytes, str | None, int], bytes] = {}
        """What was asked since the latest block: the same question has the same answer."""
        state = self._machine(0).state
        for address, wei in purses.items():
            state.set_balance(_bytes(address), wei)
        self._seal(self._blocks[0].time + 1, state)

    @property
    def trusted(self) -> str:
        """The operator."""
        return TRUSTED

    def travel(self, seconds: int) -> None:
        """Let time pass at once: the next block comes this long after the last one."""
        with self._lock:
            now = max(self._clock(), self._blocks[-1].time)
            self._ahead += now + seconds - self._clock()

    def _clock(self) -> int:
        return int(time.time()) + self._ahead

    def _catch_up(self) -> None:
        """Make a block if the clock has moved on since the last one."""
        now, last = self._clock(), self._blocks[-1]
        if now > last.time:
            self._blocks.append(_Block(now, last.root))
            self._answers.clear()

    def _machine(self, block: int) -> Any:
        """The machine behind this block, as the next transaction finds it, at the next time."""
        behind = self._blocks[block]
        header = _HEADER(
            difficulty=0,
            block_number=block + 1,
            gas_limit=BLOCK_GAS,
            timestamp=behind.time + 1,
            state_root=behind.root,
            base_fee_per_gas=BASE_FEE,
        )
        return _VM(header, self._db, ChainContext(CHAIN_ID), None)

    def _seal(self, when: int, state: Any, data: bytes = b"") -> None:
        state.persist()
        self._blocks.append(_Block(when, state.state_root, data))
        self._answers.clear()

    def _latest(self) -> Any:
        return self._machine(len(self._blocks) - 1)

    # Asking

    def live_chain_id(self) -> int:
        """Always the same."""
        return CHAIN_ID

    @_asked
    def block(self) -> int:
        """The number of the latest block."""
        return len(self._blocks) - 1

    @_asked
    def now(self) -> int:
        """The time of the latest block."""
        return self._blocks[-1].time

    @_asked
    def time_of(self, block: int) -> int:
        """The time of a block."""
        return self._blocks[block].time

    @_asked
    def balance(self, address: str) -> int:
        """What an account has outside the Bank, in wei."""
        return int(self._latest().state.get_balance(_bytes(address)))

    @_asked
    def code(self, address: str) -> bytes:
        """The contract at an address; empty if there is none."""
        return bytes(self._latest().state.get_code(_bytes(address)))

    @_asked
    def call(
        self,
        bank: str,
        data: bytes,
        sender: str | None = None,
        value: int = 0,
        block: int | str = "latest",
    ) -> bytes:
        """Ask the Bank, changing nothing; raise `BankRefused`."""
        if isinstance(block, int):
            return _answer(self._machine(block), bank, data, sender, value)
        question = bank, data, sender, value
        if question not in self._answers:
            self._answers[question] = _answer(self._latest(), *question)
        return self._answers[question]

    @_asked
    def events(self, bank: str, game: bytes) -> list[BankEvent]:
        """What the Bank recorded of a game, in its order."""
        where = _bytes(bank)
        return [log.event for log in self._logs if (log.bank, log.game) == (where, game)]

    @_asked
    def bets(self, bank: str, first: int, last: int) -> list[Bet]:
        """The bets that the Bank took in these blocks; it is the only contract here."""
        found = (abi.bet_in(block.data) for block in self._blocks[first : last + 1])
        return [bet for bet in found if bet is not None]

    # Sending

    @_asked
    def count(self, address: str, which: str = "latest") -> int:
        """How many transactions of an account are in blocks: none is ever on its way."""
        return int(self._latest().state.get_nonce(_bytes(address)))

    def price(self) -> Price:
        """Always the same."""
        return Price(BASE_FEE, LEAST_TIP)

    def estimate(self, sender: str, draft: Draft) -> int:
        """Gas is counted as everywhere: the usual limits do."""
        return 0

    def sign(self, key: Key, nonce: int, draft: Draft, fees: Fees) -> Signed:
        """Sign a transaction for this chain."""
        unsigned = _VM.get_transaction_builder().new_unsigned_dynamic_fee_transaction(
            chain_id=CHAIN_ID,
            nonce=nonce,
            max_priority_fee_per_gas=fees.tip,
            max_fee_per_gas=fees.most,
            gas=draft.gas,
            to=b"" if draft.to is None else _bytes(draft.to),
            value=draft.value,
            data=draft.data,
            access_list=(),
        )
        raw = unsigned.as_signed_transaction(PrivateKey(key.export())).encode()
        return Signed(raw, keccak(raw), fees)

    @_asked
    def broadcast(self, transaction: Signed) -> None:
        """Put a transaction into a block; raise `NodeDeclined` if it cannot be there."""
        vm = self._latest()
        sent = vm.get_transaction_builder().decode(transaction.raw)
        header = vm.get_header()
        try:
            receipt, computation = vm.apply_transaction(header, sent)
        except ValidationError as error:
            raise NodeDeclined(f"the node at {self.name} declines: {error}") from None
        done = not computation.is_error
        self._seal(header.timestamp, vm.state, sent.data if done else b"")
        events = []
        for log in receipt.logs:
            topics = [topic.to_bytes(32, "big") for topic in log.topics]
            events.append(abi.event(topics, log.data))
            self._logs.append(_Log(log.address, topics[1], events[-1]))
        made = computation.msg.storage_address if computation.msg.is_create else None
        self._mined[transaction.hash] = Mined(
            transaction.hash,
            header.block_number,
            done,
            None if made is None else checksummed(made.hex()),
            events,
        )

    def knows(self, transaction: Signed) -> bool:
        """Whether it is in a block."""
        return transaction.hash in self._mined

    def receipt(self, transaction: Signed) -> Mined | None:
        """What became of a transaction."""
        return self._mined.get(transaction.hash)


def _answer(vm: Any, bank: str, data: bytes, sender: str | None, value: int) -> bytes:
    to, asker = _bytes(bank), bytes(20) if sender is None else _bytes(sender)
    computation = vm.execute_bytecode(
        origin=asker,
        gas_price=0,
        gas=ASKING,
        to=to,
        sender=asker,
        value=value,
        data=data,
        code=vm.state.get_code(to),
    )
    if computation.is_error:
        raise abi.refusal(bytes(computation.output))
    return bytes(computation.output)


def _bytes(address: str) -> bytes:
    return bytes.fromhex(address.removeprefix("0x"))
