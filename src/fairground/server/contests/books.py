"""A contest in memory: its book, its secrets, and what was made of them."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from fairground.contest.book import Book, Entry
from fairground.contest.games import order
from fairground.contest.standings import standing
from fairground.server.contests.names import looks
from fairground.server.http.problems import GameOver
from fairground.transcript import Transcript, canonical

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
