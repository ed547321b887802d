"""The Player's side of sessions.

    evening = await SessionPlayer.open(bank, desk, key, funds)
    hand = await evening.deal(bet, level)            # the five cards
    won = await evening.draw(order)                  # what the hand brought, net, in wei
    await evening.close()                            # one call for the whole evening

What the Croupier says is checked at each step. Where he does not answer, or answers falsely, the
hand goes to the Bank: `settle` brings what the Player holds there.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairground.bank.bank_port import Bank, Phase
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import (
    Bet,
    Key,
    ReplacementOrder,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.session.croupier import Notes, Signed, beginning, settle
from fairground.bank.session.desk import Declined, SessionDesk
from fairground.bank.session.duties import Held
from fairground.bank.session.hand import SessionHand, fits
from fairground.fair.schemes import Chair


class SessionPlayer:
    """A Player in one session."""

    def __init__(
        self,
        bank: Bank,
        desk: SessionDesk,
        key: Key,
        terms: SessionTerms,
        *,
        notes: Notes = lambda kind, fields: None,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        self.terms, self.name = terms, terms.struct_hash()
        self.signed = beginning(terms)
        self.transcripts: list[bytes] = []
        """Of the hands that are done, in their order."""
        self.last_hand: tuple[int, ...] = ()
        """The final cards of the last hand."""
        self._bank, self._desk, self._key = bank, desk, key
        self._notes, self._chairs = notes, chairs
        self._hand: SessionHand | None = None
        self._seeds: tuple[Seed, Seed] | None = None
        self.opening: Signature = key.sign(bank.domain, terms)

    @classmethod
    async def open(
        cls, bank: Bank, desk: SessionDesk, key: Key, funds: int, **more: object
    ) -> SessionPlayer:
        """Agree on terms, and wait until the Bank has the session."""
        terms = await desk.session(key.address, funds)
        account = await bank.account(terms.croupier)
        kept = await bank.session(terms.croupier, key.address)
        if terms[1:2] + terms[3:6] != (key.address, key.address, kept.number, funds):
            raise Declined(f"the Croupier offers other terms than were asked for: {terms}")
        if terms.croupier_key != account.key:
            raise Declined(f"the Bank knows {account.key} as his key, not {terms.croupier_key}")
        player = cls(bank, desk, key, terms, **more)  # type: ignore[arg-type]
        await desk.open(terms, player.opening)
        kept = await bank.session(terms.croupier, key.address)
        if kept.phase != Phase.OPEN or not kept.is_of(terms):
            raise Declined("the Croupier did not bring the session to the Bank")
        return player

    @property
    def share(self) -> int:
        """What the Player has in the session, in wei."""
        return self.signed.state.player_share

    async def deal(self, bet: int, level: int) -> tuple[int, ...]:
        """Bet, and see the five cards."""
        hands = self.signed.state.hands
        commitments = await self._desk.offer(self.name, hands)
        parties, game_id = (self.terms.croupier, self.terms.player), self.terms.game_id(hands)
        domain = self._bank.domain
        self._seeds = fresh_seeds(self._key, domain, parties, Signer.PLAYER, game_id)
        first, second = self._seeds
        mine = first.commitment, second.commitment
        chip = self._bank.terms.chip_cost
        keys = self.terms.croupier_key, self.terms.player_key
        terms = Bet(*parties, *keys, game_id, bet, level, chip, *commitments, *mine, 0)
        if reason := fits(self.terms, self.signed.state, terms, chip):
            raise Declined(f"this bet cannot be made: {reason}")
        signature = self._key.sign(domain, terms)
        self._notes("bet", {"hand": hands, "seeds": [seed.hex() for seed in self._seeds]})
        self._hand = SessionHand(domain, terms, signature, self._chairs)
        taken = await self._desk.bet(self.name, terms, signature)
        self._hand.taken(*taken)
        return self._hand.peek(self._seeds[0])

    async def draw(self, order: Sequence[int]) -> int:
        """Give the order; what the hand brought, net, in wei."""
        hand, seeds = self._hand, self._seeds
        assert hand is not None
        assert seeds is not None
        domain = self._bank.domain
        message = ReplacementOrder.of(hand.bet, tuple(order))
        signature = self._key.sign(domain, message)
        self._notes("order", {"order": list(order), "signature": signature.hex()})
        hand.ordered(order, signature)
        last: Seed | None = None
        drawn = await self._desk.order(self.name, seeds[0], order, signature)
        if any(order):
            if drawn is None:
                raise Declined("the Croupier does not tell seed 1")
            hand.drawn(*drawn)
            last = seeds[1]
            hand.final(last)
        state = hand.follows(self.terms, self.signed.state)
        mine = self._key.sign(domain, state)
        self._notes("state", {"hands": state.hands, "share": state.player_share})
        his = await self._desk.state(self.name, last, state, mine)
        must_be_signed(domain, state, his, self.terms.croupier_key)
        self.signed = Signed(state, mine, his)
        self.transcripts.append(hand.record.data)
        self.last_hand = hand.record.final_hand
        self._hand = self._seeds = None
        return hand.won

    async def close(self) -> None:
        """Close the session together, by a last state."""
        state = self.signed.state._replace(last=True)
        mine = self._key.sign(self._bank.domain, state)
        his = await self._desk.state(self.name, None, state, mine)
        must_be_signed(self._bank.domain, state, his, self.terms.croupier_key)
        self.signed = Signed(state, mine, his)

    def held(self) -> Held:
        """What the Player can bring to the Bank: with own seeds that were not told yet."""
        hand = None
        if self._hand is not None and self._seeds is not None:
            hand = self._hand.open._replace(theirs=self._seeds)
        return Held(Signer.PLAYER, self.terms, self.signed.claim(self.terms), hand)

    async def settle(self) -> bool:
        """Do at the Bank what can be done now to end the session alone; whether it is over."""
        return await settle(self._bank, self._key, self.held())
