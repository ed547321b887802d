"""The Player's notes of a session: what a client must still know after a crash.

One private file for each session, to which lines are only added; each is on the disk before
what it says leaves the program. A last line that was cut off by a crash is one that nobody was
told. The file stays when the session is closed: it holds all hands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fairground.bank.messages import Domain, Signer
from fairground.bank.player.notes import PRIVATE_FILE, PRIVATE_FOLDER, locked, sync_folder
from fairground.bank.record import CHAIRS
from fairground.bank.session.page import Line, SessionPage
from fairground.core import FairgroundError, InputError, Unreadable, whole, written
from fairground.fair.schemes import Chair
from fairground.transcript import canonical


class SessionNotes:
    """Notes in memory only: for a Bank that ends with this program."""

    def open(self, page: SessionPage, line: Line) -> None:
        """A new session, with its first line; durable on return."""

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        """More lines; durable on return."""

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        """The sessions at this Bank that are not closed."""
        yield from ()

    def close(self) -> None:
        """Let others have them."""


class FileNotes(SessionNotes):
    """Notes in private files of one folder, for one program at a time."""

    def __init__(self, folder: Path, chairs: Sequence[Chair] = CHAIRS) -> None:
        self._folder, self._chairs = folder, chairs
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            self._lock = locked(folder / "lock")
        except OSError as error:
            raise InputError(f"cannot keep notes in {str(folder)!r}: {error.strerror}") from None

    def _path(self, page: SessionPage) -> Path:
        return self._folder / f"{page.name.hex()}.session"

    def open(self, page: SessionPage, line: Line) -> None:
        """A new file."""
        place = {"chain": written(page.domain.chain_id), "bank": page.domain.bank}
        self._append(page, [{**place, **line}])

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        """Behind the others, and on the disk."""
        self._append(page, lines)

    def _append(self, page: SessionPage, lines: Sequence[Line]) -> None:
        path = self._path(page)
        fresh = not path.exists()
        data = b"".join(canonical(line) + b"\n" for line in lines)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
            try:
                os.write(file, data)
                os.fsync(file)
            finally:
                os.close(file)
            if fresh:
                sync_folder(self._folder)
        except OSError as error:
            raise InputError(
                f"the notes of the session cannot be written to {str(path)!r}: {error.strerror}"
            ) from None

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        """Read from the files; what a crash cut off is cut off there, too."""
        for path in sorted(self._folder.glob("*.session")):
            lines = self._read(path)
            if not lines or lines[-1]["kind"] == "closed":
                continue
            first = lines[0]
            if Domain(whole(first["chain"], "chain"), str(first["bank"])) == domain:
                yield SessionPage.read(domain, Signer.PLAYER, lines, self._chairs)

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
        """Let another program have the folder."""
        os.close(self._lock)
