"""Many games of any kind: played by kernels or by the rules, here, in processes or on a cluster.

The results depend on the plan alone. Chunks, workers and interruptions make no difference, not by
a byte.

A kernel that knows the game and its players reads the same random streams as the rules. The rules
play a random sample of every chunk again, and a difference ends the run. Without Numba the results
are the same, only later.

A run that writes a file can be interrupted: `Checkpoint` notes how far the file can be trusted.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from contextlib import nullcontext
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from itertools import pairwise, starmap
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from msgspec import convert, to_builtins

from fairground.coach.judging import Judge, NoJudge, judge_of, value_of
from fairground.core import Draw, Fault, Game, InputError, Over
from fairground.fair.bits import Stream, SystemStream
from fairground.games.kernels import Kernel, Played, kernel_for
from fairground.lab.datasets import Dataset, must_be_free
from fairground.lab.plans import Plan, game_of, payoff_of, states_of
from fairground.lab.rows import schema_of
from fairground.lab.statistics import LUCK_UNIT, Tally, looks, pairs
from fairground.registry import needs

Progress = Callable[[int, int], None]
"""Called with the number of games done, and of all games."""

KERNEL_CHUNK: Final = 100_000
"""Deals of a chunk that a kernel plays."""

CHUNK_SECONDS: Final = 0.5
"""Seconds of play in a chunk that the rules play."""

PROBE: Final = 0.1
"""Seconds of play that measure how long a deal takes."""

WORTH_WORKERS: Final = 2.0
"""Seconds of play left, from which on other processes are worth their start."""

CHECKED: Final = 3
"""Games of each kernel chunk that the rules play again."""


# Chunks: pure functions, so that anyone may call them anywhere


@cache
def kernels_of(plan: Plan) -> tuple[Kernel, ...] | None:
    """Return a kernel for each lineup, or ``None`` if one is missing."""
    if plan.luck:
        return None  # it is told from states, which a kernel has not
    game, found = game_of(plan), []
    for lineup in plan.lineups:
        kernel = kernel_for(game, lineup, plan.seed)
        if kernel is None:
            return None
        found.append(kernel)
    return tuple(found)


@cache
def _luck(game: Game[Any]) -> Luck:
    return luck_of(game)


def rules_chunk(plan: Plan, first: int, count: int) -> Chunk:
    """Play consecutive deals by the rules."""
    game, schema, many = game_of(plan), schema_of(plan), len(plan.lineups)
    luck = _luck(game) if plan.luck else None
    lines: list[str] = []
    results, lucks = [], []
    for deal in range(first, first + count):
        payoffs, given = [], []
        for number in range(deal * many, (deal + 1) * many):
            states = list(states_of(plan, number))
            lines += schema.of(number, states)
            payoffs.append(payoff_of(game, states[-1]))
            if luck is not None:
                given.append([round(one * LUCK_UNIT) for one in luck(states)])
        results.append([[payoffs[at][seat] for at, seat in e.cells] for e in plan.entrants])
        if luck is not None:
            lucks.append([sum(given[at][seat] for at, seat in e.cells) for e in plan.entrants])
    text = "".join(f"{line}\n" for line in lines).encode()
    return Chunk(text, len(lines), Tally.of(results, lucks or None))


def kernel_chunk(
    plan: Plan, first: int, count: int, check: int = CHECKED, chance: Stream | None = None
) -> Chunk:
    """Play consecutive deals by kernels; compare ``check`` games, picked by ``chance``, with the
    rules.
    """
    chunk = _by_kernels(plan, first, count)
    chance = chance or SystemStream()
    many = len(plan.lineups)
    for deal in {first + chance.below(count) for _ in range(check)}:
        alone, wanted = _by_kernels(plan, deal, 1), rules_chunk(plan, deal, 1)
        if (alone.text, alone.tally.counts) != (wanted.text, wanted.tally.counts):
            raise Fault("simulate/kernel", f"kernel and rules disagree on game {deal * many}")
    return chunk


def _by_kernels(plan: Plan, first: int, count: int) -> Chunk:
    import numpy as np

    kernels = kernels_of(plan)
    assert kernels is not None
    played = [kernel.play(first, count) for kernel in kernels]
    payoffs = np.stack([one.payoffs for one in played], axis=1)
    if kernels[0].text is None:
        text, rows = _one_row_each(plan, first, payoffs, played)
    else:
        order, cells = _in_turn(played), np.concatenate([one.facts for one in played])
        text, rows = kernels[0].text(cells[order]), len(order)
    return Chunk(text, rows, _tally(plan, payoffs))


def _one_row_each(plan: Plan, first: int, payoffs: Any, played: list[Played]) -> tuple[bytes, int]:
    """Return rows that begin with the game's number and its payoffs, as text; and their count."""
    import numpy as np

    from fairground.games.compiled import numbers_as_text

    count, many, seats = payoffs.shape
    deal, lineup = np.divmod(np.arange(first * many, (first + count) * many), many)
    where = [deal * many + lineup, *([deal, lineup] if many > 1 else [])]
    facts = np.stack([one.facts for one in played], axis=1).reshape(count * many, -1)
    cells = np.hstack([np.stack(where, axis=1), payoffs.reshape(-1, seats), facts])
    return numbers_as_text(cells), count * many


