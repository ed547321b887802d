"""``fairground backup``: a copy of an arena's database, while the arena runs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from fairground.core import InputError
from fairground.store.lineage import A_COPY
from fairground.terminal.commands.arena.serve import default_database
from fairground.terminal.console import Arguments

SQLITE: Final = "sqlite:///"


def _arguments() -> Arguments:
    parser = Arguments(
        "backup",
        "Copy the database of an arena into a new file, while the arena runs.\n"
        "The copy is of one moment, complete and checked. It holds the secrets of all open games:\n"
        "only you can read it, and nobody else should.",
        "Examples:\n"
        "  fairground backup arena-copy.db\n"
        "  fairground backup arena-copy.db --database sqlite:///arena.db\n\n"
        "`fairground restore` makes it an arena's database again.\n"
        "A PostgreSQL has its own program: pg_dump -Fc.",
    )
    parser.add_argument("file", metavar="FILE", help="the new file")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="sqlite:///PATH (default: the file that `fairground serve` uses)",
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground backup``"""
    options = _arguments().parse_args(arguments)
    database = options.database or default_database()
    if not database.startswith(SQLITE):
        raise InputError(
            f"only an SQLite file is copied here, not {database!r}: for PostgreSQL, "
            "`pg_dump -Fc` makes a copy of one moment, and `pg_restore` brings it back"
        )
    source, copy = Path(database.removeprefix(SQLITE)), Path(options.file)
    if not source.is_file():
        raise InputError(f"there is no database {str(source)!r}")
    games = _copied(source, copy)
    print(f"{copy}: {copy.stat().st_size:,} bytes, {games:,} logs, checked.")
    return 0


def _copied(source: Path, copy: Path) -> int:
    """Copy in one step; how many logs the copy has.

    An arena that runs can write meanwhile: what it writes goes into the journal, and the copy is of
    the moment at which it was begun. In several steps, each would begin anew whenever something was
    written since the last one, and a large file that is in use would never be done.
    """
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise InputError(f"cannot make {str(copy)!r}: {error.strerror}") from None
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as here,
            closing(sqlite3.connect(copy)) as there,
        ):
            here.backup(there)
            there.execute("PRAGMA journal_mode=DELETE")
            there.execute(f"PRAGMA application_id = {A_COPY}")
            ((found,),) = there.execute("PRAGMA integrity_check(1)").fetchall()
            if found != "ok":
                raise InputError(f"the database {str(source)!r} is damaged: {found}")
            ((logs,),) = there.execute("SELECT count(*) FROM logs").fetchall()
            return int(logs)
    except (sqlite3.Error, InputError) as error:
        copy.unlink()
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot copy {str(source)!r}: {error}") from None
