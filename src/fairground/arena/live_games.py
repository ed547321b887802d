"""The hall: every live game of an arena, brought back from the store whenever needed.

A game's log holds its transcript; the vault beside it holds its secrets and a small
private record (`Private`). A game in use is kept in memory with a lock of its own;
what has not been used for a while is let go (`at_hand`), and comes back by running its transcript
again. So memory does not grow with the number of open games, and a crash loses nothing.

The order of things, always: act in memory, commit lines and secrets together, then
answer. If the commit fails the game in memory is thrown away: the log is the truth.

Several workers may share a store. Whoever hears that a log has grown tells the hall
(`Hall.heard`), which then does not use what it has in memory of it any more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import msgspec

from fairground.arena.at_hand import AtHand
from fairground.arena.http.problems import GameOver, Unknown
from fairground.arena.keyed import unkeyed
from fairground.arena.limits.gate import GAMES_IN_MEMORY
from fairground.arena.readings import Reading, stored_reading, written
from fairground.arena.slow_players import Thinkers
from fairground.core import Game, Seat
from fairground.fair.bits import HashStream, Tag, digest, fresh, token
from fairground.fair.register import dealer_class
from fairground.fair.schemes import Chair, Dealer
from fairground.players import listing_of, make_player
from fairground.players.hosted import Hosted
from fairground.replay import resume
from fairground.store import LONGEST_LOG, Append, LogVault, Store, Stored
from fairground.table import Ask, Table
from fairground.transcript import check_chain

KEEPERS: Final = 4
"""How many keepers of codes may think at the same time, each in a thread."""

REPLAYS: Final = 2
"""How many long games may be brought back at the same time, each in a thread."""

MARK: Final = 60
"""Seconds. The time of a game's last move is rounded down to a multiple of this, so that the
store's index seldom changes."""

THOUGHT: Final = 1.0
"""Seconds of thinking after which what our players have in mind is stored: after a restart, they
think about so much again, and no more."""

QUICK: Final = 0.001
"""Seconds. Players of whom no thought took longer need no thread."""

FADES: Final = 0.9
"""With each thought, the longest one before counts only so much: on a busy machine any may take
long for once."""

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
    seconds: float = 0
    """The time bank of each seat; 0: there is no clock."""


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
        self.stored = 0
        """How many lines of the transcript are in the store, as far as we have written them."""
        self.heard = 0
        """How many lines the store has, as we were told; another worker may have written them."""
        self.recorded = 0
        """Bytes of the transcript that are in the store."""
        self.seen = 0
        """When it was last acted on, rounded down to a multiple of `MARK`."""
        self.memory = b""
        """What our players had in mind when it was last stored."""
        self.thought = 0.0
        """Seconds that they have thought since."""
        self.reading: Reading | None = None
        """How its clocks stood when the house last wrote them down, if it has any."""
        self.shown: Shown | None = None
        """Of a table: how it stood when it was last stored."""
        self.keepers = keepers
        self._longest: float | None = None
        """Seconds of CPU time of our players' longest thought here, as far as it counts by now;
        ``None``: they had none."""
        self._clock = clock
        self._seed = vault.keep("players", fresh(), "")

    @cached_property
    def hosted(self) -> Hosted:
        """The seats that the house plays. Some players take seconds to prepare themselves."""
        game = self.table.game
        players = {
            int(seat): make_player(
                spec, game, HashStream(digest(Tag.PLAYER, self._seed, int(seat))), int(seat)
            )
            for seat, spec in self.private.players.items()
        }
        hosted = Hosted(self.table, players, self.vault)
        if self.memory:
            hosted.recall(self.memory)
        return hosted

    def play_on(self) -> None:
        """Let the seats that the house plays answer. It may be called in a thread."""
        began = time.perf_counter()
        self.hosted.play()  # the first time, this prepares the player: that too can take seconds
        self.thought += time.perf_counter() - began

    def think(self) -> None:
        """The same at a table, where our players may be of any kind."""
        hosted = self.hosted
        began = time.thread_time()
        hosted.play()
        self._longest = max(FADES * (self._longest or 0.0), time.thread_time() - began)

    @cached_property
    def _simple(self) -> bool:
        """Whether no player of ours is of a kind whose next thought may take much longer."""
        game = self.table.game
        kinds = (listing_of(spec, game) for spec in self.private.players.values())
        return not any(kind.slow or kind.extra for kind in kinds)

    @property
    def quick(self) -> bool:
        """Whether our players answer so fast that a thread would cost more than it saves."""
        return self._longest is not None and self._longest < QUICK and self._simple

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        links: int = self.dealer.public.get("length", 0)
        size = BARE + FOR_A_BYTE * self.recorded + FOR_A_LINK * links + len(self.memory)
        if "hosted" in self.__dict__:
            size += sum(player.size for player in self.hosted.players.values())
        return size

    @property
    def stopped(self) -> bool:
        """Whether it takes no more answers, since the arena was restored from a copy."""
        return RESTORED in self.vault.secrets

    @property
    def outdated(self) -> bool:
        """Whether another worker went on with this game."""
        return self.heard > self.stored

    @property
    def ended(self) -> float | None:
        """When the game ended, by the house's clock."""
        kept = self.vault.secrets.get("ended")
        return None if kept is None else float(kept[0])

    def news(self) -> Append:
        """What the store does not have yet."""
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
        """What our players have in mind, once it would take long to think it all again."""
        if self.table.closed:
            memory = b""
        elif self.thought > THOUGHT:
            memory = self.hosted.memory()
        else:
            return None
        self.thought = 0
        before, self.memory = self.memory, memory
        return memory if memory or before else None


