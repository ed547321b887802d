"""The chain in this process: the same `ChainBank`, and time that passes by itself."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from fairground.bank.bank_port import (
    BankAway,
    BankRefused,
    Complain,
    DepositFunds,
    GameOutcome,
    Silence,
    Step,
    WithdrawFunds,
    WrongBank,
)
from fairground.bank.chain.bank import ChainBank
from fairground.bank.chain.gas import Fees
from fairground.bank.chain.node import Draft
from fairground.bank.messages import Key
from fairground.games.poker.rules import Poker
from tests.helpers.bank_game import Round, enter
from tests.helpers.embedded import EmbeddedNode, open_bank

CHIP = 10**15
ALICE, BOB = Key(71), Key(72)


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 60))


async def opened() -> tuple[ChainBank, EmbeddedNode]:
    bank = await open_bank({ALICE.address: 10**20, BOB.address: 10**20}, chip_cost=CHIP)
    assert isinstance(bank.node, EmbeddedNode)
    return bank, bank.node


def test_a_whole_game() -> None:
    async def play() -> None:
        bank, _ = await opened()
        assert bank.trusted.startswith("operator trusted")
        assert "play money" in bank.trusted
        await enter(bank, ALICE, 20_000 * CHIP)
        await enter(bank, BOB, 100 * CHIP)
        game = await Round.new(bank, ALICE, BOB)
        told = [event for sender, call in game.calls() for event in await bank.send(sender, call)]
        assert list(await bank.told(game.bet.key)) == told
        assert list(await bank.told(bytes(32))) == []
        kept = await bank.game(game.bet.key)
        assert (kept.outcome, kept.cards) == (GameOutcome.SETTLED, game.final_hand())
        prize = Poker(1, 5).prize(game.final_hand()) * CHIP
        assert (await bank.account(BOB.address)).available == 95 * CHIP + prize
        await bank.close()

    run(play())


def test_time_is_the_clocks_and_can_be_travelled() -> None:
    async def play() -> None:
        bank, node = await opened()
        before = int(time.time())
        assert before <= await bank.now() <= time.time() + 5  # a block each for what was sent
        await enter(bank, ALICE, 20_000 * CHIP)
        await enter(bank, BOB, 100 * CHIP)
        game = await Round.new(bank, ALICE, BOB)
        await game.take(bank, 1)
        complaint = Complain(Silence.FIRST_CROUPIER_SEED, game.bet)
        with pytest.raises(BankRefused, match="TooEarly"):
            await bank.send(BOB, complaint)
        deadline = (await bank.game(game.bet.key)).deadline
        node.travel(deadline - await bank.now())
        assert await bank.now() >= deadline
        node.travel(1)
        await bank.send(BOB, complaint)
        assert (await bank.game(game.bet.key)).outcome == GameOutcome.CROUPIER_FORFEITED
        await bank.close()

    run(play())


def test_confirmations_grow_with_time() -> None:
    async def play() -> None:
        bank, node = await opened()
        await enter(bank, ALICE, 20_000 * CHIP)
        await enter(bank, BOB, 100 * CHIP)
        game = await Round.new(bank, ALICE, BOB)
        await game.take(bank, 1)
        seen = []
        for _ in range(10):
            seen.append((await bank.game(game.bet.key, confirmations=5)).step)
            node.travel(10)  # whoever looks then finds a new block
        assert (seen[0], seen[-1]) == (Step.NONE, Step.BET_SUBMITTED)
        assert seen == sorted(seen)
        assert (await bank.game(game.bet.key, confirmations=1000)).step == Step.NONE
        await bank.close()

    run(play())


def test_two_chains_have_nothing_in_common() -> None:
    async def play() -> None:
        one, other = (await opened())[0], (await opened())[0]
        assert one.domain != other.domain
        with pytest.raises(WrongBank, match="no contract"):
            await ChainBank.open(other.node, one.address)
        for bank in (one, other):
            await bank.close()

    run(play())


def test_what_the_chain_declines() -> None:
    async def play() -> None:
        bank, node = await opened()
        with pytest.raises(BankRefused, match="InsufficientFunds"):
            await bank.send(Key.fresh(), DepositFunds(1))
        with pytest.raises(BankRefused, match="InsufficientFunds"):
            await bank.send(ALICE, WithdrawFunds(1))
        late = node.sign(ALICE, 7, Draft(bank.address, b"", 0, 100_000), Fees(10**10, 10**6))
        with pytest.raises(BankAway, match="declines"):
            node.broadcast(late)
        assert not node.knows(late)
        assert node.receipt(late) is None
        await bank.close()

    run(play())


def test_sends_at_the_same_time() -> None:
    async def play() -> None:
        bank, node = await opened()
        await asyncio.gather(*(bank.send(ALICE, DepositFunds(2**i)) for i in range(8)))
        assert (await bank.account(ALICE.address)).available == 2**8 - 1
        assert node.count(ALICE.address) == 8
        await bank.close()

    run(play())


def test_nothing_is_loaded_before_it_is_needed() -> None:
    script = "import fairground.bank.bank_port, fairground.cli, sys; print('web3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"False\n"
