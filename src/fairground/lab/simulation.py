"""Many games of any kind: played by kernels or by the rules, here, in processes or on a cluster.

The results depend on the plan alone. How the work is cut into chunks, who does it and whether it
was interrupted makes no difference, not by a byte.

Where a kernel knows the game and its players, it plays from the same tapes as the rules, and a
random sample of every chunk is played again by the rules and compared. Without Numba the results
are the same, only later.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import Fault, Game, InputError
from fairground.fair.bits import Stream, SystemStream
from fairground.lab.checkpoint import Checkpoint, Chunk
from fairground.lab.datasets import Dataset, must_be_free
from fairground.lab.kernels import Kernel, Played, kernel_for
from fairground.lab.luck import Luck, luck_of
from fairground.lab.plans import Plan, game_of, payoff_of, states_of
from fairground.lab.rows import schema_of
from fairground.lab.statistics import LUCK_UNIT, Tally, looks, pairs
from fairground.lab.workers import in_order, workers

Progress = Callable[[int, int], None]
"""Told how many games are done, and of how many."""

KERNEL_CHUNK: Final = 100_000
"""Deals between two notes in the journal where a kernel plays."""

CHUNK_SECONDS: Final = 0.5
"""Where players think, a chunk is as many deals as take about so long."""

PROBE: Final = 0.1
"""Seconds of play that tell how long a deal takes."""

WORTH_WORKERS: Final = 2.0
"""Seconds of play left, from which on it pays to start other processes."""

CHECKED: Final = 3
"""Games of each kernel chunk that the rules play again."""


# Chunks: pure functions, so that anyone may call them anywhere


@cache
def kernels_of(plan: Plan) -> tuple[Kernel, ...] | None:
    """A kernel for each lineup; ``None`` where one is missing."""
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
    """Play some consecutive deals by the rules."""
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
    return Chunk(text, count * many, len(lines), Tally.of(results, lucks or None))


def kernel_chunk(
    plan: Plan, first: int, count: int, check: int = CHECKED, chance: Stream | None = None
) -> Chunk:
    """The same by kernels; ``check`` games picked by ``chance`` are compared with the rules."""
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
    return Chunk(text, count * len(kernels), rows, _tally(plan, payoffs))


def _one_row_each(plan: Plan, first: int, payoffs: Any, played: list[Played]) -> tuple[bytes, int]:
    """Rows that begin with the number of the game and its payoffs."""
    import numpy as np

    from fairground.lab.kernels.tapes import numbers_as_text

    count, many, seats = payoffs.shape
    deal, lineup = np.divmod(np.arange(first * many, (first + count) * many), many)
    where = [deal * many + lineup, *([deal, lineup] if many > 1 else [])]
    facts = np.stack([one.facts for one in played], axis=1).reshape(count * many, -1)
    cells = np.hstack([np.stack(where, axis=1), payoffs.reshape(-1, seats), facts])
    return numbers_as_text(cells), count * many


def _in_turn(played: list[Played]) -> Any:
    """The order in which rows of several lineups follow one another: deal by deal."""
    import numpy as np

    many = len(played)
    keys = [
        np.repeat(np.arange(len(one.payoffs)) * many + at, 1 if one.rows is None else one.rows)
        for at, one in enumerate(played)
    ]
    return np.argsort(np.concatenate(keys), kind="stable")


def _tally(plan: Plan, payoffs: Any) -> Tally:
    """The same as `Tally.of`, for arrays: [deal, lineup, seat]."""
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
    """What each seat won in every game of a plan, in order; by kernels where there are any."""
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
    """What a run has come to."""

    plan: Plan
    tally: Tally
    games: int
    rows: int
    resumed: int
    """Games that an earlier, interrupted run had already played."""
    looked: bool = False
    """Whether it was looked at on the way, to stop as soon as everything can be told apart."""
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

    Kernels play right here. Players who think are spread over an executor, such as that of a
    Dask client; without one, over ``jobs`` processes (one for each processor).

    ``until_separable``: stop at the first look at which all entrants can be told apart.
    """
    if plan.luck:
        _luck(game_of(plan))  # better now than in a worker
    work = _Work(plan, executor, jobs or os.cpu_count() or 1, until_separable)
    if out is None:
        return work.run(None, progress)
    dataset = Dataset(out, plan, schema_of(plan), header, until_separable)
    if not replace and (there := must_be_free(dataset)) is not None:
        return Finished(
            plan, there.tally, there.games, there.rows, there.games, until_separable,
            there.stopped_early,
        )  # fmt: skip
    dataset.check()
    arguments = {**plan.as_json(), "header": dataset.header, "until_separable": until_separable}
    empty = Tally.empty(len(plan.entrants), plan.luck)
    with Checkpoint(out, arguments, empty, dataset.header_line) as checkpoint:
        done = work.run(checkpoint, progress)
    dataset.finish(checkpoint.part, done.games, done.rows, done.tally, done.stopped_early)
    checkpoint.forget()
    return done


