"""Logs in one SQLite file: one writer, many commits at a time.

Durable means ``synchronous=FULL`` in write-ahead mode: a commit is on the disk
before it is acknowledged. That costs one sync, so the writer's thread takes all
commits that have queued up meanwhile into one transaction, each behind a savepoint of
its own, and acknowledges them together (*group commit*).
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from fairground.core import InputError
from fairground.store import LONGEST_LOG, Append, Conflict, Secret, Store, Stored, cut
from fairground.store.listeners import Listeners

MIGRATIONS: Final = (
    """
    CREATE TABLE logs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        closed INTEGER NOT NULL
    );
    CREATE INDEX logs_by_kind ON logs (kind, closed);
    CREATE TABLE chunks (
        log INTEGER NOT NULL,
        first INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (log, first)
    ) WITHOUT ROWID;
    CREATE TABLE vault (
        log INTEGER NOT NULL,
        name TEXT NOT NULL,
        secret BLOB NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    ) WITHOUT ROWID;
    CREATE TABLE spent (
        log INTEGER NOT NULL,
        name TEXT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE logs ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
    UPDATE logs SET seen = CAST(strftime('%s', 'now') AS INTEGER);
    DROP INDEX logs_by_kind;
    CREATE INDEX logs_by_kind ON logs (kind, closed, seen);
    """,
)
"""The schema's versions, each as the step that leads to it. Only ever add to this."""

LONGEST_QUEUE: Final = 10_000
"""Commits that may wait; beyond that, whoever commits waits for room."""

LARGEST_GROUP: Final = 500

T = TypeVar("T")


class _Job(NamedTuple):
    """A commit on its way to the writer, and whom to tell of its end."""

    appends: tuple[Append, ...]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]

    def tell(self, error: BaseException | None) -> None:
        """Settle the future in its own loop, unless that has gone away."""
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._settle, error)

    def _settle(self, error: BaseException | None) -> None:
        if not self.done.done():
            if error is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(error)


