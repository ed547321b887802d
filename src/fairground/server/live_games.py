"""Every live game: cached in memory, and reloaded from the store when needed.

The cache has a budget of bytes. A game reports its size: a long record, or a keeper with a million
codes in mind, takes the room of many games. The least recently used game is evicted first, and an
idle game is evicted even if there is room. Nothing is lost: the store has all of it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import msgspec

from fairground.core import Game, Seat
from fairground.fair.bits import HashStream, Tag, digest, fresh, token
from fairground.fair.register import dealer_class
from fairground.fair.schemes import Chair, Dealer
from fairground.players import Player, make_player
from fairground.players.runner import Runner
from fairground.server.gate import GAMES_IN_MEMORY
from fairground.server.http.problems import GameOver, Unknown
from fairground.server.storage import unkeyed
from fairground.server.workers import Thinkers
from fairground.store import Append, LogVault, Store, StoreAway, Stored
from fairground.table import Ask, Table
from fairground.transcript import check_chain
from fairground.verifier import resume

KEPT: Final = 120
"""Seconds for which an unused game stays in the cache."""


class Cache:
    """A cache of games by name, with a budget of bytes."""

    def __init__(self, room: int, clock: Callable[[], float]) -> None:
        self._room = room
        self._clock = clock
        self._games: OrderedDict[str, Live] = OrderedDict()
        """In order of use, the most recent last."""
        self.size = 0
        """Bytes that all games take."""
        self._soon: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._games)

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def get(self, log: str) -> Live | None:
        return self._games.get(log)

    def use(self, log: str) -> None:
        if log in self._games:
            self._games[log].used = self._clock()
            self._games.move_to_end(log)

    def put(self, game: Live) -> None:
        """Take a game in, in place of another copy of it; let others go."""
        self._drop(game.log)
        game.taken = 0
        self._games[game.log] = game
        self.use(game.log)
        self.grown(game)
        if self._soon is None:
            self._look_again()

    def grown(self, game: Live) -> None:
        """Note that it may take more than before; let others go."""
        if self._games.get(game.log) is game:
            self.size -= game.taken
            game.taken = game.size
            self.size += game.taken
            self._let_go()

    def drop(self, game: Live) -> None:
        if self.get(game.log) is game:
            self._drop(game.log)

    def clear(self) -> None:
        self._games.clear()
        self.size = 0
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _drop(self, log: str) -> None:
        game = self._games.pop(log, None)
        if game is not None:
            self.size -= game.taken

    def _let_go(self) -> None:
        """Evict games, but never one in use, nor the most recently used."""
        before = self._clock() - KEPT
        while len(self._games) > 1:
            log, game = next(iter(self._games.items()))
            if self.size <= self._room and game.used >= before:
                return
            if game.lock.locked():
                self.use(log)
                return
            self._drop(log)

    def _look_again(self) -> None:
        """Look now and then, for nobody may ask any more."""
        self._let_go()
        loop = asyncio.get_running_loop()
        self._soon = loop.call_later(KEPT, self._look_again) if self._games else None


# Snapshots of a table's clocks
#
# A snapshot lies beside the log (`Append.clocks`), and replaces the one before.


class Reading(msgspec.Struct):
    """The clocks of a table at one moment."""

    at: float
    left: dict[int, float]
    """Seat → seconds left in its bank. Seats that the house plays have none."""
    asked: list[int]
    """The seats whose clocks run since then."""


written: Final = msgspec.json.Encoder().encode
_read: Final = msgspec.json.Decoder(Reading).decode


def stored_reading(stored: Stored) -> Reading | None:
    """Return the last reading of a log's clocks, or ``None`` if it has none."""
    return _read(stored.clocks) if stored.clocks else None


# The hall: every live game of an arena
#
# A game's log holds its transcript. The vault beside it holds its secrets and a small private
# record (`Private`). A game in use is cached with a lock of its own. An evicted game comes back by
# replaying its transcript. So memory does not grow with the number of open games, and a crash loses
# nothing.
#
# The order is always the same: act in memory, commit lines and secrets together, then answer. If
# the commit fails, the copy in memory is dropped: the log is the truth.
#
# Several servers may share a store. If another server was faster, the store refuses the commit, and
# we retry on a fresh copy. The store also announces every commit: `Hall.heard` drops older copies.


