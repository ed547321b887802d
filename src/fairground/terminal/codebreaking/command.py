"""``fairground codebreaking``: find the keeper's code, or keep one from the solver."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from fairground.core import InputError
from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.codebreaking import BREAKER, EVIL, FAIR, KEEPER, ORACLES, CodeBreaking
from fairground.oracle_table import CHAIN_LENGTH, publish
from fairground.players import make_player
from fairground.players.hosted import Hosted
from fairground.table import Table, new_name
from fairground.terminal.codebreaking import screen as screens
from fairground.terminal.codebreaking.input import add_size
from fairground.terminal.codebreaking.look import CodeArt
from fairground.terminal.console import Arguments, Console
from fairground.terminal.saving import Saved, add_saving
from fairground.terminal.waiting import patiently
from fairground.verify import verify

SOLVER: Final = "best"


def _arguments() -> Arguments:
    parser = Arguments(
        "codebreaking",
        "Find a hidden code. Each guess is answered with its full matches (right digit, right\n"
        "place) and its partial ones (right digit, wrong place). A fair keeper's code is drawn\n"
        "by hash-chains/1, into which you may mix a word of your own, and is opened in the end.",
        "Examples:\n"
        "  fairground codebreaking\n"
        "  fairground codebreaking --base 10 --length 5 --oracle evil --save game.jsonl\n"
        "  fairground codebreaking --keeper\n\n"
        "At every prompt: ? helps, X exits. Where a guess is asked for: hint advises, give up\n"
        "ends the game and shows the code. Where an answer is asked for: fix 2 corrects row 2.",
    )
    add_size(parser)
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--oracle",
        choices=ORACLES,
        help="who keeps the code: fair draws it (the default), nice makes your first guess "
        "the code, evil gives the least informative answer that is still consistent",
    )
    side.add_argument(
        "--keeper", action="store_true", help="you keep a code in mind, and the solver breaks it"
    )
    parser.add_argument(
        "--solver",
        metavar="PLAYER",
        help="with --keeper, who breaks: best (the default), optimal, optimal:5, entropy, "
        "expected, parts, minimax, annealing",
    )
    lend = parser.add_mutually_exclusive_group()
    lend.add_argument("--share", metavar="WORD", help="lend this word to the draw, without asking")
    lend.add_argument("--no-share", action="store_true", help="lend nothing, without asking")
    parser.add_argument(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="marks as letters, or as dots (default: what the terminal can show)",
    )
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground codebreaking``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.keeper and (options.share is not None or options.no_share):
        parser.error("with --keeper nothing is drawn: --share and --no-share have no place there")
    if options.solver is not None and not options.keeper:
        parser.error("--solver says who breaks your code: it goes with --keeper")
    if options.share is not None and (problem := screens.wrong_with(options.share)):
        raise InputError(f"--share: {problem}")
    console, art = Console(), CodeArt.of_terminal(options.ascii)
    return (_keep if options.keeper else _break)(options, console, art)


def _break(options: argparse.Namespace, console: Console, art: CodeArt) -> int:
    """The person breaks."""
    game = CodeBreaking(options.base, options.length, options.oracle or FAIR)
    keeper = make_player(game.oracle, game, SystemStream(), KEEPER)
    if game.oracle == EVIL:
        _must_be_able_to_list(game)
    with Saved(options, "codebreaking", name := new_name()) as saved:
        table = Table.open(
            game,
            HashChainsDealer(name, MemoryVault(), length=CHAIN_LENGTH),
            (Chair("Keeper", by="house"), Chair("Player", lends="stir")),
            transcript=saved.transcript,
        )
        share = "" if options.no_share else options.share
        hosted = Hosted(table, {KEEPER: keeper})
        screen = screens.BreakerScreen(console, art, hosted, publish(table), share)
        holds = False
        try:
            screen.play()
        finally:
            holds = _say_what_is_proven(screen, console, table, saved)
    return 0 if holds else 1


def _keep(options: argparse.Namespace, console: Console, art: CodeArt) -> int:
    """The person keeps."""
    from fairground.players.codebreaking.breakers import Breaker
    from fairground.terminal.codebreaking.keeper import KeeperScreen, Records

    game = CodeBreaking(options.base, options.length, EVIL)
    _must_be_able_to_list(game)
    spec = options.solver or SOLVER
    solver = patiently(
        "The solver prepares", lambda: make_player(spec, game, SystemStream(), BREAKER)
    )
    if not isinstance(solver, Breaker):
        raise InputError(f"{spec!r} does not break codes. For example: --solver entropy")
    records = Records(options, game, spec)
    screen = KeeperScreen(console, art, game, records, solver)
    holds = False
    try:
        screen.play()
    finally:
        records.close()
        holds = _say_what_is_proven(screen, console, records.table, records.saved)
    return 0 if holds else 1


def _must_be_able_to_list(game: CodeBreaking) -> None:
    """What an evil keeper and a solver need is missed before the game, not in the middle."""
    from fairground.solve.codebreaking.advice import enumerable

    patiently("Preparing", lambda: enumerable(game.base, game.length))


def _say_what_is_proven(
    screen: screens.Screen, console: Console, table: Table, saved: Saved | None
) -> bool:
    """Verify the record at once, and say what it proves and where it is."""
    verdict = verify(bytes(table.transcript))
    console.say()
    if not verdict.ok:
        assert verdict.fault is not None
        screen.say(f"The record of this game DOES NOT HOLD: {verdict.fault.reason}", "bad")
    else:
        screen.say(f"Checked: the record of {verdict.events} events holds. It proves:")
        screen.bullets(*(f"{claim}: {claim.condition}" for claim in verdict.claims))
        if not verdict.claims:
            screen.bullets("nothing beyond that it replays")
        if missing := _missing(table, {claim.name for claim in verdict.claims}):
            screen.say(missing)
    if saved is not None and saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path}")
    else:
        console.say("No transcript was kept.")
    return verdict.ok


def _missing(table: Table, proven: set[str]) -> str | None:
    """What a player might think was proven, and was not."""
    if "COMMITTED" in proven and "UNIFORM" not in proven and any(run.line for run in table.runs):
        return "You lent no word, so nothing proves that the house did not choose the code."
    if "CONSISTENT" in proven:
        return "Not proven: that the code was there before the first guess."
    return None
