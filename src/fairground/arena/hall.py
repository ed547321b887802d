"""The hall: every live game of an arena, brought back from the store whenever needed.

A game's log holds its transcript; the vault beside it holds its secrets and a small
private record (`Private`). A game in use is kept in memory with a lock of its own;
what has not been used for a while is let go, and comes back by running its transcript
again. So memory does not grow with the number of open games, and a crash loses nothing.

The order of things, always: act in memory, commit lines and secrets together, then
answer. If the commit fails the game in memory is thrown away: the log is the truth.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from fairground.arena.problems import Unknown
from fairground.core import Game, Seat
from fairground.fair.bits import HashStream, Tag, digest, fresh, token
from fairground.fair.dealers import DEALERS
from fairground.fair.schemes import Chair, Dealer
from fairground.players import make_player
from fairground.players.drive import Hosted
from fairground.replay import resume
from fairground.store import Append, LogVault, Store, Stored
from fairground.table import Table
from fairground.transcript import check_chain

CAPACITY: Final = 5_000
"""How many games are kept in memory."""

PRIVATE: Final = "private"


class Private(msgspec.Struct, omit_defaults=True):
    """What the arena must remember of a game and must not tell: kept in the vault."""

    made: float
    """When it was opened, by the house's clock."""
    players: dict[str, str] = {}
    """Seat → the built-in player that plays it."""
    tokens: dict[str, str] = {}
    """Seat → digest of its secret token."""
    entry: str = ""
    """For a game of a contest: which entry it belongs to."""
    number: int = 0
    """For a game of a contest: which of its games it is."""


class Live:
    """A game in memory."""

    def __init__(
        self, log: str, table: Table, vault: LogVault, private: Private, dealer: Dealer
    ) -> None:
        self.log = log
        self.table = table
        self.dealer = dealer
        self.vault = vault
        self.private = private
        self.lock = asyncio.Lock()
        self.stored = 0
        """How many lines of the transcript the store has."""
        seed = vault.keep("players", fresh(), "")
        players = {
            int(seat): make_player(
                spec, table.game, HashStream(digest(Tag.PLAYER, seed, int(seat)))
            )
            for seat, spec in private.players.items()
        }
        self.hosted = Hosted(table, players, vault)

    @property
    def ended(self) -> float | None:
        """When the game ended, by the house's clock."""
        kept = self.vault.secrets.get("ended")
        return None if kept is None else float(kept[0])

    def news(self) -> Append:
        """What the store does not have yet."""
        table = self.table
        if table.closed and self.ended is None:
            self.vault.keep("ended", repr(time.time()).encode(), "")
        secrets, spent = self.vault.news()
        lines = tuple(table.transcript.lines[self.stored :])
        return Append(self.log, self.stored, lines, "", table.closed, secrets, spent)


class Hall:
    """All games of one arena."""

    def __init__(self, store: Store, capacity: int = CAPACITY) -> None:
        self.store = store
        self._capacity = capacity
        self._live: OrderedDict[str, Live] = OrderedDict()

    async def open(
        self,
        kind: str,
        game: Game[Any],
        dealer: type[Dealer],
        chairs: Sequence[Chair],
        players: Mapping[Seat, str],
        *,
        name: str | None = None,
        note: Mapping[str, Any] | None = None,
        private: Private | None = None,
        options: Mapping[str, Any] | None = None,
        player_seed: bytes | None = None,
    ) -> Live:
        """Open a new game: played on as far as our own players can, and not yet stored.

        ``player_seed``: what our own players draw from, where it must not be fresh (in a
        contest all meet the same adversary).
        """
        vault = LogVault()
        if player_seed is not None:
            vault.keep("players", player_seed, "")
        table_name = fresh()
        private = private or Private(time.time())
        private.players = {str(seat): spec for seat, spec in players.items()}
        vault.keep(PRIVATE, msgspec.json.encode(private), "")
        maker: Any = dealer
        made: Dealer = maker(table_name, vault, **(options or {}))
        table = Table.open(game, made, chairs, table=table_name)
        if note is not None:
            table.note(note)
        return Live(name or token(), table, vault, private, made)

    async def keep(self, *fresh_games: Live, kind: str) -> None:
        """Store new games, all or none, and take them into the hall."""
        await self.store.commit(*(live.news()._replace(kind=kind) for live in fresh_games))
        for live in fresh_games:
            live.stored = live.table.transcript.step
            self._remember(live)

    def _remember(self, live: Live) -> None:
        self._live[live.log] = live
        self._live.move_to_end(live.log)
        while len(self._live) > self._capacity:
            name, oldest = next(iter(self._live.items()))
            if oldest.lock.locked():
                self._live.move_to_end(name)
                return
            del self._live[name]

    @asynccontextmanager
    async def using(self, log: str, kind: str) -> AsyncIterator[Live]:
        """A game to act on, alone. Whatever goes wrong, the store's word counts afterwards."""
        live = await self.find(log, kind)
        async with live.lock:
            if self._live.get(log) is not live:
                live = await self.find(log, kind)
            try:
                yield live
            finally:
                if live.stored != live.table.transcript.step:
                    self._live.pop(log, None)

    async def save(self, live: Live, *more: Append) -> None:
        """Make what happened durable, together with ``more``; then it may be told."""
        await self.store.commit(live.news(), *more)
        live.stored = live.table.transcript.step

    async def find(self, log: str, kind: str) -> Live:
        """A game to look at: from memory, or from the store."""
        live = self._live.get(log)
        if live is not None:
            self._live.move_to_end(log)
            return live
        stored = await self.store.read(log)
        if stored is None or stored.kind != kind:
            raise Unknown(f"there is no {kind} {log!r}")
        live = self._resumed(stored)
        if live.stored != live.table.transcript.step:
            await self.save(live)
        self._remember(live)
        return live

    @staticmethod
    def _resumed(stored: Stored) -> Live:
        vault = LogVault(stored)
        start = check_chain(stored.lines[:1])[0]
        dealer = DEALERS[start["dealer"]].again(
            bytes.fromhex(start["table"]), vault, start["public"]
        )
        table = resume(stored.data, dealer)
        private = msgspec.json.decode(vault.recall(PRIVATE), type=Private)
        live = Live(stored.log, table, vault, private, dealer)
        live.stored = len(stored.lines)
        return live
