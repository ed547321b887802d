"""The laws of the port `Bank`: what every keeper of one owes to who plays there.

A law is a function of a `House`: a new Bank, four accounts with money outside of it, and a
clock that can be moved. ``tests/bank/test_bank_port.py`` holds every keeper to every law.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    SILENT_AT,
    Account,
    Bank,
    BankEvent,
    BankGame,
    BankRefused,
    Call,
    Complain,
    DepositFunds,
    GameOutcome,
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
)
from fairground.bank.ledger.rules import locked
from fairground.bank.messages import Key, ReplacementOrder, Signer
from fairground.bank.seeds import deal, fresh_seeds, mix, packed_hand
from fairground.bank.signatures import ORDER, Signature
from fairground.games.poker.rules import PAYS, Poker, Rank, rank
from tests.helpers.bank_game import Round, enter

CROUPIER, PLAYER, STRANGER, POOR = KEYS = tuple(Key(9000 + i) for i in range(4))
BANKROLL_CHIPS, PURSE_CHIPS = 100_000, 1_000
NOBODY = "0x" + "00" * 20


class House(ABC):
    """A Bank of one keeper, all for one law."""

    bank: Bank

    @abstractmethod
    async def travel(self, seconds: int) -> None:
        """Let time pass at the Bank."""

    async def play(self, **terms: Any) -> Round:
        """A game of the Croupier and the Player, prepared."""
        return await Round.new(self.bank, CROUPIER, PLAYER, **terms)

    async def available(self) -> list[int]:
        """What Croupier and Player could withdraw now, in chips."""
        found = [(await self.bank.account(key.address)).available for key in (CROUPIER, PLAYER)]
        assert not any(wei % self.bank.terms.chip_cost for wei in found)
        return [wei // self.bank.terms.chip_cost for wei in found]

    async def refused(self, name: str, sender: Key, call: Call, *values: Any) -> None:
        """The call must be refused for just this reason, and change nothing."""
        before = await self._seen(call)
        with pytest.raises(BankRefused) as refusal:
            await self.bank.send(sender, call)
        assert refusal.value.name == name
        if values:
            assert refusal.value.values == values
        assert await self._seen(call) == before

    async def _seen(self, call: Call) -> list[object]:
        bet = getattr(call, "bet", None)
        seen: list[object] = [await self.bank.account(key.address) for key in (CROUPIER, PLAYER)]
        return seen if bet is None else [*seen, await self.bank.game(bet.key)]


async def furnished(house: House) -> House:
    """Croupier, Player and stranger have registered and deposited; the poor one has not."""
    chip = house.bank.terms.chip_cost
    for key, chips in ((CROUPIER, BANKROLL_CHIPS), (PLAYER, PURSE_CHIPS), (STRANGER, 10)):
        await enter(house.bank, key, chips * chip)
    return house


Law = Callable[[House], Awaitable[None]]


async def a_new_bank_knows_nobody(house: House) -> None:
    bank = house.bank
    assert await bank.account(POOR.address) == Account(0, 0, NOBODY)
    assert await bank.game(bytes(32)) == BankGame(bytes(32), 0, 0, 0, 0, 0)
    assert list(await bank.told(bytes(32))) == []
    assert await bank.next_game_id(POOR.address, PLAYER.address) == 0
    assert bank.trusted
    assert await bank.now() > 0


async def money_goes_in_and_out_to_the_wei(house: House) -> None:
    bank, chip = house.bank, house.bank.terms.chip_cost
    purse = await bank.purse(STRANGER.address)
    (event,) = await bank.send(STRANGER, DepositFunds(7 * chip + 3))
    assert event == BankEvent("FundsDeposited", {"owner": STRANGER.address, "amount": 7 * chip + 3})
    assert (await bank.account(STRANGER.address)).available == 17 * chip + 3
    assert await bank.purse(STRANGER.address) <= purse - 7 * chip - 3
    values = (STRANGER.address, 17 * chip + 3, 17 * chip + 4)
    await house.refused("InsufficientFunds", STRANGER, WithdrawFunds(17 * chip + 4), *values)
    (event,) = await bank.send(STRANGER, WithdrawFunds(17 * chip + 3))
    assert event == BankEvent(
        "FundsWithdrawn", {"owner": STRANGER.address, "amount": 17 * chip + 3}
    )
    assert (await bank.account(STRANGER.address)).available == 0
    outside = await bank.purse(POOR.address)
    await house.refused("InsufficientFunds", POOR, DepositFunds(outside + 1))
    assert (await bank.account(POOR.address)).available == 0


async def an_honest_game_is_paid_at_every_level(house: House) -> None:
    bank, chip = house.bank, house.bank.terms.chip_cost
    for level in PAYS:
        order = (1, 0, 1, 1, 0) if level % 2 else (0, 0, 0, 0, 0)
        game = await house.play(bet=11 - level, level=level, order=order)
        his, theirs = await house.available()
        recorded = [e for sender, call in game.calls() for e in await bank.send(sender, call)]
        hand = game.final_hand()
        prize = Poker(11 - level, level).prize(hand)
        stake = (11 - level) * level
        assert await house.available() == [his + stake - prize, theirs - stake + prize]
        assert recorded[-1] == BankEvent(
            "GameSettled",
            {
                "game": game.bet.key,
                "hand": packed_hand(hand),
                "rank": rank(hand),
                "prize": prize * chip,
            },
        )
        assert list(await bank.told(game.bet.key)) == recorded
        found = await bank.game(game.bet.key)
        assert (found.step, found.outcome) == (Step.HAND_FINAL, GameOutcome.SETTLED)
        assert found.is_of(game.bet) and found.cards == hand
        assert not found.is_of(game.bet._replace(expiry=game.bet.expiry + 1))
        assert found.replaced == order
    for key in (CROUPIER, PLAYER):
        assert (await bank.account(key.address)).open_games == 0


async def every_step_moves_just_the_money_that_it_should(house: House) -> None:
    stake, top = 3 * 5, 3 * PAYS[5][Rank.ROYAL_FLUSH]
    begun = BANKROLL_CHIPS - top, PURSE_CHIPS - stake
    game = await house.play(bet=3)
    prize = Poker(3, 5).prize(game.final_hand())
    # With the order, what is out of reach is free again.
    mixed = mix(game.bet.struct_hash(), 0, game.his[0].signature, game.theirs[0].signature)
    freed = top - 3 * locked(5, deal(mixed), game.order)
    expected = [begun] + [(begun[0] + stake, begun[1])] * 2
    expected += [(begun[0] + stake + freed, begun[1])] * 3
    expected.append((BANKROLL_CHIPS + stake - prize, PURSE_CHIPS - stake + prize))
    for (sender, call), after in zip(game.calls(), expected, strict=True):
        deadline = await house.bank.now() + house.bank.terms.step_time
        await house.bank.send(sender, call)
        assert await house.available() == list(after)
        found = await house.bank.game(game.bet.key)
        assert found.step == Step.HAND_FINAL or found.deadline >= deadline


async def every_silence_has_a_deadline_and_an_end(house: House) -> None:
    bank = house.bank
    for step, silence in SILENT_AT.items():
        his, theirs = await house.available()
        game = await house.play()
        await game.take(bank, step)
        deadline = (await bank.game(game.bet.key)).deadline
        who = PLAYER if silence in CROUPIER_OWES else CROUPIER
        complaint = Complain(silence, game.bet)
        await house.refused("TooEarly", who, complaint, deadline)
        await house.travel(bank.terms.step_time + 10)
        late = list(game.calls())[step]
        await house.refused("TooLate", *late, deadline)
        for other in set(Silence) - {silence}:
            await house.refused("WrongStep", who, Complain(other, game.bet), step)
        # Anyone may complain for whoever is away.
        (event,) = await bank.send(STRANGER if step % 2 else who, complaint)
        # Two stakes for three cards, of which the Croupier has one from the Player; and on
        # seed 0 the Player's stake goes back with one more.
        name, outcome, gained = "PlayerForfeited", GameOutcome.PLAYER_FORFEITED, -5
        if silence in CROUPIER_OWES:
            name, outcome, gained = "CroupierForfeited", GameOutcome.CROUPIER_FORFEITED, 5
        assert event.name == name
        assert (await bank.game(game.bet.key)).outcome == outcome
        assert await house.available() == [his - gained, theirs + gained]
        await house.refused("GameOver", who, complaint)
        await house.refused("GameOver", *late)


async def only_the_croupier_may_repeat_and_only_the_same(house: House) -> None:
    bank, game = house.bank, await house.play()
    calls = [call for _, call in game.calls()]
    for done, call in enumerate(calls):
        assert await bank.send(CROUPIER, call)
        if done % 2:
            continue
        before = await house.available(), await bank.game(game.bet.key)
        for again in calls[: done + 1]:
            assert list(await bank.send(CROUPIER, again)) == []
        assert (await house.available(), await bank.game(game.bet.key)) == before
    for again in calls[1:-1]:
        await house.refused("AlreadySubmitted", PLAYER, again)
    await house.refused("GameOver", PLAYER, calls[-1])
    assert len(await bank.told(game.bet.key)) == len(calls)


async def every_reason_to_refuse_a_bet(house: House) -> None:
    bank, chip = house.bank, house.bank.terms.chip_cost
    game = await house.play()

    async def refused(name: str, *values: Any, by: Key = PLAYER, **changes: Any) -> None:
        changed = game.bet._replace(**changes)
        call = SubmitBet(changed, by.sign(bank.domain, changed))
        await house.refused(name, CROUPIER, call, *values)

    await house.refused("NotTheCroupier", PLAYER, SubmitBet(game.bet, game.signature))
    await refused("SameParty", player=CROUPIER.address)
    for bet, level in ((0, 5), (11, 5), (255, 5), (1, 0), (1, 6)):
        await refused("BadBet", bet=bet, level=level)
    await refused("WrongChipCost", chip_cost=chip + 1)
    await refused("BetExpired", expiry=await bank.now() - 1)
    await refused("EqualCommitments", player_commitment_1=game.bet.croupier_commitment_0)
    await refused("WrongGameId", 0, game_id=1)
    await refused("WrongKey", croupier_key=NOBODY)
    await refused("WrongKey", player_key=STRANGER.address, by=STRANGER)
    await refused("BadSignature", by=STRANGER)
    await refused("BadSignature", player=POOR.address, player_key=NOBODY, by=POOR)
    top, available = 250 * 10, 10
    swapped = await Round.new(bank, STRANGER, PLAYER, bet=10, level=1)
    values = (STRANGER.address, available * chip, top * chip)
    call = SubmitBet(swapped.bet, swapped.signature)
    await house.refused("InsufficientFunds", STRANGER, call, *values)
    rich = await Round.new(bank, CROUPIER, STRANGER, bet=3, level=5)
    values = (STRANGER.address, available * chip, 15 * chip)
    await house.refused("InsufficientFunds", CROUPIER, SubmitBet(rich.bet, rich.signature), *values)
    await bank.send(CROUPIER, SubmitBet(game.bet, game.signature))
    await refused("AlreadySubmitted", bet=2)
    other = game.bet._replace(expiry=game.bet.expiry + 1)
    await house.refused("UnknownBet", PLAYER, SubmitGameResult(other))


async def every_reason_to_refuse_a_key(house: House) -> None:
    bank, unused = house.bank, Key(77)
    proof = unused.prove(bank.domain, PLAYER.address)
    theirs = CROUPIER.prove(bank.domain, CROUPIER.address)
    await house.refused(
        "KeyTaken", PLAYER, SubmitPublicKey(CROUPIER.address, theirs), CROUPIER.address
    )
    await house.refused("BadSignature", STRANGER, SubmitPublicKey(unused.address, proof))
    await house.refused("BadSignature", PLAYER, SubmitPublicKey(NOBODY, proof))
    game = await house.play()
    await game.take(bank, 1)
    (event,) = await bank.send(PLAYER, SubmitPublicKey(unused.address, proof))
    assert event.values == {"owner": PLAYER.address, "key": unused.address}
    assert (await bank.account(PLAYER.address)).key == unused.address
    for sender, call in list(game.calls())[1:]:
        assert await bank.send(sender, call), "an open game goes on under its own keys"
    own = PLAYER.prove(bank.domain, PLAYER.address)
    assert await bank.send(PLAYER, SubmitPublicKey(PLAYER.address, own)), "one may go back"


async def every_reason_to_refuse_a_step(house: House) -> None:
    bank, game = house.bank, await house.play()
    bet, his, theirs = game.bet, game.his, game.theirs
    parties = CROUPIER.address, PLAYER.address
    wrong = fresh_seeds(CROUPIER, bank.domain, parties, Signer.CROUPIER, bet.game_id)
    unsigned = his[0]._replace(nonce=b"\1" * 32)
    ordered = PLAYER.sign(bank.domain, ReplacementOrder.of(bet, game.order))
    await house.refused("UnknownBet", CROUPIER, SubmitCroupierSeed(bet, 0, his[0]))
    await game.take(bank, 1)
    await house.refused("BadSeedId", CROUPIER, SubmitCroupierSeed(bet, 2, his[0]))
    await house.refused("WrongSeed", CROUPIER, SubmitCroupierSeed(bet, 0, wrong[0]))
    await house.refused("BadSignature", CROUPIER, SubmitCroupierSeed(bet, 0, unsigned))
    await house.refused("WrongStep", CROUPIER, SubmitCroupierSeed(bet, 1, his[1]), 1)
    croupiers = his[0].signature
    await house.refused("WrongStep", PLAYER, SubmitPlayerSeed(bet, 0, theirs[0], croupiers), 1)
    await bank.send(CROUPIER, SubmitCroupierSeed(bet, 0, his[0]))
    await house.refused("WrongSeed", PLAYER, SubmitPlayerSeed(bet, 0, theirs[1], croupiers))
    others = wrong[0].signature
    await house.refused("WrongSeed", PLAYER, SubmitPlayerSeed(bet, 0, theirs[0], others))
    await house.refused("WrongSeed", PLAYER, SubmitPlayerSeed(bet, 2, theirs[0], croupiers))
    await house.refused("BadSeedId", PLAYER, SubmitPlayerSeed(bet, 2, theirs[1], croupiers))
    unsigned = theirs[0]._replace(nonce=b"\1" * 32)
    await house.refused("BadSignature", PLAYER, SubmitPlayerSeed(bet, 0, unsigned, croupiers))
    await house.refused("WrongStep", PLAYER, SubmitReplacementOrder(bet, game.order, ordered), 2)
    await bank.send(PLAYER, SubmitPlayerSeed(bet, 0, theirs[0], croupiers))
    await house.refused("BadOrder", PLAYER, SubmitReplacementOrder(bet, (2, 0, 0, 0, 0), ordered))
    forged = SubmitReplacementOrder(bet, (1, 1, 1, 1, 1), ordered)
    await house.refused("BadSignature", CROUPIER, forged)
    twin = Signature(55 - ordered.v, ordered.r, ORDER - ordered.s)
    malleable = SubmitReplacementOrder(bet, game.order, twin)
    await house.refused("BadSignature", PLAYER, malleable)
    await house.refused("WrongStep", PLAYER, SubmitGameResult(bet), 3)
    await bank.send(PLAYER, SubmitReplacementOrder(bet, game.order, ordered))
    kept = PLAYER.sign(bank.domain, ReplacementOrder.of(bet, (0, 0, 0, 0, 0)))
    other = SubmitReplacementOrder(bet, (0, 0, 0, 0, 0), kept)
    await house.refused("AlreadySubmitted", CROUPIER, other)


async def two_steps_in_one_call_are_two_steps(house: House) -> None:
    bank, game = house.bank, await house.play()
    bet, his, theirs = game.bet, game.his, game.theirs
    croupiers = his[0].signature
    both = SubmitPlayerSeedAndOrder(bet, theirs[0], croupiers, game.order, game.order_signature)
    last = SubmitPlayerSeedAndResult(bet, theirs[1], his[1].signature)
    await game.take(bank, 1)
    await house.refused("WrongStep", PLAYER, both, 1)
    await bank.send(CROUPIER, SubmitCroupierSeed(bet, 0, his[0]))
    await house.refused("BadSignature", PLAYER, both._replace(order=(1, 1, 1, 1, 1)))
    await house.refused("WrongStep", PLAYER, last, 2)
    recorded = list(await bank.send(STRANGER, both))
    assert [event.name for event in recorded] == [
        "PlayerSeedSubmitted",
        "ReplacementOrderSubmitted",
    ]
    assert list(await bank.send(CROUPIER, both)) == [], "the Croupier may repeat himself"
    await house.refused("AlreadySubmitted", PLAYER, both)
    await bank.send(CROUPIER, SubmitCroupierSeed(bet, 1, his[1]))
    recorded = list(await bank.send(PLAYER, last))
    assert [event.name for event in recorded] == ["PlayerSeedSubmitted", "GameSettled"]
    won = Poker(1, 5).prize(game.final_hand()) - 5
    assert await house.available() == [BANKROLL_CHIPS - won, PURSE_CHIPS + won]


async def games_have_locks_of_their_own(house: House) -> None:
    first = await house.play(bet=2)
    await first.take(house.bank, 6)
    second = await house.play(order=(0, 0, 0, 0, 0))
    assert second.bet.game_id == 1
    await second.take(house.bank, 4)
    assert (await house.bank.account(PLAYER.address)).open_games == 2
    (event,) = await house.bank.send(PLAYER, Complain(Silence.SECOND_CROUPIER_SEED, second.bet))
    assert event.name == "GameSettled", "nothing is to be replaced, so nobody can be silent"
    await house.bank.send(PLAYER, SubmitGameResult(first.bet))
    won = sum(
        Poker(game.bet.bet, 5).prize(game.final_hand()) - 5 * game.bet.bet
        for game in (first, second)
    )
    assert await house.available() == [BANKROLL_CHIPS - won, PURSE_CHIPS + won]
    chip = house.bank.terms.chip_cost
    await house.bank.send(CROUPIER, WithdrawFunds((BANKROLL_CHIPS - won) * chip))
    await house.bank.send(PLAYER, WithdrawFunds((PURSE_CHIPS + won) * chip))
    assert await house.available() == [0, 0], "nothing is left behind, and nothing was made"


LAWS: tuple[Law, ...] = (
    a_new_bank_knows_nobody,
    money_goes_in_and_out_to_the_wei,
    an_honest_game_is_paid_at_every_level,
    every_step_moves_just_the_money_that_it_should,
    every_silence_has_a_deadline_and_an_end,
    only_the_croupier_may_repeat_and_only_the_same,
    every_reason_to_refuse_a_bet,
    every_reason_to_refuse_a_key,
    every_reason_to_refuse_a_step,
    two_steps_in_one_call_are_two_steps,
    games_have_locks_of_their_own,
)
