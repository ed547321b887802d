"""Which worker keeps a game: decided by the game's name, the same in all workers.

A worker that keeps a game has it in memory, and nobody else writes to it: no reading it again, no
lost races. A name is made so that the worker which makes it keeps it. So a client that stays with
one worker is served there, and only requests that come in elsewhere are handed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

from fairground.fair.bits import token

NAMED: Final = frozenset({"oracle", "tables", "contest"})
"""First words of addresses behind which the name of a game or a contest stands."""

ONE_LEDGER: Final = frozenset({"croupier", "bank"})
"""First words of addresses that all write to the one ledger of the arena."""

STREAMED: Final = ("/events", "/file")
"""How addresses end whose answers come bit by bit: any worker can give them, from the store."""


@dataclass(frozen=True)
class Seat:
    """One worker of several."""

    index: int
    number: int
    """How many workers there are."""
    folder: str
    """What they share is there; nobody else can enter it."""

    def socket(self, index: int) -> Path:
        """Where a worker takes the calls of others."""
        return Path(self.folder) / f"calls-{index}"

    def counts(self, index: int) -> Path:
        """Where a worker counts (`http.counts`)."""
        return Path(self.folder) / f"counts-{index}"

    @property
    def others(self) -> list[int]:
        """All other workers."""
        return [index for index in range(self.number) if index != self.index]

    def keeper(self, name: str) -> int:
        """Who keeps what has this name. The games of a contest are kept where its book is."""
        return crc32(name.partition(".")[0].encode()) % self.number

    def new_name(self) -> str:
        """A name that nobody can guess, of something that this worker keeps."""
        while True:
            name = token()
            if self.keeper(name) == self.index:
                return name


def name_in(path: str) -> str | None:
    """The name that decides who serves a request; ``None``: anybody does."""
    words = path.split("/", 3)
    if words[1] in ONE_LEDGER:
        return words[1]
    if len(words) < 3 or words[1] not in NAMED or path.endswith(STREAMED):
        return None
    return words[2]
