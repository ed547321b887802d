"""A ledger that is opened from a snapshot is the ledger that its lines give, or the lines win."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.bank_port import BankSession, DepositFunds, Phase
from fairground.bank.ledger import lines
from fairground.bank.ledger.bank import NAME, LedgerBank
from fairground.bank.ledger.lines import KIND, TABLES, Ledger, read_ledger
from fairground.store import Append, Store, open_store
from fairground.transcript import NO_LINE, line_hash
from tests.helpers.bank_laws import KEYS, PLAYER, furnished
from tests.helpers.banks import TERMS, WEALTH, Clock, LedgerHouse

LOG = f"{NAME}.{KIND}"

Act = Callable[[Store], Awaitable[None]]


def known(ledger: Ledger) -> dict[str, Any]:
    """Everything that a ledger knows; nothing and zero are the same."""
    tables = {name: {k: v for k, v in t.items() if v} for name, t in ledger.tables().items()}
    return {**tables, "step": ledger.step, "head": ledger.head, "at": ledger.at}


async def must_be_what_the_lines_give(bank: LedgerBank) -> None:
    await bank.now()  # it looks what others have written
    assert known(bank._ledger) == known(read_ledger(await bank.lines(), trusting=True))


def kept(tmp_path: Path, *acts: Act) -> None:
    """Each act with a store of its own, as after a restart."""

    async def run() -> None:
        for act in acts:
            store = await open_store(f"sqlite:///{tmp_path}/bank.db")
            await act(store)
            await store.close()

    asyncio.run(run())


async def played(store: Store) -> None:
    """Games, finished and open, in a ledger that takes a snapshot every few lines."""
    clock = Clock()
    bank = await LedgerBank.open(store, TERMS, clock=clock)
    for key in KEYS:
        await bank.issue(key.address, WEALTH)
    house = await furnished(LedgerHouse(bank, clock))
    for steps in (7, 7, 3):
        game = await house.play()
        await game.take(bank, steps)
    await must_be_what_the_lines_give(bank)
    await bank.close()


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "EVERY", 5)


def without_lines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lines were run again, each time."""
    counts: list[int] = []
    follow = Ledger.follow

    def counted(self: Ledger, lines: Any, *, trusting: bool = False) -> None:
        counts.append(len(lines))
        follow(self, lines, trusting=trusting)

    monkeypatch.setattr(Ledger, "follow", counted)
    return counts


def test_a_ledger_that_was_closed_is_opened_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def again(store: Store) -> None:
        counts = without_lines(monkeypatch)
        bank = await LedgerBank.open(store, clock=Clock())
        assert counts == []
        await must_be_what_the_lines_give(bank)
        counts.clear()
        other = await LedgerBank.open(store, clock=Clock(), from_snapshot=False)
        assert sum(counts) == other._ledger.step - 1
        assert known(other._ledger) == known(bank._ledger)

    async def goes_on(store: Store) -> None:
        bank = await LedgerBank.open(store, clock=Clock())
        for _ in range(12):
            await bank.send(PLAYER, DepositFunds(1))
        await must_be_what_the_lines_give(bank)
        await bank.close()

    kept(tmp_path, played, again, goes_on, again)


