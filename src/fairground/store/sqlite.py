"""Logs in one SQLite file: one writer, many commits at a time.

Durable means ``synchronous=FULL`` in write-ahead mode: a commit is on the disk
before it is acknowledged. That costs one sync, so the writer's thread takes all
commits that have queued up meanwhile into one transaction and acknowledges them
together (*group commit*). Each is written as a whole or not at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import shlex
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Self, TypeVar

from fairground.core import InputError
from fairground.store import (
    LONGEST_LOG,
    PATIENCE,
    VERSION,
    Append,
    Conflict,
    Damaged,
    Hear,
    InDoubt,
    Listeners,
    News,
    Secret,
    Store,
    StoreAway,
    Stored,
    cut,
    moved_on,
    must_be_known,
)

SCHEMA: Final = """
    CREATE TABLE logs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        closed INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        clocks BLOB
    );
    CREATE INDEX logs_by_kind ON logs (kind, closed, seen);
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
    CREATE TABLE memories (log INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""

NEW: Final = """
    INSERT INTO logs (id, kind, step, closed, seen, clocks) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING number
"""
GROWN: Final = """
    UPDATE logs SET step = ?, clocks = coalesce(?, clocks), closed = ?, seen = max(seen, ?)
    WHERE id = ? AND step = ? RETURNING number
"""
CHUNK: Final = "INSERT INTO chunks (log, first, data) VALUES (?, ?, ?)"
SECRET: Final = "INSERT INTO vault (log, name, secret, head) VALUES (?, ?, ?, ?)"
SPENT: Final = "INSERT INTO spent (log, name, head) VALUES (?, ?, ?)"
MEMORY: Final = "INSERT OR REPLACE INTO memories (log, data) VALUES (?, ?)"
OLD: Final = "SELECT number FROM logs WHERE kind = ? AND seen < ? LIMIT ?"
DELETED: Final = (
    ("chunks", "log"),
    ("vault", "log"),
    ("spent", "log"),
    ("memories", "log"),
    ("logs", "number"),
)
"""The tables that hold a log, each with the column of its number."""

LONGEST_QUEUE: Final = 10_000
"""Commits that may wait. While the database is away, those that nobody waits for any more stay."""

LARGEST_GROUP: Final = 500

BUSY: Final = 2000
"""Milliseconds to wait while another program holds the file."""

PRIVATE_FILE: Final = 0o600
_OTHERS: Final = 0o077

AGAIN: Final = 0.01
"""Seconds until a file is tried again whose mode another program changes."""

CHECK: Final = 30.0
"""Seconds that the check of a file may take when it is opened."""

SLOW: Final = 3.0
"""Seconds after which the log says that a check goes on."""

STEPS: Final = 10_000
"""Instructions of SQLite between two looks at the clock."""

log = logging.getLogger("fairground.store")

T = TypeVar("T")


class _Job(NamedTuple):
    """A piece of work on its way to the writer, and the future that awaits its end."""

    work: Callable[[sqlite3.Cursor], int]
    """May raise `Conflict`, and has then changed nothing."""
    news: tuple[News, ...]
    """Logs that have grown when it is done."""
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[int]


def _tell(done: asyncio.Future[int], outcome: int | BaseException) -> None:
    """Tell who waits how it ended, unless they have gone away."""
    if not done.done():
        if isinstance(outcome, BaseException):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)


def _give_up(done: asyncio.Future[int]) -> None:
    """Tell who has waited long enough."""
    late = f"the database did not answer for {PATIENCE:g} seconds"
    _tell(done, InDoubt(f"{late}: whether this was done, only it knows"))


