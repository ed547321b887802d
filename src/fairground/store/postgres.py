"""Logs in PostgreSQL: several servers, one truth.

A group of commits goes out in one transaction, and if possible in one statement, which costs one
round of messages. PostgreSQL's row locks decide between servers: a log is found at its expected
step, or there is a `Conflict`.

NOTIFY announces every write to the other servers. The announcement is not part of the commit:
PostgreSQL lets only one transaction with a NOTIFY commit at a time, and would hold up every other
server during a sync. A server that dies in between announces nothing. So a server that opens the
database says so, and all others then drop what they have in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, Final, Self

from fairground.core import InputError
from fairground.fair.bits import token
from fairground.registry import needs
from fairground.store import (
    MISSED,
    VERSION,
    Append,
    Conflict,
    Damaged,
    InDoubt,
    News,
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

with needs("postgres", "a PostgreSQL store"):
    import asyncpg

TROUBLE: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that the server has just ended
)
"""Exceptions of asyncpg for a server that is away, slow, full or read-only."""

SCHEMA: Final = TABLES.format(
    number="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    key="BIGINT",
    bytes="BYTEA",
    options="",
)

MIGRATING: Final = 0x66616972
"""The advisory lock that keeps two workers from migrating at once."""

CORRUPTED: Final = ("XX001", "XX002")
"""The states of PostgreSQL for corrupt data, and for a corrupt index."""

CONNECTION_LOST: Final = "08"
TOLD_TO_STOP: Final = "57"
"""Prefixes of PostgreSQL's SQLSTATE that do not concern our statement."""

CHANNEL: Final = "fairground"

PLANS: Final = {
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
}
"""All our queries find their rows by an index. The planner does not know that: it has no
statistics of tables that are young and grow fast, and would read all logs for every group."""

AGAIN: Final = 0.5
"""Seconds until it is tried again to hear the others, when the connection for it broke."""

TELL: Final = "SELECT pg_notify($1, note) FROM unnest($2::text[]) note"

PAUSE: Final = 0.01
"""Seconds between two announcements, each of which covers many commits."""

MOST_NEWS: Final = 100_000
"""With more than this to tell, the others are only told that there is something."""

LONGEST_PAYLOAD: Final = 7_500
"""Characters of one notification; PostgreSQL takes less than 8,000."""


