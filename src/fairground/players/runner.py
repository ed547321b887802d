"""The driver of a table: it answers for the seats that this process plays.

Terminal, server, lab and Python programs all drive their tables with a `Runner`. House players
move by themselves. People give their moves to `submit`, which seals a move where several seats
move at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fairground.core import Game, InputError, Move, Seat, written
from fairground.escape import named
from fairground.fair.bits import SIZE, SystemStream, fresh
from fairground.fair.chains import ChainHolder
from fairground.fair.vault import MemoryVault, Vault
from fairground.players import Player
from fairground.receipts import Kept
from fairground.table import Ask, Table
from fairground.transcript import Event, canonical, frozen
from fairground.words import PlainWords

DECISIONS: Final = ("move", "seal")
"""Kinds of ask that want a move. The others want an opening or a share of chance."""


class Question(NamedTuple):
    """Something that you are asked, for one of your seats. Answer it with ``table.answer``."""

    ask: Ask
    view: Any
    """This seat's view."""
    words: PlainWords[Any]

    @property
    def kind(self) -> str:
        """``move``; ``seal`` for a move at the same time as others; or a share of chance."""
        return self.ask.kind

    @property
    def seat(self) -> Seat:
        return self.ask.seat

    @property
    def receipt(self) -> str:
        """The hash of the last line now. Keep it before you answer: it proves what came before."""
        return self.ask.head

    @property
    def moves(self) -> list[Move]:
        """The moves to choose from; raises `TooMany` where they cannot be listed."""
        if self.kind not in DECISIONS:
            return []
        return list(self.words.game.choices(self.view, self.seat))

    def __repr__(self) -> str:
        name, role = named(self.words.names[self.seat]), self.words.seat(self.seat)
        who = f"seat {self.seat}, {name} ({role})"
        if self.kind not in DECISIONS:
            return f"<{who}: a {self.kind}? table.answer(question), or with one of your own>"
        text = self.words.question(self.view, self.seat)
        menu = self.words.menu(self.view, self.seat)
        if menu is None:
            return f"<{who}: {text} table.answer(question, move)>"
        lines = [f"  {m!r}: {self.words.option(self.view, self.seat, m)}" for m in menu]
        return "\n".join([f"<{who}: {text} table.answer(question, move), a move of:", *lines]) + ">"


