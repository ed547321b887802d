"""Durable storage: append-only logs and the secrets that belong to them.

Everything that Fairground keeps is a *log*: the transcript of a table or an oracle,
the book of a contest, the ledger of a bank. A log only grows, line by line. An `Append` names
the step at which it expects the log. So of two writers who saw the same log, one is refused and
must read it again. Unopened secrets lie in a vault beside their log; no API reads them.

A commit is durable when `Store.commit` returns, and never in part. Nothing that
depends on it may leave the process before. Every method raises `StoreAway`, in bounded time, while
the database is full, read-only, slow or gone. `InDoubt` is the one that may have been done.
`Damaged` is the one that does not pass: from then on nothing is written.

Two stores obey the same laws (tests/store/test_laws.py): `sqlite` is one file for one process,
`postgres` one server for many. `groups` is their common half.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import wraps
from itertools import islice
from typing import Any, Final, NamedTuple, ParamSpec, Self, TypeVar

from fairground.core import FairgroundError, InputError
from fairground.fair.vault import MemoryVault

P = ParamSpec("P")
T = TypeVar("T")

News = tuple[str, int]
"""A log that has grown, and its step."""
Hear = Callable[[str, int], None]

VERSION: Final = 4
"""The version of the schema. Any later one must be reached from this one."""

TRIES: Final = 10
"""Maximum number of attempts while other writers are faster."""

MISSED: Final = ("", 0)
"""Sent to listeners when some news were lost: any log may have grown."""


class Conflict(FairgroundError):
    """Another writer was first: read the log again, and decide again."""

    code = "store/conflict"


class StoreAway(FairgroundError):
    """The database cannot be reached or written to; nothing was done."""

    code = "store/away"


class Damaged(StoreAway):
    """The database is corrupt. It stays so until its operator restores a copy."""

    code = "store/damaged"


class InDoubt(StoreAway):
    """The database did not say whether something was done: look before you do it again."""

    code = "store/in-doubt"


def retried(act: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Do it again when somebody else wrote to the log first: read it anew, and decide anew."""

    @wraps(act)
    async def until_done(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(TRIES - 1):
            try:
                return await act(*args, **kwargs)
            except Conflict:
                pass
        return await act(*args, **kwargs)

    return until_done


class Secret(NamedTuple):
    """A secret of a log, and the head of the history that it was made for."""

    name: str
    secret: bytes
    head: str


class Append(NamedTuple):
    """More lines for one log, which must now have ``step`` lines (0: it must not exist)."""

    log: str
    step: int
    lines: tuple[bytes, ...]
    kind: str = ""
    """The kind of the log (``oracle``, ``table``, ...); needed when it is made."""
    closed: bool = False
    """True if nothing can follow."""
    secrets: tuple[Secret, ...] = ()
    spent: tuple[tuple[str, str], ...] = ()
    """Names of secrets about to be opened, each with the head that it is opened for."""
    seen: int = 0
    """When this was done, by the writer's clock, for logs that `Store.idle` is asked about."""
    memory: bytes | None = None
    """A snapshot beside the log, replacing the old one, for a quick resume; ``None``: leave it.
    Nothing depends on it: without it the log is run from its start."""
    clocks: bytes | None = None
    """The time left to each seat, replacing the old value; ``None``: leave it."""
    replaces: bool = False
    """True to delete the lines before these: for logs whose last line alone counts."""


class Stored(NamedTuple):
    """A log as it was found."""

    log: str
    kind: str
    closed: bool
    lines: tuple[bytes, ...]
    secrets: tuple[Secret, ...]
    spent: tuple[tuple[str, str], ...]
    seen: int = 0
    """The latest `Append.seen`."""
    memory: bytes = b""
    """The latest `Append.memory`."""
    clocks: bytes = b""
    """The latest `Append.clocks`."""
    step: int = 0
    """Number of lines so far, including those that were replaced."""

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


class LogVault(MemoryVault):
    """The vault of one log, loaded from the store; it remembers what is new.

    New secrets go into the same commit as the lines that depend on it.
    """

    def __init__(self, stored: Stored | None = None) -> None:
        super().__init__()
        if stored is not None:
            self.secrets = {one.name: (one.secret, one.head) for one in stored.secrets}
            self.spent = dict(stored.spent)
        self._known = len(self.secrets), len(self.spent)

    def news(self) -> tuple[tuple[Secret, ...], tuple[tuple[str, str], ...]]:
        """Secrets and spendings since the last call: both only ever grow, at their end."""
        secrets, spent = self._known
        self._known = known = len(self.secrets), len(self.spent)
        if known == (secrets, spent):
            return (), ()
        fresh = _last(self.secrets, known[0] - secrets)
        opened = _last(self.spent, known[1] - spent)
        return tuple(Secret(name, *kept) for name, kept in fresh), opened


def _last(kept: dict[str, T], number: int) -> tuple[tuple[str, T], ...]:
    """Return the last items, in their order, without a walk through all before them."""
    return tuple(islice(reversed(kept.items()), number))[::-1] if number else ()


class Store(ABC):
    """A place for logs."""

    shared: bool = True
    """True if other processes may write to the same logs."""

    @classmethod
    @abstractmethod
    async def open(cls, url: str) -> Self:
        """Connect, and bring the schema up to date."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what was accepted, and disconnect."""

    @abstractmethod
    async def commit(self, *appends: Append) -> None:
        """Write all of these or none; raise `Conflict` if a log is not where it should be."""

    @abstractmethod
    async def read(self, log: str) -> Stored | None:
        """A log with its secrets; ``None`` if there is none of this name."""

    @abstractmethod
    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        """Return at most this many lines after the first ``after``: for logs that grow long."""

    @abstractmethod
    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The names of all logs of a kind, in the order of their making."""

    @abstractmethod
    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        """Return open logs of a kind that were last seen before a time, longest idle first."""

    @abstractmethod
    async def forget(self, kind: str, before: int, most: int) -> int:
        """Delete logs of a kind that were last seen before a time; return their number."""

    @abstractmethod
    async def count(self, kind: str) -> tuple[int, int]:
        """Return the number of logs of a kind, and of those that are open."""

    @abstractmethod
    def listen(self, hear: Hear) -> Callable[[], None]:
        """Let ``hear`` be called with names and steps of logs as they grow, from whichever process,
        and with `MISSED` if unsure; until what is returned is called.
        """


def must_be_known(version: int) -> None:
    """Refuse a schema that another version of this program has made; 0: there is none yet."""
    if version > VERSION:
        raise InputError(
            f"the database was written by a newer Fairground: its schema has version {version}, "
            f"and this one knows them up to {VERSION}. Update Fairground, or name another database"
        )
    if 0 < version < VERSION:
        raise InputError(
            f"the database was written before Fairground 1.0: its schema has version {version}, "
            f"and this one needs {VERSION}. Name another database"
        )


def moved_on(append: Append) -> Conflict:
    """The log is not where this append expects it."""
    return Conflict(f"{append.log} is not at step {append.step} any more")


async def open_store(url: str) -> Store:
    """The store that a URL names: ``sqlite:///PATH`` or ``postgresql://...``."""
    if url.startswith("sqlite:///"):
        from fairground.store.sqlite import SqliteStore

        return await SqliteStore.open(url)
    if url.startswith(("postgresql://", "postgres://")):
        from fairground.store.postgres import PostgresStore

        return await PostgresStore.open(url)
    raise InputError(
        f"no database is named like {url!r}. For example: sqlite:///arena.db or "
        "postgresql://user@host/name"
    )
