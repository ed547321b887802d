"""A contest in memory: its book, its secrets, and what was made of them."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from fairground.contest.book import Book, Entry
from fairground.contest.seed import order
from fairground.contest.standings import snapshot, standing
from fairground.server.contests.names import looks
from fairground.server.http.problems import GameOver, Unknown
from fairground.server.storage import unkeyed
from fairground.store import MISSED, Append, Conflict, Secret, Store
from fairground.transcript import Transcript, canonical, check_chain

KIND: Final = "contest"
KEY_OF: Final = "key of entry "
"""Before the number of a team's first entry: the secret with the digest of the team's key."""

CLIENT_OF: Final = "client of entry "
"""Prefix of the secret that holds the digest of the client who made an entry."""

INVITED: Final = "invited"
"""The secret with the digest of a contest's invitation."""

MOST_VIEWS: Final = 10
"""Pages of one book that are kept, for clients who know us by different addresses."""

T = TypeVar("T")


class LiveBook:
    """A contest in memory."""

    def __init__(self, seed: bytes, close_digest: bytes) -> None:
        self.book = Book()
        self.transcript = Transcript()
        self.seed = seed
        self.close_digest = close_digest
        self.invited: bytes | None = None
        """The digest of the key without which nobody can enter, if there is one."""
        self.entered_by: Counter[bytes] = Counter()
        """Digest of a client → how many entries it has made, with those that were removed."""
        self.keys: dict[str, bytes] = {}
        """Team → digest of its key."""
        self._looks: dict[str, str] = {}
        """Skeleton of a team's name (`looks`) → the name."""
        self.writing: asyncio.Future[None] | None = None
        """The last commit that was queued; when it is done, so are those before it."""
        self._orders: dict[int, Sequence[int]] = {}
        self._views: tuple[int, dict[Any, Any]] = 0, {}
        self.table: tuple[str, dict[str, Any]] = ("", {})
        """The standings that were computed last, and the head that they belong to."""

    @property
    def name(self) -> str:
        """The contest's name, and its log's."""
        return self.book.contest

    @property
    def games_kind(self) -> str:
        """The kind of the logs of its games: they are found by it."""
        return f"{KIND}/{self.name}"

    def order(self, entry: Entry) -> Sequence[int]:
        """Return the games in the order of this entry's oracles."""
        if entry.number not in self._orders:
            found = order(self.name, self.seed, entry.number, self.book.games)
            self._orders[entry.number] = array("H", found)  # a thousand entries of 10,000 games
        return self._orders[entry.number]

    def alike(self, team: str) -> str | None:
        """Another team here whose name looks like this one."""
        for known in self.book.versions.keys() - self._looks.values():
            self._looks[looks(known)] = known
        found = self._looks.get(looks(team))
        return found if found != team and found in self.book.versions else None

    def once(self, key: Any, view: Callable[[LiveBook], T]) -> T:
        """Return ``view`` of the book, cached until the next line is written."""
        step, made = self._views
        if step != self.transcript.step:
            self._views = self.transcript.step, (made := {})
        if key not in made:
            if len(made) >= MOST_VIEWS:
                made.clear()
            made[key] = view(self)
        found: T = made[key]
        return found

    def computed(self, book: Book) -> dict[str, Any]:
        """Compute the standings by this copy of the book. It can take seconds: use a thread."""
        return standing(snapshot(book, {one.number: self.order(one) for one in book.present}))

    def add(self, kind: str, fields: dict[str, Any]) -> bytes:
        """Add a line in memory; refuse what breaks the book's rules."""
        line = canonical({"kind": kind, "prev": self.transcript.head, **fields}) + b"\n"
        self.book.apply({"kind": kind, "prev": self.transcript.head, **fields}, line)
        self.transcript.append(kind, **fields)
        return line


def must_be_running(live: LiveBook) -> None:
    """Refuse what comes after the close."""
    if live.book.closed:
        raise GameOver("this contest is closed")


def must_be_present(entry: Entry) -> None:
    """Refuse what comes of an entry that was taken out."""
    if entry.removed is not None:
        raise GameOver(f"the contest's creator has removed {entry.chair!r}: {entry.removed}")


# The cache of books, and how a line is written
#
# A book (`fairground.contest.book`) is a log of its own beside the logs of its games. One commit
# changes both. A book is one chain, so its lines have one order. Yet nobody waits for another's
# disk: a line is added in memory and its commit queued at once, and the store writes the queue in
# that order, many at a time. If a commit fails, the book in memory is dropped with all later lines,
# and their writers load it and decide again. Nothing is sent before it is durable.
#
# With other processes on the same store, a line waits until the one before it is durable. Otherwise
# another process could write in its place, and our next line, with the right number but the wrong
# predecessor, would be accepted.
#
# A contest closes at the first look after its closing time.


CAPACITY: Final = 100
"""Books in memory."""

TRIES: Final = 50
"""Maximum number of retries when other servers write to the book first."""


Line = tuple[str, dict[str, Any]]
"""The kind and fields of a line that is to be written."""


