"""The Croupier on a real chain (``anvil``): many blocks behind, reorganised, and as a process."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Iterator
from pathlib import Path

import pytest

from fairground.bank import keystore
from fairground.bank.bank_port import GameOutcome, Step
from fairground.bank.chain.bank import ChainBank
from fairground.bank.chain.node import ChainNode
from fairground.bank.croupier.client import DeskClient, SessionDeskClient
from fairground.bank.croupier_port import TooSoon
from fairground.bank.messages import Key
from fairground.bank.player.notes import Notebook
from fairground.bank.player.session import SessionPlayer
from fairground.cli import main
from tests.helpers.anvil import Anvil, anvil
from tests.helpers.arena import Process
from tests.helpers.bank_game import enter
from tests.helpers.chain_table import BANKROLL, DEEP, ETHER, PURSE, rich, table
from tests.helpers.croupier import ORDER, Guest, prize

PLAYER = Key(7301)


@pytest.fixture(scope="module")
def chain() -> Iterator[Anvil]:
    with anvil() as node:
        yield node


def run(test: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test, 90)

    asyncio.run(limited())


async def test_a_bet_that_a_reorganisation_took_is_brought_again(
    chain: Anvil, tmp_path: Path
) -> None:
    async with table(chain, tmp_path, DEEP) as at:
        offer = await at.croupier.offer(at.guest.address)
        bet = at.guest.bet_on(offer)
        await at.croupier.bet(offer.id, bet, at.guest.sign(bet))
        while (await at.bank.game(bet.key)).step != Step.BET_SUBMITTED:
            await at.mine()
        await at.mine(DEEP - 2)
        assert await at.look(offer, bet) == "bet-sent"
        await asyncio.to_thread(at.node.rpc, "anvil_reorg", DEEP - 1, [])
        assert (await at.bank.game(bet.key)).step == Step.NONE
        assert (await at.croupier.look(offer.id)).seeds == (None, None)
        await at.play(offer, ORDER, "over")
        assert (await at.bank.game(bet.key, DEEP)).outcome == GameOutcome.SETTLED
        assert await at.wealth() == BANKROLL + PURSE


@pytest.mark.campaign
def test_an_operator_makes_a_key_a_bank_and_a_croupier(
    chain: Anvil,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As commands, and the arena as a process of its own."""
    monkeypatch.setattr(keystore.create, "__defaults__", (2,))
    secret = tmp_path / "passphrase"
    secret.touch(0o600)
    secret.write_text("swordfish\n")
    file = str(tmp_path / "croupier.json")
    opened = ["--passphrase-file", str(secret)]
    assert main(["bank", "key", file, *opened]) == 0
    account = capsys.readouterr().out.split()[2]
    node = chain.node()
    node.rpc("anvil_setBalance", account, hex(100 * ETHER))
    where = ["--bank", chain.url]
    assert main(["bank", "deploy", *where, "--key", file, *opened, "--chip-cost", "0"]) == 2
    assert "--chip-cost must be 1 to " in capsys.readouterr().err
    assert main(["bank", "deploy", *where, "--key", file, *opened, "--step-time", "60"]) == 0
    address = capsys.readouterr().out.split()[2]

    async def play(url: str) -> None:
        bank = await ChainBank.open(node, address)
        desk, guest = DeskClient(url), Guest(bank)
        about = await desk.about()
        assert (about.account, about.confirmations) == (account, 1)
        assert (about.domain, about.terms) == (bank.domain, bank.terms)
        rich(node, guest.key)
        await guest.enter(bank, 10 * bank.terms.chip_cost)
        offer = await desk.offer(guest.address)
        bet = guest.bet_on(offer)
        while (sight := await guest.say_next(desk, offer, bet, ORDER)).stage != "over":
            await asyncio.to_thread(node.rpc, "evm_mine")
        won = prize(bet, guest.final_hand(offer, bet, sight, ORDER))
        available = (await bank.account(guest.address)).available
        assert available == 5 * bank.terms.chip_cost + won
        await bank.close()

    notes = Notebook(tmp_path / "notes")
    his = ["--croupier-key", file, "--confirmations", "1", "--bankroll", "8000"]
    options = [*where, "--bank-address", address, *his, *opened]
    with Process(tmp_path, "--database", f"sqlite:///{tmp_path}/arena.db", *options) as arena:
        assert f"/croupier (at the Bank {address})" in arena.printed
        run(play(arena.url))
        run(_begin_a_session(node, address, arena.url, notes))
        arena.end(signal.SIGKILL)
    # Killed in the middle of a hand, he is started again with a new key to sign with.
    new = str(tmp_path / "signing.json")
    assert main(["bank", "key", new, *opened]) == 0
    key = capsys.readouterr().out.split()[2]
    options += ["--signing-key", new, "--database", f"sqlite:///{tmp_path}/arena.db"]
    with Process(tmp_path, *options) as arena:
        run(_go_on(node, address, arena.url, notes, (account, key)))
        assert arena.end() == 0
        assert "swordfish" not in arena.errors
    notes.close()


def test_serve_does_not_start_on_seeds_in_plain_text(
    chain: Anvil,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fairground.bank.croupier.croupier.seed_cipher", lambda *_: None)
    path, house = tmp_path / "croupier.db", Key.fresh()

    async def make() -> str:
        """An offer as an earlier version stored it."""
        async with table(chain, tmp_path, 0, house=house) as at:
            await at.croupier.offer(at.guest.address)
            return at.bank.address

    address = asyncio.run(make())
    monkeypatch.undo()
    file = tmp_path / "croupier.json"
    keystore.create(file, house, "swordfish", 2)
    monkeypatch.setenv(keystore.VARIABLE, "swordfish")
    where = ["--bank", chain.url, "--bank-address", address, "--croupier-key", str(file)]
    assert main(["serve", "--port", "0", "--database", f"sqlite:///{path}", *where]) == 2
    said = capsys.readouterr().err
    assert "does not open the seed 'seed.0'" in said and "serve --database" in said
    assert "Traceback" not in said


async def _begin_a_session(node: ChainNode, address: str, url: str, notes: Notebook) -> None:
    """Up to the middle of a hand."""
    bank = await ChainBank.open(node, address)
    rich(node, PLAYER)
    chip = bank.terms.chip_cost
    await enter(bank, PLAYER, 100 * chip)
    desk = SessionDeskClient(DeskClient(url))
    mining = asyncio.create_task(_mine(node))
    player = await SessionPlayer.open(bank, desk, PLAYER, 50 * chip, notes=notes)
    while not player.page.hand:
        with contextlib.suppress(TooSoon):  # he waits for one more block on it
            await player.deal(1, 1)
    mining.cancel()
    await bank.close()


async def _go_on(
    node: ChainNode, address: str, url: str, notes: Notebook, keys: tuple[str, str]
) -> None:
    """Both were started again, and he has a new key: to the end."""
    bank = await ChainBank.open(node, address)
    (page,) = notes.pages(bank.domain)
    desk = DeskClient(url)
    player = SessionPlayer(bank, SessionDeskClient(desk), PLAYER, page, notes)
    before = (await bank.account(PLAYER.address)).available
    assert await player.is_open()
    await player.go_on()
    mining = asyncio.create_task(_mine(node))
    await player.draw(ORDER)
    await player.close()
    mining.cancel()
    assert (await bank.account(PLAYER.address)).available == before + player.share
    assert (player.terms.croupier_key, (await desk.about()).key) == keys
    await bank.close()


async def _mine(node: ChainNode) -> None:
    while True:
        await asyncio.to_thread(node.rpc, "evm_mine")
        await asyncio.sleep(0.05)
