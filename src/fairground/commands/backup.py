"""``fairground backup`` and ``fairground restore``: copies of an arena's database."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from fairground.commands.serve import default_database
from fairground.core import InputError
from fairground.store.sqlite import A_COPY, PRIVATE_FILE
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


def run_backup(arguments: Sequence[str]) -> int:
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


def _restore_arguments() -> Arguments:
    parser = Arguments(
        "restore",
        "Make a copy of a database an arena's database again. The copy knows nothing of what came\n"
        "after it: codes that it hides may have been told since. So every game that was open in\n"
        "it is stopped, and counts for nobody; contests are closed with the results that it has.",
        "Examples:\n"
        "  fairground restore arena-copy.db --database sqlite:///arena.db    a new file\n"
        "  fairground restore --database sqlite:///arena.db                  copied there already\n"
        "  fairground restore --database postgresql://user@host/name         after pg_restore\n\n"
        "The arena must not run meanwhile. What was finished in the copy stays as it is.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="a copy of an SQLite file")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="the arena's database (default: the file that `fairground serve` uses)",
    )
    return parser


def run_restore(arguments: Sequence[str]) -> int:
    """``fairground restore``"""
    options = _restore_arguments().parse_args(arguments)
    from fairground.server.serve import restore

    database = options.database or default_database()
    if options.file is not None:
        _restore_copied(Path(options.file), database)
    elif database.startswith(SQLITE) and not Path(database.removeprefix(SQLITE)).is_file():
        raise InputError(f"there is no database {database.removeprefix(SQLITE)!r}")
    stopped = restore(database)
    print(
        "Restored. Stopped, since somebody may know their secrets: "
        f"{stopped.oracles:,} oracles and {stopped.tables:,} tables.\n"
        f"The Croupier tells no more seeds in: {stopped.hands:,} hands and "
        f"{stopped.sessions:,} sessions. The Bank ends them.\n"
        f"Closed, with the results of the copy: {stopped.contests:,} contests.\n"
        "Tell their players. Now the arena can be started."
    )
    return 0


def _restore_copied(copy: Path, database: str) -> None:
    if not database.startswith(SQLITE):
        raise InputError(
            f"a file cannot be copied to {database!r}: use pg_restore, then `fairground restore` "
            "without a file"
        )
    target = Path(database.removeprefix(SQLITE))
    if not copy.is_file():
        raise InputError(f"there is no file {str(copy)!r}")
    for there in (target, Path(f"{target}-wal")):
        if there.exists():
            raise InputError(
                f"{str(there)!r} is there already. Move it away first, with its -wal and -shm "
                "files: it may be all that is left of what came after the copy"
            )
    try:
        file = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
        with os.fdopen(file, "wb") as out, copy.open("rb") as source:
            shutil.copyfileobj(source, out)
    except OSError as error:
        raise InputError(
            f"cannot copy {str(copy)!r} to {str(target)!r}: {error.strerror}"
        ) from None
