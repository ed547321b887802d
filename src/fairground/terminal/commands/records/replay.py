"""``fairground replay``: a transcript in words, step by step, forward and back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.ink import Ink
from fairground.terminal.keys import END, ENTER, can_read_keys, forget_typed, reading_keys
from fairground.terminal.shelf import Record, Step, open_record

NEXT: Final = (ENTER, " ", "right", "down", "n")
BACK: Final = ("left", "up", "p", "\x7f")
KEYS: Final = "Enter goes on, Left goes back, Home and End jump, q leaves"


def _arguments() -> Arguments:
    parser = Arguments(
        "replay",
        "Tell a transcript in words: who did what, what was drawn, how things stood. On a\n"
        "terminal it goes step by step, forward and back; in a pipe all of it is printed. It\n"
        "verifies nothing: that is what fairground verify is for.",
        "Examples:\n  fairground replay game.jsonl\n  fairground replay game.jsonl --speed 2\n"
        "  fairground replay game.jsonl | less",
    )
    parser.add_argument("file", metavar="FILE", help="the transcript; - reads standard input")
    parser.add_argument(
        "--speed", type=float, metavar="S", help="go on by itself, with S steps in a second"
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground replay``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.speed is not None and not 0.01 <= options.speed <= 1000:
        parser.error(f"--speed must be from 0.01 to 1000, not {options.speed:g}")
    record = open_record(Path(options.file))
    art = Ink.of_terminal()
    steps = [step for step in record.steps() if step.sentences]
    names = ", ".join(map(shown, record.names))
    print(art.ink(f"{record.title}: {names}", "bold"))
    if not can_read_keys():
        for step in steps:
            _tell(art, step)
        _tell_the_end(record)
    elif options.speed is not None:
        for step in steps:
            _tell(art, step)
            time.sleep(1 / options.speed)
        _tell_the_end(record)
    else:
        _step_by_step(art, record, steps)
    return 0


def _tell(art: Ink, step: Step) -> None:
    for sentence in step.sentences:
        print(art.fold(shown(sentence), f"{step.line:>4}  ", "      "))


def _tell_the_end(record: Record) -> None:
    if record.payoff is None:
        print("The record ends here: the game is unfinished.")


def _step_by_step(art: Ink, record: Record, steps: Sequence[Step]) -> None:
    at = 0

    def show() -> None:
        print("\n" + "-" * min(40, art.columns - 1))
        if at == len(steps):
            print("This is the end of the record.")
            _tell_the_end(record)
        else:
            _tell(art, steps[at])
            for line in steps[at].state:
                print(art.fold(shown(line), "      "))
        print(art.fold(f"Step {min(at + 1, len(steps))} of {len(steps)}. {KEYS}."), flush=True)

    forget_typed()
    show()
    with reading_keys(show) as keys:
        while True:
            key = keys.read()
            if key in NEXT and at == len(steps):
                return
            if key in ("q", "x", "escape", END):
                return
            if key in NEXT:
                at += 1
            elif key in BACK:
                at = max(0, at - 1)
            elif key in ("home", "end"):
                at = 0 if key == "home" else max(0, len(steps) - 1)
            else:
                continue
            show()
