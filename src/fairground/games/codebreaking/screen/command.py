"""``fairground codebreaking``: its options, and games with codes of one size."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from fairground.core import InputError, Seat
from fairground.fair.schemes import Chair
from fairground.games.codebreaking.oracle import CHAIN_LENGTH, commitment, publish
from fairground.games.codebreaking.players import Breaker
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    KEEPER,
    ORACLES,
    CodeBreaking,
)
from fairground.games.codebreaking.screen.screen import (
    BreakerScreen,
    CodeArt,
    CodeScreen,
    KeeperScreen,
    add_size,
    wrong_with,
)
from fairground.players import DIFFICULTIES, Player, wanted_seats
from fairground.players.runner import Runner
from fairground.terminal.console import Arguments
from fairground.terminal.evening import (
    ME,
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_counting,
    add_practice,
    add_seats,
    player_for,
)
from fairground.terminal.files import add_saving
from fairground.terminal.options import add_ascii, players_in_words
from fairground.terminal.waiting import patiently

DEEP: Final = "evil:deep"
"""The evil keeper that forces the most guesses on perfect play."""

DIFFICULTY: Final = {"easy": "nice", "medium": "fair", "hard": "evil"}
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
    add_seats(parser, "the same in one word for all games: keeper=evil; keeper=me, breaker=minimax")
    parser.add_argument(
        "--difficulty",
        choices=DIFFICULTIES,
        help="how hard it is made for you: easy (nice), medium (fair), hard (evil); with "
        "--keeper, how good the solver is",
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
    add_counting(parser)
    add_practice(parser)
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground codebreaking``"""
    options = _parse(arguments)
    return CodeParlour(options, arguments, options.keeper).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game."""
    keeps = opened.table.setting.chairs[KEEPER].by == "self"
    return CodeParlour(_parse(arguments), arguments, keeps).resume(opened, house)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _arguments()
    options: argparse.Namespace = parser.parse_args(arguments)
    options.deep = False
    _take_seats(options)
    lends = options.share is not None or options.no_share
    if options.keeper and lends:
        parser.error("with --keeper nothing is drawn: --share and --no-share have no place there")
    if options.share is not None and options.oracle not in (None, FAIR):
        parser.error(
            f"the {options.oracle} keeper draws nothing: there is nothing to mix a word into"
        )
    if options.solver is not None and not options.keeper:
        parser.error("--solver says who breaks your code: it goes with --keeper")
    if options.share is not None and (problem := wrong_with(options.share)):
        raise InputError(f"--share: {problem}")
    return options


def _take_seats(options: argparse.Namespace) -> None:
    """Put ``--seat`` and ``--difficulty`` into this game's own words for them."""
    shape = CodeBreaking(oracle=EVIL)
    example = "--seat keeper=evil, or --seat keeper=me --seat breaker=minimax"
    for seat, player in wanted_seats(shape, options.seat, "--seat", example).items():
        if player.partition(":")[0] == ME:
            options.keeper = options.keeper or seat == KEEPER
        elif seat == KEEPER:
            if player not in (*ORACLES, *DIFFICULTY, DEEP):
                raise InputError(
                    f"--seat keeper={player}: a keeper is me, {', '.join(ORACLES)}, {DEEP}. "
                    f"For example: {example}"
                )
            options.deep = player == DEEP
            options.oracle = EVIL if options.deep else DIFFICULTY.get(player, player)
        else:
            options.keeper, options.solver = True, player_for(shape, BREAKER, player)
    if options.difficulty is not None and options.keeper:
        options.solver = player_for(shape, BREAKER, options.difficulty)
    elif options.difficulty is not None:
        options.oracle = DIFFICULTY[options.difficulty]


class CodeParlour(Parlour):
    """Games with codes of one size; with the sides swapped, breaker and keeper change places."""

    swaps = True

    def __init__(self, options: argparse.Namespace, arguments: Sequence[str], keeps: bool) -> None:
        self._code_art = CodeArt.of_terminal(options.ascii)
        super().__init__(options, arguments, self._code_art)
        self.swapped = keeps
        self._solver = options.solver or SOLVER

    @property
    def _game(self) -> CodeBreaking:
        oracle = EVIL if self.swapped else self.options.oracle or FAIR
        return CodeBreaking(self.options.base, self.options.length, oracle)

    def players(self, house: HousePlayers) -> dict[Seat, Player]:
        game = self._game
        if game.oracle == EVIL:
            _must_be_able_to_list(game)
        if not self.swapped:
            return {KEEPER: house.make(DEEP if self.options.deep else game.oracle, game, KEEPER)}
        return {BREAKER: house.make(self._solver, game, BREAKER)}

    def wanted(self) -> TablePlan:
        lends = "nothing" if self.options.seed is not None else "stir"
        chairs = (Chair("Keeper", by="house"), Chair("Player", lends=lends))
        if self.swapped:
            chairs = (Chair("Player"), Chair(f"Solver ({self._solver})", by="house"))
        length = {"length": CHAIN_LENGTH}
        return TablePlan("codebreaking", self.arguments, self._game, chairs, options=length)

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> CodeScreen:
        if self.swapped:
            solver = players[BREAKER]
            assert isinstance(solver, Breaker)
            another = partial(OpenTable.new, self.wanted(), self.options)
            return KeeperScreen(self.console, self._code_art, opened, another, solver)
        commitment = "" if opened.practice else shown_first(opened)
        share = "" if self.options.no_share else self.options.share
        place = Runner(opened.table, players, opened.vault)
        return BreakerScreen(self.console, self._code_art, place, commitment, share)


def shown_first(opened: OpenTable) -> str:
    """Return the keeper's commitment; publish it on a new table."""
    return commitment(opened.table) if opened.resumed else publish(opened.table)


def _must_be_able_to_list(game: CodeBreaking) -> None:
    """List the codes now, so that a missing extra or a too large game fails before the start."""
    from fairground.games.codebreaking.solver.advice import enumerable

    patiently("Preparing", lambda: enumerable(game.base, game.length))
