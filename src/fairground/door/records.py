"""Records in your own program: read, write and verify them, and tell their story."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, SupportsBytes, TypeAlias, cast, overload

from fairground.core import Fault, Game, InputError, Over, Seat, Unreadable
from fairground.escape import named, shown
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.receipts import found, read_receipts, table_of
from fairground.table import Table
from fairground.transcript import Event, Transcript, line_hash, parse
from fairground.transcript import read as lines_of
from fairground.verifier import Verdict
from fairground.verifier import replay as run_again
from fairground.verifier import verify as judge
from fairground.words import PlainWords, words_for

Source: TypeAlias = "SupportsBytes | bytes | str | PathLike[str] | Table"
"""A table, a `Record`, the bytes of a transcript, or the path of a file."""


class Record:
    """A transcript as it was read. Nothing in it is checked: that is what `verify` is for."""

    def __init__(self, data: bytes) -> None:
        self.lines = lines_of(data)

    @cached_property
    def events(self) -> list[Event]:
        """The events, one object for each line; raises a `Fault` at a line that is none."""
        return [parse(line, number) for number, line in enumerate(self.lines, 1)]

    @property
    def start(self) -> Event:
        """The first event: game, parameters, scheme and seats."""
        return self.events[0]

    @property
    def heads(self) -> list[str]:
        """The hash of each line: what somebody may have kept as a receipt."""
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
    """The bytes of a transcript."""
    if isinstance(source, Table):
        return bytes(source.transcript)
    if isinstance(source, (str, PathLike)):
        return _contents(Path(fspath(source)))
    if isinstance(source, (bytes, bytearray, memoryview, Transcript)) or (
        hasattr(source, "__bytes__") and not isinstance(source, type)
    ):
        return bytes(source)
    raise InputError(
        f"a transcript is a table, a path, or bytes that were read from a file, not {source!r}"
    )


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def read(source: Source) -> Record:
    """Read a transcript: of a file, of bytes, or of a table as far as it is played."""
    return Record(bytes_of(source))


def write(source: Source, path: str | PathLike[str]) -> Path:
    """Write a transcript to a file; an old file of this name is replaced."""
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
    """Check a transcript; the verdict says what it proves, for whom and under which condition.

    ``receipts`` are hashes that somebody kept, each before an answer: `Question.receipt`, or all of
    `LocalTable.receipts`, or the path of a file of receipts, as clients write them; for the path of
    a transcript they are looked for beside it. They prove that what stood before that answer stood
    there in time. Games and schemes of your own are added with
    ``fg.GAMES.plus({...})``.
    """
    data = bytes_of(source)
    if isinstance(receipts, Path):
        receipts = read_receipts(receipts, table_of(data))
    elif not receipts and isinstance(source, (str, PathLike)):
        receipts = found(Path(fspath(source)), data)
    return judge(data, receipts, games=games, schemes=schemes)


class Step(NamedTuple):
    """One thing that happened: on which line, what state it led to, and in words."""

    line: int
    kind: str
    """``draw``, ``move``, ``forfeit`` or ``end``."""
    state: Any
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
    """Run a transcript again, and tell it step by step; for a ``reader``, who is called "you".

    Raises a `Fault`, which names the line, where the transcript does not hold. One that stops
    early is told as far as it goes.
    """
    table = run_again(bytes_of(source), games=games, schemes=schemes)
    names = [chair.name for chair in table.setting.chairs]
    return Story(table, words_for(table.game, names, reader, games))


def _steps(table: Table, words: PlainWords[Any]) -> Iterator[Step]:
    """The steps of the game in order, each with a sentence."""
    state: Any = table.game.start()
    events = table.transcript.events
    for change in table.history:
        if not isinstance(change.after, Over):
            state = change.after
        if change.kind == "draw":
            told = words.drawn(change.before, state, change.n, cast(int, change.value))
            if told is not None:
                yield Step(change.line, "draw", state, told)
        elif change.kind == "move":
            says = words.move(change.before, change.seat, change.value)
            yield Step(change.line, "move", state, says)
        elif change.kind == "left":
            event = events[change.line - 1]
            says = words.left(change.seat, event["by"], event["reason"])
            yield Step(change.line, "forfeit", state, says)
    for line, event in enumerate(events, 1):
        if event["kind"] == "void":
            yield Step(line, "end", state, f"The house voids the game: {shown(event['reason'])}")
    if events[-1]["kind"] == "end" and table.payoff is not None:
        yield Step(table.transcript.step, "end", state, words.over(state, table.payoff))
