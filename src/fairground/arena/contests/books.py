"""Contests: the books that the arena keeps, and what is written into them, in order.

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
look closes it. Games are finished off when they are wanted for the first time after that
(`ContestGames.file_all`), in bunches.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from array import array
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final, TypeVar

from fairground.arena.contests.makers import Makers
from fairground.arena.contests.names import looks, must_be_visible
from fairground.arena.http.problems import (
    AlreadyDone,
    BadName,
    Forbidden,
    GameOver,
    TooManyRequests,
    Unknown,
)
from fairground.arena.keyed import DONE, unkeyed
from fairground.arena.limits.gate import CLIENT
from fairground.arena.limits.holdings import Holdings
from fairground.contest.book import (
    DRAWN,
    FIRST_FORMAT,
    FORMAT,
    LONGEST_NAME,
    LONGEST_REMOVAL,
    RESTORE,
    Book,
    Entry,
    is_name,
)
from fairground.contest.parts import Part, check_parts
from fairground.contest.seed import order
from fairground.contest.standings import snapshot, standing
from fairground.core import BadParams
from fairground.fair.bits import Tag, digest, fresh, same, token
from fairground.fair.contest import contest_commitment
from fairground.store import MISSED, Append, Conflict, Secret, Store
from fairground.transcript import Transcript, canonical, check_chain

KIND: Final = "contest"
KEY_OF: Final = "key of entry "
"""Before an entry's number: the secret with the digest of the key that it came with."""
CLIENT_OF: Final = "client of entry "
"""The same: the secret with the digest of the client that made it."""
TEAM: Final = "team "
"""The same before a team's name, in contests of the first format."""

WEEK: Final = 7 * 24 * 3600
LONGEST: Final = 366 * 24 * 3600
MOST_ENTRIES: Final = 1_000
"""Entries of one contest."""
MOST_EVER: Final = 5_000
"""The same, with those that were removed."""

MOST_OF_ONE: Final = 250
"""Entries of one client to one contest."""

INVITED: Final = "invited"
"""The secret with the digest of a contest's invitation."""

CAPACITY: Final = 100
"""Books in memory."""

MOST_VIEWS: Final = 10
"""Pages of one book that are kept, for clients who know us by different addresses."""

TRIES: Final = 50
"""How often a line is decided again because other workers wrote first."""

HEARTBEAT: Final = 15.0
"""Seconds after which a follower is told that nothing has happened."""

PAUSE: Final = 0.5
"""Seconds between two news to a follower, at least."""

T = TypeVar("T")

Line = tuple[str, dict[str, Any]]
"""The kind and fields of a line that is to be written."""


class _Behind(Conflict):
    """The line before this one was not written, so this one names a line that is not there."""


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
        """Team → digest of the key that its first entry came with, if it did."""
        self._looks: dict[str, str] = {}
        """What a team's name looks like → that name."""
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
        """The games in the order of this entry's oracles."""
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
        """What ``view`` makes of the book. It is made once, and kept until the next line."""
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
        """The standings by this copy of the book. It can take seconds, and may run in a thread."""
        return standing(snapshot(book, {one.number: self.order(one) for one in book.present}))

    def add(self, kind: str, fields: dict[str, Any]) -> bytes:
        """Add a line in memory; refuse what breaks the book's rules."""
        line = canonical({"kind": kind, "prev": self.transcript.head, **fields}) + b"\n"
        self.book.apply({"kind": kind, "prev": self.transcript.head, **fields}, line)
        self.transcript.append(kind, **fields)
        return line


