"""The Bank and the Croupier of an arena: opened with it, and closed with it.

By default the Bank is a ledger in the arena's own store, with play money, and the key of
its Croupier lies in the store's vault. Or the Croupier plays at a Bank on a test chain,
with a key of the operator's.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
from litestar import Litestar

from fairground.bank.bank_port import Bank
from fairground.bank.croupier.croupier import Croupier, must_decrypt
from fairground.bank.croupier.journal import kept_key
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.ledger.lines import FAUCET_CHIPS
from fairground.bank.messages import Key
from fairground.bank.session import Tower
from fairground.core import InputError
from fairground.server.state import steady, the_arena
from fairground.store import Store

CONFIRMATIONS: Final = 6
"""Blocks that he waits on a chain, if nothing else is said."""

MOST_CONFIRMATIONS: Final = 1_000


class CroupierPlace(msgspec.Struct, frozen=True):
    """The place of an arena's Croupier: the arena's ledger, or a Bank on a chain."""

    node: str | None = None
    """The URL of a node of the chain; may hold a password, so it is not told to anybody."""
    bank: str = ""
    """The address of the Bank there."""
    confirmations: int = 0
    bankroll: int = 0
    """Minimum balance in chips at a Bank on a chain. The Croupier tops it up at the start."""
    tower: str = ""
    """The folder where he leaves what a watchtower needs of his sessions."""

    def check(self) -> None:
        if not 0 <= self.confirmations <= MOST_CONFIRMATIONS or self.bankroll < 0:
            raise InputError(
                f"confirmations are 0 to {MOST_CONFIRMATIONS}, and a bankroll is not negative: not "
                f"{self.confirmations} and {self.bankroll}"
            )


async def open_chain(place: CroupierPlace) -> Bank:
    """Open the Bank on the chain, and compare its code with ours."""
    from fairground.bank.chain.bank import ChainBank  # noqa: PLC0415 - an extra

    assert place.node is not None
    return await ChainBank.open(place.node, place.bank)


async def try_out(place: CroupierPlace, keys: Sequence[Key], store: Store) -> None:
    """Raise what is wrong with the Bank on the chain, or with his seeds, before the arena opens."""
    bank = await open_chain(place)
    try:
        await must_decrypt(store, bank.domain, keys[0])
    finally:
        await bank.close()


class ArenaCroupier:
    """The Croupier of an arena; on a chain he needs a key of the operator's."""

    def __init__(
        self,
        place: CroupierPlace,
        keys: Sequence[Key] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``keys``: on a chain, that of his account; then those that he signs with in its place,
        the newest first.
        """
        self._place, self._keys, self._clock = place, keys, steady(clock)

    @asynccontextmanager
    async def open_in(self, app: Litestar) -> AsyncIterator[None]:
        """Run the Croupier while the arena is open. The store must be open already."""
        arena = the_arena(app.state)
        store = arena.hall.store
        place = self._place
        signing = self._keys[1:]
        bank: Bank
        if place.node is not None:
            key = self._keys[0]
            bank = await open_chain(place)
            bankroll = place.bankroll * bank.terms.chip_cost
        else:
            bank = arena.bank = await LedgerBank.open(store, clock=self._clock)
            key = await kept_key(store)
            # A million chips are enough for 25 of the dearest bets at once.
            wanted = FAUCET_CHIPS * arena.bank.terms.chip_cost
            bankroll = await arena.bank.endow(key.address, wanted)
        try:
            async with Croupier(
                bank,
                key,
                store,
                confirmations=place.confirmations,
                bankroll=bankroll,
                signing=signing,
                tower=Tower(Path(place.tower)) if place.tower else None,
            ) as croupier:
                arena.croupier = croupier
                yield
        finally:
            await bank.close()
