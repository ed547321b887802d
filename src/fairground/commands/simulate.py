"""``fairground simulate``, ``dataset verify``, ``tournament`` and ``plot``: many games as data."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, Final

from fairground.commands.play import ALIASES, full_name, game_from_words
from fairground.core import BadParams, Fault, Game, InputError, Seat, UnknownName
from fairground.fair.bits import fresh
from fairground.games import GAMES
from fairground.games.fatestones.rules import FateStones
from fairground.games.fatestones.screen import add_dice, dice_file, writing
from fairground.lab.datasets import verify
from fairground.lab.plans import Plan, plan_of, states_of, transcript_of, usual_lineup
from fairground.lab.plots import FIGURES, Plot, in_text, of_file, save
from fairground.lab.results import results_as_json, results_in_words
from fairground.lab.rows import schema_of
from fairground.lab.simulation import Finished, simulate
from fairground.lab.tournament import (
    Rules,
    check,
    contenders,
    heat_of,
    held,
    in_words,
    table_as_json,
    tabled,
    whiskers_of,
    write_files,
)
from fairground.players import seat_labels, usual_player, wanted_seats
from fairground.players.bot import BotLimits
from fairground.registry import known
from fairground.terminal.console import Arguments
from fairground.terminal.options import add_bot_seconds
from fairground.terminal.waiting import patiently, progress_bar

EXAMPLES: Final = """\
Examples:
  fairground simulate zombie players=3 --games 10000 --seat zombie1=greedy --seed 7
  fairground simulate fatestones --players greedy,random --games 100000 --mirror --seed 7
  fairground simulate codebreaking --seat breaker=entropy --versus breaker=minimax --seed 7
  fairground simulate dice --players optimal,random --until-separable --seed 7 --out games.csv"""
MOST_JOBS: Final = 256
USUAL_GAMES: Final = 1000
MOST_GAMES: Final = 1_000_000
"""Maximum number of games in a search for a difference."""


def run_simulate(arguments: Sequence[str]) -> int:
    """``fairground simulate``"""
    given = next((word for word in arguments if not word.startswith("-")), None)
    if given is None or "=" in given:
        if any(word in ("-h", "--help") for word in arguments):
            _parser("GAME", "").parse_args(["--help"])
        raise InputError(
            "which game? For example: fairground simulate zombie --games 1000\n"
            f"There are: {', '.join(sorted({name.partition('/')[0] for name in GAMES}))}"
        )
    name = full_name(ALIASES.get(given, given))
    family = name.partition("/")[0]
    parser = _parser(family, f"{GAMES[name].title}: {GAMES[name].summary}\n\n")
    options = parser.parse_intermixed_args(arguments)
    game = _game(name, options)
    if options.jobs is not None and not 1 <= options.jobs <= MOST_JOBS:
        parser.error(f"--jobs must be 1 to {MOST_JOBS}, not {options.jobs}")
    if options.game is not None:
        return _one_game(parser, game, options)
    if options.transcript is not None:
        parser.error("--transcript is about a single game: say which with --game K")
    return _all_games(game, options, ["fairground", "simulate", *arguments])


def _parser(family: str, about: str) -> Arguments:
    parser = Arguments(
        f"simulate {family}",
        f"{about}Let players play many games. Results are given for each seat with 95 %\n"
        "intervals; with --out every game becomes a row of data. All of it depends on nothing but\n"
        "the game, the players and the seed. An interrupted run goes on where it stopped when the\n"
        "same command is given again.",
        EXAMPLES,
        usage=f"fairground simulate {family} [NAME=VALUE ...] [options]",
    )
    parser.add_argument("name", help=argparse.SUPPRESS)
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="a parameter of the game")
    parser.add_argument("--params", metavar="JSON", help="all parameters at once, as JSON")
    parser.add_argument(
        "--games", metavar="N", type=int, help=f"how many games (default: {USUAL_GAMES:,})"
    )
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--seat",
        action="append",
        default=[],
        metavar="SEAT=PLAYER",
        help="who plays a seat; the others are played by whoever plays them by default",
    )
    who.add_argument("--players", metavar="P,Q,...", help="who plays, seat by seat")
    parser.add_argument("--seed", metavar="S", help="any text; without one, a new one is made up")
    parser.add_argument(
        "--mirror",
        action="store_true",
        help="play each deal from every side, where all seats are alike",
    )
    parser.add_argument(
        "--versus",
        action="append",
        default=[],
        metavar="SEAT=PLAYER",
        help="play each deal once more, with another player in this seat, and compare",
    )
    parser.add_argument(
        "--without-luck",
        action="store_true",
        help="give results without what luck gave as well: narrower, and slower",
    )
    parser.add_argument(
        "--until-separable",
        action="store_true",
        help="stop as soon as the results can be told apart; an error of 5 %% for all looks "
        f"together (at most --games, by default {MOST_GAMES:,})",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="where the rows go: text, or .parquet"
    )
    parser.add_argument(
        "--replace", action="store_true", help="write over a file that holds something else"
    )
    parser.add_argument(
        "--header",
        action="store_true",
        help="begin with the names of the columns (FateStones: only if asked)",
    )
    if family in ("fatestones", "GAME"):
        add_dice(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs",
        metavar="N",
        type=int,
        help="processes that think at the same time (default: one for each processor)",
    )
    where.add_argument(
        "--cluster", metavar="ADDRESS", help="a Dask scheduler, such as tcp://10.0.0.1:8786"
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
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


# What is asked for


def _game(name: str, options: argparse.Namespace) -> Game[Any]:
    game = game_from_words(name, options.params, options.values)
    if not isinstance(game, FateStones):
        return game
    # As in the original simulator a game is one deal, unless something else is asked for.
    asked = options.params or any(value.startswith("scratch=") for value in options.values)
    dice = dice_file(options.dice) or game.bag
    scratch = game.scratch if asked else "end"
    return game if game.hands else FateStones(dice, scratch=scratch)


def _plan(game: Game[Any], options: argparse.Namespace, games: int, seed: str) -> Plan:
    if options.players is not None:
        lineup = tuple(word.strip() for word in options.players.split(","))
    else:
        lineup = usual_lineup(game, _seats(game, options.seat, "--seat"))
    versus = _seats(game, options.versus, "--versus")
    return plan_of(
        game, lineup, seed, games,
        mirror=options.mirror, versus=versus, luck=options.without_luck,
    )  # fmt: skip


def _seats(game: Game[Any], given: Sequence[str], option: str) -> dict[int, str]:
    seat = game.seats - 1
    example = f"{option} {seat_labels(game)[seat]}={usual_player(game, seat)}"
    return wanted_seats(game, given, option, example)


# One game


def _one_game(parser: Arguments, game: Game[Any], options: argparse.Namespace) -> int:
    if options.seed is None:
        parser.error("--game needs the --seed of the simulation that the game belongs to")
    if options.out is not None:
        parser.error("--game prints its rows: leave --out away")
    number = options.game
    if number < 0:
        raise BadParams(f"games are counted from 0, so there is no game {number}")
    games = number + 1 if options.games is None else options.games
    plan = _plan(game, options, games, options.seed)
    schema = schema_of(plan)
    rows = schema.of(number, list(states_of(plan, number)))
    if options.header:
        print(",".join(schema.names))
    print("\n".join(rows))
    if options.transcript is not None:
        record = transcript_of(plan, number)
        with writing(options.transcript):
            options.transcript.write_bytes(bytes(record))
    return 0


# Many games


def _all_games(game: Game[Any], options: argparse.Namespace, again: list[str]) -> int:
    most = MOST_GAMES if options.until_separable else USUAL_GAMES
    games = most if options.games is None else options.games
    seed = fresh().hex() if options.seed is None else options.seed
    plan = _plan(game, options, games, seed)
    if options.seed is None:
        again += ["--seed", seed]
    out: Path | None = options.out
    try:
        with (
            writing(out) if out else contextlib.nullcontext(),
            _executor(options.cluster) as executor,
            progress_bar("games") as advance,
        ):
            done = simulate(
                plan,
                out,
                header=True if options.header else None,
                progress=advance,
                executor=executor,
                jobs=options.jobs,
                until_separable=options.until_separable,
                replace=options.replace,
            )
    except KeyboardInterrupt:
        print("\nInterrupted.", end=" ")
        if out is not None:
            print(f"What is done is in {out}.part; to go on, give the same command:")
            print(f"  {shlex.join(again)}")
        raise
    if options.json:
        told = results_as_json(done)
        print(json.dumps(told | ({} if out is None else {"out": str(out), "rows": done.rows})))
        return 0
    print("\n".join(_lines(done, out)))
    if options.seed is None:
        print(f"To make them again: {shlex.join(again)}")
    return 0


def _lines(done: Finished, out: Path | None) -> Iterator[str]:
    resumed = f" ({done.resumed:,} of them by an earlier run)" if done.resumed else ""
    where = "" if out is None else f", {done.rows:,} rows in {out}"
    yield f"{done.games:,} games{resumed}{where}"
    yield from results_in_words(done)


@contextlib.contextmanager
def _executor(address: str | None) -> Iterator[Executor | None]:
    if address is None:
        yield None
        return
    from fairground.lab.simulation import cluster

    with cluster(address) as executor:
        yield executor


def _arguments() -> Arguments:
    parser = Arguments(
        "dataset verify",
        "Check files of simulated games against the cards beside them: the hash, the columns,\n"
        "the number of rows, and a random sample of games that the rules play again.",
        "Examples:\n"
        "  fairground dataset verify games.csv\n"
        "  fairground dataset verify games.parquet --sample 1000 --json",
    )
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="the rows")
    parser.add_argument(
        "--sample", metavar="N", type=int, default=100, help="games to play again (default: 100)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_dataset(arguments: Sequence[str]) -> int:
    """``fairground dataset verify``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.sample < 0:
        parser.error(f"--sample must be 0 or more, not {options.sample}")
    told = []
    for path in options.files:
        try:
            found = verify(path, options.sample)
        except Fault as fault:
            told.append({"file": str(path), "ok": False, "code": fault.code, "reason": str(fault)})
            words = f"{path}: WRONG\n  {fault}"
        else:
            card = found.card
            told.append({"file": str(path), "ok": True, "games": card.games, "rows": card.rows,
                         "replayed": found.replayed, "sha256": card.sha256})  # fmt: skip
            words = (
                f"{path}: as its card says\n"
                f"  {card.plan.game}, {card.games:,} games, {card.rows:,} rows, "
                f"seed {card.plan.seed!r}\n"
                f"  {found.replayed:,} games were played again by the rules, and are the same"
            )
        if not options.json:
            print(words)
    if options.json:
        print(json.dumps({"files": told}))
    return 0 if all(one["ok"] for one in told) else 1


