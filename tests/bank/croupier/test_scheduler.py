"""How the Croupier finds time for all his games, what goes first, and what his operator hears."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from fairground.bank.bank_port import (
    AS_USUAL,
    Spending,
    Step,
    SubmitCroupierSeed,
    SubmitReplacementOrder,
)
from fairground.bank.croupier.service import SENDS, OperatorReport, as_metrics
from fairground.bank.messages import Key
from tests.helpers.croupier import ORDER, STEP_TIME, Guest, House, Wrapped
from tests.helpers.player import Muffled


async def test_he_plays_by_himself_and_one_game_in_trouble_stops_no_other(house: House) -> None:
    class Haunted(Wrapped):
        """Looking at one game fails in a way that nobody expects."""

        cursed = b""

        async def game(self, key: bytes, confirmations: int = 0) -> Any:
            if key == self.cursed:
                raise ZeroDivisionError
            return await super().game(key, confirmations)

    bank = house.bank = Haunted(house.ledger)
    other = Guest(house.bank, 1)
    await other.arrive(house.ledger)
    async with house.croupier() as croupier:
        stuck = await croupier.offer(other.address)
        lost = other.bet_on(stuck)
        bank.cursed = lost.key
        await croupier.bet(stuck.id, lost, other.sign(lost))
        offer = await croupier.offer(house.guest.address)
        bet = house.guest.bet_on(offer)
        while (await house.guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
            await asyncio.sleep(0.001)
        assert (await croupier.look(stuck.id)).stage == "bet-sent"
        bank.cursed = b""
        while (await other.say_next(croupier, stuck, lost, ORDER)).stage != "over":
            await asyncio.sleep(0.001)


async def test_seed_1_does_not_wait_behind_calls_that_are_stuck(house: House) -> None:
    class Slow(Wrapped):
        """One call at a time, and each waits until the test lets it through."""

        def __init__(self, bank: Any) -> None:
            super().__init__(bank)
            self.sent: list[str] = []
            self.gate = asyncio.Semaphore(10**6)

        async def send(self, sender: Key, call: Any, spending: Spending = AS_USUAL) -> Any:
            self.sent.append(type(call).__name__)
            await self.gate.acquire()
            return await super().send(sender, call, spending)

    bank = house.bank = Slow(house.ledger)
    guests = [Guest(house.bank, number) for number in range(1, SENDS + 3)]
    async with house.croupier() as croupier:
        games = []
        for guest in guests:
            await guest.arrive(house.ledger)
            offer = await croupier.offer(guest.address)
            games.append((guest, offer, guest.bet_on(offer)))
        first, *others = games
        await first[0].say_next(croupier, *first[1:], ORDER)
        while (await house.ledger.game(first[2].key)).step != Step.HAND_DEALT:
            if (await croupier.look(first[1].id)).stage == "awaits-seed-0":
                await first[0].say_next(croupier, *first[1:], ORDER)
            await asyncio.sleep(0.001)
        # The Bank stands still; bets fill the queue, and then an order wants an answer.
        bank.gate = asyncio.Semaphore(0)
        bank.sent.clear()
        order = SubmitReplacementOrder(first[2], ORDER, first[0].sign_order(first[2], ORDER))
        for guest, offer, bet in others:
            await croupier.bet(offer.id, bet, guest.sign(bet))
        while len(bank.sent) < SENDS:
            await asyncio.sleep(0.001)
        await house.ledger.send(first[0].key, order)
        while len(bank.sent) == SENDS:
            await asyncio.sleep(0.001)
        assert bank.sent[SENDS:] == ["SubmitCroupierSeed"]
        bank.gate = asyncio.Semaphore(10**6)


async def test_a_loss_is_told_before_it_happens(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fairground.croupier")

    bank = house.bank = Muffled(house.ledger)
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    assert await croupier.report() == OperatorReport(0, 0, None, None, 0, 0)
    while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "awaits-order":
        await croupier.pump()
    assert (await croupier.report()).next_deadline is None  # it is the Player's turn
    await croupier.order(offer.id, ORDER, guest.sign_order(bet, ORDER))

    bank.lost = lambda call: isinstance(call, SubmitCroupierSeed)
    await croupier.pump()
    report = await croupier.report()
    assert (report.next_deadline, report.games_at_risk) == (STEP_TIME, 0)
    for passed, level in ((STEP_TIME // 2 + 1, "WARNING"), (STEP_TIME // 3, "ERROR")):
        house.clock.time += passed
        caplog.clear()
        await croupier.pump()
        await croupier.pump()
        waits = "waits for the Bank to take his seed 1 (the call got lost)"
        (told,) = [r for r in caplog.records if waits in r.message]
        assert told.levelname == level
    assert f"is at risk: {2 * bet.stake} wei are lost at the deadline" in caplog.text
    report = await croupier.report()
    assert (report.games_at_risk, report.at_stake) == (1, 2 * bet.stake)
    bank.lost = lambda call: False
    while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
        await croupier.pump()
    assert (await croupier.report()).open_games == 0


def test_for_prometheus() -> None:
    text = as_metrics(OperatorReport(3, 10**18, 12, None, 0, 0))
    assert "fairground_croupier_bank_answers 1\n" in text
    assert "fairground_croupier_games_in_purse 12\n" in text
    assert "next_deadline" not in text
    named = [line.split()[2] for line in text.splitlines() if line.startswith("# HELP")]
    assert [line.split()[0] for line in text.splitlines() if line[0] != "#"] == named
    assert as_metrics(None).splitlines()[-1] == "fairground_croupier_bank_answers 0"