class _Work:
    """The chunks of a run, in order, up to where it ends."""

    def __init__(self, plan: Plan, executor: Executor | None, jobs: int, early: bool) -> None:
        self.plan = plan
        self.executor = executor
        self.jobs = jobs
        self.early = early
        if early and len(plan.entrants) < 2:
            raise InputError("nothing is compared here: name players with --seat and --versus")

    def run(self, checkpoint: Checkpoint | None, progress: Progress | None) -> Finished:
        """Play on from where an earlier run stopped."""
        plan, many = self.plan, len(self.plan.lineups)
        tally = Tally.empty(len(plan.entrants), plan.luck)
        resumed = games = rows = 0
        if checkpoint is not None:
            tally, resumed, rows = checkpoint.tally, checkpoint.games, checkpoint.rows
            games = resumed
        tell = progress or (lambda done, of: None)
        tell(games, plan.games)
        ends = list(looks(plan.deals)) if self.early else [plan.deals]
        separated = self.early and tally.deals in ends and self._separable(tally)
        todo = self._chunks(games // many, ends) if not separated else iter(())
        for chunk in todo:
            if checkpoint is not None:
                checkpoint.note(chunk)
            tally, games, rows = tally + chunk.tally, games + chunk.games, rows + chunk.rows
            tell(games, plan.games)
            if self.early and tally.deals in ends and self._separable(tally):
                separated = True
                break
        early = separated and games < plan.games
        return Finished(plan, tally, games, rows, resumed, self.early, early)

    def _separable(self, tally: Tally) -> bool:
        each = len(self.plan.entrants[0].cells)
        found = pairs(tally, each, sequential=True, corrected=tally.knows_luck)
        return all(pair.better is not None for pair in found)

    def _chunks(self, first: int, ends: list[int]) -> Iterator[Chunk]:
        """All chunks from deal ``first`` on, none of which reaches beyond an end."""
        plan = self.plan
        if kernels_of(plan) is not None:
            yield from in_order(kernel_chunk, self._cut(first, ends, KERNEL_CHUNK), self.executor)
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
        if first == plan.deals:
            return
        left = plan.deals - first
        alone = self.executor is None and (self.jobs == 1 or left * each < WORTH_WORKERS)
        most = left if alone else -(-left // (2 * self.jobs))
        work = self._cut(first, ends, max(1, min(int(CHUNK_SECONDS / each), most)))
        pool = nullcontext(self.executor) if alone or self.executor else workers(self.jobs)
        with pool as at_work:
            yield from in_order(rules_chunk, work, at_work)

    def _cut(self, first: int, ends: list[int], size: int) -> Iterator[tuple[Plan, int, int]]:
        for end in ends:
            for at in range(first, end, size):
                yield self.plan, at, min(size, end - at)
            first = max(first, end)
