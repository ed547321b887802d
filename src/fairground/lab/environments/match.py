"""One episode of a game: seats act, draws come from a seeded stream, and a record can be saved.

Nothing is hashed while it is played. All draws follow from the seed of the dealer `seeded/1`. So
the moves are enough to play the same game again at a real table: `transcript` does that, and
``fairground verify`` accepts the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairground.core import Draw, Game, IllegalMove, InputError, Move, Over, Seat
from fairground.fair.bits import SeededStream, Stream, fresh
from fairground.lab.plans import seeded_table
from fairground.players import Player, seat_labels, seat_title
from fairground.players.runner import Runner
from fairground.transcript import Transcript


class _NoMoreMoves(Exception):
    """The recorded moves of a seat are used up."""


class _Script(Player):
    """Repeats recorded moves."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = iter(moves)

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        for move in self._moves:
            return move
        raise _NoMoreMoves


class Match:
    """An episode of a game; `reset` begins the next one."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.seed = ""
        self.episode = -1
        self.state: Any = None
        self.payoff: tuple[int, ...] | None = None
        """The payoffs, once the episode is over."""
        self.turns = 0
        """Number of completed turns."""
        self.to_move: tuple[Seat, ...] = ()
        """The seats that owe a move."""
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
        """Return a random stream of this episode: 0 is the dealer's, 1 + seat is a player's own."""
        return SeededStream(self.seed, self.episode, lane)

    def _go_on(self) -> None:
        """Draw until a seat has to move or the game is over."""
        while isinstance(awaits := self.game.awaits(self.state), Draw):
            self.state = self.game.drawn(self.state, self._tape.below(awaits.n))
        if isinstance(awaits, Over):
            self.payoff, self.to_move = awaits.payoff, ()
        else:
            self.to_move = awaits.seats

    def view(self, seat: Seat) -> Any:
        """Return a seat's view. Simultaneous moves become visible when all seats have moved."""
        return self.game.view(self.state, seat)

    def act(self, seat: Seat, move: Move) -> None:
        """Make a seat's move; the game goes on when no seat owes a move."""
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
        if self.payoff is None:
            self._left, self.to_move = seat, ()
            self.payoff = self.game.forfeit(self.state, seat)

    def transcript(self) -> Transcript:
        """Replay the episode so far at a real table, and return its record."""
        if self.episode < 0:
            raise InputError("nothing was played yet: call reset first")
        names = [seat_title(label) for label in seat_labels(self.game)]
        table = seeded_table(self.game, self.seed, self.episode, names)
        try:
            Runner(table, {seat: _Script(moves) for seat, moves in enumerate(self._played)}).play()
        except _NoMoreMoves:
            if self._left is not None:
                table.forfeit(self._left, "left")
        return table.transcript


class Recorded:
    """An environment whose episode can be saved as a record."""

    match: Match

    def transcript(self) -> Transcript:
        """Return the episode so far as a record that ``fairground verify`` checks."""
        return self.match.transcript()

    def save(self, path: str | Path) -> None:
        """Write the record of the episode so far to a file."""
        Path(path).write_bytes(bytes(self.transcript()))
