"""Games at an arena: open a table there, or take a seat at one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.clients.oracles import Arena
from fairground.clients.table import WAIT, RemoteTable, open_table
from fairground.core import Game, InputError, Move, Seat
from fairground.door.tables import Question
from fairground.door.tables import game as make_game
from fairground.escape import named
from fairground.fair.bits import SystemStream
from fairground.players import Player, make_player
from fairground.players.runner import DECISIONS
from fairground.table import Ask
from fairground.verifier import Verdict
from fairground.words import words_for


class RemoteSeat:
    """Your seat at a table of an arena. It checks all that the arena says, and keeps its chain."""

    def __init__(self, remote: RemoteTable) -> None:
        self.remote = remote
        """The client: see `fairground.clients.table.RemoteTable`."""

    @property
    def game(self) -> Game[Any]:
        return self.remote.game

    @property
    def seat(self) -> Seat:
        return self.remote.seat

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat["name"] for seat in self.remote.events[0]["seats"])

    @property
    def view(self) -> Any:
        return self.remote.view()

    @property
    def over(self) -> bool:
        return self.remote.over

    @property
    def payoff(self) -> tuple[int, ...] | None:
        """The payoff of each seat, once the game is over."""
        if not self.over or self.remote.events[-1]["payoff"] is None:
            return None
        return tuple(self.remote.events[-1]["payoff"])

    @property
    def receipt(self) -> str:
        """The hash of the last line that you saw."""
        return self.remote.receipt

    def __bytes__(self) -> bytes:
        return b"".join(self.remote.lines)

    def asks(self) -> list[Question]:
        """Wait for the others, then return what you must decide. Empty: the game is over.

        Shares of chance, and the opening of what you sealed, are given for you.
        """
        while not self.over:
            asked = self.remote.asks()
            if decisions := [ask for ask in asked if ask.kind in DECISIONS]:
                words = words_for(self.game, self.names, self.seat)
                return [Question(ask, self.view, words) for ask in decisions]
            for ask in asked:
                self.remote.give(ask)
            self.remote.look(0 if asked else WAIT)
        return []

    def answer(self, question: Question | Ask, move: Move) -> None:
        """Answer a question with a move; one at the same time as others is sealed for you."""
        ask = question.ask if isinstance(question, Question) else question
        if ask.kind not in DECISIONS:
            raise InputError(f"a {ask.kind} is given for you; answer what seat.asks() lists")
        self.game.check(self.view, self.seat, move)
        self.remote.answer(ask, self.remote.reply(ask, move))
        self.remote.look()

    def play(self, player: str | Player) -> Verdict:
        """Let a player play to the end of the game, and verify it, with your receipt."""
        if isinstance(player, str):
            player = make_player(player, self.game, SystemStream(), self.seat)
        while questions := self.asks():
            for question in questions:
                move = player.choose(self.game, question.view, self.seat)
                self.game.check(self.view, self.seat, move)
                self.remote.give(question.ask, move)
            self.remote.look()
        return self.verify()

    def verify(self) -> Verdict:
        """Check the whole game, with your receipt; raises its `Fault` if it does not hold."""
        return self.remote.finish().verdict

    def leave(self, reason: str = "left") -> None:
        """Leave the table: this seat forfeits."""
        self.remote.forfeit(reason)
        self.remote.look()

    def __repr__(self) -> str:
        here = f"{named(self.names[self.seat])} ({self.game.role(self.seat)})"
        now = f"payoff {self.payoff}" if self.over else "seat.asks() asks you"
        lines = f"{len(self.remote.lines)} lines"
        return f"<seat {self.seat}, {here}, of {self.game.name}; {lines}, {now}>"


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
    return RemoteSeat(RemoteTable(url))
