"""The rules of the Bank in plain Python: ``contracts/Bank.sol``, line for line.

`Books` takes the contract's calls, asks the contract's questions in the contract's order, refuses
for the same reason with the same values, and records the same events. It needs no chain and no
extra. ``tests/helpers/evm.py`` runs both side by side and compares them, to the wei, after every
call.

Money is kept by double entry: every movement takes from one `Pocket` the amount that it puts into
another, so that the sum over all pockets is always zero::

    issue ──faucet──> purse ──deposit──> available ──bet──> lock ──result──> available
                        ^────withdrawal─────┘

A pocket is never below zero, but for *issue*, whose debt is the play money that was made.

A session locks the funds of two parties. Its hands are played between the two, and the Bank is only
their judge (docs/games/croupier-sessions.md)::

            openSession          closeSession: both signed the last state
    none ─────────────> open ──────────────────────────────────────────────> closed
                          │ claimSession: a state that both signed             ^ ^
                          v                                                    │ │
                       claimed ── a newer state: the time begins again ──┐     │ │
                          │   ^──────────────────────────────────────────┘     │ │
                          │ STEP_TIME later: bringHand, the open hand ─────────┘ │
                          │ 2 STEP_TIME later: finishSession ────────────────────┘

`reach` and `locked` are the contract's library ``Prospect``: the best result that is still possible
once the order is known, and the chips that must stay locked for it. Tests compare the two, and both
with all hands that can be drawn.
"""

from __future__ import annotations

import copy
from collections import ChainMap, Counter
from collections.abc import MutableMapping, Sequence
from functools import singledispatchmethod
from typing import Any, Final, NamedTuple, Self