class SqliteStore(Store):
    """See the module's text."""

    shared = False

    def __init__(self, path: str) -> None:
        self._path = path
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._listeners = Listeners()
        _must_be_private(path)
        try:
            writer = self._connect()
            _must_be_whole(writer, path)
            _migrate(writer)
            self._reader = self._connect()
        except sqlite3.Error as error:
            raise InputError(f"cannot use {path!r} as a database: {error}") from None
        self._damaged: Damaged | None = None
        self._place = Path(path)
        self._file = identity(self._place)
        """Which file it is that we have open."""
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
        _use_wal(db)
        db.execute("PRAGMA synchronous=FULL")
        return db

    async def close(self) -> None:
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        with self._reading:  # a reader whose asker has gone away may still be at it
            self._reader.close()

    # Writing

    async def commit(self, *appends: Append) -> None:
        news = tuple((one.log, one.step + len(one.lines)) for one in appends)
        await self._written(partial(_write_commit, appends), news)

    async def probe(self) -> None:
        await self._written(_write_nothing)

    async def forget(self, kind: str, before: int, most: int) -> int:
        return await self._written(partial(_delete, (kind, before, most)))

    async def _written(
        self, work: Callable[[sqlite3.Cursor], int], news: tuple[News, ...] = ()
    ) -> int:
        if self._damaged is not None:
            raise self._damaged
        if self._jobs.qsize() >= LONGEST_QUEUE:
            raise StoreAway(f"{LONGEST_QUEUE:,} commits wait for the database already")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[int] = loop.create_future()
        late = loop.call_later(PATIENCE, _give_up, done)
        self._jobs.put(_Job(work, news, loop, done))
        try:
            return await done
        finally:
            late.cancel()

    def _write(self, db: sqlite3.Connection) -> None:
        """The writer's thread: write group after group until it is stopped."""
        running, cursor = True, db.cursor()
        while running:
            group = [self._jobs.get()]
            while group[-1] is not None and len(group) < LARGEST_GROUP and not self._jobs.empty():
                group.append(self._jobs.get())
            running = group[-1] is not None
            self._write_group(cursor, [job for job in group if job is not None])
        db.close()

    def _write_group(self, db: sqlite3.Cursor, jobs: list[_Job]) -> None:
        try:
            self._must_be_in_its_place()
            db.execute("BEGIN IMMEDIATE")
            outcomes = [_done(job, db) for job in jobs]
            db.execute("COMMIT")
        except Exception as error:  # whatever it is, the writer must go on
            # Nothing of this group is durable, so nobody in it may be told that it is.
            with contextlib.suppress(sqlite3.Error):
                if db.connection.in_transaction:
                    db.execute("ROLLBACK")
            outcomes = [self._in_plain_words(error)] * len(jobs)
        ended: dict[asyncio.AbstractEventLoop, list[tuple[_Job, int | BaseException]]] = {}
        for job, outcome in zip(jobs, outcomes, strict=True):
            ended.setdefault(job.loop, []).append((job, outcome))
        for loop, those in ended.items():
            with contextlib.suppress(RuntimeError):  # that loop has gone away
                loop.call_soon_threadsafe(self._settle, those)

    def _settle(self, ended: list[tuple[_Job, int | BaseException]]) -> None:
        """In their loop: tell those who wait, and then, in the same round, who listens."""
        news: list[News] = []
        for job, outcome in ended:
            _tell(job.done, outcome)
            if not isinstance(outcome, BaseException):
                news += job.news
        if news:
            self._listeners.tell(*news)

    def _must_be_in_its_place(self) -> None:
        """Write nothing into a file that nobody will find again."""
        if identity(self._place) != self._file:
            raise StoreAway(
                f"the database {self._path!r} was moved away or replaced while it was in use"
            )

    def _in_plain_words(self, error: Exception) -> Exception:
        """Trouble with the disk or the file is the database's; any other error is our mistake."""
        if not isinstance(error, sqlite3.DatabaseError):
            return error
        if _is_damage(error):
            self._damaged = Damaged(_damage(self._path, error))
            return self._damaged
        kind = InDoubt if error.sqlite_errorname.startswith("SQLITE_IOERR") else StoreAway
        return kind(f"the database cannot be used: {error}")

    # Reading

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        def answer() -> T:
            with self._reading:
                try:
                    return question(self._reader)
                except sqlite3.Error as error:
                    raise self._in_plain_words(error) from None

        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.to_thread(answer)
        except TimeoutError:
            raise StoreAway(f"the database did not answer for {PATIENCE:g} seconds") from None

    async def read(self, log: str) -> Stored | None:
        return await self._ask(lambda db: _read(db, log))

    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        return await self._ask(lambda db: _lines(db, log, after, most))

    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        query = "SELECT id FROM logs WHERE kind = ? AND closed <= ? ORDER BY number"
        closed = 0 if open_only else 1
        return await self._ask(
            lambda db: [row[0] for row in db.execute(query, (kind, closed)).fetchall()]
        )

    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        query = """
            SELECT id FROM logs WHERE kind = ? AND closed = 0 AND seen < ? ORDER BY seen LIMIT ?
        """
        return await self._ask(
            lambda db: [row[0] for row in db.execute(query, (kind, before, most)).fetchall()]
        )

    async def count(self, kind: str) -> tuple[int, int]:
        query = "SELECT count(*), coalesce(sum(1 - closed), 0) FROM logs WHERE kind = ?"

        def counted(db: sqlite3.Connection) -> tuple[int, int]:
            every, still_open = db.execute(query, (kind,)).fetchone()
            return every, still_open

        return await self._ask(counted)

    def listen(self, hear: Hear) -> Callable[[], None]:
        """One process writes this file, so its own commits are all there is to hear."""
        return self._listeners.listen(hear)


