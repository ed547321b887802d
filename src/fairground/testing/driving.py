"""Seats that answer whatever a table asks, and tables for them to sit at.

The driver is not random: it takes its decisions from a `SeededStream`, so the same seed
plays the same game. `judge` verifies what was played, also for a game that no
register knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from fairground.core import Game, InputError, Move, Seat, written
from fairground.fair.bits import SeededStream
from fairground.fair.chains import LENGTH, Chain, ChainHolder
from fairground.fair.schemes import Chair
from fairground.fair.vault import Vault
from fairground.games import GAMES, Listing
from fairground.table import Ask, Table
from fairground.testing.modes import FixedVault, Mode, secret
from fairground.verifier import Verdict, verify


class FixedHolder(ChainHolder):
    """A seat's own chains, made of fixed secrets."""

    def _chain(self, generation: int) -> Chain:
        if generation not in self._chains:
            made = secret("holder", self._seat, generation)
            self._chains[generation] = Chain(
                self._table, self._seat, generation, self._length, made
            )
        return self._chains[generation]


class Driver:
    """Answers whatever a table asks, the same way every time."""

    def __init__(self, table: Table, seed: str = "driver") -> None:
        self.table = table
        self.seed = seed
        name, chairs = table.setting.table, table.setting.chairs
        length = table.scheme.public.get("length", LENGTH)
        self.holders: dict[Seat, ChainHolder] = {
            seat: FixedHolder(name, seat, length)
            for seat, chair in enumerate(chairs)
            if chair.lends == "chain"
        }

    def below(self, ask: Ask, n: int) -> int:
        """Choose by nothing but the seed and the place in the transcript."""
        return SeededStream(f"{self.seed} {ask.seat} {ask.kind}", ask.step).below(n)

    def move(self, ask: Ask) -> Move:
        """Return one of the first 64 legal moves."""
        moves = list(islice(self.table.game.moves(self.table.view(ask.seat), ask.seat), 64))
        return moves[self.below(ask, len(moves))]

    def answer(self, ask: Ask) -> Any:
        """Return this seat's answer to an ask of any kind."""
        table = self.table
        if ask.kind == "number":
            return written(self.below(ask, ask.n))
        if ask.kind == "stir":
            return f"wörd {self.below(ask, 1000)}"
        if ask.kind in ("tip", "next-tip", "link"):
            return self.holders[ask.seat].answer(ask.kind, ask.run, ask.head)
        if ask.kind == "move":
            return self.move(ask)
        if ask.kind not in ("seal", "open"):
            raise LookupError(f"the driver has no answer for a {ask.kind}")
        # A sealed move depends on the state only, so that it can be found again to open it.
        sealed = self._seal_ask(ask)
        move = self.move(sealed)
        key = secret("seal", sealed.seat, sealed.step)
        if ask.kind == "seal":
            return table.seal(ask, move, key).commitment
        return {"key": key.hex(), "move": move}

    def _seal_ask(self, ask: Ask) -> Ask:
        """Return the ask that the seal of this turn answered."""
        step, head = ask.step, ask.head
        if ask.kind == "open":
            events = self.table.transcript.events
            while events[step - 1]["kind"] != "seal":
                step -= 1
            while events[step - 1]["kind"] in ("seal", "note"):
                step -= 1
            head = events[step]["prev"]
        return Ask("seal", ask.seat, step, head)

    def once(self) -> bool:
        """Answer the first ask; False if there was none."""
        asks = self.table.asks()
        if asks:
            self.table.submit(asks[0], self.answer(asks[0]))
        return bool(asks)

    def play(self, most: int = 10_000) -> Table:
        """Answer until nothing is asked, or until the maximum number of answers."""
        for _ in range(most):
            if not self.once():
                break
        return self.table


def open_table(
    game: Game[Any],
    mode: Mode,
    vault: Vault | None = None,
    *,
    chairs: Sequence[Chair] | None = None,
) -> Table:
    """Open a new table with fixed secrets."""
    return Table.open(
        game,
        mode.make(FixedVault() if vault is None else vault),
        mode.chairs(game.seats) if chairs is None else chairs,
    )


def play_through(
    game: Game[Any],
    mode: Mode,
    seed: str = "driver",
    *,
    chairs: Sequence[Chair] | None = None,
) -> Table:
    """Play a whole game."""
    return Driver(open_table(game, mode, chairs=chairs), seed).play()


def listing_of(rules: type[Game[Any]]) -> Listing:
    """Return a registry entry for these rules, so that a transcript finds them."""
    if "." in rules.__qualname__:
        raise InputError(
            f"{rules.__qualname__} is defined inside something else, so that a transcript "
            "could not find it: define it at the top of a module"
        )
    summary = (rules.__doc__ or rules.name).partition("\n")[0]
    return Listing(f"{rules.__module__}:{rules.__qualname__}", rules.__name__, summary)


def judge(table: Table, mode: Mode) -> Verdict:
    """Verify what was played at a table, from its bytes alone."""
    rules = type(table.game)
    games = GAMES.plus({rules.name: listing_of(rules)})
    return verify(bytes(table.transcript), games=games, schemes=mode.schemes)