from fairground.bank import bank_port as bank
from fairground.bank.bank_port import (
    NO_GAME,
    NO_KEY,
    NO_SESSION,
    SILENT_AT,
    Account,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    GameOutcome,
    Phase,
    Silence,
    Step,
    Terms,
    price_of_silence,
    short_name,
    step_after,
)
from fairground.bank.calls import UINT256, address, checked, recorded
from fairground.bank.messages import (
    IN_SESSION,
    Bet,
    Domain,
    Message,
    OrderAccepted,
    PublicKey,
    ReplacementOrder,
    SeedMessage,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.seeds import (
    Seed,
    commit_to,
    deal,
    mix,
    packed_hand,
    packed_order,
    replace,
    unpacked_hand,
    unpacked_order,
)
from fairground.bank.signatures import BadSignature, Signature
from fairground.games.poker.rules import (
    ACE,
    BETS,
    FIVE,
    JACK,
    KINDS,
    LEVELS,
    PAYS,
    SILENCE,
    TEN,
    Rank,
    rank,
)


def reach(hand: Sequence[int], order: Sequence[int]) -> Rank:
    """A rank that no draw from the kept cards can beat.

    Cards thrown away count as if they could come back: so it may be better than what is
    possible, and is never worse.
    """
    if not any(order):
        return rank(hand)
    kept = [card for card, replaced in zip(hand, order, strict=True) if not replaced]
    if not kept:
        return Rank.ROYAL_FLUSH
    ranks = {card % KINDS for card in kept}
    suited = len({card // KINDS for card in kept}) == 1
    if len(ranks) < len(kept):
        counts = sorted(Counter(card % KINDS for card in kept).values())
        if counts == [2, 2]:
            return Rank.FULL_HOUSE
        return Rank.THREE_OF_A_KIND if counts == [1, 1, 2] else Rank.FOUR_OF_A_KIND
    if suited and min(ranks) >= TEN:
        return Rank.ROYAL_FLUSH
    near = max(ranks) - min(ranks) < 5 or all(r in (ACE, *range(FIVE + 1)) for r in ranks)
    if suited and near:
        return Rank.STRAIGHT_FLUSH
    if len(kept) <= 2:
        return Rank.FOUR_OF_A_KIND
    if suited:
        return Rank.FLUSH
    if near:
        return Rank.STRAIGHT
    if len(kept) == 3:
        return Rank.THREE_OF_A_KIND
    return Rank.JACKS_OR_BETTER if max(ranks) >= JACK else Rank.NOTHING


def locked(level: int, hand: Sequence[int], order: Sequence[int]) -> int:
    """Return the chips that must stay locked, for each chip of the bet.

    They are the best prize within reach, and no less than the price of silence.
    """
    best = reach(hand, order)
    chips = PAYS[level][best]
    replaced = sum(order)
    if not replaced or best == Rank.ROYAL_FLUSH:
        return chips
    return chips + level if replaced == 1 else max(chips, SILENCE[replaced] * level)


STEP_TIMES: Final = range(60, 30 * 24 * 3600 + 1)
"""Seconds that a step may take."""

CHIP_COSTS: Final = range(1, 2**60 + 1)
"""Wei that a chip may cost."""

MOST_MONEY: Final = 2**128
"""Wei of play money that are ever made, at most."""

MAX_DEPOSIT: Final = 2**79
"""Wei in an account above which it takes no deposit: the other half has room for prizes."""

LIVE: Final = (Phase.OPEN, Phase.CLAIMED)

LAST_STEP: Final = {silence: step for step, silence in SILENT_AT.items()}
"""The step that each silence follows."""


def check_terms(terms: Terms) -> None:
    """Refuse what the contract's constructor refuses."""
    if terms.chip_cost not in CHIP_COSTS or terms.step_time not in STEP_TIMES:
        raise BankRefused("BadTerms")


class Pocket(NamedTuple):
    """A place for money. ``of`` is an owner, for a lock the game's key in hex."""

    kind: str
    of: str


ISSUE: Final = Pocket("issue", "all")
"""Source of play money: below zero by the amount that was made."""


def purse_of(owner: str) -> Pocket:
    """Return an owner's pocket outside of the Bank."""
    return Pocket("purse", owner)


def available_to(owner: str) -> Pocket:
    """Return an owner's pocket in the Bank, free of games."""
    return Pocket("available", owner)


def lock_of(key: bytes) -> Pocket:
    """Return the pocket of a game's locked money."""
    return Pocket("lock", key.hex())


class Books:
    """Everything that a Bank knows.

    ``faucet`` is how much play money may ever be made for one owner.
    """

    def __init__(self, domain: Domain, terms: Terms, faucet: int) -> None:
        check_terms(terms)
        self.domain = domain
        self.terms = terms
        self.faucet = faucet
        self._trusting = False
        self._money: MutableMapping[Pocket, int] = {}
        self._keys: MutableMapping[str, str] = {}
        self._key_owners: MutableMapping[str, str] = {}
        self._open_games: MutableMapping[str, int] = {}
        self._games: MutableMapping[bytes, BankGame] = {}
        self._sessions: MutableMapping[tuple[str, str], BankSession] = {}
        self._next_game_ids: MutableMapping[tuple[str, str], int] = {}
        self._issued: MutableMapping[str, int] = {}

    # A draft can be thrown away

    def draft(self) -> Self:
        """Books that begin as these, and leave these as they are until `settle`."""
        other = copy.copy(self)
        for name, table in self.tables().items():
            setattr(other, name, ChainMap({}, table))
        return other

    def settle(self) -> None:
        """Write a draft into the books that it was made of. Zero is the same as nothing."""
        for table in self.tables().values():
            assert isinstance(table, ChainMap)
            new, old = table.maps
            for key, value in new.items():
                if value or isinstance(old, ChainMap):
                    old[key] = value
                else:
                    old.pop(key, None)

    def tables(self) -> dict[str, MutableMapping[Any, Any]]:
        return {
            name: table for name, table in vars(self).items() if isinstance(table, MutableMapping)
        }

    # Looking

    def purse(self, owner: str) -> int:
        """Return the wei that an owner has outside of the Bank."""
        return self._money.get(purse_of(address(owner)), 0)

    def account(self, owner: str) -> Account:
        owner = address(owner)
        available = self._money.get(available_to(owner), 0)
        return Account(available, self._open_games.get(owner, 0), self._keys.get(owner, NO_KEY))

    def next_game_id(self, croupier: str, player: str) -> int:
        return self._next_game_ids.get((address(croupier), address(player)), 0)

    def game(self, key: bytes) -> BankGame:
        return self._games.get(key, NO_GAME)

    def session(self, croupier: str, player: str) -> BankSession:
        return self._sessions.get((address(croupier), address(player)), NO_SESSION)

    def balances(self) -> dict[Pocket, int]:
        """All places in which there is money, or a debt. Their sum is zero."""
        return {place: amount for place, amount in self._money.items() if amount}

    # Money

    def _move(self, source: Pocket, target: Pocket, amount: int) -> None:
        left = self._money.get(source, 0) - amount
        assert amount >= 0
        assert left >= 0 or source is ISSUE, f"{source} would be {left}"
        self._money[source] = left
        self._money[target] = self._money.get(target, 0) + amount

    def _must_have(self, owner: str, place: Pocket, amount: int) -> None:
        found = self._money.get(place, 0)
        if found < amount:
            raise BankRefused("InsufficientFunds", (owner, found, amount))

    def issue(self, owner: str, amount: int) -> None:
        """Make play money and put it into a purse: the only way in which money comes to be."""
        owner, amount = address(owner), UINT256.check(amount, "amount")
        issued, made = self._issued.get(owner, 0), -self._money.get(ISSUE, 0)
        left = min(self.faucet - issued, MOST_MONEY - 1 - made)
        if amount > left:
            raise BankRefused("FaucetEmpty", (owner, left, amount))
        self._issued[owner] = issued + amount
        self._move(ISSUE, purse_of(owner), amount)

    # Calls

    def apply(
        self, sender: str, call: bank.Call, now: int, *, trusting: bool = False
    ) -> list[BankEvent]:
        """Make a call: return its events, or raise `BankRefused` and change nothing.

        Every method below asks all its questions before it changes anything. With ``trusting``,
        signatures are not checked again: for accepted calls that are run once more.
        """
        self._trusting = trusting
        return self._made(checked(call), address(sender), now)

    @singledispatchmethod
    def _made(self, call: Any, sender: str, now: int) -> list[BankEvent]:
        raise NotImplementedError(f"no rule for {type(call).__name__}")

    # Accounts

    @_made.register
    def _public_key(self, call: bank.SubmitPublicKey, sender: str, now: int) -> list[BankEvent]:
        owner = self._key_owners.get(call.key, sender)
        if owner != sender:
            raise BankRefused("KeyTaken", (owner,))
        self._must_be_signed(PublicKey(sender, call.key), call.proof, call.key)
        self._key_owners[call.key] = sender
        self._keys[sender] = call.key
        return [recorded("PublicKeySubmitted", sender, call.key)]

    @_made.register
    def _deposit(self, call: bank.DepositFunds, sender: str, now: int) -> list[BankEvent]:
        self._must_have(sender, purse_of(sender), call.amount)
        if self._money.get(available_to(sender), 0) + call.amount > MAX_DEPOSIT:
            raise BankRefused("AccountFull", (sender,))
        self._move(purse_of(sender), available_to(sender), call.amount)
        return [recorded("FundsDeposited", sender, call.amount)]

    @_made.register
    def _withdraw(self, call: bank.WithdrawFunds, sender: str, now: int) -> list[BankEvent]:
        self._must_have(sender, available_to(sender), call.amount)
        self._move(available_to(sender), purse_of(sender), call.amount)
        return [recorded("FundsWithdrawn", sender, call.amount)]

    # A game

    @_made.register
    def _bet(self, call: bank.SubmitBet, sender: str, now: int) -> list[BankEvent]:
        bet = call.bet
        if sender != bet.croupier:
            raise BankRefused("NotTheCroupier")
        if bet.key in self._games:
            if not self._games[bet.key].is_of(bet):
                raise BankRefused("AlreadySubmitted")
            return []
        if bet.croupier == bet.player:
            raise BankRefused("SameParty")
        self._must_be_stake(bet)
        if now > bet.expiry:
            raise BankRefused("BetExpired")
        self._must_differ(bet)
        parties = bet.croupier, bet.player
        next_id = self._next_game_ids.get(parties, 0)
        if bet.game_id != next_id:
            raise BankRefused("WrongGameId", (next_id,))
        self._must_have_keys(bet)
        self._must_be_signed(bet, call.signature, bet.player_key)
        self._lock(bet, bet.key, bet.stake, bet.top_prize)
        self._next_game_ids[parties] = next_id + 1
        return [self._begin(bet, now)]

    @_made.register
    def _croupier_seed(
        self, call: bank.SubmitCroupierSeed, sender: str, now: int
    ) -> list[BankEvent]:
        bet, seed_id, seed = call
        self._find(bet)
        self._may_tell(sender, bet, seed_id)
        return self._take_croupier_seed(sender, bet, seed_id, seed, now)

    @_made.register
    def _accepted_seed(
        self, call: bank.SubmitAcceptedSeed, sender: str, now: int
    ) -> list[BankEvent]:
        bet = call.bet
        _, game = self._find(bet)
        accepted = OrderAccepted(bet.struct_hash(), game.order)
        self._must_be_signed(accepted, call.acceptance, bet.croupier_key)
        return self._take_croupier_seed(sender, bet, 1, call.seed, now)

    def _may_tell(self, sender: str, bet: Bet, seed_id: int) -> None:
        """Refuse seed 1 of a session's hand to everybody else: he told it for one order only."""
        if seed_id == 1 and bet.game_id >= IN_SESSION and sender != bet.croupier:
            raise BankRefused("NotTheCroupier")

    def _take_croupier_seed(
        self, sender: str, bet: Bet, seed_id: int, seed: Seed, now: int
    ) -> list[BankEvent]:
        key, game = self._find(bet)
        if seed_id > 1:
            raise BankRefused("BadSeedId")
        if seed.commitment != bet.commitment(Signer.CROUPIER, seed_id):
            raise BankRefused("WrongSeed")
        before = Step.ORDER_SUBMITTED if seed_id else Step.BET_SUBMITTED
        if not self._awaits(sender, bet, game, before, now):
            return []
        self._must_be_seed(bet, Signer.CROUPIER, seed_id, seed)
        if seed_id == 0:
            self._move(lock_of(key), available_to(bet.croupier), bet.stake)
        deadline = self._go_on(key, game, step_after(before, None), now)
        return [recorded("CroupierSeedSubmitted", key, seed_id, *seed, deadline)]

    @_made.register
    def _player_seed(self, call: bank.SubmitPlayerSeed, sender: str, now: int) -> list[BankEvent]:
        bet, seed_id, seed, croupiers = call
        key, game = self._find(bet)
        if seed.commitment != bet.commitment(Signer.PLAYER, seed_id):
            raise BankRefused("WrongSeed")
        if seed_id > 1:
            raise BankRefused("BadSeedId")
        if commit_to(croupiers) != bet.commitment(Signer.CROUPIER, seed_id):
            raise BankRefused("WrongSeed")
        before = Step.CROUPIER_SEED_1_SUBMITTED if seed_id else Step.CROUPIER_SEED_0_SUBMITTED
        if not self._awaits(sender, bet, game, before, now):
            return []
        self._must_be_seed(bet, Signer.PLAYER, seed_id, seed)
        game_seed = mix(bet.struct_hash(), seed_id, croupiers, seed.signature)
        if seed_id == 0:
            hand = deal(game_seed)
        else:
            hand = replace(unpacked_hand(game.hand), unpacked_order(game.order), game_seed)
        game = game._replace(hand=packed_hand(hand))
        deadline = self._go_on(key, game, step_after(before, None), now)
        return [recorded("PlayerSeedSubmitted", key, seed_id, *seed, game.hand, deadline)]

    @_made.register
    def _order(self, call: bank.SubmitReplacementOrder, sender: str, now: int) -> list[BankEvent]:
        bet, digits, signature = call
        key, game = self._find(bet)
        if max(digits) > 1:
            raise BankRefused("BadOrder")
        order = packed_order(digits)
        if game.step > Step.HAND_DEALT and game.order != order:
            raise BankRefused("AlreadySubmitted")
        if not self._awaits(sender, bet, game, Step.HAND_DEALT, now):
            return []
        self._must_be_signed(ReplacementOrder.of(bet, digits), signature, bet.player_key)
        game = game._replace(order=order)
        deadline = self._go_on(key, game, step_after(Step.HAND_DEALT, digits), now)
        chips = locked(bet.level, unpacked_hand(game.hand), digits)
        rest = bet.top_prize - bet.bet * chips * bet.chip_cost
        self._move(lock_of(key), available_to(bet.croupier), rest)
        return [recorded("ReplacementOrderSubmitted", key, order, deadline)]

    @_made.register
    def _seed_and_order(
        self, call: bank.SubmitPlayerSeedAndOrder, sender: str, now: int
    ) -> list[BankEvent]:
        bet, seed, croupiers, order, signature = call
        told = bank.SubmitPlayerSeed(bet, 0, seed, croupiers)
        ordered = bank.SubmitReplacementOrder(bet, order, signature)
        return self._both(Step.HAND_DEALT, told, ordered, sender, now)

    @_made.register
    def _seed_and_result(
        self, call: bank.SubmitPlayerSeedAndResult, sender: str, now: int
    ) -> list[BankEvent]:
        bet, seed, croupiers = call
        told = bank.SubmitPlayerSeed(bet, 1, seed, croupiers)
        return self._both(Step.HAND_FINAL, told, bank.SubmitGameResult(bet), sender, now)

    def _both(
        self, told: Step, seed: bank.SubmitPlayerSeed, then: bank.Call, sender: str, now: int
    ) -> list[BankEvent]:
        """Make both calls, or neither; leave out a seed that was ``told`` before."""
        draft = self.draft()
        _, game = draft._find(seed.bet)
        events = draft._made(seed, sender, now) if game.step < told else []
        events += draft._made(then, sender, now)
        draft.settle()
        return events

    @_made.register
    def _result(self, call: bank.SubmitGameResult, sender: str, now: int) -> list[BankEvent]:
        bet = call.bet
        key, game = self._find(bet)
        if game.outcome == GameOutcome.SETTLED and sender == bet.croupier:
            return []
        self._must_be_at(game, Step.HAND_FINAL)
        return self._settle(sender, bet, key, game, now)

    @_made.register
    def _complain(self, call: bank.Complain, sender: str, now: int) -> list[BankEvent]:
        silence, bet = call
        key, game = self._find(bet)
        stands = game.step == Step.HAND_FINAL and game.order == 0
        if silence is Silence.SECOND_CROUPIER_SEED and stands and game.outcome == GameOutcome.OPEN:
            return self._settle(sender, bet, key, game, now)
        last = LAST_STEP[silence]
        self._must_be_at(game, last)
        if now <= game.deadline:
            raise BankRefused("TooEarly", (game.deadline,))
        if silence not in bank.CROUPIER_OWES:
            return self._forfeit_player(bet, key, game, last)
        penalty = price_of_silence(bet, game)
        self._close(bet, key, game, GameOutcome.CROUPIER_FORFEITED, penalty)
        return [recorded("CroupierForfeited", key, penalty)]

    @_made.register
    def _two_orders(self, call: bank.ComplainTwoOrders, sender: str, now: int) -> list[BankEvent]:
        bet = call.bet
        key, game = self._find(bet)
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
        return self._forfeit_player(bet, key, game, Step.HAND_DEALT)

    # A session

    @_made.register
    def _open(self, call: bank.OpenSession, sender: str, now: int) -> list[BankEvent]:
        terms = call.terms
        if sender != terms.croupier:
            raise BankRefused("NotTheCroupier")
        kept = self._session_of(terms)
        if kept.phase == Phase.OPEN and kept.is_of(terms):
            return []
        if kept.phase in LIVE or terms.number != kept.number:
            raise BankRefused("WrongSession", (kept.phase,))
        if terms.croupier == terms.player:
            raise BankRefused("SameParty")
        if now > terms.expiry:
            raise BankRefused("BetExpired")
        self._must_have_keys(terms)
        self._must_be_signed(terms, call.signature, terms.player_key)
        name, funds = terms.struct_hash(), (terms.player_funds, terms.croupier_funds)
        self._lock(terms, name, *funds)
        self._sessions[terms.croupier, terms.player] = BankSession(
            short_name(name), terms.number + 1, Phase.OPEN, 0, 0, 0, 0
        )
        return [recorded("SessionOpened", name, *terms[:2], terms.number, *funds)]

    @_made.register
    def _close_session(self, call: bank.CloseSession, sender: str, now: int) -> list[BankEvent]:
        terms, state = call.terms, call.state
        kept = self._live(terms)
        if not state.last:
            raise BankRefused("OldState", (kept.hands,))
        self._must_be_state(call)
        return self._end(terms, _shared(terms, kept, state.hands, state.player_share))

    @_made.register
    def _claim(self, call: bank.ClaimSession, sender: str, now: int) -> list[BankEvent]:
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
        deadline = now + self.terms.step_time
        kept = _shared(terms, kept, state.hands, share)
        kept = kept._replace(phase=Phase.CLAIMED, deadline=deadline)
        self._sessions[terms.croupier, terms.player] = kept
        return [recorded("SessionClaimed", terms.struct_hash(), kept.hands, share, deadline)]

    @_made.register
    def _bring(self, call: bank.BringHand, sender: str, now: int) -> list[BankEvent]:
        terms, bet = call.terms, call.bet
        kept, end = self._claimed(terms)
        if now <= kept.deadline:
            raise BankRefused("TooEarly", (kept.deadline,))
        if now > end:
            raise BankRefused("TooLate", (end,))
        game_id = terms.game_id(kept.hands)
        if bet[:5] != (*terms[:4], game_id):
            raise BankRefused("WrongHand", (game_id,))
        self._must_be_stake(bet)
        self._must_differ(bet)
        self._must_be_signed(bet, call.player_signature, terms.player_key)
        self._must_be_signed(bet, call.croupier_signature, terms.croupier_key)
        for owner, share, needed in (
            (terms.player, kept.player_share, bet.stake),
            (terms.croupier, kept.croupier_share, bet.top_prize),
        ):
            if share < needed:
                raise BankRefused("InsufficientFunds", (owner, share, needed))
        for party in (terms.croupier, terms.player):
            self._open_games[party] += 1
        self._move(lock_of(terms.struct_hash()), lock_of(bet.key), bet.stake + bet.top_prize)
        kept = kept._replace(
            player_share=kept.player_share - bet.stake,
            croupier_share=kept.croupier_share - bet.top_prize,
        )
        return [*self._end(terms, kept, bet.key), self._begin(bet, now)]

    @_made.register
    def _finish(self, call: bank.FinishSession, sender: str, now: int) -> list[BankEvent]:
        kept, end = self._claimed(call.terms)
        if now <= end:
            raise BankRefused("TooEarly", (end,))
        return self._end(call.terms, kept)

    # Questions that several calls ask

    def _find(self, bet: Bet) -> tuple[bytes, BankGame]:
        key = bet.key
        game = self._games.get(key)
        if game is None or not game.is_of(bet):
            raise BankRefused("UnknownBet")
        return key, game

    def _session_of(self, terms: SessionTerms) -> BankSession:
        return self._sessions.get((terms.croupier, terms.player), NO_SESSION)

    def _live(self, terms: SessionTerms) -> BankSession:
        kept = self._session_of(terms)
        if kept.phase not in LIVE or not kept.is_of(terms):
            raise BankRefused("WrongSession", (kept.phase,))
        return kept

    def _claimed(self, terms: SessionTerms) -> tuple[BankSession, int]:
        """Return a claimed session, and the last second in which its open hand can be brought."""
        kept = self._live(terms)
        if kept.phase != Phase.CLAIMED:
            raise BankRefused("WrongSession", (kept.phase,))
        return kept, kept.deadline + self.terms.step_time

    def _must_be_stake(self, bet: Bet) -> None:
        if bet.bet not in BETS or bet.level not in LEVELS:
            raise BankRefused("BadBet")
        if bet.chip_cost != self.terms.chip_cost:
            raise BankRefused("WrongChipCost")

    @staticmethod
    def _must_differ(bet: Bet) -> None:
        if len(set(bet.commitments)) != len(bet.commitments):
            raise BankRefused("EqualCommitments")

    def _must_have_keys(self, of: Bet | SessionTerms) -> None:
        keys = self._keys.get(of.croupier), self._keys.get(of.player, NO_KEY)
        if (of.croupier_key, of.player_key) != keys:
            raise BankRefused("WrongKey")

    @staticmethod
    def _must_be_at(game: BankGame, step: Step) -> None:
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        if game.step != step:
            raise BankRefused("WrongStep", (int(game.step),))

    def _awaits(self, sender: str, bet: Bet, game: BankGame, before: Step, now: int) -> bool:
        """Return whether the game awaits the step behind ``before``.

        For a step taken already, return false to the Croupier, who may repeat his calls; refuse
        everybody else.
        """
        if game.step > before:
            if sender != bet.croupier:
                raise BankRefused("AlreadySubmitted")
            return False
        self._must_be_at(game, before)
        if now > game.deadline:
            raise BankRefused("TooLate", (game.deadline,))
        return True

    def _must_be_seed(self, bet: Bet, role: Signer, seed_id: int, seed: Seed) -> None:
        message = SeedMessage(bet.croupier, bet.player, role, bet.game_id, seed_id, seed.nonce)
        self._must_be_signed(message, seed.signature, bet.key_of(role))

    def _must_be_state(self, call: bank.CloseSession | bank.ClaimSession) -> None:
        terms, state = call.terms, call.state
        if state.session != terms.struct_hash():
            raise BankRefused("BadSignature")
        self._must_be_signed(state, call.player_signature, terms.player_key)
        self._must_be_signed(state, call.croupier_signature, terms.croupier_key)

    def _must_be_signed(self, message: Message, signature: Signature, key: str) -> None:
        if self._trusting:
            return
        try:
            must_be_signed(self.domain, message, signature, key)
        except BadSignature:
            raise BankRefused("BadSignature") from None

    # Changes that several calls make

    def _lock(self, of: Bet | SessionTerms, name: bytes, players: int, croupiers: int) -> None:
        """Lock the money of both under a name, or refuse if one of them lacks it."""
        sides = (of.player, players), (of.croupier, croupiers)
        for owner, amount in sides:
            self._must_have(owner, available_to(owner), amount)
        for owner, amount in sides:
            self._move(available_to(owner), lock_of(name), amount)
            self._open_games[owner] = self._open_games.get(owner, 0) + 1

    def _unlock(self, of: Bet | SessionTerms, name: bytes, players: int, croupiers: int) -> None:
        for owner, amount in ((of.player, players), (of.croupier, croupiers)):
            self._move(lock_of(name), available_to(owner), amount)
            self._open_games[owner] -= 1

    def _begin(self, bet: Bet, now: int) -> BankEvent:
        deadline, bet_hash = now + self.terms.step_time, bet.struct_hash()
        self._games[bet.key] = BankGame(
            short_name(bet_hash), Step.BET_SUBMITTED, GameOutcome.OPEN, deadline, 0, 0
        )
        parties = bet.croupier, bet.player
        return recorded("BetSubmitted", bet.key, *parties, bet.game_id, bet_hash, deadline)

    def _go_on(self, key: bytes, game: BankGame, step: Step, now: int) -> int:
        """Store the step that was taken; return the deadline of the next one."""
        deadline = now + self.terms.step_time
        self._games[key] = game._replace(step=step, deadline=deadline)
        return deadline

    def _settle(
        self, sender: str, bet: Bet, key: bytes, game: BankGame, now: int
    ) -> list[BankEvent]:
        self._must_be_undisputed(sender, bet, game, now)
        found = rank(unpacked_hand(game.hand))
        prize = bet.bet * PAYS[bet.level][found] * bet.chip_cost
        self._close(bet, key, game, GameOutcome.SETTLED, prize)
        return [recorded("GameSettled", key, game.hand, int(found), prize)]

    def _must_be_undisputed(self, sender: str, bet: Bet, game: BankGame, now: int) -> None:
        """Let an order to replace nothing settle after its deadline: another may come until then.

        Only the Croupier, whom another order could harm, may settle at once.
        """
        waits = bet.game_id >= IN_SESSION and game.order == 0 and sender != bet.croupier
        if waits and now <= game.deadline:
            raise BankRefused("TooEarly", (game.deadline,))

    def _forfeit_player(self, bet: Bet, key: bytes, game: BankGame, last: Step) -> list[BankEvent]:
        self._close(bet, key, game, GameOutcome.PLAYER_FORFEITED, 0)
        return [recorded("PlayerForfeited", key, int(last))]

    def _close(
        self, bet: Bet, key: bytes, game: BankGame, outcome: GameOutcome, to_player: int
    ) -> None:
        """End a game: pay ``to_player`` out of its lock, and the rest to the Croupier."""
        self._games[key] = game._replace(outcome=outcome)
        locked_now = self._money.get(lock_of(key), 0)
        self._unlock(bet, key, to_player, locked_now - to_player)

    def _end(
        self, terms: SessionTerms, kept: BankSession, hand: bytes = bytes(32)
    ) -> list[BankEvent]:
        """Close a session, and pay each party its share."""
        name, shares = terms.struct_hash(), (kept.player_share, kept.croupier_share)
        self._sessions[terms.croupier, terms.player] = kept._replace(
            phase=Phase.CLOSED, hands=0, player_share=0, croupier_share=0
        )
        self._unlock(terms, name, *shares)
        return [recorded("SessionClosed", name, kept.hands, *shares, hand)]


def _shared(terms: SessionTerms, kept: BankSession, hands: int, share: int) -> BankSession:
    if share > terms.total or hands >= 2**96:
        raise BankRefused("BadShare")
    return kept._replace(hands=hands, player_share=share, croupier_share=terms.total - share)
