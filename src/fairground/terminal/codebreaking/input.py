"""What people type in code breaking: codes, answers, sizes; and how to wait for long thoughts."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

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

T = TypeVar("T")

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


def patiently(what: str, work: Callable[[], T]) -> T:
    """Do something that may take long; on a terminal, show for how long it has been going on.

    The work has a thread of its own, so that Ctrl-C is heard at once.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def try_it() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    worker = threading.Thread(target=try_it, daemon=True)
    worker.start()
    worker.join(0.3)
    if worker.is_alive():
        _show_waiting(what, worker)
    if failed:
        raise failed[0]
    return done[0]


def _show_waiting(what: str, worker: threading.Thread) -> None:
    if sys.stderr is None or not sys.stderr.isatty():
        worker.join()
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn("line"), TextColumn(what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(what, total=None)
        while worker.is_alive():
            worker.join(0.1)
