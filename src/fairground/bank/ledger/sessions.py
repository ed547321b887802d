"""Sessions in the rules of the Bank: ``contracts/BankTwo.sol``, line for line.

A session locks what two parties put in. Its hands are played between the two, and the Bank is
only their judge (docs/games/croupier-sessions.md):

::

            openSession          closeSession: both signed the last state
    none ─────────────> open ──────────────────────────────────────────────> closed
                          │ claimSession: a state that both signed             ^ ^
                          v                                                    │ │
                       claimed ── a newer state: the time begins again ──┐     │ │
                          │   ^──────────────────────────────────────────┘     │ │
                          │ STEP_TIME later: bringHand, the open hand ─────────┘ │
                          │ 2 STEP_TIME later: finishSession ────────────────────┘
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from fairground.bank.bank_port import (
    NO_KEY,
    NO_SESSION,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    BringHand,
    ClaimSession,
    CloseSession,
    ComplainTwoOrders,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    SessionCall,
    Step,
    SubmitAcceptedSeed,
    SubmitCroupierSeed,
    short_name,
)
from fairground.bank.chain.artifact import Terms
from fairground.bank.fields import address
from fairground.bank.ledger.pockets import available_to, lock_of
from fairground.bank.ledger.rules import Books
from fairground.bank.messages import (
    IN_SESSION,
    Bet,
    Domain,
    OrderAccepted,
    ReplacementOrder,
    SessionTerms,
)
from fairground.bank.seeds import packed_order
from fairground.games.poker import BETS, LEVELS

LIVE = (Phase.OPEN, Phase.CLAIMED)


class SessionBooks(Books):
    """Books with sessions in them."""

    def __init__(self, domain: Domain, terms: Terms, faucet: int) -> None:
        super().__init__(domain, terms, faucet)
        self._sessions: MutableMapping[tuple[str, str], BankSession] = {}

    def session(self, croupier: str, player: str) -> BankSession:
        """The session of these two."""
        return self._sessions.get((address(croupier), address(player)), NO_SESSION)

    def _in_session(self, sender: str, call: SessionCall, now: int) -> list[BankEvent]:
        match call:
            case OpenSession():
                return self._open(sender, call, now)
            case CloseSession():
                return self._close_session(call)
            case ClaimSession():
                return self._claim(sender, call, now)
            case BringHand():
                return self._bring(call, now)
            case FinishSession(terms):
                return self._finish(terms, now)
            case SubmitAcceptedSeed():
                return self._accepted_seed(sender, call, now)
            case ComplainTwoOrders():
                return self._two_orders(sender, call)

    def _open(self, sender: str, call: OpenSession, now: int) -> list[BankEvent]:
        terms = call.terms
        if sender != terms.croupier:
            raise BankRefused("NotTheCroupier")
        parties = terms.croupier, terms.player
        kept = self._sessions.get(parties, NO_SESSION)
        if kept.phase == Phase.OPEN and kept.is_of(terms):
            return []
        if kept.phase in LIVE or terms.number != kept.number:
            raise BankRefused("WrongSession", (kept.phase,))
        if terms.croupier == terms.player:
            raise BankRefused("SameParty")
        if now > terms.expiry:
            raise BankRefused("BetExpired")
        keys = self._keys.get(terms.croupier), self._keys.get(terms.player, NO_KEY)
        if (terms.croupier_key, terms.player_key) != keys:
            raise BankRefused("WrongKey")
        self._must_be_signed(terms, call.signature, terms.player_key)
        self._must_have(terms.player, available_to(terms.player), terms.player_funds)
        self._must_have(terms.croupier, available_to(terms.croupier), terms.croupier_funds)
        name = terms.struct_hash()
        self._move(available_to(terms.player), lock_of(name), terms.player_funds)
        self._move(available_to(terms.croupier), lock_of(name), terms.croupier_funds)
        for party in parties:
            self._open_games[party] = self._open_games.get(party, 0) + 1
        self._sessions[parties] = BankSession(
            short_name(name), terms.number + 1, Phase.OPEN, 0, 0, 0, 0
        )
        values: dict[str, Any] = {"session": name, "number": terms.number}
        values |= {"croupier": terms.croupier, "player": terms.player}
        values |= {"playerFunds": terms.player_funds, "croupierFunds": terms.croupier_funds}
        return [BankEvent("SessionOpened", values)]

    def _live(self, terms: SessionTerms) -> BankSession:
        kept = self._sessions.get((terms.croupier, terms.player), NO_SESSION)
        if kept.phase not in LIVE or not kept.is_of(terms):
            raise BankRefused("WrongSession", (kept.phase,))
        return kept

    def _must_be_state(self, call: CloseSession | ClaimSession) -> None:
        terms, state = call.terms, call.state
        if state.session != terms.struct_hash():
            raise BankRefused("BadSignature")
        self._must_be_signed(state, call.player_signature, terms.player_key)
        self._must_be_signed(state, call.croupier_signature, terms.croupier_key)

    @staticmethod
    def _shared(terms: SessionTerms, kept: BankSession, hands: int, share: int) -> BankSession:
        """The session, with who has what after so many hands."""
        if share > terms.total or hands >= 2**96:
            raise BankRefused("BadShare")
        return kept._replace(hands=hands, player_share=share, croupier_share=terms.total - share)

    def _close_session(self, call: CloseSession) -> list[BankEvent]:
        kept = self._live(call.terms)
        if not call.state.last:
            raise BankRefused("OldState", (kept.hands,))
        self._must_be_state(call)
        hands, share = call.state.hands, call.state.player_share
        return self._end(call.terms, self._shared(call.terms, kept, hands, share))

    def _claim(self, sender: str, call: ClaimSession, now: int) -> list[BankEvent]:
        terms, state = call.terms, call.state
        kept = self._live(terms)
        if kept.phase == Phase.OPEN:
            if sender not in (terms.croupier, terms.player):
                raise BankRefused("NotAParty")
        elif now > kept.deadline:
            raise BankRefused("TooLate", (kept.deadline,))
        elif state.hands <= kept.hands:
            raise BankRefused("OldState", (kept.hands,))
        share = terms.player_funds
        if state.hands:
            self._must_be_state(call)
            share = state.player_share
        kept = self._shared(terms, kept, state.hands, share)
        deadline = now + self.terms.step_time
        kept = kept._replace(phase=Phase.CLAIMED, deadline=deadline)
        self._sessions[terms.croupier, terms.player] = kept
        values = {"session": terms.struct_hash(), "hands": kept.hands}
        values |= {"playerShare": kept.player_share, "deadline": deadline}
        return [BankEvent("SessionClaimed", values)]

    def _bring(self, call: BringHand, now: int) -> list[BankEvent]:
        terms, bet = call.terms, call.bet
        kept = self._claimed(terms)
        if now <= kept.deadline:
            raise BankRefused("TooEarly", (kept.deadline,))
        end = kept.deadline + self.terms.step_time
        if now > end:
            raise BankRefused("TooLate", (end,))
        game_id = terms.game_id(kept.hands)
        if bet[:5] != (*terms[:4], game_id):
            raise BankRefused("WrongHand", (game_id,))
        if bet.bet not in BETS or bet.level not in LEVELS:
            raise BankRefused("BadBet")
        if bet.chip_cost != self.terms.chip_cost:
            raise BankRefused("WrongChipCost")
        if len(set(bet.commitments)) != len(bet.commitments):
            raise BankRefused("EqualCommitments")
        self._must_be_signed(bet, call.player_signature, terms.player_key)
        self._must_be_signed(bet, call.croupier_signature, terms.croupier_key)
        for owner, share, needed in (
            (terms.player, kept.player_share, bet.stake),
            (terms.croupier, kept.croupier_share, bet.top_prize),
        ):
            if share < needed:
                raise BankRefused("InsufficientFunds", (owner, share, needed))
        deadline = now + self.terms.step_time
        name = bet.struct_hash()
        self._games[bet.key] = BankGame(
            short_name(name), Step.BET_SUBMITTED, GameOutcome.OPEN, deadline, 0, 0
        )
        for party in (terms.croupier, terms.player):
            self._open_games[party] += 1
        self._move(lock_of(terms.struct_hash()), lock_of(bet.key), bet.stake + bet.top_prize)
        kept = kept._replace(
            player_share=kept.player_share - bet.stake,
            croupier_share=kept.croupier_share - bet.top_prize,
        )
        closed = self._end(terms, kept, bet.key)
        values = {"croupier": bet.croupier, "player": bet.player, "gameId": bet.game_id}
        values |= {"game": bet.key, "betHash": name, "deadline": deadline}
        return [*closed, BankEvent("BetSubmitted", values)]

    def _claimed(self, terms: SessionTerms) -> BankSession:
        kept = self._live(terms)
        if kept.phase != Phase.CLAIMED:
            raise BankRefused("WrongSession", (kept.phase,))
        return kept

    def _finish(self, terms: SessionTerms, now: int) -> list[BankEvent]:
        kept = self._claimed(terms)
        end = kept.deadline + self.terms.step_time
        if now <= end:
            raise BankRefused("TooEarly", (end,))
        return self._end(terms, kept)

    def _end(
        self, terms: SessionTerms, kept: BankSession, hand: bytes = bytes(32)
    ) -> list[BankEvent]:
        """Pay the shares, and close."""
        name = terms.struct_hash()
        self._sessions[terms.croupier, terms.player] = kept._replace(
            phase=Phase.CLOSED, hands=0, player_share=0, croupier_share=0
        )
        self._move(lock_of(name), available_to(terms.player), kept.player_share)
        self._move(lock_of(name), available_to(terms.croupier), kept.croupier_share)
        for party in (terms.croupier, terms.player):
            self._open_games[party] -= 1
        values = {"session": name, "hands": kept.hands, "hand": hand}
        values |= {"playerShare": kept.player_share, "croupierShare": kept.croupier_share}
        return [BankEvent("SessionClosed", values)]

    # The open hand, before the Bank

    def _may_tell(self, sender: str, bet: Bet, seed_id: int) -> None:
        """Seed 1 was told for one order: nobody else brings it without his word on that."""
        if seed_id == 1 and bet.game_id >= IN_SESSION and sender != bet.croupier:
            raise BankRefused("NotTheCroupier")

    def _accepted_seed(self, sender: str, call: SubmitAcceptedSeed, now: int) -> list[BankEvent]:
        bet = call.bet
        _, game = self._find(sender, bet)
        accepted = OrderAccepted(bet.struct_hash(), game.order)
        self._must_be_signed(accepted, call.acceptance, bet.croupier_key)
        told = SubmitCroupierSeed(bet, 1, call.seed)
        return self._take_croupier_seed(sender, told, now)

    def _must_be_undisputed(self, sender: str, bet: Bet, game: BankGame, now: int) -> None:
        """An order to replace nothing settles after a while: another may be shown until then."""
        waits = bet.game_id >= IN_SESSION and game.order == 0 and sender != bet.croupier
        if waits and now <= game.deadline:
            raise BankRefused("TooEarly", (game.deadline,))

    def _two_orders(self, sender: str, call: ComplainTwoOrders) -> list[BankEvent]:
        bet = call.bet
        key, game = self._find(sender, bet)
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        stands = game.step == Step.HAND_FINAL and game.order == 0
        if bet.game_id < IN_SESSION or not (game.step == Step.ORDER_SUBMITTED or stands):
            raise BankRefused("WrongStep", (int(game.step),))
        if max(call.order) > 1:
            raise BankRefused("BadOrder")
        if packed_order(call.order) == game.order:
            raise BankRefused("SameOrder")
        message = ReplacementOrder.of(bet, call.order)
        self._must_be_signed(message, call.signature, bet.player_key)
        self._close(bet, key, game, GameOutcome.PLAYER_FORFEITED, 0)
        return [BankEvent("PlayerForfeited", {"game": key, "lastStep": int(Step.HAND_DEALT)})]
