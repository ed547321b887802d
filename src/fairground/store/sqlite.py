"""Logs in one SQLite file: one writer, many commits at a time.

Durable means ``synchronous=FULL`` in write-ahead mode: a commit is on the disk
before it is acknowledged. That costs one sync, so the writer's thread takes all
commits that have queued up meanwhile into one transaction and acknowledges them
together (*group commit*). Each is written as a whole or not at all.

Between two statements the writer has to ask Python for its turn, which can take
milliseconds while the arena is busy. So the usual commits of a group share their
statements; only the others have their own, each commit behind a savepoint.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from fairground.core import InputError
from fairground.store import (
    LONGEST_LOG,
    PATIENCE,
    Append,
    Conflict,
    InDoubt,
    Secret,
    Store,
    StoreAway,
    Stored,
    can_go_together,
    cut,
    moved_on,
    must_be_known,
)
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
    """
    CREATE TABLE memories (log INTEGER PRIMARY KEY, data BLOB NOT NULL);
    """,
)
"""The schema's versions, each as the step that leads to it. Only ever add to this."""

LONGEST_QUEUE: Final = 10_000
"""Commits that may wait; beyond that, whoever commits waits for room."""

LARGEST_GROUP: Final = 500

DELETED: Final = (
    ("chunks", "log"),
    ("vault", "log"),
    ("spent", "log"),
    ("memories", "log"),
    ("logs", "number"),
)
"""Where a log is, and by what it is found."""

BUSY: Final = 2000
"""Milliseconds to wait while another program holds the file."""

BUNCHES: Final = (64, 16, 4, 1)
"""How many rows a statement writes."""

T = TypeVar("T")


class _Forget(NamedTuple):
    """Logs to delete."""

    kind: str
    before: int
    most: int


class _Job(NamedTuple):
    """A commit on its way to the writer, and whom to tell of its end."""

    appends: tuple[Append, ...]
    forget: _Forget | None
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


Outcome = BaseException | None


def _settle(ended: list[tuple[asyncio.Future[None], Outcome]]) -> None:
    """Tell those who wait in this loop, unless they have gone away."""
    for done, error in ended:
        if not done.done():
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)


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
        db.execute(f"PRAGMA busy_timeout={BUSY}")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        return db

    async def close(self) -> None:
        """Write what is queued, then close."""
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        with self._reading:  # a reader whose asker has gone away may still be at it
            self._reader.close()

    # Writing

    async def commit(self, *appends: Append) -> None:
        """Queue it for the writer, and wait until it is on the disk."""
        await self._written(appends)
        self._listeners.tell(*((one.log, one.step + len(one.lines)) for one in appends))

    async def probe(self) -> None:
        """A commit of nothing: the writer sets the schema's version to what it is."""
        await self._written(())

    async def forget(self, kind: str, before: int, most: int) -> None:
        """By the writer, between two groups."""
        await self._written((), _Forget(kind, before, most))

    async def _written(self, appends: tuple[Append, ...], forget: _Forget | None = None) -> None:
        loop = asyncio.get_running_loop()
        job = _Job(appends, forget, loop, loop.create_future())
        try:
            async with asyncio.timeout(PATIENCE):
                try:
                    self._jobs.put_nowait(job)
                except queue.Full:
                    await asyncio.to_thread(self._jobs.put, job)
                await job.done
        except TimeoutError:
            raise InDoubt(
                f"the database did not answer for {PATIENCE:g} seconds: whether this was done, "
                "only it knows"
            ) from None

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
        try:
            db.execute("BEGIN IMMEDIATE")
            outcomes = _write_commits(db, [job.appends for job in jobs])
            if not all(job.appends for job in jobs):
                db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            for job in jobs:
                if job.forget is not None:
                    _forget(db, job.forget)
            db.execute("COMMIT")
        except Exception as error:  # whatever it is, the writer must go on
            # Nothing of this group is durable, so nobody in it may be told that it is.
            with contextlib.suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            outcomes = [_in_plain_words(error)] * len(jobs)
        ended: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[None], Outcome]]] = {}
        for job, outcome in zip(jobs, outcomes, strict=True):
            ended.setdefault(job.loop, []).append((job.done, outcome))
        for loop, those in ended.items():
            with contextlib.suppress(RuntimeError):  # that loop has gone away
                loop.call_soon_threadsafe(_settle, those)

    # Reading

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        def answer() -> T:
            with self._reading:
                try:
                    return question(self._reader)
                except sqlite3.Error as error:
                    raise _in_plain_words(error) from None

        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.to_thread(answer)
        except TimeoutError:
            raise StoreAway(f"the database did not answer for {PATIENCE:g} seconds") from None

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


