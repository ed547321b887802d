"""An oracle to play against in your own program, without a server.

    >>> oracle = make_nice_oracle(length=4, base=6)
    >>> oracle.submit([0, 5, 1, 1])
    (4, 0)

Behind it is a whole table: every oracle writes a transcript, which anyone can verify
when the game is over. In one process the house and you are the same program, so the proof
is for other readers. You can still lend a share to the draw.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import BadShare, IllegalMove
from fairground.fair.bits import SIZE, HashStream, fresh
from fairground.fair.chains import HashChainsDealer
from fairground.fair.vault import MemoryVault
from fairground.games.codebreaking.oracle import (
    CHAIN_LENGTH,
    CHAIRS,
    is_solved,
    lend,
    publish,
    step,
)
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    GIVE_UP,
    KEEPER,
    NICE,
    Code,
    CodeBreaking,
    Marks,
    State,
)
from fairground.players import make_player
from fairground.players.runner import Runner
from fairground.table import Table, new_name


class LocalOracle:
    """One game against a keeper of the house."""

    def __init__(self, game: CodeBreaking, seed: bytes | None = None) -> None:
        name = new_name()
        self._game = game
        self._table = Table.open(
            game, HashChainsDealer(name, MemoryVault(), length=CHAIN_LENGTH), CHAIRS
        )
        keeper = make_player(game.oracle, game, HashStream(seed or fresh()), KEEPER)
        self._runner = Runner(self._table, {KEEPER: keeper})
        self.commitment = publish(self._table)
        """64 hex digits, out before the first guess. A fair oracle opens it in the end; the
        others publish a look-alike that they cannot open, and show a code that fits."""

    @property
    def base(self) -> int:
        return self._game.base

    @property
    def length(self) -> int:
        return self._game.length

    @property
    def attempts(self) -> int:
        return len(self._state.rows)

    @property
    def solved(self) -> bool:
        return is_solved(self._table)

    @property
    def reveal(self) -> Code | None:
        """The code that was shown, once the game is over."""
        return self._state.shown

    @property
    def transcript(self) -> bytes:
        """The record so far, as ``fairground verify`` reads it."""
        return bytes(self._table.transcript)

    @property
    def _state(self) -> State:
        state: State = self._table.state
        return state

    def lend(self, share: bytes) -> None:
        """Mix 32 bytes of your own into the draw of a fair oracle's code.

        Only before the first guess, and once. The other oracles take note of it.
        """
        if len(share) != SIZE:
            raise BadShare(f"a share is {SIZE} bytes, not {len(share)}")
        if not lend(self._table, share.hex()):
            raise BadShare("a share can be lent once, and before the first guess")

    def submit(self, guess: Sequence[int]) -> Marks:
        """Ask about a code: full and partial matches. A malformed guess does not count."""
        self._game.check(State("guess"), BREAKER, tuple(guess))
        self._move(tuple(guess))
        return self._state.rows[-1].marks

    def give_up(self) -> Code:
        """End the game and see the code."""
        self._move(GIVE_UP)
        assert self._state.shown is not None
        return self._state.shown

    def _move(self, move: Code | str) -> None:
        if self._table.closed:
            raise IllegalMove("the game is over: the code was found, or given up")
        step(self._table, move)
        self._runner.play()


def make_random_fair_oracle(length: int, base: int) -> LocalOracle:
    """An oracle that draws its code, committed now and opened in the end."""
    return LocalOracle(CodeBreaking(base, length, FAIR))


def make_nice_oracle(length: int, base: int) -> LocalOracle:
    """An oracle that makes your first guess its code."""
    return LocalOracle(CodeBreaking(base, length, NICE))


def make_evil_oracle(length: int, base: int, seed: bytes | None = None) -> LocalOracle:
    """An oracle that gives the least informative answer that some code still satisfies.

    An adversary follows from its 32-byte seed.
    """
    return LocalOracle(CodeBreaking(base, length, EVIL), seed)