TOURNAMENTS: Final = """\
Examples:
  fairground tournament fatestones --players random,greedy,optimal,mcts:100 --games 400
  fairground tournament zombie --players greedy,cautious,Bob=examples/zombie_bot.py --out cup
  fairground tournament codebreaking --players entropy,minimax,parts --seat breaker
  fairground tournament zombie --players a=greedy,b=greedy,c=cautious,d=random --swiss 3"""


def run_tournament(arguments: Sequence[str]) -> int:
    """``fairground tournament``"""
    given = next((word for word in arguments if not word.startswith("-")), None)
    wants_help = any(word in ("-h", "--help") for word in arguments)
    if given is None or wants_help:
        _tournament_parser().parse_args(["--help"] if wants_help else [])
        return 2
    options = _tournament_parser().parse_intermixed_args(arguments)
    game = game_from_words(full_name(ALIASES.get(given, given)), options.params, options.values)
    seed = fresh().hex() if options.seed is None else options.seed
    seat = _seat(game, options.seat)
    deals = -(-options.games // (2 if seat is None else 1))
    rules = Rules(game, tuple(contenders(options.players)), deals, seed, seat, options.swiss)
    check(rules)
    folder: Path | None = options.out
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    again = [
        "fairground",
        "tournament",
        *arguments,
        *(["--seed", seed] if not options.seed else []),
    ]
    journal = None if folder is None else folder / "journal.jsonl"
    try:
        with progress_bar("encounters") as advance:
            limits = BotLimits(seconds=options.bot_seconds)
            met = held(rules, journal, advance, limits)
    except KeyboardInterrupt:
        if folder is not None:
            print("\nInterrupted. What is done is kept; to go on, give the same command:")
            print(f"  {shlex.join(again)}")
        raise
    table = tabled(rules, met)
    written = [] if folder is None else write_files(table, folder)
    if options.json:
        print(json.dumps(table_as_json(table)))
        return 0
    print(f"{GAMES[game.name].title}: {len(met)} encounters of {deals:,} deals each\n")
    print("\n".join(in_words(table)))
    if options.plots:
        for plot in (whiskers_of(table), heat_of(table)):
            print("\n" + "\n".join(in_text(plot, shutil.get_terminal_size().columns)))
    if written:
        print(f"\nWritten: {', '.join(map(str, written))}")
    if options.seed is None:
        print(f"To hold it again: {shlex.join(again)}")
    return 0


def _tournament_parser() -> Arguments:
    parser = Arguments(
        "tournament",
        "Let players meet, all against all or by the Swiss system, and rank them. Whoever cannot\n"
        "be told apart shares a rank. A player is one of ours, a file of your own (bot.py), or an\n"
        "address that answers over HTTP; NAME=PLAYER gives it a name.",
        TOURNAMENTS,
        usage="fairground tournament GAME [NAME=VALUE ...] --players A,B,C [options]",
    )
    parser.add_argument("game", help="a game by its name")
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="a parameter of the game")
    parser.add_argument("--params", metavar="JSON", help="all parameters at once, as JSON")
    parser.add_argument("--players", metavar="A,B,C", required=True, help="who meets")
    parser.add_argument(
        "--games", metavar="N", type=int, default=200,
        help="games of each encounter (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--seat", metavar="SEAT", help="the seat that is played for, where seats are not alike"
    )
    parser.add_argument(
        "--swiss", metavar="ROUNDS", type=int, help="so many rounds by the Swiss system"
    )
    parser.add_argument("--seed", metavar="S", help="any text; without one, a new one is made up")
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path,
        help="where results go: JSON, CSV, a page; and a journal, to go on after an interruption",
    )  # fmt: skip
    parser.add_argument("--plots", action="store_true", help="draw ratings and cross table here")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_bot_seconds(parser)
    return parser


