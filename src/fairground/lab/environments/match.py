"""One episode of a game: seats act, chance comes from a dealer's tape, and a record can be saved.

Nothing is hashed while it is played. Everything that was drawn stands on the tape of the dealer
`seeded/1`, so the moves alone are enough to play the very same game again at a real table:
`transcript` does that, and ``fairground verify`` accepts the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Draw, Game, IllegalMove, InputError, Move, Over, Seat
from fairground.fair.bits import SeededStream, Stream, fresh
from fairground.fair.schemes import Chair
from fairground.fair.unproven import SeededDealer
from fairground.fair.vault import MemoryVault
from fairground.players import Player
from fairground.players.hosted import Hosted
from fairground.players.seats import seat_labels, seat_title
from fairground.table import Table, new_name
from fairground.transcript import Transcript


class _NoMoreMoves(Exception):
    """The script of a seat is at its end."""


class _Script(Player):
    """Plays what was played."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = iter(moves)

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        """The next move of the script."""
        for move in self._moves:
            return move
        raise _NoMoreMoves


class Match:
    """An episode, and after `reset` the next one."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.seed = ""
        self.episode = -1
        self.state: Any = None
        self.payoff: tuple[int, ...] | None = None
        """What each seat has won, once it is over."""
        self.turns = 0
        """Turns that were completed."""
        self.to_move: tuple[Seat, ...] = ()
        """The seats that still owe a move."""
        self._tape: Stream = SeededStream("")
        self._pending: dict[Seat, Move] = {}
        self._played: list[list[Move]] = []
        self._left: Seat | None = None

    def reset(self, seed: int | str | None = None) -> None:
        """Begin the next episode; with a seed, episode 0 of that seed."""
        if seed is not None:
            self.seed, self.episode = str(seed), -1
        elif self.episode < 0:
            self.seed = fresh().hex()
        self.episode += 1
        self._tape = self.stream(0)
        self._pending, self._left = {}, None
        self._played = [[] for _ in range(self.game.seats)]
        self.payoff, self.turns = None, 0
        self.state = self.game.start()
        self._go_on()

    def stream(self, lane: int) -> SeededStream:
        """A tape of this episode: 0 is the dealer's, 1 + seat is a player's own."""
        return SeededStream(self.seed, self.episode, lane)

    def _go_on(self) -> None:
        """Draw until somebody has to move, or it is over."""
        while isinstance(awaits := self.game.awaits(self.state), Draw):
            self.state = self.game.drawn(self.state, self._tape.below(awaits.n))
        if isinstance(awaits, Over):
            self.payoff, self.to_move = awaits.payoff, ()
        else:
            self.to_move = awaits.seats

    def view(self, seat: Seat) -> Any:
        """What a seat sees. A move at the same time as others is seen when all have moved."""
        return self.game.view(self.state, seat)

    def act(self, seat: Seat, move: Move) -> None:
        """A seat moves; when all that owe a move have, the game goes on."""
        if seat not in self.to_move:
            raise IllegalMove(f"seat {seat} is not to move now")
        self.game.check(self.state, seat, move)
        self._pending[seat] = move
        self.to_move = tuple(other for other in self.to_move if other != seat)
        if not self.to_move:
            for one, made in self._pending.items():
                self._played[one].append(made)
            moves, self._pending = self._pending, {}
            self.state = self.game.played(self.state, moves)
            self.turns += 1
            self._go_on()

    def leave(self, seat: Seat) -> None:
        """A seat walks away: the episode ends with what that costs."""
        if self.payoff is None:
            self._left, self.to_move = seat, ()
            self.payoff = self.game.forfeit(self.state, seat)

    def transcript(self, names: Mapping[Seat, str] | None = None) -> Transcript:
        """The episode so far at a real table, as a record that ``fairground verify`` checks."""
        if self.episode < 0:
            raise InputError("nothing was played yet: call reset first")
        labels = [seat_title(label) for label in seat_labels(self.game)]
        chairs = [
            Chair((names or {}).get(seat, label), by="house") for seat, label in enumerate(labels)
        ]
        dealer = SeededDealer(new_name(), MemoryVault(), seed=self.seed, game=self.episode)
        table = Table.open(self.game, dealer, chairs)
        try:
            Hosted(table, {seat: _Script(moves) for seat, moves in enumerate(self._played)}).play()
        except _NoMoreMoves:
            if self._left is not None:
                table.forfeit(self._left, "left")
        return table.transcript
