"""The Croupier's side of sessions.

He signs one bet and one state for each hand, tells seed 0 for a bet that he signed, and seed 1
for the one order that he was given, with his word on it. Everything is written down (`notes`)
before it leaves. When the Player is silent, or wants to go, `settle` brings what he holds to the
Bank, until the session is closed there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from fairground.bank.bank_port import (
    NO_GAME,
    Bank,
    BankRefused,
    ClaimSession,
    CloseSession,
    OpenSession,
    Phase,
)
from fairground.bank.croupier_port import Declined
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import (
    Bet,
    Key,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.session.desk import Drawn, SessionDesk, Taken
from fairground.bank.session.duties import Held, duty, informed
from fairground.bank.session.hand import NO_HEAD, SessionHand, fits
from fairground.fair.schemes import Chair

NOBODYS: Final = Signature(0, 0, 0)
"""Stands where no signature is wanted."""

OPEN_TIME: Final = 600
"""Seconds in which a session must be opened."""

Notes = Callable[[str, dict[str, object]], None]
"""Writes something down, durably, before it is told."""


class Signed(NamedTuple):
    """A state, with both signatures."""

    state: SessionState
    player: Signature = NOBODYS
    croupier: Signature = NOBODYS

    def claim(self, terms: SessionTerms) -> ClaimSession:
        """The call that claims it."""
        return ClaimSession(terms, *self)


def beginning(terms: SessionTerms) -> Signed:
    """A session without hands: nothing must be signed."""
    return Signed(SessionState(terms.struct_hash(), 0, terms.player_funds, NO_HEAD))


class _Session:
    """One open session."""

    def __init__(self, terms: SessionTerms) -> None:
        self.terms = terms
        self.signed = beginning(terms)
        self.seeds: tuple[Seed, Seed] | None = None
        """For the next hand, or the open one."""
        self.hand: SessionHand | None = None
        self.taken: Taken | None = None
        self.drawn: Drawn | None = None

    def held(self) -> Held:
        """What he can bring to the Bank: with seeds of his own that he did not tell yet."""
        hand = None
        if self.hand is not None and self.seeds is not None:
            hand = self.hand.open._replace(his=self.seeds)
        return Held(Signer.CROUPIER, self.terms, self.signed.claim(self.terms), hand)


class SessionCroupier(SessionDesk):
    """A Croupier who plays sessions, at any Bank of version 2."""

    def __init__(
        self,
        bank: Bank,
        key: Key,
        funds: int,
        *,
        notes: Notes = lambda kind, fields: None,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        """``funds``: what he puts into a session, in wei; bets are limited by it."""
        self._bank, self._key, self._funds = bank, key, funds
        self._notes, self._chairs = notes, chairs
        self._sessions: dict[bytes, _Session] = {}

    async def session(self, player: str, funds: int) -> SessionTerms:
        """His terms: the keys that the Bank knows, and the next number of these two."""
        account = await self._bank.account(player)
        if account.available < funds:
            raise Declined(f"you have {account.available} wei at the Bank, less than {funds}")
        kept = await self._bank.session(self._key.address, player)
        if kept.phase in (Phase.OPEN, Phase.CLAIMED):
            raise Declined("your last session is not closed: close it first")
        return SessionTerms(
            self._key.address,
            player,
            self._key.address,
            account.key,
            kept.number,
            funds,
            self._funds,
            await self._bank.now() + OPEN_TIME,
        )

    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        """Bring a session to the Bank, on his own terms alone."""
        wanted = await self.session(terms.player, terms.player_funds)
        if terms[:7] != wanted[:7] or terms.expiry > wanted.expiry:
            raise Declined(f"the terms must be {wanted}")
        must_be_signed(self._bank.domain, terms, signature, terms.player_key)
        await self._bank.send(self._key, OpenSession(terms, signature))
        self._sessions[terms.struct_hash()] = _Session(terms)

    def _of(self, session: bytes) -> _Session:
        if session not in self._sessions:
            raise Declined("there is no such session here")
        return self._sessions[session]

    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        """Fresh seeds, for this hand alone."""
        mine = self._of(session)
        if hand != mine.signed.state.hands or mine.hand is not None:
            raise Declined(f"the next hand is {mine.signed.state.hands}, when the last is done")
        if mine.seeds is None:
            parties = mine.terms.croupier, mine.terms.player
            game_id = mine.terms.game_id(hand)
            domain = self._bank.domain
            mine.seeds = fresh_seeds(self._key, domain, parties, Signer.CROUPIER, game_id)
            self._notes("offer", {"hand": hand, "seeds": [seed.hex() for seed in mine.seeds]})
        return mine.seeds[0].commitment, mine.seeds[1].commitment

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        """Sign one bet for this hand, and tell seed 0 for it."""
        mine = self._of(session)
        if mine.hand is not None and mine.taken is not None:
            if mine.hand.bet == bet:
                return mine.taken
            raise Declined("there is another bet on this hand: the first counts")
        if mine.seeds is None:
            raise Declined("ask for an offer first")
        reason = fits(mine.terms, mine.signed.state, bet, self._bank.terms.chip_cost)
        if not reason and bet.commitments[:2] != tuple(seed.commitment for seed in mine.seeds):
            reason = "the first two commitments must be those of the offer"
        if reason:
            raise Declined(f"the bet does not fit: {reason}")
        must_be_signed(self._bank.domain, bet, signature, bet.player_key)
        hand = SessionHand(self._bank.domain, bet, signature, self._chairs)
        taken = Taken(self._key.sign(self._bank.domain, bet), mine.seeds[0])
        hand.taken(*taken)
        self._notes("bet", {"bet": bet.struct_hash().hex(), "signature": signature.hex()})
        mine.hand, mine.taken = hand, taken
        return taken

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        """Tell seed 1 for one order, and give his word on it."""
        mine = self._of(session)
        if mine.hand is None or mine.seeds is None:
            raise Declined("there is no open hand")
        if mine.drawn is not None:
            if mine.hand.open.order == tuple(order):
                return mine.drawn
            raise Declined(f"the order {list(mine.hand.open.order or ())} came first")
        if mine.hand.open.order is None:
            if mine.hand.open.theirs[0] is None:
                mine.hand.peek(seed)
            mine.hand.ordered(order, signature)
            self._notes("order", {"order": list(order), "signature": signature.hex()})
        if mine.hand.open.order != tuple(order):
            raise Declined(f"the order {list(mine.hand.open.order or ())} came first")
        if not any(order):
            return None
        acceptance = self._key.sign(self._bank.domain, mine.hand.acceptance)
        drawn = Drawn(mine.seeds[1], acceptance)
        self._notes("drawn", {"hand": mine.signed.state.hands})
        mine.hand.drawn(*drawn)
        mine.drawn = drawn
        return drawn

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        """Sign the one state that follows; or a last one, if no hand is open."""
        mine = self._of(session)
        if state == mine.signed.state:
            return mine.signed.croupier
        wanted = mine.signed.state._replace(last=True)
        if mine.hand is not None:
            if seed is not None and mine.drawn is not None and mine.hand.open.theirs[1] is None:
                mine.hand.final(seed)
            if not mine.hand.record.over:
                raise Declined("the hand is not over: tell your seed 1")
            wanted = mine.hand.follows(mine.terms, mine.signed.state)
        if state != wanted:
            raise Declined(f"the state must be {wanted}")
        must_be_signed(self._bank.domain, state, signature, mine.terms.player_key)
        his = self._key.sign(self._bank.domain, state)
        self._notes("state", {"hands": state.hands, "signature": signature.hex()})
        signed = Signed(state, signature, his)
        if state.last:
            await self._bank.send(self._key, CloseSession(mine.terms, *signed))
        mine.signed = signed
        mine.hand, mine.seeds, mine.taken, mine.drawn = None, None, None, None
        return his

    async def settle(self, session: bytes) -> bool:
        """Do at the Bank what can be done now to end a session alone; whether it is over."""
        mine = self._of(session)
        return await settle(self._bank, self._key, mine.held())


async def settle(bank: Bank, key: Key, held: Held) -> bool:
    """Bring what one holds to the Bank, as far as it goes now; whether nothing is left to do."""
    while True:
        session = await bank.session(held.terms.croupier, held.terms.player)
        game = NO_GAME if held.hand is None else await bank.game(held.hand.bet.key)
        closed = session.phase == Phase.CLOSED or not session.is_of(held.terms)
        if closed and (game.step == 0 or game.outcome):
            return True
        if held.hand is not None and game.step:
            held = informed(held, await bank.told(held.hand.bet.key))
        call = duty(held, session, game, await bank.now(), bank.terms.step_time)
        if call is None:
            return False
        try:
            if not await bank.send(key, call):
                return False
        except BankRefused as refused:
            if refused.name in ("TooEarly", "TooLate", "AlreadySubmitted", "OldState"):
                return False  # things moved on since we looked: look again later
            raise
