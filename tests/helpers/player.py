"""A Player at a table with a real Croupier and a ledger Bank, whose time the test drives.

Nothing sleeps: when the Player pauses, the Bank's clock moves on and the Croupier tends his
games. Crooks are the real Croupier with something wrong; liars are the real Bank behind
something false.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fairground.bank.bank_port import (
    AS_USUAL,
    Bank,
    BankAway,
    BankEvent,
    Call,
    DepositFunds,
    Spending,
    SubmitPublicKey,
)
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier_port import About, CroupierDesk, Offer, Sight
from fairground.bank.messages import Bet, Key
from fairground.bank.player.game import News, OwnClock, PlayersGame, Side
from fairground.bank.player.notes import Notebook
from fairground.bank.player.player import PlayerClient
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from tests.helpers.croupier import Clock, House, Wrapped, house

LEAP = 7
"""Seconds that pass, by the Bank's clock, whenever the Player pauses."""


class Driven(OwnClock):
    """The Player's clock is the Bank's, and pauses are when others act."""

    def __init__(self, clock: Clock, meanwhile: Callable[[], Awaitable[None]]) -> None:
        self._clock = clock
        self._meanwhile = meanwhile
        self.pauses = 0
        self.longest: int | None = None
        """After so many pauses the Player's program crashes."""

    def now(self) -> float:
        return self._clock()

    async def pause(self, seconds: float) -> None:
        self.pauses += 1
        if self.longest is not None and self.pauses > self.longest:
            raise Crash
        self._clock.time += LEAP
        await self._meanwhile()


class Crash(Exception):
    """The end of the Player's program."""


class Crook(CroupierDesk):
    """The real Croupier behind a desk. `around` decides what becomes of what is said there."""

    def __init__(self, croupier: Croupier) -> None:
        self.croupier = croupier

    async def around(self, name: str, said: tuple[Any, ...]) -> Any:
        return await getattr(self.croupier, name)(*said)

    async def about(self) -> About:
        found: About = await self.around("about", ())
        return found

    async def offer(self, player: str) -> Offer:
        found: Offer = await self.around("offer", (player,))
        return found

    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        await self.around("bet", (offer_id, bet, signature))

    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        await self.around("seed", (offer_id, seed_id, seed))

    async def order(
        self, offer_id: str, order: Sequence[int], signature: Signature, seed: Seed | None = None
    ) -> None:
        await self.around("order", (offer_id, order, signature, seed))

    async def look(self, offer_id: str) -> Sight:
        found: Sight = await self.around("look", (offer_id,))
        return found


class Talker(Crook):
    """He shows his seeds as soon as he may tell them, whether the Bank has them or not."""

    async def look(self, offer_id: str) -> Sight:
        sight = await self.croupier.look(offer_id)
        page = await self.croupier._journal.page(offer_id)
        first, second = page.seeds
        seeds = (first if page.told > 0 else None, second if page.told > 1 else None)
        return sight._replace(seeds=seeds)


class Muffled(Wrapped):
    """The Croupier's way to the Bank, on which some calls get lost."""

    def __init__(self, bank: Bank) -> None:
        super().__init__(bank)
        self.lost: Callable[[Call], bool] = lambda call: False

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        if self.lost(call):
            raise BankAway("the call got lost")
        return await super().send(sender, call, spending)


class PlayersTable:
    """The parts together."""

    def __init__(self, made: House) -> None:
        self.house = made
        self.his_bank = Muffled(made.ledger)
        made.bank = self.his_bank
        self.croupier = made.croupier()
        self.bank: Bank = made.ledger
        self.desk: CroupierDesk = self.croupier
        self.key = made.guest.key
        self.pace = Driven(made.clock, self.croupier.pump)
        self.news: list[News] = []
        self.notebook = Notebook()

    def side(self, confirmations: int = 0) -> Side:
        tell = self.news.append
        return Side(self.bank, self.desk, self.key, self.notebook, tell, confirmations, self.pace)

    async def player(self, confirmations: int = 0) -> PlayerClient:
        player = PlayerClient(self.side(confirmations))
        await player.sit_down()
        return player

    async def dealt(self, **terms: int) -> tuple[PlayerClient, PlayersGame]:
        player = await self.player()
        game = await player.bet(**{"bet": 1, "level": 5, **terms})
        await game.deal()
        return player, game

    def told(self, kind: type[Any]) -> list[Any]:
        """The news of one kind."""
        return [news for news in self.news if isinstance(news, kind)]


def slow(table: PlayersTable) -> None:
    """The Croupier brings one thing to the Bank at each of the Player's pauses."""
    brought: set[int] = set()

    def lost(call: Call) -> bool:
        if isinstance(call, SubmitPublicKey | DepositFunds):
            return False
        if table.pace.pauses in brought:
            return True
        brought.add(table.pace.pauses)
        return False

    table.his_bank.lost = lost


@asynccontextmanager
async def players_table(folder: Path) -> AsyncIterator[PlayersTable]:
    async with house(folder) as made:
        yield PlayersTable(made)
