"""Many games of FateStones, each of which can be found again alone.

Game number g of a seed reads its own tapes (`SeededStream`): lane 0 for the deal and the
rolls, lane 1 + seat for a player who needs chance. So the rows depend on the plan alone. How the
work is cut into chunks, who does it and whether it was interrupted makes no difference. A game
is one deal, as in the original simulator: a scratch ends it.

Rows are appended to ``<out>.part`` chunk by chunk, and each finished chunk is noted in
``<out>.journal`` after its rows are on disk; running the same command again goes on after
the last note. The file gets its name when it is complete.

Where both players are `random` or `greedy` and Numba is installed, a kernel plays the
games from the same tapes, and a random sample of every chunk is played again by the rules
and compared. Without Numba the rows are the same, only later.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Fault, InputError
from fairground.fair.bits import SeededStream, Stream, SystemStream, fresh, seeded_key
from fairground.fair.schemes import Chair
from fairground.fair.unproven import SeededDealer
from fairground.fair.vault import MemoryVault
from fairground.games.fatestones import FACES, FateStones, Round
from fairground.lab.checkpoint import Checkpoint, Chunk
from fairground.lab.fatestones.rows import COLUMNS, HEADER, pyarrow, row_of
from fairground.lab.workers import in_order, workers
from fairground.players import Player, make_player
from fairground.players.hosted import Hosted
from fairground.playing import play
from fairground.solve.fatestones.choices import meeting
from fairground.table import Table, new_name
from fairground.transcript import Transcript

Progress = Callable[[int, int], None]
"""Told how many games are done, and of how many."""

KERNEL_CHUNK: Final = 100_000
"""Games between two notes in the journal where the kernel plays."""

CHUNK_SECONDS: Final = 0.5
"""Where players think, a chunk is as many games as take about so long."""

PROBE: Final = 0.1
"""Seconds of play that tell how long a game takes."""

WORTH_WORKERS: Final = 2.0
"""Seconds of play left, from which on it pays to start other processes."""

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


def _seated(game: FateStones, players: Sequence[str], seed: str, number: int) -> dict[int, Player]:
    """The players of one game, each with a lane of its own."""
    return {
        seat: make_player(spec, game, SeededStream(seed, number, 1 + seat), seat)
        for seat, spec in enumerate(players)
    }


def rounds(game: FateStones, players: Sequence[str], seed: str, number: int) -> Iterator[Round]:
    """Play game ``number`` of a seed by the rules, and yield its rounds as they end."""
    last: Round | None = None
    for state in play(game, _seated(game, players, seed, number), SeededStream(seed, number)):
        if state.last is not None and state.last is not last:
            yield state.last
        last = state.last


def play_game(plan: Plan, number: int) -> Iterator[Round]:
    """The rounds of one game of a plan, without playing the others."""
    check_plan(plan)
    if not 0 <= number < plan.games:
        raise InputError(f"game {number} is not among the games 0 to {plan.games - 1}")
    return rounds(game_of(plan), plan.players, plan.seed, number)


def transcript_of(plan: Plan, number: int) -> Transcript:
    """One game of a plan at a real table: the same tapes, so the same rounds, and a record.

    The dealer is `seeded/1`, which proves nothing but that the game replays; the seals and the
    name of the table are fresh each time.
    """
    game, name = game_of(plan), new_name()
    dealer = SeededDealer(name, MemoryVault(), seed=plan.seed, game=number)
    chairs = [Chair(f"Player {i} ({who})", by="house") for i, who in enumerate(plan.players, 1)]
    table = Table.open(game, dealer, chairs)
    Hosted(table, _seated(game, plan.players, plan.seed, number)).play()
    return table.transcript


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


def rules_chunk(plan: Plan, first: int, count: int) -> Chunk:
    """Play some consecutive games; a pure function, so that anyone may call it anywhere."""
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
    jobs: int | None = None,
) -> Finished:
    """Play all games of a plan and write their rows to ``out`` (text, or ``.parquet``).

    The kernel plays right here. Players who think are spread over an executor, such as that of
    a Dask client; without one, over ``jobs`` processes (one for each processor).
    """
    check_plan(plan)
    parquet = out.suffix == ".parquet"
    if parquet:
        pyarrow("parquet")  # better now than after all the work
    arguments = {**plan._asdict(), "header": header and not parquet}
    with Checkpoint(out, arguments, HEADER if arguments["header"] else "") as checkpoint:
        resumed = checkpoint.games
        if progress is not None:
            progress(resumed, plan.games)
        for chunk in _chunks(plan, resumed, executor, jobs or os.cpu_count() or 1):
            checkpoint.note(chunk)
            if progress is not None:
                progress(checkpoint.games, plan.games)
    if parquet:
        _write_parquet(checkpoint.part, out)
    else:
        checkpoint.part.replace(out)
    checkpoint.forget()
    return Finished(plan.games, checkpoint.rows, resumed)


def _chunks(plan: Plan, first: int, executor: Executor | None, jobs: int) -> Iterator[Chunk]:
    """All chunks from game ``first`` on, in order."""
    if kernel_plays(plan):
        yield from in_order(kernel_chunk, _cut(plan, first, KERNEL_CHUNK), executor)
        return
    # How long a game takes is found out by playing: some here, twice as many each time.
    size, spent, each = 1, -1.0, 0.0
    while first < plan.games and spent < PROBE:
        began = time.perf_counter()
        chunk = rules_chunk(plan, first, min(size, plan.games - first))
        spent = time.perf_counter() - began
        yield chunk
        first, size, each = first + chunk.games, 2 * size, spent / chunk.games
    if first == plan.games:
        return
    left = plan.games - first
    alone = executor is None and (jobs == 1 or left * each < WORTH_WORKERS)
    most = left if alone else -(-left // (2 * jobs))
    work = _cut(plan, first, max(1, min(int(CHUNK_SECONDS / each), most)))
    with nullcontext(executor) if alone or executor else workers(jobs) as pool:
        yield from in_order(rules_chunk, work, pool)


def _cut(plan: Plan, first: int, size: int) -> list[tuple[Plan, int, int]]:
    return [(plan, at, min(size, plan.games - at)) for at in range(first, plan.games, size)]


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
