"""The Player's side of sessions.

    evening = await SessionPlayer.open(bank, desk, key, funds)
    hand = await evening.deal(bet, level)            # the five cards
    won = await evening.draw(order)                  # what the hand brought, net, in wei
    await evening.close()                            # sign the last state
    while not await evening.settle(): ...            # until the Bank has closed the session

Every answer of the Croupier is checked. If he does not answer, or answers falsely, the hand goes to
the Bank: `settle` brings the Player's messages there. A hand at the Bank still waits for an order:
`decide` gives it. In the last quarter of its time `settle` plays the best hold.

Every signed message is in the notes before it leaves. After a crash `SessionPlayer` is made from
them again, and `go_on` repeats the last message.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from typing import Any, Final

from fairground.bank.audit import SessionRecord
from fairground.bank.bank_port import NO_GAME, Bank, BankClock, BankGame, BankSession, Phase, Step
from fairground.bank.croupier_port import Closed, Declined, SessionDesk
from fairground.bank.duties import Decide, informed, is_final, is_late, settle
from fairground.bank.hand import HandEngine, Held, chairs_at, seeds_in
from fairground.bank.messages import Bet, Key, ReplacementOrder, Signer
from fairground.bank.player.notes import Notebook
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.session import CLOSED, Line, SessionPage, Signed, Tower, fits, line, most_bet
from fairground.core import InputError
from fairground.games.poker.holds import best_hold

LOOKS: Final = 40
"""In each step's time, whether somebody closes the session."""

GLANCE: Final = 0.2
"""Seconds between two looks at a chain."""

MOST_EXPIRY: Final = 3600
"""Seconds for which signed terms may stay good before the session is opened, at the most."""

NODE_LAG: Final = 60.0
"""Seconds that one's own node may be behind the Croupier's."""


class BetTooLarge(InputError):
    """A bet that the session has no money for. The Croupier was not asked; the session goes on."""

    code = "session/bet-too-large"

    def __init__(self, bet: int, level: int, most: int) -> None:
        largest = f"the largest bet that fits is {most}" if most else "no bet fits any more"
        super().__init__(f"a bet of {bet} at level {level} is too large here: {largest}")
        self.most = most


