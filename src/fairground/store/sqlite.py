"""Logs in one SQLite file: one writer, many commits at a time.

Durable means ``synchronous=FULL`` in write-ahead mode: a commit is on the disk before it is
acknowledged. One thread writes and one thread reads, each over a connection of its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shlex
import sqlite3
import stat
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final, Self, TextIO, TypeVar

from fairground.core import InputError
from fairground.store import (
    VERSION,
    Append,
    Conflict,
    Damaged,
    InDoubt,
    StoreAway,
    moved_on,
    must_be_known,
)
from fairground.store.groups import (
    BESIDE,
    OLD,
    PATIENCE,
    TABLES,
    Commit,
    GroupStore,
    Outcome,
    Query,
    Rows,
)

SCHEMA: Final = TABLES.format(
    number="INTEGER PRIMARY KEY", key="INTEGER", bytes="BLOB", options=" WITHOUT ROWID"
)

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

BUSY: Final = 2000
"""Milliseconds to wait while another program holds the file."""

PRIVATE_FILE: Final = 0o600
_OTHERS: Final = 0o077

AGAIN: Final = 0.01
"""Seconds between two attempts to open a file whose mode another program changes."""

CHECK: Final = 30.0
"""Maximum number of seconds for the check of a file when it is opened."""

SLOW: Final = 3.0
"""Seconds after which the log says that a check goes on."""

STEPS: Final = 10_000
"""Instructions of SQLite between two looks at the clock."""

log = logging.getLogger("fairground.store")

T = TypeVar("T")


class SqliteStore(GroupStore):
    """A store in one file, for one process."""

    shared = False

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        _must_be_private(path)
        try:
            self._writer = self._connect()
            _must_be_whole(self._writer, path)
            _migrate(self._writer)
            self._reader = self._connect()
        except sqlite3.Error as error:
            raise InputError(f"cannot use {path!r} as a database: {error}") from None
        self._damaged: Damaged | None = None
        self._place = Path(path)
        self._file = identity(self._place)
        """The file that is open."""
        self._write_thread, self._read_thread = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open ``sqlite:///PATH``. Missing files and folders are made."""
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
        await super().close()
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        for thread in (self._write_thread, self._read_thread):
            thread.shutdown()  # a reader whose caller has gone may still be at it
        self._writer.close()
        self._reader.close()

    # Writing

    async def _write_group(self, commits: Sequence[Commit]) -> Sequence[Outcome]:
        loop = asyncio.get_running_loop()
        write = partial(self._in_transaction, partial(_write_commits, commits))
        return await loop.run_in_executor(self._write_thread, write)

    async def forget(self, kind: str, before: int, most: int) -> int:
        delete = partial(_delete, (kind, before, most))
        return await self._ask(self._write_thread, partial(self._in_transaction, delete))

    def _in_transaction(self, work: Callable[[sqlite3.Cursor], T]) -> T:
        if self._damaged is not None:
            raise self._damaged
        if identity(self._place) != self._file:  # write nothing into a file that nobody finds
            raise StoreAway(
                f"the database {self._path!r} was moved away or replaced while it was in use"
            )
        db = self._writer.cursor()
        try:
            db.execute("BEGIN IMMEDIATE")
            done = work(db)
            db.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                if self._writer.in_transaction:
                    db.execute("ROLLBACK")
            if isinstance(error, sqlite3.DatabaseError):
                raise self._in_plain_words(error) from None
            raise
        return done

    def _in_plain_words(self, error: sqlite3.DatabaseError) -> StoreAway:
        if _is_damage(error):
            self._damaged = Damaged(_damage(self._path, error))
            return self._damaged
        kind = InDoubt if error.sqlite_errorname.startswith("SQLITE_IOERR") else StoreAway
        return kind(f"the database cannot be used: {error}")

    # Reading

    async def _rows(self, *queries: Query) -> Sequence[Rows]:
        return await self._ask(self._read_thread, partial(self._answer, queries))

    def _answer(self, queries: Sequence[Query]) -> list[Rows]:
        try:
            self._reader.execute("BEGIN")
            try:
                return [
                    self._reader.execute(query.replace("$", "?"), values).fetchall()
                    for query, values in queries
                ]
            finally:
                self._reader.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise self._in_plain_words(error) from None

    async def _ask(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.get_running_loop().run_in_executor(thread, work)
        except TimeoutError:
            raise StoreAway(f"the database did not answer for {PATIENCE:g} seconds") from None


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


# Writing a group


def _write_commits(commits: Sequence[Commit], db: sqlite3.Cursor) -> list[Outcome]:
    return [_write_commit(commit, db) for commit in commits]


def _write_commit(commit: Commit, db: sqlite3.Cursor) -> Outcome:
    """Write a commit as a whole, or return the conflict.

    Lines for one log are refused by the first statement. Anything else can fail halfway, and then
    goes back to a savepoint.
    """
    halfway = len(commit) > 1 or any(one.secrets or one.spent for one in commit)
    conflict: Outcome = None
    if halfway:
        db.execute("SAVEPOINT one")
    try:
        for append in commit:
            _append(db, append)
    except Conflict as error:
        conflict = error
    except sqlite3.IntegrityError as error:
        conflict = Conflict(f"somebody else wrote first: {error}")
    if halfway and conflict is not None:
        db.execute("ROLLBACK TO one")
    if halfway:
        db.execute("RELEASE one")
    return conflict


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
    """Delete logs with all their parts; return the number of logs."""
    numbers = db.execute(OLD.replace("$", "?"), which).fetchall()
    for table in BESIDE:
        db.executemany(f"DELETE FROM {table} WHERE log = ?", numbers)
    db.executemany("DELETE FROM logs WHERE number = ?", numbers)
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


# Which file ran here last: so that an older copy is not taken for it
#
# An arena that starts on an older copy would play games on whose secrets have been told since. So
# each start and each stop of an arena puts a new random number into the file: the *mark*, SQLite's
# ``application_id``. The lock file beside it gets the same mark. A copy that is put in place of the
# file has an older mark, and is refused. Copies of `fairground backup` have a mark of their own.
#
# Two copies pass unseen: one made by hand and started elsewhere, and one made by hand since the
# last start, after a crash. Only files can be compared.


A_COPY: Final = 0x46474350
"""The mark of what `fairground backup` made."""

GONE: Final = "gone"
"""Beside no file: no mark is this."""


def mark_of(path: str) -> int:
    """The mark in a file; 0: it has none."""
    with closing(sqlite3.connect(path)) as db:
        (mark,) = db.execute("PRAGMA application_id").fetchone()
        return int(mark)


def put_mark(path: str, mark: int) -> None:
    """Mark a file, durably."""
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA application_id = {mark}")


def must_be_the_latest(path: str, beside: TextIO) -> None:
    """Refuse a file that is not the one which ran here last, as far as can be seen."""
    beside.seek(0)
    known, found = beside.read().split(), mark_of(path)
    how = f"fairground restore --database sqlite:///{path}"
    if found == A_COPY:
        raise InputError(
            f"{path!r} is a copy that `fairground backup` made. Since then secrets in it may have "
            f"been told. First end the games that were open then: {how}"
        )
    if known and str(found) not in known:
        raise InputError(
            f"{path!r} is not the database that ran here last, but an older copy of it, or another "
            "one. If it is a copy, secrets in it may have been told since. First end the games "
            f"that were open then: {how}"
        )


def must_not_be_missing(path: str) -> None:
    """Refuse to begin anew in the place of a file that ran here, and is gone."""
    beside = Path(f"{path}.lock")
    if not Path(path).exists() and beside.exists() and beside.read_text("ascii").strip():
        raise InputError(
            f"the database {path!r} ran here last, and is not there any more. Put it back, or "
            "`fairground restore` a copy of it there; or, to begin with an empty one, remove "
            f"'{beside}' too"
        )


def renew(path: str, beside: TextIO) -> None:
    """A new mark, first beside the file, then in it: a crash in between does no harm."""
    mark = secrets.randbelow(2**30) + 1
    try:
        _write(beside, f"{mark_of(path)} {mark}")
        put_mark(path, mark)
        _write(beside, f"{mark}")
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"cannot write to {path!r}, or beside it: {error}") from None


def disown(beside: TextIO) -> None:
    """The file was replaced while an arena ran on it: none that is there now is the latest."""
    _write(beside, GONE)


def _write(beside: TextIO, marks: str) -> None:
    beside.seek(0)
    beside.truncate()
    beside.write(f"{marks}\n")
    beside.flush()
