"""A tape that compiled loops and players written in Python read in turn.

Nothing slow is imported until one is made.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.fair.bits import Stream, seeded_key

BLOCKS: Final = 64
"""How many blocks are made at a time."""


class NativeStream(Stream):
    """The bytes of `SeededStream`, made by `fairground.solve.tape`.

    ``registers`` and ``data`` are the tape. Whoever is handed them reads on from where the
    stream stands, and moves it.
    """

    def __init__(self, seed: str, game: int = 0, lane: int = 0) -> None:
        from fairground.solve import tape

        self.registers: Any
        self.data: Any
        self.registers, self.data = tape.new_tape(seeded_key(seed), lane, BLOCKS)
        tape.rewind(self.registers, game)
        self._tape = tape

    def take(self, k: int) -> bytes:
        """The next k bytes."""
        tape, registers = self._tape, self.registers
        taken = b""
        while len(taken) < k:
            if registers[tape.FILLED] - registers[tape.AT] < tape.SPARE:
                tape.refill(registers, self.data)
            at = int(registers[tape.AT])
            end = min(at + k - len(taken), int(registers[tape.FILLED]))
            taken += self.data[at:end].tobytes()
            registers[tape.AT] = end
        return taken
