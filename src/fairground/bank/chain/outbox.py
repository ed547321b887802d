"""The transactions of one account: nonces in order, and no call made twice by mistake.

A transaction that was sent may be mined at once, late, or never; its sender cannot know.
So the outbox keeps every *letter* until it is in a block. A letter whose sender gave up
waiting (`BankAway`) is left over, and **the next equal call stands for it**. The outbox
looks for its receipt first, then makes it dearer and sends it again *under the same
nonce*. So at most one of all its versions can ever count.

::

    send ──> left over? ──no──> try it without a transaction ──> sign, note, hand over ──┐
                │ yes                                                                    v
                ├── in a block ──────────────────────────────────────────────> receipt <─┤
                ├── another took its nonce: forget it, send anew                         │
                └── neither: dearer, same nonce ─────────────────────────────────────────┘

A waiting letter is made dearer as soon as the price of gas has passed it. So is every letter
that it waits behind: an urgent call must not be stuck behind a cheap one. `Spending` sets the
limit.

Letters live in this process. After a restart the next call is tried first, as always, and
the contract itself refuses or ignores a repeated one. Only a deposit would be made twice, so
ask for the account before making one again. An urgent call replaces a cheap transaction that
the last run left in the node.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from fairground.bank.bank_port import AS_USUAL, BankAway, BankRefused, Spending
from fairground.bank.chain.gas import DEAREST, LEAST_TIP, Fees
from fairground.bank.chain.node import ChainNode, Draft, Mined, NodeDeclined, Signed
from fairground.bank.messages import Key

T = TypeVar("T")

FIRST_LOOK: Final = 0.02
"""Seconds between the first two looks for a receipt; each pause is twice the last one."""

LONGEST_PAUSE: Final = 1.0

ROOM: Final = 130
"""Per cent of what a node expects a call to use, for chains that count gas in their own way."""

PRICE_CHECK: Final = 3.0
"""Seconds between two looks at the price of gas while a letter waits."""


class AskNode(Protocol):
    """Run a method of the node where waiting harms nobody."""

    async def __call__(self, method: Callable[..., T], /, *values: Any) -> T:
        """Its result."""


@dataclass(eq=False)
class Letter:
    """One call on its way: every version of its transaction has the same nonce."""

    asked: Draft
    """The call as it was asked for: an equal one stands for this letter."""
    draft: Draft
    nonce: int
    versions: list[Signed]
    spending: Spending
    awaited: bool = True
    """False if its sender gave up: the letter is left over."""

    @property
    def cost(self) -> int:
        """Return the most that the letter takes out of the purse, in wei."""
        return self.draft.value + self.draft.gas * self.versions[-1].fees.most


def ceiling(draft: Draft, spending: Spending) -> int:
    """Return the maximum wei for a unit of gas in this call."""
    return max(DEAREST, spending.at_stake // draft.gas)


class Outbox:
    """One account that sends."""

    def __init__(self, node: ChainNode, key: Key, ask: AskNode, patience: float) -> None:
        self._node, self._key, self._ask = node, key, ask
        self._patience = patience
        self._letters: list[Letter] = []
        self._lock = asyncio.Lock()

    async def send(self, draft: Draft, spending: Spending = AS_USUAL) -> Mined:
        """Send a call and wait for its block; raise `BankRefused` with the contract's reason.

        The call is tried without a transaction first: what would be refused costs no gas.
        """
        async with self._lock:
            letter = await self._left_over(draft, spending)
            if letter is None:
                letter = await self._write(draft, spending)
        try:
            mined = await self._delivered(letter)
        finally:
            letter.awaited = False
        if not mined.done:
            # It was fine when it was tried: something else came first.
            await self._try(draft)
            raise BankRefused("Overtaken")
        return mined

    async def _try(self, draft: Draft) -> None:
        if draft.to is not None:
            asked = (draft.to, draft.data, self._key.address, draft.value)
            try:
                await self._ask(self._node.call, *asked, draft.block)
            except NodeDeclined:  # a node need not know a pending block
                await self._ask(self._node.call, *asked)

    async def _left_over(self, draft: Draft, spending: Spending) -> Letter | None:
        for letter in self._letters:
            if letter.asked == draft and not letter.awaited:
                break
        else:
            return None
        letter.awaited, letter.spending = True, spending
        try:
            if await self._receipt(letter) is None:
                if await self._is_taken(letter):
                    self._letters.remove(letter)
                    return None
                await self._raise(letter, ceiling(draft, spending))
        except BaseException:
            letter.awaited = False
            raise
        return letter

    async def _fees(self, draft: Draft, spending: Spending) -> Fees:
        """Return the fees to offer: no more than the call is worth, and than the purse can pay."""
        price = await self._ask(self._node.price)
        worth = ceiling(draft, spending)
        fees = Fees.at(price, worth)
        if fees is None:
            raise BankAway(
                f"gas costs {price.base + price.tip} wei now, and for this call we pay {worth} at "
                "the most"
            )
        has = await self._ask(self._node.balance, self._key.address)
        under_way = sum(letter.cost for letter in self._letters)
        # What is at stake may use what other letters would take at the most, but may not need.
        for kept in (under_way + spending.keep, spending.keep)[: 2 if spending.at_stake else 1]:
            fees = Fees.at(price, min(worth, (has - kept - draft.value) // draft.gas))
            if fees is not None:
                return fees
        needed = spending.keep + draft.value + draft.gas * (price.base + price.tip)
        raise BankRefused("InsufficientFunds", (self._key.address, has, needed))

    async def _write(self, draft: Draft, spending: Spending) -> Letter:
        asked = draft
        fees = await self._fees(draft, spending)
        await self._try(draft)
        needs = await self._ask(self._node.estimate, self._key.address, draft) * ROOM // 100
        if needs > draft.gas:
            draft = draft._replace(gas=needs)
            fees = await self._fees(draft, spending)
        stuck = await self._left_behind() if spending.at_stake else None
        while True:
            nonce = await self._free_nonce() if stuck is None else stuck
            signed = self._node.sign(self._key, nonce, draft, fees)
            letter = Letter(asked, draft, nonce, [signed], spending)
            self._letters.append(letter)  # before the node has it: from then on it may count
            try:
                await self._hand_over(letter)
            except NodeDeclined:
                self._letters.remove(letter)
                if stuck is not None:
                    stuck = None  # what is there is not so cheap: wait behind it
                    continue
                if await self._ask(self._node.count, self._key.address, "pending") > nonce:
                    continue  # another program sends from this account: take the next number
                raise
            except BaseException:
                letter.awaited = False
                raise
            return letter

    async def _free_nonce(self) -> int:
        """The first number that neither the node nor we have given away.

        After a reorganisation that is a gap, and filling it frees what waits behind it.
        """
        nonce = await self._ask(self._node.count, self._key.address, "pending")
        taken = {letter.nonce for letter in self._letters}
        while nonce in taken:
            nonce += 1
        return nonce

    async def _left_behind(self) -> int | None:
        """The number of a transaction in no block yet that an earlier run of the program sent.

        If it is too cheap, everything behind it waits. We cannot make it dearer, since we do not
        know it any more; but a dearer call may take its place.
        """
        first = await self._ask(self._node.count, self._key.address)
        following = await self._ask(self._node.count, self._key.address, "pending")
        ours = {letter.nonce for letter in self._letters}
        return first if first < following and first not in ours else None

    async def _hand_over(self, letter: Letter) -> None:
        try:
            await self._ask(self._node.broadcast, letter.versions[-1])
        except NodeDeclined:
            if not await self._ask(self._node.knows, letter.versions[-1]):
                raise

    async def _push(self, letter: Letter) -> None:
        """Make dearer what is too cheap for the next block: this letter, and those before it.

        All that together may cost what is at stake in this letter.
        """
        async with self._lock:
            before = [other for other in self._letters if other.nonce <= letter.nonce]
            share = letter.spending.at_stake // sum(other.draft.gas for other in before)
            base = (await self._ask(self._node.price)).base
            for other in before:
                if other.versions[-1].fees.most < base + LEAST_TIP:
                    await self._raise(other, max(ceiling(other.draft, other.spending), share))

    async def _raise(self, letter: Letter, most: int) -> None:
        """Offer more for a letter that is not taken up: a version that replaces the last."""
        market = Fees.at(await self._ask(self._node.price), most)
        fees = letter.versions[-1].fees
        fees = fees.raised(market or fees)
        if fees.most <= most:
            signed = self._node.sign(self._key, letter.nonce, letter.draft, fees)
            letter.versions.append(signed)
        with suppress(NodeDeclined):  # an earlier version may be in a block by now
            await self._hand_over(letter)

    async def _receipt(self, letter: Letter) -> Mined | None:
        for version in reversed(letter.versions):
            mined = await self._ask(self._node.receipt, version)
            if mined is not None:
                return mined
        return None

    async def _is_taken(self, letter: Letter) -> bool:
        """Return whether another transaction has its nonce, so that it can never count."""
        if await self._ask(self._node.count, self._key.address) <= letter.nonce:
            return False
        return await self._receipt(letter) is None

    async def _delivered(self, letter: Letter) -> Mined:
        until = time.monotonic() + self._patience
        next_check = time.monotonic() + PRICE_CHECK
        pause = FIRST_LOOK
        while True:
            mined = await self._receipt(letter)
            if mined is not None:
                self._letters.remove(letter)
                return mined
            if await self._is_taken(letter):
                self._letters.remove(letter)
                raise BankAway(
                    "another transaction of this account took the place of ours; send it again"
                )
            if time.monotonic() >= next_check:
                await self._push(letter)
                next_check = time.monotonic() + PRICE_CHECK
            await self._remind(letter)
            if time.monotonic() >= until:
                raise BankAway(
                    f"the transaction 0x{letter.versions[-1].hash.hex()} is in no block after "
                    f"{self._patience:g} seconds; it may still come"
                )
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _remind(self, letter: Letter) -> None:
        """Hand over again what the node has dropped: this letter, and what it waits behind."""
        for other in list(self._letters):
            if other.nonce <= letter.nonce and not await self._ask(
                self._node.knows, other.versions[-1]
            ):
                with suppress(NodeDeclined):
                    await self._hand_over(other)
