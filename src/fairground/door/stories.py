"""A game again, step by step, with the state after each step and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from fairground.core import Game, Move, Over, Seat, Turn
from fairground.door.records import Source, bytes_of
from fairground.fair.register import SCHEMES, Schemes
from fairground.fair.schemes import Run
from fairground.games import GAMES, Games
from fairground.replay import replay as run_again
from fairground.shown import named, shown
from fairground.table import LEFT, Decision, Table
from fairground.transcript import check_chain, read
from fairground.words import PlainWords, words_for


class Step(NamedTuple):
    """One thing that happened: on which line, what state it led to, and in words."""

    line: int
    kind: str
    """``draw``, ``move``, ``forfeit`` or ``end``."""
    state: Any
    """The whole state after it."""
    says: str

    def __repr__(self) -> str:
        return f"<line {self.line}, {self.kind}: {self.says}>"


class Story(Sequence[Step]):
    """The steps of a game that was run again through the referee. Printed, it tells them."""

    def __init__(self, table: Table, words: PlainWords[Any]) -> None:
        self.table = table
        self.words = words
        self.steps = tuple(_steps(table, words))

    @property
    def game(self) -> Game[Any]:
        """The rules, with their parameters."""
        return self.table.game

    @property
    def payoff(self) -> tuple[int, ...] | None:
        """What each seat has won; ``None`` if the game was not finished, or is void."""
        return self.table.payoff

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | Sequence[Step]:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(step.says for step in self.steps)

    def __repr__(self) -> str:
        names = ", ".join(map(named, self.words.names))
        return f"<{self.game.name}: {names}, {len(self)} steps. print() tells them>"


def replay(
    source: Source,
    reader: Seat | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Story:
    """Run a transcript again, and tell it step by step; for a ``reader``, who is called "you".

    Raises a `Fault`, which names the line, where the transcript does not hold. One that stops
    early is told as far as it goes.
    """
    lines = read(bytes_of(source))
    table = run_again(lines, check_chain(lines), games=games, schemes=schemes)
    names = [chair.name for chair in table.setting.chairs]
    return Story(table, words_for(table.game, names, reader, games))


def _steps(table: Table, words: PlainWords[Any]) -> Iterator[Step]:
    """The referee has kept every draw and every decision with its line: tell them in order."""
    told = _Teller(table, words)
    happened: list[tuple[int, Run | Decision]] = [(run.line, run) for run in table.runs if run.line]
    happened += [(decision.line, decision) for decision in table.decisions]
    for line, what in sorted(happened, key=lambda one: one[0]):
        if isinstance(what, Run):
            yield from told.dealt(line, what)
        elif what.move == LEFT:
            yield told.left(line, what.seat)
        else:
            yield told.moved(line, what.seat, what.move)
    last = table.transcript.events[-1]
    for line, event in enumerate(table.transcript.events, 1):
        if event["kind"] == "forfeit" and not told.has_left(event["seat"]):
            yield told.left(line, event["seat"])
        elif event["kind"] == "void":
            yield Step(
                line, "end", told.state, f"The house voids the game: {shown(event['reason'])}"
            )
    if last["kind"] == "end" and table.payoff is not None:
        says = words.over(told.state, table.payoff)
        yield Step(table.transcript.step, "end", told.state, says)


class _Teller:
    """Follows the state from step to step, as the referee did."""

    def __init__(self, table: Table, words: PlainWords[Any]) -> None:
        self._table, self._words, self._game = table, words, table.game
        self.state: Any = table.game.start()
        self._moves: dict[Seat, Move] = {}
        self._leaving: list[Seat] = []
        self._gone: set[Seat] = set()

    def has_left(self, seat: Seat) -> bool:
        return seat in self._gone

    def dealt(self, line: int, run: Run) -> Iterator[Step]:
        for n, value in run.draws:
            before, self.state = self.state, self._game.drawn(self.state, value)
            if (says := self._words.drawn(before, self.state, n, value)) is not None:
                yield Step(line, "draw", self.state, says)
        for seat in self._leaving:
            self._take_out(seat)
        self._leaving = []

    def moved(self, line: int, seat: Seat, move: Move) -> Step:
        before = self.state
        self._moves[seat] = move
        self._play_if_complete()
        return Step(line, "move", self.state, self._words.move(before, seat, move))

    def left(self, line: int, seat: Seat) -> Step:
        """Whoever leaves while a run is open is out only when it is dealt."""
        self._gone.add(seat)
        if any(run.step < line < run.line for run in self._table.runs):
            self._leaving.append(seat)
        else:
            self._take_out(seat)
        event = self._table.transcript.events[line - 1]
        says = self._words.left(seat, event["by"], event["reason"])
        return Step(line, "forfeit", self.state, says)

    def _take_out(self, seat: Seat) -> None:
        after = self._game.departed(self.state, seat)
        if isinstance(after, Over):
            return
        self.state = after
        awaits = self._game.awaits(after)
        turn = awaits.seats if isinstance(awaits, Turn) and len(awaits.seats) > 1 else ()
        self._moves = {who: move for who, move in self._moves.items() if who in turn}
        self._play_if_complete()

    def _play_if_complete(self) -> None:
        awaits = self._game.awaits(self.state)
        if isinstance(awaits, Turn) and self._moves.keys() == set(awaits.seats):
            self.state, self._moves = self._game.played(self.state, self._moves), {}
