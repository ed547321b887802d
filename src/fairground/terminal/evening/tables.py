"""Opening a table for people at this keyboard; or an unfinished one again, where it stopped.

A game that is saved can be gone on with: its record grows line by line, and its vault keeps the
house's secrets until it ends. `OpenTable` holds all three together.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from fairground.core import Game, InputError, Seat
from fairground.fair.bits import HashStream, Tag, digest, fresh
from fairground.fair.register import dealer_class
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.opening import USUAL, new_table
from fairground.players import Player, fitting, make_player
from fairground.table import Table, new_name
from fairground.terminal.evening.vaults import FileVault, VaultLabel
from fairground.terminal.saving import Saved, read_file
from fairground.transcript import check_chain, read

PRACTICE = "seeded/1"


class TablePlan(NamedTuple):
    """What a command wants to play."""

    command: str
    """Which command it is: it names the file, and goes on with the game later."""
    arguments: Sequence[str]
    """The command line with which it is gone on with."""
    game: Game[Any]
    chairs: Sequence[Chair]
    scheme: str = USUAL
    options: Mapping[str, Any] = {}
    """The scheme's."""
    file: str = ""
    """What the file is named after; the command, if nothing is said."""


class HousePlayers:
    """Makes the house's players. They draw from one seed, which an unfinished game keeps."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.seed = seed or fresh()

    def make(self, spec: str, game: Game[Any], seat: Seat) -> Player:
        """The player that ``spec`` names, for this seat.

        Those that think for long or need an extra may take seconds to get ready.
        """
        chance = HashStream(digest(Tag.PLAYER, self.seed, seat))
        listing = fitting(game, seat).get(spec.partition(":")[0])
        if listing is not None and (listing.slow or listing.extra is not None):
            from fairground.terminal.waiting import patiently

            return patiently(f"{spec} gets ready", lambda: make_player(spec, game, chance, seat))
        return make_player(spec, game, chance, seat)


class OpenTable:
    """A table with its record and its secrets."""

    def __init__(self, table: Table, saved: Saved, vault: MemoryVault, resumed: bool) -> None:
        self.table = table
        self.saved = saved
        self.vault = vault
        self.resumed = resumed
        """Whether it was begun by an earlier program."""

    @classmethod
    def new(
        cls, wanted: TablePlan, options: argparse.Namespace, players: HousePlayers | None = None
    ) -> Self:
        """A new table. With ``--seed`` it is for practice, and proves nothing."""
        name = new_name()
        saved = Saved(options, wanted.file or wanted.command, name)
        seed = (players or HousePlayers()).seed
        vault = _vault(wanted, saved, name, seed)
        scheme, more = wanted.scheme, dict(wanted.options)
        if options.seed is not None:
            scheme, more = PRACTICE, {"seed": options.seed, "game": 0}
        table = new_table(
            wanted.game,
            wanted.chairs,
            scheme,
            name=name,
            vault=vault,
            transcript=saved.transcript,
            **more,
        )
        return cls(table, saved, vault, resumed=False)

    @classmethod
    def again(cls, vault: FileVault) -> Self:
        """An unfinished table, where it stopped. The record says that it was gone on with."""
        path = vault.label.record
        data = read_file(path)
        start = check_chain(read(data)[:1])[0]
        if start["table"] != vault.label.table:
            raise InputError(f"{path!r} is the record of another game")
        dealer = dealer_class(start["dealer"]).again(
            bytes.fromhex(start["table"]), vault, start["public"]
        )
        saved = Saved.again(path, data)
        from fairground.replay import resume

        table = resume(data, dealer, saved.write)
        saved.transcript = table.transcript
        if table.payoff is None:
            table.note({"resumed": sum(_is_resumed(e) for e in table.transcript.events) + 1})
        return cls(table, saved, vault, resumed=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the record. The secrets of a game that is over are removed."""
        self.saved.__exit__()
        if isinstance(self.vault, FileVault):
            over = self.table.closed or self.saved.path is None
            self.vault.close(over=over)

    def become(self, other: OpenTable) -> None:
        """Go on as another table: this one is closed."""
        self.close()
        self.table, self.saved, self.vault = other.table, other.saved, other.vault

    @property
    def lasting(self) -> bool:
        """Whether the game can be gone on with later."""
        return (
            isinstance(self.vault, FileVault)
            and self.saved.path is not None
            and not self.table.closed
        )

    @property
    def practice(self) -> bool:
        """Whether all draws come from a seed that everybody knows."""
        return self.table.scheme.name == PRACTICE


def _is_resumed(event: Mapping[str, Any]) -> bool:
    return bool(event["kind"] == "note" and "resumed" in event["body"])


def _vault(wanted: TablePlan, saved: Saved, name: bytes, seed: bytes) -> MemoryVault:
    """In a file, where the record is one; else as long as this program."""
    if saved.path is None or not os.path.isfile(saved.path):
        return MemoryVault()
    record = os.path.realpath(saved.path)
    label = VaultLabel(name.hex(), record, wanted.command, list(wanted.arguments), seed.hex())
    try:
        return FileVault.create(label)
    except OSError:
        return MemoryVault()