class PostgresStore(GroupStore):
    """A store in a PostgreSQL, for several servers."""

    def __init__(self, pool: Any, url: str) -> None:
        super().__init__()
        self._pool = pool
        self._url = url
        self._hearing: Any = None
        self._hearing_again: asyncio.Task[None] | None = None
        self._writer: Any = None
        self._untold: list[News] = []
        """Logs that have grown, which the other servers have not heard of."""
        self._teller: asyncio.Task[None] | None = None
        self._name = token()
        """The sender of our notifications."""

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect, and bring the schema up to date, one worker at a time."""
        try:
            pool = await asyncpg.create_pool(url, min_size=2, max_size=8, server_settings=PLANS)
        except (OSError, asyncpg.PostgresError, ValueError) as error:
            raise InputError(f"cannot connect to the database: {error}") from None
        try:
            async with pool.acquire() as db:
                await _migrate(db)
        except InputError:
            await pool.close()
            raise
        except asyncpg.PostgresError as error:
            await pool.close()
            raise InputError(f"cannot bring the database up to date: {error}") from None
        self = cls(pool, url)
        await self._hear()
        await self._hearing.execute(TELL, CHANNEL, [self._name])  # of nothing in particular
        return self

    # Hearing

    async def _hear(self) -> None:
        """Hear what the others write, over a connection of its own."""
        self._hearing = hearing = await asyncpg.connect(self._url)
        hearing.add_termination_listener(self._deaf)
        await hearing.add_listener(CHANNEL, self._heard)

    def _deaf(self, _: Any) -> None:
        """Note that the connection broke: news until the next connection are lost."""
        if self._hearing_again is None or self._hearing_again.done():
            self._hearing_again = asyncio.create_task(self._hear_again())

    async def _hear_again(self) -> None:
        while self._hearing.is_closed():
            try:
                await self._hear()
            except TROUBLE:
                self._hearing.terminate()
                await asyncio.sleep(AGAIN)
        self._tell(MISSED)

    def _heard(self, *message: Any) -> None:
        sender, *logs = message[-1].split("\n")
        if sender != self._name:
            news = (log.rpartition(" ") for log in logs)
            self._tell(*((log, int(step)) for log, _, step in news) if logs else [MISSED])

    # Telling

    def _announce(self, news: Sequence[News]) -> None:
        self._untold += news
        if self._teller is None:
            self._teller = asyncio.create_task(self._tell_others())

    async def _tell_others(self) -> None:
        """Tell the others what has grown, over the connection on which we hear them."""
        while self._untold:
            news, self._untold = self._untold, []
            notes = _payloads(self._name, news) if len(news) < MOST_NEWS else [self._name]
            try:
                with _in_time(self._hearing):
                    await self._hearing.execute(TELL, CHANNEL, notes)
                await asyncio.sleep(PAUSE)
            except TROUBLE:
                self._untold = news + self._untold
                await asyncio.sleep(AGAIN)
        self._teller = None

    async def close(self) -> None:
        await super().close()
        if (teller := self._teller) is not None:
            await asyncio.wait([teller], timeout=AGAIN)
            teller.cancel()
        await self._let_writer_go()
        if self._hearing_again is not None:
            self._hearing_again.cancel()
            await asyncio.wait([self._hearing_again])
        self._hearing.remove_termination_listener(self._deaf)
        self._hearing.terminate()  # it may be broken just now, and owes us nothing
        try:
            await asyncio.wait_for(self._pool.close(), PATIENCE)
        except TROUBLE:
            self._pool.terminate()

    # Writing

    async def _write_group(self, commits: Sequence[Commit]) -> Sequence[Outcome]:
        """Write over one connection while it lasts."""
        try:
            if self._writer is not None and _is_gone(self._writer):
                await self._let_writer_go()
            if self._writer is None:
                self._writer = await self._pool.acquire(timeout=PATIENCE)
            with _in_time(self._writer):
                return await write_group(self._writer, commits)
        except asyncpg.DeadlockDetectedError as error:
            # Two servers waited for each other, and PostgreSQL undid all of ours.
            return [Conflict(f"somebody else wrote first: {error}")] * len(commits)
        except Exception as error:
            told = self._in_plain_words(error)
            await self._let_writer_go(cut=True)  # nobody should get it again
            raise told from None

    def _in_plain_words(self, error: Exception) -> Exception:
        """Return the error of a group. If the server refused it, then nothing was done."""
        if not isinstance(error, TROUBLE):
            return error
        state = getattr(error, "sqlstate", None) or CONNECTION_LOST
        if state in CORRUPTED:
            return _damaged(error)
        if self._writer is None or not state.startswith((CONNECTION_LOST, TOLD_TO_STOP)):
            return StoreAway(f"the database cannot be written to: {_reason(error)}")
        return InDoubt(
            f"the database went away in the middle ({_reason(error)}): whether this was done, "
            "only it knows"
        )

    async def _let_writer_go(self, *, cut: bool = False) -> None:
        """Release the connection, whatever its errors: every commit waits for the writer."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if cut:
            with contextlib.suppress(Exception):
                writer.terminate()
        with contextlib.suppress(Exception):
            await self._pool.release(writer, timeout=PATIENCE)

    async def forget(self, kind: str, before: int, most: int) -> int:
        async with self._reader() as db, db.transaction():
            numbers = [
                number for (number,) in await db.fetch(f"{OLD} FOR UPDATE", kind, before, most)
            ]
            for table, column in (*((beside, "log") for beside in BESIDE), ("logs", "number")):
                await db.execute(f"DELETE FROM {table} WHERE {column} = ANY($1::bigint[])", numbers)
        return len(numbers)

    # Reading

    @contextlib.asynccontextmanager
    async def _reader(self) -> AsyncIterator[Any]:
        """A connection of the pool, for a bounded time."""
        try:
            db = await self._pool.acquire(timeout=PATIENCE)
            try:
                with _in_time(db):
                    yield db
            except asyncio.CancelledError:
                db.terminate()  # who gave up waiting need not wait until the server has heard of it
                raise
            finally:
                await self._pool.release(db, timeout=PATIENCE)
        except TROUBLE as error:
            if getattr(error, "sqlstate", None) in CORRUPTED:
                raise _damaged(error) from None
            raise StoreAway(f"the database does not answer: {_reason(error)}") from None

    async def _rows(self, *queries: Query) -> Sequence[Rows]:
        if any("\0" in value for _, values in queries for value in values if type(value) is str):
            return [()] * len(queries)  # PostgreSQL takes no text with this character
        async with self._reader() as db:
            if len(queries) == 1:
                return [await db.fetch(query, *values) for query, values in queries]
            async with db.transaction(isolation="repeatable_read", readonly=True):
                return [await db.fetch(query, *values) for query, values in queries]


