"""What people type in code breaking: codes, answers, sizes."""

from __future__ import annotations

import argparse
from typing import Final

from fairground.core import IllegalMove
from fairground.games.codebreaking import (
    EVIL,
    KEEPER,
    Code,
    CodeBreaking,
    Marks,
    State,
    read_code,
    write_code,
)

LONGEST_EXAMPLE: Final = 30


def add_size(parser: argparse.ArgumentParser) -> None:
    """The options that say which codes there are."""
    parser.add_argument(
        "--base", type=int, default=6, metavar="B", help="digits are 0 to B - 1; 2 to 100 (6)"
    )
    parser.add_argument(
        "--length", type=int, default=4, metavar="D", help="digits of a code; 1 to 40 (4)"
    )


def code_of(text: str, game: CodeBreaking) -> Code:
    """The code that was typed; raises `IllegalMove` with the reason if it is none."""
    words = text.split()
    if game.length == 1 and len(words) == 1 and words[0].isascii() and words[0].isdigit():
        words[0] += ","  # a single large digit, which else would be read as several
    code = read_code(" ".join(words))
    game.check(State("guess"), 1, code)
    return code


def example_code(game: CodeBreaking) -> str:
    """How a code of this game is typed."""
    code = [(game.base - 1 - i) % game.base for i in range(game.length)]
    text = write_code(code, game.base).rstrip(",")
    if len(text) <= LONGEST_EXAMPLE:
        return text
    some = write_code(code[:3], game.base)
    return f"{some}{'...' if game.base <= 10 else ' ...'} ({game.length} digits)"


def marks_of(text: str, game: CodeBreaking) -> Marks:
    """Full and partial matches, typed as ``1 2`` or ``1,2``; or ``12`` in short codes."""
    words = text.replace(",", " ").replace("/", " ").split()
    if len(words) == 1 and len(words[0]) == 2 and game.length < 10:
        words = list(words[0])
    if len(words) != 2 or not all(w.isascii() and w.isdigit() and len(w) <= 3 for w in words):
        raise IllegalMove(
            f"an answer is two numbers, full and partial matches, such as 1 2, not {text!r}"
        )
    marks = int(words[0]), int(words[1])
    anyone = CodeBreaking(game.base, game.length, EVIL)
    anyone.check(State("answer", asked=(0,) * game.length), KEEPER, marks)
    return marks
