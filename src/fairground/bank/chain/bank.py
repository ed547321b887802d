"""`ChainBank`: the Bank as a contract on a chain, reached through any JSON-RPC node.

Nothing is remembered that a reorganisation could change: every question goes to the node.
Only the chain's number and the Bank's terms are kept, and after the node was away they are
compared again, since another chain may answer at the same address.

A node waits for its answers, so it is asked from threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from fairground.bank.bank_port import (
    AS_USUAL,
    NO_GAME,
    NO_SESSION,
    Account,
    Bank,
    BankAway,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    DepositFunds,
    Spending,
    WrongBank,
)
from fairground.bank.chain import abi
from fairground.bank.chain.gas import DEPLOYMENT, LIMITS
from fairground.bank.chain.node import ChainNode, Draft
from fairground.bank.chain.outbox import Outbox
from fairground.bank.messages import Key
from fairground.bank.signatures import checksummed
from fairground.core import InputError

T = TypeVar("T")

PATIENCE: Final = 90.0
"""Seconds that a transaction may take to come into a block; a few blocks of a slow chain."""


class OtherChain(WrongBank):
    """The node is on another chain than the one that is meant."""

    code = "bank/other-chain"


class ChainBank(Bank):
    """A Bank on a chain. Make one with `open`, which looks at its code."""

    def __init__(self, node: ChainNode, address: str, patience: float) -> None:
        """Ask the node for the terms; raise `WrongBank` unless our contract is there."""
        self.node = node
        self.address = checksummed(address)
        self.domain = node.domain(address)
        self.terms = node.terms(address)
        self.trusted = node.trusted
        self._patience = patience
        self._outboxes: dict[str, Outbox] = {}
        self._in_doubt = False

    @classmethod
    async def open(
        cls,
        where: str | ChainNode,
        address: str,
        *,
        chain_id: int | None = None,
        patience: float = PATIENCE,
    ) -> ChainBank:
        """The Bank at this address, as soon as its code is found to be ours to the byte.

        ``where`` is a node or its URL. ``chain_id`` is the chain that one means to play
        on, where that is known: a Bank on any other is refused. ``patience`` is how long,
        in seconds, a transaction may take to come into a block.
        """
        node = await asyncio.to_thread(ChainNode, where) if isinstance(where, str) else where
        if chain_id is not None and chain_id != node.chain_id:
            raise OtherChain(f"the node is on the chain {node.chain_id}, not on {chain_id}")
        return await asyncio.to_thread(cls, node, address, patience)

    async def _ask(self, method: Callable[..., T], *values: Any) -> T:
        if self._in_doubt:
            await asyncio.to_thread(self._look_again)
            self._in_doubt = False
        try:
            return await asyncio.to_thread(method, *values)
        except BankAway:
            self._in_doubt = True
            raise

    def _look_again(self) -> None:
        """Make sure that what answers after a silence is the Bank that fell silent."""
        now = self.node.live_chain_id()
        if now != self.domain.chain_id:
            raise OtherChain(f"the node is on the chain {now} now, not on {self.domain.chain_id}")
        if self.node.terms(self.address) != self.terms:
            raise WrongBank("the Bank at this address is another now")

    async def now(self) -> int:
        return await self._ask(self.node.now)

    async def purse(self, owner: str) -> int:
        return await self._ask(self.node.balance, owner)

    async def account(self, owner: str) -> Account:
        return Account(*await self._view(0, "getAccount", owner))

    async def next_game_id(self, croupier: str, player: str) -> int:
        return int(await self._view(0, "getNextGameId", croupier, player))

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return BankGame(*(await self._view(confirmations, "getGame", key) or NO_GAME))

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        found = await self._view(confirmations, "getSession", croupier, player)
        return BankSession(*(found or NO_SESSION))

    async def _view(self, confirmations: int, name: str, *values: Any) -> Any:
        return await self._ask(self.node.view, self.address, confirmations, name, *values)

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        return await self._ask(self.node.events, self.address, key)

    async def upkeep(self, calls: Iterable[type[Call]]) -> int:
        return (await self._ask(self.node.price)).upkeep(calls)

    async def block_time(self) -> float:
        return await self._ask(self.node.block_time)

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call in a transaction of the sender's; see `outbox` for what may go wrong.

        An equal call after `BankAway` stands for the one that went astray. A sender who
        cannot pay for the transaction is refused as ``InsufficientFunds``, too.
        """
        outbox = self._outboxes.get(sender.address)
        if outbox is None:
            outbox = Outbox(self.node, sender, self._ask, self._patience)
            self._outboxes[sender.address] = outbox
        value = call.amount if isinstance(call, DepositFunds) else 0
        timed = hasattr(call, "bet") or hasattr(call, "terms")
        block = "pending" if timed else "latest"
        draft = Draft(self.address, abi.encoded(call), value, LIMITS[type(call)], block)
        mined = await outbox.send(draft, spending)
        if self.watch is not None:
            self.watch(sender, call)
        return mined.events


async def deploy(
    node: ChainNode, key: Key, chip_cost: int, step_time: int, patience: float = PATIENCE
) -> str:
    """Make a new Bank, paid for by this key, and return its address."""
    try:
        outbox = Outbox(node, key, asyncio.to_thread, patience)
        data = abi.deployment(chip_cost, step_time)
        mined = await outbox.send(Draft(None, data, 0, DEPLOYMENT))
    except BankRefused as refused:
        if refused.name != "InsufficientFunds":
            raise
        _, has, needed = refused.values
        raise InputError(
            f"{key.address} has {in_ether(has)} ether on the chain {node.chain_id}, and to make a "
            f"Bank it must have {in_ether(needed)}: send it some, and try again"
        ) from None
    assert mined.address is not None
    return mined.address


def in_ether(wei: int) -> str:
    """Money of a chain for people, cut after six digits."""
    whole, rest = divmod(wei, 10**18)
    return f"{whole}.{rest // 10**12:06d}"
