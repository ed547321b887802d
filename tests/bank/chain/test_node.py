"""`ChainBank` against a real node over JSON-RPC: ``anvil``, from npm (``tools/node-setup``).

The node is slow, forgetful, reorganised, killed, or another than it was; no call may be
lost silently, and none may count twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from web3 import HTTPProvider
from web3.types import RPCEndpoint, RPCResponse

from fairground.bank.bank_port import (
    BankAway,
    BankEvent,
    BankRefused,
    Complain,
    DepositFunds,
    GameOutcome,
    Silence,
    Spending,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitPublicKey,
    WithdrawFunds,
    WrongBank,
)
from fairground.bank.chain import abi
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.gas import DEAREST, Fees, Price
from fairground.bank.chain.node import ChainNode, Draft, NodeDeclined, Signed
from fairground.bank.messages import Domain, Key
from fairground.bank.seeds import unpacked_hand
from fairground.core import InputError
from fairground.games.poker.rules import Poker
from tests.helpers.anvil import anvil, running_anvil, until
from tests.helpers.bank_game import Round, enter
from tests.helpers.evm import CHIP, STEP_TIME

ETHER = 10**18
SOON = 0.05
"""Patience, in seconds, with a transaction that nobody will mine."""


@pytest.fixture(scope="module")
def node() -> Iterator[ChainNode]:
    with running_anvil() as node:
        yield node


def purse(node: ChainNode) -> Key:
    """A new account with money of the test chain."""
    key = Key.fresh()
    node.rpc("anvil_setBalance", key.address, hex(100_000 * ETHER))
    return key


@asynccontextmanager
async def opened(node: ChainNode, patience: float = 60) -> AsyncIterator[ChainBank]:
    """A new Bank."""
    address = await deploy(node, purse(node), CHIP, STEP_TIME)
    bank = await ChainBank.open(node, address, patience=patience)
    try:
        yield bank
    finally:
        await bank.close()


@pytest.fixture
async def bank(node: ChainNode) -> AsyncIterator[ChainBank]:
    async with opened(node) as bank:
        yield bank


@asynccontextmanager
async def stopped(node: ChainNode) -> AsyncIterator[None]:
    """No block is made but by hand."""
    node.rpc("evm_setAutomine", False)
    try:
        yield
    finally:
        node.rpc("anvil_dropAllTransactions")
        node.rpc("evm_setAutomine", True)


def waiting(node: ChainNode) -> int:
    """How many transactions the node holds that are in no block."""
    status = node.rpc("txpool_status")
    return sum(int(status[name], 16) for name in ("pending", "queued"))


async def waits(node: ChainNode, count: int) -> None:
    await asyncio.to_thread(until, lambda: waiting(node) == count)


def base_fee(node: ChainNode, wei: int) -> None:
    """Make a block in which gas costs so much."""
    node.rpc("anvil_setNextBlockBaseFeePerGas", hex(wei))
    node.rpc("evm_mine")


def fees(node: ChainNode) -> Fees:
    """What one offers now."""
    found = Fees.at(node.price(), DEAREST)
    assert found is not None
    return found


async def available(bank: ChainBank, key: Key) -> int:
    return (await bank.account(key.address)).available


async def test_whole_games_over_json_rpc(node: ChainNode, bank: ChainBank) -> None:
    assert bank.terms == (CHIP, STEP_TIME)
    assert bank.trusted == "the chain 31337"
    croupier, player = purse(node), purse(node)
    await enter(bank, croupier, 10_000 * CHIP)
    await enter(bank, player, 100 * CHIP)

    game = await Round.new(bank, croupier, player)
    told: list[BankEvent] = []
    for sender, call in game.calls():
        told += await bank.send(sender, call)
    final = game.final_hand()
    prize = Poker(1, 5).prize(final) * CHIP
    assert told[-1].name == "GameSettled"
    assert told[-1].values["prize"] == prize
    assert unpacked_hand(told[-1].values["hand"]) == final
    assert list(await bank.told(game.bet.key)) == told
    kept = await bank.game(game.bet.key)
    assert (kept.outcome, kept.cards, kept.replaced) == (
        GameOutcome.SETTLED,
        final,
        game.order,
    )
    assert await available(bank, player) == 95 * CHIP + prize

    # The next game: wrong seeds are refused, and then the croupier falls silent.
    before = await available(bank, player)
    game = await Round.new(bank, croupier, player)
    assert game.bet.game_id == 1
    await game.take(bank, 1)
    with pytest.raises(BankRefused, match="WrongSeed"):
        await bank.send(croupier, SubmitCroupierSeed(game.bet, 0, game.his[1]))
    await game.take(bank, 2)  # the croupier may repeat the bet
    for sender, call in list(game.calls())[2:4]:
        await bank.send(sender, call)
    complaint = Complain(Silence.SECOND_CROUPIER_SEED, game.bet)
    with pytest.raises(BankRefused, match="TooEarly"):
        await bank.send(player, complaint)
    node.rpc("evm_increaseTime", STEP_TIME + 1)
    node.rpc("evm_mine")
    await bank.send(player, complaint)
    assert await available(bank, player) == before + 5 * CHIP

    # Nothing signed for another chain counts here.
    game = await Round.new(bank, croupier, player)
    elsewhere = player.sign(Domain(1, bank.address), game.bet)
    with pytest.raises(BankRefused, match="BadSignature"):
        await bank.send(croupier, SubmitBet(game.bet, elsewhere))

    # Everybody goes home.
    for key in (croupier, player):
        await bank.send(key, WithdrawFunds(await available(bank, key)))
    assert await bank.purse(bank.address) == 0


async def test_sends_at_the_same_time_get_numbers_in_a_row(
    node: ChainNode, bank: ChainBank
) -> None:
    async with stopped(node):
        key = purse(node)
        sends = [asyncio.create_task(bank.send(key, DepositFunds(2**i))) for i in range(8)]
        # Two equal calls, both awaited, are two calls.
        sends.append(asyncio.create_task(bank.send(key, DepositFunds(1))))
        await waits(node, 9)
        node.rpc("evm_mine")
        told = [event for send in sends for event in await send]
        assert [event.values["amount"] for event in told] == [*(2**i for i in range(8)), 1]
        assert await available(bank, key) == 2**8
        assert node.count(key.address) == 9


@pytest.mark.parametrize("blocks", ["at once", "later"])
async def test_two_programs_send_from_one_account(node: ChainNode, blocks: str) -> None:
    class Crowded(ChainNode):
        """Between our number and our transaction, another program sends one of its own."""

        rivals = 2

        def broadcast(self, transaction: Signed) -> None:
            self.rpc("evm_setAutomine", False)
            if self.rivals:
                self.rivals -= 1
                own, number = Draft(key.address, b"", 0, 21_000), self.count(key.address, "pending")
                super().broadcast(self.sign(key, number, own, fees(self)))
                if blocks == "at once":
                    self.rpc("evm_mine")
            super().broadcast(transaction)
            self.rpc("evm_setAutomine", True)
            self.rpc("evm_mine")

    key = purse(node)

    async with opened(node) as bank:
        crowded = await ChainBank.open(Crowded(f"http://{node.name}"), bank.address)
        (event,) = await crowded.send(key, DepositFunds(7))
        assert event.values["amount"] == await available(bank, key) == 7
        assert node.count(key.address) == 3
        await crowded.close()


async def test_a_slow_chain(node: ChainNode) -> None:
    async with opened(node, patience=SOON) as bank, stopped(node):
        key = purse(node)
        with pytest.raises(BankAway, match=r"in no block after 0\.05 seconds"):
            await bank.send(key, DepositFunds(7))
        assert waiting(node) == 1
        # Still not there: the same call is the same transaction, only dearer.
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(7))
        assert waiting(node) == 1
        node.rpc("evm_mine")
        # It came after all: nothing is sent any more.
        (event,) = await bank.send(key, DepositFunds(7))
        assert event.values["amount"] == 7
        assert waiting(node) == 0
        assert await available(bank, key) == 7
        # From here on an equal call is a new one.
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(7))
        assert waiting(node) == 1


async def test_whoever_stops_waiting_may_come_back(node: ChainNode, bank: ChainBank) -> None:
    async with stopped(node):
        key = purse(node)
        send = asyncio.create_task(bank.send(key, DepositFunds(7)))
        await waits(node, 1)
        send.cancel()
        with pytest.raises(asyncio.CancelledError):
            await send
        send = asyncio.create_task(bank.send(key, DepositFunds(7)))
        other = asyncio.create_task(bank.send(key, DepositFunds(8)))
        await waits(node, 2)
        node.rpc("evm_mine")
        await asyncio.gather(send, other)
        assert await available(bank, key) == 15


async def test_a_dropped_transaction_is_handed_over_again(node: ChainNode, bank: ChainBank) -> None:
    async with stopped(node):
        key = purse(node)
        send = asyncio.create_task(bank.send(key, DepositFunds(7)))
        await waits(node, 1)
        node.rpc("anvil_dropAllTransactions")
        await waits(node, 1)  # nobody but the bank can have brought it back
        node.rpc("evm_mine")
        await send
        assert await available(bank, key) == 7


async def test_what_was_dropped_does_not_block_what_follows(node: ChainNode) -> None:
    async with opened(node, patience=SOON) as bank, stopped(node):
        key = purse(node)
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(7))
        node.rpc("anvil_dropAllTransactions")
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(8))
        assert waiting(node) == 2
        node.rpc("evm_mine")
        for amount in (8, 7):
            await bank.send(key, DepositFunds(amount))
        assert await available(bank, key) == 15


async def test_a_transaction_that_is_too_cheap_is_replaced(node: ChainNode) -> None:
    def offers(key: Key) -> list[int]:
        return [
            int(transaction["maxFeePerGas"], 16)
            for owner, numbered in node.rpc("txpool_content")["pending"].items()
            for transaction in numbered.values()
            if owner.lower() == key.address.lower()
        ]

    async with opened(node, patience=SOON) as bank, stopped(node):
        key = purse(node)
        for _ in range(3):
            before = offers(key)
            with pytest.raises(BankAway):
                await bank.send(key, DepositFunds(7))
            assert len(offers(key)) == 1
            assert not before or offers(key)[0] >= before[0] * 5 // 4
        base_fee(node, 10 * offers(key)[0])
        assert node.count(key.address) == 0  # it was too cheap for that block
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(7))
        node.rpc("evm_mine")
        (event,) = await bank.send(key, DepositFunds(7))
        assert event.values["amount"] == await available(bank, key) == 7
        assert node.count(key.address) == 1
        base_fee(node, 10**9)


async def test_another_transaction_in_the_place_of_ours(node: ChainNode) -> None:
    async with opened(node, patience=SOON) as bank, stopped(node):
        key = purse(node)

        def take(nonce: int) -> None:
            dear = fees(node).raised(Fees(100 * 10**9, 10**9))
            own = Draft(key.address, b"", 0, 21_000)
            node.broadcast(node.sign(key, nonce, own, dear))
            node.rpc("evm_mine")

        with pytest.raises(BankAway, match="in no block"):
            await bank.send(key, DepositFunds(7))
        take(0)
        assert waiting(node) == 0
        # The old one can never count, so this is a new one.
        with pytest.raises(BankAway, match="in no block"):
            await bank.send(key, DepositFunds(7))
        assert waiting(node) == 1
        node.rpc("evm_mine")
        await bank.send(key, DepositFunds(7))
        assert await available(bank, key) == 7

        patient = await ChainBank.open(node, bank.address, patience=60)
        send = asyncio.create_task(patient.send(key, DepositFunds(7)))
        await waits(node, 1)
        take(2)
        with pytest.raises(BankAway, match="took the place of ours"):
            await send
        await patient.close()
        assert await available(bank, key) == 7


async def test_a_call_that_another_overtakes_is_refused_with_its_reason(
    node: ChainNode, bank: ChainBank
) -> None:
    key = purse(node)
    await bank.send(key, DepositFunds(7))
    async with stopped(node):
        sends = [asyncio.create_task(bank.send(key, WithdrawFunds(n))) for n in (7, 6)]
        await waits(node, 2)
        node.rpc("evm_mine")
        await sends[0]
        with pytest.raises(BankRefused, match=r"InsufficientFunds\(.*, 0, 6\)"):
            await sends[1]


async def test_who_cannot_pay_is_told_so_before_anything_is_sent(
    node: ChainNode, bank: ChainBank
) -> None:
    key = purse(node)
    has = await bank.purse(key.address)
    for amount in (has + 1, has):  # the second leaves nothing for gas
        with pytest.raises(BankRefused, match="InsufficientFunds"):
            await bank.send(key, DepositFunds(amount))
    poor = Key.fresh()
    with pytest.raises(BankRefused, match="InsufficientFunds"):
        await bank.send(poor, WithdrawFunds(0))
    assert node.count(key.address) == 0


async def test_gas_that_is_too_dear_is_not_paid(node: ChainNode, bank: ChainBank) -> None:
    key = purse(node)
    base_fee(node, DEAREST)
    with pytest.raises(BankAway, match="gas costs"):
        await bank.send(key, DepositFunds(7))
    base_fee(node, 10**9)
    await bank.send(key, DepositFunds(7))


async def test_a_chain_that_counts_gas_in_its_own_way(node: ChainNode) -> None:
    """It adds something for the bytes, say: then the node knows better than our table."""

    class Dearer(ChainNode):
        def estimate(self, sender: str, draft: Draft) -> int:
            return 1_000_000

        def sign(self, key: Key, nonce: int, draft: Draft, fees: Fees) -> Signed:
            limits.append(draft.gas)
            return super().sign(key, nonce, draft, fees)

    limits: list[int] = []

    async with opened(node) as bank:
        key = purse(node)
        other = await ChainBank.open(Dearer(f"http://{node.name}"), bank.address)
        await other.send(key, DepositFunds(7))
        assert limits == [1_300_000]
        assert await available(bank, key) == 7
        await other.close()


async def test_an_urgent_call_takes_the_place_of_what_an_earlier_run_left(node: ChainNode) -> None:
    class Dearer(ChainNode):
        """Gas has become dearer since then."""

        def price(self) -> Price:
            base, tip = super().price()
            return Price(10 * base, 2 * tip)

    def proof(bank: ChainBank, key: Key) -> tuple[str, Any]:
        return key.address, key.prove(bank.domain, key.address)

    def first_data(node: ChainNode, key: Key) -> str:
        for owner, numbered in node.rpc("txpool_content")["pending"].items():
            if owner.lower() == key.address.lower():
                return str(numbered["0"]["input"])
        return deposit

    deposit = "0x" + abi.call_data("depositFunds").hex()
    async with opened(node, patience=SOON) as bank, stopped(node):
        key = purse(node)
        with pytest.raises(BankAway):
            await bank.send(key, DepositFunds(7))
        again = await ChainBank.open(Dearer(f"http://{node.name}"), bank.address)
        usual = asyncio.create_task(again.send(key, WithdrawFunds(0)))
        await waits(node, 2)  # behind it
        urgent = Spending(at_stake=ETHER)
        sent = asyncio.create_task(again.send(key, SubmitPublicKey(*proof(bank, key)), urgent))
        await asyncio.to_thread(until, lambda: first_data(node, key) != deposit)
        assert waiting(node) == 2
        node.rpc("evm_mine")
        assert [event.name for task in (usual, sent) for event in await task] == [
            "FundsWithdrawn",
            "PublicKeySubmitted",
        ]
        assert await available(bank, key) == 0
        await again.close()


async def test_a_node_that_knows_no_pending_block(node: ChainNode) -> None:
    class Plain(ChainNode):
        def call(self, bank: str, data: bytes, *rest: Any, **more: Any) -> bytes:
            if "pending" in rest:
                raise NodeDeclined("there is no pending block here")
            return super().call(bank, data, *rest, **more)

    async with opened(node) as bank:
        croupier, player = purse(node), purse(node)
        for key in (croupier, player):
            await enter(bank, key, 5_000 * CHIP)
        plain = await ChainBank.open(Plain(f"http://{node.name}"), bank.address)
        game = await Round.new(plain, croupier, player)
        await game.take(plain, 7)
        assert (await bank.game(game.bet.key)).outcome == GameOutcome.SETTLED
        await plain.close()


async def test_after_a_reorganisation(node: ChainNode, bank: ChainBank) -> None:
    croupier, player = purse(node), purse(node)
    await enter(bank, croupier, 10_000 * CHIP)
    await enter(bank, player, 100 * CHIP)
    for _ in range(3):
        node.rpc("evm_mine")
    game = await Round.new(bank, croupier, player)
    key = game.bet.key
    await game.take(bank, 1)
    assert (await bank.game(key)).step == Step.BET_SUBMITTED
    assert (await bank.game(key, confirmations=1)).step == Step.NONE
    node.rpc("anvil_reorg", 1, [])
    assert (await bank.game(key)).step == Step.NONE
    assert list(await bank.told(key)) == []
    assert await available(bank, player) == 100 * CHIP

    # The same bet again, and now two blocks on top of it.
    await game.take(bank, 1)
    for _ in range(2):
        assert (await bank.game(key, confirmations=2)).step == Step.NONE
        node.rpc("evm_mine")
    assert (await bank.game(key, confirmations=2)).step == Step.BET_SUBMITTED
    node.rpc("anvil_reorg", 2, [])
    assert (await bank.game(key)).step == Step.BET_SUBMITTED
    assert (await bank.game(key, confirmations=10**6)).step == Step.NONE
    for sender, call in list(game.calls())[1:]:
        await bank.send(sender, call)
    assert (await bank.game(key)).outcome == GameOutcome.SETTLED


async def test_a_node_that_does_not_search_the_whole_chain(
    node: ChainNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Public(HTTPProvider):
        """A node as many are that anyone may use."""

        def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
            if method == "eth_getLogs":
                blocks = int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) + 1
                if blocks > window:
                    error: Any = {"code": -32005, "message": "query exceeds max block range"}
                    return {"jsonrpc": "2.0", "id": 1, "error": error}
            return super().make_request(method, params)

    window = 20
    monkeypatch.setattr("fairground.bank.chain.node.WINDOW", window)

    async with opened(node) as bank:
        croupier, player = purse(node), purse(node)
        await enter(bank, croupier, 10_000 * CHIP)
        await enter(bank, player, 100 * CHIP)
        node.rpc("anvil_mine", hex(window))
        game = await Round.new(bank, croupier, player)
        calls = list(game.calls())
        for sender, call in calls[:4]:
            await bank.send(sender, call)
        node.rpc("anvil_mine", hex(window))
        for sender, call in calls[4:]:
            await bank.send(sender, call)
        public = ChainNode(Public(f"http://{node.name}"))
        told = node.events(bank.address, game.bet.key)
        assert [event.name for event in told][::6] == ["BetSubmitted", "GameSettled"]
        assert public.events(bank.address, game.bet.key) == told
        assert public.events(bank.address, bytes(32)) == []
        # What is older than we are ready to look for is not said to be nothing.
        monkeypatch.setattr("fairground.bank.chain.node.MOST_WINDOWS", 1)
        with pytest.raises(BankAway, match="exceeds max block range"):
            public.events(bank.address, game.bet.key)


async def test_a_gap_that_a_reorganisation_left_is_filled(node: ChainNode) -> None:
    async with opened(node) as patient:
        key = purse(node)
        await patient.send(key, DepositFunds(1))
        bank = await ChainBank.open(node, patient.address, patience=SOON)
        async with stopped(node):
            with pytest.raises(BankAway):
                await bank.send(key, DepositFunds(2))
            node.rpc("anvil_reorg", 1, [])
            node.rpc("anvil_dropAllTransactions")
            assert node.count(key.address) == 0
            for amount in (1, 2):
                with pytest.raises(BankAway):
                    await bank.send(key, DepositFunds(amount))
            node.rpc("evm_mine")
            for amount in (1, 2):
                await bank.send(key, DepositFunds(amount))
            assert await available(bank, key) == 3
        await bank.close()


async def test_a_node_is_killed_in_the_middle_of_a_game() -> None:
    with anvil() as process:
        node = process.node()
        async with opened(node) as bank:
            croupier, player = purse(node), purse(node)
            await enter(bank, croupier, 10_000 * CHIP)
            await enter(bank, player, 100 * CHIP)
            game = await Round.new(bank, croupier, player)
            calls = list(game.calls())
            await game.take(bank, 2)
            state = node.rpc("anvil_dumpState")
            process.kill()
            for question in (bank.now(), bank.game(game.bet.key), bank.send(*calls[2])):
                with pytest.raises(BankAway, match="no chain answers"):
                    await question

            # Something else comes up at the same address first.
            process.start("--chain-id", "4711")
            with pytest.raises(WrongBank, match="on the chain 4711 now, not on 31337"):
                await bank.game(game.bet.key)
            process.kill()
            process.start()
            with pytest.raises(WrongBank, match="no contract"):
                await bank.game(game.bet.key)

            node.rpc("anvil_loadState", state)
            for sender, call in calls[2:]:
                await bank.send(sender, call)
            assert (await bank.game(game.bet.key)).cards == game.final_hand()


async def test_what_is_not_the_bank_is_found_out(node: ChainNode, bank: ChainBank) -> None:
    nobody = Key.fresh().address
    with pytest.raises(WrongBank, match="no contract"):
        await ChainBank.open(node, nobody)
    code = bytearray.fromhex(node.rpc("eth_getCode", bank.address, "latest")[2:])
    code[len(code) // 2] ^= 1
    node.rpc("anvil_setCode", nobody, "0x" + code.hex())
    with pytest.raises(WrongBank, match="not the Bank"):
        await ChainBank.open(node, nobody)
    with pytest.raises(WrongBank, match="on the chain 31337, not on 1"):
        await ChainBank.open(node, bank.address, chain_id=1)
    again = await ChainBank.open(node, bank.address, chain_id=31337)
    await again.close()


def test_a_chain_on_which_money_is_real_is_refused() -> None:
    with anvil("--chain-id", "1") as process, pytest.raises(WrongBank, match="money is real"):
        process.node()


def test_a_node_that_is_not_there_keeps_its_password() -> None:
    with pytest.raises(BankAway, match=r"127\.0\.0\.1:1 ") as caught:
        ChainNode("http://127.0.0.1:1/v3/PASSWORD", timeout=5)
    assert "PASSWORD" not in str(caught.value)
    for url in ("127.0.0.1:8545", "ws://127.0.0.1:1", "http://", "http://a:b:c", "nonsense"):
        with pytest.raises(InputError, match="is like http"):
            ChainNode(url)


def test_a_server_that_is_no_node() -> None:
    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Welcome!</html>")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(BankAway, match="no chain answers"):
            ChainNode(f"http://127.0.0.1:{server.server_port}", timeout=5)
        thread.join()
