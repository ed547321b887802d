"""A random stream that compiled loops and players written in Python read in turn.

Numba is imported when the first one is made.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.fair.bits import Stream, seeded_key

BLOCKS: Final = 64
"""Blocks that are computed at a time."""


class NativeStream(Stream):
    """The bytes of `SeededStream`, computed by `fairground.games.compiled`.

    A compiled loop that gets ``registers`` and ``data`` reads on from the current byte.
    """

    def __init__(self, seed: str, game: int = 0, lane: int = 0) -> None:
        from fairground.games import compiled

        self.registers: Any
        self.data: Any
        self.registers, self.data = compiled.new_stream(seeded_key(seed), lane, BLOCKS)
        compiled.rewind(self.registers, game)
        self._compiled = compiled

    def take(self, k: int) -> bytes:
        code, registers = self._compiled, self.registers
        taken = b""
        while len(taken) < k:
            if registers[code.FILLED] - registers[code.AT] < code.SPARE:
                code.refill(registers, self.data)
            at = int(registers[code.AT])
            end = min(at + k - len(taken), int(registers[code.FILLED]))
            taken += self.data[at:end].tobytes()
            registers[code.AT] = end
        return taken