class Contests:
    """All contests of an arena."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.time,
        new_name: Callable[[], str] = token,
        held: Holdings | None = None,
    ) -> None:
        """``held``: how many open contests each client has made."""
        self.store = store
        self.clock = clock
        self._new_name = new_name
        self._makers = Makers(held or Holdings(), clock)
        self._books: OrderedDict[str, LiveBook] = OrderedDict()
        self._followers: dict[str, set[asyncio.Event]] = {}
        self._forms: OrderedDict[Any, tuple[dict[str, Any], Any]] = OrderedDict()
        """Contest and form → the standings, and what was made of them."""
        self._computing = asyncio.Lock()
        self._stopping = False

    # Hearing of what other workers write

    def heard(self, log: str, step: int) -> None:
        """Take note that a log has grown, or with `MISSED` that any may have."""
        if (log, step) == MISSED:
            self._books.clear()
            self._wake_everyone()
            return
        live = self._books.get(log)
        if live is not None and step > live.transcript.step:
            self._forget(live)
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

    def _forget(self, live: LiveBook) -> None:
        if self._books.get(live.name) is live:
            del self._books[live.name]

    async def standing(self, name: str) -> dict[str, Any]:
        """The standings as they are now: computed once, in a thread, one contest at a time."""

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
        """The standings in some form: made once for each, in a thread."""
        table = await self.standing(name)
        made = self._forms.get((name, form))
        if made is None or made[0] is not table:
            made = table, await asyncio.to_thread(form, table)
            self._forms[name, form] = made
            while len(self._forms) > CAPACITY:
                self._forms.popitem(last=False)
        found: T = made[1]
        return found

    # Writing

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
        name, secret, at = self._new_name(), token(), int(self.clock())
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

    def _keep(self, live: LiveBook) -> None:
        """Keep a book at hand, and let those go that were not used for longest."""
        self._books[live.name] = live
        self._books.move_to_end(live.name)
        while len(self._books) > CAPACITY:
            self._books.popitem(last=False)

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

    async def enter(
        self,
        name: str,
        team: str,
        version: str,
        key: str | None = None,
        *,
        invitation: str | None = None,
    ) -> tuple[LiveBook, Entry]:
        """Enter a team with a version of its program.

        A second entry ends the first one. So that nobody else can do that to a team, its
        first entry may bring a key, without which there is no second. Whoever has the key may
        also enter with the same version again, and finds the entry that is there.
        """
        if (lines := DONE.get().get(name)) is not None:
            live = await self._load(name)
            if live.transcript.step < lines:
                live = await self.read_again(live)
            return live, live.book.entries[live.transcript.events[lines - 1]["entry"]]
        told = b"" if key is None else digest(Tag.TOKEN, "team", name, team, key)
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
            book = live.book
            must_be_running(live)
            if book.has(team, version):
                if told and same(live.keys.get(team, b""), told):
                    return None  # the same again, by whoever knows the key: nothing new
                raise AlreadyDone(
                    f"{team!r} has entered this contest with {version!r} before; a new version "
                    "may enter, as training"
                )
            if book.trains(team) and not same(live.keys.get(team, told), told):
                raise AlreadyDone(f"{team!r} has entered with a team_key, and this is not it")
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
            if not book.trains(team):
                live.keys.pop(team, None)
                if told:
                    kept.append(Secret(f"{KEY_OF}{len(book.entries)}", told, ""))
                    live.keys[team] = told
            return "entered", {
                "entry": len(book.entries),
                "team": team,
                "version": version,
                "training": book.trains(team),
                "at": self.now(live),
            }

        live = await self._record(name, self.find, decide, secrets=kept)
        return live, next(e for e in live.book.versions[team] if e.version == version)

    async def note_start(self, name: str, number: int) -> None:
        """Write down that an entry makes its first submission: now nobody can remove it."""

        def decide(live: LiveBook) -> Line | None:
            entry = live.book.entries[number]
            must_be_running(live)
            must_be_present(entry)
            if entry.started or entry.over or live.book.format == FIRST_FORMAT:
                return None
            return "started", {"entry": number, "at": self.now(live)}

        with unkeyed():
            await self.record(name, decide)

    async def remove(self, name: str, secret: str, number: int, reason: str) -> LiveBook:
        """Take an entry out before its first submission, for whoever knows the token."""
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
            if entry.started or book.format == FIRST_FORMAT:
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
        """Close a contest before its time, for whoever knows its token."""
        await self._must_be_creator(name, secret)
        return await self._close(name, "creator")

    async def close_restored(self, name: str) -> bool:
        """Close a contest that was open in a restored copy; whether it was."""
        live = await self._load(name)
        if live.book.closed:
            return False
        await self._close(name, RESTORE if live.book.format != FIRST_FORMAT else "creator")
        return True

    async def _close(self, name: str, by: str) -> LiveBook:
        def decide(live: LiveBook) -> Line | None:
            if live.book.closed:
                return None
            reason = "time" if self.now(live) >= live.book.closes else by
            at = max(self.now(live), live.book.closes) if reason == "time" else self.now(live)
            return "closed", {"seed": live.seed.hex(), "by": reason, "at": at}

        live = await self._record(name, self._load, decide)
        self._makers.closed(name)
        return live

    # Following

    async def follow(
        self, name: str, view: Callable[[LiveBook], T], *, pause: float = PAUSE
    ) -> AsyncIterator[T | None]:
        """What ``view`` makes of a contest now and whenever it has changed, until the close.

        ``None`` now and then when nothing happens, so that a connection which has died is
        noticed.
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


def _invitation(name: str, key: str) -> bytes:
    return digest(Tag.TOKEN, INVITED, name, key)


def _close_digest(name: str, secret: str) -> bytes:
    return digest(Tag.TOKEN, "close", name, secret)


def must_be_running(live: LiveBook) -> None:
    """Refuse what comes after the close."""
    if live.book.closed:
        raise GameOver("this contest is closed")


def must_be_present(entry: Entry) -> None:
    """Refuse what comes of an entry that was taken out."""
    if entry.removed is not None:
        raise GameOver(f"the contest's creator has removed {entry.chair!r}: {entry.removed}")
