"""The Croupier's side of sessions.

He signs one bet and one state for each hand, tells seed 0 for a bet that he signed, and seed 1
for the one order that he was given, with his word on it. Everything is written down (`journal`)
before it leaves, so he can be killed at any instant: what he said he says again, and nothing else
in its place. When the Player is silent, or wants to go, `visit` brings what he holds to the Bank,
until the session is closed there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from weakref import WeakValueDictionary

from fairground.bank.bank_port import (
    NO_KEY,
    Bank,
    BankRefused,
    BankSession,
    BringHand,
    ClaimSession,
    Complain,
    OpenSession,
    Phase,
    SubmitCroupierSeed,
)
from fairground.bank.clock import BankClock
from fairground.bank.croupier_port import Closed, Declined, SaidOtherwise, TooSoon
from fairground.bank.crypto.curve import Signature, checksummed
from fairground.bank.messages import (
    Bet,
    Key,
    OrderAccepted,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import Seed, fresh_seeds, packed_order
from fairground.bank.session import page as lines
from fairground.bank.session.desk import Drawn, SessionDesk, SessionSight, Taken
from fairground.bank.session.hand import SessionHand, fits
from fairground.bank.session.journal import MemoryJournal, SessionJournal
from fairground.bank.session.page import CLOSED, Line, SessionPage
from fairground.bank.session.settling import settle
from fairground.bank.session.tower import Tower
from fairground.core import FairgroundError
from fairground.fair.schemes import Chair
from fairground.store import StoreAway, retried

log = logging.getLogger("fairground.croupier")

OPEN_TIME: Final = 600
"""Seconds in which a session must be opened."""

WAS_RESTORED: Final = (
    "this arena was restored from a copy, in which this session was open; it does not know the "
    "hands that were played since, so no more are played. Bring the last state that you both "
    "signed to the Bank"
)

WANTS_TO_GO: Final = (
    "somebody closes this session at the Bank: what is signed counts there, and no more is played"
)

SESSION_CALLS: Final = (
    ClaimSession,
    BringHand,
    SubmitCroupierSeed,
    SubmitCroupierSeed,
    Complain,
)
"""The calls that an open session may need of him. Without them an old state could count."""

Lending = Callable[[str, int], Awaitable[int]]
"""What he puts into a session with this player, who puts in so much, in wei. Refuses with
`Busy` where he puts in nothing."""


class SessionCroupier(SessionDesk):
    """A Croupier who plays sessions, at any Bank of version 2."""

    def __init__(
        self,
        bank: Bank,
        key: Key,
        funds: int | Lending,
        *,
        journal: SessionJournal | None = None,
        signing: Sequence[Key] = (),
        confirmations: int = 0,
        tower: Tower | None = None,
        chairs: Sequence[Chair] = CHAIRS,
        own: Callable[[], float] = time.monotonic,
    ) -> None:
        """``funds``: what he puts into a session, in wei; bets are limited by it. ``tower``: where
        he leaves what a watchtower needs. ``signing``:
        the keys that he signs with, the newest first, before the key of his account.
        ``confirmations``: blocks on a session before its first hand. ``own``: counts
        seconds, by which a Player who says nothing is silent.
        """
        self._bank, self._key, self._funds = bank, key, funds
        self._signing = {one.address: one for one in (*signing, key)}
        self._newest = next(iter(self._signing))
        self.journal = journal or MemoryJournal()
        self._confirmations, self._chairs, self._tower = confirmations, chairs, tower
        self._firm: set[bytes] = set()
        """Sessions that the Bank has, finally."""
        self._heard: dict[bytes, float] = {}
        """When the Player last said something, by our own clock."""
        self._own, self._clock = own, BankClock(bank)
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        self.opened: Callable[[SessionTerms], None] = lambda terms: None
        """Who wants to know that he put something into a session,"""
        self.ended: Callable[[SessionTerms], None] = lambda terms: None
        """and that it is his again."""

    def _lock(self, name: bytes) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

    # Opening

    async def session(self, player: str, funds: int) -> SessionTerms:
        """His terms: the keys that the Bank knows, and the next number of these two."""
        player = checksummed(player)
        if player == self._key.address:
            raise Declined(f"{player} is the Croupier himself: nobody plays with himself")
        account = await self._bank.account(player)
        if account.key == NO_KEY:
            raise Declined(f"the Bank knows no key of {player}: submit your public key first")
        if account.available < funds:
            raise Declined(f"you have {account.available} wei at the Bank, less than {funds}")
        kept = await self._bank.session(self._key.address, player)
        if kept.phase in (Phase.OPEN, Phase.CLAIMED):
            raise SaidOtherwise("your last session is not closed: close it first")
        his = self._funds if isinstance(self._funds, int) else await self._funds(player, funds)
        expiry = await self._bank.now() + OPEN_TIME
        keys = self._newest, account.key
        return SessionTerms(self._key.address, player, *keys, kept.number, funds, his, expiry)

    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        """Bring a session to the Bank, on his own terms alone. The same again changes nothing."""
        name = terms.struct_hash()
        async with self._lock(name):
            kept = await self._bank.session(self._key.address, terms.player)
            if not kept.is_of(terms):
                wanted = await self.session(terms.player, terms.player_funds)
                if terms[:6] != wanted[:6] or terms.expiry > wanted.expiry:
                    raise Declined(f"the terms must be {wanted}")
                if terms.croupier_funds > wanted.croupier_funds:
                    raise Declined(f"he puts in {wanted.croupier_funds} wei at the most")
                must_be_signed(self._bank.domain, terms, signature, terms.player_key)
                page = SessionPage(
                    self._bank.domain, Signer.CROUPIER, terms, signature, self._chairs
                )
                await self.journal.open(page, lines.opened(terms, signature))
                if (await self.journal.page(name)).stopped:
                    raise Closed(WAS_RESTORED)
                self.opened(terms)
                await self._bank.send(self._key, OpenSession(terms, signature))
            self._heard[name] = self._own()

    async def _write(self, page: SessionPage, *found: Line) -> None:
        """Durably, before anything is said; and for the watchtower, if there is one."""
        await self.journal.add(page, *found)
        if self._tower is not None:
            self._tower.leave(page)

    # The hands

    async def _playing(self, name: bytes) -> SessionPage:
        """A session in which a hand can be played: the Bank has it, and nobody wants to go."""
        page = await self.journal.page(name)
        if page.closed or page.closing:
            raise Closed("this session is closed: open another one")
        if page.stopped:
            raise Closed(WAS_RESTORED)
        if name not in self._firm:
            parties = page.terms.croupier, page.terms.player
            now = await self._bank.session(*parties)
            if now.is_of(page.terms) and now.phase != Phase.OPEN:
                raise Closed(WANTS_TO_GO)
            final = await self._bank.session(*parties, self._confirmations)
            if not now.is_of(page.terms) or not final.is_of(page.terms):
                raise TooSoon(
                    f"the Bank does not have this session under {self._confirmations} blocks yet"
                )
            self._firm.add(name)
        self._heard[name] = self._own()
        return page

    @retried
    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        """Fresh seeds, for this hand alone."""
        async with self._lock(session):
            page = await self._playing(session)
            if hand != page.signed.state.hands or page.hand is not None:
                raise Declined(f"the next hand is {page.signed.state.hands}, when the last is done")
            if page.seeds is None:
                parties = page.terms.croupier, page.terms.player
                key, game_id = self._key_of(page.terms), page.terms.game_id(hand)
                domain = self._bank.domain
                seeds = fresh_seeds(key, domain, parties, Signer.CROUPIER, game_id)
                await self._write(page, lines.seeded(seeds))
            assert page.seeds is not None
            return page.seeds[0].commitment, page.seeds[1].commitment

    @retried
    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        """Sign one bet for this hand, and tell seed 0 for it."""
        async with self._lock(session):
            page = await self._playing(session)
            if page.hand is None:
                if page.seeds is None:
                    raise TooSoon("ask for an offer first")
                reason = fits(page.terms, page.signed.state, bet, self._bank.terms.chip_cost)
                mine = page.seeds[0].commitment, page.seeds[1].commitment
                if not reason and bet.commitments[:2] != mine:
                    reason = "the first two commitments must be those of the offer"
                if reason:
                    raise Declined(f"the bet does not fit: {reason}")
                must_be_signed(self._bank.domain, bet, signature, bet.player_key)
                his = self._key_of(page.terms).sign(self._bank.domain, bet)
                told = lines.taken(his, page.seeds[0])
                await self._write(page, lines.bet_on(bet, signature), told)
            hand = _open_hand(page)
            if hand.bet != bet:
                raise SaidOtherwise("there is another bet on this hand: the first counts")
            assert hand.open.croupier_signature is not None
            assert page.seeds is not None
            return Taken(hand.open.croupier_signature, page.seeds[0])

    @retried
    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        """Tell seed 1 for one order, and give his word on it."""
        async with self._lock(session):
            page = await self._playing(session)
            hand = _open_hand(page)
            assert page.seeds is not None
            if hand.open.order is None:
                found = [lines.ordered(seed, order, signature)]
                if any(order):
                    word = OrderAccepted(hand.bet.struct_hash(), packed_order(order))
                    his = self._key_of(page.terms).sign(self._bank.domain, word)
                    found.append(lines.drawn(page.seeds[1], his))
                await self._write(page, *found)
            if hand.open.order != tuple(order):
                raise SaidOtherwise(f"the order {list(hand.open.order or ())} came first")
            if hand.open.acceptance is None:
                return None
            return Drawn(page.seeds[1], hand.open.acceptance)

    @retried
    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        """Sign the one state that follows; or a last one, if no hand is open."""
        async with self._lock(session):
            page = await self.journal.page(session)
            if state != page.signed.state:
                page = await self._playing(session)
                await self._sign(page, seed, state, signature)
            if state.last and not page.closed:
                await self._close(page)
            return page.signed.croupier

    async def _sign(
        self, page: SessionPage, seed: Seed | None, state: SessionState, signature: Signature
    ) -> None:
        wanted, transcript = page.signed.state._replace(last=True), b""
        told = None
        if page.hand is not None:
            hand = page.hand
            if seed is not None and hand.open.acceptance is not None:
                hand.final(seed)
                told = seed
            if not hand.record.over:
                raise TooSoon("the hand is not over: tell your seed 1")
            wanted, transcript = hand.follows(page.terms, page.signed.state), hand.record.data
        if state != wanted:
            raise Declined(f"the state must be {wanted}")
        must_be_signed(self._bank.domain, state, signature, page.terms.player_key)
        his = self._key_of(page.terms).sign(self._bank.domain, state)
        line = lines.proposed(told, state, signature)
        await self._write(page, line, lines.signed(his, transcript))

    async def _close(self, page: SessionPage) -> None:
        """Bring the last state to the Bank, unless it has closed the session already."""
        kept = await self._bank.session(page.terms.croupier, page.terms.player)
        if kept.is_of(page.terms) and kept.phase != Phase.CLOSED:
            with contextlib.suppress(BankRefused):  # the Player was faster
                await self._bank.send(self._key, page.signed.close(page.terms))
        await self._over(page)

    async def _over(self, page: SessionPage) -> None:
        """The Bank has closed it: what he put in is his again."""
        await self._write(page, CLOSED)
        self._firm.discard(page.name)
        self._heard.pop(page.name, None)
        self.ended(page.terms)

    def _key_of(self, terms: SessionTerms) -> Key:
        if terms.croupier_key not in self._signing:
            raise Closed(
                f"this session was opened with the key {terms.croupier_key}, and the Croupier does "
                "not have it any more: it goes to the Bank"
            )
        return self._signing[terms.croupier_key]

    async def look(self, session: bytes) -> SessionSight:
        """How far a session is."""
        page = await self.journal.page(session)
        return SessionSight(page.terms, *page.signed, page.hand is not None, page.closed)

    # The Bank

    async def settle(self, session: bytes) -> bool:
        """Do at the Bank what can be done now to end a session alone; whether it is over."""
        async with self._lock(session):
            page = await self.journal.page(session)
            over = await settle(
                self._bank, self._key, page.held(), self._confirmations, self._clock
            )
            if over and not page.closed:
                await self._over(page)
            return over

    async def visit(self, session: bytes) -> float:
        """Look after one open session; for how many seconds it can be left alone."""
        step_time = self._bank.terms.step_time
        try:
            page = await self.journal.page(session)
            kept = await self._bank.session(page.terms.croupier, page.terms.player)
            if kept.is_of(page.terms) and kept.phase == Phase.OPEN:
                if page.closing:
                    async with self._lock(session):
                        await self._close(page)
                    return 0
                if not page.stopped and not self._is_silent(session, step_time):
                    return nap(step_time)
            elif await self._may_still_open(page, kept):
                return nap(step_time)
            else:
                # From now on nothing is signed: it might come too late for the Bank.
                self._firm.discard(session)
            await self.settle(session)
        except StoreAway:
            pass  # who keeps the store says so, once
        except FairgroundError as error:
            log.warning("a session does not go on: %s", error)
        return nap(step_time)

    def _is_silent(self, session: bytes, step_time: int) -> bool:
        """Whether the Player has said nothing for a step's time, counted from our start."""
        now = self._own()
        return now - self._heard.setdefault(session, now) > step_time

    async def _may_still_open(self, page: SessionPage, kept: BankSession) -> bool:
        unopened = kept.number == page.terms.number and not kept.is_of(page.terms)
        return unopened and await self._bank.now() <= page.terms.expiry


def nap(step_time: int) -> float:
    """Seconds between two looks at the Bank: many in a step, and not too many."""
    return min(15.0, max(0.5, step_time / 40))


def _open_hand(page: SessionPage) -> SessionHand:
    if page.hand is None:
        raise TooSoon("there is no open hand")
    return page.hand
