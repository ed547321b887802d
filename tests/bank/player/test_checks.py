"""A Bank that lies to the Player is found out, and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fairground.bank.bank_port import Account, BankEvent, BankGame, GameOutcome, Step
from fairground.bank.croupier_port import Sight
from fairground.bank.player.game import Alarm, Party
from fairground.bank.seeds import packed_hand, packed_order
from tests.helpers.croupier import CHIP, ORDER, PURSE, STANDS, Wrapped, prize
from tests.helpers.player import Crook, PlayersTable, slow

STAKE = 5 * CHIP


class Liar(Wrapped):
    """A ledger whose operator shows this Player something else."""

    def __init__(self, bank: Any, lie: Callable[[BankGame], BankGame]) -> None:
        super().__init__(bank)
        self._lie = lie

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return self._lie(await super().game(key, confirmations))


def when(at: Step, /, **values: Any) -> Callable[[BankGame], BankGame]:
    """Lie about a game that is just so far."""
    return lambda game: game._replace(**values) if game.step == at else game


HAND = packed_hand((0, 1, 2, 3, 4))

LIES = {
    "another hand": (when(Step.ORDER_SUBMITTED, hand=HAND), "it shows the hand 2♡ 3♡ 4♡ 5♡ 6♡"),
    "no hand": (
        when(Step.ORDER_SUBMITTED, hand=packed_hand((60, 1, 2, 3, 4))),
        r"\[60, 1, 2, 3, 4\]",
    ),
    "another order": (when(Step.HAND_FINAL, order=packed_order((1, 1, 1, 1, 1))), "the order"),
    "another final hand": (when(Step.HAND_FINAL, hand=HAND), "it shows the hand 2♡"),
    "another bet": (when(Step.CROUPIER_SEED_0_SUBMITTED, bet_hash=b"x" * 32), "did not sign"),
    "dealt too early": (
        when(Step.CROUPIER_SEED_0_SUBMITTED, step=Step.HAND_DEALT, hand=HAND),
        "dealt before both seeds",
    ),
    "final too early": (
        when(
            Step.CROUPIER_SEED_1_SUBMITTED,
            step=Step.HAND_FINAL,
            order=packed_order(ORDER),
            hand=HAND,
        ),
        "final before both seeds",
    ),
    "silence that was none": (
        when(Step.CROUPIER_SEED_1_SUBMITTED, outcome=GameOutcome.PLAYER_FORFEITED),
        "player forfeited after croupier seed 1",
    ),
    "settled in the middle": (
        when(Step.ORDER_SUBMITTED, outcome=GameOutcome.SETTLED),
        "final hand is not known",
    ),
    "a penalty not paid": (
        when(Step.ORDER_SUBMITTED, outcome=GameOutcome.CROUPIER_FORFEITED),
        "paying you 0 wei",
    ),
}


@pytest.mark.parametrize("name", LIES)
async def test_a_bank_that_lies_about_a_game_is_found_out(table: PlayersTable, name: str) -> None:
    lie, said = LIES[name]

    table.bank = Liar(table.house.ledger, lie)
    # Slowly, so that the Player sees every step.
    slow(table)
    with pytest.raises(Alarm, match=said) as alarm:
        _, game = await table.dealt()
        await game.draw(ORDER)
        await game.settle()
    assert alarm.value.party is Party.BANK
    assert "the Bank is at fault" in str(alarm.value)


class Rewriter(Wrapped):
    """A ledger whose operator rewrites what was recorded, or what is in an account."""

    def __init__(self, bank: Any, name: str, **values: Any) -> None:
        super().__init__(bank)
        self._name, self._values = name, values
        self.robbed = 0

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        return [
            BankEvent(name, {**values, **self._values} if name == self._name else values)
            for name, values in await super().told(key)
        ]

    async def account(self, owner: str) -> Account:
        account = await super().account(owner)
        return account._replace(available=account.available - self.robbed)


async def test_a_prize_that_is_not_the_hands(table: PlayersTable) -> None:
    table.bank = Rewriter(table.house.ledger, "GameSettled", prize=1)
    _, game = await table.dealt()
    with pytest.raises(Alarm, match="it paid 1 wei for a hand worth"):
        await game.draw(STANDS)
        await game.settle()


async def test_a_seed_that_the_bank_should_not_have_taken(table: PlayersTable) -> None:
    table.bank = Rewriter(table.house.ledger, "CroupierSeedSubmitted", nonce=bytes(32))
    with pytest.raises(Alarm, match="it took a seed that it must refuse"):
        await table.dealt()


async def test_money_that_is_missing_in_the_end(table: PlayersTable) -> None:
    bank = table.bank = Rewriter(table.house.ledger, "")
    player, game = await table.dealt()
    await game.draw(ORDER)
    await game.settle()
    won = prize(game.bet, game.witness.final)
    assert await player.balance() == PURSE - STAKE + won
    bank.robbed = 1
    with pytest.raises(Alarm, match="by your own count"):
        await player.balance()


async def test_a_bank_that_hides_the_croupiers_seed(table: PlayersTable) -> None:
    class Hider(Wrapped):
        async def told(self, key: bytes) -> Sequence[BankEvent]:
            return []

    class Silent(Crook):
        async def look(self, offer_id: str) -> Sight:
            return (await super().look(offer_id))._replace(seeds=(None, None))

    table.bank, table.desk = Hider(table.house.ledger), Silent(table.croupier)
    with pytest.raises(Alarm, match="does not tell it"):
        await table.dealt()
