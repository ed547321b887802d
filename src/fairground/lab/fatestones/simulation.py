"""Many games of FateStones, each of which can be found again alone.

Game number g of a seed reads its own tapes (`SeededStream`): lane 0 for the deal and the
rolls, lane 1 + seat for a player who needs chance. So the rows depend on nothing but the
arguments: not on how the work is cut into chunks, nor on who does it, nor on whether it
was interrupted. A game is one deal, as in the original simulator: a scratch ends it.

Rows are appended to ``<out>.part`` chunk by chunk, and each finished chunk is noted in
``<out>.journal`` after its rows are on disk; running the same command again goes on after
the last note. The file gets its name when it is complete.

Where both players are `random` or `greedy` and Numba is installed, a kernel plays the
games from the same tapes, and a random sample of every chunk is played again by the rules
and compared. Without Numba the rows are the same, only later.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Fault, InputError
from fairground.fair.bits import SeededStream, Stream, SystemStream, fresh, seeded_key
from fairground.games.fatestones import FACES, FateStones, Round
from fairground.lab.fatestones.rows import COLUMNS, HEADER, pyarrow, row_of
from fairground.players import make_player
from fairground.playing import play
from fairground.solve.fatestones.choices import meeting

Progress = Callable[[int, int], None]
"""Told how many games are done, and of how many."""

CHUNK: Final = 100
"""Games between two notes in the journal where players think."""

KERNEL_CHUNK: Final = 100_000
"""The same where the kernel plays."""

KERNEL_KINDS: Final = {"random": 0, "greedy": 1}
WIDEST_BAG: Final = 1 << 15
"""The kernel numbers dice in 16 bits."""

CHECKED: Final = 3
"""Games of each kernel chunk that the rules play again."""


class Plan(NamedTuple):
    """Everything that the rows depend on."""

    games: int
    players: tuple[str, str]
    seed: str
    dice: tuple[str, ...] | None = None
    """The bag; ``None`` is the 32 fair dice."""


def game_of(plan: Plan) -> FateStones:
    """The rules by which a plan's games are played."""
    return FateStones(plan.dice, scratch="end")


def rounds(game: FateStones, players: Sequence[str], seed: str, number: int) -> Iterator[Round]:
    """Play game ``number`` of a seed by the rules, and yield its rounds as they end."""
    dealer = SeededStream(seed, number)
    seated = [
        make_player(spec, game, SeededStream(seed, number, 1 + seat), seat)
        for seat, spec in enumerate(players)
    ]
    last: Round | None = None
    for state in play(game, seated, dealer):
        if state.last is not None and state.last is not last:
            yield state.last
        last = state.last


def play_game(plan: Plan, number: int) -> Iterator[Round]:
    """The rounds of one game of a plan, without playing the others."""
    if not 0 <= number < plan.games:
        raise InputError(f"game {number} is not among the games 0 to {plan.games - 1}")
    return rounds(game_of(plan), plan.players, plan.seed, number)


class Episode(NamedTuple):
    """One choice and one roll, as the source document's Episode has it."""

    played: Round
    seed: str
    """With it the same episode comes again."""

    @property
    def row(self) -> str:
        """The ten columns."""
        return row_of(self.played)


def episode(
    mine: Sequence[str],
    theirs: Sequence[str],
    players: Sequence[str] = ("optimal", "optimal"),
    seed: str | None = None,
) -> Episode:
    """Dice of both sides in; both choices and both rolls out. Without a seed one is made up."""
    _must_be_two(players)
    seed = fresh().hex() if seed is None else seed
    game = FateStones(hands=(mine, theirs))
    return Episode(next(rounds(game, players, seed, 0)), seed)


def _must_be_two(players: Sequence[str]) -> None:
    if len(players) != 2:
        raise InputError(f"two players are needed, such as optimal,mcts:200; not {len(players)}")


def check_plan(plan: Plan) -> None:
    """Refuse what cannot be simulated, before anything is written."""
    _must_be_two(plan.players)
    if plan.games < 1:
        raise BadParams(f"at least one game must be simulated, not {plan.games}")
    game = game_of(plan)
    for seat, spec in enumerate(plan.players):
        make_player(spec, game, SystemStream(), seat)


