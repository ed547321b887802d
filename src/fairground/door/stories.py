"""A game again, step by step, with the state after each step and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from fairground.core import Game, Over, Seat
from fairground.course import Drawn, Left, Moved, follow
from fairground.door.records import Source, bytes_of
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.replay import replay as run_again
from fairground.shown import named, shown
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
    """What happened, in order, each with a sentence."""
    state: Any = table.game.start()
    events = table.transcript.events
    for what in follow(table):
        before = state
        if not isinstance(what.after, Over):
            state = what.after
        if isinstance(what, Drawn):
            if (told := words.drawn(before, state, what.n, what.value)) is not None:
                yield Step(what.line, "draw", state, told)
        elif isinstance(what, Moved):
            yield Step(what.line, "move", state, words.move(before, what.seat, what.move))
        elif isinstance(what, Left):
            event = events[what.line - 1]
            says = words.left(what.seat, event["by"], event["reason"])
            yield Step(what.line, "forfeit", state, says)
    for line, event in enumerate(events, 1):
        if event["kind"] == "void":
            yield Step(line, "end", state, f"The house voids the game: {shown(event['reason'])}")
    if events[-1]["kind"] == "end" and table.payoff is not None:
        yield Step(table.transcript.step, "end", state, words.over(state, table.payoff))
