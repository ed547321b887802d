"""The course of a game: everything that happened at a table, in order, with the state around it.

The referee keeps every draw and every decision with its line. Here they are put into one row, for
those who tell a game (`fairground.door.stories`) and those who judge it (`fairground.coach`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fairground.core import Move, Over, Seat, Turn
from fairground.fair.schemes import Run
from fairground.table import LEFT, Decision, Table


class Drawn(NamedTuple):
    """One draw."""

    line: int
    n: int
    value: int
    before: Any
    after: Any


class Moved(NamedTuple):
    """A seat's move. In a turn of several seats the state changes with the last of them."""

    line: int
    seat: Seat
    move: Move
    before: Any
    after: Any


class Left(NamedTuple):
    """A seat leaves: the others play on, or the game is over.

    Whoever leaves while draws are under way stays in until they are dealt. Then the state does not
    change yet, and an `Out` follows.
    """

    line: int
    seat: Seat
    before: Any
    after: Any
    """A state, or `Over`."""


class Out(NamedTuple):
    """A seat that said before that it leaves is out now."""

    line: int
    seat: Seat
    before: Any
    after: Any


Happening = Drawn | Moved | Left | Out


def follow(table: Table) -> Iterator[Happening]:
    """All that happened, in the order of the lines."""
    return _Course(table).happenings()


class _Course:
    """Follows the state from one thing to the next, as the referee did."""

    def __init__(self, table: Table) -> None:
        self._table, self._game = table, table.game
        self._state: Any = table.game.start()
        self._moves: dict[Seat, Move] = {}
        self._leaving: list[tuple[int, Seat]] = []

    def happenings(self) -> Iterator[Happening]:
        rows: list[tuple[int, Run | Decision]] = [
            (run.line, run) for run in self._table.runs if run.line
        ]
        rows += [(decision.line, decision) for decision in self._table.decisions]
        for line, what in sorted(rows, key=lambda row: row[0]):
            if isinstance(what, Run):
                yield from self._dealt(line, what)
            elif what.move == LEFT:
                yield self._left(line, what.seat)
            else:
                before = self._state
                self._moves[what.seat] = what.move
                self._play_if_complete()
                yield Moved(line, what.seat, what.move, before, self._state)

    def _dealt(self, line: int, run: Run) -> Iterator[Happening]:
        for n, value in run.draws:
            before, self._state = self._state, self._game.drawn(self._state, value)
            yield Drawn(line, n, value, before, self._state)
        for said, seat in self._leaving:
            yield Out(said, seat, self._state, self._without(seat))
        self._leaving = []

    def _left(self, line: int, seat: Seat) -> Left:
        before = self._state
        if any(run.step < line < run.line for run in self._table.runs):
            self._leaving.append((line, seat))
            return Left(line, seat, before, before)
        return Left(line, seat, before, self._without(seat))

    def _without(self, seat: Seat) -> Any:
        after = self._game.departed(self._state, seat)
        if isinstance(after, Over):
            return after
        self._state = after
        awaits = self._game.awaits(after)
        turn = awaits.seats if isinstance(awaits, Turn) and len(awaits.seats) > 1 else ()
        self._moves = {who: move for who, move in self._moves.items() if who in turn}
        self._play_if_complete()
        return self._state

    def _play_if_complete(self) -> None:
        awaits = self._game.awaits(self._state)
        if isinstance(awaits, Turn) and self._moves.keys() == set(awaits.seats):
            self._state, self._moves = self._game.played(self._state, self._moves), {}
