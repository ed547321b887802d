"""Contests: what may be done to them, by whom, and who watches.

How a line gets into a contest's book is the shelf's business (`shelf`). Games are finished off
when they are wanted for the first time after the close (`ContestGames.file_all`), in bunches.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final, TypeVar

from fairground.arena.contests.live_book import (
    CLIENT_OF,
    INVITED,
    KEY_OF,
    KIND,
    LiveBook,
    must_be_present,
    must_be_running,
)
from fairground.arena.contests.makers import Makers
from fairground.arena.contests.names import must_be_visible
from fairground.arena.contests.shelf import CAPACITY, Line, Shelf
from fairground.arena.http.problems import AlreadyDone, BadName, Forbidden, TooManyRequests, Unknown
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
    Entry,
    is_name,
)
from fairground.contest.parts import Part, check_parts
from fairground.core import BadParams
from fairground.fair.bits import Tag, digest, fresh, same, token
from fairground.fair.contest import contest_commitment
from fairground.store import MISSED, Append, Secret, Store

WEEK: Final = 7 * 24 * 3600
LONGEST: Final = 366 * 24 * 3600
MOST_ENTRIES: Final = 1_000
"""Entries of one contest."""

MOST_EVER: Final = 5_000
"""The same, with those that were removed."""

MOST_OF_ONE: Final = 250
"""Entries of one client to one contest."""

HEARTBEAT: Final = 15.0
"""Seconds after which a follower is told that nothing has happened."""

PAUSE: Final = 0.5
"""Seconds between two news to a follower, at least."""

T = TypeVar("T")


class Contests(Shelf):
    """All contests of an arena."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.time,
        new_name: Callable[[], str] = token,
        held: Holdings | None = None,
    ) -> None:
        """``held``: how many open contests each client has made."""
        super().__init__(store, clock)
        self._new_name = new_name
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
        live = await super()._close(name, by)
        self._makers.closed(name)
        return live

    # Watching

    def heard(self, log: str, step: int) -> None:
        """Take note that a log has grown, and wake who follows it."""
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
