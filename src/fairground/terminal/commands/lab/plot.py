"""``fairground plot``: figures, in the terminal or as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairground.core import UnknownName
from fairground.lab.figures import FIGURES
from fairground.lab.plots import in_text, save
from fairground.registers import known
from fairground.terminal.console import Arguments
from fairground.terminal.fatestones.input import writing
from fairground.terminal.ink import terminal_size
from fairground.terminal.waiting import patiently


def _arguments() -> Arguments:
    parser = Arguments(
        "plot",
        "Draw a figure in the terminal, or write it as SVG or PNG.\n\n"
        + "\n".join(f"  {name:<14}{figure.says}" for name, figure in FIGURES.items()),
        "Examples:\n"
        "  fairground plot guesses\n"
        "  fairground plot win-matrix --out matrix.svg\n"
        "  fairground plot all --out docs/figures",
    )
    parser.add_argument("figure", metavar="FIGURE", help="one of those above, or all")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="a file (.svg, .png); for all, a folder"
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground plot``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.figure == "all":
        if options.out is None:
            parser.error("all figures go into a folder: --out FOLDER")
        options.out.mkdir(parents=True, exist_ok=True)
        for name in FIGURES:
            _write(name, options.out / f"{name}.svg")
        return 0
    if options.figure not in FIGURES:
        raise UnknownName(f"no figure named {options.figure!r}; {known(options.figure, FIGURES)}")
    if options.out is None:
        plot = patiently(options.figure, FIGURES[options.figure].draw)
        print("\n".join(in_text(plot, terminal_size().columns)))
    else:
        _write(options.figure, options.out)
    return 0


def _write(name: str, path: Path) -> None:
    with writing(path):
        save(patiently(name, FIGURES[name].draw), path)
    print(f"{name} is in {path}")
