"""Tending the Croupier's games: look at the Bank, do what is to be done, look again.

Trouble in one game stops no other. What cannot be done now is tried again in the next
round. The journal says what was promised and the Bank says what it has, so nothing that
counts is done twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Final
from weakref import WeakValueDictionary

from fairground.bank.bank_port import (
    NO_GAME,
    Bank,
    BankRefused,
    Call,
    Spending,
    SubmitBet,
    SubmitCroupierSeed,
)
from fairground.bank.clock import BankClock
from fairground.bank.croupier.duties import Fetch, Rest, Seen, Send, Write, duty, loss
from fairground.bank.croupier.journal import CroupierJournal, JournalPage
from fairground.bank.croupier.scheduler import CALL_TIME, Turnstile, Urgency, log
from fairground.bank.croupier.watch import CroupierWatch
from fairground.bank.croupier_port import UnknownGame
from fairground.bank.messages import Key, Signer
from fairground.bank.seeds import Seed, check_seed
from fairground.core import FairgroundError
from fairground.store import Conflict, StoreAway

LOOKS: Final = 16
"""Games that are looked up at the Bank at the same time."""

NAP: Final = 30.0
"""Seconds until he looks again at a game in which nothing is likely to change: nobody has bet
yet, or the Bank has just refused a call. What its Player says wakes it earlier."""


class Tending:
    """All open games of one Croupier."""

    def __init__(
        self, bank: Bank, key: Key, journal: CroupierJournal, confirmations: int, merges: bool
    ) -> None:
        """``merges``: whether calls that can be made in one are."""
        self._bank, self._key, self._journal = bank, key, journal
        self._merges = merges
        self._confirmations = confirmations
        self._patience = bank.terms.step_time if confirmations else 0
        self._margin = margin(bank.terms.step_time)
        self.watch = CroupierWatch(bank.terms.step_time, self._margin, bank.version)
        self.time = BankClock(bank)
        self.flying: dict[str, int] = {}
        """Bets that he has taken and the Bank not yet: the top prize of each."""
        self.trouble: dict[str, str] = {}
        """Why a game does not go on now, in words."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._looking = asyncio.Semaphore(LOOKS)
        self._sending = Turnstile()

    def forget_all_but(self, offer_ids: set[str]) -> None:
        """These games are open; what is known of others is not needed any more."""
        for known in (self.flying, self.trouble):
            for offer_id in set(known) - offer_ids:
                del known[offer_id]
        self.watch.forget_all_but(offer_ids)

    async def look_again(self, offer_ids: Iterable[str]) -> None:
        """See how these games stand now, and do nothing."""
        for offer_id in offer_ids:
            with suppress(UnknownGame):
                page = await self._journal.page(offer_id)
                self.watch.saw(page, await self.see(page))

    async def visit(self, offer_id: str) -> float:
        """Go on with one game; say for how many seconds it can be left alone."""
        async with self._locks.setdefault(offer_id, asyncio.Lock()):
            try:
                page = await self._go_on(offer_id)
            except UnknownGame:
                return 0
            except BankRefused as refused:
                # Things stand otherwise than when he looked, or his purse is empty.
                self._note_trouble(offer_id, refused)
                return NAP
            except FairgroundError as error:
                self._note_trouble(offer_id, error)
                return 0
            if page.ended is not None:
                self.flying.pop(offer_id, None)
            return NAP if page.bet is None else 0

    def _note_trouble(self, offer_id: str, error: FairgroundError) -> None:
        if self.trouble.get(offer_id) != str(error) and not isinstance(error, StoreAway):
            log.warning("a game does not go on: %s", error)
        self.trouble[offer_id] = str(error)

    async def _go_on(self, offer_id: str) -> JournalPage:
        """Do what is to be done, one thing after the other, until there is nothing."""
        page = await self._journal.page(offer_id)
        deaf: set[int] = set()
        last: Call | None = None
        while True:
            seen = await self.see(page)
            self.watch.saw(page, seen)
            if offer_id in self.trouble:
                self.watch.tell(page, seen, self.trouble[offer_id])
            if page.bet is not None and (page.refused or seen.now.is_of(page.bet)):
                self.flying.pop(offer_id, None)
            try:
                match duty(
                    page,
                    seen,
                    self._patience,
                    deaf,
                    self._margin,
                    version=self._bank.version,
                    merges=self._merges,
                ):
                    case Rest():
                        self.trouble.pop(offer_id, None)
                        self.watch.tell(page, seen)
                        return page
                    case Write(kind, fields):
                        if kind == "told" and seen.final.step < seen.now.step:
                            what = "an order" if fields["seed_id"] else "a bet"
                            log.warning(
                                "time runs out: seed %d is told for %s not final yet",
                                fields["seed_id"],
                                what,
                            )
                        page = await self._journal.add(page, kind, **fields)
                    case Fetch(seed_id):
                        page = await self.ask(page, seed_id)
                        if page.heard[seed_id] is None:
                            deaf.add(seed_id)
                    case Send(call):
                        if call == last:
                            return page  # it was taken, and does not show yet: look again later
                        last = call
                        page = await self._send(page, call, seen)
            except Conflict:
                page = await self._journal.page(offer_id)

    async def see(self, page: JournalPage) -> Seen:
        """Look at the Bank."""
        if page.bet is None:
            return Seen(NO_GAME, NO_GAME, await self.time())
        async with self._looking:
            final = await self._bank.game(page.bet.key, self._confirmations)
            now = await self._bank.game(page.bet.key) if self._confirmations else final
            return Seen(final, now, await self.time())

    async def ask(self, page: JournalPage, seed_id: int) -> JournalPage:
        """Hear a seed that the Player told the Bank and not him, if the Bank tells it."""
        assert page.bet is not None
        for event in await self._bank.told(page.bet.key):
            if event.name == "PlayerSeedSubmitted" and event.values["seedId"] == seed_id:
                seed = Seed(event.values["nonce"], event.values["signature"])
                check_seed(self._bank.domain, page.bet, Signer.PLAYER, seed_id, seed)
                return await self._journal.add(page, "heard", seed_id=seed_id, seed=seed.hex())
        return page

    async def _send(self, page: JournalPage, call: Call, seen: Seen) -> JournalPage:
        assert page.bet is not None
        try:
            async with self._turn(call, seen):
                await self._bank.send(self._key, call, await self._spending(page, call, seen))
            if isinstance(call, SubmitBet):
                self.flying.pop(page.offer.id, None)  # from now on the Bank has locked its prize
        except BankRefused as refused:
            if refused.name == "TooEarly":
                # The Bank's clock runs slower than ours: he may still be in time himself.
                self.time.start_again()
                return page
            if not isinstance(call, SubmitBet):
                raise
            # An earlier call that seemed lost may have come through meanwhile.
            game = await self._bank.game(page.bet.key)
            if not game.is_of(page.bet):
                return await self._journal.add(page, "refused", reason=str(refused))
        return page

    def _turn(self, call: Call, seen: Seen) -> AbstractAsyncContextManager[None]:
        """Calls queue for the Bank, but for seed 1: calls that got stuck must not hold it up."""
        if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
            return nullcontext()
        return self._sending.turn(_urgency(call, seen))

    async def _spending(self, page: JournalPage, call: Call, seen: Seen) -> Spending:
        """Seed 1 may cost what its silence would cost. All else leaves enough for the seeds."""
        assert page.bet is not None
        if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
            return Spending(at_stake=loss(self._bank.version, page.bet, seen.now))
        owed = self.watch.owed(page.offer.id, type(call))
        return Spending(keep=await self._bank.upkeep(owed))


def margin(step_time: int) -> int:
    """The last seconds of a step: a quarter of it, or two slow blocks if that is more."""
    return min(max(step_time // 4, 2 * CALL_TIME), step_time // 2)


def _urgency(call: Call, seen: Seen) -> Urgency:
    """His own seeds first, the earliest deadline first; then what costs nothing if late."""
    return (0 if isinstance(call, SubmitCroupierSeed) else 1, seen.now.deadline)