def kernel_plays(plan: Plan) -> bool:
    """Whether the kernel knows both players and is there."""
    return (
        all(player in KERNEL_KINDS for player in plan.players)
        and (plan.dice is None or len(plan.dice) < WIDEST_BAG)
        and find_spec("numba") is not None
    )


class Chunk(NamedTuple):
    """The rows of consecutive games as text."""

    text: bytes
    games: int
    rows: int


def play_chunk(plan: Plan, first: int, count: int) -> Chunk:
    """Play some consecutive games; a pure function, so that anyone may call it anywhere."""
    if kernel_plays(plan):
        return kernel_chunk(plan, first, count)
    game = game_of(plan)
    lines = [
        row_of(played)
        for number in range(first, first + count)
        for played in rounds(game, plan.players, plan.seed, number)
    ]
    return Chunk("".join(f"{line}\n" for line in lines).encode(), count, len(lines))


def kernel_chunk(
    plan: Plan, first: int, count: int, check: int = CHECKED, chance: Stream | None = None
) -> Chunk:
    """The same by the kernel; ``check`` games picked by ``chance`` are compared with the rules."""
    from fairground.solve.fatestones import simulation as kernel

    game = game_of(plan)
    workspace = kernel_workspace(plan, count)
    done = kernel.play(first, count, workspace)
    text = as_text(workspace, done)
    chance = chance or SystemStream()
    alone = kernel_workspace(plan, 1)
    for number in {first + chance.below(count) for _ in range(check)}:
        length = kernel.play(number, 1, alone)
        wanted = [row_of(played) for played in rounds(game, plan.players, plan.seed, number)]
        if as_text(alone, length).decode().splitlines() != wanted:
            raise Fault("simulate/kernel", f"kernel and rules disagree on game {number}")
    return Chunk(text, count, done)


def kernel_workspace(plan: Plan, games: int) -> Any:
    """Players, tape and dice of a plan as the kernel wants them, with rows for some games."""
    from fairground.solve.fatestones import simulation as kernel

    bag = game_of(plan).bag
    return kernel.workspace_for(
        [KERNEL_KINDS[player] for player in plan.players],
        seeded_key(plan.seed),
        [[meeting(a, b).score for b in bag] for a in bag],
        [int(die) for die in bag],
        games,
    )


def as_text(workspace: Any, count: int) -> bytes:
    """Rows of the kernel as lines of ten columns."""
    import numpy as np

    from fairground.solve.fatestones import simulation as kernel

    text = np.empty(count * (6 * FACES + len(COLUMNS) + 5), dtype=np.uint8)
    return text[: kernel.as_csv(workspace, count, text)].tobytes()


class Finished(NamedTuple):
    """What a run has done."""

    games: int
    rows: int
    resumed: int
    """Games that an earlier, interrupted run had already played."""


