"""How the Croupier finds time for all his games, and what goes first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fairground.bank.bank_port import AS_USUAL, Spending, Step, SubmitReplacementOrder
from fairground.bank.croupier.service import SENDS, Turnstile
from fairground.bank.messages import Key
from tests.helpers.croupier import ORDER, Guest, House, Wrapped, in_house


def test_he_plays_by_himself_and_one_game_in_trouble_stops_no_other(tmp_path: Path) -> None:
    class Haunted(Wrapped):
        """Looking at one game fails in a way that nobody expects."""

        cursed = b""

        async def game(self, key: bytes, confirmations: int = 0) -> Any:
            if key == self.cursed:
                raise ZeroDivisionError
            return await super().game(key, confirmations)

    async def test(house: House) -> None:
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

    in_house(tmp_path, test)


def test_seed_1_does_not_wait_behind_calls_that_are_stuck(tmp_path: Path) -> None:
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

    async def test(house: House) -> None:
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

    in_house(tmp_path, test)


def test_the_most_urgent_goes_first() -> None:
    async def test() -> None:
        turnstile, passed = Turnstile(1), []
        open_up = asyncio.Event()

        async def go(name: str, urgency: tuple[int, int]) -> None:
            async with turnstile.turn(urgency):
                passed.append(name)
                await open_up.wait()

        async with asyncio.TaskGroup() as group:
            for name, urgency in (
                ("first", (1, 1)),
                ("settle", (1, 5)),
                ("seed, later", (0, 9)),
                ("seed", (0, 7)),
            ):
                group.create_task(go(name, urgency))
            gone = group.create_task(go("gone", (0, 0)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            gone.cancel()
            open_up.set()
        assert passed == ["first", "seed", "seed, later", "settle"]

    asyncio.run(test())
