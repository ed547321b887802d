"""``fairground solve codebreaking``: strategies, and what to ask next."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from fairground.core import InputError, TooMany, UnknownName, written
from fairground.games.codebreaking.rules import CodeBreaking, Row, write_code
from fairground.games.codebreaking.screen.screen import (
    NAMES,
    CodeArt,
    CodeBoard,
    add_size,
    code_of,
    marks_of,
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
from fairground.terminal.console import Arguments
from fairground.terminal.options import add_ascii
from fairground.terminal.waiting import patiently

FIGURES: Final = ("codes", "total", "average", "worst", "distribution")
BAR: Final = 40


def _arguments() -> Arguments:
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


def run(arguments: Sequence[str]) -> int:
    """``fairground solve codebreaking``"""
    options = _arguments().parse_args(arguments)
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
        raise UnknownName(f"no strategy named {strategy!r}; there are: {', '.join(STRATEGIES)}")
    if colon and kind != OPTIMAL:
        raise InputError(f"{strategy!r}: only optimal takes a limit, such as optimal:5")


def _tree(game: CodeBreaking, strategy: str | None) -> Tree:
    """The tree, or a refusal that says what can be had instead."""
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
    """Rows that no code fits together: sought where no fitting code was found."""
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
