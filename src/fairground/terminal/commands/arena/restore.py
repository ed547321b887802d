"""``fairground restore``: a copy becomes an arena's database again, and no secret is told twice."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from fairground.arena.restoring import restore
from fairground.core import InputError
from fairground.terminal.commands.arena.backup import SQLITE
from fairground.terminal.commands.arena.serve import default_database
from fairground.terminal.console import Arguments


def _arguments() -> Arguments:
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


def run(arguments: Sequence[str]) -> int:
    """``fairground restore``"""
    options = _arguments().parse_args(arguments)
    database = options.database or default_database()
    if options.file is not None:
        _copied(Path(options.file), database)
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


def _copied(copy: Path, database: str) -> None:
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
        shutil.copyfile(copy, target)
        target.chmod(0o600)
    except OSError as error:
        raise InputError(
            f"cannot copy {str(copy)!r} to {str(target)!r}: {error.strerror}"
        ) from None
