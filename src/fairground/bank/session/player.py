"""The Player's side of sessions.

    evening = await SessionPlayer.open(bank, desk, key, funds)
    hand = await evening.deal(bet, level)            # the five cards
    won = await evening.draw(order)                  # what the hand brought, net, in wei
    await evening.close()                            # one call for the whole evening

What the Croupier says is checked at each step. Where he does not answer, or answers falsely, the
hand goes to the Bank: `settle` brings what the Player holds there.

What is signed is in the notes before it leaves. After a crash `SessionPlayer` is made from them
again, and `go_on` says what was said last once more.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from typing import Final

from fairground.bank.bank_port import Bank, Phase
from fairground.bank.clock import BankClock
from fairground.bank.croupier_port import Closed, Declined
from fairground.bank.messages import (
    Bet,
    Key,
    ReplacementOrder,
    Signer,
)
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.session import page as lines
from fairground.bank.session.desk import SessionDesk
from fairground.bank.session.duties import Held, informed
from fairground.bank.session.hand import SessionHand, fits
from fairground.bank.session.notes import SessionNotes
from fairground.bank.session.page import CLOSED, Line, SessionPage, Signed
from fairground.bank.session.record import SessionRecord
from fairground.bank.session.settling import settle
from fairground.bank.session.tower import Tower
from fairground.fair.schemes import Chair

LOOKS: Final = 40
"""In each step's time, whether somebody closes the session."""

GLANCE: Final = 0.2
"""Seconds between two looks at a chain."""