def _in_turn(played: list[Played]) -> Any:
    """Return the order that sorts the rows of several lineups by deal."""
    import numpy as np

    many = len(played)
    keys = [
        np.repeat(np.arange(len(one.payoffs)) * many + at, 1 if one.rows is None else one.rows)
        for at, one in enumerate(played)
    ]
    return np.argsort(np.concatenate(keys), kind="stable")


def _tally(plan: Plan, payoffs: Any) -> Tally:
    """Return what `Tally.of` would, for an array of payoffs: [deal, lineup, seat]."""
    import numpy as np

    columns, counts = [], []
    for entrant in plan.entrants:
        own = np.stack([payoffs[:, at, seat] for at, seat in entrant.cells])
        columns.append(own.sum(axis=0))
        values, times = np.unique(own, return_counts=True)
        counts.append(dict(zip(values.tolist(), times.tolist(), strict=True)))
    matrix = np.stack(columns)
    return Tally(
        len(payoffs),
        tuple(matrix.sum(axis=1).tolist()),
        tuple(tuple(row) for row in (matrix @ matrix.T).tolist()),
        tuple(counts),
    )


def payoffs(plan: Plan) -> list[tuple[int, ...]]:
    """Return the payoffs of every game of a plan, in order; by kernels if there are any."""
    kernels = kernels_of(plan)
    if kernels is None:
        game = game_of(plan)
        return [payoff_of(game, list(states_of(plan, n))[-1]) for n in range(plan.games)]
    import numpy as np

    kernel_chunk(plan, 0, plan.deals)  # compares a sample with the rules
    found = np.stack([kernel.play(0, plan.deals).payoffs for kernel in kernels], axis=1)
    return [tuple(row) for row in found.reshape(plan.games, -1).tolist()]


# A whole run


class Finished(NamedTuple):
    """The result of a run."""

    plan: Plan
    tally: Tally
    games: int
    rows: int
    resumed: int
    """Number of games that an earlier, interrupted run had played."""
    looked: bool = False
    """True if the run was allowed to stop early."""
    stopped_early: bool = False


def simulate(
    plan: Plan,
    out: Path | None = None,
    *,
    header: bool | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    until_separable: bool = False,
    replace: bool = False,
) -> Finished:
    """Play all games of a plan, and write their rows to ``out`` (text, or ``.parquet``).

    Kernels play in this process. Players who think are spread over an executor, such as that of a
    Dask client; without one, over ``jobs`` processes (one for each processor).

    ``until_separable``: stop at the first look that separates all entrants.
    """
    if plan.luck:
        _luck(game_of(plan))  # better now than in a worker
    if until_separable and len(plan.entrants) < 2:
        raise InputError("nothing is compared here: name players with --seat and --versus")
    tell = progress or (lambda done, of: None)
    work = partial(_chunks, plan, executor, jobs or os.cpu_count() or 1)
    if out is None:
        return _run(plan, None, work, until_separable, tell)
    dataset = Dataset(out, plan, schema_of(plan), header, until_separable)
    if not replace and (there := must_be_free(dataset)) is not None:
        return Finished(
            plan, there.tally, there.games, there.rows, there.games, until_separable,
            there.stopped_early,
        )  # fmt: skip
    dataset.check()
    with contextlib.closing(Checkpoint(dataset)) as checkpoint:
        done = _run(plan, checkpoint, work, until_separable, tell)
    dataset.finish(checkpoint.part, done.games, done.rows, done.tally, done.stopped_early)
    checkpoint.forget()
    return done


def _run(
    plan: Plan,
    checkpoint: Checkpoint | None,
    work: Callable[[int, list[int]], Iterator[Chunk]],
    early: bool,
    tell: Progress,
) -> Finished:
    """Play on from where an earlier run stopped."""
    tally, rows = Tally.empty(len(plan.entrants), plan.luck), 0
    if checkpoint is not None:
        tally, rows = checkpoint.tally, checkpoint.rows
    many = len(plan.lineups)
    resumed = many * tally.deals
    tell(resumed, plan.games)
    ends = list(looks(plan.deals)) if early else [plan.deals]

    def separated() -> bool:
        if not early or tally.deals not in ends:
            return False
        each = len(plan.entrants[0].cells)
        found = pairs(tally, each, sequential=True, corrected=tally.knows_luck)
        return all(pair.better is not None for pair in found)

    if not (stop := separated()):
        for chunk in work(tally.deals, ends):
            if checkpoint is not None:
                checkpoint.note(chunk)
            tally, rows = tally + chunk.tally, rows + chunk.rows
            tell(many * tally.deals, plan.games)
            if stop := separated():
                break
    stopped = stop and tally.deals < plan.deals
    return Finished(plan, tally, many * tally.deals, rows, resumed, early, stopped)


