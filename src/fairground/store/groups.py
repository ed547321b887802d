"""The common half of both stores: commits in groups, and every reading query.

Durable means one sync of the disk. Commits that arrive during a sync are written together in the
next transaction, and acknowledged together (*group commit*). Each is written as a whole or not at
all. Both databases understand the same queries, with ``$1`` for the first parameter.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from fairground.store import (
    Append,
    Hear,
    InDoubt,
    News,
    Secret,
    Store,
    StoreAway,
    Stored,
)

PATIENCE: Final = 10.0
"""Seconds that a database may take. After that it counts as away."""

LARGEST_GROUP: Final = 500
"""Maximum number of commits in one transaction."""

LONGEST_QUEUE: Final = 10_000
"""Maximum number of waiting commits. During an outage, abandoned commits stay in the queue."""

LONGEST_LOG: Final = 2**31 - 1
"""Maximum number of lines of a log."""

TABLES: Final = """
    CREATE TABLE logs (
        number {number},
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        closed BOOLEAN NOT NULL,
        seen BIGINT NOT NULL,
        clocks {bytes}
    );
    CREATE INDEX logs_by_kind ON logs (kind, closed, seen);
    CREATE TABLE chunks (
        log BIGINT NOT NULL,
        first INTEGER NOT NULL,
        data {bytes} NOT NULL,
        PRIMARY KEY (log, first)
    ){options};
    CREATE TABLE vault (
        log BIGINT NOT NULL,
        name TEXT NOT NULL,
        secret {bytes} NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    ){options};
    CREATE TABLE spent (
        log BIGINT NOT NULL,
        name TEXT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (log, name)
    ){options};
    CREATE TABLE memories (log {key} PRIMARY KEY, data {bytes} NOT NULL);
"""

BESIDE: Final = ("chunks", "vault", "spent", "memories")
"""The tables that hold the parts of a log, under its ``number``."""

OLD: Final = "SELECT number FROM logs WHERE kind = $1 AND seen < $2 LIMIT $3"

ROW: Final = """
    SELECT kind, closed, seen, clocks, step, (SELECT data FROM memories WHERE log = number)
    FROM logs WHERE id = $1
"""
CHUNKS: Final = "SELECT data FROM chunks JOIN logs ON log = number WHERE id = $1 ORDER BY first"
VAULT: Final = "SELECT name, secret, head FROM vault JOIN logs ON log = number WHERE id = $1"
SPENT: Final = "SELECT name, head FROM spent JOIN logs ON log = number WHERE id = $1"

LINES: Final = """
    WITH this AS (SELECT number FROM logs WHERE id = $1)
    SELECT first, data FROM chunks, this
    WHERE log = number
      AND first >= (SELECT max(first) FROM chunks, this
                    WHERE log = number AND first <= CAST($2 AS BIGINT) + 1)
      AND first <= CAST($2 AS BIGINT) + CAST($3 AS BIGINT)
    ORDER BY first
"""
LOGS: Final = "SELECT id FROM logs WHERE kind = $1 AND NOT (closed AND $2) ORDER BY number"
IDLE: Final = """
    SELECT id FROM logs WHERE kind = $1 AND closed = FALSE AND seen < $2 ORDER BY seen LIMIT $3
