"""The user's files: where they belong, transcripts that grow line by line, and vaults.

A vault holds the house's secrets of a game that can be resumed. It is a private file of JSON lines:
first what is played, then each secret, and for which history a secret was opened. It is removed
when the game ends.

The owner of the files can copy them. So a *mark* beside each vault counts the opened secrets and
outlives the game. A vault that knows fewer is an old copy, and is refused. docs/terminal.md says
what this does not prevent.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Self

import platformdirs

from fairground.core import InputError, SecretReused, Unreadable
from fairground.fair.vault import MemoryVault
from fairground.transcript import Transcript

_NAME: Final = "fairground"


def data_folder() -> Path:
    """Return the folder for transcripts, secrets of open games and an arena's database."""
    return platformdirs.user_data_path(_NAME, appauthor=False)


def config_file() -> Path:
    """Return the path of the user's config file (see `options`)."""
    return platformdirs.user_config_path(_NAME, appauthor=False) / "config.toml"


LARGEST: Final = 256 * 2**20
"""Maximum size in bytes of a file that is read."""


def add_saving(parser: argparse.ArgumentParser) -> None:
    """Add ``--save`` and ``--no-save``."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--save",
        metavar="FILE",
        type=Path,
        help="write the transcript to FILE (an old file of this name is replaced)",
    )
    where.add_argument("--no-save", action="store_true", help="keep no transcript")


def data_directory() -> Path:
    """Return the folder of transcripts for which the user named no file."""
    return data_folder() / "transcripts"


def kept_records() -> list[Path]:
    """Return the transcripts of that folder, the newest first."""
    files = data_directory().glob("*.jsonl")
    return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)


@contextlib.contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Open a file of at most `LARGEST` bytes; ``-`` is standard input.

    A pipe can be read only once, so its content is read into memory.
    """
    with contextlib.ExitStack() as stack:
        try:
            file: IO[bytes] = (
                sys.stdin.buffer if name == "-" else stack.enter_context(Path(name).open("rb"))
            )
            if name == "-" or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = io.BytesIO(file.read(LARGEST + 1))
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
        except (OSError, ValueError, AttributeError) as error:
            # A closed standard input is `None` or cannot be read.
            raise _unreadable(name, error) from None
        if size > LARGEST:
            raise Unreadable(f"{name!r} is larger than {LARGEST // 2**20} MiB: no transcript is")
        try:
            yield file
        except OSError as error:
            raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> Unreadable:
    return Unreadable(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}")


def read_file(name: str) -> bytes:
    """Return the bytes of a file; see `opened`."""
    with opened(name) as file:
        return file.read()


class Saved:
    """A transcript that is written to a file, each line before the game goes on."""

    def __init__(self, options: argparse.Namespace, game: str, table: bytes) -> None:
        self.path: Path | None = None
        self._file: IO[bytes] | None = None
        if not options.no_save:
            self._open(options.save, game, table)
        self.lost = False
        """True if lines could not be written: the file does not hold the whole game."""
        self.transcript = Transcript(self.write if self._file else None)

    def _open(self, wanted: Path | None, game: str, table: bytes) -> None:
        now = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        path = wanted or data_directory() / f"{game}-{now}-{table.hex()[:8]}.jsonl"
        try:
            if wanted is None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb")
        except OSError as error:
            reason = f"the transcript cannot be written to {path}: {error.strerror or error}"
            if wanted is not None:
                raise InputError(reason) from None
            print(f"fairground: the game is not saved: {reason}", file=sys.stderr)
        else:
            self.path = path

    @classmethod
    def again(cls, path: Path, data: bytes) -> Self:
        """Open a record to append to it; cut off a last line without its end."""
        self = cls(argparse.Namespace(no_save=True), "", b"")
        self.path, self._file = path, path.open("r+b")
        self._file.truncate(data.rfind(b"\n") + 1)
        self._file.seek(0, os.SEEK_END)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, line: bytes) -> None:
        """Write one or several lines. On a full disk the game goes on without its record."""
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            print(
                f"fairground: the game is not saved any more: {self.path}: {error.strerror}",
                file=sys.stderr,
            )
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = self.path = None
            self.lost = True

    @property
    def quoted_path(self) -> str:
        return shlex.quote(str(self.path))


