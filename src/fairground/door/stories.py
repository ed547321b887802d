"""A game again, step by step, with the state after each step and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from fairground.core import Draw, Game, Seat, Turn
from fairground.door.records import Source, bytes_of
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.replay import replay as run_again
from fairground.table import Table
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
        names = ", ".join(self.words.names)
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
    game, state = table.game, table.game.start()
    happened: list[tuple[int, Any]] = [(run.line, run.draws) for run in table.runs if run.line]
    happened += [(decision.line, decision) for decision in table.decisions]
    moves: dict[Seat, Any] = {}
    for line, what in sorted(happened, key=lambda one: one[0]):
        if isinstance(what, list):
            for n, value in what:
                assert isinstance(game.awaits(state), Draw)
                before, state = state, game.drawn(state, value)
                if (says := words.drawn(before, state, n, value)) is not None:
                    yield Step(line, "draw", state, says)
            continue
        turn = game.awaits(state)
        assert isinstance(turn, Turn)
        moves[what.seat] = what.move
        before = state
        if moves.keys() == set(turn.seats):
            state, moves = game.played(state, moves), {}
        yield Step(line, "move", state, words.move(before, what.seat, what.move))
    yield from _ending(table, words, state)


def _ending(table: Table, words: PlainWords[Any], state: Any) -> Iterator[Step]:
    for line, event in enumerate(table.transcript.events, 1):
        if event["kind"] == "forfeit":
            says = f"{words.does(event['seat'], 'leave')}: {event['reason']}."
            yield Step(line, "forfeit", state, says)
        elif event["kind"] == "void":
            yield Step(line, "end", state, f"The house voids the game: {event['reason']}.")
        elif event["kind"] == "end" and table.payoff is not None:
            yield Step(line, "end", state, words.over(state, table.payoff))
