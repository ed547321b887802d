"""Write a group of commits to PostgreSQL: one transaction, if possible one statement.

A commit is written whole or not at all. One that conflicts is left out, and the others of its
group are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from fairground.registry import needs
from fairground.store import Append, Conflict, moved_on

with needs("postgres", "a PostgreSQL store"):
    import asyncpg

Outcome = BaseException | None


def can_go_together(commits: Sequence[Sequence[Append]]) -> list[int]:
    """Which commits of a group may be written by one statement, whatever their order.

    The usual commit goes to one log, and only adds to it. It may join the others like it, unless
    another commit of the group writes to the same log: then their order decides.
    """
    writers = Counter(append.log for commit in commits for append in commit)
    return [
        i
        for i, commit in enumerate(commits)
        if len(commit) == 1 and writers[commit[0].log] == 1 and not commit[0].replaces
    ]


async def write_group(db: Any, commits: list[tuple[Append, ...]]) -> list[Outcome]:
    """One transaction for all; those that conflict are left out, each as a whole."""
    together = can_go_together(commits)
    try:
        if len(together) == len(commits):
            outcomes: list[Outcome] = [None] * len(commits)
            for i, append in await _write_together(db, commits, together):
                outcomes[i] = moved_on(append)
            return outcomes
        return await _write(db, commits, together)
    except asyncpg.UniqueViolationError:
        # find the one with a secret that exists already
        return await _write(db, commits, [])


async def _write(db: Any, commits: list[tuple[Append, ...]], together: list[int]) -> list[Outcome]:
    outcomes: list[Outcome] = [None] * len(commits)
    async with db.transaction():
        for i, append in await _write_together(db, commits, together):
            outcomes[i] = moved_on(append)
        for i in sorted(set(range(len(commits))) - set(together)):
            try:
                async with db.transaction():
                    for append in commits[i]:
                        await _append(db, append)
            except Conflict as conflict:
                outcomes[i] = conflict
            except asyncpg.UniqueViolationError as error:
                outcomes[i] = Conflict(f"somebody else wrote first: {error}")
    return outcomes


TOGETHER: Final = """
    WITH wanted AS (
        SELECT *
        FROM unnest(
            $1::text[], $2::text[], $3::int[], $4::int[], $5::bool[], $6::bigint[], $7::bytea[],
            $8::bytea[]
        ) AS wanted (id, kind, old, step, closed, seen, data, clocks)
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
    ), kept AS (
        INSERT INTO chunks SELECT number, old + 1, data FROM written JOIN wanted USING (id)
        WHERE length(data) > 0
    ), locked_away AS (
        INSERT INTO vault SELECT number, name, secret, head
        FROM unnest($9::text[], $10::text[], $11::bytea[], $12::text[])
            AS s (id, name, secret, head)
        JOIN written USING (id)
    ), opened AS (
        INSERT INTO spent SELECT number, name, head
        FROM unnest($13::text[], $14::text[], $15::text[]) AS s (id, name, head)
        JOIN written USING (id)
    ), remembered AS (
        INSERT INTO memories SELECT number, memory.data
        FROM unnest($16::text[], $17::bytea[]) AS memory (id, data) JOIN written USING (id)
        ON CONFLICT (log) DO UPDATE SET data = excluded.data
    )
    SELECT id FROM written
"""
"""Many commits to one log each, in one statement. Logs are locked in one order by all."""


async def _write_together(
    db: Any, commits: list[tuple[Append, ...]], which: list[int]
) -> list[tuple[int, Append]]:
    """Write appends to different logs; those whose log has moved on are given back."""
    appends = [commits[i][0] for i in which]
    secrets = [(one.log, *secret) for one in appends for secret in one.secrets]
    spent = [(one.log, *item) for one in appends for item in one.spent]
    memories = [(one.log, one.memory) for one in appends if one.memory is not None]
    rows = await db.fetch(
        TOGETHER,
        [one.log for one in appends],
        [one.kind for one in appends],
        [one.step for one in appends],
        [one.step + len(one.lines) for one in appends],
        [one.closed for one in appends],
        [one.seen for one in appends],
        [b"".join(one.lines) for one in appends],
        [one.clocks for one in appends],
        *_columns(secrets, 4),
        *_columns(spent, 3),
        *_columns(memories, 2),
    )
    written = {log for (log,) in rows}
    return [(i, one) for i, one in zip(which, appends, strict=True) if one.log not in written]


def _columns(rows: list[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]


async def _append(db: Any, append: Append) -> None:
    step = append.step + len(append.lines)
    if append.step == 0:
        query = """
            INSERT INTO logs (id, kind, step, closed, seen, clocks) VALUES ($1, $2, $3, $4, $5, $6)
            RETURNING number
        """
        new = (append.log, append.kind, step, append.closed, append.seen, append.clocks)
        number = await db.fetchval(query, *new)
    else:
        query = """
            UPDATE logs SET step = $1, closed = $2, seen = greatest(seen, $3),
                clocks = coalesce($4, clocks)
            WHERE id = $5 AND step = $6 RETURNING number
        """
        moved = (step, append.closed, append.seen, append.clocks, append.log, append.step)
        number = await db.fetchval(query, *moved)
    if number is None:
        raise moved_on(append)
    if append.replaces:
        await db.execute("DELETE FROM chunks WHERE log = $1", number)
    if append.lines:
        chunk = (number, append.step + 1, b"".join(append.lines))
        await db.execute("INSERT INTO chunks VALUES ($1, $2, $3)", *chunk)
    if append.secrets:
        vault = [(number, *secret) for secret in append.secrets]
        await db.executemany("INSERT INTO vault VALUES ($1, $2, $3, $4)", vault)
    if append.spent:
        spent = [(number, *one) for one in append.spent]
        await db.executemany("INSERT INTO spent VALUES ($1, $2, $3)", spent)
    if append.memory is not None:
        query = """
            INSERT INTO memories VALUES ($1, $2)
            ON CONFLICT (log) DO UPDATE SET data = excluded.data
        """
        await db.execute(query, number, append.memory)