class Runner:
    """A table, the house players at it, and the secrets that its seats must open later.

    House players lend nothing to chance. With ``shares``, `others` also makes the shares of
    chance for the people, who then trust this process.
    """

    def __init__(
        self,
        table: Table,
        players: Mapping[Seat, Player],
        vault: Vault | None = None,
        *,
        shares: bool = False,
    ) -> None:
        self.table = table
        self.players = players
        self.shares = shares
        self.vault = vault or MemoryVault()
        self.receipts: list[dict[str, Any]] = []
        """A receipt for each answer that `submit` gave."""
        self._holders: dict[Seat, ChainHolder] = {}

    # Looking

    @property
    def game(self) -> Game[Any]:
        return self.table.game

    @property
    def people(self) -> Sequence[Seat]:
        """The seats without a house player that have not left."""
        away = {*self.players, *self.table.gone}
        return [seat for seat in range(self.game.seats) if seat not in away]

    @property
    def names(self) -> Sequence[str]:
        return [chair.name for chair in self.table.setting.chairs]

    @property
    def events(self) -> Sequence[Event]:
        return self.table.transcript.events

    @property
    def over(self) -> bool:
        """True once the record is closed, or while the dealer holds back its last lines."""
        return self.table.closed or self.table.waiting

    @property
    def lasting(self) -> bool:
        """True if another process can resume the game later."""
        return self.vault.lasting

    def asks(self) -> list[Ask]:
        return self.table.asks()

    def view(self, seat: Seat | None) -> Any:
        return self.table.view(seat)

    def hidden(self, run: int) -> Sequence[int]:
        """Return the values of a hidden run. This process is the house, so it knows them."""
        return [value for _, value in self.table.runs[run - 1].draws]

    def commitments(self) -> Sequence[tuple[int, str]]:
        """Return the house's commitments so far, each with its line number."""
        return self.table.scheme.shown(self.table.runs)

    # House players

    def play(self) -> list[Ask]:
        """Let the house players answer until only others are asked; return those asks."""
        while ours := [ask for ask in self.table.asks() if ask.seat in self.players]:
            for ask in ours:
                self.answer(ask)
        return self.table.asks()

    def answer(self, ask: Ask) -> None:
        """Let the house player of a seat answer one ask."""
        if ask.kind == "open":
            self.open(ask)
        else:
            self.make(ask, self.choose(ask))

    def choose(self, ask: Ask) -> Move:
        """Ask a house player for its move, and note its remarks in the record."""
        player = self.players[ask.seat]
        move = player.choose(self.game, self.view(ask.seat), ask.seat)
        remarks, player.remarks = player.remarks, []
        self.note(remarks)
        return move

    def note(self, remarks: Iterable[str]) -> None:
        """Note a house player's remarks in the record."""
        for remark in remarks:
            self.table.note({"remark": remark})

    def make(self, ask: Ask, move: Move) -> None:
        """Make or seal a house player's move."""
        if ask.kind == "move":
            self.table.submit(ask, move)
        else:
            self.seal(ask, move)

    def memory(self) -> bytes:
        """Return what the house players remember. At most one of them remembers anything."""
        return b"".join(player.memory() for player in self.players.values())

    def recall(self, memory: bytes) -> None:
        """Give the house players what they remembered before a restart."""
        for player in self.players.values():
            player.recall(memory)

    # People

    def others(self, news: Callable[[], None] | None = None) -> None:
        """Do everything that needs no person: house players, openings and, if wanted, shares."""
        while chores := [ask for ask in self.play() if self._is_chore(ask)]:
            for ask in chores:
                if ask.kind == "open":
                    self.open(ask)
                    self._keep_receipt(ask)
                else:
                    self.submit(ask, self.share(ask))

    def _is_chore(self, ask: Ask) -> bool:
        return ask.kind == "open" or (self.shares and ask.kind not in DECISIONS)

    def submit(self, ask: Ask, answer: Any) -> None:
        """Answer for a person. To a ``seal`` the answer is the move, which is sealed here."""
        if ask.seat in self.players:
            raise InputError(f"seat {ask.seat} is played by {self.names[ask.seat]}, not by you")
        if ask.kind == "seal":
            move = frozen(answer)
            self.game.check(self.view(ask.seat), ask.seat, move)
            self.seal(ask, move)
        else:
            self.table.submit(ask, answer)
        self._keep_receipt(ask)

    def _keep_receipt(self, ask: Ask) -> None:
        self.receipts.append(Kept.of(self.table.setting.table, ask)._asdict())

    def share(self, ask: Ask) -> Any:
        """Make a share of chance for a seat that trusts this process."""
        if ask.kind == "number":
            return written(SystemStream().below(ask.n))
        if ask.kind == "stir":
            return fresh().hex()
        if ask.seat not in self._holders:
            length = self.table.dealer.public["length"]
            self._holders[ask.seat] = ChainHolder(self.table.setting.table, ask.seat, length)
        return self._holders[ask.seat].answer(ask.kind, ask.run, ask.head)

    def leave(self, seat: Seat, reason: str) -> None:
        """Record a forfeit: by the seat itself, or by the house if a house player sits there."""
        if seat not in self.table.gone:
            self.table.forfeit(seat, reason, "seat" if seat in self.people else "house")

    # Sealed moves

    def seal(self, ask: Ask, move: Move) -> None:
        """Seal a move. The vault holds key and move before anyone sees the seal."""
        kept = self.vault.keep(self._seal_name(ask), fresh() + canonical(move), ask.head)
        key, move = _unpacked(kept)
        self.table.submit(ask, self.table.seal(ask, move, key).commitment)

    def open(self, ask: Ask) -> None:
        """Open a seal that `seal` made, also after a restart."""
        key, move = _unpacked(self.vault.recall(self._seal_name(ask)))
        self.table.submit(ask, {"key": key.hex(), "move": move})

    def _seal_name(self, ask: Ask) -> str:
        return f"seal.{ask.seat}.{len(self.table.sealed_turns)}"


def _unpacked(kept: bytes) -> tuple[bytes, Move]:
    """Split a vault entry into the key of a seal and the move that it hides."""
    return kept[:SIZE], frozen(json.loads(kept[SIZE:]))
