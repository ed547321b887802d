"""Where transcripts go: written line by line while the game goes on."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Final, Self

from fairground.core import InputError, Unreadable
from fairground.terminal.places import data_folder, data_path, path_of

if TYPE_CHECKING:
    from pathlib import Path

RECORDS: Final = "transcripts"

LARGEST: Final = 256 * 2**20
"""The most bytes of one file that are read."""


def add_saving(parser: argparse.ArgumentParser) -> None:
    """The options that every game takes."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--save",
        metavar="FILE",
        type=path_of,
        help="write the transcript to FILE (an old file of this name is replaced)",
    )
    where.add_argument("--no-save", action="store_true", help="keep no transcript")


def data_directory() -> Path:
    """Where transcripts are kept when the user names no file."""
    return data_folder() / RECORDS


@contextlib.contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """A file of at most `LARGEST` bytes, read as it is wanted; ``-`` is standard input.

    What is no regular file, such as a pipe, is read at once, for it can be read only once.
    """
    with contextlib.ExitStack() as stack:
        try:
            file = sys.stdin.buffer if name == "-" else stack.enter_context(open(name or ".", "rb"))
            if name == "-" or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file = io.BytesIO(file.read(LARGEST + 1))
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
        except (OSError, ValueError, AttributeError) as error:
            # Standard input may be closed, and then it is `None` or cannot be read.
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
    """The bytes of such a file."""
    with opened(name) as file:
        return file.read()


class Saved:
    """A transcript on its way to a file. Each line is written before the game goes on."""

    def __init__(self, options: argparse.Namespace, game: str, table: bytes) -> None:
        self.path: str | None = None
        self._file: IO[bytes] | None = None
        if not options.no_save:
            self._open(options.save, game, table)
        self.lost = False
        """Whether lines could not be written: what is on the disk is not the whole game."""
        from fairground.transcript import Transcript

        self.transcript = Transcript(self.write if self._file else None)

    def _open(self, wanted: Path | None, game: str, table: bytes) -> None:
        now = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        folder = os.path.join(data_path(), RECORDS)
        usual = os.path.join(folder, f"{game}-{now}-{table.hex()[:8]}.jsonl")
        path = usual if wanted is None else str(wanted)
        try:
            if wanted is None:
                os.makedirs(folder, exist_ok=True)
            self._file = open(path, "wb")  # noqa: SIM115
        except OSError as error:
            reason = f"the transcript cannot be written to {path}: {error.strerror or error}"
            if wanted is not None:
                raise InputError(reason) from None
            print(f"fairground: the game is not saved: {reason}", file=sys.stderr)
        else:
            self.path = path

    @classmethod
    def again(cls, path: str, data: bytes) -> Self:
        """A record that goes on behind ``data``; a last line without its end is cut off."""
        self = cls(argparse.Namespace(no_save=True), "", b"")
        self.path, self._file = path, open(path, "r+b")  # noqa: SIM115
        self._file.truncate(data.rfind(b"\n") + 1)
        self._file.seek(0, os.SEEK_END)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, line: bytes) -> None:
        """Write a line, or several; a disk that is full costs the record, not the game."""
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
        """The path as a shell wants it."""
        import shlex

        return shlex.quote(str(self.path))