def _seat(game: Game[Any], label: str | None) -> Seat | None:
    if label is None:
        return None
    labels = seat_labels(game)
    if label not in labels:
        there = known(label, dict.fromkeys(labels))
        raise InputError(f"--seat {label!r}: {game.name} has no such seat; {there}")
    return labels.index(label)


def _plot_arguments() -> Arguments:
    parser = Arguments(
        "plot",
        "Draw a figure, or a file of games, in the terminal; or write it as SVG or PNG.\n\n"
        + "\n".join(f"  {name:<14}{figure.says}" for name, figure in FIGURES.items())
        + "\n\nOf a file that `fairground simulate --out` wrote, what each player won is drawn,\n"
        "or with --column how often each number stands there.",
        "Examples:\n"
        "  fairground plot guesses\n"
        "  fairground plot win-matrix --out matrix.svg\n"
        "  fairground plot all --out docs/figures\n"
        "  fairground plot games.csv --column turns_zombie1 --out turns.png",
    )
    parser.add_argument(
        "figure", metavar="FIGURE|FILE", help="one of those above, or all; or a file of games"
    )
    parser.add_argument(
        "--column", metavar="NAME", action="append", default=[],
        help="count the numbers in this column of the file; more than one: side by side",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="a file (.svg, .png); for all, a folder"
    )
    return parser


def run_plot(arguments: Sequence[str]) -> int:
    """``fairground plot``"""
    parser = _plot_arguments()
    options = parser.parse_args(arguments)
    name = options.figure
    if name == "all":
        if options.out is None:
            parser.error("all figures go into a folder: --out FOLDER")
        options.out.mkdir(parents=True, exist_ok=True)
        for one, listing in FIGURES.items():
            _write(one, listing.draw, options.out / f"{one}.svg")
        return 0
    draw: Callable[[], Plot]
    if name in FIGURES:
        if options.column:
            parser.error(f"{name} is a figure, and --column is for a file of games")
        draw = FIGURES[name].draw
    elif Path(name).suffix or Path(name).exists():
        draw = partial(of_file, Path(name), options.column)
    else:
        raise UnknownName(f"no figure or file named {name!r}; {known(name, FIGURES)}")
    if options.out is None:
        print("\n".join(in_text(patiently(name, draw), shutil.get_terminal_size().columns)))
    else:
        _write(name, draw, options.out)
    return 0


def _write(name: str, draw: Callable[[], Plot], path: Path) -> None:
    with writing(path):
        save(patiently(name, draw), path)
    print(f"{name} is in {path}")