KEEPERS: Final = 4
"""Maximum number of keepers of codes that compute at the same time, each in a thread."""

REPLAYS: Final = 2
"""Maximum number of long games that are replayed at the same time, each in a thread."""

MARK: Final = 60
"""Seconds. The time of a game's last move is rounded down to a multiple of this, so that the
store's index seldom changes."""

THOUGHT: Final = 1.0
"""Seconds of thinking after which what our players have in mind is stored: after a restart, they
think about so much again, and no more."""

SHORT: Final = 200
"""Lines of a transcript that are run again at once; a longer one in a thread."""

USUAL: Final = 15_000
"""Bytes of memory that a usual game takes; one that takes more counts as several."""

BARE, FOR_A_BYTE, FOR_A_LINK = 8_000, 6, 75
"""Bytes of memory that a game takes: without its record, for each byte of that, and for each link
of the house's hash chain."""

PRIVATE: Final = "private"

RESTORED: Final = "restored"
"""The secret that says: this game was open in a copy that was restored."""

STOPPED: Final = (
    "this arena was restored from a copy, in which this game was open; it was stopped, since its "
    "secrets may have been told since, and it counts for nobody"
)


class Private(msgspec.Struct, omit_defaults=True):
    """The secret state of a game, kept in the vault."""

    made: float
    """When it was opened, by the house's clock."""
    players: dict[str, str] = {}
    """Seat → the built-in player that plays it."""
    tokens: dict[str, str] = {}
    """Seat → digest of its secret token."""
    seconds: float = 0
    """The time bank of each seat; 0: there is no clock."""


class _Players(Mapping[Seat, Player]):
    """The house's players of one game, each made when it is first asked for."""

    def __init__(self, game: Game[Any], specs: Mapping[str, str], seed: bytes) -> None:
        self._game, self._specs, self._seed = game, specs, seed
        self.made: dict[Seat, Player] = {}

    def __getitem__(self, seat: Seat) -> Player:
        if seat not in self.made:
            chance = HashStream(digest(Tag.PLAYER, self._seed, seat))
            self.made[seat] = make_player(self._specs[str(seat)], self._game, chance, seat)
        return self.made[seat]

    def __iter__(self) -> Iterator[Seat]:
        return map(int, self._specs)

    def __contains__(self, seat: object) -> bool:
        return str(seat) in self._specs

    def __len__(self) -> int:
        return len(self._specs)


class Shown(NamedTuple):
    """A table as it stands in the store: what may be told."""

    state: Any
    asks: tuple[Ask, ...]
    step: int
    head: str
    over: bool
    payoff: tuple[int, ...] | None
    void: str | None