@contextlib.contextmanager
def _in_time(db: Any) -> Iterator[None]:
    """Cut a connection that takes too long: what waits for it then ends with an error."""
    cut_off = asyncio.get_running_loop().call_later(PATIENCE, db.terminate)
    try:
        yield
    finally:
        cut_off.cancel()


def _is_gone(db: Any) -> bool:
    """Return true if a connection of the pool cannot be used any more."""
    try:
        return bool(db.is_closed())
    except asyncpg.InterfaceError:  # it was cut, and the pool has taken it back
        return True


def _damaged(error: BaseException) -> Damaged:
    return Damaged(
        f"the database is damaged ({_reason(error)}). Stop the arena, and go back to your last "
        "backup: pg_restore, and then fairground restore --database URL"
    )


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


async def _migrate(db: Any) -> None:
    """In one transaction: the schema is what it was, or what we know; and one worker at a time."""
    async with db.transaction():
        await db.execute("SELECT pg_advisory_xact_lock($1)", MIGRATING)
        await db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        version = await db.fetchval("SELECT coalesce(max(version), 0) FROM schema_version")
        must_be_known(version)
        if not version:
            await db.execute(SCHEMA)
            await db.execute("INSERT INTO schema_version VALUES ($1)", VERSION)


def _payloads(sender: str, news: Iterable[News]) -> list[str]:
    """Return the announcements: the sender, and one line per log, in as few notes as possible."""
    notes: list[str] = []
    for log, step in news:
        line = f"\n{log} {step}"
        if not notes or len(notes[-1]) + len(line) > LONGEST_PAYLOAD:
            notes.append(sender)
        notes[-1] += line
    return notes


# Writing a group of commits
#
# A commit is written whole or not at all. One that conflicts is left out, and the others of its
# group are written.


def can_go_together(commits: Sequence[Commit]) -> list[int]:
    """Return which commits of a group may be written by one statement, whatever their order.

    The usual commit goes to one log. It may join the others like it, unless another commit of the
    group writes to the same log: then their order decides.
    """
    writers = Counter(append.log for commit in commits for append in commit)
    return [
        i for i, commit in enumerate(commits) if len(commit) == 1 and writers[commit[0].log] == 1
    ]


async def write_group(db: Any, commits: Sequence[Commit]) -> list[Outcome]:
    """Write a group in one transaction, if possible by one statement."""
    together = can_go_together(commits)
    try:
        if len(together) == len(commits):
            stale = await _write(db, [one for (one,) in commits])
            return [moved_on(one) if one.log in stale else None for (one,) in commits]
        return await _write_in_order(db, commits, together)
    except asyncpg.UniqueViolationError:
        # find the one with a secret that exists already
        return await _write_in_order(db, commits, [])


