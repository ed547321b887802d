"""``fairground codebreaking`` and ``fairground solve codebreaking``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

from fairground.core import InputError, Seat, TooMany, UnknownName, written
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
    Row,
    write_code,
)
from fairground.games.codebreaking.screen import (
    NAMES,
    BreakerScreen,
    CodeArt,
    CodeBoard,
    CodeScreen,
    KeeperScreen,
    add_size,
    code_of,
    marks_of,
    wrong_with,
)
from fairground.games.codebreaking.solver.advice import advise, contradiction
from fairground.games.codebreaking.solver.trees import (
    BEAM,
    OPTIMAL,
    PROVABLE,
    STRATEGIES,
    TREE_CODES,
    Tree,
    tree,
)
from fairground.games.codebreaking.words import CodeBreakingWords
from fairground.players import DIFFICULTIES, Player, wanted_seats
from fairground.players.runner import Runner
from fairground.registry import known
from fairground.terminal.console import Arguments
from fairground.terminal.evening import (
    ME,
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_playing,
    player_for,
)
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
    add_playing(parser, "who plays, as in all games: keeper=evil; keeper=me, breaker=minimax")
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


FIGURES: Final = ("codes", "total", "average", "worst", "distribution")
BAR: Final = 40


def _solve_arguments() -> Arguments:
    parser = Arguments(
        "solve codebreaking",
        "How many guesses a strategy needs, over all codes: in total, on average, at worst; and\n"
        "with --guess and --marks, what to ask next in a game in progress, at any size.",
        "Examples:\n"
        "  fairground solve codebreaking --base 6 --length 4\n"
        "  fairground solve codebreaking --strategy entropy --json\n"
        "  fairground solve codebreaking --guess 0012 --marks 1,1 --guess 0213 --marks 2,0",
    )
    add_size(parser)
    parser.add_argument(
        "--strategy",
        metavar="NAME",
        help=f"{', '.join(STRATEGIES)}, or optimal:5 (never more than 5 guesses); "
        "without it, the best that we know",
    )
    parser.add_argument(
        "--guess",
        action="append",
        default=[],
        metavar="CODE",
        help="a guess that was made, such as 0012 or 12,99,3; may be repeated",
    )
    parser.add_argument(
        "--marks",
        action="append",
        default=[],
        metavar="FULL,PARTIAL",
        help="what the guess before it earned, such as 1,2",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_ascii(parser, "marks and bars as letters", "as signs")
    return parser


def run_solve(arguments: Sequence[str]) -> int:
    """``fairground solve codebreaking``"""
    options = _solve_arguments().parse_args(arguments)
    game = CodeBreaking(options.base, options.length)
    _must_be_a_strategy(options.strategy)
    art = CodeArt.of_terminal(options.ascii)
    if options.guess or options.marks:
        return _advise(options, game, art)
    found = _tree(game, options.strategy)
    figures = found.figures()
    if options.json:
        print(json.dumps({name: figures[name] for name in FIGURES}))
        return 0
    print("\n".join(_lines(game, found, figures, art)))
    return 0


def _must_be_a_strategy(strategy: str | None) -> None:
    if strategy is None:
        return
    kind, colon, _ = strategy.partition(":")
    if kind not in STRATEGIES:
        raise UnknownName(f"no strategy named {strategy!r}; {known(kind, STRATEGIES)}")
    if colon and kind != OPTIMAL:
        raise InputError(f"{strategy!r}: only optimal takes a limit, such as optimal:5")


def _tree(game: CodeBreaking, strategy: str | None) -> Tree:
    """Return the tree, or a refusal that says what can be had instead."""
    try:
        return patiently(
            f"Searching among {game.codes:,} codes",
            lambda: tree(game.base, game.length, strategy),
        )
    except TooMany as problem:
        size = f"--base {game.base} --length {game.length}"
        ways = [
            f"advice for a game in progress: fairground solve codebreaking {size} "
            "--guess CODE --marks FULL,PARTIAL",
            f"to see a code of this size broken: fairground codebreaking {size} --keeper",
        ]
        if PROVABLE < game.codes <= TREE_CODES and game.base * game.length <= 64:
            ways = [f"--strategy {BEAM}, or none: the best that we know, not proven cheapest"]
        lines = "\n".join(f"  {way}" for way in ways)
        raise TooMany(f"{problem}.\nWhat works:\n{lines}") from None


def _lines(game: CodeBreaking, found: Tree, figures: Mapping[str, Any], art: CodeArt) -> list[str]:
    proven = "proven cheapest" if found.proven else "not proven cheapest"
    average = Fraction(figures["average"])
    lines = [
        f"Base {game.base}, length {game.length}: {figures['codes']:,} codes",
        f"Strategy: {found.strategy} ({proven})",
        f"First guess: {write_code(found.root.guess, game.base)}",
        f"All codes together: {figures['total']:,} guesses",
        *([] if found.proven or found.at_least is None else [f"At least: {found.at_least:,}"]),
        f"Average: {average} = {float(average):.12f}",
        f"Worst: {figures['worst']}",
        "",
        "guesses  codes",
    ]
    most = max(figures["distribution"])
    wide = max(len(f"{most:,}"), len("codes"))
    room = max(1, min(BAR, art.columns - wide - 12))
    for number, codes in enumerate(figures["distribution"], 1):
        bar = art.bar * -(-room * codes // most)
        lines.append(f"{number:>7}  {codes:>{wide},}  {bar}".rstrip())
    return lines


def _rows(options: argparse.Namespace, game: CodeBreaking) -> list[Row]:
    if len(options.guess) != len(options.marks):
        raise InputError(
            f"every --guess needs its --marks: {len(options.guess)} and {len(options.marks)} were "
            "given. For example: --guess 0012 --marks 1,1"
        )
    rows = []
    for number, (guess, marks) in enumerate(zip(options.guess, options.marks, strict=True), 1):
        try:
            rows.append(Row(code_of(guess, game), marks_of(marks, game)))
        except InputError as problem:
            raise InputError(
                f"row {number} (--guess {guess!r} --marks {marks!r}): {problem}.\n"
                f"A code is typed like this: {CodeBreakingWords(game, NAMES).example_code()}; "
                "marks like this: 1,2"
            ) from None
    return rows


def _advise(options: argparse.Namespace, game: CodeBreaking, art: CodeArt) -> int:
    """Print the best next guess. A board that no code fits is a check that failed."""
    base, length, rows = game.base, game.length, _rows(options, game)
    advice = patiently("Thinking", lambda: advise(base, length, rows, options.strategy))
    wrong: list[int] = []
    if not advice["possible"] and (clash := _clash(game, rows, advice)):
        wrong = [k + 1 for k in clash]
        advice |= {"guess": None, "remaining": 0, "exact": True, "method": "refuted"}
    if options.json:
        answer = advice | {"remaining": written(advice["remaining"])}
        print(json.dumps(answer | {"contradiction": wrong} if wrong else answer))
        return 1 if wrong else 0
    for line in CodeBoard(art, game).some(enumerate(rows, 1)):
        print(line)
    if wrong:
        print(f"No code fits: {_named(wrong)}")
        return 1
    count = advice["remaining"]
    shown = f"{count:,}" if advice["exact"] else f"about {count:.1e}" if count else "unknown"
    print(f"Codes left: {shown} ({advice['method']})")
    text = write_code(advice["guess"], base)
    if count == 1 and advice["exact"]:
        print(f"The code is {text}")
    else:
        may = "it may be the code" if advice["possible"] else "it is not the code, but tells much"
        print(art.fold(f"Ask {text} ({may})"))
    return 0


def _clash(game: CodeBreaking, rows: Sequence[Row], advice: Mapping[str, Any]) -> Sequence[int]:
    """Return rows that no code fits together: sought where no fitting code was found."""
    if advice["exact"] and advice["remaining"]:
        return ()
    found = patiently(
        "Looking for a contradiction", lambda: contradiction(game.base, game.length, rows)
    )
    return () if found is None else found.rows


def _named(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"row {numbers[0]} cannot be true."
    shown = ", ".join(map(str, numbers[:-1]))
    return f"rows {shown} and {numbers[-1]} cannot all be true."
