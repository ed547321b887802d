"""The Croupier's side of sessions.

He signs one bet and one state for each hand. He tells seed 0 for a bet that he signed, and seed 1
for the one order that he was given, with his word on it. Everything is written down (`journal`)
before it leaves, so he can be killed at any instant: he repeats his last words, and never says
anything else in their place. When the Player is silent, or wants to go, `visit` brings his signed
messages to the Bank, until the session is closed there.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from fairground.bank.bank_port import (
    NO_KEY,
    Bank,
    BankClock,
    BankSession,
    BringHand,
    ClaimSession,
    Complain,
    OpenSession,
    Phase,
    SubmitCroupierSeed,
)
from fairground.bank.croupier.journal import SessionJournal
from fairground.bank.croupier.service import CroupierWatch, Tended
from fairground.bank.croupier_port import (
    Closed,
    Declined,
    Drawn,
    SaidOtherwise,
    SessionDesk,
    SessionSight,
    Taken,
    TooSoon,
    UnknownGame,
)
from fairground.bank.duties import settle
from fairground.bank.hand import HandEngine, chairs_at
from fairground.bank.messages import (
    Bet,
    Key,
    OrderAccepted,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.seeds import Seed, fresh_seeds, packed_order
from fairground.bank.session import CLOSED, Line, SessionPage, Tower, fits, line
from fairground.bank.signatures import Signature, checksummed
from fairground.core import FairgroundError
from fairground.store import StoreAway, retried

OPEN_TIME: Final = 600
"""Seconds in which a session must be opened."""

UNPLAYED: Final = 300
"""Seconds in which the first bet must come; never more than a step's time."""

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
"""Returns the wei that he puts into a session with this player, given the player's own. Refuses
with `Busy` where he puts in nothing.
"""