class _Behind(Conflict):
    """The line before this one was not written, so this one names a line that is not there."""


class Books:
    """The books of an arena's contests."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock
        self._books: OrderedDict[str, LiveBook] = OrderedDict()

    def heard(self, log: str, step: int) -> None:
        """Take note that a log has grown, or with `MISSED` that any may have."""
        if (log, step) == MISSED:
            self._books.clear()
            return
        live = self._books.get(log)
        if live is not None and step > live.transcript.step:
            self._forget(live)

    # Finding

    async def find(self, name: str) -> LiveBook:
        """Return a contest, and close it if its time is over."""
        live = await self._load(name)
        if not live.book.closed and self.clock() >= live.book.closes:
            with unkeyed():
                live = await self._close(name, "time")
        return live

    async def look(self, name: str, view: Callable[[LiveBook], T]) -> T:
        """Return ``view`` of a contest, once everything in it is durable."""
        while True:
            live = await self.find(name)
            writing, seen = live.writing, view(live)
            if writing is None:
                return seen
            await asyncio.wait([writing])
            if writing.exception() is None:
                return seen
            self._forget(live)

    async def _load(self, name: str) -> LiveBook:
        live = self._books.get(name)
        if live is None:
            stored = await self.store.read(name)
            if stored is None or stored.kind != KIND:
                raise Unknown(f"there is no contest {name!r}")
            secrets = {one.name: one.secret for one in stored.secrets}
            live = LiveBook(secrets["seed"], secrets["close"])
            live.invited = secrets.get(INVITED)
            for event in check_chain(stored.lines):
                live.add(event["kind"], {k: event[k] for k in event.keys() - {"kind", "prev"}})
            for entry in live.book.entries:
                if key := secrets.get(f"{KEY_OF}{entry.number}"):
                    live.keys[entry.team] = key
            live.entered_by.update(
                client for one, client in secrets.items() if one.startswith(CLIENT_OF)
            )
            live = self._books.get(name, live)
        self._keep(live)
        return live

    async def read_again(self, live: LiveBook) -> LiveBook:
        """Reload a contest from the store: another process may have written to it."""
        self._forget(live)
        return await self.find(live.name)

    def _keep(self, live: LiveBook) -> None:
        """Cache a book, and evict the least recently used ones."""
        self._books[live.name] = live
        self._books.move_to_end(live.name)
        while len(self._books) > CAPACITY:
            self._books.popitem(last=False)

    def _forget(self, live: LiveBook) -> None:
        if self._books.get(live.name) is live:
            del self._books[live.name]

    # Writing

    async def record(
        self, name: str, decide: Callable[[LiveBook], Line | None], *more: Append
    ) -> LiveBook:
        """Write the line that ``decide`` finds right, in one commit with ``more``.

        It is asked again when somebody else wrote first, and may refuse by raising, or find
        that there is nothing to write.
        """
        return await self._record(name, self.find, decide, more)

    async def _record(
        self,
        name: str,
        find: Callable[[str], Any],
        decide: Callable[[LiveBook], Line | None],
        more: Sequence[Append] = (),
        secrets: Sequence[Secret] = (),
    ) -> LiveBook:
        """``secrets`` are stored with the line. ``decide`` may still change the list."""
        for _ in range(TRIES):
            live: LiveBook = await find(name)
            decided = decide(live)
            if decided is None:
                return live
            kind, fields = decided
            step = live.transcript.step
            line = live.add(kind, fields)
            closed, kept = kind == "filed", tuple(secrets)
            append = Append(name, step, (line,), closed=closed, secrets=kept)
            # A task begins in the order in which it is made: so the store queues them too.
            commit = self._commit(live.writing, append, more)
            live.writing = writing = asyncio.ensure_future(commit)
            try:
                await asyncio.shield(writing)
            except _Behind:
                self._forget(live)
                continue
            except Conflict:
                self._forget(live)
                if more and (await self._load(name)).transcript.step == step:
                    raise  # the book is where we thought: it is the other log that moved on
                continue
            except Exception:
                self._forget(live)
                raise
            return live
        raise Conflict(f"too many write to the contest {name} at once; try again")

    async def _commit(
        self, before: asyncio.Future[None] | None, append: Append, more: Sequence[Append]
    ) -> None:
        """Write a line; where others write too, only behind the one that it names."""
        if before is not None and self.store.shared:
            await asyncio.wait([before])
            if before.cancelled() or before.exception() is not None:
                raise _Behind(f"the line before could not be written to {append.log}")
        await self.store.commit(append, *more)

    def now(self, live: LiveBook) -> int:
        """Return the time of the next line: the house's clock, which never goes back in a book."""
        return max(live.book.last, int(self.clock()))

    async def _close(self, name: str, by: str) -> LiveBook:
        def decide(live: LiveBook) -> Line | None:
            if live.book.closed:
                return None
            reason = "time" if self.now(live) >= live.book.closes else by
            at = max(self.now(live), live.book.closes) if reason == "time" else self.now(live)
            return "closed", {"seed": live.seed.hex(), "by": reason, "at": at}

        return await self._record(name, self._load, decide)
