"""Logs in PostgreSQL: several workers and machines, one truth.

Commits that arrive while another is on its way are sent together in one
transaction, which costs one round of messages and one sync for all. PostgreSQL's row
locks decide between workers: a log is found at its expected step, or there is a
`Conflict`. Every commit is announced by NOTIFY, so that all workers hear of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Self

from fairground.core import InputError, MissingExtra
from fairground.store import LONGEST_LOG, Append, Conflict, Secret, Store, Stored, cut
from fairground.store.listeners import Listeners

try:
    import asyncpg
except ImportError:  # told when a store is opened
    asyncpg = None

MIGRATIONS: Final = (
    """
    CREATE TABLE logs (
        number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        closed BOOLEAN NOT NULL
    );
    CREATE INDEX logs_by_kind ON logs (kind, closed);
    CREATE TABLE chunks (
        log BIGINT NOT NULL,
        first INTEGER NOT NULL,
        data BYTEA NOT NULL,
        PRIMARY KEY (log, first)
    );
    CREATE TABLE vault (
        log BIGINT NOT NULL,
        name TEXT NOT NULL,
        secret BYTEA NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    );
    CREATE TABLE spent (
        log BIGINT NOT NULL,
        name TEXT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    );
    """,
    """
    ALTER TABLE logs ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;
    UPDATE logs SET seen = extract(epoch FROM now())::bigint;
    DROP INDEX logs_by_kind;
    CREATE INDEX logs_by_kind ON logs (kind, closed, seen);
    """,
)
"""The schema's versions, each as the step that leads to it. Only ever add to this."""

MIGRATING: Final = 0x66616972
"""The advisory lock that keeps two workers from migrating at once."""

CHANNEL: Final = "fairground"
LARGEST_GROUP: Final = 500

Job = tuple[tuple[Append, ...], "asyncio.Future[None]"]


