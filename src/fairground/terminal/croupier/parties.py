"""The parties of an evening with the Croupier, and where each of them runs.

With no address all three are in this process: a Bank that is a ledger of play money, a
Croupier, and a Player with a fresh key. With addresses they are separate
programs: the Croupier in an arena, the Bank on a chain that the Player reaches through
their own node, or in the ledger of the Croupier's arena.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.bank.bank_port import Bank, Call, Terms, WrongBank
from fairground.bank.calls import call_as_json
from fairground.bank.croupier_port import CroupierDesk
from fairground.bank.messages import Key
from fairground.bank.player.game import Party
from fairground.bank.player.notes import Notebook
from fairground.core import InputError
from fairground.terminal.croupier.screen import BankCalled, Faucet
from fairground.terminal.files import PRIVATE_FILE, PRIVATE_FOLDER

if TYPE_CHECKING:
    from fairground.bank.croupier.croupier import Habits
    from fairground.bank.ledger.bank import LedgerBank
    from fairground.store import Store

CHIP: Final = 10**15
BANKROLL: Final = 100_000 * CHIP
"""The Croupier's, in play money: more than twice the highest prize, 40,000 chips."""

STEP_TIME: Final = 3600
TRUSTED: Final = "operator trusted: a ledger of play money in this process"


class Parties(NamedTuple):
    """The Croupier's desk, the Bank, and the Player's notes."""

    bank: Bank
    desk: CroupierDesk
    notebook: Notebook
    faucet: Faucet | None = None
    """On a chain nobody can make money."""


Explain = Callable[[BankCalled], None]


async def open_ledger(stack: AsyncExitStack, folder: Path | None) -> tuple[LedgerBank, Store]:
    """Open the Bank in this folder, and the store that it is in.

    Without a folder both end with this program.
    """
    from fairground.bank.ledger.bank import LedgerBank
    from fairground.store import open_store

    ends = folder is None
    if folder is None:
        made = stack.enter_context(tempfile.TemporaryDirectory(prefix="fairground-croupier-"))
        folder = Path(made)
    store = await open_store(f"sqlite:///{folder / 'bank.db'}")
    stack.push_async_callback(store.close)
    bank = await LedgerBank.open(store, Terms(CHIP, STEP_TIME) if ends else None)
    stack.push_async_callback(bank.close)
    bank.in_process = True  # whoever runs this program could know both sides
    if ends:
        bank.trusted = TRUSTED
    return bank, store


async def at_home(
    stack: AsyncExitStack, folder: Path | None, key: Key | None, explain: Explain, habits: Habits
) -> tuple[Parties, Key]:
    """Open a Bank and a Croupier in this process, with play money.

    Chips and open games outlast the program in a ``folder``. The Player's key is there, too,
    unless another one is given.
    """
    from fairground.bank.croupier.croupier import Croupier
    from fairground.bank.croupier.journal import kept_key

    if folder is None:
        key, notes = key or Key.fresh(), None
    else:
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
        key = key or own_key(folder / "player.key")
        notes = folder / key.address
    notebook = Notebook(notes)
    stack.callback(notebook.close)
    bank, store = await open_ledger(stack, folder)
    house = await kept_key(store)
    await bank.endow(house.address, BANKROLL)

    def watch(sender: Key, call: Call) -> None:
        who = Party.CROUPIER if sender.address == house.address else Party.PLAYER
        said = call_as_json(call)
        explain(BankCalled(who, str(said["call"]), said.get("seed_id")))

    bank.watch = watch
    croupier = Croupier(bank, house, store, bankroll=BANKROLL, habits=habits)
    await croupier.prepare()
    await stack.enter_async_context(croupier)
    return Parties(bank, croupier, notebook, bank.issue), key


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
    stack: AsyncExitStack, croupier: str, node: str | None, notes: Path | None
) -> Parties:
    """The Croupier at this address; the Bank behind one's own node, or in his ledger."""
    from fairground.bank.croupier.client import DeskClient

    desk = DeskClient(croupier)
    notebook = Notebook(notes)
    stack.callback(notebook.close)
    if node is not None:
        chain = await _on_the_chain(node, desk, notebook)
        stack.push_async_callback(chain.close)
        return Parties(chain, desk, notebook)
    domain = (await desk.about()).domain
    from fairground.bank.ledger.bank import LedgerClient
    from fairground.bank.ledger.lines import NO_CHAIN

    if domain.chain_id != NO_CHAIN:
        raise InputError(
            f"this Croupier plays on chain {domain.chain_id}, at the Bank {domain.bank}: name your "
            "own node of that chain with --bank URL, and --key FILE"
        )
    ledger = await LedgerClient.open(croupier)
    stack.push_async_callback(ledger.close)
    return Parties(ledger, desk, notebook, ledger.faucet)


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
