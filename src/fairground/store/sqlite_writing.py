"""How SQLite is written to: a group of commits inside of one transaction.

Between two statements the writer has to ask Python for its turn, which can take
milliseconds while the arena is busy. So the usual commits of a group share their
statements; only the others have their own, each commit behind a savepoint. A commit that
is alone needs none of that: it is the transaction. All go through one cursor of the writer's:
to make one for each statement takes a third of the time of a small commit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from fairground.store import Append, Conflict, can_go_together, moved_on

DELETED: Final = (
    ("chunks", "log"),
    ("vault", "log"),
    ("spent", "log"),
    ("memories", "log"),
    ("logs", "number"),
)
"""Where a log is, and by what it is found."""

BUNCHES: Final = (64, 16, 4, 1)
"""How many rows a statement writes."""

NEW: Final = """
    INSERT INTO logs (id, kind, step, closed, seen, clocks) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING number
"""
GROWN: Final = """
    UPDATE logs SET step = ?, clocks = coalesce(?, clocks)
    WHERE id = ? AND step = ? AND closed = ? AND seen >= ? RETURNING number
"""
"""The usual growth: `closed` and `seen` stay as they are, and so their index is not written."""
MOVED: Final = """
    UPDATE logs SET step = ?, clocks = coalesce(?, clocks), closed = ?, seen = max(seen, ?)
    WHERE id = ? AND step = ? RETURNING number
"""
CHUNK: Final = "INSERT INTO chunks (log, first, data) VALUES (?, ?, ?)"
SECRET: Final = "INSERT INTO vault (log, name, secret, head) VALUES (?, ?, ?, ?)"
SPENT: Final = "INSERT INTO spent (log, name, head) VALUES (?, ?, ?)"
MEMORY: Final = "INSERT OR REPLACE INTO memories (log, data) VALUES (?, ?)"
"""One append, statement by statement."""

ALL_GROWN: Final = """
    WITH wanted (id, old, step, closed, seen, clocks) AS (VALUES {})
    UPDATE logs SET step = wanted.step, clocks = coalesce(wanted.clocks, logs.clocks)
    FROM wanted WHERE logs.id = wanted.id AND logs.step = wanted.old
        AND logs.closed = wanted.closed AND logs.seen >= wanted.seen
    RETURNING logs.id, logs.number
"""
ALL_MOVED: Final = """
    WITH wanted (id, old, step, closed, seen, clocks) AS (VALUES {})
    UPDATE logs SET step = wanted.step, clocks = coalesce(wanted.clocks, logs.clocks),
        closed = wanted.closed, seen = max(logs.seen, wanted.seen)
    FROM wanted WHERE logs.id = wanted.id AND logs.step = wanted.old
    RETURNING logs.id, logs.number
