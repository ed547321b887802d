"""Letting players play: answer what the table asks of the seats that they hold."""

from __future__ import annotations

from collections.abc import Mapping

from fairground.core import Move, Seat
from fairground.fair.bits import fresh
from fairground.fair.vault import MemoryVault, Vault
from fairground.players import Player
from fairground.table import Ask, Table


class Hosted:
    """The seats of one table that the house plays, each by a player of ours.

    Such seats lend nothing to chance; they move, and they seal. The keys of their seals
    are kept in a vault, so that a sealed move can still be opened after a crash.
    """

    def __init__(
        self, table: Table, players: Mapping[Seat, Player], vault: Vault | None = None
    ) -> None:
        self.table = table
        self.players = players
        self._vault = vault or MemoryVault()
        self._sealed: dict[Seat, tuple[str, Move]] = {}

    def play(self) -> list[Ask]:
        """Answer for our seats until only others are asked, and return those asks."""
        while ours := [ask for ask in self.table.asks() if ask.seat in self.players]:
            for ask in ours:
                self._answer(ask)
        return self.table.asks()

    def _answer(self, ask: Ask) -> None:
        if ask.kind == "open":
            key, move = self._sealed.pop(ask.seat)
            self.table.submit(ask, {"key": key, "move": move})
            return
        table = self.table
        move = self.players[ask.seat].choose(table.game, table.view(ask.seat), ask.seat)
        if ask.kind == "move":
            table.submit(ask, move)
        else:
            key = self._vault.keep(f"seal.{ask.seat}.{ask.step}", fresh(), ask.head)
            sealed = table.seal(ask, move, key)
            self._sealed[ask.seat] = (sealed.key, move)
            table.submit(ask, sealed.commitment)
