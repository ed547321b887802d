"""What is the ledger's alone: its lines, envelopes, faucet, restarts, workers, and its JSON."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from fairground.bank.bank_port import (
    BankAway,
    BankEvent,
    BankRefused,
    DepositFunds,
    SubmitPublicKey,
    Terms,
    WithdrawFunds,
)
from fairground.bank.calls import BadCall, Envelope, call_as_json, call_hash
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.ledger.lines import FAUCET_CHIPS, Ledger, read_ledger
from fairground.bank.messages import Domain, Key, LedgerCall
from fairground.bank.signatures import BadSignature
from fairground.core import Fault, InputError
from fairground.store import Append, Store, open_store
from fairground.store.sqlite import SqliteStore
from fairground.transcript import canonical, line_hash
from tests.helpers.bank_game import Round, enter
from tests.helpers.bank_laws import CROUPIER, KEYS, PLAYER, POOR, STRANGER, furnished
from tests.helpers.bank_laws import an_honest_game_is_paid_at_every_level as whole_games
from tests.helpers.banks import TERMS, WEALTH, Clock, LedgerHouse, in_a_database, ledger
from tests.helpers.postgres import throw_away_cluster

CHIP = TERMS.chip_cost


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/bank.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def bank(url: str, clock: Clock) -> AsyncIterator[LedgerBank]:
    async with ledger(url, clock) as opened:
        yield opened


async def balances(bank: LedgerBank) -> list[object]:
    return [
        (
            await bank.account(key.address),
            await bank.purse(key.address),
            await bank.next_number(key.address),
        )
        for key in KEYS
    ]


async def test_time_goes_on_though_the_machines_clock_was_set_back(url: str) -> None:
    """Else no deadline would come until it is that time again, and money would stay locked."""
    clock = Clock()

    store = await open_store(url)
    bank = await LedgerBank.open(store, TERMS, clock=clock)
    await bank.issue(PLAYER.address, 1)
    before = await bank.now()
    await bank.close()
    clock.time -= 36_000
    bank = await LedgerBank.open(store, clock=clock)
    assert await bank.now() == before
    clock.time += 60
    await bank.issue(PLAYER.address, 1)
    last = json.loads((await bank.lines())[-1])
    assert await bank.now() == last["at"] == before + 60
    await bank.close()
    await store.close()


# Who one must trust, and what can be run again


async def test_a_ledger_comes_back_as_it_was(url: str) -> None:
    clock = Clock()
    async with ledger(url, clock) as bank:
        house = await furnished(LedgerHouse(bank, clock))
        await whole_games(house)
        left = await house.play()
        await left.take(bank, 3)
        key = left.bet.key
        seen = [bank.domain, await balances(bank), await bank.game(key), await bank.told(key)]
    store = await open_store(url)
    bank = await LedgerBank.open(store, clock=Clock())
    assert [bank.domain, await balances(bank), await bank.game(key), await bank.told(key)] == seen
    assert bank.terms == TERMS
    with pytest.raises(InputError, match="has other terms"):
        await LedgerBank.open(store, Terms(1, 60))
    await store.close()


async def test_anyone_can_run_a_ledger_again_and_finds_what_was_changed(
    bank: LedgerBank, clock: Clock
) -> None:
    house = await furnished(LedgerHouse(bank, clock))
    game = await house.play()
    await game.take(bank, 7)
    with pytest.raises(BankRefused):
        await bank.send(PLAYER, WithdrawFunds(10**30))
    lines = list(await bank.lines())
    again = read_ledger(lines)
    assert again.books.account(PLAYER.address) == await bank.account(PLAYER.address)
    money = again.books.balances()
    assert sum(money.values()) == 0
    assert {place.kind for place in money} == {"issue", "purse", "available"}
    for number in range(len(lines)):
        for other in (b"7", b"e"):
            line = lines[number]
            middle = line.rindex(b'"signature"') - 9 if b'"signature"' in line else 40
            changed = line[:middle] + other + line[middle + 1 :]
            if changed != line:
                with pytest.raises((Fault, InputError)):
                    read_ledger([*lines[:number], changed, *lines[number + 1 :]])
    timeless = canonical({**json.loads(lines[1]), "at": None}) + b"\n"
    with pytest.raises(Fault, match="a time is a number of seconds, not None"):
        read_ledger([lines[0], timeless])
    for number in range(1, len(lines) - 1):
        with pytest.raises(Fault, match=f"line {number + 1} names another line"):
            read_ledger(lines[:number] + lines[number + 1 :])


def test_the_first_line_of_a_ledger() -> None:
    opening = json.loads(Ledger.opening(TERMS, None, 7))
    assert opening["faucet"] == str(1_000_000 * CHIP), "a million chips"
    assert Ledger(canonical(opening) + b"\n").at == 7
    for wrong in ({"kind": "issued"}, {"prev": line_hash(b"another line")}):
        with pytest.raises(InputError, match="not the ledger of a Bank: its first line is"):
            Ledger(canonical({**opening, **wrong}) + b"\n")


async def test_an_operator_cannot_make_up_a_call(bank: LedgerBank) -> None:
    """He can write a line that his own replay takes; whoever checks signatures does not."""

    await bank.send(PLAYER, DepositFunds(5 * CHIP))
    lines = list(await bank.lines())
    book = read_ledger(lines)
    forged = Envelope.sealed(STRANGER, bank.domain, 1, WithdrawFunds(5 * CHIP))
    entry = book.call(forged._replace(sender=PLAYER.address), 0, trusting=True)
    assert read_ledger([*lines, entry.line], trusting=True).books.purse(PLAYER.address)
    with pytest.raises(Fault, match="must be signed by") as fault:
        read_ledger([*lines, entry.line])
    assert fault.value.line == len(lines) + 1
    with pytest.raises(Fault, match="must be signed by"):
        read_ledger(lines).follow([entry.line])


async def test_what_is_in_a_line_must_be_what_the_rules_give(bank: LedgerBank) -> None:
    await bank.send(PLAYER, DepositFunds(5))
    *lines, last = await bank.lines()
    assert b'"events":[{"amount":5,' in last
    with pytest.raises(Fault, match="but the rules give"):
        read_ledger([*lines, last.replace(b'"events":[{"amount":5,', b'"events":[{"amount":6,')])
    head = line_hash(lines[-1])
    for said in ({"kind": "gift"}, {"kind": "issued", "owner": "me", "amount": 1, "at": 5}):
        line = canonical({**said, "prev": head}) + b"\n"
        with pytest.raises(Fault, match=f"line {len(lines) + 1} cannot be"):
            read_ledger([*lines, line])
    with pytest.raises(InputError, match="not the ledger of a Bank"):
        read_ledger([last])
    with pytest.raises(InputError, match="at least the line"):
        read_ledger([])


async def test_a_ledger_is_on_no_chain_and_shares_its_address_with_none(tmp_path: Path) -> None:
    async with (
        in_a_database(f"sqlite:///{tmp_path}/one.db") as one,
        in_a_database(f"sqlite:///{tmp_path}/two.db") as two,
    ):
        assert one.bank.domain.chain_id == two.bank.domain.chain_id == 0
        assert one.bank.domain.bank != two.bank.domain.bank
        assert "operator trusted" in one.bank.trusted
        proof = PLAYER.prove(one.bank.domain, PLAYER.address)
        await two.refused("BadSignature", PLAYER, SubmitPublicKey(PLAYER.address, proof))
        assert isinstance(two.bank, LedgerBank)
        with pytest.raises(BadSignature):
            await two.bank.submit(Envelope.sealed(PLAYER, one.bank.domain, 1, DepositFunds(1)))


# Envelopes


async def test_an_envelope_counts_once_and_is_answered_as_often_as_it_comes(
    bank: LedgerBank,
) -> None:
    paid = Envelope.sealed(PLAYER, bank.domain, 0, DepositFunds(7))
    for _ in range(3):
        (event,) = await bank.submit(paid)
        assert event.values["amount"] == 7
    assert (await bank.account(PLAYER.address)).available == 7
    greedy = Envelope.sealed(PLAYER, bank.domain, 1, WithdrawFunds(8))
    for _ in range(2):
        with pytest.raises(BankRefused) as refused:
            await bank.submit(greedy)
        assert refused.value.values == (PLAYER.address, 7, 8)
    await bank.send(PLAYER, DepositFunds(1))
    for old in (paid, greedy):
        with pytest.raises(BankRefused) as refused:
            await bank.submit(old)
        assert (refused.value.name, refused.value.values) == ("WrongNumber", (3,))
    assert (await bank.account(PLAYER.address)).available == 8
    early = Envelope.sealed(PLAYER, bank.domain, 4, WithdrawFunds(8))
    with pytest.raises(BankRefused, match="WrongNumber"):
        await bank.submit(early)
    assert len(await bank.lines()) == 1 + len(KEYS) + 3


async def test_only_the_sender_can_make_a_call(bank: LedgerBank) -> None:
    good = Envelope.sealed(PLAYER, bank.domain, 0, DepositFunds(7))
    forgeries = (
        good._replace(sender=CROUPIER.address),
        good._replace(number=1),
        good._replace(call=DepositFunds(8)),
        good._replace(signature=STRANGER.sign(bank.domain, _message(good))),
        Envelope.sealed(PLAYER, Domain(1, bank.domain.bank), 0, DepositFunds(7)),
    )
    before = await balances(bank)
    for forged in forgeries:
        with pytest.raises(BadSignature):
            await bank.submit(forged)
    assert await balances(bank) == before
    assert await bank.submit(good)


def _message(envelope: Envelope) -> LedgerCall:
    call = call_hash(call_as_json(envelope.call))
    return LedgerCall(envelope.sender, envelope.number, call)


# Money


async def test_the_faucet_gives_each_owner_so_much_and_no_more(bank: LedgerBank) -> None:
    assert bank.faucet == FAUCET_CHIPS * CHIP
    left = bank.faucet - WEALTH
    with pytest.raises(BankRefused) as refused:
        await bank.issue(POOR.address, left + 1)
    assert refused.value.values == (POOR.address, left, left + 1)
    await bank.issue(POOR.address.lower(), left)
    await bank.send(POOR, DepositFunds(bank.faucet))
    with pytest.raises(BankRefused, match="FaucetEmpty"):
        await bank.issue(POOR.address, 1)
    for amount in (-1, 2**256, True, "1"):
        with pytest.raises(BadCall, match="amount must be an integer"):
            await bank.issue(POOR.address, amount)  # type: ignore[arg-type]


async def test_many_at_once_lose_and_make_nothing(bank: LedgerBank) -> None:
    async def shuttle(key: Key, amount: int) -> None:
        for turn in range(5):
            await bank.send(key, DepositFunds(amount + turn))
            if turn % 2:
                await bank.send(key, WithdrawFunds(amount))

    await asyncio.gather(*(shuttle(key, n) for n, key in enumerate(KEYS * 4)))
    money = read_ledger(await bank.lines()).books.balances()
    assert sum(money.values()) == 0
    for place in KEYS:
        account = await bank.account(place.address)
        assert account.available + await bank.purse(place.address) == WEALTH
    # What waited together went to the disk together.
    assert len(await bank.lines()) == 1 + len(KEYS) + 7 * 16


# Time, crashes and workers


async def test_the_clock_never_goes_backward(bank: LedgerBank, clock: Clock) -> None:
    house = await furnished(LedgerHouse(bank, clock))
    begun = await bank.now()
    game = await house.play()
    await game.take(bank, 1)
    clock.time -= 10_000
    assert await bank.now() == begun
    (event,) = await bank.send(*list(game.calls())[1])
    assert event.values["deadline"] == begun + TERMS.step_time
    assert read_ledger(await bank.lines()).at == begun


class Interrupted(SqliteStore):
    """A store whose next commit waits, or fails: before it is durable, or after."""

    fails = ""
    gate: asyncio.Event | None = None

    async def commit(self, *appends: Append) -> None:
        fails, self.fails = self.fails, ""
        if self.gate is not None:
            self.gate.set()
            self.gate = asyncio.Event()
            await self.gate.wait()
        if fails == "before":
            raise OSError("the disk is gone")
        await super().commit(*appends)
        if fails == "after":
            raise OSError("the disk is gone, or is it?")


async def test_nothing_is_told_before_it_is_durable(url: str) -> None:
    store = await Interrupted.open(url)
    bank = await LedgerBank.open(store, TERMS, clock=Clock())
    await bank.issue(PLAYER.address, 10)
    reached = store.gate = asyncio.Event()
    sending = asyncio.create_task(bank.send(PLAYER, DepositFunds(7)))
    await reached.wait()
    looking = asyncio.create_task(bank.account(PLAYER.address))
    assert store.gate is not reached
    for _ in range(10):
        await asyncio.sleep(0)  # let everybody do what they can
    assert not sending.done()
    assert not looking.done() or looking.result().available == 0
    store.gate.set()
    assert await sending
    store.gate = None
    assert (await looking).available in (0, 7)
    assert (await bank.account(PLAYER.address)).available == 7
    await store.close()


@pytest.mark.parametrize(("fails", "arrived"), [("before", False), ("after", True)])
async def test_when_the_database_fails_nobody_is_told_anything(
    url: str, fails: str, arrived: bool
) -> None:
    store = await Interrupted.open(url)
    bank = await LedgerBank.open(store, TERMS, clock=Clock())
    await bank.issue(PLAYER.address, 10)
    envelope = Envelope.sealed(PLAYER, bank.domain, 0, DepositFunds(7))
    store.fails = fails
    with pytest.raises(BankAway, match="the disk is gone"):
        await bank.submit(envelope)
    assert (await bank.account(PLAYER.address)).available == 7 * arrived
    (event,) = await bank.submit(envelope)
    assert event.values["amount"] == 7
    assert (await bank.account(PLAYER.address)).available == 7
    assert len(await bank.lines()) == 3
    await store.close()


def test_workers_share_one_ledger() -> None:
    """On one PostgreSQL: each sees what the other wrote, and no call is lost or made twice."""

    async def worker(url: str) -> tuple[Store, LedgerBank]:
        store = await open_store(url)
        return store, await LedgerBank.open(store, clock=Clock())

    async def test(base: str) -> None:
        name = f"t{uuid.uuid4().hex}"
        db = await asyncpg.connect(base)
        await db.execute(f"CREATE DATABASE {name}")
        await db.close()
        url = base.replace("/postgres?", f"/{name}?")
        both = await asyncio.gather(worker(url), worker(url))
        (_, one), (_, two) = both
        assert one.domain == two.domain, "one of them made it"
        for number, key in enumerate(KEYS):
            await (one, two)[number % 2].issue(key.address, 40_000 * one.terms.chip_cost)
        await enter(one, CROUPIER, 30_000 * one.terms.chip_cost)
        await enter(two, PLAYER, 100 * one.terms.chip_cost)
        game = await Round.new(two, CROUPIER, PLAYER)
        told: list[BankEvent] = []
        for number, (sender, call) in enumerate(game.calls()):
            told += await (one, two)[number % 2].send(sender, call)
        assert list(await one.told(game.bet.key)) == list(await two.told(game.bet.key)) == told

        await asyncio.gather(
            *(
                bank.send(key, DepositFunds(1))
                for key in (STRANGER, POOR)
                for bank in (one, two)
                for _ in range(10)
            )
        )
        for key in (STRANGER, POOR):
            assert await one.account(key.address) == await two.account(key.address)
            assert (await one.account(key.address)).available == 20
            assert await two.next_number(key.address) == 20
        assert read_ledger(await one.lines()).step == len(await two.lines())
        for store, bank in both:
            await bank.close()
            await store.close()

    with throw_away_cluster() as url:
        asyncio.run(test(url))
