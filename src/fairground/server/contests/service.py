"""Contests: who may make, enter and close them; the list of contests.

One client can have `MOST_OPEN_OF_ONE` open contests. A contest that nobody looks at is only on
disk, and still in everybody's list. A contest closes at the first look after its closing time;
until that time it counts as open.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any, Final, TypeVar

from fairground.contest.book import (
    DRAWN,
    FORMAT,
    LONGEST_NAME,
    LONGEST_REMOVAL,
    RESTORE,
    Book,
    Entry,
    is_name,
)
from fairground.contest.games import Part, check_parts, order
from fairground.contest.standings import standing
from fairground.core import BadParams
from fairground.fair.bits import Tag, digest, fresh, same, token
from fairground.fair.contest import contest_commitment
from fairground.server.contests.names import looks, must_be_visible
from fairground.server.contests.wire import CLOSED, RUNNING, ContestRow, part_of
from fairground.server.gate import CLIENT, Holdings
from fairground.server.http.problems import (
    AlreadyDone,
    BadName,
    Forbidden,
    GameOver,
    TooManyRequests,
    Unknown,
)
from fairground.server.log_watch import News
from fairground.server.storage import DONE, REQUEST_KEY, unkeyed
from fairground.store import MISSED, Append, Conflict, Secret, Store
from fairground.transcript import Transcript, canonical, check_chain

# A contest in memory: its book, its secrets, and a cache of its pages


KIND: Final = "contest"
KEY_OF: Final = "key of entry "
"""Before the number of a team's first entry: the secret with the digest of the team's key."""

CLIENT_OF: Final = "client of entry "
"""Prefix of the secret that holds the digest of the client who made an entry."""

INVITED: Final = "invited"
"""The secret with the digest of a contest's invitation."""

Line = tuple[str, dict[str, Any]]
"""The kind and fields of a line that is to be written."""


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
        self._page = 0, "", ""
        self.forms: tuple[str, dict[Any, Any]] = "", {}
        """The head for which the standings were computed last, and their forms: a cache."""

    @property
    def name(self) -> str:
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

    def page(self, here: str, make: Callable[[LiveBook, str], str]) -> str:
        """Return the watch page as JSON: made once for all who know us by this address."""
        if self._page[:2] != (self.transcript.step, here):
            self._page = self.transcript.step, here, make(self, here)
        return self._page[2]

    def computed(self, book: Book) -> dict[str, Any]:
        """Compute the standings by this copy of the book. It can take seconds: use a thread."""
        return standing(book, {one.number: self.order(one) for one in book.present})

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


MOST_OPEN_OF_ONE: Final = 1_000
"""Open contests of one client."""

TOO_MANY: Final = "you have {} open contests here, and {} is the limit: close some of them first"


# The service
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
#
# Games are filed in batches, when they are first needed after the close (`ContestGames.file_all`).


CAPACITY: Final = 100
"""Books in memory."""

TRIES: Final = 50
"""Maximum number of retries when other servers write to the book first."""

WEEK: Final = 7 * 24 * 3600
LONGEST: Final = 366 * 24 * 3600
MOST_ENTRIES: Final = 1_000
"""Entries of one contest."""

MOST_EVER: Final = 5_000
"""Maximum number of entries of a contest, including removed ones."""

MOST_OF_ONE: Final = 250
"""Entries of one client to one contest."""

HEARTBEAT: Final = 15.0
"""Seconds between heartbeats to a follower when nothing happens."""

PAUSE: Final = 0.5
"""Seconds between two news to a follower, at least."""

T = TypeVar("T")


class _Behind(Conflict):
    """The line before this one was not written, so this one names a line that is not there."""


