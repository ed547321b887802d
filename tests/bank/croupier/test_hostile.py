"""Whoever wants the Croupier to forfeit: by his purse, by the price of gas, by a slow chain.

Silence at seed 1 costs him thirty stakes. On a real chain (``anvil``), with a guest who says
what he must and helps with nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairground.bank.bank_port import (
    BankGame,
    BankRefused,
    GameOutcome,
    Step,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
)
from fairground.bank.chain.gas import DEAREST, LIMITS, SPARE
from fairground.bank.croupier.croupier import GAME_CALLS
from fairground.bank.croupier_port import Busy
from fairground.bank.messages import Bet
from fairground.core import InputError
from tests.helpers.anvil import Anvil, anvil
from tests.helpers.chain_table import CHIP, ETHER, Table, rich, table
from tests.helpers.croupier import ORDER, Guest
from tests.helpers.width import WIDE

GWEI = 10**9
SECONDS = 60.0
"""For what must come to be by itself."""


@pytest.fixture(scope="module")
def chain() -> Iterator[Anvil]:
    with anvil() as node:
        yield node


def run(test: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test, 120)

    asyncio.run(limited())


async def until(
    condition: Callable[[], Awaitable[bool]], meanwhile: Callable[[], Awaitable[None]] | None = None
) -> None:
    async with asyncio.timeout(SECONDS):
        while not await condition():
            if meanwhile is not None:
                await meanwhile()
            await asyncio.sleep(0.02)


async def step_of(at: Table, bet: Bet) -> int:
    return (await at.bank.game(bet.key)).step


async def order_given(
    at: Table, guest: Guest, meanwhile: Callable[[], Awaitable[None]], **terms: int
) -> Bet:
    """A game up to the order at the Bank; the guest says what he must, and no more."""
    offer = await at.croupier.offer(guest.address)
    bet = guest.bet_on(offer, **terms)

    async def there() -> bool:
        if (await at.croupier.look(offer.id)).stage not in ("order-sent", "awaits-seed-1"):
            await guest.say_next(at.croupier, offer, bet, ORDER)
        return await step_of(at, bet) >= Step.ORDER_SUBMITTED

    await until(there, meanwhile)
    return bet


async def nothing() -> None:
    """The chain makes its blocks by itself."""


async def seed_1_is_there(at: Table, bet: Bet, meanwhile: Callable[[], Awaitable[None]]) -> None:
    async def there() -> bool:
        return await step_of(at, bet) >= Step.CROUPIER_SEED_1_SUBMITTED

    await until(there, meanwhile)
    assert (await at.bank.game(bet.key)).outcome == GameOutcome.OPEN


async def finish(at: Table, guest: Guest, bet: Bet) -> None:
    """The guest brings what is left himself, so that the next game can begin."""
    seeds = next(two for two in guest.seeds.values() if two[1].commitment == bet.commitments[3])
    his = next(
        event.values["signature"]
        for event in await at.bank.told(bet.key)
        if event.name == "CroupierSeedSubmitted" and event.values["seedId"] == 1
    )
    await at.bank.send(guest.key, SubmitPlayerSeed(bet, 1, seeds[1], his))
    with suppress(BankRefused):  # the Croupier was faster
        await at.bank.send(guest.key, SubmitGameResult(bet))
    assert (await at.bank.game(bet.key)).outcome == GameOutcome.SETTLED


# The purse


async def test_every_purse_that_takes_a_bet_pays_for_seed_1(chain: Anvil, tmp_path: Path) -> None:
    """The guest steers the purse, which is public, to where it would be too little."""
    async with table(chain, tmp_path, 0) as at:
        at.node.rpc("evm_setAutomine", True)
        croupier, guest = at.croupier, at.guest
        game = await at.bank.upkeep(GAME_CALLS)
        taken, parts = 0, range(2, 26, 1 if WIDE else 4)
        for part in parts:
            rich(at.node, croupier._key, game * part // 16)
            try:
                bet = await order_given(at, guest, nothing, bet=1, level=5)
            except Busy as busy:
                assert "for gas" in str(busy)
                continue
            taken += 1
            await seed_1_is_there(at, bet, nothing)
            await finish(at, guest, bet)
        assert 0 < taken < len(parts)


@pytest.mark.campaign
async def test_small_games_drain_the_purse_and_no_more(chain: Anvil, tmp_path: Path) -> None:
    """Nobody touches the purse but the chain: small games until no more are taken."""
    async with table(chain, tmp_path, 0) as at:
        at.node.rpc("evm_setAutomine", True)
        croupier, guest = at.croupier, at.guest
        rich(at.node, croupier._key, (3 if WIDE else 2) * await at.bank.upkeep(GAME_CALLS))
        games = 0
        with pytest.raises(Busy, match="for gas"):
            while games < 40:
                bet = await order_given(at, guest, nothing, bet=1, level=1)
                await seed_1_is_there(at, bet, nothing)
                await finish(at, guest, bet)
                games += 1
        assert games > 3
        report = await croupier.report()
        # Gas grows cheaper with every block, so by now one more game may be paid for.
        assert report.games_in_purse in (0, 1) and report.games_at_risk == 0
        seeds = await at.bank.upkeep([SubmitCroupierSeed] * 2)
        assert report.purse > seeds / SPARE


async def test_parallel_games_share_one_purse(chain: Anvil, tmp_path: Path) -> None:
    """Each of them alone could be paid for; all of them together could not."""
    async with table(chain, tmp_path, 0) as at:
        at.node.rpc("evm_setAutomine", True)
        guests = [at.guest, *(Guest(at.bank, number) for number in (1, 2, 3))]
        for guest in guests[1:]:
            rich(at.node, guest.key)
            await guest.enter(at.bank, 10 * CHIP)
        rich(at.node, at.croupier._key, 2 * await at.bank.upkeep(GAME_CALLS))
        games = await asyncio.gather(
            *(order_given(at, guest, nothing, bet=1, level=1) for guest in guests),
            return_exceptions=True,
        )
        bets = [bet for bet in games if isinstance(bet, Bet)]
        assert 0 < len(bets) < len(games)
        assert all(isinstance(game, Bet | Busy) for game in games)
        for bet in bets:
            await seed_1_is_there(at, bet, nothing)


# The price of gas


def dear(at: Table, wei: int) -> Callable[[], Awaitable[None]]:
    """Blocks in which gas costs this much."""

    async def mine() -> None:
        await asyncio.to_thread(at.node.rpc, "anvil_setNextBlockBaseFeePerGas", hex(wei))
        await at.mine()

    return mine


@pytest.mark.parametrize("gwei", [600, 1_100])
async def test_seed_1_may_cost_what_is_at_stake(chain: Anvil, tmp_path: Path, gwei: int) -> None:
    async with table(chain, tmp_path, 0, chip=10**15) as at:
        bet = await order_given(at, at.guest, at.mine, bet=10, level=4)
        before = await at.bank.purse(at.croupier.account)
        await dear(at, gwei * GWEI)()
        await seed_1_is_there(at, bet, dear(at, gwei * GWEI))
        paid = before - await at.bank.purse(at.croupier.account)
        assert DEAREST * LIMITS[SubmitCroupierSeed] / 2 < paid < 2 * bet.stake
        await dear(at, GWEI)()


async def test_a_cheap_letter_does_not_block_seed_1(chain: Anvil, tmp_path: Path) -> None:
    """A second hand of the same Croupier: its letter was sent when gas was cheap, and is stuck."""
    async with table(chain, tmp_path, 0, chip=10**15) as at:
        other = Guest(at.bank, 1)
        rich(at.node, other.key)
        entering = asyncio.create_task(other.enter(at.bank, 10**16))
        await until(lambda: asyncio.sleep(0, entering.done()), at.mine)
        # With ten, and a royal flush still in reach, the second bet would lock too much.
        bet = await order_given(at, at.guest, at.mine, bet=8, level=4)
        cheap = await at.croupier.offer(other.address)
        small = other.bet_on(cheap, bet=1, level=1)
        nonce = at.node.count(at.croupier.account)
        await at.croupier.bet(cheap.id, small, other.sign(small))

        async def both_wait() -> bool:
            count = await asyncio.to_thread(at.node.count, at.croupier.account, "pending")
            return count == nonce + 2

        await until(both_wait)
        await seed_1_is_there(at, bet, dear(at, 480 * GWEI))
        await dear(at, GWEI)()


async def test_more_than_is_at_stake_is_not_paid(
    chain: Anvil, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two stakes of a small bet are worth less than the gas: he says so, and keeps it."""
    async with table(chain, tmp_path, 0) as at:
        bet = await order_given(at, at.guest, at.mine, bet=1, level=1)
        assert 2 * bet.stake < 600 * GWEI * LIMITS[SubmitCroupierSeed]
        mine = dear(at, 600 * GWEI)
        await mine()

        async def said() -> bool:
            return "gas costs" in caplog.text

        await until(said, mine)
        assert await step_of(at, bet) == Step.ORDER_SUBMITTED
        await dear(at, GWEI)()
        await seed_1_is_there(at, bet, dear(at, GWEI))


