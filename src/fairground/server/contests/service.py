"""Contests: who may make, enter and close them; the list of contests.

One client can have `MOST_OPEN_OF_ONE` open contests. A contest that nobody looks at is only on
disk, and still in everybody's list. A contest closes at the first look after its closing time;
until that time it counts as open.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from fairground.contest.book import (
    DRAWN,
    FORMAT,
    LONGEST_NAME,
    LONGEST_REMOVAL,
    RESTORE,
    Entry,
    is_name,
)
from fairground.contest.parts import Part, check_parts
from fairground.core import BadParams
from fairground.fair.bits import Tag, digest, fresh, same, token
from fairground.fair.contest import contest_commitment
from fairground.server.contests.books import (
    CAPACITY,
    CLIENT_OF,
    INVITED,
    KEY_OF,
    KIND,
    Books,
    Line,
    LiveBook,
    must_be_present,
    must_be_running,
)
from fairground.server.contests.names import must_be_visible
from fairground.server.contests.wire import CLOSED, RUNNING, ContestRow, part_of
from fairground.server.http.problems import (
    AlreadyDone,
    BadName,
    Forbidden,
    TooManyRequests,
    Unknown,
)
from fairground.server.limits.gate import CLIENT, Holdings
from fairground.server.storage import DONE, REQUEST_KEY, unkeyed
from fairground.store import MISSED, Append, Secret, Store

MOST_OPEN_OF_ONE: Final = 1_000
"""Open contests of one client."""


class Makers:
    """Counts the open contests of each client that were made since the start."""

    def __init__(self, held: Holdings, clock: Callable[[], float]) -> None:
        """``held``: how many each client has."""
        self._held = held
        self._clock = clock
        self._open: dict[str, dict[str, int]] = {}
        """Client → contest → when it closes."""
        self._makers: dict[str, str] = {}
        """Contest → client."""

    @contextmanager
    def making(self, name: str, closes: int) -> Iterator[None]:
        """Around the making of a contest: refuse it if its maker has too many."""
        client = CLIENT.get()
        if not client:
            yield
            return
        if self._held.of(client) >= MOST_OPEN_OF_ONE:
            self._forget_the_closed(client)
        if (there := self._held.of(client)) >= MOST_OPEN_OF_ONE:
            raise TooManyRequests(
                f"you have {there} open contests here, and {MOST_OPEN_OF_ONE} is the limit: "
                "close some of them first"
            )
        self._makers[name] = client
        self._open.setdefault(client, {})[name] = closes
        self._held.add(client, 1)
        try:
            yield
        except BaseException:
            self.closed(name)
            raise

    def closed(self, name: str) -> None:
        """Count a contest as closed, or as never made."""
        client = self._makers.pop(name, None)
        if client is None:
            return
        theirs = self._open[client]
        del theirs[name]
        if not theirs:
            del self._open[client]
        self._held.add(client, -1)

    def _forget_the_closed(self, client: str) -> None:
        now = self._clock()
        for name in [name for name, at in self._open.get(client, {}).items() if at <= now]:
            self.closed(name)


# The service
#
# `Books` writes the lines. Games are filed in batches, when they are first needed after the close
# (`ContestGames.file_all`).


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


class Contests(Books):
    """All contests of an arena."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.time,
        held: Holdings | None = None,
    ) -> None:
        """``held``: how many open contests each client has made."""
        super().__init__(store, clock)
        self._makers = Makers(held or Holdings(), clock)
        self._followers: dict[str, set[asyncio.Event]] = {}
        self._forms: OrderedDict[Any, tuple[dict[str, Any], Any]] = OrderedDict()
        """Contest and form → the standings, and what was made of them."""
        self._computing = asyncio.Lock()
        self._stopping = False

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
        with self._makers.making(name, at + lasts):
            await self.store.commit(Append(name, 0, (line,), KIND, secrets=tuple(secrets)))
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

        live = await self._record(name, self.find, decide, secrets=kept)
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

    async def _close(self, name: str, by: str) -> LiveBook:
        live = await super()._close(name, by)
        self._makers.closed(name)
        return live

    # Watching

    def heard(self, log: str, step: int) -> None:
        """Note that a log has grown, and wake its followers."""
        super().heard(log, step)
        if (log, step) == MISSED:
            self._wake_everyone()
        for follower in self._followers.get(log, ()):
            follower.set()

    def end_streams(self) -> None:
        """Tell followers that the arena stops. To be called in the event loop."""
        self._stopping = True
        self._wake_everyone()

    def _wake_everyone(self) -> None:
        for followers in self._followers.values():
            for follower in followers:
                follower.set()

    async def standing(self, name: str) -> dict[str, Any]:
        """Return the present standings: computed once, in a thread, one contest at a time."""

        def known(live: LiveBook) -> dict[str, Any] | None:
            head, table = live.table
            return table if head == live.transcript.head else None

        if (table := await self.look(name, known)) is not None:
            return table
        async with self._computing:
            live, head, book = await self.look(
                name, lambda live: (live, live.transcript.head, live.book.frozen_copy())
            )
            if live.table[0] != head:
                live.table = head, await asyncio.to_thread(live.computed, book)
            return live.table[1]

    async def standing_as(self, name: str, form: Callable[[dict[str, Any]], T]) -> T:
        """Return the standings in some form, each computed once, in a thread."""
        table = await self.standing(name)
        made = self._forms.get((name, form))
        if made is None or made[0] is not table:
            made = table, await asyncio.to_thread(form, table)
            self._forms[name, form] = made
            while len(self._forms) > CAPACITY:
                self._forms.popitem(last=False)
        found: T = made[1]
        return found

    async def follow(
        self, name: str, view: Callable[[LiveBook], T], *, pause: float = PAUSE
    ) -> AsyncIterator[T | None]:
        """Yield ``view`` of a contest now and after every change, until it closes.

        Yield ``None`` as a heartbeat when nothing happens, so that a dead connection is noticed.
        """
        changed = asyncio.Event()
        followers = self._followers.setdefault(name, set())
        followers.add(changed)
        try:
            while True:
                closed, closes, seen = await self.look(
                    name, lambda live: (live.book.closed, live.book.closes, view(live))
                )
                yield seen
                if closed or self._stopping:
                    return
                while not changed.is_set():
                    left = closes - self.clock()
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), max(0.0, min(HEARTBEAT, left)))
                    if left <= 0:
                        break
                    if not changed.is_set():
                        yield None
                await asyncio.sleep(pause)
                changed.clear()
        finally:
            followers.discard(changed)
            if not followers:
                self._followers.pop(name, None)


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
