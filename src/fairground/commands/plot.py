"""``fairground plot``: figures, in the terminal or as files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from fairground.core import UnknownName
from fairground.games.fatestones.screen.screen import writing
from fairground.lab.plots import FIGURES, Plot, in_text, of_file, save
from fairground.registry import known
from fairground.terminal.console import Arguments
from fairground.terminal.waiting import patiently


def _arguments() -> Arguments:
    parser = Arguments(
        "plot",
        "Draw a figure, or a file of games, in the terminal; or write it as SVG or PNG.\n\n"
        + "\n".join(f"  {name:<14}{figure.says}" for name, figure in FIGURES.items())
        + "\n\nOf a file that `fairground simulate --out` wrote, what each player won is drawn,\n"
        "or with --column how often each number stands there.",
        "Examples:\n"
        "  fairground plot guesses\n"
        "  fairground plot win-matrix --out matrix.svg\n"
        "  fairground plot all --out docs/figures\n"
        "  fairground plot games.csv --column turns_zombie1 --out turns.png",
    )
    parser.add_argument(
        "figure", metavar="FIGURE|FILE", help="one of those above, or all; or a file of games"
    )
    parser.add_argument(
        "--column", metavar="NAME", action="append", default=[],
        help="count the numbers in this column of the file; more than one: side by side",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="a file (.svg, .png); for all, a folder"
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground plot``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    name = options.figure
    if name == "all":
        if options.out is None:
            parser.error("all figures go into a folder: --out FOLDER")
        options.out.mkdir(parents=True, exist_ok=True)
        for one, listing in FIGURES.items():
            _write(one, listing.draw, options.out / f"{one}.svg")
        return 0
    draw: Callable[[], Plot]
    if name in FIGURES:
        if options.column:
            parser.error(f"{name} is a figure, and --column is for a file of games")
        draw = FIGURES[name].draw
    elif Path(name).suffix or Path(name).exists():
        draw = partial(of_file, Path(name), options.column)
    else:
        raise UnknownName(f"no figure or file named {name!r}; {known(name, FIGURES)}")
    if options.out is None:
        print("\n".join(in_text(patiently(name, draw), shutil.get_terminal_size().columns)))
    else:
        _write(name, draw, options.out)
    return 0


def _write(name: str, draw: Callable[[], Plot], path: Path) -> None:
    with writing(path):
        save(patiently(name, draw), path)
    print(f"{name} is in {path}")
