"""A watchtower: it carries games home for parties that are away, and needs none of their keys.

Anyone may complain at a Bank of version 2, settle a final hand, and bring what is signed. A
watchtower looks at every game of the accounts that it watches (or of all), and makes the one
call that ends a game which stands still: the complaint when a deadline has passed, the result
when a hand is final. What comes of it is fixed by the contract, so nobody has to trust it. It
pays the gas with a key of its own.

It learns a game's bet from the transaction that brought it, which is public. (A bet brought
through another contract cannot be read so; a party can hand it over as a transcript.)

Of sessions it knows what a party left with it (`session.tower`). When somebody closes a session by
an old state it brings the newer one, and then the open hand, as far as it was told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Final

from fairground.bank.bank_port import (
    NO_GAME,
    SILENT_AT,
    BankGame,
    BankRefused,
    Call,
    Complain,
    GameOutcome,
    Step,
    SubmitGameResult,
)
from fairground.bank.chain.bank import ChainBank
from fairground.bank.clock import BankClock
from fairground.bank.messages import Bet, Key
from fairground.bank.session.duties import Held, duty, informed
from fairground.bank.session.settling import is_over
from fairground.bank.session.tower import Tower
from fairground.core import InputError

log = logging.getLogger("fairground.watchtower")

REACH: Final = 50_000
"""Blocks that it looks back when it starts, unless told otherwise."""


class Watchtower:
    """Watches one Bank. `look` goes round once."""

    def __init__(
        self,
        bank: ChainBank,
        key: Key,
        accounts: Iterable[str] = (),
        reach: int = REACH,
        tower: Tower | None = None,
    ) -> None:
        """``accounts``: whose games; none means everybody's. ``tower``: what was left with it."""
        if bank.version == 1:
            raise InputError(
                f"the Bank {bank.address} is of version 1, where only the two parties may "
                "complain: nobody can watch for them"
            )
        self._bank, self._key = bank, key
        self._accounts = set(accounts)
        self._reach = reach
        self._read_to: int | None = None
        self._open: dict[bytes, Bet] = {}
        self._tower, self._clock = tower, BankClock(bank)

    async def look(self) -> list[Call]:
        """Read what is new, end what stands still; the calls that were made."""
        await self._read()
        made: list[Call] = []
        if self._tower is not None:
            for held in self._tower.left(self._bank.domain):
                made += await self._see_to(held)
        now = await self._clock()
        for key, bet in list(self._open.items()):
            game = await self._bank.game(key)
            if game.outcome != GameOutcome.OPEN:
                del self._open[key]
                continue
            call = ending(bet, game, now)
            if call is not None and await self._make(call):
                made.append(call)
        return made

    async def _see_to(self, held: Held) -> list[Call]:
        """Bring what was left of a session, as far as it goes now."""
        bank, made = self._bank, list[Call]()
        while True:
            session = await bank.session(held.terms.croupier, held.terms.player)
            game = NO_GAME if held.hand is None else await bank.game(held.hand.bet.key)
            if held.hand is not None and game.step:
                held = informed(held, await bank.told(held.hand.bet.key))
            now, step_time = await self._clock(), bank.terms.step_time
            call = (
                None if is_over(held, session, game) else duty(held, session, game, now, step_time)
            )
            if call is None or call in made or not await self._make(call):
                return made
            made.append(call)

    async def _read(self) -> None:
        node, last = self._bank.node, await asyncio.to_thread(self._bank.node.block)
        first = max(0, last - self._reach) if self._read_to is None else self._read_to + 1
        if first > last:
            return
        for bet in await asyncio.to_thread(node.bets, self._bank.address, first, last):
            if not self._accounts or self._accounts & {bet.croupier, bet.player}:
                self._open[bet.key] = bet
        self._read_to = last

    async def _make(self, call: Call) -> bool:
        try:
            await self._bank.send(self._key, call)
        except BankRefused as refused:
            if refused.name == "TooEarly":
                self._clock.start_again()
            log.info("somebody was faster, or the time has not come: %s", refused)
            return False
        log.warning("made a call for a party that is away: %s", type(call).__name__)
        return True


def ending(bet: Bet, game: BankGame, now: int) -> Call | None:
    """The call that ends a game which stands still; ``None``: it is somebody's turn."""
    if game.step == Step.HAND_FINAL:
        return SubmitGameResult(bet)
    if game.step in SILENT_AT and now > game.deadline:
        return Complain(SILENT_AT[Step(game.step)], bet)
    return None
