"""Letting players play: answer what the table asks of the seats that they hold."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fairground.core import Move, Seat
from fairground.fair.bits import SIZE, fresh
from fairground.fair.vault import MemoryVault, Vault
from fairground.players import Player
from fairground.table import Ask, Table
from fairground.transcript import canonical, frozen


class Hosted:
    """The seats of one table that the house plays, each by a player of ours.

    Such seats lend nothing to chance; they move, and they seal. Sealed moves are kept in a
    vault with their keys, so that they can still be opened after a crash. What a player
    remarks when it moves becomes a note.
    """

    def __init__(
        self, table: Table, players: Mapping[Seat, Player], vault: Vault | None = None
    ) -> None:
        self.table = table
        self.players = players
        self._vault = vault or MemoryVault()

    def play(self) -> list[Ask]:
        """Answer for our seats until only others are asked, and return those asks."""
        while ours := [ask for ask in self.table.asks() if ask.seat in self.players]:
            for ask in ours:
                self._answer(ask)
        return self.table.asks()

    def seal(self, ask: Ask, move: Move) -> None:
        """Seal a move. It is in the vault before anybody sees the seal."""
        kept = self._vault.keep(self._name(ask), fresh() + canonical(move), ask.head)
        key, move = _unpacked(kept)
        self.table.submit(ask, self.table.seal(ask, move, key).commitment)

    def open(self, ask: Ask) -> None:
        """Open what `seal` has sealed."""
        key, move = _unpacked(self._vault.recall(self._name(ask)))
        self.table.submit(ask, {"key": key.hex(), "move": move})

    def _name(self, ask: Ask) -> str:
        return f"seal.{ask.seat}.{len(self.table.sealed_turns)}"

    def memory(self) -> bytes:
        """What our players have in mind. There is never more than one that has."""
        return b"".join(player.memory() for player in self.players.values())

    def recall(self, memory: bytes) -> None:
        """Go on with what our players had in mind before a restart."""
        for player in self.players.values():
            player.recall(memory)

    def _answer(self, ask: Ask) -> None:
        table = self.table
        if ask.kind == "open":
            self.open(ask)
            return
        player = self.players[ask.seat]
        move = player.choose(table.game, table.view(ask.seat), ask.seat)
        if player.remarks:
            for remark in player.remarks:
                table.note({"remark": remark})
            player.remarks = []
        if ask.kind == "move":
            table.submit(ask, move)
        else:
            self.seal(ask, move)


def _unpacked(kept: bytes) -> tuple[bytes, Move]:
    """The key of a seal, and the move that it hides."""
    return kept[:SIZE], frozen(json.loads(kept[SIZE:]))
