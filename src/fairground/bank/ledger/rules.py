"""The rules of the Bank in plain Python: ``contracts/Bank.sol``, line for line.

This is version 1, in which old ledgers go on; `rules_two` has what version 2 does otherwise.

`Books` takes the contract's calls, asks the contract's questions in the contract's order,
refuses for the same reason with the same values, and records the same events. It needs no
chain and no extra. ``tests/helpers/evm.py`` runs both side by side and compares them, to the
wei, after every call.

Money is kept by double entry: every movement takes from one `Pocket` what it puts into
another, so that the sum over all places is always zero::

    issue ──faucet──> purse ──deposit──> available ──bet──> lock ──result──> available
                        ^────withdrawal─────┘

A place is never below zero, but for *issue*, whose debt is the play money that was made.
"""

from __future__ import annotations

import copy
from collections import ChainMap
from collections.abc import MutableMapping
from typing import Any, Final, Self

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
    Call,
    Complain,
    DepositFunds,
    GameOutcome,
    SessionCall,
    Silence,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    WithdrawFunds,
    price_of_silence,
)
from fairground.bank.calls import checked
from fairground.bank.chain.artifact import NEWEST, Terms
from fairground.bank.crypto.curve import BadSignature, Signature
from fairground.bank.fields import UINT256, address
from fairground.bank.ledger.pockets import ISSUE, Pocket, available_to, lock_of, purse_of
from fairground.bank.messages import (
    Bet,
    Domain,
    Message,
    PublicKey,
    ReplacementOrder,
    SeedMessage,
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
from fairground.games.poker import BETS, LEVELS, PAYS, rank

STEP_TIMES: Final = range(60, 30 * 24 * 3600 + 1)
CHIP_COSTS: Final = {1: range(1, 2**96 + 1), 2: range(1, 2**60 + 1)}
"""What a chip may cost, in each version."""

MOST_MONEY: Final = 2**128
"""The contract keeps balances in 128 bits. Here less than that is ever made, so none overflows."""

MergedCall = SubmitPlayerSeedAndOrder | SubmitPlayerSeedAndResult

LAST_STEP: Final = {silence: step for step, silence in SILENT_AT.items()}
"""The step that each silence follows."""


def check_terms(terms: Terms, version: int = NEWEST) -> None:
    """Refuse what the contract's constructor refuses."""
    if terms.chip_cost not in CHIP_COSTS[version] or terms.step_time not in STEP_TIMES:
        raise BankRefused("BadTerms")


class Books:
    """Everything that a Bank knows.

    ``faucet`` is how much play money may ever be made for one owner.
    """

    version = 1

    def __init__(self, domain: Domain, terms: Terms, faucet: int) -> None:
        check_terms(terms, self.version)
        self.domain = domain
        self.terms = terms
        self.faucet = faucet
        self._trusting = False
        self._money: MutableMapping[Pocket, int] = {}
        self._keys: MutableMapping[str, str] = {}
        self._key_owners: MutableMapping[str, str] = {}
        self._open_games: MutableMapping[str, int] = {}
        self._games: MutableMapping[bytes, BankGame] = {}
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
        """All that the books know, table by table."""
        return {
            name: table for name, table in vars(self).items() if isinstance(table, MutableMapping)
        }

    # Looking

    def purse(self, owner: str) -> int:
        """What an owner has outside of the Bank."""
        return self._money.get(purse_of(address(owner)), 0)

    def account(self, owner: str) -> Account:
        """A participant."""
        owner = address(owner)
        available = self._money.get(available_to(owner), 0)
        return Account(available, self._open_games.get(owner, 0), self._keys.get(owner, NO_KEY))

    def next_game_id(self, croupier: str, player: str) -> int:
        """The number that the next bet of these two must have."""
        return self._next_game_ids.get((address(croupier), address(player)), 0)

    def game(self, key: bytes) -> BankGame:
        """A game; all zeros if there is none under this key."""
        return self._games.get(key, NO_GAME)

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

        Every method below asks all its questions before it changes anything. Where
        ``trusting``, signatures are taken as good: for calls that were accepted once, and are
        only made again to find out what became of them.
        """
        self._trusting = trusting
        sender, call = address(sender), checked(call)
        match call:
            case SubmitPublicKey():
                return self._submit_public_key(sender, call)
            case DepositFunds(amount):
                self._must_have(sender, purse_of(sender), amount)
                self._must_have_room(sender, amount)
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
            case _:
                return self._in_session(sender, call, now)

    def _in_session(self, sender: str, call: SessionCall, now: int) -> list[BankEvent]:
        raise BankRefused("UnknownCall")

    def session(self, croupier: str, player: str) -> BankSession:
        """The session of these two; there are none here."""
        return NO_SESSION

    def _merged(self, sender: str, call: MergedCall, now: int) -> list[BankEvent]:
        raise BankRefused("UnknownCall")

    def _must_have_room(self, owner: str, amount: int) -> None:
        """Accounts of 128 bits are never full."""

    def _may_change_key(self, owner: str) -> None:
        open_games = self._open_games.get(owner, 0)
        if open_games:
            raise BankRefused("KeyFrozen", (open_games,))

    def _submit_public_key(self, sender: str, call: SubmitPublicKey) -> list[BankEvent]:
        self._may_change_key(sender)
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
        kept = self._kept_name(bet_hash)
        self._games[key] = BankGame(kept, Step.BET_SUBMITTED, GameOutcome.OPEN, deadline, 0, 0)
        values = {"croupier": bet.croupier, "player": bet.player, "gameId": bet.game_id}
        values |= {"game": key, "betHash": bet_hash, "deadline": deadline}
        return [BankEvent("BetSubmitted", values)]

    def _submit_croupier_seed(
        self, sender: str, call: SubmitCroupierSeed, now: int
    ) -> list[BankEvent]:
        bet, seed_id, _ = call
        self._find(sender, bet)
        self._may_tell(sender, bet, seed_id)
        return self._take_croupier_seed(sender, call, now)

    def _take_croupier_seed(
        self, sender: str, call: SubmitCroupierSeed, now: int
    ) -> list[BankEvent]:
        bet, seed_id, seed = call
        key, game = self._find(sender, bet)
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
        key, game = self._find(sender, bet)
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
        key, game = self._find(sender, bet)
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
        self._let_go(bet, key, game)
        values = {"game": key, "order": order, "deadline": deadline}
        return [BankEvent("ReplacementOrderSubmitted", values)]

    def _must_be_undisputed(self, sender: str, bet: Bet, game: BankGame, now: int) -> None:
        """A final hand is final here."""

    def _submit_result(self, sender: str, bet: Bet, now: int) -> list[BankEvent]:
        key, game = self._find(sender, bet)
        if game.outcome == GameOutcome.SETTLED and sender == bet.croupier:
            return []
        if game.outcome != GameOutcome.OPEN:
            raise BankRefused("GameOver")
        if game.step != Step.HAND_FINAL:
            raise BankRefused("WrongStep", (int(game.step),))
        self._must_be_undisputed(sender, bet, game, now)
        return self._settle(bet, key, game)

    def _complain(self, sender: str, silence: Silence, bet: Bet, now: int) -> list[BankEvent]:
        key, game = self._find(sender, bet)
        if silence is Silence.FIRST_CROUPIER_SEED:
            self._must_be_overdue(game, Step.BET_SUBMITTED, now)
            return self._without_first_seed(bet, key, game)
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

    def _without_first_seed(self, bet: Bet, key: bytes, game: BankGame) -> list[BankEvent]:
        self._close(bet, key, game, GameOutcome.RELEASED, bet.stake)
        return [BankEvent("GameReleased", {"game": key})]

    def _forfeit_croupier(self, bet: Bet, key: bytes, game: BankGame) -> list[BankEvent]:
        penalty = price_of_silence(self.version, bet, game)
        self._close(bet, key, game, GameOutcome.CROUPIER_FORFEITED, penalty)
        return [BankEvent("CroupierForfeited", {"game": key, "penalty": penalty})]

    # What the calls have in common

    @staticmethod
    def _kept_name(bet_hash: bytes) -> bytes:
        """What is kept of a bet."""
        return bet_hash

    def _let_go(self, bet: Bet, key: bytes, game: BankGame) -> None:
        """What a game does not need any more, now that its order is known: nothing here."""

    def _may_tell(self, sender: str, bet: Bet, seed_id: int) -> None:
        """Either party may bring the Croupier's seed."""

    def _may_bring(self, sender: str, bet: Bet) -> None:
        if sender not in (bet.croupier, bet.player):
            raise BankRefused("NotAParty")

    def _find(self, sender: str, bet: Bet) -> tuple[bytes, BankGame]:
        """The game of this very bet."""
        self._may_bring(sender, bet)
        key = bet.key
        game = self._games.get(key)
        if game is None or not game.is_of(bet):
            raise BankRefused("UnknownBet")
        return key, game

    @staticmethod
    def _awaits(sender: str, bet: Bet, game: BankGame, before: Step, now: int) -> bool:
        """Whether the game awaits the step behind ``before``.

        A step taken already: false for the Croupier, who may repeat what he sent; refused
        for everybody else.
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
