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
from typing import Any, Final, NamedTuple, Self

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
    BringHand,
    Call,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    Silence,
    Step,
    SubmitAcceptedSeed,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
    WithdrawFunds,
    price_of_silence,
    short_name,
)
from fairground.bank.calls import UINT256, address, checked
from fairground.bank.crypto.signatures import BadSignature, Signature
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
    commit_to,
    deal,
    mix,
    packed_hand,
    packed_order,
    replace,
    unpacked_hand,
    unpacked_order,
)
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
        self, sender: str, call: Call, now: int, *, trusting: bool = False
    ) -> list[BankEvent]:
        """Make a call: return its events, or raise `BankRefused` and change nothing.

        Every method below asks all its questions before it changes anything. With ``trusting``,
        signatures are not checked again: for accepted calls that are run once more.
        """
        self._trusting = trusting
        sender, call = address(sender), checked(call)
        match call:
            case SubmitPublicKey():
                return self._submit_public_key(sender, call)
            case DepositFunds(amount):
                self._must_have(sender, purse_of(sender), amount)
                if self._money.get(available_to(sender), 0) + amount > MAX_DEPOSIT:
                    raise BankRefused("AccountFull", (sender,))
                self._move(purse_of(sender), available_to(sender), amount)
                return [BankEvent("FundsDeposited", {"owner": sender, "amount": amount})]
            case WithdrawFunds(amount):
                self._must_have(sender, available_to(sender), amount)
                self._move(available_to(sender), purse_of(sender), amount)
                return [BankEvent("FundsWithdrawn", {"owner": sender, "amount": amount})]
            case SubmitBet():
                return self._submit_bet(sender, call, now)
            case SubmitCroupierSeed():
                return self._submit_croupier_seed(sender, call, now)
            case SubmitPlayerSeed():
                return self._submit_player_seed(sender, call, now)
            case SubmitReplacementOrder():
                return self._submit_order(sender, call, now)
            case SubmitGameResult(bet):
                return self._submit_result(sender, bet, now)
            case Complain(silence, bet):
                return self._complain(sender, silence, bet, now)
            case SubmitPlayerSeedAndOrder() | SubmitPlayerSeedAndResult():
                return self._merged(sender, call, now)
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
                return self._two_orders(call)

    def _submit_public_key(self, sender: str, call: SubmitPublicKey) -> list[BankEvent]:
        owner = self._key_owners.get(call.key, sender)
        if owner != sender:
            raise BankRefused("KeyTaken", (owner,))
        self._must_be_signed(PublicKey(sender, call.key), call.proof, call.key)
        self._key_owners[call.key] = sender
        self._keys[sender] = call.key
        return [BankEvent("PublicKeySubmitted", {"owner": sender, "key": call.key})]

    def _submit_bet(self, sender: str, call: SubmitBet, now: int) -> list[BankEvent]:
        bet = call.bet
        if sender != bet.croupier:
            raise BankRefused("NotTheCroupier")
        bet_hash, key = bet.struct_hash(), bet.key
        if key in self._games:
            if not self._games[key].is_of(bet):
                raise BankRefused("AlreadySubmitted")
            return []
        if bet.croupier == bet.player:
            raise BankRefused("SameParty")
        if bet.bet not in BETS or bet.level not in LEVELS:
            raise BankRefused("BadBet")
        if bet.chip_cost != self.terms.chip_cost:
            raise BankRefused("WrongChipCost")
        if now > bet.expiry:
            raise BankRefused("BetExpired")
        if len(set(bet.commitments)) != len(bet.commitments):
            raise BankRefused("EqualCommitments")
        parties = bet.croupier, bet.player
        next_id = self._next_game_ids.get(parties, 0)
        if bet.game_id != next_id:
            raise BankRefused("WrongGameId", (next_id,))
        keys = self._keys.get(bet.croupier), self._keys.get(bet.player, NO_KEY)
        if (bet.croupier_key, bet.player_key) != keys:
            raise BankRefused("WrongKey")
        self._must_be_signed(bet, call.signature, bet.player_key)
        self._must_have(bet.player, available_to(bet.player), bet.stake)
        self._must_have(bet.croupier, available_to(bet.croupier), bet.top_prize)

        self._next_game_ids[parties] = next_id + 1
        self._move(available_to(bet.player), lock_of(key), bet.stake)
        self._move(available_to(bet.croupier), lock_of(key), bet.top_prize)
        for party in parties:
            self._open_games[party] = self._open_games.get(party, 0) + 1
        deadline = now + self.terms.step_time
        self._games[key] = BankGame(
            short_name(bet_hash), Step.BET_SUBMITTED, GameOutcome.OPEN, deadline, 0, 0
        )
        values = {"croupier": bet.croupier, "player": bet.player, "gameId": bet.game_id}
        values |= {"game": key, "betHash": bet_hash, "deadline": deadline}
        return [BankEvent("BetSubmitted", values)]

    def _submit_croupier_seed(
        self, sender: str, call: SubmitCroupierSeed, now: int
    ) -> list[BankEvent]:
        bet, seed_id, _ = call
        self._find(bet)
        self._may_tell(sender, bet, seed_id)
        return self._take_croupier_seed(sender, call, now)

    def _may_tell(self, sender: str, bet: Bet, seed_id: int) -> None:
        """Seed 1 was told for one order: nobody else brings it without his word on that."""
        if seed_id == 1 and bet.game_id >= IN_SESSION and sender != bet.croupier:
            raise BankRefused("NotTheCroupier")

    def _take_croupier_seed(
        self, sender: str, call: SubmitCroupierSeed, now: int
    ) -> list[BankEvent]:
        bet, seed_id, seed = call
        key, game = self._find(bet)
        if seed_id > 1:
            raise BankRefused("BadSeedId")
        if seed.commitment != bet.commitment(Signer.CROUPIER, seed_id):
            raise BankRefused("WrongSeed")
        before = Step.ORDER_SUBMITTED if seed_id else Step.BET_SUBMITTED
        if not self._awaits(sender, bet, game, before, now):
            return []
        self._must_be_seed(call, Signer.CROUPIER)
        if seed_id == 0:
            self._move(lock_of(key), available_to(bet.croupier), bet.stake)
        deadline = self._go_on(key, game, Step(before + 1), now)
        values = {"game": key, "seedId": seed_id, "nonce": seed.nonce}
        values |= {"signature": seed.signature, "deadline": deadline}
        return [BankEvent("CroupierSeedSubmitted", values)]

    def _submit_player_seed(self, sender: str, call: SubmitPlayerSeed, now: int) -> list[BankEvent]:
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
        self._must_be_seed(call, Signer.PLAYER)
        game_seed = mix(bet.struct_hash(), seed_id, croupiers, seed.signature)
        if seed_id == 0:
            hand = deal(game_seed)
        else:
            hand = replace(unpacked_hand(game.hand), unpacked_order(game.order), game_seed)
        game = game._replace(hand=packed_hand(hand))
        deadline = self._go_on(key, game, Step(before + 1), now)
        values = {"game": key, "seedId": seed_id, "nonce": seed.nonce}
        values |= {"signature": seed.signature, "hand": game.hand, "deadline": deadline}
        return [BankEvent("PlayerSeedSubmitted", values)]

    def _submit_order(self, sender: str, call: SubmitReplacementOrder, now: int) -> list[BankEvent]:
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
        step = Step.ORDER_SUBMITTED if order else Step.HAND_FINAL
        game = game._replace(order=order)
        deadline = self._go_on(key, game, step, now)
        chips = locked(bet.level, unpacked_hand(game.hand), digits)
        rest = bet.top_prize - bet.bet * chips * bet.chip_cost
        self._move(lock_of(key), available_to(bet.croupier), rest)
        values = {"game": key, "order": order, "deadline": deadline}
        return [BankEvent("ReplacementOrderSubmitted", values)]

    def _must_be_undisputed(self, sender: str, bet: Bet, game: BankGame, now: int) -> None:
        """An order to replace nothing settles after a while: another may be shown until then."""
        waits = bet.game_id >= IN_SESSION and game.order == 0 and sender != bet.croupier
        if waits and now <= game.deadline:
            raise BankRefused("TooEarly", (game.deadline,))

    def _submit_result(self, sender: str, bet: Bet, now: int) -> list[BankEvent]:
        key, game = self._find(bet)
        if game.outcome == GameOutcome.SETTLED and sender == bet.croupier:
            return []
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        if game.step != Step.HAND_FINAL:
            raise BankRefused("WrongStep", (int(game.step),))
        self._must_be_undisputed(sender, bet, game, now)
        return self._settle(bet, key, game)

    def _complain(self, sender: str, silence: Silence, bet: Bet, now: int) -> list[BankEvent]:
        key, game = self._find(bet)
        if silence is Silence.FIRST_CROUPIER_SEED:
            self._must_be_overdue(game, Step.BET_SUBMITTED, now)
            return self._forfeit_croupier(bet, key, game)
        if silence is Silence.SECOND_CROUPIER_SEED:
            stands = game.step == Step.HAND_FINAL and game.order == 0
            if game.outcome == GameOutcome.OPEN and stands:
                self._must_be_undisputed(sender, bet, game, now)
                return self._settle(bet, key, game)
            self._must_be_overdue(game, Step.ORDER_SUBMITTED, now)
            return self._forfeit_croupier(bet, key, game)
        last = LAST_STEP[silence]
        self._must_be_overdue(game, last, now)
        self._close(bet, key, game, GameOutcome.PLAYER_FORFEITED, 0)
        return [BankEvent("PlayerForfeited", {"game": key, "lastStep": int(last)})]

    def _forfeit_croupier(self, bet: Bet, key: bytes, game: BankGame) -> list[BankEvent]:
        penalty = price_of_silence(bet, game)
        self._close(bet, key, game, GameOutcome.CROUPIER_FORFEITED, penalty)
        return [BankEvent("CroupierForfeited", {"game": key, "penalty": penalty})]

    def _merged(
        self, sender: str, call: SubmitPlayerSeedAndOrder | SubmitPlayerSeedAndResult, now: int
    ) -> list[BankEvent]:
        """Make both calls, or neither; leave out one that was made before."""
        draft = self.draft()
        _, game = draft._find(call.bet)
        first = isinstance(call, SubmitPlayerSeedAndOrder)
        events: list[BankEvent] = []
        if game.step < (Step.HAND_DEALT if first else Step.HAND_FINAL):
            seed = SubmitPlayerSeed(call.bet, 0 if first else 1, call.seed, call.croupiers)
            events += draft._submit_player_seed(sender, seed, now)
        if isinstance(call, SubmitPlayerSeedAndOrder):
            order = SubmitReplacementOrder(call.bet, call.order, call.signature)
            events += draft._submit_order(sender, order, now)
        else:
            events += draft._submit_result(sender, call.bet, now)
        draft.settle()
        return events

    # What the calls have in common

    def _find(self, bet: Bet) -> tuple[bytes, BankGame]:
        key = bet.key
        game = self._games.get(key)
        if game is None or not game.is_of(bet):
            raise BankRefused("UnknownBet")
        return key, game

    @staticmethod
    def _awaits(sender: str, bet: Bet, game: BankGame, before: Step, now: int) -> bool:
        """Return whether the game awaits the step behind ``before``.

        For a step taken already, return false to the Croupier, who may repeat his calls; refuse
        everybody else.
        """
        if game.step > before:
            if sender != bet.croupier:
                raise BankRefused("AlreadySubmitted")
            return False
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        if game.step != before:
            raise BankRefused("WrongStep", (int(game.step),))
        if now > game.deadline:
            raise BankRefused("TooLate", (game.deadline,))
        return True

    @staticmethod
    def _must_be_overdue(game: BankGame, last: Step, now: int) -> None:
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        if game.step != last:
            raise BankRefused("WrongStep", (int(game.step),))
        if now <= game.deadline:
            raise BankRefused("TooEarly", (game.deadline,))

    def _must_be_seed(self, call: SubmitCroupierSeed | SubmitPlayerSeed, role: Signer) -> None:
        bet, seed_id, seed = call.bet, call.seed_id, call.seed
        message = SeedMessage(bet.croupier, bet.player, role, bet.game_id, seed_id, seed.nonce)
        self._must_be_signed(message, seed.signature, bet.key_of(role))

    def _must_be_signed(self, message: Message, signature: Signature, key: str) -> None:
        if self._trusting:
            return
        try:
            must_be_signed(self.domain, message, signature, key)
        except BadSignature:
            raise BankRefused("BadSignature") from None

    def _go_on(self, key: bytes, game: BankGame, step: Step, now: int) -> int:
        """Note that a step was taken; the deadline of the next one."""
        deadline = now + self.terms.step_time
        self._games[key] = game._replace(step=step, deadline=deadline)
        return deadline

    def _settle(self, bet: Bet, key: bytes, game: BankGame) -> list[BankEvent]:
        found = rank(unpacked_hand(game.hand))
        prize = bet.bet * PAYS[bet.level][found] * bet.chip_cost
        self._close(bet, key, game, GameOutcome.SETTLED, prize)
        values = {"game": key, "hand": game.hand, "rank": int(found), "prize": prize}
        return [BankEvent("GameSettled", values)]

    def _close(
        self, bet: Bet, key: bytes, game: BankGame, outcome: GameOutcome, to_player: int
    ) -> None:
        """End a game: ``to_player`` of what it had locked, and the rest to the Croupier."""
        lock = lock_of(key)
        self._games[key] = game._replace(outcome=outcome)
        self._move(lock, available_to(bet.player), to_player)
        self._move(lock, available_to(bet.croupier), self._money[lock])
        for party in (bet.croupier, bet.player):
            self._open_games[party] -= 1

    # Sessions

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

    def _accepted_seed(self, sender: str, call: SubmitAcceptedSeed, now: int) -> list[BankEvent]:
        bet = call.bet
        _, game = self._find(bet)
        accepted = OrderAccepted(bet.struct_hash(), game.order)
        self._must_be_signed(accepted, call.acceptance, bet.croupier_key)
        told = SubmitCroupierSeed(bet, 1, call.seed)
        return self._take_croupier_seed(sender, told, now)

    def _two_orders(self, call: ComplainTwoOrders) -> list[BankEvent]:
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
        self._close(bet, key, game, GameOutcome.PLAYER_FORFEITED, 0)
        return [BankEvent("PlayerForfeited", {"game": key, "lastStep": int(Step.HAND_DEALT)})]