class Live:
    """A game in memory."""

    def __init__(
        self,
        log: str,
        table: Table,
        vault: LogVault,
        private: Private,
        dealer: Dealer,
        *,
        kind: str,
        clock: Callable[[], float],
        keepers: Thinkers,
    ) -> None:
        self.log = log
        self.kind = kind
        self.table = table
        self.dealer = dealer
        self.vault = vault
        self.private = private
        self.lock = asyncio.Lock()
        self.used = 0.0
        """When it was last asked for, as the cache measures time."""
        self.taken = 0
        """Bytes that the cache has counted for it."""
        self.stored = 0
        """Number of lines of the transcript that we have stored."""
        self.recorded = 0
        """Bytes of the transcript that are in the store."""
        self.seen = 0
        """When it was last acted on, rounded down to a multiple of `MARK`."""
        self.memory = b""
        """The memory of our players when it was last stored."""
        self.thought = 0.0
        """Seconds that they have thought since."""
        self.reading: Reading | None = None
        """The last stored snapshot of the clocks, if the game has any."""
        self.shown: Shown | None = None
        """Of a table: how it stood when it was last stored."""
        self.keepers = keepers
        self.minds: dict[Seat, bytes] = {}
        """Memory of the players that decide in worker processes."""
        self.slow: set[Seat] = set()
        """Seats whose players took too long to decide in the event loop."""
        self._clock = clock
        self.player_seed = vault.keep("players", fresh(), "")

    @cached_property
    def hosted(self) -> Runner:
        """Return the runner of the house's seats. Some players take seconds to prepare."""
        players = _Players(self.table.game, self.private.players, self.player_seed)
        hosted = Runner(self.table, players, self.vault)
        if self.memory:
            hosted.recall(self.memory)
        return hosted

    def play_on(self) -> None:
        """Let the seats that the house plays answer. It may be called in a thread."""
        began = time.perf_counter()
        self.hosted.play()  # the first time, this prepares the player: that too can take seconds
        self.thought += time.perf_counter() - began

    @property
    def size(self) -> int:
        links: int = self.dealer.public.get("length", 0)
        size = BARE + FOR_A_BYTE * self.recorded + FOR_A_LINK * links + len(self.memory)
        if "hosted" in self.__dict__:
            assert isinstance(self.hosted.players, _Players)
            size += sum(player.size for player in self.hosted.players.made.values())
        return size + sum(map(len, self.minds.values()))

    @property
    def stopped(self) -> bool:
        """True if a restore has stopped the game: it takes no more answers."""
        return RESTORED in self.vault.secrets

    @property
    def ended(self) -> float | None:
        """When the game ended, by the house's clock."""
        kept = self.vault.secrets.get("ended")
        return None if kept is None else float(kept[0])

    def news(self) -> Append:
        """Return the append that brings the store up to date."""
        if self.stopped:
            raise GameOver(STOPPED)
        table = self.table
        if table.closed and self.ended is None:
            self.vault.keep("ended", repr(self._clock()).encode(), "")
        secrets, spent = self.vault.news()
        lines = tuple(table.transcript.lines[self.stored :])
        self.seen = int(self._clock()) // MARK * MARK
        return Append(
            self.log,
            self.stored,
            lines,
            "",
            table.closed,
            secrets,
            spent,
            self.seen,
            self._new_memory(),
            None if self.reading is None else written(self.reading),
        )

    def _new_memory(self) -> bytes | None:
        """Return the memory of our players, once recomputing it would take long."""
        if self.table.closed:
            memory = b""
        elif self.thought > THOUGHT:
            memory = self.hosted.memory()
        else:
            return None
        self.thought = 0
        before, self.memory = self.memory, memory
        return memory if memory or before else None


