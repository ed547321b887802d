"""What people type in code breaking outside a game: sizes, codes and answers."""

from __future__ import annotations

import argparse
from typing import cast

from fairground.core import IllegalMove
from fairground.games.codebreaking import (
    BREAKER,
    EVIL,
    KEEPER,
    Code,
    CodeBreaking,
    Marks,
    State,
)
from fairground.terminal.options import whole_number
from fairground.words.codebreaking import CodeBreakingWords

NAMES = ("Keeper", "Breaker")


def add_size(parser: argparse.ArgumentParser) -> None:
    """The options that say which codes there are."""
    parser.add_argument(
        "--base",
        type=whole_number,
        default=6,
        metavar="B",
        help="digits are 0 to B - 1; 2 to 100 (6)",
    )
    parser.add_argument(
        "--length", type=whole_number, default=4, metavar="D", help="digits of a code; 1 to 40 (4)"
    )


def code_of(text: str, game: CodeBreaking) -> Code:
    """The code that was typed; raises `IllegalMove` with the reason if it is none."""
    move = CodeBreakingWords(game, NAMES).read(State("guess"), BREAKER, text)
    if not isinstance(move, tuple):
        raise IllegalMove(f"{text!r} is no code")
    return cast(Code, move)


def marks_of(text: str, game: CodeBreaking) -> Marks:
    """Full and partial matches, typed as ``1 2`` or ``1,2``; or ``12`` in short codes."""
    anyone = CodeBreaking(game.base, game.length, EVIL)
    asked = State("answer", asked=(0,) * game.length)
    move = CodeBreakingWords(anyone, NAMES).read(asked, KEEPER, text)
    return cast(Marks, move)
