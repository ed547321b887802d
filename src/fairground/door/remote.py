"""Games at an arena: open a table there, or take a seat at one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.clients.oracles import Arena
from fairground.clients.table import RemoteSeat, open_table
from fairground.core import Game, InputError
from fairground.door.tables import game as make_game


class RemoteArena(Arena):
    """An arena, by its address: tables of any game, oracles and contests."""

    def open(
        self,
        which: str | Game[Any],
        /,
        *,
        seats: Sequence[str | None],
        names: Sequence[str] | None = None,
        lends: str = "chain",
        scheme: str = "hash-chains/1",
        options: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> list[str | None]:
        """Open a table there, and return the private address of each seat that is not theirs.

        ``seats``: the arena's own player by name, or ``None`` for a free seat. Hand each address
        to its player, or take it with `sit`.
        """
        game = make_game(which, **params)
        called = names or [player or f"Seat {seat}" for seat, player in enumerate(seats)]
        if len(called) != len(seats):
            raise InputError(f"{len(seats)} seats need as many names, not {called!r}")
        chairs = [
            {"name": name, "lends": lends} if player is None else {"name": name, "player": player}
            for name, player in zip(called, seats, strict=True)
        ]
        wanted = {
            "game": game.name,
            "params": game.params(),
            "seats": chairs,
            "dealer": scheme,
            "options": dict(options or {}),
        }
        made = open_table(self.url, wanted)
        return [seat.get("url") for seat in made["seats"]]

    def __repr__(self) -> str:
        return f"<the arena at {self.url}: open(), new_oracle(), new_contest()>"


def arena(url: str) -> RemoteArena:
    """The arena at this address, such as ``http://127.0.0.1:8000``."""
    return RemoteArena(url)


def sit(url: str) -> RemoteSeat:
    """Take the seat with this private address."""
    return RemoteSeat(url)
