"""Which SQLite file ran here last: so that an older copy is not taken for it.

An arena that starts on an older copy would play games on whose secrets have been told since. So
each start and each stop of an arena puts a new random number into the file: the *mark*, SQLite's
``application_id``. The lock file beside it gets the same mark. A copy that is put in place of the
file has an older mark, and is refused. Copies of `fairground backup` have a mark of their own.

Two copies pass unseen: one made by hand and started elsewhere, and one made by hand since the last
start, after a crash. Only files can be compared.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, TextIO

from fairground.core import InputError

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
