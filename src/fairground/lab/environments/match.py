"""One episode of a game: seats act, draws come from a seeded stream, and a record can be saved.

All environments drive a `Match`. It also counts in a codec's numbers: observations, legal actions.

Nothing is hashed while it is played. All draws follow from the seed of the dealer `seeded/1`. So
the moves are enough to play the same game again at a real table: `transcript` does that, and
``fairground verify`` accepts the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fairground.core import Draw, Game, IllegalMove, InputError, Move, Over, Seat
from fairground.fair.bits import SeededStream, Stream, fresh
from fairground.games import GAMES, make_game
from fairground.lab.environments.codecs import Codec, Row, codec_of
from fairground.lab.plans import seeded_table
from fairground.players import Player, seat_labels, seat_title
from fairground.players.runner import Runner
from fairground.transcript import Transcript
from fairground.words import words_for

MOST_TURNS: Final = 1000
"""Maximum number of turns of an episode; a longer one is truncated."""


def game_named(which: str | Game[Any], params: dict[str, Any]) -> Game[Any]:
    """Return the newest game of this name with these parameters, or the game that is given."""
    return make_game(GAMES.newest(which), params) if isinstance(which, str) else which


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

    def __init__(self, game: Game[Any], codec: Codec | None = None) -> None:
        self.game = game
        self._codec = codec
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
        self._legal: dict[Seat, list[int]] = {}

    @cached_property
    def codec(self) -> Codec:
        return self._codec or codec_of(self.game)

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
        self._legal = {}
        while isinstance(awaits := self.game.awaits(self.state), Draw):
            self.state = self.game.drawn(self.state, self._tape.below(awaits.n))
        if isinstance(awaits, Over):
            self.payoff, self.to_move = awaits.payoff, ()
        else:
            self.to_move = awaits.seats

    def view(self, seat: Seat | None) -> Any:
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

    # In numbers

    def legal(self, seat: Seat) -> list[int]:
        """Return the legal actions of a seat; none if it does not owe a move."""
        if seat not in self.to_move:
            return []
        if seat not in self._legal:
            self._legal[seat] = self.codec.legal(self.view(seat), seat)
        return list(self._legal[seat])

    def mask(self, seat: Seat) -> NDArray[np.int8]:
        return self.codec.mask(self.legal(seat), seat)

    def seen(self, seat: Seat) -> Row:
        return self.codec.encode(self.view(seat), seat)

    def choose(self, seat: Seat, action: Any) -> bool:
        """Act; an illegal action forfeits the game. Return whether it was legal."""
        if int(action) not in self.legal(seat):
            self.leave(seat)
            return False
        self.act(seat, self.codec.move(seat, int(action)))
        return True

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
    """An environment whose episode can be shown, and saved as a record."""

    match: Match

    def transcript(self) -> Transcript:
        """Return the episode so far as a record that ``fairground verify`` checks."""
        return self.match.transcript()

    def save(self, path: str | Path) -> None:
        """Write the record of the episode so far to a file."""
        Path(path).write_bytes(bytes(self.transcript()))

    def render(self) -> Any:
        """Return the position in words, as the environment's own seat sees it if it has one."""
        game, seat = self.match.game, getattr(self, "seat", None)
        words = words_for(game, seat_labels(game), seat, GAMES)
        return "\n".join(words.state(self.match.view(seat)))