async def _write_in_order(
    db: Any, commits: Sequence[Commit], together: Sequence[int]
) -> list[Outcome]:
    outcomes: list[Outcome] = [None] * len(commits)
    async with db.transaction():
        stale = await _write(db, [commits[i][0] for i in together])
        for i in together:
            outcomes[i] = moved_on(commits[i][0]) if commits[i][0].log in stale else None
        for i in sorted({*range(len(commits))} - {*together}):
            try:
                async with db.transaction():
                    for append in commits[i]:
                        if await _write(db, [append]):
                            raise moved_on(append)
            except Conflict as conflict:
                outcomes[i] = conflict
            except asyncpg.UniqueViolationError as error:
                outcomes[i] = Conflict(f"somebody else wrote first: {error}")
    return outcomes


WRITE: Final = """
    WITH wanted AS (
        SELECT *
        FROM unnest(
            $1::text[], $2::text[], $3::int[], $4::int[], $5::bool[], $6::bigint[], $7::bytea[],
            $8::bytea[], $9::bool[]
        ) AS wanted (id, kind, old, step, closed, seen, data, clocks, replaces)
    ), made AS (
        INSERT INTO logs (id, kind, step, closed, seen, clocks)
        SELECT id, kind, step, closed, seen, clocks FROM wanted WHERE old = 0
        ON CONFLICT DO NOTHING RETURNING number, id
    ), locked AS (
        SELECT logs.number, wanted.* FROM wanted JOIN logs ON logs.id = wanted.id
        WHERE wanted.old > 0 ORDER BY logs.number FOR UPDATE OF logs
    ), moved AS (
        UPDATE logs SET step = locked.step, closed = locked.closed,
            seen = greatest(logs.seen, locked.seen), clocks = coalesce(locked.clocks, logs.clocks)
        FROM locked WHERE logs.number = locked.number AND logs.step = locked.old
        RETURNING logs.number, logs.id
    ), written AS (
        SELECT * FROM made UNION ALL SELECT * FROM moved
    ), cleared AS (
        DELETE FROM chunks USING moved, wanted
        WHERE chunks.log = moved.number AND wanted.id = moved.id AND wanted.replaces
    ), kept AS (
        INSERT INTO chunks SELECT number, old + 1, data FROM written JOIN wanted USING (id)
        WHERE length(data) > 0
    ), locked_away AS (
        INSERT INTO vault SELECT number, name, secret, head
        FROM unnest($10::text[], $11::text[], $12::bytea[], $13::text[])
            AS s (id, name, secret, head)
        JOIN written USING (id)
    ), opened AS (
        INSERT INTO spent SELECT number, name, head
        FROM unnest($14::text[], $15::text[], $16::text[]) AS s (id, name, head)
        JOIN written USING (id)
    ), remembered AS (
        INSERT INTO memories SELECT number, memory.data
        FROM unnest($17::text[], $18::bytea[]) AS memory (id, data) JOIN written USING (id)
        ON CONFLICT (log) DO UPDATE SET data = excluded.data
    )
    SELECT id FROM written
"""
"""Appends to different logs, in one statement. Logs are locked in one order by all."""


async def _write(db: Any, appends: Sequence[Append]) -> set[str]:
    """Write appends to different logs; return the logs that have moved on."""
    secrets = [(one.log, *secret) for one in appends for secret in one.secrets]
    spent = [(one.log, *item) for one in appends for item in one.spent]
    memories = [(one.log, one.memory) for one in appends if one.memory is not None]
    rows = await db.fetch(
        WRITE,
        [one.log for one in appends],
        [one.kind for one in appends],
        [one.step for one in appends],
        [one.step + len(one.lines) for one in appends],
        [one.closed for one in appends],
        [one.seen for one in appends],
        [b"".join(one.lines) for one in appends],
        [one.clocks for one in appends],
        [one.replaces for one in appends],
        *_columns(secrets, 4),
        *_columns(spent, 3),
        *_columns(memories, 2),
    )
    return {one.log for one in appends} - {log for (log,) in rows}


def _columns(rows: list[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]