# The clock


def slow(at: Table, seconds: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Awaitable[None]]:
    """Blocks of a slow chain: each comes once the Croupier has looked at the last, or has sent."""
    looks, game = 0, at.bank.game

    async def counted(key: bytes, confirmations: int = 0) -> BankGame:
        nonlocal looks
        looks += confirmations > 0  # he alone asks for what is final
        return await game(key, confirmations)

    def block() -> None:
        last = int(at.node.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
        at.node.rpc("evm_setNextBlockTimestamp", last + seconds)
        at.node.rpc("evm_mine")

    async def mine() -> None:
        before = looks  # one look to learn, one to write down what he will tell, one to send it
        while looks < before + 5 and not int(at.node.rpc("txpool_status")["pending"], 16):
            await asyncio.sleep(0.02)
        await asyncio.to_thread(block)

    monkeypatch.setattr(at.bank, "game", counted)
    return mine


@pytest.mark.parametrize("seconds", [12, 14] if WIDE else [14])
async def test_a_chain_that_slows_down(
    chain: Anvil,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    seconds: int,
) -> None:
    """Six confirmations take longer than a step: he does not wait for them to the bitter end."""
    caplog.set_level(logging.INFO, "fairground.croupier")

    async def test(at: Table) -> None:
        bet = await order_given(at, at.guest, slow(at, 1, monkeypatch), bet=1, level=5)
        given = await at.bank.game(bet.key)
        await seed_1_is_there(at, bet, slow(at, seconds, monkeypatch))
        assert (await at.bank.game(bet.key, 6)).step < Step.ORDER_SUBMITTED
        assert await at.bank.now() <= given.deadline
        assert "waits for confirmations of the order" in caplog.text
        assert "seed 1 is told for an order not final yet" in caplog.text

    async with table(chain, tmp_path, 6, step_time=60) as at:
        await test(at)


async def test_confirmations_that_do_not_fit_are_refused(chain: Anvil, tmp_path: Path) -> None:
    node = chain.node()
    for _ in range(21):
        node.rpc("evm_increaseTime", 12)
        node.rpc("evm_mine")
    with pytest.raises(InputError, match=r"6 confirmations do not fit.* at most 0 conf"):
        async with table(chain, tmp_path, 6, step_time=60):
            pass
    for _ in range(21):
        node.rpc("evm_mine")


async def test_complaints_are_sent_where_no_empty_blocks_are_made(
    chain: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last block is old, so by its time nobody is late; the next block would know better."""
    passed = 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
    monkeypatch.setattr("fairground.bank.bank_port.time", clock)

    async with table(chain, tmp_path, 0, step_time=60) as at:
        at.node.rpc("evm_setAutomine", True)
        offer = await at.croupier.offer(at.guest.address)
        bet = at.guest.bet_on(offer)
        await at.croupier.bet(offer.id, bet, at.guest.sign(bet))

        async def told() -> bool:
            return await step_of(at, bet) == Step.CROUPIER_SEED_0_SUBMITTED

        await until(told)
        at.node.rpc("evm_increaseTime", 62)
        passed = 62

        async def over() -> bool:
            return (await at.bank.game(bet.key)).outcome == GameOutcome.PLAYER_FORFEITED

        await until(over)


async def test_seed_1_is_not_at_the_desk_before_the_bank_has_it(
    chain: Anvil, tmp_path: Path
) -> None:
    async with table(chain, tmp_path, 0) as at:
        offer = await at.croupier.offer(at.guest.address)
        bet = at.guest.bet_on(offer)
        while await step_of(at, bet) < Step.ORDER_SUBMITTED:
            await at.guest.say_next(at.croupier, offer, bet, ORDER)
            await at.mine()
        nonce = at.node.count(at.croupier.account)

        async def sent() -> bool:
            address = at.croupier.account
            return await asyncio.to_thread(at.node.count, address, "pending") > nonce

        await until(sent)
        assert (await at.croupier.look(offer.id)).seeds[1] is None
        await at.mine()

        async def shown() -> bool:
            return (await at.croupier.look(offer.id)).seeds[1] is not None

        await until(shown)
        assert await step_of(at, bet) == Step.CROUPIER_SEED_1_SUBMITTED
        assert (await at.bank.purse(at.croupier.account)) < 10 * ETHER