def _must_be_private(path: str) -> None:
    """Create the file for its owner alone, or raise `InputError` if others can use it.

    SQLite gives its ``-wal`` and ``-shm`` files the mode of the database.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    except OSError as error:
        raise InputError(f"cannot use {path!r} as a database: {error.strerror}") from None
    if os.name == "nt":  # pragma: no cover - tests run elsewhere
        return
    wide = [name for name in (path, f"{path}-wal", f"{path}-shm") if _others_may(name)]
    if wide:
        raise InputError(
            f"others can read the database {path!r}, which holds the secrets of open games. If "
            f"nobody has read them yet, mend it with: chmod 600 {shlex.join(wide)}"
        )


def _others_may(path: str) -> bool:
    try:
        found = Path(path).stat().st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found) and bool(found & _OTHERS)


# Writing one commit


def _done(job: _Job, db: sqlite3.Cursor) -> int | BaseException:
    try:
        return job.work(db)
    except Conflict as conflict:
        return conflict


def _write_nothing(db: sqlite3.Cursor) -> int:
    """Set the schema's version to what it is."""
    db.execute(f"PRAGMA user_version = {VERSION}")
    return 0


def _write_commit(appends: tuple[Append, ...], db: sqlite3.Cursor) -> int:
    """Write a commit as a whole, or raise `Conflict`.

    Lines for one log are refused by the first statement. Anything else can fail halfway, and then
    goes back to a savepoint.
    """
    halfway = len(appends) > 1 or any(one.secrets or one.spent for one in appends)
    if halfway:
        db.execute("SAVEPOINT one")
    try:
        for append in appends:
            _append(db, append)
    except (sqlite3.IntegrityError, Conflict) as error:
        if halfway:
            db.execute("ROLLBACK TO one")
            db.execute("RELEASE one")
        if isinstance(error, Conflict):
            raise
        raise Conflict(f"somebody else wrote first: {error}") from None
    if halfway:
        db.execute("RELEASE one")
    return 0


