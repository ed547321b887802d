"""The Player's notes: private files that a client reads after a crash.

A single game has a file that is replaced as a whole, so that it is either the old one or the new
one. Seeds are in it before the bet is signed, the order before it is sent. A seed is marked as told
before it leaves. When the game is over its file is deleted: the transcript is the record.

A session has a file to which lines are only added (`session.page` lists them). Each is on the disk
before its message leaves the program. A last line that was cut off by a crash was never sent. The
file stays when the session is closed: it holds all hands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from fairground.bank.calls import (
    ORDER,
    SEED,
    SIGNATURE,
    UINT8,
    Fields,
    FieldType,
    as_json,
    from_json,
    optional,
    pair,
)
from fairground.bank.crypto.signatures import Signature
from fairground.bank.messages import Bet, Domain, Signer
from fairground.bank.schemes import public_of, read_public
from fairground.bank.seeds import Seed
from fairground.bank.session.page import Line, SessionPage
from fairground.core import FairgroundError, InputError, Unreadable, whole, written
from fairground.transcript import canonical

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
        # Without the seeds: what is shown may be logged.
        return f"Note({self.offer_id!r}, told={self.told}, order={self.order})"

    @property
    def file_name(self) -> str:
        """The name of its file, from a commitment: that is public, and no other game has it."""
        return self.seeds[0].commitment.hex()[:32]

    def as_json(self) -> dict[str, Any]:
        return as_json(NOTE, self)

    @classmethod
    def from_json(cls, raw: Any) -> Self:
        return cls(*from_json(NOTE, raw))


NOTE: Final[Fields] = {
    "offer": FieldType(str, lambda value, _: str(value)),
    "seeds": pair(SEED),
    "signed": optional(FieldType(lambda it: public_of(*it), lambda value, _: read_public(value))),
    "told": UINT8,
    "order": optional(ORDER),
    "order_signature": optional(SIGNATURE),
}
"""The members of a note in its file."""


class Notebook:
    """Notes in memory only: for a chain that ends with this program."""

    def __init__(self) -> None:
        self._notes: dict[str, Note] = {}

    def write(self, note: Note) -> None:
        """Keep a note, in place of an older one of the same game; durable on return."""
        self._notes[note.file_name] = note

    def forget(self, note: Note) -> None:
        self._notes.pop(note.file_name, None)

    def notes(self) -> Iterator[Note]:
        yield from list(self._notes.values())

    def close(self) -> None:
        """Let others have it."""


class NotebookInUse(FairgroundError):
    """Two programs that play the same game would sign two orders for it."""

    code = "bank/notebook-in-use"
    exit = 2


def sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, where folders can be synced at all."""
    if os.name == "nt":  # pragma: no cover - tests run elsewhere
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class _PrivateFolder:
    """A folder of notes that only its owner can read, for one program at a time."""

    def __init__(self, folder: Path, what: str) -> None:
        self._folder, self._what = folder, what
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            self._lock = self._locked(folder / "lock")
        except OSError as error:
            raise InputError(f"cannot keep notes in {str(folder)!r}: {error.strerror}") from None

    @staticmethod
    def _locked(path: Path) -> int:
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

    def write(self, path: Path, data: bytes, *, more: bool = False) -> None:
        """Replace a file as a whole, or add to it (``more``); durable on return."""
        to, how = (path, os.O_APPEND) if more else (path.with_suffix(".new"), os.O_TRUNC)
        new = not path.exists()
        try:
            opened = os.open(to, os.O_WRONLY | os.O_CREAT | how, PRIVATE_FILE)
            with os.fdopen(opened, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(opened)
            if not more:
                to.replace(path)
            if new or not more:
                sync_folder(self._folder)
        except OSError as error:
            raise InputError(
                f"the notes of the {self._what} cannot be written to {str(path)!r}: "
                f"{error.strerror}"
            ) from None

    def close(self) -> None:
        os.close(self._lock)


class FileNotebook(Notebook):
    """Notes in private files of one folder, for one program at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder, self._files = folder, _PrivateFolder(folder, "game")
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
        self._files.write(self._path(note), json.dumps(note.as_json()).encode())
        super().write(note)

    def forget(self, note: Note) -> None:
        super().forget(note)
        self._path(note).unlink(missing_ok=True)

    def close(self) -> None:
        self._files.close()

    def _path(self, note: Note) -> Path:
        return self._folder / f"{note.file_name}.json"


class SessionNotes:
    """Notes in memory only: for a Bank that ends with this program."""

    def open(self, page: SessionPage, line: Line) -> None:
        """Keep a new session, with its first line; durable on return."""

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        """Keep more lines; durable on return."""

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        """Yield the sessions at this Bank that are not closed."""
        yield from ()

    def close(self) -> None:
        """Let others have them."""


class FileNotes(SessionNotes):
    """Notes of sessions in private files of one folder, for one program at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, _PrivateFolder(folder, "session")

    def _path(self, page: SessionPage) -> Path:
        return self._folder / f"{page.name.hex()}.session"

    def open(self, page: SessionPage, line: Line) -> None:
        place = {"chain": written(page.domain.chain_id), "bank": page.domain.bank}
        self._append(page, [{**place, **line}])

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        self._append(page, lines)

    def _append(self, page: SessionPage, lines: Sequence[Line]) -> None:
        data = b"".join(canonical(line) + b"\n" for line in lines)
        self._files.write(self._path(page), data, more=True)

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        for path in sorted(self._folder.glob("*.session")):
            lines = self._read(path)
            if not lines or lines[-1]["kind"] == "closed":
                continue
            first = lines[0]
            if Domain(whole(first["chain"], "chain"), str(first["bank"])) == domain:
                yield SessionPage.read(domain, Signer.PLAYER, lines)

    def _read(self, path: Path) -> list[dict[str, Any]]:
        try:
            data = path.read_bytes()
            whole_lines = data[: data.rfind(b"\n") + 1]
            if len(whole_lines) < len(data):
                os.truncate(path, len(whole_lines))
            return [json.loads(line) for line in whole_lines.splitlines()]
        except (OSError, ValueError, KeyError, TypeError, FairgroundError) as error:
            raise Unreadable(
                f"the notes of an open session cannot be read: {str(path)!r} ({error}). Without "
                "them what is in the session cannot be claimed; move the file away to play on"
            ) from None

    def close(self) -> None:
        self._files.close()
