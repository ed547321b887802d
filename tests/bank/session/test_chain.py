"""A whole session on ``anvil``: an honest evening, and disputes that the Bank decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fairground.bank import session as lines
from fairground.bank.audit import settled_session, verify_session
from fairground.bank.bank_port import GameOutcome, Phase
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.croupier.session import SessionCroupier
from fairground.bank.croupier_port import Declined
from fairground.bank.duties import settle
from fairground.bank.hand import Hand
from fairground.bank.messages import Domain, Key, ReplacementOrder
from fairground.bank.player.session import SessionPlayer
from fairground.core import FairgroundError
from fairground.games.poker.rules import Poker
from tests.bank.session.test_programs import ORDERS, Moody
from tests.helpers.anvil import anvil
from tests.helpers.bank_game import enter
from tests.helpers.session_journal import MemoryJournal
from tests.helpers.width import WIDE

CHIP, STEP_TIME, ETHER = 10**12, 60, 10**18
HOUSE, GUEST = Key(6201), Key(6202)


class ChainHall:
    """A Bank on a chain, a Croupier with moods, and a Player."""

    def __init__(self, bank: ChainBank, node: ChainNode) -> None:
        self.bank, self.node = bank, node
        self.croupier = Moody(bank, HOUSE, 20_000 * CHIP, MemoryJournal())

    async def has(self) -> int:
        return (await self.bank.account(GUEST.address)).available

    async def phase(self) -> int:
        return (await self.bank.session(HOUSE.address, GUEST.address)).phase

    async def sit(self) -> SessionPlayer:
        return await SessionPlayer.open(self.bank, self.croupier, GUEST, 100 * CHIP)

    async def broken_off(self, player: SessionPlayer) -> Hand:
        """A hand to its end, whose state the Croupier does not sign."""
        self.croupier.silent_at = "state"
        with pytest.raises(Declined):
            await player.deal(1, 5)
            await player.draw(ORDERS[0])
        self.croupier.silent_at = ""
        hand = player.held().hand
        assert hand is not None
        return hand

    async def until_over(self, go_on: Callable[[], Awaitable[bool]]) -> None:
        for _ in range(8):
            if await go_on():
                return
            self.node.rpc("evm_increaseTime", STEP_TIME + 1)
            self.node.rpc("evm_mine")
        raise AssertionError("it does not end")


async def an_honest_evening(hall: ChainHall) -> None:
    player, won = await hall.sit(), 0
    for order in ORDERS:
        await player.deal(1, 3)
        won += await player.draw(order)
    await player.close()
    assert await hall.has() == 1_000 * CHIP + won
    record = player.record
    assert verify_session(record.data).hands == len(ORDERS)

    async def opened(_: Domain) -> Any:
        return await ChainBank.open(hall.node, hall.bank.address)

    assert "closed the session after 4 hands" in await settled_session(record.data, opened)


async def a_croupier_who_saw_the_draw(hall: ChainHall) -> None:
    """He does not sign the state: the Player alone brings the hand, and the Bank pays it."""
    before, player = await hall.has(), await hall.sit()
    hand = await hall.broken_off(player)
    await hall.until_over(player.settle)
    game = await hall.bank.game(hand.bet.key)
    assert game.outcome == GameOutcome.SETTLED
    prize = Poker(1, 5).prize(game.cards) * CHIP
    assert await hall.has() == before - hand.bet.stake + prize


async def a_player_who_saw_the_draw(hall: ChainHall) -> None:
    """The Player brings another order to the Bank: the Croupier shows the first one."""
    before, player = await hall.has(), await hall.sit()
    hand = await hall.broken_off(player)
    other = (1, 1, 1, 1, 1)
    signature = GUEST.sign(hall.bank.domain, ReplacementOrder.of(hand.bet, other))
    lying = hand._replace(order=other, order_signature=signature, acceptance=None)
    held = player.held()._replace(hand=lying)
    made: list[str] = []
    hall.bank.watch = lambda sender, call: made.append(type(call).__name__)

    async def go_on() -> bool:
        await settle(hall.bank, GUEST, held)
        return await hall.croupier.settle(player.name)

    await hall.until_over(go_on)
    assert made[-1] == "ComplainTwoOrders"
    assert await hall.has() == before - hand.bet.stake


async def a_croupier_who_stops(hall: ChainHall, silent_at: str) -> None:
    """At any of his words: the Player ends with what was signed, or with the price of silence."""
    before, player = await hall.has(), await hall.sit()
    hall.croupier.silent_at = silent_at
    with pytest.raises(FairgroundError):
        await player.deal(1, 5)
        await player.draw(ORDERS[0])
    hall.croupier.silent_at = ""
    await hall.until_over(player.settle)
    price = 0 if silent_at in ("bet", "seed 0") else 5 * CHIP
    assert await hall.has() == before + price


async def a_player_who_stops(hall: ChainHall, silent_at: str) -> None:
    """Before the order, or with seed 1 in hand: the stake is lost, and no more."""
    before, player = await hall.has(), await hall.sit()
    if silent_at == "order":
        await player.deal(1, 5)
    else:
        await hall.broken_off(player)
    await hall.until_over(lambda: hall.croupier.settle(player.name))
    assert await hall.has() == before - 5 * CHIP


async def an_old_state(hall: ChainHall) -> None:
    """The Player claims how it began: the Croupier brings what both signed last."""
    before, player = await hall.has(), await hall.sit()
    beginning, won = player.signed, 0
    while won >= 0:
        await player.deal(1, 1)
        won += await player.draw(ORDERS[0])
    await hall.bank.send(GUEST, beginning.claim(player.terms))
    await hall.until_over(lambda: hall.croupier.settle(player.name))
    assert await hall.has() == before + won


async def closed_at_last(hall: ChainHall, player: SessionPlayer, croupier: SessionCroupier) -> None:
    """Two blocks later both say that it is over, and the Bank paid what both signed."""
    assert await hall.phase() == Phase.CLOSED
    await croupier.visit(player.name)
    assert not await player.is_closed() and not player.page.closed, "it may be taken back"
    assert await croupier.journal.open_sessions() == [player.name]
    hall.node.rpc("anvil_mine", 2)
    await croupier.visit(player.name)
    assert await croupier.journal.open_sessions() == []
    assert await player.is_closed()
    assert await player.paid() == player.share


async def lost_evening(hall: ChainHall, croupier: SessionCroupier) -> SessionPlayer:
    """An evening in which the Player lost something, up to the last hand."""
    opening = SessionPlayer.open(hall.bank, croupier, GUEST, 100 * CHIP, confirmations=2)
    player_coming = asyncio.create_task(opening)
    while await hall.phase() != Phase.OPEN:
        await asyncio.sleep(0)
    hall.node.rpc("anvil_mine", 2)
    player = await player_coming
    while player.share >= 100 * CHIP:
        await player.deal(1, 1)
        await player.draw((1, 1, 1, 1, 1))
    return player


@pytest.fixture
@asynccontextmanager
async def hall() -> AsyncIterator[ChainHall]:
    with anvil("--hardfork", "prague") as process:
        node = process.node()
        for key in (HOUSE, GUEST):
            node.rpc("anvil_setBalance", key.address, hex(10 * ETHER))
        bank = await ChainBank.open(process.url, await deploy(node, HOUSE, CHIP, STEP_TIME))
        await enter(bank, HOUSE, 50_000 * CHIP)
        await enter(bank, GUEST, 1_000 * CHIP)
        yield ChainHall(bank, node)
        await bank.close()


async def test_a_close_counts_when_the_bank_has_it_for_good(
    hall: ChainHall, caplog: pytest.LogCaptureFixture
) -> None:
    """An empty purse, and a chain that takes the closing block back: he notices both."""
    bank, node = hall.bank, hall.node
    croupier = SessionCroupier(bank, HOUSE, 20_000 * CHIP, MemoryJournal(), confirmations=2)

    player = await lost_evening(hall, croupier)
    node.rpc("anvil_setBalance", HOUSE.address, "0x0")
    await player.close()
    assert player.page.closing and not player.page.closed
    assert await hall.phase() == Phase.OPEN
    assert "InsufficientFunds" in croupier.trouble[player.name]
    assert "InsufficientFunds" in caplog.text
    beginning = lines.beginning(player.terms)
    await bank.send(GUEST, beginning.claim(player.terms))  # what was lost would be back
    node.rpc("anvil_setBalance", HOUSE.address, hex(10 * ETHER))
    await croupier.visit(player.name)
    assert croupier.trouble == {}
    await closed_at_last(hall, player, croupier)

    player = await lost_evening(hall, croupier)
    await player.close()
    assert await hall.phase() == Phase.CLOSED
    node.rpc("anvil_rollback", 1)
    assert await hall.phase() == Phase.OPEN
    await croupier.visit(player.name)
    await closed_at_last(hall, player, croupier)


STOPS = ["bet", "seed 0", "order", "seed 1", "acceptance"] if WIDE else ["acceptance"]


async def test_an_evening_and_every_dispute(hall: ChainHall) -> None:
    await an_honest_evening(hall)
    await a_croupier_who_saw_the_draw(hall)
    await a_player_who_saw_the_draw(hall)
    hall.bank.watch = None
    await an_old_state(hall)
    for silent_at in STOPS:
        await a_croupier_who_stops(hall, silent_at)
    for silent_at in ("order", "seed 1") if WIDE else ("seed 1",):
        await a_player_who_stops(hall, silent_at)