class SessionPlayer:
    """A Player in one session."""

    def __init__(
        self,
        bank: Bank,
        desk: SessionDesk,
        key: Key,
        page: SessionPage,
        notes: Notebook | None = None,
        *,
        tower: Tower | None = None,
        confirmations: int = 0,
    ) -> None:
        """``tower``: where what a watchtower needs is left. ``confirmations``: blocks behind what
        the Bank says before it counts as said.
        """
        self.page, self.terms, self.name = page, page.terms, page.name
        self.last_hand: tuple[int, ...] = ()
        """The final cards of the last hand,"""
        self.last_won = 0
        """and what it brought, net, in wei."""
        self._bank, self._desk, self._key = bank, desk, key
        self._notes, self._clock = notes or Notebook(), BankClock(bank)
        self._tower, self._looked = tower, -math.inf
        self._confirmations = confirmations
        self._disputed = b""
        """The transcript of the hand that ended at the Bank."""
        self.fallback: tuple[int, ...] | None = None
        """The order that was played for the Player, whose time ran out at the Bank."""
        self.is_late = False
        """True if the Player's own time is over at the Bank, so that the stake is lost."""

    @classmethod
    async def open(
        cls,
        bank: Bank,
        desk: SessionDesk,
        key: Key,
        funds: int,
        *,
        notes: Notebook | None = None,
        tower: Tower | None = None,
        confirmations: int = 0,
        stake: tuple[int, int] | None = None,
    ) -> SessionPlayer:
        """Agree on terms, and wait until the Bank has the session, with its confirmations.

        ``stake``: the usual bet and its level. Raise `BetTooLarge`, and sign nothing, if the
        Croupier's funds do not cover it.
        """
        terms = await desk.session(key.address, funds)
        account = await bank.account(terms.croupier)
        kept = await bank.session(terms.croupier, key.address)
        if terms[1:2] + terms[3:6] != (key.address, key.address, kept.number, funds):
            raise Declined(f"the Croupier offers other terms than were asked for: {terms}")
        if terms.croupier_key != account.key:
            raise Declined(f"the Bank knows {account.key} as his key, not {terms.croupier_key}")
        latest = await bank.now() + MOST_EXPIRY
        if terms.expiry > latest:
            raise Declined(
                f"the Croupier wants terms that stay good until {terms.expiry}: he could open the "
                f"session much later. The latest expiry that is signed is {latest}"
            )
        if stake is not None:
            chip, (bet, level) = bank.terms.chip_cost, stake
            if bet > (most := most_bet(funds, terms.croupier_funds, level, chip)):
                raise BetTooLarge(bet, level, most)
        signature = key.sign(bank.domain, terms)
        page = SessionPage(bank.domain, Signer.PLAYER, terms, signature, chairs_at(bank))
        player = cls(bank, desk, key, page, notes, tower=tower, confirmations=confirmations)
        player._notes.add(page, [line("session", terms, signature)])
        await desk.open(terms, signature)
        await player.be_sure()
        return player

    async def be_sure(self) -> None:
        """Wait until the Bank has the session under enough blocks: it may be taken back before.

        One's own node may be some blocks behind the one of the Croupier.
        """
        parties = self.terms.croupier, self.terms.player
        until = time.monotonic() + NODE_LAG
        while True:
            now = await self._bank.session(*parties)
            is_there = now.phase in (Phase.OPEN, Phase.CLAIMED) and now.is_of(self.terms)
            if is_there and not self._confirmations:
                return
            if is_there and (await self._confirmed_session()).is_of(self.terms):
                return
            if not is_there and (now.number > self.terms.number or time.monotonic() > until):
                raise Declined("the Croupier did not bring the session to the Bank")
            await asyncio.sleep(GLANCE)

    async def _confirmed_session(self) -> BankSession:
        parties = self.terms.croupier, self.terms.player
        return await self._bank.session(*parties, self._confirmations)

    async def is_open(self) -> bool:
        """Return whether hands can be played: after a start, for a session that was left.

        A session that did not get to the Bank is brought there now, if there is still time.
        """
        kept = await self._bank.session(self.terms.croupier, self.terms.player)
        if kept.number == self.terms.number and not kept.is_of(self.terms):
            if await self._bank.now() > self.terms.expiry:
                return False
            await self._desk.open(self.terms, self.page.opening)
            return True
        return kept.is_of(self.terms) and kept.phase == Phase.OPEN and not self.leaves

    # How it stands

    @property
    def signed(self) -> Signed:
        return self.page.signed

    @property
    def leaves(self) -> bool:
        """True if the Player has signed a last state. The Croupier can then close at any time, so
        no hand follows.
        """
        proposed = self.page.proposed
        return self.page.closing or (proposed is not None and proposed[0].last)

    @property
    def share(self) -> int:
        return self.signed.state.player_share

    @property
    def cards(self) -> tuple[int, ...]:
        """The hand that waits for an order; empty if none does."""
        hand = self.page.hand
        waits = hand is not None and hand.known.order is None
        return hand.hand if hand is not None and waits else ()

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
        for one in found:
            self.page.turn(one)
        self._notes.add(self.page, found)
        if self._tower is not None:
            self._tower.leave(self.page)

    def _heard(self, kind: str, *values: Any) -> None:
        """Keep an answer of the Croupier; a false one is as good as none."""
        try:
            self._keep(line(kind, *values))
        except InputError as error:
            raise Declined(f"the Croupier answers falsely: {error}") from None

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
        """Bet, and see the five cards; raise `BetTooLarge` before anything is said."""
        if self.leaves:
            raise Closed("you have signed the end of this session: no more is played in it")
        rest = self.terms.total - self.share
        if bet > (most := most_bet(self.share, rest, level, self._bank.terms.chip_cost)):
            raise BetTooLarge(bet, level, most)
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
        self._keep(line("seeds", seeds), line("bet", terms, signature))
        return await self._taken()

    async def draw(self, order: Sequence[int]) -> int:
        """Give the order; return what the hand brought, net, in wei.

        The order is written down before anybody is asked: it counts at the Bank as well.
        """
        self.decide(order)
        await self.must_be_open()
        return await self._drawn()

    def decide(self, order: Sequence[int]) -> bool:
        """Sign the order and write it down; False if another order was given before."""
        hand, seeds = self._hand(), self.page.seeds
        assert seeds is not None
        if hand.known.order is not None:
            return hand.known.order == tuple(order)
        message = ReplacementOrder.of(hand.bet, tuple(order))
        signature = self._key.sign(self._bank.domain, message)
        self._keep(line("order", seeds[0], order, signature))
        return True

    async def close(self) -> None:
        """Sign a last state together. The session is closed when the Bank says so: `settle`."""
        if self.page.hand is not None:
            raise Declined("the hand is not over: give an order first")
        if not self.page.closing:
            if self.page.proposed is None:
                state = self.signed.state._replace(last=True)
                signature = self._key.sign(self._bank.domain, state)
                self._keep(line("state", None, state, signature))
            await self._countersigned(None)
        await self.is_closed()

    async def go_on(self) -> int | None:
        """Repeat the last message, and go on to the Player's next turn.

        Return the hand's net win in wei, if that finishes it.
        """
        page = self.page
        if page.proposed is not None and page.proposed[0].last:
            await self.close()
        elif page.hand is not None and page.hand.known.order is None:
            await self._taken()
        elif page.hand is not None:
            return await self._drawn()
        return None

    def _hand(self) -> HandEngine:
        assert self.page.hand is not None
        return self.page.hand

    async def _taken(self) -> tuple[int, ...]:
        hand = self._hand()
        if hand.known.croupier_signature is None:
            found = await self._desk.bet(self.name, hand.bet, hand.known.player_signature)
            self._heard("taken", *found)
        return hand.hand

    async def _drawn(self) -> int:
        hand, seeds = self._hand(), self.page.seeds
        order, signature = hand.known.order, hand.known.order_signature
        assert seeds is not None
        assert order is not None
        assert signature is not None
        if hand.known.acceptance is None and self.page.proposed is None:
            found = await self._desk.order(self.name, seeds[0], order, signature)
            if any(order):
                if found is None:
                    raise Declined("the Croupier does not tell seed 1")
                self._heard("drawn", *found)
        last: Seed | None = None
        if any(order):
            last = seeds[1]
            hand.last_told(last)
        if self.page.proposed is None:
            state = hand.follows(self.terms, self.signed.state)
            mine = self._key.sign(self._bank.domain, state)
            self._keep(line("state", last, state, mine))
        self.last_hand, self.last_won = hand.final_hand, hand.won
        await self._countersigned(last)
        return self.last_won

    async def _countersigned(self, seed: Seed | None) -> None:
        assert self.page.proposed is not None
        his = await self._desk.state(self.name, seed, *self.page.proposed)
        hand = self.page.hand
        self._heard("signed", his, b"" if hand is None else hand.data)

    # The Bank

    def held(self) -> Held:
        """Return the messages that the Player can bring to the Bank, with own untold seeds."""
        return self.page.held()

    async def settle(self) -> bool:
        """Do at the Bank what can be done now to end the session; return whether it is over."""
        await self._hear_seed_0()
        found = await settle(self._bank, self._key, self.held(), self._confirmations, self._clock)
        if isinstance(found, Decide):
            self._fall_back()
            return await self.settle()
        if found and not self.page.closed:
            await self._hear_the_end()
            self._keep(CLOSED)
        self.is_late = not found and is_late(self.held(), await self._game(), await self._clock())
        return found

    async def is_closed(self) -> bool:
        """Return whether the Bank has closed the session for good; then it is written down."""
        if not self.page.closed and await is_final(self._bank, self.held(), self._confirmations):
            await self._hear_the_end()
            self._keep(CLOSED)
        return self.page.closed

    async def is_claimed(self) -> bool:
        """Return whether somebody closes the session alone, by a state that may be old."""
        kept = await self._bank.session(self.terms.croupier, self.terms.player)
        return kept.is_of(self.terms) and kept.phase == Phase.CLAIMED

    async def paid(self) -> int | None:
        """Return what the Bank paid out of the closed session, in wei, without the brought hand.

        ``None``: the session was never opened there.
        """
        for event in await self._bank.told(self.name):
            if event.name == "SessionClosed":
                return int(event.values["playerShare"])
        return None

    async def time_to_decide(self) -> int:
        """Return the seconds until `settle` plays the best hold; 0 while no time runs."""
        game = await self._game()
        if game.step not in (Step.CROUPIER_SEED_0_SUBMITTED, Step.HAND_DEALT):
            return 0
        left = game.deadline - self._bank.terms.step_time // 4 - await self._clock()
        return max(1, left)

    async def _game(self) -> BankGame:
        hand = self.page.hand
        return NO_GAME if hand is None else await self._bank.game(hand.bet.key)

    async def _hear_seed_0(self) -> None:
        """Learn the cards of a hand that the Croupier took to the Bank alone."""
        hand = self.page.hand
        if hand is None or hand.known.his[0] is not None:
            return
        for *which, seed in seeds_in(await self._bank.told(hand.bet.key)):
            if which == [Signer.CROUPIER, 0]:
                self._keep(line("taken", None, seed))
                return

    def _fall_back(self) -> None:
        """Play the best hold: the Player has not decided, and the stake would be lost."""
        hand = self._hand()
        order = best_hold(hand.hand, hand.bet.level).order
        if hand.known.order is None and self.decide(order):
            self.fallback = tuple(order)

    async def _hear_the_end(self) -> None:
        """Return the end of the open hand at the Bank, if it was brought there."""
        held, page = self.held(), self.page
        if held.hand is not None:
            game = await self._bank.game(held.hand.bet.key)
            heard = informed(held, await self._bank.told(held.hand.bet.key)).hand
            assert heard is not None
            if game.is_of(held.hand.bet):
                self._disputed = page.disputed(heard, game)
