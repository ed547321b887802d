"""The shelf: books that are at hand, and how a line is written into one of them.

A book (`fairground.contest.book`) is a log of its own beside the logs of its games. What
changes both is one commit. A book is one chain, so its lines have one order; yet nobody
waits for another's disk: a line is added in memory and its commit queued at once, and the
store writes what is queued in that order, many at a time. If one of them fails, the book
in memory is thrown away with all that stood behind it, and whoever wrote there reads it
again and decides again. Nothing is told before it is durable.

Where other processes write to the same store, a line waits until the one before it is there.
Otherwise this could happen: another process writes in its place, and the next of ours, which has
the right number and names the wrong line, is taken.

A contest closes by itself: whoever looks at it after its time finds it closed, for that
look closes it.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from fairground.arena.contests.live_book import CLIENT_OF, INVITED, KEY_OF, KIND, TEAM, LiveBook
from fairground.arena.http.problems import Unknown
from fairground.arena.keyed import unkeyed
from fairground.store import MISSED, Append, Conflict, Secret, Store
from fairground.transcript import check_chain

CAPACITY: Final = 100
"""Books in memory."""

TRIES: Final = 50
"""How often a line is decided again because other workers wrote first."""

T = TypeVar("T")

Line = tuple[str, dict[str, Any]]
"""The kind and fields of a line that is to be written."""


class _Behind(Conflict):
    """The line before this one was not written, so this one names a line that is not there."""


class Shelf:
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
        """A contest. If its time is over, this closes it."""
        live = await self._load(name)
        if not live.book.closed and self.clock() >= live.book.closes:
            with unkeyed():
                live = await self._close(name, "time")
        return live

    async def look(self, name: str, view: Callable[[LiveBook], T]) -> T:
        """What ``view`` makes of a contest, told only when all of it is durable."""
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
            live.keys = {
                one.removeprefix(TEAM): key for one, key in secrets.items() if one.startswith(TEAM)
            }
            for event in check_chain(stored.lines):
                live.add(event["kind"], {k: event[k] for k in event.keys() - {"kind", "prev"}})
            for entry in live.book.present:
                if key := secrets.get(f"{KEY_OF}{entry.number}"):
                    live.keys[entry.team] = key
            live.entered_by.update(
                client for one, client in secrets.items() if one.startswith(CLIENT_OF)
            )
            live = self._books.get(name, live)
        self._keep(live)
        return live

    async def read_again(self, live: LiveBook) -> LiveBook:
        """A contest as the store has it: another process may have written to it since."""
        self._forget(live)
        return await self.find(live.name)

    def _keep(self, live: LiveBook) -> None:
        """Keep a book at hand, and let those go that were not used for longest."""
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
        """The time for the next line: the house's clock, which never goes back in a book."""
        return max(live.book.last, int(self.clock()))

    async def _close(self, name: str, by: str) -> LiveBook:
        def decide(live: LiveBook) -> Line | None:
            if live.book.closed:
                return None
            reason = "time" if self.now(live) >= live.book.closes else by
            at = max(self.now(live), live.book.closes) if reason == "time" else self.now(live)
            return "closed", {"seed": live.seed.hex(), "by": reason, "at": at}

        return await self._record(name, self._load, decide)