class _Use:
    """``async with hall.using(...)``: holds the lock of a game.

    A game with lines that are not in the store is thrown away in the end.
    """

    def __init__(self, hall: Hall, log: str, kind: str) -> None:
        self._hall, self._log, self._kind = hall, log, kind

    async def __aenter__(self) -> Live:
        while True:
            self._live = live = await self._hall.find(self._log, self._kind)
            await live.lock.acquire()
            if self._hall.has(live):
                return live
            live.lock.release()  # let go, or overtaken, while we waited: look again

    async def __aexit__(self, *_: object) -> None:
        live = self._live
        if live.stored != live.table.transcript.step:
            self._hall.forget(live)
        live.lock.release()


@dataclass
class _Loading:
    """A log that is being brought back."""

    heard: list[int]
    """The steps that were heard of meanwhile."""
    task: asyncio.Task[Live | None] | None = None


class Hall:
    """All games of one arena."""

    def __init__(
        self,
        store: Store,
        capacity: int = GAMES_IN_MEMORY,
        clock: Callable[[], float] = time.time,
        new_name: Callable[[], str] = token,
    ) -> None:
        self.store = store
        self.clock = clock
        self.new_name = new_name
        """Makes names for what is kept in this process."""
        self.opening: Callable[[Sequence[str]], None] | None = None
        """Called with the names of new games before they are stored. It may refuse them."""
        self.ended: Callable[[str], None] | None = None
        """Called with the name of a game that has ended, or that another worker goes on with.
        It may be called more than once for a game."""
        self._keepers = Thinkers(KEEPERS, "keeper")
        self._replays = Thinkers(REPLAYS, "replay")
        self._game = partial(Live, clock=clock, keepers=self._keepers)
        self._live: AtHand[Live] = AtHand(capacity * USUAL, clock)
        self._keeping: set[str] = set()
        """New games on their way into the store."""
        self._loading: dict[str, _Loading] = {}

    def close(self) -> None:
        """End the threads, and let all games go."""
        self._live.clear()
        self._keepers.close()
        self._replays.close()

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
        return self._game(name or self.new_name(), table, vault, private, made, kind=kind)

    async def keep(self, *fresh_games: Live, kind: str, more: Sequence[Append] = ()) -> None:
        """Store new games, together with ``more``, all or none; take them into the hall."""
        names = {live.log for live in fresh_games}
        if self.opening is not None:
            self.opening(sorted(names))
        self._keeping |= names
        try:
            made = (live.news()._replace(kind=kind) for live in fresh_games)
            await self.store.commit(*made, *more)
        except BaseException:
            for name in names:
                if self._live.get(name) is None:
                    self._has_ended(name)
            raise
        finally:
            self._keeping -= names
        for live in fresh_games:
            self.saved(live)
            self._live.put(live)

    def using(self, log: str, kind: str) -> _Use:
        """A game to act on, alone. If anything goes wrong, it is read from the store again."""
        return _Use(self, log, kind)

    def has(self, live: Live) -> bool:
        """Whether this is still the copy that everyone finds, and no other worker has gone on."""
        return self._live.get(live.log) is live and not live.outdated

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
        """Take note that a log has grown: what we have of it in memory may be outdated.

        If another worker wrote to it, the game counts as ended here: its end may happen
        there, and we would not hear of it.
        """
        live = self._live.get(log)
        ours = log in self._keeping if live is None else step <= live.table.transcript.step
        if not ours:
            self._has_ended(log)
        if live is not None:
            live.heard = max(live.heard, step)
        if log in self._loading:
            self._loading[log].heard.append(step)

    def doubt(self) -> None:
        """Take note that any log may have grown: everything in memory is read again before use."""
        for log in (*self._live, *self._loading):
            self.heard(log, LONGEST_LOG)

    def forget(self, live: Live) -> None:
        """Let a game go: something went wrong in the middle of it."""
        self._live.drop(live)

    async def find(self, log: str, kind: str) -> Live:
        """A game to look at: from memory, or from the store."""
        known = self._live.get(log)
        if known is None or (known.outdated and not known.lock.locked()):
            known = await self._brought_back(log)
        if known is None or known.kind != kind:
            raise Unknown(f"there is no {kind} {log!r}")
        self._live.use(log)
        return known

    async def _brought_back(self, log: str) -> Live | None:
        """A game from the store: brought back once, however many wait for it."""
        loading = self._loading.get(log)
        if loading is None:
            loading = self._loading[log] = _Loading([])
            loading.task = asyncio.create_task(self._load(log, loading.heard))
        assert loading.task is not None
        return await asyncio.shield(loading.task)

    async def _load(self, log: str, heard: list[int]) -> Live | None:
        """What was heard meanwhile may make it outdated at once. So nobody may come upon it here
        once it is there: who finds it outdated would be given the same again, without end.
        """
        try:
            return await self._read(log, heard)
        finally:
            del self._loading[log]

    async def _read(self, log: str, heard: list[int]) -> Live | None:
        stored = await self.store.read(log)
        if stored is None:
            return None
        if len(stored.lines) <= SHORT:
            live = self._resumed(stored)
        else:
            live = await self._replays.think(self._resumed, stored)
        live.heard = max(heard, default=0)
        if live.stored != live.table.transcript.step and not live.stopped:
            with unkeyed():
                await self.save(live)
        self._live.put(live)
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
