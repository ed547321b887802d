"""``fairground tournament``: players against one another, ranked."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from fairground.commands.play import full_name, game_from_words
from fairground.commands.simulate import ALIASES
from fairground.core import Game, InputError, Seat
from fairground.fair.bits import fresh
from fairground.games import GAMES
from fairground.lab.plots import in_text
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
from fairground.players.bot.limits import BotLimits
from fairground.players.seats import seat_labels
from fairground.registry import known
from fairground.terminal.console import Arguments
from fairground.terminal.options import add_bot_seconds
from fairground.terminal.waiting import progress_bar

EXAMPLES: Final = """\
Examples:
  fairground tournament fatestones --players random,greedy,optimal,mcts:100 --games 400
  fairground tournament zombie --players greedy,cautious,Bob=examples/zombie_bot.py --out cup
  fairground tournament codebreaking --players entropy,minimax,parts --seat breaker
  fairground tournament zombie --players a=greedy,b=greedy,c=cautious,d=random --swiss 3"""


def run(arguments: Sequence[str]) -> int:
    """``fairground tournament``"""
    given = next((word for word in arguments if not word.startswith("-")), None)
    wants_help = any(word in ("-h", "--help") for word in arguments)
    if given is None or wants_help:
        _parser().parse_args(["--help"] if wants_help else [])
        return 2
    options = _parser().parse_intermixed_args(arguments)
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


def _parser() -> Arguments:
    parser = Arguments(
        "tournament",
        "Let players meet, all against all or by the Swiss system, and rank them. Whoever cannot\n"
        "be told apart shares a rank. A player is one of ours, a file of your own (bot.py), or an\n"
        "address that answers over HTTP; NAME=PLAYER gives it a name.",
        EXAMPLES,
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
