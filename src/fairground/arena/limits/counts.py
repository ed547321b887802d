"""Numbers that only grow, each under a name. They outlast the process that counts them.

They lie in a file that is mapped into memory: adding to one is a write to memory, and a worker
that is killed loses none. Who takes its seat counts on in the same file. So the sum over all
files, which is what `/metrics` shows, never goes back while the arena is open.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct
from typing import Final

Name = tuple[str | int, ...]

SIZE: Final = 1 << 18
"""Bytes of a file: room for some three thousand numbers. What is beyond that is not counted."""

NUMBER: Final = Struct("d")
LENGTH: Final = Struct("q")
"""Before each name: how long it is, filled up to a multiple of eight. 0: there are no more."""


class Counts:
    """The numbers of one process; with a file, also of those that wrote to it before."""

    def __init__(self, file: Path | None = None) -> None:
        if file is None:
            self._memory = mmap.mmap(-1, SIZE)
        else:
            with file.open("a+b") as opened:
                opened.truncate(SIZE)
                self._memory = mmap.mmap(opened.fileno(), SIZE)
        self._numbers = memoryview(self._memory).cast("d")
        self._places = dict(_places(self._memory))
        self._end = max((at + NUMBER.size for at in self._places.values()), default=0)

    def add(self, name: Name, by: float = 1) -> None:
        """Count on."""
        at = self._places.get(name)
        if at is None:
            at = self._place_for(name)
        if at:
            self._numbers[at // NUMBER.size] += by

    def _place_for(self, name: Name) -> int:
        """Where the number of a new name is; 0: there is no room."""
        written = json.dumps(name).encode()
        written += b" " * (-len(written) % NUMBER.size)
        begin = self._end + LENGTH.size
        at = begin + len(written)
        if at + NUMBER.size + LENGTH.size > SIZE:
            return 0
        self._memory[begin:at] = written
        LENGTH.pack_into(self._memory, self._end, len(written))
        self._places[name], self._end = at, at + NUMBER.size
        return at

    def all(self) -> dict[Name, float]:
        """All numbers."""
        return _read(self._memory)


def total(mine: Counts, files: Iterable[Path]) -> dict[Name, float]:
    """The sum of all: ours, and those in the files of others."""
    summed = mine.all()
    for file in files:
        for name, number in _read(file.read_bytes()).items():
            summed[name] = summed.get(name, 0.0) + number
    return summed


def _read(memory: mmap.mmap | bytes) -> dict[Name, float]:
    return {name: NUMBER.unpack_from(memory, at)[0] for name, at in _places(memory)}


def _places(memory: mmap.mmap | bytes) -> Iterator[tuple[Name, int]]:
    at = 0
    while length := LENGTH.unpack_from(memory, at)[0]:
        begin = at + LENGTH.size
        at = begin + length
        yield tuple(json.loads(memory[begin:at])), at
        at += NUMBER.size
