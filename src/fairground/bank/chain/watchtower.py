"""A watchtower: it carries games home for parties that are away, and needs none of their keys.

Anyone may complain at the Bank, settle a final hand, and bring signed messages. A watchtower looks
at every game of the accounts that it watches (or of all). It makes the one call that ends a stalled
game: the complaint after a deadline, the result of a final hand. The contract fixes the outcome, so
nobody has to trust the watchtower. It pays the gas with a key of its own.

It learns a game's bet from the transaction that brought it, which is public. (A bet brought through
another contract cannot be read so; a party can hand it over as a transcript.)

A party can leave files of its sessions with it (`bank.session`). When somebody closes a session by
an old state, the watchtower brings the newer one, and then the open hand.

Trouble with one file or one game is logged, and does not affect the others. The command `bank
watch` repeats this until it is stopped, also while its node is away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from typing import Final

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    BankClock,
    BankGame,
    Call,
    Complain,
    GameOutcome,
    Step,
    SubmitGameResult,
)
from fairground.bank.chain.bank import ChainBank
from fairground.bank.duties import Decide, bring, look, overdue
from fairground.bank.hand import Held
from fairground.bank.messages import Bet, Key
from fairground.bank.session import Tower
from fairground.core import FairgroundError, InputError

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
        self._bank, self._key = bank, key
        self._accounts = set(accounts)
        self._reach = reach
        self._read_to: int | None = None
        self._open: dict[bytes, Bet] = {}
        self._tower, self._clock = tower, BankClock(bank)
        self.trouble: dict[str, str] = {}
        """The current trouble with each file or game, and its reason."""
        self.sessions = 0
        """Files of sessions that were read at the last look."""

    async def look(self) -> list[Call]:
        """Read what is new, end what stands still; return the calls that were made.

        Raise `BankAway` where nothing could be looked at.
        """
        now = await self._clock()
        before, self.trouble, self.sessions = self.trouble, {}, 0
        made: list[Call] = []
        left = () if self._tower is None else self._tower.left(self._bank.domain)
        for name, held in left:
            if isinstance(held, InputError):
                self.trouble[name] = str(held)
                continue
            self.sessions += 1
            await self._try(name, self._see_to(held, made))
        await self._try("the games", self._read())
        for bet in list(self._open.values()):
            await self._try(f"game {bet.game_id} of {bet.player}", self._end(bet, now, made))
        for what, why in self.trouble.items():
            if before.get(what) != why:
                log.warning("%s does not go on, and is tried again: %s", what, why)
        return made

    async def _try(self, what: str, work: Awaitable[None]) -> None:
        try:
            await work
        except FairgroundError as error:
            self.trouble[what] = str(error)
        except Exception as error:  # whatever it is, the others must be watched
            log.exception("a mistake of ours, at %s", what)
            self.trouble[what] = repr(error)

    async def _end(self, bet: Bet, now: int, made: list[Call]) -> None:
        game = await self._bank.game(bet.key)
        if game.outcome != GameOutcome.OPEN:
            del self._open[bet.key]
            return
        call = ending(bet, game, now)
        if isinstance(call, Complain) and self._guards_the_silent(call):
            return
        if call is not None and await self._make(call):
            made.append(call)

    def _guards_the_silent(self, complaint: Complain) -> bool:
        """Return whether the complaint is about an account that it watches for, and no other."""
        silent, other = complaint.bet.player, complaint.bet.croupier
        if complaint.silence in CROUPIER_OWES:
            silent, other = other, silent
        return silent in self._accounts and other not in self._accounts

    async def _see_to(self, held: Held, made: list[Call]) -> None:
        """Bring what was left of a session, as far as it goes now."""
        while True:
            *_, call = await look(self._bank, held, self._clock)
            if call is None or isinstance(call, Decide) or call in made:
                return
            if not await self._make(call):
                return
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
        made = await bring(self._bank, self._key, call, self._clock)
        if made:
            log.warning("made a call for a party that is away: %s", type(call).__name__)
        return made


def ending(bet: Bet, game: BankGame, now: int) -> Call | None:
    """The call that ends a game which stands still; ``None``: it is somebody's turn."""
    return SubmitGameResult(bet) if game.step == Step.HAND_FINAL else overdue(bet, game, now)