def _append(db: sqlite3.Cursor, append: Append) -> None:
    step = append.step + len(append.lines)
    closed = int(append.closed)  # of a bool, Python would first ask how SQLite wants it
    if append.step == 0:
        new = (append.log, append.kind, step, closed, append.seen, append.clocks)
        row = db.execute(NEW, new).fetchone()
    else:
        grown = (step, append.clocks, closed, append.seen, append.log, append.step)
        row = db.execute(GROWN, grown).fetchone()
    if row is None:
        raise moved_on(append)
    (log,) = row
    if append.replaces:
        db.execute("DELETE FROM chunks WHERE log = ?", (log,))
    if append.lines:
        db.execute(CHUNK, (log, append.step + 1, b"".join(append.lines)))
    for secret in append.secrets:
        db.execute(SECRET, (log, *secret))
    for item in append.spent:
        db.execute(SPENT, (log, *item))
    if append.memory is not None:
        db.execute(MEMORY, (log, append.memory))


def _delete(which: tuple[str, int, int], db: sqlite3.Cursor) -> int:
    """Delete logs, with all that lies beside them; return their number."""
    numbers = db.execute(OLD, which).fetchall()
    for table, column in DELETED:
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)
    return len(numbers)


# The file


def identity(path: Path) -> tuple[int, int] | None:
    """Which file has this name now; ``None``: none has."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether the file itself is wrong: torn pages, no database, or not our tables."""
    missing = error.sqlite_errorname == "SQLITE_ERROR" and str(error).startswith("no such")
    return missing or error.sqlite_errorname.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def _damage(path: str, found: object) -> str:
    return (
        f"the database {path!r} is damaged ({found}). Stop the arena, put the file away, and make "
        f"a new one of your last backup: fairground restore COPY --database sqlite:///{path}"
    )


def _must_be_whole(db: sqlite3.Connection, path: str) -> None:
    """Refuse a corrupt file. The check ends after `CHECK` seconds, and says so."""
    began, told = time.monotonic(), False

    def goes_on_too_long() -> bool:
        nonlocal told
        took = time.monotonic() - began
        if took > SLOW and not told:
            told = True
            log.warning("checking the database %r takes up to %g seconds", path, CHECK)
        return took > CHECK

    db.set_progress_handler(goes_on_too_long, STEPS)
    try:
        found = [text for (text,) in db.execute("PRAGMA quick_check(1)")]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise InputError(_damage(path, error)) from None
        log.warning(
            "the database %r was checked in part only: `fairground backup` checks all of it", path
        )
        return
    finally:
        db.set_progress_handler(None, 0)
    if found != ["ok"]:
        raise InputError(_damage(path, "; ".join(" ".join(text.split()) for text in found)))


def _migrate(db: sqlite3.Connection) -> None:
    """In one transaction: the schema is what it was, or what we know; and one process at a time."""
    db.execute("BEGIN IMMEDIATE")
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        must_be_known(version)
        for statement in SCHEMA.split(";") if not version else ():
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.close()  # which undoes what was begun
        raise


def _use_wal(db: sqlite3.Connection) -> None:
    """While another process changes the mode of a file, SQLite gives up at once: wait for it."""
    until = time.monotonic() + BUSY / 1000
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(AGAIN)


def _read(db: sqlite3.Connection, name: str) -> Stored | None:
    db.execute("BEGIN")
    try:
        query = """
            SELECT number, kind, closed, seen, coalesce(clocks, x''), step FROM logs WHERE id = ?
        """
        row = db.execute(query, (name,)).fetchone()
        if row is None:
            return None
        log, kind, closed, seen, clocks, step = row
        chunks = db.execute("SELECT data FROM chunks WHERE log = ? ORDER BY first", (log,))
        lines = b"".join(data for (data,) in chunks).splitlines(keepends=True)
        vault = db.execute("SELECT name, secret, head FROM vault WHERE log = ?", (log,))
        secrets = tuple(Secret(*one) for one in vault.fetchall())
        spent = tuple(db.execute("SELECT name, head FROM spent WHERE log = ?", (log,)).fetchall())
        (memory,) = db.execute(
            "SELECT coalesce((SELECT data FROM memories WHERE log = ?), x'')", (log,)
        ).fetchone()
        held = tuple(lines), secrets, spent, seen, memory, clocks, step
        return Stored(name, kind, bool(closed), *held)
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
