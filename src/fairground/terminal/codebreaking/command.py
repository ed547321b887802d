"""``fairground codebreaking``: find the keeper's code, or keep one from the solver."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Final

from fairground.core import InputError
from fairground.fair.bits import SystemStream
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.codebreaking import BREAKER, EVIL, FAIR, KEEPER, ORACLES, CodeBreaking
from fairground.oracle_table import CHAIN_LENGTH, publish
from fairground.players import make_player
from fairground.table import Table, new_name
from fairground.terminal.codebreaking import screen as screens
from fairground.terminal.codebreaking.input import add_size
from fairground.terminal.codebreaking.look import CodeArt
from fairground.terminal.console import Arguments, Console
from fairground.terminal.options import add_ascii, players_in_words
from fairground.terminal.proof import say_what_is_proven
from fairground.terminal.saving import Saved, add_saving
from fairground.terminal.seat import Here
from fairground.terminal.waiting import patiently

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
        help="with --keeper, who breaks: "
        + players_in_words(CodeBreaking(oracle=EVIL), BREAKER, SOLVER),
    )
    lend = parser.add_mutually_exclusive_group()
    lend.add_argument("--share", metavar="WORD", help="lend this word to the draw, without asking")
    lend.add_argument("--no-share", action="store_true", help="lend nothing, without asking")
    add_ascii(parser, "marks as letters", "as dots")
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground codebreaking``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.keeper and (options.share is not None or options.no_share):
        parser.error("with --keeper nothing is drawn: --share and --no-share have no place there")
    if options.share is not None and options.oracle not in (None, FAIR):
        parser.error(
            f"the {options.oracle} keeper draws nothing: there is nothing to mix a word into"
        )
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
        place = Here(table, {KEEPER: keeper})
        screen = screens.BreakerScreen(console, art, place, publish(table), share)
        holds = False
        try:
            screen.play()
        finally:
            holds = say_what_is_proven(console, art, table, saved, partial(_missing, table))
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
    assert isinstance(solver, Breaker)
    records = Records(options, game, spec)
    screen = KeeperScreen(console, art, records, solver)
    holds = False
    try:
        screen.play()
    finally:
        records.close()
        missing = partial(_missing, records.table)
        holds = say_what_is_proven(console, art, records.table, records.saved, missing)
    return 0 if holds else 1


def _must_be_able_to_list(game: CodeBreaking) -> None:
    """What an evil keeper and a solver need is missed before the game, not in the middle."""
    from fairground.solve.codebreaking.advice import enumerable

    patiently("Preparing", lambda: enumerable(game.base, game.length))


def _missing(table: Table, proven: set[str]) -> str | None:
    """What a player might think was proven, and was not."""
    if "COMMITTED" in proven and "UNIFORM" not in proven and any(run.line for run in table.runs):
        return "You lent no word, so nothing proves that the house did not choose the code."
    if "CONSISTENT" in proven:
        return "Not proven: that the code was there before the first guess."
    return None