class SessionCroupier(Tended, SessionDesk):
    """A Croupier who plays sessions."""

    def __init__(
        self,
        bank: Bank,
        key: Key,
        funds: int | Lending,
        journal: SessionJournal,
        *,
        signing: Sequence[Key] = (),
        confirmations: int = 0,
        tower: Tower | None = None,
        watch: CroupierWatch | None = None,
        own: Callable[[], float] = time.monotonic,
    ) -> None:
        """``funds``: what he puts into a session, in wei; bets are limited by it. ``signing``: the
        keys that he signs with, the newest first, before the key of his account. ``confirmations``:
        blocks on a session before its first hand, and on its end before it is over. ``tower``:
        where he leaves what a watchtower needs. ``watch``: hears which sessions have his funds
        locked. ``own``: counts seconds, by which a Player who says nothing is silent.
        """
        super().__init__()
        self._bank, self._key, self._funds = bank, key, funds
        self._signing = {one.address: one for one in (*signing, key)}
        self._newest = next(iter(self._signing))
        self.journal = journal
        self._confirmations, self._tower = confirmations, tower
        self._firm: set[bytes] = set()
        """Sessions that the Bank has, finally."""
        self._heard: dict[bytes, float] = {}
        """When the Player last said something that binds them, by our own clock."""
        self._own, self._clock = own, BankClock(bank)
        self._watch = watch or CroupierWatch(bank.terms.step_time)
        self.recent: list[tuple[str, float]] = []
        """Keys that opened a session lately, and when by our own clock."""

    # Opening

    async def session(self, player: str, funds: int) -> SessionTerms:
        player = checksummed(player)
        if player == self._key.address:
            raise Declined(f"{player} is the Croupier himself: nobody plays with himself")
        if funds < self._bank.terms.chip_cost:
            raise Declined(f"put in at least one chip, {self._bank.terms.chip_cost} wei")
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
                chairs = chairs_at(self._bank)
                page = SessionPage(self._bank.domain, Signer.CROUPIER, terms, signature, chairs)
                await self.journal.open(page, line("session", terms, signature))
                if (await self.journal.page(name)).stopped:
                    raise Closed(WAS_RESTORED)
                self.recent.append((terms.player, self._own()))
                self._watch.opened(terms, SESSION_CALLS)
                await self._bank.send(self._key, OpenSession(terms, signature))
            self._heard[name] = self._own()

    async def _write(self, page: SessionPage, *found: Line) -> None:
        """Durably, before anything is said; and for the watchtower, if there is one."""
        await self.journal.add(page, *found)
        if page.hand is not None or page.signed.state.hands:
            self._heard[page.name] = self._own()
        if self._tower is not None:
            self._tower.leave(page)

    async def has_played(self, player: str) -> bool:
        """Return whether a hand of the last session with this player was played to its end."""
        kept = await self._bank.session(self._key.address, player)
        return bool(kept.number) and await self.journal.has_hands(kept.session)

    # The hands

    async def _playing(self, name: bytes) -> SessionPage:
        """A session in which a hand can be played: the Bank has it, and nobody wants to go."""
        page = await self.journal.page(name)
        if page.closed or page.closing:
            raise Closed("this session is closed: open another one")
        if page.stopped:
            raise Closed(WAS_RESTORED)
        if name not in self._firm:
            now = await self._bank.session(page.terms.croupier, page.terms.player)
            if now.is_of(page.terms) and now.phase != Phase.OPEN:
                raise Closed(WANTS_TO_GO)
            if not await self._is_firm(page, now):
                raise TooSoon(
                    f"the Bank does not have this session under {self._confirmations} blocks yet"
                )
        return page

    async def _is_firm(self, page: SessionPage, now: BankSession) -> bool:
        """Return whether the Bank has the session under enough blocks: hands can be played."""
        if page.name not in self._firm:
            parties = page.terms.croupier, page.terms.player
            final = await self._bank.session(*parties, self._confirmations)
            if not now.is_of(page.terms) or not final.is_of(page.terms):
                return False
            self._firm.add(page.name)
        return True

    @retried
    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        async with self._lock(session):
            page = await self._playing(session)
            if hand != page.signed.state.hands or page.hand is not None:
                raise Declined(f"the next hand is {page.signed.state.hands}, when the last is done")
            if page.seeds is None:
                parties = page.terms.croupier, page.terms.player
                key, game_id = self._key_of(page.terms), page.terms.game_id(hand)
                domain = self._bank.domain
                seeds = fresh_seeds(key, domain, parties, Signer.CROUPIER, game_id)
                await self._write(page, line("seeds", seeds))
            assert page.seeds is not None
            return page.seeds[0].commitment, page.seeds[1].commitment

    @retried
    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
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
                told = line("taken", his, page.seeds[0])
                await self._write(page, line("bet", bet, signature), told)
            hand = _open_hand(page)
            if hand.bet != bet:
                raise SaidOtherwise("there is another bet on this hand: the first counts")
            assert hand.known.croupier_signature is not None
            assert page.seeds is not None
            return Taken(hand.known.croupier_signature, page.seeds[0])

    @retried
    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        async with self._lock(session):
            page = await self._playing(session)
            hand = _open_hand(page)
            assert page.seeds is not None
            if hand.known.order is None:
                found = [line("order", seed, order, signature)]
                if any(order):
                    word = OrderAccepted(hand.bet.struct_hash(), packed_order(order))
                    his = self._key_of(page.terms).sign(self._bank.domain, word)
                    found.append(line("drawn", page.seeds[1], his))
                await self._write(page, *found)
            if hand.known.order != tuple(order):
                raise SaidOtherwise(f"the order {list(hand.known.order or ())} came first")
            if hand.known.acceptance is None:
                return None
            return Drawn(page.seeds[1], hand.known.acceptance)

    @retried
    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        async with self._lock(session):
            page = await self.journal.page(session)
            if state != page.signed.state:
                page = await self._playing(session)
                await self._sign(page, seed, state, signature)
            if state.last and not page.closed:
                try:
                    await self._settle(page)
                except FairgroundError as error:
                    # The Player has the signature all the same, and `visit` tries again.
                    self._note_trouble(session, error)
            return page.signed.croupier

    async def _sign(
        self, page: SessionPage, seed: Seed | None, state: SessionState, signature: Signature
    ) -> None:
        wanted, transcript = page.signed.state._replace(last=True), b""
        told = None
        if page.hand is not None:
            hand = page.hand
            if seed is not None and hand.known.acceptance is not None:
                hand.last_told(seed)
                told = seed
            if not hand.over:
                raise TooSoon("the hand is not over: tell your seed 1")
            wanted, transcript = hand.follows(page.terms, page.signed.state), hand.data
        if state != wanted:
            raise Declined(f"the state must be {wanted}")
        must_be_signed(self._bank.domain, state, signature, page.terms.player_key)
        his = self._key_of(page.terms).sign(self._bank.domain, state)
        proposed = line("state", told, state, signature)
        await self._write(page, proposed, line("signed", his, transcript))

    async def _over(self, page: SessionPage) -> None:
        """Note that the Bank has closed it for good: what he put in is his again."""
        await self._write(page, CLOSED)
        self._firm.discard(page.name)
        self._heard.pop(page.name, None)
        self._note_locked(page, False)

    def _key_of(self, terms: SessionTerms) -> Key:
        if terms.croupier_key not in self._signing:
            raise Closed(
                f"this session was opened with the key {terms.croupier_key}, and the Croupier does "
                "not have it any more: it goes to the Bank"
            )
        return self._signing[terms.croupier_key]

    async def look(self, session: bytes) -> SessionSight:
        page = await self.journal.page(session)
        return SessionSight(page.terms, *page.signed, page.hand is not None, page.closed)

    # The Bank

    async def settle(self, session: bytes) -> bool:
        """Do at the Bank what can be done now to end a session; return whether it is over."""
        async with self._lock(session):
            return await self._settle(await self.journal.page(session))

    async def _settle(self, page: SessionPage) -> bool:
        held, confirmations = page.held(), self._confirmations
        over = await settle(self._bank, self._key, held, confirmations, self._clock)
        if over and not page.closed:
            await self._over(page)
        elif page.closing:
            await self._look_at(page)
        return over is True

    async def _look_at(self, page: SessionPage) -> BankSession:
        """Ask the Bank how a session stands, and say whether it has his money locked."""
        kept = await self._bank.session(page.terms.croupier, page.terms.player)
        is_live = kept.is_of(page.terms) and kept.phase in (Phase.OPEN, Phase.CLAIMED)
        if not page.closed:
            self._note_locked(page, is_live or not page.closing)
        return kept

    def _note_locked(self, page: SessionPage, locked: bool) -> None:
        """Note whether the Bank has his funds locked: a chain may take a session's end back."""
        if page.signed.state.hands:
            self._watch.known.add(page.terms.player)
        if locked:
            self._watch.opened(page.terms, SESSION_CALLS)
        else:
            self._watch.closed(page.terms)

    async def visit(self, session: bytes) -> float:
        """Look after one open session; return for how many seconds it can be left alone."""
        try:
            if not await self._goes_on(await self.journal.page(session)):
                await self.settle(session)
            self.trouble.pop(session, None)
        except (StoreAway, UnknownGame):
            pass  # who keeps the store says so, once; or it is a session at another Bank
        except FairgroundError as error:
            self._note_trouble(session, error)
        return nap(self._bank.terms.step_time)

    async def _goes_on(self, page: SessionPage) -> bool:
        """Return whether hands can be played, or the session can still be opened."""
        kept = await self._look_at(page)
        if kept.is_of(page.terms) and kept.phase == Phase.OPEN:
            ends = page.closing or page.stopped
            return not ends and not await self._is_silent(page, kept)
        if await self._may_still_open(page, kept):
            return True
        # From now on nothing is signed: it might come too late for the Bank.
        self._firm.discard(page.name)
        return False

    async def _is_silent(self, page: SessionPage, kept: BankSession) -> bool:
        """Return whether the Player has said nothing for too long, counted from our start.

        The first bet must come sooner than others, but not before it can be taken.
        """
        now, limit = self._own(), self._bank.terms.step_time
        if page.hand is None and not page.signed.state.hands:
            limit = min(limit, UNPLAYED)
            if not await self._is_firm(page, kept):
                self._heard[page.name] = now
        return now - self._heard.setdefault(page.name, now) > limit

    async def _may_still_open(self, page: SessionPage, kept: BankSession) -> bool:
        unopened = kept.number == page.terms.number and not kept.is_of(page.terms)
        return unopened and await self._bank.now() <= page.terms.expiry


def nap(step_time: int) -> float:
    """Seconds between two looks at the Bank: many in a step, and not too many."""
    return min(15.0, max(0.5, step_time / 40))


def _open_hand(page: SessionPage) -> HandEngine:
    if page.hand is None:
        raise TooSoon("there is no open hand")
    return page.hand