class Contests:
    """All contests of an arena, and the cache of their books."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock
        self._books: OrderedDict[str, LiveBook] = OrderedDict()
        self._open = Holdings(clock)
        """The open contests that were made here."""
        self._computing = asyncio.Lock()

    async def make(
        self,
        parts: Sequence[Part],
        closes_in: int | None = None,
        invitation: str | None = None,
        disguise: str = DRAWN,
    ) -> tuple[str, str]:
        """Open a contest; its name, and the token that closes it.

        ``invitation``: a key without which nobody can enter.
        """
        check_parts(parts)
        lasts = WEEK if closes_in is None else closes_in
        if not 1 <= lasts <= LONGEST:
            raise BadParams(f"closes_in must be in 1..{LONGEST} seconds, not {closes_in}")
        name, secret, at = token(), token(), int(self.clock())
        live = LiveBook(fresh(), _close_digest(name, secret))
        line = live.add(
            "opened",
            {
                "format": FORMAT,
                "contest": name,
                "parts": [part.as_json() for part in parts],
                "disguise": disguise,
                "commitment": contest_commitment(name, live.seed),
                "at": at,
                "closes": at + lasts,
            },
        )
        secrets = [Secret("seed", live.seed, ""), Secret("close", live.close_digest, "")]
        if invitation is not None:
            live.invited = _invitation(name, invitation)
            secrets.append(Secret(INVITED, live.invited, ""))
        self._open.add(name, MOST_OPEN_OF_ONE, TOO_MANY, at + lasts)
        try:
            await self.store.commit(Append(name, 0, (line,), KIND, secrets=tuple(secrets)))
        except BaseException:
            self._open.drop(name)
            raise
        self._keep(live)
        return name, secret

    async def enter(
        self,
        name: str,
        team: str,
        version: str,
        key: str | None = None,
        *,
        invitation: str | None = None,
    ) -> tuple[LiveBook, Entry, str | None]:
        """Enter a team with a version of its program. Return the team's key with its first entry.

        A second entry ends the first one, so it needs the key. With the key, the same version again
        finds the entry that is there. Only a digest of the key is stored.
        """
        new_key = _new_team_key(name, team)
        if (lines := DONE.get().get(name)) is not None:
            live = await self._load(name)
            if live.transcript.step < lines:
                live = await self.read_again(live)
            entry = live.book.entries[live.transcript.events[lines - 1]["entry"]]
            return live, entry, None if entry.training else new_key
        first = False
        kept: list[Secret] = []
        client = digest(Tag.TOKEN, "client", name, CLIENT.get()) if CLIENT.get() else b""
        for what, text in (("team_name", team), ("software_version", version)):
            if not is_name(text):
                raise BadName(
                    f"{what} must be 1 to {LONGEST_NAME} printable characters without spaces "
                    f"around them, not {text!r}"
                )
            must_be_visible(what, text)

        def decide(live: LiveBook) -> Line | None:
            nonlocal first
            book = live.book
            must_be_running(live)
            first = not book.trains(team)
            if first and key is not None:
                raise BadParams(
                    f"{team!r} has not entered this contest, so it has no team_key yet: leave it "
                    "out, and keep the one in the answer"
                )
            if not first and not same(
                _team_digest(name, team, key or ""), live.keys.get(team, b"")
            ):
                raise AlreadyDone(
                    f"{team!r} has entered this contest, and a further entry needs its team_key: "
                    "the answer to its first entry had it. Are you another team? Choose another "
                    "team_name"
                )
            if book.has(team, version):
                return None  # the entry that is there
            if live.invited is not None and not same(
                _invitation(name, invitation or ""), live.invited
            ):
                raise Forbidden("this contest is by invitation: an entry needs its entry_key")
            if (other := live.alike(team)) is not None:
                raise BadName(
                    f"the team name {team!r} looks like {other!r}, which has entered; choose one "
                    "that people can tell apart from it"
                )
            if len(book.entries) >= MOST_EVER or len(book.present) >= MOST_ENTRIES:
                raise TooManyRequests(f"a contest has at most {MOST_ENTRIES} entries")
            if client and live.entered_by[client] >= MOST_OF_ONE:
                raise TooManyRequests(
                    f"one client makes at most {MOST_OF_ONE} entries to a contest, so that there "
                    "is room for others"
                )
            kept.clear()
            if client:
                kept.append(Secret(f"{CLIENT_OF}{len(book.entries)}", client, ""))
                live.entered_by[client] += 1
            if first:
                live.keys[team] = _team_digest(name, team, new_key)
                kept.append(Secret(f"{KEY_OF}{len(book.entries)}", live.keys[team], ""))
            return "entered", {
                "entry": len(book.entries),
                "team": team,
                "version": version,
                "training": not first,
                "at": self.now(live),
            }

        live = await self.record(name, decide, secrets=kept)
        entry = next(e for e in live.book.versions[team] if e.version == version)
        return live, entry, new_key if first else None

    async def note_start(self, name: str, number: int) -> None:
        """Write down that an entry makes its first submission: now nobody can remove it."""

        def decide(live: LiveBook) -> Line | None:
            entry = live.book.entries[number]
            must_be_running(live)
            must_be_present(entry)
            if entry.started or entry.over:
                return None
            return "started", {"entry": number, "at": self.now(live)}

        with unkeyed():
            await self.record(name, decide)

    async def remove(self, name: str, secret: str, number: int, reason: str) -> LiveBook:
        """Remove an entry before its first submission. The contest's token is required."""
        await self._must_be_creator(name, secret)
        if not 1 <= len(reason) <= LONGEST_REMOVAL or not reason.isprintable():
            raise BadName(
                f"a reason has 1 to {LONGEST_REMOVAL} printable characters, not {reason!r}"
            )

        def decide(live: LiveBook) -> Line | None:
            book = live.book
            must_be_running(live)
            if not 0 <= number < len(book.entries):
                raise Unknown(f"there is no entry {number} in this contest")
            entry = book.entries[number]
            if entry.removed is not None:
                return None
            if entry.started:
                raise AlreadyDone(
                    f"entry {number}, {entry.chair!r}, has made a submission, and stays"
                )
            return "removed", {"entry": number, "reason": reason, "at": self.now(live)}

        return await self.record(name, decide)

    async def _must_be_creator(self, name: str, secret: str) -> None:
        live = await self._load(name)
        if not same(_close_digest(name, secret), live.close_digest):
            raise Unknown(f"there is no such way to close the contest {name!r}")

    async def close(self, name: str, secret: str) -> LiveBook:
        """Close a contest before its time. Its token is required."""
        await self._must_be_creator(name, secret)
        return await self._close(name, "creator")

    async def close_restored(self, name: str) -> bool:
        """Close a contest that was open in a restored copy; whether it was."""
        live = await self._load(name)
        if live.book.closed:
            return False
        await self._close(name, RESTORE)
        return True

    # Watching

    async def standing(self, name: str) -> dict[str, Any]:
        """Return the present standings."""
        return await self.standing_as(name, dict)

    async def standing_as(self, name: str, form: Callable[[dict[str, Any]], T]) -> T:
        """Return the standings in some form: computed once, in a thread, one contest at a time."""
        head, forms = await self.look(name, lambda live: (live.transcript.head, live.forms))
        if forms[0] != head or form not in forms[1]:
            async with self._computing:
                live, head, book = await self.look(
                    name, lambda live: (live, live.transcript.head, live.book.frozen_copy())
                )
                if live.forms[0] != head:
                    live.forms = head, {dict: await asyncio.to_thread(live.computed, book)}
                forms = live.forms
                if form not in forms[1]:
                    forms[1][form] = await asyncio.to_thread(form, forms[1][dict])
        found: T = forms[1][form]
        return found

    async def follow(
        self, news: News, name: str, view: Callable[[LiveBook], T], *, pause: float = PAUSE
    ) -> AsyncIterator[T | None]:
        """Yield ``view`` of a contest now and after every change, until it closes.

        Yield ``None`` as a heartbeat when nothing happens, so that a dead connection is noticed.
        """
        with news.watch(name) as watch:
            while True:
                closed, closes, seen = await self.look(
                    name, lambda live: (live.book.closed, live.book.closes, view(live))
                )
                yield seen
                if closed or news.closing:
                    return
                while (left := closes - self.clock()) > 0:
                    if await watch.wait(min(HEARTBEAT, left)):
                        break
                    yield None
                await asyncio.sleep(pause)
                watch.grown.clear()

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
        self._books[live.name] = live
        self._books.move_to_end(live.name)
        while len(self._books) > CAPACITY:
            self._books.popitem(last=False)

    def _forget(self, live: LiveBook) -> None:
        if self._books.get(live.name) is live:
            del self._books[live.name]

    # Writing

    async def record(
        self,
        name: str,
        decide: Callable[[LiveBook], Line | None],
        *more: Append,
        secrets: Sequence[Secret] = (),
        closing: bool = False,
    ) -> LiveBook:
        """Write the line that ``decide`` finds right, in one commit with ``more``.

        It is asked again when somebody else wrote first, and may refuse by raising, or find
        that there is nothing to write. ``secrets`` are stored with the line; ``decide`` may still
        change the list.
        """
        for _ in range(TRIES):
            live = await (self._load(name) if closing else self.find(name))
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

        live = await self.record(name, decide, closing=True)
        self._open.drop(name)
        return live