ENDING: Final = ".vault"
PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700


class VaultLabel(NamedTuple):
    """The first line of a vault: its game."""

    table: str
    """The table's name, in hex."""
    record: str
    """Path of its transcript."""
    command: str
    """The command that plays it, such as ``zombie``."""
    arguments: list[str]
    """The command line that it was begun with."""
    seed: str
    """The seed of the house players, in hex."""


def unfinished_directory() -> Path:
    """Return the folder of the vaults."""
    return data_folder() / "unfinished"


class InUse(InputError):
    """The game is being played in another window."""


class FileVault(MemoryVault):
    """A vault that outlives the process. Every call is on the disk before it returns."""

    lasting = True

    def __init__(self, path: Path, file: IO[bytes], label: VaultLabel) -> None:
        super().__init__()
        self.path = path
        self.label = label
        self._file = file
        self._mark = path.with_suffix(".mark")

    @classmethod
    def create(cls, label: VaultLabel) -> Self:
        """Create a vault that only this user can read."""
        folder = unfinished_directory()
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        path = folder / f"{label.table}{ENDING}"
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, PRIVATE_FILE)
        file = os.fdopen(made, "r+b")
        _lock(file)
        self = cls(path, file, label)
        self._write(label._asdict())
        return self

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a vault; raise `InUse` if another window has it, `SecretReused` for an old copy."""
        file = path.open("r+b")
        try:
            _lock(file)
            data = file.read()
            whole = data[: data.rfind(b"\n") + 1]  # a line without its end was never used
            if whole != data:
                file.truncate(len(whole))
            file.seek(0, os.SEEK_END)
            first, *rest = (json.loads(line) for line in whole.splitlines())
            self = cls(path, file, VaultLabel(**first))
            for line in rest:
                self._read(line)
        except (ValueError, TypeError, KeyError):
            file.close()
            raise InputError(f"{str(path)!r} is no vault of an unfinished game") from None
        except InUse:
            file.close()
            raise
        if len(self.spent) < self._marked():
            file.close()
            raise SecretReused(
                f"{str(path)!r} is an old copy. The game went on after the copy was made, so "
                "numbers that were secret then have been shown since"
            )
        return self

    def _read(self, line: Mapping[str, Any]) -> None:
        if "secret" in line:
            self.secrets[line["name"]] = (bytes.fromhex(line["secret"]), line["head"])
        else:
            self.spent[line["spent"]] = line["head"]

    def keep(self, name: str, secret: bytes, head: str) -> bytes:
        new = name not in self.secrets
        kept = super().keep(name, secret, head)
        if new:
            self._write({"name": name, "secret": kept.hex(), "head": head})
        return kept

    def spend(self, name: str, head: str) -> None:
        new = name not in self.spent
        super().spend(name, head)
        if new:
            self._write({"spent": name, "head": head})
            self._mark.write_text(f"{len(self.spent)}\n", encoding="ascii")

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _marked(self) -> int:
        """Return the number of opened secrets by the mark."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._mark.read_text(encoding="ascii"))
        return 0

    def close(self, *, over: bool) -> None:
        """Close the file, and remove it if the game is over."""
        if over:
            self.path.unlink(missing_ok=True)
        self._file.close()


def _lock(file: IO[bytes]) -> None:
    """Lock the file, or raise `InUse`. Do nothing where files cannot be locked."""
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse("this game is being played in another window") from None


def unfinished() -> list[FileVault]:
    """Open all vaults that can be opened, newest first. The caller closes them."""
    vaults = []
    for path in sorted(
        unfinished_directory().glob(f"*{ENDING}"), key=lambda p: p.stat().st_mtime, reverse=True
    ):
        with contextlib.suppress(InputError, SecretReused, OSError):
            vaults.append(FileVault.open(path))
    return vaults