def _chunks(
    plan: Plan, executor: Executor | None, jobs: int, first: int, ends: list[int]
) -> Iterator[Chunk]:
    """Yield all chunks from deal ``first`` on; each of them stops at the next of ``ends``."""

    def cut(size: int) -> Iterator[tuple[Plan, int, int]]:
        for low, high in pairwise(sorted({first, *(end for end in ends if end > first)})):
            for at in range(low, high, size):
                yield plan, at, min(size, high - at)

    submit: Submit | None = None if executor is None else executor.submit
    if kernels_of(plan) is not None:
        yield from in_order(kernel_chunk, cut(KERNEL_CHUNK), submit)
        return
    # How long a deal takes is found out by playing: some here, twice as many each time.
    size, spent, each = 1, -1.0, 0.0
    while first < plan.deals and spent < PROBE:
        began = time.perf_counter()
        end = next(end for end in ends if end > first)
        chunk = rules_chunk(plan, first, min(size, end - first))
        spent = time.perf_counter() - began
        yield chunk
        first, size, each = first + chunk.tally.deals, 2 * size, spent / chunk.tally.deals
    left = plan.deals - first
    alone = submit is None and (jobs == 1 or left * each < WORTH_WORKERS)
    most = left if alone else -(-left // (2 * jobs))
    size = max(1, min(int(CHUNK_SECONDS / each), most)) if left else 1
    with nullcontext(submit) if alone or submit or not left else workers(jobs) as pool:
        yield from in_order(rules_chunk, cut(size), pool)


class Chunk(NamedTuple):
    """Consecutive deals: their rows as text, and their tally."""

    text: bytes
    rows: int
    tally: Tally


class Journal:
    """Finished parts of an interrupted run, as JSON lines. The first line identifies the run."""

    def __init__(self, path: Path, about: Mapping[str, Any], refusal: str) -> None:
        """Read the journal, or begin it; raise `InputError` with ``refusal`` if it is another's."""
        self.path = path
        first = json.loads(json.dumps(about))
        text = path.read_text() if path.exists() else ""
        found: list[dict[str, Any]] = []
        with contextlib.suppress(ValueError):  # a crash in the middle of a note
            found += map(json.loads, text.splitlines())
        if found and found[0] != first:
            raise InputError(refusal)
        self.notes = found[1:]
        whole = "".join(f"{json.dumps(note)}\n" for note in (first, *self.notes))
        if text != whole:
            path.write_text(whole)

    def add(self, note: Mapping[str, Any]) -> None:
        """Write a note to disk."""
        self.notes.append(dict(note))
        with self.path.open("a") as file:
            file.write(json.dumps(note) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Checkpoint:
    """The finished part of an interrupted run.

    ``<out>.part`` holds rows, ``<out>.journal`` notes how many of them are on disk. Rows after the
    last note are cut off when the run goes on.
    """

    def __init__(self, dataset: Dataset) -> None:
        out, plan = dataset.path, dataset.plan
        self.part = out.with_name(f"{out.name}.part")
        notes = out.with_name(f"{out.name}.journal")
        if not self.part.exists():
            notes.unlink(missing_ok=True)
        more = {"header": dataset.header, "until_separable": dataset.until_separable}
        self._journal = Journal(
            notes,
            {"arguments": plan.as_json() | more},
            f"{notes.name} belongs to an interrupted run with other arguments: run it again as "
            f"before, or delete it and {self.part.name}",
        )
        self.rows, self.tally = 0, Tally.empty(len(plan.entrants), plan.luck)
        start = f"{dataset.header_line}\n".encode() if dataset.header else b""
        self._bytes, there = len(start), self.part.stat().st_size if self.part.exists() else 0
        for note in self._journal.notes:
            if note["bytes"] <= there:
                self.rows, self._bytes = note["rows"], note["bytes"]
                self.tally = convert(note["tally"], Tally, str_keys=True)
        if not self.tally.deals:
            self.part.write_bytes(start)
        os.truncate(self.part, self._bytes)
        self._file = self.part.open("ab")

    def close(self) -> None:
        self._file.close()

    def note(self, chunk: Chunk) -> None:
        """Write the rows of the next chunk to disk, then note them."""
        self._file.write(chunk.text)
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows += chunk.rows
        self._bytes += len(chunk.text)
        self.tally += chunk.tally
        tally = to_builtins(self.tally, str_keys=True)
        self._journal.add({"rows": self.rows, "bytes": self._bytes, "tally": tally})

    def forget(self) -> None:
        """Delete journal and part, once the complete file has its name."""
        self._journal.path.unlink()
        self.part.unlink(missing_ok=True)


Luck = Callable[[Sequence[Any]], Sequence[Fraction]]
"""Maps all states of a game to the luck of each seat, in units of its payoff."""


def luck_of(game: Game[Any]) -> Luck:
    """Return the function that measures luck in this game; raise `InputError` without a judge.

    The luck of a draw is the value of the game after it, less the value before. Its mean is zero
    for every player. So it can be subtracted from a result: the mean stays, and the spread shrinks.
    """
    try:
        judge = judge_of(game)
    except NoJudge as error:
        raise InputError(f"luck cannot be taken away here: {error}") from None
    # A judge counts in its own unit, which grows with the payoff.
    nothing, one = judge.paid((0,) * game.seats), judge.paid((1,) * game.seats)
    scales = [high - low for low, high in zip(nothing, one, strict=True)]

    def luck(states: Sequence[Any]) -> Sequence[Fraction]:
        given = [Fraction(0)] * game.seats
        before = value_of(judge, states[0])
        for earlier, later in pairwise(states):
            if not _is_chance(judge, earlier):
                before = judge.decided(earlier, later)
            elif isinstance(game.awaits(later), Over) or judge.knows(later):
                after = value_of(judge, later)
                given = [g + b - a for g, a, b in zip(given, before, after, strict=True)]
                before = after  # else it is part of a longer draw
        return [part / scale for part, scale in zip(given, scales, strict=True)]

    return luck


def _is_chance(judge: Judge[Any], state: Any) -> bool:
    awaits = judge.game.awaits(state)
    return isinstance(awaits, Draw) or judge.reveals(state)


Result = TypeVar("Result")
Submit: TypeAlias = Callable[..., Future[Any]]
"""Called with a task and its arguments, like `Executor.submit`."""

LONGEST_START: Final = 300
"""Seconds that the slowest worker may take to start."""


@contextlib.contextmanager
def workers(count: int) -> Iterator[Submit]:
    """Start ``count`` worker processes; on any exception, stop them at once.

    They are spawned, not forked, because a fork would copy the caller's threads. They inherit that
    Ctrl-C is blocked, so none of them prints a traceback. Each waits until all have started.
    """
    context = get_context("spawn")
    pool = ProcessPoolExecutor(
        count, context, initializer=context.Barrier(count).wait, initargs=(LONGEST_START,)
    )
    try:
        with _held_back():
            for _ in range(count):
                pool.submit(os.getpid)
        yield pool.submit
    except BaseException:
        _stop_at_once(pool)
        raise
    pool.shutdown()


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Block Ctrl-C in processes that are started meanwhile, and deliver it here afterwards.

    Another thread, such as that of a progress bar, does not block it and passes it on to us. So the
    handler only notes it.
    """
    pressed = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda *_: pressed.set()) if is_main else None
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if is_main:
            signal.signal(signal.SIGINT, before)
            if pressed.is_set():
                signal.raise_signal(signal.SIGINT)


def in_order(
    task: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], submit: Submit | None
) -> Iterator[Result]:
    """Yield the results of all jobs in their order; without workers, run them here.

    The number of jobs in flight is bounded, so that few results wait for an earlier one.
    """
    if submit is None:
        yield from starmap(task, jobs)
        return
    ahead = 4 * (os.cpu_count() or 1)
    waiting: deque[Future[Result]] = deque()
    try:
        for job in jobs:
            waiting.append(submit(task, *job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _stop_at_once(pool: ProcessPoolExecutor) -> None:
    """Terminate the workers in the middle of their work, silently.

    The pool's thread then tries to fail futures that are cancelled already. Python would print that
    error.
    """
    say = threading.excepthook

    def hush(accident: threading.ExceptHookArgs) -> None:
        if not issubclass(accident.exc_type, InvalidStateError):
            say(accident)

    threading.excepthook = hush
    try:
        for worker in active_children():
            worker.terminate()
        pool.shutdown(cancel_futures=True)
    finally:
        threading.excepthook = say


PATIENCE = 10
"""Seconds within which a scheduler must answer."""


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Connect to the Dask cluster whose scheduler has this address.

    A worker that dies is no loss: another one plays its chunk again, with the same result.
    """
    with needs("cluster", "a cluster"):
        dask: Any = import_module("distributed")
    try:
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r} ({error}). Start one with: dask scheduler"
        ) from None
    try:
        # A chunk depends on its arguments only; its sample for checking is fresh each time.
        yield client.get_executor(pure=False, retries=3)
    finally:
        client.close()