class SessionPlayer:
    """A Player in one session."""

    def __init__(
        self,
        bank: Bank,
        desk: SessionDesk,
        key: Key,
        page: SessionPage,
        notes: SessionNotes | None = None,
        *,
        tower: Tower | None = None,
    ) -> None:
        """``tower``: where what a watchtower needs is left."""
        self.page, self.terms, self.name = page, page.terms, page.name
        self.last_hand: tuple[int, ...] = ()
        """The final cards of the last hand,"""
        self.last_won = 0
        """and what it brought, net, in wei."""
        self._bank, self._desk, self._key = bank, desk, key
        self._notes, self._clock = notes or SessionNotes(), BankClock(bank)
        self._tower, self._looked = tower, -math.inf
        self._disputed = b""
        """The transcript of the hand that ended at the Bank."""

    @classmethod
    async def open(
        cls,
        bank: Bank,
        desk: SessionDesk,
        key: Key,
        funds: int,
        *,
        notes: SessionNotes | None = None,
        tower: Tower | None = None,
        confirmations: int = 0,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> SessionPlayer:
        """Agree on terms, and wait until the Bank has the session, under so many blocks."""
        terms = await desk.session(key.address, funds)
        account = await bank.account(terms.croupier)
        kept = await bank.session(terms.croupier, key.address)
        if terms[1:2] + terms[3:6] != (key.address, key.address, kept.number, funds):
            raise Declined(f"the Croupier offers other terms than were asked for: {terms}")
        if terms.croupier_key != account.key:
            raise Declined(f"the Bank knows {account.key} as his key, not {terms.croupier_key}")
        signature = key.sign(bank.domain, terms)
        page = SessionPage(bank.domain, Signer.PLAYER, terms, signature, chairs)
        player = cls(bank, desk, key, page, notes, tower=tower)
        player._notes.open(page, lines.opened(terms, signature))
        await desk.open(terms, signature)
        await player.be_sure(confirmations)
        return player

    async def be_sure(self, confirmations: int) -> None:
        """Wait until the Bank has the session under so many blocks: it may be taken back before."""
        parties = self.terms.croupier, self.terms.player
        while True:
            now = await self._bank.session(*parties)
            if now.phase not in (Phase.OPEN, Phase.CLAIMED) or not now.is_of(self.terms):
                raise Declined("the Croupier did not bring the session to the Bank")
            final = await self._bank.session(*parties, confirmations) if confirmations else now
            if final.is_of(self.terms):
                return
            await asyncio.sleep(GLANCE)

    async def is_open(self) -> bool:
        """Whether hands can be played: after a start, for a session that was left.

        One that did not get to the Bank is brought there now, if there is still time.
        """
        kept = await self._bank.session(self.terms.croupier, self.terms.player)
        if kept.number == self.terms.number and not kept.is_of(self.terms):
            if await self._bank.now() > self.terms.expiry:
                return False
            await self._desk.open(self.terms, self.page.opening)
            return True
        return kept.is_of(self.terms) and kept.phase == Phase.OPEN and not self.page.closing

    # How it stands

    @property
    def signed(self) -> Signed:
        """The last state that both have signed."""
        return self.page.signed

    @property
    def share(self) -> int:
        """What the Player has in the session, in wei."""
        return self.signed.state.player_share

    @property
    def cards(self) -> tuple[int, ...]:
        """The hand that waits for an order; empty if none does."""
        hand = self.page.hand
        waits = hand is not None and hand.open.order is None
        return hand.record.hand if hand is not None and waits else ()

    @property
    def record(self) -> SessionRecord:
        """The record of the session so far: the hands that both have signed for."""
        page = self.page
        hands = tuple(page.transcripts)
        more = self._disputed
        return SessionRecord(page.domain, page.terms, page.opening, hands, *page.signed, more)

    # Playing

    def _keep(self, *found: Line) -> None:
        """Check and write down, before anything is said or shown."""
        for line in found:
            self.page.turn(line)
        self._notes.write(self.page, found)
        if self._tower is not None:
            self._tower.leave(self.page)

    async def must_be_open(self) -> None:
        """Refuse to play on when somebody closes the session at the Bank.

        An old state that was claimed there becomes final after a step's time. So this looks many
        times in each, and says so while there is time to bring the newest one (`settle`).
        """
        if time.monotonic() - self._looked < self._bank.terms.step_time / LOOKS:
            return
        kept = await self._bank.session(self.terms.croupier, self.terms.player)
        if not kept.is_of(self.terms) or kept.phase != Phase.OPEN:
            raise Closed("somebody closes this session at the Bank: no more is played in it")
        self._looked = time.monotonic()

    async def deal(self, bet: int, level: int) -> tuple[int, ...]:
        """Bet, and see the five cards."""
        await self.must_be_open()
        hands = self.signed.state.hands
        commitments = await self._desk.offer(self.name, hands)
        parties, game_id = (self.terms.croupier, self.terms.player), self.terms.game_id(hands)
        domain = self._bank.domain
        seeds = fresh_seeds(self._key, domain, parties, Signer.PLAYER, game_id)
        first, second = seeds
        mine = first.commitment, second.commitment
        chip = self._bank.terms.chip_cost
        keys = self.terms.croupier_key, self.terms.player_key
        terms = Bet(*parties, *keys, game_id, bet, level, chip, *commitments, *mine, 0)
        if reason := fits(self.terms, self.signed.state, terms, chip):
            raise Declined(f"this bet cannot be made: {reason}")
        signature = self._key.sign(domain, terms)
        self._keep(lines.seeded(seeds), lines.bet_on(terms, signature))
        return await self._taken()

    async def draw(self, order: Sequence[int]) -> int:
        """Give the order; what the hand brought, net, in wei."""
        await self.must_be_open()
        hand, seeds = self._hand(), self.page.seeds
        assert seeds is not None
        message = ReplacementOrder.of(hand.bet, tuple(order))
        signature = self._key.sign(self._bank.domain, message)
        self._keep(lines.ordered(seeds[0], order, signature))
        return await self._drawn()

    async def close(self) -> None:
        """Close the session together, by a last state."""
        if self.page.hand is not None:
            raise Declined("the hand is not over: give an order first")
        if self.page.proposed is None:
            state = self.signed.state._replace(last=True)
            signature = self._key.sign(self._bank.domain, state)
            self._keep(lines.proposed(None, state, signature))
        await self._countersigned(None)
        self._keep(CLOSED)

    async def go_on(self) -> int | None:
        """Say once more what was said last, up to where it is the Player's turn again.

        What the hand brought, net, in wei, if it is done by that.
        """
        page = self.page
        if page.proposed is not None and page.proposed[0].last:
            await self.close()
        elif page.hand is not None and page.hand.open.order is None:
            await self._taken()
        elif page.hand is not None:
            return await self._drawn()
        return None

    def _hand(self) -> SessionHand:
        assert self.page.hand is not None
        return self.page.hand

    async def _taken(self) -> tuple[int, ...]:
        hand = self._hand()
        if hand.open.croupier_signature is None:
            found = await self._desk.bet(self.name, hand.bet, hand.open.player_signature)
            self._keep(lines.taken(*found))
        return hand.record.hand

    async def _drawn(self) -> int:
        hand, seeds = self._hand(), self.page.seeds
        order, signature = hand.open.order, hand.open.order_signature
        assert seeds is not None
        assert order is not None
        assert signature is not None
        if hand.open.acceptance is None and self.page.proposed is None:
            found = await self._desk.order(self.name, seeds[0], order, signature)
            if any(order):
                if found is None:
                    raise Declined("the Croupier does not tell seed 1")
                self._keep(lines.drawn(*found))
        last: Seed | None = None
        if any(order):
            last = seeds[1]
            hand.final(last)
        if self.page.proposed is None:
            state = hand.follows(self.terms, self.signed.state)
            mine = self._key.sign(self._bank.domain, state)
            self._keep(lines.proposed(last, state, mine))
        self.last_hand, self.last_won = hand.record.final_hand, hand.won
        await self._countersigned(last)
        return self.last_won

    async def _countersigned(self, seed: Seed | None) -> None:
        assert self.page.proposed is not None
        his = await self._desk.state(self.name, seed, *self.page.proposed)
        hand = self.page.hand
        self._keep(lines.signed(his, b"" if hand is None else hand.record.data))

    # The Bank

    def held(self) -> Held:
        """What the Player can bring to the Bank: with own seeds that were not told yet."""
        return self.page.held()

    async def settle(self) -> bool:
        """Do at the Bank what can be done now to end the session alone; whether it is over."""
        over = await settle(self._bank, self._key, self.held(), clock=self._clock)
        if over and not self.page.closed:
            await self._hear_the_end()
            self._keep(CLOSED)
        return over

    async def _hear_the_end(self) -> None:
        """How the open hand ended at the Bank, if it was brought there."""
        held, page = self.held(), self.page
        if held.hand is not None:
            game = await self._bank.game(held.hand.bet.key)
            heard = informed(held, await self._bank.told(held.hand.bet.key)).hand
            assert heard is not None
            if game.is_of(held.hand.bet):
                self._disputed = page.disputed(heard, game)