def simulate(
    plan: Plan,
    out: Path,
    *,
    header: bool = False,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Finished:
    """Play all games of a plan and write their rows to ``out`` (text, or ``.parquet``).

    Without an executor, thinking players are spread over processes, and the kernel plays
    right here. Any `Executor` will do, such as that of a Dask client.
    """
    check_plan(plan)
    parquet = out.suffix == ".parquet"
    if parquet:
        pyarrow("parquet")  # better now than after all the work
    size = KERNEL_CHUNK if kernel_plays(plan) else CHUNK
    checkpoint = Checkpoint(
        out, {**plan._asdict(), "chunk": size, "header": header and not parquet}
    )
    with checkpoint:
        resumed = checkpoint.games
        if progress is not None:
            progress(resumed, plan.games)
        for chunk in _chunks(plan, checkpoint.games, size, executor):
            checkpoint.note(chunk)
            if progress is not None:
                progress(checkpoint.games, plan.games)
    if parquet:
        _write_parquet(checkpoint.part, out)
    else:
        checkpoint.part.replace(out)
    checkpoint.forget()
    return Finished(plan.games, checkpoint.rows, resumed)


def _chunks(plan: Plan, first: int, size: int, executor: Executor | None) -> Iterator[Chunk]:
    """All chunks from game ``first`` on, in order."""
    jobs = [(start, min(size, plan.games - start)) for start in range(first, plan.games, size)]
    if executor is None and (kernel_plays(plan) or len(jobs) <= 1):
        for job in jobs:
            yield play_chunk(plan, *job)
        return
    # Started afresh, not forked: a fork would copy whatever threads the caller has.
    own = None if executor else ProcessPoolExecutor(mp_context=get_context("spawn"))
    pool = executor or own
    assert pool is not None
    ahead = 4 * (os.cpu_count() or 1)
    waiting: deque[Future[Chunk]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(play_chunk, plan, *job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        if own is not None:
            own.shutdown(cancel_futures=True)


class Checkpoint:
    """The part that is done: ``<out>.part`` holds rows, ``<out>.journal`` says how far to trust it.

    A note is written only after the rows that it speaks of are on disk, so whatever
    stands in the part beyond the last note is cut off when the work goes on.
    """

    def __init__(self, out: Path, arguments: dict[str, Any]) -> None:
        self.part = out.with_name(f"{out.name}.part")
        self._notes = out.with_name(f"{out.name}.journal")
        self._arguments: dict[str, Any] = json.loads(json.dumps(arguments))
        self.games = 0
        self.rows = 0
        self._bytes = 0

    def __enter__(self) -> Checkpoint:
        notes = self._read()
        if notes is None:
            self.part.write_bytes(f"{HEADER}\n".encode() if self._arguments["header"] else b"")
            self._bytes = self.part.stat().st_size
            self._append({"arguments": self._arguments})
        else:
            there = self.part.stat().st_size if self.part.exists() else 0
            for note in notes:
                if note["bytes"] <= there:
                    self.games, self.rows, self._bytes = note["games"], note["rows"], note["bytes"]
            if not self.games:
                self._bytes = len(HEADER) + 1 if self._arguments["header"] else 0
        self._file = self.part.open("r+b")
        self._file.truncate(self._bytes)
        self._file.seek(self._bytes)
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def _read(self) -> list[dict[str, Any]] | None:
        """The notes of an interrupted run with the same arguments, or nothing."""
        try:
            lines = self._notes.read_text().splitlines()
        except FileNotFoundError:
            return None
        found: list[dict[str, Any]] = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                break  # the crash came in the middle of this note
        if not found or not self.part.exists():
            self._notes.unlink()
            return None
        if found[0].get("arguments") != self._arguments:
            raise InputError(
                f"{self._notes.name} belongs to an interrupted run with other arguments: run it "
                f"again as before, or delete it and {self.part.name}"
            )
        return found[1:]

    def _append(self, note: dict[str, Any]) -> None:
        with self._notes.open("a") as file:
            file.write(json.dumps(note) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def note(self, chunk: Chunk) -> None:
        """Put the rows of the next chunk on disk, then say so."""
        self._file.write(chunk.text)
        self._file.flush()
        os.fsync(self._file.fileno())
        self.games += chunk.games
        self.rows += chunk.rows
        self._bytes += len(chunk.text)
        self._append({"games": self.games, "rows": self.rows, "bytes": self._bytes})

    def forget(self) -> None:
        """The complete file has its name: what helped to make it can go."""
        self._notes.unlink()
        self.part.unlink(missing_ok=True)


def _write_parquet(part: Path, out: Path) -> None:
    """Rows of text as Parquet; dice become whole numbers, missing ones nulls."""
    csv, parquet, arrow = pyarrow("csv"), pyarrow("parquet"), pyarrow("lib")
    schema = arrow.schema(
        [(name, arrow.int32() if "Die" in name else arrow.int8()) for name in COLUMNS]
    )
    made = out.with_name(f"{out.name}.made")
    try:
        with (
            csv.open_csv(
                part,
                read_options=csv.ReadOptions(column_names=list(COLUMNS)),
                convert_options=csv.ConvertOptions(
                    column_types=schema, null_values=[""], strings_can_be_null=True
                ),
            ) as reader,
            parquet.ParquetWriter(made, schema) as writer,
        ):
            for batch in reader:
                writer.write_batch(batch)
        made.replace(out)
    finally:
        made.unlink(missing_ok=True)
