"""Games at native speed, where we have a compiled loop for them.

A kernel is a second set of rules, so it is held to the first: it reads the same tapes, and the
simulator plays a random sample of every run again by the rules (see `fairground.lab.simulation`).

===============  ===========================================================================
`fatestones`     `random` and `greedy`
`zombie`         `cautious` and `greedy`, on the lanes of `fairground.solve.zombie`
`intransitive`   `random` and `optimal`
`poker`          `random` and `optimal`
`codebreaking`   every breaker that follows a tree, against the fair keeper
`tapes`          what they share: tapes for three lanes, and rows of numbers as text
===============  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import Game
from fairground.registers import load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Played(NamedTuple):
    """Some consecutive deals, played by one lineup."""

    payoffs: NDArray[np.int64]
    """[deal, seat]"""
    facts: NDArray[np.int64]
    """[row, column]: the columns of the rows that follow the payoffs."""
    rows: NDArray[np.int64] | None = None
    """How many rows each deal has; ``None``: one."""


class Kernel(NamedTuple):
    """A compiled loop, made ready for one game, one lineup and one seed."""

    play: Callable[[int, int], Played]
    """From the first deal and how many."""
    text: Callable[[Any], bytes] | None = None
    """Rows as text, where they are not just numbers with commas between them."""


_FOUND_IN: Final = {
    "fatestones": "fairground.lab.kernels.fatestones:kernel",
    "zombie": "fairground.lab.kernels.zombie:kernel",
    "intransitive": "fairground.lab.kernels.intransitive:kernel",
    "poker": "fairground.lab.kernels.poker:kernel",
    "codebreaking": "fairground.lab.kernels.codebreaking:kernel",
}


@lru_cache(maxsize=16)
def kernel_for(game: Game[Any], lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """The kernel that plays this, if there is one and Numba is installed."""
    path = _FOUND_IN.get(game.name.partition("/")[0])
    if path is None or find_spec("numba") is None:
        return None
    found: Kernel | None = load(path)(game, lineup, seed)
    return found
