"""``fairground oracle`` and ``fairground enter``: code breaking at an arena."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from fairground.clients.http import Refused
from fairground.clients.oracles import (
    Bots,
    Contest,
    Description,
    Diary,
    Hire,
    Oracle,
    PlayedOracle,
    PrivateFile,
    WatchPage,
    builtin,
    path_of,
    play,
    play_all,
    team_key_of,
)
from fairground.core import InputError
from fairground.fair.bits import token
from fairground.games.codebreaking.rules import CodeBreaking, Row, write_code
from fairground.players.bot import BotLimits
from fairground.terminal.console import Arguments
from fairground.terminal.files import data_folder
from fairground.verifier import verify


def _arguments() -> Arguments:
    parser = Arguments(
        "oracle",
        "Play one game of code breaking at an arena: print each guess with its full and partial\n"
        "matches. Random bytes of ours are mixed into the draw where the arena takes them, and\n"
        "the record of the game is checked in the end where it gives one.",
        "Examples:\n"
        "  fairground oracle http://127.0.0.1:8000/oracle/NAME\n"
        "  fairground oracle ORACLE_URI --player entropy\n\n"
        "Exit code 0: the code was found; 1: it was not, or the record does not hold.",
    )
    parser.add_argument("oracle", metavar="ORACLE_URI", help="the oracle's address")
    add_player(parser)
    return parser


def run_oracle(arguments: Sequence[str]) -> int:
    """``fairground oracle``"""
    options = _arguments().parse_args(arguments)
    oracle = Oracle(options.oracle)
    seen = oracle.describe()
    if seen.over:
        raise InputError(f"the game {seen.uri} is over")
    with hired(options) as hire:
        with hire(seen.game()):
            pass  # whoever cannot play this should fail before anything is sent
        print(f"{seen.oracle_type} oracle, base {seen.base}, length {seen.length}")
        if seen.attempts:
            print(f"{seen.attempts} guesses were made before; their answers are not known here.")
        elif seen.contest is None:
            _lend(oracle)
        print("   guess  full partial")
        number = 0

        def tell(row: Row) -> None:
            nonlocal number
            number += 1
            code, (full, partial) = write_code(row.guess, seen.base), row.marks
            print(f"{number:>2} {code}  {full} {partial}", flush=True)

        played = play(oracle, hire, tell=tell)
    print(f"Solved with guess {number}." if played.solved else f"Not solved: {played.trouble}.")
    holds = _check(oracle, oracle.describe(), played)
    return 0 if played.solved and holds else 1


def _lend(oracle: Oracle) -> None:
    """Our share of the draw; not every server of this protocol takes one."""
    try:
        oracle.share()
    except Refused as refused:
        print(f"No share of ours is in the draw: {refused}")


def _check(oracle: Oracle, seen: Description, played: PlayedOracle) -> bool:
    """Verify the record, if there is one, and say what it proves."""
    if seen.code is not None:
        print(f"The code: {write_code(seen.code, seen.base)}")
    if seen.transcript is None:
        print("There is no record of it to check (in a contest: not before its close).")
        return True
    verdict = verify(oracle.transcript(), played.receipt or ())
    print(verdict)
    return verdict.ok


MOST_JOBS: Final = 64
DEFAULT: Final = "best"


def _enter_arguments() -> Arguments:
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
        metavar="KEY",
        help="your team's key, if its first entry was made on another machine (else it is kept)",
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
    """Yield the player that the options name."""
    if options.bot is None:
        yield builtin(options.player or DEFAULT)
        return
    if not 0 < options.bot_seconds <= 3600:
        raise InputError(f"--bot-seconds must be above 0, up to 3600: {options.bot_seconds:g}")
    with closing(Bots(Path(options.bot), BotLimits(seconds=options.bot_seconds))) as bots:
        yield bots


def run_enter(arguments: Sequence[str]) -> int:
    """``fairground enter``"""
    options = _enter_arguments().parse_args(arguments)
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
    if diary is not None and len(diary.done) == len(diary.entry.oracles):
        raise InputError(
            f"{team} {version} has entered this contest before, and its games are done. A new "
            "--version may enter, as training"
        )
    if diary is not None:
        games = f"{len(diary.done)} of {len(diary.entry.oracles)} games are done"
        print(f"{team} {version} goes on with its entry: {games}.")
        return diary
    once, kept = PrivateFile(path.with_suffix(".key")), team_key_of(_folder(), contest.uri, team)
    if once.read() is None:
        once.write(token())  # before it is sent: by it a lost answer is asked for again
    entry = contest.enter(team, version, key or kept.read(), once=once.read())
    if (told := entry.team_key or key) is not None:
        kept.write(told)
    print(f"{team} {version} has {len(entry.oracles)} games to play.")
    if entry.training:
        print("This team has entered before: what it does now is training, and does not rank.")
    if entry.receipt is not None:
        print(f"Receipt, to keep: {entry.receipt}")
    if entry.team_key is not None:
        print(f"Your team's key, for later versions, is kept in {kept.path}")
    begun = Diary.begin(path, contest.uri, team, version, entry)
    once.path.unlink()
    return begun


def _folder() -> Path:
    return data_folder() / "entries"


def _try_out(hire: Hire, page: WatchPage) -> None:
    """An entry cannot be taken back, so a player that cannot play must fail before it."""
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