def _in_plain_words(error: Exception) -> Exception:
    """What the disk or the file does to us is trouble of the database; the rest is our mistake."""
    if not isinstance(error, sqlite3.DatabaseError):
        return error
    kind = InDoubt if error.sqlite_errorname.startswith("SQLITE_IOERR") else StoreAway
    return kind(f"the database cannot be used: {error}")


def _migrate(db: sqlite3.Connection) -> None:
    """In one transaction: the schema is what it was, or what we know; and one process at a time."""
    db.execute("BEGIN IMMEDIATE")
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        must_be_known(version, len(MIGRATIONS))
        for script in MIGRATIONS[version:]:
            for statement in script.split(";"):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")
    except BaseException:
        db.close()  # which undoes what was begun
        raise


def _write_commits(db: sqlite3.Connection, commits: list[tuple[Append, ...]]) -> list[Outcome]:
    """Write a group inside of one transaction; those that conflict are left out."""
    outcomes: list[Outcome] = [None] * len(commits)
    together = can_go_together(commits)
    try:
        with _as_a_whole(db):
            for i, append in _write_together(db, [(i, commits[i][0]) for i in together]):
                outcomes[i] = moved_on(append)
    except sqlite3.IntegrityError:
        together = []  # find the one with a secret that exists already
    for i in sorted(set(range(len(commits))) - set(together)):
        try:
            with _as_a_whole(db):
                for append in commits[i]:
                    _append(db, append)
        except sqlite3.IntegrityError as error:
            outcomes[i] = Conflict(f"somebody else wrote first: {error}")
        except Conflict as conflict:
            outcomes[i] = conflict
    return outcomes


@contextlib.contextmanager
def _as_a_whole(db: sqlite3.Connection) -> Iterator[None]:
    """Whatever goes wrong in here leaves everything as it was."""
    db.execute("SAVEPOINT one")
    try:
        yield
    except (sqlite3.IntegrityError, Conflict):
        db.execute("ROLLBACK TO one")
        raise
    finally:
        db.execute("RELEASE one")


def _write_together(
    db: sqlite3.Connection, appends: Sequence[tuple[int, Append]]
) -> list[tuple[int, Append]]:
    """Write appends to different logs; those whose log has moved on are given back."""
    rows = _in_bulk(
        db,
        """
        WITH wanted (id, old, step, closed, seen) AS (VALUES {})
        UPDATE logs SET step = wanted.step, closed = wanted.closed,
            seen = max(logs.seen, wanted.seen)
        FROM wanted WHERE logs.id = wanted.id AND logs.step = wanted.old
        RETURNING logs.id, logs.number
        """,
        [(a.log, a.step, a.step + len(a.lines), a.closed, a.seen) for _, a in appends],
    )
    numbers: dict[str, int] = dict(rows)
    _write_contents(db, [(numbers[a.log], a) for _, a in appends if a.log in numbers])
    return [(i, a) for i, a in appends if a.log not in numbers]


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
        raise moved_on(append)
    _write_contents(db, [(row[0], append)])


def _write_contents(db: sqlite3.Connection, written: list[tuple[int, Append]]) -> None:
    """Chunks, secrets and spendings of logs whose step has been moved already."""
    chunks = [(log, one.step + 1, b"".join(one.lines)) for log, one in written if one.lines]
    vault = [(log, *secret) for log, one in written for secret in one.secrets]
    spent = [(log, *item) for log, one in written for item in one.spent]
    memories = [(log, one.memory) for log, one in written if one.memory is not None]
    _in_bulk(db, "INSERT INTO chunks (log, first, data) VALUES {}", chunks)
    _in_bulk(db, "INSERT INTO vault (log, name, secret, head) VALUES {}", vault)
    _in_bulk(db, "INSERT INTO spent (log, name, head) VALUES {}", spent)
    _in_bulk(db, "INSERT OR REPLACE INTO memories (log, data) VALUES {}", memories)


def _forget(db: sqlite3.Connection, what: _Forget) -> None:
    query = "SELECT number FROM logs WHERE kind = ? AND seen < ? LIMIT ?"
    numbers = db.execute(query, what).fetchall()
    for table, column in DELETED:
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)


def _in_bulk(db: sqlite3.Connection, query: str, rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a statement for many rows at a time.

    In bunches of a few sizes, so that the prepared statements are few and found again.
    """
    found: list[Any] = []
    begin = 0
    for size in BUNCHES:
        while len(rows) - begin >= size:
            bunch = rows[begin : begin + size]
            signs = ",".join(["(" + ",".join("?" * len(bunch[0])) + ")"] * size)
            found += db.execute(query.format(signs), [*chain.from_iterable(bunch)]).fetchall()
            begin += size
    return found


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
        (memory,) = db.execute(
            "SELECT coalesce((SELECT data FROM memories WHERE log = ?), x'')", (log,)
        ).fetchone()
        return Stored(name, kind, bool(closed), tuple(lines), secrets, spent, seen, memory)
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
