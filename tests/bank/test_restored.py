"""An old copy of the Croupier's database is restored, after he told more than the copy knows.

The copy is made by `fairground backup` and restored by `fairground restore`. The Player remembers
everything, and tries to use it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fairground.bank.audit import verify_session
from fairground.bank.bank_port import BankGame, GameOutcome, Phase, Step
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier_port import Closed
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.ledger.lines import read_ledger
from fairground.bank.player.session import SessionPlayer
from fairground.cli import main
from fairground.store.sqlite import SqliteStore
from tests.helpers.croupier import CHIP, ORDER, STANDS, STEP_TIME, Clock, House

OTHER = (1, 1, 1, 1, 1)
STAKE = 5 * CHIP
FUNDS = 60 * CHIP


async def with_a_copy(
    house: House,
    folder: Path,
    begin: Callable[[House, Croupier], Awaitable[None]],
    go_on: Callable[[House, Croupier], Awaitable[None]],
    after: Callable[[House, Croupier], Awaitable[None]],
) -> None:
    """``begin`` is in the copy, ``go_on`` is not; ``after`` plays where the copy was restored."""
    croupier = house.croupier()
    await begin(house, croupier)
    await command("backup", f"{folder}/copy.db", "--database", f"sqlite:///{folder}/croupier.db")
    await go_on(house, croupier)
    again = f"sqlite:///{folder}/again.db"
    await command("restore", f"{folder}/copy.db", "--database", again)
    async with opened(again, house) as restored:
        await after(restored, restored.croupier())
        assert read_ledger(await restored.ledger.lines()).step > 1, "every line verifies"


async def command(*words: str) -> None:
    assert await asyncio.to_thread(main, [*words]) == 0


@asynccontextmanager
async def opened(database: str, before: House) -> AsyncIterator[House]:
    store = await SqliteStore.open(database)
    clock = Clock()
    ledger = await LedgerBank.open(store, clock=clock)
    house = House(store, ledger, clock)
    house.guest.seeds = before.guest.seeds
    try:
        yield house
    finally:
        await ledger.close()
        await store.close()


class Played:
    """A hand by hand, up to some stage; the same bet and seeds before and after the restore."""

    def __init__(self, until: str) -> None:
        self.until = until

    async def begin(self, house: House, croupier: Croupier) -> None:
        self.offer = await croupier.offer(house.guest.address)
        self.bet = house.guest.bet_on(self.offer)
        await self.on(house, croupier, self.until)

    async def on(
        self, house: House, croupier: Croupier, until: str, order: tuple[int, ...] = ORDER
    ) -> None:
        """Say what he waits for, up to this stage; or until he does not go on."""
        for _ in range(12):
            if (await croupier.look(self.offer.id)).stage == until:
                return
            await house.guest.say_next(croupier, self.offer, self.bet, order)
            await croupier.pump()

    async def to_the_end(self, house: House, croupier: Croupier) -> None:
        await self.on(house, croupier, "over")
        sight = await croupier.look(self.offer.id)
        assert None not in sight.seeds, "the Player knows both of his seeds"

    async def game(self, house: House) -> BankGame:
        return await house.ledger.game(self.bet.key)


async def test_nobody_orders_again_with_the_draw_in_mind(house: House, tmp_path: Path) -> None:
    """The copy is of the moment before the order. Then it was given, and seed 1 was told."""
    hand = Played("awaits-order")

    async def after(house: House, croupier: Croupier) -> None:
        total = sum(await house.wealth())
        await hand.on(house, croupier, "over", OTHER)
        sight = await croupier.look(hand.offer.id)
        assert sight.stage == "order-sent", "he hears the order, and says nothing"
        assert sight.seeds[1] is None
        assert "restored from a copy" in sight.trouble
        assert (await hand.game(house)).step == Step.ORDER_SUBMITTED
        house.clock.time += STEP_TIME + 1
        await croupier.pump()
        await croupier.pump()
        assert (await hand.game(house)).outcome == GameOutcome.CROUPIER_FORFEITED, "he pays"
        assert (await croupier.look(hand.offer.id)).stage == "over"
        locked = STAKE + hand.bet.top_prize - STAKE  # the stake was his with seed 0
        assert sum(await house.wealth()) == total + locked, "no wei is lost"
        assert not (await house.ledger.account(house.guest.address)).open_games

    await with_a_copy(house, tmp_path, hand.begin, hand.to_the_end, after)


@pytest.mark.parametrize("until", ["offered", "bet-sent"])
async def test_no_bet_is_taken_on_seeds_that_may_be_known(
    house: House, tmp_path: Path, until: str
) -> None:
    """The Player could choose seeds of their own that make a royal flush of his."""
    hand = Played("offered")

    async def begin(house: House, croupier: Croupier) -> None:
        await hand.begin(house, croupier)
        if until == "bet-sent":  # written down by him, and not at the Bank yet
            await croupier.bet(hand.offer.id, hand.bet, house.guest.sign(hand.bet))

    async def after(house: House, croupier: Croupier) -> None:
        before = await house.wealth()
        await croupier.pump()
        sight = await croupier.look(hand.offer.id)
        assert (sight.stage, sight.seeds) == ("over", (None, None))
        assert "restored from a copy" in sight.trouble
        if until == "offered":
            with pytest.raises(Closed, match="restored from a copy"):
                await croupier.bet(hand.offer.id, hand.bet, house.guest.sign(hand.bet))
        assert (await hand.game(house)).step == Step.NONE
        offer = await croupier.offer(house.guest.address)
        assert not {*offer.commitments} & {*hand.offer.commitments}, "fresh seeds"
        assert (await house.wealth())[1] == before[1]

    await with_a_copy(house, tmp_path, begin, hand.to_the_end, after)


async def test_what_was_told_in_the_copy_is_settled(house: House, tmp_path: Path) -> None:
    """Both seeds were told in it, for one order: nothing new is told by going on."""
    hand = Played("awaits-seed-1")
    won = []

    async def go_on(house: House, croupier: Croupier) -> None:
        await hand.to_the_end(house, croupier)
        won.append(await house.wealth())

    async def after(house: House, croupier: Croupier) -> None:
        await hand.on(house, croupier, "over")
        assert (await hand.game(house)).outcome == GameOutcome.SETTLED
        assert await house.wealth() == won[0], "the same cards, the same prize"

    await with_a_copy(house, tmp_path, hand.begin, go_on, after)


class Evening:
    """A session in which a hand is open when the copy is made."""

    player: SessionPlayer

    async def begin(self, house: House, croupier: Croupier) -> None:
        await croupier.prepare()
        guest, desk = house.guest, croupier.sessions
        self.player = await SessionPlayer.open(house.ledger, desk, guest.key, FUNDS)
        await self.player.deal(1, 1)
        await self.player.draw(ORDER)
        await self.player.deal(1, 1)

    async def go_on(self, house: House, croupier: Croupier) -> None:
        await self.player.draw(ORDER)
        await self.player.deal(1, 1)
        await self.player.draw(STANDS)

    def here(self, house: House, croupier: Croupier) -> SessionPlayer:
        """The same Player, with all that they know, where the copy was restored."""
        desk = croupier.sessions
        return SessionPlayer(house.ledger, desk, house.guest.key, self.player.page)


async def test_no_session_is_played_on(house: House, tmp_path: Path) -> None:
    evening = Evening()

    async def after(house: House, croupier: Croupier) -> None:
        total = sum(await house.wealth())
        await croupier.prepare()
        player = evening.here(house, croupier)
        hand = player.page
        with pytest.raises(Closed, match="restored from a copy"):
            await croupier.sessions.offer(hand.name, hand.signed.state.hands)
        await croupier.pump()
        kept = await house.ledger.session(house.key.address, house.guest.address)
        assert (kept.phase, kept.hands) == (Phase.CLAIMED, 1), "he claims what the copy has"
        await player.settle()
        kept = await house.ledger.session(house.key.address, house.guest.address)
        assert kept.hands == 3, "and the Player shows what both signed since"
        house.clock.time += 2 * STEP_TIME + 2
        await croupier.pump()
        await croupier.pump()
        kept = await house.ledger.session(house.key.address, house.guest.address)
        assert kept.phase == Phase.CLOSED
        *_, closed = await house.ledger.told(player.terms.struct_hash())
        assert closed.values["playerShare"] == hand.signed.state.player_share
        assert sum(await house.wealth()) == total + player.terms.total, "no wei is lost"
        await player.settle()
        assert verify_session(player.record.data).hands == 3

    await with_a_copy(house, tmp_path, evening.begin, evening.go_on, after)