def test_after_a_crash_only_the_last_lines_are_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was killed: nothing was closed, and what was told is in the lines."""

    async def killed(store: Store) -> None:
        bank = await LedgerBank.open(store, clock=Clock())
        for _ in range(13):
            await bank.send(PLAYER, DepositFunds(1))

    async def again(store: Store) -> None:
        counts = without_lines(monkeypatch)
        bank = await LedgerBank.open(store, clock=Clock())
        assert 0 < sum(counts) < 5
        await must_be_what_the_lines_give(bank)

    kept(tmp_path, played, killed, again)


def _forged(change: Callable[[dict[str, Any]], None]) -> Callable[[list[bytes]], list[bytes]]:
    """The last snapshot changed, with a chain that holds."""

    def forge(lines: list[bytes]) -> list[bytes]:
        said = json.loads(lines[-1])
        change(said)
        return [*lines[:-1], json.dumps(said).encode() + b"\n"]

    return forge


DAMAGE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a byte of the first": lambda lines: [lines[0].replace(b'"at":1', b'"at":2'), *lines[1:]],
    "one is missing": lambda lines: [lines[0], *lines[2:]],
    "no JSON": lambda lines: [*lines, b"{\n"],
    "an array": lambda lines: [*lines, b"[]\n"],
    "deep nesting": lambda lines: [*lines, b"[" * 100_000 + b"\n"],
    "another format": _forged(lambda said: said.update(format="fairground-snapshot/9")),
    "another history": _forged(lambda said: said.update(head="00" * 32)),
    "a line that is not there": _forged(lambda said: said.update(step=10**6)),
    "a line that cannot be": _forged(lambda said: said.update(step="x")),
    "a table too few": _forged(lambda said: said["tables"].pop("_money")),
    "a row too short": _forged(lambda said: said["tables"]["_money"].append(["purse"])),
    "a row with no hex": _forged(lambda said: said["tables"]["lines"].append(["x", 1])),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_snapshot_that_does_not_fit_is_left_aside(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def damaged(store: Store) -> None:
        stored = await store.read(LOG)
        assert stored is not None
        lines = DAMAGE[name](list(stored.lines))
        copied = [append async for append in _all_but(store, lines)]
        other = await open_store(f"sqlite:///{tmp_path}/other.db")
        for append in copied:
            await other.commit(append)
        counts = without_lines(monkeypatch)
        bank = await LedgerBank.open(other, clock=Clock())
        assert sum(counts) == bank._ledger.step - 1, "all lines were run"
        await must_be_what_the_lines_give(bank)
        await bank.close()
        counts.clear()
        await must_be_what_the_lines_give(await LedgerBank.open(other, clock=Clock()))
        assert counts[:-1] == [], "the new series counts"
        await other.close()

    kept(tmp_path, played, damaged)


async def _all_but(store: Store, snapshots_: list[bytes]) -> Any:
    """The ledger as it is, and other snapshots beside it."""
    ledger = await store.read(NAME)
    assert ledger is not None
    yield Append(NAME, 0, ledger.lines, "ledger")
    yield Append(LOG, 0, tuple(snapshots_), KIND)


def test_an_older_ledger_gets_its_first_snapshot_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def old(store: Store) -> None:
        monkeypatch.setattr(lines, "EVERY", 10**9)
        monkeypatch.setattr(LedgerBank, "close", _nothing)
        await played(store)
        assert await store.read(LOG) is None

    async def again(store: Store) -> None:
        monkeypatch.setattr(lines, "EVERY", 5)
        bank = await LedgerBank.open(store, clock=Clock())
        stored = await store.read(LOG)
        assert stored is not None and len(stored.lines) == 1
        assert json.loads(stored.lines[0])["step"] == bank._ledger.step

    kept(tmp_path, old, again)


async def _nothing(_: object) -> None:
    pass


def test_of_two_workers_one_writes_snapshots(tmp_path: Path) -> None:
    async def both(store: Store) -> None:
        one = await LedgerBank.open(store, clock=Clock())
        two = await LedgerBank.open(store, clock=Clock())
        for _ in range(9):
            await one.send(PLAYER, DepositFunds(1))
            await two.send(PLAYER, DepositFunds(1))
        for bank in (one, two):
            await must_be_what_the_lines_give(bank)
            await bank.close()
        await must_be_what_the_lines_give(await LedgerBank.open(store, clock=Clock()))

    kept(tmp_path, played, both)


def test_a_snapshot_that_goes_wrong_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One task writes for all: where a mistake ended it, every later call waited for ever."""

    def fails(*_: object) -> bytes:
        raise RuntimeError("a mistake")

    async def goes_on(store: Store) -> None:
        bank = await LedgerBank.open(store, clock=Clock())
        monkeypatch.setattr(lines.Snapshots, "_written", fails)
        for _ in range(12):
            await asyncio.wait_for(bank.send(PLAYER, DepositFunds(1)), 20)
        await must_be_what_the_lines_give(bank)
        await bank.close()

    kept(tmp_path, played, goes_on)
    assert "a snapshot could not be written" in caplog.text


def test_every_table_is_in_a_snapshot() -> None:
    ledger = Ledger(Ledger.opening(TERMS, None, 0))
    assert ledger.tables().keys() <= TABLES.keys()


def test_a_session_is_read_as_it_was_written() -> None:
    """No session is played above: they take many messages, and are one row."""
    write, read = TABLES["_sessions"]
    session = BankSession(bytes(range(32)), 3, Phase.CLAIMED, 1_800_000_000, 7, 10**20, 5)
    row = json.loads(json.dumps(write(("0xA", "0xB"), session)))
    assert read(*row) == (("0xA", "0xB"), session)


def test_the_chain_of_snapshots_can_be_followed_by_anyone(tmp_path: Path) -> None:
    async def look(store: Store) -> None:
        stored, lines = await store.read(LOG), await store.lines(NAME)
        assert stored is not None and len(stored.lines) > 3
        head = NO_LINE
        for line in stored.lines:
            said = json.loads(line)
            assert said["prev"] == head
            assert said["head"] == line_hash(lines[said["step"] - 1])
            head = line_hash(line)

    kept(tmp_path, played, look)