class Hall:
    """All games of one arena."""

    def __init__(
        self,
        store: Store,
        capacity: int = GAMES_IN_MEMORY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.clock = clock
        self.opening: Callable[[str], None] | None = None
        """Called with the name of a new game before it is stored. It may refuse the game."""
        self.ended: Callable[[str], None] | None = None
        """Called with the name of a game that has ended, or that another server goes on with.
        It may be called more than once for a game."""
        self._keepers = Thinkers(KEEPERS, "keeper")
        self._replays = Thinkers(REPLAYS, "replay")
        self._game = partial(Live, clock=clock, keepers=self._keepers)
        self._live = Cache(capacity * USUAL, clock)
        self._loading: dict[str, asyncio.Task[Live | None]] = {}
        """Games that are being read from the store."""

    def close(self) -> None:
        self._live.clear()

    def open(
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
        private = private or Private(self.clock())
        private.players = {str(seat): spec for seat, spec in players.items()}
        vault.keep(PRIVATE, msgspec.json.encode(private), "")
        maker: Any = dealer
        made: Dealer = maker(table_name, vault, **(options or {}))
        table = Table.open(game, made, chairs)
        if note is not None:
            table.note(note)
        return self._game(name or token(), table, vault, private, made, kind=kind)

    async def keep(self, live: Live, *more: Append) -> None:
        """Store a new game, together with ``more``, all or none; take it into the hall."""
        if self.opening is not None:
            self.opening(live.log)
        try:
            await self.store.commit(live.news()._replace(kind=live.kind), *more)
        except BaseException:
            if self._live.get(live.log) is None:
                self._has_ended(live.log)
            raise
        self.saved(live)
        self._live.put(live)

    @asynccontextmanager
    async def using(self, log: str, kind: str) -> AsyncIterator[Live]:
        """Lock a game to act on it. A game with lines that are not stored is dropped in the end."""
        while True:
            live = await self.find(log, kind)
            async with live.lock:
                if self.has(live):  # else it was dropped while we waited: look again
                    try:
                        yield live
                    finally:
                        if live.stored != live.table.transcript.step:
                            self.forget(live)
                    return

    def has(self, live: Live) -> bool:
        return self._live.get(live.log) is live

    async def save(self, live: Live, *more: Append) -> None:
        """Make what happened durable, together with ``more``; then it may be told."""
        await self.store.commit(live.news(), *more)
        self.saved(live)

    def saved(self, live: Live) -> None:
        """Note that all of a game is in the store."""
        lines = live.table.transcript.lines
        live.recorded += sum(map(len, lines[live.stored :]))
        live.stored = len(lines)
        self._live.grown(live)
        if live.table.payoff is not None:
            self._has_ended(live.log)

    def _has_ended(self, log: str) -> None:
        if self.ended is not None:
            self.ended(log)

    def heard(self, log: str, step: int) -> None:
        """Drop our copy of a game if another server has written more lines than it has.

        The game then counts as ended here: its end may happen there, where we do not see it.
        """
        live = self._live.get(log)
        if live is not None and step > live.table.transcript.step:
            self.forget(live)
            self._has_ended(log)
        self._loading.pop(log, None)

    def doubt(self) -> None:
        """Drop all copies: announcements were missed, and any log may have grown."""
        self._live.clear()
        self._loading.clear()

    def forget(self, live: Live) -> None:
        self._live.drop(live)

    async def find(self, log: str, kind: str) -> Live:
        """Return a game to read: from the cache, or from the store."""
        known = self._live.get(log)
        if known is None:
            known = await self._brought_back(log)
        if known is None or known.kind != kind:
            raise Unknown(f"there is no {kind} {log!r}")
        self._live.use(log)
        return known

    async def _brought_back(self, log: str) -> Live | None:
        """Read a game from the store, once for all who wait for it."""
        loading = self._loading.get(log)
        if loading is None:
            loading = self._loading[log] = asyncio.create_task(self._load(log))
        return await asyncio.shield(loading)

    async def _load(self, log: str) -> Live | None:
        """Keep the copy only if nothing newer was announced while it was read."""
        me = asyncio.current_task()
        try:
            live = await self._read(log)
            if live is not None and self._loading.get(log) is me:
                self._live.put(live)
            return live
        finally:
            if self._loading.get(log) is me:
                del self._loading[log]

    async def _read(self, log: str) -> Live | None:
        stored = await self.store.read(log)
        if stored is None:
            return None
        if len(stored.lines) <= SHORT:
            live = self._resumed(stored)
        else:
            live = await self._replays.think(self._resumed, stored)
        if live.stored != live.table.transcript.step and not live.stopped:
            with unkeyed():
                await self.save(live)
        return live

    def _resumed(self, stored: Stored) -> Live:
        vault = LogVault(stored)
        start = check_chain(stored.lines[:1])[0]
        dealer = dealer_class(start["dealer"]).again(
            bytes.fromhex(start["table"]), vault, start["public"]
        )
        table = resume(stored.data, dealer)
        private = msgspec.json.decode(vault.recall(PRIVATE), type=Private)
        live = self._game(stored.log, table, vault, private, dealer, kind=stored.kind)
        live.stored, live.seen, live.memory = len(stored.lines), stored.seen, stored.memory
        live.recorded = sum(map(len, stored.lines))
        live.reading = stored_reading(stored)
        return live


@asynccontextmanager
async def repeating(look: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Call ``look`` again and again, so many seconds apart, while the body runs."""

    async def look_on() -> None:
        while True:
            try:
                await look()
            except StoreAway:
                pass  # the store has noted the outage
            except Exception:
                logging.getLogger("fairground.server").exception("a sweep through the games failed")
            await asyncio.sleep(seconds)

    looking = asyncio.create_task(look_on())
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
