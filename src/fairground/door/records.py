"""Records in your own program: read, write and verify them, and tell their story."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, SupportsBytes, TypeAlias, overload

from fairground.core import Fault, Game, InputError, Over, Seat, Unreadable
from fairground.escape import named, shown
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.receipts import found, read_receipts, table_of
from fairground.table import Table
from fairground.transcript import Event, line_hash, parse
from fairground.transcript import read as lines_of
from fairground.verifier import Verdict
from fairground.verifier import replay as run_again
from fairground.verifier import verify as judge
from fairground.words import PlainWords, words_for
from fairground.words.telling import told

Source: TypeAlias = "SupportsBytes | bytes | str | PathLike[str] | Table"
"""A table, a `Record`, the bytes of a transcript, or the path of a file."""


class Record:
    """A transcript as it was read. Nothing in it is checked: use `verify`."""

    def __init__(self, data: bytes) -> None:
        self.lines = lines_of(data)

    @cached_property
    def events(self) -> list[Event]:
        """One event for each line; raises a `Fault` at the first bad line."""
        return [parse(line, number) for number, line in enumerate(self.lines, 1)]

    @property
    def start(self) -> Event:
        """The first event, with game, parameters, scheme and seats."""
        return self.events[0]

    @property
    def heads(self) -> list[str]:
        """The hash of each line. Any of them may have been kept as a receipt."""
        return [line_hash(line) for line in self.lines]

    def __bytes__(self) -> bytes:
        return b"".join(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        """Describe the record. This must never fail, and must escape control characters."""
        try:
            first, last = self.events[0], self.events[-1]
            names = ", ".join(named(seat["name"]) for seat in first["seats"])
            what = f"{shown(first['game'])}: {names}; {shown(first['dealer'])}, "
            end = f"payoff {tuple(last['payoff'] or ())}" if last["kind"] == "end" else "unfinished"
        except (Fault, KeyError, TypeError):
            what, end = "a transcript: ", "not all of them readable"
        return f"<{what}{len(self)} lines, {end}. Not checked: fg.verify(record)>"


def bytes_of(source: Source) -> bytes:
    """Return the bytes of a transcript."""
    if isinstance(source, Table):
        return bytes(source.transcript)
    if isinstance(source, (str, PathLike)):
        try:
            return Path(source).read_bytes()
        except OSError as error:
            why = error.strerror or error
            raise Unreadable(f"{fspath(source)!r} cannot be read: {why}") from None
    if isinstance(source, (bytearray, memoryview)) or (
        hasattr(source, "__bytes__") and not isinstance(source, type)
    ):
        return bytes(source)
    raise InputError(
        f"a transcript is a table, a path, or bytes that were read from a file, not {source!r}"
    )


def read(source: Source) -> Record:
    """Read a transcript from a file, from bytes, or from a table as far as it is played."""
    return Record(bytes_of(source))


def write(source: Source, path: str | PathLike[str]) -> Path:
    """Write a transcript to a file, replacing an old file of this name."""
    data = bytes_of(source)
    target = Path(path)
    writer(target)(data)
    return target


def writer(path: Path) -> Callable[[bytes], object]:
    """Return a function that replaces the file at first, then appends. Nothing stays open."""
    mode = "wb"

    def add(data: bytes) -> None:
        nonlocal mode
        try:
            with path.open(mode) as file:
                file.write(data)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"the transcript cannot be written to {path}: {reason}") from None
        mode = "ab"

    return add


def verify(
    source: Source,
    receipts: str | Path | Sequence[str | Mapping[str, Any]] = (),
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Verdict:
    """Check a transcript; the verdict says what it proves, for whom and on which condition.

    ``receipts`` are hashes that you kept before your answers: a `Question.receipt`, all of
    `LocalTable.receipts`, or the path of a file of receipts. For a transcript's path, receipts
    are read from the file beside it. They prove that the lines before an answer were there in
    time. Add games and schemes of your own with ``fg.GAMES.plus({...})``.
    """
    data = bytes_of(source)
    if isinstance(receipts, Path):
        receipts = read_receipts(receipts, table_of(data))
    elif not receipts and isinstance(source, (str, PathLike)):
        receipts = found(Path(fspath(source)), data)
    return judge(data, receipts, games=games, schemes=schemes)


class Step(NamedTuple):
    """A line of the record that says something: its kind, its words, and the state after it."""

    line: int
    kind: str
    """Kind of the event, such as ``dealt``, ``move``, ``forfeit`` or ``end``."""
    state: Any
    says: str

    def __repr__(self) -> str:
        return f"<line {self.line}, {self.kind}: {self.says}>"


class Story(Sequence[Step]):
    """The steps of a game that the referee played again. Printed, it tells them."""

    def __init__(self, table: Table, words: PlainWords[Any]) -> None:
        self.table = table
        self.words = words
        after = {change.line: change.after for change in table.history}
        self.steps: list[Step] = []
        state: Any = table.game.start()
        for line, sentences, _ in told(table.transcript.events, words):
            reached = after.get(line)
            state = state if reached is None or isinstance(reached, Over) else reached
            if sentences:
                kind = table.transcript.events[line - 1]["kind"]
                self.steps.append(Step(line, kind, state, shown(" ".join(sentences))))

    @property
    def game(self) -> Game[Any]:
        return self.table.game

    @property
    def payoff(self) -> tuple[int, ...] | None:
        """The payoff of each seat; ``None`` if the game is unfinished or void."""
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
    """Play a transcript again and tell it line by line; ``reader`` is the seat called "you".

    Raises the `Fault` of the first line that does not hold. An unfinished game is told as far as
    it goes.
    """
    table = run_again(bytes_of(source), games=games, schemes=schemes)
    names = [chair.name for chair in table.setting.chairs]
    return Story(table, words_for(table.game, names, reader, games))