"""
"""The same for many at a time."""

Outcome = BaseException | None
"""Why a commit was not written; ``None``: it was."""


@dataclass
class Forget:
    """Logs to be deleted, and how many it were."""

    kind: str
    before: int
    most: int
    deleted: int = 0


def write_commits(db: sqlite3.Cursor, commits: list[tuple[Append, ...]]) -> list[Outcome]:
    """Write a group inside of one transaction; those that conflict are left out."""
    if len(commits) == 1:
        return [_write_lone(db, commits[0])]
    outcomes: list[Outcome] = [None] * len(commits)
    together = can_go_together(commits)
    db.execute("SAVEPOINT one")
    try:
        for i, append in _write_together(db, [(i, commits[i][0]) for i in together]):
            outcomes[i] = moved_on(append)
    except sqlite3.IntegrityError:
        together = []  # find the one with a secret that exists already
        db.execute("ROLLBACK TO one")
    db.execute("RELEASE one")
    for i in sorted(set(range(len(commits))) - set(together)):
        outcomes[i] = _write_commit(db, commits[i])
    return outcomes


def _write_lone(db: sqlite3.Cursor, appends: tuple[Append, ...]) -> Outcome:
    """Write the only commit of a transaction, or say why not: then all of it is undone."""
    outcome = _appended(db, appends)
    if outcome is not None:
        db.execute("ROLLBACK")
        db.execute("BEGIN IMMEDIATE")
    return outcome


def _write_commit(db: sqlite3.Cursor, appends: tuple[Append, ...]) -> Outcome:
    """Write one commit of several as a whole, or say why not."""
    db.execute("SAVEPOINT one")
    outcome = _appended(db, appends)
    if outcome is not None:
        db.execute("ROLLBACK TO one")
    db.execute("RELEASE one")
    return outcome


def _appended(db: sqlite3.Cursor, appends: tuple[Append, ...]) -> Outcome:
    """Write what can be written of a commit, or say why not."""
    try:
        for append in appends:
            _append(db, append)
    except sqlite3.IntegrityError as error:
        return Conflict(f"somebody else wrote first: {error}")
    except Conflict as conflict:
        return conflict
    return None


def _write_together(
    db: sqlite3.Cursor, appends: Sequence[tuple[int, Append]]
) -> list[tuple[int, Append]]:
    """Write appends to different logs; those whose log has moved on are given back."""
    new = [
        (a.log, a.kind, len(a.lines), int(a.closed), a.seen, a.clocks)
        for _, a in appends
        if not a.step
    ]
    grown = [
        (a.log, a.step, a.step + len(a.lines), int(a.closed), a.seen, a.clocks)
        for _, a in appends
        if a.step
    ]
    rows = _in_bulk(
        db,
        """
        INSERT INTO logs (id, kind, step, closed, seen, clocks) VALUES {}
        ON CONFLICT DO NOTHING RETURNING id, number
        """,
        new,
    )
    rows += _in_bulk(db, ALL_GROWN, grown)
    done = {log for log, _ in rows}
    rows += _in_bulk(db, ALL_MOVED, [one for one in grown if one[0] not in done])
    numbers: dict[str, int] = dict(rows)
    _write_contents(db, [(numbers[a.log], a) for _, a in appends if a.log in numbers])
    return [(i, a) for i, a in appends if a.log not in numbers]


def _append(db: sqlite3.Cursor, append: Append) -> None:
    step = append.step + len(append.lines)
    closed = int(append.closed)  # of a bool, Python would first ask how SQLite wants it
    if append.step == 0:
        new = (append.log, append.kind, step, closed, append.seen, append.clocks)
        row = db.execute(NEW, new).fetchone()
    else:
        place = (append.log, append.step)
        same = (step, append.clocks, *place, closed, append.seen)
        row = db.execute(GROWN, same).fetchone()
        if row is None:
            moved = (step, append.clocks, closed, append.seen, *place)
            row = db.execute(MOVED, moved).fetchone()
    if row is None:
        raise moved_on(append)
    (log,) = row
    if append.lines:
        db.execute(CHUNK, (log, append.step + 1, b"".join(append.lines)))
    for secret in append.secrets:
        db.execute(SECRET, (log, *secret))
    for item in append.spent:
        db.execute(SPENT, (log, *item))
    if append.memory is not None:
        db.execute(MEMORY, (log, append.memory))


def _write_contents(db: sqlite3.Cursor, written: list[tuple[int, Append]]) -> None:
    """Chunks, secrets and spendings of logs whose step has been moved already."""
    chunks = [(log, one.step + 1, b"".join(one.lines)) for log, one in written if one.lines]
    vault = [(log, *secret) for log, one in written for secret in one.secrets]
    spent = [(log, *item) for log, one in written for item in one.spent]
    memories = [(log, one.memory) for log, one in written if one.memory is not None]
    _in_bulk(db, "INSERT INTO chunks (log, first, data) VALUES {}", chunks)
    _in_bulk(db, "INSERT INTO vault (log, name, secret, head) VALUES {}", vault)
    _in_bulk(db, "INSERT INTO spent (log, name, head) VALUES {}", spent)
    _in_bulk(db, "INSERT OR REPLACE INTO memories (log, data) VALUES {}", memories)


def forget(db: sqlite3.Cursor, what: Forget) -> None:
    """Delete logs, with all that lies beside them."""
    query = "SELECT number FROM logs WHERE kind = ? AND seen < ? LIMIT ?"
    numbers = db.execute(query, (what.kind, what.before, what.most)).fetchall()
    what.deleted = len(numbers)
    for table, column in DELETED:
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)


def _in_bulk(db: sqlite3.Cursor, query: str, rows: Sequence[Sequence[Any]]) -> list[Any]:
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
