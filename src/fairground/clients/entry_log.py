"""What a team remembers of its entry to a contest, so that it can go on after a break.

An entry cannot be made twice, and an arena tells its oracles' addresses only once. So a
diary keeps them in a private file, and every step below them as soon as it is answered::

    {"contest": ..., "team": ..., "version": ..., "training": ..., "receipt": ..., "oracles": ...}
    {"game": 0, "guess": [0, 0, 1, 1], "marks": [1, 0]}
    {"game": 0, "trouble": "given up after 3 guesses"}

A step whose answer did not arrive is not in it. An arena that shows the answers it gave is asked
for them before the game goes on, so that both count the same.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairground.clients.http import Http
from fairground.clients.oracles import Oracle, TeamEntry
from fairground.core import InputError
from fairground.fair.bits import Tag, digest
from fairground.games.codebreaking import Row


def path_of(folder: Path, contest: str, team: str, version: str) -> Path:
    """Where the diary of this entry lies."""
    return folder / f"{digest(Tag.DIARY, contest, team, version)[:16].hex()}.jsonl"


class Diary:
    """The diary of one entry. Games may be written of by several threads."""

    def __init__(
        self, path: Path, entry: TeamEntry, past: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.path = path
        self.entry = entry
        self.rows: dict[int, list[Row]] = {}
        """Game → its steps so far."""
        self.troubles: dict[int, str] = {}
        """Games that ended without the code, and why."""
        self._lock = threading.Lock()
        for line in past:
            if "trouble" in line:
                self.troubles[line["game"]] = line["trouble"]
            else:
                row = Row(tuple(line["guess"]), tuple(line["marks"]))
                self.rows.setdefault(line["game"], []).append(row)

    @classmethod
    def begin(cls, path: Path, contest: str, team: str, version: str, entry: TeamEntry) -> Diary:
        """Begin the diary of a new entry."""
        path.parent.mkdir(parents=True, exist_ok=True)
        diary = cls(path, entry)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w"):
            pass  # private from its first byte: whoever has the addresses can play the games
        diary._write(
            contest=contest,
            team=team,
            version=version,
            training=entry.training,
            receipt=entry.receipt,
            oracles=[oracle.uri for oracle in entry.oracles],
        )
        return diary

    @classmethod
    def find(cls, path: Path, http: Http | None = None) -> Diary | None:
        """The diary that lies here; a last line that was cut off is taken away."""
        if not path.exists():
            return None
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            first, *past = map(json.loads, whole.splitlines())
            oracles = [Oracle(uri, http) for uri in first["oracles"]]
            diary = cls(path, TeamEntry(oracles, first["training"], first["receipt"]), past)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{str(path)!r} should be the diary of an entry, but cannot be read ({error}); "
                "put it away to enter with another version"
            ) from None
        os.truncate(path, len(whole))
        return diary

    def step(self, game: int, row: Row) -> None:
        """Note a step and its answer."""
        self.rows.setdefault(game, []).append(row)
        self._write(game=game, guess=row.guess, marks=row.marks)

    def ended(self, game: int, trouble: str) -> None:
        """Note that a game has ended without its code."""
        self.troubles[game] = trouble
        self._write(game=game, trouble=trouble)

    def solved(self, game: int) -> bool:
        """Whether the code was found."""
        rows = self.rows.get(game, [])
        return any(row.marks[0] == len(row.guess) for row in rows)

    @property
    def done(self) -> list[int]:
        """Games that need no more steps."""
        every = range(len(self.entry.oracles))
        return [game for game in every if game in self.troubles or self.solved(game)]

    def _write(self, **fields: Any) -> None:
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields) + "\n")
