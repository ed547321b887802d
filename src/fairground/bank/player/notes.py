"""The Player's notes: private files that a client reads after a crash.

A single game has a file that is replaced as a whole, so that it is either the old one or the new
one. Seeds are in it before the bet is signed, the order before it is sent. A seed is marked as told
before it leaves. When the game is over its file is deleted: the transcript is the record.

A session has a file to which lines are only added (`bank.session` lists them). Each is on the disk
before its message leaves the program. A last line that was cut off by a crash was never sent. The
file stays when the session is closed: it holds all hands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from fairground.bank.messages import Bet, Domain, Signer
from fairground.bank.schemes import public_of, read_public
from fairground.bank.seeds import Seed
from fairground.bank.session import Line, SessionPage
from fairground.bank.signatures import Signature
from fairground.core import FairgroundError, InputError, Unreadable, whole, written
from fairground.transcript import canonical

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600

SESSIONS: Final = "sessions"
"""The folder for sessions, in that of the games."""


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


class NotebookInUse(FairgroundError):
    """Two programs that play the same game would sign two orders for it."""

    code = "bank/notebook-in-use"
    exit = 2


class Notebook:
    """The notes of one key: in private files of a folder, for one program at a time.

    Without a folder they are in memory only, for a Bank that ends with this program.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._notes: dict[str, Note] = {}
        if folder is None:
            return
        try:
            for each in (folder, folder / SESSIONS):
                each.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            self._lock = _locked(folder / "lock")
        except OSError as error:
            raise InputError(f"cannot keep notes in {str(folder)!r}: {error.strerror}") from None
        for path in sorted(folder.glob("*.json")):
            with _readable(path, "game", "its stake is lost"):
                note = Note.from_json(json.loads(path.read_bytes()))
            self._notes[note.file_name] = note

    def close(self) -> None:
        """Let others have it."""
        if self._folder is not None:
            os.close(self._lock)

    # Games

    def write(self, note: Note) -> None:
        """Keep a note, in place of an older one of the same game; durable on return."""
        if self._folder is not None:
            path = self._folder / f"{note.file_name}.json"
            _write(path, json.dumps(note.as_json()).encode(), "game")
        self._notes[note.file_name] = note

    def forget(self, note: Note) -> None:
        self._notes.pop(note.file_name, None)
        if self._folder is not None:
            (self._folder / f"{note.file_name}.json").unlink(missing_ok=True)

    def notes(self) -> Iterator[Note]:
        yield from list(self._notes.values())

    # Sessions

    def add(self, page: SessionPage, lines: Sequence[Line]) -> None:
        """Keep more lines of a session; durable on return."""
        if self._folder is None:
            return
        if lines[0]["kind"] == "session":
            place = {"chain": written(page.domain.chain_id), "bank": page.domain.bank}
            lines = [{**place, **lines[0]}, *lines[1:]]
        data = b"".join(canonical(line) + b"\n" for line in lines)
        _write(self._path(page), data, "session", more=True)

    def _path(self, page: SessionPage) -> Path:
        assert self._folder is not None
        return self._folder / SESSIONS / f"{page.name.hex()}.session"

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        """Yield the sessions at this Bank that are not closed."""
        paths = () if self._folder is None else (self._folder / SESSIONS).glob("*.session")
        for path in sorted(paths):
            with _readable(path, "session", "what is in the session cannot be claimed"):
                data = path.read_bytes()
                whole_lines = data[: data.rfind(b"\n") + 1]
                if len(whole_lines) < len(data):
                    os.truncate(path, len(whole_lines))
                lines = [json.loads(line) for line in whole_lines.splitlines()]
            if not lines or lines[-1]["kind"] == "closed":
                continue
            if Domain(whole(lines[0]["chain"], "chain"), str(lines[0]["bank"])) == domain:
                yield SessionPage.read(domain, Signer.PLAYER, lines)


@contextmanager
def _readable(path: Path, what: str, loss: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, FairgroundError) as error:
        raise Unreadable(
            f"the notes of an open {what} cannot be read: {str(path)!r} ({error}). Without them "
            f"{loss}; move the file away to play on"
        ) from None


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


def _write(path: Path, data: bytes, what: str, *, more: bool = False) -> None:
    """Replace a file as a whole, or add to it (``more``); durable on return."""
    to, how = (path, os.O_APPEND) if more else (path.with_suffix(".new"), os.O_TRUNC)
    is_new = not path.exists()
    try:
        opened = os.open(to, os.O_WRONLY | os.O_CREAT | how, PRIVATE_FILE)
        with os.fdopen(opened, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(opened)
        if not more:
            to.replace(path)
        if is_new or not more:
            sync_folder(path.parent)
    except OSError as error:
        reason = f"cannot be written to {str(path)!r}: {error.strerror}"
        raise InputError(f"the notes of the {what} {reason}") from None


def sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, where folders can be synced at all."""
    if os.name == "nt":  # pragma: no cover - tests run elsewhere
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
