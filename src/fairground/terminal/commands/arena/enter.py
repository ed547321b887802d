"""``fairground enter``: play a contest at an arena, with a player of ours or a bot of your own."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from fairground.clients.entry_log import Diary, path_of
from fairground.clients.oracles import Contest, WatchPage
from fairground.clients.play import Bots, Hire, PlayedOracle, builtin, play_all
from fairground.core import InputError
from fairground.fair.bits import token
from fairground.games.codebreaking import CodeBreaking
from fairground.players.bot.limits import BotLimits
from fairground.terminal.console import Arguments
from fairground.terminal.places import data_folder

MOST_JOBS: Final = 64
DEFAULT: Final = "best"


def _arguments() -> Arguments:
    parser = Arguments(
        "enter",
        "Enter a contest of code breaking, and play all its games.\n"
        "Only a team's first entry ranks; a new version of the same team trains.",
        "Examples:\n"
        "  fairground enter http://127.0.0.1:8000/contest/NAME --team Guessers --version 1.0\n"
        "  fairground enter CONTEST_URI --team Mine --version 7 --bot mybot.py --jobs 8\n\n"
        "Interrupted? The same command goes on where it stopped.\n"
        "Exit code 0: every code was found; 1: some were not; 2: it could not be played.",
    )
    parser.add_argument("contest", metavar="CONTEST_URI", help="the contest's watch URI")
    parser.add_argument("--team", required=True, help="your team's name, up to 20 characters")
    parser.add_argument(
        "--version", required=True, metavar="V", help="your program's version, up to 20 characters"
    )
    parser.add_argument(
        "--team-key",
        metavar="SECRET",
        help="a word of yours: nobody else can then enter for your team, and so end its entry",
    )
    add_player(parser)
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="games played at the same time (1)"
    )
    return parser


def add_player(parser: argparse.ArgumentParser) -> None:
    """The options that say who plays."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--player",
        metavar="NAME",
        help="best (the default), optimal, entropy, expected, parts, minimax, annealing or random",
    )
    who.add_argument(
        "--bot", metavar="FILE", help="a Python file with choose(game, view, seat): your own bot"
    )
    parser.add_argument(
        "--bot-seconds",
        type=float,
        default=BotLimits().seconds,
        metavar="S",
        help="how long your bot may take over a guess (2)",
    )


@contextmanager
def hired(options: argparse.Namespace) -> Iterator[Hire]:
    """Whoever is to play, by those options."""
    if options.bot is None:
        yield builtin(options.player or DEFAULT)
        return
    if not 0 < options.bot_seconds <= 3600:
        raise InputError(f"--bot-seconds must be above 0, up to 3600: {options.bot_seconds:g}")
    with closing(Bots(Path(options.bot), BotLimits(seconds=options.bot_seconds))) as bots:
        yield bots


def run(arguments: Sequence[str]) -> int:
    """``fairground enter``"""
    options = _arguments().parse_args(arguments)
    if not 1 <= options.jobs <= MOST_JOBS:
        raise InputError(f"--jobs must be in 1..{MOST_JOBS}, not {options.jobs}")
    contest = Contest(options.contest)
    with hired(options) as hire:
        _try_out(hire, contest.watch())
        diary = _entered(contest, options.team, options.version, options.team_key)
        done = [
            PlayedOracle(None, tuple(diary.rows[n]), True) for n in diary.done if diary.solved(n)
        ]
        done += [PlayedOracle(None, (), False, trouble=why) for why in diary.troubles.values()]
        with closing(play_all(diary.entry.oracles, hire, options.jobs, diary=diary)) as games:
            for number, played in games:
                done.append(played)
                print(f"  game {number + 1:>4}  {_told(played)}", flush=True)
    return _summary(options, done, contest)


def _entered(contest: Contest, team: str, version: str, key: str | None) -> Diary:
    """A new entry, or the one that was interrupted."""
    path = path_of(_folder(), contest.uri, team, version)
    diary = Diary.find(path)
    if diary is not None and len(diary.done) < len(diary.entry.oracles):
        games = f"{len(diary.done)} of {len(diary.entry.oracles)} games are done"
        print(f"{team} {version} goes on with its entry: {games}.")
        return diary
    entry = contest.enter(team, version, key, once=_name_of_entry(path))
    print(f"{team} {version} has {len(entry.oracles)} games to play.")
    if entry.training:
        print("This team has entered before: what it does now is training, and does not rank.")
    if entry.receipt is not None:
        print(f"Receipt, to keep: {entry.receipt}")
    begun = Diary.begin(path, contest.uri, team, version, entry)
    path.with_suffix(".key").unlink()
    return begun


def _name_of_entry(diary: Path) -> str:
    """A name for this entry, kept until it has a diary: a lost answer is asked for again by it."""
    kept = diary.with_suffix(".key")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(kept, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(token())
    return kept.read_text()


def _folder() -> Path:
    return data_folder() / "entries"


def _try_out(hire: Hire, page: WatchPage) -> None:
    """An entry cannot be taken back: whoever cannot play should fail before it."""
    if page.closed:
        raise InputError(f"the contest {page.uri} is closed")
    for game in page.kinds or (CodeBreaking(),):
        with hire(game):
            pass


def _told(played: PlayedOracle) -> str:
    seen = played.oracle
    kind = f"{seen.base}^{seen.length} {seen.oracle_type}" if seen is not None else "(unknown)"
    if played.solved:
        return f"{kind:<14} solved with guess {played.steps}"
    return f"{kind:<14} NOT solved: {played.trouble}"


def _summary(options: argparse.Namespace, done: list[PlayedOracle], contest: Contest) -> int:
    steps = [played.steps for played in done if played.solved]
    print(f"{len(steps)} of {len(done)} solved", end="")
    print(f", mean {sum(steps) / len(steps):.3f}, worst {max(steps)}." if steps else ".")
    for team in contest.watch().teams:
        if (team.team_name, team.software_version) == (options.team, options.version):
            place = "training" if team.rank is None else f"rank {team.rank}"
            print(f"In the contest now: {place}, {team.solved} solved. Watch it: {contest.uri}")
    return 0 if len(steps) == len(done) else 1