"""
COUNT: Final = "SELECT count(*), count(*) FILTER (WHERE NOT closed) FROM logs WHERE kind = $1"

Commit = tuple[Append, ...]
Outcome = BaseException | None
"""The reason why a commit was not written; ``None``: it was."""
Query = tuple[str, tuple[Any, ...]]
Rows = Sequence[Sequence[Any]]


class GroupStore(Store):
    """A store in a database of tables."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Commit, asyncio.Future[None]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._hearers: list[Hear] = []

    @abstractmethod
    async def _write_group(self, commits: Sequence[Commit]) -> Sequence[Outcome]:
        """Write commits in one transaction, without those that conflict."""

    @abstractmethod
    async def _rows(self, *queries: Query) -> Sequence[Rows]:
        """Return the rows of each query, all of one moment."""

    def _announce(self, news: Sequence[News]) -> None:
        """Tell other servers that these logs have grown."""

    async def close(self) -> None:
        """Write the commits that wait."""
        if self._writing is not None:
            await self._writing

    # Writing

    async def commit(self, *appends: Append) -> None:
        if len(self._waiting) >= LONGEST_QUEUE:
            raise StoreAway(f"{LONGEST_QUEUE:,} commits wait for the database already")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        late = loop.call_later(PATIENCE, _give_up, done)
        self._waiting.append((appends, done))
        if self._writing is None:
            self._writing = loop.create_task(self._write_all())
        try:
            await done
        finally:
            late.cancel()

    async def _write_all(self) -> None:
        """Write group after group while anybody waits."""
        while self._waiting:
            most = min(LARGEST_GROUP, len(self._waiting))
            group = [self._waiting.popleft() for _ in range(most)]
            outcomes: Sequence[Outcome]
            try:
                outcomes = await self._write_group([commit for commit, _ in group])
            except Exception as error:
                # Nothing of this group is known to be durable, so no caller may be told that it is.
                outcomes = [error] * len(group)
            news: list[News] = []
            for (commit, done), outcome in zip(group, outcomes, strict=True):
                if outcome is None:
                    news += [(one.log, one.step + len(one.lines)) for one in commit]
                if not done.done():
                    if outcome is None:
                        done.set_result(None)
                    else:
                        done.set_exception(outcome)
            if news:
                self._tell(*news)
                self._announce(news)
        self._writing = None

    # Hearing

    def listen(self, hear: Hear) -> Callable[[], None]:
        hearer = partial(hear)  # of two equal listeners, each stops alone
        self._hearers = [*self._hearers, hearer]

        def stop() -> None:
            self._hearers = [one for one in self._hearers if one is not hearer]

        return stop

    def _tell(self, *news: News) -> None:
        """Pass news on when the event loop comes round: after the callers of these commits."""
        asyncio.get_running_loop().call_soon(self._pass_on, news)

    def _pass_on(self, news: Sequence[News]) -> None:
        hearers = self._hearers
        for log, step in news:
            for hear in hearers:
                hear(log, step)

    # Reading

    async def read(self, log: str) -> Stored | None:
        queries = [(query, (log,)) for query in (ROW, CHUNKS, VAULT, SPENT)]
        found, chunks, vault, spent = await self._rows(*queries)
        if not found:
            return None
        kind, closed, seen, clocks, step, memory = found[0]
        return Stored(
            log,
            kind,
            bool(closed),
            tuple(b"".join(data for (data,) in chunks).splitlines(keepends=True)),
            tuple(Secret(*one) for one in vault),
            tuple((name, head) for name, head in spent),
            seen,
            memory or b"",
            clocks or b"",
            step,
        )

    async def lines(self, log: str, after: int = 0, most: int | None = None) -> tuple[bytes, ...]:
        (chunks,) = await self._rows((LINES, (log, after, most or LONGEST_LOG)))
        if not chunks:
            return ()
        lines = b"".join(data for _, data in chunks).splitlines(keepends=True)
        begin = after + 1 - chunks[0][0]
        return tuple(lines[begin : None if most is None else begin + most])

    async def logs(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        (rows,) = await self._rows((LOGS, (kind, open_only)))
        return [name for (name,) in rows]

    async def idle(self, kind: str, before: int, most: int) -> Sequence[str]:
        (rows,) = await self._rows((IDLE, (kind, before, most)))
        return [name for (name,) in rows]

    async def count(self, kind: str) -> tuple[int, int]:
        (((every, still_open),),) = await self._rows((COUNT, (kind,)))
        return every, still_open


def _give_up(done: asyncio.Future[None]) -> None:
    if not done.done():
        late = f"the database did not answer for {PATIENCE:g} seconds"
        done.set_exception(InDoubt(f"{late}: whether this was done, only it knows"))