def _new_team_key(name: str, team: str) -> str:
    """Return a fresh key for a team.

    A request with an ``Idempotency-Key`` gets the same one again, though only its digest is stored.
    """
    said = REQUEST_KEY.get()
    return digest(Tag.TOKEN, "team key", name, team, said)[:16].hex() if said else token()


def _team_digest(name: str, team: str, key: str) -> bytes:
    return digest(Tag.TOKEN, "team", name, team, key)


def _invitation(name: str, key: str) -> bytes:
    return digest(Tag.TOKEN, INVITED, name, key)


def _close_digest(name: str, secret: str) -> bytes:
    return digest(Tag.TOKEN, "close", name, secret)


# The list of contests, newest first


class ContestLists:
    """The list of contests."""

    def __init__(self, contests: Contests) -> None:
        self._contests = contests
        self._closed: dict[str, ContestRow] = {}
        """Those that cannot change any more."""

    async def page(
        self, states: Collection[str], after: int, limit: int
    ) -> tuple[list[ContestRow], int | None]:
        """Return a page of rows after a place in the list (0: from its beginning), and the next
        place.
        """
        names = await self._contests.store.logs(KIND)
        found: list[ContestRow] = []
        last = min(after or len(names), len(names))
        for place in range(last - 1, -1, -1):
            row = await self._row(names[place])
            if row.state in states:
                if len(found) == limit:
                    return found, last
                found.append(row)
                last = place
        return found, None

    async def _row(self, name: str) -> ContestRow:
        if name in self._closed:
            return self._closed[name]
        row = await self._contests.look(name, _row)
        if row.state == CLOSED:
            self._closed[name] = row
        return row


def _row(live: LiveBook) -> ContestRow:
    book = live.book
    sizes = {(part.base, part.length) for part in book.parts}
    of = ", ".join(f"{base} digits, length {length}" for base, length in sorted(sizes)[:3])
    return ContestRow(
        live.name,
        f"{book.games:,} games of code breaking: {of}{' and more' if len(sizes) > 3 else ''}",
        CLOSED if book.closed else RUNNING,
        [part_of(part) for part in book.parts],
        book.commitment,
        book.closes,
        len(book.versions),
    )
