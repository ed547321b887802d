"""Long work that can be interrupted: what is done, and how far to trust it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from fairground.core import InputError
from fairground.lab.statistics import Tally


class Chunk(NamedTuple):
    """Consecutive games: their rows as text, and what they add up to."""

    text: bytes
    games: int
    rows: int
    tally: Tally


class Checkpoint:
    """The part that is done: ``<out>.part`` holds rows, ``<out>.journal`` says how far to trust it.

    A note is written only after the rows that it speaks of are on disk, so whatever
    stands in the part beyond the last note is cut off when the work goes on.
    """

    def __init__(
        self, out: Path, arguments: dict[str, Any], tally: Tally, header: str = ""
    ) -> None:
        self.part = out.with_name(f"{out.name}.part")
        self._notes = out.with_name(f"{out.name}.journal")
        self._arguments: dict[str, Any] = json.loads(json.dumps(arguments))
        self._header = f"{header}\n".encode() if header else b""
        self.games = 0
        self.rows = 0
        self.tally = tally
        """What all games so far add up to; at first that of none."""
        self._bytes = 0

    def __enter__(self) -> Checkpoint:
        notes = self._read()
        if notes is None:
            self.part.write_bytes(self._header)
            self._bytes = len(self._header)
            self._append({"arguments": self._arguments})
        else:
            there = self.part.stat().st_size if self.part.exists() else 0
            for note in notes:
                if note["bytes"] <= there:
                    self.games, self.rows, self._bytes = note["games"], note["rows"], note["bytes"]
                    self.tally = Tally.from_json(note["tally"])
            if not self.games:
                self._bytes = len(self._header)
        self._file = self.part.open("r+b")
        self._file.truncate(self._bytes)
        self._file.seek(self._bytes)
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def _read(self) -> list[dict[str, Any]] | None:
        """The notes of an interrupted run with the same arguments, or nothing."""
        try:
            lines = self._notes.read_text().splitlines()
        except FileNotFoundError:
            return None
        found: list[dict[str, Any]] = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                break  # the crash came in the middle of this note
        if not found or not self.part.exists():
            self._notes.unlink()
            return None
        if found[0].get("arguments") != self._arguments:
            raise InputError(
                f"{self._notes.name} belongs to an interrupted run with other arguments: run it "
                f"again as before, or delete it and {self.part.name}"
            )
        return found[1:]

    def _append(self, note: dict[str, Any]) -> None:
        with self._notes.open("a") as file:
            file.write(json.dumps(note) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def note(self, chunk: Chunk) -> None:
        """Put the rows of the next chunk on disk, then say so."""
        self._file.write(chunk.text)
        self._file.flush()
        os.fsync(self._file.fileno())
        self.games += chunk.games
        self.rows += chunk.rows
        self._bytes += len(chunk.text)
        self.tally += chunk.tally
        told = {"games": self.games, "rows": self.rows, "bytes": self._bytes}
        self._append({**told, "tally": self.tally.as_json()})

    def forget(self) -> None:
        """The complete file has its name: what helped to make it can go."""
        self._notes.unlink()
        self.part.unlink(missing_ok=True)
