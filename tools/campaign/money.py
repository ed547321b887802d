"""Kills while the Croupier and the ledger settle: no wei is lost, no hand is counted twice.

Players bet at the Croupier of an arena, hand by hand and in sessions, and say everything again
until it is answered. The arena is killed when a hand is settled or a session is closed. In the end
the whole ledger is run again, signature by signature, and compared with what each Player counted.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from tools.campaign.live import Arena

from fairground.bank.audit import verify_session
from fairground.bank.bank_port import BankAway, DepositFunds, SubmitPublicKey
from fairground.bank.calls import event_from_json
from fairground.bank.croupier.client import DeskClient, SessionDeskClient
from fairground.bank.ledger.bank import LedgerClient
from fairground.bank.ledger.lines import read_ledger
from fairground.bank.messages import Key
from fairground.bank.player.game import Side
from fairground.bank.player.notes import Notebook
from fairground.bank.player.player import PlayerClient
from fairground.bank.player.session import SessionPlayer
from fairground.clients.http import Http, Refused, Unreachable
from fairground.core import FairgroundError

GUESTS = 3
CHIPS = 5_000
HANDS = 3
"""Hands of one session."""

T = TypeVar("T")


class Bettor(threading.Thread):
    """Plays a hand, then a session, then a hand ...; counts what it should have."""

    def __init__(self, url: str, number: int, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self.key, self._url, self._chance = Key(900_000 + number), url, chance
        self.settling = threading.Event()
        """Set while a hand is being settled, or a session closed."""
        self.stop = False
        self.hands = self.sessions = self.in_sessions = self.repeated = 0
        self.counted = 0
        """The Player's expected money at the Bank, in wei."""
        self.failed: str | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._evening())
        except Exception as error:  # whatever it is, it goes into the report
            self.failed = "".join(traceback.format_exception(error))[-1500:]

    async def arrive(self) -> None:
        """While all is quiet: a key, and money at the Bank."""
        http = Http(tries=1)
        self.bank = await LedgerClient.open(self._url, http)
        self._desk = DeskClient(self._url, http)
        self.counted = CHIPS * self.bank.terms.chip_cost
        await self.bank.faucet(self.key.address, self.counted)
        proof = self.key.prove(self.bank.domain, self.key.address)
        await self.bank.send(self.key, SubmitPublicKey(self.key.address, proof))
        await self.bank.send(self.key, DepositFunds(self.counted))

    async def _until_it_works(self, do: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await do()
            except (Unreachable, BankAway):
                pass
            except Refused as refused:
                if refused.status not in (409, 429, 503):
                    raise
            self.repeated += 1
            await asyncio.sleep(0.05)

    def _order(self) -> tuple[int, ...]:
        return tuple(self._chance.randrange(2) for _ in range(5))

    async def _evening(self) -> None:
        side = Side(self.bank, self._desk, self.key, Notebook(), lambda news: None)
        player = PlayerClient(side)
        await self._until_it_works(player.sit_down)
        while not self.stop:
            await self._hand(player)
            if not self.stop:
                await self._session()

    async def _hand(self, player: PlayerClient) -> None:
        async def bet() -> Any:
            left = player.unfinished()  # a bet that was signed, and may have been heard
            return left[0] if left else await player.bet(1, 1)

        game = await self._until_it_works(bet)
        await self._until_it_works(game.deal)
        order = self._order()
        await self._until_it_works(lambda: game.draw(order))
        self.settling.set()
        ended = await self._until_it_works(game.settle)
        self.settling.clear()
        if not ended.lapsed:
            self.counted += ended.paid - ended.stake
            self.hands += 1

    async def _session(self) -> None:
        funds = 20 * self.bank.terms.chip_cost
        desk = SessionDeskClient(self._desk)
        player = await self._opened(desk, funds)
        for _ in range(HANDS):
            await self._on(player, lambda: player.deal(1, 1))
            while player.cards:
                order = self._order()
                await self._on(player, lambda order=order: player.draw(order))
        self.settling.set()
        await self._until_it_works(player.close)
        while not await self._until_it_works(player.settle):
            await asyncio.sleep(0.05)
        self.settling.clear()
        verdict = verify_session(player.record.data)
        self.counted += verdict.share - funds
        self.sessions += 1
        self.in_sessions += verdict.hands

    async def _opened(self, desk: SessionDeskClient, funds: int) -> SessionPlayer:
        """The Player's own record of a session is kept from the first word on."""
        pages: list[SessionPlayer] = []

        class Kept(SessionPlayer):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                pages.append(self)

        async def opened() -> SessionPlayer:
            if pages and await pages[-1].is_open():
                return pages[-1]
            return await Kept.open(self.bank, desk, self.key, funds)

        return await self._until_it_works(opened)

    async def _on(self, player: SessionPlayer, do: Callable[[], Awaitable[Any]]) -> None:
        """A step of a hand; after a break, what was said last is said again."""
        try:
            await do()
            return
        except (Unreachable, BankAway):
            pass
        except Refused as refused:
            if refused.status not in (409, 429, 503):
                raise
        self.repeated += 1
        await asyncio.sleep(0.05)
        if player.page.hand is None and player.page.proposed is None and not player.cards:
            await self._on(player, do)
        else:
            await self._until_it_works(player.go_on)


def settlements(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    """Kill the arena when something is being settled, again and again."""
    arena = Arena(folder, None, croupier=True)
    try:
        url = f"http://127.0.0.1:{arena.port}"
        guests = [Bettor(url, k, random.Random(chance.random())) for k in range(GUESTS)]
        for guest in guests:
            asyncio.run(guest.arrive())
        for guest in guests:
            guest.start()
        until, kills, at_work = time.monotonic() + seconds, 0, 0
        while time.monotonic() < until:
            chosen = chance.choice(guests)
            at_work += chosen.settling.wait(3)
            time.sleep(chance.uniform(0, 0.06))
            arena.kill()
            kills += 1
            arena.start()
            time.sleep(chance.uniform(0.2, 1.0))
        for guest in guests:
            guest.stop = True
        for guest in guests:
            guest.join(180)
        return {
            "kills": kills,
            "of them while something was settled": at_work,
            "hands": sum(one.hands for one in guests),
            "sessions": sum(one.sessions for one in guests),
            "hands in sessions": sum(one.in_sessions for one in guests),
            "said again": sum(one.repeated for one in guests),
            "clients that failed": [
                str(one.failed or "it did not end")
                for one in guests
                if one.failed or one.is_alive()
            ],
            **judged(whole_ledger(url), guests),
        }
    finally:
        arena.kill()


def whole_ledger(url: str) -> bytes:
    """All lines of an arena's ledger. It gives a limited number at a time."""
    lines: list[bytes] = []
    while (
        more := Http()
        .send("GET", f"{url}/bank/ledger?after={len(lines)}")
        .data.splitlines(keepends=True)
    ):
        lines += more
    return b"".join(lines)


def judged(data: bytes, guests: list[Bettor]) -> dict[str, Any]:
    """Compare the whole ledger with the Players' counts."""
    lines = data.splitlines(keepends=True)
    try:
        books = read_ledger(lines).books
    except FairgroundError as error:
        return {"the ledger verifies": False, "why not": str(error)}
    issued, settled, closed, owners = 0, 0, 0, set()
    for line in map(json.loads, lines[1:]):
        if line["kind"] == "issued":
            issued += int(line["amount"])
            owners.add(line["owner"])
        for event in map(event_from_json, line.get("events", ())):
            settled += event.name == "GameSettled"
            closed += event.values["hands"] if event.name == "SessionClosed" else 0
    there = sum(books.account(one).available + books.purse(one) for one in owners)
    return {
        "the ledger verifies": True,
        "wei lost": issued - there,
        "hands counted otherwise": abs(settled - sum(one.hands for one in guests))
        + abs(closed - sum(one.in_sessions for one in guests)),
        "Players with another count": sum(
            books.account(one.key.address).available != one.counted for one in guests
        ),
    }
