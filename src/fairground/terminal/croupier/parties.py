"""Who takes part in an evening with the Croupier, and where each of them is.

With no address all three are in this process: a Bank on an embedded chain, a Croupier
with a store of his own, and a Player with a fresh key. With addresses they are separate
programs: the Croupier in an arena, the Bank on a chain that the Player reaches through
their own node, or in the ledger of the Croupier's arena.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from fairground.bank.bank_port import Bank, BankRefused, Call
from fairground.bank.calls import call_as_json
from fairground.bank.chain.artifact import WrongBank
from fairground.bank.croupier_port import CroupierDesk
from fairground.bank.messages import Key
from fairground.bank.player.news import Party
from fairground.bank.player.notes import FileNotebook, Notebook
from fairground.core import InputError
from fairground.extras import needs
from fairground.terminal.croupier.steps import BankCalled
from fairground.terminal.evening.vaults import PRIVATE_FILE, PRIVATE_FOLDER

CHIP: Final = 10**15
BANKROLL: Final = 100_000 * CHIP
"""The Croupier's, in play money: more than twice the highest prize, 40,000 chips."""

PURSE: Final = 10_000 * CHIP
GAS_MONEY: Final = 10**18


class Parties(NamedTuple):
    """The two whom the Player has to do with, and where the Player's notes are."""

    bank: Bank
    desk: CroupierDesk
    notebook: Notebook
    faucet: Callable[[int], Awaitable[None]] | None = None
    """Makes so much play money in the Player's purse, in wei; on a chain nobody can."""


Explain = Callable[[BankCalled], None]


def check_home() -> None:
    """Raise `MissingExtra` where there can be no chain in this process. It imports nothing."""
    with needs("chain", "the chain in this process"):
        if find_spec("eth") is None:
            raise ImportError(name="py-evm")


async def at_home(
    stack: AsyncExitStack, player: Key, explain: Explain, buy_in: int, *, one_by_one: bool
) -> Parties:
    """All three in this process, with play money, for as long as it runs.

    The Player's purse can pay ``buy_in`` chips at least. ``one_by_one``: every step of the
    document has a call of its own.
    """
    from fairground.bank.chain.embedded import open_bank
    from fairground.bank.chain.node_port import Mined
    from fairground.bank.croupier.caution import Habits
    from fairground.bank.croupier.croupier import Croupier
    from fairground.store import open_store

    house = Key.fresh()
    bank = await open_bank(
        {
            house.address: BANKROLL + GAS_MONEY,
            player.address: max(PURSE, buy_in * CHIP) + GAS_MONEY,
        },
        chip_cost=CHIP,
    )
    stack.push_async_callback(bank.close)

    def watch(sender: Key, call: Call, mined: Mined) -> None:
        who = Party.CROUPIER if sender.address == house.address else Party.PLAYER
        said = call_as_json(call)
        explain(BankCalled(who, str(said["call"]), said.get("seed_id"), mined.gas))

    bank.watch = watch
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fairground-croupier-"))
    store = await open_store(f"sqlite:///{Path(folder) / 'croupier.db'}")
    stack.push_async_callback(store.close)
    habits = Habits(one_by_one=one_by_one)
    croupier = Croupier(bank, house, store, bankroll=BANKROLL, habits=habits)
    await croupier.prepare()
    await stack.enter_async_context(croupier)
    return Parties(bank, croupier, Notebook())


async def lasting(stack: AsyncExitStack, folder: Path, key: Key | None) -> tuple[Parties, Key]:
    """All three in this process, with a Bank that is a ledger in a folder of the user's.

    Chips and open games outlast the program. The Player's key is in the folder, too, unless
    another one is given; all of it is play money.
    """
    from fairground.bank.croupier.croupier import Croupier
    from fairground.bank.croupier.journal import kept_key
    from fairground.bank.ledger.bank import LedgerBank
    from fairground.store import open_store

    folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    key = key or own_key(folder / "player.key")
    notebook = FileNotebook(folder / key.address)
    stack.callback(notebook.close)
    store = await open_store(f"sqlite:///{folder / 'bank.db'}")
    stack.push_async_callback(store.close)
    bank = await LedgerBank.open(store)
    bank.in_process = True  # whoever runs this program could know both sides
    stack.push_async_callback(bank.close)
    house = await kept_key(store)
    account = await bank.account(house.address)
    missing = BANKROLL - account.available - await bank.purse(house.address)
    if missing > 0 and not account.open_games:
        with contextlib.suppress(BankRefused):  # the faucet has an end, for him too
            await bank.issue(house.address, missing)
    croupier = Croupier(bank, house, store, bankroll=BANKROLL)
    await croupier.prepare()
    await stack.enter_async_context(croupier)
    owner = key.address

    async def faucet(amount: int) -> None:
        await bank.issue(owner, amount)

    return Parties(bank, croupier, notebook, faucet), key


def own_key(path: Path) -> Key:
    """A key for play money, in a file that nobody else may read; made if it is not there."""
    if path.exists():
        return Key(int.from_bytes(path.read_bytes(), "big"))
    key = Key.fresh()
    made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
    with os.fdopen(made, "wb") as file:
        file.write(key.export())
    return key


async def far_away(
    stack: AsyncExitStack, croupier: str, node: str | None, key: Key, notes: Path | None
) -> Parties:
    """The Croupier at this address; the Bank behind one's own node, or in his ledger."""
    from fairground.bank.croupier.client import DeskClient

    desk = DeskClient(croupier)
    notebook = Notebook() if notes is None else FileNotebook(notes)
    stack.callback(notebook.close)
    if node is not None:
        chain = await _on_the_chain(node, desk, notebook)
        stack.push_async_callback(chain.close)
        return Parties(chain, desk, notebook)
    domain = (await desk.about()).domain
    from fairground.bank.ledger.client import LedgerClient
    from fairground.bank.ledger.lines import NO_CHAIN

    if domain.chain_id != NO_CHAIN:
        raise InputError(
            f"this Croupier plays on chain {domain.chain_id}, at the Bank {domain.bank}: name your "
            "own node of that chain with --bank URL, and --key FILE"
        )
    ledger = await LedgerClient.open(croupier)
    stack.push_async_callback(ledger.close)

    async def faucet(amount: int) -> None:
        await ledger.faucet(key.address, amount)

    return Parties(ledger, desk, notebook, faucet)


async def _on_the_chain(node: str, desk: CroupierDesk, notebook: Notebook) -> Bank:
    """The Bank where a game is still open; else the one where the Croupier plays.

    So who was let down in the middle of a game can go on, whether he is there or not.
    """
    from fairground.bank.chain.bank import ChainBank

    for note in notebook.notes():
        if note.signed is not None:
            domain = note.signed[0]
            with contextlib.suppress(WrongBank):  # a test chain that is no more
                return await ChainBank.open(node, domain.bank, chain_id=domain.chain_id)
    domain = (await desk.about()).domain
    return await ChainBank.open(node, domain.bank, chain_id=domain.chain_id)
