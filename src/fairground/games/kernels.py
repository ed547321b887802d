"""Compiled kernels: the rules of a game once more, for simulation and for environments.

A kernel is held to the rules: it reads the same random streams, and the simulator plays a random
sample of every run again by the rules (see `fairground.lab.simulation`).

Each game's kernel is in its folder, and names the players that it knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import Game, InputError, Seat
from fairground.fair.bits import Stream, seeded_key
from fairground.games import GAMES
from fairground.registry import load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fairground.games.compiled import Episodes


class Played(NamedTuple):
    """Consecutive deals, played by one lineup."""

    payoffs: NDArray[np.int64]
    """[deal, seat]"""
    facts: NDArray[Any]
    """[row, column]: the columns after the payoffs."""
    rows: NDArray[np.int64] | None = None
    """Number of rows of each deal; ``None``: one."""


class Kernel(NamedTuple):
    """A kernel that is ready for one game, one lineup and one seed."""

    play: Callable[[int, int], Played]
    """Called with the first deal and the number of deals."""
    text: Callable[[Any], bytes] | None = None
    """Converts rows to text; ``None``: they are integers with commas between them."""


def _found(game: Game[Any]) -> str | None:
    listing = GAMES.get(game.name)
    return None if listing is None else listing.kernel


@lru_cache(maxsize=16)
def kernel_for(game: Game[Any], lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel that plays this, or ``None`` without one or without Numba."""
    found = _found(game)
    if found is None or find_spec("numba") is None:
        return None
    made: Kernel | None = load(f"{found.partition(':')[0]}:kernel")(game, lineup, seed)
    return made


def episodes_of(game: Game[Any], count: int, seat: Seat, opponent: str | None) -> Episodes:
    """Return ``count`` episodes of a game for an agent in this seat.

    Raise `InputError` if the kernel does not know the game or the opponent. By default the
    opponent is the first that the kernel knows.
    """
    found = _found(game)
    if found is None:
        raise InputError(f"{game.name} has no compiled kernel")
    kind = load(found)
    made: Episodes = kind(game, count, seat, opponent or kind.opponents[0])
    return made


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
