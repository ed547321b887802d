"""The Player's notebook: private files that a client reads after a crash.

One file for each open game, replaced as a whole, so that it is either the old one or the new one.
Seeds are in it before the bet is signed, the order before it is sent. A seed is marked as told
before it leaves. When a game is over its file is deleted: the transcript is the record, the
notebook is only for open games.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from fairground.bank.crypto.signatures import Signature
from fairground.bank.messages import Bet, Domain
from fairground.bank.schemes import public_of, read_public
from fairground.bank.seeds import Seed
from fairground.core import FairgroundError, InputError, Unreadable

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


class Note(NamedTuple):
    """The notes of one game."""

    offer_id: str
    seeds: tuple[Seed, Seed]
    """The Player's own."""
    signed: tuple[Domain, Bet, Signature] | None = None
    """The bet; ``None`` while it has not been signed, and so nothing can come of it."""
    told: int = 0
    """Number of seeds that have left this program."""
    order: tuple[int, ...] | None = None
    """The one order of this game: no second one is ever signed."""
    order_signature: Signature | None = None

    def __repr__(self) -> str:
        """Without the seeds: what is shown may be logged."""
        return f"Note({self.offer_id!r}, told={self.told}, order={self.order})"

    @property
    def file_name(self) -> str:
        """The name of its file, from a commitment: that is public, and no other game has it."""
        return self.seeds[0].commitment.hex()[:32]

    def as_json(self) -> dict[str, Any]:
        """As it is written."""
        return {
            "offer": self.offer_id,
            "seeds": [seed.hex() for seed in self.seeds],
            "signed": None if self.signed is None else public_of(*self.signed),
            "told": self.told,
            "order": None if self.order is None else list(self.order),
            "order_signature": self.order_signature and self.order_signature.hex(),
        }

    @classmethod
    def from_json(cls, raw: Any) -> Self:
        """The inverse of `as_json`."""
        first, second = map(Seed.from_hex, raw["seeds"])
        return cls(
            str(raw["offer"]),
            (first, second),
            None if raw["signed"] is None else read_public(raw["signed"]),
            int(raw["told"]),
            None if raw["order"] is None else tuple(map(int, raw["order"])),
            raw["order_signature"] and Signature.from_hex(raw["order_signature"]),
        )


class Notebook:
    """Notes in memory only: for a chain that ends with this program."""

    def __init__(self) -> None:
        self._notes: dict[str, Note] = {}

    def write(self, note: Note) -> None:
        """Keep a note, in place of an older one of the same game; durable on return."""
        self._notes[note.file_name] = note

    def forget(self, note: Note) -> None:
        """The game is over."""
        self._notes.pop(note.file_name, None)

    def notes(self) -> Iterator[Note]:
        """All games that are not over."""
        yield from list(self._notes.values())

    def close(self) -> None:
        """Let others have it."""


class NotebookInUse(FairgroundError):
    """Two programs that play the same game would sign two orders for it."""

    code = "bank/notebook-in-use"
    exit = 2


def locked(path: Path) -> int:
    """Lock a folder of notes by this file, for one program at a time."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        import fcntl  # noqa: PLC0415 - not every system has it
    except ImportError:  # pragma: no cover
        return lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise NotebookInUse(
            f"another program is playing with this key (it holds {str(path)!r}): end it first"
        ) from None
    return lock


def sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, where folders can be synced at all."""
    if os.name == "nt":  # pragma: no cover - tests run elsewhere
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class FileNotebook(Notebook):
    """Notes in private files of one folder, for one program at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            self._lock = locked(folder / "lock")
        except OSError as error:
            raise InputError(f"cannot keep notes in {str(folder)!r}: {error.strerror}") from None
        for path in sorted(folder.glob("*.json")):
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            note = Note.from_json(json.loads(path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, FairgroundError) as error:
            raise Unreadable(
                f"the notes of an open game cannot be read: {str(path)!r} ({error}). Without them "
                "its stake is lost; move the file away to play on"
            ) from None
        super().write(note)

    def write(self, note: Note) -> None:
        path, fresh = self._path(note), self._path(note).with_suffix(".new")
        try:
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
            with os.fdopen(file, "w") as stream:
                json.dump(note.as_json(), stream)
                stream.flush()
                os.fsync(file)
            fresh.replace(path)
            sync_folder(self._folder)
        except OSError as error:
            raise InputError(
                f"the notes of the game cannot be written to {str(path)!r}: {error.strerror}"
            ) from None
        super().write(note)

    def forget(self, note: Note) -> None:
        super().forget(note)
        self._path(note).unlink(missing_ok=True)

    def close(self) -> None:
        os.close(self._lock)

    def _path(self, note: Note) -> Path:
        return self._folder / f"{note.file_name}.json"
