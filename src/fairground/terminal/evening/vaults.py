"""The house's secrets of a game that may go on later, in a private file.

A vault is a file of JSON lines in the user's data directory, for nobody else to read. Its first
line says what is played; each other line is a secret, or says for which history one was opened.
It is removed when the game ends.

Whoever owns the files can copy them. So a *mark* beside each vault counts how many secrets were
opened, and outlives the game: a vault that knows of fewer is an old copy, and is refused. What
that does not prevent is said in docs/terminal.md.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, Self

from fairground.core import InputError, SecretReused
from fairground.fair.vault import MemoryVault
from fairground.terminal.places import data_folder, data_path

if TYPE_CHECKING:
    from pathlib import Path

ENDING: Final = ".vault"
PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
UNFINISHED: Final = "unfinished"


class VaultLabel(NamedTuple):
    """What a vault is for."""

    table: str
    """The table's name, in hex."""
    record: str
    """Where its transcript is."""
    command: str
    """What plays it, such as ``zombie``."""
    arguments: list[str]
    """The command line that it was begun with."""
    seed: str
    """What the house's players draw from, in hex."""


def unfinished_directory() -> Path:
    """Where the vaults are."""
    return data_folder() / UNFINISHED


class InUse(InputError):
    """The game is being played in another window."""


class FileVault(MemoryVault):
    """A vault that outlives the program. Every call is on the disk before it returns."""

    def __init__(self, path: str, file: IO[bytes], label: VaultLabel) -> None:
        super().__init__()
        self.path = path
        self.label = label
        self._file = file
        self._mark = os.path.splitext(path)[0] + ".mark"

    @classmethod
    def create(cls, label: VaultLabel) -> Self:
        """A new vault, for this user alone."""
        folder = os.path.join(data_path(), UNFINISHED)
        os.makedirs(folder, PRIVATE_FOLDER, exist_ok=True)
        path = os.path.join(folder, f"{label.table}{ENDING}")
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, PRIVATE_FILE)
        file = os.fdopen(made, "r+b")
        _lock(file)
        self = cls(path, file, label)
        self._write(label._asdict())
        return self

    @classmethod
    def open(cls, path: Path) -> Self:
        """A vault that is there; refused if another window has it, or if it is an old copy."""
        file = path.open("r+b")
        try:
            _lock(file)
            data = file.read()
            whole = data[: data.rfind(b"\n") + 1]  # a line without its end was never used
            if whole != data:
                file.truncate(len(whole))
            file.seek(0, os.SEEK_END)
            first, *rest = (json.loads(line) for line in whole.splitlines())
            self = cls(str(path), file, VaultLabel(**first))
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
        """See `Vault.keep`."""
        new = name not in self.secrets
        kept = super().keep(name, secret, head)
        if new:
            self._write({"name": name, "secret": kept.hex(), "head": head})
        return kept

    def spend(self, name: str, head: str) -> None:
        """See `Vault.spend`."""
        new = name not in self.spent
        super().spend(name, head)
        if new:
            self._write({"spent": name, "head": head})
            with open(self._mark, "w", encoding="ascii") as mark:
                mark.write(f"{len(self.spent)}\n")

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _marked(self) -> int:
        """How many secrets have been opened, by the mark."""
        with contextlib.suppress(OSError, ValueError), open(self._mark, encoding="ascii") as mark:
            return int(mark.read())
        return 0

    def close(self, *, over: bool) -> None:
        """Let go of the file. A game that is over needs it no more."""
        if over:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
        self._file.close()


def _lock(file: IO[bytes]) -> None:
    """One window at a time; where files cannot be locked, nobody is stopped."""
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse("this game is being played in another window") from None


def unfinished() -> list[FileVault]:
    """The vaults that can be opened, the newest first. Whoever takes them closes them."""
    vaults = []
    for path in sorted(
        unfinished_directory().glob(f"*{ENDING}"), key=lambda p: p.stat().st_mtime, reverse=True
    ):
        with contextlib.suppress(InputError, SecretReused, OSError):
            vaults.append(FileVault.open(path))
    return vaults
