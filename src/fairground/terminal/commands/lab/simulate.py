"""``fairground simulate fatestones``: a factory of rounds, each game of which can be proven."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fairground.core import BadParams
from fairground.fair.bits import fresh
from fairground.lab.fatestones.rows import HEADER, row_of
from fairground.lab.fatestones.simulation import Plan, play_game, simulate, transcript_of
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.input import add_dice, dice_file, two_players, writing

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
    rows = [row_of(played) for played in play_game(plan, options.game)]
    if options.header:
        print(HEADER)
    print("\n".join(rows))
    if options.transcript is not None:
        record = transcript_of(plan, options.game)
        with writing(options.transcript):
            options.transcript.write_bytes(bytes(record))
    return 0


# Many games


def _all_games(plan: Plan, options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from fairground.terminal.waiting import progress_bar

    again = ["fairground", "simulate", "fatestones", *arguments]
    if options.seed is None:
        again += ["--seed", plan.seed]
    out: Path = options.out
    try:
        with writing(out), progress_bar("games") as advance:
            done = simulate(plan, out, header=options.header, progress=advance, jobs=options.jobs)
    except KeyboardInterrupt:
        print(f"\nInterrupted. What is done is in {out}.part; to go on, give the same command:")
        print(f"  {shlex.join(again)}")
        raise
    resumed = f" ({done.resumed:,} of them by an earlier run)" if done.resumed else ""
    print(f"{done.games:,} games{resumed}, {done.rows:,} rows in {out}")
    if options.seed is None:
        print(f"To make them again: {shlex.join(again)}")
    return 0