class PostgresStore(Store):
    """See the module's text."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._waiting: list[Job] = []
        self._sender: asyncio.Task[None] | None = None
        self._listeners = Listeners()
        self._hearing: Any = None

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect, and bring the schema up to date, one worker at a time."""
        if asyncpg is None:
            raise MissingExtra("PostgreSQL needs asyncpg: install fairground[postgres]")
        try:
            pool = await asyncpg.create_pool(url, min_size=2, max_size=8)
        except (OSError, asyncpg.PostgresError, ValueError) as error:
            raise InputError(f"cannot connect to the database: {error}") from None
        async with pool.acquire() as db:
            await _migrate(db)
        self = cls(pool)
        self._hearing = await pool.acquire()
        await self._hearing.add_listener(CHANNEL, self._heard)
        return self

    def _heard(self, *message: Any) -> None:
        log, _, step = message[-1].rpartition(" ")
        self._listeners.tell(log, int(step))

    async def close(self) -> None:
        """Send what is waiting, then disconnect."""
        if self._sender is not None:
            await self._sender
        await self._hearing.remove_listener(CHANNEL, self._heard)
        await self._pool.release(self._hearing)
        await self._pool.close()

    # Writing

    async def commit(self, *appends: Append) -> None:
        """Join the group that is sent next, and wait until it is on the disk."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((appends, done))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send())
        await done

    async def _send(self) -> None:
        """Send group after group while anybody waits."""
        while self._waiting:
            group, self._waiting = self._waiting[:LARGEST_GROUP], self._waiting[LARGEST_GROUP:]
            try:
                async with self._pool.acquire() as db:
                    outcomes = await _write_group(db, [appends for appends, _ in group])
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                # Nothing of this group is durable, so nobody in it may be told that it is.
                outcomes = [error] * len(group)
            for (_, done), outcome in zip(group, outcomes, strict=True):
                if not done.done():
                    if outcome is None:
                        done.set_result(None)
                    else:
                        done.set_exception(outcome)
        self._sender = None

    # Reading

    async def read(self, log: str) -> Stored | None:
        """All of a log, at one moment."""
        if "\0" in log:
            return None  # PostgreSQL takes no text with this sign in it
        async with (
            self._pool.acquire() as db,
            db.transaction(isolation="repeatable_read", readonly=True),
        ):
            query = "SELECT number, kind, closed, seen FROM logs WHERE id = $1"
            row = await db.fetchrow(query, log)
            if row is None:
                return None
            number, kind, closed, seen = row
            chunks = await db.fetch("SELECT data FROM chunks WHERE log = $1 ORDER BY first", number)
            vault = await db.fetch("SELECT name, secret, head FROM vault WHERE log = $1", number)
            spent = await db.fetch("SELECT name, head FROM spent WHERE log = $1", number)
        lines = b"".join(data for (data,) in chunks).splitlines(keepends=True)
        secrets = tuple(Secret(*one) for one in vault)
        return Stored(log, kind, closed, tuple(lines), secrets, tuple(map(tuple, spent)), seen)

    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        """From the chunk on in which they begin."""
        if "\0" in log:
            return ()
        query = """
            WITH this AS (SELECT number FROM logs WHERE id = $1)
            SELECT first, data FROM chunks, this
            WHERE log = number
              AND first >= (SELECT max(first) FROM chunks, this
                            WHERE log = number AND first <= $2::int + 1)
              AND first <= $2::bigint + $3::bigint
            ORDER BY first
        """
        return cut(await self._pool.fetch(query, log, after, most or LONGEST_LOG), after, most)

    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """In the order of their making."""
        query = "SELECT id FROM logs WHERE kind = $1 AND NOT (closed AND $2) ORDER BY number"
        return [name for (name,) in await self._pool.fetch(query, kind, open_only)]

    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        """By the index of kinds, which has them in this order."""
        query = """
            SELECT id FROM logs WHERE kind = $1 AND NOT closed AND seen < $2 ORDER BY seen LIMIT $3
        """
        return [name for (name,) in await self._pool.fetch(query, kind, before, most)]

    async def count(self, kind: str) -> tuple[int, int]:
        """All, and the open ones."""
        query = "SELECT count(*), count(*) FILTER (WHERE NOT closed) FROM logs WHERE kind = $1"
        every, still_open = await self._pool.fetchrow(query, kind)
        return every, still_open

    def listen(self) -> AsyncIterator[tuple[str, int]]:
        """What NOTIFY tells: the commits of all workers."""
        return self._listeners.listen()


async def _migrate(db: Any) -> None:
    async with db.transaction():
        await db.execute("SELECT pg_advisory_xact_lock($1)", MIGRATING)
        await db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        version = await db.fetchval("SELECT coalesce(max(version), 0) FROM schema_version")
        if version > len(MIGRATIONS):
            raise InputError(
                "the database was written by a newer Fairground "
                f"(schema {version}, we know {len(MIGRATIONS)})"
            )
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            await db.execute(script)
            await db.execute("INSERT INTO schema_version VALUES ($1)", number)


async def _write_group(db: Any, commits: list[tuple[Append, ...]]) -> list[BaseException | None]:
    """One transaction for all; those that conflict are left out, each as a whole.

    The usual commit goes to one log that exists: all such are written by three statements
    together. Making a log, or writing to several at once, goes one by one.
    """
    usual = [i for i, commit in enumerate(commits) if len(commit) == 1 and commit[0].step]
    names = [commits[i][0].log for i in usual]
    if len(set(names)) != len(names):
        usual = []  # two commits to one log: the order decides, so go one by one
    try:
        return await _write(db, commits, usual)
    except asyncpg.UniqueViolationError:
        return await _write(db, commits, [])  # find the one with a secret that exists already


async def _write(
    db: Any, commits: list[tuple[Append, ...]], usual: list[int]
) -> list[BaseException | None]:
    outcomes: list[BaseException | None] = [None] * len(commits)
    async with db.transaction():
        if usual:
            await _write_together(db, [(i, commits[i][0]) for i in usual], outcomes)
        for i in sorted(set(range(len(commits))) - set(usual)):
            try:
                async with db.transaction():
                    for append in commits[i]:
                        await _append(db, append)
            except Conflict as conflict:
                outcomes[i] = conflict
            except asyncpg.UniqueViolationError as error:
                outcomes[i] = Conflict(f"somebody else wrote first: {error}")
        grown = [
            f"{append.log} {append.step + len(append.lines)}"
            for commit, outcome in zip(commits, outcomes, strict=True)
            if outcome is None
            for append in commit
        ]
        await db.execute("SELECT pg_notify($1, news) FROM unnest($2::text[]) news", CHANNEL, grown)
    return outcomes


async def _write_together(
    db: Any, appends: list[tuple[int, Append]], outcomes: list[BaseException | None]
) -> None:
    rows = await db.fetch(
        """
        UPDATE logs
        SET step = new.step, closed = new.closed, seen = greatest(logs.seen, new.seen)
        FROM (
            SELECT logs.id, wanted.step, wanted.closed, wanted.old, wanted.seen
            FROM unnest($1::text[], $2::int[], $3::int[], $4::bool[], $5::bigint[])
                AS wanted (id, old, step, closed, seen)
            JOIN logs ON logs.id = wanted.id ORDER BY logs.number FOR UPDATE OF logs
        ) AS new
        WHERE logs.id = new.id AND logs.step = new.old
        RETURNING logs.id, logs.number
        """,
        [append.log for _, append in appends],
        [append.step for _, append in appends],
        [append.step + len(append.lines) for _, append in appends],
        [append.closed for _, append in appends],
        [append.seen for _, append in appends],
    )
    numbers = dict(map(tuple, rows))
    written = []
    for i, append in appends:
        if append.log in numbers:
            written.append((numbers[append.log], append))
        else:
            outcomes[i] = Conflict(f"{append.log} is not at step {append.step} any more")
    await _write_contents(db, written)


async def _append(db: Any, append: Append) -> None:
    step = append.step + len(append.lines)
    if append.step == 0:
        query = """
            INSERT INTO logs (id, kind, step, closed, seen) VALUES ($1, $2, $3, $4, $5)
            RETURNING number
        """
        new = (append.log, append.kind, step, append.closed, append.seen)
        number = await db.fetchval(query, *new)
    else:
        query = """
            UPDATE logs SET step = $1, closed = $2, seen = greatest(seen, $3)
            WHERE id = $4 AND step = $5 RETURNING number
        """
        moved = (step, append.closed, append.seen, append.log, append.step)
        number = await db.fetchval(query, *moved)
    if number is None:
        raise Conflict(f"{append.log} is not at step {append.step} any more")
    await _write_contents(db, [(number, append)])


async def _write_contents(db: Any, written: list[tuple[int, Append]]) -> None:
    """Chunks, secrets and spendings of logs whose step has been moved already."""
    chunks = [(n, a.step + 1, b"".join(a.lines)) for n, a in written if a.lines]
    vault = [(n, *secret) for n, a in written for secret in a.secrets]
    spent = [(n, *one) for n, a in written for one in a.spent]
    for table, types, rows in (
        ("chunks", "$1::bigint[], $2::int[], $3::bytea[]", chunks),
        ("vault", "$1::bigint[], $2::text[], $3::bytea[], $4::text[]", vault),
        ("spent", "$1::bigint[], $2::text[], $3::text[]", spent),
    ):
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            await db.execute(f"INSERT INTO {table} SELECT * FROM unnest({types})", *columns)