class SqliteStore(Store):
    """See the module's text."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._jobs: queue.Queue[_Job | None] = queue.Queue(LONGEST_QUEUE)
        self._listeners = Listeners()
        try:
            writer = self._connect()
            _migrate(writer)
            self._reader = self._connect()
        except sqlite3.Error as error:
            raise InputError(f"cannot use {path!r} as a database: {error}") from None
        self._reading = threading.Lock()
        self._thread = threading.Thread(target=self._write, args=(writer,), daemon=True)
        self._thread.start()

    @classmethod
    async def open(cls, url: str) -> Self:
        """``sqlite:///PATH``; the file and its folder are made when they are not there."""
        path = Path(url.removeprefix("sqlite:///"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder of {path}: {error.strerror}") from None
        return cls(str(path))

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA busy_timeout=10000")
        return db

    async def close(self) -> None:
        """Write what is queued, then close."""
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        self._reader.close()

    # Writing

    async def commit(self, *appends: Append) -> None:
        """Queue it for the writer, and wait until it is on the disk."""
        loop = asyncio.get_running_loop()
        job = _Job(appends, loop, loop.create_future())
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            await asyncio.to_thread(self._jobs.put, job)
        await job.done
        for append in appends:
            self._listeners.tell(append.log, append.step + len(append.lines))

    def _write(self, db: sqlite3.Connection) -> None:
        """The writer's thread: group after group until it is told to stop."""
        running = True
        while running:
            group = [self._jobs.get()]
            with contextlib.suppress(queue.Empty):
                while group[-1] is not None and len(group) < LARGEST_GROUP:
                    group.append(self._jobs.get_nowait())
            running = group[-1] is not None
            self._write_group(db, [job for job in group if job is not None])
        db.close()

    @staticmethod
    def _write_group(db: sqlite3.Connection, jobs: list[_Job]) -> None:
        outcomes: list[BaseException | None] = []
        try:
            db.execute("BEGIN IMMEDIATE")
            for job in jobs:
                db.execute("SAVEPOINT one")
                try:
                    for append in job.appends:
                        _append(db, append)
                    outcomes.append(None)
                except (Conflict, sqlite3.IntegrityError) as error:
                    db.execute("ROLLBACK TO one")
                    outcomes.append(error if isinstance(error, Conflict) else _conflict(error))
                db.execute("RELEASE one")
            db.execute("COMMIT")
        except sqlite3.Error as error:
            # Nothing of this group is durable, so nobody in it may be told that it is.
            if db.in_transaction:
                db.execute("ROLLBACK")
            outcomes = [error] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            job.tell(outcome)

    # Reading

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        def answer() -> T:
            with self._reading:
                return question(self._reader)

        return await asyncio.to_thread(answer)

    async def read(self, log: str) -> Stored | None:
        """All of a log, at one moment."""
        return await self._ask(lambda db: _read(db, log))

    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        """From the chunk on in which they begin."""
        return await self._ask(lambda db: _lines(db, log, after, most))

    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """In the order of their making."""
        query = "SELECT id FROM logs WHERE kind = ? AND closed <= ? ORDER BY number"
        closed = 0 if open_only else 1
        return await self._ask(
            lambda db: [row[0] for row in db.execute(query, (kind, closed)).fetchall()]
        )

    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        """By the index of kinds, which has them in this order."""
        query = """
            SELECT id FROM logs WHERE kind = ? AND closed = 0 AND seen < ? ORDER BY seen LIMIT ?
        """
        return await self._ask(
            lambda db: [row[0] for row in db.execute(query, (kind, before, most)).fetchall()]
        )

    async def count(self, kind: str) -> tuple[int, int]:
        """All, and the open ones."""
        query = "SELECT count(*), coalesce(sum(1 - closed), 0) FROM logs WHERE kind = ?"

        def counted(db: sqlite3.Connection) -> tuple[int, int]:
            every, still_open = db.execute(query, (kind,)).fetchone()
            return every, still_open

        return await self._ask(counted)

    def listen(self) -> AsyncIterator[tuple[str, int]]:
        """One process writes this file, so its own commits are all there is to hear."""
        return self._listeners.listen()


def _migrate(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise sqlite3.DatabaseError(
            f"it was written by a newer Fairground (schema {version}, we know {len(MIGRATIONS)})"
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")


def _conflict(error: Exception) -> Conflict:
    return Conflict(f"somebody else wrote first: {error}")


def _append(db: sqlite3.Connection, append: Append) -> None:
    step = append.step + len(append.lines)
    if append.step == 0:
        query = """
            INSERT INTO logs (id, kind, step, closed, seen) VALUES (?, ?, ?, ?, ?) RETURNING number
        """
        values: tuple[Any, ...] = (append.log, append.kind, step, append.closed, append.seen)
    else:
        query = """
            UPDATE logs SET step = ?, closed = ?, seen = max(seen, ?) WHERE id = ? AND step = ?
            RETURNING number
        """
        values = (step, append.closed, append.seen, append.log, append.step)
    row = db.execute(query, values).fetchone()
    if row is None:
        raise Conflict(f"{append.log} is not at step {append.step} any more")
    (log,) = row
    if append.lines:
        chunk = (log, append.step + 1, b"".join(append.lines))
        db.execute("INSERT INTO chunks (log, first, data) VALUES (?, ?, ?)", chunk)
    if append.secrets:
        rows = [(log, *secret) for secret in append.secrets]
        db.executemany("INSERT INTO vault (log, name, secret, head) VALUES (?, ?, ?, ?)", rows)
    if append.spent:
        spent = [(log, *one) for one in append.spent]
        db.executemany("INSERT INTO spent (log, name, head) VALUES (?, ?, ?)", spent)


def _read(db: sqlite3.Connection, name: str) -> Stored | None:
    db.execute("BEGIN")
    try:
        query = "SELECT number, kind, closed, seen FROM logs WHERE id = ?"
        row = db.execute(query, (name,)).fetchone()
        if row is None:
            return None
        log, kind, closed, seen = row
        chunks = db.execute("SELECT data FROM chunks WHERE log = ? ORDER BY first", (log,))
        lines = b"".join(data for (data,) in chunks).splitlines(keepends=True)
        vault = db.execute("SELECT name, secret, head FROM vault WHERE log = ?", (log,))
        secrets = tuple(Secret(*one) for one in vault.fetchall())
        spent = tuple(db.execute("SELECT name, head FROM spent WHERE log = ?", (log,)).fetchall())
        return Stored(name, kind, bool(closed), tuple(lines), secrets, spent, seen)
    finally:
        db.execute("COMMIT")


def _lines(db: sqlite3.Connection, name: str, after: int, most: int | None) -> tuple[bytes, ...]:
    query = """
        SELECT first, data FROM chunks
        WHERE log = (SELECT number FROM logs WHERE id = :name)
          AND first >= (SELECT max(first) FROM chunks WHERE log =
                        (SELECT number FROM logs WHERE id = :name) AND first <= :after + 1)
          AND first <= :after + :most
        ORDER BY first
    """
    bounds = {"name": name, "after": after, "most": most or LONGEST_LOG}
    return cut(db.execute(query, bounds).fetchall(), after, most)
