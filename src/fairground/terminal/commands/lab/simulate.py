"""``fairground simulate fatestones``: a factory of rounds, each game of which can be proven."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, InvalidStateError, ProcessPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Final

from fairground.core import BadParams
from fairground.fair.bits import SeededStream, fresh
from fairground.fair.schemes import Chair
from fairground.fair.unproven import SeededDealer
from fairground.fair.vault import MemoryVault
from fairground.lab.fatestones.rows import HEADER, row_of
from fairground.lab.fatestones.simulation import (
    CHUNK,
    Plan,
    check_plan,
    game_of,
    kernel_plays,
    play_game,
    simulate,
)
from fairground.players import make_player
from fairground.players.hosted import Hosted
from fairground.table import Table, new_name
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.input import add_dice, dice_file, two_players, writing
from fairground.transcript import Transcript

EXAMPLE: Final = (
    "fairground simulate fatestones --games 1000 --players mcts:200,random --seed 7 "
    "--out episodes.csv"
)
MOST_JOBS: Final = 256


def _arguments() -> Arguments:
    parser = Arguments(
        "simulate fatestones",
        "Let two players play many games of FateStones and write every round as a row of ten\n"
        "columns: three dice of player 1, three of player 2 (empty where they are gone), both\n"
        "choices (0 to 2, among the dice left), both results. A game is one deal: a scratch ends\n"
        "it. The rows depend on nothing but games, players, seed and dice. An interrupted run\n"
        "goes on where it stopped when the same command is given again.",
        f"Examples:\n  {EXAMPLE}\n"
        "  fairground simulate fatestones --games 1000000 --players greedy,random --seed 7 "
        "--out big.parquet\n"
        "  fairground simulate fatestones --players mcts:200,random --seed 7 --game 42 "
        "--transcript game42.jsonl",
    )
    parser.add_argument("--games", metavar="N", type=int, help="how many games")
    parser.add_argument(
        "--players",
        metavar="P,Q",
        required=True,
        help="who chooses: optimal, mcts:200, greedy, random",
    )
    parser.add_argument("--seed", metavar="S", help="any text; without one, a new one is made up")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="where the rows go: text, or .parquet"
    )
    parser.add_argument("--header", action="store_true", help="begin with the names of the columns")
    add_dice(parser)
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=int,
        help="processes that think at the same time (default: one for each processor)",
    )
    parser.add_argument(
        "--game",
        metavar="K",
        type=int,
        help="only print the rows of game K, the first being game 0",
    )
    parser.add_argument(
        "--transcript",
        metavar="FILE",
        type=Path,
        help="with --game: write that game as a transcript that fairground verify checks",
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground simulate fatestones``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    players, dice = two_players(options.players), dice_file(options.dice)
    if options.jobs is not None and not 1 <= options.jobs <= MOST_JOBS:
        parser.error(f"--jobs must be 1 to {MOST_JOBS}, not {options.jobs}")
    if options.game is not None:
        _must_fit_one_game(parser, options)
        games = options.game + 1 if options.games is None else options.games
        return _one_game(Plan(games, players, options.seed, dice), options)
    if options.transcript is not None:
        parser.error("--transcript is about a single game: say which with --game K")
    if options.games is None or options.out is None:
        parser.error("both --games and --out are needed (or --game, for a single one)")
    seed = fresh().hex() if options.seed is None else options.seed
    return _all_games(Plan(options.games, players, seed, dice), options, arguments)


# One game


def _must_fit_one_game(parser: Arguments, options: argparse.Namespace) -> None:
    if options.seed is None:
        parser.error("--game needs the --seed of the simulation that the game belongs to")
    if options.out is not None:
        parser.error("--game prints its rows: leave --out away")
    if options.game < 0:
        raise BadParams(f"games are counted from 0, so there is no game {options.game}")


def _one_game(plan: Plan, options: argparse.Namespace) -> int:
    check_plan(plan)
    rows = [row_of(played) for played in play_game(plan, options.game)]
    if options.header:
        print(HEADER)
    print("\n".join(rows))
    if options.transcript is not None:
        record = transcript_of(plan, options.game)
        with writing(options.transcript):
            options.transcript.write_bytes(bytes(record))
    return 0


def transcript_of(plan: Plan, number: int) -> Transcript:
    """One game of a plan at a real table: the same tapes, so the same rounds, and a record.

    The dealer is `seeded/1`, which proves nothing but that the game replays; the seals and the
    name of the table are fresh each time.
    """
    game, name = game_of(plan), new_name()
    dealer = SeededDealer(name, MemoryVault(), seed=plan.seed, game=number)
    chairs = [Chair(f"Player {i} ({who})", by="house") for i, who in enumerate(plan.players, 1)]
    table = Table.open(game, dealer, chairs)
    players = {
        seat: make_player(who, game, SeededStream(plan.seed, number, 1 + seat), seat)
        for seat, who in enumerate(plan.players)
    }
    Hosted(table, players).play()
    return table.transcript


# Many games


def _all_games(plan: Plan, options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from fairground.terminal.waiting import progress_bar

    again = ["fairground", "simulate", "fatestones", *arguments]
    if options.seed is None:
        again += ["--seed", plan.seed]
    out: Path = options.out
    try:
        with writing(out), progress_bar("games") as advance, _workers(plan, options.jobs) as pool:
            done = simulate(plan, out, header=options.header, progress=advance, executor=pool)
    except KeyboardInterrupt:
        print(f"\nInterrupted. What is done is in {out}.part; to go on, give the same command:")
        print(f"  {shlex.join(again)}")
        raise
    resumed = f" ({done.resumed:,} of them by an earlier run)" if done.resumed else ""
    print(f"{done.games:,} games{resumed}, {done.rows:,} rows in {out}")
    if options.seed is None:
        print(f"To make them again: {shlex.join(again)}")
    return 0


def _stop_at_once(pool: ProcessPoolExecutor) -> None:
    """End the workers in the middle of their work, without a word.

    The pool's own thread takes their end for an accident and tries to tell futures that were
    cancelled already; Python would print that it could not.
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


@contextlib.contextmanager
def _workers(plan: Plan, jobs: int | None) -> Iterator[Executor | None]:
    """Those who think: processes that Ctrl-C does not reach but through us.

    The kernel, and few games, are played right here. Processes are started while Ctrl-C is
    held back, which they inherit: else each of them would print a traceback of its own. What
    was held back arrives here afterwards. When the work is interrupted they are stopped at
    once, in the middle of a chunk, which the journal has not noted.
    """
    check_plan(plan)
    if kernel_plays(plan) or plan.games <= CHUNK:
        yield None
        return
    wanted = min(jobs or os.cpu_count() or 1, -(-plan.games // CHUNK))
    pool = ProcessPoolExecutor(wanted, mp_context=get_context("spawn"))
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(wanted):
                pool.submit(os.getpid)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        yield pool
    except BaseException:
        _stop_at_once(pool)
        raise
    pool.shutdown()
