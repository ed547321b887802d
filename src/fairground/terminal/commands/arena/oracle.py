"""``fairground oracle``: play one game of code breaking at an arena, and check its record."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.clients.http import Refused
from fairground.clients.oracles import Description, Oracle
from fairground.clients.play import PlayedOracle, play
from fairground.core import InputError
from fairground.games.codebreaking import Row, write_code
from fairground.terminal.commands.arena.enter import add_player, hired
from fairground.terminal.console import Arguments
from fairground.verify import verify


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


def run(arguments: Sequence[str]) -> int:
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
    if verdict.fault is not None:
        print(
            f"The record is {verdict.judged.upper()}: {verdict.fault.reason} ({verdict.fault.code})"
        )
        return False
    print(f"The record is VALID: {', '.join(map(str, verdict.claims))}")
    return True
